//! Pictures: RGBA or 8-bit indices with a palette.

mod alpha;
mod bmp;
mod colormap;
mod dds;
mod decode;
mod jpeg;
mod palette;
mod pcx;
mod png;
mod tga;

pub use alpha::AlphaKind;
pub use colormap::Colormap;
pub(crate) use colormap::{BlendTable, player_colors};
pub(crate) use decode::{DECODER_MEMORY, PIXEL_MEMORY, decode, palette_of};
pub use palette::Palette;
pub(crate) use png::is_drawn_by_polyset;
#[cfg(feature = "thumbs")]
pub(crate) use png::text_of;
#[cfg(feature = "motion")]
pub(crate) use png::{POLYSET, SOFTWARE};

use std::borrow::Cow;
use std::sync::Arc;

use crate::error::ImageError;
use crate::hash::Hash;

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

impl Image {
    /// A picture from `width * height * 4` bytes.
    ///
    /// # Errors
    /// If the number of bytes is another or a side is 0.
    pub fn from_rgba(width: u32, height: u32, rgba: Vec<u8>) -> Result<Self, ImageError> {
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
    ) -> Result<Self, ImageError> {
        let found = indices.len();
        Self::new(width, height, 1, found, Pixels::Indexed { indices, palette, transparent })
    }

