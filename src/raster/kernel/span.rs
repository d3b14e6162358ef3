//! Triangles of more than 4 x 4 pixels: the ends of eight spans at once, then eight pixels at once
//! from a span's left end.
//!
//! Span ends are exact. Edge functions are counted in whole pixels (a step to the right changes
//! them by a multiple of 256), and a span ends at the floor of a quotient of integers: a quotient
//! plus half a unit is never nearer than half a divisor to a whole number, so f32 (mid) and f64
//! (big) reciprocals round to the right side (docs/rasterization.md).

use fearless_simd::{Simd, f32x8, i32x8, prelude::*, u32x8};

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

/// By which arithmetic a triangle's spans are found.
#[derive(Clone, Copy)]
pub(super) enum Size {
    /// A triangle of the prepared group: 32 bits, eight rows at once.
    Mid(usize),
    /// 64 bits, row by row.
    Big,
}

/// Spans of up to eight rows: ends as columns of the picture, not clipped, and the weights of the
/// second and third corner at the left end.
struct Spans {
    start: [i32; 8],
    end: [i32; 8],
    weights: [[f32; 8]; 2],
}

/// Farther than any span end; a float that is added to without rounding.
const NO_END: f32 = 1e7;

/// Draws one triangle; its corners are in drawing order.
#[inline(always)]
pub(super) fn draw<S: Simd>(
    simd: S,
    surface: &Surface<'_>,
    corners: [usize; 3],
    size: Size,
    window: Window,
    scratch: &Scratch,
    band: &mut Band<'_>,
) {
    let first = surface.record(simd, corners[0]);
    let second = surface.record(simd, corners[1]) - first;
    let third = surface.record(simd, corners[2]) - first;
    let big = match size {
        Size::Mid(_) => None,
        Size::Big => match Big::new(surface, corners) {
            Some(big) => Some(big),
            None => return,
        },
    };
    let (weights, rows) = match (size, &big) {
        (Size::Mid(lane), _) => {
            (mid_steps(scratch, lane), [scratch.y[0][lane], scratch.y[1][lane]])
        }
        (_, Some(big)) => (big.steps(), big.triangle.y),
        (Size::Big, None) => return,
    };
    let step: [f32; 8] = (second * weights[0] + third * weights[1]).into();
    let mut steps = [f32x8::splat(simd, 0.0); ATTRIBUTES];
    for i in 0..ATTRIBUTES {
        steps[i] = f32x8::splat(simd, step[i]);
    }
    let gradients = gradients(surface, corners);
    let last = rows[1].min(window.rows[1]);
    let mut top = rows[0].max(window.rows[0]);
    while top <= last {
        let spans = match (size, &big) {
            (Size::Mid(lane), _) => mid_spans(simd, scratch, lane, top),
            (_, Some(big)) => big.spans(top, last),
            (Size::Big, None) => return,
        };
        for i in 0..(last - top + 1).min(8) as usize {
            let columns =
                [spans.start[i].max(window.columns[0]), spans.end[i].min(window.columns[1])];
            if columns[0] <= columns[1] {
                let at = (first + second * spans.weights[0][i]) + third * spans.weights[1][i];
                let span = Span { row: top + i as i32, columns, start: spans.start[i] };
                fill(simd, surface, at, &steps, &gradients, span, band);
            }
        }
        top += 8;
    }
}

/// Change of the weights of the second and third corner per pixel to the right.
#[inline(always)]
fn mid_steps(scratch: &Scratch, lane: usize) -> [f32; 2] {
    let inverse = scratch.inverse[lane];
    [(-scratch.dy[1][lane] * 256) as f32 * inverse, (-scratch.dy[2][lane] * 256) as f32 * inverse]
}

#[inline(always)]
fn mid_spans<S: Simd>(simd: S, scratch: &Scratch, lane: usize, top: i32) -> Spans {
    let [x0, x1] = [scratch.x[0][lane], scratch.x[1][lane]];
    let row = i32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]) + (top - scratch.y[0][lane]);
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
    let mut weights = [[0.0; 8]; 2];
    for (i, edge) in [1, 2].into_iter().enumerate() {
        let (dx, dy) = (scratch.dx[edge][lane] * 256, scratch.dy[edge][lane] * 256);
        let at = (row * dx + scratch.start[edge][lane]) - left * dy;
        weights[i] = (at.to_float::<f32x8<S>>() * scratch.inverse[lane]).into();
    }
    Spans { start: (left + x0).into(), end: (right + x0).into(), weights }
}

/// A triangle whose edge functions need 64 bits.
struct Big {
    triangle: Triangle,
    reciprocals: [f64; 3],
    inverse: f64,
}

impl Big {
    fn new(surface: &Surface<'_>, corners: [usize; 3]) -> Option<Self> {
        let triangle = Triangle::new(corners.map(|corner| point(surface.xy[corner])))?;
        let reciprocals = triangle.edges.map(|edge| edge.reciprocal());
        Some(Self { triangle, reciprocals, inverse: 1.0 / triangle.area as f64 })
    }

    fn weights(&self, second: i64, third: i64) -> [f32; 2] {
        [(second as f64 * self.inverse) as f32, (third as f64 * self.inverse) as f32]
    }

    fn steps(&self) -> [f32; 2] {
        let [_, second, third] = &self.triangle.edges;
        self.weights(second.step_x(), third.step_x())
    }

    fn spans(&self, top: i32, last: i32) -> Spans {
        let mut spans = Spans { start: [1; 8], end: [0; 8], weights: [[0.0; 8]; 2] };
        let [_, second, third] = &self.triangle.edges;
        for (i, row) in (top..=last.min(top + 7)).enumerate() {
            if let Some([start, end]) = self.triangle.span(row, &self.reciprocals) {
                (spans.start[i], spans.end[i]) = (start, end);
                let weights = self.weights(second.at(start, row), third.at(start, row));
                (spans.weights[0][i], spans.weights[1][i]) = (weights[0], weights[1]);
            }
        }
        spans
    }
}

#[inline(always)]
fn gradients(surface: &Surface<'_>, corners: [usize; 3]) -> Gradients {
    if surface.shading.needs_gradients() {
        exact_gradients(surface, corners)
    } else {
        Gradients::default()
    }
}

#[cold]
fn exact_gradients(surface: &Surface<'_>, corners: [usize; 3]) -> Gradients {
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
    let lane = f32x8::load_array(simd, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let mut x = lane + (span.columns[0] - span.start) as f32;
    let end = (span.columns[1] - span.start) as f32;
    for (colors, depths) in colors.iter_mut().zip(depths) {
        let z = step[0] * x + start[0];
        let old = f32x8::load_array_ref(simd, depths);
        let pass = z.simd_lt(old) & x.simd_le(end);
        if pass.any_true() {
            let iw = step[1] * x + start[1];
            let a = step[2] * x + start[2];
            let b = step[3] * x + start[3];
            let c = step[4] * x + start[4];
            if shade::is_fast(&surface.shading) {
                let (color, solid) = shade::eight(simd, &surface.shading, [iw, a, b, c]);
                let pass = pass & solid;
                pass.select(z, old).store_array(depths);
                let under = u32x8::load_array_ref(simd, colors);
                pass.select(color, under).store_array(colors);
            } else {
                let lanes = shade::Lanes::new([z, iw, a, b, c]);
                lanes.draw(pass.to_bitmask(), &surface.shading, gradients, depths, colors);
            }
        }
        x = x + 8.0;
    }
}
