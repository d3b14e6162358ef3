//! Filtered texels, eight pixels at once: four of one mipmap or of two.
//!
//! A texture that is drawn often has [`Blocks`]: one load brings the four texels of a pixel, and eight
//! loads are transposed to the four texels of eight pixels. Otherwise texels are loaded one by one.

use fearless_simd::{Simd, f32x8, i32x8, prelude::*, u16x16, u32x4, u32x8};

use super::super::shade::{Gradients, Shader, Shading};
use super::super::texture::{BlockLevel, Blocks, Level};
use super::fast_path::eight::divided;
use super::fetch::{Memory, stored};
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
                let level = Levels::one(simd, &blocks.levels[0]);
                return blended(simd, shading, blocks, &level, [a, b], c);
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

/// The level of each of eight pixels: where its blocks stand, and its columns and rows.
struct Levels<S: Simd> {
    first: i32x8<S>,
    shift: i32x8<S>,
    size: [i32x8<S>; 2],
}

impl<S: Simd> Levels<S> {
    #[inline(always)]
    fn one(simd: S, level: &BlockLevel) -> Self {
        let BlockLevel { first, shift, size: [width, height] } = *level;
        Self {
            first: i32x8::splat(simd, first),
            shift: i32x8::splat(simd, shift),
            size: [i32x8::splat(simd, width), i32x8::splat(simd, height)],
        }
    }

    /// Those of these numbers.
    #[inline(always)]
    fn of(simd: S, levels: &[BlockLevel], numbers: &[usize; 8]) -> Self {
        let mut rows = [[0; 8]; 4];
        for lane in 0..8 {
            let level = levels[numbers[lane].min(levels.len() - 1)];
            let values = [level.first, level.shift, level.size[0], level.size[1]];
            for i in 0..4 {
                rows[i][lane] = values[i];
            }
        }
        let [first, shift, width, height] = rows;
        Self {
            first: i32x8::load_array(simd, first),
            shift: i32x8::load_array(simd, shift),
            size: [i32x8::load_array(simd, width), i32x8::load_array(simd, height)],
        }
    }
}

/// As [`bilinear`], by one load a pixel.
#[inline(always)]
fn blended<S: Simd>(
    simd: S,
    shading: &Shading<'_>,
    blocks: &Blocks,
    level: &Levels<S>,
    at: [f32x8<S>; 2],
    c: f32x8<S>,
) -> u32x8<S> {
    let unscale = shading.texture.unscale;
    let none = i32x8::splat(simd, 0);
    let (mut place, mut weights) = ([none; 2], [[u32x8::splat(simd, 0); 2]; 2]);
    for axis in 0..2 {
        let (low, second) = first_of(simd, at[axis] * unscale[axis], level.size[axis]);
        (place[axis], weights[axis]) = (low, [256 - second, second]);
    }
    let index = level.first + ((place[1] << level.shift) | place[0]);
    let index: [i32; 8] = stored(index.into());
    let Some(last) = blocks.texels.len().checked_sub(1) else { return u32x8::splat(simd, 0) };
    let mut block = [u32x4::splat(simd, 0); 8];
    for lane in 0..8 {
        // They are inside; of the minimum the compiler sees it, too.
        let index = (index[lane] as u32 as usize).min(last);
        block[lane] = u32x4::load_array_ref(simd, &blocks.texels[index]);
    }
    let (low, high) = block.split_at(4);
    let (low, high) = (columns_of(low), columns_of(high));
    let mut found = [u32x8::splat(simd, 0); 4];
    for i in 0..4 {
        found[i] = low[i].combine(high[i]);
    }
    weighted(simd, shading, found, weights, c)
}

/// Four rows of four become columns.
#[inline(always)]
fn columns_of<S: Simd>(rows: &[u32x4<S>]) -> [u32x4<S>; 4] {
    let (first, second) = (rows[0].zip_low(rows[2]), rows[1].zip_low(rows[3]));
    let (third, fourth) = (rows[0].zip_high(rows[2]), rows[1].zip_high(rows[3]));
    [first.zip_low(second), first.zip_high(second), third.zip_low(fourth), third.zip_high(fourth)]
}

