//! How an instance is drawn, and what colours a picture has.

use crate::model::Format;

/// How vertices are lit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum ColorMode {
    /// True colour: texel times light.
    #[default]
    Rgb,
    /// Palette indices: light selects a row of the colormap.
    Indexed,
}

/// How often the picture is sampled; samples are averaged into pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Samples {
    /// Once a pixel.
    #[default]
    One,
    /// 2 x 2 samples a pixel.
    Two,
    /// 4 x 4 samples a pixel.
    Four,
}

impl Samples {
    /// Samples per axis: 1, 2 or 4.
    #[must_use]
    pub fn per_axis(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
        }
    }
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Draw {
    /// Texture times light.
    #[default]
    Textured,
    /// Neutral grey times light, one light per triangle (flat shading).
    Flat,
    /// Triangle edges.
    Wire,
    /// Normals as colours: 0..255 for -1..1 of x, y, z in the model's own space.
    Normals,
    /// Texture coordinates as colours: red u, green v, fractional parts.
    Uv,
    /// Depth as grey: near white, far black.
    Depth,
}

/// How texels are picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum Perspective {
    /// Divided by w at every pixel.
    #[default]
    Correct,
    /// Linear on the screen, as the old games did.
    Affine,
}

/// Which faces are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Cull {
    /// Counter-clockwise on the screen.
    #[default]
    Back,
    /// Clockwise on the screen.
    Front,
    /// Every face is drawn.
    None,
}

/// What the alpha of a texture means where no shader script or material says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Alpha {
    /// Holes if it looks like a cut-out: alpha is 0 or 255 and nothing else, at least 2 % of the texels
    /// are transparent, and those have one colour. Otherwise nothing.
    #[default]
    Auto,
    /// Nothing.
    Opaque,
    /// Texels with alpha below one half are holes.
    Test,
    /// How much of the texel is seen.
    Blend,
}

/// Which stages of a shader script or material are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ShaderStages {
    /// All, one over the other.
    #[default]
    All,
    /// The first with a picture of its own that is no mirror.
    First,
    /// None: surfaces are drawn as if there were no scripts.
    None,
}

/// How an instance is drawn. `Look::default()` is for no format in particular; [`Look::of`] has the
/// defaults of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// What is shown.
    pub draw: Draw,
    /// The lighting style.
    pub lighting: Lighting,
    /// Direction towards the light in the scene, any length above 0 (lambert only).
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
    /// Which faces are left out.
    pub cull: Cull,
    /// What the alpha of textures means where nothing else says it.
    pub alpha: Alpha,
    /// Which stages of shader scripts and materials are drawn.
    pub stages: ShaderStages,
    /// Quake player colours: top and bottom, 0..=15.
    pub colors: Option<[u8; 2]>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            draw: Draw::Textured,
            lighting: Lighting::Lambert,
            light: [1.0, 0.6, 1.0],
            ambient: 0.3,
            diffuse: 0.7,
            light_level: 128.0,
            filter: Filter::Nearest,
            perspective: Perspective::Correct,
            cull: Cull::Back,
            alpha: Alpha::Auto,
            stages: ShaderStages::All,
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
