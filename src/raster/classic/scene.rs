//! What to draw, in the words of the original engines.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::RequestError;
use crate::image::{Colormap, Image, Palette};

/// An entity and a camera as the original engines describe them.
///
/// Angles are pitch, yaw, roll in degrees. The numbers are `f32` (the time `f64`), because the
/// engines compute with them: parse decimals as `f64`, then round. [`ClassicScene::default`] is an
/// entity at the origin, seen from there with 90 degrees: set a camera, or let
/// [`ClassicScene::set_camera`] do it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassicScene {
    /// Where the eye is, in world units.
    pub camera_position: [f32; 3],
    /// Where the camera looks; positive pitch looks down.
    pub camera_angles: [f32; 3],
    /// Full horizontal view angle in degrees, above 0 and below 180.
    pub horizontal_angle: f32,
    /// How many times higher than wide a pixel is shown, above 0; the engines have its reciprocal.
    pub pixel_aspect: f32,
    /// Where the model stands.
    pub origin: [f32; 3],
    /// How the model is turned. Quake turns an `.mdl` by the NEGATIVE pitch: a positive one lifts
    /// the nose; everywhere else it lowers the nose.
    pub angles: [f32; 3],
    /// Frame as the engine counts: a group of an `.mdl` is one frame. Out of range is 0.
    pub frame: i32,
    /// Skin as the engine counts: a group of an `.mdl` is one skin. Out of range is 0. The pictures
    /// of other formats are the surfaces' textures, see [`crate::Model::set_skin`].
    pub skin: i32,
    /// Seconds: chooses the pose and picture of groups, drives `glow`.
    pub time: f64,
    /// Seconds added to `time` for groups (an engine gives every entity its own).
    pub sync: f32,
    /// Light where the model stands, 0..=255; all formats but `.md2`. Its ambient part is
    /// never below 5, and everything from 128 on looks alike.
    pub light_level: i32,
    /// Player colours: top and bottom, 0..=15 (the game offers 0..=13). Quake palettes only.
    pub colors: Option<[u8; 2]>,
    /// The weapon in the player's hand: in front of everything, never darker than a minimum.
    pub view_weapon: bool,
    /// `.mdl`: models far away are drawn by halving their triangles to points.
    pub subdivision: bool,
    /// `.md2`, `.md3`, `.md5mesh`: the frame that the entity comes from. Out of range is 0.
    pub old_frame: i32,
    /// Share of `old_frame` in the blend: 0 is `frame`, 1 is `old_frame`.
    pub backlerp: f32,
    /// For skeletal models: the animation whose frames `frame` and `old_frame` are.
    pub animation: usize,
    /// `.md2`: where the entity stood at `old_frame`; `None` is `origin`.
    pub old_origin: Option<[f32; 3]>,
    /// `.md2`: red, green, blue light where the model stands, 1 is normal full light.
    pub light_color: [f32; 3],
    /// `.md2`: light is (1, 1, 1).
    pub fullbright: bool,
    /// `.md2`: no component of the light is below 0.1.
    pub minlight: bool,
    /// `.md2`: the light pulses with `time`.
    pub glow: bool,
    /// `.md2`: translucent; `None` is opaque. Above 0.66 is drawn opaque, above 0.33 as two thirds,
    /// else as one third. Shells use it too (0.3 unless given).
    pub alpha: Option<f32>,
    /// `.md2`: a glowing shell around the model.
    pub shell: Shell,
    /// `.md2`: the model is drawn opaque before it is drawn translucent or as a shell. `None` does
    /// so for shells only, as the game does.
    pub opaque_pass: Option<bool>,
    /// `.md2`: a view weapon is mirrored.
    pub left_handed: bool,
    /// What the indices mean. `None`: the skin's own (`.md2` with PCX skins), else the model's; see
    /// [`ClassicScene::palette_for`].
    pub palette: Option<Arc<Palette>>,
    /// The light table. `None` is generated from the palette.
    pub colormap: Option<Arc<Colormap>>,
    /// Drawn with instead of the model's own skins.
    pub texture: Option<Arc<Image>>,
}

impl Default for ClassicScene {
    fn default() -> Self {
        Self {
            camera_position: [0.0; 3],
            camera_angles: [0.0; 3],
            horizontal_angle: 90.0,
            pixel_aspect: 1.0,
            origin: [0.0; 3],
            angles: [0.0; 3],
            frame: 0,
            skin: 0,
            time: 0.0,
            sync: 0.0,
            light_level: 128,
            colors: None,
            view_weapon: false,
            subdivision: false,
            old_frame: 0,
            backlerp: 0.0,
            animation: 0,
            old_origin: None,
            light_color: [1.0; 3],
            fullbright: false,
            minlight: false,
            glow: false,
            alpha: None,
            shell: Shell::default(),
            opaque_pass: None,
            left_handed: false,
            palette: None,
            colormap: None,
            texture: None,
        }
    }
}

/// The shells that an entity of Quake II wears; together they choose one colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shell {
    /// Quad damage is blue, invulnerability red, power armour green.
    pub red: bool,
    /// See `red`.
    pub green: bool,
    /// See `red`.
    pub blue: bool,
    /// Double damage.
    pub double: bool,
    /// Half damage.
    pub half: bool,
}

impl Shell {
    /// No shell at all.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Palette index of the shell: the first rule of Quake II's renderer that fits.
    pub(crate) fn color(self) -> Option<u8> {
        let Self { red, green, blue, double, half } = self;
        let rules = [
            (red && green && blue, 0xd7),
            (red && (blue || double), 0x68),
            (red, 0xf2),
            (blue && double, 0x72),
            (blue, 0xf3),
            (double, 0xdf),
            (half, 0x90),
            (green, 0xd0),
        ];
        rules.into_iter().find_map(|(fits, color)| fits.then_some(color))
    }
}

impl fmt::Display for Shell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { red, green, blue, double, half } = *self;
        let names =
            [(red, "red"), (green, "green"), (blue, "blue"), (double, "double"), (half, "half")];
        let worn: Vec<&str> =
            names.into_iter().filter_map(|(is_worn, name)| is_worn.then_some(name)).collect();
        f.write_str(&worn.join(","))
    }
}

impl FromStr for Shell {
    type Err = RequestError;

    /// Names separated by commas, such as `red,blue`.
    fn from_str(text: &str) -> Result<Self, RequestError> {
        let mut shell = Self::default();
        for name in text.split(',') {
            let flag = match name.trim() {
                "red" => &mut shell.red,
                "green" => &mut shell.green,
                "blue" => &mut shell.blue,
                "double" => &mut shell.double,
                "half" => &mut shell.half,
                other => {
                    return Err(RequestError::new(format!(
                        "'{other}' is no shell: expected red, green, blue, double, half, \
                         separated by commas"
                    )));
                }
            };
            *flag = true;
        }
        Ok(shell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_choose_the_first_color_that_fits() {
        let table = [
            ("red,blue,green", 0xd7),
            ("red,blue", 0x68),
            ("red,double", 0x68),
            ("red,green", 0xf2),
            ("blue,double", 0x72),
            ("blue,green", 0xf3),
            ("double,green", 0xdf),
            ("half,green", 0x90),
            ("green", 0xd0),
        ];
        for (names, color) in table {
            assert_eq!(names.parse::<Shell>().unwrap().color(), Some(color), "{names}");
        }
        assert_eq!(Shell::default().color(), None);
        assert!("purple".parse::<Shell>().unwrap_err().to_string().contains("'purple'"));
    }
}
