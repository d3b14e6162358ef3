//! Games: which folders and archives belong to one, in the order in which its engine looks into them,
//! and where the root of the game is that a model lies in.
//!
//! The rules are those of `docs/files.md`.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::archive::is_archive;
use super::folder::Folder;
use super::{Files, Source, Tree, is_same_path, parts};
use crate::error::{OpenError, RequestError};
use crate::location::{Location, is_archive_name};

/// How far around a model its textures are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextureSearch {
    /// Its folder, those beside it, and the game that it lies in.
    #[default]
    Game,
    /// Its folder and those beside it.
    Folder,
    /// Nowhere: only what is given counts.
    None,
}

/// Folders that a game's own files are in.
pub(super) const BASES: [&str; 5] = ["id1", "baseq2", "baseq3", "baseoa", "base"];

/// Folders that lie directly in a game's root.
const TOP: [&str; 10] = [
    "progs",
    "models",
    "maps",
    "sound",
    "sprites",
    "textures",
    "gfx",
    "env",
    "materials",
    "scripts",
];

/// Folders that lie in a game's root or in one of [`TOP`], and how many levels below it at most.
const NESTED: [(&str, usize); 6] =
    [("players", 1), ("monsters", 1), ("objects", 1), ("mapmodels", 1), ("md5", 2), ("meshes", 2)];

/// So many folders above a model may make themselves its game's root by the archives in them.
const NEAR: usize = 3;

/// The folders of a game, the mod's first: each with its archives and itself in the order of its engine.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    folders: Vec<Part>,
    loose_first: bool,
}

/// A folder of a game: its archives in their order, and the files that lie in it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) archives: Vec<Source>,
    pub(super) loose: Source,
    /// As the engine has it.
    pub(super) loose_first: bool,
}

impl Part {
    pub(super) fn sources(&self, loose_first: bool) -> Vec<Source> {
        let loose = std::iter::once(&self.loose);
        if self.loose_first || loose_first {
            loose.chain(&self.archives).cloned().collect()
        } else {
            self.archives.iter().chain(loose).cloned().collect()
        }
    }
}

/// A model's place: a folder in a tree.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub(crate) tree: Tree,
    pub(crate) folder: Vec<String>,
    /// Whether the tree's root is the game's: names that begin there are looked up in it.
    pub(crate) has_root: bool,
}

/// Which archives of a folder an engine opens, and which of them wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveOrder {
    /// `pak0.pak`, `pak1.pak`, ... up to the first gap; the higher number wins.
    Quake,
    /// `pak0.pak` to `pak9.pak`, gaps or not; the higher number wins.
    Quake2,
    /// All with one of these extensions; the later name wins.
    LaterName(&'static [&'static str]),
}

impl Game {
    /// The game in `folder`, which holds the folder of the game's own files (`id1`, `baseq2`, ...) or
    /// is that folder; `modification` is the name of a folder beside that one.
    ///
    /// # Errors
    /// If there is no such folder.
    pub(crate) fn open(
        files: &Files,
        folder: &Path,
        modification: Option<&OsStr>,
        loose_first: bool,
    ) -> Result<Self, OpenError> {
        let (tree, _) =
            files.root(&Location::on_disk(folder)).map_err(|error| error.of_option("--game"))?;
        let Some(Source::Folder(folder)) = tree.sources.first() else {
            let message = format!("'{}' is no folder; a game is one", folder.display());
            return Err(OpenError::from(RequestError::new(message)).of_option("--game"));
        };
        // Installers link folders of games from elsewhere.
        let child = |parent: &Path, name: &str| {
            let here = files.known.folders.open(parent, &[]);
            let found = here.iter().flat_map(|here| here.any(name)).find(|path| path.is_dir());
            found.and_then(|path| std::fs::canonicalize(path).ok())
        };
        let base = BASES.iter().find_map(|base| child(folder, base));
        let (install, base) = match base {
            Some(base) => (folder.clone(), base),
            None => (folder.parent().unwrap_or(folder).to_owned(), folder.clone()),
        };
        let order =
            if name_of(&base) == "baseq2" { ArchiveOrder::Quake2 } else { ArchiveOrder::Quake };
        let mut folders = Vec::new();
        if let Some(name) = modification {
            let name = name.to_string_lossy();
            let found = match &parts(&name)[..] {
                [part] if !name.contains("..") => child(&install, part),
                _ => None,
            };
            let found = found.ok_or_else(|| {
                let message = format!("there is no folder '{name}' in '{}'", install.display());
                OpenError::from(RequestError::new(message)).of_option("--mod")
            })?;
            folders.push(part_of(files, &found, order));
        }
        folders.push(part_of(files, &base, order));
        Ok(Self { folders, loose_first })
    }

