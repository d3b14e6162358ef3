//! What was typed: the option groups that commands share, as plain data.
//!
//! The types here know notation and ranges (`values.rs`), never the model; what depends on the
//! model is checked in `plan.rs`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::values::{self, FrameBlend, Resolution, SkinArg, Vector};

/// Size, background and destinations of a picture.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Where the PNG goes; `-` is the standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Width and height in pixels [default: 512]
    #[arg(short, long, value_name = "N", value_parser = values::side, allow_hyphen_values = true)]
    #[arg(conflicts_with = "resolution")]
    pub(crate) size: Option<u32>,

    /// Width and height in pixels, also as WxH
    #[arg(long, value_name = "W,H", value_parser = values::resolution, allow_hyphen_values = true)]
    pub(crate) resolution: Option<Resolution>,

    /// A transparent background (the default)
    #[arg(long, conflicts_with = "background_color")]
    pub(crate) no_background: bool,

    /// The colour behind the model; in indexed pictures the nearest of the palette
    #[arg(long, value_name = "RRGGBB[AA]", value_parser = values::color)]
    #[arg(conflicts_with = "background_index", allow_hyphen_values = true)]
    pub(crate) background_color: Option<[u8; 4]>,

    /// The palette index behind the model in an indexed picture, transparent in the PNG [default: 255]
    #[arg(long, value_name = "I")]
    pub(crate) background_index: Option<u8>,

    /// Print a 64-bit hash of size and pixels, 16 hexadecimal digits
    #[arg(long)]
    pub(crate) hash: bool,

    /// Tell what every stage took in, gave out and how long it took
    #[arg(long)]
    pub(crate) stats: bool,

    /// Write the depth of every pixel, row by row: 32-bit floats, little-endian, 0 near to 1 far;
    /// with --renderer classic the engine's 16-bit integers
    #[arg(long, value_name = "FILE")]
    pub(crate) depth_output: Option<PathBuf>,
}

/// Which moment of which animation.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Pose")]
pub(crate) struct PoseArgs {
    /// One frame, or a blend of frame A towards B by T in 0..1; single poses in file order
    #[arg(long, value_name = "A|A,B,T", value_parser = values::frame, allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["animation", "animation_time"])]
    pub(crate) frame: Option<FrameBlend>,

    /// The animation by name or number [default: the first]
    #[arg(long, value_name = "NAME|INDEX")]
    pub(crate) animation: Option<String>,

    /// The moment of the animation, which repeats
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, allow_hyphen_values = true)]
    pub(crate) animation_time: Option<f32>,

    /// An animation of an .md5mesh; may be given several times
    #[arg(long, value_name = "FILE.md5anim")]
    pub(crate) anim: Vec<PathBuf>,
}

/// Skins, colours, light and how texels become pixels.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Look")]
pub(crate) struct LookArgs {
    /// A skin of the model by number or name, a picture, a .skin file, or a picture for one surface;
    /// may be given several times
    #[arg(long, value_name = "N|NAME|FILE|SURFACE=FILE", allow_negative_numbers = true)]
    #[arg(value_parser = OsStringValueParser::new().map(SkinArg::from))]
    pub(crate) skin: Vec<SkinArg>,

    /// A folder that texture names are relative to; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) texture_root: Vec<PathBuf>,

    /// 256 colours: a 768-byte .lmp or .pal, or a picture with a palette [default: the skin's, else Quake's]
    #[arg(long, value_name = "FILE")]
    pub(crate) palette: Option<PathBuf>,

    /// 64 rows of light for indexed pictures, a .lmp of 16384 bytes [default: made from the palette]
    #[arg(long, value_name = "FILE")]
    pub(crate) colormap: Option<PathBuf>,

    /// Quake player colours, 0 to 13 each
    #[arg(long, value_name = "TOP,BOTTOM", value_parser = values::player_colors)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) colors: Option<[u8; 2]>,

    /// True colour or palette indices [default: rgb; with --renderer classic: indexed]
    #[arg(long, value_name = "MODE", value_enum)]
    pub(crate) color: Option<ColorArg>,

