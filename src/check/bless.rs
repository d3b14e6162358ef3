//! Keeps what was drawn as the reference of later runs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use toml_edit::{ArrayOfTables, Document, Table};

use super::case::{Case, Reference};
use super::file::line_at;
use super::judge::{Outcome, Verdict};
use super::manifest::{Others, Record};
use super::{SceneFile, SceneFileError};
use crate::golden;
use crate::image::is_drawn_by_polyset;
use crate::output::{WriteError, write_file};
use crate::raster::DrawError;

/// Why a picture is not kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlessError {
    /// There is no renderer.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A folder cannot be made, or a file not be read or removed.
    #[error("'{}': {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A scene file cannot be rewritten.
    #[error(transparent)]
    Scenes(#[from] SceneFileError),
    /// The reference is somebody else's picture.
    #[error("'{}' was not drawn by polyset, but by somebody to compare it with; --force replaces it", .0.display())]
    Foreign(PathBuf),
    /// Two scenes have one reference and are different pictures.
    #[error("the scenes '{0}' and '{1}' have one reference and are different pictures")]
    Shared(String, String),
}

/// What was kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blessed {
    /// The names of the scenes whose pictures were kept.
    pub kept: Vec<String>,
    /// The names of pictures that were removed.
    pub pruned: Vec<String>,
    /// Dead references that were left: their files are not what was kept there.
    pub left: Vec<PathBuf>,
}

/// A picture that is to be kept.
struct Wanted<'a> {
    case: &'a Case,
    outcome: Outcome,
}

fn io<T>(path: &Path, result: std::io::Result<T>) -> Result<T, BlessError> {
    result.map_err(|source| BlessError::Io { path: path.into(), source })
}

/// Pictures that were drawn and told of, of which those that differ or are new can be kept.
#[derive(Debug, Default)]
pub struct Shown {
    wanted: BTreeMap<usize, Outcome>,
    /// What pictures that are as they were are made of.
    records: BTreeMap<usize, Record>,
}

