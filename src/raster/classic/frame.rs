//! The picture and the depth buffer.

use std::sync::Arc;

use fearless_simd::Level;

use crate::image::{Image, Palette};
use crate::raster::error::{DrawError, check_size};

/// Palette indices and 16-bit depth, rows from the top.
#[derive(Clone, Debug)]
pub struct ClassicFrame {
    width: u32,
    height: u32,
    indices: Vec<u8>,
    depth: Vec<i16>,
    pub(super) palette: Arc<Palette>,
}

/// What the rasterizer writes to.
pub(super) struct Target<'a> {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) indices: &'a mut [u8],
    pub(super) depth: &'a mut [i16],
    /// No span begins after so many pixels have been tested.
    pub(super) max_work: u64,
    /// The vectors that are drawn with.
    pub(super) level: Level,
}

impl Target<'_> {
    /// Indices and depth: equally long, so that one check of a place is for both.
    #[inline(always)]
    pub(super) fn pixels(&mut self) -> (&mut [u8], &mut [i16]) {
        let size = self.indices.len().min(self.depth.len());
        (&mut self.indices[..size], &mut self.depth[..size])
    }

    /// The same target for a shorter time.
    pub(super) fn reborrow(&mut self) -> Target<'_> {
        Target { indices: self.indices, depth: self.depth, ..*self }
    }
}

impl ClassicFrame {
    /// A picture of index 0, depth 0 (far), Quake's palette.
    ///
    /// # Errors
    /// If a side is 0 or above 16384.
    pub fn new(width: u32, height: u32) -> Result<Self, DrawError> {
        check_size(width, height)?;
        let count = width as usize * height as usize;
        Ok(Self {
            width,
            height,
            indices: vec![0; count],
            depth: vec![0; count],
            palette: Palette::quake(),
        })
    }

    /// Fills the picture with `index` and the depth with 0 (far).
    pub fn clear(&mut self, index: u8) {
        self.indices.fill(index);
        self.depth.fill(0);
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

    /// Palette indices, row by row from the top.
    #[must_use]
    pub fn indices(&self) -> &[u8] {
        &self.indices
    }

    /// Depth per pixel, row by row from the top: 32768 / distance, 0 is far; larger is nearer.
    #[must_use]
    pub fn depth(&self) -> &[i16] {
        &self.depth
    }

    /// What the indices mean: the palette of the last model drawn.
    #[must_use]
    pub fn palette(&self) -> &Arc<Palette> {
        &self.palette
    }

    /// The indexed picture; `transparent` is the index that means "nothing is here".
    #[must_use]
    pub fn image(&self, transparent: Option<u8>) -> Image {
        let (indices, palette) = (self.indices.clone(), self.palette.clone());
        Image::from_indices(self.width, self.height, indices, palette, transparent)
            .expect("as many indices as the size says")
    }

    pub(super) fn target(&mut self, max_work: u64, level: Level) -> Target<'_> {
        Target {
            width: self.width as i32,
            height: self.height as i32,
            indices: &mut self.indices,
            depth: &mut self.depth,
            max_work,
            level,
        }
    }
}
