//! Spans of triangles of more than 4 x 4 pixels: the ends of eight rows at once, into a list that
//! `fill.rs` works off.
//!
//! Span ends are exact. Edge functions are counted in whole pixels (a step to the right changes
//! them by a multiple of 256), and a span ends at the floor of a quotient of integers: a quotient
//! plus half a unit is never nearer than half a divisor to a whole number, so f32 (mid) and f64
//! (big) reciprocals round to the right side (docs/rasterization.md).

use fearless_simd::{Simd, f32x8, i32x8, mask32x8, prelude::*};

use super::super::bands::Band;
use super::super::shade::{ATTRIBUTES, Gradients, MIN_RECIPROCAL, TEXEL_RANGE};
use super::super::surface::Surface;
use super::compact::Compaction;
use super::cull::Scissor;
use super::deferred::Deferred;
use super::fetch::Memory;
use super::floor::eight::floor;
use super::setup::{Edges, Group, Weights, extremes};
use super::shade;

/// Edge functions of the eight triangles of a group, in whole pixels where span ends are found.
#[derive(Default)]
pub(super) struct Scratch {
    /// Biased edge functions over 256 at the box's first pixel plus a half, and their change per row.
    at: [[f32; 8]; 3],
    dx: [[f32; 8]; 3],
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
    /// Corrections of the weights, and their corrected change per pixel to the right and per row down.
    correction: [[[f32; 8]; 2]; 3],
    weight_step_x: [[f32; 8]; 2],
    weight_step_y: [[f32; 8]; 2],
    largest_correction: [f32; 8],
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
        let at = (edges.start[edge] + edges.bias[edge]) >> 8;
        scratch.at[edge] = (at.to_float::<f32x8<S>>() + 0.5).into();
        scratch.dx[edge] = edges.dx[edge].to_float::<f32x8<S>>().into();
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
        scratch.weight_step_x[i] = weights.step_x[i].into();
        scratch.weight_step_y[i] = weights.step_y[i].into();
    }
    scratch.largest_correction = weights.largest_correction.into();
}

/// Spans of eight rows.
pub(super) struct Spans<S: Simd> {
    /// First column inside the scissor, and number of columns (0 or less: none).
    first: i32x8<S>,
    count: i32x8<S>,
    /// Columns from the triangle's own left end to the first.
    skipped: f32x8<S>,
    /// Weights of the second and third corner at the triangle's own left end.
    weights: [f32x8<S>; 2],
}

/// Spans that wait to be filled.
///
/// All spans of a group of triangles are found before the first is filled: what the loop over them
/// branches on is then known long before, and wrong guesses of the processor cost little.
pub(super) struct List<const GATHER: bool> {
    /// Index of the first pixel in the band.
    pub(super) place: [i32; CAPACITY],
    pub(super) count: [i32; CAPACITY],
    /// Columns from the triangle's own left end to the first pixel, and to behind the last.
    pub(super) skipped: [f32; CAPACITY],
    pub(super) end: [f32; CAPACITY],
    pub(super) weights: [[f32; CAPACITY]; 2],
    /// Number of the triangle in its group.
    pub(super) lane: [i32; CAPACITY],
    pub(super) length: usize,
    /// Triangles of the group, as bits, of which a pixel passed the depth test.
    pub(super) seen: u32,
    /// Attributes of each triangle at its first corner, the differences to it at the others, and
    /// the change per pixel to the right.
    pub(super) planes: [[[f32; 8]; 4]; 8],
    pub(super) gradients: [Gradients; 8],
    /// At all covered pixels 1/w is above [`MIN_RECIPROCAL`], light is not below 0, and coordinates are not
    /// below 0 (where texels are filtered, not below what `Shading::least_exact` says) and not too large for
    /// numbers of texels: texels are found without holding them within. Of the nearest texel and of plain blocks.
    pub(super) in_range: [bool; 8],
    pub(super) memory: Memory<GATHER>,
    /// What of the spans is tested and not coloured yet: nothing where texels are gathered.
    pub(super) deferred: Deferred,
}

/// Eight triangles of at most 91 rows, eight rows at a time.
pub(super) const CAPACITY: usize = 8 * 96 + 8;

impl<const GATHER: bool> Default for List<GATHER> {
    fn default() -> Self {
        Self {
            place: [0; CAPACITY],
            count: [0; CAPACITY],
            skipped: [0.0; CAPACITY],
            end: [0.0; CAPACITY],
            weights: [[0.0; CAPACITY]; 2],
            lane: [0; CAPACITY],
            length: 0,
            seen: 0,
            planes: [[[0.0; 8]; 4]; 8],
            gradients: [Gradients::default(); 8],
            in_range: [false; 8],
            memory: Memory::default(),
            deferred: Deferred::default(),
        }
    }
}