    /// The lighting style [default: quake for .mdl, quake2 for .md2, quake3 for .md3 and .md5mesh]
    #[arg(long, value_name = "STYLE", value_enum)]
    pub(crate) lighting: Option<LightingArg>,

    /// Direction towards the light in the model's space (lambert) [default: 1,0.6,1]
    #[arg(long, value_name = "X,Y,Z", value_parser = values::direction, allow_hyphen_values = true)]
    pub(crate) light: Option<Vector>,

    /// Light from everywhere, 0 to 1 (lambert) [default: 0.3]
    #[arg(long, value_name = "A", value_parser = values::share, allow_hyphen_values = true)]
    pub(crate) ambient: Option<f32>,

    /// Light from the light's direction, 0 to 1 (lambert) [default: 0.7]
    #[arg(long, value_name = "D", value_parser = values::share, allow_hyphen_values = true)]
    pub(crate) diffuse: Option<f32>,

    /// The light of the place, 0 to 255 (quake, quake2, gl) [default: 128]
    #[arg(long, value_name = "L", value_parser = values::light_level, allow_hyphen_values = true)]
    pub(crate) light_level: Option<f32>,

    /// How texels are picked
    #[arg(long, value_name = "FILTER", value_enum, default_value_t)]
    pub(crate) filter: FilterArg,

    /// How texture coordinates run across a triangle
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub(crate) perspective: PerspectiveArg,

    /// Samples per axis and pixel
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub(crate) anti_aliasing: AntiAliasingArg,

    /// Which faces are left out
    #[arg(long, value_name = "FACES", value_enum, default_value_t)]
    pub(crate) cull: CullArg,

    /// What is shown
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) draw: DrawArg,
}

/// Where the picture is taken from. Without a position the model is framed.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Camera")]
pub(crate) struct CameraArgs {
    /// The eye, in the model's space [default: far enough to see all of the model]
    #[arg(long, value_name = "X,Y,Z", value_parser = values::vector, allow_hyphen_values = true)]
    pub(crate) camera_position: Option<Vector>,

    /// What the eye looks at [default: the middle of the model]
    #[arg(long, value_name = "X,Y,Z", value_parser = values::vector, allow_hyphen_values = true)]
    pub(crate) camera_focal_point: Option<Vector>,

    /// Which direction is up [default: 0,0,1]
    #[arg(long, value_name = "X,Y,Z", value_parser = values::direction, allow_hyphen_values = true)]
    pub(crate) camera_view_up: Option<Vector>,

    /// The full vertical angle in degrees [default: 30]
    #[arg(long, value_name = "DEG", value_parser = values::view_angle, allow_hyphen_values = true)]
    pub(crate) camera_view_angle: Option<f32>,

    /// Distance of the near plane [default: just in front of the model]
    #[arg(long, value_name = "N", value_parser = values::positive, allow_hyphen_values = true)]
    pub(crate) camera_near: Option<f32>,

    /// Distance of the far plane [default: just behind the model]
    #[arg(long, value_name = "F", value_parser = values::positive, allow_hyphen_values = true)]
    pub(crate) camera_far: Option<f32>,

    /// Degrees from the model's front towards its left [default: 30; with a position: 0, a turn]
    #[arg(long, value_name = "DEG", value_parser = values::number, allow_hyphen_values = true)]
    pub(crate) camera_azimuth_angle: Option<f32>,

    /// Degrees above the horizon [default: 15; with a position: 0, a turn]
    #[arg(long, value_name = "DEG", value_parser = values::number, allow_hyphen_values = true)]
    pub(crate) camera_elevation_angle: Option<f32>,

    /// Makes the picture K times larger about its middle [default: 1]
    #[arg(long, value_name = "K", value_parser = values::positive, allow_hyphen_values = true)]
    pub(crate) camera_zoom_factor: Option<f32>,

    /// Parallel projection
    #[arg(long)]
    pub(crate) camera_orthographic: bool,
}

/// Which triangles and texels of the file are drawn.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Geometry")]
pub(crate) struct GeometryArgs {
    /// Which of the two meshes of an .md2 is drawn
    #[arg(long, value_name = "MESH", value_enum, default_value_t)]
    pub(crate) md2_geometry: Md2GeometryArg,

