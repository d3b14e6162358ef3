//! The depth test of a strip.
//!
//! Where a mask is a vector, as with AVX2, to choose lanes of two vectors by it is three operations of Intel's
//! processors, and the lesser of two is one. There the depth of pixels behind the end of their span is made no number,
//! which is less than none, and of which the lesser is the other:
//!
//! ```text
//!   column         0    1    2    3      end of the span: 3
//!   z              0.5  0.6  0.7  0.8
//!   or outside     0.5  0.6  0.7  NaN    all bits set
//!   there          1.0  0.5  1.0  1.0
//!   less           x    .    x    .
//!   the lesser     0.5  0.5  0.7  1.0
//! ```

use fearless_simd::{f32x8, f32x16, i32x8, i32x16, mask32x8, mask32x16, prelude::*, u32x8};

use super::vectors::Vectors;

/// Light of pixels that are not drawn.
const NOT_DRAWN: i32 = -1;

/// Which pixels, of columns `x` before `end`, are nearer than the `old` depth, and the depth that is there then.
#[inline(always)]
pub(super) fn eight<S: Vectors>(
    z: f32x8<S>,
    old: f32x8<S>,
    x: f32x8<S>,
    end: f32x8<S>,
) -> (mask32x8<S>, f32x8<S>) {
    if const { S::VECTOR_MASKS } {
        let outside = x.simd_ge(end).to_vector().bitcast::<u32x8<S>>();
        let z = (z.bitcast::<u32x8<S>>() | outside).bitcast::<f32x8<S>>();
        return (z.simd_lt(old), S::lesser(z, old));
    }
    let pass = z.simd_lt(old) & x.simd_lt(end);
    (pass, pass.select(z, old))
}

/// [`eight`] of sixteen, which are asked for only where they are one vector.
#[inline(always)]
pub(super) fn sixteen<S: Vectors>(
    z: f32x16<S>,
    old: f32x16<S>,
    x: f32x16<S>,
    end: f32x16<S>,
) -> (mask32x16<S>, f32x16<S>) {
    let pass = z.simd_lt(old) & x.simd_lt(end);
    (pass, pass.select(z, old))
}

/// Light in whole numbers, of 0 and more; negative where pixels do not pass.
#[inline(always)]
pub(super) fn light_of_eight<S: Vectors>(pass: mask32x8<S>, light: f32x8<S>) -> i32x8<S> {
    if const { S::VECTOR_MASKS } {
        return light.to_int::<i32x8<S>>() | (!pass).to_vector();
    }
    // Chosen before it is made a whole number, it is one instruction instead of two.
    pass.select(light, f32x8::splat(light.simd, NOT_DRAWN as f32)).to_int::<i32x8<S>>()
}

/// [`light_of_eight`] of whole numbers.
#[inline(always)]
pub(super) fn light_of_whole_eight<S: Vectors>(pass: mask32x8<S>, light: i32x8<S>) -> i32x8<S> {
    if const { S::VECTOR_MASKS } {
        return light | (!pass).to_vector();
    }
    pass.select(light, i32x8::splat(light.simd, NOT_DRAWN))
}

/// [`light_of_whole_eight`] of sixteen.
#[inline(always)]
pub(super) fn light_of_whole_sixteen<S: Vectors>(
    pass: mask32x16<S>,
    light: i32x16<S>,
) -> i32x16<S> {
    pass.select(light, i32x16::splat(light.simd, NOT_DRAWN))
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;

    use super::*;

    #[test]
    fn nearer_pixels_of_a_span_pass_on_every_level() {
        const NAN: f32 = f32::NAN;
        // Pixels of which the last is behind the end of the span, whatever its depth; what is there, and then.
        let z = [0.5, 0.6, 0.7, NAN, 0.0, -0.0, -0.25, 0.1];
        let old = [1.0, 0.5, 0.7, 0.4, -0.0, 0.0, -0.125, 1.0];
        let expected = [0.5, 0.5, 0.7, 0.4, -0.0, 0.0, -0.25, 1.0];
        let passed = 0b0100_0001;
        let column = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let light = [9.75, 8.0, 7.0, 6.0, 5.0, 4.0, 0.0, 256.0];
        let lit = [9, NOT_DRAWN, NOT_DRAWN, NOT_DRAWN, NOT_DRAWN, NOT_DRAWN, 0, NOT_DRAWN];
        let bits = |depths: [f32; 8]| depths.map(f32::to_bits);
        let best = Level::new();
        let avx2 = best.as_avx2().map(|simd| simd.level());
        for level in [Level::baseline(), Level::fallback(), best].into_iter().chain(avx2) {
            dispatch!(level, simd => {
                let v = |values| f32x8::load_array(simd, values);
                let (z, old, x, end) = (v(z), v(old), v(column), f32x8::splat(simd, 7.0));
                let (pass, depth) = eight(z, old, x, end);
                assert_eq!((pass.to_bitmask(), bits(depth.into())), (passed, bits(expected)));
                let found: [i32; 8] = light_of_eight(pass, v(light)).into();
                assert_eq!(found, lit);
                let whole = v(light).to_int::<i32x8<_>>();
                assert_eq!(<[i32; 8]>::from(light_of_whole_eight(pass, whole)), lit);
                // The other half has one pixel, and would pass with it.
                let (far, one) = (f32x8::splat(simd, 1.0), f32x8::splat(simd, 0.5));
                let second = f32x8::splat(simd, 1.0);
                let (pass, depth) =
                    sixteen(z.combine(one), old.combine(far), x.combine(x), end.combine(second));
                let (low, high) = depth.split();
                assert_eq!(pass.to_bitmask(), passed | 1 << 8);
                assert_eq!(bits(low.into()), bits(expected));
                assert_eq!(<[f32; 8]>::from(high), [0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
                let whole = v(light).combine(one).to_int::<i32x16<_>>();
                let (low, high) = light_of_whole_sixteen(pass, whole).split();
                assert_eq!(<[i32; 8]>::from(low), lit);
                assert_eq!(<[i32; 8]>::from(high), [0, -1, -1, -1, -1, -1, -1, -1]);
            });
        }
    }
}
