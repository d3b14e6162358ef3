//! Fragments that are laid over the picture, eight at once: alpha function, blending and depth as in
//! [`super::super::mix`], with the same bits.
//!
//! A pixel is two vectors of 16-bit channels, of which each has two sums and products without carry:
//!
//! ```text
//!   word      A B G R
//!   even      0 B 0 R
//!   odd       0 A 0 G
//! ```

use std::ops::Range;

use fearless_simd::{f32x8, i32x8, mask32x8, prelude::*, u16x16, u32x8};

use super::super::bands::Band;
use super::super::mix::Mix;
use super::super::shade::{Shader, Shading};
use super::super::surface::Surface;
use super::blocks::eight::lit;
use super::fast_path::eight::divided;
use super::fetch::Memory;
use super::fill_eight::start;
use super::filter::{self, LaneGradients};
use super::list::List;
use super::places::depth_and_color;
use super::shade::Lanes;
use super::shade::eight::{texel_number, texels};
use super::spread::RAMP;
use super::vectors::Vectors;
use crate::model::{AlphaTest, DepthTest, Factor};

/// Channels of eight pixels, see the module's head.
#[derive(Clone, Copy)]
pub(super) struct Channels<S: Vectors> {
    even: u16x16<S>,
    odd: u16x16<S>,
}

impl<S: Vectors> Channels<S> {
    #[inline(always)]
    pub(super) fn words(self) -> u32x8<S> {
        (self.even | self.odd << 8).bitcast()
    }
}

/// Whether [`source`] finds what is laid over the picture: of palette indices it does not.
#[inline(always)]
pub(super) fn is_served<S: Vectors>(shading: &Shading<'_>) -> bool {
    !S::EMULATED && matches!(shading.shader, Shader::Nearest | Shader::Bilinear | Shader::Trilinear)
}

/// Fills spans one after the other, eight pixels at once.
#[inline(never)]
pub(super) fn spans<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    mix: &Mix,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    band: &mut Band<'_>,
) {
    simd.vectorize(
        #[inline(always)]
        || spans_inline(simd, surface, mix, list, spans, band),
    );
}

#[inline(always)]
fn spans_inline<S: Vectors, const GATHER: bool>(
    simd: S,
    surface: &Surface<'_>,
    mix: &Mix,
    list: &mut List<GATHER>,
    spans: Range<usize>,
    band: &mut Band<'_>,
) {
    let shading = &surface.shading;
    let is_served = is_served::<S>(shading);
    let (depth, color) = depth_and_color(band);
    let ramp = f32x8::load_array_ref(simd, &RAMP);
    for i in spans {
        let (slot, lane) = list.span(i);
        let step = &list.planes[lane][3];
        let start: [f32; 8] = start(simd, list, lane, slot).into();
        let mut place = list.place[slot] as usize;
        let end = list.end[slot];
        let mut left = list.count[slot];
        let mut x = ramp + list.skipped[slot];
        // Rows are padded: eight pixels from any pixel of a row on are inside.
        while let Some(old) = depth.get(place..place + 8) {
            let z = x * step[0] + start[0];
            let old = f32x8::from_slice(simd, old);
            let near = match mix.depth_test {
                DepthTest::Nearer => z.simd_lt(old),
                DepthTest::NotFarther => z.simd_le(old),
                DepthTest::Equal => z.simd_eq(old),
            };
            let pass = near & x.simd_lt(end);
            if pass.any_true() {
                let iw = x * step[1] + start[1];
                let a = x * step[2] + start[2];
                let b = x * step[3] + start[3];
                let c = x * step[4] + start[4];
                let (depth, color) = (&mut depth[place..place + 8], &mut color[place..place + 8]);
                let gradients = &list.gradients[lane];
                if const { !S::EMULATED } && is_served {
                    let (at, triangle) = ([iw, a, b, c], LaneGradients::Shared(gradients));
                    let (shading, memory) = ((shading, mix), &mut list.memory);
                    let (source, pass) = source(simd, shading, &at, triangle, pass, memory);
                    let under = u32x8::from_slice(simd, color);
                    let over = over(simd, mix, source, under, pass);
                    pass.select(over, under).store_slice(color);
                    if mix.depth_write {
                        pass.select(z, old).store_slice(depth);
                    }
                } else {
                    let lanes = Lanes::new([z, iw, a, b, c]);
                    lanes.draw(pass.to_bitmask(), shading, gradients, depth, color);
                }
            }
            left -= 8;
            if left <= 0 {
                break;
            }
            place += 8;
            x += 8.0;
        }
    }
}

