//! Filtered texels from [`Blocks`]: one load brings the four texels of a pixel, and loads are transposed
//! to one word a pixel and channel.
//!
//! Spans of plain shading come sixteen pixels at once, on every level but the fallback; all else that has
//! blocks comes eight at once by way of `filter.rs`. Both have the same arithmetic.

use fearless_simd::{f32x16, i32x16, mask32x16, prelude::*, u32x4, u32x8, u32x16};

use super::super::blocks::{Blocks, SMALL};
use super::super::mipmap::FULLBRIGHT;
use super::super::shade::{Gradients, Shading};
use super::fast_path::sixteen::reciprocal;
use super::fetch::stored;
use super::floor;
use super::mipmaps;
use super::mipmaps::sixteen::{footprint, levels, shared};
use super::transpose::columns_of_four;
use super::vectors::Vectors;

/// What is known of sixteen pixels before texels are loaded.
pub(super) enum Found<S: Vectors> {
    /// Numbers of blocks, the weights of 256 of their second columns and rows, and light of 0 to 256: see
    /// [`filtered`].
    Blocks(i32x16<S>, [u32x16<S>; 2], u32x16<S>),
    /// Some are between two mipmaps, and all colours found.
    Colors(u32x16<S>),
}

/// Blocks or colours of the pixels in `pass`, which are in range (see `list::List`), of shading that is
/// plain: see `Shading::plain_blocks`.
#[inline(always)]
pub(super) fn found<S: Vectors>(
    simd: S,
    shading: &Shading<'_>,
    blocks: &Blocks,
    at: [f32x16<S>; 4],
    gradients: &Gradients,
    pass: mask32x16<S>,
) -> Found<S> {
    let w = reciprocal(simd, at[0]);
    if shading.needs_gradients() {
        let (a, b) = (at[1] * w, at[2] * w);
        let gradients = shared(simd, gradients);
        let footprint = footprint(blocks.texels_per_coordinate, [a, b], w, gradients);
        if (footprint.simd_gt(1.0) & pass).any_true() {
            let (at, pass) = ([a, b, at[3] * w, footprint], pass.to_bitmask());
            return Found::Colors(mipmapped(simd, shading, blocks, &at, pass));
        }
    }
    let (column, row, second);
    if shading.texture.power_of_two {
        // Exact, so that it gives the bits of `first_of`: docs/rasterization.md.
        let [step_x, step_y] = blocks.parts_per_coordinate;
        let x = (at[1] * (w * step_x)).to_int::<i32x16<S>>() - 128;
        let y = (at[2] * (w * step_y)).to_int::<i32x16<S>>() - 128;
        column = (x >> 8) & blocks.masks[0];
        row = (y >> 8) & blocks.masks[1];
        second = [(x & 255).bitcast(), (y & 255).bitcast()];
    } else {
        let [width, height] = blocks.size;
        let (x, right) = sixteen::first_of::<_, true>(simd, at[1] * w, i32x16::splat(simd, width));
        let (y, below) = sixteen::first_of::<_, true>(simd, at[2] * w, i32x16::splat(simd, height));
        (column, row, second) = (x, y, [right, below]);
    }
    let index = (row << blocks.shift) | column;
    Found::Blocks(index, second, sixteen::light_of::<_, true>(shading, at[3] * w))
}

/// Colours of pixels by what [`found`] has said, numbers of blocks in memory.
#[inline(always)]
pub(super) fn filtered<S: Vectors>(
    simd: S,
    shading: &Shading<'_>,
    blocks: &Blocks,
    numbers: &[i32; 16],
    second: [u32x16<S>; 2],
    light: u32x16<S>,
) -> u32x16<S> {
    let found = match blocks.first_small() {
        Some(small) => of_small(simd, small, numbers),
        None => sixteen::of_any(simd, &blocks.texels, numbers),
    };
    sixteen::blended::<_, true>(shading, found, second, light)
}

/// As [`colors`] of the texture coordinates, light and the footprint, with mipmaps.
#[inline(never)]
fn mipmapped<S: Vectors>(
    simd: S,
    shading: &Shading<'_>,
    blocks: &Blocks,
    [a, b, light, footprint]: &[f32x16<S>; 4],
    pass: u64,
) -> u32x16<S> {
    simd.vectorize(
        #[inline(always)]
        || {
            let levels = levels(simd, shading, *footprint, pass);
            sixteen::of_levels::<_, true>(simd, shading, blocks, levels, [*a, *b], *light)
        },
    )
}

