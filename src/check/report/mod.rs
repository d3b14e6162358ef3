//! What became of a run: a page for people, JSON for programs, JUnit's XML for servers.

mod junit;
mod page;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::case::{Case, Reference};
use super::judge::{Outcome, Verdict};
use crate::image::Image;
use crate::output::{WriteError, make_folder, write_file};

/// The version of the JSON: raised when a field changes its meaning or goes away.
const FORMAT: u32 = 1;
/// Characters of pictures that the page holds at most; what is more is left out, the worst last.
const MAX_EMBEDDED: usize = 96 << 20;

/// How many cases there are of every kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// As they should be.
    pub passed: usize,
    /// Different.
    pub failed: usize,
    /// Without a reference.
    pub new: usize,
    /// Different, as is known.
    pub known: usize,
    /// As they should be, although known to differ.
    pub fixed: usize,
    /// That cannot be drawn or compared.
    pub broken: usize,
    /// Kept pictures that no scene asks for any more.
    pub gone: usize,
}

impl Counts {
    fn of(verdict: Verdict, counts: &mut Self) -> &mut usize {
        match verdict {
            Verdict::Passed => &mut counts.passed,
            Verdict::Failed => &mut counts.failed,
            Verdict::New => &mut counts.new,
            Verdict::Known => &mut counts.known,
            Verdict::Fixed => &mut counts.fixed,
            Verdict::Broken => &mut counts.broken,
        }
    }

    /// Whether nothing has to be done.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.failed + self.new + self.fixed + self.broken == 0
    }
}

/// `238 passed, 3 failed, 1 new`: what there is, and the first two whether there is any or not.
impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        let others = [
            (self.broken, "broken"),
            (self.new, "new"),
            (self.known, "known"),
            (self.fixed, "fixed"),
            (self.gone, "gone"),
        ];
        others
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .try_for_each(|(count, what)| write!(f, ", {count} {what}"))
    }
}

/// A case in a report.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The name of the scene.
    pub name: String,
    /// [`Verdict::name`], or `gone`.
    pub verdict: &'static str,
    /// What is wrong; empty if nothing is.
    pub message: String,
    /// What has changed since the reference was kept.
    pub cause: Option<String>,
    /// The command that draws it.
    pub command: Option<String>,
    /// The scene file.
    pub file: String,
    /// The line of the scene there.
    pub line: usize,
    /// The reference picture.
    pub reference: Option<String>,
    /// Width and height of what was drawn.
    pub size: Option<[u32; 2]>,
    /// Pixels that differ by more than is tolerated, and all that were compared.
    pub differing: Option<u64>,
    /// See [`Row::differing`].
    pub compared: Option<u64>,
    /// The largest difference of a channel.
    pub worst: Option<u8>,
    /// What is odd about the picture.
    pub warnings: Vec<String>,
    /// How long it took.
    pub milliseconds: f64,
}

impl Row {
    fn of(case: &Case, outcome: &Outcome) -> Self {
        let judgement = outcome.judgement.as_deref();
        Self {
            name: case.name.clone(),
            verdict: outcome.verdict.name(),
            message: outcome.message.clone(),
            cause: outcome.cause.clone(),
            command: case.command(),
            file: case.place.file.display().to_string(),
            line: case.place.line,
            reference: match &case.reference {
                Reference::Picture(path) => Some(path.display().to_string()),
                _ => None,
            },
            size: outcome.size,
            differing: judgement.map(crate::compare::Judgement::differing),
            compared: judgement.map(|judgement| judgement.comparison().compared()),
            worst: judgement.map(|judgement| judgement.comparison().worst()),
            warnings: outcome.warnings.clone(),
            milliseconds: (outcome.time.as_secs_f64() * 1e5).round() / 100.0,
        }
    }

    /// Everything about a case on one line, for people: what it is, what is wrong, since when, and how to
    /// see it.
    #[must_use]
    pub fn line(&self) -> String {
        let parts = [
            Some(&self.message).filter(|m| !m.is_empty()),
            self.cause.as_ref(),
            self.command.as_ref(),
        ];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        format!("{} {}: {}", self.verdict, self.name, parts.join("; "))
    }
}

/// Pictures of a row as the page has them.
#[derive(Clone, Debug, Default)]
struct Pictures {
    /// PNGs in base64.
    expected: Option<String>,
    actual: Option<String>,
}

