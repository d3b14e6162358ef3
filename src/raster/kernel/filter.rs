//! Filtered texels, eight pixels at once: four of one mipmap or of two.
//!
//! A texture that is drawn often has [`Blocks`], see `blocks.rs`. Otherwise texels are loaded one by one.

use fearless_simd::{Simd, f32x8, i32x8, prelude::*, u16x16, u32x8};

use super::super::blocks::Blocks;
use super::super::mipmap::Level;
use super::super::shade::{Gradients, Shader, Shading};
use super::blocks::eight::{first_of, of_level, of_levels};
use super::fast_path::eight::divided;
use super::fetch::Memory;
use super::floor::eight::floor;
use super::mipmaps::eight::{between, footprint, levels, shared};
use super::shade::eight::{lit, texels};

/// Whether [`colors`] draws this shading. Holes, which share out their weight, go through the scalar
/// twin.
#[inline(always)]
pub(super) fn is_filtered(shading: &Shading<'_>) -> bool {
    matches!(shading.shader, Shader::Bilinear | Shader::Trilinear) && !shading.texture.has_holes
}

/// [`Gradients`] of 1/w and the texture coordinates for eight pixels.
#[derive(Clone, Copy)]
pub(super) enum LaneGradients<'a, S: Simd> {
    /// All lanes are of one triangle.
    Shared(&'a Gradients),
    /// Lane by lane.
    Own(&'a [[f32x8<S>; 3]; 2]),
}

impl<S: Simd> LaneGradients<'_, S> {
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

/// Colours of the pixels in `pass`; where fragments are mixed unlit, with alpha. `at` are the attributes without z, `gradients` count for mipmaps only.
///
/// Its own function, for the compiler's sake: it takes long to compile, and is called from several
/// places.
#[inline(never)]
pub(super) fn colors<S: Simd, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    at: &[f32x8<S>; 4],
    gradients: LaneGradients<'_, S>,
    pass: u64,
    memory: &mut Memory<GATHER>,
) -> u32x8<S> {
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
                return of_level::<_, false>(simd, shading, blocks, level, [a, b], c);
            }
            let level = &shading.texture.levels[0];
            bilinear(simd, shading, level, a, b, c, memory)
        },
    )
}

/// Four texels blended, lit unless fragments are mixed; the texture has no holes.
#[inline(always)]
fn bilinear<S: Simd, const GATHER: bool>(
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
fn weighted<S: Simd>(simd: S, found: [u32x8<S>; 4], [fx, fy]: [[u32x8<S>; 2]; 2]) -> u32x8<S> {
    let mut sums = [u32x8::splat(simd, 0x8000); 4];
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
    let low = (sums[0] >> 16) | ((sums[1] >> 8) & 0xff00);
    low | (sums[2] & 0xff_0000) | ((sums[3] << 8) & 0xff00_0000)
}

/// The two columns (or rows) of texels around a coordinate in whole textures, and their
/// weights of 256.
#[inline(always)]
fn neighbours<S: Simd>(simd: S, t: f32x8<S>, size: i32) -> ([i32x8<S>; 2], [u32x8<S>; 2]) {
    let (low, second) = first_of::<_, false>(simd, t, i32x8::splat(simd, size));
    let high = low + 1;
    let high = high.simd_lt(size).select(high, i32x8::splat(simd, 0));
    ([low, high], [256 - second, second])
}

/// As [`neighbours`], where coordinates end at the texture's border.
#[inline(always)]
fn clamped_neighbours<S: Simd>(simd: S, t: f32x8<S>, size: i32) -> ([i32x8<S>; 2], [u32x8<S>; 2]) {
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
fn trilinear<S: Simd, const GATHER: bool>(
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
    let footprint = footprint(scale, [a, b], w, gradients.lanes(simd));
    let (fine, weight) = levels(simd, shading, footprint, pass);
    if let Some(blocks) = blocks_of(shading) {
        return of_levels::<_, false>(simd, shading, blocks, (fine, weight), [a, b], c);
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
    between(blends, weight)
}
