//! Where two pictures differ, as a picture.

use std::borrow::Cow;

use super::perceptual::Pair;
use super::{Comparison, Metric, Tolerance, worst_channel};
use crate::image::Image;

impl Comparison {
    /// Expected, difference and actual side by side. In the middle, equal pixels are a faint grey of
    /// themselves, differing ones run from yellow (least) to red (most).
    #[must_use]
    pub fn picture(expected: &Image, actual: &Image) -> Image {
        side_by_side(expected, actual, |_, a, b| (a != b).then(|| worst_channel(a, b)))
    }
}

impl Tolerance {
    /// [`Comparison::picture`] with the errors of the metric: of [`Metric::Flip`] and [`Metric::Ssim`] from yellow
    /// (hardly any) to red (1 and more).
    #[must_use]
    pub fn picture(&self, expected: &Image, actual: &Image) -> Image {
        let is_perceptual = matches!(self.metric(), Metric::Flip | Metric::Ssim);
        let [width, height] = [expected.width(), expected.height()];
        if !is_perceptual || [width, height] != [actual.width(), actual.height()] {
            return Comparison::picture(expected, actual);
        }
        let mut levels = vec![0; width as usize * height as usize];
        let pair = Pair::new(self.metric(), [expected, actual], self.ignored());
        let level = |error: &f64| (error.min(1.0) * 255.0).round() as u8;
        let tiles =
            pair.errors(|tile, errors| (tile, errors.iter().map(level).collect::<Vec<u8>>()));
        for (tile, errors) in tiles {
            let columns = tile.width as usize;
            for (y, row) in errors.chunks_exact(columns).enumerate() {
                let at = (tile.y as usize + y) * width as usize + tile.x as usize;
                levels[at..at + columns].copy_from_slice(row);
            }
        }
        side_by_side(expected, actual, |at, _, _| Some(levels[at]).filter(|level| *level > 0))
    }
}

/// The middle part shows `level` (0 to 255, `None` for equal) of each pixel: its place in reading order, and
/// its colours.
fn side_by_side(
    expected: &Image,
    actual: &Image,
    level: impl Fn(usize, [u8; 4], [u8; 4]) -> Option<u8>,
) -> Image {
    let parts = [expected, actual].map(|image| Canvas {
        width: image.width(),
        height: image.height(),
        rgba: image.as_rgba(),
    });
    let [width, height] =
        [parts[0].width.max(parts[1].width), parts[0].height.max(parts[1].height)];
    let mut rgba = Vec::with_capacity(width as usize * height as usize * 12);
    for y in 0..height {
        let pixel = |part: usize, x| parts[part].pixel(x, y);
        let difference = |x: u32| match (pixel(0, x), pixel(1, x)) {
            (None, None) => [0; 4],
            (Some(a), Some(b)) => match level(y as usize * width as usize + x as usize, a, b) {
                Some(level) => [255, 255 - level, 0, 255],
                None => faint(a),
            },
            // As different as can be.
            _ => [255, 0, 0, 255],
        };
        rgba.extend((0..width).flat_map(|x| pixel(0, x).unwrap_or_default()));
        rgba.extend((0..width).flat_map(difference));
        rgba.extend((0..width).flat_map(|x| pixel(1, x).unwrap_or_default()));
    }
    Image::from_rgba(width * 3, height, rgba).expect("three pixels a column, every row complete")
}

struct Canvas<'a> {
    width: u32,
    height: u32,
    rgba: Cow<'a, [u8]>,
}

impl Canvas<'_> {
    fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let at = (y as usize * self.width as usize + x as usize) * 4;
        let is_inside = x < self.width && y < self.height;
        is_inside.then(|| std::array::from_fn(|c| self.rgba[at + c]))
    }
}

/// A dark grey of a colour.
fn faint(color: [u8; 4]) -> [u8; 4] {
    let gray = (color[..3].iter().map(|&channel| u32::from(channel)).sum::<u32>() / 12) as u8;
    [gray, gray, gray, 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_parts_stand_side_by_side() {
        let rgba = |width, pixels: &[[u8; 4]]| {
            Image::from_rgba(width, pixels.len() as u32 / width, pixels.concat()).unwrap()
        };
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

    #[test]
    fn the_middle_shows_the_errors_of_the_metric() {
        let grey = |at: Option<usize>| {
            let mut rgba = [80, 80, 80, 255].repeat(70 * 3);
            at.into_iter().for_each(|at| rgba[4 * at] = 255);
            Image::from_rgba(70, 3, rgba).unwrap()
        };
        for metric in [Metric::Flip, Metric::Ssim] {
            let tolerance = Tolerance::new(Some(metric), None).unwrap();
            // In the second tile.
            let picture = tolerance.picture(&grey(None), &grey(Some(70 + 66))).to_rgba();
            let middle = |x: usize| &picture[4 * (210 + 70 + x)..][..4];
            let worst = middle(66);
            assert!(worst[0] == 255 && worst[1] < 200 && worst[2] == 0, "{metric}: {worst:?}");
            assert!(middle(64)[1] > worst[1] && middle(64)[0] == 255, "{metric}");
            assert_eq!(middle(40), [20, 20, 20, 255], "{metric}");
            let other_size = Image::from_rgba(1, 1, vec![0; 4]).unwrap();
            let picture = tolerance.picture(&grey(None), &other_size);
            assert_eq!([picture.width(), picture.height()], [210, 3]);
        }
    }
}
