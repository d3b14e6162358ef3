//! Clears rows of colour: before the draw where something was drawn in the picture before, or behind it in one pass with
//! the depth (`kernel/clear.rs`).

use std::ops::Range;

use super::dirty;
use super::kernel::Kernel;

/// Rows of colour, and which of their lines are dirty, if that is kept track of.
pub(crate) struct ColorRows<'a> {
    pub(crate) color: &'a mut [u32],
    pub(crate) dirty: Option<&'a mut [u64]>,
}

impl ColorRows<'_> {
    /// Fills dirty lines with the pixel of `clear`, if there is one, before some columns and rows, counted from the first
    /// of these rows, are drawn over. Where the draw tells all that it changes by the depth those that it may change are
    /// left for [`Self::clear_behind`], with the pixel that this returns.
    pub(crate) fn clear_before(
        &mut self,
        kernel: Kernel,
        stride: usize,
        drawn: &[Range<usize>; 2],
        clear: Option<u32>,
        told_by_depth: bool,
    ) -> Option<u32> {
        let dirty = self.dirty.as_deref_mut()?;
        let behind = clear.filter(|_| told_by_depth);
        if let Some(pixel) = clear {
            let [columns, rows] = drawn;
            let (words, height) = (dirty::words_of(stride), self.color.len() / stride);
            let left = if behind.is_some() { dirty::lines_of(columns) } else { 0..0 };
            for (rows, but) in
                [(0..rows.start, 0..0), (rows.clone(), left), (rows.end..height, 0..0)]
            {
                let color = &mut self.color[rows.start * stride..rows.end * stride];
                let dirty = &mut dirty[rows.start * words..rows.end * words];
                kernel.fill_dirty(color, dirty, stride, &but, pixel);
            }
        }
        if behind.is_none() {
            dirty::mark(dirty, stride, drawn);
        }
        behind
    }

    /// Makes depth far behind a draw that began with all of it far, and where it still is fills dirty lines with the
    /// pixel that [`Self::clear_before`] has left, if any.
    pub(crate) fn clear_behind(
        &mut self,
        kernel: Kernel,
        depth: &mut [f32],
        stride: usize,
        [columns, rows]: &[Range<usize>; 2],
        behind: Option<u32>,
    ) {
        let words = rows.start * stride..rows.end * stride;
        let depth = &mut depth[words.clone()];
        match (&mut self.dirty, behind) {
            (Some(dirty), Some(pixel)) => {
                let of_row = dirty::words_of(stride);
                let dirty = &mut dirty[rows.start * of_row..rows.end * of_row];
                let lines = dirty::lines_of(columns);
                kernel.clear_behind(&mut self.color[words], depth, dirty, stride, &lines, pixel);
            }
            _ => kernel.clear_depth(depth, stride, columns.clone()),
        }
    }
}
