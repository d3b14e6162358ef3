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
    /// The surface of the triangles from a front on.
    runs: Vec<(usize, usize)>,
}

impl Bin {
    fn clear(&mut self) {
        self.used = 0;
        self.runs.clear();
    }

    /// The next triangles are of this surface.
    pub(crate) fn begin(&mut self, surface: usize) {
        self.runs.push((surface, self.used));
    }

    /// Where eight more triangles of the surface have room.
    #[inline]
    pub(crate) fn front(&mut self) -> &mut Front {
        let first = self.runs.last().map_or(0, |&(_, first)| first);
        if self.used == first || self.fronts[self.used - 1].is_full() {
            if self.used == self.fronts.len() {
                self.fronts.push(Front::default());
            }
            self.fronts[self.used].length = 0;
            self.used += 1;
        }
        &mut self.fronts[self.used - 1]
    }

    /// Surfaces with their triangles, in order.
    pub(crate) fn surfaces(&self) -> impl Iterator<Item = (usize, &[Front])> {
        self.runs.iter().enumerate().map(|(i, &(surface, start))| {
            let end = self.runs.get(i + 1).map_or(self.used, |&(_, next)| next);
            (surface, &self.fronts[start..end])
        })
    }

    /// How many triangles it holds.
    pub(crate) fn len(&self) -> usize {
        self.fronts[..self.used].iter().map(|front| front.length).sum()
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
