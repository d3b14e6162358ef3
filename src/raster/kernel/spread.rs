//! Values of two or four spans in the lanes of one vector.

use fearless_simd::{f32x4, f32x8, f32x16, mask32x8, mask32x16, prelude::*, u8x32};

use super::list::ROOM;
use super::transpose::words;
use super::vectors::Vectors;

/// Columns from the first of eight pixels.
pub(super) const RAMP: [f32; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

/// Two values, four lanes each.
#[inline(always)]
pub(super) fn both<S: Vectors>(simd: S, a: f32, b: f32) -> f32x8<S> {
    let high = mask32x8::from_bitmask(simd, 0xf0);
    high.select(f32x8::splat(simd, b), f32x8::splat(simd, a))
}

/// The lanes of two vectors beside each other, four by four: so one shuffle makes [`both`] of a lane of each.
pub(super) struct Halves<S: Vectors> {
    low: f32x8<S>,
    high: f32x8<S>,
}

impl<S: Vectors> Halves<S> {
    #[inline(always)]
    pub(super) fn new(a: f32x8<S>, b: f32x8<S>) -> Self {
        let ((a_low, a_high), (b_low, b_high)) = (a.split(), b.split());
        Self { low: a_low.combine(b_low), high: a_high.combine(b_high) }
    }

    /// Lane `I` of the first vector in four lanes, and that of the second in the other four.
    #[inline(always)]
    pub(super) fn lane<const I: u8>(&self, simd: S) -> f32x8<S> {
        let Self { low, high } = self;
        let half = if I < 4 { *low } else { *high };
        if const { S::EIGHT } {
            let bytes = u8x32::load_array(simd, const { words([I % 4; 4]) });
            return simd.swizzle_dyn_within_blocks_f32x8(half, bytes);
        }
        let half: [f32; 8] = half.into();
        both(simd, half[usize::from(I % 4)], half[usize::from(I % 4) + 4])
    }
}

/// A value for the first eight lanes and one for the others.
#[inline(always)]
pub(super) fn two<S: Vectors>(simd: S, a: f32, b: f32) -> f32x16<S> {
    let high = mask32x16::from_bitmask(simd, 0xff00);
    high.select(f32x16::splat(simd, b), f32x16::splat(simd, a))
}

/// Four values of a list, four lanes each.
#[inline(always)]
pub(super) fn four<S: Vectors>(simd: S, v: &[f32; ROOM], [a, b, c, d]: [usize; 4]) -> f32x16<S> {
    let v = f32x4::load_array(simd, [v[a], v[b], v[c], v[d]]);
    let twice = v.zip_low(v).combine(v.zip_high(v));
    twice.zip_low(twice).combine(twice.zip_high(twice))
}

/// The same eight values in both halves.
#[inline(always)]
pub(super) fn twice<S: Vectors>(simd: S, v: &[f32; 8]) -> f32x16<S> {
    let v = f32x8::load_array_ref(simd, v);
    v.combine(v)
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;

    #[test]
    fn lanes_of_two_vectors_fill_a_half_each_on_every_level() {
        for level in [Level::baseline(), Level::new(), Level::fallback()] {
            dispatch!(level, simd => {
                let vector = |first| f32x8::load_array(simd, RAMP) + first;
                let halves = Halves::new(vector(10.0), vector(20.0));
                let lanes = [
                    halves.lane::<0>(simd),
                    halves.lane::<3>(simd),
                    halves.lane::<4>(simd),
                    halves.lane::<7>(simd),
                ];
                for (found, lane) in lanes.into_iter().zip([0.0, 3.0, 4.0, 7.0]) {
                    let found: [f32; 8] = found.into();
                    let [a, b] = [10.0 + lane, 20.0 + lane];
                    assert_eq!(found, [a, a, a, a, b, b, b, b]);
                }
            });
        }
    }
}