/// A report in the making: takes outcomes from any thread in any order.
#[derive(Debug)]
pub struct Report {
    folder: Option<PathBuf>,
    title: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    rows: BTreeMap<usize, (Row, Pictures)>,
    counts: Counts,
    embedded: usize,
}

impl Report {
    /// A report that goes into a folder, or that is only counted and listed.
    ///
    /// # Errors
    /// If the folder holds something else than a report, unless `force`.
    pub fn new(folder: Option<&Path>, title: &str, force: bool) -> io::Result<Self> {
        if let Some(folder) = folder.filter(|_| !force) {
            let is_empty = fs::read_dir(folder).map_or(true, |mut files| files.next().is_none());
            let is_ours = || {
                let page = fs::read(folder.join(page::NAME)).unwrap_or_default();
                page.starts_with(page::MARK.as_bytes())
            };
            if !is_empty && !is_ours() {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    format!(
                        "'{}' is there and holds no report of polyset; give --report another folder",
                        folder.display()
                    ),
                ));
            }
        }
        let state = Mutex::default();
        Ok(Self { folder: folder.map(Path::to_path_buf), title: title.to_owned(), state })
    }

    /// Adds what became of a case.
    pub fn add(&self, number: usize, case: &Case, outcome: &Outcome) {
        let row = Row::of(case, outcome);
        let encode = |image: &Option<Image>| {
            let image = image.as_ref().filter(|_| self.folder.is_some())?;
            let mut bytes = Vec::new();
            // Writing to memory fails with no picture that could be drawn.
            image.encode_drawn(&mut bytes).ok()?;
            Some(STANDARD.encode(bytes))
        };
        let mut pictures =
            Pictures { expected: encode(&outcome.expected), actual: encode(&outcome.actual) };
        let length = |picture: &Option<String>| picture.as_ref().map_or(0, String::len);
        let bytes = length(&pictures.expected) + length(&pictures.actual);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.embedded + bytes > MAX_EMBEDDED {
            pictures = Pictures::default();
        } else {
            state.embedded += bytes;
        }
        *Counts::of(outcome.verdict, &mut state.counts) += 1;
        state.rows.insert(number, (row, pictures));
    }

    /// The counts and the rows, in the order of the scene file: what can be told whether or not the report can
    /// be written. `gone` are names of kept pictures that no scene asks for.
    #[must_use]
    pub fn counted(&self, gone: &[String]) -> (Counts, Vec<Row>) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = Counts { gone: gone.len(), ..state.counts };
        let mut rows: Vec<Row> = state.rows.values().map(|(row, _)| row.clone()).collect();
        rows.extend(gone.iter().map(|name| Row {
            name: name.clone(),
            verdict: "gone",
            message: "it was kept, and no scene asks for it any more".into(),
            ..Row::default()
        }));
        (counts, rows)
    }

    /// Writes the report, if it goes into a folder: `index.html`, `report.json`, `junit.xml`. `gone` are
    /// names of kept pictures that no scene asks for. Returns what [`Report::counted`] does.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self, gone: &[String]) -> Result<(Counts, Vec<Row>), WriteError> {
        let (counts, rows) = self.counted(gone);
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut pictures: Vec<Pictures> =
            state.rows.into_values().map(|(_, pictures)| pictures).collect();
        pictures.resize(rows.len(), Pictures::default());
        if let Some(folder) = &self.folder {
            make_folder(folder)?;
            let page = page::page(&self.title, counts, &rows, &pictures);
            write_file(folder.join("report.json"), |out| {
                out.write_all(json(counts, &rows).as_bytes())
            })?;
            write_file(folder.join("junit.xml"), |out| junit::write(&self.title, &rows, out))?;
            write_file(folder.join(page::NAME), |out| out.write_all(page?.as_bytes()))?;
        }
        Ok((counts, rows))
    }
}

#[derive(Serialize)]
struct Json<'a> {
    polyset_check: u32,
    fine: bool,
    counts: Counts,
    scenes: &'a [Row],
}

/// The report as JSON; `docs/check.md` describes it.
#[must_use]
pub fn json(counts: Counts, rows: &[Row]) -> String {
    let json = Json { polyset_check: FORMAT, fine: counts.is_fine(), counts, scenes: rows };
    // Maps with text keys and finite numbers can always be written.
    serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"
}
