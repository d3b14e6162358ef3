//! The memory that a draw writes.

use std::ops::Range;

use super::error::{DrawError, MAX_SIDE, check_size};

/// Pixels that a kernel may write behind the end of a row. It leaves them as they are.
pub(crate) const ROW_PADDING: usize = 8;

/// Most words that kernels can number.
const MAX_WORDS: usize = MAX_SIDE as usize * (MAX_SIDE as usize + ROW_PADDING);

/// Columns and rows.
pub(crate) type Area = [Range<i32>; 2];

/// Rows of an area, from its first column to its last, with their numbers.
pub(crate) fn rows_of<'a, T>(
    values: &'a mut [T],
    stride: usize,
    [columns, rows]: &Area,
) -> impl ExactSizeIterator<Item = (usize, &'a mut [T])> + Send + use<'a, T>
where
    T: Send,
{
    let columns = columns.start as usize..columns.end as usize;
    let (first, end) = (rows.start as usize, rows.end as usize);
    let rows = values.chunks_mut(stride).enumerate().take(end).skip(first);
    rows.map(move |(y, row)| (y, &mut row[columns.clone()]))
}

/// What is to be filled before anything is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Clear {
    pub(crate) pixel: u32,
    /// Elsewhere the pixels are this already.
    pub(crate) area: Area,
}

impl Clear {
    /// The area but for what lies inside of another one. Of both the sides may end before they begin, where nothing is.
    pub(crate) fn around(&self, inner: &Area) -> impl Iterator<Item = Area> + use<> {
        let [columns, rows] = self.area.clone();
        let within = |side: &Range<i32>, all: &Range<i32>| {
            let [start, end] = [side.start, side.end].map(|end| end.max(all.start).min(all.end));
            [start, end.max(start)]
        };
        let ([left, right], [top, bottom]) =
            (within(&inner[0], &columns), within(&inner[1], &rows));
        let parts = [
            [columns.clone(), rows.start..top],
            [columns.start..left, top..bottom],
            [right..columns.end, top..bottom],
            [columns, bottom..rows.end],
        ];
        parts.into_iter().filter(|part| !part.iter().any(Range::is_empty))
    }
}

/// What the pixels are outside of an area.
#[derive(Clone, Debug)]
pub(crate) struct Background {
    pub(crate) pixel: u32,
    /// Where something was drawn since they were filled.
    pub(crate) drawn: Area,
}

impl Background {
    /// Nothing is drawn yet.
    pub(crate) fn new(pixel: u32) -> Self {
        Self { pixel, drawn: [0..0, 0..0] }
    }

    /// Something may have been drawn here, too.
    fn draw(&mut self, area: Area) {
        let before = &mut self.drawn;
        if before.iter().any(Range::is_empty) {
            *before = area;
        } else if !area.iter().any(Range::is_empty) {
            for (all, side) in before.iter_mut().zip(area) {
                *all = all.start.min(side.start)..all.end.max(side.end);
            }
        }
    }
}

/// The rows that a draw writes.
pub(crate) struct Target<'a> {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Pixels from a row to the next, in `color` and in `depth`.
    pub(crate) stride: usize,
    pub(crate) color: &'a mut [u32],
    pub(crate) depth: Option<&'a mut [f32]>,
    /// Fill the colour like this first.
    pub(crate) clear: Option<Clear>,
    /// What is known of the colour once that is done, and of what the draw does to it.
    pub(crate) background: Option<Background>,
}

impl Target<'_> {
    /// Does what is left of an earlier clear.
    pub(crate) fn clear(&mut self) {
        if let Some(Clear { pixel, area }) = self.clear.take() {
            rows_of(self.color, self.stride, &area).for_each(|(_, row)| row.fill(pixel));
        }
    }

    /// Notes where a draw may have changed the colour.
    pub(crate) fn note_drawn(&mut self, area: Area) {
        if let Some(background) = &mut self.background {
            background.draw(area);
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
        Target { width, height, stride, color, depth: None, clear: None, background: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_around_an_area_is_all_but_that() {
        let reversed = Range { start: 8, end: 0 };
        let areas = [[2..7, 3..6], [0..8, 0..8], [reversed.clone(), reversed], [4..4, 2..5]];
        // Some of them end before they begin.
        let sides = (0..9).flat_map(|start| (0..9).map(move |end| start..end));
        let inner = sides.clone().flat_map(|x| sides.clone().map(move |y| [x.clone(), y]));
        for (area, inner) in areas.iter().flat_map(|area| inner.clone().map(move |y| (area, y))) {
            let clear = Clear { pixel: 0, area: area.clone() };
            let parts: Vec<Area> = clear.around(&inner).collect();
            for (x, y) in (0..9).flat_map(|y| (0..9).map(move |x| (x, y))) {
                let is_in = |[columns, rows]: &Area| columns.contains(&x) && rows.contains(&y);
                let count = parts.iter().filter(|&part| is_in(part)).count();
                let expected = usize::from(is_in(area) && !is_in(&inner));
                assert_eq!(count, expected, "{area:?} {inner:?} {x} {y}");
            }
        }
    }
}
