//! The colour of one pixel from its interpolated attributes.
//!
//! [`Shading::draw`] is the definition. The kernels do texels eight or sixteen at once, with the same
//! bits; everything else comes through it lane by lane.

use super::blocks::Blocks;
use super::mipmap::{FULLBRIGHT, HOLE, Level};
use super::mix::{Mix, PaletteMix};
use super::texture::{SMALL, Texture, scaled_alpha};

/// Number of interpolated attributes of a vertex: z, 1/w and three more, divided by w.
pub(crate) const ATTRIBUTES: usize = 5;

/// How the three free attributes (`a`, `b`, `c`) become a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shader {
    /// a, b: texture coordinates, c: `256 I + 0.5`. The nearest texel times light.
    Nearest,
    /// As `Nearest`, with four texels blended.
    Bilinear,
    /// As `Bilinear`, blended between two mipmaps.
    Trilinear,
    /// a, b: texture coordinates, c: row of the colormap.
    Indexed,
    /// a, b, c: normal.
    Normals,
    /// a, b: texture coordinates.
    Uv,
    /// a: 0 near, 1 far.
    Depth,
    /// a, b, c: distances to the three edges in pixels.
    Wire,
}

/// 64 rows, from full light to none, of a pixel for each of 256 palette indices.
pub(crate) type LightTable = [u32; 64 * 256];

/// All that the colour of a surface's pixels depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shading<'a> {
    pub(crate) shader: Shader,
    pub(crate) texture: &'a Texture,
    /// Indexed pictures only.
    pub(crate) colormap: Option<&'a LightTable>,
    /// The largest `256 I`: 256, where products stay within 16 bits, or 512.
    pub(crate) light_max: u32,
    /// How a stage is laid over the picture; its texture keeps alpha. `None` replaces what is there.
    pub(crate) mix: Option<&'a Mix>,
    /// With `mix` in an indexed picture.
    pub(crate) palette_mix: Option<&'a PaletteMix>,
}

#[cfg(test)]
impl<'a> Shading<'a> {
    /// The nearest texel times light of at most 1, on an opaque surface.
    pub(crate) fn of_nearest(texture: &'a Texture) -> Self {
        let shader = Shader::Nearest;
        Self { shader, texture, colormap: None, light_max: 256, mix: None, palette_mix: None }
    }
}

/// The commonest shading, which the kernels do without a branch: the nearest texel of a true-colour
/// texture times light of at most 1. The texture has no flags to look at, sides of powers of two and no
/// more texels than 16 bits can number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastPath<'a> {
    pub(crate) texels: &'a [u32; SMALL],
    /// Of the columns, and of the rows times the texels of a row; once for each lane, ready to load.
    pub(crate) masks: [[i32; 16]; 2],
    /// [`MIN_RECIPROCAL`] and [`TEXEL_RANGE`] in the same way: as constants they would be kept in registers,
    /// which the loop over strips needs for what is looked at every time.
    pub(crate) least_reciprocal: [f32; 16],
    pub(crate) range: [f32; 16],
}

/// Change of the attributes per pixel to the right and per row down.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gradients {
    pub(crate) x: [f32; ATTRIBUTES],
    pub(crate) y: [f32; ATTRIBUTES],
}

/// Smallest 1/w that is divided by: rounding in the planes of a sliver may reach 0 and beyond.
pub(crate) const MIN_RECIPROCAL: f32 = 1e-20;
/// Texel numbers are held within this range, which integers have.
pub(crate) const TEXEL_RANGE: f32 = 1_073_741_824.0;

const OPAQUE: u32 = 0xff00_0000;
/// Brightness of wire edges.
const WIRE_GREY: u32 = 0xff_c8c8c8;
/// Distance from a triangle's edge, in pixels, up to which wire pixels are drawn.
const WIRE_REACH: f32 = 1.0;

