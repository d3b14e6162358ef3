//! Triangles of more than 4 x 4 pixels: the ends of eight spans at once, then eight pixels at once
//! from a span's left end.
//!
//! Span ends are exact. Edge functions are counted in whole pixels (a step to the right changes
//! them by a multiple of 256), and a span ends at the floor of a quotient of integers: a quotient
//! plus half a unit is never nearer than half a divisor to a whole number, so f32 (mid) and f64
//! (big) reciprocals round to the right side (docs/rasterization.md).

use fearless_simd::{Simd, f32x8, i32x8, prelude::*, u32x8};

use super::super::bins::Band;
use super::super::setup::{self, Triangle};
use super::super::shade::{ATTRIBUTES, Gradients};
use super::group::{Edges, Group, Weights, Window};
use super::{Surface, shade};

/// Edge functions of the eight triangles of a group, in whole pixels where span ends are found.
#[derive(Default)]
pub(super) struct Scratch {
    /// Biased edge functions over 256 at the box's first pixel, and their change per row.
    at: [[i32; 8]; 3],
    dx: [[i32; 8]; 3],
    /// 1 over the change per pixel; what makes a quotient a left or a right end, or no end.
    reciprocal: [[f32; 8]; 3],
    left: [[f32; 8]; 3],
    right: [[f32; 8]; 3],
    /// Edge functions of the second and third corner at the box's first pixel, and their steps.
    start: [[i32; 8]; 2],
    step_x: [[i32; 8]; 2],
    step_y: [[i32; 8]; 2],
    x: [[i32; 8]; 2],
    y: [[i32; 8]; 2],
    inverse: [f32; 8],
    /// Corrections of the weights, and their corrected change per pixel to the right.
    correction: [[[f32; 8]; 2]; 3],
    weight_step: [[f32; 8]; 2],
}

#[inline(always)]
pub(super) fn prepare<S: Simd>(
    simd: S,
    group: &Group<S>,
    edges: &Edges<S>,
    weights: &Weights<S>,
    scratch: &mut Scratch,
) {
    let zero = f32x8::splat(simd, 0.0);
    let one = f32x8::splat(simd, 1.0);
    for edge in 0..3 {
        let dy = edges.dy[edge];
        scratch.at[edge] = ((edges.start[edge] + edges.bias[edge]) >> 8).into();
        scratch.dx[edge] = edges.dx[edge].into();
        scratch.reciprocal[edge] = (one / dy.abs().max(1).to_float::<f32x8<S>>()).into();
        scratch.left[edge] = dy.simd_lt(0).select(zero, zero - NO_END).into();
        scratch.right[edge] = dy.simd_gt(0).select(zero, zero + NO_END).into();
    }
    for (i, edge) in [1, 2].into_iter().enumerate() {
        scratch.start[i] = edges.start[edge].into();
        scratch.step_x[i] = (i32x8::splat(simd, 0) - (edges.dy[edge] << 8)).into();
        scratch.step_y[i] = (edges.dx[edge] << 8).into();
    }
    for end in 0..2 {
        scratch.x[end] = group.x[end].into();
        scratch.y[end] = group.y[end].into();
    }
    scratch.inverse = weights.inverse.into();
    for i in 0..2 {
        for corner in 0..3 {
            scratch.correction[corner][i] = weights.correction[corner][i].into();
        }
        scratch.weight_step[i] = weights.step_x[i].into();
    }
}

/// By which arithmetic a triangle's spans are found.
#[derive(Clone, Copy)]
pub(super) enum Size {
    /// A triangle of the prepared group: 32 bits, eight rows at once.
    Mid(usize),
    /// 64 bits, row by row.
    Big,
}

/// Spans of up to eight rows.
struct Spans {
    /// First column inside the window, and number of columns (0 or less: none).
    first: [i32; 8],
    count: [i32; 8],
    /// Columns from the triangle's own left end to the first.
    skipped: [f32; 8],
    /// Weights of the second and third corner at the triangle's own left end.
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
            let step = [scratch.weight_step[0][lane], scratch.weight_step[1][lane]];
            (step, [scratch.y[0][lane], scratch.y[1][lane]])
        }
        (_, Some(big)) => (big.weights.step_x, big.triangle.y),
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
            (Size::Mid(lane), _) => mid_spans(simd, scratch, lane, top, window.columns),
            (_, Some(big)) => big.spans(top, last, window.columns),
            (Size::Big, None) => return,
        };
        let mut place = band.place(0, top);
        for i in 0..(last - top + 1).min(8) as usize {
            if spans.count[i] > 0 {
                let at = (first + second * spans.weights[0][i]) + third * spans.weights[1][i];
                let span = Span {
                    place: place + spans.first[i] as usize,
                    count: spans.count[i],
                    skipped: spans.skipped[i],
                };
                fill(simd, surface, at, &steps, &gradients, span, band);
            }
            place += band.stride;
        }
        top += 8;
    }
}

