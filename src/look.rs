//! What to draw how: everything that a picture depends on besides model, pose and camera.

use std::sync::Arc;

use crate::image::{Colormap, Palette};
use crate::model::Format;

/// How vertices are lit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lighting {
    /// `clamp(ambient + diffuse * max(0, N.L), 0, 1)`.
    Lambert,
    /// Every texel as it is.
    Unlit,
    /// WinQuake's alias models.
    Quake,
    /// Quake II's software renderer.
    Quake2,
    /// GLQuake's dot table, scaled as QuakeSpasm scales it.
    Gl,
    /// Quake III's `rgbGen lightingDiffuse` without a world.
    Quake3,
}

/// Colours of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ColorMode {
    /// True colour: texel times light.
    #[default]
    Rgb,
    /// Palette indices: light selects a row of the colormap.
    Indexed,
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Draw {
    /// Texture times light.
    #[default]
    Textured,
    /// Neutral grey times light, one light per triangle (flat shading).
    Flat,
    /// Triangle edges.
    Wire,
    /// Normals as colours: 0..255 for -1..1 of x, y, z.
    Normals,
    /// Texture coordinates as colours: red u, green v, fractional parts.
    Uv,
    /// Depth as grey: near white, far black.
    Depth,
}

/// How texels are picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    /// The texel that the point falls into.
    #[default]
    Nearest,
    /// Four texels around the point, weighted.
    Bilinear,
    /// Bilinear in the two nearest mipmaps.
    Trilinear,
}

/// How attributes are interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Perspective {
    /// Divided by w at every pixel.
    #[default]
    Correct,
    /// Linear on the screen, as the old games did.
    Affine,
}

/// Which faces are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Cull {
    /// Counter-clockwise on the screen.
    #[default]
    Back,
    /// Clockwise on the screen.
    Front,
    /// Every face is drawn.
    None,
}

/// How a model is drawn. `Look::default()` is for no format in particular; [`Look::of`] has the
/// defaults of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// True colour or palette indices.
    pub color: ColorMode,
    /// What is shown.
    pub draw: Draw,
    /// The lighting style.
    pub lighting: Lighting,
    /// Direction towards the light in model space, any length above 0 (lambert only).
    pub light: [f32; 3],
    /// 0..=1 (lambert only).
    pub ambient: f32,
    /// 0..=1 (lambert only).
    pub diffuse: f32,
    /// 0..=255 (quake, quake2, gl only).
    pub light_level: f32,
    /// How texels are picked.
    pub filter: Filter,
    /// How attributes are interpolated.
    pub perspective: Perspective,
    /// Samples per axis: 1, 2 or 4.
    pub samples: u32,
    /// Which faces are left out.
    pub cull: Cull,
    /// Texels with alpha below one half are holes.
    pub alpha_test: bool,
    /// The palette of indexed pictures; `None` is the skin's own, else Quake's.
    pub palette: Option<Arc<Palette>>,
    /// The light table of indexed pictures; `None` is generated from the palette.
    pub colormap: Option<Arc<Colormap>>,
    /// Quake player colours: top and bottom, 0..=13.
    pub colors: Option<[u8; 2]>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            color: ColorMode::Rgb,
            draw: Draw::Textured,
            lighting: Lighting::Lambert,
            light: [1.0, 0.6, 1.0],
            ambient: 0.3,
            diffuse: 0.7,
            light_level: 128.0,
            filter: Filter::Nearest,
            perspective: Perspective::Correct,
            samples: 1,
            cull: Cull::Back,
            alpha_test: false,
            palette: None,
            colormap: None,
            colors: None,
        }
    }
}

impl Look {
    /// The look that the format's own engine suggests: its lighting style.
    #[must_use]
    pub fn of(format: Format) -> Self {
        let lighting = match format {
            Format::Mdl => Lighting::Quake,
            Format::Md2 => Lighting::Quake2,
            Format::Md3 | Format::Md5 => Lighting::Quake3,
            Format::Parts => Lighting::Lambert,
        };
        Self { lighting, ..Self::default() }
    }
}
