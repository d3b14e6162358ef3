//! What a surface is drawn with when a shader script (Quake III) or a material (Doom 3) says so: stages,
//! laid over each other in their order.

use std::sync::Arc;

use crate::image::Image;

/// Which faces of a surface are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Faces {
    #[default]
    Front,
    Back,
    Both,
}

/// A surface's stages and when they are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Material {
    pub(crate) faces: Faces,
    /// Nothing of it is drawn.
    pub(crate) hidden: bool,
    /// Lower ones are drawn first.
    pub(crate) sort: f32,
    pub(crate) stages: Vec<Stage>,
}

/// The value of `sort` of a surface without a script.
pub(crate) const SORT_OPAQUE: f32 = 3.0;

/// One layer of a surface.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    /// One picture, or those of an `animMap`.
    pub(crate) maps: Vec<Map>,
    /// Pictures of an `animMap` a second.
    pub(crate) rate: f32,
    /// Texture coordinates end at the picture's border instead of repeating it.
    pub(crate) clamp: bool,
    /// Factors of what is drawn and of what is there; `None` replaces what is there.
    pub(crate) blend: Option<[Factor; 2]>,
    pub(crate) alpha_test: Option<AlphaTest>,
    pub(crate) depth_write: bool,
    pub(crate) depth_test: DepthTest,
    pub(crate) color: ColorGen,
    pub(crate) alpha: AlphaGen,
    /// Texture coordinates come from what is mirrored, not from the model.
    pub(crate) environment: bool,
    /// In this order.
    pub(crate) tc_mods: Vec<TcMod>,
}

impl Default for Stage {
    fn default() -> Self {
        Self {
            maps: Vec::new(),
            rate: 0.0,
            clamp: false,
            blend: None,
            alpha_test: None,
            depth_write: true,
            depth_test: DepthTest::Nearer,
            color: ColorGen::Identity,
            alpha: AlphaGen::Identity,
            environment: false,
            tc_mods: Vec::new(),
        }
    }
}

/// A picture of a stage.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Map {
    /// One white texel.
    White,
    /// A picture by the name that the script has for it; `None` until it is found.
    Picture { name: String, image: Option<Arc<Image>> },
}

impl Map {
    pub(crate) fn named(name: impl Into<String>) -> Self {
        Self::Picture { name: name.into(), image: None }
    }

    /// The picture of a [`Map::Picture`].
    pub(crate) fn image(&self) -> Option<&Arc<Image>> {
        match self {
            Self::White => None,
            Self::Picture { image, .. } => image.as_ref(),
        }
    }
}

/// What a colour is multiplied by before it is added: OpenGL's factors. The picture's own alpha
/// counts as 1 for `DstAlpha`, as in the game's frame buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Factor {
    Zero,
    One,
    SrcColor,
    OneMinusSrcColor,
    DstColor,
    OneMinusDstColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    DstAlpha,
    OneMinusDstAlpha,
    SrcAlphaSaturate,
}

/// Which fragments are drawn, by their alpha of 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AlphaTest {
    /// Alpha of this value and above.
    AtLeast(u8),
    /// Alpha below this value.
    Below(u8),
}

impl AlphaTest {
    /// Whether a fragment of this alpha is drawn.
    pub(crate) fn passes(self, alpha: u32) -> bool {
        match self {
            Self::AtLeast(least) => alpha >= u32::from(least),
            Self::Below(end) => alpha < u32::from(end),
        }
    }
}

/// Which fragments are drawn, by their depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DepthTest {
    /// Those nearer than what is there.
    Nearer,
    /// Those nearer, or as near.
    NotFarther,
    /// Those as near.
    Equal,
}

/// A value that changes with time: `base + amplitude * shape(phase + frequency * time)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wave {
    pub(crate) shape: WaveShape,
    pub(crate) base: f32,
    pub(crate) amplitude: f32,
    pub(crate) phase: f32,
    pub(crate) frequency: f32,
}

/// A function of period 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaveShape {
    Sin,
    Square,
    Triangle,
    Sawtooth,
    InverseSawtooth,
    Noise,
}

/// The light of a stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ColorGen {
    /// 1.
    Identity,
    /// The light of the picture, vertex by vertex.
    Lighting,
    Wave(Wave),
    /// Red, green, blue in 0..=1.
    Const([f32; 3]),
}

/// What a stage multiplies a texel's alpha by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AlphaGen {
    /// 1.
    Identity,
    Wave(Wave),
    /// 0..=1.
    Const(f32),
}

/// A change of texture coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TcMod {
    /// Textures a second.
    Scroll([f32; 2]),
    Scale([f32; 2]),
    /// Degrees a second, clockwise, about the middle of the texture.
    Rotate(f32),
    /// One over the scale about the middle of the texture.
    Stretch(Wave),
    /// `s' = s m00 + t m10 + t0`, `t' = s m01 + t m11 + t1`: m00, m01, m10, m11, t0, t1.
    Transform([f32; 6]),
    /// A sine along the model; the shape does not count.
    Turbulence(Wave),
}

/// The matrix of [`TcMod::Transform`] that turns a picture about its middle.
pub(crate) fn turned(turns: f64) -> [f64; 6] {
    let angle = std::f64::consts::TAU * (turns - turns.floor());
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let middle = [0.5 - 0.5 * cos + 0.5 * sin, 0.5 - 0.5 * sin - 0.5 * cos];
    [cos, sin, -sin, cos, middle[0], middle[1]]
}

/// The fraction of a number, in 0..1.
fn fraction(x: f64) -> f64 {
    x - x.floor()
}

