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
//! let instance = polyset::Instance::new(&model, &pose);
//! polyset::Renderer::new().draw(&polyset::View::new(camera), &[instance], &mut frame)?;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("bolt.png");
//! frame.save_png(&path)?;
//! assert!(polyset::compare(&frame.image(), &polyset::Image::open(&path)?).is_equal());
//! # Ok(())
//! # }
//! ```
//!
//! [`Model`] reads, [`Pose`] is a model at a moment, [`Instance`] puts it into the scene with a [`Look`]
//! and a [`Transform`], [`View`] says from where ([`Camera`]) and in which colours the picture is taken,
//! [`Renderer`] draws it into a [`Framebuffer`], or into a buffer of the application ([`PixelsMut`]).

// Ground.
mod bytes;
mod direction;
mod error;
#[cfg(feature = "text")]
mod font;
mod hash;
mod location;
mod output;
mod pages;
mod temporary;
mod tokens;

// Where bytes come from.
mod files;

// Pictures.
mod image;

// The one shape of a model.
mod model;

// The formats that become it.
mod format;

// What belongs to a model.
mod assets;

// How a model stands in the scene.
mod transform;

// Model and time to points.
mod pose;

// What is seen from where, how.
mod camera;
mod light;
mod look;

// Points to pixels.
mod raster;

// A picture, said completely.
pub mod scene;

// Uses.
#[cfg(feature = "check")]
pub mod check;
mod compare;
pub mod diff;
pub mod explain;
pub mod golden;
#[cfg(feature = "info")]
pub mod info;
pub mod lint;
#[cfg(feature = "motion")]
pub mod motion;
#[cfg(feature = "thumbs")]
pub mod thumbs;
#[cfg(feature = "window")]
mod window;

pub use assets::{
    Origin, PlayerFolder, ScriptEntry, TextureEntry, TextureReport, models_in, pngs_in,
};
pub use camera::Camera;
pub use compare::{
    Allowance, Comparison, Judgement, Metric, Region, Tolerance, Verdict, WorstPixel, compare,
    compare_except,
};
pub use error::{ImageError, LoadError, LoadErrorKind, OpenError, Place, RequestError, Warning};
pub use files::TextureSearch;
pub use format::Md2Geometry;
pub use image::{AlphaKind, Colormap, Image, Palette, Pixels};
pub use location::Location;
pub use look::{
    Alpha, ColorMode, Cull, Draw, Filter, Lighting, Look, Perspective, Samples, ShaderStages,
};
pub use model::{Blend, Clip, Counts, Format, Model, Skin, Surface, SurfaceParts};
pub use output::{WriteError, own_descriptor, target_of, write_file};
pub use pose::Pose;
pub use raster::{
    ClassicFrame, ClassicPath, ClassicRenderer, ClassicScene, ClassicStats, DrawError, Framebuffer,
    Instance, PixelsMut, Renderer, Shell, SimdLevel, StageStats, View,
};
pub use scene::Scene;
pub use scene::assembly::Assembly;
pub use temporary::abandon_writes;
pub use transform::Transform;
#[cfg(feature = "window")]
pub use window::{
    InternalResolution, ListInputs, OnCommand, OnError, OnOpen, Shown, ViewOptions, WindowSystem,
    view,
};
