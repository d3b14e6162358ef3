//! Setup of eight triangles at once: boxes, classes, edge functions and attribute weights; the twin of
//! the scalar twin's `setup.rs`.

use fearless_simd::{Simd, f32x8, i32x8, prelude::*};

use super::super::setup::{MAX_CORRECTION, RESIDUAL_UNIT, TINY_SIDE};
use super::cull::{Boxes, Corners, Scissor, bits};

/// Columns of a triangle's box up to which most of its spans have at most four pixels.
const NARROW: i32 = 8;

/// Boxes, classes and areas of eight triangles to draw.
pub(super) struct Group<S: Simd> {
    fine: Corners<S>,
    /// Corners in 1/256 pixel.
    corners: [[i32x8<S>; 3]; 2],
    /// Twice the area; meaningless for big triangles.
    area: i32x8<S>,
    /// First and last pixel column and row that may be covered, not clipped to the picture.
    pub(super) x: [i32x8<S>; 2],
    pub(super) y: [i32x8<S>; 2],
    /// Triangles of each class.
    pub(super) tiny: u32,
    pub(super) mid: u32,
    pub(super) big: u32,
    /// Triangles of at most [`NARROW`] columns.
    pub(super) narrow: u32,
    /// Triangles whose box leaves the picture or the band.
    pub(super) partial: u32,
}

impl<S: Simd> Group<S> {
    /// The first `count` lanes are to be drawn.
    #[inline(always)]
    pub(super) fn new(fine: Corners<S>, count: usize, scissor: Scissor) -> Self {
        let Boxes { corners, x, y, area, big } = Boxes::new(&fine);
        let tiny = (x[1] - x[0]).simd_lt(TINY_SIDE) & (y[1] - y[0]).simd_lt(TINY_SIDE);
        let partial = x[0].simd_lt(scissor.columns[0])
            | x[1].simd_gt(scissor.columns[1])
            | y[0].simd_lt(scissor.rows[0])
            | y[1].simd_gt(scissor.rows[1]);
        let drawn = (1 << count) - 1;
        let (tiny, big) = (bits(tiny & !big) & drawn, bits(big) & drawn);
        let mid = drawn & !tiny & !big;
        let narrow = bits((x[1] - x[0]).simd_lt(NARROW));
        Self { fine, corners, area, x, y, tiny, mid, big, narrow, partial: bits(partial) }
    }
}

/// The edge opposite to each corner of eight triangles that are not big.
pub(super) struct Edges<S: Simd> {
    pub(super) dx: [i32x8<S>; 3],
    pub(super) dy: [i32x8<S>; 3],
    /// Edge functions at the centre of the box's first pixel.
    pub(super) start: [i32x8<S>; 3],
    /// 0 where pixels on the edge belong to the triangle (top-left rule), else -1.
    pub(super) bias: [i32x8<S>; 3],
}

impl<S: Simd> Edges<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, group: &Group<S>) -> Self {
        let zero = i32x8::splat(simd, 0);
        let (mut dx, mut dy, mut start, mut bias) = ([zero; 3], [zero; 3], [zero; 3], [zero; 3]);
        let centre = [(group.x[0] << 8) + 128, (group.y[0] << 8) + 128];
        let [x, y] = &group.corners;
        for edge in 0..3 {
            let (from, to) = ((edge + 1) % 3, (edge + 2) % 3);
            dx[edge] = x[to] - x[from];
            dy[edge] = y[to] - y[from];
            start[edge] = dx[edge] * (centre[1] - y[from]) - dy[edge] * (centre[0] - x[from]);
            let top_left = dy[edge].simd_lt(0) | (dy[edge].simd_eq(0) & dx[edge].simd_gt(0));
            bias[edge] = top_left.select(zero, i32x8::splat(simd, -1));
        }
        Self { dx, dy, start, bias }
    }
}

/// Weights of the second and third corner of eight triangles; the twin of `setup::Weights`.
pub(super) struct Weights<S: Simd> {
    /// 1 / area; that of triangles that are not drawn does not matter.
    pub(super) inverse: f32x8<S>,
    /// Corrections at the first corner, and differences to it at the second and third.
    pub(super) correction: [[f32x8<S>; 2]; 3],
    /// Corrected change per pixel to the right and per row down.
    pub(super) step_x: [f32x8<S>; 2],
    pub(super) step_y: [f32x8<S>; 2],
}

impl<S: Simd> Weights<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, group: &Group<S>, edges: &Edges<S>) -> Self {
        let zero = f32x8::splat(simd, 0.0);
        let inverse = f32x8::splat(simd, 1.0) / group.area.max(1).to_float::<f32x8<S>>();
        let (mut x, mut y) = ([zero; 2], [zero; 2]);
        for i in 0..2 {
            let none = i32x8::splat(simd, 0);
            x[i] = (none - (edges.dy[i + 1] << 8)).to_float::<f32x8<S>>() * inverse;
            y[i] = (edges.dx[i + 1] << 8).to_float::<f32x8<S>>() * inverse;
        }
        let (fine, [rounded_x, rounded_y]) = (&group.fine, &group.corners);
        let mut at = [[zero; 2]; 3];
        let mut largest = zero;
        for corner in 0..3 {
            let rx = residual(fine.x[corner], rounded_x[corner]);
            let ry = residual(fine.y[corner], rounded_y[corner]);
            for i in 0..2 {
                at[corner][i] = x[i] * rx + y[i] * ry;
                largest = largest.max(at[corner][i].abs());
            }
        }
        let small = largest.simd_le(MAX_CORRECTION);
        let mut correction = [[zero; 2]; 3];
        for i in 0..2 {
            correction[0][i] = small.select(at[0][i], zero);
            correction[1][i] = small.select(at[1][i] - at[0][i], zero);
            correction[2][i] = small.select(at[2][i] - at[0][i], zero);
        }
        let (mut step_x, mut step_y) = ([zero; 2], [zero; 2]);
        for i in 0..2 {
            step_x[i] = x[i] - (correction[1][i] * x[0] + correction[2][i] * x[1]);
            step_y[i] = y[i] - (correction[1][i] * y[0] + correction[2][i] * y[1]);
        }
        Self { inverse, correction, step_x, step_y }
    }

    /// Weights at the centre of the box's first pixel.
    #[inline(always)]
    pub(super) fn start(&self, edges: &Edges<S>) -> [f32x8<S>; 2] {
        let b = edges.start[1].to_float::<f32x8<S>>() * self.inverse;
        let c = edges.start[2].to_float::<f32x8<S>>() * self.inverse;
        let [first, second, third] = &self.correction;
        [
            b - ((first[0] + second[0] * b) + third[0] * c),
            c - ((first[1] + second[1] * b) + third[1] * c),
        ]
    }
}

/// From the rounded to the exact position, in pixels.
#[inline(always)]
fn residual<S: Simd>(fine: i32x8<S>, rounded: i32x8<S>) -> f32x8<S> {
    (fine - (rounded << 8)).to_float::<f32x8<S>>() * RESIDUAL_UNIT
}
