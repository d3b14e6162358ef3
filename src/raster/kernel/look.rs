//! Looks at clusters of triangles, eight at once: where they are on the screen, and whether they face away. See
//! `eye.rs`.

use fearless_simd::{f32x8, i32x8, prelude::*};

use super::super::eye::{Eye, Form, ROUNDING};
use super::vectors::Vectors;
use crate::pose::ClusterBounds;

/// Pixels that may be beside what is computed: a pixel's centre, and more than any rounding.
const BESIDE: f32 = 2.0;

/// Which of eight clusters can be seen, and where.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// First and last row of the picture.
    pub(crate) rows: [[i32; 8]; 2],
    /// Clusters that can be seen, as bits.
    pub(crate) lanes: u32,
}

/// Looks at clusters, and returns the first and last column and row of those that can be seen.
#[inline(always)]
pub(super) fn look<S: Vectors>(
    simd: S,
    eye: &Eye,
    clusters: &[ClusterBounds],
    size: [i32; 2],
    found: &mut [Seen],
) -> [[i32; 2]; 2] {
    let (most, least) = (i32x8::splat(simd, i32::MAX), i32x8::splat(simd, i32::MIN));
    let mut all = [[most, least]; 2];
    for (eight, found) in clusters.iter().zip(found) {
        let (ends, lanes) = look_at_eight(simd, eye, eight, size);
        let seen = lanes.simd_ne(0);
        for axis in 0..2 {
            all[axis][0] = all[axis][0].min(seen.select(ends[axis][0], most));
            all[axis][1] = all[axis][1].max(seen.select(ends[axis][1], least));
        }
        let lanes = seen.to_bitmask() as u32;
        *found = Seen { rows: [ends[1][0].into(), ends[1][1].into()], lanes };
    }
    [
        [all[0][0].reduce_min(), all[0][1].reduce_max()],
        [all[1][0].reduce_min(), all[1][1].reduce_max()],
    ]
}

/// First and last columns and rows of eight clusters, and what is not zero of those that can be seen.
#[inline(always)]
fn look_at_eight<S: Vectors>(
    simd: S,
    eye: &Eye,
    clusters: &ClusterBounds,
    size: [i32; 2],
) -> ([[i32x8<S>; 2]; 2], i32x8<S>) {
    let load = |values: &[f32; 8]| f32x8::load_array_ref(simd, values);
    let ClusterBounds { centre, half, axis, cos, sin, height } = clusters;
    let centre = [load(&centre[0]), load(&centre[1]), load(&centre[2])];
    let half = [load(&half[0]), load(&half[1]), load(&half[2])];
    let axis = [load(&axis[0]), load(&axis[1]), load(&axis[2])];
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    let [near, far] = range(simd, &eye.w, centre, half);
    let (by_near, by_far) = (one / near, one / far);
    let is_near = near.simd_le(0.0);
    let mut ends = [[i32x8::splat(simd, 0); 2]; 2];
    let mut farthest = [zero; 2];
    let mut outside = i32x8::splat(simd, 0);
    for i in 0..2 {
        let form = if i == 0 { &eye.x } else { &eye.y };
        let [low, high] = range(simd, form, centre, half);
        let low = low * low.simd_gt(0.0).select(by_far, by_near);
        let high = high * high.simd_gt(0.0).select(by_near, by_far);
        farthest[i] = low.abs().max(high.abs()) * eye.half[i];
        // y is up there and down here.
        let (low, high) = if i == 0 { (low, high) } else { (zero - high, zero - low) };
        let last = (size[i] - 1) as f32;
        let first = low * eye.half[i] + (eye.half[i] - BESIDE);
        let behind = high * eye.half[i] + (eye.half[i] + BESIDE);
        // What is no number is not above or below anything: then it is the whole picture.
        let first = first.simd_gt(0.0).select(first.min(last + 1.0), zero);
        let end = f32x8::splat(simd, last);
        let behind = behind.simd_lt(last).select(behind.max(-1.0), end);
        let first = is_near.select(zero, first).to_int::<i32x8<S>>();
        let behind = is_near.select(end, behind).to_int::<i32x8<S>>();
        ends[i] = [first, behind];
        outside |= behind - first;
    }
    let d = eye.determinant;
    let q = [
        centre[0] * d + eye.offset[0],
        centre[1] * d + eye.offset[1],
        centre[2] * d + eye.offset[2],
    ];
    let along = q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2];
    let square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    let across = ((square - along * along).max(0.0) + square * ROUNDING).sqrt();
    let radius = (half[0] * half[0] + half[1] * half[1] + half[2] * half[2]).sqrt();
    let most = (load(cos) * along + load(sin) * across) + (radius * d.abs() + eye.rounding);
    let beside = (farthest[0] * farthest[0] + farthest[1] * farthest[1]).sqrt();
    let growth = beside * eye.w.slope + eye.growth;
    let least = (far * far * far) * growth * eye.displaced;
    let area = near * (eye.half[0] * eye.half[1]) * load(height);
    let faces_away = (most * area).simd_lt(zero - least) & !is_near;
    let hidden = faces_away | outside.simd_lt(0);
    (ends, hidden.select(i32x8::splat(simd, 0), i32x8::splat(simd, 1)))
}

/// The least and the greatest value of a form in a box.
#[inline(always)]
fn range<S: Vectors>(
    simd: S,
    form: &Form,
    centre: [f32x8<S>; 3],
    half: [f32x8<S>; 3],
) -> [f32x8<S>; 2] {
    let [a, b, c, d] = form.row;
    let middle = centre[0] * a + centre[1] * b + centre[2] * c + f32x8::splat(simd, d);
    let beside = half[0] * a.abs() + half[1] * b.abs() + half[2] * c.abs() + form.rounding;
    [middle - beside, middle + beside]
}
