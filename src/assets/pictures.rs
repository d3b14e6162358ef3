//! Opens the picture files of one model, each once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::image::{DEFAULT_BUDGET, Image, OpenImageError, Palette, decode};
use crate::model::{Format, Model};

/// The pictures opened so far, and what was odd about them.
pub(super) struct Pictures {
    format: Format,
    palette: Arc<Palette>,
    opened: HashMap<PathBuf, Option<Arc<Image>>>,
    pub(super) warnings: Vec<String>,
}

impl Pictures {
    pub(super) fn of(model: &Model) -> Self {
        Self {
            format: model.format,
            palette: Arc::clone(&model.palette),
            opened: HashMap::new(),
            warnings: Vec::new(),
        }
    }

    /// A picture that the user gave: it must be there.
    pub(super) fn given(&mut self, path: &Path) -> Result<Arc<Image>, OpenImageError> {
        let image = match self.opened.get(path) {
            Some(Some(image)) => Arc::clone(image),
            _ => Arc::new(self.open(path)?),
        };
        self.opened.insert(path.into(), Some(Arc::clone(&image)));
        Ok(image)
    }

    /// Opens a picture once; what cannot be decoded is warned of and passed over.
    pub(super) fn try_open(&mut self, path: &Path) -> Option<Arc<Image>> {
        if let Some(known) = self.opened.get(path) {
            return known.clone();
        }
        let image = match self.open(path) {
            Ok(image) => Some(Arc::new(image)),
            Err(error) => {
                self.warnings.push(error.to_string());
                None
            }
        };
        self.opened.insert(path.into(), image.clone());
        image
    }

    fn open(&mut self, path: &Path) -> Result<Image, OpenImageError> {
        let bytes = std::fs::read(path)
            .map_err(|source| OpenImageError::Read { path: path.into(), source })?;
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let decoded = decode(&bytes, extension, DEFAULT_BUDGET)
            .map_err(|source| OpenImageError::Decode { path: path.into(), source })?;
        let path = path.display();
        self.warnings.extend(decoded.warnings.iter().map(|warning| format!("'{path}': {warning}")));
        Ok(self.fit(decoded.image))
    }

    /// Indices mean something only together with the right palette: a PCX keeps its own on a model of
    /// Quake II, an LMP has the game's; any other is looked up now.
    fn fit(&self, image: Image) -> Image {
        let Some(own) = image.palette() else {
            return image;
        };
        let is_pcx = own.first_fullbright() == 255;
        if is_pcx && self.format == Format::Md2 {
            image
        } else if !is_pcx || own.colors() == self.palette.colors() {
            image.with_palette(Arc::clone(&self.palette))
        } else {
            image.into_rgba()
        }
    }
}