#[inline(always)]
fn mid_spans<S: Simd>(
    simd: S,
    scratch: &Scratch,
    lane: usize,
    top: i32,
    columns: [i32; 2],
) -> Spans {
    let [x0, x1] = [scratch.x[0][lane], scratch.x[1][lane]];
    let row = i32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]) + (top - scratch.y[0][lane]);
    let mut left = f32x8::splat(simd, 0.0);
    let mut right = f32x8::splat(simd, (x1 - x0) as f32);
    for edge in 0..3 {
        let at = row * scratch.dx[edge][lane] + scratch.at[edge][lane];
        let at = at.to_float::<f32x8<S>>() + 0.5;
        let quotient = (at * scratch.reciprocal[edge][lane]).floor();
        left = left.max(f32x8::splat(simd, scratch.left[edge][lane]) - quotient);
        right = right.min(quotient + scratch.right[edge][lane]);
    }
    // Rows without a span may end anywhere: keep them in the range of integers.
    let left = left.min(NO_END).to_int::<i32x8<S>>();
    let right = right.max(-NO_END).to_int::<i32x8<S>>();
    let mut plain = [f32x8::splat(simd, 0.0); 2];
    for i in 0..2 {
        let at = row * scratch.step_y[i][lane] + scratch.start[i][lane];
        let at = at + left * scratch.step_x[i][lane];
        plain[i] = at.to_float::<f32x8<S>>() * scratch.inverse[lane];
    }
    let mut weights = [[0.0; 8]; 2];
    for i in 0..2 {
        let [first, second, third] = &scratch.correction;
        let (first, second, third) = (first[i][lane], second[i][lane], third[i][lane]);
        let correction = (plain[0] * second + first) + plain[1] * third;
        weights[i] = (plain[i] - correction).into();
    }
    let first = left.max(columns[0] - x0);
    let last = right.min(columns[1] - x0);
    Spans {
        first: (first + x0).into(),
        count: (last - first + 1).into(),
        skipped: (first - left).to_float::<f32x8<S>>().into(),
        weights,
    }
}

/// A triangle whose edge functions need 64 bits.
struct Big {
    triangle: Triangle,
    reciprocals: [f64; 3],
    weights: setup::Weights,
}

impl Big {
    fn new(surface: &Surface<'_>, corners: [usize; 3]) -> Option<Self> {
        let triangle = Triangle::new(corners.map(|corner| surface.xy[corner]))?;
        let reciprocals = triangle.edges.map(|edge| edge.reciprocal());
        Some(Self { triangle, reciprocals, weights: setup::Weights::new(&triangle) })
    }

    fn spans(&self, top: i32, last: i32, columns: [i32; 2]) -> Spans {
        let mut spans =
            Spans { first: [0; 8], count: [0; 8], skipped: [0.0; 8], weights: [[0.0; 8]; 2] };
        for (i, row) in (top..=last.min(top + 7)).enumerate() {
            if let Some([start, end]) = self.triangle.span(row, &self.reciprocals) {
                let first = start.max(columns[0]);
                spans.first[i] = first;
                spans.count[i] = end.min(columns[1]) - first + 1;
                spans.skipped[i] = (first - start) as f32;
                let weights = self.weights.at(self.triangle.second_and_third(start, row));
                (spans.weights[0][i], spans.weights[1][i]) = (weights[0], weights[1]);
            }
        }
        spans
    }
}

#[inline(always)]
fn gradients(surface: &Surface<'_>, corners: [usize; 3]) -> Gradients {
    if surface.shading.needs_gradients() {
        surface.gradients(corners)
    } else {
        Gradients::default()
    }
}

/// Pixels of one row.
#[derive(Clone, Copy)]
struct Span {
    /// Index of the first pixel in the band.
    place: usize,
    count: i32,
    /// Pixels from where the attributes are given, the triangle's own left end, to the first.
    skipped: f32,
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
    let mut colors = &mut band.color[span.place..];
    let mut depths = &mut band.depth[span.place..];
    let mut x = f32x8::load_array(simd, RAMP) + span.skipped;
    let end = span.skipped + span.count as f32;
    let mut left = span.count;
    // Rows are padded: eight pixels from any pixel of a row on are inside.
    while let (Some((color8, more_colors)), Some((depth8, more_depths))) =
        (colors.split_first_chunk_mut::<8>(), depths.split_first_chunk_mut::<8>())
    {
        let z = step[0] * x + start[0];
        let old = f32x8::load_array_ref(simd, depth8);
        let pass = z.simd_lt(old) & x.simd_lt(end);
        if pass.any_true() {
            let iw = step[1] * x + start[1];
            let a = step[2] * x + start[2];
            let b = step[3] * x + start[3];
            let c = step[4] * x + start[4];
            if let Some(plain) = &surface.plain {
                let color = plain.eight(simd, [iw, a, b, c]);
                pass.select(z, old).store_array(depth8);
                let under = u32x8::load_array_ref(simd, color8);
                pass.select(color, under).store_array(color8);
            } else if shade::is_fast(&surface.shading) {
                let (color, solid) = shade::eight(simd, &surface.shading, [iw, a, b, c]);
                let pass = pass & solid;
                pass.select(z, old).store_array(depth8);
                let under = u32x8::load_array_ref(simd, color8);
                pass.select(color, under).store_array(color8);
            } else {
                let lanes = shade::Lanes::new([z, iw, a, b, c]);
                lanes.draw(pass.to_bitmask(), &surface.shading, gradients, depth8, color8);
            }
        }
        left -= 8;
        if left <= 0 {
            break;
        }
        (colors, depths) = (more_colors, more_depths);
        x += 8.0;
    }
}

const RAMP: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
