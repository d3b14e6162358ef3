//! One picture of a model from one side: cut to what is seen, enlarged by whole numbers.

use crate::image::{Image, Pixels};

/// A picture of a model in a frame of a clip, from one direction.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cell {
    /// The whole cell.
    pub image: Image,
    /// The number of the direction, from 0: the model's face, then on towards its left.
    pub direction: u32,
    /// The number of the clip.
    pub clip: usize,
    /// The number of the picture in its clip.
    pub frame: usize,
    /// How long it is shown, in seconds.
    pub seconds: f64,
    /// The direction that its mirror image is for.
    pub mirrored: Option<u32>,
}

/// Every pixel as a square of `factor` x `factor`.
pub(super) fn enlarged(image: &Image, factor: u32) -> Image {
    if factor == 1 {
        return image.clone();
    }
    let [width, height] = [image.width() * factor, image.height() * factor];
    of_parts(image, [width, height], |x, y| Some([x / factor, y / factor]))
}

/// The smallest rectangle around all that is not transparent: first column and row, columns and rows. One
/// pixel of an empty picture.
pub(super) fn visible(image: &Image) -> [u32; 4] {
    let width = image.width();
    let is_seen: Box<dyn Fn(usize) -> bool> = match image.pixels() {
        Pixels::Rgba(rgba) => Box::new(|pixel| rgba[4 * pixel + 3] != 0),
        Pixels::Indexed { indices, transparent, .. } => {
            Box::new(|pixel| Some(indices[pixel]) != *transparent)
        }
    };
    let (mut first, mut last) = ([u32::MAX; 2], [0; 2]);
    for y in 0..image.height() {
        for x in (0..width).filter(|x| is_seen((y * width + x) as usize)) {
            first = [first[0].min(x), first[1].min(y)];
            last = [last[0].max(x), last[1].max(y)];
        }
    }
    if first[0] > last[0] {
        return [0, 0, 1, 1];
    }
    [first[0], first[1], last[0] - first[0] + 1, last[1] - first[1] + 1]
}

/// A part of a picture.
pub(super) fn cut(image: &Image, [x, y, width, height]: [u32; 4]) -> Image {
    of_parts(image, [width, height], |column, row| Some([x + column, y + row]))
}

/// A picture whose pixels are those of another, or nothing.
pub(super) fn of_parts(
    image: &Image,
    [width, height]: [u32; 2],
    from: impl Fn(u32, u32) -> Option<[u32; 2]>,
) -> Image {
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let at = |[x, y]: [u32; 2]| (y * image.width() + x) as usize;
    let places = places.map(|(x, y)| from(x, y).map(at));
    let made = match image.pixels() {
        Pixels::Rgba(rgba) => {
            let texels = rgba.as_chunks::<4>().0;
            let texels = places.flat_map(|place| place.map_or([0; 4], |place| texels[place]));
            Image::from_rgba(width, height, texels.collect())
        }
        Pixels::Indexed { indices, palette, transparent } => {
            let empty = transparent.unwrap_or(0);
            let indices = places.map(|place| place.map_or(empty, |place| indices[place]));
            Image::from_indices(width, height, indices.collect(), palette.clone(), *transparent)
        }
    };
    made.expect("as many pixels as the size says")
}
