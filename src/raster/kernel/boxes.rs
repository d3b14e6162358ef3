//! Corners, boxes and areas of eight triangles, by which culling and setup go alike.
//!
//! A pixel's centre is inside a box from `(min + 127) >> 8` to `(max - 129) >> 8` (see
//! `setup::Triangle::new`); there is none if the last is before the first. Areas are products of
//! differences, which fit 32 bits up to [`MID_EXTENT`](super::super::setup::MID_EXTENT): of larger triangles `big.rs`
//! finds the side.

use fearless_simd::{i32x8, mask32x8, prelude::*};

use super::fetch::{self, Positions, VertexIndex};
use super::vectors::Vectors;

/// Rows and columns that are drawn: first inclusive, last inclusive.
#[derive(Clone, Copy)]
pub(super) struct Scissor {
    pub(super) columns: [i32; 2],
    pub(super) rows: [i32; 2],
}

/// Vertices of eight triangles, as numbers or slots.
pub(super) type Indices<N> = [[N; 3]; 8];

/// Corners of eight triangles in 1/65536 pixel.
#[derive(Clone, Copy)]
pub(super) struct Corners<S: Vectors> {
    pub(super) x: [i32x8<S>; 3],
    pub(super) y: [i32x8<S>; 3],
}

impl<S: Vectors> Corners<S> {
    #[inline(always)]
    pub(super) fn load<N: VertexIndex>(
        simd: S,
        xy: impl Positions,
        triangles: &Indices<N>,
    ) -> Self {
        let zero = i32x8::splat(simd, 0);
        let (mut x, mut y) = ([zero; 3], [zero; 3]);
        for corner in 0..3 {
            let xy = fetch::positions(simd, xy, triangles, corner);
            (x[corner], y[corner]) = (xy[0], xy[1]);
        }
        Self { x, y }
    }

    /// Swaps the second and third corner of some triangles.
    #[inline(always)]
    pub(super) fn swapped(self, back: mask32x8<S>) -> Self {
        let Self { x, y } = self;
        Self {
            x: [x[0], back.select(x[2], x[1]), back.select(x[1], x[2])],
            y: [y[0], back.select(y[2], y[1]), back.select(y[1], y[2])],
        }
    }

    #[inline(always)]
    fn rounded(v: [i32x8<S>; 3]) -> [i32x8<S>; 3] {
        [(v[0] + 128) >> 8, (v[1] + 128) >> 8, (v[2] + 128) >> 8]
    }
}

#[inline(always)]
pub(super) fn bits<S: Vectors>(mask: mask32x8<S>) -> u32 {
    mask.to_bitmask() as u32
}

/// Boxes and areas of eight triangles.
pub(super) struct Boxes<S: Vectors> {
    /// Corners in 1/256 pixel.
    pub(super) corners: [[i32x8<S>; 3]; 2],
    /// First and last pixel column and row that may be covered, not clipped to the picture.
    pub(super) x: [i32x8<S>; 2],
    pub(super) y: [i32x8<S>; 2],
    /// Twice the area; meaningless for big triangles.
    pub(super) area: i32x8<S>,
    /// The longer side, in 1/256 pixel: of big ones above `MID_EXTENT`.
    pub(super) extent: i32x8<S>,
}

impl<S: Vectors> Boxes<S> {
    #[inline(always)]
    pub(super) fn new(fine: &Corners<S>) -> Self {
        let (x, y) = (Corners::rounded(fine.x), Corners::rounded(fine.y));
        let (min_x, max_x) = (x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2]));
        let (min_y, max_y) = (y[0].min(y[1]).min(y[2]), y[0].max(y[1]).max(y[2]));
        Self {
            corners: [x, y],
            x: [(min_x + 127) >> 8, (max_x - 129) >> 8],
            y: [(min_y + 127) >> 8, (max_y - 129) >> 8],
            area: (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]),
            extent: (max_x - min_x).max(max_y - min_y),
        }
    }
}
