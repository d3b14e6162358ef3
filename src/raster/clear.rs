//! Clears rows of colour: before the draw where something was drawn in the picture before, or behind it in one pass with
//! the depth (`kernel/clear.rs`).

use super::dirty;
use super::kernel::Kernel;
use super::target::{Area, indices};

/// Rows of colour, and which of their lines are dirty, if that is kept track of. Rows of areas are counted from the
/// first of these.
pub(crate) struct ColorRows<'a> {
    pub(crate) color: &'a mut [u32],
    pub(crate) dirty: Option<&'a mut [u64]>,
}

impl ColorRows<'_> {
    /// Fills dirty lines with a pixel, but for those that have some of an area.
    pub(crate) fn fill_around(&mut self, kernel: Kernel, stride: usize, inner: &Area, pixel: u32) {
        let Some(dirty) = &mut self.dirty else { return };
        let words = dirty::words_of(stride);
        let ([columns, rows], height) = (inner.clone().map(indices), self.color.len() / stride);
        let lines = dirty::lines_of(&columns);
        for (rows, but) in [(0..rows.start, 0..0), (rows.clone(), lines), (rows.end..height, 0..0)]
        {
            let color = &mut self.color[rows.start * stride..rows.end * stride];
            let dirty = &mut dirty[rows.start * words..rows.end * words];
            kernel.fill_dirty(color, dirty, stride, &but, pixel);
        }
    }

    /// Fills all dirty lines, in which an area will be drawn over then.
    pub(crate) fn fill(&mut self, kernel: Kernel, stride: usize, drawn: &Area, pixel: Option<u32>) {
        if let Some(pixel) = pixel {
            self.fill_around(kernel, stride, &[0..0, 0..0], pixel);
        }
        if let Some(dirty) = &mut self.dirty {
            dirty::mark(dirty, stride, &drawn.clone().map(indices));
        }
    }

    /// Makes depth far behind a draw that began like that, in an area, and where it still is fills dirty lines with a
    /// pixel, if one is given.
    pub(crate) fn clear_behind(
        &mut self,
        kernel: Kernel,
        depth: &mut [f32],
        stride: usize,
        drawn: &Area,
        pixel: Option<u32>,
    ) {
        let [columns, rows] = drawn.clone().map(indices);
        let words = rows.start * stride..rows.end * stride;
        let depth = &mut depth[words.clone()];
        match (&mut self.dirty, pixel) {
            (Some(dirty), Some(pixel)) => {
                let of_row = dirty::words_of(stride);
                let dirty = &mut dirty[rows.start * of_row..rows.end * of_row];
                let lines = dirty::lines_of(&columns);
                kernel.clear_behind(&mut self.color[words], depth, dirty, stride, &lines, pixel);
            }
            _ => kernel.clear_depth(depth, stride, columns),
        }
    }
}
