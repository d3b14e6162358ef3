//! Many pictures compared with references that were kept: regression tests for models, textures and
//! renderers.
//!
//! A scene file says which pictures there are: [`SceneFile::open`] reads it to [`Case`]s, each a
//! [`crate::Scene`] with a reference. [`SceneFile::check`] draws them and says what is to be thought of
//! each, [`SceneFile::bless`] keeps what was drawn. A manifest beside the scene file notes what every
//! kept picture was made of. `docs/check.md` describes the files.

mod bless;
mod case;
mod expand;
mod file;
mod judge;
mod keys;
mod manifest;
mod report;
mod tolerance;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glob::Pattern;

pub use bless::{BlessError, Blessed, Shown};
pub use case::{Case, Reference};
pub use file::{Line, SceneFileError};
pub use judge::{Outcome, Verdict};
pub use report::{Counts, Report, Row, json};

use crate::error::RequestError;
use crate::raster::{DrawError, Renderer};
use crate::scene::{Files, Studio};
use crate::thumbs::each;
use judge::{Hashes, Judge};
use manifest::Manifest;

/// A scene file that was read, with those that it includes.
#[derive(Debug)]
pub struct SceneFile {
    path: PathBuf,
    cases: Vec<Case>,
    /// What is known of folders and archives.
    files: Files,
    manifest: Manifest,
    hashes: Hashes,
}

impl SceneFile {
    /// Reads a scene file and looks up its models. Models that cannot be found are no error here: their
    /// cases say so.
    ///
    /// # Errors
    /// If a file cannot be read or says something that does not exist; with its line.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SceneFileError> {
        let path = path.as_ref();
        let entries = file::read(path)?;
        let files = Files::default();
        let cases = expand::expand(&entries, &files)?;
        let mut hashes = Hashes::new();
        for case in &cases {
            if let Reference::Hashes(file) = &case.reference
                && !hashes.contains_key(file)
            {
                hashes.insert(file.clone(), read_hashes(file)?);
            }
        }
        let manifest = Manifest::of(path)?;
        Ok(Self { path: path.into(), cases, files, manifest, hashes })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All pictures, in the order of the file.
    #[must_use]
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The numbers of the cases with these names, in which `*`, `?` and `[..]` stand for what they do in a
    /// shell and `*` for `/` too; without names all.
    ///
    /// # Errors
    /// If a name is no pattern, or there is no such case.
    pub fn select(&self, names: &[String]) -> Result<Vec<usize>, RequestError> {
        let mut chosen = HashSet::new();
        for name in names {
            let pattern = Pattern::new(name)
                .map_err(|error| RequestError::new(format!("'{name}': {}", error.msg)))?;
            let before = chosen.len();
            let is_like = |number: &usize| pattern.matches(&self.cases[*number].name);
            let found: Vec<usize> = (0..self.cases.len()).filter(is_like).collect();
            if found.is_empty() && before == chosen.len() {
                let path = self.path.display();
                return Err(RequestError::new(format!("'{path}' has no scene '{name}'")));
            }
            chosen.extend(found);
        }
        Ok((0..self.cases.len())
            .filter(|number| names.is_empty() || chosen.contains(number))
            .collect())
    }

    /// Draws cases and compares them, side by side on several threads, each picture by one; `take` gets
    /// every outcome with the number of its case, in no order.
    ///
    /// # Errors
    /// If there is no renderer on this machine.
    pub fn check(
        &self,
        numbers: &[usize],
        threads: Option<NonZero<usize>>,
        take: impl Fn(usize, Outcome) + Sync,
    ) -> Result<(), DrawError> {
        self.judge(numbers, threads, false, take)
    }

    fn judge(
        &self,
        numbers: &[usize],
        threads: Option<NonZero<usize>>,
        records_all: bool,
        take: impl Fn(usize, Outcome) + Sync,
    ) -> Result<(), DrawError> {
        let judge = Judge {
            files: &self.files,
            manifest: &self.manifest,
            hashes: &self.hashes,
            records_all,
        };
        let studio = || Renderer::new().with_threads(1).map(Studio::new);
        each(numbers.len(), threads, studio, |studio, at| {
            let number = numbers[at];
            take(number, judge.judge(&self.cases[number], studio));
            Ok(())
        })
    }

    /// The names of pictures that were kept and that no scene asks for any more, sorted. Lines of a file
    /// of hashes that this scene file has not kept are somebody else's: it may be shared.
    #[must_use]
    pub fn gone(&self) -> Vec<String> {
        let names: HashSet<&str> = self.cases.iter().map(|case| &*case.name).collect();
        self.manifest.records.keys().filter(|name| !names.contains(&***name)).cloned().collect()
    }
}

/// The hash and the name of a line as `polyset hash` writes them: 16 hexadecimal digits, two blanks, the
/// name. `None` if it is no such line.
#[must_use]
pub fn hash_line(line: &[u8]) -> Option<(u64, &[u8])> {
    let (hash, rest) = line.split_at_checked(16)?;
    let hash = str::from_utf8(hash).ok().filter(|hash| !hash.starts_with('+'))?;
    let name = rest.strip_prefix(b"  ").filter(|name| !name.is_empty())?;
    Some((u64::from_str_radix(hash, 16).ok()?, name))
}

/// The lines of a file of hashes; none if there is no such file yet.
fn read_hashes(path: &Path) -> Result<HashMap<String, u64>, SceneFileError> {
    let whole = Line { file: Arc::from(path), line: 0 };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(error) => return Err(whole.error(format!("cannot be read: {error}"))),
    };
    let hash = |(number, line): (usize, &str)| {
        let found = hash_line(line.as_bytes());
        found.map(|(hash, name)| (String::from_utf8_lossy(name).into_owned(), hash)).ok_or_else(
            || {
                let place = Line { line: number + 1, ..whole.clone() };
                place.error("expected 16 hexadecimal digits, two blanks and a name")
            },
        )
    };
    text.lines().enumerate().map(hash).collect()
}
