//! Filtered texels, eight pixels at once: four of one mipmap or of two.

use fearless_simd::{Simd, f32x8, i32x8, prelude::*, u32x8};

use super::super::shade::{Gradients, Shader, Shading};
use super::super::texture::Level;
use super::fast_path::eight::divided;
use super::fetch::Memory;
use super::shade::eight::{lit, texels};

/// Whether [`colors`] draws this shading. Holes, which share out their weight, go through the scalar
/// twin.
#[inline(always)]
pub(super) fn is_filtered(shading: &Shading<'_>) -> bool {
    matches!(shading.shader, Shader::Bilinear | Shader::Trilinear) && !shading.texture.has_holes
}

/// Colours of the pixels in `pass`. `at` are the attributes without z.
///
/// Its own function, for the compiler's sake: it takes long to compile, and is called from several
/// places.
#[inline(never)]
pub(super) fn colors<S: Simd, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    at: &[f32x8<S>; 4],
    gradients: &Gradients,
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
            let level = &shading.texture.levels[0];
            bilinear(simd, shading, level, at[1] * w, at[2] * w, at[3] * w, memory)
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
    // The scale is a power of two: its reciprocal is exact.
    let scale = shading.texture.scale();
    let (columns, fx) = neighbours(simd, a * (1.0 / scale[0]), level.width);
    let (rows, fy) = neighbours(simd, b * (1.0 / scale[1]), level.height);
    let before = shading.texture.has_fullbright;
    let mut sums = [u32x8::splat(simd, 0x8000); 3];
    for dy in 0..2 {
        for dx in 0..2 {
            let index = (rows[dy] << level.shift) | columns[dx];
            let texel = texels(simd, &level.texels, index, memory);
            let texel = if before { lit(simd, shading, texel, c) } else { texel };
            let weight = fx[dx] * fy[dy];
            for channel in 0..3 {
                sums[channel] += ((texel >> (8 * channel as u32)) & 255) * weight;
            }
        }
    }
    let blend = (sums[0] >> 16) | ((sums[1] >> 8) & 0xff00) | (sums[2] & 0xff_0000);
    if before { blend | 0xff00_0000 } else { lit(simd, shading, blend | 0xff00_0000, c) }
}

/// The two columns (or rows) of texels around a coordinate in whole textures, and their
/// weights of 256.
#[inline(always)]
fn neighbours<S: Simd>(simd: S, t: f32x8<S>, size: i32) -> ([i32x8<S>; 2], [u32x8<S>; 2]) {
    let at = (t - t.floor()) * size as f32 - 0.5;
    // The scalar twin's conversions make 0 of what is no number.
    let at = at.simd_eq(at).select(at, f32x8::splat(simd, 0.0));
    let floor = at.floor();
    let second = ((at - floor) * 256.0).to_int::<i32x8<S>>().bitcast::<u32x8<S>>();
    let low = floor.to_int::<i32x8<S>>();
    let high = low + 1;
    let low = low.simd_lt(0).select(i32x8::splat(simd, size - 1), low);
    let high = high.simd_lt(size).select(high, i32x8::splat(simd, 0));
    ([low, high], [256 - second, second])
}

/// Two mipmaps blended, chosen by the size of the pixel on the texture.
#[inline(always)]
fn trilinear<S: Simd, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    at: &[f32x8<S>; 4],
    gradients: &Gradients,
    pass: u64,
    memory: &mut Memory<GATHER>,
) -> u32x8<S> {
    let w = divided(simd, at[0]);
    let (a, b, c) = (at[1] * w, at[2] * w, at[3] * w);
    let levels = &shading.texture.levels;
    let [sx, sy] = shading.texels_per_coordinate();
    let mut sides = [[0.0; 8]; 2];
    for (side, g) in sides.iter_mut().zip([&gradients.x, &gradients.y]) {
        let u = (g[2] - a * g[1]) * w * sx;
        let v = (g[3] - b * g[1]) * w * sy;
        *side = (u * u + v * v).into();
    }
    let (mut fine, mut weight) = ([0; 8], [0; 8]);
    let (mut first, mut last) = (levels.len(), 0);
    let mut rest = pass;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize & 7;
        rest &= rest - 1;
        let (level, share) = shading.mipmap(sides[0][lane].max(sides[1][lane]));
        (fine[lane], weight[lane]) = (level as i32, share);
        (first, last) = (first.min(level), last.max(level + usize::from(share != 0)));
    }
    let fine = i32x8::load_array(simd, fine);
    let weight = u32x8::load_array(simd, weight);
    let mut blends = [u32x8::splat(simd, 0); 2];
    for (number, level) in levels.iter().enumerate().take(last + 1).skip(first) {
        let found = bilinear(simd, shading, level, a, b, c, memory);
        blends[0] = fine.simd_eq(number as i32).select(found, blends[0]);
        blends[1] = fine.simd_eq(number as i32 - 1).select(found, blends[1]);
    }
    let [near, far] = blends;
    let even = (near & 0xff_00ff) * (256 - weight) + (far & 0xff_00ff) * weight;
    let odd = (near >> 8 & 0xff) * (256 - weight) + (far >> 8 & 0xff) * weight;
    ((even + 0x80_0080) >> 8 & 0xff_00ff) | ((odd + 0x80) & 0xff00) | 0xff00_0000
}
