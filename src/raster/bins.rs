//! Bands of rows, and which triangles touch them.
//!
//! A band is the unit of work of a thread: full-width rows whose depth stays in the cache and whose
//! colour is written once. With several bands the triangles are sorted into bins first. Bins are
//! filled in chunks of consecutive triangles, in parallel; a band reads the chunks in order, so
//! triangles stay in file order however many threads there are.

use std::ops::Range;

/// Full-width rows of the picture with their depth.
#[derive(Debug)]
pub(crate) struct Band<'a> {
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

/// Consecutive triangles of one surface.
#[derive(Clone, Debug)]
pub(crate) struct Stretch {
    pub(crate) surface: usize,
    pub(crate) triangles: Range<usize>,
}

/// The triangles of some stretches, sorted into bands.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) stretches: Vec<Stretch>,
    /// One bin per band.
    pub(crate) bins: Vec<Bin>,
}

/// Triangles of one surface that culling has left, in file order, with the positions of their
/// corners: those who draw them need not look for them again.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    /// In 1/65536 pixel, in drawing order (that of the file for triangles of the big class).
    pub(crate) x: [[i32; Front::ROOM]; 3],
    pub(crate) y: [[i32; Front::ROOM]; 3],
    /// Number of the triangle in its surface; with [`Front::TURNED`] set the second and third corner
    /// are to be swapped.
    pub(crate) number: [u32; Front::ROOM],
    pub(crate) length: usize,
}

impl Default for Front {
    fn default() -> Self {
        let none = [[0; Self::ROOM]; 3];
        Self { x: none, y: none, number: [0; Self::ROOM], length: 0 }
    }
}

impl Front {
    pub(crate) const ROOM: usize = 128;
    pub(crate) const TURNED: u32 = 1 << 31;

    /// Whether eight more may have no room.
    pub(crate) fn is_full(&self) -> bool {
        self.length > Self::ROOM - 8
    }
}

/// Triangles that touch one band, in file order.
#[derive(Debug, Default)]
pub(crate) struct Bin {
    /// Kept from frame to frame; the first `used` ones hold triangles.
    fronts: Vec<Front>,
    used: usize,
    runs: Vec<Run>,
}

/// Where the triangles of a surface begin: at a multiple of eight in some front.
#[derive(Clone, Copy, Debug)]
struct Run {
    surface: usize,
    front: usize,
    offset: usize,
    /// Length of the last front of the run before this one.
    before: usize,
}

/// The triangles of one surface in a bin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Left<'a> {
    fronts: &'a [Front],
    /// The first triangle in the first front, and the end in the last one.
    offset: usize,
    end: usize,
}

impl<'a> Iterator for Left<'a> {
    /// Some triangles of a front.
    type Item = (&'a Front, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let (first, others) = self.fronts.split_first()?;
        let end = if others.is_empty() { self.end } else { first.length };
        let found = (first, self.offset..end);
        (self.fronts, self.offset) = (others, 0);
        Some(found)
    }
}

impl Bin {
    fn clear(&mut self) {
        self.used = 0;
        self.runs.clear();
    }

    /// The next triangles are of this surface.
    pub(crate) fn begin(&mut self, surface: usize) {
        let mut run = Run { surface, front: self.used, offset: 0, before: 0 };
        if let Some(number) = self.used.checked_sub(1) {
            let last = &mut self.fronts[number];
            run.before = last.length;
            last.length = last.length.next_multiple_of(8);
            if !last.is_full() {
                (run.front, run.offset) = (number, last.length);
            }
        }
        self.runs.push(run);
    }

    /// Where eight more triangles of the surface have room.
    #[inline]
    pub(crate) fn front(&mut self) -> &mut Front {
        if self.used == 0 || self.fronts[self.used - 1].is_full() {
            if self.used == self.fronts.len() {
                self.fronts.push(Front::default());
            }
            self.fronts[self.used].length = 0;
            self.used += 1;
        }
        &mut self.fronts[self.used - 1]
    }

