//! Which triangles touch which band.
//!
//! With several bands the triangles are sorted into bins first, in chunks of consecutive triangles,
//! in parallel. A band reads the chunks in order, so triangles stay in file order however many
//! threads there are.

use std::ops::{Range, RangeInclusive};

/// Consecutive triangles of one surface.
#[derive(Clone, Debug)]
pub(crate) struct TriangleRange {
    pub(crate) surface: usize,
    pub(crate) triangles: Range<usize>,
}

/// The triangles of some ranges, sorted into bands: what one task of the stage fills.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub(crate) ranges: Vec<TriangleRange>,
    /// One bin per band.
    bins: Vec<Bin>,
    /// Per band 1 + the number of the last range with a triangle in it, 0 without any: its bin then
    /// holds what an earlier frame left. A chunk touches few of many bands, and this is all that is
    /// looked at of the others.
    begun: Vec<u32>,
    /// Triangles in all bins; one of several bands counts several times.
    pub(crate) count: usize,
}

impl Chunk {
    /// Empty, with so many bins.
    fn reset(&mut self, bands: usize) {
        self.ranges.clear();
        self.bins.resize_with(bands, Bin::default);
        self.begun.clear();
        self.begun.resize(bands, 0);
        self.count = 0;
    }

    /// Where eight triangles of a range have room in the bin of a band; `None` if there is no such band.
    #[inline(always)]
    pub(crate) fn open_block(&mut self, band: usize, range: usize) -> Option<&mut CulledBlock> {
        let begun = self.begun.get_mut(band)?;
        let bin = self.bins.get_mut(band)?;
        let now = range as u32 + 1;
        if *begun != now {
            if *begun == 0 {
                bin.clear();
            }
            bin.begin(self.ranges[range].surface);
            *begun = now;
        }
        Some(bin.open_block())
    }

    /// Surfaces with their triangles that touch a band, in order.
    fn of_band(&self, band: usize) -> impl Iterator<Item = (usize, SurfaceBlocks<'_>)> {
        let touched = self.begun[band] != 0;
        touched.then(|| self.bins[band].surfaces()).into_iter().flatten()
    }
}

/// Triangles that culling has left, in file order, with the positions of their
/// corners, which so are looked up once for all bands.
#[derive(Clone, Debug)]
// Eights from a multiple of eight on lie within lines of the cache.
#[repr(C, align(64))]
pub(crate) struct CulledBlock {
    /// In 1/65536 pixel, in drawing order (that of the file for triangles of the big class).
    pub(crate) x: [[i32; CulledBlock::CAPACITY]; 3],
    pub(crate) y: [[i32; CulledBlock::CAPACITY]; 3],
    /// Numbers or slots of the corners' vertices, in the same order.
    pub(crate) vertices: [[u32; CulledBlock::CAPACITY]; 3],
    pub(crate) length: usize,
}

impl Default for CulledBlock {
    fn default() -> Self {
        let none = [[0; Self::CAPACITY]; 3];
        Self { x: none, y: none, vertices: [[0; Self::CAPACITY]; 3], length: 0 }
    }
}

impl CulledBlock {
    /// A power of two.
    pub(crate) const CAPACITY: usize = 128;

    /// Whether eight more may have no room.
    pub(crate) fn is_full(&self) -> bool {
        self.length > Self::CAPACITY - 8
    }
}

/// Triangles that touch one band, in file order.
#[derive(Debug, Default)]
pub(crate) struct Bin {
    /// Kept from frame to frame; the first `used` ones hold triangles.
    blocks: Vec<CulledBlock>,
    used: usize,
    runs: Vec<Run>,
}

/// Where the triangles of a surface begin: at a multiple of eight in some block.
#[derive(Clone, Copy, Debug)]
struct Run {
    surface: usize,
    block: usize,
    offset: usize,
    /// Length of the last block of the run before this one.
    before: usize,
}

/// The triangles of one surface in a bin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceBlocks<'a> {
    blocks: &'a [CulledBlock],
    /// The first triangle in the first block, and the end in the last one.
    offset: usize,
    end: usize,
}

impl<'a> Iterator for SurfaceBlocks<'a> {
    /// Some triangles of a block.
    type Item = (&'a CulledBlock, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let (first, others) = self.blocks.split_first()?;
        let end = if others.is_empty() { self.end } else { first.length };
        let found = (first, self.offset..end);
        (self.blocks, self.offset) = (others, 0);
        Some(found)
    }
}

impl Bin {
    fn clear(&mut self) {
        self.used = 0;
        self.runs.clear();
    }

    /// The next triangles are of this surface.
    fn begin(&mut self, surface: usize) {
        let mut run = Run { surface, block: self.used, offset: 0, before: 0 };
        if let Some(number) = self.used.checked_sub(1) {
            let last = &mut self.blocks[number];
            run.before = last.length;
            last.length = last.length.next_multiple_of(8);
            if !last.is_full() {
                (run.block, run.offset) = (number, last.length);
            }
        }
        self.runs.push(run);
    }

    /// Where eight more triangles of the surface have room.
    #[inline(always)]
    fn open_block(&mut self) -> &mut CulledBlock {
        if self.used == 0 || self.blocks[self.used - 1].is_full() {
            if self.used == self.blocks.len() {
                self.blocks.push(CulledBlock::default());
            }
            self.blocks[self.used].length = 0;
            self.used += 1;
        }
        &mut self.blocks[self.used - 1]
    }

