//! The engines' lighting styles: a vertex normal to a light value.
//!
//! Every style is the same bent line in `d`, the dot product of the normal with one direction:
//! `base + rise * max(d, 0) + fall * min(d, 0)`, held between two ends. So one small struct,
//! [`LightRamp`], says all that the vertex stage needs.

use crate::direction::at_hand;
use crate::look::{ColorMode, Lighting, Look};
use crate::transform::Transform;

/// A bent line from `d = normal . direction` to a light value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LightRamp {
    pub(crate) direction: [f32; 3],
    pub(crate) base: f32,
    /// Slope for `d` above 0.
    pub(crate) rise: f32,
    /// Slope for `d` below 0.
    pub(crate) fall: f32,
    pub(crate) min: f32,
    pub(crate) max: f32,
}

/// Light of an entity in WinQuake's units: the accumulator of a vertex that faces away from the
/// light, and how much a vertex that faces it is brighter. 256 units are a colormap row.
fn quake_accumulator(level: f32) -> (f32, f32) {
    let ambient = level.min(128.0);
    let shade = if ambient + level > 192.0 { 192.0 - ambient } else { level };
    ((255.0 - ambient.max(5.0)) * 64.0, shade.max(0.0) * 64.0)
}

/// Quake III's default sun direction and the display values of its menu light.
const QUAKE3_SUN: [f32; 3] = [0.45, 0.3, 0.9];
const QUAKE3_AMBIENT: f32 = 182.0;
const QUAKE3_DIRECTED: f32 = 150.0;

impl LightRamp {
    /// The intensity `I` (1 returns the texel, 2 is the brightest) under `look`.
    pub(crate) fn intensity(look: &Look) -> Self {
        let constant =
            |base| Self { direction: [0.0; 3], base, rise: 0.0, fall: 0.0, min: 0.0, max: 2.0 };
        match look.lighting {
            Lighting::Unlit => constant(1.0),
            Lighting::Lambert => Self {
                direction: normalized(look.light),
                rise: look.diffuse,
                max: 1.0,
                ..constant(look.ambient)
            },
            Lighting::Quake | Lighting::Quake2 => {
                let rows = Self::quake_rows(look.light_level);
                Self {
                    direction: rows.direction,
                    rise: -rows.rise * (2.0 / 63.0),
                    ..constant(2.0 - rows.base * (2.0 / 63.0))
                }
            }
            Lighting::Gl => {
                let level = look.light_level.min(96.0) / 100.0;
                let half = std::f32::consts::FRAC_1_SQRT_2;
                Self {
                    direction: [half, 0.0, half],
                    rise: level,
                    fall: level * (13.0 / 44.0),
                    ..constant(level)
                }
            }
            Lighting::Quake3 => Self {
                direction: normalized(QUAKE3_SUN),
                rise: QUAKE3_DIRECTED / 255.0,
                max: 1.0,
                ..constant(QUAKE3_AMBIENT / 255.0)
            },
        }
    }

    /// WinQuake's light as a colormap row with its fraction.
    fn quake_rows(level: f32) -> Self {
        let (ambient, shade) = quake_accumulator(level);
        Self {
            direction: [1.0, 0.0, 0.0],
            base: ambient / 256.0,
            rise: -shade / 256.0,
            fall: 0.0,
            min: 0.0,
            max: 63.0,
        }
    }

    /// What the kernels interpolate, such that truncation gives the final integer: `256 I` rounded
    /// for true colour, the colormap row for indexed pictures.
    pub(crate) fn for_kernel(look: &Look, color: ColorMode) -> Self {
        match (color, look.lighting) {
            // Light is an integer with 8 fraction bits in the engines; half of one unit keeps
            // whole rows whole when they are interpolated.
            (ColorMode::Indexed, Lighting::Quake | Lighting::Quake2) => {
                Self::quake_rows(look.light_level).mapped(1.0, 0.5 / 256.0)
            }
            _ => Self::intensity(look).of_intensity(color),
        }
    }

    /// The same intensity for every normal, as [`LightRamp::for_kernel`] has it.
    pub(crate) fn constant(intensity: f32, color: ColorMode) -> Self {
        let ramp =
            Self { direction: [0.0; 3], base: intensity, rise: 0.0, fall: 0.0, min: 0.0, max: 1.0 };
        ramp.of_intensity(color)
    }

    /// What the kernels interpolate of an intensity.
    fn of_intensity(self, color: ColorMode) -> Self {
        match color {
            ColorMode::Rgb => self.mapped(256.0, 0.5),
            ColorMode::Indexed => self.mapped(-31.5, 63.5),
        }
    }

    /// The same light on a model that stands in the scene like this, for normals of the model.
    pub(crate) fn on(self, transform: &Transform) -> Self {
        Self { direction: transform.direction_for_normals(self.direction), ..self }
    }

    /// The ramp of `value * scale + offset`.
    fn mapped(self, scale: f32, offset: f32) -> Self {
        let ends = [self.min * scale + offset, self.max * scale + offset];
        Self {
            direction: self.direction,
            base: self.base * scale + offset,
            rise: self.rise * scale,
            fall: self.fall * scale,
            min: ends[0].min(ends[1]),
            max: ends[0].max(ends[1]),
        }
    }

    /// The light value of a unit normal. Where that holds what is no number, or numbers without end
    /// that give none, it is the base: light from the side.
    pub(crate) fn at(&self, normal: [f32; 3]) -> f32 {
        let [x, y, z] = self.direction;
        let d = (normal[0] * x + normal[1] * y) + normal[2] * z;
        let value = (self.base + self.rise * d.max(0.0)) + self.fall * d.min(0.0);
        let value = if value.is_nan() { self.base } else { value };
        value.max(self.min).min(self.max)
    }
}

