//! Filtered texels, eight pixels at once: four of one mipmap or of two.
//!
//! A texture that is drawn often has [`Blocks`], see `blocks.rs`. Otherwise texels are loaded one by one.

use fearless_simd::{Simd, f32x8, i32x8, prelude::*, u16x16, u32x8};

use super::super::shade::{Gradients, Shader, Shading};
use super::super::texture::{Blocks, Level};
use super::blocks::eight::{blended, first_of, side};
use super::fast_path::eight::divided;
use super::fetch::Memory;
use super::shade::eight::{lit, texels};

/// Whether [`colors`] draws this shading. Holes, which share out their weight, go through the scalar
/// twin.
#[inline(always)]
pub(super) fn is_filtered(shading: &Shading<'_>) -> bool {
    matches!(shading.shader, Shader::Bilinear | Shader::Trilinear) && !shading.texture.has_holes
}

/// Change of 1/w and the texture coordinates per pixel to the right and per row down.
#[derive(Clone, Copy)]
pub(super) enum Slopes<'a, S: Simd> {
    /// All lanes are of one triangle.
    Shared(&'a Gradients),
    /// Lane by lane.
    Own(&'a [[f32x8<S>; 3]; 2]),
}

impl<S: Simd> Slopes<'_, S> {
    #[inline(always)]
    fn lanes(self, simd: S) -> [[f32x8<S>; 3]; 2] {
        let Gradients { x, y } = match self {
            Self::Own(lanes) => return *lanes,
            Self::Shared(gradients) => gradients,
        };
        let mut lanes = [[f32x8::splat(simd, 0.0); 3]; 2];
        for i in 0..3 {
            lanes[0][i] = f32x8::splat(simd, x[i + 1]);
            lanes[1][i] = f32x8::splat(simd, y[i + 1]);
        }
        lanes
    }
}

