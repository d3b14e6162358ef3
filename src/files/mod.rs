//! Where bytes come from: folders and archives alike, case aside, within limits.
//!
//! A [`Tree`] is what a name is looked up in: one or more folders and archives, the first that has
//! the name wins. [`Files`] opens and reads; it remembers the folders that it has looked into and
//! the directories of archives, so one of them serves one model. `game` says which trees belong to a
//! model. Nothing else in the crate reads or lists files.

mod archive;
mod dir;
mod folder;
mod game;
mod limit;
mod listing;
mod pak;
mod place;
#[cfg(feature = "thumbs")]
mod stamp;
mod trace;
mod zip;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use game::TextureSearch;
pub(crate) use game::{ArchiveOrder, Game, Home};
pub(crate) use limit::Limit;
pub(crate) use place::GamePlace;

use crate::error::OpenError;
use crate::location::{Location, is_archive_name};
use archive::Archive;
pub(crate) use dir::Dir;
use dir::{Entry, Part};
use folder::Folders;
#[cfg(feature = "thumbs")]
pub(crate) use stamp::Stamp;
pub(crate) use trace::Sight;
#[cfg(feature = "window")]
pub(crate) use trace::Sights;
use trace::Trace;

/// What is known of folders and archives. Scenes that are opened with the same one look into each of
/// them once, and do not see what changes there meanwhile. Cheap to clone: clones are the same one.
#[derive(Clone, Debug, Default)]
pub struct Files {
    known: Arc<Known>,
    /// Files and members that were read.
    read: Arc<Mutex<BTreeSet<Location>>>,
}

#[derive(Debug, Default)]
struct Known {
    folders: Folders,
    archives: Mutex<HashMap<PathBuf, Arc<Archive>>>,
    /// Archives and folders that cannot be used, and why.
    left_out: Mutex<BTreeSet<String>>,
    trace: Arc<Trace>,
}

/// Folders and archives in which a name is looked up, in this order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    sources: Vec<Source>,
}

/// A folder or an archive.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A canonical path.
    Folder(PathBuf),
    Archive(Arc<Archive>),
}

impl Source {
    /// The folder or the archive's file.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Folder(path) => path,
            Self::Archive(archive) => archive.path(),
        }
    }
}

impl Tree {
    /// The sources, the one that wins first.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The path of a folder in this tree as messages show it: that of the first source stands for all.
    pub(crate) fn display(&self, folder: &[String]) -> String {
        let folder = folder.join("/");
        match self.sources.first() {
            None => folder,
            Some(Source::Folder(path)) => path.join(folder).display().to_string(),
            Some(Source::Archive(archive)) => {
                Location::in_archive(archive.path(), folder).to_string()
            }
        }
    }
}

impl Files {
    /// Nothing is known yet, and what is looked at will be told by [`Files::sights`].
    #[cfg(feature = "window")]
    pub(crate) fn recording() -> Self {
        let trace = Arc::new(Trace::recording());
        let folders = Folders::tracing(Arc::clone(&trace));
        let known = Known { folders, trace, ..Known::default() };
        Self { known: Arc::new(known), read: Arc::default() }
    }

    /// The files and folders on disk that were looked at, found or not, for all models together.
    #[cfg(feature = "window")]
    pub(crate) fn sights(&self) -> Sights {
        self.known.trace.sights()
    }

    /// The same knowledge for another model: nothing was read for it yet.
    pub(crate) fn for_another(&self) -> Self {
        Self { known: Arc::clone(&self.known), read: Arc::default() }
    }

    /// All bytes of a file or member.
    ///
    /// # Errors
    /// If it cannot be read or is too large.
    pub(crate) fn read(&self, location: &Location, limit: Limit) -> Result<Vec<u8>, OpenError> {
        self.try_read(location, limit)
            .map_err(|source| OpenError::Read { file: location.clone(), source })
    }

    fn try_read(&self, location: &Location, limit: Limit) -> io::Result<Vec<u8>> {
        let Some((tree, name)) = self.inside(location)? else {
            return self.read_on_disk(&location.as_one_path(), limit);
        };
        let mut folder = parts(name);
        let file = folder.pop().unwrap_or_default();
        match self.dir(&tree, &folder).entry(&file) {
            Some(Entry::File(path)) => self.read_on_disk(&path, limit),
            Some(Entry::Member(archive, member)) => {
                self.has_read(Location::in_archive(archive.path(), name));
                archive.read(member, limit)
            }
            None if self.dir(&tree, &parts(name)).exists() => {
                Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder of the archive"))
            }
            None => Err(io::Error::new(io::ErrorKind::NotFound, "the archive has no such member")),
        }
    }

    fn read_on_disk(&self, path: &Path, limit: Limit) -> io::Result<Vec<u8>> {
        self.known.trace.add(path, Sight::File);
        let bytes = read_on_disk(path, limit);
        self.has_read(Location::on_disk(path));
        bytes
    }