    fn new(
        width: u32,
        height: u32,
        bytes_per_pixel: u64,
        found: usize,
        pixels: Pixels,
    ) -> Result<Self, ImageError> {
        // Of the largest sizes four bytes a pixel are more than a number holds, and than there is memory.
        let expected = (u64::from(width) * u64::from(height)).saturating_mul(bytes_per_pixel);
        if expected == 0 || expected != found as u64 {
            return Err(ImageError::PixelCount { width, height, expected, found });
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

    /// The pixels without a copy.
    #[must_use]
    pub fn into_pixels(self) -> Pixels {
        self.pixels
    }

    /// The pixels as RGBA bytes; indices are looked up, the transparent one gets alpha 0.
    #[must_use]
    pub fn to_rgba(&self) -> Vec<u8> {
        self.as_rgba().into_owned()
    }

    /// [`Image::to_rgba`] without a copy of what is RGBA.
    pub(crate) fn as_rgba(&self) -> Cow<'_, [u8]> {
        match &self.pixels {
            Pixels::Rgba(rgba) => rgba.into(),
            Pixels::Indexed { indices, palette, transparent } => indices
                .iter()
                .flat_map(|&index| {
                    let [r, g, b] = palette.color(index);
                    [r, g, b, if Some(index) == *transparent { 0 } else { 255 }]
                })
                .collect(),
        }
    }

    /// The palette of an indexed picture.
    #[must_use]
    pub fn palette(&self) -> Option<&Arc<Palette>> {
        match &self.pixels {
            Pixels::Rgba(_) => None,
            Pixels::Indexed { palette, .. } => Some(palette),
        }
    }

    /// The same indices with the colours of another palette; an RGBA picture stays as it is.
    #[must_use]
    pub fn with_palette(mut self, new: Arc<Palette>) -> Self {
        if let Pixels::Indexed { palette, .. } = &mut self.pixels {
            *palette = new;
        }
        self
    }

    /// The same picture as RGBA.
    #[must_use]
    pub fn into_rgba(self) -> Self {
        match self.pixels {
            Pixels::Rgba(_) => self,
            Pixels::Indexed { .. } => Self { pixels: Pixels::Rgba(self.to_rgba()), ..self },
        }
    }

    /// The picture as indices of `palette`: every RGBA pixel becomes the nearest colour that is not
    /// fullbright, see [`Palette::nearest`]. An indexed picture stays as it is, whatever its palette.
    ///
    /// With `holes`, pixels of alpha below 128 become index 255, which is then the transparent one.
    #[must_use]
    pub fn to_indexed(&self, palette: &Arc<Palette>, holes: bool) -> Self {
        let Pixels::Rgba(rgba) = &self.pixels else {
            return self.clone();
        };
        let mut indices = palette.quantize(rgba);
        if holes {
            for (index, pixel) in indices.iter_mut().zip(rgba.as_chunks::<4>().0) {
                if pixel[3] < 128 {
                    *index = 255;
                }
            }
        }
        let transparent = holes.then_some(255);
        let pixels = Pixels::Indexed { indices, palette: Arc::clone(palette), transparent };
        Self { pixels, ..*self }
    }

    /// A Quake skin in player colours (top, bottom: 0..=15); an RGBA picture stays as
    /// it is.
    #[must_use]
    pub fn with_player_colors(mut self, colors: [u8; 2]) -> Self {
        if let Pixels::Indexed { indices, .. } = &mut self.pixels {
            let remap = player_colors(colors);
            for index in indices {
                *index = remap[usize::from(*index)];
            }
        }
        self
    }

    /// A number that tells pictures apart: over size, kind of pixels and every pixel byte. The palette
    /// of an indexed picture does not count.
    ///
    /// It never changes between versions: starting from the FNV-1a offset basis, for every 64-bit word
    /// `state = rotate_left((state ^ word) * 0x100000001b3, 23)`, where the words are kind (0 RGBA, 1
    /// indexed), width, height, then the pixel bytes in eights, little-endian, the last padded with 0.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let (kind, bytes) = match &self.pixels {
            Pixels::Rgba(rgba) => (0, rgba),
            Pixels::Indexed { indices, .. } => (1, indices),
        };
        let head = [kind, u64::from(self.width), u64::from(self.height)];
        head.into_iter().fold(Hash::new(), Hash::word).bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_fixed_and_sees_kind_size_and_every_pixel() {
        let rgba = |width, height, pixels: &[u8]| {
            Image::from_rgba(width, height, pixels.to_vec()).unwrap().hash()
        };
        let indexed = |indices: &[u8]| {
            Image::from_indices(4, 1, indices.to_vec(), Palette::quake(), None).unwrap().hash()
        };
        let base = rgba(3, 1, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        assert_eq!(format!("{base:016x}"), HASH_OF_TWELVE_BYTES);
        let others = [
            rgba(1, 3, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
            rgba(3, 1, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13]),
            rgba(3, 1, &[1, 2, 3, 5, 5, 6, 7, 8, 9, 10, 11, 12]),
            rgba(1, 1, &[1, 2, 3, 4]),
            indexed(&[1, 2, 3, 4]),
        ];
        for (i, hash) in others.iter().enumerate() {
            assert!(*hash != base && !others[..i].contains(hash), "{i}");
        }
    }

    /// Computed apart from this code, from the words 0, 3, 1, 0x0807060504030201, 0x0c0b0a09.
    const HASH_OF_TWELVE_BYTES: &str = "7676e92406da5a27";

    #[test]
    fn sizes_that_no_memory_holds_are_refused() {
        // Four bytes a pixel are 2^64 + 4, and 2^66 less some.
        for (width, height, bytes) in [(2_147_418_113, 2_147_549_185, 4), (u32::MAX, u32::MAX, 0)] {
            assert!(Image::from_rgba(width, height, vec![1; bytes]).is_err());
        }
    }

    #[test]
    fn true_colour_becomes_the_nearest_shaded_index() {
        let quake = Palette::quake();
        let pixels = [[0, 0, 0, 255], [16, 12, 8, 127], [255, 255, 255, 128], [255, 0, 0, 0]];
        let image = Image::from_rgba(4, 1, pixels.concat()).unwrap();
        for (holes, expected) in [(false, [0, 16, 15, 79]), (true, [0, 255, 15, 255])] {
            let indexed = image.to_indexed(&quake, holes);
            let Pixels::Indexed { indices, transparent, .. } = indexed.pixels() else {
                panic!("indexed was asked for");
            };
            assert_eq!(indices.as_slice(), expected);
            assert_eq!(*transparent, holes.then_some(255));
            assert_eq!(indexed.to_indexed(&quake, false), indexed);
        }
    }

    #[test]
    fn player_colors_change_shirt_and_trousers_only() {
        let skin = Image::from_indices(4, 1, vec![20, 96, 5, 255], Palette::quake(), None).unwrap();
        let Pixels::Indexed { indices, .. } = skin.with_player_colors([4, 2]).pixels else {
            panic!("a skin stays indexed");
        };
        assert_eq!(indices, [68, 32, 5, 255]);
    }
}