/// Colours of the pixels in `pass`. `at` are the attributes without z, `slopes` count for mipmaps only.
///
/// Its own function, for the compiler's sake: it takes long to compile, and is called from several
/// places.
#[inline(never)]
pub(super) fn colors<S: Simd, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    at: &[f32x8<S>; 4],
    slopes: Slopes<'_, S>,
    pass: u64,
    memory: &mut Memory<GATHER>,
) -> u32x8<S> {
    simd.vectorize(
        #[inline(always)]
        || {
            if shading.shader == Shader::Trilinear {
                return trilinear(simd, shading, at, slopes, pass, memory);
            }
            let w = divided(simd, at[0]);
            let (a, b, c) = (at[1] * w, at[2] * w, at[3] * w);
            if let Some(blocks) = &shading.texture.blocks {
                let level = i32x8::splat(simd, 0);
                return from_blocks(simd, shading, blocks, level, [a, b], c);
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

/// As [`bilinear`], of any level of each pixel, by one load a pixel.
#[inline(always)]
fn from_blocks<S: Simd>(
    simd: S,
    shading: &Shading<'_>,
    blocks: &Blocks,
    level: i32x8<S>,
    at: [f32x8<S>; 2],
    c: f32x8<S>,
) -> u32x8<S> {
    let unscale = shading.texture.unscale;
    let (mut first, mut second) = ([level; 2], [u32x8::splat(simd, 0); 2]);
    for axis in 0..2 {
        let size = (i32x8::splat(simd, blocks.size[axis]) >> level).max(1);
        (first[axis], second[axis]) = first_of::<_, false>(simd, at[axis] * unscale[axis], size);
    }
    // The rows above, see `Blocks::first_row`: twice the first level's less twice this level's, until
    // that is none, and one for each level of one row after that.
    let twice = 2 << blocks.rows;
    let above = twice - (i32x8::splat(simd, twice) >> level);
    let above = above + (level - (blocks.rows as i32 + 2)).max(0);
    let index = ((above + first[1]) << blocks.shift) | first[0];
    blended::<_, false>(simd, shading, blocks, index, second, c)
}

/// Two mipmaps blended, chosen by the size of the pixel on the texture.
#[inline(always)]
fn trilinear<S: Simd, const GATHER: bool>(
    simd: S,
    shading: &Shading<'_>,
    at: &[f32x8<S>; 4],
    slopes: Slopes<'_, S>,
    pass: u64,
    memory: &mut Memory<GATHER>,
) -> u32x8<S> {
    let w = divided(simd, at[0]);
    let (a, b, c) = (at[1] * w, at[2] * w, at[3] * w);
    let levels = &shading.texture.levels;
    let scale = shading.texture.texels_per_coordinate();
    let [across, down] = slopes.lanes(simd);
    let footprint = side(scale, [a, b], w, across).max_precise(side(scale, [a, b], w, down));
    let (fine, weight) = mipmaps(simd, shading, footprint, pass);
    if let Some(blocks) = &shading.texture.blocks {
        let near = from_blocks(simd, shading, blocks, fine, [a, b], c);
        if weight.simd_eq(0).all_true() {
            return near;
        }
        let coarse = (fine + 1).min(levels.len() as i32 - 1);
        let far = from_blocks(simd, shading, blocks, coarse, [a, b], c);
        return between([near, far], weight);
    }
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

/// The finer of the two mipmaps for each footprint, and the weight of the coarser of 256, as
/// [`Shading::mipmap`] finds them, which is asked where a weight is not sure. 0 of pixels that are not in
/// `pass`, maybe.
#[inline(always)]
fn mipmaps<S: Simd>(
    simd: S,
    shading: &Shading<'_>,
    footprint: f32x8<S>,
    pass: u64,
) -> (i32x8<S>, u32x8<S>) {
    let minified = footprint.simd_gt(1.0);
    let last = (shading.texture.levels.len() - 1) as f32;
    let parts = half_log2_parts(footprint);
    // Beyond the last level by more than the error, nothing is left to find out.
    let beyond = parts.simd_gt(256.0 * last + UNSURE);
    let parts = beyond.select(f32x8::splat(simd, 256.0 * last), parts);
    let parts = minified.select(parts, f32x8::splat(simd, 0.0));
    let fraction = parts - parts.floor();
    let unsure = (fraction.simd_lt(UNSURE) | fraction.simd_gt(1.0 - UNSURE)) & minified & !beyond;
    let mut parts = parts.to_int::<i32x8<S>>();
    let mut rest = unsure.to_bitmask() & pass;
    if rest != 0 {
        let (footprint, mut lanes): ([f32; 8], [i32; 8]) = (footprint.into(), parts.into());
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize & 7;
            rest &= rest - 1;
            let (level, weight) = shading.mipmap(footprint[lane]);
            lanes[lane] = (level << 8) as i32 | weight as i32;
        }
        parts = i32x8::load_array(simd, lanes);
    }
    (parts >> 8, (parts & 255).bitcast())
}

/// More than the error of [`half_log2_parts`] and that of the scalar twin's logarithm together.
const UNSURE: f32 = 0.002;

/// About 256 times half the binary logarithm of numbers above 1.
///
/// The number is a power of two times m, of which `ln m = 2 artanh t`, where `t = (m - 1) / (m + 1)`.
/// m is between the square roots of 1/2 and 2, so that t is below 0.172, and three terms of the series
/// leave an error below 2e-6; rounding adds less than that below 2^32.
#[inline(always)]
fn half_log2_parts<S: Simd>(x: f32x8<S>) -> f32x8<S> {
    const ROOT: i32 = std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32;
    let bits = x.bitcast::<i32x8<S>>();
    let exponent = (bits - ROOT) >> 23;
    let m = (bits - (exponent << 23)).bitcast::<f32x8<S>>();
    let t = (m - 1.0) / (m + 1.0);
    let square = t * t;
    let series = t * ((square * (1.0 / 5.0) + 1.0 / 3.0) * square + 1.0);
    (series * (2.0 * std::f32::consts::LOG2_E) + exponent.to_float::<f32x8<S>>()) * 128.0
}

/// Pixels `weight` of 256 on the way to others, channel by channel.
#[inline(always)]
fn between<S: Simd>([near, far]: [u32x8<S>; 2], weight: u32x8<S>) -> u32x8<S> {
    let even = (near & 0xff_00ff) * (256 - weight) + (far & 0xff_00ff) * weight;
    let odd = (near >> 8 & 0xff) * (256 - weight) + (far >> 8 & 0xff) * weight;
    ((even + 0x80_0080) >> 8 & 0xff_00ff) | ((odd + 0x80) & 0xff00) | 0xff00_0000
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;

    #[test]
    fn half_logarithms_are_near_enough() {
        dispatch!(Level::new(), simd => {
            let mut worst = 0.0f64;
            let mut bits = 1.0f32.to_bits();
            while bits < 4_294_967_296.0f32.to_bits() {
                let x = f32::from_bits(bits);
                let found: [f32; 8] = half_log2_parts(f32x8::splat(simd, x)).into();
                let exact = 128.0 * f64::from(x).log2();
                let twin = 128.0 * f64::from(libm::log2f(x));
                worst = worst.max((f64::from(found[0]) - exact).abs() + (twin - exact).abs());
                bits += 997;
            }
            assert!(worst < f64::from(UNSURE) / 2.0, "{worst}");
        });
    }
}
