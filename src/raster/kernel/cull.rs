//! Culling of eight triangles at once, into blocks: those of the bins of the bands, or one that is
//! drawn next.
//!
//! Half of the triangles of a closed mesh face away, and most of those of a dense one hit no pixel's
//! centre. What is left is stored without a branch:
//!
//! ```text
//!   triangles    0  1  2  3  4  5  6  7      corners by 24 loads, 6 shuffles to x and y
//!   box          x  .  x  x  x  .  x  x      a pixel's centre inside, on both axes, and in the scissor
//!   area         x  x  .  x  .  .  x  x      of the side that is drawn; if not known yet (big), too
//!   visible      x  .  .  x  .  .  x  x      the and of both: 4 triangles
//!   compressed   0  3  6  7  -  -  -  -      corners and vertices, stored whole at the block's end, which
//!                                           moves by 4
//! ```
//!
//! The next eight are stored over the four of no use. So every group that is drawn is full but for the
//! last of a surface, and the processor has nothing to guess.
//!
//! Boxes and areas: `boxes.rs`.

use std::ops::Range;

use fearless_simd::{i32x8, mask32x8, prelude::*, u32x8};
use prefetch_index::prefetch_index;

use super::super::bands::{BandOfRow, Bands};
use super::super::bins::{Chunk, CulledBlock};
use super::super::setup::MID_EXTENT;
use super::super::shade::ATTRIBUTES;
use super::super::surface::Surface;
use super::super::vertex::ROOMS;
use super::boxes::{Boxes, Corners, Indices, Scissor, bits};
use super::compact::Compaction;
use super::fetch::{Positions, VertexIndex};
use super::transpose::columns_of_three;
use super::vectors::Vectors;
use crate::look::Cull;

/// Where the attributes of the first, second and third corners of eight triangles begin.
pub(super) type Offsets = [[u32; 8]; 3];

/// Of the three corners of one of them.
#[inline(always)]
pub(super) fn of_lane(offsets: &Offsets, lane: usize) -> [u32; 3] {
    let lane = lane & 7;
    [offsets[0][lane], offsets[1][lane], offsets[2][lane]]
}

/// Triangles in groups of eight; the last group is filled up with triangles of no area.
#[inline(always)]
fn in_eights<N: VertexIndex>(triangles: &[[N; 3]]) -> (&[Indices<N>], Option<Indices<N>>) {
    let (eights, rest) = triangles.as_chunks::<8>();
    let mut tail = [[N::default(); 3]; 8];
    tail[..rest.len()].copy_from_slice(rest);
    (eights, (!rest.is_empty()).then_some(tail))
}

/// Sides of triangles that are drawn: all bits of a number if they are, else none, so that it takes no branch to
/// choose.
#[derive(Clone, Copy)]
struct Sides {
    front: i32,
    back: i32,
}

impl Sides {
    fn left_by(cull: Cull) -> Self {
        Self {
            front: if cull == Cull::Front { 0 } else { -1 },
            back: if cull == Cull::Back { 0 } else { -1 },
        }
    }
}

/// Eight triangles, and which of them are to be drawn.
struct Culled<'a, S: Vectors, N: VertexIndex> {
    /// Vertices and corners in the order of the file.
    triangles: &'a Indices<N>,
    fine: Corners<S>,
    /// Negative where the second and third corner are to be swapped.
    swapped: i32x8<S>,
    visible: mask32x8<S>,
    /// First and last pixel row that may be covered, not clipped to the picture.
    y: [i32x8<S>; 2],
}

impl<'a, S: Vectors, N: VertexIndex> Culled<'a, S, N> {
    /// Of big triangles the side that faces the eye is not known yet: it takes more than 32 bits.
    #[inline(always)]
    fn new(
        simd: S,
        xy: impl Positions,
        sides: Sides,
        triangles: &'a Indices<N>,
        scissor: Scissor,
    ) -> Self {
        let fine = Corners::load(simd, xy, triangles);
        let Boxes { x, y, area, extent, .. } = Boxes::new(&fine);
        // Conditions are signs of numbers here, negative where they hold: one comparison at the end.
        let zero = i32x8::splat(simd, 0);
        let outside = (x[1].min(scissor.columns[1]) - x[0].max(scissor.columns[0]))
            | (y[1].min(scissor.rows[1]) - y[0].max(scissor.rows[0]));
        let faces = ((zero - area) & sides.front) | (area & sides.back);
        let visible = (!outside & (faces | (MID_EXTENT - extent))).simd_lt(0);
        let swapped = area & !(MID_EXTENT - extent) & sides.back;
        Self { triangles, fine, swapped, visible, y }
    }
}

