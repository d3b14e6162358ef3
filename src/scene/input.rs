//! What a scene names as its input: a file, a member of an archive, a name in a game, or a place that
//! holds models.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, PathBuf};
use std::sync::Arc;

use super::{Input, STANDARD_INPUT, Scene};
use crate::assets::{Player, PlayerFolder, find_player, is_model_name, players_among};
use crate::error::{OpenError, RequestError};
use crate::files::{
    Files, Game, GamePlace, Home, Limit, TextureSearch, Tree, What, is_same_file, parts,
};
use crate::location::Location;

/// The models of a place.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// As other commands take them, parts of players included.
    pub files: Vec<Location>,
    /// The players that some of the files belong to.
    pub players: Vec<PlayerFolder>,
    /// What is odd about archives, and members that are left out.
    pub warnings: Vec<String>,
    /// What names are relative to.
    roots: Vec<PathBuf>,
}

impl Models {
    fn of(files: Vec<Location>, around: &Files, roots: Vec<PathBuf>) -> Self {
        Self { players: players_among(&files), files, warnings: around.warnings(), roots }
    }

    /// The name of a file or folder below the place: its path below a folder, its name in the archive or
    /// game.
    #[must_use]
    pub fn name_of(&self, location: &Location) -> String {
        if let Some(member) = location.member() {
            return member.to_owned();
        }
        let path = location.path();
        let below = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
        below.unwrap_or(path).to_string_lossy().replace('\\', "/")
    }

    /// What a picture each can be made of: the models that are no part of a player, and each player's
    /// folder in the place of its first model.
    #[must_use]
    pub fn pictures(&self) -> Vec<Location> {
        let mut parts: HashMap<&Location, Option<&Location>> = HashMap::new();
        for PlayerFolder { place, files } in &self.players {
            let places = std::iter::once(Some(place)).chain(std::iter::repeat(None));
            parts.extend(files.iter().zip(places));
        }
        let picture = |file| parts.get(file).copied().unwrap_or(Some(file)).cloned();
        self.files.iter().filter_map(picture).collect()
    }
}

/// What names of files are looked up in: the disk, and the game if one was said.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    pub(super) files: Files,
    pub(super) game: Option<Arc<Game>>,
    /// Where the scene's input leads; `None` for the standard input.
    pub(super) file: Option<Location>,
    /// Files of the same name in the game that lost.
    pub(super) shadowed: Vec<Location>,
    /// Whether the input is a name of the game, rather than a file on disk.
    pub(super) is_game_name: bool,
    /// The player whose folder the input names.
    pub(super) player: Option<Player>,
}

/// A folder that the scene names.
pub(super) struct Folder {
    pub(super) home: Home,
    /// As it was said; `None` for one of the game.
    place: Option<Location>,
}

impl Folder {
    /// A file in the folder, as the user wrote it instead of by its canonical path.
    fn shown(&self, file: Location) -> Location {
        match (&self.place, file.member()) {
            (Some(place), None) if place.member().is_none() => inside(place, file.file_name()),
            _ => file,
        }
    }

    /// The file of this name in the folder.
    pub(super) fn file(&self, files: &Files, name: &str) -> Option<Location> {
        let dir = files.dir(&self.home.tree, &self.home.folder);
        dir.files(name).into_iter().next().map(|file| self.shown(file))
    }
}

/// A file in a folder on disk or in an archive.
fn inside(folder: &Location, name: &OsStr) -> Location {
    match folder.member() {
        Some(member) => {
            let name = name.to_string_lossy();
            Location::in_archive(folder.path(), format!("{}/{name}", member.trim_end_matches('/')))
        }
        None => Location::on_disk(folder.path().join(name)),
    }
}

impl Around {
    /// The game, and a name as it is looked up there. A path from the disk's root, or from the
    /// current folder (`./x`, `../x`), is none.
    fn in_game(&self, name: &Location) -> Option<(Tree, String)> {
        let is_name = matches!(name.path().components().next(), Some(Component::Normal(_)));
        let game = self.game.as_ref().filter(|_| is_name && name.member().is_none())?;
        Some((game.tree(false), name.path().to_string_lossy().into_owned()))
    }

    /// The folder of this name: one of the game, else on disk or in an archive.
    pub(super) fn folder(&self, place: &Location, search: TextureSearch) -> Option<Folder> {
        if let Some((tree, name)) = self.in_game(place)
            && self.files.lookup(&tree, &name).is_empty()
        {
            let home = Home { folder: parts(&name), tree, has_root: true };
            if self.files.dir(&home.tree, &home.folder).exists() {
                return Some(Folder { home, place: None });
            }
        }
        if self.files.what(place) != What::Folder {
            return None;
        }
        let (inside, game) = (inside(place, OsStr::new("x")), self.game.as_deref());
        let home = Home::of(&self.files, &inside, game, false, search);
        Some(Folder { home, place: Some(place.clone()) })
    }

