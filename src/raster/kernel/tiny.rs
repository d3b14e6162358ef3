//! Triangles of at most 4 x 4 pixels: a coverage mask of 16 bits each, eight triangles at once;
//! then one fragment at a time with its attributes in the lanes of one vector.
//!
//! ```text
//!   mask of a triangle       one word of four triangles
//!    0  1  2  3   row 0      63         48 47         32 31         16 15          0
//!    4  5  6  7   row 1      | triangle 3 | triangle 2  | triangle 1  | triangle 0 |
//!    8  9 10 11   row 2
//!   12 13 14 15   row 3
//! ```
//!
//! The bits of a word under the masks of some of its triangles are their fragments in file order: one
//! loop takes the lowest bit each time, without a branch where one triangle ends and the next begins.
//!
//! A fragment is tested against the depth at once and its record goes into the queue (`queue.rs`).

use fearless_simd::{f32x4, f32x8, i32x8, mask32x8, prelude::*, u32x8};
use prefetch_index::prefetch_index;

use super::super::bands::Band;
use super::super::shade::{Gradients, Shading};
use super::super::surface::Surface;
use super::super::vertex::RECORDS;
use super::boxes::Scissor;
use super::cull::{Offsets, of_lane};
use super::fetch::Records;
use super::queue::{CAPACITY, Queue, tests_late};
use super::setup::{Edges, Group, Weights};
use super::vectors::Vectors;
use super::{filter, mix, shade};

/// Coverage and edge functions of the eight triangles of a group.
// In this order all vectors that are stored lie within lines of the cache.
#[derive(Default)]
#[repr(C, align(64))]
pub(super) struct Scratch {
    /// Per triangle the weights of the second and third corner at the first pixel, and their steps.
    start: Pairs,
    step_x: Pairs,
    step_y: Pairs,
    /// From the first pixel of a box to that of a bit.
    offset: [i32; 16],
    /// Column and row of a bit.
    column: [f32; 16],
    row: [f32; 16],
    /// Index of the box's first pixel in the band.
    place: [i32; 8],
    /// Per triangle 16 bits, bit `4 row + column` from the first pixel of the box; four triangles
    /// a word.
    coverage: [u64; 2],
}

/// Two numbers of eight triangles, and two floats more, as four are read.
#[derive(Default)]
#[repr(C, align(64))]
struct Pairs([f32; 18]);

impl Scratch {
    /// The weights at the pixel of a bit, in the first two lanes.
    #[inline(always)]
    fn weights<S: Vectors>(&self, simd: S, lane: usize, bit: usize) -> [f32; 4] {
        let (at, column, row) = (2 * lane, self.column[bit], self.row[bit]);
        let start = f32x4::from_slice(simd, &self.start.0[at..at + 4]);
        let step_x = f32x4::from_slice(simd, &self.step_x.0[at..at + 4]);
        let step_y = f32x4::from_slice(simd, &self.step_y.0[at..at + 4]);
        ((start + step_x * column) + step_y * row).into()
    }

    /// For a band whose rows are `stride` pixels apart.
    pub(super) fn set_stride(&mut self, stride: usize) {
        self.offset = std::array::from_fn(|bit| ((bit / 4) * stride + bit % 4) as i32);
        self.column = std::array::from_fn(|bit| (bit % 4) as f32);
        self.row = std::array::from_fn(|bit| (bit / 4) as f32);
    }
}

/// Stores two values of eight triangles, triangle by triangle.
#[inline(always)]
fn store_pairs<S: Vectors>(v: [f32x8<S>; 2], Pairs(out): &mut Pairs) {
    v[0].zip_low(v[1]).store_slice(&mut out[..8]);
    v[0].zip_high(v[1]).store_slice(&mut out[8..16]);
}

