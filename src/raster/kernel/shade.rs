//! The nearest texel of any texture times light, or through the colormap; eight lanes and sixteen
//! have the same arithmetic. Filtered texels are in `filter.rs`, mixed fragments in `mix.rs`; the other
//! shaders, and where vectors are emulated these two as well, go through the scalar twin, lane by lane.

use fearless_simd::f32x8;

use super::super::mipmap::{FULLBRIGHT, HOLE};
use super::super::shade::{ATTRIBUTES, Gradients, LightTable, Shader, Shading, TEXEL_RANGE};
use super::super::texture::SMALL;
use super::fast_path;
use super::fetch::{Memory, stored};
use super::floor;
use super::vectors::Vectors;

/// Whether [`eight::nearest`] and [`sixteen::nearest`] draw this shader.
#[inline(always)]
pub(super) fn is_nearest(shading: &Shading<'_>) -> bool {
    matches!(shading.shader, Shader::Nearest | Shader::Indexed)
}

/// Makes the functions for one number of lanes.
macro_rules! of_lanes {
    ($module:ident, $lanes:literal, $f32:ident, $i32:ident, $u32:ident, $mask:ident) => {
        pub(super) mod $module {
            use fearless_simd::{prelude::*, $f32, $i32, $mask, $u32};

            use super::Vectors;
            use super::fast_path::$module::{
                divided, floored, modulated, reciprocal, small_texels,
            };
            use super::floor::$module::floor;
            use super::{
                FULLBRIGHT, HOLE, LightTable, Memory, SMALL, Shading, TEXEL_RANGE, stored,
            };

            /// Colours of the pixels, and which of them are no holes. `at` are the attributes without
            /// z, `in_range` says that those of all pixels that count are, see `list::List`.
            #[inline(always)]
            pub(crate) fn nearest<S: Vectors, const GATHER: bool>(
                simd: S,
                shading: &Shading<'_>,
                at: [$f32<S>; 4],
                in_range: bool,
                memory: &mut Memory<GATHER>,
            ) -> ($u32<S>, $mask<S>) {
                let w = if in_range { reciprocal(simd, at[0]) } else { divided(simd, at[0]) };
                let index = texel_number(shading, at[1] * w, at[2] * w, in_range);
                let all = &shading.texture.levels[0].texels;
                // Of two gathers to choose from the compiler makes single loads.
                let texel = match all.first_chunk() {
                    Some(small) if !GATHER && all.len() == SMALL => {
                        small_texels(simd, small, index, memory)
                    }
                    _ => texels(simd, all, index, memory),
                };
                let c = at[3] * w;
                let color = match shading.colormap {
                    Some(table) => indexed(simd, table, texel, c, memory),
                    None => lit(simd, shading, texel, c),
                };
                let solid = if shading.texture.has_holes {
                    (texel >> 24).simd_ne(HOLE)
                } else {
                    $mask::splat(simd, true)
                };
                (color, solid)
            }

            #[inline(always)]
            pub(crate) fn texel_number<S: Vectors>(
                shading: &Shading<'_>,
                a: $f32<S>,
                b: $f32<S>,
                in_range: bool,
            ) -> $i32<S> {
                let level = &shading.texture.levels[0];
                if shading.texture.power_of_two {
                    let step = shading.texture.row_step();
                    let (x, row) = if in_range {
                        (a.to_int::<$i32<S>>(), b.to_int::<$i32<S>>())
                    } else {
                        let range = $f32::splat(a.simd, TEXEL_RANGE);
                        (floored(a, range), floored(b, range))
                    };
                    let row = row & ((level.height - 1) * step);
                    (if step == 1 { row << level.shift } else { row }) | (x & (level.width - 1))
                } else {
                    (wrapped(b, level.height) << level.shift) | wrapped(a, level.width)
                }
            }

            /// Texel number of a coordinate in whole textures.
            #[inline(always)]
            fn wrapped<S: Vectors>(t: $f32<S>, size: i32) -> $i32<S> {
                ((t - floor(t)) * size as f32).to_int::<$i32<S>>().min(size - 1)
            }

            /// Their number is a power of two, which keeps any index inside under a mask.
            #[inline(always)]
            pub(crate) fn texels<S: Vectors, const GATHER: bool>(
                simd: S,
                texels: &[u32],
                index: $i32<S>,
                memory: &mut Memory<GATHER>,
            ) -> $u32<S> {
                let Some(last) = texels.len().checked_sub(1) else { return $u32::splat(simd, 0) };
                if GATHER {
                    let index: [i32; $lanes] = (index & last as i32).into();
                    let found = &mut memory.found;
                    for lane in 0..$lanes {
                        // The compiler sees of the minimum that it is inside.
                        found[lane] = texels[(index[lane] as u32 as usize).min(last)];
                    }
                    return $u32::from_slice(simd, &found[..$lanes]);
                }
                let index: [i32; $lanes] = stored(index.into());
                let mut found = [0; $lanes];
                for lane in 0..$lanes {
                    found[lane] = texels[index[lane] as usize & last];
                }
                $u32::load_array(simd, found)
            }

            #[inline(always)]
            pub(crate) fn lit<S: Vectors>(
                simd: S,
                shading: &Shading<'_>,
                texel: $u32<S>,
                c: $f32<S>,
            ) -> $u32<S> {
                let light = c.max(0.0).min(shading.light_max as f32).to_int::<$i32<S>>();
                let light = light.bitcast::<$u32<S>>();
                let light = if shading.texture.has_fullbright {
                    (texel >> 24).simd_eq(FULLBRIGHT).select($u32::splat(simd, 256), light)
                } else {
                    light
                };
                if shading.light_max <= 256 {
                    modulated(texel, light)
                } else {
                    let red = overbright(texel & 255, light);
                    let green = overbright(texel >> 8 & 255, light);
                    let blue = overbright(texel >> 16 & 255, light);
                    red | (green << 8) | (blue << 16) | 0xff00_0000
                }
            }

            /// One channel of a texel times light that may be brighter than 1.
            #[inline(always)]
            fn overbright<S: Vectors>(channel: $u32<S>, light: $u32<S>) -> $u32<S> {
                ((channel * light + 128) >> 8).min(255)
            }

            #[inline(always)]
            fn indexed<S: Vectors, const GATHER: bool>(
                simd: S,
                table: &LightTable,
                texel: $u32<S>,
                c: $f32<S>,
                memory: &mut Memory<GATHER>,
            ) -> $u32<S> {
                let row = c.max(0.0).min(63.0).to_int::<$i32<S>>().bitcast::<$u32<S>>();
                let place: [u32; $lanes] = ((row << 8) | (texel & 255)).into();
                if GATHER {
                    let found = &mut memory.found;
                    for lane in 0..$lanes {
                        found[lane] = table[(place[lane] & 0x3fff) as usize];
                    }
                    return $u32::from_slice(simd, &found[..$lanes]);
                }
                let place = stored(place);
                let mut found = [0; $lanes];
                for lane in 0..$lanes {
                    found[lane] = table[(place[lane] & 0x3fff) as usize];
                }
                $u32::load_array(simd, found)
            }
        }
    };
}

of_lanes!(eight, 8, f32x8, i32x8, u32x8, mask32x8);
of_lanes!(sixteen, 16, f32x16, i32x16, u32x16, mask32x16);

/// Attributes of eight pixels, for the shaders that go lane by lane.
pub(super) struct Lanes([[f32; 8]; ATTRIBUTES]);

impl Lanes {
    #[inline(always)]
    pub(super) fn new<S: Vectors>(at: [f32x8<S>; ATTRIBUTES]) -> Self {
        Self([at[0].into(), at[1].into(), at[2].into(), at[3].into(), at[4].into()])
    }

    /// Draws the lanes in `mask` by the scalar twin.
    pub(super) fn draw(
        &self,
        mut mask: u64,
        shading: &Shading<'_>,
        gradients: &Gradients,
        depth: &mut [f32],
        color: &mut [u32],
    ) {
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let at = self.0.map(|attribute| attribute[lane]);
            shading.draw(at, gradients, &mut depth[lane], &mut color[lane]);
        }
    }
}