impl<const GATHER: bool> List<GATHER> {
    /// Adds the rows that have pixels, and empty ones up to a multiple of `at_once`. `place` is the
    /// index of the first row's first pixel.
    #[inline(always)]
    pub(super) fn push<S: Simd>(
        &mut self,
        simd: S,
        spans: &Spans<S>,
        lane: usize,
        place: usize,
        stride: usize,
        at_once: usize,
    ) {
        let some = spans.count.simd_gt(0);
        let from = self.length.min(CAPACITY - 8);
        let rows = i32x8::load_array(simd, ROWS) * stride as i32 + place as i32;
        let compaction = Compaction::new(simd, some);
        compaction.store_ints(rows + spans.first, &mut self.place[from..from + 8]);
        compaction.store_ints(spans.count, &mut self.count[from..from + 8]);
        compaction.store_floats(spans.skipped, &mut self.skipped[from..from + 8]);
        let end = spans.skipped + spans.count.to_float::<f32x8<S>>();
        compaction.store_floats(end, &mut self.end[from..from + 8]);
        for i in 0..2 {
            compaction.store_floats(spans.weights[i], &mut self.weights[i][from..from + 8]);
        }
        i32x8::splat(simd, lane as i32).store_slice(&mut self.lane[from..from + 8]);
        let count = some.to_bitmask().count_ones() as usize;
        // A power of two; the processor should not divide.
        self.length = from + ((count + at_once - 1) & !(at_once - 1));
    }

    /// Sets the attributes of a triangle. The steps are the changes of the second and third weight per
    /// pixel to the right and per row down, no weight is corrected by more than `correction`.
    #[inline(always)]
    pub(super) fn set_plane<S: Simd>(
        &mut self,
        simd: S,
        surface: &Surface<'_>,
        corners: [usize; 3],
        [step_x, step_y]: [[f32; 2]; 2],
        correction: f32,
        lane: usize,
    ) {
        let first = surface.record(simd, corners[0]);
        let (second, third) = (surface.record(simd, corners[1]), surface.record(simd, corners[2]));
        if shade::is_nearest(&surface.shading) {
            let extremes = extremes([first, second, third], correction);
            self.in_range[lane & 7] = in_range(simd, extremes, LEAST, MOST);
        } else if let Some(blocks) = surface.plain_blocks {
            let extremes = extremes([first, second, third], correction);
            let least = least_filtered(extremes[1], surface.shading.least_exact(blocks));
            self.in_range[lane & 7] =
                in_range(simd, extremes, least, const { largest(LARGEST_FILTERED) });
        }
        let (second, third) = (second - first, third - first);
        let plane = &mut self.planes[lane & 7];
        first.store_array(&mut plane[0]);
        second.store_array(&mut plane[1]);
        third.store_array(&mut plane[2]);
        (second * step_x[0] + third * step_x[1]).store_array(&mut plane[3]);
        if surface.shading.needs_gradients() {
            let down: [f32; 8] = (second * step_y[0] + third * step_y[1]).into();
            let Gradients { x, y } = &mut self.gradients[lane & 7];
            x.copy_from_slice(&plane[3][..ATTRIBUTES]);
            y.copy_from_slice(&down[..ATTRIBUTES]);
        }
    }
}

/// Filtered coordinates below it are, times 256, below 2^31.
const LARGEST_FILTERED: f32 = 4_000_000.0;

/// Of attributes in the first lanes: those of the nearest texel, which are at least so large, and times 1/w
/// at most. It is less than the range of texel numbers by more than is rounded.
const LEAST: [f32; 8] = [NONE, 2.0 * MIN_RECIPROCAL, 0.0, 0.0, 0.0, NONE, NONE, NONE];
const MOST: [f32; 8] = largest(0.9 * TEXEL_RANGE);
const NONE: f32 = f32::NEG_INFINITY;

/// The same for any coordinates.
const fn largest(coordinate: f32) -> [f32; 8] {
    const ANY: f32 = f32::INFINITY;
    [ANY, ANY, coordinate, coordinate, ANY, ANY, ANY, ANY]
}

/// See [`List::in_range`].
#[inline(always)]
fn in_range<S: Simd>(simd: S, [min, max]: [f32x8<S>; 2], least: [f32; 8], most: [f32; 8]) -> bool {
    let smallest: [f32; 8] = min.into();
    let most = f32x8::load_array(simd, most) * smallest[1];
    let counts = mask32x8::from_bitmask(simd, 0b1_1110);
    let fits = min.simd_ge(f32x8::load_array(simd, least)) & max.simd_le(most);
    (fits | !counts).all_true()
}

