//! Triangles of more than 4 x 4 pixels: the ends of eight spans at once, then eight pixels at once
//! from a span's left end.
//!
//! Span ends are exact. Edge functions are counted in whole pixels (a step to the right changes
//! them by a multiple of 256), and a span ends at the floor of a quotient of integers: a quotient
//! plus half a unit is never nearer than half a divisor to a whole number, so f32 (mid) and f64
//! (big) reciprocals round to the right side (docs/rasterization.md).

use fearless_simd::{Simd, f32x8, i32x8, prelude::*};

use super::super::bins::Band;
use super::super::setup::Triangle;
use super::super::shade::{ATTRIBUTES, Gradients};
use super::super::vertex::point;
use super::group::{Edges, Group, Window};
use super::{Surface, shade};

/// Edge functions of the eight triangles of a group.
#[derive(Default)]
pub(super) struct Scratch {
    start: [[i32; 8]; 3],
    bias: [[i32; 8]; 3],
    dx: [[i32; 8]; 3],
    dy: [[i32; 8]; 3],
    x: [[i32; 8]; 2],
    y: [[i32; 8]; 2],
    inverse: [f32; 8],
}

#[inline(always)]
pub(super) fn prepare<S: Simd>(
    group: &Group<S>,
    edges: &Edges<S>,
    inverse: f32x8<S>,
    scratch: &mut Scratch,
) {
    for edge in 0..3 {
        scratch.start[edge] = edges.start[edge].into();
        scratch.bias[edge] = edges.bias[edge].into();
        scratch.dx[edge] = edges.dx[edge].into();
        scratch.dy[edge] = edges.dy[edge].into();
    }
    for end in 0..2 {
        scratch.x[end] = group.x[end].into();
        scratch.y[end] = group.y[end].into();
    }
    scratch.inverse = inverse.into();
}

/// The attributes of a triangle in the lanes of vectors.
#[derive(Clone, Copy)]
struct VectorPlanes<S: Simd> {
    first: f32x8<S>,
    second: f32x8<S>,
    third: f32x8<S>,
}

impl<S: Simd> VectorPlanes<S> {
    #[inline(always)]
    fn new(simd: S, surface: &Surface<'_>, corners: [usize; 3]) -> Self {
        let load = |corner: usize| {
            let at = corner * ATTRIBUTES;
            f32x8::from_slice(simd, &surface.attributes[at..at + 8])
        };
        let [first, second, third] = [load(corners[0]), load(corners[1]), load(corners[2])];
        Self { first, second: second - first, third: third - first }
    }

    #[inline(always)]
    fn at(&self, b: f32, c: f32) -> f32x8<S> {
        (self.first + self.second * b) + self.third * c
    }

    #[inline(always)]
    fn step(&self, b: f32, c: f32) -> [f32x8<S>; ATTRIBUTES] {
        let step: [f32; 8] = (self.second * b + self.third * c).into();
        std::array::from_fn(
            #[inline(always)]
            |i| f32x8::splat(self.first.simd, step[i]),
        )
    }
}

/// Farther than any span end; a float that is added to without rounding.
const NO_END: f32 = 1e7;

/// Draws one mid-size triangle of the prepared group.
#[inline(always)]
pub(super) fn draw_mid<S: Simd>(
    simd: S,
    surface: &Surface<'_>,
    corners: [usize; 3],
    lane: usize,
    window: Window,
    scratch: &Scratch,
    band: &mut Band<'_>,
) {
    let planes = VectorPlanes::new(simd, surface, corners);
    let inverse = scratch.inverse[lane];
    let weight_step = |edge: usize| (-scratch.dy[edge][lane] * 256) as f32 * inverse;
    let step = planes.step(weight_step(1), weight_step(2));
    let gradients = gradients(surface, corners);
    let [x0, x1] = [scratch.x[0][lane], scratch.x[1][lane]];
    let [y0, y1] = [scratch.y[0][lane], scratch.y[1][lane]];
    let (first, last) = (y0.max(window.rows[0]), y1.min(window.rows[1]));
    let ramp = i32x8::from_fn(simd, |i| i as i32);
    let mut top = first;
    while top <= last {
        let row = ramp + (top - y0);
        let mut left = f32x8::splat(simd, 0.0);
        let mut right = f32x8::splat(simd, (x1 - x0) as f32);
        for edge in 0..3 {
            let (dx, dy) = (scratch.dx[edge][lane], scratch.dy[edge][lane]);
            let start = (scratch.start[edge][lane] + scratch.bias[edge][lane]) >> 8;
            let at = (row * dx + start).to_float::<f32x8<S>>();
            let quotient = ((at + 0.5) * (1.0 / dy.abs().max(1) as f32)).floor();
            if dy < 0 {
                left = left.max(-quotient);
            } else if dy > 0 {
                right = right.min(quotient);
            }
        }
        // Rows without a span may end anywhere: keep them in the range of integers.
        let left = left.min(NO_END).to_int::<i32x8<S>>();
        let right = right.max(-NO_END).to_int::<i32x8<S>>();
        let weight = |edge: usize| {
            let (dx, dy) = (scratch.dx[edge][lane] * 256, scratch.dy[edge][lane] * 256);
            let at = (row * dx + scratch.start[edge][lane]) - left * dy;
            at.to_float::<f32x8<S>>() * inverse
        };
        let weights: [[f32; 8]; 2] = [weight(1).into(), weight(2).into()];
        let (lefts, rights): ([i32; 8], [i32; 8]) = (left.into(), right.into());
        for i in 0..(last - top + 1).min(8) as usize {
            let start = x0 + lefts[i];
            let columns = [start.max(window.columns[0]), (x0 + rights[i]).min(window.columns[1])];
            if columns[0] <= columns[1] {
                let at = planes.at(weights[0][i], weights[1][i]);
                let span = Span { row: top + i as i32, columns, start };
                fill(simd, surface, at, &step, &gradients, span, band);
            }
        }
        top += 8;
    }
}

