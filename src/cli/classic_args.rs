//! Options that say a scene in the words of the original engines, for `--renderer classic`.

use clap::{Args, ValueEnum};

use polyset::Shell;

use super::values::{number, seconds_as_double, vector, view_angle};

/// Two words for a switch that scripts set both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl Switch {
    pub(crate) fn is_on(self) -> bool {
        self == Self::On
    }
}

/// What only the classic renderer understands.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Classic renderer")]
pub(crate) struct ClassicArgs {
    /// Where the camera looks, in degrees; positive pitch looks down
    #[arg(long, value_name = "PITCH,YAW,ROLL", value_parser = vector, allow_hyphen_values = true)]
    pub(crate) camera_angles: Option<[f32; 3]>,
    /// Full horizontal view angle
    #[arg(long, value_name = "DEG", value_parser = view_angle)]
    pub(crate) camera_horizontal_angle: Option<f32>,
    /// Where the model stands
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub(crate) model_origin: Option<[f32; 3]>,
    /// How the model is turned under camera and light; Quake negates the pitch of an .mdl. Pitch and
    /// roll are for this renderer only
    #[arg(long, value_name = "P,Y,R", value_parser = vector, allow_hyphen_values = true)]
    pub(crate) model_angles: Option<[f32; 3]>,
    /// Frame as the engine counts: a group of an .mdl is one frame
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) engine_frame: Option<i32>,
    /// Seconds; choose the pose and skin of groups, drive --glow
    #[arg(long, value_name = "T", value_parser = seconds_as_double)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) time: Option<f64>,
    /// Seconds added to --time for groups
    #[arg(long, value_name = "S", value_parser = number, allow_hyphen_values = true)]
    pub(crate) sync: Option<f32>,
    /// Draw the model as the weapon in the player's hand
    #[arg(long)]
    pub(crate) view_weapon: bool,
    /// .mdl: draw far models by halving triangles to points
    #[arg(long, value_name = "on|off")]
    pub(crate) subdivision: Option<Switch>,
    /// The frame that the model comes from (not .mdl)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) old_frame: Option<i32>,
    /// Share of --old-frame in the blend: 0 is --engine-frame, 1 --old-frame
    #[arg(long, value_name = "B", value_parser = number, allow_hyphen_values = true)]
    pub(crate) backlerp: Option<f32>,
    /// .md2: where the model stood at --old-frame
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    pub(crate) old_origin: Option<[f32; 3]>,
    /// .md2: light where the model stands, 1 is normal full
    #[arg(long, value_name = "R,G,B", value_parser = vector, allow_hyphen_values = true)]
    pub(crate) light_color: Option<[f32; 3]>,
    /// .md2: light is 1,1,1
    #[arg(long)]
    pub(crate) fullbright: bool,
    /// .md2: no light below 0.1
    #[arg(long)]
    pub(crate) minlight: bool,
    /// .md2: the light pulses with --time
    #[arg(long)]
    pub(crate) glow: bool,
    /// .md2: translucent
    #[arg(long, value_name = "A", value_parser = number, allow_hyphen_values = true)]
    pub(crate) alpha: Option<f32>,
    /// .md2: a shell around the model: red, green, blue, double, half
    #[arg(long, value_name = "NAMES")]
    pub(crate) shell: Option<Shell>,
    /// .md2: draw the model opaque before its shell or translucency [default: on with --shell]
    #[arg(long, value_name = "on|off")]
    pub(crate) opaque_pass: Option<Switch>,
    /// .md2: mirror a view weapon
    #[arg(long)]
    pub(crate) left_handed: bool,
}

impl ClassicArgs {
    /// The first of these options that was given and that only Quake II's renderer has.
    pub(crate) fn first_of_md2(&self) -> Option<&'static str> {
        let given = [
            ("--old-origin", self.old_origin.is_some()),
            ("--light-color", self.light_color.is_some()),
            ("--fullbright", self.fullbright),
            ("--minlight", self.minlight),
            ("--glow", self.glow),
            ("--alpha", self.alpha.is_some()),
            ("--shell", self.shell.is_some()),
            ("--opaque-pass", self.opaque_pass.is_some()),
            ("--left-handed", self.left_handed),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }

    /// The first option that says a pose as the engines do.
    pub(crate) fn first_of_pose(&self) -> Option<&'static str> {
        let given = [
            ("--engine-frame", self.engine_frame.is_some()),
            ("--sync", self.sync.is_some()),
            ("--old-frame", self.old_frame.is_some()),
            ("--backlerp", self.backlerp.is_some()),
        ];
        given.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }

    /// The first of these options that was given, for a message that another renderer has no use
    /// for it.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("--camera-angles", self.camera_angles.is_some()),
            ("--camera-horizontal-angle", self.camera_horizontal_angle.is_some()),
            ("--model-origin", self.model_origin.is_some()),
            ("--view-weapon", self.view_weapon),
            ("--subdivision", self.subdivision.is_some()),
        ];
        let first = given.into_iter().find_map(|(name, is_given)| is_given.then_some(name));
        first.or_else(|| self.first_of_pose()).or_else(|| self.first_of_md2())
    }
}
