//! Where files come from: folders, and the textures that a model names.

mod dir;
mod listing;
mod pictures;
mod search;
mod skin_file;
mod skins;

#[cfg(test)]
mod search_tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use listing::{list_skins, skin_count, skin_files};
pub use search::Origin;
pub use skins::find_textures;

use crate::error::{LoadError, Place, Warning};
use crate::image::{OpenImageError, Palette};
use crate::model::Model;

/// Which skin a model wears and where textures are looked for.
#[derive(Clone, Debug, Default)]
pub struct AssetOptions {
    /// Folders in which texture names are looked up first, in this order.
    pub texture_roots: Vec<PathBuf>,
    /// The skin of all surfaces.
    pub skin: SkinChoice,
    /// Pictures for single surfaces, by surface name in any case; they win over `skin`.
    pub surface_files: Vec<(String, PathBuf)>,
    /// Seconds; chooses the picture of an animated skin.
    pub time: f64,
    /// The palette of embedded skins and `.lmp` pictures; `None` is Quake's.
    pub palette: Option<Arc<Palette>>,
}

/// The skin that a model wears.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SkinChoice {
    /// The first; for an MD3 what `NAME_default.skin` beside `NAME.md3` says, if it is there.
    #[default]
    Default,
    /// A skin entry of the file, counted from 0 (a group is one entry); of an MD3 the texture of that
    /// number of every surface that has so many, of the others the first.
    Number(usize),
    /// A picture for all surfaces or a `.skin` file. A word that is no file is the name of a skin:
    /// `red` is `head_red.skin` beside `head.md3`, `red.pcx` beside `tris.md2`.
    File(PathBuf),
}

/// What was looked for, where, and what was found.
#[derive(Clone, Debug, Default)]
pub struct TextureReport {
    /// The `.skin` file in use.
    pub skin_file: Option<PathBuf>,
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
    /// The file that won; `None` if nothing was found or the picture lies in the model.
    pub found: Option<PathBuf>,
    /// How it was found; `None` if it was not.
    pub origin: Option<Origin>,
    /// Every place that was tried, in order. `.*` stands for the known extensions.
    pub looked: Vec<String>,
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
    fn warning(&self) -> Option<String> {
        let wanted = match self.wanted.as_slice() {
            [] => "no texture is named".to_owned(),
            names => format!("texture '{}' not found", names.join("', '")),
        };
        let surface =
            if self.name.is_empty() { String::new() } else { format!("surface '{}': ", self.name) };
        match (self.origin, &self.found) {
            (None, _) => {
                let places = self.looked.len();
                Some(format!("{surface}{wanted} ({places} places searched); drawn in grey"))
            }
            (Some(Origin::Guessed), Some(file)) if !self.wanted.is_empty() => {
                Some(format!("{surface}{wanted}; drawn with '{}'", file.display()))
            }
            _ => None,
        }
    }
}

/// The options of [`AssetOptions`] do not fit the model, or a file that they name cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssetError {
    /// The model has fewer skins.
    #[error("there is no skin {number}: the model has {count}, counted from 0")]
    SkinNumber {
        /// The number asked for.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// The model has no such surface.
    #[error("there is no surface '{wanted}'; this model has {known}")]
    NoSuchSurface {
        /// The name asked for.
        wanted: String,
        /// The names that there are.
        known: String,
    },
    /// A file that was given cannot be used.
    #[error(transparent)]
    File(#[from] OpenImageError),
}

/// A model file could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file cannot be read.
    #[error("cannot read '{}': {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a model that can be loaded.
    #[error("'{}': {source}", .path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: LoadError,
    },
    /// Its skin cannot be put on.
    #[error("'{}': {source}", .path.display())]
    Textures {
        /// The model file.
        path: PathBuf,
        /// What is wrong.
        source: AssetError,
    },
}

impl Model {
    /// Reads a model file and finds its textures as the games do; missing ones are among the model's
    /// warnings. See [`find_textures`] for choices.
    ///
    /// # Errors
    /// If the file cannot be read or is not a model that can be loaded.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let data =
            std::fs::read(path).map_err(|source| OpenError::Read { path: path.into(), source })?;
        let mut model =
            Self::from_vec(data).map_err(|source| OpenError::Load { path: path.into(), source })?;
        let report = find_textures(&mut model, Some(path), &AssetOptions::default())
            .map_err(|source| OpenError::Textures { path: path.into(), source })?;
        let warnings = report.warnings.into_iter();
        model.warnings.extend(warnings.map(|text| Warning::new(Place::File, "textures", text)));
        Ok(model)
    }
}

/// The `.md5anim` files that are likely to move the mesh at `path`: beside it, in `animations/` beside
/// it, and in `animations/` beside its folder; sorted within each.
#[must_use]
pub fn find_anims(path: &Path) -> Vec<PathBuf> {
    dir::files_with_extension(path, &["", "animations", "../animations"], "md5anim")
}