#[inline(always)]
pub(super) fn prepare<S: Vectors>(
    simd: S,
    group: &Group<S>,
    edges: &Edges<S>,
    weights: &Weights<S>,
    scissor: Scissor,
    band: &Band<'_>,
    scratch: &mut Scratch,
) {
    let zero = i32x8::splat(simd, 0);
    let lanes = mask32x8::from_bitmask(simd, u64::from(group.tiny));
    let columns = lanes.select(group.x[1] - group.x[0], zero).reduce_max();
    let rows = lanes.select(group.y[1] - group.y[0], zero).reduce_max();
    let (mut step_x, mut step_y, mut row_start) = ([zero; 3], [zero; 3], [zero; 3]);
    for edge in 0..3 {
        step_x[edge] = zero - (edges.dy[edge] << 8);
        step_y[edge] = edges.dx[edge] << 8;
        row_start[edge] = edges.start[edge] + edges.bias[edge];
    }
    let mut coverage = zero;
    let mut first_bit = i32x8::splat(simd, 1);
    // Two rows and columns, or four: pixels beside a triangle cost less than guessing wrong where it ends.
    for _ in 0..(rows & 2) + 2 {
        let (mut at, mut bit) = (row_start, first_bit);
        for _ in 0..(columns & 2) + 2 {
            let inside = (at[0] | at[1] | at[2]).simd_ge(0);
            coverage |= inside.select(bit, zero);
            for edge in 0..3 {
                at[edge] += step_x[edge];
            }
            bit += bit;
        }
        for edge in 0..3 {
            row_start[edge] += step_y[edge];
        }
        first_bit <<= 4;
    }
    let mut coverage: [u32; 8] = coverage.bitcast::<u32x8<S>>().into();
    let start = weights.start(edges);
    store_pairs(start, &mut scratch.start);
    store_pairs(weights.step_x, &mut scratch.step_x);
    store_pairs(weights.step_y, &mut scratch.step_y);
    scratch.place = ((group.y[0] - band.rows.start) * band.stride as i32 + group.x[0]).into();
    let (x, y): ([i32; 8], [i32; 8]) = (group.x[0].into(), group.y[0].into());
    let mut partial = group.partial & group.tiny;
    while partial != 0 {
        let lane = partial.trailing_zeros() as usize;
        partial &= partial - 1;
        let columns = allowed(x[lane & 7], scissor.columns);
        let rows = allowed(y[lane & 7], scissor.rows);
        // Each bit of `rows` becomes four.
        let rows = (rows & 1 | (rows & 2) << 3 | (rows & 4) << 6 | (rows & 8) << 9) * 0xf;
        coverage[lane & 7] &= (columns * 0x1111) & rows;
    }
    for (word, four) in scratch.coverage.iter_mut().zip(coverage.as_chunks::<4>().0) {
        let pair = |low: u32, high: u32| u64::from(low | high << 16);
        *word = pair(four[0], four[1]) | pair(four[2], four[3]) << 32;
    }
}

/// All coverage bits of the triangles in a set of four.
const FOUR: [u64; 16] = {
    let mut table = [0; 16];
    let mut set = 0;
    while set < 16 {
        let mut lane = 0;
        while lane < 4 {
            if set >> lane & 1 != 0 {
                table[set] |= 0xffff << (16 * lane);
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

/// Which of four pixels from `first` on lie in a range, as bits.
fn allowed(first: i32, range: [i32; 2]) -> u32 {
    let bit = |i: i32| u32::from((range[0]..=range[1]).contains(&(first + i))) << i;
    bit(0) | bit(1) | bit(2) | bit(3)
}

/// Those of a prepared group that are drawn, in order.
#[derive(Clone, Copy)]
pub(super) struct Triangles<'a> {
    /// Where the attributes of the corners of all eight begin.
    pub(super) corners: &'a Offsets,
    /// Which of the eight, as bits.
    pub(super) lanes: u32,
    pub(super) scratch: &'a Scratch,
}

/// Draws triangles of a prepared group.
#[inline(never)]
pub(super) fn draw<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    triangles: Triangles<'_>,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let any = surface.attributes;
            if tests_late(&surface.shading) {
                draw_inline::<S, GATHER, true, true>(simd, surface, any, triangles, band, queue);
            } else if surface.shading.needs_gradients() {
                draw_inline::<S, GATHER, true, false>(simd, surface, any, triangles, band, queue);
            } else if let Ok(many) = <&[f32; RECORDS]>::try_from(any) {
                draw_inline::<S, GATHER, false, false>(simd, surface, many, triangles, band, queue);
            } else {
                draw_inline::<S, GATHER, false, false>(simd, surface, any, triangles, band, queue);
            }
        },
    );
}

