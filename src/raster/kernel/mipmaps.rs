//! Which mipmaps pixels take. Eight lanes and sixteen have the same arithmetic.

use super::super::shade::{Gradients, Shading};
use super::floor;
use super::vectors::Vectors;

/// Makes the functions for one number of lanes.
macro_rules! of_lanes {
    ($module:ident, $lanes:literal, $f32:ident, $i32:ident, $u32:ident, $u16:ident) => {
        pub(super) mod $module {
            use fearless_simd::{prelude::*, $f32, $i32, $u16, $u32};

            use super::Vectors;
            use super::floor::$module::floor;
            use super::{Gradients, Shading, UNSURE};

            /// Changes of 1/w and of the texture coordinates over w, to the right and down, of one
            /// triangle in all lanes.
            #[inline(always)]
            pub(crate) fn shared<S: Vectors>(simd: S, gradients: &Gradients) -> [[$f32<S>; 3]; 2] {
                let mut lanes = [[$f32::splat(simd, 0.0); 3]; 2];
                for i in 0..3 {
                    lanes[0][i] = $f32::splat(simd, gradients.x[i + 1]);
                    lanes[1][i] = $f32::splat(simd, gradients.y[i + 1]);
                }
                lanes
            }

            /// Squared length in texels of the longer side of the pixels' shapes on the texture. `IN_RANGE`: all
            /// of it is numbers.
            #[inline(always)]
            pub(crate) fn footprint<S: Vectors, const IN_RANGE: bool>(
                scale: [f32; 2],
                at: [$f32<S>; 2],
                w: $f32<S>,
                [right, down]: [[$f32<S>; 3]; 2],
            ) -> $f32<S> {
                let (right, down) = (side(scale, at, w, right), side(scale, at, w, down));
                if IN_RANGE { right.max(down) } else { right.max_precise(down) }
            }

            #[inline(always)]
            fn side<S: Vectors>(
                scale: [f32; 2],
                [a, b]: [$f32<S>; 2],
                w: $f32<S>,
                [along_w, along_a, along_b]: [$f32<S>; 3],
            ) -> $f32<S> {
                let u = (along_a - a * along_w) * w * scale[0];
                let v = (along_b - b * along_w) * w * scale[1];
                u * u + v * v
            }

            /// The finer of the two mipmaps for each footprint, and the weight of the coarser of 256, as
            /// [`Shading::mipmap`] finds them, which is asked where a weight is not sure; of pixels that
            /// are not in `pass` maybe others.
            #[inline(always)]
            pub(crate) fn levels<S: Vectors>(
                simd: S,
                shading: &Shading<'_>,
                footprint: $f32<S>,
                pass: u64,
            ) -> ($i32<S>, $u32<S>) {
                let minified = footprint.simd_gt(1.0);
                let last = 256.0 * (shading.texture.levels.len() - 1) as f32;
                let parts = half_log2_parts(footprint);
                let beyond = parts.simd_gt(last + UNSURE);
                let parts = minified.select(parts.min(last), $f32::splat(simd, 0.0));
                let fraction = parts - floor(parts);
                let near = fraction.simd_lt(UNSURE) | fraction.simd_gt(1.0 - UNSURE);
                let mut parts = parts.to_int::<$i32<S>>();
                let mut unsure = (near & minified & !beyond).to_bitmask() & pass;
                if unsure != 0 {
                    let footprint: [f32; $lanes] = footprint.into();
                    let mut found: [i32; $lanes] = parts.into();
                    while unsure != 0 {
                        let lane = unsure.trailing_zeros() as usize % $lanes;
                        unsure &= unsure - 1;
                        let (level, weight) = shading.mipmap(footprint[lane]);
                        found[lane] = (level << 8) as i32 | weight as i32;
                    }
                    parts = $i32::load_array(simd, found);
                }
                (parts >> 8, (parts & 255).bitcast())
            }

            /// About 256 times half the binary logarithm of numbers above 1.
            ///
            /// The number is a power of two times m, and `ln m = 2 artanh t`, where `t = (m - 1) / (m + 1)`.
            /// m is between the square roots of 1/2 and 2, so that t is below 0.172, and three terms of
            /// the series leave an error below 2e-6; rounding adds less than that below 2^32.
            #[inline(always)]
            pub(crate) fn half_log2_parts<S: Vectors>(x: $f32<S>) -> $f32<S> {
                const ROOT: i32 = std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32;
                let bits = x.bitcast::<$i32<S>>();
                let exponent = (bits - ROOT) >> 23;
                let m = (bits - (exponent << 23)).bitcast::<$f32<S>>();
                let t = (m - 1.0) / (m + 1.0);
                let square = t * t;
                let series = t * ((square * (1.0 / 5.0) + 1.0 / 3.0) * square + 1.0);
                let log2 =
                    series * (2.0 * std::f32::consts::LOG2_E) + exponent.to_float::<$f32<S>>();
                log2 * 128.0
            }

            /// Pixels `weight` of 256 on the way to others, channel by channel.
            #[inline(always)]
            pub(crate) fn between<S: Vectors>(
                [near, far]: [$u32<S>; 2],
                weight: $u32<S>,
            ) -> $u32<S> {
                let (near, far) = (near.bitcast::<$u16<S>>(), far.bitcast::<$u16<S>>());
                let to_far = (weight | weight << 16).bitcast::<$u16<S>>();
                let to_near = 256 - to_far;
                let even = (near & 255) * to_near + (far & 255) * to_far;
                let odd = (near >> 8) * to_near + (far >> 8) * to_far;
                (((even + 128) >> 8) | ((odd + 128) & 0xff00)).bitcast()
            }
        }
    };
}

of_lanes!(eight, 8, f32x8, i32x8, u32x8, u16x16);
of_lanes!(sixteen, 16, f32x16, i32x16, u32x16, u16x32);

/// More than the error of `half_log2_parts` and that of the scalar twin's logarithm together.
const UNSURE: f32 = 0.002;

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, f32x8, prelude::*};

    use super::*;

    #[test]
    fn half_logarithms_are_near_enough() {
        dispatch!(Level::new(), simd => {
            let mut worst = 0.0f64;
            let mut bits = 1.0f32.to_bits();
            while bits < 4_294_967_296.0f32.to_bits() {
                let x = f32::from_bits(bits);
                let found: [f32; 8] = eight::half_log2_parts(f32x8::splat(simd, x)).into();
                let exact = 128.0 * libm::log2(f64::from(x));
                let twin = 128.0 * f64::from(libm::log2f(x));
                worst = worst.max((f64::from(found[0]) - exact).abs() + (twin - exact).abs());
                bits += 997;
            }
            assert!(worst < f64::from(UNSURE) / 2.0, "{worst}");
        });
    }
}
