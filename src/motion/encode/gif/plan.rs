//! What each picture of a GIF draws, and how it leaves the screen to the next one.
//!
//! A pixel that was drawn cannot be made transparent again: it can only be cleared, with the whole
//! rectangle of the picture before. So a picture with pixels that are transparent in the next one takes a
//! rectangle around them too, and the next one draws again what was cleared with them.

use super::super::change::{Rect, bounds, changed};
use super::OPAQUE;
use crate::image::{Image, Pixels};

/// The part that a picture has to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) rect: Rect,
    /// Whether the rectangle is cleared before the next picture.
    pub(super) is_cleared: bool,
}

/// Plans a picture as soon as the next one is known.
pub(super) struct Planner {
    size: [u32; 2],
    plans: Vec<Plan>,
    /// The screen before the last picture was drawn, and that picture.
    canvas: Vec<u32>,
    last: Option<Vec<u32>>,
}

/// A transparent pixel.
const CLEAR: u32 = 0;

/// Pixels as numbers that are the same where they look the same.
fn looks(image: &Image) -> Vec<u32> {
    match image.pixels() {
        Pixels::Rgba(rgba) => {
            let look = |[red, green, blue, alpha]: [u8; 4]| match alpha {
                ..OPAQUE => CLEAR,
                _ => u32::from_be_bytes([1, red, green, blue]),
            };
            rgba.as_chunks().0.iter().copied().map(look).collect()
        }
        Pixels::Indexed { indices, transparent, .. } => {
            let look =
                |&index| if Some(index) == *transparent { CLEAR } else { 1 + u32::from(index) };
            indices.iter().map(look).collect()
        }
    }
}

impl Planner {
    pub(super) fn new(size: [u32; 2]) -> Self {
        let pixels = size[0] as usize * size[1] as usize;
        Self { size, plans: Vec::new(), canvas: vec![CLEAR; pixels], last: None }
    }

    /// The number of pictures so far.
    pub(super) fn seen(&self) -> usize {
        self.plans.len() + usize::from(self.last.is_some())
    }

    pub(super) fn see(&mut self, image: &Image) {
        let looks = looks(image);
        self.plan(Some(&looks));
        self.last = Some(looks);
    }

    /// The plans of all pictures.
    pub(super) fn finish(&mut self) -> Vec<Plan> {
        self.plan(None);
        self.canvas = Vec::new();
        std::mem::take(&mut self.plans)
    }

    fn plan(&mut self, next: Option<&[u32]>) {
        let Some(mut picture) = self.last.take() else { return };
        let width = self.size[0];
        let drawn = changed(&self.canvas, &picture, width).unwrap_or(Rect::CORNER);
        let vanishing = next.and_then(|next| {
            bounds(&picture, next, width, |&now, &next| now != CLEAR && next == CLEAR)
        });
        let rect = vanishing.map_or(drawn, |vanishing| drawn.around(vanishing));
        if vanishing.is_some() {
            rect.rows(width).for_each(|row| picture[row].fill(CLEAR));
        }
        self.plans.push(Plan { rect, is_cleared: vanishing.is_some() });
        self.canvas = picture;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plans of pictures in one row, `.` transparent.
    fn plans(pictures: &[&str]) -> Vec<(u32, u32, bool)> {
        let size = [pictures[0].len() as u32, 1];
        let mut planner = Planner::new(size);
        for picture in pictures {
            let pixels = picture.bytes().flat_map(|byte| match byte {
                b'.' => [byte, 0, 0, OPAQUE - 1],
                _ => [byte, 0, 0, OPAQUE],
            });
            planner.see(&Image::from_rgba(size[0], 1, pixels.collect()).unwrap());
        }
        assert_eq!(planner.seen(), pictures.len());
        let plans = planner.finish();
        plans.iter().map(|plan| (plan.rect.left, plan.rect.width, plan.is_cleared)).collect()
    }

    #[test]
    fn what_vanishes_is_cleared_and_drawn_again() {
        // Opaque: what changes, a corner if nothing does.
        assert_eq!(plans(&["aaaa", "abca", "abca"]), [(0, 4, false), (1, 2, false), (0, 1, false)]);
        // More and more appears: nothing has to go.
        assert_eq!(plans(&["a...", "ab..", "abc."]), [(0, 1, false), (1, 1, false), (2, 1, false)]);
        // All of the first picture is cleared, later the least that will do.
        assert_eq!(
            plans(&["abc.", "ab.d", "ab.d", "a..d", "a..d", "e..d"]),
            [
                (0, 3, true),
                (0, 4, false),
                (0, 2, true),
                (0, 1, false),
                (0, 1, false),
                (0, 1, false)
            ]
        );
        // What is cleared together with what vanishes comes again.
        assert_eq!(
            plans(&["....", "abcd", "abce", "a.cf"]),
            [(0, 1, false), (0, 4, false), (1, 3, true), (2, 2, false)]
        );
    }
}
