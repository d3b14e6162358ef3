//! Filtered texels, eight pixels at once: four of one mipmap or of two.
//!
//! A texture that is drawn often has [`Blocks`], see `blocks.rs`. Otherwise texels are loaded one by one.

use fearless_simd::{f32x8, i32x8, prelude::*, u16x16, u32x8};

use super::super::blocks::Blocks;
use super::super::mipmap::{HOLE, Level};
use super::super::shade::{Gradients, Shader, Shading};
use super::blocks::eight::{blended, coarser, first_of, light_of, of_any, place_in, weights};
use super::fast_path::eight::divided;
use super::fetch::{Memory, stored};
use super::floor::eight::floor;
use super::mipmaps::eight::{between, footprint, levels, shared};
use super::shade::eight::{lit, texels};
use super::vectors::Vectors;

/// Whether [`colors`] draws this shading.
#[inline(always)]
pub(super) fn is_served<S: Vectors>(shading: &Shading<'_>) -> bool {
    !S::EMULATED && matches!(shading.shader, Shader::Bilinear | Shader::Trilinear)
}

/// [`Gradients`] of 1/w and the texture coordinates for eight pixels.
#[derive(Clone, Copy)]
pub(super) enum LaneGradients<'a, S: Vectors> {
    /// All lanes are of one triangle.
    Shared(&'a Gradients),
    /// Lane by lane.
    Own(&'a [[f32x8<S>; 3]; 2]),
}

impl<S: Vectors> LaneGradients<'_, S> {
    #[inline(always)]
    fn lanes(self, simd: S) -> [[f32x8<S>; 3]; 2] {
        match self {
            Self::Own(lanes) => *lanes,
            Self::Shared(gradients) => shared(simd, gradients),
        }
    }
}

/// The blocks of the texture, which give lit colours: none where fragments are mixed.
#[inline(always)]
fn blocks_of<'a>(shading: &Shading<'a>) -> Option<&'a Blocks> {
    if shading.mix.is_some() { None } else { shading.texture.blocks.as_ref() }
}

/// Colours of the pixels in `pass`, 0 for holes; where fragments are mixed unlit, with alpha. `at` are the
/// attributes without z, `gradients` count for mipmaps only.
///
/// Its own function, for the compiler's sake: it takes long to compile, and is called from several
/// places.
#[inline(never)]
pub(super) fn colors<S: Vectors, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    at: &[f32x8<S>; 4],
    gradients: LaneGradients<'_, S>,
    pass: u64,
    memory: &mut Memory<GATHER>,
) -> u32x8<S> {
    if const { S::EMULATED } {
        // Never, see `is_served`.
        return u32x8::splat(simd, 0);
    }
    simd.vectorize(
        #[inline(always)]
        || {
            if shading.shader == Shader::Trilinear {
                return trilinear(simd, shading, at, gradients, pass, memory);
            }
            let w = divided(simd, at[0]);
            let (a, b, c) = (at[1] * w, at[2] * w, at[3] * w);
            if let Some(blocks) = blocks_of(shading) {
                let level = i32x8::splat(simd, 0);
                return of_level(simd, shading, blocks, level, [a, b], c);
            }
            let level = &shading.texture.levels[0];
            bilinear(simd, shading, level, a, b, c, memory)
        },
    )
}

/// Colours of one mipmap of each pixel that has blocks.
#[inline(always)]
fn of_level<S: Vectors>(
    simd: S,
    shading: &Shading<'_>,
    blocks: &Blocks,
    level: i32x8<S>,
    at: [f32x8<S>; 2],
    c: f32x8<S>,
) -> u32x8<S> {
    let (index, second) = place_in::<_, false>(simd, shading, blocks, level, at, false);
    let found = of_any(simd, &blocks.texels, &stored(index.into()));
    blended::<_, false>(shading, found, weights(second), light_of::<_, false>(shading, c))
}

