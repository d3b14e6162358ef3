//! All sprites on one picture: a row for every direction of every clip.

use super::SpriteSet;
use super::cell::visible;
use crate::error::RequestError;
use crate::image::{Image, Pixels};

/// How cells are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SheetOptions {
    /// Cells are cut to what is seen.
    pub trim: bool,
    /// Empty pixels between cells.
    pub padding: u32,
    /// How often the outermost pixels of a cell are repeated around it, for filters that look there.
    pub extrude: u32,
}

/// Sprites on one picture.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sheet {
    /// The picture.
    pub image: Image,
    /// Where every cell is on it, in the order of the cells: first column and row, columns and rows.
    pub rects: Vec<[u32; 4]>,
    /// What was cut off: the column and row of the whole cell at which its rectangle begins.
    pub offsets: Vec<[u32; 2]>,
}

/// A row goes on below the last one where it would become wider.
const MAX_SHEET_SIDE: u32 = 16_384;

/// Lays the cells of a set out.
///
/// # Errors
/// If the sheet becomes too high, or there are no cells.
pub fn lay_out(set: &SpriteSet, options: SheetOptions) -> Result<Sheet, RequestError> {
    let Some(first) = set.cells.first() else {
        return Err(RequestError::new("there are no sprites to lay out"));
    };
    if options.extrude.max(options.padding) > MAX_SHEET_SIDE {
        return Err(RequestError::new(format!(
            "more than {MAX_SHEET_SIDE} pixels around sprites or between them, which is a whole sheet's side"
        )));
    }
    let parts: Vec<[u32; 4]> = set
        .cells
        .iter()
        .map(
            |cell| {
                if options.trim { visible(&cell.image) } else { [0, 0, set.size[0], set.size[1]] }
            },
        )
        .collect();
    let around = 2 * options.extrude;
    let mut rects = Vec::with_capacity(parts.len());
    // The next free place, and the height of the row.
    let ([mut x, mut y], mut row, mut size) = ([0, 0], 0, [0, 0]);
    let mut group = None;
    for (cell, [_, _, width, height]) in set.cells.iter().zip(&parts) {
        let own = Some((cell.direction, cell.clip));
        if group.is_some() && (group != own || x + width + around > MAX_SHEET_SIDE) {
            (x, y, row) = (0, (y + row + options.padding).min(MAX_SHEET_SIDE + 1), 0);
        }
        group = own;
        rects.push([x + options.extrude, y + options.extrude, *width, *height]);
        size = [size[0].max(x + width + around), size[1].max(y + height + around)];
        x += width + around + options.padding;
        row = row.max(height + around);
    }
    if size.iter().any(|side| *side > MAX_SHEET_SIDE) {
        let [width, height] = size;
        return Err(RequestError::new(format!(
            "the sheet would be {width} x {height} pixels, of {MAX_SHEET_SIDE} a side at most; give \
             fewer clips or directions, or a smaller --size"
        )));
    }
    let canvas = Canvas::like(&first.image, size);
    let mut canvas = canvas;
    for ((cell, part), rect) in set.cells.iter().zip(&parts).zip(&rects) {
        canvas.paint(&cell.image, *part, *rect, options.extrude);
    }
    let offsets = parts.iter().map(|[x, y, ..]| [*x, *y]).collect();
    Ok(Sheet { image: canvas.image(&first.image), rects, offsets })
}

/// Pixels of one or four bytes.
struct Canvas {
    bytes: Vec<u8>,
    size: [u32; 2],
    bytes_per_pixel: usize,
}

impl Canvas {
    fn like(image: &Image, size: [u32; 2]) -> Self {
        let count = size[0] as usize * size[1] as usize;
        let (bytes_per_pixel, empty) = match image.pixels() {
            Pixels::Rgba(_) => (4, 0),
            Pixels::Indexed { transparent, .. } => (1, transparent.unwrap_or(0)),
        };
        Self { bytes: vec![empty; count * bytes_per_pixel], size, bytes_per_pixel }
    }

    /// Copies a part of a picture to a place, and its outermost pixels `extrude` times around it.
    fn paint(&mut self, image: &Image, part: [u32; 4], place: [u32; 4], extrude: u32) {
        let pixels: &[u8] = match image.pixels() {
            Pixels::Rgba(rgba) => rgba,
            Pixels::Indexed { indices, .. } => indices,
        };
        let ([from_x, from_y, width, height], [x, y, ..]) = (part, place);
        let step = self.bytes_per_pixel;
        for row in 0..height + 2 * extrude {
            let from_row = from_y + row.saturating_sub(extrude).min(height - 1);
            let to_row = y + row - extrude;
            for column in 0..width + 2 * extrude {
                let from_column = from_x + column.saturating_sub(extrude).min(width - 1);
                let to_column = x + column - extrude;
                let from = (from_row * image.width() + from_column) as usize * step;
                let to = (to_row as usize * self.size[0] as usize + to_column as usize) * step;
                self.bytes[to..to + step].copy_from_slice(&pixels[from..from + step]);
            }
        }
    }

    fn image(self, kind: &Image) -> Image {
        let [width, height] = self.size;
        let made = match kind.pixels() {
            Pixels::Rgba(_) => Image::from_rgba(width, height, self.bytes),
            Pixels::Indexed { palette, transparent, .. } => {
                Image::from_indices(width, height, self.bytes, palette.clone(), *transparent)
            }
        };
        made.expect("as many pixels as the size says")
    }
}