impl CulledBlock {
    /// Adds some of eight triangles; returns how many.
    #[inline(always)]
    fn push<S: Vectors, N: VertexIndex>(
        &mut self,
        simd: S,
        eight: &Culled<'_, S, N>,
        some: mask32x8<S>,
    ) -> usize {
        // Of meshes whole runs face away.
        if !some.any_true() {
            return 0;
        }
        let from = self.length.min(Self::CAPACITY - 8);
        let compaction = Compaction::new(simd, some);
        let back = eight.swapped.simd_lt(0);
        let fine = if back.any_true() { eight.fine.swapped(back) } else { eight.fine };
        for corner in 0..3 {
            let (x, y) = (fine.x[corner], fine.y[corner]);
            compaction.store_ints(x, &mut self.x[corner][from..from + 8]);
            compaction.store_ints(y, &mut self.y[corner][from..from + 8]);
        }
        if const { S::EIGHT } {
            let mut vertices = columns_of_three(N::rows(simd, eight.triangles));
            if back.any_true() {
                let [_, second, third] = vertices;
                vertices[1] = back.select(third, second);
                vertices[2] = back.select(second, third);
            }
            for corner in 0..3 {
                let out = &mut self.vertices[corner][from..from + 8];
                compaction.store_words(vertices[corner], out);
            }
        } else {
            self.store_vertices(eight.triangles, bits(some), bits(back), from);
        }
        let count = bits(some).count_ones() as usize;
        self.length = from + count;
        count
    }

    /// Stores the vertices of some of eight triangles one by one, each triangle over the one before if that is not of
    /// them; of `back` ones the second and third change places.
    #[inline(always)]
    fn store_vertices<N: VertexIndex>(
        &mut self,
        triangles: &Indices<N>,
        some: u32,
        back: u32,
        from: usize,
    ) {
        let mut at = from;
        for lane in 0..8 {
            for corner in 0..3 {
                self.vertices[corner][at & (Self::CAPACITY - 1)] = triangles[lane][corner].number();
            }
            at += (some >> lane & 1) as usize;
        }
        let mut rest = some & back;
        while rest != 0 {
            let before = some & ((rest & rest.wrapping_neg()) - 1);
            rest &= rest - 1;
            let at = (from + before.count_ones() as usize) & (Self::CAPACITY - 1);
            let [_, second, third] = &mut self.vertices;
            std::mem::swap(&mut second[at], &mut third[at]);
        }
    }

    #[inline(always)]
    pub(super) fn corners<S: Vectors>(&self, simd: S, from: usize) -> Corners<S> {
        let zero = i32x8::splat(simd, 0);
        let mut corners = Corners { x: [zero; 3], y: [zero; 3] };
        for corner in 0..3 {
            corners.x[corner] = i32x8::from_slice(simd, &self.x[corner][from..from + 8]);
            corners.y[corner] = i32x8::from_slice(simd, &self.y[corner][from..from + 8]);
        }
        corners
    }

    /// Where the attributes of the corners begin, in drawing order, of the eight triangles from `from` on. Behind
    /// the end of the block stand triangles drawn before, maybe of another surface.
    #[inline(always)]
    pub(super) fn records<S: Vectors>(
        &self,
        simd: S,
        surface: &Surface<'_>,
        from: usize,
    ) -> Offsets {
        let mut records = [[0; 8]; 3];
        for corner in 0..3 {
            let vertices = u32x8::from_slice(simd, &self.vertices[corner][from..from + 8]);
            let slots = vertices & surface.slot_mask as u32;
            (slots * ATTRIBUTES as u32).store_array(&mut records[corner]);
        }
        records
    }

    /// Drops the first triangles; fewer than eight are left.
    pub(super) fn drop_first(&mut self, count: usize) {
        for corner in 0..3 {
            self.x[corner].copy_within(count..self.length, 0);
            self.y[corner].copy_within(count..self.length, 0);
            self.vertices[corner].copy_within(count..self.length, 0);
        }
        self.length -= count;
    }
}

/// Calls a function with the triangles of a surface, by slots if it has them, and the positions as the
/// [`Positions`] that they are.
macro_rules! with_positions {
    ($surface:expr, |$triangles:ident, $xy:ident| $call:expr) => {
        if let Some($triangles) = $surface.slots
            && let Ok($xy) = <&[u64; ROOMS[0]]>::try_from($surface.xy)
        {
            $call
        } else if let Some($triangles) = $surface.slots
            && let Ok($xy) = <&[u64; ROOMS[1]]>::try_from($surface.xy)
        {
            $call
        } else if let Ok($xy) = <&[u64; ROOMS[2]]>::try_from($surface.xy) {
            let $triangles = $surface.triangles;
            $call
        } else {
            let ($triangles, $xy) = ($surface.triangles, $surface.xy);
            $call
        }
    };
}

