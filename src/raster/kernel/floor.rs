//! Rounding down.
//!
//! SSE2 has no instruction for it, and the library calls a function for every lane. There it is made
//! of a conversion to whole numbers and back.

use fearless_simd::{f64x8, prelude::*};

use super::vectors::Vectors;

/// Makes the function for one number of lanes.
macro_rules! of_lanes {
    ($module:ident, $f32:ident, $i32:ident) => {
        pub(super) mod $module {
            use fearless_simd::{prelude::*, $f32, $i32};

            use super::Vectors;

            /// The greatest whole number that is not above; a zero may lose its sign.
            #[inline(always)]
            pub(crate) fn floor<S: Vectors>(v: $f32<S>) -> $f32<S> {
                if !S::LACKS_INSTRUCTIONS {
                    return v.floor();
                }
                let [zero, one] = [$f32::splat(v.simd, 0.0), $f32::splat(v.simd, 1.0)];
                let whole = v.to_int::<$i32<S>>().to_float::<$f32<S>>();
                let floor = whole - whole.simd_gt(v).select(one, zero);
                // What no integer holds is whole, or no number.
                v.abs().simd_lt(2_147_483_648.0).select(floor, v)
            }
        }
    };
}

of_lanes!(eight, f32x8, i32x8);
of_lanes!(sixteen, f32x16, i32x16);

/// [`eight::floor`] of doubles that are smaller than 2^51.
#[inline(always)]
pub(super) fn floor_of_doubles<S: Vectors>(v: f64x8<S>) -> f64x8<S> {
    if !S::LACKS_INSTRUCTIONS {
        return v.floor();
    }
    let [zero, one] = [f64x8::splat(v.simd, 0.0), f64x8::splat(v.simd, 1.0)];
    let nearest = (v + NO_FRACTION) - NO_FRACTION;
    nearest - nearest.simd_gt(v).select(one, zero)
}

/// 1.5 * 2^52: sums with it have no place for a fraction.
const NO_FRACTION: f64 = 6_755_399_441_055_744.0;

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, f32x8, f32x16};

    use super::*;

    #[test]
    fn rounding_down_is_the_same_on_every_level() {
        let numbers = [
            0.0,
            0.25,
            -0.25,
            1.0,
            -1.0,
            2.999,
            -2.999,
            4_194_303.5,
            -4_194_303.5,
            8_388_607.0,
            16_777_216.0,
            -2_147_483_648.0,
            3e9,
            -3e9,
            1e30,
            f32::INFINITY,
            f32::NEG_INFINITY,
        ];
        for level in [Level::baseline(), Level::new(), Level::fallback()] {
            dispatch!(level, simd => {
                for x in numbers {
                    let eight: [f32; 8] = eight::floor(f32x8::splat(simd, x)).into();
                    let sixteen: [f32; 16] = sixteen::floor(f32x16::splat(simd, x)).into();
                    assert_eq!((eight, sixteen), ([x.floor(); 8], [x.floor(); 16]), "{x}");
                    if x.abs() < 1e10 {
                        let x = f64::from(x) * 1001.0 + 0.125;
                        let found: [f64; 8] = floor_of_doubles(f64x8::splat(simd, x)).into();
                        assert_eq!(found, [x.floor(); 8], "{x}");
                    }
                }
                let nan: [f32; 8] = eight::floor(f32x8::splat(simd, f32::NAN)).into();
                assert!(nan.iter().all(|x| x.is_nan()));
            });
        }
    }
}
