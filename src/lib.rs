//! polyset draws Quake-family models on the CPU: `.mdl`, `.md2`, `.md3`, `.md5mesh` + `.md5anim`.

// Ground.
mod bytes;
mod error;
mod output;
mod tokens;

// Pictures.
mod image;

// The one shape of a model.
mod model;

// The formats that become it.
mod format;

// Files and the textures they name.
mod assets;

// Model and time to points.
mod pose;

// What is seen from where, how.
mod camera;
mod light;
mod look;

// Points to pixels.
mod raster;

// Uses.
mod compare;

pub use assets::{
    AssetError, AssetOptions, OpenError, Origin, SkinChoice, TextureEntry, TextureReport,
    find_anims, find_textures, list_skins, skin_count, skin_files,
};
pub use camera::Camera;
pub use compare::{Comparison, compare, three_part_picture};
pub use error::{LoadError, LoadErrorKind, Place, Warning};
pub use format::{LoadOptions, Md2Geometry};
pub use image::{
    BlendTable, Colormap, DecodeError, Image, ImageSizeError, LumpSizeError, OpenImageError,
    Palette, Pixels, player_colors,
};
pub use look::{ColorMode, Cull, Draw, Filter, Lighting, Look, Perspective};
pub use model::{
    Blend, Clip, ClipError, Format, JointInfo, Model, PartsError, Skin, Surface, SurfaceParts, Tag,
};
pub use output::{WriteError, write_file};
pub use pose::Pose;
pub use raster::{
    ClassicFrame, ClassicPath, ClassicRenderer, ClassicScene, ClassicStats, Framebuffer,
    FramebufferError, Item, Renderer, Shell, ShellError, SimdError, SimdLevel, StageStats,
};
