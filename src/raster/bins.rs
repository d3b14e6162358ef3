//! Which triangles touch which band.
//!
//! With several bands the triangles are sorted into bins first, in chunks of consecutive triangles,
//! in parallel. A band reads the chunks in order, so triangles stay in file order however many
//! threads there are.

use std::ops::Range;

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
    pub(crate) bins: Vec<Bin>,
}

/// Triangles that culling has left, in file order, with the positions of their
/// corners, which so are looked up once for all bands.
#[derive(Clone, Debug)]
pub(crate) struct CulledBlock {
    /// In 1/65536 pixel, in drawing order (that of the file for triangles of the big class).
    pub(crate) x: [[i32; CulledBlock::CAPACITY]; 3],
    pub(crate) y: [[i32; CulledBlock::CAPACITY]; 3],
    /// Number of the triangle in its surface; with [`CulledBlock::SWAPPED`] set, the second and third
    /// corner are to be swapped.
    pub(crate) number: [u32; CulledBlock::CAPACITY],
    pub(crate) length: usize,
}

impl Default for CulledBlock {
    fn default() -> Self {
        let none = [[0; Self::CAPACITY]; 3];
        Self { x: none, y: none, number: [0; Self::CAPACITY], length: 0 }
    }
}

impl CulledBlock {
    pub(crate) const CAPACITY: usize = 128;
    pub(crate) const SWAPPED: u32 = 1 << 31;

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
    pub(crate) fn begin(&mut self, surface: usize) {
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
    #[inline]
    pub(crate) fn open_block(&mut self) -> &mut CulledBlock {
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
    pub(crate) fn surfaces(&self) -> impl Iterator<Item = (usize, SurfaceBlocks<'_>)> {
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

    /// How many triangles it holds.
    pub(crate) fn len(&self) -> usize {
        self.surfaces().flat_map(|(_, blocks)| blocks).map(|(_, triangles)| triangles.len()).sum()
    }
}

/// Triangles of a chunk: enough to be worth a task, few enough to share out evenly.
const CHUNK_TRIANGLES: usize = 4096;

/// The bins of a frame, chunk by chunk. Keeps its memory from frame to frame.
#[derive(Debug, Default)]
pub(crate) struct Bins {
    chunks: Vec<Chunk>,
    /// Chunks in use.
    used: usize,
}

impl Bins {
    /// Splits the triangles of all surfaces (`counts`) into chunks, each with an empty bin for each of
    /// `bands`.
    pub(crate) fn split(&mut self, counts: impl Iterator<Item = usize>, bands: usize) {
        let chunks = &mut self.chunks;
        for chunk in chunks.iter_mut() {
            chunk.ranges.clear();
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
                    chunks.push(Chunk { ranges: Vec::new(), bins });
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
        self.chunks[..self.used].iter().flat_map(move |chunk| chunk.bins[band].surfaces())
    }

    /// How many triangles the bins hold; one of several bands counts several times.
    pub(crate) fn len(&self) -> usize {
        let bins = self.chunks[..self.used].iter().flat_map(|chunk| &chunk.bins);
        bins.map(Bin::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_share_blocks_and_keep_their_triangles() {
        let mut bin = Bin::default();
        for counts in [&[3, 0, 8, 1, 0, 300, 0, 5, 120, 121, 2][..], &[0, 0], &[], &[129, 7]] {
            bin.clear();
            for (surface, &count) in counts.iter().enumerate() {
                bin.begin(surface);
                for number in 0..count {
                    let block = bin.open_block();
                    block.number[block.length] = (1000 * surface + number) as u32;
                    block.length += 1;
                }
            }
            let mut found = Vec::new();
            for (surface, blocks) in bin.surfaces() {
                for (block, triangles) in blocks {
                    assert!(triangles.start.is_multiple_of(8));
                    found.extend(block.number[triangles].iter().map(|&n| (surface, n as usize)));
                }
            }
            let expected = counts.iter().enumerate();
            let expected: Vec<_> = expected
                .flat_map(|(surface, &n)| (0..n).map(move |i| (surface, 1000 * surface + i)))
                .collect();
            assert_eq!(found, expected);
            assert_eq!(bin.len(), expected.len());
            let most = expected.len() + 8 * counts.len();
            assert!(bin.used <= most.div_ceil(CulledBlock::CAPACITY - 8), "{} blocks", bin.used);
        }
    }

    #[test]
    fn chunks_hold_every_triangle_once_and_in_order() {
        let mut bins = Bins::default();
        for _ in 0..2 {
            bins.split([5, 0, 10_000, 7].into_iter(), 3);
            let chunks = bins.chunks();
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
