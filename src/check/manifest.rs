//! What kept pictures were made of: a line of JSON each, beside the scene file. When a picture differs,
//! it tells whether the model, another file, the scene or the renderer has changed.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file::{Line, SceneFileError};
use crate::location::Location;
use crate::output::{WriteError, write_file};

/// What is known of a picture that was kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    pub(super) name: String,
    /// [`crate::Image::hash`] as 16 hexadecimal digits.
    pub(super) picture: String,
    /// The version of polyset that drew it.
    pub(super) polyset: String,
    /// The command that draws it in the scene file's folder.
    pub(super) command: String,
    /// The PNG that it was kept in, seen from the scene file; `None` for a hash.
    pub(super) reference: Option<String>,
    pub(super) files: Vec<Ingredient>,
}

/// A file that went into a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Ingredient {
    /// Seen from the scene file's folder.
    pub(super) file: String,
    /// 16 hexadecimal digits, the same on every machine.
    pub(super) hash: String,
}

/// The manifest of a scene file.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    path: PathBuf,
    /// The folder of the scene file, canonical.
    folder: PathBuf,
    pub(super) records: BTreeMap<String, Record>,
}

/// What other scene files keep.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// Canonical paths.
    pub(super) pictures: HashSet<PathBuf>,
    /// Names of scenes whose hashes are kept.
    pub(super) hashes: HashSet<String>,
}

/// That of manifests, in the place of the scene file's.
const EXTENSION: &str = "manifest.jsonl";
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Manifest {
    /// That of a scene file; empty if there is none.
    ///
    /// # Errors
    /// If it cannot be read, or a line is none of a manifest.
    pub(super) fn of(scenes: &Path) -> Result<Self, SceneFileError> {
        let path = scenes.with_extension(EXTENSION);
        let records = read(&path)?;
        let folder = scenes.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
        Ok(Self { path, folder, records })
    }

    /// What the other manifests in the folder speak of.
    ///
    /// # Errors
    /// If one of them cannot be read: what it speaks of is not known.
    pub(super) fn others(&self) -> Result<Others, SceneFileError> {
        let mut others = Others::default();
        let whole = Line { file: self.folder.as_path().into(), line: 0 };
        let cannot = |error: io::Error| whole.error(format!("cannot be read: {error}"));
        for entry in fs::read_dir(&self.folder).map_err(cannot)? {
            let path = entry.map_err(cannot)?.path();
            let is_manifest = path.to_string_lossy().ends_with(&format!(".{EXTENSION}"));
            if !is_manifest || path.file_name() == self.path.file_name() {
                continue;
            }
            for (name, record) in read(&path)? {
                match record.reference {
                    Some(reference) => {
                        others.pictures.extend(fs::canonicalize(self.folder.join(reference)));
                    }
                    None => drop(others.hashes.insert(name)),
                }
            }
        }
        Ok(others)
    }

    /// The file on disk.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// # Errors
    /// If it cannot be written.
    pub(super) fn save(&self) -> Result<(), WriteError> {
        write_file(&self.path, |out| {
            for record in self.records.values() {
                serde_json::to_writer(&mut *out, record)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        })
    }

    /// A file as it is seen from the scene file, the same on every machine that has both.
    pub(super) fn name_of(&self, file: &Location) -> String {
        // What is not there stays what it is called.
        let path = fs::canonicalize(file.path()).map(|path| seen_from(&self.folder, &path));
        let path = path.unwrap_or_else(|_| file.path().into());
        let name = path.to_string_lossy().replace('\\', "/");
        match file.member() {
            Some(member) => format!("{name}:{member}"),
            None => name,
        }
    }

    pub(super) fn ingredients(&self, files: &[(Location, u64)]) -> Vec<Ingredient> {
        let ingredient = |(file, hash): &(Location, u64)| Ingredient {
            file: self.name_of(file),
            hash: format!("{hash:016x}"),
        };
        let mut all: Vec<Ingredient> = files.iter().map(ingredient).collect();
        all.sort_by(|a, b| a.file.cmp(&b.file));
        all.dedup();
        all
    }

    /// What has changed since a picture was kept.
    pub(super) fn cause(&self, now: &Record) -> String {
        let Some(kept) = self.records.get(&now.name) else {
            return "what has changed is not known: the manifest has no line for it".into();
        };
        let by_name = |record: &Record| -> BTreeMap<String, String> {
            record.files.iter().map(|file| (file.file.clone(), file.hash.clone())).collect()
        };
        let (before, after) = (by_name(kept), by_name(now));
        let mut changes = Vec::new();
        for (file, hash) in &after {
            match before.get(file) {
                None => changes.push(format!("'{file}' is used, which was not")),
                Some(old) if old != hash => changes.push(format!("'{file}' has changed")),
                _ => {}
            }
        }
        let gone = before.keys().filter(|file| !after.contains_key(*file));
        changes.extend(gone.map(|file| format!("'{file}' is not used any more")));
        if kept.command != now.command {
            changes.push("the scene is said in another way".into());
        }
        if changes.is_empty() {
            let versions = if kept.polyset == now.polyset {
                format!("polyset {VERSION} draws otherwise than when the picture was kept")
            } else {
                format!("polyset {VERSION} draws otherwise than {}", kept.polyset)
            };
            changes.push(match kept.picture == now.picture {
                true => "it is drawn as it was kept: the reference has changed".into(),
                false => versions,
            });
        }
        changes.join(", ")
    }
}

/// The lines of a manifest by their names; none if there is no such file.
fn read(path: &Path) -> Result<BTreeMap<String, Record>, SceneFileError> {
    let whole = Line { file: path.into(), line: 0 };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(whole.error(format!("cannot be read: {error}"))),
    };
    let mut records = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let record: Record = serde_json::from_str(line).map_err(|error| {
            let place = Line { line: number + 1, ..whole.clone() };
            place.error(format!(
                "expected a line as polyset bless writes it; remove it, or take both sides' \
                 lines where versions were merged ({error})"
            ))
        })?;
        records.insert(record.name.clone(), record);
    }
    Ok(records)
}

