//! `polyset check`: the pictures of a scene file, compared with those that were kept.

use std::io::{self, Write as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::{Arg, ArgMatches};
use polyset::check::{Counts, Report, Row, SceneFile, json};
use polyset::scene::options::Command;

use super::arguments::{self, Given};
use super::console;
use super::output;
use super::progress::Progress;

const SCENES: &str = "SCENES";
const NAME: &str = "NAME";
/// The report's folder, unless said.
const REPORT: &str = "report";

/// The arguments of the commands that read scene files.
pub(super) fn with_scenes(command: clap::Command) -> clap::Command {
    let file = Arg::new(SCENES)
        .required(true)
        .value_parser(clap::builder::OsStringValueParser::new())
        .value_hint(clap::ValueHint::FilePath)
        .help("The scene file, TOML: docs/check.md describes it");
    let names = Arg::new(NAME)
        .num_args(0..)
        .help("Names of scenes, with * and ? as in a shell; without any all of them");
    command.args([file, names])
}

pub(crate) fn command() -> clap::Command {
    with_scenes(arguments::subcommand(
        "check",
        Command::Check,
        "Compare the pictures of a scene file with references",
    ))
    .after_help(
        "Exit codes: 0 all is as it should be, 1 something differs, is new or cannot be drawn, \
         2 trouble.",
    )
}

/// What a command does with a scene file.
pub(super) struct Task<'a> {
    pub(super) given: Given<'a>,
    pub(super) scenes: SceneFile,
    /// The scenes that were named.
    pub(super) numbers: Vec<usize>,
    pub(super) threads: Option<NonZero<usize>>,
}

impl<'a> Task<'a> {
    /// # Errors
    /// If the scene file is bad, or there is no scene of a name.
    pub(super) fn new(given: Given<'a>, matches: &'a ArgMatches) -> Result<Self> {
        if given.has("quiet") {
            console::be_quiet();
        }
        let path = given.file(SCENES).unwrap_or_default();
        let scenes = SceneFile::open(&path)?;
        let names: Vec<String> =
            matches.get_many::<String>(NAME).into_iter().flatten().cloned().collect();
        let numbers = scenes.select(&names)?;
        let threads =
            given.text("threads").and_then(|text| text.parse().ok()).and_then(NonZero::new);
        Ok(Self { given, scenes, numbers, threads })
    }

    pub(super) fn report(&self, folder: Option<&Path>) -> Result<Report> {
        let title = self.scenes.path().display().to_string();
        Ok(Report::new(folder, &title, self.given.has("force"))?)
    }

    pub(super) fn progress(&self) -> Progress {
        Progress::new(self.numbers.len(), "scenes", self.given.has("quiet"))
    }

    /// Kept pictures that are gone; not known if some scenes alone were asked for.
    pub(super) fn gone(&self) -> Vec<String> {
        let is_all = self.numbers.len() == self.scenes.cases().len();
        if is_all { self.scenes.gone() } else { Vec::new() }
    }
}

/// Draws, compares and tells; returns whether all is as it should be.
///
/// # Errors
/// If the scene file is bad, or the report cannot be written.
pub(crate) fn run(matches: &ArgMatches) -> Result<bool> {
    let given = Given::new(Command::Check, matches)?;
    let task = Task::new(given, matches)?;
    // Nothing compared must not look like all is well.
    ensure!(!task.numbers.is_empty(), "'{}' has no scenes", task.scenes.path().display());
    let folder = match given.file("report") {
        _ if given.has("no-report") => None,
        Some(folder) => Some(folder),
        None => Some(PathBuf::from(REPORT)),
    };
    let report = task.report(folder.as_deref())?;
    let progress = task.progress();
    let checked = task.scenes.check(&task.numbers, task.threads, |number, outcome| {
        report.add(number, &task.scenes.cases()[number], &outcome);
        progress.step();
    });
    progress.end();
    checked?;
    let gone = task.gone();
    // What was found is told before the report can fail.
    let (counts, rows) = report.counted(&gone);
    let text = if given.has("json") { json(counts, &rows) } else { text(counts, &rows) };
    output::stdout(text.as_bytes())?;
    if given.value("annotate").is_some() {
        let lines = annotations(&rows);
        // Beside JSON they would make the standard output none; GitHub reads them from either stream.
        if given.has("json") {
            io::stderr().write_all(lines.as_bytes())?;
        } else {
            output::stdout(lines.as_bytes())?;
        }
    }
    report.finish(&gone)?;
    if let Some(folder) = folder.filter(|_| !counts.is_fine()) {
        console::note(&format!("'{}' shows them", folder.join("index.html").display()));
    }
    Ok(counts.is_fine())
}

/// A line for all that is not as it should be, and the counts.
pub(super) fn text(counts: Counts, rows: &[Row]) -> String {
    let wrong = rows.iter().filter(|row| row.verdict != "passed");
    let lines = wrong.map(|row| console::printable(&row.line()) + "\n");
    lines.chain([format!("{counts}\n")]).collect()
}

/// Workflow commands of GitHub Actions.
fn annotations(rows: &[Row]) -> String {
    let escape = |text: &str, is_property: bool| {
        let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
        if is_property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
    };
    let mut text = String::new();
    for row in rows.iter().filter(|row| !matches!(row.verdict, "passed" | "known")) {
        let level = if row.verdict == "gone" { "warning" } else { "error" };
        let place = match row.line {
            0 => String::new(),
            line => format!("file={},line={line},", escape(&row.file, true)),
        };
        let title = escape(&format!("{} {}", row.verdict, row.name), true);
        let message = escape(&console::printable(&row.line()), false);
        text += &format!("::{level} {place}title={title}::{message}\n");
    }
    text
}
