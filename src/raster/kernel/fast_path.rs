//! The commonest shading, without a branch; see [`FastPath`]. Eight lanes and sixteen have the same
//! arithmetic.

use super::super::shade::{FastPath, MIN_RECIPROCAL};
use super::super::texture::SMALL;
use super::fetch::{Memory, stored};
use super::floor;
use super::vectors::Vectors;

/// Makes the functions for one number of lanes.
macro_rules! of_lanes {
    ($module:ident, $lanes:literal, $f32:ident, $i32:ident, $u32:ident, $u16:ident) => {
        pub(super) mod $module {
            use fearless_simd::{prelude::*, $f32, $i32, $u16, $u32};

            use super::Vectors;
            use super::floor::$module::floor;
            use super::{FastPath, MIN_RECIPROCAL, Memory, SMALL, stored};

            /// Texel numbers and light of the pixels. `at` are the attributes without z, `in_range` says
            /// that those of all pixels that count are, see `list::List`.
            #[inline(always)]
            pub(crate) fn numbers<S: Vectors>(
                simd: S,
                path: &FastPath<'_>,
                at: [$f32<S>; 4],
                in_range: bool,
            ) -> ($i32<S>, $f32<S>) {
                let (x, row, light);
                if in_range {
                    let w = reciprocal(simd, at[0]);
                    (x, row) = ((at[1] * w).to_int::<$i32<S>>(), (at[2] * w).to_int::<$i32<S>>());
                    light = at[3] * w;
                } else {
                    // As `divided`, from memory: see `FastPath::least_reciprocal`.
                    let least = $f32::from_slice(simd, &path.least_reciprocal[..$lanes]);
                    let range = $f32::from_slice(simd, &path.range[..$lanes]);
                    let w = reciprocal(simd, at[0].max(least));
                    (x, row) = (floored(at[1] * w, range), floored(at[2] * w, range));
                    light = (at[3] * w).max(0.0);
                }
                let x = x & $i32::from_slice(simd, &path.masks[0][..$lanes]);
                let row = row & $i32::from_slice(simd, &path.masks[1][..$lanes]);
                (row | x, light.min(256.0))
            }

            /// Texels of a texture whose texels are numbered by 16 bits: no number is beyond the last.
            #[inline(always)]
            pub(crate) fn small_texels<S: Vectors, const GATHER: bool>(
                simd: S,
                texels: &[u32; SMALL],
                index: $i32<S>,
                memory: &mut Memory<GATHER>,
            ) -> $u32<S> {
                let index: [i32; $lanes] = index.into();
                if GATHER {
                    let found = &mut memory.found;
                    for lane in 0..$lanes {
                        found[lane] = texels[usize::from(index[lane] as u16)];
                    }
                    return $u32::from_slice(simd, &found[..$lanes]);
                }
                loaded(simd, texels, &stored(index))
            }

            /// The same by single loads, of numbers in memory.
            #[inline(always)]
            pub(crate) fn loaded<S: Vectors>(
                simd: S,
                texels: &[u32; SMALL],
                numbers: &[i32; $lanes],
            ) -> $u32<S> {
                let mut found = [0; $lanes];
                for lane in 0..$lanes {
                    found[lane] = texels[usize::from(numbers[lane] as u16)];
                }
                $u32::load_array(simd, found)
            }

            /// w of reciprocals that are in range.
            #[inline(always)]
            pub(crate) fn reciprocal<S: Vectors>(simd: S, iw: $f32<S>) -> $f32<S> {
                $f32::splat(simd, 1.0) / iw
            }

            /// 1 over reciprocals of w, held above 0.
            #[inline(always)]
            pub(crate) fn divided<S: Vectors>(simd: S, iw: $f32<S>) -> $f32<S> {
                reciprocal(simd, iw.max(MIN_RECIPROCAL))
            }

            /// Whole texels of a coordinate scaled by `Texture::scale`. `range` is that of
            /// `TEXEL_RANGE`.
            #[inline(always)]
            pub(crate) fn floored<S: Vectors>(t: $f32<S>, range: $f32<S>) -> $i32<S> {
                floor(t.max(-range).min(range)).to_int::<$i32<S>>()
            }

            /// Texels times light of at most 256: products stay within 16 bits.
            #[inline(always)]
            pub(crate) fn modulated<S: Vectors>(texel: $u32<S>, light: $u32<S>) -> $u32<S> {
                let texel = texel.bitcast::<$u16<S>>();
                let both = (light | light << 16).bitcast::<$u16<S>>();
                let even = ((texel & 255) * both + 128) >> 8;
                // The upper half of light is 0: of alpha nothing is left but what is added to it.
                let odd = ((texel >> 8) * light.bitcast::<$u16<S>>()).bitcast::<$u32<S>>();
                even.bitcast::<$u32<S>>() | (odd + 0xff00_0080) & 0xffff_ff00
            }
        }
    };
}

of_lanes!(eight, 8, f32x8, i32x8, u32x8, u16x16);
of_lanes!(sixteen, 16, f32x16, i32x16, u32x16, u16x32);
