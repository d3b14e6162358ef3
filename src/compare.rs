//! Comparing pictures, exactly, and showing where they differ.

use std::fmt;

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
    let (expected_rgba, actual_rgba) = (expected.to_rgba(), actual.to_rgba());
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

impl Comparison {
    /// Expected, difference and actual side by side. In the middle, equal pixels are a faint grey of
    /// themselves, differing ones run from yellow (least) to red (most).
    #[must_use]
    pub fn picture(expected: &Image, actual: &Image) -> Image {
        let parts = [expected, actual].map(|image| Canvas {
            width: image.width(),
            height: image.height(),
            rgba: image.to_rgba(),
        });
        let [width, height] =
            [parts[0].width.max(parts[1].width), parts[0].height.max(parts[1].height)];
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 12);
        for y in 0..height {
            let pixel = |part: usize, x| parts[part].pixel(x, y);
            rgba.extend((0..width).flat_map(|x| pixel(0, x).unwrap_or_default()));
            rgba.extend((0..width).flat_map(|x| difference(pixel(0, x), pixel(1, x))));
            rgba.extend((0..width).flat_map(|x| pixel(1, x).unwrap_or_default()));
        }
        Image::from_rgba(width * 3, height, rgba)
            .expect("three pixels a column, every row complete")
    }
}

struct Canvas {
    width: u32,
    height: u32,
    rgba: Vec<u8>,
}

impl Canvas {
    fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let at = (y as usize * self.width as usize + x as usize) * 4;
        let is_inside = x < self.width && y < self.height;
        is_inside.then(|| std::array::from_fn(|c| self.rgba[at + c]))
    }
}

/// The middle part's pixel; a pixel that only one picture has differs as much as can be.
fn difference(expected: Option<[u8; 4]>, actual: Option<[u8; 4]>) -> [u8; 4] {
    match (expected, actual) {
        (None, None) => [0; 4],
        (Some(a), Some(b)) if a == b => {
            let gray = (a[..3].iter().map(|&channel| u32::from(channel)).sum::<u32>() / 12) as u8;
            [gray, gray, gray, 255]
        }
        (Some(a), Some(b)) => [255, 255 - worst_channel(a, b), 0, 255],
        _ => [255, 0, 0, 255],
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

    #[test]
    fn the_three_parts_stand_side_by_side() {
        let expected = rgba(1, &[[12, 24, 36, 255], [100; 4]]);
        let actual = rgba(1, &[[12, 24, 36, 255], [100, 100, 100, 90]]);
        let picture = Comparison::picture(&expected, &actual);
        assert_eq!((picture.width(), picture.height()), (3, 2));
        let rows = [
            [12, 24, 36, 255, 6, 6, 6, 255, 12, 24, 36, 255],
            [100, 100, 100, 100, 255, 245, 0, 255, 100, 100, 100, 90],
        ];
        assert_eq!(picture.to_rgba(), rows.concat());
        let taller = Comparison::picture(&expected, &rgba(1, &[[0; 4]]));
        assert_eq!(taller.to_rgba()[12..], [100, 100, 100, 100, 255, 0, 0, 255, 0, 0, 0, 0]);
    }
}
