//! Values of two or four spans in the lanes of one vector.

use fearless_simd::{Simd, f32x4, f32x8, f32x16, mask32x8, mask32x16, prelude::*};

use super::list::ROOM;

/// Columns from the first of eight pixels.
pub(super) const RAMP: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

/// Two values, four lanes each.
#[inline(always)]
pub(super) fn both<S: Simd>(simd: S, a: f32, b: f32) -> f32x8<S> {
    let high = mask32x8::from_bitmask(simd, 0xf0);
    high.select(f32x8::splat(simd, b), f32x8::splat(simd, a))
}

/// A value for the first eight lanes and one for the others.
#[inline(always)]
pub(super) fn two<S: Simd>(simd: S, a: f32, b: f32) -> f32x16<S> {
    let high = mask32x16::from_bitmask(simd, 0xff00);
    high.select(f32x16::splat(simd, b), f32x16::splat(simd, a))
}

/// Four values of a list, four lanes each.
#[inline(always)]
pub(super) fn four<S: Simd>(simd: S, v: &[f32; ROOM], [a, b, c, d]: [usize; 4]) -> f32x16<S> {
    let v = f32x4::load_array(simd, [v[a], v[b], v[c], v[d]]);
    let twice = v.zip_low(v).combine(v.zip_high(v));
    twice.zip_low(twice).combine(twice.zip_high(twice))
}

/// The same eight values in both halves.
#[inline(always)]
pub(super) fn twice<S: Simd>(simd: S, v: &[f32; 8]) -> f32x16<S> {
    let v = f32x8::load_array_ref(simd, v);
    v.combine(v)
}
