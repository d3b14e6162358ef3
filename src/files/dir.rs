//! A folder as the sources of a tree have it together.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::archive::{Archive, Member};
use super::folder::Folder;
use crate::location::Location;

/// A folder in every source of a tree that has it, in the order of the sources.
#[derive(Clone, Debug)]
pub(crate) struct Dir {
    pub(super) parts: Vec<Part>,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Folder(Folder),
    /// The archive and the lower-case name of the folder.
    Archive(Arc<Archive>, String),
}

/// A file in a folder.
pub(super) enum Entry<'a> {
    File(PathBuf),
    Member(&'a Archive, &'a Member),
}

impl Dir {
    /// Whether any of the sources has the folder.
    pub(crate) fn exists(&self) -> bool {
        !self.parts.is_empty()
    }

    /// The files called `name`, the one that wins first.
    pub(crate) fn files(&self, name: &str) -> Vec<Location> {
        let location = |entry| match entry {
            Entry::File(path) => Location::on_disk(path),
            Entry::Member(archive, member) => Location::in_archive(archive.path(), &*member.name),
        };
        self.entries(name).map(location).collect()
    }

    pub(super) fn entry(&self, name: &str) -> Option<Entry<'_>> {
        self.entries(name).next()
    }

    fn entries(&self, name: &str) -> impl Iterator<Item = Entry<'_>> {
        self.parts.iter().flat_map(move |part| -> Vec<Entry<'_>> {
            match part {
                Part::Folder(folder) => folder.files(name).map(Entry::File).collect(),
                Part::Archive(archive, folder) => {
                    let name = name.to_lowercase();
                    let key = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                    let member = archive.member(&key);
                    member.map(|member| Entry::Member(archive, member)).into_iter().collect()
                }
            }
        })
    }

    /// Lower-case names of all that is in the folder.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for part in &self.parts {
            match part {
                Part::Folder(folder) => names.extend(folder.names().map(str::to_owned)),
                Part::Archive(archive, folder) => {
                    let first = |(name, _): (&str, _)| name.split('/').next().map(str::to_owned);
                    names.extend(archive.below(folder).filter_map(first));
                }
            }
        }
        names
    }
}
