//! Spans of triangles of more than 4 x 4 pixels: the ends of eight at once, into a list that
//! `fill.rs` works off.
//!
//! Eight spans are of one row of eight triangles, or of eight rows of one triangle, whichever leaves fewer of them
//! empty. Either way they are kept where they were found, in slots; their order is a list of slots.
//!
//! ```text
//!   eight triangles              slots 8..   row 0 of    A B C D E F G H
//!   of 3, 2, 1, 3 .. rows        slots 16..  row 1 of    A B . D E ...
//!                                slots 24..  row 2 of    A . . D ...
//!   order                        8 16 24, 9 17, 10, 11 19 27, ...
//! ```
//!
//! Span ends are exact. Edge functions are counted in whole pixels (a step to the right changes
//! them by a multiple of 256), and a span ends at the floor of a quotient of integers: a quotient
//! plus half a unit is never nearer than half a divisor to a whole number, so f32 (mid) and f64
//! (big) reciprocals round to the right side (docs/rasterization.md).

use fearless_simd::{Simd, f32x8, i32x8, mask32x8, prelude::*, u16x8, u32x8};

use super::super::bands::Band;
use super::super::shade::{ATTRIBUTES, Gradients, MIN_RECIPROCAL, TEXEL_RANGE};
use super::super::surface::Surface;
use super::cull::{Scissor, bits};
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
    /// Of eight rows after eight, by triangle: bits of those that have pixels, if they were found row by row.
    with_pixels: [[u32; 8]; MOST_ROWS / 8],
}

/// Rows up to which triangles are looked at row by row.
const MOST_ROWS: usize = 16;

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

/// Eight spans, of rows of one triangle or of triangles.
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
    /// Of each slot: index of the first pixel in the band. The first eight slots are of empty spans.
    pub(super) place: [u32; SLOTS],
    pub(super) count: [i32; SLOTS],
    /// Columns from the triangle's own left end to the first pixel, and to behind the last.
    pub(super) skipped: [f32; SLOTS],
    pub(super) end: [f32; SLOTS],
    pub(super) weights: [[f32; SLOTS]; 2],
    /// The first slot that is free.
    pub(super) slots: usize,
    /// Spans in drawing order: their slots times 8, plus the number of the triangle in its group.
    order: [u16; CAPACITY],
    /// How many.
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

/// Eight triangles of at most 91 rows, eight rows at a time, and what `big.rs` lists beside them.
pub(super) const SLOTS: usize = 1024;
/// Eight triangles of at most 91 rows, filled up to fours, and what `big.rs` lists beside them.
const CAPACITY: usize = 1024;
/// Slots of empty spans.
const EMPTY: usize = 8;

