//! The palette and the light table that a scene names.

use std::sync::Arc;

use crate::error::{OpenError, RequestError};
use crate::files::{Files, Limit};
use crate::image::{Colormap, Image, Palette};
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
        let image = Image::from_bytes(&bytes, &extension).ok();
        image.and_then(|image| image.palette().cloned()).ok_or_else(|| {
            OpenError::from(RequestError::new(format!(
                "'{file}': expected {PALETTE_BYTES} bytes or a PCX picture, found {} bytes",
                bytes.len()
            )))
        })
    };
    read().map_err(|error: OpenError| error.of_option("--palette"))
}

/// A colormap of 64 rows.
pub(super) fn read_colormap(files: &Files, file: &Location) -> Result<Arc<Colormap>, OpenError> {
    let read = || {
        let colormap = Colormap::from_lmp(&files.read(file, Limit::PALETTE)?).map(Arc::new);
        colormap.map_err(|source| OpenError::Image { file: file.clone(), source })
    };
    read().map_err(|error: OpenError| error.of_option("--colormap"))
}