    /// The folders, the mod's first.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.folders.iter().map(|part| part.loose.path().to_path_buf()).collect()
    }

    /// What names are looked up in. Folders come before archives if that was said, or if `loose_first`.
    pub(crate) fn tree(&self, loose_first: bool) -> Tree {
        let loose_first = self.loose_first || loose_first;
        let sources = self.folders.iter().flat_map(|part| part.sources(loose_first));
        Tree { sources: sources.collect() }
    }
}

impl Home {
    /// The place of a model, which lies in `game` if one was said, under a name of the game if
    /// `is_game_name`. Only with [`TextureSearch::Game`] it has a root.
    pub(crate) fn of(
        files: &Files,
        model: &Location,
        game: Option<&Game>,
        is_game_name: bool,
        search: TextureSearch,
    ) -> Self {
        let inside = files.inside(model).ok().flatten();
        match inside {
            Some((tree, name)) => {
                let mut folder = parts(name);
                folder.pop();
                let tree = match (search, game) {
                    (TextureSearch::Game, Some(game)) => within(&game.tree(false), &tree),
                    (TextureSearch::Game, None) => around(files, tree),
                    _ => tree,
                };
                Self { tree, folder, has_root: search == TextureSearch::Game }
            }
            None => Self::on_disk(files, &model.as_one_path(), game, is_game_name, search),
        }
    }

    fn on_disk(
        files: &Files,
        file: &Path,
        game: Option<&Game>,
        is_game_name: bool,
        search: TextureSearch,
    ) -> Self {
        let folder = folder_of(file);
        let root = match (search, game) {
            // What its owner edits comes first, as in the ports of the games.
            (TextureSearch::Game, Some(game)) => {
                let tree = game.tree(!is_game_name);
                let roots = tree.sources.iter().filter_map(|source| match source {
                    Source::Folder(root) if folder.starts_with(root) => Some(root.clone()),
                    _ => None,
                });
                roots.max_by_key(|root| root.as_os_str().len()).map(|root| (root, tree.clone()))
            }
            (TextureSearch::Game, None) => root_of(files, &folder).map(|root| {
                let order = if name_of(&root) == "baseq2" {
                    ArchiveOrder::Quake2
                } else {
                    ArchiveOrder::Quake
                };
                let sources = part_of(files, &root, order).sources(true);
                (root, Tree { sources })
            }),
            _ => None,
        };
        let has_root = root.is_some();
        let (root, tree) = root.unwrap_or_else(|| {
            // Folders beside the model's are in the one above it.
            let above = folder.parent().unwrap_or(&folder).to_path_buf();
            (above.clone(), Tree { sources: vec![Source::Folder(above)] })
        });
        let below = folder.strip_prefix(&root).unwrap_or(&folder);
        let folder = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        Self { tree, folder, has_root }
    }
}

/// `game` if it has the source of `own`, else that source before the game.
fn within(game: &Tree, own: &Tree) -> Tree {
    let is_own =
        |source: &Source| own.sources.iter().any(|own| is_same_path(own.path(), source.path()));
    if game.sources.iter().any(is_own) {
        return game.clone();
    }
    Tree { sources: own.sources.iter().chain(&game.sources).cloned().collect() }
}

/// An archive, and the game in whose folder it lies, if that is one by its name or its first archive.
fn around(files: &Files, own: Tree) -> Tree {
    let Some(source) = own.sources.first() else { return own };
    let folder = folder_of(source.path());
    let first = ["pak0.pak", "pak0.pk3", "pak000.pk4"];
    let names = names_in(files, &folder);
    let is_game = BASES.contains(&&*name_of(&folder)) || first.iter().any(|f| names.contains(*f));
    if !is_game {
        return own;
    }
    let order =
        if name_of(&folder) == "baseq2" { ArchiveOrder::Quake2 } else { ArchiveOrder::Quake };
    let others = part_of(files, &folder, order).sources(false);
    let others = others.into_iter().filter(|other| !is_same_path(other.path(), source.path()));
    Tree { sources: own.sources.iter().cloned().chain(others).collect() }
}

