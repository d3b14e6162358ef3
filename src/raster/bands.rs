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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bands {
    /// A power of two, unless there is one band only.
    pub(crate) rows: usize,
    pub(crate) count: usize,
    /// Pixels of the picture.
    pub(crate) size: [i32; 2],
}

/// Pixels of a band: the most of its colour and depth stays in a second-level cache of 1 MiB or more.
const BAND_PIXELS: usize = 1 << 18;
/// Most rows of a band.
const BAND_ROWS: usize = 64;
/// The same for several threads: a crowd fills a few bands only, which are to be shared out evenly.
const SHARED_BAND_ROWS: usize = 32;
/// Bands that each thread should get at least.
const BANDS_PER_THREAD: usize = 4;
/// Pixels a triangle up to which a picture is dense. Its bands are taller and fewer, as vertices cost
/// more than pixels and neighbouring bands share them.
const DENSE_PIXELS: usize = 8;
const DENSE_BAND_ROWS: usize = 128;
const DENSE_BANDS_PER_THREAD: usize = 2;
/// Most rows of a band of clusters, whose vertices neighbours do not share, and bands that each thread should get:
/// few, as they are handed out by how much there is to do.
const CLUSTER_BAND_ROWS: usize = 128;
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

impl Bands {
    pub(crate) fn of(target: &Target<'_>, triangles: usize, threads: usize) -> Self {
        let pixels = target.width * target.height;
        let dense = pixels <= triangles * DENSE_PIXELS;
        let rows = if threads == 1 && (pixels <= triangles || pixels <= WHOLE_PIXELS) {
            target.height
        } else {
            let (rows, bands) = if dense {
                (DENSE_BAND_ROWS, DENSE_BANDS_PER_THREAD)
            } else if threads == 1 {
                (BAND_ROWS, BANDS_PER_THREAD)
            } else {
                (SHARED_BAND_ROWS, BANDS_PER_THREAD)
            };
            // Enough bands that every thread gets several, to share them out evenly.
            let even = target.height / (bands * threads);
            1 << (BAND_PIXELS / target.stride).min(even).clamp(8, rows).ilog2()
        };
        Self::of_rows(target, rows)
    }

    /// The same for what is drawn by clusters, in `drawn` rows: bands are larger, as each finds the vertices of its
    /// own clusters.
    pub(crate) fn of_clusters(target: &Target<'_>, drawn: usize, threads: usize) -> Self {
        let is_whole = target.width * target.height <= WHOLE_PIXELS;
        let rows = match (threads, is_whole) {
            (1, true) => target.height.next_power_of_two(),
            (1, false) => CLUSTER_BAND_ROWS,
            (_, true) => (drawn / threads).max(8),
            (_, false) => {
                let even = drawn / (CLUSTER_BANDS_PER_THREAD * threads);
                even.clamp(8, CLUSTER_BAND_ROWS)
            }
        };
        Self::of_rows(target, 1 << rows.ilog2())
    }

    /// The band of a row is the row shifted by so much, unless there is one band only.
    pub(crate) fn shift(&self) -> u32 {
        self.rows.trailing_zeros()
    }

    fn of_rows(target: &Target<'_>, rows: usize) -> Self {
        let size = [target.width as i32, target.height as i32];
        Self { rows, count: target.height.div_ceil(rows), size }
    }

    /// Rows of the picture in a band.
    pub(crate) fn rows_of(&self, band: usize) -> Range<i32> {
        let first = (band * self.rows) as i32;
        first..(first + self.rows as i32).min(self.size[1])
    }
}
