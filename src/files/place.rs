//! Where a file lies in a game, and what an engine looks its name up in.

use std::path::{Path, PathBuf};

use super::game::{BASES, Game, Part, archives_of, folder_of, name_of, root_of};
use super::{ArchiveOrder, Files, Source, Tree, parts};
use crate::location::Location;

/// A name in a game.
#[derive(Clone, Debug)]
pub(crate) struct GamePlace {
    /// The game's folders, the modification's first.
    pub(crate) folders: Vec<PathBuf>,
    /// The path below one of them, with `/`.
    pub(crate) name: String,
}

impl Files {
    /// The game that was said, or the one that a file lies in, and the file's name there. `None` if it
    /// lies in none.
    pub(crate) fn place_of(&self, file: &Location, game: Option<&Game>) -> Option<GamePlace> {
        let folder = folder_of(file.path());
        let folders = match (game, file.member()) {
            (Some(game), _) => game.paths(),
            (None, Some(_)) => folders_of(&folder),
            (None, None) => folders_of(&root_of(self, &folder)?),
        };
        let name = match file.member() {
            Some(member) => member.to_owned(),
            None => {
                let below = folders.iter().find_map(|root| folder.strip_prefix(root).ok())?;
                below.join(file.file_name()).to_string_lossy().into_owned()
            }
        };
        Some(GamePlace { folders, name: parts(&name).join("/") })
    }

    /// What an engine looks names up in: in each folder of a game the archives of some kinds, and the
    /// folder itself before or behind them.
    pub(crate) fn engine_tree(
        &self,
        folders: &[PathBuf],
        archives: &[ArchiveOrder],
        loose_first: bool,
    ) -> Tree {
        let part = |folder: &PathBuf| {
            let archives = archives.iter().flat_map(|order| archives_of(self, folder, *order));
            let archives = archives.filter_map(|path| self.part(&path)).collect();
            Part { archives, loose: Source::Folder(folder.clone()), loose_first }
        };
        let sources = folders.iter().flat_map(|folder| part(folder).sources(loose_first));
        Tree { sources: sources.collect() }
    }
}

/// A game's own folder; a modification's with the game's own beside it behind it.
fn folders_of(root: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root.to_path_buf()];
    if !BASES.contains(&&*name_of(root)) {
        let beside = root.parent().into_iter();
        let bases = beside.flat_map(|parent| BASES.iter().map(move |base| parent.join(base)));
        folders.extend(bases.filter(|base| base.is_dir()).take(1));
    }
    folders
}
