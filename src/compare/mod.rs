//! Comparing pictures: by how much which pixels differ, whether that is tolerated, and where it is.
//!
//! [`compare`] counts what differs, channel by channel. A [`Metric`] says how much a pixel differs, a
//! [`Tolerance`] how much is allowed.

mod flip;
mod metric;
mod perceptual;
mod picture;
mod ssim;
mod tolerance;

use std::fmt;

pub use metric::Metric;
pub use tolerance::{Allowance, Judgement, Tolerance, Verdict};

use crate::error::RequestError;
use crate::image::{Image, Pixels};

/// How two pictures differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    sizes: [(u32, u32); 2],
    compared: u64,
    differing: u64,
    first: Option<(u32, u32)>,
    worst: Option<WorstPixel>,
    /// Of all channels of all pixels that were compared.
    sum: u64,
    /// Number of pixels by their largest channel difference.
    by_difference: Box<[u64; 256]>,
}

/// The pixel with the largest difference of a channel, the first of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorstPixel {
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
    /// Red, green, blue, alpha that were expected.
    pub expected: [u8; 4],
    /// Red, green, blue, alpha that were found.
    pub actual: [u8; 4],
}

/// A part of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first column.
    pub x: u32,
    /// The first row.
    pub y: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Region {
    fn contains(&self, x: u32, y: u32) -> bool {
        let is_in = |at: u32, from: u32, count: u32| at >= from && at - from < count;
        is_in(x, self.x, self.width) && is_in(y, self.y, self.height)
    }
}

/// `X,Y,W,H`: first column and row, columns and rows.
impl std::str::FromStr for Region {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        let mut numbers = text.split(',').map(|number| number.trim().parse().ok());
        let mut next = || numbers.next().flatten();
        let region = (next(), next(), next(), next());
        match (region, numbers.next()) {
            ((Some(x), Some(y), Some(width), Some(height)), None) => {
                Ok(Self { x, y, width, height })
            }
            _ => Err(RequestError::new("expected X,Y,W,H: four whole numbers")),
        }
    }
}

/// Compares two pictures pixel by pixel.
///
/// Two indexed pictures are compared by index and by the colours of the indices: equal colours under
/// other indices count as a difference of 0 levels. Otherwise red, green, blue and alpha are compared.
#[must_use]
pub fn compare(expected: &Image, actual: &Image) -> Comparison {
    compare_except(expected, actual, &[])
}

/// [`compare`] without the pixels in some regions.
#[must_use]
pub fn compare_except(expected: &Image, actual: &Image, ignored: &[Region]) -> Comparison {
    let sizes = [expected, actual].map(|image| (image.width(), image.height()));
    let mut comparison = Comparison {
        sizes,
        compared: 0,
        differing: 0,
        first: None,
        worst: None,
        sum: 0,
        by_difference: Box::new([0; 256]),
    };
    if sizes[0] != sizes[1] {
        return comparison;
    }
    let width = sizes[0].0;
    let (expected_rgba, actual_rgba) = (expected.as_rgba(), actual.as_rgba());
    let colors = expected_rgba.as_chunks::<4>().0.iter().zip(actual_rgba.as_chunks::<4>().0);
    let indices = match (expected.pixels(), actual.pixels()) {
        (Pixels::Indexed { indices: a, .. }, Pixels::Indexed { indices: b, .. }) => Some((a, b)),
        _ => None,
    };
    for (i, (a, b)) in colors.enumerate() {
        let (x, y) = (i as u32 % width, i as u32 / width);
        if ignored.iter().any(|region| region.contains(x, y)) {
            continue;
        }
        comparison.compared += 1;
        let same_index = indices.is_none_or(|(expected, actual)| expected[i] == actual[i]);
        if a == b && same_index {
            continue;
        }
        let difference = worst_channel(*a, *b);
        if comparison.worst.is_none() || difference > comparison.worst() {
            comparison.worst = Some(WorstPixel { x, y, expected: *a, actual: *b });
        }
        comparison.differing += 1;
        comparison.sum += a.iter().zip(b).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>();
        comparison.by_difference[usize::from(difference)] += 1;
        comparison.first.get_or_insert((x, y));
    }
    comparison
}

