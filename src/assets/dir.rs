//! Folders on disk, looked into as the games do: case does not matter, `\` is `/`, and no name leads
//! out of the folder it is looked up in.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::error::OpenError;
use crate::model::Format;

/// Names in a folder by their lower-case form, in which bytes that are no UTF-8 are replaced, as they
/// are in the names that models give.
type Listing = HashMap<String, Vec<OsString>>;

/// Reads every folder at most once.
#[derive(Debug, Default)]
pub(super) struct Disk {
    listings: RefCell<HashMap<PathBuf, Option<Rc<Listing>>>>,
}

impl Disk {
    /// The folders that `parts` name below `base`: several if their names differ in case only.
    pub(super) fn folders(&self, base: &Path, parts: &[String]) -> Vec<PathBuf> {
        let mut folders = vec![base.to_path_buf()];
        for part in parts {
            folders = folders.iter().flat_map(|folder| self.entries(folder, part)).collect();
        }
        folders.retain(|folder| self.listing(folder).is_some());
        folders
    }

    /// The files called `name` in `folder`, the one in the very same letters first.
    pub(super) fn files(&self, folder: &Path, name: &str) -> Vec<PathBuf> {
        let mut files = self.entries(folder, name);
        files.retain(|file| file.is_file());
        files
    }

    /// All names in `folder` in lower case, sorted.
    pub(super) fn names(&self, folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            self.listing(folder).map(|names| names.keys().cloned().collect()).unwrap_or_default();
        names.sort_unstable();
        names
    }

    fn entries(&self, folder: &Path, name: &str) -> Vec<PathBuf> {
        let Some(listing) = self.listing(folder) else {
            return Vec::new();
        };
        let mut found = listing.get(&name.to_lowercase()).cloned().unwrap_or_default();
        found.sort_unstable_by_key(|entry| (entry != name, entry.clone()));
        found.iter().map(|entry| folder.join(entry)).collect()
    }

    fn listing(&self, folder: &Path) -> Option<Rc<Listing>> {
        if let Some(known) = self.listings.borrow().get(folder) {
            return known.clone();
        }
        let listing = fs::read_dir(folder).ok().map(|entries| {
            let mut listing = Listing::new();
            for name in entries.filter_map(Result::ok).map(|entry| entry.file_name()) {
                listing.entry(name.to_string_lossy().to_lowercase()).or_default().push(name);
            }
            Rc::new(listing)
        });
        self.listings.borrow_mut().insert(folder.into(), listing.clone());
        listing
    }
}

/// The parts of a path as a model names it: `\` is `/`, a drive letter and leading slashes are
/// dropped, `..` takes back a part of the name itself and never more.
pub(super) fn parts(name: &str) -> Vec<String> {
    let name = name.replace('\\', "/");
    let path = match name.split_once(':') {
        Some((drive, rest)) if drive.len() == 1 && drive.is_ascii() => rest,
        _ => &name,
    };
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            // The system would not take the name.
            _ if part.contains('\0') => return Vec::new(),
            _ => parts.push(part.to_owned()),
        }
    }
    parts
}

/// The files with this extension in `folders`, which are relative to the folder of `path`.
pub(super) fn files_with_extension(path: &Path, folders: &[&str], extension: &str) -> Vec<PathBuf> {
    let base = path.parent().unwrap_or(Path::new(""));
    let is_wanted = |file: &PathBuf| {
        file.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension)) && file.is_file()
    };
    let mut files = Vec::new();
    for folder in folders {
        let folder = base.join(folder);
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        let mut found: Vec<PathBuf> = paths.filter(is_wanted).collect();
        found.sort_unstable();
        files.extend(found);
    }
    files
}

/// Folders within folders are gone through so deep.
const MAX_DEPTH: usize = 16;

/// The model files (by extension) in a folder and those in it, each folder's sorted by name.
///
/// # Errors
/// If a folder cannot be read.
pub fn models_in(folder: &Path) -> Result<Vec<PathBuf>, OpenError> {
    let mut found = Vec::new();
    add_models(folder, MAX_DEPTH, &mut found)?;
    Ok(found)
}