/// The two columns (or rows) of texels around a coordinate in whole textures, and their
/// weights of 256.
#[inline(always)]
fn neighbours<S: Simd>(simd: S, t: f32x8<S>, size: i32) -> ([i32x8<S>; 2], [u32x8<S>; 2]) {
    let (low, second) = first_of(simd, t, i32x8::splat(simd, size));
    let high = low + 1;
    let high = high.simd_lt(size).select(high, i32x8::splat(simd, 0));
    ([low, high], [256 - second, second])
}

/// The first column (or row) of texels around a coordinate in whole textures, and the weight of 256
/// of the second.
#[inline(always)]
fn first_of<S: Simd>(simd: S, t: f32x8<S>, size: i32x8<S>) -> (i32x8<S>, u32x8<S>) {
    let at = (t - t.floor()) * size.to_float::<f32x8<S>>() - 0.5;
    // The scalar twin's conversions make 0 of what is no number.
    let at = at.simd_eq(at).select(at, f32x8::splat(simd, 0.0));
    let floor = at.floor();
    let second = ((at - floor) * 256.0).to_int::<i32x8<S>>().bitcast::<u32x8<S>>();
    let low = floor.to_int::<i32x8<S>>();
    (low.simd_lt(0).select(size - 1, low), second)
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
    let [sx, sy] = shading.texels_per_coordinate();
    let mut sides = [[0.0; 8]; 2];
    let slopes = slopes.lanes(simd);
    for i in 0..2 {
        let [iw, along_a, along_b] = slopes[i];
        let u = (along_a - a * iw) * w * sx;
        let v = (along_b - b * iw) * w * sy;
        sides[i] = (u * u + v * v).into();
    }
    let (mut numbers, mut weight) = ([0; 8], [0; 8]);
    let (mut first, mut last) = (levels.len(), 0);
    let mut rest = pass;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize & 7;
        rest &= rest - 1;
        let (level, share) = shading.mipmap(sides[0][lane].max(sides[1][lane]));
        (numbers[lane], weight[lane]) = (level, share);
        (first, last) = (first.min(level), last.max(level + usize::from(share != 0)));
    }
    let weight = u32x8::load_array(simd, weight);
    if let Some(blocks) = &shading.texture.blocks {
        if first == last {
            let level = Levels::one(simd, &blocks.levels[last]);
            return blended(simd, shading, blocks, &level, [a, b], c);
        }
        let mut found = [u32x8::splat(simd, 0); 2];
        for i in 0..2 {
            for lane in 0..8 {
                numbers[lane] += i;
            }
            let level = Levels::of(simd, &blocks.levels, &numbers);
            found[i] = blended(simd, shading, blocks, &level, [a, b], c);
        }
        return between(found, weight);
    }
    let mut fine = [0; 8];
    for lane in 0..8 {
        fine[lane] = numbers[lane] as i32;
    }
    let fine = i32x8::load_array(simd, fine);
    let mut blends = [u32x8::splat(simd, 0); 2];
    for (number, level) in levels.iter().enumerate().take(last + 1).skip(first) {
        let found = bilinear(simd, shading, level, a, b, c, memory);
        blends[0] = fine.simd_eq(number as i32).select(found, blends[0]);
        blends[1] = fine.simd_eq(number as i32 - 1).select(found, blends[1]);
    }
    between(blends, weight)
}

/// Pixels `weight` of 256 on the way to others, channel by channel.
#[inline(always)]
fn between<S: Simd>([near, far]: [u32x8<S>; 2], weight: u32x8<S>) -> u32x8<S> {
    let even = (near & 0xff_00ff) * (256 - weight) + (far & 0xff_00ff) * weight;
    let odd = (near >> 8 & 0xff) * (256 - weight) + (far >> 8 & 0xff) * weight;
    ((even + 0x80_0080) >> 8 & 0xff_00ff) | ((odd + 0x80) & 0xff00) | 0xff00_0000
}