impl SceneFile {
    /// Draws cases and compares them, as [`SceneFile::check`] does, to be kept by [`SceneFile::bless`];
    /// `tell` is told of every outcome.
    ///
    /// # Errors
    /// If there is no renderer on this machine.
    pub fn show(
        &self,
        numbers: &[usize],
        threads: Option<NonZero<usize>>,
        tell: impl Fn(usize, &Outcome) + Sync,
    ) -> Result<Shown, DrawError> {
        let shown = Mutex::new(Shown::default());
        self.judge(numbers, threads, true, |number, outcome| {
            tell(number, &outcome);
            let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            let is_wanted = matches!(outcome.verdict, Verdict::Failed | Verdict::New);
            // What is known to be wrong is no reference, also where there is none yet.
            if is_wanted && self.cases[number].known_failure.is_none() {
                shown.wanted.insert(number, outcome);
            } else if let (Verdict::Passed, Some(record)) = (outcome.verdict, outcome.record) {
                shown.records.insert(number, record);
            }
        })?;
        Ok(shown.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps pictures that differ or are new. Notes of these, and of those that are as they were, what they
    /// are made of. Known failures, and what cannot be drawn, are left.
    /// `prunes`: also removes what belongs to no scene any more; `force`: also replaces references that
    /// polyset has not drawn.
    ///
    /// # Errors
    /// If something cannot be written; what was kept before stays kept.
    pub fn bless(
        &mut self,
        shown: Shown,
        prunes: bool,
        force: bool,
    ) -> Result<Blessed, BlessError> {
        let Shown { wanted, records } = shown;
        let case = |(number, outcome)| Wanted { case: &self.cases[number], outcome };
        let wanted: Vec<Wanted<'_>> = wanted.into_iter().map(case).collect();
        self.check_shared(&wanted, &records)?;
        check_foreign(&wanted, force)?;
        let others = if prunes { self.manifest.others()? } else { Others::default() };
        let mut hashes = self.hashes.clone();
        let mut said: Vec<(&Case, u64)> = Vec::new();
        let mut kept = Vec::new();
        let mut made = Vec::new();
        for Wanted { case, outcome } in &wanted {
            let Some(image) = &outcome.actual else { continue };
            match &case.reference {
                Reference::Picture(path) => {
                    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
                        io(folder, fs::create_dir_all(folder))?;
                    }
                    image.save_drawn(path)?;
                }
                Reference::Hash(_) => said.push((case, image.hash())),
                Reference::Hashes(file) => {
                    let hashes = hashes.entry(file.clone()).or_default();
                    hashes.insert(case.name.clone(), image.hash());
                }
            }
            made.extend(outcome.record.clone());
            kept.push(case.name.clone());
        }
        rewrite_scenes(&said)?;
        let records = records.into_values().chain(made);
        self.manifest.records.extend(records.map(|record| (record.name.clone(), record)));
        let mut blessed = Blessed { kept, ..Blessed::default() };
        if prunes {
            self.prune(&others, &mut hashes, &mut blessed)?;
        }
        for (file, hashes) in &hashes {
            if self.hashes.get(file) != Some(hashes) {
                write_hashes(file, hashes)?;
            }
        }
        self.hashes = hashes;
        if !self.manifest.records.is_empty() || self.manifest.path().exists() {
            self.manifest.save()?;
        }
        Ok(blessed)
    }

    /// Before anything is written: no two pictures have one place, neither of those that are to be kept nor
    /// of those that are as they were.
    fn check_shared(
        &self,
        wanted: &[Wanted<'_>],
        passed: &BTreeMap<usize, Record>,
    ) -> Result<(), BlessError> {
        let passed = passed.iter().map(|(number, record)| (&self.cases[*number], record));
        let wanted = wanted.iter().filter_map(|one| Some((one.case, one.outcome.record.as_ref()?)));
        let mut places: HashMap<&Path, (&Case, &Record)> = HashMap::new();
        // Two that are as they were are both within their tolerance, and nothing becomes of their reference.
        let mut kept: HashMap<&Path, Vec<(&Case, &Record)>> = HashMap::new();
        for (case, record) in passed {
            if let Reference::Picture(path) = &case.reference {
                kept.entry(path).or_default().push((case, record));
            }
        }
        for (case, record) in wanted {
            let Reference::Picture(path) = &case.reference else { continue };
            let other = places.insert(path, (case, record));
            let others = kept.get(&**path).into_iter().flatten().copied().chain(other);
            for (other, beside) in others {
                if beside.picture != record.picture {
                    return Err(BlessError::Shared(other.name.clone(), case.name.clone()));
                }
            }
        }
        Ok(())
    }

    /// Removes what no scene asks for any more: lines of the manifest, and the hashes and pictures that they
    /// speak of, if these are still what was kept and no other scene file beside this one keeps them.
    fn prune(
        &mut self,
        others: &Others,
        hashes: &mut HashMap<PathBuf, HashMap<String, u64>>,
        blessed: &mut Blessed,
    ) -> Result<(), BlessError> {
        let used: HashSet<PathBuf> = self
            .cases
            .iter()
            .filter_map(|case| match &case.reference {
                Reference::Picture(path) => fs::canonicalize(path).ok(),
                _ => None,
            })
            .collect();
        let folder = self.path.parent().unwrap_or(Path::new("")).to_path_buf();
        for name in self.gone() {
            let Some(record) = self.manifest.records.remove(&name) else { continue };
            let is_kept = |hash: u64| format!("{hash:016x}") == record.picture;
            if let Some(reference) = &record.reference {
                let path = folder.join(reference);
                let is_used = fs::canonicalize(&path)
                    .is_ok_and(|path| used.contains(&path) || others.pictures.contains(&path));
                if path.exists() && !is_used {
                    if golden::open(&path).is_ok_and(|image| is_kept(image.hash())) {
                        io(&path, fs::remove_file(&path))?;
                    } else {
                        blessed.left.push(path);
                    }
                }
            } else if !others.hashes.contains(&name) {
                for hashes in hashes.values_mut() {
                    hashes.retain(|other, hash| *other != name || !is_kept(*hash));
                }
            }
            blessed.pruned.push(name);
        }
        Ok(())
    }
}

/// Before anything is written: nobody else's picture is replaced.
fn check_foreign(wanted: &[Wanted<'_>], force: bool) -> Result<(), BlessError> {
    for one in wanted {
        let Reference::Picture(path) = &one.case.reference else { continue };
        if path.exists() && !force {
            let bytes = io(path, fs::read(path))?;
            if !is_drawn_by_polyset(&bytes) {
                return Err(BlessError::Foreign(path.clone()));
            }
        }
    }
    Ok(())
}

/// Writes hashes into the scene files, and leaves all else there as it is.
fn rewrite_scenes(said: &[(&Case, u64)]) -> Result<(), BlessError> {
    let mut files: BTreeMap<&Path, Vec<(&Case, u64)>> = BTreeMap::new();
    for (case, hash) in said {
        files.entry(&case.place.file).or_default().push((*case, *hash));
    }
    for (path, said) in files {
        let text = io(path, fs::read_to_string(path))?;
        let whole = |what: &str| said[0].0.place.error(what.to_owned());
        let changed = || whole("the file has changed since it was read; try again");
        let parsed = Document::parse(&*text).map_err(|_| changed())?;
        let tables = parsed.get("scene").and_then(|item| item.as_array_of_tables());
        // The bytes of the values alone are replaced: a document that is written anew has its own ends of lines.
        let mut values: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
        for (case, hash) in &said {
            let line = |table: &&Table| line_at(&text, table.span().map_or(0, |span| span.start));
            let mut tables = tables.into_iter().flat_map(ArrayOfTables::iter);
            let table = tables.find(|table| line(table) == case.place.line);
            let value = table.and_then(|table| table.get("hash")?.span()).ok_or_else(changed)?;
            values.insert(value.start, (value.end, *hash));
        }
        let mut written = String::with_capacity(text.len());
        let mut done = 0;
        for (start, (end, hash)) in values {
            written += text.get(done..start).ok_or_else(changed)?;
            written += &format!("\"{hash:016x}\"");
            done = end;
        }
        written += text.get(done..).ok_or_else(changed)?;
        write_file(path, |out| out.write_all(written.as_bytes()))?;
    }
    Ok(())
}

fn write_hashes(path: &Path, hashes: &HashMap<String, u64>) -> Result<(), WriteError> {
    let hashes: BTreeMap<&String, &u64> = hashes.iter().collect();
    write_file(path, |out| {
        hashes.iter().try_for_each(|(name, hash)| writeln!(out, "{hash:016x}  {name}"))
    })
}
