//! Pixels of plain shading that have [`Blocks`]: first where they are in the texture and its mipmaps, and then, from
//! memory, their colours. `deferred_blocks.rs` keeps strips between the two.
//!
//! Eight lanes and sixteen have the same arithmetic.

use super::super::blocks::{Blocks, SMALL};
use super::super::shade::{Gradients, Shading};
use super::vectors::Vectors;
use super::{blocks, fast_path, mipmaps};

/// What loops over pixels need of a shading and its blocks, at hand: behind references the compiler would look it up for
/// every strip, as a store might have changed it.
#[derive(Clone, Copy)]
pub(super) struct Plain<'a> {
    shading: &'a Shading<'a>,
    blocks: &'a Blocks,
    /// The blocks if numbers of 16 bits reach those of the first level.
    small: Option<&'a [[u32; 4]; SMALL]>,
    pub(super) is_mipmapped: bool,
    power_of_two: bool,
    masks: [i32; 2],
    shift: u32,
    parts_per_coordinate: [f32; 2],
}

impl<'a> Plain<'a> {
    #[inline(always)]
    pub(super) fn new(shading: &'a Shading<'a>, blocks: &'a Blocks) -> Self {
        Self {
            shading,
            blocks,
            small: blocks.first_small(),
            is_mipmapped: shading.needs_gradients(),
            power_of_two: shading.texture.power_of_two,
            masks: blocks.masks,
            shift: blocks.shift,
            parts_per_coordinate: blocks.parts_per_coordinate,
        }
    }
}

/// What filtered pixels need of their triangle.
#[derive(Clone, Copy)]
pub(super) struct Triangle<'a> {
    pub(super) gradients: &'a Gradients,
    /// See [`super::list::List::in_range`].
    pub(super) in_range: bool,
    /// See [`super::list::List::magnified`].
    pub(super) magnified: bool,
}

/// That of a list; a macro, as other parts of the list are written meanwhile.
macro_rules! triangle {
    ($list:expr, $lane:expr) => {
        Triangle {
            gradients: &$list.gradients[$lane],
            in_range: $list.in_range[$lane],
            magnified: $list.magnified[$lane],
        }
    };
}
pub(super) use triangle;