    /// Surfaces with their triangles, in order.
    pub(crate) fn surfaces(&self) -> impl Iterator<Item = (usize, Left<'_>)> {
        let fronts = &self.fronts[..self.used];
        let length = fronts.last().map_or(0, |front| front.length);
        self.runs.iter().enumerate().map(move |(i, run)| {
            let next = self.runs.get(i + 1);
            // The next run may begin in the front in which this one ends.
            let last = next.map_or(fronts.len(), |next| next.front + usize::from(next.offset > 0));
            let end = next.map_or(length, |next| next.before);
            (run.surface, Left { fronts: &fronts[run.front..last], offset: run.offset, end })
        })
    }

    /// How many triangles it holds.
    pub(crate) fn len(&self) -> usize {
        self.surfaces().flat_map(|(_, left)| left).map(|(_, triangles)| triangles.len()).sum()
    }
}

/// Triangles of a chunk: enough to be worth a task, few enough to share out evenly.
const CHUNK_TRIANGLES: usize = 4096;

/// Cuts the triangles of all surfaces (`counts`) into chunks, reusing the memory of `chunks`, and
/// empties `bands` bins in each. Returns the number of chunks in use.
pub(crate) fn cut(
    counts: impl Iterator<Item = usize>,
    bands: usize,
    chunks: &mut Vec<Chunk>,
) -> usize {
    for chunk in chunks.iter_mut() {
        chunk.stretches.clear();
        chunk.bins.resize_with(bands, Bin::default);
        for bin in &mut chunk.bins {
            bin.clear();
        }
    }
    let (mut number, mut room) = (0, CHUNK_TRIANGLES);
    for (surface, count) in counts.enumerate() {
        let mut first = 0;
        while first < count {
            if room == 0 {
                (number, room) = (number + 1, CHUNK_TRIANGLES);
            }
            if number == chunks.len() {
                let bins = (0..bands).map(|_| Bin::default()).collect();
                chunks.push(Chunk { stretches: Vec::new(), bins });
            }
            let taken = room.min(count - first);
            chunks[number].stretches.push(Stretch { surface, triangles: first..first + taken });
            (first, room) = (first + taken, room - taken);
        }
    }
    if chunks.first().is_none_or(|chunk| chunk.stretches.is_empty()) { 0 } else { number + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_share_fronts_and_keep_their_triangles() {
        let mut bin = Bin::default();
        for counts in [&[3, 0, 8, 1, 0, 300, 0, 5, 120, 121, 2][..], &[0, 0], &[], &[129, 7]] {
            bin.clear();
            for (surface, &count) in counts.iter().enumerate() {
                bin.begin(surface);
                for number in 0..count {
                    let front = bin.front();
                    front.number[front.length] = (1000 * surface + number) as u32;
                    front.length += 1;
                }
            }
            let mut found = Vec::new();
            for (surface, left) in bin.surfaces() {
                for (front, triangles) in left {
                    assert!(triangles.start.is_multiple_of(8));
                    found.extend(front.number[triangles].iter().map(|&n| (surface, n as usize)));
                }
            }
            let expected = counts.iter().enumerate();
            let expected: Vec<_> = expected
                .flat_map(|(surface, &n)| (0..n).map(move |i| (surface, 1000 * surface + i)))
                .collect();
            assert_eq!(found, expected);
            assert_eq!(bin.len(), expected.len());
            let most = expected.len() + 8 * counts.len();
            assert!(bin.used <= most.div_ceil(Front::ROOM - 8), "{} fronts", bin.used);
        }
    }

    #[test]
    fn chunks_hold_every_triangle_once_and_in_order() {
        let mut chunks = Vec::new();
        for _ in 0..2 {
            cut([5, 0, 10_000, 7].into_iter(), 3, &mut chunks);
            let stretches: Vec<_> = chunks.iter().flat_map(|c| c.stretches.clone()).collect();
            let mut next = [0; 4];
            for stretch in &stretches {
                assert_eq!(stretch.triangles.start, next[stretch.surface]);
                next[stretch.surface] = stretch.triangles.end;
            }
            assert_eq!(next, [5, 0, 10_000, 7]);
            assert!(chunks.iter().all(|chunk| chunk.bins.len() == 3));
        }
    }
}