impl<'a> Shading<'a> {
    /// What the fast path needs, if the shading is one that it does.
    pub(crate) fn fast_path(&self) -> Option<FastPath<'a>> {
        let texture = self.texture;
        let level = texture.levels.first()?;
        let fits = self.shader == Shader::Nearest
            && self.light_max <= 256
            && self.mix.is_none()
            && texture.power_of_two
            && !texture.has_holes
            && !texture.has_fullbright;
        let texels = level.texels.first_chunk().filter(|_| fits && level.texels.len() == SMALL)?;
        let masks = [[level.width - 1; 16], [(level.height - 1) << level.shift; 16]];
        let (least_reciprocal, range) = ([MIN_RECIPROCAL; 16], [TEXEL_RANGE; 16]);
        Some(FastPath { texels, masks, least_reciprocal, range })
    }

    /// The blocks of a filtered texture that has them, if light is at most 1 and the texture has no flags
    /// to look at: the filtered shading that the kernels are fastest at.
    pub(crate) fn plain_blocks(&self) -> Option<&'a Blocks> {
        let texture = self.texture;
        let fits = matches!(self.shader, Shader::Bilinear | Shader::Trilinear)
            && self.light_max <= 256
            && self.mix.is_none()
            && !texture.has_holes
            && !texture.has_fullbright;
        texture.blocks.as_ref().filter(|_| fits)
    }

    /// The least coordinates of which the kernels find texels and weights of blocks in whole numbers: from
    /// half a texel on (and what is rounded), where sides are powers of two.
    pub(crate) fn least_exact(&self, blocks: &Blocks) -> [f32; 2] {
        let texel = blocks.texels_per_coordinate;
        if self.texture.power_of_two { [0.51 / texel[0], 0.51 / texel[1]] } else { [0.0; 2] }
    }
}