    /// The place of a file in its game.
    pub(super) fn home(&self, file: &Location) -> Home {
        let game = self.game.as_deref();
        Home::of(&self.files, file, game, self.is_game_name, TextureSearch::default())
    }

    /// Where a name leads: into the game if it has such a file, else to the disk.
    pub(super) fn find(&self, name: &Location) -> (Location, Vec<Location>) {
        let found = self.in_game(name).map(|(tree, name)| self.files.lookup(&tree, &name));
        let mut found = found.unwrap_or_default().into_iter();
        match found.next() {
            Some(first) => (first, found.collect()),
            None => (name.clone(), Vec::new()),
        }
    }
}

impl Scene {
    /// All bytes of the model.
    ///
    /// # Errors
    /// If they cannot be read, or are more than any model has.
    pub fn read(&self) -> Result<Vec<u8>, OpenError> {
        Self::read_input(&self.around(&Files::default())?)
    }

    /// The models in the folder, the archive, or the folder of an archive or of the game that the scene
    /// names as its input. `None` if the input is something else.
    ///
    /// # Errors
    /// If there is no such game, or a folder or an archive cannot be read.
    pub fn models(&self) -> Result<Option<Models>, OpenError> {
        self.models_in(&Files::default())
    }

    /// [`Scene::models`] with what is known of folders and archives.
    ///
    /// # Errors
    /// As [`Scene::models`].
    pub fn models_in(&self, files: &Files) -> Result<Option<Models>, OpenError> {
        let around = self.around(files)?;
        let Some(place) = self.source.input.file() else { return Ok(None) };
        if let Some((tree, name)) = around.in_game(place) {
            let folder = parts(&name);
            let is_file = !around.files.lookup(&tree, &name).is_empty();
            if !is_file && around.files.dir(&tree, &folder).exists() {
                let files = around.files.all_of(&tree, &folder, &is_model_name);
                let roots = tree.sources().iter().map(|source| source.path().to_path_buf());
                return Ok(Some(Models::of(files, &around.files, roots.collect())));
            }
        }
        if around.files.what(place) == What::File {
            return Ok(None);
        }
        let files = around.files.all(place, &is_model_name)?;
        Ok(Some(Models::of(files, &around.files, vec![place.path().to_path_buf()])))
    }

    /// The models of the scene's game, each from the archive or folder that wins; none without a game.
    ///
    /// # Errors
    /// If there is no such game.
    pub fn game_models(&self) -> Result<Models, OpenError> {
        self.game_models_in(&Files::default())
    }

    /// [`Scene::game_models`] with what is known of folders and archives.
    ///
    /// # Errors
    /// As [`Scene::game_models`].
    pub fn game_models_in(&self, files: &Files) -> Result<Models, OpenError> {
        let around = self.around(files)?;
        let tree = around.game.as_ref().map(|game| game.tree(false)).unwrap_or_default();
        let files = around.files.all_of(&tree, &[], &is_model_name);
        let roots = tree.sources().iter().map(|source| source.path().to_path_buf());
        Ok(Models::of(files, &around.files, roots.collect()))
    }

    /// What a window shows of the scene's input: itself, or the models in that folder or archive, players
    /// as a whole; and what is odd about them.
    ///
    /// # Errors
    /// If there is no such file, no such game, or no model.
    pub fn inputs(&self) -> Result<(Vec<Input>, Vec<String>), OpenError> {
        let input = self.source.input.clone();
        if self.is_player()? {
            return Ok((vec![input], Vec::new()));
        }
        let Some(models) = self.models()? else {
            self.check_input()?;
            return Ok((vec![input], Vec::new()));
        };
        if models.files.is_empty() {
            let name = input.name();
            let message = format!("no model in '{name}' (.mdl, .md2, .md3, .md5mesh)");
            return Err(RequestError::new(message).into());
        }
        let inputs = models.pictures().into_iter().map(Input::File).collect();
        Ok((inputs, models.warnings))
    }

    /// Whether there is a file that the scene names as its input.
    ///
    /// # Errors
    /// If there is none.
    pub fn check_input(&self) -> Result<(), OpenError> {
        let around = self.around(&Files::default())?;
        let file = around.file.as_ref().filter(|_| around.player.is_none());
        file.map_or(Ok(()), |file| around.files.check(file))
    }

    /// Whether the scene's input is the folder of a player, which is drawn as one picture.
    ///
    /// # Errors
    /// If there is no such game.
    pub fn is_player(&self) -> Result<bool, OpenError> {
        self.is_player_in(&Files::default())
    }

