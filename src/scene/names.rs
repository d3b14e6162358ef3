//! The names of values that are a choice of few, with a line of help for each.

use super::notation::Named;
use super::{FrameOn, RendererKind};
use crate::files::TextureSearch;
use crate::format::Md2Geometry;
use crate::look::{
    Alpha, ColorMode, Cull, Draw, Filter, Lighting, Perspective, Samples, ShaderStages,
};

/// `on` or `off`.
impl Named for bool {
    const NAMES: &'static [(Self, &'static str, &'static str)] =
        &[(true, "on", ""), (false, "off", "")];
}

impl Named for TextureSearch {
    const NAMES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Game, "game", "the model's folder, those beside it, and its game up to the root"),
        (Self::Folder, "folder", "the model's folder and those beside it"),
        (Self::None, "none", "nowhere but where is said"),
    ];
}

impl Named for ColorMode {
    const NAMES: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Rgb, "rgb", ""), (Self::Indexed, "indexed", "")];
}

impl Named for Lighting {
    const NAMES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Lambert, "lambert", "ambient and one light"),
        (Self::Unlit, "unlit", "the texture as it is"),
        (Self::Quake, "quake", "Quake's software renderer"),
        (Self::Quake2, "quake2", "Quake II's software renderer"),
        (Self::Gl, "gl", "GLQuake"),
        (Self::Quake3, "quake3", "Quake III without a world"),
    ];
}

impl Named for Filter {
    const NAMES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Nearest, "nearest", ""),
        (Self::Bilinear, "bilinear", ""),
        (Self::Trilinear, "trilinear", ""),
    ];
}

impl Named for Perspective {
    const NAMES: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Correct, "correct", ""), (Self::Affine, "affine", "")];
}

impl Named for Samples {
    const NAMES: &'static [(Self, &'static str, &'static str)] =
        &[(Self::One, "none", ""), (Self::Two, "ssaa2", "2 x 2"), (Self::Four, "ssaa4", "4 x 4")];
}

impl Named for Cull {
    const NAMES: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Back, "back", ""), (Self::Front, "front", ""), (Self::None, "none", "")];
}

impl Named for Draw {
    const NAMES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Textured, "textured", ""),
        (Self::Flat, "flat", "grey, one light per triangle"),
        (Self::Wire, "wire", "edges of the triangles"),
        (Self::Normals, "normals", "normals as colours"),
        (Self::Uv, "uv", "texture coordinates as colours"),
        (Self::Depth, "depth", "white near, black far"),
    ];
}

impl Named for FrameOn {
    const NAMES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Pose, "pose", "the pose of the picture"),
        (Self::Clip, "clip", "every pose of its clip"),
        (Self::Model, "model", "every pose of the model"),
    ];
}

impl Named for RendererKind {
    const NAMES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Precise, "precise", "sub-pixel exact, perspective-correct"),
        (Self::Classic, "classic", "the original software renderers, to the integer"),
    ];
}

impl Named for Md2Geometry {
    const NAMES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Triangles, "triangles", "the triangle list"),
        (
            Self::Glcmds,
            "glcmds",
            "the strips and fans of the OpenGL renderers, with their own texture coordinates",
        ),
    ];
}

impl Named for Alpha {
    const NAMES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Auto, "auto", "holes where the picture looks like a cut-out, else opaque"),
        (Self::Opaque, "opaque", "nothing"),
        (Self::Test, "test", "holes below one half"),
        (Self::Blend, "blend", "how much of the texel is seen"),
    ];
}

impl Named for ShaderStages {
    const NAMES: &'static [(Self, &'static str, &'static str)] = &[
        (Self::All, "all", "one over the other"),
        (Self::First, "first", "the first with a picture that is no mirror, alone"),
        (Self::None, "none", "no scripts are read"),
    ];
}
