//! The picture that is drawn into.
//!
//! Rows are padded to lines of the cache, so that a kernel may write eight pixels at a time without leaving its row.
//! Clearing is remembered and done by the band that draws first, around what it draws and, mostly, behind the draw
//! (`kernel/clear.rs`). What was cleared to the same before is filled only in lines where something was drawn since
//! (`dirty.rs`).

use std::path::Path;
use std::sync::Arc;

use super::dirty::{self, LINE};
use super::error::{DrawError, check_size};
use super::target::{ROW_PADDING, Target};
use crate::image::{Image, Palette};
use crate::output::{WriteError, write_file};
use crate::pages::Pages;

/// Pixels and, if asked for, depth. Rows from the top.
#[derive(Clone, Debug)]
pub struct Framebuffer {
    width: u32,
    height: u32,
    /// True colour: little-endian R G B A. Indexed: the index in the low byte, the other three 255
    /// where something was drawn.
    pixels: Pages<u32>,
    depth: Option<Pages<f32>>,
    /// What the picture is filled with before anything is drawn, if that was not done yet.
    pending: Option<u32>,
    /// A row of what is pending.
    pending_row: Vec<u32>,
    palette: Option<Arc<Palette>>,
    /// What pixels are but for those in dirty lines, if that is known.
    background: Option<u32>,
    /// See [`dirty`].
    dirty: Vec<u64>,
}

/// Indexed pixels that were drawn carry this beside the index.
pub(crate) const DRAWN: u32 = 0xffff_ff00;

impl Framebuffer {
    /// A transparent picture.
    ///
    /// # Errors
    /// If a side is 0 or above 16384.
    pub fn new(width: u32, height: u32) -> Result<Self, DrawError> {
        check_size(width, height)?;
        let pixels = Pages::zeroed(Self::stride_of(width) * height as usize);
        Ok(Self {
            width,
            height,
            pixels,
            depth: None,
            pending: None,
            pending_row: Vec::new(),
            palette: None,
            background: Some(0),
            dirty: vec![0; Self::dirty_words(width, height)],
        })
    }

    /// Makes it a transparent picture of another size, with depth if it had one. The memory is kept
    /// for the next larger size.
    ///
    /// # Errors
    /// If a side is 0 or above 16384; nothing has changed then.
    pub fn resize(&mut self, width: u32, height: u32) -> Result<(), DrawError> {
        check_size(width, height)?;
        if (self.width, self.height) != (width, height) {
            self.background = None;
        }
        (self.width, self.height) = (width, height);
        let length = Self::stride_of(width) * height as usize;
        self.pixels.resize(length, 0);
        self.dirty.resize(Self::dirty_words(width, height), 0);
        if let Some(depth) = &mut self.depth {
            depth.resize(length, 1.0);
        }
        self.clear([0; 4]);
        Ok(())
    }

    fn stride_of(width: u32) -> usize {
        (width as usize + ROW_PADDING).next_multiple_of(LINE)
    }

    fn dirty_words(width: u32, height: u32) -> usize {
        dirty::words_of(Self::stride_of(width)) * height as usize
    }

    /// Keeps the depth of every pixel from now on, readable with [`Framebuffer::depth_rows`].
    ///
    /// Several draws into one frame then hide each other by depth, if their cameras have the same near and
    /// far planes, which [`crate::Camera`] otherwise fits to what is drawn; without it the later draw lies
    /// over the earlier one.
    #[must_use]
    pub fn with_depth(mut self) -> Self {
        self.depth = Some(Pages::filled(1.0, self.pixels.len()));
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
        self.pending_row.clear();
        self.pending_row.resize(self.width as usize, pixel);
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

    /// Depth per pixel from 0 (near) to 1 (far, and where nothing was drawn), row by row from the top; rounding may go a
    /// little beyond 0 where the near plane cuts a triangle. `None` unless [`Framebuffer::with_depth`].
    pub fn depth_rows(&self) -> Option<impl Iterator<Item = &[f32]>> {
        let width = self.width as usize;
        let depth = self.depth.as_deref()?;
        Some(depth.chunks_exact(Self::stride_of(self.width)).map(move |row| &row[..width]))
    }

    /// The pixels of each row from the top: little-endian R G B A, or after an indexed draw the
    /// index in the low byte and 255 in the others where something was drawn.
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        let width = self.width as usize;
        let filled = self.pending.map(|_| &self.pending_row[..]);
        let rows = self.pixels.chunks_exact(Self::stride_of(self.width));
        rows.map(move |row| filled.unwrap_or(&row[..width]))
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
        let is_indexed = self.palette.is_some() && self.pending.is_none();
        is_indexed && self.visible().any(|pixel| pixel == drawn)
    }

