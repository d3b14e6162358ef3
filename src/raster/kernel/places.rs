//! Pixels of one, two or four spans: from their places in the band into one vector, and back.

use fearless_simd::{f32x8, f32x16, prelude::*, u32x4, u32x8, u32x16};
use prefetch_index::prefetch_index;

use super::super::bands::Band;
use super::vectors::Vectors;

/// Depth and colour of the band: equally long, so that one check of a place is for both.
#[inline(always)]
pub(super) fn depth_and_color<'b>(band: &'b mut Band<'_>) -> (&'b mut [f32], &'b mut [u32]) {
    let size = band.depth.len().min(band.color.len());
    (&mut band.depth[..size], &mut band.color[..size])
}

/// Prefetches the colour of a few pixels from a place on, which may lie in two lines of the cache. Where colour is cleared
/// behind the draw (`clear.rs`), it is mostly not in the cache yet.
#[inline(always)]
pub(super) fn prefetch(color: &[u32], place: usize, pixels: usize) {
    prefetch_index(color, place);
    prefetch_index(color, place + pixels - 1);
}

/// Stores four depths from each of two places on, the last first, see [`store_two`].
#[inline(always)]
pub(super) fn store_halves<S: Vectors>(v: f32x8<S>, depth: &mut [f32], [p0, p1]: [usize; 2]) {
    let (low, high) = v.split();
    high.store_slice(&mut depth[p1..p1 + 4]);
    low.store_slice(&mut depth[p0..p0 + 4]);
}

/// Stores eight depths from each of two places on.
#[inline(always)]
pub(super) fn store_two<S: Vectors>(v: f32x16<S>, depth: &mut [f32], [p0, p1]: [usize; 2]) {
    let (low, high) = v.split();
    // The second span may be an empty one at the band's first pixel.
    high.store_slice(&mut depth[p1..p1 + 8]);
    low.store_slice(&mut depth[p0..p0 + 8]);
}

/// Stores four depths from each of four places on, the last first, see [`store_two`].
#[inline(always)]
pub(super) fn store_four<S: Vectors>(
    v: f32x16<S>,
    depth: &mut [f32],
    [p0, p1, p2, p3]: [usize; 4],
) {
    let (low, high) = v.split();
    let ((v0, v1), (v2, v3)) = (low.split(), high.split());
    v3.store_slice(&mut depth[p3..p3 + 4]);
    v2.store_slice(&mut depth[p2..p2 + 4]);
    v1.store_slice(&mut depth[p1..p1 + 4]);
    v0.store_slice(&mut depth[p0..p0 + 4]);
}

/// Eight or four pixels from a place on, if there are so many.
#[inline(always)]
fn pixels<const N: usize>(color: &[u32], place: usize) -> Option<&[u32; N]> {
    color.get(place..place + N)?.first_chunk()
}

/// The colour of eight pixels from one place on, or of four from each of two.
#[inline(always)]
pub(super) fn load_eight<S: Vectors, const SPANS: usize>(
    simd: S,
    color: &[u32],
    places: [usize; SPANS],
) -> Option<u32x8<S>> {
    if SPANS == 1 {
        return Some(u32x8::load_array_ref(simd, pixels(color, places[0])?));
    }
    let (low, high) = (pixels(color, places[0])?, pixels(color, places[1])?);
    Some(u32x4::load_array_ref(simd, low).combine(u32x4::load_array_ref(simd, high)))
}

/// Stores what [`load_eight`] loads, the last span first, see [`store_two`].
#[inline(always)]
pub(super) fn store_eight<S: Vectors, const SPANS: usize>(
    v: u32x8<S>,
    color: &mut [u32],
    places: [usize; SPANS],
) {
    let first = places[0];
    if SPANS == 1 {
        return v.store_slice(&mut color[first..first + 8]);
    }
    let second = places[1];
    let (low, high) = v.split();
    high.store_slice(&mut color[second..second + 4]);
    low.store_slice(&mut color[first..first + 4]);
}

/// The colour of eight pixels from each of two places on, or of four from each of four.
#[inline(always)]
pub(super) fn load_sixteen<S: Vectors, const SPANS: usize>(
    simd: S,
    color: &[u32],
    places: [usize; SPANS],
) -> Option<u32x16<S>> {
    if SPANS == 2 {
        let low = load_eight(simd, color, [places[0]])?;
        return Some(low.combine(load_eight(simd, color, [places[1]])?));
    }
    let low = load_eight(simd, color, [places[0], places[1]])?;
    Some(low.combine(load_eight(simd, color, [places[2], places[3]])?))
}

/// Stores what [`load_sixteen`] loads, the last span first.
#[inline(always)]
pub(super) fn store_sixteen<S: Vectors, const SPANS: usize>(
    v: u32x16<S>,
    color: &mut [u32],
    places: [usize; SPANS],
) {
    let (low, high) = v.split();
    if SPANS == 2 {
        store_eight(high, color, [places[1]]);
        store_eight(low, color, [places[0]]);
    } else {
        store_eight(high, color, [places[2], places[3]]);
        store_eight(low, color, [places[0], places[1]]);
    }
}
