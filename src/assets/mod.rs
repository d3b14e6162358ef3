//! What belongs to a model: the textures that it names, its skins, its animations.

mod animation_cfg;
mod listing;
pub(crate) mod materials;
mod pictures;
mod player;
mod scripted;
mod search;
mod skin_file;
mod skins;

#[cfg(test)]
mod search_tests;
#[cfg(test)]
mod skins_tests;

use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) use animation_cfg::{AnimationCfg, BodyPart, add_player_clips};
pub(crate) use listing::{list_skins, skin_count, skin_files};
pub use player::PlayerFolder;
pub(crate) use player::{Player, find_player, players_among, weapon_beside, weapons_for};
pub use search::Origin;
use search::{Places, Search};
pub(crate) use skins::find_textures;

use crate::error::OpenError;
use crate::files::{Files, Game, Home, TextureSearch, child};
use crate::image::{PIXEL_MEMORY, Palette};
use crate::location::Location;
use crate::model::{Format, Model, Surface};

/// Which skin a model wears and where textures are looked for.
#[derive(Clone, Debug)]
pub(crate) struct AssetOptions {
    /// Folders and archives in which texture names are looked up first, in this order.
    pub(crate) texture_roots: Vec<Location>,
    /// The game that names are looked up in.
    pub(crate) game: Option<Arc<Game>>,
    /// Whether the model was found by its name in the game, rather than as a file on disk.
    pub(crate) is_game_name: bool,
    /// How far around the model textures are looked for.
    pub(crate) texture_search: TextureSearch,
    /// The skin of all surfaces.
    pub(crate) skin: SkinChoice,
    /// Pictures for single surfaces, by surface name in any case; they win over `skin`.
    pub(crate) surface_files: Vec<(String, Location)>,
    /// Seconds; chooses the picture of an animated skin.
    pub(crate) time: f64,
    /// The palette of embedded skins and `.lmp` pictures; `None` is Quake's.
    pub(crate) palette: Option<Arc<Palette>>,
    /// Whether shader scripts and materials are looked at.
    pub(crate) reads_scripts: bool,
    /// Bytes that all pictures of the model may take together.
    pub(crate) max_memory: u64,
}

impl Default for AssetOptions {
    fn default() -> Self {
        Self {
            texture_roots: Vec::new(),
            game: None,
            is_game_name: false,
            texture_search: TextureSearch::default(),
            skin: SkinChoice::default(),
            surface_files: Vec::new(),
            time: 0.0,
            palette: None,
            reads_scripts: true,
            max_memory: PIXEL_MEMORY,
        }
    }
}

impl AssetOptions {
    /// The search for textures of a model in `file`; `None`: from nowhere, such as standard input.
    fn search(&self, format: Format, files: &Files, file: Option<&Location>) -> Search {
        let home = file.map(|file| self.home(files, file));
        let is_in_game = home.as_ref().is_some_and(|home| home.has_root);
        let places = Places {
            // Those that cannot be looked into were told when the options were made.
            roots: self.texture_roots.iter().filter_map(|root| files.root(root).ok()).collect(),
            game: self
                .game
                .as_ref()
                .filter(|_| !is_in_game && self.texture_search == TextureSearch::Game)
                .map(|game| game.tree(false)),
            home,
            is_silent: self.texture_search == TextureSearch::None,
        };
        let stem = file.map(|file| file.file_stem().to_string_lossy()).unwrap_or_default();
        Search::new(files, format, &stem, places)
    }

    /// The place of a file in its game.
    pub(crate) fn home(&self, files: &Files, file: &Location) -> Home {
        Home::of(files, file, self.game.as_deref(), self.is_game_name, self.texture_search)
    }
}

/// The skin that a model wears.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum SkinChoice {
    /// The first; for an MD3 what `NAME_default.skin` beside `NAME.md3` says, if it is there.
    #[default]
    Default,
    /// A skin entry of the file, counted from 0 (a group is one entry); of an MD3 the texture of that
    /// number of every surface that has so many, of the others the first.
    Number(usize),
    /// A picture for all surfaces or a `.skin` file. A word that is no file is the name of a skin:
    /// `red` is `head_red.skin` beside `head.md3`, `red.pcx` beside `tris.md2`.
    File(Location),
}

/// What was looked for, where, and what was found.
#[derive(Clone, Debug, Default)]
pub struct TextureReport {
    /// The `.skin` file in use.
    pub skin_file: Option<Location>,
    /// One entry per surface.
    pub textures: Vec<TextureEntry>,
    /// Missing, guessed and broken textures.
    pub warnings: Vec<String>,
}

/// The texture of one surface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextureEntry {
    /// Number of the surface.
    pub surface: usize,
    /// Its name, empty if the format has none.
    pub name: String,
    /// The names that the model or a `.skin` file has for the texture, in the order of trying.
    pub wanted: Vec<String>,
    /// Of these the ones of which nothing was found before one that was, or before a guess.
    pub missing: Vec<String>,
    /// The file that won; `None` if nothing was found or the picture lies in the model.
    pub found: Option<Location>,
    /// Files of the same name that lost, because their archives or folders come later in the game.
    pub shadowed: Vec<Location>,
    /// Files of these names that are there and could not be taken: the warnings say why.
    pub refused: Vec<Location>,
    /// How it was found; `None` if it was not.
    pub origin: Option<Origin>,
    /// Every place that was tried, in order. `.*` stands for the known extensions.
    pub looked: Vec<String>,
    /// A `.skin` file, a shader script or a material says that it is not drawn.
    pub hidden: bool,
    /// The shader script or material that says how the surface is drawn.
    pub script: Option<ScriptEntry>,
}