    /// Surfaces with their triangles, in order.
    fn surfaces(&self) -> impl Iterator<Item = (usize, SurfaceBlocks<'_>)> {
        let blocks = &self.blocks[..self.used];
        let length = blocks.last().map_or(0, |block| block.length);
        self.runs.iter().enumerate().map(move |(i, run)| {
            let next = self.runs.get(i + 1);
            // The next run may begin in the block in which this one ends.
            let last = next.map_or(blocks.len(), |next| next.block + usize::from(next.offset > 0));
            let end = next.map_or(length, |next| next.before);
            (
                run.surface,
                SurfaceBlocks { blocks: &blocks[run.block..last], offset: run.offset, end },
            )
        })
    }
}

/// Triangles of a chunk of several threads: enough to be worth a task, few enough to share out evenly.
const CHUNK_TRIANGLES: RangeInclusive<usize> = 1024..=8192;
/// Chunks that each thread should get at least.
const CHUNKS_PER_THREAD: usize = 8;

/// The bins of a frame, chunk by chunk. Keeps its memory from frame to frame.
#[derive(Debug, Default)]
pub(crate) struct Bins {
    chunks: Vec<Chunk>,
    /// Chunks in use.
    used: usize,
}

impl Bins {
    /// Splits the triangles of all surfaces (`counts`) into chunks, each with an empty bin for each of
    /// `bands`. One thread has one chunk, as the last eight triangles of every bin are fewer, mostly.
    pub(crate) fn split(
        &mut self,
        counts: impl Iterator<Item = usize> + Clone,
        bands: usize,
        threads: usize,
    ) {
        let (least, most) = CHUNK_TRIANGLES.into_inner();
        let even = counts.clone().sum::<usize>() / (CHUNKS_PER_THREAD * threads);
        let size = if threads == 1 { usize::MAX } else { even.clamp(least, most) & !7 };
        let chunks = &mut self.chunks;
        for chunk in chunks.iter_mut() {
            chunk.reset(bands);
        }
        let (mut number, mut room) = (0, size);
        for (surface, count) in counts.enumerate() {
            let mut first = 0;
            while first < count {
                if room == 0 {
                    (number, room) = (number + 1, size);
                }
                if number == chunks.len() {
                    let mut chunk = Chunk::default();
                    chunk.reset(bands);
                    chunks.push(chunk);
                }
                let taken = room.min(count - first);
                let triangles = first..first + taken;
                chunks[number].ranges.push(TriangleRange { surface, triangles });
                (first, room) = (first + taken, room - taken);
            }
        }
        let none = chunks.first().is_none_or(|chunk| chunk.ranges.is_empty());
        self.used = if none { 0 } else { number + 1 };
    }

    pub(crate) fn chunks(&mut self) -> &mut [Chunk] {
        &mut self.chunks[..self.used]
    }

    /// Surfaces with their triangles that touch a band, in order.
    pub(crate) fn of_band(&self, band: usize) -> impl Iterator<Item = (usize, SurfaceBlocks<'_>)> {
        self.chunks[..self.used].iter().flat_map(move |chunk| chunk.of_band(band))
    }

    /// How many triangles the bins hold; one of several bands counts several times.
    pub(crate) fn len(&self) -> usize {
        self.chunks[..self.used].iter().map(|chunk| chunk.count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_share_blocks_and_keep_their_triangles() {
        let mut chunk = Chunk::default();
        for counts in [&[3, 0, 8, 1, 0, 300, 0, 5, 120, 121, 2][..], &[0, 0], &[], &[129, 7]] {
            chunk.reset(2);
            chunk.ranges.extend(
                (0..counts.len()).map(|i| TriangleRange { surface: 3 * i, triangles: 0..0 }),
            );
            for (surface, &count) in counts.iter().enumerate() {
                for number in 0..count {
                    let block = chunk.open_block(1, surface).unwrap();
                    block.vertices[0][block.length] = (1000 * surface + number) as u32;
                    block.length += 1;
                }
            }
            let mut found = Vec::new();
            for (surface, blocks) in chunk.of_band(1) {
                for (block, triangles) in blocks {
                    assert!(triangles.start.is_multiple_of(8));
                    let numbers = block.vertices[0][triangles].iter();
                    found.extend(numbers.map(|&n| (surface / 3, n as usize)));
                }
            }
            let expected = counts.iter().enumerate();
            let expected: Vec<_> = expected
                .flat_map(|(surface, &n)| (0..n).map(move |i| (surface, 1000 * surface + i)))
                .collect();
            assert_eq!(found, expected);
            assert_eq!(chunk.of_band(0).count(), 0, "no triangle touches the first band");
            let most = expected.len() + 8 * counts.len();
            let used = if expected.is_empty() { 0 } else { chunk.bins[1].used };
            assert!(used <= most.div_ceil(CulledBlock::CAPACITY - 8), "{used} blocks");
        }
    }

    #[test]
    fn chunks_hold_every_triangle_once_and_in_order() {
        let mut bins = Bins::default();
        for (threads, count) in [(1, 1), (2, 10), (1, 1)] {
            bins.split([5, 0, 10_000, 7].into_iter(), 3, threads);
            let chunks = bins.chunks();
            assert_eq!(chunks.len(), count, "{threads} threads");
            let ranges: Vec<_> = chunks.iter().flat_map(|c| c.ranges.clone()).collect();
            let mut next = [0; 4];
            for range in &ranges {
                assert_eq!(range.triangles.start, next[range.surface]);
                next[range.surface] = range.triangles.end;
            }
            assert_eq!(next, [5, 0, 10_000, 7]);
            assert!(chunks.iter().all(|chunk| chunk.bins.len() == 3));
        }
    }
}