    fn has_read(&self, location: Location) {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(location);
    }

    /// The first bytes of a file on disk; nothing of a member of an archive.
    pub(crate) fn head(&self, location: &Location, bytes: u64) -> Vec<u8> {
        let mut head = Vec::new();
        let path = location.as_one_path();
        if location.member().is_none() && path.is_file() {
            self.known.trace.add(&path, Sight::File);
            // What cannot be read has no head.
            let _ = File::open(path).and_then(|file| file.take(bytes).read_to_end(&mut head));
        }
        head
    }

    /// What was read of a file does not count: it is of no use for the model.
    pub(crate) fn forget(&self, location: &Location) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.remove(&Location::on_disk(location.as_one_path()));
    }

    /// The tree that a member's location looks into, and the name there; `None` for a file on disk,
    /// also for one that is only called like a member.
    fn inside<'a>(&self, location: &'a Location) -> io::Result<Option<(Tree, &'a str)>> {
        let Some(member) = location.member() else { return Ok(None) };
        match self.source(location.path()) {
            Ok(source) => Ok(Some((Tree { sources: vec![source] }, member))),
            Err(_) if location.as_one_path().exists() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A folder, or an archive.
    fn source(&self, path: &Path) -> io::Result<Source> {
        if !path.is_dir() {
            self.known.trace.add(path, Sight::File);
        }
        if fs::metadata(path)?.is_dir() {
            return fs::canonicalize(path).map(Source::Folder);
        }
        self.archive(path).map(Source::Archive)
    }

    fn archive(&self, path: &Path) -> io::Result<Arc<Archive>> {
        let mut archives = self.known.archives.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = archives.get(path) {
            return Ok(Arc::clone(known));
        }
        let archive = Arc::new(Archive::open(path)?);
        archives.insert(path.into(), Arc::clone(&archive));
        Ok(archive)
    }

    /// What a folder, an archive, or a folder in an archive holds, as a tree of its own.
    ///
    /// # Errors
    /// If there is no such folder or archive.
    pub(crate) fn root(&self, location: &Location) -> Result<(Tree, Vec<String>), OpenError> {
        let open = || {
            if let Some((tree, name)) = self.inside(location)? {
                let folder = parts(name);
                if self.dir(&tree, &folder).exists() {
                    return Ok((tree, folder));
                }
                return Err(io::Error::new(
                    io::ErrorKind::NotFound,
                    "the archive has no such folder",
                ));
            }
            let path = location.as_one_path();
            let source = self.source(&path)?;
            if let Source::Folder(folder) = &source {
                fs::read_dir(folder)?;
            }
            Ok((Tree { sources: vec![source] }, Vec::new()))
        };
        open().map_err(|source| OpenError::Read { file: location.clone(), source })
    }

    /// What a location stands for.
    pub(crate) fn what(&self, location: &Location) -> What {
        let path = location.as_one_path();
        let is_one = |what: fn(&Path) -> bool| location.member().is_none() && what(&path);
        // Its members could not be named otherwise.
        let is_archive =
            |path: &Path| is_archive_name(path.as_os_str()) && archive::is_archive(path);
        if is_one(Path::is_dir) {
            What::Folder
        } else if is_one(is_archive) {
            What::Archive
        } else {
            match self.inside(location) {
                Ok(Some((tree, name))) => {
                    let is_file = !self.lookup(&tree, name).is_empty();
                    let is_folder = self.dir(&tree, &parts(name)).exists();
                    if is_folder && !is_file { What::Folder } else { What::File }
                }
                _ => What::File,
            }
        }
    }

    /// # Errors
    /// If there is no such file or folder; why, as reading it would say.
    pub(crate) fn check(&self, location: &Location) -> Result<(), OpenError> {
        if location.member().is_none() {
            self.known.trace.add(location.path(), Sight::File);
        }
        let check = match self.inside(location) {
            Ok(None) => fs::metadata(location.as_one_path()).map(drop),
            Ok(Some(_)) if self.exists(location) => Ok(()),
            Ok(Some(_)) => {
                Err(io::Error::new(io::ErrorKind::NotFound, "the archive has no such member"))
            }
            Err(error) => Err(error),
        };
        check.map_err(|source| OpenError::Read { file: location.clone(), source })
    }

    /// Whether there is a file or folder.
    pub(crate) fn exists(&self, location: &Location) -> bool {
        match self.inside(location) {
            Ok(Some((tree, name))) => {
                !self.lookup(&tree, name).is_empty() || self.dir(&tree, &parts(name)).exists()
            }
            Ok(None) => {
                let path = location.as_one_path();
                self.known.trace.add(&path, Sight::File);
                path.exists()
            }
            Err(_) => false,
        }
    }

    /// The files of a name with folders, the one that wins first.
    pub(crate) fn lookup(&self, tree: &Tree, name: &str) -> Vec<Location> {
        let mut folder = parts(name);
        let file = folder.pop().unwrap_or_default();
        self.dir(tree, &folder).files(&file)
    }

    /// A folder in every source that has it.
    pub(crate) fn dir(&self, tree: &Tree, folder: &[String]) -> Dir {
        let mut parts = Vec::new();
        for source in &tree.sources {
            match source {
                Source::Folder(root) => {
                    let folders = self.known.folders.open(root, folder);
                    parts.extend(folders.into_iter().map(Part::Folder));
                }
                Source::Archive(archive) => {
                    let key = folder.join("/").to_lowercase();
                    if folder.is_empty() || archive.below(&key).next().is_some() {
                        parts.push(Part::Archive(Arc::clone(archive), key));
                    }
                }
            }
        }
        Dir { parts }
    }

    /// The files on disk that were read, archives included.
    pub(crate) fn read_files(&self) -> Vec<PathBuf> {
        let archives = self.known.archives.lock().unwrap_or_else(PoisonError::into_inner);
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let paths: BTreeSet<&Path> = read.iter().map(Location::path).collect();
        archives.keys().map(PathBuf::as_path).chain(paths).map(Path::to_path_buf).collect()
    }

    /// The files and members that bytes were taken from.
    #[cfg(feature = "check")]
    pub(crate) fn read_locations(&self) -> Vec<Location> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The files on disk that bytes were taken from, and how they are now: archives if a member was read.
    #[cfg(feature = "thumbs")]
    pub(crate) fn stamps(&self) -> Vec<Stamp> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let paths: BTreeSet<&Path> = read.iter().map(Location::path).collect();
        paths.into_iter().filter_map(Stamp::of).collect()
    }

    /// The archives that were opened, and how they are now.
    #[cfg(feature = "thumbs")]
    pub(crate) fn archive_stamps(&self) -> Vec<Stamp> {
        let archives = self.known.archives.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stamps: Vec<Stamp> = archives.keys().filter_map(|path| Stamp::of(path)).collect();
        stamps.sort_unstable();
        stamps
    }

    /// A part of a game: one that cannot be used is left out and told by [`Files::warnings`].
    fn part(&self, path: &Path) -> Option<Source> {
        let source = self.source(path);
        if let Err(error) = &source {
            self.leave_out(path, error);
        }
        source.ok()
    }

    /// Has [`Files::warnings`] tell that a folder or an archive is not used.
    fn leave_out(&self, path: &Path, why: &impl fmt::Display) {
        let mut left_out = self.known.left_out.lock().unwrap_or_else(PoisonError::into_inner);
        left_out.insert(format!("'{}' is left out: {why}", path.display()));
    }

    /// What is odd about the archives that were opened, and what was left out.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let archives = self.known.archives.lock().unwrap_or_else(PoisonError::into_inner);
        let mut warnings: Vec<String> = archives
            .values()
            .flat_map(|archive| {
                let path = archive.path().display();
                archive.warnings().iter().map(move |warning| format!("'{path}': {warning}"))
            })
            .collect();
        warnings.sort_unstable();
        warnings.extend(self.known.left_out.lock().unwrap_or_else(PoisonError::into_inner).clone());
        warnings
    }
}

