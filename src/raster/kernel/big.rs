//! Triangles whose edge functions need more than 32 bits: as in `span.rs`, in f64, which holds whole
//! numbers of 53 bits.

use fearless_simd::{f32x8, f64x8, i32x8, prelude::*};

use super::super::bands::Band;
use super::super::setup::{self, Triangle};
use super::super::shade::ATTRIBUTES;
use super::super::surface::Surface;
use super::boxes::Scissor;
use super::fill;
use super::floor::floor_of_doubles;
use super::list::{List, ROWS, Spans};
use super::span::{NO_END, finished};
use super::vectors::Vectors;

/// Rows whose spans are listed before they are filled.
const BATCH: usize = 32;

/// Draws a triangle if it faces the eye; its corners are in file order.
#[inline(never)]
pub(super) fn draw<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    corners: [u32; 3],
    lane: usize,
    scissor: Scissor,
    band: &mut Band<'_>,
    list: &mut List<GATHER>,
) {
    simd.vectorize(
        #[inline(always)]
        || draw_inline(simd, surface, corners, lane, scissor, band, list),
    );
}

#[inline(always)]
fn draw_inline<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    corners: [u32; 3],
    lane: usize,
    scissor: Scissor,
    band: &mut Band<'_>,
    list: &mut List<GATHER>,
) {
    let mut slots = [0; 3];
    for corner in 0..3 {
        slots[corner] = corners[corner] as usize / ATTRIBUTES;
    }
    let ordered = setup::drawing_order(surface.xy, slots, surface.cull);
    let Some(slots) = ordered else { return };
    let Some(big) = Big::new(surface, slots) else { return };
    let mut corners = [0; 3];
    for corner in 0..3 {
        corners[corner] = (slots[corner] * ATTRIBUTES) as u32;
    }
    list.set_plane(simd, surface, corners, big.weight_steps, big.largest_correction, lane);
    list.set_steps(simd, lane);
    list.set_magnified(simd, surface, big.largest_correction, false, lane);
    let last = big.y[1].min(scissor.rows[1]);
    let mut top = big.y[0].max(scissor.rows[0]);
    let strip = fill::strip::<S, GATHER>(surface, false);
    // Spans of other triangles of the group may wait in the list.
    let (first, slots) = (list.length, list.slots);
    while top <= last {
        while top <= last && list.slots < slots + BATCH {
            let spans = big.spans(simd, top, last, scissor.columns);
            list.push(simd, &spans, lane, band.place(0, top), band.stride);
            top += 8;
        }
        list.fill_up(strip);
        fill::spans(simd, surface, list, first..list.length, strip, band);
        (list.length, list.slots) = (first, slots);
    }
}

/// A triangle with its edge functions in f64.
struct Big {
    x: [i32; 2],
    y: [i32; 2],
    /// Edge functions at the box's first pixel, their bias and their steps.
    start: [f64; 3],
    bias: [f64; 3],
    step_x: [f64; 3],
    step_y: [f64; 3],
    /// 1 over the change per pixel, in units of 256; what makes a quotient a left or a right end, or
    /// no end.
    reciprocal: [f64; 3],
    left: [f64; 3],
    right: [f64; 3],
    /// 1 / area.
    inverse: f64,
    correction: [[f32; 2]; 3],
    /// Per pixel to the right, per row down.
    weight_steps: [[f32; 2]; 2],
    largest_correction: f32,
}

/// As [`NO_END`], for quotients of edge functions of 51 bits.
const NO_BIG_END: f64 = 1e18;

impl Big {
    fn new(surface: &Surface<'_>, corners: [usize; 3]) -> Option<Self> {
        let triangle = Triangle::new(corners.map(|corner| surface.xy[corner]))?;
        let weights = setup::Weights::new(&triangle);
        let (x, y, edges) = (triangle.x, triangle.y, &triangle.edges);
        let pick = |no: f64, end: bool| if end { 0.0 } else { no };
        Some(Self {
            x,
            y,
            start: edges.map(|edge| edge.at(x[0], y[0]) as f64),
            bias: edges.map(|edge| if edge.covers(0) { 0.0 } else { -1.0 }),
            step_x: edges.map(|edge| edge.step_x() as f64),
            step_y: edges.map(|edge| edge.step_y() as f64),
            reciprocal: edges.map(|edge| edge.reciprocal()),
            left: edges.map(|edge| pick(-NO_BIG_END, edge.step_x() > 0)),
            right: edges.map(|edge| pick(NO_BIG_END, edge.step_x() < 0)),
            inverse: 1.0 / triangle.area as f64,
            correction: weights.correction,
            weight_steps: [weights.step_x, weights.step_y],
            largest_correction: weights.largest_correction,
        })
    }

    #[inline(always)]
    fn spans<S: Vectors>(&self, simd: S, top: i32, last: i32, columns: [i32; 2]) -> Spans<S> {
        let mut row = f64x8::load_array(simd, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        row += f64::from(top - self.y[0]);
        let mut left = f64x8::splat(simd, 0.0);
        let mut right = f64x8::splat(simd, f64::from(self.x[1] - self.x[0]));
        for edge in 0..3 {
            let at = row * self.step_y[edge] + (self.start[edge] + self.bias[edge]);
            let at = floor_of_doubles(at * (1.0 / 256.0)) + 0.5;
            let quotient = floor_of_doubles(at * self.reciprocal[edge]);
            left = left.max(f64x8::splat(simd, self.left[edge]) - quotient);
            right = right.min(quotient + self.right[edge]);
        }
        let left = left.min(f64::from(NO_END));
        let right = right.max(-f64::from(NO_END));
        let mut rounded = [f32x8::splat(simd, 0.0); 2];
        for i in 0..2 {
            let at = row * self.step_y[i + 1] + self.start[i + 1];
            let at = at + left * self.step_x[i + 1];
            rounded[i] = narrowed(at * self.inverse);
        }
        let ends = [narrowed(left), narrowed(right)];
        let mut correction = [[f32x8::splat(simd, 0.0); 2]; 3];
        for corner in 0..3 {
            for i in 0..2 {
                correction[corner][i] = f32x8::splat(simd, self.correction[corner][i]);
            }
        }
        let x0 = i32x8::splat(simd, self.x[0]);
        let inside = i32x8::load_array(simd, ROWS).simd_le(last - top);
        finished(simd, ends, rounded, &correction, x0, inside, columns)
    }
}

/// The nearest f32.
#[inline(always)]
fn narrowed<S: Vectors>(v: f64x8<S>) -> f32x8<S> {
    let (low, high) = v.split();
    low.narrow(high)
}
