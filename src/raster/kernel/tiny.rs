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
//! A fragment is tested against the depth at once and its record goes into a queue, which is emptied
//! between groups of triangles: eight records at a time are transposed and shaded together.
//!
//! ```text
//!   fragment      depth test     queue               emptied: depth still the record's?
//!   A at p, 0.7   0.7 < 1.0      A                   p holds 0.5, not 0.7: A is dropped
//!   B at q, 0.6   0.6 < 1.0      A B                 q holds 0.6: B's colour is written
//!   C at p, 0.5   0.5 < 0.7      A B C               p holds 0.5: C's colour is written
//! ```
//!
//! Depth is tested by LESS, so of two fragments that both passed at a pixel the later one has another
//! depth, the smaller, and finding its own depth there proves a record to be the last. That holds for
//! what spans draw in between, too, if their colours are written first (`deferred.rs`). So the queue may
//! wait as long as it likes within its surface, by whose texture it is shaded.
//!
//! Fragments that are mixed with what is there depend on all before them, and of those that may be holes
//! it is not known before whether they count: their depth is tested as the queue is emptied, one by
//! one, before spans are drawn.

use fearless_simd::{Simd, f32x4, f32x8, i32x8, mask32x8, prelude::*, u32x8};

use super::super::bands::Band;
use super::super::shade::{ATTRIBUTES, FastPath, Gradients, Shading};
use super::super::surface::Surface;
use super::cull::Scissor;
use super::fast_path::eight;
use super::fetch::Memory;
use super::filter::LaneGradients;
use super::setup::{Edges, Group, Weights};
use super::transpose::transposed;
use super::{filter, mix, shade};

/// Coverage and edge functions of the eight triangles of a group.
#[derive(Default)]
pub(super) struct Scratch {
    /// Per triangle 16 bits, bit `4 row + column` from the first pixel of the box; four triangles
    /// a word.
    coverage: [u64; 2],
    /// Per triangle the weights of the second and third corner at the first pixel, and their steps;
    /// two floats more, as four are read.
    start: [f32; 18],
    step_x: [f32; 18],
    step_y: [f32; 18],
    /// Index of the box's first pixel in the band.
    place: [i32; 8],
    /// From there to the pixel of a bit.
    offset: [i32; 16],
}

impl Scratch {
    /// The weights so many columns and rows from the first pixel, in the first two lanes.
    #[inline(always)]
    fn weights<S: Simd>(&self, simd: S, lane: usize, column: f32, row: f32) -> [f32; 4] {
        let at = 2 * lane;
        let start = f32x4::from_slice(simd, &self.start[at..at + 4]);
        let step_x = f32x4::from_slice(simd, &self.step_x[at..at + 4]);
        let step_y = f32x4::from_slice(simd, &self.step_y[at..at + 4]);
        ((start + step_x * column) + step_y * row).into()
    }

    /// For a band whose rows are `stride` pixels apart.
    pub(super) fn new(stride: usize) -> Self {
        let offset = std::array::from_fn(|bit| ((bit / 4) * stride + bit % 4) as i32);
        Self { offset, ..Self::default() }
    }
}

/// Fragments that wait for their colour.
pub(super) struct Queue<const GATHER: bool> {
    records: [[f32; 8]; CAPACITY],
    /// [`Gradients`] of the fragments, to the right and down, for mipmaps only.
    gradients: [Vec<[f32; 8]>; 2],
    places: [u32; CAPACITY],
    /// Of eights: numbers of their texels and their light.
    numbers: [[i32; 8]; CAPACITY / 8],
    light: [[i32; 8]; CAPACITY / 8],
    length: usize,
    memory: Memory<GATHER>,
}

/// Fragments that a queue has room for.
const CAPACITY: usize = 8 * 16 + FULL;
/// From so many on, the queue is emptied before the next group of triangles: it may have as many
/// fragments as are left.
const FULL: usize = 96;