impl Shading<'_> {
    /// Whether [`Shading::pixel`] looks at the gradients.
    pub(crate) fn needs_gradients(&self) -> bool {
        self.shader == Shader::Trilinear
    }

    /// Draws a fragment where `depth` and `color` are, if it passes the depth test and is no hole.
    pub(crate) fn draw(
        &self,
        at: [f32; ATTRIBUTES],
        gradients: &Gradients,
        depth: &mut f32,
        color: &mut u32,
    ) {
        let z = at[0];
        let is_near = self.mix.map_or(z < *depth, |mix| mix.is_near(z, *depth));
        if !is_near {
            return;
        }
        let found = match self.mix {
            Some(mix) => self.mixed(mix, at, gradients, *color),
            None => self.pixel(at, gradients),
        };
        if let Some(pixel) = found {
            *color = pixel;
            if self.mix.is_none_or(|mix| mix.depth_write) {
                *depth = z;
            }
        }
    }

    /// The pixel, or `None` for a hole, which leaves colour and depth alone.
    pub(crate) fn pixel(&self, at: [f32; ATTRIBUTES], gradients: &Gradients) -> Option<u32> {
        let w = 1.0 / at[1].max(MIN_RECIPROCAL);
        let [a, b, c] = [at[2] * w, at[3] * w, at[4] * w];
        let light = |c: f32| (c.max(0.0).min(self.light_max as f32)) as u32;
        match self.shader {
            Shader::Nearest => {
                let texel = self.nearest(a, b);
                (texel >> 24 != HOLE).then(|| lit(texel, light(c)) | OPAQUE)
            }
            Shader::Indexed => {
                let texel = self.nearest(a, b);
                let row = c.clamp(0.0, 63.0) as usize;
                let pixel = self.colormap?[row * 256 + (texel & 255) as usize];
                (texel >> 24 != HOLE).then_some(pixel)
            }
            Shader::Bilinear => self.bilinear(&self.texture.levels[0], a, b, light(c)),
            Shader::Trilinear => self.trilinear(a, b, light(c), self.footprint(at, w, gradients)),
            Shader::Normals => {
                let length = ((a * a + b * b) + c * c).sqrt().max(1e-20);
                Some(rgb([a, b, c].map(|x| (x / length) * 0.5 + 0.5)))
            }
            Shader::Uv => Some(rgb([a - a.floor(), b - b.floor(), 0.0])),
            Shader::Depth => Some(rgb([1.0 - a; 3])),
            Shader::Wire => (a.min(b).min(c) < WIRE_REACH).then_some(WIRE_GREY),
        }
    }

    /// The pixel of a stage that is mixed with what is `under` it; `None` where the alpha test fails.
    fn mixed(
        &self,
        mix: &Mix,
        at: [f32; ATTRIBUTES],
        gradients: &Gradients,
        under: u32,
    ) -> Option<u32> {
        let w = 1.0 / at[1].max(MIN_RECIPROCAL);
        let [a, b, c] = [at[2] * w, at[3] * w, at[4] * w];
        let texel = match self.shader {
            Shader::Bilinear => self.blend_of_four(&self.texture.levels[0], mix.clamp, a, b),
            Shader::Trilinear => {
                let (fine, weight) = self.mipmap(self.footprint(at, w, gradients));
                let levels = &self.texture.levels;
                let near = self.blend_of_four(&levels[fine], mix.clamp, a, b);
                if weight == 0 {
                    near
                } else {
                    between(near, self.blend_of_four(&levels[fine + 1], mix.clamp, a, b), weight)
                }
            }
            _ if mix.clamp => self.nearest_clamped(a, b),
            _ => self.nearest(a, b),
        };
        let alpha = scaled_alpha(texel >> 24, mix.alpha);
        if !mix.alpha_test.is_none_or(|test| test.passes(alpha)) {
            return None;
        }
        let light = (c.max(0.0).min(self.light_max as f32)) as u32;
        let texel = match (self.colormap, self.palette_mix) {
            (Some(colormap), Some(palette)) => {
                let row = c.clamp(0.0, 63.0) as usize;
                palette.color(colormap[row * 256 + (texel & 255) as usize])
            }
            _ => [0, 8, 16].map(|shift| texel >> shift & 255),
        };
        let light = match mix.tint {
            Some(tint) => tint,
            None if self.colormap.is_some() => [256; 3],
            None => [light; 3],
        };
        let lit = |i: usize| ((texel[i] * light[i] + 128) >> 8).min(255);
        let source = [lit(0), lit(1), lit(2), alpha];
        Some(match self.palette_mix {
            Some(palette) => palette.over(mix, source, under),
            None => mix.over(source, under),
        })
    }

    fn nearest_clamped(&self, a: f32, b: f32) -> u32 {
        let level = &self.texture.levels[0];
        let scale = self.texture.scale();
        let texel = |t: f32, size: i32| (t * size as f32).max(0.0).min((size - 1) as f32) as i32;
        level.texel(texel(a / scale[0], level.width), texel(b / scale[1], level.height))
    }

    /// Four texels around a point, weighted, with their alpha.
    fn blend_of_four(&self, level: &Level, clamp: bool, a: f32, b: f32) -> u32 {
        let scale = self.texture.scale();
        let at = |t: f32, size: i32| {
            if clamp {
                (t * size as f32 - 0.5).max(-1.0).min(size as f32)
            } else {
                position(t, size)
            }
        };
        let (x, y) = (at(a / scale[0], level.width), at(b / scale[1], level.height));
        let (left, top) = (x.floor(), y.floor());
        let (fx, fy) = (((x - left) * 256.0) as u32, ((y - top) * 256.0) as u32);
        let place = |at: f32, step: i32, size: i32| {
            let at = (at as i32).wrapping_add(step);
            if clamp { at.clamp(0, size - 1) } else { at.rem_euclid(size) }
        };
        let texel = |dx: i32, dy: i32| {
            level.texel(place(left, dx, level.width), place(top, dy, level.height))
        };
        let corners = [texel(0, 0), texel(1, 0), texel(0, 1), texel(1, 1)];
        let weights = [(256 - fx) * (256 - fy), fx * (256 - fy), (256 - fx) * fy, fx * fy];
        let channel = |shift: u32| {
            let products =
                corners.iter().zip(weights).map(|(t, weight)| (t >> shift & 255) * weight);
            ((products.sum::<u32>() + 0x8000) >> 16) << shift
        };
        channel(0) | channel(8) | channel(16) | channel(24)
    }

    fn nearest(&self, a: f32, b: f32) -> u32 {
        let level = &self.texture.levels[0];
        if self.texture.power_of_two {
            let texel = |t: f32| t.clamp(-TEXEL_RANGE, TEXEL_RANGE).floor() as i32;
            let x = texel(a) & (level.width - 1);
            let step = self.texture.row_step();
            level.texel(x, (texel(b) & ((level.height - 1) * step)) / step)
        } else {
            level.texel(wrapped(a, level.width), wrapped(b, level.height))
        }
    }

    fn bilinear(&self, level: &Level, a: f32, b: f32, light: u32) -> Option<u32> {
        // Texel centres are at + 0.5.
        let scale = self.texture.scale();
        let (x, y) = (position(a / scale[0], level.width), position(b / scale[1], level.height));
        let (left, top) = (x.floor(), y.floor());
        let (fx, fy) = (((x - left) * 256.0) as u32, ((y - top) * 256.0) as u32);
        let column = |dx: i32| (left as i32).wrapping_add(dx).rem_euclid(level.width);
        let row = |dy: i32| (top as i32).wrapping_add(dy).rem_euclid(level.height);
        let weights = [(256 - fx) * (256 - fy), fx * (256 - fy), (256 - fx) * fy, fx * fy];
        let corners =
            [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| level.texel(column(dx), row(dy)));
        // Fullbright texels take no light, so light comes before the blend where they may occur.
        let before = self.texture.has_fullbright;
        let mut sums = [0u32; 3];
        let mut solid = 0;
        for (texel, weight) in corners.into_iter().zip(weights) {
            if texel >> 24 == HOLE {
                continue;
            }
            solid += weight;
            let texel = if before { lit(texel, light) } else { texel };
            for (channel, sum) in sums.iter_mut().enumerate() {
                *sum += (texel >> (8 * channel) & 255) * weight;
            }
        }
        if solid < 0x8000 {
            return None;
        }
        // Holes have no colour to give: the others share the whole weight.
        let [red, green, blue] = sums.map(|sum| (sum + solid / 2) / solid);
        let blend = red | green << 8 | blue << 16;
        Some(if before { blend } else { lit(blend | OPAQUE, light) } | OPAQUE)
    }

    /// The finer of the two mipmaps for a footprint, and the weight of the coarser of 256.
    pub(crate) fn mipmap(&self, footprint: f32) -> (usize, u32) {
        // Most pixels are magnified: no logarithm above 0.
        if footprint.is_nan() || footprint <= 1.0 {
            return (0, 0);
        }
        let last = (self.texture.levels.len() - 1) as f32;
        let lambda = (0.5 * libm::log2f(footprint)).clamp(0.0, last);
        let fine = lambda.floor();
        (fine as usize, ((lambda - fine) * 256.0) as u32)
    }

    /// Squared length of the longer side of the pixel's shape on the texture, in texels.
    pub(crate) fn footprint(&self, at: [f32; ATTRIBUTES], w: f32, gradients: &Gradients) -> f32 {
        let [sx, sy] = self.texture.texels_per_coordinate();
        let side = |g: &[f32; ATTRIBUTES]| {
            let u = (g[2] - (at[2] * w) * g[1]) * w * sx;
            let v = (g[3] - (at[3] * w) * g[1]) * w * sy;
            u * u + v * v
        };
        side(&gradients.x).max(side(&gradients.y))
    }

    fn trilinear(&self, a: f32, b: f32, light: u32, footprint: f32) -> Option<u32> {
        let levels = &self.texture.levels;
        let (fine, weight) = self.mipmap(footprint);
        let near = self.bilinear(&levels[fine], a, b, light);
        if weight == 0 {
            return near;
        }
        let far = self.bilinear(&levels[fine + 1], a, b, light);
        match (near, far) {
            (Some(near), Some(far)) => Some(between(near, far, weight)),
            (near, far) => {
                if weight < 128 {
                    near
                } else {
                    far
                }
            }
        }
    }
}

