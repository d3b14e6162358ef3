//! Metrics that look at what stands around a pixel, tile by tile.
//!
//! Each tile is looked at with as much around it as the metric's filters reach, so that memory follows the
//! threads and not the picture, and an error depends on the pixels around it alone. Equal tiles have
//! no errors. What shows through is seen over black and over white, and the larger error counts.

use std::borrow::Cow;

use rayon::prelude::*;

use super::{Metric, Region, flip, ssim};
use crate::image::Image;

/// Columns and rows of a tile.
const SIDE: u32 = 64;

/// Two pictures of one size.
pub(super) struct Pair<'a> {
    metric: Metric,
    width: u32,
    height: u32,
    /// Expected and actual.
    rgba: [Cow<'a, [u8]>; 2],
    ignored: &'a [Region],
}

/// A part of a picture and what stands around it, over one background.
pub(super) struct Patch {
    /// Columns and rows of the part.
    pub(super) size: [usize; 2],
    /// Columns and rows on each of its sides.
    pub(super) radius: usize,
    /// Red, green, blue of part and surroundings, row by row.
    pub(super) colors: Vec<[u8; 3]>,
}

impl Patch {
    /// Columns of part and surroundings.
    pub(super) fn stride(&self) -> usize {
        self.size[0] + 2 * self.radius
    }

    /// Filters a plane of the patch's colours along the rows; as many columns as the part has are left.
    /// The filter has `2 * radius + 1` taps.
    pub(super) fn across(&self, plane: &[f64], filter: &[f64]) -> Vec<f64> {
        let (stride, width) = (self.stride(), self.size[0]);
        let mut filtered = vec![0.0; plane.len() / stride * width];
        for (row, source) in filtered.chunks_exact_mut(width).zip(plane.chunks_exact(stride)) {
            for (window, factor) in source.windows(width).zip(filter) {
                row.iter_mut().zip(window).for_each(|(sum, value)| *sum += value * factor);
            }
        }
        filtered
    }

    /// Filters what [`Patch::across`] has left along the columns.
    pub(super) fn down(&self, plane: &[f64], filter: &[f64]) -> Vec<f64> {
        let [width, height] = self.size;
        let mut filtered = vec![0.0; width * height];
        for (y, row) in filtered.chunks_exact_mut(width).enumerate() {
            for (source, factor) in plane[y * width..].chunks_exact(width).zip(filter) {
                row.iter_mut().zip(source).for_each(|(sum, value)| *sum += value * factor);
            }
        }
        filtered
    }
}