/// The four channels of blocks that are numbered by 16 bits: no number is beyond the last.
#[inline(always)]
fn of_small<S: Vectors>(
    simd: S,
    texels: &[[u32; 4]; SMALL],
    numbers: &[i32; 16],
) -> [u32x16<S>; 4] {
    let mut found = [u32x4::splat(simd, 0); 16];
    for lane in 0..16 {
        found[lane] = u32x4::load_array_ref(simd, &texels[usize::from(numbers[lane] as u16)]);
    }
    columns_of_sixteen(&found)
}

/// Makes the functions for one number of lanes.
macro_rules! of_lanes {
    (
        $module:ident, $lanes:literal, $columns:ident,
        $f32:ident, $i32:ident, $u32:ident, $i16:ident, $u16:ident
    ) => {
        pub(super) mod $module {
            use fearless_simd::{prelude::*, u32x4, $f32, $i16, $i32, $u16, $u32};

            use super::Vectors;
            use super::floor::$module::floor;
            use super::mipmaps::$module::between;
            use super::{Blocks, FULLBRIGHT, Shading, stored};

            /// Colours between two mipmaps of each pixel, the finer one and the weight of the coarser of
            /// 256 given.
            #[inline(always)]
            pub(crate) fn of_levels<S: Vectors, const PLAIN: bool>(
                simd: S,
                shading: &Shading<'_>,
                blocks: &Blocks,
                (fine, weight): ($i32<S>, $u32<S>),
                at: [$f32<S>; 2],
                c: $f32<S>,
            ) -> $u32<S> {
                let near = of_level::<_, PLAIN>(simd, shading, blocks, fine, at, c);
                if weight.simd_eq(0).all_true() {
                    return near;
                }
                let coarse = (fine + 1).min(shading.texture.levels.len() as i32 - 1);
                let far = of_level::<_, PLAIN>(simd, shading, blocks, coarse, at, c);
                between([near, far], weight)
            }

            /// Colours of one mipmap of each pixel. `PLAIN`: the shading is, and pixels are in range.
            #[inline(always)]
            pub(crate) fn of_level<S: Vectors, const PLAIN: bool>(
                simd: S,
                shading: &Shading<'_>,
                blocks: &Blocks,
                level: $i32<S>,
                at: [$f32<S>; 2],
                c: $f32<S>,
            ) -> $u32<S> {
                let unscale = shading.texture.unscale;
                let (mut first, mut second) = ([level; 2], [$u32::splat(simd, 0); 2]);
                for axis in 0..2 {
                    let size = ($i32::splat(simd, blocks.size[axis]) >> level).max(1);
                    let t = at[axis] * unscale[axis];
                    (first[axis], second[axis]) = first_of::<_, PLAIN>(simd, t, size);
                }
                // The rows above, see `Blocks::first_row`: twice the first level's less twice this
                // level's, until that is none, and one for each level of one row after that.
                let twice = 2 << blocks.rows;
                let above = twice - ($i32::splat(simd, twice) >> level);
                let above = above + (level - (blocks.rows as i32 + 2)).max(0);
                let index = ((above + first[1]) << blocks.shift) | first[0];
                let found = of_any(simd, &blocks.texels, &stored(index.into()));
                blended::<_, PLAIN>(shading, found, second, light_of::<_, PLAIN>(shading, c))
            }

            /// The first column (or row) of texels around a coordinate in whole textures, and the weight
            /// of 256 of the second.
            #[inline(always)]
            pub(crate) fn first_of<S: Vectors, const IN_RANGE: bool>(
                simd: S,
                t: $f32<S>,
                size: $i32<S>,
            ) -> ($i32<S>, $u32<S>) {
                let mut at = (t - floor(t)) * size.to_float::<$f32<S>>() - 0.5;
                if !IN_RANGE {
                    // The scalar twin's conversions make 0 of what is no number.
                    at = at.simd_eq(at).select(at, $f32::splat(simd, 0.0));
                }
                let whole = floor(at);
                let second = ((at - whole) * 256.0).to_int::<$i32<S>>().bitcast::<$u32<S>>();
                // -1 is the last one: as a number without sign it is the greatest.
                let first = whole.to_int::<$i32<S>>().bitcast::<$u32<S>>();
                (first.min((size - 1).bitcast::<$u32<S>>()).bitcast(), second)
            }

            /// The four channels of any blocks.
            #[inline(always)]
            pub(crate) fn of_any<S: Vectors>(
                simd: S,
                texels: &[[u32; 4]],
                numbers: &[i32; $lanes],
            ) -> [$u32<S>; 4] {
                let Some(last) = texels.len().checked_sub(1) else {
                    return [$u32::splat(simd, 0); 4];
                };
                let mut found = [u32x4::splat(simd, 0); $lanes];
                for lane in 0..$lanes {
                    // Of 64 bits: with fewer under the mask the compiler does not see that it is inside.
                    let block = &texels[numbers[lane] as usize & last];
                    found[lane] = u32x4::load_array_ref(simd, block);
                }
                super::$columns(&found)
            }

            /// Light as whole numbers. `PLAIN` as in [`of_level`].
            #[inline(always)]
            pub(crate) fn light_of<S: Vectors, const PLAIN: bool>(
                shading: &Shading<'_>,
                c: $f32<S>,
            ) -> $u32<S> {
                let light =
                    if PLAIN { c.min(256.0) } else { c.max(0.0).min(shading.light_max as f32) };
                light.to_int::<$i32<S>>().bitcast::<$u32<S>>()
            }

            /// Four texels a pixel, by channels, blended and lit. `PLAIN` as in [`of_level`].
            #[inline(always)]
            pub(crate) fn blended<S: Vectors, const PLAIN: bool>(
                shading: &Shading<'_>,
                found: [$u32<S>; 4],
                [right, below]: [$u32<S>; 2],
                light: $u32<S>,
            ) -> $u32<S> {
                let simd = light.simd;
                let bright = !PLAIN && shading.light_max > 256;
                let light = (light | light << 16).bitcast::<$u16<S>>();
                // Fullbright texels take no light, so light comes before the blend where they may occur.
                let before = !PLAIN && shading.texture.has_fullbright;
                let flags = found[3].bitcast::<$u16<S>>();
                let unlit = $u16::splat(simd, 256);
                let right = (right | right << 16).bitcast::<$u16<S>>();
                // Rows of two texels are numbers of 16 bits, less 2^15 here, because the products of pairs
                // have signs, and the sum brings back 2^15 times 256.
                let left = unlit - right;
                // What the second texel, 256 times as large in its word, is wrong by times `left`.
                let across = right | right << 8;
                let rows = ((below << 16) + (256 - below)).bitcast::<$i16<S>>();
                let mut sums = [$u32::splat(simd, 0); 3];
                for channel in 0..3 {
                    let texels = found[channel].bitcast::<$u16<S>>();
                    let pair = if before {
                        let (first, second) = (texels & 255, texels >> 8);
                        let of_first =
                            (flags & 255).simd_eq(FULLBRIGHT as u16).select(unlit, light);
                        let of_second =
                            (flags >> 8).simd_eq(FULLBRIGHT as u16).select(unlit, light);
                        lit(first, of_first, bright) * left + lit(second, of_second, bright) * right
                    } else {
                        texels * left + (texels >> 8) * across
                    };
                    let sum = (pair ^ 0x8000).bitcast::<$i16<S>>().pairwise_dot_product(rows);
                    sums[channel] = (sum + (0x80_0000 + 0x8000)).bitcast();
                }
                let even = ((sums[0] >> 16) | (sums[2] & 0xffff_0000)).bitcast::<$u16<S>>();
                let odd = (sums[1] >> 16).bitcast::<$u16<S>>();
                let (even, odd) = if before {
                    (even, odd)
                } else {
                    (lit(even, light, bright), lit(odd, light, bright))
                };
                (even | odd << 8).bitcast::<$u32<S>>() | 0xff00_0000
            }

            /// Channels times light, see `Shading::light_max`.
            #[inline(always)]
            pub(crate) fn lit<S: Vectors>(
                channel: $u16<S>,
                light: $u16<S>,
                bright: bool,
            ) -> $u16<S> {
                if bright {
                    // Products that do not fit 16 bits are above the brightest anyway.
                    let half = light >> 1;
                    let product = (channel * half).saturating_add(channel * (light - half));
                    product.saturating_add(128) >> 8
                } else {
                    (channel * light + 128) >> 8
                }
            }
        }
    };
}

