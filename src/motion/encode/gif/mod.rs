//! GIF: one palette for the whole animation; of each picture only the rectangle that changes, in which
//! what stays may be left out as transparent.
//!
//! All pictures are looked at before the first is encoded: for the [`palette`], and for the [`plan`], which
//! says of each picture what it must draw and whether its rectangle is cleared after it.

mod lzw;
mod palette;
mod plan;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use ::gif as codec;
use codec::{DisposalMethod, EncodingError, Frame, Repeat};

use self::lzw::Choices;
use self::palette::{Colors, Learning, NOTHING};
use self::plan::{Plan, Planner};
use super::change::{Rect, changed};
use super::{Encoder, Film, Shown, fit};
use crate::image::Image;

/// Alpha below this is transparent.
const OPAQUE: u8 = 128;

/// Makes a GIF.
pub(super) struct Gif {
    film: Film,
    learning: Option<Learning>,
    planner: Planner,
    /// Of all pictures, when they have been learned.
    colors: Colors,
    plans: Vec<Plan>,
    /// Pictures that are written.
    written: usize,
}

impl Gif {
    pub(super) fn new(film: Film) -> Self {
        Self {
            planner: Planner::new(film.size),
            film,
            learning: Some(Learning::default()),
            colors: Colors::default(),
            plans: Vec::new(),
            written: 0,
        }
    }

    /// A file without pictures, up to where the first one begins.
    fn head(&self) -> io::Result<Vec<u8>> {
        let mut encoder = self.container(self.colors.palette().as_flattened())?;
        let repeat = match self.film.plays {
            0 => Repeat::Infinite,
            // What is counted are repetitions, in 16 bits: more are hours.
            plays => Repeat::Finite(u16::try_from(plays - 1).unwrap_or(u16::MAX)),
        };
        encoder.set_repeat(repeat).map_err(io_error)?;
        Ok(encoder.get_ref().clone())
    }

    fn container(&self, palette: &[u8]) -> io::Result<codec::Encoder<Vec<u8>>> {
        let side =
            |side: u32| fit(side, || format!("a side of {side} pixels: a GIF has up to 65535"));
        let [width, height] = self.film.size;
        codec::Encoder::new(Vec::new(), side(width)?, side(height)?, palette).map_err(io_error)
    }

    /// What is on the screen before a picture is drawn.
    fn canvas(&self, shown: Shown<'_>) -> Vec<u16> {
        let [width, height] = self.film.size;
        let Some(before) = shown.before else {
            return vec![NOTHING; width as usize * height as usize];
        };
        let mut canvas = self.colors.indices(before);
        if let Plan { rect, is_cleared: true } = self.plans[shown.number - 1] {
            rect.rows(width).for_each(|row| canvas[row].fill(NOTHING));
        }
        canvas
    }
}

impl Encoder for Gif {
    fn learns(&self) -> bool {
        self.learning.is_some()
    }

    fn learn(&mut self, image: &Image) {
        let Some(learning) = &mut self.learning else { return };
        learning.see(image);
        self.planner.see(image);
        if self.planner.seen() == self.film.delays.len() {
            self.plans = self.planner.finish();
            self.colors = self.learning.take().map(Learning::finish).unwrap_or_default();
        }
    }

    fn frame(&self, shown: Shown<'_>) -> io::Result<Vec<u8>> {
        let plan = *self
            .plans
            .get(shown.number)
            .ok_or_else(|| io::Error::other("a GIF needs to see all pictures before the first"))?;
        let width = self.film.size[0];
        let picture = self.colors.indices(shown.image);
        let canvas = self.canvas(shown);
        // Some of what differs in the pictures is the same in the palette.
        let rect = match plan {
            Plan { is_cleared: false, .. } => {
                changed(&canvas, &picture, width).unwrap_or(Rect::CORNER)
            }
            Plan { rect, .. } => rect,
        };
        let slot = self.colors.transparent(shown.image);
        let pixels = rect.cut(&picture, width);
        let old = rect.cut(&canvas, width);
        // Only a picture with such pixels lacks a slot for them, and it has none.
        let literal =
            pixels.iter().map(|&index| u8::try_from(index).ok().or(slot).unwrap_or_default());
        let literal: Vec<u8> = literal.collect();
        let same = pixels.iter().zip(&old).map(|(new, old)| new == old);
        let other: Vec<u8> = literal
            .iter()
            .zip(same)
            .map(|(&index, same)| slot.filter(|_| same).unwrap_or(index))
            .collect();
        let (own, other) = (&literal[..], &other[..]);
        // To choose at each pixel is not always best: strings of both kinds share the dictionary.
        let ways = [(own, own), (other, other), (own, other)];
        let ways = if own == other { &ways[..1] } else { &ways };
        let data = ways.iter().map(|&(own, other)| lzw::encode(Choices { own, other }));
        let data = data.min_by_key(Vec::len).unwrap_or_default();
        let side = |side: u32| fit(side, || format!("{side} pixels: a GIF has up to 65535"));
        let frame = Frame {
            delay: self.film.delay(shown.number)?,
            dispose: if plan.is_cleared {
                DisposalMethod::Background
            } else {
                DisposalMethod::Keep
            },
            transparent: slot,
            left: side(rect.left)?,
            top: side(rect.top)?,
            width: side(rect.width)?,
            height: side(rect.height)?,
            buffer: data.into(),
            ..Frame::default()
        };
        let mut encoder = self.container(&[0; 3])?;
        let start = encoder.get_ref().len();
        encoder.write_lzw_pre_encoded_frame(&frame).map_err(io_error)?;
        Ok(encoder.get_ref()[start..].to_vec())
    }

    fn put(&mut self, frame: Vec<u8>, out: &mut dyn Write) -> io::Result<()> {
        if self.written == 0 {
            out.write_all(&self.head()?)?;
        }
        out.write_all(&frame)?;
        self.written += 1;
        if self.written == self.film.delays.len() {
            out.write_all(b";")?;
        }
        Ok(())
    }
}

fn io_error(error: EncodingError) -> io::Error {
    match error {
        EncodingError::Io(error) => error,
        other => io::Error::other(other),
    }
}