impl Wave {
    /// The value at a time in seconds; 0 where it is no number.
    pub(crate) fn at(&self, time: f64) -> f64 {
        let Self { shape, base, amplitude, phase, frequency } = *self;
        let x = fraction(f64::from(phase) + time * f64::from(frequency));
        let value = f64::from(base) + f64::from(amplitude) * shape.at(x);
        if value.is_finite() { value } else { 0.0 }
    }
}

impl WaveShape {
    /// The value at a fraction of the period, in 0..1.
    fn at(self, x: f64) -> f64 {
        match self {
            Self::Sin => libm::sin(std::f64::consts::TAU * x),
            Self::Square => {
                if x < 0.5 {
                    1.0
                } else {
                    -1.0
                }
            }
            Self::Triangle => {
                if x < 0.25 {
                    4.0 * x
                } else if x < 0.75 {
                    2.0 - 4.0 * x
                } else {
                    4.0 * x - 4.0
                }
            }
            Self::Sawtooth => x,
            Self::InverseSawtooth => 1.0 - x,
            Self::Noise => noise(x),
        }
    }
}

/// 64 fixed steps of -1 to 1, with straight lines between them.
fn noise(x: f64) -> f64 {
    const STEPS: u32 = 64;
    let value = |step: u32| {
        // A multiplicative hash: neighbours have nothing to do with each other.
        let mixed = (step % STEPS + 1).wrapping_mul(0x9e37_79b1);
        f64::from((mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca6b) >> 16) / 32767.5 - 1.0
    };
    let at = x * f64::from(STEPS);
    let step = at.floor();
    let (first, second) = (value(step as u32), value(step as u32 + 1));
    first + (second - first) * (at - step)
}

impl Stage {
    /// The picture at a time in seconds; `None` of a stage without one.
    pub(crate) fn map(&self, time: f64) -> Option<&Map> {
        let count = self.maps.len();
        if count < 2 {
            return self.maps.first();
        }
        let number = (time * f64::from(self.rate)).floor();
        // In range as a remainder, whatever the time.
        let number = number.rem_euclid(count as f64);
        self.maps.get(if number.is_finite() { number as usize } else { 0 }).or(self.maps.first())
    }

    /// Whether the stage looks the same at all times.
    pub(crate) fn is_still(&self) -> bool {
        let is_still = |tc_mod: &TcMod| matches!(tc_mod, TcMod::Scale(_) | TcMod::Transform(_));
        self.maps.len() < 2
            && !matches!(self.color, ColorGen::Wave(_))
            && !matches!(self.alpha, AlphaGen::Wave(_))
            && self.tc_mods.iter().all(is_still)
    }
}

impl Material {
    /// The one stage that stands for all: the first with a picture that is no mirror, else the first.
    pub(crate) fn main_stage(&self) -> Option<usize> {
        let is_plain = |stage: &Stage| {
            !stage.environment && stage.maps.iter().any(|map| map.image().is_some())
        };
        let plain = self.stages.iter().position(is_plain);
        plain.or(if self.stages.is_empty() { None } else { Some(0) })
    }

    /// The value of `sort` where the script has none: it follows from the stages.
    pub(crate) fn default_sort(stages: &[Stage]) -> f32 {
        const SEE_THROUGH: f32 = 5.0;
        const BLEND: f32 = 9.0;
        let is_blended = stages.first().is_some_and(|stage| stage.blend.is_some());
        let writes_depth = |stage: &Stage| stage.blend.is_some() && stage.depth_write;
        if !is_blended {
            SORT_OPAQUE
        } else if stages.iter().any(writes_depth) {
            SEE_THROUGH
        } else {
            BLEND
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_are_those_of_the_game() {
        use WaveShape::{InverseSawtooth, Sawtooth, Sin, Square, Triangle};
        for (shape, values) in [
            (Sin, [0.0, 1.0, 0.0, -1.0]),
            (Square, [1.0, 1.0, -1.0, -1.0]),
            (Triangle, [0.0, 1.0, 0.0, -1.0]),
            (Sawtooth, [0.0, 0.25, 0.5, 0.75]),
            (InverseSawtooth, [1.0, 0.75, 0.5, 0.25]),
        ] {
            let wave = Wave { shape, base: 10.0, amplitude: 2.0, phase: 0.5, frequency: 0.5 };
            for (quarter, value) in values.into_iter().enumerate() {
                // Half a period before, in time: a second is half a period.
                let found = wave.at(quarter as f64 * 0.5 - 1.0);
                assert!((found - (10.0 + 2.0 * value)).abs() < 1e-12, "{shape:?} {quarter}");
            }
        }
        let noise =
            Wave { shape: WaveShape::Noise, base: 0.0, amplitude: 1.0, phase: 0.0, frequency: 1.0 };
        let values: Vec<f64> = (0..1000).map(|i| noise.at(f64::from(i) / 333.0)).collect();
        assert!(values.iter().all(|value| value.abs() <= 1.0));
        assert!(
            values.iter().any(|&value| value > 0.5) && values.iter().any(|&value| value < -0.5)
        );
        let broken = Wave { amplitude: f32::MAX, base: f32::MAX, ..noise };
        assert!(broken.at(f64::MAX).is_finite());
    }

    #[test]
    fn animated_pictures_follow_each_other() {
        let maps = ["a", "b", "c"].map(Map::named).to_vec();
        let stage = Stage { maps, rate: 4.0, ..Stage::default() };
        for (time, name) in [(0.0, "a"), (0.24, "a"), (0.25, "b"), (0.75, "a"), (-0.01, "c")] {
            assert_eq!(stage.map(time), Some(&Map::named(name)), "{time}");
        }
        assert!(stage.map(f64::NAN).is_some());
        assert!(Stage::default().map(1.0).is_none());
    }
}
