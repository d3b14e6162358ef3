//! Numbers as a C compiler for x86 makes them.

use fearless_simd::{Simd, f32x4, f32x8, i32x4, i32x8, mask32x4, prelude::*};

/// `(int)x`: towards zero; what no `i32` can hold (and NaN) becomes the smallest `i32`.
#[inline(always)]
pub(super) fn int(x: f32) -> i32 {
    // What is too small becomes the smallest by itself.
    if x < 2_147_483_648.0 { x as i32 } else { i32::MIN }
}

/// [`int`] of four numbers.
#[inline(always)]
fn four_ints<S: Simd>(simd: S, x: f32x4<S>) -> i32x4<S> {
    let smallest = i32x4::splat(simd, i32::MIN);
    x.simd_lt(2_147_483_648.0).select(x.to_int::<i32x4<S>>(), smallest)
}

/// [`int`] of four numbers, but of those in `up` of the next whole number upwards.
#[inline(always)]
pub(super) fn four_ints_up<S: Simd>(simd: S, x: f32x4<S>, up: mask32x4<S>) -> i32x4<S> {
    let towards_zero = four_ints(simd, x);
    // What does not fit stays; the smallest number itself has nothing behind the point.
    let more =
        up & towards_zero.to_float::<f32x4<S>>().simd_lt(x) & !towards_zero.simd_eq(i32::MIN);
    more.select(towards_zero + 1, towards_zero)
}

/// [`int`] of eight numbers.
#[inline(always)]
pub(super) fn ints<S: Simd>(simd: S, x: f32x8<S>) -> i32x8<S> {
    let smallest = i32x8::splat(simd, i32::MIN);
    x.simd_lt(2_147_483_648.0).select(x.to_int::<i32x8<S>>(), smallest)
}

/// [`ints`], but of the next whole numbers upwards.
#[inline(always)]
pub(super) fn ints_up<S: Simd>(simd: S, x: f32x8<S>) -> i32x8<S> {
    let towards_zero = ints(simd, x);
    let is_below = towards_zero.to_float::<f32x8<S>>().simd_lt(x);
    let more = is_below & !towards_zero.simd_eq(i32::MIN);
    more.select(towards_zero + 1, towards_zero)
}

/// [`int`] for a double.
pub(super) fn int_f64(x: f64) -> i32 {
    if x > -2_147_483_649.0 && x < 2_147_483_648.0 { x as i32 } else { i32::MIN }
}

/// `(a.x * b.x + a.y * b.y) + a.z * b.z`, the one order that everything here uses.
pub(super) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    #[test]
    fn conversion_truncates_and_overflows_to_the_smallest() {
        let table = [
            (-0.9, 0),
            (2.9, 2),
            (-2.9, -2),
            (2_147_483_520.0, 2_147_483_520),
            (2_147_483_648.0, i32::MIN),
            (-2_147_483_648.0, i32::MIN),
            (-1e20, i32::MIN),
            (f32::INFINITY, i32::MIN),
            (f32::NAN, i32::MIN),
        ];
        for (x, expected) in table {
            assert_eq!(int(x), expected, "{x}");
            assert_eq!(int_f64(f64::from(x)), expected, "{x}");
        }
        assert_eq!(int_f64(-2_147_483_648.5), i32::MIN);
        assert_eq!(int_f64(2_147_483_647.5), i32::MAX);
    }

    #[test]
    fn many_at_once_are_the_same_on_every_level() {
        let numbers = [
            -0.9,
            2.9,
            -2.9,
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.0,
            -1.0,
            8_388_607.5,
            -8_388_607.5,
            2_147_483_520.0,
            2_147_483_648.0,
            -2_147_483_648.0,
            -2_147_483_904.0,
            1e30,
            -1e30,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ];
        for level in [Level::baseline(), Level::new(), Level::fallback()] {
            dispatch!(level, simd => {
                for x in numbers {
                    let up = mask32x4::from_bitmask(simd, 0b0100);
                    let (x4, x8) = (f32x4::splat(simd, x), f32x8::splat(simd, x));
                    let found: [i32; 4] = four_ints_up(simd, x4, up).into();
                    assert_eq!(found, [int(x), int(x), int(x.ceil()), int(x)], "{x}");
                    let found: [[i32; 8]; 2] = [ints(simd, x8).into(), ints_up(simd, x8).into()];
                    assert_eq!(found, [[int(x); 8], [int(x.ceil()); 8]], "{x}");
                }
            });
        }
    }
}