/// Draws one big triangle; its corners are in drawing order.
#[inline(always)]
pub(super) fn draw_big<S: Simd>(
    simd: S,
    surface: &Surface<'_>,
    corners: [usize; 3],
    window: Window,
    band: &mut Band<'_>,
) {
    let xy = corners.map(|corner| point(surface.xy[corner]));
    let Some(triangle) = Triangle::new(xy) else { return };
    let planes = VectorPlanes::new(simd, surface, corners);
    let [_, second, third] = &triangle.edges;
    let inverse = 1.0 / triangle.area as f64;
    let weight = |value: i64| (value as f64 * inverse) as f32;
    let step = planes.step(weight(second.step_x()), weight(third.step_x()));
    let gradients = gradients(surface, corners);
    let reciprocals = triangle.edges.map(|edge| edge.reciprocal());
    for row in triangle.y[0].max(window.rows[0])..=triangle.y[1].min(window.rows[1]) {
        let Some([start, end]) = triangle.span(row, &reciprocals) else { continue };
        let columns = [start.max(window.columns[0]), end.min(window.columns[1])];
        if columns[0] > columns[1] {
            continue;
        }
        let at = planes.at(weight(second.at(start, row)), weight(third.at(start, row)));
        let span = Span { row, columns, start };
        fill(simd, surface, at, &step, &gradients, span, band);
    }
}

#[inline(always)]
fn gradients(surface: &Surface<'_>, corners: [usize; 3]) -> Gradients {
    if !surface.shading.needs_gradients() {
        return Gradients::default();
    }
    let xy = corners.map(|corner| point(surface.xy[corner]));
    let triangle = Triangle::new(xy).expect("a triangle that is drawn has a box");
    surface.planes(corners).gradients(&triangle)
}

/// Pixels of one row.
#[derive(Clone, Copy)]
struct Span {
    row: i32,
    /// First and last column that are drawn, inclusive.
    columns: [i32; 2],
    /// The column that the attributes are given at: the triangle's own left end.
    start: i32,
}

#[inline(always)]
fn fill<S: Simd>(
    simd: S,
    surface: &Surface<'_>,
    start: f32x8<S>,
    step: &[f32x8<S>; ATTRIBUTES],
    gradients: &Gradients,
    span: Span,
    band: &mut Band<'_>,
) {
    let start: [f32; 8] = start.into();
    let count = span.columns[1] - span.columns[0] + 1;
    let place = band.place(span.columns[0], span.row);
    let length = (count as usize).next_multiple_of(8);
    let colors = band.color[place..place + length].as_chunks_mut::<8>().0;
    let depths = band.depth[place..place + length].as_chunks_mut::<8>().0;
    let lane = f32x8::from_fn(simd, |i| i as f32);
    let mut x = lane + (span.columns[0] - span.start) as f32;
    let end = (span.columns[1] - span.start) as f32;
    for (colors, depths) in colors.iter_mut().zip(depths) {
        let z = step[0] * x + start[0];
        let old = f32x8::load_array_ref(simd, depths);
        let pass = z.simd_lt(old) & x.simd_le(end);
        if pass.any_true() {
            let at = |i: usize| step[i] * x + start[i];
            let rest = [at(1), at(2), at(3), at(4)];
            if shade::is_fast(&surface.shading) {
                let (color, solid) = shade::eight(simd, &surface.shading, rest);
                let pass = pass & solid;
                pass.select(z, old).store_array(depths);
                let under = fearless_simd::u32x8::load_array_ref(simd, colors);
                pass.select(color, under).store_array(colors);
            } else {
                let [iw, a, b, c] = rest;
                let lanes = shade::Lanes::new([z, iw, a, b, c]);
                lanes.draw(pass.to_bitmask(), &surface.shading, gradients, depths, colors);
            }
        }
        x = x + 8.0;
    }
}
