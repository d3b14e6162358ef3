//! A picture, said completely: [`Scene`].
//!
//! Every way to ask for a picture fills one in: the command line, the window, a program that uses the
//! library. [`options`] is the one table of what can be said; [`Scene::command`] prints a scene as
//! the `polyset render` command that draws it; [`Scene::open`] reads what it names, and [`Studio`]
//! draws it.

mod alpha;
pub(crate) mod assembly;
pub(crate) mod attach_notation;
mod attachments;
mod background;
mod camera;
mod clips;
pub(crate) mod command;
mod draw;
mod engine;
pub(crate) mod framing;
mod input;
mod made_of;
mod moment;
mod names;
pub(crate) mod notation;
mod open;
pub mod options;
mod palette;
mod parts;
#[cfg(feature = "check")]
mod rebase;
mod thumbnail;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

pub use alpha::{Decision, SurfaceDecision};
pub use background::Background;
pub use clips::DrivenClip;
pub use draw::{Drawing, Drawn, Studio};
pub use framing::FrameOn;
pub use input::Models;
pub use open::{AnimFile, Anims, Opened};
pub use parts::Part;

pub use crate::files::Files;
use crate::files::TextureSearch;
use crate::format::Md2Geometry;
use crate::location::Location;
use crate::look::{
    Alpha, ColorMode, Cull, Draw, Filter, Lighting, Perspective, Samples, ShaderStages,
};
use crate::raster::Shell;

/// One picture of one model. What is `None` was not said: it follows from the model, as the
/// documentation of the option tells.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use polyset::{Renderer, Scene, scene::Studio};
///
/// let mut scene = Scene::new("tests/models/bolt.md2");
/// scene.set("size", "64")?;
/// scene.set("animation", "run")?;
/// assert_eq!(
///     scene.command_line(),
///     "polyset render tests/models/bolt.md2 bolt.png --size 64 --animation run"
/// );
/// let mut opened = scene.open()?;
/// let drawing = Studio::new(Renderer::new()).draw(&scene, &mut opened)?;
/// assert_eq!((drawing.image.width(), drawing.image.height()), (64, 64));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// What is drawn, and the files that belong to it.
    pub source: Source,
    /// Which moment of which animation.
    pub moment: Moment,
    /// How surfaces become pixels.
    pub look: SceneLook,
    /// The light.
    pub light: SceneLight,
    /// Where the picture is taken from.
    pub camera: SceneCamera,
    /// Where the model stands and how it is turned.
    pub placement: ModelPlacement,
    /// Width and height in pixels; 512 x 512 unless said.
    pub size: Option<[u32; 2]>,
    /// What lies behind the model; nothing unless said.
    pub background: Option<Background>,
    /// Which of the two renderers draws.
    pub renderer: RendererKind,
    /// What only the original engines have a word for (classic renderer).
    pub engine: EngineTerms,
}

/// Where a model's bytes come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Input {
    /// The standard input.
    #[default]
    Stdin,
    /// A file, a member of an archive, or a name in the game.
    File(Location),
}

/// What is drawn, and the files that belong to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The model.
    pub input: Input,
    /// Animations of an `.md5mesh`.
    pub anims: Vec<Location>,
    /// Models that hang on tags of the model, of a player's parts, or of each other.
    pub attachments: Vec<OnTag<Location>>,
    /// Skins of what hangs on tags, as [`Skin`] says.
    pub attached_skins: Vec<OnTag<Skin>>,
    /// A weapon's folder or model, which hangs on `tag_weapon` with its barrel and flash; of a Quake II
    /// player a model in the frames of the body.
    pub weapon: Option<Location>,
    /// Skins, in the order in which they were said: the last one for all surfaces counts, and those
    /// for single surfaces win over it.
    pub skins: Vec<Skin>,
    /// Folders and archives in which texture names are looked up first, in this order.
    pub texture_roots: Vec<Location>,
    /// The folder of a game: names are looked up in it as its engine does.
    pub game: Option<PathBuf>,
    /// A modification of the game: a folder in it whose files win.
    pub modification: Option<String>,
    /// Files in the folders of the game win over its archives.
    pub loose_first: bool,
    /// How far around the model its textures are looked for.
    pub texture_search: TextureSearch,
    /// Mebibytes that all textures of the model may take together; 256 unless said.
    pub max_memory: Option<u32>,
    /// 256 colours: a lump of 768 bytes, or a PCX, PNG, BMP or TGA picture with a palette.
    pub palette: Option<Location>,
    /// 64 rows of light for indexed pictures: a lump of 16384 bytes.
    pub colormap: Option<Location>,
    /// Which of the two meshes of an `.md2` is drawn.
    pub md2_geometry: Md2Geometry,
}