/// What a location stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Something to read, or nothing at all.
    File,
    Folder,
    Archive,
}

/// The same for all names of a file: with a canonical path, or as it is if there is no such file.
#[cfg(feature = "thumbs")]
pub(crate) fn canonical(location: &Location) -> Location {
    let path = fs::canonicalize(location.path()).unwrap_or_else(|_| location.path().into());
    match location.member() {
        Some(member) => Location::in_archive(path, member.to_lowercase()),
        None => Location::on_disk(path),
    }
}

/// Whether two names lead to the same file.
pub(crate) fn is_same_file(a: &Location, b: &Location) -> bool {
    let member = |location: &Location| location.member().map(str::to_lowercase);
    member(a) == member(b) && is_same_path(a.path(), b.path())
}

fn is_same_path(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    a == b || real(a).is_some_and(|a| real(b) == Some(a))
}

fn read_on_disk(path: &Path, limit: Limit) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if metadata.is_file() {
        limit.check(metadata.len())?;
        return limit.read_about(file, metadata.len());
    }
    limit.read(file)
}

/// A folder in a folder.
pub(crate) fn child(folder: &[String], name: &str) -> Vec<String> {
    folder.iter().cloned().chain([name.to_owned()]).collect()
}

/// A longer name names no file: systems take 4096 bytes at most.
const MAX_PATH: usize = 4096;
/// A name with more folders is none of a game.
const MAX_FOLDERS: usize = 64;

/// The parts of a path as a model names it: `\` is `/`, a drive letter and leading slashes are
/// dropped, `..` takes back a part of the name itself and never more.
pub(crate) fn parts(name: &str) -> Vec<String> {
    if name.len() > MAX_PATH {
        return Vec::new();
    }
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
        if parts.len() > MAX_FOLDERS {
            return Vec::new();
        }
    }
    parts
}
