//! The picture that is drawn into.

use std::sync::Arc;

use crate::image::{Image, Palette};

/// Pixels and, if asked for, depth. Rows from the top.
#[derive(Clone, Debug)]
pub struct Framebuffer {
    width: u32,
    height: u32,
    /// Rgb: little-endian R G B A. Indexed: the index in the low byte, alpha 255 where something
    /// was drawn.
    pixels: Vec<u32>,
    depth: Option<Vec<f32>>,
    palette: Option<Arc<Palette>>,
}

/// A side is 0 or above 16384.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a picture of {width} x {height} cannot be drawn: both sides must be 1 to 16384")]
pub struct FramebufferError {
    width: u32,
    height: u32,
}

impl FramebufferError {
    pub(super) fn check(width: u32, height: u32) -> Result<(), Self> {
        let fits = |side| (1..=16384).contains(&side);
        if fits(width) && fits(height) { Ok(()) } else { Err(Self { width, height }) }
    }
}

impl Framebuffer {
    /// A transparent picture.
    ///
    /// # Errors
    /// If a side is 0 or above 16384.
    pub fn new(width: u32, height: u32) -> Result<Self, FramebufferError> {
        FramebufferError::check(width, height)?;
        let pixels = vec![0; width as usize * height as usize];
        Ok(Self { width, height, pixels, depth: None, palette: None })
    }

    /// Keeps the depth of every pixel from now on, readable with [`Framebuffer::depth`].
    #[must_use]
    pub fn with_depth(mut self) -> Self {
        self.depth = Some(vec![1.0; self.pixels.len()]);
        self
    }

    /// Fills the picture with a colour (R, G, B, A) and the depth with 1 (far).
    pub fn clear(&mut self, rgba: [u8; 4]) {
        self.pixels.fill(u32::from_le_bytes(rgba));
        self.palette = None;
    }

    /// Fills the picture with a palette index, for indexed drawing.
    pub fn clear_index(&mut self, index: u8) {
        self.pixels.fill(u32::from(index));
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

    /// Depth per pixel in 0..=1, 1 where nothing was drawn; `None` unless [`Framebuffer::with_depth`].
    #[must_use]
    pub fn depth(&self) -> Option<&[f32]> {
        self.depth.as_deref()
    }

    /// The picture: RGBA, or indexed after an indexed draw.
    ///
    /// `transparent` is the index that means "nothing is here" in an indexed picture.
    #[must_use]
    pub fn image(&self) -> Image {
        let rgba = bytemuck::cast_slice(&self.pixels).to_vec();
        Image::from_rgba(self.width, self.height, rgba).expect("as many pixels as the size says")
    }
}