/// Something that is said of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnTag<T> {
    /// The tag, in either case; behind a slash one of what hangs there: `tag_weapon/tag_flash`. A joint
    /// of an MD5 is a tag, and `.` the place of the model itself.
    pub tag: String,
    /// What is said of it.
    pub value: T,
}

/// A skin, as it is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skin {
    /// A skin of the model, counted from 0. The engines take one that does not exist as 0 (classic
    /// renderer); else it is an error.
    Number(i32),
    /// A picture for all surfaces, a `.skin` file, or the name of a skin: `red` is `head_red.skin`
    /// beside `head.md3` and `red.pcx` beside `tris.md2`.
    File(Location),
    /// A picture for the surface of this name. If there is no such surface but a file that is called
    /// `SURFACE=FILE` as a whole, that file is meant.
    Surface {
        /// The surface, case aside.
        surface: OsString,
        /// Its picture.
        file: Location,
    },
}

/// Two frames and how far to go from the first to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frames {
    /// In file order, counted from 0; members of groups one by one.
    pub from: usize,
    /// Like `from`.
    pub to: usize,
    /// 0..=1.
    pub t: f32,
}

/// Which moment of which animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Exactly these frames: of the animation if one is chosen, else of the file.
    pub frames: Option<Frames>,
    /// An animation by name or number; the first unless said.
    pub animation: Option<String>,
    /// The animation of a player's legs.
    pub legs: Option<String>,
    /// The animation of a player's torso.
    pub torso: Option<String>,
    /// Frames of what hangs on tags.
    pub attached_frames: Vec<OnTag<Frames>>,
    /// Animations of what hangs on tags.
    pub attached_clips: Vec<OnTag<String>>,
    /// The root of a skeleton stays where the animation begins, but for its height.
    pub in_place: bool,
    /// Seconds from the animation's beginning; it repeats.
    pub seconds: Option<f32>,
    /// Whether there are poses between frames; if not, the frame that has begun last is shown alone.
    pub interpolation: Option<bool>,
    /// Seconds on the game's clock: choose the picture of an animated skin; in the engines' terms also
    /// the pose of a group.
    pub clock: Option<f64>,
}

/// How surfaces become pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneLook {
    /// True colour or palette indices; `rgb` unless said, `indexed` with the classic renderer.
    pub color: Option<ColorMode>,
    /// What is shown.
    pub draw: Draw,
    /// How texels are picked.
    pub filter: Filter,
    /// How texture coordinates run across a triangle.
    pub perspective: Perspective,
    /// Samples per axis and pixel.
    pub samples: Samples,
    /// Which faces are left out.
    pub cull: Cull,
    /// What the alpha of a texture means where no shader script or material says it.
    pub alpha: Alpha,
    /// Which stages of shader scripts and materials are drawn.
    pub stages: ShaderStages,
    /// Quake player colours, top and bottom: 0..=15.
    pub colors: Option<[u8; 2]>,
}

/// The light.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneLight {
    /// The style; that of the format's own engine unless said.
    pub style: Option<Lighting>,
    /// Direction towards the light (lambert).
    pub direction: Option<[f32; 3]>,
    /// Light from everywhere, 0..=1 (lambert).
    pub ambient: Option<f32>,
    /// Light from the light's direction, 0..=1 (lambert).
    pub diffuse: Option<f32>,
    /// The light of the place, 0..=255 (quake, quake2, gl, and the classic renderer).
    pub level: Option<f32>,
}

/// Where the picture is taken from. Without a position the model is framed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneCamera {
    /// The eye.
    pub position: Option<[f32; 3]>,
    /// What the eye looks at; the middle of the model unless said.
    pub focal_point: Option<[f32; 3]>,
    /// Which direction is up; +Z unless said.
    pub view_up: Option<[f32; 3]>,
    /// The full vertical angle in degrees; 30 unless said.
    pub view_angle: Option<f32>,
    /// Distance of the near plane; just in front of the model unless said.
    pub near: Option<f32>,
    /// Distance of the far plane; just behind the model unless said.
    pub far: Option<f32>,
    /// Degrees from the model's front towards its left; 30 unless said, 0 with a position.
    pub azimuth: Option<f32>,
    /// Degrees above the horizon; 15 unless said, 0 with a position.
    pub elevation: Option<f32>,
    /// Makes the picture so many times larger about its middle.
    pub zoom: Option<f32>,
    /// How many times higher than wide pixels are shown; 1 unless said.
    pub pixel_aspect: Option<f32>,
    /// Parallel projection.
    pub orthographic: bool,
    /// What a camera without a position shows the whole of: the pose unless said.
    pub frame_on: Option<FrameOn>,
}