/// At length 1, whatever the length; from above what has none.
fn normalized(v: [f32; 3]) -> [f32; 3] {
    let v = at_hand(v.into()).0.to_array();
    let length = ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]).sqrt();
    if length > 0.0 && length.is_finite() { v.map(|x| x / length) } else { [0.0, 0.0, 1.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(lighting: Lighting, light_level: f32) -> Look {
        Look { lighting, light_level, ..Look::default() }
    }

    /// The table of WinQuake rows for entity light r and c = 1..0, -.25, -.5, -.75, -1.
    #[test]
    fn quake_rows_are_the_engines() {
        let table = [
            (0.0, [62, 62, 62, 62, 62]),
            (16.0, [59, 58, 57, 56, 55]),
            (24.0, [57, 56, 54, 53, 51]),
            (32.0, [55, 53, 51, 49, 47]),
            (64.0, [47, 43, 39, 35, 31]),
            (96.0, [39, 33, 27, 21, 15]),
            (100.0, [38, 33, 27, 21, 15]),
            (128.0, [31, 27, 23, 19, 15]),
            (255.0, [31, 27, 23, 19, 15]),
        ];
        for (level, rows) in table {
            let ramp = LightRamp::for_kernel(&look(Lighting::Quake, level), ColorMode::Indexed);
            for (d, row) in [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().zip(rows) {
                assert_eq!(ramp.at([d, 0.0, 0.0]) as i32, row, "level {level}, d {d}");
                if d == 0.0 {
                    assert_eq!(ramp.at([-1.0, 0.0, 0.0]) as i32, row, "the dark side is flat");
                }
            }
        }
        let (ambient, shade) = quake_accumulator(96.0);
        assert_eq!(ambient - shade, 4032.0);
        let (ambient, shade) = quake_accumulator(100.0);
        assert_eq!(ambient - shade * 0.5, 6976.0);
    }

    #[test]
    fn quake_intensity_is_the_factor_of_the_row() {
        let ramp = LightRamp::intensity(&look(Lighting::Quake, 128.0));
        let row = 4032.0 / 256.0;
        assert!((ramp.at([1.0, 0.0, 0.0]) - 2.0 * (63.0 - row) / 63.0).abs() < 1e-6);
    }

    #[test]
    fn gl_dots_are_the_published_table() {
        let ramp = LightRamp::intensity(&look(Lighting::Gl, 100.0));
        let cases = [
            ([1.0, 0.0, 0.0], 1.707),
            ([0.0, 0.0, 1.0], 1.707),
            ([0.0, 1.0, 0.0], 1.0),
            ([-1.0, 0.0, 0.0], 0.791),
            ([0.0, 0.0, -1.0], 0.791),
        ];
        for (normal, factor) in cases {
            assert!((ramp.at(normal) - factor * 0.96).abs() < 1e-3, "{normal:?}");
        }
    }

    #[test]
    fn quake3_levels_are_the_engines() {
        let ramp = LightRamp::intensity(&look(Lighting::Quake3, 128.0));
        let sun = normalized(QUAKE3_SUN);
        for (cosine, level) in [(1.0, 255), (0.5, 255), (0.4866, 254), (0.25, 219), (-1.0, 182)] {
            let value = ramp.at(sun.map(|x| x * cosine));
            assert_eq!((value * 255.0 + 1e-3) as i32, level, "{cosine}");
        }
    }

    #[test]
    fn one_returns_the_texel_and_rows_round_to_nearest() {
        let value =
            |color| LightRamp::for_kernel(&look(Lighting::Unlit, 0.0), color).at([0.0, 0.0, 1.0]);
        assert_eq!(value(ColorMode::Rgb), 256.5);
        // 63 - 31.5 + 0.5 = 32.
        assert_eq!(value(ColorMode::Indexed) as i32, 32);
    }

    #[test]
    fn the_light_stays_when_the_model_turns() {
        // What was the model's right side faces the light after a quarter turn to the left.
        let ramp = LightRamp::intensity(&look(Lighting::Quake, 128.0));
        let turned = ramp.on(&Transform::yaw(90.0));
        assert!((turned.at([0.0, -1.0, 0.0]) - ramp.at([1.0, 0.0, 0.0])).abs() < 1e-6);
        assert_eq!(ramp.on(&Transform::IDENTITY), ramp);
    }

    #[test]
    fn the_length_of_the_direction_is_no_light() {
        let light = |light| LightRamp::intensity(&Look { light, ..Look::default() });
        for size in [1.0, 1e-44, 1e-30, 1e-7, 7.0, 1e20, 3e38] {
            assert_eq!(light([size, 0.0, 0.0]), light([1.0, 0.0, 0.0]), "{size}");
            let [_, y, z] = light([0.0, -size, size]).direction;
            assert!((y + 0.70710677).abs() < 1e-6 && z == -y, "{size}: {y} {z}");
        }
    }

    #[test]
    fn lambert_clamps_between_ambient_and_one() {
        let look = Look { light: [0.0, 0.0, 5.0], ..Look::default() };
        let ramp = LightRamp::for_kernel(&look, ColorMode::Rgb);
        assert_eq!(ramp.at([0.0, 0.0, 1.0]) as i32, 256);
        assert_eq!(ramp.at([0.0, 0.0, -1.0]) as i32, 77);
    }
}