fn add_models(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), OpenError> {
    let entries =
        fs::read_dir(folder).map_err(|source| OpenError::Read { path: folder.into(), source })?;
    let mut paths: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort_unstable();
    for path in paths {
        let is_model = || {
            let extension = path.extension().unwrap_or_default();
            Format::FILES.iter().any(|known| extension.eq_ignore_ascii_case(known.extension()))
        };
        if path.is_dir() {
            // Links between folders may go round in circles.
            if depth > 0 && !path.is_symlink() {
                add_models(&path, depth - 1, found)?;
            }
        } else if is_model() {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_give_their_models_in_order() {
        let root = tempfile::tempdir().unwrap();
        for file in ["b/tris.MD2", "b/weapon.md2", "a.mdl", "c.txt", "d.md5mesh", "d.md5anim"] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"").unwrap();
        }
        let found = models_in(root.path()).unwrap();
        let names: Vec<String> = found
            .iter()
            .map(|path| path.strip_prefix(root.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["a.mdl", "b/tris.MD2", "b/weapon.md2", "d.md5mesh"]);
        assert!(models_in(&root.path().join("none")).is_err());
    }

    #[test]
    fn names_of_models_become_parts() {
        for (name, expected) in [
            ("models/players/a/skin.tga", "models|players|a|skin.tga"),
            ("Models\\Weapons\\\\gun.PCX", "Models|Weapons|gun.PCX"),
            ("E:\\projects\\oa\\skin", "projects|oa|skin"),
            ("/home/someone/skin.png", "home|someone|skin.png"),
            ("./a/../b.tga", "b.tga"),
            ("../../../etc/passwd", "etc|passwd"),
            ("a/../../../b", "b"),
            ("", ""),
            ("a\0b", ""),
            ("été:x", "été:x"),
        ] {
            assert_eq!(parts(name).join("|"), expected, "{name:?}");
        }
    }

    #[test]
    fn files_are_found_whatever_their_case() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("Models/ogre")).unwrap();
        fs::create_dir_all(root.path().join("Models/folder.tga")).unwrap();
        let file = root.path().join("Models/ogre/Skin.TGA");
        fs::write(&file, b"").unwrap();
        let disk = Disk::default();
        let find = |path: &str| {
            let mut folder = parts(path);
            let name = folder.pop().unwrap_or_default();
            let folders = disk.folders(root.path(), &folder);
            folders.iter().flat_map(|folder| disk.files(folder, &name)).next()
        };
        assert_eq!(find("models\\OGRE\\skin.tga"), Some(file.clone()));
        assert_eq!(find("../Models/ogre/Skin.TGA"), Some(file));
        assert_eq!(find("models/folder.tga"), None);
        assert_eq!(find("models/none/skin.tga"), None);
        assert_eq!(find("models/ogre/skin.tga/x"), None);
        assert_eq!(find(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn of_two_cases_the_exact_one_wins_and_other_encodings_do_no_harm() {
        use std::os::unix::ffi::OsStrExt;
        let root = tempfile::tempdir().unwrap();
        for name in [&b"a.tga"[..], b"A.tga", b"A.TGA", b"sch\xf6n.tga"] {
            fs::write(root.path().join(std::ffi::OsStr::from_bytes(name)), b"").unwrap();
        }
        let disk = Disk::default();
        let first = |name: &str| {
            let file = disk.files(root.path(), name).into_iter().next()?;
            Some(file.file_name()?.as_bytes().to_vec())
        };
        assert_eq!(first("a.tga").unwrap(), b"a.tga");
        assert_eq!(first("A.tga").unwrap(), b"A.tga");
        assert_eq!(first("a.TGA").unwrap(), b"A.TGA");
        assert_eq!(first("SCH\u{fffd}N.tga").unwrap(), b"sch\xf6n.tga");
        assert_eq!(disk.names(root.path()), ["a.tga", "sch\u{fffd}n.tga"]);
    }
}