/// A pixel `weight` of 256 on the way to another, channel by channel.
fn between(near: u32, far: u32, weight: u32) -> u32 {
    let channel = |shift: u32| {
        let [n, f] = [near, far].map(|p| p >> shift & 255);
        (n * (256 - weight) + f * weight + 128) >> 8 << shift
    };
    channel(0) | channel(8) | channel(16) | channel(24)
}

/// A texel times light, `min(255, (texel * I256 + 128) >> 8)` per channel; fullbright ones stay.
fn lit(texel: u32, light: u32) -> u32 {
    let light = if texel >> 24 == FULLBRIGHT { 256 } else { light };
    let channel = |shift: u32| (((texel >> shift & 255) * light + 128) >> 8).min(255) << shift;
    channel(0) | channel(8) | channel(16)
}

/// Column of a coordinate in whole textures.
fn wrapped(a: f32, size: i32) -> i32 {
    let fraction = a - a.floor();
    ((fraction * size as f32) as i32).min(size - 1)
}

/// A coordinate in texels of a mipmap, measured from the centre of its first texel.
fn position(textures: f32, size: i32) -> f32 {
    (textures - textures.floor()) * size as f32 - 0.5
}

fn rgb(channels: [f32; 3]) -> u32 {
    let [r, g, b] = channels.map(|x| (x.clamp(0.0, 1.0) * 255.0 + 0.5) as u32);
    r | g << 8 | b << 16 | OPAQUE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_light_returns_the_texel_and_the_product_is_the_rounded_one() {
        for texel in 0..=255u32 {
            assert_eq!(lit(texel | OPAQUE, 256), texel);
            for intensity in 0..=512u32 {
                let expected = ((texel * intensity + 128) / 256).min(255);
                assert_eq!(lit(texel << 8 | OPAQUE, intensity), expected << 8);
            }
        }
        assert_eq!(lit(FULLBRIGHT << 24 | 77, 3), 77);
    }

    #[test]
    fn coordinates_wrap_on_both_sides() {
        for (a, column) in [(0.0, 0), (0.99, 2), (1.0, 0), (-0.01, 2), (-1e-9, 2), (2.5, 1)] {
            assert_eq!(wrapped(a, 3), column, "{a}");
        }
    }
}
