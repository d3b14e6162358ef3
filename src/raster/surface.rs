//! A surface as the stages behind the clip stage see it: vertices on the screen, triangles inside, and
//! how pixels are shaded.

use std::ops::Range;

use super::blocks::Blocks;
use super::shade::{FastPath, Shading};
use crate::look::Cull;
use crate::model::Clusters;

/// Vertices, triangles and shading of one surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    /// Vertex numbers.
    pub(crate) triangles: &'a [[u32; 3]],
    /// Their slots by 16 bits, if there are so few.
    pub(crate) slots: Option<&'a [[u16; 3]]>,
    /// Screen positions by [`Surface::slot`], see [`super::vertex::packed`]; behind those of the vertices
    /// may be others.
    pub(crate) xy: &'a [u64],
    /// [`super::shade::ATTRIBUTES`] floats a slot, and at least three more at the end; see
    /// [`super::vertex::ScreenVertices::records`].
    pub(crate) attributes: &'a [f32],
    /// Bits of a vertex's number that say where it stands: all of them, or those of a ring.
    pub(crate) slot_mask: usize,
    /// Which clusters of the triangles are drawn, as bits; `None` is all.
    pub(crate) clusters: Option<&'a [u64]>,
    pub(crate) cull: Cull,
    pub(crate) shading: Shading<'a>,
    /// If the shading is the one that the kernels are fastest at.
    pub(crate) fast_path: Option<FastPath<'a>>,
    /// Of a filtered texture, see [`Shading::plain_blocks`].
    pub(crate) plain_blocks: Option<&'a Blocks>,
}

impl Surface<'_> {
    /// Where a vertex stands in `xy` and `attributes`.
    #[inline(always)]
    pub(crate) fn slot(&self, vertex: u32) -> usize {
        vertex as usize & self.slot_mask
    }

    /// The next triangles from number `from` on that are of clusters that are drawn; behind all if there are none.
    pub(crate) fn next_drawn(&self, from: usize) -> Range<usize> {
        let end = self.triangles.len();
        let Some(clusters) = self.clusters else { return from..end };
        let first = next_bit(clusters, from / Clusters::TRIANGLES, true);
        let behind = next_bit(clusters, first, false);
        let from = from.max(first * Clusters::TRIANGLES).min(end);
        from..(behind * Clusters::TRIANGLES).clamp(from, end)
    }
}

/// Number of the first bit from `from` on that is set, or not; behind the last word if there is none.
pub(crate) fn next_bit(words: &[u64], from: usize, set: bool) -> usize {
    let mut number = from / 64;
    let mut below = (1u64 << (from % 64)) - 1;
    while let Some(&word) = words.get(number) {
        let found = if set { word } else { !word } & !below;
        if found != 0 {
            return number * 64 + found.trailing_zeros() as usize;
        }
        (number, below) = (number + 1, 0);
    }
    words.len() * 64
}

#[cfg(test)]
mod tests {
    use super::next_bit;

    #[test]
    fn bits_are_found_in_their_words_and_the_next() {
        let words = [0b1011 << 60, 0, 0b110];
        for (from, set, expected) in [
            (0, true, 60),
            (60, true, 60),
            (60, false, 62),
            (61, true, 61),
            (62, true, 63),
            (64, true, 129),
            (63, false, 64),
            (129, false, 131),
            (131, true, 192),
            (192, true, 192),
            (500, false, 192),
        ] {
            assert_eq!(next_bit(&words, from, set), expected, "{set} from {from}");
        }
    }
}
