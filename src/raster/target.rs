//! The memory that a draw writes.

use std::ops::Range;

use super::dirty::{self, LINE};
use super::error::{DrawError, MAX_SIDE, check_size};

/// Pixels that a kernel may write behind the end of a row. It leaves them as they are.
pub(crate) const ROW_PADDING: usize = 8;

/// Most words that kernels can number: of rows that are whole lines of the cache with their padding.
const MAX_WORDS: usize = MAX_SIDE as usize * (MAX_SIDE as usize + LINE);

/// Columns and rows.
pub(crate) type Area = [Range<i32>; 2];

/// A side of an area that is inside of the picture.
pub(crate) fn indices(side: Range<i32>) -> Range<usize> {
    side.start as usize..side.end as usize
}

/// Rows of an area, from its first column to its last, with their numbers.
pub(crate) fn rows_of<'a, T>(
    values: &'a mut [T],
    stride: usize,
    [columns, rows]: &Area,
) -> impl ExactSizeIterator<Item = (usize, &'a mut [T])> + Send + use<'a, T>
where
    T: Send,
{
    let (columns, rows) = (indices(columns.clone()), indices(rows.clone()));
    let rows = values.chunks_mut(stride).enumerate().take(rows.end).skip(rows.start);
    rows.map(move |(y, row)| (y, &mut row[columns.clone()]))
}

/// The rows that a draw writes.
pub(crate) struct Target<'a> {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Pixels from a row to the next, in `color` and in `depth`.
    pub(crate) stride: usize,
    pub(crate) color: &'a mut [u32],
    pub(crate) depth: Option<&'a mut [f32]>,
    /// Fill the colour with this pixel first, in dirty lines.
    pub(crate) clear: Option<u32>,
    /// What the colour is then but for dirty lines, if that is known.
    pub(crate) background: Option<u32>,
    /// See [`dirty`]. Of pictures that are to be cleared they are there.
    pub(crate) dirty: Option<&'a mut [u64]>,
}

impl Target<'_> {
    /// Does what is left of an earlier clear.
    pub(crate) fn clear(&mut self) {
        if let (Some(pixel), Some(dirty)) = (self.clear.take(), &mut self.dirty) {
            dirty::fill(self.color, dirty, self.stride, &(0..0), |line| line.fill(pixel));
        }
    }

    /// Notes where a draw may have changed the colour.
    pub(crate) fn note_drawn(&mut self, area: &Area) {
        if let Some(dirty) = &mut self.dirty {
            dirty::mark(dirty, self.stride, &area.clone().map(indices));
        }
    }

    /// All of it.
    pub(crate) fn area(&self) -> Area {
        [0..self.stride as i32, 0..self.height as i32]
    }
}

/// A buffer of the application to draw into: for [`crate::Renderer::draw_into`].
#[derive(Debug)]
pub struct PixelsMut<'a> {
    /// Rows from the top, one word a pixel as [`crate::Framebuffer::rows`] gives them: little-endian
    /// R G B A, or of an indexed picture the index in the low byte.
    pub pixels: &'a mut [u32],
    /// Pixels, 1 to 16384.
    pub width: u32,
    /// Pixels, 1 to 16384.
    pub height: u32,
    /// Words from the start of a row to that of the next, at least `width`. Words between the end of
    /// a row and the next one are not changed.
    pub stride: usize,
}

impl PixelsMut<'_> {
    /// # Errors
    /// If the size is out of range or the buffer too short for it.
    pub(super) fn check(&self) -> Result<(), DrawError> {
        let Self { width, height, stride, .. } = *self;
        check_size(width, height)?;
        let length = self.pixels.len();
        let before_last = stride.checked_mul(height as usize - 1);
        let needed = before_last.and_then(|words| words.checked_add(width as usize));
        if stride < width as usize || needed.is_none_or(|needed| length < needed) {
            return Err(DrawError::Buffer { width, height, stride, length });
        }
        Ok(())
    }

    /// Whether kernels may write here: they touch words behind the end of every row.
    pub(super) fn has_room(&self) -> bool {
        let words = self.stride.saturating_mul(self.height as usize);
        let behind_rows = self.stride - self.width as usize;
        behind_rows >= ROW_PADDING && self.pixels.len() >= words && words <= MAX_WORDS
    }

    /// The pixels of each row.
    pub(super) fn rows(&mut self) -> impl Iterator<Item = &mut [u32]> {
        let width = self.width as usize;
        let rows = self.pixels.chunks_mut(self.stride).take(self.height as usize);
        rows.map(move |row| &mut row[..width])
    }

    pub(super) fn target(&mut self) -> Target<'_> {
        let (width, height) = (self.width as usize, self.height as usize);
        let words = self.pixels.len().min(self.stride.saturating_mul(height));
        let color = &mut self.pixels[..words];
        let stride = self.stride;
        Target {
            width,
            height,
            stride,
            color,
            depth: None,
            clear: None,
            background: None,
            dirty: None,
        }
    }
}
