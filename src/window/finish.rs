//! A coarser look of the picture, in the window alone: fewer levels, or the game's palette with a pattern.

use std::sync::Arc;

use super::present::Placement;
use crate::image::Palette;

/// What is done to the picture before it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Finish {
    #[default]
    None,
    /// Few levels of each channel.
    Posterised,
    /// The model's palette, in an ordered pattern.
    Dithered,
}

/// Levels of each channel of a posterised picture.
const LEVELS: u32 = 6;
/// Bits of each channel by which the nearest colour of a palette is kept.
const BITS: u32 = 5;
/// Ranks of an ordered pattern of 4 x 4 pixels.
const PATTERN: [[i32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
/// How far the pattern moves a channel at most, up and down.
const SPREAD: i32 = 20;

impl Finish {
    pub(crate) const ALL: [Self; 3] = [Self::None, Self::Posterised, Self::Dithered];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Posterised => "posterised",
            Self::Dithered => "dithered",
        }
    }
}

/// Finishes pixels (0RGB), with the nearest colours of a palette kept from picture to picture.
#[derive(Debug, Default)]
pub(crate) struct Finisher {
    palette: Option<Arc<Palette>>,
    nearest: Vec<u32>,
}

impl Finisher {
    /// Finishes what a window of this width shows; the pattern is one of the picture that lies in it.
    pub(crate) fn apply(
        &mut self,
        finish: Finish,
        palette: &Arc<Palette>,
        pixels: &mut [u32],
        width: usize,
        placement: Placement,
    ) {
        match finish {
            Finish::None => {}
            Finish::Posterised => pixels.iter_mut().for_each(|pixel| *pixel = posterised(*pixel)),
            Finish::Dithered => {
                self.learn(palette);
                let rank_of = |at: f32| (at.floor() as isize).rem_euclid(4) as usize;
                let place =
                    |x: usize, y: usize| placement.in_picture([x as f32 + 0.5, y as f32 + 0.5]);
                for (y, row) in pixels.chunks_mut(width.max(1)).enumerate() {
                    let ranks = PATTERN[rank_of(place(0, y)[1])];
                    for (x, pixel) in row.iter_mut().enumerate() {
                        let rank = 2 * ranks[rank_of(place(x, y)[0])] - 15;
                        *pixel = self.nearest[cell(moved(*pixel, rank * SPREAD / 15))];
                    }
                }
            }
        }
    }

    fn learn(&mut self, palette: &Arc<Palette>) {
        if self.palette.as_ref() == Some(palette) {
            return;
        }
        let widened = |cell: u32, shift: u32| {
            let level = cell >> shift & ((1 << BITS) - 1);
            (level << (8 - BITS) | level >> (2 * BITS - 8)) as u8
        };
        let color = |cell: u32| {
            let rgb = [2 * BITS, BITS, 0].map(|shift| widened(cell, shift));
            let [r, g, b] = palette.color(palette.nearest(rgb));
            u32::from_be_bytes([0, r, g, b])
        };
        self.nearest = (0..1 << (3 * BITS)).map(color).collect();
        self.palette = Some(Arc::clone(palette));
    }
}

fn posterised(pixel: u32) -> u32 {
    let [_, rgb @ ..] = pixel.to_be_bytes();
    let [r, g, b] = rgb.map(|x| {
        let level = (u32::from(x) * (LEVELS - 1) + 127) / 255;
        (level * 255 / (LEVELS - 1)) as u8
    });
    u32::from_be_bytes([0, r, g, b])
}

fn moved(pixel: u32, by: i32) -> [u8; 3] {
    let [_, rgb @ ..] = pixel.to_be_bytes();
    rgb.map(|x| (i32::from(x) + by).clamp(0, 255) as u8)
}

fn cell(rgb: [u8; 3]) -> usize {
    let bits = |number: usize| usize::from(rgb[number]) >> (8 - BITS);
    bits(0) << (2 * BITS) | bits(1) << BITS | bits(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posterised_pictures_have_few_levels_and_keep_black_and_white() {
        let levels: std::collections::BTreeSet<u32> = (0..256).map(posterised).collect();
        assert_eq!(levels.len(), LEVELS as usize);
        assert_eq!([posterised(0), posterised(0x00ff_ffff)], [0, 0x00ff_ffff]);
    }

    #[test]
    fn dithered_pictures_have_the_palettes_colours_and_their_own_brightness() {
        let palette = Palette::quake();
        let mut pixels = vec![0x0060_5040; 64 * 64];
        let mut finisher = Finisher::default();
        let placement = Placement::new([64, 64], [64, 64], 1.0);
        finisher.apply(Finish::Dithered, &palette, &mut pixels, 64, placement);
        let of_palette = |pixel: &u32| {
            let [_, r, g, b] = pixel.to_be_bytes();
            palette.colors().contains(&[r, g, b])
        };
        assert!(pixels.iter().all(of_palette));
        let mean = pixels.iter().map(|pixel| (pixel >> 16) as usize).sum::<usize>() / pixels.len();
        assert!(mean.abs_diff(0x60) < 12, "{mean}");
        let colors: std::collections::BTreeSet<u32> = pixels.into_iter().collect();
        assert!(colors.len() > 1, "a pattern");
    }
}