/// As [`LEAST`], of filtered texels: coordinates are at least `[a, b]` wherever 1/w is below its `max`.
#[inline(always)]
fn least_filtered<S: Simd>(max: f32x8<S>, [a, b]: [f32; 2]) -> [f32; 8] {
    let largest: [f32; 8] = max.into();
    let mut least = LEAST;
    (least[2], least[3]) = (a * largest[1], b * largest[1]);
    least
}

/// Farther than any span end; a float that is added to without rounding.
pub(super) const NO_END: f32 = 1e7;

/// Lists the spans of triangle `lane` of the prepared group; its corners are in drawing order.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one call in the hot loop, all of it is needed")]
pub(super) fn list<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    corners: [u32; 3],
    lane: usize,
    scissor: Scissor,
    scratch: &Scratch,
    band: &Band<'_>,
    at_once: usize,
    list: &mut List<GATHER>,
) {
    let corners = [corners[0] as usize, corners[1] as usize, corners[2] as usize];
    let mut step = [[0.0; 2]; 2];
    for i in 0..2 {
        step[0][i] = scratch.weight_step_x[i][lane];
        step[1][i] = scratch.weight_step_y[i][lane];
    }
    list.set_plane(simd, surface, corners, step, scratch.largest_correction[lane], lane);
    let last = scratch.y[1][lane].min(scissor.rows[1]);
    let mut top = scratch.y[0][lane].max(scissor.rows[0]);
    while top <= last {
        let spans = spans(simd, scratch, lane, top, last, scissor.columns);
        list.push(simd, &spans, lane, band.place(0, top), band.stride, at_once);
        top += 8;
    }
}

#[inline(always)]
fn spans<S: Simd>(
    simd: S,
    scratch: &Scratch,
    lane: usize,
    top: i32,
    last: i32,
    columns: [i32; 2],
) -> Spans<S> {
    let [x0, x1] = [scratch.x[0][lane], scratch.x[1][lane]];
    let row = i32x8::load_array(simd, ROWS) + (top - scratch.y[0][lane]);
    let row_float = row.to_float::<f32x8<S>>();
    let mut left = f32x8::splat(simd, 0.0);
    let mut right = f32x8::splat(simd, (x1 - x0) as f32);
    for edge in 0..3 {
        // Whole numbers and halves below 2^23: exact.
        let at = row_float * scratch.dx[edge][lane] + scratch.at[edge][lane];
        let quotient = floor(at * scratch.reciprocal[edge][lane]);
        left = left.max(f32x8::splat(simd, scratch.left[edge][lane]) - quotient);
        right = right.min(quotient + scratch.right[edge][lane]);
    }
    // Rows without a span may end anywhere: keep them in the range of integers.
    let ends = [left.min(NO_END), right.max(-NO_END)];
    let left = ends[0].to_int::<i32x8<S>>();
    let mut rounded = [f32x8::splat(simd, 0.0); 2];
    for i in 0..2 {
        let at = row * scratch.step_y[i][lane] + scratch.start[i][lane];
        let at = at + left * scratch.step_x[i][lane];
        rounded[i] = at.to_float::<f32x8<S>>() * scratch.inverse[lane];
    }
    let mut correction = [[0.0; 2]; 3];
    for corner in 0..3 {
        for i in 0..2 {
            correction[corner][i] = scratch.correction[corner][i][lane];
        }
    }
    finished(simd, ends, rounded, &correction, x0, last - top + 1, columns)
}

/// Turns ends of spans, relative to the first column `x0` of the box, into spans inside the scissor.
/// `rounded` are the weights of the rounded corners at the left ends.
#[inline(always)]
pub(super) fn finished<S: Simd>(
    simd: S,
    [left, right]: [f32x8<S>; 2],
    rounded: [f32x8<S>; 2],
    correction: &[[f32; 2]; 3],
    x0: i32,
    rows: i32,
    columns: [i32; 2],
) -> Spans<S> {
    let mut weights = [f32x8::splat(simd, 0.0); 2];
    let [first, second, third] = correction;
    for i in 0..2 {
        let correction = (rounded[0] * second[i] + first[i]) + rounded[1] * third[i];
        weights[i] = rounded[i] - correction;
    }
    let left = left.to_int::<i32x8<S>>();
    let start = left.max(columns[0] - x0);
    let last = right.to_int::<i32x8<S>>().min(columns[1] - x0);
    let inside = i32x8::load_array(simd, ROWS).simd_lt(rows);
    let count = inside.select(last - start + 1, i32x8::splat(simd, 0));
    Spans { first: start + x0, count, skipped: (start - left).to_float::<f32x8<S>>(), weights }
}

pub(super) const ROWS: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
