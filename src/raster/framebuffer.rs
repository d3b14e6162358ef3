//! The picture that is drawn into.
//!
//! Rows are padded, so that a kernel may write eight pixels at a time without leaving its row.
//! Clearing is remembered and done by the band that draws first, while it is in the cache.

use std::path::Path;
use std::sync::Arc;

use crate::image::{Image, Palette};
use crate::output::WriteError;

/// The longest side of a picture; coordinates in 1/256 pixel then stay within 24 bits.
pub(crate) const MAX_SIDE: u32 = 16384;

/// Pixels that a kernel may write behind the end of a row.
pub(crate) const ROW_PADDING: usize = 8;

/// Pixels and, if asked for, depth. Rows from the top.
#[derive(Clone, Debug)]
pub struct Framebuffer {
    width: u32,
    height: u32,
    /// True colour: little-endian R G B A. Indexed: the index in the low byte, the other three 255
    /// where something was drawn.
    pixels: Vec<u32>,
    depth: Option<Vec<f32>>,
    /// What the picture is filled with before anything is drawn, if that was not done yet.
    pending: Option<u32>,
    palette: Option<Arc<Palette>>,
}

/// A side is 0 or above 16384.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a picture of {width} x {height} cannot be drawn: both sides must be 1 to {MAX_SIDE}")]
pub struct FramebufferError {
    width: u32,
    height: u32,
}

/// The rows that a draw writes.
pub(crate) struct Target<'a> {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Pixels from a row to the next, in `color` and in `depth`.
    pub(crate) stride: usize,
    pub(crate) color: &'a mut [u32],
    pub(crate) depth: Option<&'a mut [f32]>,
    /// Fill the colour with this first.
    pub(crate) clear: Option<u32>,
}

/// Indexed pixels that were drawn carry this beside the index.
pub(crate) const DRAWN: u32 = 0xffff_ff00;

impl FramebufferError {
    /// Whether a picture may have these sides.
    pub(super) fn check(width: u32, height: u32) -> Result<(), Self> {
        let side = 1..=MAX_SIDE;
        if side.contains(&width) && side.contains(&height) {
            return Ok(());
        }
        Err(Self { width, height })
    }
}

impl Framebuffer {
    /// A transparent picture.
    ///
    /// # Errors
    /// If a side is 0 or above 16384.
    pub fn new(width: u32, height: u32) -> Result<Self, FramebufferError> {
        FramebufferError::check(width, height)?;
        let pixels = vec![0; Self::stride_of(width) * height as usize];
        Ok(Self { width, height, pixels, depth: None, pending: None, palette: None })
    }

    fn stride_of(width: u32) -> usize {
        width as usize + ROW_PADDING
    }

    /// Keeps the depth of every pixel from now on, readable with [`Framebuffer::depth_rows`].
    ///
    /// Several draws into one frame then hide each other by depth; without it the later draw lies
    /// over the earlier one.
    #[must_use]
    pub fn with_depth(mut self) -> Self {
        self.depth = Some(vec![1.0; self.pixels.len()]);
        self
    }

    /// Fills the picture with a colour (R, G, B, A) and the depth with 1 (far).
    pub fn clear(&mut self, rgba: [u8; 4]) {
        self.fill(u32::from_le_bytes(rgba));
    }

    /// Fills the picture with a palette index, for an indexed draw, and the depth with 1 (far).
    pub fn clear_index(&mut self, index: u8) {
        self.fill(u32::from(index));
    }