/// Four texels blended, lit unless fragments are mixed; 0 for holes.
#[inline(always)]
fn bilinear<S: Vectors, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    level: &Level,
    a: f32x8<S>,
    b: f32x8<S>,
    c: f32x8<S>,
    memory: &mut Memory<GATHER>,
) -> u32x8<S> {
    let unscale = shading.texture.unscale;
    let (a, b) = (a * unscale[0], b * unscale[1]);
    let ((columns, fx), (rows, fy)) = if shading.mix.is_some_and(|mix| mix.clamp) {
        (clamped_neighbours(simd, a, level.width), clamped_neighbours(simd, b, level.height))
    } else {
        (neighbours(simd, a, level.width), neighbours(simd, b, level.height))
    };
    let mut found = [u32x8::splat(simd, 0); 4];
    for i in 0..4 {
        let index = (rows[i / 2] << level.shift) | columns[i % 2];
        found[i] = texels(simd, &level.texels, index, memory);
    }
    if shading.mix.is_some() {
        return weighted(simd, found, [fx, fy]);
    }
    if shading.texture.has_holes {
        return around_holes(simd, shading, found, [fx, fy], c);
    }
    // Fullbright texels take no light, so light comes before the blend where they may occur.
    if shading.texture.has_fullbright {
        for i in 0..4 {
            found[i] = lit(simd, shading, found[i], c);
        }
        return weighted(simd, found, [fx, fy]) | 0xff00_0000;
    }
    lit(simd, shading, weighted(simd, found, [fx, fy]) | 0xff00_0000, c)
}

/// Four texels (the ones above first) with weights across and down.
#[inline(always)]
fn weighted<S: Vectors>(simd: S, found: [u32x8<S>; 4], [fx, fy]: [[u32x8<S>; 2]; 2]) -> u32x8<S> {
    let sums = sums(simd, found, [fx, fy]);
    let low = ((sums[0] + 0x8000) >> 16) | (((sums[1] + 0x8000) >> 8) & 0xff00);
    low | ((sums[2] + 0x8000) & 0xff_0000) | (((sums[3] + 0x8000) << 8) & 0xff00_0000)
}

/// Four texels of which some may be holes: these have no colour to give, the others share the whole
/// weight. With less than half of it a pixel is a hole.
#[inline(always)]
fn around_holes<S: Vectors>(
    simd: S,
    shading: &Shading<'_>,
    mut found: [u32x8<S>; 4],
    [fx, fy]: [[u32x8<S>; 2]; 2],
    c: f32x8<S>,
) -> u32x8<S> {
    let (zero, before) = (u32x8::splat(simd, 0), shading.texture.has_fullbright);
    let mut solid = zero;
    for i in 0..4 {
        let is_solid = (found[i] >> 24).simd_ne(HOLE);
        solid += is_solid.select(fx[i % 2] * fy[i / 2], zero);
        if before {
            found[i] = lit(simd, shading, found[i], c);
        }
    }
    // The channels of a hole are 0.
    let sums = sums(simd, found, [fx, fy]);
    let red = quotient(sums[0] + (solid >> 1), solid);
    let green = quotient(sums[1] + (solid >> 1), solid);
    let blue = quotient(sums[2] + (solid >> 1), solid);
    let blend = red | green << 8 | blue << 16 | 0xff00_0000;
    let color = if before { blend } else { lit(simd, shading, blend, c) };
    solid.simd_ge(0x8000).select(color, zero)
}

/// Whole quotients up to 255 of numbers below 2^24, which `f32` holds: none is so near to the next whole
/// number that it would be rounded to it.
#[inline(always)]
fn quotient<S: Vectors>(sum: u32x8<S>, weight: u32x8<S>) -> u32x8<S> {
    let (sum, weight) = (sum.bitcast::<i32x8<S>>(), weight.max(1).bitcast::<i32x8<S>>());
    let quotient = sum.to_float::<f32x8<S>>() / weight.to_float::<f32x8<S>>();
    quotient.to_int::<i32x8<S>>().bitcast()
}

