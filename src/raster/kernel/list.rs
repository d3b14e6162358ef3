//! Spans that wait to be filled, and the planes of their triangles.
//!
//! Spans are kept where `span.rs` and `big.rs` find them, eight at a time, in slots; their order is a list of slots.
//!
//! ```text
//!   eight triangles              slots 8..   row 0 of    A B C D E F G H
//!   of 3, 2, 1, 3 .. rows        slots 16..  row 1 of    A B . D E ...
//!                                slots 24..  row 2 of    A . . D ...
//!   order                        8 16 24, 9 17, 10, 11 19 27, ...
//! ```

use fearless_simd::{f32x8, i32x8, mask32x8, prelude::*, u16x8, u32x8};

use super::super::shade::{ATTRIBUTES, Gradients, MIN_RECIPROCAL, TEXEL_RANGE};
use super::super::surface::Surface;
use super::boxes::bits;
use super::deferred::Deferred;
use super::fetch::{Memory, Records};
use super::setup::extremes;
use super::vectors::Vectors;
use super::{places, shade};

/// Eight spans, of rows of one triangle or of triangles.
pub(super) struct Spans<S: Vectors> {
    /// First column inside the scissor, and number of columns (0 or less: none).
    pub(super) first: i32x8<S>,
    pub(super) count: i32x8<S>,
    /// Columns from the triangle's own left end to the first.
    pub(super) skipped: f32x8<S>,
    /// Weights of the second and third corner at the triangle's own left end.
    pub(super) weights: [f32x8<S>; 2],
}

/// The pixels that are tested and shaded together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Strip {
    /// Eight of one span.
    #[default]
    Eight,
    /// Four of each of two spans of one triangle.
    TwoFours,
    /// Eight of each of two.
    TwoEights,
    /// Four of each of four.
    FourFours,
}

impl Strip {
    /// Whether it is of four pixels of each span.
    pub(super) const fn is_narrow(self) -> bool {
        matches!(self, Self::TwoFours | Self::FourFours)
    }

    /// How many spans it is of. So many stand together in the list, all of one triangle, the last ones maybe empty.
    pub(super) const fn spans(self) -> usize {
        match self {
            Self::Eight => 1,
            Self::TwoFours | Self::TwoEights => 2,
            Self::FourFours => 4,
        }
    }
}

/// Spans that wait to be filled.
///
/// All spans of a group of triangles are found before the first is filled: what the loop over them
/// branches on is then known long before, and wrong guesses of the processor cost little.
// Eights from a multiple of eight on lie within lines of the cache.
#[repr(C, align(64))]
pub(super) struct List<const GATHER: bool> {
    /// Of each slot: index of the first pixel in the band. The first eight slots are of empty spans.
    pub(super) place: [u32; ROOM],
    pub(super) count: [i32; ROOM],
    /// Columns from the triangle's own left end to the first pixel, and to behind the last.
    pub(super) skipped: [f32; ROOM],
    pub(super) end: [f32; ROOM],
    pub(super) weights: [[f32; ROOM]; 2],
    /// Spans in drawing order: their slots times 8, plus the number of the triangle in its group.
    order: [u16; CAPACITY],
    /// Attributes of each triangle at its first corner, the differences to it at the others, and
    /// the change per pixel to the right.
    pub(super) planes: [[[f32; 8]; 4]; 8],
    /// The changes per pixel to the right once for each lane, see [`Self::step`].
    steps: [[[f32; 8]; ATTRIBUTES]; 8],
    pub(super) gradients: [Gradients; 8],
    /// Number of spans.
    pub(super) length: usize,
    /// Triangles of the group, as bits, of which a pixel passed the depth test.
    pub(super) seen: u32,
    /// The first slot that is free.
    pub(super) slots: usize,
    /// At all covered pixels 1/w is above [`MIN_RECIPROCAL`], light is not below 0, and coordinates are not
    /// below 0 (where texels are filtered, not below what `Shading::least_exact` says) and not too large for
    /// numbers of texels: texels are found without holding them within. Of the nearest texel and of plain blocks.
    pub(super) in_range: [bool; 8],
    /// No covered pixel of the triangle is larger than a texel: then none takes of the smaller mipmaps. Where that
    /// was looked at, see [`Self::set_magnified`], and the triangle is in range.
    pub(super) magnified: [bool; 8],
    /// For how many more small triangles that is not looked at.
    skipped_looks: u32,
    pub(super) memory: Memory<GATHER>,
    /// What of the spans is tested and not coloured yet.
    pub(super) deferred: Deferred,
}

