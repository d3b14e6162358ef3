//! Helpers of the encoders' tests: films of a few pixels, and what an encoder makes of them.

use std::sync::Arc;

use proptest::prelude::*;

use super::{Encoder, Film, Shown};
use crate::image::{Image, Palette};

/// A film of pictures, each shown longer than the one before.
pub(super) fn film(pictures: &[Image]) -> Film {
    Film {
        size: [pictures[0].width(), pictures[0].height()],
        ticks: 100,
        delays: (0..pictures.len()).map(|i| 3 + 2 * i as u32).collect(),
        plays: 0,
    }
}

/// What a driver does: shows the pictures as often as it is asked to, writes what comes back.
pub(super) fn encode(mut encoder: Box<dyn Encoder>, pictures: &[Image]) -> Vec<u8> {
    let is_learning = encoder.learns();
    for picture in pictures.iter().filter(|_| is_learning) {
        encoder.learn(picture);
    }
    let mut file = Vec::new();
    for (number, image) in pictures.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| &pictures[before]);
        let frame = encoder.frame(Shown { number, before, image }).unwrap();
        encoder.put(frame, &mut file).unwrap();
    }
    file
}

/// A pixel of a random picture: `None` where it is that of the picture before.
fn changes(colors: u16, pixels: usize) -> impl Strategy<Value = Vec<Option<u16>>> {
    let still = prop::collection::vec(Just(None), pixels..=pixels);
    let few = prop::collection::vec(
        prop_oneof![8 => Just(None), 1 => (0..colors).prop_map(Some)],
        pixels,
    );
    let all = prop::collection::vec((0..colors).prop_map(Some), pixels);
    prop_oneof![1 => still, 4 => few, 2 => all]
}

/// Pictures of a few pixels as numbers below `colors`, many of them like the one before.
pub(super) fn numbers(colors: u16) -> impl Strategy<Value = ([u32; 2], Vec<Vec<u16>>)> {
    let size = prop_oneof![3 => (1..6u32, 1..6u32), 1 => (17..20u32, 16..18u32)];
    size.prop_flat_map(move |(width, height)| {
        let pixels = (width * height) as usize;
        let pictures = prop::collection::vec(changes(colors, pixels), 1..7);
        pictures.prop_map(move |pictures| {
            let mut last = vec![0; pixels];
            let shown = pictures.iter().map(|changes| {
                let new = |(last, change): (&u16, &Option<u16>)| change.unwrap_or(*last);
                last = last.iter().zip(changes).map(new).collect();
                last.clone()
            });
            ([width, height], shown.collect())
        })
    })
}

/// A palette without equal colours.
pub(super) fn palette() -> Arc<Palette> {
    let color = |index: usize| [index as u8, 255 - index as u8, (index / 2) as u8];
    Arc::new(Palette::new(std::array::from_fn(color), 256))
}

/// Indexed pictures of [`palette`] in which `index` is transparent, but where `is_opaque` says of
/// the picture's number that it is not.
pub(super) fn indexed(
    ([width, height], numbers): ([u32; 2], Vec<Vec<u16>>),
    index: Option<u8>,
    is_opaque: impl Fn(usize) -> bool,
) -> Vec<Image> {
    let palette = palette();
    let picture = |(number, pixels): (usize, Vec<u16>)| {
        let indices = pixels.iter().map(|&pixel| pixel as u8).collect();
        let transparent = index.filter(|_| !is_opaque(number));
        Image::from_indices(width, height, indices, Arc::clone(&palette), transparent).unwrap()
    };
    numbers.into_iter().enumerate().map(picture).collect()
}

/// RGBA pictures in which the numbers are looked up.
pub(super) fn rgba(
    ([width, height], numbers): ([u32; 2], Vec<Vec<u16>>),
    color: impl Fn(u16) -> [u8; 4],
) -> Vec<Image> {
    let picture = |pixels: Vec<u16>| {
        let rgba = pixels.iter().flat_map(|&pixel| color(pixel)).collect();
        Image::from_rgba(width, height, rgba).unwrap()
    };
    numbers.into_iter().map(picture).collect()
}

/// A screen on which pictures are put together, RGBA.
#[derive(Clone)]
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) pixels: Vec<[u8; 4]>,
}

impl Canvas {
    pub(super) fn new([width, height]: [u32; 2]) -> Self {
        Self { width: width as usize, pixels: vec![[0; 4]; (width * height) as usize] }
    }

    /// Changes the pixels of a rectangle (left, top, width, height): `change` is given the old one and the
    /// place in the rectangle.
    pub(super) fn change(
        &mut self,
        [left, top, width, height]: [usize; 4],
        change: impl Fn([u8; 4], usize) -> [u8; 4],
    ) {
        for y in 0..height {
            for x in 0..width {
                let pixel = &mut self.pixels[(top + y) * self.width + left + x];
                *pixel = change(*pixel, y * width + x);
            }
        }
    }
}

/// Pixels with everything below `least` of alpha as one transparent colour.
pub(super) fn visible(rgba: &[u8], least: u8) -> Vec<[u8; 4]> {
    let seen = |&pixel: &[u8; 4]| if pixel[3] < least { [0; 4] } else { pixel };
    rgba.as_chunks::<4>().0.iter().map(seen).collect()
}