    fn visible(&self) -> impl Iterator<Item = u32> {
        self.rows().flatten().copied()
    }

    /// The picture: RGBA, or indexed after an indexed draw.
    #[must_use]
    pub fn image(&self) -> Image {
        match &self.palette {
            Some(palette) => self.indexed_image(palette, None),
            None => {
                let mut rgba = vec![0; self.width as usize * self.height as usize * 4];
                let lines = rgba.chunks_exact_mut(self.width as usize * 4).zip(self.rows());
                for (line, row) in lines {
                    let pixels = line.as_chunks_mut::<4>().0.iter_mut().zip(row);
                    pixels.for_each(|(bytes, pixel)| *bytes = pixel.to_le_bytes());
                }
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
        write_file(path, |out| self.image().encode_drawn(out))
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
        let mut indices = Vec::with_capacity(self.width as usize * self.height as usize);
        self.rows().for_each(|row| indices.extend(row.iter().map(|&pixel| pixel as u8)));
        Image::from_indices(self.width, self.height, indices, palette.clone(), transparent)
            .expect("as many pixels as the size says")
    }

    /// Whether depth is kept.
    pub(super) fn set_depth(&mut self, keep: bool) {
        match (keep, &self.depth) {
            (true, None) => self.depth = Some(Pages::filled(1.0, self.pixels.len())),
            (false, Some(_)) => self.depth = None,
            _ => {}
        }
    }

    /// Says what the pixels mean.
    pub(super) fn set_palette(&mut self, palette: Option<Arc<Palette>>) {
        self.palette = palette;
    }

    /// Takes a picture of the same size, row by row.
    pub(super) fn copy_from<'a>(&mut self, rows: impl Iterator<Item = &'a mut [u32]>) {
        (self.pending, self.background) = (None, None);
        let stride = Self::stride_of(self.width);
        for (own, row) in self.pixels.chunks_exact_mut(stride).zip(rows) {
            own[..row.len()].copy_from_slice(row);
        }
    }

    /// The memory that a draw writes. Nothing is known of the pixels then, until [`Framebuffer::set_background`].
    pub(crate) fn target(&mut self) -> Target<'_> {
        let clear = self.pending.take();
        let mut background = self.background.take();
        if clear.is_some() && clear != background {
            self.dirty.fill(u64::MAX);
            background = clear;
        }
        Target {
            width: self.width as usize,
            height: self.height as usize,
            stride: Self::stride_of(self.width),
            color: &mut self.pixels,
            depth: self.depth.as_deref_mut(),
            clear,
            background,
            dirty: Some(&mut self.dirty),
        }
    }

    /// Takes back what a draw has noted in its target.
    pub(super) fn set_background(&mut self, background: Option<u32>) {
        self.background = background;
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

    #[test]
    fn another_size_is_a_new_picture() {
        let mut frame = Framebuffer::new(3, 2).unwrap().with_depth();
        for (width, height) in [(5, 4), (2, 2), (5, 4)] {
            frame.clear([9; 4]);
            frame.target().color.fill(7);
            frame.target().depth.unwrap().fill(0.5);
            frame.resize(width, height).unwrap();
            assert_eq!((frame.width(), frame.height()), (width, height));
            assert!(frame.rows().eq((0..height).map(|_| vec![0; width as usize])));
            let depth: Vec<f32> = frame.depth_rows().unwrap().flatten().copied().collect();
            assert_eq!(depth, vec![1.0; (width * height) as usize]);
        }
        assert!(frame.resize(0, 4).is_err());
        assert_eq!((frame.width(), frame.height()), (5, 4));
    }
}
