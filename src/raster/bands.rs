//! Bands of rows: the unit of work of a thread.
//!
//! A band is full-width rows whose depth stays in the cache and whose colour is written once.

use std::ops::Range;

use super::target::Target;

/// Full-width rows of the picture with their depth.
#[derive(Debug)]
pub(crate) struct Band<'a> {
    /// From the top.
    pub(crate) number: usize,
    /// Rows of the picture.
    pub(crate) rows: Range<i32>,
    pub(crate) width: i32,
    /// Pixels from a row to the next.
    pub(crate) stride: usize,
    pub(crate) color: &'a mut [u32],
    pub(crate) depth: &'a mut [f32],
    /// The farthest depth of every block, rows of [`Band::blocks_of`] each; what it holds before a
    /// kernel fills it means nothing.
    pub(crate) farthest: &'a mut [f32],
}

impl Band<'_> {
    /// Pixels of a block's side.
    pub(crate) const BLOCK: usize = 8;

    /// Blocks from a row of blocks to the next, with room to read eight from any on.
    pub(crate) fn blocks_of(stride: usize) -> usize {
        stride / Self::BLOCK + 8
    }

    /// Index of a pixel of the picture in `color` and `depth`.
    pub(crate) fn place(&self, x: i32, y: i32) -> usize {
        (y - self.rows.start) as usize * self.stride + x as usize
    }
}

/// How the picture is cut into bands.
///
/// On several threads the first bands are tall, since what crosses a border is set up on both sides of it, and the
/// last ones are short, since at the end all threads but one wait for the last band.
///
/// ```text
///   rows   0        128       256       384       512  544  576  608  640  672  704 720
///          |  tall 0  |  tall 1 |  tall 2 |  tall 3 | 4  | 5  | 6  | 7  | 8  | 9  | 10 |
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bands {
    /// Rows of a tall band.
    pub(crate) rows: usize,
    pub(crate) count: usize,
    /// Pixels of the picture.
    pub(crate) size: [i32; 2],
    /// Tall bands.
    tall: usize,
    short_rows: usize,
}

/// Pixels of a band: the most of its colour and depth stays in a second-level cache of 1 MiB or more.
const BAND_PIXELS: usize = 1 << 18;
/// Most rows of a band.
const BAND_ROWS: usize = 128;
/// How many times as many rows a tall band has as a short one, and fewest of that.
const TALL_TO_SHORT: usize = 4;
const SHORT_BAND_ROWS: usize = 32;
/// Tall bands that each thread should get at least.
const TALL_PER_THREAD: usize = 2;
/// Fewest rows of a band.
const FEWEST_ROWS: usize = 8;
/// Bands of clusters that each thread should get at least.
const CLUSTER_BANDS_PER_THREAD: usize = 2;
/// Pixels up to which one thread draws the whole picture as one band, without bins, as it does one with
/// a triangle for every pixel: bins would cost more than the cache gives.
const WHOLE_PIXELS: usize = 1 << 19;
/// Pixels and triangles up to which sharing the work out costs more than it gives.
const SMALL_PIXELS: usize = 20_000;
const SMALL_TRIANGLES: usize = 4_000;

/// Whether one thread is done before others have woken up.
pub(crate) fn is_small(target: &Target<'_>, triangles: usize) -> bool {
    target.width * target.height <= SMALL_PIXELS && triangles <= SMALL_TRIANGLES
}

/// Whether one thread draws the picture as one band.
pub(crate) fn is_one_band(target: &Target<'_>, triangles: usize) -> bool {
    let pixels = target.width * target.height;
    pixels <= triangles || pixels <= WHOLE_PIXELS
}

impl Bands {
    /// For triangles in rows `drawn`.
    pub(crate) fn of(
        target: &Target<'_>,
        drawn: Range<usize>,
        triangles: usize,
        threads: usize,
    ) -> Self {
        let most = (BAND_PIXELS / target.stride).min(BAND_ROWS);
        if threads > 1 {
            Self::shared_out(target, drawn, most, TALL_PER_THREAD * threads)
        } else if is_one_band(target, triangles) {
            Self::of_rows(target, target.height)
        } else {
            Self::of_rows(target, power_of_two(most))
        }
    }