    fn fill(&mut self, pixel: u32) {
        self.pending = Some(pixel);
        self.palette = None;
        if let Some(depth) = &mut self.depth {
            depth.fill(1.0);
        }
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

    /// Depth per pixel in 0..=1, 1 where nothing was drawn, row by row from the top; `None` unless
    /// [`Framebuffer::with_depth`].
    pub fn depth_rows(&self) -> Option<impl Iterator<Item = &[f32]>> {
        let width = self.width as usize;
        let depth = self.depth.as_deref()?;
        Some(depth.chunks_exact(Self::stride_of(self.width)).map(move |row| &row[..width]))
    }

    /// The pixels of each row from the top: little-endian R G B A, or after an indexed draw the
    /// index in the low byte and 255 in the others where something was drawn.
    pub fn rows(&mut self) -> impl Iterator<Item = &[u32]> {
        if let Some(pixel) = self.pending.take() {
            self.pixels.fill(pixel);
        }
        let width = self.width as usize;
        self.pixels.chunks_exact(Self::stride_of(self.width)).map(move |row| &row[..width])
    }

    /// The palette after an indexed draw.
    #[must_use]
    pub fn palette(&self) -> Option<&Arc<Palette>> {
        self.palette.as_ref()
    }

    /// Whether an indexed draw has drawn a pixel in `index`, which then cannot stand for "nothing".
    #[must_use]
    pub fn has_drawn_index(&self, index: u8) -> bool {
        let drawn = DRAWN | u32::from(index);
        self.pending.is_none() && self.visible().any(|pixel| pixel == drawn)
    }

    fn visible(&self) -> impl Iterator<Item = u32> {
        let width = self.width as usize;
        let rows = self.pixels.chunks_exact(Self::stride_of(self.width));
        rows.flat_map(move |row| row[..width].iter().map(|&pixel| self.pending.unwrap_or(pixel)))
    }

    /// The picture: RGBA, or indexed after an indexed draw.
    #[must_use]
    pub fn image(&self) -> Image {
        match &self.palette {
            Some(palette) => self.indexed_image(palette, None),
            None => {
                let mut rgba = Vec::with_capacity(self.width as usize * self.height as usize * 4);
                rgba.extend(self.visible().flat_map(u32::to_le_bytes));
                Image::from_rgba(self.width, self.height, rgba)
                    .expect("as many pixels as the size says")
            }
        }
    }

    /// Writes the picture as a PNG file, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save_png(&self, path: impl AsRef<Path>) -> Result<(), WriteError> {
        self.image().save_png(path)
    }

    /// The picture as palette indices with one that means "nothing is here"; RGBA if the last draw
    /// was not indexed.
    #[must_use]
    pub fn image_with_transparent(&self, transparent: u8) -> Image {
        match &self.palette {
            Some(palette) => self.indexed_image(palette, Some(transparent)),
            None => self.image(),
        }
    }

    fn indexed_image(&self, palette: &Arc<Palette>, transparent: Option<u8>) -> Image {
        let indices = self.visible().map(|pixel| pixel as u8).collect();
        Image::from_indices(self.width, self.height, indices, palette.clone(), transparent)
            .expect("as many pixels as the size says")
    }

    /// The memory that a draw writes; `palette` says what its pixels mean.
    pub(crate) fn target(&mut self, palette: Option<Arc<Palette>>) -> Target<'_> {
        self.palette = palette;
        Target {
            width: self.width as usize,
            height: self.height as usize,
            stride: Self::stride_of(self.width),
            color: &mut self.pixels,
            depth: self.depth.as_deref_mut(),
            clear: self.pending.take(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Pixels;

    #[test]
    fn sizes_out_of_range_are_refused() {
        for (width, height) in [(0, 1), (1, 0), (16385, 1), (1, 16385)] {
            let error = Framebuffer::new(width, height).unwrap_err().to_string();
            assert!(error.contains("16384"), "{error}");
        }
    }

    #[test]
    fn clearing_shows_before_anything_is_drawn() {
        let mut frame = Framebuffer::new(3, 2).unwrap();
        frame.clear([1, 2, 3, 4]);
        assert_eq!(frame.image().pixels(), &Pixels::Rgba([1, 2, 3, 4].repeat(6)));
        assert!(frame.rows().all(|row| row == [0x0403_0201; 3]));
    }
}
