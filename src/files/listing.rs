//! Everything that lies below a folder, in an archive, or in a game.

use std::collections::BTreeSet;
use std::path::Path;

use super::archive::Archive;
use super::{Files, Source, Tree};
use crate::error::OpenError;
use crate::location::{Location, is_archive_name};

impl Files {
    /// All files of a folder and the folders in it whose names `is_wanted` accepts, sorted by name
    /// within a folder, files before folders; of several sources with the same name the first counts.
    ///
    /// # Errors
    /// If a folder on disk cannot be read.
    pub(crate) fn all(
        &self,
        location: &Location,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Location>, OpenError> {
        let (tree, folder) = self.root(location)?;
        let mut found = Vec::new();
        for source in &tree.sources {
            match source {
                // The names as the user wrote them, not the canonical ones.
                Source::Folder(root) if folder.is_empty() => {
                    let path = if location.member().is_none() { location.path() } else { root };
                    self.add_files(path, MAX_DEPTH, &|_| true, is_wanted, &mut found)?;
                }
                Source::Folder(root) => {
                    for folder in self.known.folders.open(root, &folder) {
                        let path = &folder.path;
                        self.add_files(path, MAX_DEPTH, &|_| true, is_wanted, &mut found)?;
                    }
                }
                Source::Archive(archive) => found.extend(members(archive, &folder, is_wanted)),
            }
        }
        Ok(found)
    }

    /// [`Files::all`] of a folder of a tree: every name once, from the source that wins.
    pub(crate) fn all_of(
        &self,
        tree: &Tree,
        folder: &[String],
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Vec<Location> {
        let mut seen = BTreeSet::new();
        let mut found: Vec<(String, Location)> = Vec::new();
        for source in &tree.sources {
            let mut locations = Vec::new();
            match source {
                Source::Folder(root) => {
                    for folder in self.known.folders.open(root, folder) {
                        let is_loose = |folder: &Path| !is_archive_name(folder.as_os_str());
                        let path = &folder.path;
                        let (found, depth) = (&mut locations, MAX_DEPTH + 1);
                        self.add_below(path, depth, &is_loose, is_wanted, found);
                    }
                }
                Source::Archive(archive) => locations.extend(members(archive, folder, is_wanted)),
            }
            for location in locations {
                let name = match location.member() {
                    Some(member) => member.to_lowercase(),
                    None => {
                        let path = location.path();
                        let below = path.strip_prefix(source.path()).unwrap_or(path);
                        below.to_string_lossy().replace('\\', "/").to_lowercase()
                    }
                };
                if seen.insert(name.clone()) {
                    found.push((name, location));
                }
            }
        }
        found.sort();
        found.into_iter().map(|(_, location)| location).collect()
    }

    /// The files of a folder and of those in it, `depth` deep.
    ///
    /// # Errors
    /// If the folder cannot be read.
    fn add_files(
        &self,
        folder: &Path,
        depth: usize,
        is_entered: &dyn Fn(&Path) -> bool,
        is_wanted: &dyn Fn(&str) -> bool,
        found: &mut Vec<Location>,
    ) -> Result<(), OpenError> {
        let content = self.known.folders.content(folder);
        let (files, folders) = content
            .map_err(|source| OpenError::Read { file: Location::on_disk(folder), source })?;
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let wanted = files.into_iter().filter(|file| is_wanted(&name(file)));
        found.extend(wanted.map(Location::on_disk));
        for folder in folders.iter().filter(|folder| is_entered(folder)) {
            self.add_below(folder, depth, is_entered, is_wanted, found);
        }
        Ok(())
    }

    /// [`Files::add_files`] of a folder in another: one that cannot be gone through does not hide the
    /// others, and is told by [`Files::warnings`].
    fn add_below(
        &self,
        folder: &Path,
        depth: usize,
        is_entered: &dyn Fn(&Path) -> bool,
        is_wanted: &dyn Fn(&str) -> bool,
        found: &mut Vec<Location>,
    ) {
        let why = match depth.checked_sub(1) {
            None => format!("it lies more than {MAX_DEPTH} folders deep"),
            Some(depth) => match self.add_files(folder, depth, is_entered, is_wanted, found) {
                Err(OpenError::Read { source, .. }) => source.to_string(),
                _ => return,
            },
        };
        self.leave_out(folder, &why);
    }
}

/// Folders within folders are gone through so deep.
const MAX_DEPTH: usize = 16;

fn members(
    archive: &Archive,
    folder: &[String],
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<Location> {
    let below = archive.below(&folder.join("/").to_lowercase());
    let name = |key: &str| is_wanted(key.rsplit('/').next().unwrap_or_default());
    below
        .filter(|(key, _)| name(key))
        .map(|(_, member)| Location::in_archive(archive.path(), &*member.name))
        .collect()
}
