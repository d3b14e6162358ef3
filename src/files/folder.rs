//! Folders on disk, looked into as the games do: case does not matter, and nothing leads out of the
//! folder that a search begins in, links included.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::trace::{Sight, Trace};

/// What a folder holds under its lower-case names, in which bytes that are no UTF-8 are replaced, as
/// they are in the names that models give.
type Listing = HashMap<String, Vec<Item>>;

#[derive(Clone, Debug)]
struct Item {
    name: OsString,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Link,
}

/// Folders that were looked into, each read once.
#[derive(Debug, Default)]
pub(super) struct Folders {
    listings: Mutex<HashMap<PathBuf, Option<Arc<Listing>>>>,
    trace: Arc<Trace>,
}

/// A folder and what is in it.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    pub(super) path: PathBuf,
    listing: Arc<Listing>,
    /// Links that lead out of this one are not followed.
    root: PathBuf,
}

impl Folder {
    /// The files called `name`, the one in the very same letters first.
    pub(super) fn files(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        self.entries(name).filter(|(_, kind)| *kind == Kind::File).map(|(path, _)| path)
    }

    /// Lower-case names of all that is in the folder.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.listing.keys().map(String::as_str)
    }

    /// Whatever is called `name`, links wherever they lead, sorted.
    pub(super) fn any(&self, name: &str) -> Vec<PathBuf> {
        let items = self.listing.get(&name.to_lowercase()).into_iter().flatten();
        let mut paths: Vec<PathBuf> = items.map(|item| self.path.join(&item.name)).collect();
        paths.sort_unstable();
        paths
    }

    /// What is called `name`; of a link to a folder, what it leads to.
    fn entries(&self, name: &str) -> impl Iterator<Item = (PathBuf, Kind)> {
        let mut found: Vec<&Item> = self.listing.get(name).into_iter().flatten().collect();
        if found.is_empty() {
            found.extend(self.listing.get(&name.to_lowercase()).into_iter().flatten());
        }
        found.sort_unstable_by_key(|item| (item.name != name, &item.name));
        found.into_iter().filter_map(|item| self.resolve(item))
    }

    fn resolve(&self, item: &Item) -> Option<(PathBuf, Kind)> {
        let path = self.path.join(&item.name);
        if item.kind != Kind::Link {
            return Some((path, item.kind));
        }
        let target =
            fs::canonicalize(&path).ok().filter(|target| target.starts_with(&self.root))?;
        let metadata = fs::metadata(&target).ok()?;
        if metadata.is_dir() {
            Some((target, Kind::Folder))
        } else {
            metadata.is_file().then_some((path, Kind::File))
        }
    }
}

impl Folders {
    /// Folders that were not looked into yet; each will be told when it is.
    #[cfg(feature = "window")]
    pub(super) fn tracing(trace: Arc<Trace>) -> Self {
        Self { trace, ..Self::default() }
    }

    /// A folder, which is canonical, of which only the archives matter.
    pub(super) fn with_archives(&self, path: &Path) -> Option<Folder> {
        self.trace.add(path, Sight::Archives);
        let listing = self.listing(path)?;
        Some(Folder { path: path.into(), listing, root: path.into() })
    }

    /// The folders that `parts` name below `root`, which is canonical: several if their names differ
    /// in case only, the one in the very same letters first.
    pub(super) fn open(&self, root: &Path, parts: &[String]) -> Vec<Folder> {
        let open = |path: PathBuf| {
            self.trace.add(&path, Sight::Folder);
            let listing = self.listing(&path)?;
            Some(Folder { path, listing, root: root.to_path_buf() })
        };
        let mut folders: Vec<Folder> = open(root.to_path_buf()).into_iter().collect();
        for part in parts {
            let mut next: Vec<PathBuf> = Vec::new();
            for (path, kind) in folders.iter().flat_map(|folder| folder.entries(part)) {
                // Links may lead to the same folder by many names.
                if kind == Kind::Folder && !next.contains(&path) {
                    next.push(path);
                }
            }
            folders = next.into_iter().filter_map(open).collect();
        }
        folders
    }