/// Sums of the channels of four texels times their weights, which are 65536 together.
#[inline(always)]
fn sums<S: Vectors>(simd: S, found: [u32x8<S>; 4], [fx, fy]: [[u32x8<S>; 2]; 2]) -> [u32x8<S>; 4] {
    let mut sums = [u32x8::splat(simd, 0); 4];
    for dy in 0..2 {
        // Of a row the weights add up to 256: sums stay within 16 bits, two channels a word.
        let (mut even, mut odd) = (u16x16::splat(simd, 0), u16x16::splat(simd, 0));
        for dx in 0..2 {
            let texel = found[2 * dy + dx].bitcast::<u16x16<S>>();
            let weight = (fx[dx] | fx[dx] << 16).bitcast::<u16x16<S>>();
            even += (texel & 255) * weight;
            odd += (texel >> 8) * weight;
        }
        let (even, odd) = (even.bitcast::<u32x8<S>>(), odd.bitcast::<u32x8<S>>());
        sums[0] += (even & 0xffff) * fy[dy];
        sums[1] += (odd & 0xffff) * fy[dy];
        sums[2] += (even >> 16) * fy[dy];
        sums[3] += (odd >> 16) * fy[dy];
    }
    sums
}

/// The two columns (or rows) of texels around a coordinate in whole textures, and their
/// weights of 256.
#[inline(always)]
fn neighbours<S: Vectors>(simd: S, t: f32x8<S>, size: i32) -> ([i32x8<S>; 2], [u32x8<S>; 2]) {
    let (low, second) = first_of::<_, false>(simd, t, i32x8::splat(simd, size));
    let high = low + 1;
    let high = high.simd_lt(size).select(high, i32x8::splat(simd, 0));
    ([low, high], [256 - second, second])
}

/// As [`neighbours`], where coordinates end at the texture's border.
#[inline(always)]
fn clamped_neighbours<S: Vectors>(
    simd: S,
    t: f32x8<S>,
    size: i32,
) -> ([i32x8<S>; 2], [u32x8<S>; 2]) {
    let at = t * size as f32 - 0.5;
    // What is no number is at the near border, as in the scalar twin.
    let at = at.simd_eq(at).select(at, f32x8::splat(simd, -1.0));
    let at = at.max(-1.0).min(size as f32);
    let whole = floor(at);
    let second = ((at - whole) * 256.0).to_int::<i32x8<S>>().bitcast::<u32x8<S>>();
    let low = whole.to_int::<i32x8<S>>();
    let inside = [low.max(0).min(size - 1), (low + 1).max(0).min(size - 1)];
    (inside, [256 - second, second])
}

