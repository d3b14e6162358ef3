//! Spans of triangles of more than 4 x 4 pixels: the ends of eight at once, into a list (`list.rs`) that
//! `fill.rs` works off.
//!
//! Eight spans are of one row of eight triangles, or of eight rows of one triangle, whichever leaves fewer of them
//! empty.
//!
//! Span ends are exact. Edge functions are counted in whole pixels (a step to the right changes
//! them by a multiple of 256), and a span ends at the floor of a quotient of integers: a quotient
//! plus half a unit is never nearer than half a divisor to a whole number, so f32 (mid) and f64
//! (big) reciprocals round to the right side (docs/rasterization.md).

use fearless_simd::{f32x8, i32x8, mask32x8, prelude::*, u32x8};

use super::super::bands::Band;
use super::super::surface::Surface;
use super::boxes::Scissor;
use super::floor::eight::floor;
use super::list::{EMPTY, List, ROWS, Spans, Strip};
use super::setup::{Edges, Group, Weights};
use super::vectors::Vectors;

/// Edge functions of the eight triangles of a group, in whole pixels where span ends are found.
#[derive(Default)]
// Eights from a multiple of eight on lie within lines of the cache.
#[repr(C, align(64))]
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
/// Triangles of fewer rows are small, see [`List::set_magnified`].
const SMALL_ROWS: i32 = 16;

#[inline(always)]
pub(super) fn prepare<S: Vectors>(
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

/// Farther than any span end; a float that is added to without rounding.
pub(super) const NO_END: f32 = 1e7;

/// Finds the spans of triangles `lanes` of the prepared group row by row, if that is less work than triangle by
/// triangle. Returns of how many times eight rows, or 0.
#[inline(always)]
pub(super) fn find<S: Vectors, const GATHER: bool>(
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
pub(super) fn list<S: Vectors, const GATHER: bool>(
    simd: S,
    found: usize,
    lane: usize,
    scissor: Scissor,
    scratch: &Scratch,
    band: &Band<'_>,
    strip: Strip,
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
    list.fill_up(strip);
}

/// The values of all triangles of a group, or that of one in every lane.
#[inline(always)]
fn of<S: Vectors>(simd: S, values: &[f32; 8], lane: Option<usize>) -> f32x8<S> {
    match lane {
        Some(lane) => f32x8::splat(simd, values[lane]),
        None => f32x8::load_array_ref(simd, values),
    }
}

/// As [`of`], of whole numbers.
#[inline(always)]
fn whole_of<S: Vectors>(simd: S, values: &[i32; 8], lane: Option<usize>) -> i32x8<S> {
    match lane {
        Some(lane) => i32x8::splat(simd, values[lane]),
        None => i32x8::load_array_ref(simd, values),
    }
}

/// Spans of rows of triangle `lane`, or of one row of each triangle, counted from that of the box's first pixel.
#[inline(always)]
fn spans<S: Vectors>(
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
pub(super) fn finished<S: Vectors>(
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

/// Sets the attributes of triangle `lane` of the prepared group; its corners are in drawing order.
#[inline(always)]
pub(super) fn set_plane<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    corners: [u32; 3],
    lane: usize,
    scratch: &Scratch,
    strip: Strip,
    list: &mut List<GATHER>,
) {
    let (x, y) = (&scratch.weight_step_x, &scratch.weight_step_y);
    let steps = [[x[0][lane], x[1][lane]], [y[0][lane], y[1][lane]]];
    let correction = scratch.largest_correction[lane];
    list.set_plane(simd, surface, corners, steps, correction, lane);
    // What is filled span by span looks at them.
    if strip == Strip::Eight {
        list.set_steps(simd, lane);
    }
    if !strip.is_narrow() {
        let is_small = scratch.y[1][lane] - scratch.y[0][lane] < SMALL_ROWS;
        list.set_magnified(simd, surface, correction, is_small, lane);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use fearless_simd::Level;
    use proptest::prelude::*;

    use super::super::boxes::Corners;
    use super::*;

    /// First pixel, number of pixels, bits of the ends and weights, and triangle of a span.
    type Listed = (u32, i32, [u32; 4], usize);

    /// The spans of eight triangles, by their corners, and of how many times eight rows they were looked at together.
    fn spans_of<S: Vectors>(
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
            list(simd, found, lane, scissor, &scratch, &band, Strip::Eight, &mut all);
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