    /// [`Scene::is_player`] with what is known of folders and archives.
    ///
    /// # Errors
    /// As [`Scene::is_player`].
    pub fn is_player_in(&self, files: &Files) -> Result<bool, OpenError> {
        Ok(self.around(files)?.player.is_some())
    }

    /// The scene of every model of the player that the input names, with what the model is called; none
    /// for other inputs.
    ///
    /// # Errors
    /// If there is no such game.
    pub(crate) fn player_parts(&self) -> Result<Vec<(&'static str, Self)>, OpenError> {
        let player = self.around(&Files::default())?.player;
        let of_part = |(name, file): (&'static str, &Location)| {
            let mut scene = self.clone();
            scene.source.input = Input::File(file.clone());
            (name, scene)
        };
        Ok(player.iter().flat_map(Player::models).map(of_part).collect())
    }

    /// The game that the scene names, or that its model lies in, and the model's name there.
    ///
    /// # Errors
    /// If there is no such game, or the model lies in none.
    pub(crate) fn in_game(&self) -> Result<(Files, GamePlace), OpenError> {
        let around = self.around(&Files::default())?;
        let file = around.file.as_ref();
        let name = self.source.input.file().and_then(|name| around.in_game(name));
        let place = match name {
            // Also a name that only archives have which other engines do not open.
            Some((_, name)) if around.is_game_name => {
                let folders = around.game.as_ref().map(|game| game.paths()).unwrap_or_default();
                Some(GamePlace { folders, name: parts(&name).join("/") })
            }
            _ => file.and_then(|file| around.files.place_of(file, around.game.as_deref())),
        };
        let place = place.ok_or_else(|| {
            let what = match file {
                Some(_) => {
                    "lies in no game: engines look names up in a game's folder; give --game DIR"
                }
                None => "has no name that an engine could look up; leave --engine out",
            };
            RequestError::new(format!("'{}' {what}", self.source.input.name()))
        })?;
        Ok((around.files, place))
    }

    pub(super) fn around(&self, files: &Files) -> Result<Around, OpenError> {
        let source = &self.source;
        let files = files.for_another();
        let game = match &source.game {
            Some(folder) => {
                let modification = source.modification.as_deref().map(AsRef::as_ref);
                let open =
                    |modification| Game::open(&files, folder, modification, source.loose_first);
                let game = open(modification)?;
                let folders: Vec<Location> =
                    game.paths().into_iter().map(Location::on_disk).collect();
                // The game's own folder, said once more as the one that comes before it.
                let is_own = matches!(&folders[..], [a, b] if is_same_file(a, b));
                Some(Arc::new(if is_own { open(None)? } else { game }))
            }
            None => {
                let needs_game = [
                    ("--mod", source.modification.is_some()),
                    ("--loose-first", source.loose_first),
                ];
                if let Some((option, _)) = needs_game.iter().find(|(_, is_given)| *is_given) {
                    return Err(RequestError::new(format!("{option} needs --game")).into());
                }
                None
            }
        };
        let mut around = Around { files, game, ..Around::default() };
        if let Some(name) = source.input.file() {
            let (file, shadowed) = around.find(name);
            around.is_game_name = file != *name;
            (around.file, around.shadowed) = (Some(file), shadowed);
            if let Some(folder) = around.folder(name, source.texture_search) {
                around.player =
                    find_player(&around.files, &folder.home, &|file| folder.shown(file));
                around.is_game_name |= around.player.is_some() && folder.place.is_none();
            }
        }
        Ok(around)
    }

    pub(super) fn read_input(around: &Around) -> Result<Vec<u8>, OpenError> {
        let Some(file) = &around.file else {
            return Limit::MODEL.read(io::stdin().lock()).map_err(|source| OpenError::Read {
                file: Location::on_disk(STANDARD_INPUT),
                source,
            });
        };
        let what = match around.files.what(file) {
            What::File => return around.files.read(file, Limit::MODEL),
            What::Folder => "a folder",
            What::Archive => "an archive",
        };
        let models = around.files.all(file, &is_model_name)?;
        let message = match models.first() {
            Some(first) => format!(
                "'{file}' is {what} with {} models, such as '{first}'; 'polyset info {file}' lists them",
                models.len()
            ),
            None => format!("'{file}' is {what} without models"),
        };
        Err(RequestError::new(message).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_one_picture() {
        let names = ["a.md3", "b/head.md3", "b/lower.md3", "b/upper.md3", "b/x.md3", "c.md3"];
        let files = names.iter().map(|&name| name.into()).collect();
        let pictures = Models::of(files, &Files::default(), Vec::new()).pictures();
        let expected = ["a.md3", "b", "b/x.md3", "c.md3"].map(Location::from);
        assert_eq!(pictures, expected);
    }
}