impl Comparison {
    /// Same size and not one pixel that differs.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.sizes[0] == self.sizes[1] && self.differing == 0
    }

    /// Whether the pictures have the same size; if not, no pixel was compared.
    #[must_use]
    pub fn is_same_size(&self) -> bool {
        self.sizes[0] == self.sizes[1]
    }

    /// Number of pixels that differ.
    #[must_use]
    pub fn differing(&self) -> u64 {
        self.differing
    }

    /// Whether colours differ, not palette indices alone.
    fn has_differing_colors(&self) -> bool {
        self.worst() > 0
    }

    /// Number of pixels with a channel that differs by more than `levels` (0..=255).
    #[must_use]
    pub fn differing_above(&self, levels: u8) -> u64 {
        self.by_difference[usize::from(levels) + 1..].iter().sum()
    }

    /// The largest difference of a channel, 0 if there is none.
    #[must_use]
    pub fn worst(&self) -> u8 {
        self.by_difference.iter().rposition(|&count| count > 0).unwrap_or(0) as u8
    }

    /// Number of pixels that were compared.
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// The difference of a channel, in the mean of all channels of all pixels that were compared.
    #[must_use]
    pub fn mean_error(&self) -> f64 {
        self.sum as f64 / (4 * self.compared).max(1) as f64
    }

    /// Where the largest difference is; `None` if no pixel differs.
    #[must_use]
    pub fn worst_pixel(&self) -> Option<WorstPixel> {
        self.worst
    }

    /// Column and row of the first pixel that differs, in reading order.
    #[must_use]
    pub fn first(&self) -> Option<(u32, u32)> {
        self.first
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(width, height), (actual_width, actual_height)] = self.sizes;
        if !self.is_same_size() {
            let actual = format!("{actual_width} x {actual_height}");
            return write!(f, "expected {width} x {height} pixels, found {actual}");
        }
        let Some((x, y)) = self.first else {
            return write!(f, "equal");
        };
        let total = self.compared;
        let (differing, worst) = (self.differing, self.worst());
        write!(f, "{differing} of {total} pixels differ, by at most {worst}, first at ({x}, {y})")
    }
}

fn worst_channel(a: [u8; 4], b: [u8; 4]) -> u8 {
    a.iter().zip(b).map(|(&a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::Palette;

    fn rgba(width: u32, pixels: &[[u8; 4]]) -> Image {
        let height = pixels.len() as u32 / width;
        Image::from_rgba(width, height, pixels.concat()).unwrap()
    }

    fn indexed(indices: &[u8]) -> Image {
        let width = indices.len() as u32;
        Image::from_indices(width, 1, indices.to_vec(), Palette::quake(), None).unwrap()
    }

    #[test]
    fn differences_are_counted_and_placed() {
        let a = rgba(2, &[[1, 2, 3, 255], [0; 4], [9, 9, 9, 255], [5; 4]]);
        let b = rgba(2, &[[1, 2, 3, 255], [0; 4], [9, 12, 8, 255], [5, 5, 5, 45]]);
        let comparison = compare(&a, &b);
        assert!(!comparison.is_equal());
        assert_eq!(comparison.to_string(), "2 of 4 pixels differ, by at most 40, first at (0, 1)");
        let above = [0, 3, 39, 40, 255].map(|levels| comparison.differing_above(levels));
        assert_eq!(above, [2, 1, 1, 0, 0]);
        assert!(compare(&a, &a).is_equal());
        assert_eq!(compare(&a, &a).to_string(), "equal");
    }

    #[test]
    fn other_sizes_are_not_equal() {
        let comparison = compare(&rgba(1, &[[0; 4]; 2]), &rgba(2, &[[0; 4]; 2]));
        assert!(!comparison.is_equal());
        assert_eq!(comparison.to_string(), "expected 1 x 2 pixels, found 2 x 1");
    }

    #[test]
    fn indices_count_even_where_colours_are_equal() {
        // 48 and 0 are both black in Quake's palette.
        let (a, b) = (indexed(&[0, 7]), indexed(&[48, 7]));
        let comparison = compare(&a, &b);
        assert_eq!((comparison.differing(), comparison.worst()), (1, 0));
        assert!(compare(&a, &b.into_rgba()).is_equal());
    }
}