/// Culls triangles of a surface from number `first` on into a block until it is full. Returns the
/// number of the first triangle that is left.
#[inline(never)]
pub(super) fn fill<S: Vectors>(
    simd: S,
    surface: &Surface<'_>,
    first: usize,
    scissor: Scissor,
    block: &mut CulledBlock,
) -> usize {
    simd.vectorize(
        #[inline(always)]
        || {
            with_positions!(surface, |triangles, xy| {
                fill_from(simd, triangles, xy, surface, first, scissor, block)
            })
        },
    )
}

/// How many triangles ahead their vertex numbers are prefetched, of those that are drawn. The processor does so by
/// itself in a loop that only culls, but not where each block is drawn before the next is culled, or where clusters
/// are left out.
const AHEAD: usize = 128;

/// [`fill`] by positions of the surface.
#[inline(always)]
fn fill_from<S: Vectors, N: VertexIndex>(
    simd: S,
    triangles: &[[N; 3]],
    xy: impl Positions,
    surface: &Surface<'_>,
    first: usize,
    scissor: Scissor,
    block: &mut CulledBlock,
) -> usize {
    let sides = Sides::left_by(surface.cull);
    let mut drawn = surface.next_drawn(first);
    let mut ahead = Ahead::new(surface, first);
    while !drawn.is_empty() {
        let mut next = drawn.start;
        let (eights, tail) = in_eights(&triangles[drawn.clone()]);
        for eight in eights.iter().chain(&tail) {
            if block.is_full() {
                return next;
            }
            // 48 bytes apart, or 60 and 36, so that no line of 64 is left out.
            let later = ahead.step(surface);
            prefetch_index(triangles, later);
            if size_of::<N>() > 2 {
                prefetch_index(triangles, later + 5);
            }
            let culled = Culled::new(simd, xy, sides, eight, scissor);
            block.push(simd, &culled, culled.visible);
            next += 8;
        }
        drawn = surface.next_drawn(drawn.end);
    }
    triangles.len()
}

/// A place among the triangles that are drawn, in their order.
struct Ahead {
    /// The rest of its neighbours.
    drawn: Range<usize>,
}

impl Ahead {
    /// [`AHEAD`] triangles behind those from number `first` on.
    #[inline(always)]
    fn new(surface: &Surface<'_>, first: usize) -> Self {
        let mut left = AHEAD;
        let mut drawn = surface.next_drawn(first);
        while !drawn.is_empty() && drawn.len() <= left {
            left -= drawn.len();
            drawn = surface.next_drawn(drawn.end);
        }
        Self { drawn: drawn.start + left..drawn.end }
    }

    /// The triangle there, before it moves on by eight.
    #[inline(always)]
    fn step(&mut self, surface: &Surface<'_>) -> usize {
        let place = self.drawn.start;
        self.drawn.start += 8;
        if self.drawn.is_empty() {
            self.drawn = surface.next_drawn(self.drawn.end);
        }
        place
    }
}