/// What is laid over the picture, and the pixels of which the alpha test lets through.
#[inline(always)]
pub(super) fn source<S: Vectors, const GATHER: bool>(
    simd: S,
    (shading, mix): (&Shading<'_>, &Mix),
    at: &[f32x8<S>; 4],
    gradients: LaneGradients<'_, S>,
    pass: mask32x8<S>,
    memory: &mut Memory<GATHER>,
) -> (Channels<S>, mask32x8<S>) {
    let w = divided(simd, at[0]);
    let texel = if filter::is_served::<S>(shading) {
        filter::colors(simd, shading, at, gradients, pass.to_bitmask(), memory)
    } else {
        let (a, b) = (at[1] * w, at[2] * w);
        let index = if mix.clamp {
            clamped_number(simd, shading, a, b)
        } else {
            texel_number(shading, a, b, false)
        };
        texels(simd, &shading.texture.levels[0].texels, index, memory)
    };
    let (even, odd) = match mix.tint {
        Some([red, green, blue]) => {
            (u32x8::splat(simd, red | blue << 16), u32x8::splat(simd, green | mix.alpha << 16))
        }
        None => {
            let c = at[3] * w;
            let light = c.max(0.0).min(shading.light_max as f32).to_int::<i32x8<S>>();
            let light = light.bitcast::<u32x8<S>>();
            (light | light << 16, light | mix.alpha << 16)
        }
    };
    let texel = texel.bitcast::<u16x16<S>>();
    let bright = shading.light_max > 256;
    let even = lit(texel & 255, even.bitcast(), bright);
    let odd = lit(texel >> 8, odd.bitcast(), bright);
    let alpha = odd.bitcast::<u32x8<S>>() >> 16;
    let pass = match mix.alpha_test {
        Some(AlphaTest::AtLeast(least)) => pass & alpha.simd_ge(u32::from(least)),
        Some(AlphaTest::Below(end)) => pass & alpha.simd_lt(u32::from(end)),
        None => pass,
    };
    (Channels { even, odd }, pass)
}

/// The texel of coordinates that end at the texture's border.
#[inline(always)]
fn clamped_number<S: Vectors>(
    simd: S,
    shading: &Shading<'_>,
    a: f32x8<S>,
    b: f32x8<S>,
) -> i32x8<S> {
    let (level, unscale) = (&shading.texture.levels[0], shading.texture.unscale);
    let column = clamped(simd, a * unscale[0], level.width);
    let row = clamped(simd, b * unscale[1], level.height);
    (row << level.shift) | column
}

/// The column (or row) of a coordinate in whole textures.
#[inline(always)]
fn clamped<S: Vectors>(simd: S, t: f32x8<S>, size: i32) -> i32x8<S> {
    let at = t * size as f32;
    // What is no number is at the near border, as in the scalar twin.
    let at = at.simd_eq(at).select(at, f32x8::splat(simd, 0.0));
    at.max(0.0).min((size - 1) as f32).to_int()
}

/// Straight colours over what is there, as [`Mix::over`] for the pixels in `pass`.
#[inline(always)]
fn over<S: Vectors>(
    simd: S,
    mix: &Mix,
    source: Channels<S>,
    under: u32x8<S>,
    pass: mask32x8<S>,
) -> u32x8<S> {
    let opacity = under >> 24;
    let there = split(under);
    if !(opacity.simd_lt(255) & pass).any_true() {
        return blended(simd, mix, source, there).words() | 0xff00_0000;
    }
    // Over black and over white: what is seen of a background is the difference.
    let opacity = (opacity | opacity << 16).bitcast::<u16x16<S>>();
    let seen = 255 - opacity;
    let black = Channels { even: div255(there.even * opacity), odd: div255(there.odd * opacity) };
    let white = Channels { even: black.even + seen, odd: black.odd + seen };
    let (on_black, on_white) =
        (blended(simd, mix, source, black), blended(simd, mix, source, white));
    let changed_even = (black.even ^ on_black.even) | (white.even ^ on_white.even);
    let changed_odd = (black.odd ^ on_black.odd) | (white.odd ^ on_white.odd);
    let changed = changed_even.bitcast::<u32x8<S>>() | (changed_odd.bitcast::<u32x8<S>>() & 0xffff);
    let even = hidden(on_black.even, on_white.even).bitcast::<u32x8<S>>();
    let odd = hidden(on_black.odd, on_white.odd).bitcast::<u32x8<S>>();
    let opacity = (even & 0xffff).max(even >> 16).max(odd & 0xffff);
    let (even, odd) = (on_black.even.bitcast::<u32x8<S>>(), on_black.odd.bitcast::<u32x8<S>>());
    let red = straight(even & 0xffff, opacity);
    let green = straight(odd & 0xffff, opacity);
    let blue = straight(even >> 16, opacity);
    let color = red | green << 8 | blue << 16 | opacity << 24;
    (changed.simd_gt(0) & opacity.simd_gt(0)).select(color, under)
}

#[inline(always)]
fn split<S: Vectors>(color: u32x8<S>) -> Channels<S> {
    let color = color.bitcast::<u16x16<S>>();
    Channels { even: color & 255, odd: color >> 8 }
}

/// How much a pixel hides of what is behind it, by its channels on black and on white.
#[inline(always)]
fn hidden<S: Vectors>(black: u16x16<S>, white: u16x16<S>) -> u16x16<S> {
    (black + 255).saturating_sub(white).min(255)
}

/// A channel of a colour times its opacity, without it. Quotients of whole numbers below 2^16 are never
/// rounded up to the next one in `f32`.
#[inline(always)]
fn straight<S: Vectors>(channel: u32x8<S>, opacity: u32x8<S>) -> u32x8<S> {
    let product = (channel * 255 + (opacity >> 1)).bitcast::<i32x8<S>>();
    let opacity = opacity.max(1).bitcast::<i32x8<S>>();
    let quotient = product.to_float::<f32x8<S>>() / opacity.to_float::<f32x8<S>>();
    quotient.to_int::<i32x8<S>>().min(255).bitcast()
}

/// Both factors' products in each channel; that of alpha means nothing.
#[inline(always)]
fn blended<S: Vectors>(simd: S, mix: &Mix, source: Channels<S>, there: Channels<S>) -> Channels<S> {
    let alpha = source.odd.bitcast::<u32x8<S>>() >> 16;
    let alpha = (alpha | alpha << 16).bitcast::<u16x16<S>>();
    let even = sum(simd, mix.factors, source.even, there.even, alpha);
    let odd = sum(simd, mix.factors, source.odd, there.odd, alpha);
    Channels { even, odd }
}

#[inline(always)]
fn sum<S: Vectors>(
    simd: S,
    [first, second]: [Factor; 2],
    source: u16x16<S>,
    there: u16x16<S>,
    alpha: u16x16<S>,
) -> u16x16<S> {
    let drawn = source * weight(simd, first, source, there, alpha);
    let kept = there * weight(simd, second, source, there, alpha);
    div255(drawn.saturating_add(kept))
}

/// What a factor is for the channels, 255 is 1.
#[inline(always)]
fn weight<S: Vectors>(
    simd: S,
    factor: Factor,
    source: u16x16<S>,
    there: u16x16<S>,
    alpha: u16x16<S>,
) -> u16x16<S> {
    match factor {
        // The frame buffer of the game has no alpha: it counts as 1.
        Factor::Zero | Factor::OneMinusDstAlpha | Factor::SrcAlphaSaturate => {
            u16x16::splat(simd, 0)
        }
        Factor::One | Factor::DstAlpha => u16x16::splat(simd, 255),
        Factor::SrcColor => source,
        Factor::OneMinusSrcColor => 255 - source,
        Factor::DstColor => there,
        Factor::OneMinusDstColor => 255 - there,
        Factor::SrcAlpha => alpha,
        Factor::OneMinusSrcAlpha => 255 - alpha,
    }
}

/// The rounded quotient, at most 255: exact for sums that 16 bits hold, and those above are brighter than
/// that anyway.
#[inline(always)]
fn div255<S: Vectors>(x: u16x16<S>) -> u16x16<S> {
    let x = x.saturating_add(127).min(255 * 256 - 1);
    (x + (x >> 8) + 1) >> 8
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use proptest::prelude::*;

    use super::*;
    use crate::image::Image;
    use crate::raster::shade::{ATTRIBUTES, Gradients};
    use crate::raster::texture::{AlphaUse, Texture, TextureUse};

    const FACTORS: [Factor; 11] = [
        Factor::Zero,
        Factor::One,
        Factor::SrcColor,
        Factor::OneMinusSrcColor,
        Factor::DstColor,
        Factor::OneMinusDstColor,
        Factor::SrcAlpha,
        Factor::OneMinusSrcAlpha,
        Factor::DstAlpha,
        Factor::OneMinusDstAlpha,
        Factor::SrcAlphaSaturate,
    ];

    fn mix() -> impl Strategy<Value = Mix> {
        let factor = || prop::sample::select(FACTORS.to_vec());
        let test = prop_oneof![
            any::<u8>().prop_map(|end| Some(AlphaTest::Below(end))),
            any::<u8>().prop_map(|least| Some(AlphaTest::AtLeast(least))),
            Just(None),
        ];
        let tint = prop::option::of([0..=256u32, 0..=256, 0..=256]);
        let scale = prop_oneof![Just(256), 0..=256u32];
        (factor(), factor(), test, any::<bool>(), tint, scale).prop_map(
            |(first, second, alpha_test, clamp, tint, alpha)| Mix {
                factors: [first, second],
                alpha_test,
                depth_test: DepthTest::Nearer,
                depth_write: true,
                clamp,
                tint,
                alpha,
            },
        )
    }

    /// A word of straight channels: transparent, translucent or opaque.
    fn under() -> impl Strategy<Value = u32> {
        let opaque = any::<u32>().prop_map(|word| word | 0xff00_0000);
        prop_oneof![Just(0), any::<u32>(), opaque]
    }

    fn texture(width: u32, height: u32) -> Texture {
        let rgba = (0..width * height)
            .flat_map(|i| [(i * 37) as u8, (i * 91) as u8, (i / 3) as u8, (i * 59) as u8]);
        let image = Image::from_rgba(width, height, rgba.collect()).unwrap();
        Texture::new(&image, &TextureUse { alpha: AlphaUse::Kept, ..TextureUse::PLAIN })
    }

    /// Eight fragments over what is there, and which of them the alpha test lets through. `None` where vectors are
    /// emulated: the twin draws there.
    #[inline(always)]
    fn laid<S: Vectors>(
        simd: S,
        shading: (&Shading<'_>, &Mix),
        at: &[[f32; 8]; ATTRIBUTES],
        gradients: &Gradients,
        under: [u32; 8],
    ) -> Option<([u32; 8], u64)> {
        if const { S::EMULATED } {
            return None;
        }
        let at = [1, 2, 3, 4].map(|i| f32x8::load_array(simd, at[i]));
        let (triangle, all) = (LaneGradients::Shared(gradients), mask32x8::splat(simd, true));
        let mut memory = Memory::<false>::default();
        let (source, pass) = source(simd, shading, &at, triangle, all, &mut memory);
        let under = u32x8::load_array(simd, under);
        Some((over(simd, shading.1, source, under, all).into(), pass.to_bitmask()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn fragments_are_those_of_the_scalar_twin(
            (width, height) in prop::sample::select(vec![(64, 32), (1, 16), (31, 17), (1, 1), (512, 256)]),
            shader in prop::sample::select(vec![Shader::Nearest, Shader::Bilinear, Shader::Trilinear]),
            mix in mix(),
            bright in any::<bool>(),
            unders in prop::collection::vec(under(), 8),
            are_opaque in any::<bool>(),
            pixels in prop::collection::vec((-3f32..3.0, -3f32..3.0, 0.01f32..2.0, -9f32..600.0), 8),
            beyond in prop::sample::select(vec![1.0, 1.0, 1e12, f32::INFINITY, f32::NAN]),
            slopes in prop::collection::vec(-0.2f32..0.2, 6),
        ) {
            let texture = texture(width, height);
            let light_max = if bright { 512 } else { 256 };
            let (colormap, palette_mix) = (None, None);
            let shading =
                Shading { shader, texture: &texture, colormap, light_max, mix: Some(&mix), palette_mix };
            let scale = texture.scale();
            let mut gradients = Gradients::default();
            for i in 0..3 {
                let range = if i == 0 { 1e-3 } else { scale[i - 1] };
                (gradients.x[i + 1], gradients.y[i + 1]) = (slopes[i] * range, slopes[i + 3] * range);
            }
            let mut at = [[0.0; 8]; ATTRIBUTES];
            for (lane, &(a, b, iw, c)) in pixels.iter().enumerate() {
                let a = if lane == 3 { a * beyond } else { a };
                (at[1][lane], at[2][lane]) = (iw, a * scale[0] * iw);
                (at[3][lane], at[4][lane]) = (b * scale[1] * iw, c * iw);
            }
            let opaque = if are_opaque { 0xff00_0000 } else { 0 };
            let unders: [u32; 8] = std::array::from_fn(|lane| unders[lane] | opaque);
            for level in [Level::baseline(), Level::new()] {
                let found =
                    dispatch!(level, simd => laid(simd, (&shading, &mix), &at, &gradients, unders));
                let Some((found, passed)) = found else { continue };
                for lane in 0..8 {
                    let (mut depth, mut color) = (1.0, unders[lane]);
                    shading.draw(at.map(|values| values[lane]), &gradients, &mut depth, &mut color);
                    let passes = passed >> lane & 1 != 0;
                    prop_assert_eq!(passes, depth == 0.0, "{:?}, lane {}", level, lane);
                    if passes {
                        prop_assert_eq!(found[lane], color, "{:?}, lane {}", level, lane);
                    }
                }
            }
        }
    }
}