/// Where the model stands and how it is turned, under a camera and a light that stay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelPlacement {
    /// Position of the model's origin.
    pub origin: Option<[f32; 3]>,
    /// Pitch, yaw, roll in degrees. Positive pitch lowers the nose; Quake negates the pitch of an
    /// `.mdl`, whose nose it lifts.
    pub angles: Option<[f32; 3]>,
    /// Pitch and yaw in degrees of a player's torso, about the tag that it hangs on.
    pub torso_angles: Option<[f32; 2]>,
    /// Pitch and yaw in degrees of a player's head, about the tag that it hangs on.
    pub head_angles: Option<[f32; 2]>,
}

/// Which of the two renderers draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RendererKind {
    /// Sub-pixel exact, perspective-correct.
    #[default]
    Precise,
    /// The original software renderers, to the integer.
    Classic,
}

/// What only the original engines have a word for: see [`crate::ClassicScene`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineTerms {
    /// Where the camera looks: pitch, yaw, roll in degrees.
    pub camera_angles: Option<[f32; 3]>,
    /// Full horizontal view angle in degrees.
    pub horizontal_angle: Option<f32>,
    /// Frame as the engine counts: a group is one.
    pub frame: Option<i32>,
    /// The frame that the model comes from.
    pub old_frame: Option<i32>,
    /// Share of `old_frame` in the blend.
    pub backlerp: Option<f32>,
    /// Seconds added to the clock for groups.
    pub sync: Option<f32>,
    /// The model is the weapon in the player's hand.
    pub view_weapon: bool,
    /// Far models are drawn by halving triangles to points.
    pub subdivision: Option<bool>,
    /// Where the model stood at `old_frame`.
    pub old_origin: Option<[f32; 3]>,
    /// Light where the model stands: red, green, blue.
    pub light_color: Option<[f32; 3]>,
    /// Light is 1, 1, 1.
    pub fullbright: bool,
    /// No light below 0.1.
    pub minlight: bool,
    /// The light pulses with the clock.
    pub glow: bool,
    /// Translucent.
    pub alpha: Option<f32>,
    /// A shell around the model.
    pub shell: Option<Shell>,
    /// Draw the model opaque before its shell or translucency.
    pub opaque_pass: Option<bool>,
    /// Mirror a view weapon.
    pub left_handed: bool,
}

/// What the standard input is called in messages.
const STANDARD_INPUT: &str = "standard input";

/// Sides of a picture whose size was not said.
const DEFAULT_SIDE: u32 = 512;

impl From<&OsStr> for Input {
    /// `-` is the standard input.
    fn from(text: &OsStr) -> Self {
        if text == "-" { Self::Stdin } else { Self::File(text.into()) }
    }
}

impl Input {
    /// The file; `None` for the standard input.
    #[must_use]
    pub fn file(&self) -> Option<&Location> {
        match self {
            Self::Stdin => None,
            Self::File(file) => Some(file),
        }
    }

    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> String {
        self.file().map_or_else(|| STANDARD_INPUT.to_owned(), ToString::to_string)
    }
}

impl Scene {
    /// The picture of a model that `polyset render` draws without options; `-` is the standard input.
    #[must_use]
    pub fn new(input: impl AsRef<OsStr>) -> Self {
        let source = Source { input: Input::from(input.as_ref()), ..Source::default() };
        Self { source, ..Self::default() }
    }

    /// Width and height of the picture in pixels.
    #[must_use]
    pub fn picture_size(&self) -> [u32; 2] {
        self.size.unwrap_or([DEFAULT_SIDE; 2])
    }

    /// True colour or palette indices.
    #[must_use]
    pub fn color_mode(&self) -> ColorMode {
        self.look.color.unwrap_or(match self.renderer {
            RendererKind::Precise => ColorMode::Rgb,
            RendererKind::Classic => ColorMode::Indexed,
        })
    }
}