/// Sorts the triangles of a chunk into its bins.
#[inline(always)]
pub(super) fn bin<S: Vectors>(simd: S, surfaces: &[Surface<'_>], bands: &Bands, chunk: &mut Chunk) {
    let scissor = Scissor { columns: [0, bands.size[0] - 1], rows: [0, bands.size[1] - 1] };
    let band_of = bands.of_row();
    for range in 0..chunk.ranges.len() {
        let surface = &surfaces[chunk.ranges[range].surface];
        with_positions!(surface, |triangles, xy| {
            bin_range(simd, (triangles, xy), surface.cull, range, scissor, band_of, chunk);
        });
    }
}

/// Pushes the triangles of range number `range` of a chunk, which are of `surface`, into the bins of the
/// bands that their boxes touch.
#[inline(always)]
fn bin_range<S: Vectors, N: VertexIndex>(
    simd: S,
    (triangles, xy): (&[[N; 3]], impl Positions),
    cull: Cull,
    range: usize,
    scissor: Scissor,
    band_of: BandOfRow,
    chunk: &mut Chunk,
) {
    let none = [i32x8::splat(simd, i32::MAX), i32x8::splat(simd, i32::MIN)];
    let sides = Sides::left_by(cull);
    let (eights, tail) = in_eights(&triangles[chunk.ranges[range].triangles.clone()]);
    for eight in eights.iter().chain(&tail) {
        let culled = Culled::new(simd, xy, sides, eight, scissor);
        let visible = culled.visible;
        if !visible.any_true() {
            continue;
        }
        let top = visible.select(bands_of(culled.y[0].max(0), band_of), none[0]);
        let bottom = visible.select(bands_of(culled.y[1].min(scissor.rows[1]), band_of), none[1]);
        let mut band = top.reduce_min();
        let last = bottom.reduce_max();
        while band <= last {
            let touched = top.simd_le(band) & bottom.simd_ge(band);
            if touched.any_true() {
                let Some(block) = chunk.open_block(band as usize, range) else { break };
                chunk.count += block.push(simd, &culled, touched);
            }
            band += 1;
        }
    }
}

/// The bands of eight rows, see [`BandOfRow`].
#[inline(always)]
fn bands_of<S: Vectors>(rows: i32x8<S>, band_of: BandOfRow) -> i32x8<S> {
    (rows >> band_of.tall).max((rows >> band_of.short) - band_of.behind)
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;
    use crate::raster::shade::Shading;
    use crate::raster::texture::Texture;
    use crate::raster::vertex::packed;

    /// Some triangles without vertices.
    fn plain<'a>(triangles: &'a [[u32; 3]], texture: &'a Texture) -> Surface<'a> {
        Surface {
            triangles,
            slots: None,
            xy: &[],
            attributes: &[],
            slot_mask: usize::MAX,
            clusters: None,
            cull: Cull::Back,
            shading: Shading::of_nearest(texture),
            fast_path: None,
            plain_blocks: None,
        }
    }

    #[test]
    fn what_is_prefetched_is_drawn_so_many_triangles_later() {
        let (texture, triangles) = (Texture::grey(None), [[0; 3]; 32 * 100 + 5]);
        let patchy = [0x_8000_f00f_0700_0001, 0x_0000_0010_ffff_0011];
        for clusters in [None, Some(&patchy[..]), Some(&[0; 2]), Some(&[u64::MAX; 2])] {
            let surface = Surface { clusters, ..plain(&triangles, &texture) };
            let is_drawn = |triangle: &usize| {
                clusters
                    .is_none_or(|bits| bits[triangle / 32 / 64] >> (triangle / 32 % 64) & 1 != 0)
            };
            let eights: Vec<usize> = (0..triangles.len()).step_by(8).filter(is_drawn).collect();
            for (number, &first) in eights.iter().enumerate() {
                let mut ahead = Ahead::new(&surface, first);
                for &later in eights.iter().skip(number + AHEAD / 8) {
                    assert_eq!(ahead.step(&surface), later, "from {first}, {clusters:x?}");
                }
                assert!(ahead.step(&surface) >= triangles.len(), "from {first}, {clusters:x?}");
            }
        }
    }

    #[test]
    fn triangles_are_culled_alike_by_any_number_of_positions_and_on_every_level() {
        let texture = Texture::grey(None);
        // Every sixtieth vertex stands on a grid of thirty columns; of every other triangle the back is
        // seen.
        let triangles: Vec<[u32; 3]> = (0..29)
            .map(|i| if i % 2 == 0 { [i, i + 1, i + 30] } else { [i, i + 30, i + 1] })
            .map(|corners| corners.map(|corner| 60 * corner))
            .collect();
        let slots: Vec<[u16; 3]> =
            triangles.iter().map(|corners| corners.map(|corner| corner as u16)).collect();
        let position = |i: i32| packed([(i / 60 % 30) << 16, (i / 1_800) << 16]);
        for room in ROOMS.into_iter().flat_map(|room| [room - 8, room, room + 8]) {
            let mut xy: Vec<u64> = (0..3_600).map(position).collect();
            xy.resize(room, packed([-1, -1]));
            for (cull, sides) in [
                (Cull::Back, &[true, false][..]),
                (Cull::Front, &[false, true]),
                (Cull::None, &[true, true]),
            ] {
                let surface = Surface {
                    slots: ROOMS[..2].contains(&room).then_some(&slots),
                    xy: &xy,
                    cull,
                    ..plain(&triangles, &texture)
                };
                // Backs in the order in which they are fronts.
                let expected: Vec<[u32; 3]> = (0..29)
                    .filter(|i| sides[*i as usize % 2])
                    .map(|i| [i, i + 1, i + 30].map(|corner| 60 * corner))
                    .collect();
                let positions: Vec<[u64; 3]> =
                    expected.iter().map(|corners| corners.map(|c| xy[c as usize])).collect();
                for level in [Level::baseline(), Level::new(), Level::fallback()] {
                    let mut block = CulledBlock::default();
                    let scissor = Scissor { columns: [0, 63], rows: [0, 63] };
                    dispatch!(level, simd => fill(simd, &surface, 0, scissor, &mut block));
                    let of = |i: usize| [0, 1, 2].map(|corner| block.vertices[corner][i]);
                    let found: Vec<[u32; 3]> = (0..block.length).map(of).collect();
                    assert_eq!(found, expected, "{room} positions, {cull:?}, {level:?}");
                    let at = |i: usize| {
                        [0, 1, 2].map(|corner| packed([block.x[corner][i], block.y[corner][i]]))
                    };
                    let found: Vec<[u64; 3]> = (0..block.length).map(at).collect();
                    assert_eq!(found, positions, "{room} positions, {cull:?}, {level:?}");
                }
            }
        }
    }
}