of_lanes!(eight, 8, columns_of_eight, f32x8, i32x8, u32x8, i16x16, u16x16);
of_lanes!(sixteen, 16, columns_of_sixteen, f32x16, i32x16, u32x16, i16x32, u16x32);

/// Columns of sixteen rows of four.
#[inline(always)]
fn columns_of_sixteen<S: Vectors>(rows: &[u32x4<S>; 16]) -> [u32x16<S>; 4] {
    let ([low, high], []) = rows.as_chunks() else { return [u32x16::splat(rows[0].simd, 0); 4] };
    let (low, high) = (columns_of_eight(low), columns_of_eight(high));
    [
        low[0].combine(high[0]),
        low[1].combine(high[1]),
        low[2].combine(high[2]),
        low[3].combine(high[3]),
    ]
}

/// Columns of eight rows of four, two rows a vector.
#[inline(always)]
fn columns_of_eight<S: Vectors>(rows: &[u32x4<S>; 8]) -> [u32x8<S>; 4] {
    columns_of_four([
        rows[0].combine(rows[4]),
        rows[1].combine(rows[5]),
        rows[2].combine(rows[6]),
        rows[3].combine(rows[7]),
    ])
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use proptest::prelude::*;

    use super::*;
    use crate::image::Image;
    use crate::raster::shade::{ATTRIBUTES, Shader};
    use crate::raster::texture::{Texture, TextureUse};

    fn texture(width: u32, height: u32) -> Texture {
        let rgba =
            (0..width * height).flat_map(|i| [(i * 37) as u8, (i * 91) as u8, (i / 3) as u8, 0]);
        let image = Image::from_rgba(width, height, rgba.collect()).unwrap();
        Texture::new(&image, &TextureUse::PLAIN).with_blocks()
    }

    /// A coordinate in texels: near where texels or their fractions change, or anywhere.
    fn texels() -> impl Strategy<Value = f32> {
        let near = (0..2000i32, prop::sample::select(vec![-1e-4f32, -1e-7, 0.0, 1e-7, 1e-4]))
            .prop_map(|(quarter, beside)| quarter as f32 / 4.0 + beside);
        prop_oneof![near, 0.0f32..3.0, 0.0f32..5e4]
    }

    /// Colours of sixteen pixels. `None` where vectors are emulated: the twin draws there.
    #[inline(always)]
    fn colored<S: Vectors>(
        simd: S,
        shading: &Shading<'_>,
        blocks: &Blocks,
        at: &[[f32; 16]; ATTRIBUTES],
        gradients: &Gradients,
    ) -> Option<[u32; 16]> {
        if const { S::EMULATED } {
            return None;
        }
        let at = [1, 2, 3, 4].map(|i| f32x16::load_array(simd, at[i]));
        let all = mask32x16::splat(simd, true);
        Some(match found(simd, shading, blocks, at, gradients, all) {
            Found::Blocks(numbers, second, light) => {
                filtered(simd, shading, blocks, &numbers.into(), second, light).into()
            }
            Found::Colors(colors) => colors.into(),
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn plain_pixels_are_those_of_the_scalar_twin(
            (width, height) in prop::sample::select(vec![(64, 32), (1, 16), (256, 1), (31, 17), (300, 5), (256, 256), (400, 100), (512, 256)]),
            is_mipmapped in any::<bool>(),
            pixels in prop::collection::vec((texels(), texels(), 0.01f32..2.0, 0f32..256.5), 16),
            slopes in prop::collection::vec(-1f32..1.0, 6),
            steepness in 1e-3f32..1.0,
        ) {
            let texture = texture(width, height);
            let shader = if is_mipmapped { Shader::Trilinear } else { Shader::Bilinear };
            let (colormap, mix, palette_mix) = (None, None, None);
            let shading =
                Shading { shader, texture: &texture, colormap, light_max: 256, mix, palette_mix };
            let blocks = shading.plain_blocks().unwrap();
            let (scale, least) = (blocks.texels_per_coordinate, shading.least_exact(blocks));
            let mut gradients = Gradients::default();
            for i in 0..3 {
                // Of 1/w little, of the coordinates up to some texels a pixel.
                let range = if i == 0 { 1e-3 } else { 8.0 * steepness * steepness / scale[i - 1] };
                (gradients.x[i + 1], gradients.y[i + 1]) = (slopes[i] * range, slopes[i + 3] * range);
            }
            let mut at = [[0.0; 16]; ATTRIBUTES];
            for (lane, &(x, y, iw, c)) in pixels.iter().enumerate() {
                let [a, b] = [(x / scale[0]).max(least[0]), (y / scale[1]).max(least[1])];
                (at[1][lane], at[2][lane]) = (iw, a * iw);
                (at[3][lane], at[4][lane]) = (b * iw, c * iw);
            }
            for level in [Level::baseline(), Level::new()] {
                let drawn =
                    dispatch!(level, simd => colored(simd, &shading, blocks, &at, &gradients));
                for (lane, found) in drawn.into_iter().flatten().enumerate() {
                    let expected = shading.pixel(at.map(|values| values[lane]), &gradients);
                    prop_assert_eq!(Some(found), expected, "{:?}, {:?}", pixels[lane], level);
                }
            }
        }
    }
}