    /// Files and folders in a folder, sorted by name. Links are left out: they may go round in circles.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub(super) fn content(&self, folder: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
        self.trace.add(folder, Sight::Folder);
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(folder)?.filter_map(Result::ok) {
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() || (kind.is_symlink() && path.is_file()) {
                files.push(path);
            }
        }
        files.sort_unstable();
        folders.sort_unstable();
        Ok((files, folders))
    }

    fn listing(&self, folder: &Path) -> Option<Arc<Listing>> {
        let mut listings = self.listings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = listings.get(folder) {
            return known.clone();
        }
        let listing = read(folder).ok().map(Arc::new);
        listings.insert(folder.into(), listing.clone());
        listing
    }
}

fn read(folder: &Path) -> io::Result<Listing> {
    let mut listing = Listing::new();
    for entry in fs::read_dir(folder)?.filter_map(Result::ok) {
        let Ok(kind) = entry.file_type() else { continue };
        let kind = match (kind.is_file(), kind.is_dir(), kind.is_symlink()) {
            (true, ..) => Kind::File,
            (_, true, _) => Kind::Folder,
            (.., true) => Kind::Link,
            // A pipe or a device is nothing to read without being asked.
            _ => continue,
        };
        let name = entry.file_name();
        listing.entry(name.to_string_lossy().to_lowercase()).or_default().push(Item { name, kind });
    }
    Ok(listing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(path: &str) -> Vec<String> {
        path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    fn tree(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"").unwrap();
        }
        (folder, root)
    }

    #[test]
    fn files_are_found_whatever_their_case() {
        let (_folder, root) = tree(&["Models/ogre/Skin.TGA", "Models/folder.tga/x"]);
        let folders = Folders::default();
        let find = |folder: &str, name: &str| {
            let folders = folders.open(&root, &parts(folder));
            folders.iter().flat_map(|folder| folder.files(name)).next()
        };
        let file = root.join("Models/ogre/Skin.TGA");
        assert_eq!(find("models/OGRE", "skin.tga"), Some(file));
        assert_eq!(find("models", "folder.tga"), None);
        assert_eq!(find("models/none", "skin.tga"), None);
        assert_eq!(find("models/ogre/skin.tga", "x"), None);
        assert_eq!(find("", ""), None);
        let models = folders.open(&root, &parts("MODELS"));
        let mut names: Vec<&str> = models[0].names().collect();
        names.sort_unstable();
        assert_eq!(names, ["folder.tga", "ogre"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn of_two_cases_the_exact_one_wins_and_other_encodings_do_no_harm() {
        use std::os::unix::ffi::OsStrExt;
        let (_folder, root) = tree(&[]);
        for name in [&b"a.tga"[..], b"A.tga", b"A.TGA", b"sch\xf6n.tga"] {
            fs::write(root.join(std::ffi::OsStr::from_bytes(name)), b"").unwrap();
        }
        let folders = Folders::default();
        let first = |name: &str| {
            let file = folders.open(&root, &[])[0].files(name).next()?;
            Some(file.file_name()?.as_bytes().to_vec())
        };
        assert_eq!(first("a.tga").unwrap(), b"a.tga");
        assert_eq!(first("A.tga").unwrap(), b"A.tga");
        assert_eq!(first("a.TGA").unwrap(), b"A.TGA");
        assert_eq!(first("SCH\u{fffd}N.tga").unwrap(), b"sch\xf6n.tga");
    }

    #[cfg(unix)]
    #[test]
    fn links_neither_multiply_nor_lead_out() {
        use std::os::unix::fs::symlink;
        let (_outside, outside) = tree(&["secret.tga", "folder/secret.tga"]);
        let (_folder, root) = tree(&["textures/real.tga"]);
        for name in ["a", "A"] {
            symlink(".", root.join(name)).unwrap();
        }
        symlink(outside.join("secret.tga"), root.join("secret.tga")).unwrap();
        symlink(outside.join("folder"), root.join("out")).unwrap();
        symlink("textures/real.tga", root.join("inside.tga")).unwrap();
        symlink("loop.tga", root.join("loop.tga")).unwrap();
        let folders = Folders::default();
        let deep = folders.open(&root, &vec!["a".to_owned(); 64]);
        assert_eq!(deep.len(), 1);
        assert_eq!(Vec::from_iter(deep[0].files("inside.tga")), [root.join("inside.tga")]);
        for name in ["secret.tga", "loop.tga"] {
            assert_eq!(deep[0].files(name).next(), None, "{name}");
        }
        assert!(folders.open(&root, &parts("out")).is_empty());
    }
}
