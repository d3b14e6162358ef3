//! What is known of a level's vectors when its kernels are compiled.
//!
//! Code that one of these constants guards, as `if const { S::SIXTEEN }`, is not even looked at by the compiler's
//! back end for other levels. With all of it for all of them the library takes twice as long to build.

use fearless_simd::{Fallback, Simd, SimdBase, f32x8, i16x16, i16x32, prelude::*, u16x16, u16x32};

/// `$then!(module, token, ..)` for a level: the name of its module in `levels.rs`, and what the library takes for the
/// proof that the machine has it.
macro_rules! by_level {
    ($level:expr, $then:ident!($($rest:tt)*)) => {
        'done: {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            {
                if let Some(simd) = $level.as_avx512() {
                    break 'done $then!(avx512, simd, $($rest)*);
                }
                if let Some(simd) = $level.as_avx2() {
                    break 'done $then!(avx2, simd, $($rest)*);
                }
                if let Some(simd) = $level.as_sse4_2() {
                    break 'done $then!(sse4_2, simd, $($rest)*);
                }
                if let Some(simd) = $level.as_sse2() {
                    break 'done $then!(sse2, simd, $($rest)*);
                }
            }
            #[cfg(target_arch = "aarch64")]
            if let Some(simd) = $level.as_neon() {
                break 'done $then!(neon, simd, $($rest)*);
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            if let Some(simd) = $level.as_wasm_simd128() {
                break 'done $then!(wasm, simd, $($rest)*);
            }
            match $level {
                fearless_simd::Level::Fallback(simd) => $then!(fallback, simd, $($rest)*),
                _ => unreachable!("every level but the fallback was looked at"),
            }
        }
    };
}

/// `dispatch!(level, simd => value)` as the library's, whose token is of any [`Simd`] instead of one of [`Vectors`].
#[cfg(test)]
macro_rules! dispatch {
    ($level:expr, $simd:ident => $value:expr) => {
        by_level!($level, vectorized!($simd => $value))
    };
}

#[cfg(test)]
macro_rules! vectorized {
    ($module:ident, $token:ident, $simd:ident => $value:expr) => {{
        let $simd = $token;
        fearless_simd::Simd::vectorize(
            $simd,
            #[inline(always)]
            || $value,
        )
    }};
}

/// The levels that there are kernels of.
pub(super) trait Vectors: Simd {
    /// Whether sixteen lanes are one vector.
    ///
    /// In tests SSE4.2 goes that way, too: machines without AVX-512 test it by that.
    const SIXTEEN: bool = false;
    /// Whether eight lanes are one vector, or a half of one: else they are two of four.
    const EIGHT: bool = <Self::f32s as SimdBase<Self>>::LEN >= 8;
    /// Whether shuffles of bytes and rounding down are loops and calls of the library's, and products of bytes several
    /// operations.
    const LACKS_INSTRUCTIONS: bool = false;
    /// Whether vectors are arrays. To compile many operations of them takes the compiler minutes, so only pixels of the
    /// nearest texel are shaded with them, and all others by the scalar twin: half as fast, but no usual machine
    /// draws by this level.
    const EMULATED: bool = false;
    /// Whether a mask of eight lanes is one vector, see `depth_test.rs`.
    const VECTOR_MASKS: bool = false;

    /// Of each word the products of its bytes, those of `a` without a sign and of `b` with one, together. They
    /// must fit 16 bits.
    #[inline(always)]
    fn pairs_of_bytes(a: u16x16<Self>, b: u16x16<Self>) -> i16x16<Self> {
        let (a, b) = (a.bitcast::<i16x16<Self>>(), b.bitcast::<i16x16<Self>>());
        (a & 255) * ((b << 8) >> 8) + ((a >> 8) & 255) * (b >> 8)
    }

    /// The same of 32 words.
    #[inline(always)]
    fn many_pairs_of_bytes(a: u16x32<Self>, b: u16x32<Self>) -> i16x32<Self> {
        let ((a0, a1), (b0, b1)) = (a.split(), b.split());
        Self::pairs_of_bytes(a0, b0).combine(Self::pairs_of_bytes(a1, b1))
    }

    /// `a` where it is less, else `b`, as where one of them is no number.
    #[inline(always)]
    fn lesser(a: f32x8<Self>, b: f32x8<Self>) -> f32x8<Self> {
        a.simd_lt(b).select(a, b)
    }
}

