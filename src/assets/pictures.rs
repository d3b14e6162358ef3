//! Opens the picture files of one model, each once, within one budget of memory.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::{ImageError, OpenError};
use crate::files::{Files, Limit};
use crate::image::{DECODER_MEMORY, Image, Palette, decode, is_drawn_by_polyset};
use crate::location::Location;
use crate::model::{Format, Model};

/// The pictures opened so far, and what was odd about them.
pub(super) struct Pictures {
    files: Files,
    format: Format,
    palette: Arc<Palette>,
    opened: HashMap<Location, Option<Arc<Image>>>,
    /// Bytes that may still be taken.
    left: u64,
    /// Bytes that all pictures together may take.
    budget: u64,
    pub(super) warnings: Vec<String>,
}

impl Pictures {
    /// For a model whose pictures may take `budget` bytes when they are decoded.
    pub(super) fn of(model: &Model, files: &Files, budget: u64) -> Self {
        Self {
            files: files.clone(),
            format: model.format,
            palette: Arc::clone(&model.palette),
            opened: HashMap::new(),
            left: budget,
            budget,
            warnings: Vec::new(),
        }
    }

    /// A picture that the user gave: it must be there.
    pub(super) fn given(&mut self, file: &Location) -> Result<Arc<Image>, OpenError> {
        if let Some(Some(image)) = self.opened.get(file) {
            return Ok(Arc::clone(image));
        }
        let bytes = self.files.read(file, Limit::picture(self.left))?;
        let image = Arc::new(self.decode(file, &bytes)?);
        self.opened.insert(file.clone(), Some(Arc::clone(&image)));
        Ok(image)
    }

    /// Opens a picture once; what cannot be decoded is warned of and passed over.
    pub(super) fn try_open(&mut self, file: &Location) -> Option<Arc<Image>> {
        if let Some(known) = self.opened.get(file) {
            return known.clone();
        }
        let image = match self.open_texture(file) {
            Ok(image) => image.map(Arc::new),
            Err(error) => {
                self.warnings.push(error.to_string());
                None
            }
        };
        self.opened.insert(file.clone(), image.clone());
        image
    }

    /// `None` for a picture that polyset drew: it shows a model and is worn by none.
    fn open_texture(&mut self, file: &Location) -> Result<Option<Image>, OpenError> {
        let bytes = self.files.read(file, Limit::picture(self.left))?;
        if is_drawn_by_polyset(&bytes) {
            self.files.forget(file);
            self.charge(&bytes);
            self.warnings.push(format!(
                "'{file}' is a picture that polyset drew: not taken for a texture (--skin takes it)"
            ));
            return Ok(None);
        }
        let image = self.decode(file, &bytes).map(Some);
        if image.is_err() {
            self.charge(&bytes);
            // A file that a caller has made for the output is nothing yet.
            if bytes.is_empty() {
                self.files.forget(file);
            }
        }
        image
    }

    /// A file that was read in vain counts too: reading many of them takes time.
    fn charge(&mut self, bytes: &[u8]) {
        self.left = self.left.saturating_sub(bytes.len() as u64);
    }

    fn decode(&mut self, file: &Location, bytes: &[u8]) -> Result<Image, OpenError> {
        let extension = file.extension().to_str().unwrap_or_default();
        let fail = |source| OpenError::Image { file: file.clone(), source };
        let decoded = decode(bytes, extension, self.left + DECODER_MEMORY).map_err(fail)?;
        let cost = cost(&decoded.image);
        if cost > self.left {
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            return Err(fail(ImageError::decode(
                "picture",
                format!(
                    "it needs {} MiB, {} of the {} that the textures of a model may have are left \
                     (--max-memory)",
                    mib(cost),
                    self.left >> 20,
                    mib(self.budget)
                ),
            )));
        }
        self.left -= cost;
        let warnings = decoded.warnings.iter();
        self.warnings.extend(warnings.map(|warning| format!("'{file}': {warning}")));
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

/// Bytes of a picture when it is drawn: a word a texel, both sides padded to powers of two.
fn cost(image: &Image) -> u64 {
    let side = |side: u32| u64::from(side).next_power_of_two();
    4 * side(image.width()) * side(image.height())
}
