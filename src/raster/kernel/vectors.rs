//! What is known of a level's vectors when its kernels are compiled.
//!
//! Code that one of these constants guards, as `if const { S::SIXTEEN }`, is not even looked at by the compiler's
//! back end for other levels. With all of it for all of them the library takes twice as long to build.

use fearless_simd::{Fallback, Simd, SimdBase, f32x8, prelude::*};

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
    /// Whether shuffles of bytes and rounding down are loops and calls of the library's.
    const LACKS_INSTRUCTIONS: bool = false;
    /// Whether vectors are arrays. To compile many operations of them takes the compiler minutes, so only pixels of the
    /// nearest texel are shaded with them, and all others by the scalar twin: half as fast, but no usual machine
    /// draws by this level.
    const EMULATED: bool = false;
    /// Whether a mask of eight lanes is one vector, see `depth_test.rs`.
    const VECTOR_MASKS: bool = false;

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
    use std::arch::x86::_mm256_min_ps;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::_mm256_min_ps;

    use fearless_simd::x86::{Avx2, Avx512, Sse2, Sse4_2};
    use fearless_simd::{f32x8, kernel, prelude::*};

    use super::Vectors;

    impl Vectors for Sse2 {
        const LACKS_INSTRUCTIONS: bool = true;
    }

    impl Vectors for Sse4_2 {
        const SIXTEEN: bool = cfg!(test);
    }

    impl Vectors for Avx2 {
        const VECTOR_MASKS: bool = true;

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