/// A canonical path as it is seen from a canonical folder; as it is if they have nothing in common.
fn seen_from(folder: &Path, path: &Path) -> PathBuf {
    let parts: Vec<Component<'_>> = folder.components().collect();
    let common = parts.iter().zip(path.components()).take_while(|(a, b)| **a == *b).count();
    if common < 2 {
        return path.into();
    }
    let up = parts[common..].iter().map(|_| Component::ParentDir);
    up.chain(path.components().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_seen_from_the_scene_file() {
        for (folder, path, expected) in [
            ("/a/b", "/a/b/c.mdl", "c.mdl"),
            ("/a/b", "/a/c/d.mdl", "../c/d.mdl"),
            ("/a/b", "/x/d.mdl", "/x/d.mdl"),
        ] {
            assert_eq!(seen_from(Path::new(folder), Path::new(path)), Path::new(expected));
        }
    }

    #[test]
    fn what_has_changed_is_told() {
        let record = |files: &[(&str, &str)], command: &str, picture: &str| Record {
            name: "a".into(),
            command: command.into(),
            picture: picture.into(),
            polyset: VERSION.into(),
            files: files
                .iter()
                .map(|(file, hash)| Ingredient { file: (*file).into(), hash: (*hash).into() })
                .collect(),
            ..Record::default()
        };
        let kept = record(&[("a.mdl", "1"), ("b.png", "2")], "x", "9");
        let mut manifest =
            Manifest { path: "m".into(), folder: "/".into(), records: BTreeMap::new() };
        assert!(manifest.cause(&kept).contains("not known"));
        manifest.records.insert("a".into(), kept);
        for (now, expected) in [
            (record(&[("a.mdl", "3"), ("b.png", "2")], "x", "8"), "'a.mdl' has changed"),
            (
                record(&[("a.mdl", "1"), ("c.png", "2")], "x", "8"),
                "'c.png' is used, which was not, 'b.png' is not used any more",
            ),
            (record(&[("a.mdl", "1"), ("b.png", "2")], "y", "8"), "said in another way"),
            (record(&[("a.mdl", "1"), ("b.png", "2")], "x", "8"), "draws otherwise"),
            (record(&[("a.mdl", "1"), ("b.png", "2")], "x", "9"), "the reference has changed"),
        ] {
            let cause = manifest.cause(&now);
            assert!(cause.contains(expected), "{cause}");
        }
    }
}
