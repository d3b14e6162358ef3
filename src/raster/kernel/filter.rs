//! Filtered texels, eight pixels at once: four of one mipmap or of two.
//!
//! A texture that is drawn often has [`Blocks`], see `blocks.rs`. Otherwise texels are loaded one by one.

use fearless_simd::{Simd, f32x8, i32x8, prelude::*, u16x16, u32x8};

use super::super::mipmap::Level;
use super::super::shade::{Gradients, Shader, Shading};
use super::blocks::eight::{first_of, of_level, of_levels};
use super::fast_path::eight::divided;
use super::fetch::Memory;
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

/// Colours of the pixels in `pass`. `at` are the attributes without z, `gradients` count for mipmaps only.
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
            if let Some(blocks) = &shading.texture.blocks {
                let level = i32x8::splat(simd, 0);
                return of_level::<_, false>(simd, shading, blocks, level, [a, b], c);
            }
            let level = &shading.texture.levels[0];
            bilinear(simd, shading, level, a, b, c, memory)
        },
    )
}

/// Four texels blended; the texture has no holes.
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
    let (columns, fx) = neighbours(simd, a * unscale[0], level.width);
    let (rows, fy) = neighbours(simd, b * unscale[1], level.height);
    let mut found = [u32x8::splat(simd, 0); 4];
    for i in 0..4 {
        let index = (rows[i / 2] << level.shift) | columns[i % 2];
        found[i] = texels(simd, &level.texels, index, memory);
    }
    weighted(simd, shading, found, [fx, fy], c)
}

/// Four texels (the ones above first) with weights across and down, lit.
#[inline(always)]
fn weighted<S: Simd>(
    simd: S,
    shading: &Shading<'_>,
    found: [u32x8<S>; 4],
    [fx, fy]: [[u32x8<S>; 2]; 2],
    c: f32x8<S>,
) -> u32x8<S> {
    let before = shading.texture.has_fullbright;
    let mut sums = [u32x8::splat(simd, 0x8000); 3];
    for dy in 0..2 {
        // Of a row the weights add up to 256: sums stay within 16 bits, two channels a word.
        let (mut even, mut odd) = (u16x16::splat(simd, 0), u16x16::splat(simd, 0));
        for dx in 0..2 {
            let texel = found[2 * dy + dx];
            let texel = if before { lit(simd, shading, texel, c) } else { texel };
            let texel = texel.bitcast::<u16x16<S>>();
            let weight = (fx[dx] | fx[dx] << 16).bitcast::<u16x16<S>>();
            even += (texel & 255) * weight;
            odd += (texel >> 8) * weight;
        }
        let (even, odd) = (even.bitcast::<u32x8<S>>(), odd.bitcast::<u32x8<S>>());
        sums[0] += (even & 0xffff) * fy[dy];
        sums[1] += (odd & 0xffff) * fy[dy];
        sums[2] += (even >> 16) * fy[dy];
    }
    let blend = (sums[0] >> 16) | ((sums[1] >> 8) & 0xff00) | (sums[2] & 0xff_0000);
    if before { blend | 0xff00_0000 } else { lit(simd, shading, blend | 0xff00_0000, c) }
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
    if let Some(blocks) = &shading.texture.blocks {
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
