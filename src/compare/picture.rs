//! Where two pictures differ, as a picture.

use super::{Comparison, worst_channel};
use crate::image::Image;

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
}