impl Vectors for Fallback {
    const LACKS_INSTRUCTIONS: bool = true;
    const EMULATED: bool = true;
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86 {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::{
        _mm_maddubs_epi16, _mm256_maddubs_epi16, _mm256_min_ps, _mm512_maddubs_epi16,
    };
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::{
        _mm_maddubs_epi16, _mm256_maddubs_epi16, _mm256_min_ps, _mm512_maddubs_epi16,
    };

    use fearless_simd::x86::{Avx2, Avx512, Sse2, Sse4_2};
    use fearless_simd::{f32x8, i16x8, i16x16, i16x32, kernel, prelude::*, u16x8, u16x16, u16x32};

    use super::Vectors;

    /// [`Vectors::pairs_of_bytes`], or that of more words, as the one instruction that it is.
    macro_rules! pairs_of_bytes {
        ($level:ident, $name:ident, $u16:ident, $i16:ident, $instruction:ident) => {
            #[inline(always)]
            fn $name(a: $u16<Self>, b: $u16<Self>) -> $i16<Self> {
                kernel!(
                    #[inline(always)]
                    fn pairs(token: $level, a: $u16<$level>, b: $u16<$level>) -> $i16<$level> {
                        $instruction(a.into(), b.into()).simd_into(token)
                    }
                );
                pairs(a.simd, a, b)
            }
        };
    }

    impl Vectors for Sse2 {
        const LACKS_INSTRUCTIONS: bool = true;
    }

    impl Vectors for Sse4_2 {
        const SIXTEEN: bool = cfg!(test);

        #[inline(always)]
        fn pairs_of_bytes(a: u16x16<Self>, b: u16x16<Self>) -> i16x16<Self> {
            kernel!(
                #[inline(always)]
                fn pairs(token: Sse4_2, a: u16x8<Sse4_2>, b: u16x8<Sse4_2>) -> i16x8<Sse4_2> {
                    _mm_maddubs_epi16(a.into(), b.into()).simd_into(token)
                }
            );
            let ((a0, a1), (b0, b1)) = (a.split(), b.split());
            pairs(a.simd, a0, b0).combine(pairs(a.simd, a1, b1))
        }
    }

    impl Vectors for Avx2 {
        const VECTOR_MASKS: bool = true;

        pairs_of_bytes!(Avx2, pairs_of_bytes, u16x16, i16x16, _mm256_maddubs_epi16);

        #[inline(always)]
        fn lesser(a: f32x8<Self>, b: f32x8<Self>) -> f32x8<Self> {
            kernel!(
                #[inline(always)]
                fn lesser(token: Avx2, a: f32x8<Avx2>, b: f32x8<Avx2>) -> f32x8<Avx2> {
                    _mm256_min_ps(a.into(), b.into()).simd_into(token)
                }
            );
            lesser(a.simd, a, b)
        }
    }

    impl Vectors for Avx512 {
        const SIXTEEN: bool = true;

        pairs_of_bytes!(Avx512, pairs_of_bytes, u16x16, i16x16, _mm256_maddubs_epi16);
        pairs_of_bytes!(Avx512, many_pairs_of_bytes, u16x32, i16x32, _mm512_maddubs_epi16);
    }
}

#[cfg(target_arch = "aarch64")]
impl Vectors for fearless_simd::aarch64::Neon {
    const SIXTEEN: bool = cfg!(test);
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Vectors for fearless_simd::wasm32::WasmSimd128 {
    const SIXTEEN: bool = cfg!(test);
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, u16x16, u16x32};

    use super::*;

    #[test]
    fn bytes_without_and_with_signs_are_multiplied_in_pairs() {
        let weights = [[0u8, 255], [255, 0], [1, 254], [128, 127]];
        let texels = [[0i8, 0], [127, 127], [-128, -128], [127, -128], [-128, 127], [-1, 1]];
        let (mut a, mut b, mut expected) = (Vec::new(), Vec::new(), Vec::new());
        for (weights, texels) in weights.iter().flat_map(|w| texels.map(|texels| (*w, texels))) {
            let products = [0, 1].map(|i| i32::from(weights[i]) * i32::from(texels[i]));
            a.push(u16::from_le_bytes(weights));
            b.push(u16::from_le_bytes(texels.map(i8::cast_unsigned)));
            expected.push((products[0] + products[1]) as i16);
        }
        for numbers in [&mut a, &mut b] {
            numbers.resize(32, 0);
        }
        expected.resize(32, 0);
        let best = Level::new();
        let all = [Level::baseline(), Level::fallback(), best];
        let avx2 = best.as_avx2().map(|simd| simd.level());
        let sse4_2 = best.as_sse4_2().map(|simd| simd.level());
        for level in all.into_iter().chain(avx2).chain(sse4_2) {
            dispatch!(level, simd => {
                fn eight<S: Vectors>(a: u16x16<S>, b: u16x16<S>) -> [i16; 16] {
                    S::pairs_of_bytes(a, b).into()
                }
                fn sixteen<S: Vectors>(a: u16x32<S>, b: u16x32<S>) -> [i16; 32] {
                    S::many_pairs_of_bytes(a, b).into()
                }
                for half in [0..16, 16..32] {
                    let [a, b] = [&a, &b].map(|v| u16x16::from_slice(simd, &v[half.clone()]));
                    assert_eq!(eight(a, b), expected[half]);
                }
                let [a, b] = [&a, &b].map(|v| u16x32::from_slice(simd, v));
                assert_eq!(sixteen(a, b), expected[..]);
            });
        }
    }
}