/// A shader script or material of a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptEntry {
    /// The name that it was found by.
    pub name: String,
    /// Its file.
    pub file: Location,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// How many stages are drawn; 0 of a surface that is not seen.
    pub stages: usize,
    /// Pictures of its stages that are not there, or cannot be taken.
    pub missing: Vec<String>,
}

impl TextureReport {
    /// One warning for each name that led to nothing or to a guess.
    fn warn_of_missing(&mut self) {
        let mut warnings: Vec<String> =
            self.textures.iter().filter_map(TextureEntry::warning).collect();
        warnings.dedup();
        self.warnings.extend(warnings);
    }
}

impl TextureEntry {
    /// The same with the file that was found, behind so many of the names that were wanted.
    fn with(self, file: Location, origin: Origin, missing: usize, shadowed: Vec<Location>) -> Self {
        let missing = self.wanted.iter().take(missing).cloned().collect();
        Self { found: Some(file), origin: Some(origin), missing, shadowed, ..self }
    }

    fn warning(&self) -> Option<String> {
        let tried = if self.missing.is_empty() { &self.wanted } else { &self.missing };
        let wanted = match (tried.as_slice(), self.refused.first()) {
            ([], _) => "no texture is named".to_owned(),
            (names, None) => format!("texture '{}' not found", names.join("', '")),
            (names, Some(file)) => {
                format!("texture '{}' is '{file}', which cannot be taken", names.join("', '"))
            }
        };
        let surface =
            if self.name.is_empty() { String::new() } else { format!("surface '{}': ", self.name) };
        match (self.origin, &self.found) {
            _ if self.hidden || self.script.is_some() => None,
            (None, _) if !self.refused.is_empty() => {
                Some(format!("{surface}{wanted}; drawn in grey"))
            }
            (None, _) => {
                let places = self.looked.len();
                Some(format!("{surface}{wanted} ({places} places searched); drawn in grey"))
            }
            (Some(_), Some(file)) if !self.missing.is_empty() => {
                Some(format!("{surface}{wanted}; drawn with '{file}'"))
            }
            _ => None,
        }
    }
}

/// What a `.skin` file says of each surface's texture.
pub(crate) fn skin_file_textures(bytes: &[u8], model: &Model) -> Vec<Option<String>> {
    let file = skin_file::SkinFile::parse(bytes);
    let texture = |surface: &Surface| file.texture(surface.name()).map(str::to_owned);
    model.surfaces().iter().map(texture).collect()
}

/// The `.md5anim` files that are likely to move the mesh at `home`: beside it, in `animations/` beside
/// it, and in `animations/` beside its folder; sorted within each.
pub(crate) fn find_anims(files: &Files, home: &Home) -> Vec<Location> {
    let mut folders = vec![home.folder.clone(), child(&home.folder, "animations")];
    if let Some((_, above)) = home.folder.split_last() {
        folders.push(child(above, "animations"));
    }
    // In a folder that is called `animations` two of the three are the same.
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for folder in folders {
        let dir = files.dir(&home.tree, &folder);
        let names = dir.names().into_iter().filter(|name| name.ends_with(".md5anim"));
        let mut anims: Vec<Location> =
            names.filter_map(|name| dir.files(&name).into_iter().next()).collect();
        anims.sort_unstable();
        found.extend(anims.into_iter().filter(|anim| seen.insert(anim.clone())));
    }
    found
}

/// The model files (by extension) in a folder, an archive or a folder of an archive, and in the folders
/// within; each folder's sorted by name.
///
/// # Errors
/// If the folder or archive cannot be read.
pub fn models_in(place: impl Into<Location>) -> Result<Vec<Location>, OpenError> {
    Files::default().all(&place.into(), &is_model_name)
}

/// The PNG files (by extension) in a folder or an archive, as [`models_in`] lists models.
///
/// # Errors
/// If the folder or archive cannot be read.
pub fn pngs_in(place: impl Into<Location>) -> Result<Vec<Location>, OpenError> {
    Files::default().all(&place.into(), &|name| name.ends_with(".png"))
}

/// Ends of names of files that a model may have beside pictures and other models.
#[cfg(any(feature = "window", feature = "thumbs"))]
const COMPANIONS: [&str; 5] = ["md5anim", "skin", "cfg", "shader", "mtr"];

/// Whether a lower-case name may be that of a file of a model, pictures aside: itself, a part or a weapon,
/// an animation, a script.
#[cfg(any(feature = "window", feature = "thumbs"))]
pub(crate) fn may_go_with_models(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    is_model_name(name) || COMPANIONS.contains(&extension)
}

/// Whether a lower-case name may be that of a file of a model or a picture.
#[cfg(feature = "window")]
pub(crate) fn is_name_of_models(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    may_go_with_models(name) || search::EXTENSIONS.contains(&extension)
}

/// Whether a lower-case name is that of a model.
pub(crate) fn is_model_name(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    Format::FILES.iter().any(|format| extension == Some(format.extension()))
}