/// Makes the types and functions for one number of lanes.
macro_rules! of_lanes {
    ($module:ident, $lanes:literal, $f32:ident, $i32:ident, $u32:ident, $mask:ident) => {
        pub(super) mod $module {
            use fearless_simd::{prelude::*, $f32, $i32, $mask, $u32};

            use super::blocks::$module::{
                are_exact, blended, coarser, first_of, first_of_parts, light_of, of_any, of_small,
                place_in,
            };
            use super::fast_path::$module::reciprocal;
            use super::mipmaps::$module::{between, footprint, levels, shared};
            use super::{Plain, Triangle, Vectors};

            /// Numbers of the blocks of pixels, and the weights of 256 of their second columns and rows.
            pub(crate) type Place<S> = ($i32<S>, [$u32<S>; 2]);

            /// Numbers in memory, and [`weights`](super::blocks::$module::weights).
            pub(crate) type Stored<'a, S> = (&'a [i32; $lanes], [$u32<S>; 2]);

            /// What is known of pixels before texels are loaded.
            pub(crate) enum Found<S: Vectors> {
                /// Where they are in the texture, and light of 0 to 256: see [`filtered`].
                First(Place<S>, $u32<S>),
                /// Some are minified. Texture coordinates, light and the footprint, for [`minified`].
                Minified([$f32<S>; 4]),
            }

            /// What is known of the pixels in `pass`, which are in range (see `list::List`), of shading that is
            /// plain: see `Shading::plain_blocks`. `at` are the attributes without z.
            #[inline(always)]
            pub(crate) fn found<S: Vectors>(
                simd: S,
                plain: &Plain<'_>,
                at: [$f32<S>; 4],
                triangle: Triangle<'_>,
                pass: $mask<S>,
            ) -> Found<S> {
                let Plain { shading, blocks, .. } = plain;
                let w = reciprocal(simd, at[0]);
                if plain.is_mipmapped && !triangle.magnified {
                    let (a, b) = (at[1] * w, at[2] * w);
                    let gradients = shared(simd, triangle.gradients);
                    let scale = blocks.texels_per_coordinate;
                    let footprint = footprint::<_, true>(scale, [a, b], w, gradients);
                    if (footprint.simd_gt(1.0) & pass).any_true() {
                        return Found::Minified([a, b, at[3] * w, footprint]);
                    }
                }
                let (column, row, second);
                if plain.power_of_two {
                    // Exact, so that it gives the bits of `first_of`: docs/rasterization.md.
                    let [step_x, step_y] = plain.parts_per_coordinate;
                    let x = (at[1] * (w * step_x)).to_int::<$i32<S>>();
                    let y = (at[2] * (w * step_y)).to_int::<$i32<S>>();
                    let masks = plain.masks.map(|mask| $i32::splat(simd, mask));
                    let (right, below);
                    (column, right) = first_of_parts(x, masks[0]);
                    (row, below) = first_of_parts(y, masks[1]);
                    second = [right, below];
                } else {
                    let size = blocks.size.map(|side| $i32::splat(simd, side));
                    let (x, right) = first_of::<_, true>(simd, at[1] * w, size[0]);
                    let (y, below) = first_of::<_, true>(simd, at[2] * w, size[1]);
                    (column, row, second) = (x, y, [right, below]);
                }
                let index = (row << plain.shift) | column;
                Found::First((index, second), light_of::<_, true>(shading, at[3] * w))
            }

            /// Colours of pixels by what [`found`] has said.
            #[inline(always)]
            pub(crate) fn filtered<S: Vectors>(
                simd: S,
                plain: &Plain<'_>,
                (numbers, weights): Stored<'_, S>,
                light: $u32<S>,
            ) -> $u32<S> {
                let found = match plain.small {
                    Some(small) => of_small(simd, small, numbers),
                    None => of_any(simd, &plain.blocks.texels, numbers),
                };
                blended::<_, true>(plain.shading, found, weights, light)
            }

            /// Pixels between two mipmaps.
            pub(crate) struct Minified<S: Vectors> {
                /// In the finer one, and in the coarser unless no pixel takes of it.
                pub(crate) near: Place<S>,
                pub(crate) far: Option<Place<S>>,
                /// That of the coarser one, of 256.
                pub(crate) weight: $u32<S>,
                pub(crate) light: $u32<S>,
            }

            /// Where pixels are of which [`found`] has said that some are minified; of those that are not in
            /// `pass` it may say anything.
            #[inline(always)]
            pub(crate) fn minified<S: Vectors>(
                simd: S,
                Plain { shading, blocks, .. }: &Plain<'_>,
                [a, b, light, footprint]: &[$f32<S>; 4],
                pass: u64,
            ) -> Minified<S> {
                let at = [*a, *b];
                let (fine, weight) = levels(simd, shading, *footprint, pass);
                let coarse = coarser(shading, fine);
                let by_parts = are_exact(shading, blocks, coarse, at, pass);
                let near = place_in::<_, true>(simd, shading, blocks, fine, at, by_parts);
                let far = if weight.simd_eq(0).all_true() {
                    None
                } else {
                    Some(place_in::<_, true>(simd, shading, blocks, coarse, at, by_parts))
                };
                Minified { near, far, weight, light: light_of::<_, true>(shading, *light) }
            }

            /// Colours of pixels by what [`minified`] has said.
            #[inline(always)]
            pub(crate) fn between_mipmaps<S: Vectors>(
                simd: S,
                Plain { shading, blocks, .. }: &Plain<'_>,
                (numbers, weights): Stored<'_, S>,
                far: Option<Stored<'_, S>>,
                (weight, light): ($u32<S>, $u32<S>),
            ) -> $u32<S> {
                let found = of_any(simd, &blocks.texels, numbers);
                let near = blended::<_, true>(shading, found, weights, light);
                let Some((numbers, weights)) = far else { return near };
                let found = of_any(simd, &blocks.texels, numbers);
                between([near, blended::<_, true>(shading, found, weights, light)], weight)
            }
        }
    };
}

