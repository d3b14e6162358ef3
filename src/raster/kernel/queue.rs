//! Tiny fragments that wait for their colour, to be shaded eight at a time.
//!
//! A fragment is tested against the depth at once (`tiny.rs`) and its record goes into the queue, which is
//! emptied between groups of triangles: eight records at a time are transposed and shaded together.
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

use fearless_simd::{f32x8, i32x8, mask32x8, prelude::*, u32x8};

use super::super::bands::Band;
use super::super::shade::{FastPath, Gradients, Shading};
use super::super::surface::Surface;
use super::fast_path::eight;
use super::fetch::Memory;
use super::filter::LaneGradients;
use super::places::depth_and_color;
use super::transpose::transposed;
use super::vectors::Vectors;
use super::{filter, mix, shade};

/// Fragments that wait for their colour.
// Eights from a multiple of eight on lie within lines of the cache.
#[repr(C, align(64))]
pub(super) struct Queue<const GATHER: bool> {
    pub(super) records: [[f32; 8]; CAPACITY],
    pub(super) places: [u32; CAPACITY],
    /// Of eights: numbers of their texels and their light.
    numbers: [[i32; 8]; CAPACITY / 8],
    light: [[i32; 8]; CAPACITY / 8],
    /// [`Gradients`] of the fragments, to the right and down, for mipmaps only.
    pub(super) gradients: [Vec<[f32; 8]>; 2],
    pub(super) length: usize,
    memory: Memory<GATHER>,
}

/// Fragments that a queue has room for: a power of two, so that slots need a mask instead of a check.
pub(super) const CAPACITY: usize = 256;
const _: () = assert!(CAPACITY.is_power_of_two() && CAPACITY >= 8 * 16 + FULL);
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
    fn gradients_of<S: Vectors>(&self, simd: S, eight: usize) -> [[f32x8<S>; 3]; 2] {
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

/// Whether depth is tested as the queue is emptied.
#[inline(always)]
pub(super) fn tests_late(shading: &Shading<'_>) -> bool {
    shading.mix.is_some() || shading.texture.has_holes
}

/// Eight records as vectors of one attribute each.
#[inline(always)]
fn columns<S: Vectors>(simd: S, records: &[[f32; 8]; 8]) -> [f32x8<S>; 8] {
    let mut rows = [f32x8::splat(simd, 0.0); 8];
    for i in 0..8 {
        rows[i] = f32x8::load_array_ref(simd, &records[i]);
    }
    transposed(rows)
}

/// Colours all fragments that wait.
#[inline(never)]
pub(super) fn flush<S: Vectors, const GATHER: bool>(
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
fn empty<S: Vectors, const GATHER: bool, const GRADIENTS: bool>(
    simd: S,
    surface: &Surface<'_>,
    band: &mut Band<'_>,
    queue: &mut Queue<GATHER>,
) {
    let length = std::mem::take(&mut queue.length).min(CAPACITY);
    if !GRADIENTS && let Some(path) = &surface.fast_path {
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
fn color_all<S: Vectors, const GATHER: bool>(
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
        let (number, lit) = eight::numbers(simd, path, [iw, a, b, c], false);
        number.store_array(numbers);
        lit.to_int::<i32x8<S>>().store_array(light);
    }
    for (eight, (numbers, light)) in queue.numbers.iter().zip(&queue.light).take(count).enumerate()
    {
        let texel = eight::loaded(simd, path.texels, numbers);
        let light = i32x8::load_array_ref(simd, light).bitcast::<u32x8<S>>();
        let color: [u32; 8] = eight::modulated(texel, light).into();
        write(&color, eight, length - 8 * eight, band, queue);
    }
}

/// Colours the first `count` fragments of eight.
#[inline(always)]
fn color_eight<S: Vectors, const GATHER: bool, const GRADIENTS: bool>(
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
    } else if filter::is_served::<S>(shading) {
        let none = Gradients::default();
        filter::colors(simd, shading, &at, LaneGradients::Shared(&none), pass, &mut queue.memory)
    } else {
        shade::eight::nearest(simd, shading, at, false, &mut queue.memory).0
    };
    write(&color.into(), eight, count, band, queue);
}

/// Writes the colours of the first `count` fragments of eight, or of all, where their depth is still that of the
/// pixel.
#[inline(always)]
fn write<const GATHER: bool>(
    color: &[u32; 8],
    eight: usize,
    count: usize,
    band: &mut Band<'_>,
    queue: &Queue<GATHER>,
) {
    let (depth, painted) = depth_and_color(band);
    let Some(records) = queue.records.as_chunks::<8>().0.get(eight) else { return };
    let Some(places) = queue.places.as_chunks::<8>().0.get(eight) else { return };
    let mut write = |i: usize| {
        let place = places[i] as usize;
        // The same bits: what was stored there is this number.
        if depth[place].to_bits() == records[i][0].to_bits() {
            painted[place] = color[i];
        }
    };
    if count < 8 {
        (0..count).for_each(write);
    } else {
        for i in 0..8 {
            write(i);
        }
    }
}

/// Draws all fragments that wait, of a shading that [`tests_late`]. Colours are found eight at a time;
/// fragments of one pixel hide each other or are laid over each other, so that is done one by one.
#[inline(never)]
pub(super) fn flush_late<S: Vectors, const GATHER: bool>(
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
fn draw_eight<S: Vectors, const GATHER: bool>(
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
    // Where vectors are emulated, what is mixed does not wait, see `mix::is_served`.
    let (found, pass) = if const { !S::EMULATED }
        && let Some(mix) = shading.mix
    {
        let (source, pass) = mix::source(simd, (shading, mix), &at, gradients, pass, memory);
        (source.words(), pass)
    } else if filter::is_served::<S>(shading) {
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