impl<const GATHER: bool> Queue<GATHER> {
    /// Whether to empty it before the next group of triangles.
    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.length >= FULL
    }

    /// Gradients of 1/w and the texture coordinates of eight records.
    #[inline(always)]
    fn gradients_of<S: Simd>(&self, simd: S, eight: usize) -> [[f32x8<S>; 3]; 2] {
        let mut gradients = [[f32x8::splat(simd, 0.0); 3]; 2];
        for i in 0..2 {
            let [_, iw, a, b, ..] = columns(simd, &self.gradients[i].as_chunks().0[eight]);
            gradients[i] = [iw, a, b];
        }
        gradients
    }
}

impl<const GATHER: bool> Default for Queue<GATHER> {
    fn default() -> Self {
        Self {
            records: [[0.0; 8]; CAPACITY],
            gradients: [const { Vec::new() }; 2],
            places: [0; CAPACITY],
            numbers: [[0; 8]; CAPACITY / 8],
            light: [[0; 8]; CAPACITY / 8],
            length: 0,
            memory: Memory::default(),
        }
    }
}

/// Column and row of a bit of the coverage mask.
const COLUMN: [f32; 16] =
    [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0];
const ROW: [f32; 16] =
    [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0];

/// Stores two values of eight triangles, triangle by triangle.
#[inline(always)]
fn store_pairs<S: Simd>(v: [f32x8<S>; 2], out: &mut [f32; 18]) {
    v[0].zip_low(v[1]).store_slice(&mut out[..8]);
    v[0].zip_high(v[1]).store_slice(&mut out[8..16]);
}

#[inline(always)]
pub(super) fn prepare<S: Simd>(
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
    for row in 0..=rows {
        let mut at = row_start;
        for column in 0..=columns {
            let inside = (at[0] | at[1] | at[2]).simd_ge(0);
            coverage |= inside.select(i32x8::splat(simd, 1 << (4 * row + column)), zero);
            for edge in 0..3 {
                at[edge] += step_x[edge];
            }
        }
        for edge in 0..3 {
            row_start[edge] += step_y[edge];
        }
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

/// Draws the triangles in `lanes` of the prepared group, in order.
#[inline(never)]
pub(super) fn draw<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    corners: &[[u32; 3]; 8],
    lanes: u32,
    scratch: &Scratch,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            if tests_late(&surface.shading) {
                draw_inline::<S, GATHER, true, true>(
                    simd, surface, corners, lanes, scratch, band, queue,
                );
            } else if surface.shading.needs_gradients() {
                draw_inline::<S, GATHER, true, false>(
                    simd, surface, corners, lanes, scratch, band, queue,
                );
            } else {
                draw_inline::<S, GATHER, false, false>(
                    simd, surface, corners, lanes, scratch, band, queue,
                );
            }
        },
    );
}

/// Whether depth is tested as the queue is emptied.
#[inline(always)]
pub(super) fn tests_late(shading: &Shading<'_>) -> bool {
    shading.mix.is_some() || shading.texture.has_holes
}

/// `GRADIENTS`: the shading may need them. `LATE`: it [`tests_late`].
#[inline(always)]
fn draw_inline<S: Simd, const GATHER: bool, const GRADIENTS: bool, const LATE: bool>(
    simd: S,
    surface: &Surface<'_>,
    corners: &[[u32; 3]; 8],
    lanes: u32,
    scratch: &Scratch,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
) {
    let shading = &surface.shading;
    let is_queued = match shading.mix {
        Some(_) => mix::is_served(shading),
        None => shade::is_nearest(shading) || filter::is_filtered(shading),
    };
    if GRADIENTS {
        for gradients in &mut queue.gradients {
            gradients.resize(CAPACITY, [0.0; 8]);
        }
    }
    for half in 0..2 {
        let mut fragments = scratch.coverage[half] & FOUR[(lanes >> (4 * half)) as usize & 15];
        while fragments != 0 {
            let bit = fragments.trailing_zeros() as usize;
            fragments &= fragments - 1;
            let lane = (4 * half + bit / 16) & 7;
            let [a, b, c] = corners[lane];
            let (a, b, c) = (a as usize, b as usize, c as usize);
            let pixel = bit & 15;
            let weights = scratch.weights(simd, lane, COLUMN[pixel], ROW[pixel]);
            let first = surface.record(simd, a);
            let second = surface.record(simd, b) - first;
            let third = surface.record(simd, c) - first;
            let record = (first + second * weights[0]) + third * weights[1];
            let place = (scratch.place[lane] + scratch.offset[pixel]) as usize;
            if !is_queued {
                let record: [f32; 8] = record.into();
                fragment(&surface.shading, record, place, band);
                continue;
            }
            let slot = queue.length.min(CAPACITY - 1);
            record.store_slice(&mut queue.records[slot]);
            let z = queue.records[slot][0];
            let depth = &mut band.depth[place];
            // What is farther now is farther when the queue is emptied.
            let may_pass = if LATE { z <= *depth } else { z < *depth };
            if may_pass {
                if !LATE {
                    *depth = z;
                }
                queue.places[slot] = place as u32;
                if GRADIENTS {
                    for (gradients, step) in
                        queue.gradients.iter_mut().zip([&scratch.step_x, &scratch.step_y])
                    {
                        let gradient = second * step[2 * lane] + third * step[2 * lane + 1];
                        gradient.store_slice(&mut gradients[slot]);
                    }
                }
                queue.length += 1;
            }
        }
    }
}