/// Eight triangles of at most 91 rows, eight rows at a time, and what `big.rs` lists beside them.
pub(super) const SLOTS: usize = 1024;
/// With room behind them: places that are whole pages apart share eight lines of the first-level cache.
pub(super) const ROOM: usize = SLOTS + 16;
/// Eight triangles of at most 91 rows, filled up to fours, and what `big.rs` lists beside them.
const CAPACITY: usize = 1024;
/// Small triangles behind one that is not magnified of which that is taken for granted.
const SKIPPED_LOOKS: u32 = 7;
/// How far ahead of the spans that are coloured colours are prefetched, and within a span, in pixels.
const SPANS_AHEAD: usize = 8;
pub(super) const PIXELS_AHEAD: usize = 32;
/// Slots of empty spans.
pub(super) const EMPTY: usize = 8;

impl<const GATHER: bool> Default for List<GATHER> {
    fn default() -> Self {
        Self {
            place: [0; ROOM],
            count: [0; ROOM],
            skipped: [0.0; ROOM],
            end: [0.0; ROOM],
            weights: [[0.0; ROOM]; 2],
            slots: EMPTY,
            order: [0; CAPACITY],
            length: 0,
            seen: 0,
            planes: [[[0.0; 8]; 4]; 8],
            steps: [[[0.0; 8]; ATTRIBUTES]; 8],
            gradients: [Gradients::default(); 8],
            in_range: [false; 8],
            magnified: [false; 8],
            skipped_looks: 0,
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

    /// Prefetches the colour at the beginning of `count` spans, some way behind span number `i`, for spans that are
    /// coloured at once. Behind the last one these are any.
    #[inline(always)]
    pub(super) fn prefetch_ahead(&self, i: usize, count: usize, pixels: usize, color: &[u32]) {
        for ahead in i + SPANS_AHEAD..i + SPANS_AHEAD + count {
            places::prefetch(color, self.place[self.span(ahead).0] as usize, pixels);
        }
    }

    /// Makes the changes of a triangle whose plane is set ready for [`Self::step`].
    #[inline(always)]
    pub(super) fn set_steps<S: Vectors>(&mut self, simd: S, lane: usize) {
        if const { !has_broadcasts::<S>() } {
            for (step, lanes) in self.planes[lane & 7][3].iter().zip(&mut self.steps[lane & 7]) {
                f32x8::splat(simd, *step).store_array(lanes);
            }
        }
    }

    /// The change of an attribute per pixel to the right, where [`Self::set_steps`] was called.
    #[inline(always)]
    pub(super) fn step<S: Vectors>(&self, simd: S, lane: usize, attribute: usize) -> f32x8<S> {
        if const { has_broadcasts::<S>() } {
            f32x8::splat(simd, self.planes[lane][3][attribute])
        } else {
            f32x8::load_array_ref(simd, &self.steps[lane][attribute])
        }
    }

    /// Drops all spans.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        (self.slots, self.length) = (EMPTY, 0);
    }

    /// Adds the spans of eight rows of one triangle that have pixels, and empty ones up to eight. `place` is the
    /// index of the first row's first pixel.
    #[inline(always)]
    pub(super) fn push<S: Vectors>(
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
    pub(super) fn store<S: Vectors>(&mut self, spans: &Spans<S>, rows: i32x8<S>) -> mask32x8<S> {
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
    pub(super) fn append<S: Vectors>(
        &mut self,
        simd: S,
        some: u32,
        first: usize,
        apart: usize,
        lane: usize,
    ) {
        let from = self.length.min(CAPACITY - 8);
        let numbers = u16x8::load_array_ref(simd, &SET_BITS[some as usize % 256]);
        let entries = numbers * (8 * apart) as u16 + (8 * first + lane) as u16;
        entries.store_slice(&mut self.order[from..from + 8]);
        self.length = from + some.count_ones() as usize;
    }

    /// Adds empty spans up to a multiple of those of a strip.
    #[inline(always)]
    pub(super) fn fill_up(&mut self, strip: Strip) {
        let from = self.length.min(CAPACITY - 4);
        self.order[from..from + 4].fill(0);
        self.length = from.next_multiple_of(strip.spans());
    }

    /// Sets the attributes of a triangle. The steps are the changes of the second and third weight per
    /// pixel to the right and per row down, no weight is corrected by more than `correction`.
    #[inline(always)]
    pub(super) fn set_plane<S: Vectors>(
        &mut self,
        simd: S,
        surface: &Surface<'_>,
        corners: [u32; 3],
        [step_x, step_y]: [[f32; 2]; 2],
        correction: f32,
        lane: usize,
    ) {
        let records = surface.attributes;
        let first = records.at(simd, corners[0]);
        let (second, third) = (records.at(simd, corners[1]), records.at(simd, corners[2]));
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
            self.magnified[lane & 7] = false;
        }
    }

    /// Looks whether a triangle whose plane is set is magnified, if mipmaps are asked for. That takes as long as finding
    /// the mipmaps of a strip or two; of small triangles behind one that is not, most are not, either.
    #[inline(always)]
    pub(super) fn set_magnified<S: Vectors>(
        &mut self,
        simd: S,
        surface: &Surface<'_>,
        correction: f32,
        is_small: bool,
        lane: usize,
    ) {
        if surface.shading.needs_gradients()
            && let Some(blocks) = surface.plain_blocks
        {
            if is_small && self.skipped_looks > 0 {
                self.skipped_looks -= 1;
                return;
            }
            let [first, second, third, _] = &self.planes[lane & 7];
            let first = f32x8::load_array_ref(simd, first);
            let second = first + f32x8::load_array_ref(simd, second);
            let third = first + f32x8::load_array_ref(simd, third);
            let extremes = extremes([first, second, third], correction).map(Into::into);
            let gradients = &self.gradients[lane & 7];
            let magnified = magnified(extremes, gradients, blocks.texels_per_coordinate);
            self.magnified[lane & 7] = magnified;
            if !magnified {
                self.skipped_looks = SKIPPED_LOOKS;
            }
        }
    }
}

/// Whether no covered pixel of a triangle is larger than a texel, by the least and the greatest attributes and their
/// changes. See `Shading::footprint`: sides are linear in a coordinate, so the longest is at one
/// of its ends. The margins are for rounding, here and there.
fn magnified([min, max]: [[f32; 8]; 2], gradients: &Gradients, scale: [f32; 2]) -> bool {
    let w = [1.0 / max[1], 1.0 / min[1]];
    [gradients.x, gradients.y].iter().all(|along| {
        let mut squares = 0.0;
        for axis in 0..2 {
            let (along_w, along) = (along[1], along[2 + axis]);
            let least = (min[2 + axis] * w[0]).min(min[2 + axis] * w[1]);
            let greatest = (max[2 + axis] * w[0]).max(max[2 + axis] * w[1]);
            let side = (along - least * along_w).abs().max((along - greatest * along_w).abs());
            let rounded = 1e-5 * (along.abs() + least.abs().max(greatest.abs()) * along_w.abs());
            let texels = (side + rounded) * w[1] * scale[axis];
            squares += texels * texels;
        }
        squares < 0.999
    })
}

/// Whether an operand may be one number in memory for all lanes, as with AVX-512.
const fn has_broadcasts<S: Vectors>() -> bool {
    S::SIXTEEN
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
fn in_range<S: Vectors>(
    simd: S,
    [min, max]: [f32x8<S>; 2],
    least: [f32; 8],
    most: [f32; 8],
) -> bool {
    let smallest: [f32; 8] = min.into();
    let most = f32x8::load_array(simd, most) * smallest[1];
    let counts = mask32x8::from_bitmask(simd, 0b1_1110);
    let fits = min.simd_ge(f32x8::load_array(simd, least)) & max.simd_le(most);
    (fits | !counts).all_true()
}

/// As [`LEAST`], of filtered texels: coordinates are at least `[a, b]` wherever 1/w is below its `max`.
#[inline(always)]
fn least_filtered<S: Vectors>(max: f32x8<S>, [a, b]: [f32; 2]) -> [f32; 8] {
    let largest: [f32; 8] = max.into();
    let mut least = LEAST;
    (least[2], least[3]) = (a * largest[1], b * largest[1]);
    least
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

/// Rows of one triangle, from the first of eight on.
pub(super) const ROWS: [i32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use proptest::prelude::*;

    use super::*;
    use crate::image::Image;
    use crate::raster::shade::{Shader, Shading};
    use crate::raster::texture::{Texture, TextureUse};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn triangles_that_are_magnified_have_no_pixel_of_more_than_a_texel(
            corners in prop::collection::vec((0.1f32..1.0, 0f32..4.0, 0f32..4.0), 3),
            steps in prop::collection::vec(-0.05f32..0.05, 4),
            size in 1e-3f32..1.0,
            depth in prop::sample::select(vec![0.02f32, 1.0]),
            inside in prop::collection::vec((0f32..1.0, 0f32..1.0), 8),
        ) {
            let image = Image::from_rgba(64, 16, vec![9; 4 * 64 * 16]).unwrap();
            let texture = Texture::new(&image, &TextureUse::PLAIN);
            let mut shading = Shading::of_nearest(&texture);
            shading.shader = Shader::Trilinear;
            let scale = texture.texels_per_coordinate();
            // Corners of a small part of the texture, at several depths.
            let record = |&(near, a, b): &(f32, f32, f32)| {
                let iw = 1.0 - (1.0 - near) * depth;
                let at = |t: f32, side: f32, scale: f32| (t * size + 1.0) * side / scale * iw;
                [0.5, iw, at(a, 64.0, scale[0]), at(b, 16.0, scale[1]), iw, 0.0, 0.0, 0.0]
            };
            let corners = [record(&corners[0]), record(&corners[1]), record(&corners[2])];
            let edge = |corner: usize, i: usize| corners[corner][i] - corners[0][i];
            let along = |b: f32, c: f32| {
                std::array::from_fn(|i| edge(1, i) * b + edge(2, i) * c)
            };
            let gradients = Gradients { x: along(steps[0], steps[1]), y: along(steps[2], steps[3]) };
            let extremes: [[f32; 8]; 2] = dispatch!(Level::new(), simd => {
                let corners = corners.map(|corner| f32x8::load_array(simd, corner));
                extremes(corners, 0.0).map(Into::into)
            });
            let found = magnified(extremes, &gradients, scale);
            let largest = inside.iter().map(|&(b, c)| {
                let (b, c) = if b + c > 1.0 { (1.0 - b, 1.0 - c) } else { (b, c) };
                let at: [f32; ATTRIBUTES] =
                    std::array::from_fn(|i| corners[0][i] + edge(1, i) * b + edge(2, i) * c);
                shading.footprint(at, 1.0 / at[1], &gradients)
            });
            let largest = largest.fold(0.0, f32::max);
            prop_assert!(!found || largest <= 1.0, "{}", largest);
            // Of little depth, the triangle's ends say not much more than its pixels.
            prop_assert!(found || largest > 0.8 || depth > 0.5, "{}", largest);
        }
    }
}