/// The archives in a folder of a game and the folder itself, in the order of the engine that has such
/// archives: PAK of Quake and Quake II by number, PK3 of Quake III and PK4 of Doom 3 by name, the later
/// one first. Doom 3 alone takes loose files before archives. Where kinds are mixed, as ports of the
/// games do, PK4 comes before PK3 and PK3 before PAK.
fn part_of(files: &Files, folder: &Path, order: ArchiveOrder) -> Part {
    let named = |order| archives_of(files, folder, order);
    let doom3 = named(ArchiveOrder::LaterName(&["pk4", "pk4dir"]));
    let quake3 = named(ArchiveOrder::LaterName(&["pk3", "pk3dir", "dpk", "dpkdir"]));
    let paks = named(order);
    let is_doom3 = !doom3.is_empty() && quake3.is_empty() && paks.is_empty();
    let archives = doom3.into_iter().chain(quake3).chain(paks);
    let archives = archives.filter_map(|path| files.part(&path)).collect();
    Part { archives, loose: Source::Folder(folder.to_path_buf()), loose_first: is_doom3 }
}

/// The archives that an engine opens in a folder, the one that wins first.
pub(super) fn archives_of(files: &Files, folder: &Path, order: ArchiveOrder) -> Vec<PathBuf> {
    let names = names_in(files, folder);
    let numbered = || (0..).map(|number| format!("pak{number}.pak"));
    let mut found: Vec<String> = match order {
        ArchiveOrder::Quake => numbered().take_while(|name| names.contains(name)).collect(),
        ArchiveOrder::Quake2 => numbered().take(10).filter(|name| names.contains(name)).collect(),
        ArchiveOrder::LaterName(extensions) => {
            let is_one = |name: &&String| {
                let extension = Path::new(name).extension().unwrap_or_default();
                extensions.iter().any(|e| extension == *e)
            };
            names.iter().filter(is_one).cloned().collect()
        }
    };
    found.reverse();
    // Installers link a game's archives from elsewhere: such a link is a part of the game.
    let here = files.known.folders.with_archives(folder);
    found
        .iter()
        .flat_map(|name| here.iter().flat_map(|here| here.any(name)).collect::<Vec<_>>())
        .collect()
}

/// The root of the game that a folder is in: the nearest one above it that is called like one, that
/// holds archives, or that has one of a game's folders on the way to it.
pub(super) fn root_of(files: &Files, folder: &Path) -> Option<PathBuf> {
    let mut nested: Option<(&Path, usize)> = None;
    let mut below = String::new();
    for (height, ancestor) in folder.ancestors().enumerate() {
        // The system's own root is no game's.
        if ancestor.parent().is_none() {
            break;
        }
        let name = name_of(ancestor);
        let is_unpacked = is_archive_name(ancestor.as_os_str()) && name.ends_with("dir");
        if BASES.contains(&&*name) || is_unpacked || TOP.contains(&&*below) {
            return Some(ancestor.to_path_buf());
        }
        if height <= NEAR && holds_archives(files, ancestor) {
            return Some(ancestor.to_path_buf());
        }
        if let Some((_, levels)) = NESTED.iter().find(|(nested, _)| *nested == below) {
            nested = Some((nested.map_or(ancestor, |(first, _)| first), height + levels));
        }
        if nested.is_some_and(|(_, last)| height >= last) {
            break;
        }
        below = name;
    }
    nested.map(|(root, _)| root.to_path_buf())
}

/// Archives by their content too: any file may be called like one.
fn holds_archives(files: &Files, folder: &Path) -> bool {
    let is_called = |name: &str| matches!(name.rsplit_once('.'), Some((_, "pak" | "pk3" | "pk4")));
    let here = files.known.folders.with_archives(folder);
    here.iter().any(|here| {
        let named = here.names().filter(|name| is_called(name));
        named.flat_map(|name| here.any(name)).any(|path| is_archive(&path))
    })
}

/// Lower-case names of all that is in a folder on disk, sorted: for those of archives.
fn names_in(files: &Files, folder: &Path) -> BTreeSet<String> {
    let here = files.known.folders.with_archives(folder);
    here.iter().flat_map(Folder::names).map(str::to_owned).collect()
}

/// The last part of a path in lower case.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// The folder of a file as a canonical path, so that all folders above it can be named.
pub(super) fn folder_of(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let absolute = std::fs::canonicalize(folder).or_else(|_| std::path::absolute(folder));
    absolute.unwrap_or_else(|_| folder.to_owned())
}