/// `GRADIENTS`: the shading may need them. `LATE`: it [`tests_late`].
#[inline(always)]
fn draw_inline<S: Vectors, const GATHER: bool, const GRADIENTS: bool, const LATE: bool>(
    simd: S,
    surface: &Surface<'_>,
    records: impl Records,
    triangles: Triangles<'_>,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
) {
    let shading = &surface.shading;
    let is_queued = match shading.mix {
        Some(_) => mix::is_served::<S>(shading),
        None => shade::is_nearest(shading) || filter::is_served::<S>(shading),
    };
    if !is_queued {
        each_fragment(
            simd,
            records,
            triangles,
            #[inline(always)]
            |fragment| {
                let mut gradients = [[0.0; 8]; 2];
                if shading.needs_gradients() {
                    gradients = fragment.gradients(triangles.scratch).map(Into::into);
                }
                draw_fragment(shading, fragment.record.into(), gradients, fragment.place, band);
            },
        );
        return;
    }
    if GRADIENTS {
        for gradients in &mut queue.gradients {
            gradients.resize(CAPACITY, [0.0; 8]);
        }
    }
    let (depth, color) = (&mut *band.depth, &*band.color);
    // Handed on in a register: through memory every fragment would wait for the one before.
    let mut length = queue.length;
    each_fragment(
        simd,
        records,
        triangles,
        #[inline(always)]
        |fragment: Fragment<S>| {
            let place = fragment.place;
            let slot = length & (CAPACITY - 1);
            fragment.record.store_slice(&mut queue.records[slot]);
            let z = queue.records[slot][0];
            let depth = &mut depth[place];
            // What is farther now is farther when the queue is emptied.
            let may_pass = if LATE { z <= *depth } else { z < *depth };
            if may_pass {
                if !LATE {
                    *depth = z;
                }
                queue.places[slot] = place as u32;
                // It is cleared behind the draw, so nothing has brought it into the caches yet.
                prefetch_index(color, place);
                if GRADIENTS {
                    let found = fragment.gradients(triangles.scratch);
                    for (gradients, found) in queue.gradients.iter_mut().zip(found) {
                        found.store_slice(&mut gradients[slot]);
                    }
                }
                length += 1;
            }
        },
    );
    queue.length = length;
}

/// A covered pixel of a tiny triangle.
struct Fragment<S: Vectors> {
    /// Its attributes.
    record: f32x8<S>,
    /// Attributes of the triangle's second and third corner less those of the first.
    edges: [f32x8<S>; 2],
    lane: usize,
    /// Index in the band.
    place: usize,
}

impl<S: Vectors> Fragment<S> {
    /// Change of the attributes per pixel to the right and per row down.
    #[inline(always)]
    fn gradients(&self, scratch: &Scratch) -> [f32x8<S>; 2] {
        let mut found = self.edges;
        for (found, step) in found.iter_mut().zip([&scratch.step_x, &scratch.step_y]) {
            let at = 2 * self.lane;
            *found = self.edges[0] * step.0[at] + self.edges[1] * step.0[at + 1];
        }
        found
    }
}

/// Calls a function with every covered pixel of triangles, in order.
#[inline(always)]
fn each_fragment<S: Vectors>(
    simd: S,
    records: impl Records,
    Triangles { corners, lanes, scratch }: Triangles<'_>,
    mut draw: impl FnMut(Fragment<S>),
) {
    for half in 0..2 {
        let mut fragments = scratch.coverage[half] & FOUR[(lanes >> (4 * half)) as usize & 15];
        while fragments != 0 {
            let bit = fragments.trailing_zeros() as usize;
            fragments &= fragments - 1;
            let lane = (4 * half + bit / 16) & 7;
            let [a, b, c] = of_lane(corners, lane);
            let pixel = bit & 15;
            let weights = scratch.weights(simd, lane, pixel);
            let first = records.at(simd, a);
            let second = records.at(simd, b) - first;
            let third = records.at(simd, c) - first;
            let record = (first + second * weights[0]) + third * weights[1];
            let place = (scratch.place[lane] + scratch.offset[pixel]) as u32 as usize;
            draw(Fragment { record, edges: [second, third], lane, place });
        }
    }
}

/// Draws a fragment of a shading that the queue does not serve by the scalar twin.
fn draw_fragment(
    shading: &Shading<'_>,
    record: [f32; 8],
    gradients: [[f32; 8]; 2],
    place: usize,
    band: &mut Band<'_>,
) {
    let attributes = |record: [f32; 8]| std::array::from_fn(|i| record[i]);
    let [x, y] = gradients.map(attributes);
    let (depth, color) = (&mut band.depth[place], &mut band.color[place]);
    shading.draw(attributes(record), &Gradients { x, y }, depth, color);
}