    /// The same for what is drawn by clusters, in so many rows. Bands are larger, as each finds the vertices of its own
    /// clusters, and of one height, as they are handed out by how much there is to do in each: if they are many, every
    /// thread gets as many; if they are few, smaller ones at the ends fill up what is left.
    pub(crate) fn of_clusters(target: &Target<'_>, drawn: usize, threads: usize) -> Self {
        let is_whole = target.width * target.height <= WHOLE_PIXELS;
        let fewest = CLUSTER_BANDS_PER_THREAD * threads;
        let rows = match (threads, is_whole) {
            (1, true) => target.height,
            (1, false) => BAND_ROWS,
            (_, true) => power_of_two(drawn / threads),
            (_, false) if drawn <= BAND_ROWS * fewest => power_of_two(drawn / fewest),
            (_, false) => drawn.div_ceil(drawn.div_ceil(BAND_ROWS).next_multiple_of(threads)),
        };
        Self::of_rows(target, rows)
    }

    /// Tall bands of `most` rows, or of fewer, so that there are `count` of them, for seven eighths of the rows that are
    /// drawn, and short ones for the rest.
    fn shared_out(target: &Target<'_>, drawn: Range<usize>, most: usize, count: usize) -> Self {
        let in_tall = drawn.len() * 7 / 8;
        let rows = power_of_two(most.min(in_tall / count));
        let short_rows = (rows / TALL_TO_SHORT).max(SHORT_BAND_ROWS).min(rows);
        let tall = (drawn.start + in_tall) / rows;
        let short = (target.height - tall * rows).div_ceil(short_rows);
        Self { tall, short_rows, count: tall + short, ..Self::of_rows(target, rows) }
    }

    /// All of one height.
    fn of_rows(target: &Target<'_>, rows: usize) -> Self {
        let size = [target.width as i32, target.height as i32];
        let count = target.height.div_ceil(rows);
        Self { rows, count, size, tall: count, short_rows: rows }
    }

    /// Which band a row is in.
    #[cfg(test)]
    pub(crate) fn at(&self, row: usize) -> usize {
        let border = self.tall * self.rows;
        if row < border { row / self.rows } else { self.tall + (row - border) / self.short_rows }
    }

    /// The same for many rows at once, if bands have powers of two of them.
    pub(crate) fn of_row(&self) -> BandOfRow {
        let [tall, short] = [self.rows, self.short_rows].map(usize::trailing_zeros);
        let behind = (self.tall << (tall - short)) - self.tall;
        BandOfRow { tall, short, behind: behind as i32 }
    }

    /// Rows of the picture in a band.
    pub(crate) fn rows_of(&self, band: usize) -> Range<i32> {
        let tall = band.min(self.tall);
        let first = tall * self.rows + (band - tall) * self.short_rows;
        let rows = if band < self.tall { self.rows } else { self.short_rows };
        first as i32..((first + rows) as i32).min(self.size[1])
    }

    /// Puts the upper half of the tall bands first, and the lower half last: of threads that take bands from both ends
    /// each has one half of the picture, and short bands are left for whoever is done. Of these, if they are shorter, the
    /// lowest are in the middle, and so drawn last: there models end, and one thread waits the least for the other.
    pub(crate) fn order_from_ends<T>(&self, bands: &mut [T]) {
        let upper = self.tall / 2;
        bands[upper..].rotate_left(self.tall - upper);
        if self.short_rows == self.rows {
            return;
        }
        let short = &mut bands[upper..upper + self.count - self.tall];
        for i in 1..short.len().div_ceil(2) {
            let end = short.len() + 1 - i;
            short[i..end].rotate_left(1);
        }
    }

