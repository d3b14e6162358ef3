//! polyset draws Quake-family models on the CPU: `.mdl`, `.md2`, `.md3`, `.md5mesh` + `.md5anim`.
//!
//! The picture depends on what is drawn alone: it is the same to the last bit on every machine, with
//! every instruction set and any number of threads.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = polyset::Model::open("tests/models/bolt.md2")?;
//! let pose = model.pose(model.clip("run")?, 0.35);
//! let camera = polyset::Camera::framing(&pose).azimuth(30.0);
//! let mut frame = polyset::Framebuffer::new(64, 48)?;
//! let look = polyset::Look::of(model.format());
//! polyset::Renderer::new().draw(&model, &pose, &camera, &look, &mut frame);
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("bolt.png");
//! frame.save_png(&path)?;
//! assert!(polyset::compare(&frame.image(), &polyset::Image::open(&path)?).is_equal());
//! # Ok(())
//! # }
//! ```
//!
//! [`Model`] reads, [`Pose`] is a model at a moment, [`Camera`] and [`Look`] say what is seen and how,
//! [`Renderer`] draws into a [`Framebuffer`].

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
#[cfg(feature = "window")]
mod window;

pub use assets::{
    AssetError, AssetOptions, OpenError, Origin, SkinChoice, TextureEntry, TextureReport,
    find_anims, find_textures, list_skins, skin_count, skin_files,
};
pub use camera::Camera;
pub use compare::{Comparison, compare, three_part_picture};
pub use error::{LoadError, LoadErrorKind, Place, Warning};
pub use format::{LoadOptions, Md2Geometry};
pub use image::{
    BlendTable, Colormap, Image, ImageError, OpenImageError, Palette, Pixels, player_colors,
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
#[cfg(feature = "window")]
pub use window::{
    InternalResolution, LogError, ModelSource, RenderCommand, Start, ViewError, ViewOptions,
    key_list, view,
};