impl<'a> Pair<'a> {
    /// Ignored pixels of the actual picture are replaced by what is expected.
    pub(super) fn new(metric: Metric, images: [&'a Image; 2], ignored: &'a [Region]) -> Self {
        let (width, height) = (images[0].width(), images[0].height());
        let mut rgba = images.map(Image::as_rgba);
        let [expected, actual] = &mut rgba;
        for region in ignored {
            let columns = region.x.min(width)..region.x.saturating_add(region.width).min(width);
            for y in region.y.min(height)..region.y.saturating_add(region.height).min(height) {
                let at = |x: u32| (y as usize * width as usize + x as usize) * 4;
                let row = at(columns.start)..at(columns.end);
                actual.to_mut()[row.clone()].copy_from_slice(&expected[row]);
            }
        }
        Self { metric, width, height, rgba, ignored }
    }

    /// What `of_tile` makes of the errors of each tile, which stand row by row in its region; in the order
    /// of the tiles.
    pub(super) fn errors<T: Send>(&self, of_tile: impl Fn(Region, &[f64]) -> T + Sync) -> Vec<T> {
        let starts = |side: u32| (0..side).step_by(SIDE as usize);
        let tiles: Vec<Region> = starts(self.height)
            .flat_map(|y| starts(self.width).map(move |x| (x, y)))
            .map(|(x, y)| {
                let (width, height) = (SIDE.min(self.width - x), SIDE.min(self.height - y));
                Region { x, y, width, height }
            })
            .collect();
        tiles.into_par_iter().map(|tile| of_tile(tile, &self.errors_in(tile))).collect()
    }

    /// Whether a pixel counts.
    pub(super) fn counts(&self, x: u32, y: u32) -> bool {
        !self.ignored.iter().any(|region| region.contains(x, y))
    }

    fn errors_in(&self, tile: Region) -> Vec<f64> {
        let is_ssim = self.metric == Metric::Ssim;
        let radius = if is_ssim { ssim::RADIUS } else { flip::RADIUS };
        let beyond = if is_ssim { mirrored } else { repeated };
        let errors = if is_ssim { ssim::errors } else { flip::errors };
        let around = |start: u32, count: u32, side: u32| -> Vec<usize> {
            let positions = -(radius as i64)..i64::from(count) + radius as i64;
            let at = |position| beyond(i64::from(start) + position, i64::from(side)) as usize;
            positions.map(at).collect()
        };
        let columns = around(tile.x, tile.width, self.width);
        let rows = around(tile.y, tile.height, self.height);
        let pixels = self.rgba.each_ref().map(|rgba| {
            let pixels = rgba.as_chunks::<4>().0;
            let row = |y: &usize| &pixels[y * self.width as usize..][..self.width as usize];
            let rows = rows.iter().map(row);
            rows.flat_map(|row| columns.iter().map(|&x| row[x])).collect::<Vec<_>>()
        });
        let size = [tile.width as usize, tile.height as usize];
        if pixels[0] == pixels[1] {
            return vec![0.0; size[0] * size[1]];
        }
        let over = |background: u8| {
            errors(pixels.each_ref().map(|pixels| {
                let colors = pixels.iter().map(|&pixel| blended(pixel, background)).collect();
                Patch { size, radius, colors }
            }))
        };
        let black = over(0);
        if pixels.iter().flatten().all(|pixel| pixel[3] == 255) {
            return black;
        }
        black.into_iter().zip(over(255)).map(|(a, b)| if a < b { b } else { a }).collect()
    }
}

/// A pixel over a grey, rounded as a screen shows it.
fn blended([red, green, blue, alpha]: [u8; 4], background: u8) -> [u8; 3] {
    let (alpha, background) = (u32::from(alpha), u32::from(background));
    [red, green, blue]
        .map(|color| ((u32::from(color) * alpha + background * (255 - alpha) + 127) / 255) as u8)
}

/// Beyond the border stands what stands on it.
fn repeated(at: i64, side: i64) -> i64 {
    at.clamp(0, side - 1)
}

/// Beyond the border stands the picture mirrored at it.
fn mirrored(at: i64, side: i64) -> i64 {
    let at = at.rem_euclid(2 * side);
    at.min(2 * side - 1 - at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Tolerance, Verdict};

    fn pattern([width, height]: [u32; 2], k: u32, alpha: u8) -> Image {
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let rgba = pixels.flat_map(|(x, y)| {
            let color = [x * x * k + y * 7, x * 3 + y * y * k, x * y + k * 40];
            let [red, green, blue] = color.map(|level| (level % 256) as u8);
            [red, green, blue, alpha]
        });
        Image::from_rgba(width, height, rgba.collect()).unwrap()
    }

    fn errors(metric: Metric, images: [&Image; 2]) -> (f64, f64, [u32; 2], u64) {
        let tolerance = Tolerance::new(Some(metric), Some(0.5)).unwrap();
        let judgement = tolerance.judge(images[0], images[1]);
        let (worst, at) = judgement.worst_error().unwrap();
        (judgement.mean_error(), worst, at, judgement.differing())
    }

    /// Mean, worst, where, and pixels over 0.5, from flip-evaluator 1.7 (which counts in single precision)
    /// and scikit-image 0.26 (with `gaussian_weights`, a `sigma` of 1.5, without `use_sample_covariance`).
    #[test]
    fn errors_are_those_of_the_authors() {
        for (size, metric, mean, worst, at, over) in [
            ([1, 1], Metric::Flip, 0.212_103, 0.212_103, [0, 0], 0),
            ([1, 1], Metric::Ssim, 0.066_613, 0.066_613, [0, 0], 0),
            ([9, 4], Metric::Flip, 0.399_819, 0.598_020, [8, 3], 8),
            ([9, 4], Metric::Ssim, 0.162_971, 0.181_456, [7, 1], 0),
            ([100, 70], Metric::Flip, 0.581_982, 0.976_391, [65, 69], 4399),
            ([100, 70], Metric::Ssim, 0.870_126, 1.399_449, [45, 22], 6439),
        ] {
            let images = [pattern(size, 1, 255), pattern(size, 2, 255)];
            let found = errors(metric, images.each_ref());
            let is_near = (found.0 - mean).abs() < 1e-5 && (found.1 - worst).abs() < 1e-5;
            assert!(is_near && (found.2, found.3) == (at, over), "{metric} {size:?}: {found:?}");
        }
    }

    #[test]
    fn errors_are_the_same_bits_everywhere() {
        let images = [pattern([100, 70], 1, 255), pattern([100, 70], 2, 200)];
        for (metric, mean, worst) in [
            (Metric::Flip, 0x3fe6_2a86_c6fd_98e5, 0x3fef_488d_e594_e293),
            (Metric::Ssim, 0x3fec_4224_0bf6_5449, 0x3ff6_43c8_ab97_aff2),
        ] {
            let found = errors(metric, images.each_ref());
            let bits = (found.0.to_bits(), found.1.to_bits());
            assert!(bits == (mean, worst), "{metric}: {:#018x} {:#018x}", bits.0, bits.1);
        }
    }

    #[test]
    fn what_shows_through_is_seen_over_black_and_white() {
        let grey = |level, alpha| Image::from_rgba(1, 1, vec![level, level, level, alpha]).unwrap();
        for metric in [Metric::Flip, Metric::Ssim] {
            let error = |a: &Image, b: &Image| errors(metric, [a, b]).0;
            let most = error(&grey(0, 255), &grey(255, 255));
            assert_eq!(error(&grey(0, 255), &grey(0, 0)), most, "{metric}");
            assert_eq!(error(&grey(255, 255), &grey(0, 0)), most, "{metric}");
            // Colours that nobody sees.
            let tolerance = Tolerance::new(Some(metric), None).unwrap();
            let judgement = tolerance.judge(&grey(9, 0), &grey(200, 0));
            assert_eq!((judgement.verdict(), judgement.mean_error()), (Verdict::Tolerated, 0.0));
        }
    }

    #[test]
    fn ignored_pixels_change_nothing() {
        let whole = pattern([80, 20], 1, 255);
        let mut rgba = whole.to_rgba();
        rgba[4 * (5 * 80 + 60)] ^= 255;
        let changed = Image::from_rgba(80, 20, rgba).unwrap();
        let region = Region { x: 60, y: 5, width: u32::MAX, height: 1 };
        for metric in [Metric::Flip, Metric::Ssim] {
            let tolerance = Tolerance::new(Some(metric), None).unwrap();
            let judgement = tolerance.judge(&whole, &changed);
            assert!(judgement.differing() > 10, "{metric}: the neighbours see it");
            let judgement = tolerance.ignoring(vec![region]).judge(&whole, &changed);
            assert_eq!((judgement.differing(), judgement.worst_error()), (0, None), "{metric}");
            assert_eq!(judgement.comparison().compared(), 80 * 20 - 20);
        }
    }
}
