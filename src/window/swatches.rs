//! The palette as a square of 16 x 16 colours; those that the picture uses are framed.

use super::canvas::{Area, Canvas, PADDING, TEXT};
use super::picture::Picture;
use crate::scene::Drawn;

/// Font pixels of a colour.
const SIDE: usize = 6;

/// A palette and what is used of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Swatches {
    colors: [[u8; 3]; 256],
    used: [bool; 256],
}

impl Swatches {
    /// Of the picture that is shown; a picture in true colour uses none of its model's.
    pub(crate) fn of(picture: &Picture) -> Option<Self> {
        let mut used = [false; 256];
        let colors = match picture.drawn()? {
            Drawn::Classic(frame) => {
                frame.indices().iter().for_each(|&index| used[usize::from(index)] = true);
                *frame.palette().colors()
            }
            Drawn::Precise(frame) => match frame.palette() {
                Some(palette) => {
                    let pixels = frame.rows().flatten();
                    pixels.for_each(|pixel| used[(pixel & 0xff) as usize] = true);
                    *palette.colors()
                }
                None => *picture.model()?.palette.colors(),
            },
        };
        Some(Self { colors, used })
    }

    pub(crate) fn note(&self) -> String {
        match self.used.iter().filter(|is_used| **is_used).count() {
            0 => "palette: C shows its use".into(),
            count => format!("palette: {count} colours used"),
        }
    }

    /// Draws it above the floor on the right, left of what is there.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, taken: &[Area], floor: isize) -> Area {
        let scale = canvas.scale;
        let side = (16 * SIDE + 2 * PADDING) * scale;
        let [width, _] = canvas.size();
        let mut area = Area {
            x: width as isize - side as isize,
            y: floor - side as isize,
            width: side,
            height: side,
        };
        while let Some(other) = taken.iter().find(|other| other.meets(&area)) {
            area.x = other.x - side as isize;
            if area.x < 0 {
                break;
            }
        }
        canvas.darken(area);
        for (number, color) in self.colors.into_iter().enumerate() {
            let [column, row] = [number % 16, number / 16];
            let cell = |inset: usize| Area {
                x: area.x + ((PADDING + column * SIDE + inset) * scale) as isize,
                y: area.y + ((PADDING + row * SIDE + inset) * scale) as isize,
                width: (SIDE - 2 * inset) * scale,
                height: (SIDE - 2 * inset) * scale,
            };
            if self.used[number] {
                canvas.fill(cell(0), |_| TEXT);
            }
            let [r, g, b] = color;
            canvas.fill(cell(1), |_| u32::from_be_bytes([0, r, g, b]));
        }
        area
    }
}
