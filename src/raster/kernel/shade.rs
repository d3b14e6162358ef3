//! Eight pixels at once: the nearest texel of any texture times light, or through the colormap. The
//! other shaders go through the plain twin, lane by lane.

use fearless_simd::{Simd, f32x8, i32x8, mask32x8, prelude::*, u32x8};

use super::super::framebuffer::DRAWN;
use super::super::shade::{ATTRIBUTES, Gradients, Shader, Shading};
use super::super::texture::{FULLBRIGHT, HOLE};
use super::plain::eight::{divided, floored, modulated};

/// Whether [`eight`] draws this shader.
#[inline(always)]
pub(super) fn is_fast(shading: &Shading<'_>) -> bool {
    matches!(shading.shader, Shader::Nearest | Shader::Indexed)
}

/// Colours of eight pixels, and which of them are no holes. `at` are the attributes without z.
#[inline(always)]
pub(super) fn eight<S: Simd>(
    simd: S,
    shading: &Shading<'_>,
    at: [f32x8<S>; 4],
) -> (u32x8<S>, mask32x8<S>) {
    let w = divided(simd, at[0]);
    let texel = nearest(simd, shading, at[1] * w, at[2] * w);
    let c = at[3] * w;
    let color = if shading.shader == Shader::Indexed {
        indexed(simd, shading, texel, c)
    } else {
        lit(simd, shading, texel, c)
    };
    let solid = if shading.texture.has_holes {
        (texel >> 24).simd_ne(HOLE)
    } else {
        mask32x8::splat(simd, true)
    };
    (color, solid)
}

#[inline(always)]
fn nearest<S: Simd>(simd: S, shading: &Shading<'_>, a: f32x8<S>, b: f32x8<S>) -> u32x8<S> {
    let level = &shading.texture.levels[0];
    let index = if shading.texture.power_of_two {
        let step = shading.texture.row_step();
        let row = floored(b) & ((level.height - 1) * step);
        (if step == 1 { row << level.shift } else { row }) | (floored(a) & (level.width - 1))
    } else {
        (wrapped(b, level.height) << level.shift) | wrapped(a, level.width)
    };
    fetch(simd, &level.texels, index)
}

/// Eight texels; their number is a power of two.
#[inline(always)]
fn fetch<S: Simd>(simd: S, texels: &[u32], index: i32x8<S>) -> u32x8<S> {
    let index: [i32; 8] = index.into();
    let mut texel = [0; 8];
    for lane in 0..8 {
        texel[lane] = texels[index[lane] as usize & (texels.len() - 1)];
    }
    u32x8::load_array(simd, texel)
}

/// Texel number of a coordinate in whole textures.
#[inline(always)]
fn wrapped<S: Simd>(t: f32x8<S>, size: i32) -> i32x8<S> {
    ((t - t.floor()) * size as f32).to_int::<i32x8<S>>().min(size - 1)
}

/// One channel of a texel times light that may be brighter than 1.
#[inline(always)]
fn overbright<S: Simd>(channel: u32x8<S>, light: u32x8<S>) -> u32x8<S> {
    ((channel * light + 128) >> 8).min(255)
}

#[inline(always)]
fn lit<S: Simd>(simd: S, shading: &Shading<'_>, texel: u32x8<S>, c: f32x8<S>) -> u32x8<S> {
    let light = c.max(0.0).min(shading.light_max as f32).to_int::<i32x8<S>>().bitcast::<u32x8<S>>();
    let light = if shading.texture.has_fullbright {
        (texel >> 24).simd_eq(FULLBRIGHT).select(u32x8::splat(simd, 256), light)
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

#[inline(always)]
fn indexed<S: Simd>(simd: S, shading: &Shading<'_>, texel: u32x8<S>, c: f32x8<S>) -> u32x8<S> {
    let row = c.max(0.0).min(63.0).to_int::<i32x8<S>>().bitcast::<u32x8<S>>();
    let place: [u32; 8] = ((row << 8) | (texel & 255)).into();
    let colormap = shading.colormap;
    let mut index = [0; 8];
    for lane in 0..8 {
        index[lane] = u32::from(colormap[place[lane] as usize]);
    }
    u32x8::load_array(simd, index) | DRAWN
}

/// Attributes of eight pixels, for the shaders that go lane by lane.
pub(super) struct Lanes([[f32; 8]; ATTRIBUTES]);

impl Lanes {
    #[inline(always)]
    pub(super) fn new<S: Simd>(at: [f32x8<S>; ATTRIBUTES]) -> Self {
        Self([at[0].into(), at[1].into(), at[2].into(), at[3].into(), at[4].into()])
    }

    /// Draws the lanes in `mask` by the plain twin.
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
            if let Some(pixel) = shading.pixel(at, gradients) {
                (depth[lane], color[lane]) = (at[0], pixel);
            }
        }
    }
}
