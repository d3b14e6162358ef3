//! From the picture to the window: enlarged by a whole number, centred, nothing blurred.

/// The window's pixels: 0RGB, rows from the top without padding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Surface {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u32>,
}

/// Where a picture lies in the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placement {
    /// Window pixels per picture pixel from left to right, at least 1.
    pub(crate) scale: usize,
    /// How many times higher than wide a pixel is shown.
    pub(crate) pixel_aspect: f32,
    /// Left upper corner; negative if the window is smaller than the picture.
    pub(crate) x: isize,
    pub(crate) y: isize,
}

impl Placement {
    /// The largest whole scale at which `picture` (width, height) fits into `window`.
    pub(crate) fn new(picture: [u32; 2], window: [u32; 2], pixel_aspect: f32) -> Self {
        let [w, h] = picture.map(|side| side.max(1));
        let shown_height = f64::from(h) * f64::from(pixel_aspect);
        let rows = (f64::from(window[1]) / shown_height + 1e-6) as u32;
        let scale = (window[0] / w).min(rows).max(1) as usize;
        let middle = |window: u32, shown: i64| (i64::from(window) - shown).div_euclid(2) as isize;
        let placed = Self { scale, pixel_aspect, x: 0, y: 0 };
        let shown = [(w as usize * scale) as i64, placed.row(h as usize) as i64];
        Self { x: middle(window[0], shown[0]), y: middle(window[1], shown[1]), ..placed }
    }

    /// Where a row of the picture begins, in rows of the window from where the picture does: some rows
    /// are higher than others where no whole number of them fits a pixel.
    fn row(&self, number: usize) -> isize {
        let height = self.scale as f64 * f64::from(self.pixel_aspect);
        (number as f64 * height + 1e-3).floor() as isize
    }

    /// The place in the window of a place in the picture.
    pub(crate) fn in_window(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let scale = self.scale as f32;
        [x * scale + self.x as f32, y * scale * self.pixel_aspect + self.y as f32]
    }

    /// The place in the picture of a place in the window.
    pub(crate) fn in_picture(&self, [x, y]: [f32; 2]) -> [f32; 2] {
        let scale = self.scale as f32;
        [(x - self.x as f32) / scale, (y - self.y as f32) / (scale * self.pixel_aspect)]
    }
}

impl Surface {
    /// Takes this size; what the pixels are is unspecified afterwards.
    pub(crate) fn resize(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.pixels.resize(width * height, 0);
    }

    /// Shows a picture given as rows of its pixels; the rest of the window is `border`.
    pub(crate) fn show<'a, P: Copy + 'a>(
        &mut self,
        rows: impl Iterator<Item = &'a [P]>,
        placement: Placement,
        border: u32,
        to_0rgb: impl Fn(P) -> u32,
    ) {
        let Placement { scale, x, y, .. } = placement;
        let (width, height) = (self.width as isize, self.height as isize);
        let mut rows = rows.enumerate().peekable();
        let columns = rows.peek().map_or(0, |(_, row)| row.len() * scale) as isize;
        // Rows of the window down to here have their pixels: a large window is not written twice.
        let mut shown = 0;
        for (number, row) in rows {
            let top = y + placement.row(number);
            let bottom = (y + placement.row(number + 1)).min(height);
            let first = top.max(0);
            if first >= bottom {
                continue;
            }
            let start = first as usize * self.width;
            self.pixels[shown..start].fill(border);
            shown = bottom as usize * self.width;
            let line = &mut self.pixels[start..start + self.width];
            if x > 0 || x + columns < width {
                line.fill(border);
            }
            if scale == 1 && bottom == first + 1 {
                let line = line.get_mut(x.max(0) as usize..).unwrap_or_default();
                let row = row.get((-x).max(0) as usize..).unwrap_or_default();
                for (shown, &pixel) in line.iter_mut().zip(row) {
                    *shown = to_0rgb(pixel);
                }
                continue;
            }
            let mut left = x;
            for &pixel in row {
                let right = left + scale as isize;
                if right > 0 && left < width {
                    line[left.max(0) as usize..right.min(width) as usize].fill(to_0rgb(pixel));
                }
                left = right;
            }
            for line in first as usize + 1..bottom as usize {
                self.pixels.copy_within(start..start + self.width, line * self.width);
            }
        }
        self.pixels[shown..].fill(border);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_whole_and_the_picture_centred() {
        let at = |scale, x, y| Placement { scale, pixel_aspect: 1.0, x, y };
        let table = [
            ([320, 200], [320, 200], at(1, 0, 0)),
            ([320, 200], [1280, 800], at(4, 0, 0)),
            ([320, 200], [1279, 800], at(3, 159, 100)),
            ([320, 200], [3840, 2160], at(10, 320, 80)),
            ([320, 200], [300, 100], at(1, -10, -50)),
            ([320, 200], [1, 1], at(1, -160, -100)),
        ];
        for (picture, window, expected) in table {
            assert_eq!(Placement::new(picture, window, 1.0), expected, "{picture:?} in {window:?}");
        }
    }

    fn shown(window: [usize; 2], picture: [u32; 2]) -> Vec<u32> {
        let pixels: Vec<u32> = (1..=picture[0] * picture[1]).collect();
        let placement = Placement::new(picture, window.map(|side| side as u32), 1.0);
        let mut surface = Surface::default();
        surface.resize(window[0], window[1]);
        surface.show(pixels.chunks(picture[0] as usize), placement, 0, |pixel: u32| pixel * 10);
        surface.pixels
    }

    #[test]
    fn pixels_become_squares() {
        #[rustfmt::skip]
        let expected = [
            10, 10, 20, 20, 0,
            10, 10, 20, 20, 0,
        ];
        assert_eq!(shown([5, 2], [2, 1]), expected);
    }

    #[test]
    fn a_small_window_shows_the_middle() {
        // Picture 1 2 3 / 4 5 6 / 7 8 9 in one pixel, then in two by one.
        assert_eq!(shown([1, 1], [3, 3]), [50]);
        assert_eq!(shown([1, 3], [3, 3]), [20, 50, 80]);
        assert_eq!(shown([4, 1], [3, 3]), [40, 50, 60, 0]);
    }

    #[test]
    fn pixels_may_be_higher_than_wide() {
        // The whole of a window of 4:3, every pixel 5 wide and 6 high.
        let full = Placement::new([320, 200], [1600, 1200], 1.2);
        assert_eq!((full.scale, full.x, full.y), (5, 0, 0));
        assert!((0..200).all(|row| full.row(row) == 6 * row as isize));
        // Elsewhere rows are of two heights, none is left out, and places are found again.
        let odd = Placement::new([320, 200], [960, 720], 1.2);
        assert_eq!((odd.scale, odd.y, odd.row(200)), (3, 0, 720));
        let heights: Vec<isize> = (0..200).map(|row| odd.row(row + 1) - odd.row(row)).collect();
        assert!(heights.iter().all(|height| [3, 4].contains(height)));
        let there = odd.in_picture(odd.in_window([17.25, 99.5]));
        assert!((there[0] - 17.25).abs() < 1e-4 && (there[1] - 99.5).abs() < 1e-4);
    }
}