/// Two mipmaps blended, chosen by the size of the pixel on the texture.
#[inline(always)]
fn trilinear<S: Vectors, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    at: &[f32x8<S>; 4],
    gradients: LaneGradients<'_, S>,
    pass: u64,
    memory: &mut Memory<GATHER>,
) -> u32x8<S> {
    let w = divided(simd, at[0]);
    let (a, b, c) = (at[1] * w, at[2] * w, at[3] * w);
    let scale = shading.texture.texels_per_coordinate();
    let footprint = footprint::<_, false>(scale, [a, b], w, gradients.lanes(simd));
    let (fine, weight) = levels(simd, shading, footprint, pass);
    if let Some(blocks) = blocks_of(shading) {
        let near = of_level(simd, shading, blocks, fine, [a, b], c);
        if weight.simd_eq(0).all_true() {
            return near;
        }
        let far = of_level(simd, shading, blocks, coarser(shading, fine), [a, b], c);
        return between([near, far], weight);
    }
    let levels = &shading.texture.levels;
    let (numbers, weights): ([i32; 8], [u32; 8]) = (fine.into(), weight.into());
    let (mut first, mut last) = (levels.len(), 0);
    let mut rest = pass;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize & 7;
        rest &= rest - 1;
        let number = numbers[lane] as usize;
        (first, last) = (first.min(number), last.max(number + usize::from(weights[lane] != 0)));
    }
    let mut blends = [u32x8::splat(simd, 0); 2];
    for (number, level) in levels.iter().enumerate().take(last + 1).skip(first) {
        let found = bilinear(simd, shading, level, a, b, c, memory);
        blends[0] = fine.simd_eq(number as i32).select(found, blends[0]);
        blends[1] = fine.simd_eq(number as i32 - 1).select(found, blends[1]);
    }
    let blend = between(blends, weight);
    if !shading.texture.has_holes {
        return blend;
    }
    let [near, far] = blends;
    let either = weight.simd_lt(128).select(near, far);
    (near.simd_ne(0) & far.simd_ne(0)).select(blend, either)
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use proptest::prelude::*;

    use super::*;
    use crate::image::{Image, Palette};
    use crate::raster::shade::ATTRIBUTES;
    use crate::raster::texture::{Texture, TextureUse};

    /// Holes, texels that take no light, and others; more of the first the higher `holes` is, of 256.
    fn texture(width: u32, height: u32, holes: u32, fullbright: bool) -> Texture {
        let index = |i: u32| if i * 167 % 256 < holes { 255 } else { (i * 37 % 255) as u8 };
        let indices = (0..width * height).map(index).collect();
        let palette = Palette::quake();
        let image = Image::from_indices(width, height, indices, palette.clone(), Some(255));
        let lookup = Some(&*palette);
        Texture::new(&image.unwrap(), &TextureUse { lookup, fullbright, ..TextureUse::PLAIN })
    }

    /// Colours of eight pixels. `None` where vectors are emulated: the twin draws there.
    #[inline(always)]
    fn colored<S: Vectors>(
        simd: S,
        shading: &Shading<'_>,
        at: &[[f32; 8]; ATTRIBUTES],
        gradients: &Gradients,
    ) -> Option<[u32; 8]> {
        if const { S::EMULATED } {
            return None;
        }
        let at = [1, 2, 3, 4].map(|i| f32x8::load_array(simd, at[i]));
        let (triangle, mut memory) = (LaneGradients::Shared(gradients), Memory::<false>::default());
        Some(colors(simd, shading, &at, triangle, 0xff, &mut memory).into())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn holes_share_out_their_weight_as_in_the_scalar_twin(
            (width, height) in prop::sample::select(vec![(64, 32), (1, 16), (31, 17), (512, 256)]),
            shader in prop::sample::select(vec![Shader::Bilinear, Shader::Trilinear]),
            holes in 1..250u32,
            fullbright in any::<bool>(),
            light_max in prop::sample::select(vec![256, 512]),
            pixels in prop::collection::vec((-3f32..3.0, -3f32..3.0, 0.01f32..2.0, -9f32..600.0), 8),
            slopes in prop::collection::vec(-0.2f32..0.2, 6),
        ) {
            let texture = texture(width, height, holes, fullbright);
            prop_assert!(texture.has_holes);
            let (colormap, mix, palette_mix) = (None, None, None);
            let shading =
                Shading { shader, texture: &texture, colormap, light_max, mix, palette_mix };
            let scale = texture.scale();
            let mut gradients = Gradients::default();
            for i in 0..3 {
                let range = if i == 0 { 1e-3 } else { scale[i - 1] };
                (gradients.x[i + 1], gradients.y[i + 1]) = (slopes[i] * range, slopes[i + 3] * range);
            }
            let mut at = [[0.0; 8]; ATTRIBUTES];
            for (lane, &(a, b, iw, c)) in pixels.iter().enumerate() {
                (at[1][lane], at[2][lane]) = (iw, a * scale[0] * iw);
                (at[3][lane], at[4][lane]) = (b * scale[1] * iw, c * iw);
            }
            for level in [Level::baseline(), Level::new()] {
                let found = dispatch!(level, simd => colored(simd, &shading, &at, &gradients));
                for (lane, found) in found.into_iter().flatten().enumerate() {
                    let expected = shading.pixel(at.map(|values| values[lane]), &gradients);
                    prop_assert_eq!(found, expected.unwrap_or(0), "{:?}, {}", level, lane);
                }
            }
        }
    }
}