of_lanes!(eight, 8, f32x8, i32x8, u32x8, mask32x8);
of_lanes!(sixteen, 16, f32x16, i32x16, u32x16, mask32x16);

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, f32x8, f32x16, mask32x8, mask32x16, prelude::*};
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

    /// Makes the function that colours as many pixels. `None` where vectors are emulated: the twin draws there.
    macro_rules! colored {
        ($module:ident, $lanes:literal, $f32:ident, $mask:ident) => {
            #[inline(always)]
            fn $module<S: Vectors>(
                simd: S,
                plain: &Plain<'_>,
                at: &[[f32; 16]; ATTRIBUTES],
                first: usize,
                triangle: Triangle<'_>,
            ) -> Option<Vec<u32>> {
                use super::super::blocks::$module::weights;
                use super::$module::{Found, Minified, between_mipmaps, filtered, found, minified};
                if const { S::EMULATED } {
                    return None;
                }
                let at =
                    [1, 2, 3, 4].map(|i| $f32::from_slice(simd, &at[i][first..first + $lanes]));
                let all = $mask::splat(simd, true);
                let colors: [u32; $lanes] = match found(simd, plain, at, triangle, all) {
                    Found::First((numbers, second), light) => {
                        filtered(simd, plain, (&numbers.into(), weights(second)), light).into()
                    }
                    Found::Minified(at) => {
                        let bits = all.to_bitmask();
                        let Minified { near, far, weight, light } =
                            minified(simd, plain, &at, bits);
                        let numbers = [near.0, far.map_or(near.0, |far| far.0)];
                        let numbers = numbers.map(<[i32; $lanes]>::from);
                        let near = (&numbers[0], weights(near.1));
                        let far = far.map(|far| (&numbers[1], weights(far.1)));
                        between_mipmaps(simd, plain, near, far, (weight, light)).into()
                    }
                };
                Some(colors.to_vec())
            }
        };
    }

    colored!(eight, 8, f32x8, mask32x8);
    colored!(sixteen, 16, f32x16, mask32x16);

    /// Looks at sixteen pixels of a texture of this size, by place in texels, 1/w and light, on every level.
    fn are_those_of_the_scalar_twin(
        (width, height): (u32, u32),
        is_mipmapped: bool,
        pixels: &[(f32, f32, f32, f32)],
        (slopes, steepness): (&[f32], f32),
        from: f32,
    ) -> Result<(), TestCaseError> {
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
            let [x, y] = [x + from, y + from];
            let [a, b] = [(x / scale[0]).max(least[0]), (y / scale[1]).max(least[1])];
            (at[1][lane], at[2][lane]) = (iw, a * iw);
            (at[3][lane], at[4][lane]) = (b * iw, c * iw);
        }
        let plain = Plain::new(&shading, blocks);
        let of_lane = |lane: usize| at.map(|values| values[lane]);
        let footprint = |at: [f32; ATTRIBUTES]| shading.footprint(at, 1.0 / at[1], &gradients);
        let magnified = (0..16).all(|lane| footprint(of_lane(lane)) <= 1.0);
        let best = Level::new();
        let avx2 = best.as_avx2().map(|simd| simd.level());
        let sse4_2 = best.as_sse4_2().map(|simd| simd.level());
        for level in [Level::baseline(), best].into_iter().chain(avx2).chain(sse4_2) {
            for magnified in [false, magnified] {
                let triangle = Triangle { gradients: &gradients, in_range: true, magnified };
                let [low, high, all] = dispatch!(level, simd => [
                    eight(simd, &plain, &at, 0, triangle),
                    eight(simd, &plain, &at, 8, triangle),
                    sixteen(simd, &plain, &at, 0, triangle),
                ]);
                let both = low.zip(high).map(|(low, high)| [low, high].concat());
                for drawn in [both, all].into_iter().flatten() {
                    for (lane, found) in drawn.into_iter().enumerate() {
                        let expected = shading.pixel(of_lane(lane), &gradients);
                        prop_assert_eq!(Some(found), expected, "{:?}, {:?}", pixels[lane], level);
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn just_below_a_centre_is_the_texel_itself() {
        // Half a texel from the end where the side is halved three times, but for what the division by w is rounded by.
        let pixel = (4.0, -0.0001, 0.711_753_9, 223.442_15);
        let slopes = [0.0, 0.0, 0.0, 0.0, 0.0, -0.408_712_63];
        let steep = (&slopes[..], 0.967_330_7);
        are_those_of_the_scalar_twin((256, 1), true, &[pixel; 16], steep, 0.0).unwrap();
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
            // From far enough on texels of all mipmaps are found by whole numbers.
            from in prop::sample::select(vec![0f32, 300.0]),
        ) {
            are_those_of_the_scalar_twin((width, height), is_mipmapped, &pixels, (&slopes, steepness), from)?;
        }
    }
}