/// A fragment of a shader that the queue does not serve: none of them needs gradients.
fn fragment(shading: &Shading<'_>, record: [f32; 8], place: usize, band: &mut Band<'_>) {
    let at = std::array::from_fn(|i| record[i]);
    let (depth, color) = (&mut band.depth[place], &mut band.color[place]);
    shading.draw(at, &Gradients::default(), depth, color);
}

impl Surface<'_> {
    /// The attributes of a vertex in the first lanes; the others are of no use.
    #[inline(always)]
    pub(super) fn record<S: Simd>(&self, simd: S, vertex: usize) -> f32x8<S> {
        let at = vertex * ATTRIBUTES;
        f32x8::from_slice(simd, &self.attributes[at..at + 8])
    }
}

/// Eight records as vectors of one attribute each.
#[inline(always)]
fn columns<S: Simd>(simd: S, records: &[[f32; 8]; 8]) -> [f32x8<S>; 8] {
    let mut rows = [f32x8::splat(simd, 0.0); 8];
    for i in 0..8 {
        rows[i] = f32x8::load_array_ref(simd, &records[i]);
    }
    transposed(rows)
}

/// Colours all fragments that wait.
#[inline(never)]
pub(super) fn flush<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            if tests_late(&surface.shading) {
                flush_late(simd, surface, band, queue);
            } else if surface.shading.needs_gradients() {
                empty::<S, GATHER, true>(simd, surface, band, queue);
            } else {
                empty::<S, GATHER, false>(simd, surface, band, queue);
            }
        },
    );
}

/// Colours the fragments that wait, eight at once.
#[inline(always)]
fn empty<S: Simd, const GATHER: bool, const GRADIENTS: bool>(
    simd: S,
    surface: &Surface<'_>,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
) {
    let length = std::mem::take(&mut queue.length).min(CAPACITY);
    if !GATHER
        && !GRADIENTS
        && let Some(path) = &surface.fast_path
    {
        color_all(simd, path, band, queue, length);
        return;
    }
    for eight in 0..length.div_ceil(8) {
        let count = (length - 8 * eight).min(8);
        color_eight::<S, GATHER, GRADIENTS>(simd, surface, band, queue, eight, count);
    }
}

/// Colours all fragments that wait, by the commonest shading: in two loops, as in `deferred.rs`.
#[inline(always)]
fn color_all<S: Simd, const GATHER: bool>(
    simd: S,
    path: &FastPath<'_>,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
    length: usize,
) {
    let count = length.div_ceil(8);
    let records = queue.records.as_chunks::<8>().0.iter().take(count);
    for ((records, numbers), light) in records.zip(&mut queue.numbers).zip(&mut queue.light) {
        let [_, iw, a, b, c, ..] = columns(simd, records);
        let found = eight::numbers(simd, path, [iw, a, b, c], false);
        found[0].store_array(numbers);
        found[1].store_array(light);
    }
    for (eight, (numbers, light)) in queue.numbers.iter().zip(&queue.light).take(count).enumerate()
    {
        let texel = eight::loaded(simd, path.texels, numbers);
        let light = i32x8::load_array_ref(simd, light).bitcast::<u32x8<S>>();
        let color: [u32; 8] = eight::modulated(texel, light).into();
        let count = (length - 8 * eight).min(8);
        write(&color, eight, count, band, queue);
    }
}