    /// Cuts rows that are `stride` values apart into those of each band.
    pub(crate) fn cut<'a, T>(
        &self,
        values: &'a mut [T],
        stride: usize,
    ) -> impl Iterator<Item = &'a mut [T]> + use<'a, T> {
        let border = (self.tall * self.rows * stride).min(values.len());
        let (tall, short) = values.split_at_mut(border);
        tall.chunks_mut(self.rows * stride).chain(short.chunks_mut(self.short_rows * stride))
    }
}

/// The band of a row is its number shifted by `tall`, or that shifted by `short` less `behind`: the larger of both, as by
/// short bands the first one is the smaller one where bands are tall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BandOfRow {
    /// Binary logarithms of the rows of a band.
    pub(crate) tall: u32,
    pub(crate) short: u32,
    /// How many short bands would stand in the place of the tall ones, less these.
    pub(crate) behind: i32,
}

/// The greatest power of two that is not above some rows.
fn power_of_two(rows: usize) -> usize {
    1 << rows.max(FEWEST_ROWS).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::Framebuffer;

    /// Every row is in one band, and all ways to ask tell the same.
    fn check(bands: &Bands, height: usize) {
        let mut values: Vec<usize> = (0..height).collect();
        let mut next = 0;
        for (band, rows) in bands.cut(&mut values, 1).enumerate() {
            let range = bands.rows_of(band);
            assert_eq!(range, next as i32..(next + rows.len()) as i32, "{bands:?}");
            assert!(rows.len() <= bands.rows, "{bands:?}");
            assert!(rows.iter().all(|&row| bands.at(row) == band), "{bands:?}");
            next += rows.len();
        }
        assert_eq!((next, bands.at(height - 1)), (height, bands.count - 1), "{bands:?}");
    }

    #[test]
    fn every_row_is_in_one_band() {
        for height in [1, 7, 64, 239, 720, 1080, 2160] {
            let mut frame = Framebuffer::new(1920, height).unwrap();
            let target = frame.target();
            let height = height as usize;
            for (drawn, threads) in [
                (0..height, 1),
                (0..height, 2),
                (0..height, 5),
                (height / 3..height / 2, 2),
                (height / 2..height, 3),
                (0..0, 2),
            ] {
                check(&Bands::of_clusters(&target, drawn.len(), threads), height);
                for triangles in [1, 1 << 20] {
                    let bands = Bands::of(&target, drawn.clone(), triangles, threads);
                    check(&bands, height);
                    let BandOfRow { tall, short, behind } = bands.of_row();
                    let by_shifts = |row: i32| (row >> tall).max((row >> short) - behind) as usize;
                    let same = |row: usize| by_shifts(row as i32) == bands.at(row);
                    assert!(bands.count == 1 || (0..height).all(same), "{bands:?}");
                }
            }
        }
    }

    #[test]
    fn bands_of_several_threads_are_tall_first() {
        let mut frame = Framebuffer::new(1280, 720).unwrap();
        let bands = Bands::of(&frame.target(), 0..720, 700, 2);
        assert_eq!((bands.rows, bands.tall, bands.short_rows, bands.count), (128, 4, 32, 11));
        let mut order: Vec<_> = (0..bands.count).collect();
        bands.order_from_ends(&mut order);
        assert_eq!(order, [0, 1, 4, 6, 8, 10, 9, 7, 5, 2, 3]);
        // Of one height: in their order.
        let mut small = Framebuffer::new(320, 240).unwrap();
        let bands = Bands::of(&small.target(), 0..240, 700, 2);
        let mut order: Vec<_> = (0..bands.count).collect();
        bands.order_from_ends(&mut order);
        assert_eq!((bands.tall, bands.short_rows), (6, bands.rows));
        assert_eq!(order, [0, 1, 2, 6, 7, 3, 4, 5]);
        let bands = Bands::of(&frame.target(), 0..720, 700, 1);
        assert_eq!((bands.rows, bands.count), (128, 6));
    }
}