    /// Texels with an alpha below one half are holes
    #[arg(long)]
    pub(crate) alpha_test: bool,
}

/// How the work is done; nothing here changes a bit of the picture.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// Threads to draw with [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    #[arg(allow_hyphen_values = true)]
    pub(crate) threads: Option<u16>,

    /// The instruction set to draw with
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t)]
    pub(crate) simd: SimdArg,
}

/// A model: a file, or `-` for the standard input.
#[derive(Args, Clone, Debug)]
pub(crate) struct InputArgs {
    /// The model: .mdl, .md2, .md3 or .md5mesh, told by its content; `-` is the standard input
    #[arg(value_name = "INPUT")]
    pub(crate) input: OsString,
}

macro_rules! choices {
    ($(#[$doc:meta])* $name:ident => $target:ty { $($(#[$attribute:meta])* $variant:ident => $value:expr,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $($(#[$attribute])* $variant,)+ }

        impl From<$name> for $target {
            fn from(choice: $name) -> Self {
                match choice { $($name::$variant => $value,)+ }
            }
        }
    };
}

choices! {
    /// `--color`
    ColorArg => polyset::ColorMode {
        #[default]
        Rgb => Self::Rgb,
        Indexed => Self::Indexed,
    }
}

choices! {
    /// `--lighting`
    LightingArg => polyset::Lighting {
        /// Ambient and one light
        #[default]
        Lambert => Self::Lambert,
        /// The texture as it is
        Unlit => Self::Unlit,
        /// Quake's software renderer
        Quake => Self::Quake,
        /// Quake II's software renderer
        Quake2 => Self::Quake2,
        /// GLQuake
        Gl => Self::Gl,
        /// Quake III without a world
        Quake3 => Self::Quake3,
    }
}

choices! {
    /// `--filter`
    FilterArg => polyset::Filter {
        #[default]
        Nearest => Self::Nearest,
        Bilinear => Self::Bilinear,
        Trilinear => Self::Trilinear,
    }
}

choices! {
    /// `--perspective`
    PerspectiveArg => polyset::Perspective {
        #[default]
        Correct => Self::Correct,
        Affine => Self::Affine,
    }
}

choices! {
    /// `--anti-aliasing`: samples per axis.
    AntiAliasingArg => polyset::Samples {
        #[default]
        None => Self::One,
        Ssaa2 => Self::Two,
        Ssaa4 => Self::Four,
    }
}

choices! {
    /// `--cull`
    CullArg => polyset::Cull {
        #[default]
        Back => Self::Back,
        Front => Self::Front,
        None => Self::None,
    }
}

choices! {
    /// `--draw`
    DrawArg => polyset::Draw {
        #[default]
        Textured => Self::Textured,
        /// Grey, one light per triangle
        Flat => Self::Flat,
        /// Edges of the triangles
        Wire => Self::Wire,
        /// Normals as colours
        Normals => Self::Normals,
        /// Texture coordinates as colours
        Uv => Self::Uv,
        /// White near, black far
        Depth => Self::Depth,
    }
}

choices! {
    /// `--simd`
    SimdArg => polyset::SimdLevel {
        /// The best that this machine has
        #[default]
        Auto => Self::Auto,
        /// The plain code that judges all others
        Scalar => Self::Scalar,
        /// The SIMD library's emulation
        Fallback => Self::Fallback,
        Sse2 => Self::Sse2,
        #[value(name = "sse4.2")]
        Sse42 => Self::Sse42,
        Avx2 => Self::Avx2,
        Avx512 => Self::Avx512,
        Neon => Self::Neon,
    }
}

choices! {
    /// `--md2-geometry`
    Md2GeometryArg => polyset::Md2Geometry {
        /// The triangle list
        #[default]
        Triangles => Self::Triangles,
        /// The strips and fans of the OpenGL renderers, with their own texture coordinates
        Glcmds => Self::Glcmds,
    }
}

/// `--renderer`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RendererArg {
    /// Sub-pixel exact, perspective-correct
    #[default]
    Precise,
    /// The original software renderers, to the integer
    Classic,
}
