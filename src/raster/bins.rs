//! Bands of rows: the unit of work of a thread.

use std::ops::Range;

/// Full-width rows of the picture with their depth.
#[derive(Debug)]
pub(crate) struct Band<'a> {
    /// Rows of the picture.
    pub(crate) rows: Range<i32>,
    pub(crate) width: i32,
    /// Pixels from a row to the next.
    pub(crate) stride: usize,
    pub(crate) color: &'a mut [u32],
    pub(crate) depth: &'a mut [f32],
}

impl Band<'_> {
    /// Index of a pixel of the picture in `color` and `depth`.
    pub(crate) fn place(&self, x: i32, y: i32) -> usize {
        (y - self.rows.start) as usize * self.stride + x as usize
    }
}