/// Colours the first `count` fragments of eight.
#[inline(always)]
fn color_eight<S: Simd, const GATHER: bool, const GRADIENTS: bool>(
    simd: S,
    surface: &Surface<'_>,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
    eight: usize,
    count: usize,
) {
    let Some(records) = queue.records.as_chunks::<8>().0.get(eight) else { return };
    let [_, iw, a, b, c, ..] = columns(simd, records);
    let at = [iw, a, b, c];
    let (shading, pass) = (&surface.shading, (1 << count) - 1);
    let color = if GRADIENTS {
        let gradients = queue.gradients_of(simd, eight);
        filter::colors(simd, shading, &at, LaneGradients::Own(&gradients), pass, &mut queue.memory)
    } else if GATHER && let Some(path) = &surface.fast_path {
        eight::colors(simd, path, at, false, &mut queue.memory)
    } else if filter::is_filtered(shading) {
        let none = Gradients::default();
        filter::colors(simd, shading, &at, LaneGradients::Shared(&none), pass, &mut queue.memory)
    } else {
        shade::eight::nearest(simd, shading, at, false, &mut queue.memory).0
    };
    write(&color.into(), eight, count, band, queue);
}

/// Writes the colours of the first `count` fragments of eight, where their depth is still that of the pixel.
#[inline(always)]
fn write<const GATHER: bool>(
    color: &[u32; 8],
    eight: usize,
    count: usize,
    band: &mut Band<'_>,
    queue: &Queue<GATHER>,
) {
    let records = &queue.records[8 * eight..8 * eight + 8];
    let places = &queue.places[8 * eight..8 * eight + 8];
    for i in 0..count {
        let place = places[i] as usize;
        if band.depth[place] == records[i][0] {
            band.color[place] = color[i];
        }
    }
}

/// Draws all fragments that wait, of a shading that [`tests_late`]. Colours are found eight at a time;
/// fragments of one pixel hide each other or are laid over each other, so that is done one by one.
#[inline(never)]
pub(super) fn flush_late<S: Simd, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let length = std::mem::take(&mut queue.length).min(CAPACITY);
            for eight in 0..length.div_ceil(8) {
                let count = (length - 8 * eight).min(8);
                draw_eight(simd, &surface.shading, band, queue, eight, count);
            }
        },
    );
}

/// Draws the first `count` fragments of eight.
#[inline(always)]
fn draw_eight<S: Simd, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
    eight: usize,
    count: usize,
) {
    let Some(records) = queue.records.as_chunks::<8>().0.get(eight) else { return };
    let [_, iw, a, b, c, ..] = columns(simd, records);
    let at = [iw, a, b, c];
    let gradients = queue.gradients_of(simd, eight);
    let (gradients, memory) = (LaneGradients::Own(&gradients), &mut queue.memory);
    let bits = (1 << count) - 1;
    let pass = mask32x8::from_bitmask(simd, bits);
    let (found, pass) = if let Some(mix) = shading.mix {
        let (source, pass) = mix::source(simd, (shading, mix), &at, gradients, pass, memory);
        (source.words(), pass)
    } else if filter::is_filtered(shading) {
        let color = filter::colors(simd, shading, &at, gradients, bits, memory);
        (color, pass & color.simd_ne(0))
    } else {
        let (color, solid) = shade::eight::nearest(simd, shading, at, false, memory);
        (color, pass & solid)
    };
    let (found, pass): ([u32; 8], u64) = (found.into(), pass.to_bitmask());
    let places = &queue.places[8 * eight..8 * eight + 8];
    for i in 0..count {
        let (place, z) = (places[i] as usize, records[i][0]);
        let (depth, color) = (&mut band.depth[place], &mut band.color[place]);
        if pass >> i & 1 == 0 {
            continue;
        }
        match shading.mix {
            Some(mix) if mix.is_near(z, *depth) => {
                *color = mix.over(found[i].to_le_bytes().map(u32::from), *color);
                if mix.depth_write {
                    *depth = z;
                }
            }
            None if z < *depth => (*depth, *color) = (z, found[i]),
            _ => {}
        }
    }
}
