//! Pictures: RGBA or 8-bit indices with a palette.

mod palette;

pub use palette::{Colormap, Palette};

use std::sync::Arc;

/// A picture in memory, rows from top to bottom without padding.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    width: u32,
    height: u32,
    pixels: Pixels,
}

/// The pixels of an [`Image`].
#[derive(Clone, Debug, PartialEq)]
pub enum Pixels {
    /// Four bytes a pixel: red, green, blue, alpha (not premultiplied).
    Rgba(Vec<u8>),
    /// One byte a pixel, an index into the palette.
    Indexed {
        /// `width * height` indices.
        indices: Vec<u8>,
        /// What the indices mean.
        palette: Arc<Palette>,
        /// The index that means "nothing is here", if there is one.
        transparent: Option<u8>,
    },
}

/// The pixel data does not fit the size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a picture of {width} x {height} needs {expected} bytes of pixels, {found} were given")]
pub struct ImageSizeError {
    width: u32,
    height: u32,
    expected: u64,
    found: usize,
}

impl Image {
    /// A picture from `width * height * 4` bytes.
    ///
    /// # Errors
    /// If the number of bytes is another or a side is 0.
    pub fn from_rgba(width: u32, height: u32, rgba: Vec<u8>) -> Result<Self, ImageSizeError> {
        Self::new(width, height, 4, rgba.len(), Pixels::Rgba(rgba))
    }

    /// A picture from `width * height` palette indices.
    ///
    /// # Errors
    /// If the number of indices is another or a side is 0.
    pub fn from_indices(
        width: u32,
        height: u32,
        indices: Vec<u8>,
        palette: Arc<Palette>,
        transparent: Option<u8>,
    ) -> Result<Self, ImageSizeError> {
        let found = indices.len();
        Self::new(width, height, 1, found, Pixels::Indexed { indices, palette, transparent })
    }

    fn new(
        width: u32,
        height: u32,
        bytes_per_pixel: u64,
        found: usize,
        pixels: Pixels,
    ) -> Result<Self, ImageSizeError> {
        let expected = u64::from(width) * u64::from(height) * bytes_per_pixel;
        if expected == 0 || expected != found as u64 {
            return Err(ImageSizeError { width, height, expected, found });
        }
        Ok(Self { width, height, pixels })
    }

    /// Width in pixels.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The pixels, row by row from the top.
    #[must_use]
    pub fn pixels(&self) -> &Pixels {
        &self.pixels
    }

    /// The pixels as RGBA bytes; indices are looked up, the transparent one gets alpha 0.
    #[must_use]
    pub fn to_rgba(&self) -> Vec<u8> {
        match &self.pixels {
            Pixels::Rgba(rgba) => rgba.clone(),
            Pixels::Indexed { indices, palette, transparent } => indices
                .iter()
                .flat_map(|&index| {
                    let [r, g, b] = palette.color(index);
                    [r, g, b, if Some(index) == *transparent { 0 } else { 255 }]
                })
                .collect(),
        }
    }
}
