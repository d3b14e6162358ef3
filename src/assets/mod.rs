//! Where files come from: folders, and the textures that a model names.

mod dir;
mod listing;
mod pictures;
mod search;
mod skin_file;
mod skins;

#[cfg(test)]
mod search_tests;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use dir::models_in;
pub(crate) use listing::{list_skins, skin_count, skin_files};
pub use search::Origin;
pub(crate) use skins::find_textures;

use crate::image::Palette;

/// Which skin a model wears and where textures are looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct AssetOptions {
    /// Folders in which texture names are looked up first, in this order.
    pub(crate) texture_roots: Vec<PathBuf>,
    /// The skin of all surfaces.
    pub(crate) skin: SkinChoice,
    /// Pictures for single surfaces, by surface name in any case; they win over `skin`.
    pub(crate) surface_files: Vec<(String, PathBuf)>,
    /// Seconds; chooses the picture of an animated skin.
    pub(crate) time: f64,
    /// The palette of embedded skins and `.lmp` pictures; `None` is Quake's.
    pub(crate) palette: Option<Arc<Palette>>,
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

/// The `.md5anim` files that are likely to move the mesh at `path`: beside it, in `animations/` beside
/// it, and in `animations/` beside its folder; sorted within each.
#[must_use]
pub(crate) fn find_anims(path: &Path) -> Vec<PathBuf> {
    let mut files =
        dir::files_with_extension(path, &["", "animations", "../animations"], "md5anim");
    // In a folder that is called `animations` two of the three are the same.
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(std::fs::canonicalize(file).unwrap_or_else(|_| file.clone())));
    files
}