impl<const GATHER: bool> Default for List<GATHER> {
    fn default() -> Self {
        Self {
            place: [0; SLOTS],
            count: [0; SLOTS],
            skipped: [0.0; SLOTS],
            end: [0.0; SLOTS],
            weights: [[0.0; SLOTS]; 2],
            slots: EMPTY,
            order: [0; CAPACITY],
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
    /// Slot and triangle of span number `i`.
    #[inline(always)]
    pub(super) fn span(&self, i: usize) -> (usize, usize) {
        let entry = usize::from(self.order[i % CAPACITY]);
        (entry / 8 % SLOTS, entry % 8)
    }

    /// Drops all spans.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        (self.slots, self.length) = (EMPTY, 0);
    }

    /// Adds the spans of eight rows of one triangle that have pixels, and empty ones up to eight. `place` is the
    /// index of the first row's first pixel.
    #[inline(always)]
    pub(super) fn push<S: Simd>(
        &mut self,
        simd: S,
        spans: &Spans<S>,
        lane: usize,
        place: usize,
        stride: usize,
    ) {
        let rows = i32x8::load_array(simd, ROWS) * stride as i32 + place as i32;
        let first = self.slots;
        let some = bits(self.store(spans, rows));
        self.append(simd, some, first, 1, lane);
    }

    /// Keeps eight spans, whose rows begin at indices `rows`, in the next slots; says which have pixels.
    #[inline(always)]
    fn store<S: Simd>(&mut self, spans: &Spans<S>, rows: i32x8<S>) -> mask32x8<S> {
        let slot = self.slots.min(SLOTS - 8);
        let slots = slot..slot + 8;
        let place = (rows + spans.first).bitcast::<u32x8<S>>();
        place.store_slice(&mut self.place[slots.clone()]);
        spans.count.store_slice(&mut self.count[slots.clone()]);
        spans.skipped.store_slice(&mut self.skipped[slots.clone()]);
        let end = spans.skipped + spans.count.to_float::<f32x8<S>>();
        end.store_slice(&mut self.end[slots.clone()]);
        for i in 0..2 {
            spans.weights[i].store_slice(&mut self.weights[i][slots.clone()]);
        }
        self.slots = slot + 8;
        spans.count.simd_gt(0)
    }

    /// Adds those of eight slots, `apart` from the first on, whose bit is set.
    #[inline(always)]
    fn append<S: Simd>(&mut self, simd: S, some: u32, first: usize, apart: usize, lane: usize) {
        let from = self.length.min(CAPACITY - 8);
        let numbers = u16x8::load_array_ref(simd, &SET_BITS[some as usize % 256]);
        let entries = numbers * (8 * apart) as u16 + (8 * first + lane) as u16;
        entries.store_slice(&mut self.order[from..from + 8]);
        self.length = from + some.count_ones() as usize;
    }

    /// Adds empty spans up to a multiple of `at_once`, a power of two of at most 4.
    #[inline(always)]
    pub(super) fn fill_up(&mut self, at_once: usize) {
        let from = self.length.min(CAPACITY - 4);
        self.order[from..from + 4].fill(0);
        self.length = (from + at_once - 1) & !(at_once - 1);
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

/// Finds the spans of triangles `lanes` of the prepared group row by row, if that is less work than triangle by
/// triangle. Returns of how many times eight rows, or 0.
#[inline(always)]
pub(super) fn find<S: Simd, const GATHER: bool>(
    simd: S,
    lanes: u32,
    scissor: Scissor,
    scratch: &mut Scratch,
    band: &Band<'_>,
    list: &mut List<GATHER>,
) -> usize {
    let zero = i32x8::splat(simd, 0);
    let first = i32x8::load_array_ref(simd, &scratch.y[0]);
    let top = first.max(scissor.rows[0]);
    let last = i32x8::load_array_ref(simd, &scratch.y[1]).min(scissor.rows[1]);
    let count = last - top + 1;
    let count = mask32x8::from_bitmask(simd, u64::from(lanes)).select(count, zero);
    let most = count.reduce_max();
    // Eight rows of a triangle cost about 1.7 times as much as a row of eight triangles.
    if most > MOST_ROWS as i32 || 3 * most > 5 * ((count + 7) >> 3).reduce_sum() {
        return 0;
    }
    let mut row = top - first;
    let mut place = (top - band.rows.start) * band.stride as i32;
    let mut next = 0;
    for eight in 0..scratch.with_pixels.len() {
        let (mut bit, mut bits) = (u32x8::splat(simd, 1), u32x8::splat(simd, 0));
        let behind = most.min(next + 8);
        while next < behind {
            let inside = count.simd_gt(next);
            let spans = spans(simd, scratch, None, row, inside, scissor.columns);
            bits |= list.store(&spans, place).select(bit, u32x8::splat(simd, 0));
            bit += bit;
            row += 1;
            place += band.stride as i32;
            next += 1;
        }
        scratch.with_pixels[eight] = bits.into();
        if next == most {
            return eight + 1;
        }
    }
    MOST_ROWS / 8
}

/// Lists the spans of triangle `lane` of the prepared group; of `found` times eight rows they are [`find`]'s.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one call in the hot loop, all of it is needed")]
pub(super) fn list<S: Simd, const GATHER: bool>(
    simd: S,
    found: usize,
    lane: usize,
    scissor: Scissor,
    scratch: &Scratch,
    band: &Band<'_>,
    at_once: usize,
    list: &mut List<GATHER>,
) {
    for (eight, some) in scratch.with_pixels.iter().enumerate().take(found) {
        list.append(simd, some[lane], EMPTY + 64 * eight + lane, 8, lane);
    }
    if found == 0 {
        let last = scratch.y[1][lane].min(scissor.rows[1]);
        let mut top = scratch.y[0][lane].max(scissor.rows[0]);
        while top <= last {
            let row = i32x8::load_array(simd, ROWS) + (top - scratch.y[0][lane]);
            let inside = i32x8::load_array(simd, ROWS).simd_le(last - top);
            let spans = spans(simd, scratch, Some(lane), row, inside, scissor.columns);
            list.push(simd, &spans, lane, band.place(0, top), band.stride);
            top += 8;
        }
    }
    list.fill_up(at_once);
}

/// The values of all triangles of a group, or that of one in every lane.
#[inline(always)]
fn of<S: Simd>(simd: S, values: &[f32; 8], lane: Option<usize>) -> f32x8<S> {
    match lane {
        Some(lane) => f32x8::splat(simd, values[lane]),
        None => f32x8::load_array_ref(simd, values),
    }
}

/// As [`of`], of whole numbers.
#[inline(always)]
fn whole_of<S: Simd>(simd: S, values: &[i32; 8], lane: Option<usize>) -> i32x8<S> {
    match lane {
        Some(lane) => i32x8::splat(simd, values[lane]),
        None => i32x8::load_array_ref(simd, values),
    }
}

/// Spans of rows of triangle `lane`, or of one row of each triangle, counted from that of the box's first pixel.
#[inline(always)]
fn spans<S: Simd>(
    simd: S,
    scratch: &Scratch,
    lane: Option<usize>,
    row: i32x8<S>,
    inside: mask32x8<S>,
    columns: [i32; 2],
) -> Spans<S> {
    let x = [whole_of(simd, &scratch.x[0], lane), whole_of(simd, &scratch.x[1], lane)];
    let row_float = row.to_float::<f32x8<S>>();
    let mut left = f32x8::splat(simd, 0.0);
    let mut right = (x[1] - x[0]).to_float::<f32x8<S>>();
    for edge in 0..3 {
        // Whole numbers and halves below 2^23: exact.
        let at = row_float * of(simd, &scratch.dx[edge], lane) + of(simd, &scratch.at[edge], lane);
        let quotient = floor(at * of(simd, &scratch.reciprocal[edge], lane));
        left = left.max(of(simd, &scratch.left[edge], lane) - quotient);
        right = right.min(quotient + of(simd, &scratch.right[edge], lane));
    }
    // Rows without a span may end anywhere: keep them in the range of integers.
    let ends = [left.min(NO_END), right.max(-NO_END)];
    let left = ends[0].to_int::<i32x8<S>>();
    let mut rounded = [f32x8::splat(simd, 0.0); 2];
    let mut correction = [[f32x8::splat(simd, 0.0); 2]; 3];
    for i in 0..2 {
        let down = row * whole_of(simd, &scratch.step_y[i], lane);
        let at = down + whole_of(simd, &scratch.start[i], lane);
        let at = at + left * whole_of(simd, &scratch.step_x[i], lane);
        rounded[i] = at.to_float::<f32x8<S>>() * of(simd, &scratch.inverse, lane);
        for corner in 0..3 {
            correction[corner][i] = of(simd, &scratch.correction[corner][i], lane);
        }
    }
    finished(simd, ends, rounded, &correction, x[0], inside, columns)
}

/// Turns ends of spans, relative to the first column `x0` of the box, into spans inside the scissor, in the rows
/// that are `inside`. `rounded` are the weights of the rounded corners at the left ends.
#[inline(always)]
pub(super) fn finished<S: Simd>(
    simd: S,
    [left, right]: [f32x8<S>; 2],
    rounded: [f32x8<S>; 2],
    correction: &[[f32x8<S>; 2]; 3],
    x0: i32x8<S>,
    inside: mask32x8<S>,
    columns: [i32; 2],
) -> Spans<S> {
    let mut weights = [f32x8::splat(simd, 0.0); 2];
    let [first, second, third] = correction;
    for i in 0..2 {
        let correction = (rounded[0] * second[i] + first[i]) + rounded[1] * third[i];
        weights[i] = rounded[i] - correction;
    }
    let left = left.to_int::<i32x8<S>>();
    let start = left.max(i32x8::splat(simd, columns[0]) - x0);
    let last = right.to_int::<i32x8<S>>().min(i32x8::splat(simd, columns[1]) - x0);
    let count = inside.select(last - start + 1, i32x8::splat(simd, 0));
    Spans { first: start + x0, count, skipped: (start - left).to_float::<f32x8<S>>(), weights }
}

/// Numbers of the bits that are set in a byte, the lowest first; zeros behind them.
const SET_BITS: [[u16; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                table[byte][found] = bit as u16;
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Sets the attributes of triangle `lane` of the prepared group; its corners are in drawing order.
#[inline(always)]
pub(super) fn set_plane<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    corners: [u32; 3],
    lane: usize,
    scratch: &Scratch,
    list: &mut List<GATHER>,
) {
    let corners = [corners[0] as usize, corners[1] as usize, corners[2] as usize];
    let (x, y) = (&scratch.weight_step_x, &scratch.weight_step_y);
    let steps = [[x[0][lane], x[1][lane]], [y[0][lane], y[1][lane]]];
    list.set_plane(simd, surface, corners, steps, scratch.largest_correction[lane], lane);
}

pub(super) const ROWS: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use fearless_simd::{Level, dispatch};
    use proptest::prelude::*;

    use super::super::cull::Corners;
    use super::*;

    /// First pixel, number of pixels, bits of the ends and weights, and triangle of a span.
    type Listed = (u32, i32, [u32; 4], usize);

    /// The spans of eight triangles, by their corners, and of how many times eight rows they were looked at together.
    fn spans_of<S: Simd>(
        simd: S,
        corners: &[[[i32; 8]; 3]; 2],
        scissor: Scissor,
        by_rows: bool,
    ) -> (Vec<Listed>, usize) {
        let zero = i32x8::splat(simd, 0);
        let mut fine = Corners { x: [zero; 3], y: [zero; 3] };
        for corner in 0..3 {
            fine.x[corner] = i32x8::load_array(simd, corners[0][corner]);
            fine.y[corner] = i32x8::load_array(simd, corners[1][corner]);
        }
        let group = Group::new(fine, 8, scissor);
        let edges = Edges::new(simd, &group);
        let weights = Weights::new(simd, &group, &edges);
        let rows = scissor.rows[0]..scissor.rows[1] + 1;
        let (width, stride) = (scissor.columns[1] + 1, 128);
        let (color, depth, farthest) = (&mut [][..], &mut [][..], &mut [][..]);
        let band = Band { number: 0, rows, width, stride, color, depth, farthest };
        let (mut scratch, mut all) = (Scratch::default(), Box::<List<false>>::default());
        prepare(simd, &group, &edges, &weights, &mut scratch);
        let found =
            if by_rows { find(simd, group.mid, scissor, &mut scratch, &band, &mut all) } else { 0 };
        for lane in (0..8).filter(|lane| group.mid >> lane & 1 != 0) {
            list(simd, found, lane, scissor, &scratch, &band, 1, &mut all);
        }
        let listed = (0..all.length).map(|i| {
            let (slot, lane) = all.span(i);
            let [b, c] = [all.weights[0][slot], all.weights[1][slot]];
            let bits = [all.skipped[slot], all.end[slot], b, c].map(f32::to_bits);
            (all.place[slot], all.count[slot], bits, lane)
        });
        (listed.collect(), found)
    }

    #[test]
    fn spans_are_the_same_row_by_row_and_triangle_by_triangle() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let corner = [0i32..5_000_000, 0i32..4_000_000];
        let side = prop::sample::select(vec![400_000i32, 700_000, 1_200_000]);
        let triangle = (corner, [-1f32..1.0, -1f32..1.0, -1f32..1.0, -1f32..1.0]);
        let group = (side, prop::collection::vec(triangle, 8));
        // Groups of which none, eight and sixteen rows were looked at together.
        let groups = [const { Cell::new(0) }; 3];
        runner
            .run(&group, |(side, triangles)| {
                let mut corners = [[[0; 8]; 3]; 2];
                for (lane, (first, sides)) in triangles.iter().enumerate() {
                    for axis in 0..2 {
                        let by = |i: usize| (sides[2 * i + axis] * side as f32) as i32;
                        corners[axis][0][lane] = first[axis];
                        corners[axis][1][lane] = first[axis] + by(0);
                        corners[axis][2][lane] = first[axis] + by(1);
                    }
                }
                let scissor = Scissor { columns: [0, 70], rows: [7, 52] };
                for level in [Level::baseline(), Level::new(), Level::fallback()] {
                    let (by_rows, found) =
                        dispatch!(level, simd => spans_of(simd, &corners, scissor, true));
                    let (by_triangles, _) =
                        dispatch!(level, simd => spans_of(simd, &corners, scissor, false));
                    prop_assert_eq!(by_rows, by_triangles);
                    groups[found].set(groups[found].get() + 1);
                }
                Ok(())
            })
            .unwrap();
        assert!(groups.iter().all(|count| count.get() > 30), "{groups:?}");
    }
}
