//! The palette and the light table that a scene names.

use std::sync::Arc;

use super::{Opened, Scene};
use crate::error::{OpenError, RequestError};
use crate::files::{Files, Limit};
use crate::image::{Colormap, Palette, palette_of};
use crate::location::Location;

/// 256 colours of three bytes.
const PALETTE_BYTES: usize = 768;

/// A palette: 768 bytes as in Quake's `palette.lmp`, or that of a picture.
pub(super) fn read_palette(files: &Files, file: &Location) -> Result<Arc<Palette>, OpenError> {
    let read = || {
        let bytes = files.read(file, Limit::PALETTE)?;
        if bytes.len() == PALETTE_BYTES {
            let palette = Palette::from_lmp(&bytes).map(Arc::new);
            return palette.map_err(|source| OpenError::Image { file: file.clone(), source });
        }
        let extension = file.extension().to_string_lossy();
        palette_of(&bytes, &extension).ok().flatten().ok_or_else(|| {
            OpenError::from(RequestError::new(format!(
                "'{file}': expected {PALETTE_BYTES} bytes, or a PCX, PNG, BMP or TGA picture with a \
                 palette; this has {} bytes and no palette",
                bytes.len()
            )))
        })
    };
    read().map_err(|error: OpenError| error.of_option("--palette"))
}

impl Opened {
    /// The palette that a scene names, else that of the game that the model lies in; `None` without
    /// either. Only Quake II's game has a file for it that a picture can be matched to.
    ///
    /// # Errors
    /// If the palette that is named cannot be used.
    pub(crate) fn game_palette(&self, scene: &Scene) -> Result<Option<Arc<Palette>>, OpenError> {
        let files = self.around_files();
        if let Some(name) = &scene.source.palette {
            return read_palette(files, &self.find(name)).map(Some);
        }
        let home = self.file.as_ref().map(|file| self.home(file)).filter(|home| home.has_root);
        let found =
            home.and_then(|home| files.lookup(&home.tree, "pics/colormap.pcx").into_iter().next());
        Ok(found.and_then(|file| read_palette(files, &file).ok()))
    }
}

/// A colormap of 64 rows.
pub(super) fn read_colormap(files: &Files, file: &Location) -> Result<Arc<Colormap>, OpenError> {
    let read = || {
        let colormap = Colormap::from_lmp(&files.read(file, Limit::PALETTE)?).map(Arc::new);
        colormap.map_err(|source| OpenError::Image { file: file.clone(), source })
    };
    read().map_err(|error: OpenError| error.of_option("--colormap"))
}
