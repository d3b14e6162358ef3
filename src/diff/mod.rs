//! What changed between two models.
//!
//! Parts are paired first (`pair`): surfaces, clips, tags and joints by name, frames by name or by what
//! they hold, vertices by what stays the same of them (`vertices`). What has no partner was added or
//! removed; of the others is told what differs and by how much at most.

mod description;
mod drawing;
mod frames;
mod pair;
mod skeleton;
mod surfaces;
mod textures;
mod vertices;

pub use description::describe;
pub use drawing::picture;

use crate::model::{Counts, Model};
use crate::pose::Pose;

/// How much may differ without being told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tolerance {
    /// Distances of vertices, tags and joints, in model units.
    pub distance: f32,
    /// Angles between normals, and between axes of tags and joints, in degrees.
    pub angle: f32,
    /// Levels of a channel of a texel.
    pub levels: u8,
}

/// What happened to a part of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Change {
    /// Only the new model has it.
    Added,
    /// Only the old model has it.
    Removed,
    /// Both have it under other names; it may differ in more.
    Renamed,
    /// Both have it, and it differs.
    Changed,
}

/// Everything that differs between two models; what does not is left out.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct ModelDiff {
    /// The extensions of the formats: "mdl", "md2", "md3", "md5mesh".
    pub formats: [&'static str; 2],
    /// How many of each kind of part, old and new, also if they are equal.
    pub counts: [Counts; 2],
    /// Minimum and maximum of the box around all vertices of all frames (of an MD5 the bind pose), old
    /// and new, also if they are equal.
    pub bounds: [[[f32; 3]; 2]; 2],
    /// Fields of the header that no other part stands for: flags, the name inside the file, ...
    pub header: Vec<FieldDiff>,
    /// Surfaces.
    pub surfaces: Vec<SurfaceDiff>,
    /// Frames; of an MD5 the bind pose.
    pub frames: Vec<FrameDiff>,
    /// Clips; of an MD5 with what the joints do in them.
    pub clips: Vec<ClipDiff>,
    /// Skins of the model.
    pub skins: Vec<SkinDiff>,
    /// Pictures in files of their own, if both models have found theirs.
    pub textures: Vec<TextureDiff>,
    /// Tags.
    pub tags: Vec<TagDiff>,
    /// Joints in the bind pose.
    pub joints: Vec<JointDiff>,
}

/// A field of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct FieldDiff {
    /// What it is called.
    pub field: &'static str,
    /// Old and new; `None` where the format has no such field.
    pub values: [Option<String>; 2],
}

/// How a surface differs. Counts of vertices and triangles are old and new.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct SurfaceDiff {
    /// What happened to it.
    pub change: Change,
    /// Old and new name; `None` where there is no such surface.
    pub names: [Option<String>; 2],
    /// The textures or materials that the file names.
    pub shaders: [Vec<String>; 2],
    /// Number of vertices.
    pub vertices: [usize; 2],
    /// Number of triangles.
    pub triangles: [usize; 2],
    /// Vertices without a partner in the old surface.
    pub vertices_added: usize,
    /// Vertices without a partner in the new surface.
    pub vertices_removed: usize,
    /// Vertices that have another number.
    pub vertices_renumbered: usize,
    /// Triangles that the old surface does not have.
    pub triangles_added: usize,
    /// Triangles that the new surface does not have.
    pub triangles_removed: usize,
    /// Triangles whose front is where their back was.
    pub triangles_flipped: usize,
    /// Texture coordinates that differ.
    pub texcoords: Option<Displacement>,
    /// Vertices of an MD5 whose weights differ.
    pub weights: Option<WeightDiff>,
}

/// Points that moved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Displacement {
    /// Points that were compared: those with a partner.
    pub compared: usize,
    /// How many of them moved.
    pub moved: usize,
    /// The largest distance: model units, of texture coordinates parts of the texture.
    pub largest: f64,
    /// The mean distance of all that were compared.
    pub mean: f64,
    /// The new model's surface with the largest distance.
    pub surface: usize,
    /// The vertex of the new surface with the largest distance.
    pub vertex: usize,
}

/// Weights that differ.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct WeightDiff {
    /// Vertices of which a weight differs in joint, bias or position.
    pub vertices: usize,
    /// The largest difference of a bias.
    pub largest_bias: f64,
    /// The vertex of the new surface that has it.
    pub vertex: usize,
}

/// Normals that turned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct Turn {
    /// How many.
    pub turned: usize,
    /// The largest angle in degrees.
    pub largest: f64,
}

/// How a frame differs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct FrameDiff {
    /// What happened to it.
    pub change: Change,
    /// Old and new name; `None` where there is no such frame.
    pub names: [Option<String>; 2],
    /// Old and new number.
    pub numbers: [Option<usize>; 2],
    /// Vertices that moved.
    pub vertices: Option<Displacement>,
    /// Normals that turned; those of an MD5 are not in the file.
    pub normals: Option<Turn>,
}

/// How a clip differs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct ClipDiff {
    /// What happened to it.
    pub change: Change,
    /// Its name.
    pub name: String,
    /// Old and new number of frames.
    pub frames: [Option<usize>; 2],
    /// Old and new first frame.
    pub first_frame: [Option<usize>; 2],
    /// Old and new duration in seconds.
    pub seconds: [Option<f32>; 2],
    /// The joint of an MD5 that moves most differently.
    pub joint: Option<JointMotion>,
}

/// A joint that an animation moves differently.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct JointMotion {
    /// Its name.
    pub joint: String,
    /// The frame of the clip where it differs most.
    pub frame: usize,
    /// By how far there, in model units.
    pub distance: f64,
    /// The largest angle of any joint in any frame, in degrees.
    pub largest_angle: f64,
    /// Frames in which some joint differs.
    pub frames: usize,
}

/// How a skin of the model differs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct SkinDiff {
    /// What happened to it.
    pub change: Change,
    /// Its number.
    pub skin: usize,
    /// Old and new name; empty for a picture inside the file, `None` where there is no such skin.
    pub names: [Option<String>; 2],
    /// Old and new number of pictures inside the file.
    pub pictures: [usize; 2],
    /// Whether the times of a group differ.
    pub times: bool,
    /// The texels of each picture that differs.
    pub texels: Vec<TexelDiff>,
}

/// How a texture in a file of its own differs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct TextureDiff {
    /// The name that the new model has for it.
    pub name: String,
    /// The files that were found for it.
    pub files: [String; 2],
    /// How its texels differ.
    pub texels: TexelDiff,
}

/// How two pictures differ.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct TexelDiff {
    /// Number of the picture in its group.
    pub picture: usize,
    /// Old and new width and height. Texels of other sizes are not compared.
    pub sizes: [[u32; 2]; 2],
    /// Texels that were compared.
    pub compared: u64,
    /// How many of them differ.
    pub differing: u64,
    /// The largest difference of a channel, 0 to 255.
    pub worst: u8,
    /// Column and row of the texel that has it.
    pub at: Option<[u32; 2]>,
    /// Its colours, old and new: red, green, blue, alpha.
    pub colors: Option<[[u8; 4]; 2]>,
}

/// How a tag differs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct TagDiff {
    /// What happened to it.
    pub change: Change,
    /// Its name.
    pub name: String,
    /// Frames in which it stands elsewhere or is turned.
    pub frames: usize,
    /// The largest distance of its origin, in model units.
    pub distance: f64,
    /// The new model's frame with the largest distance.
    pub distance_frame: usize,
    /// The largest angle of an axis, in degrees.
    pub angle: f64,
    /// The new model's frame with the largest angle.
    pub angle_frame: usize,
}

/// How a joint differs in the bind pose.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize))]
pub struct JointDiff {
    /// What happened to it.
    pub change: Change,
    /// Its name.
    pub name: String,
    /// Old and new joint that moves it; `None` for a root, or where there is no such joint.
    pub parents: [Option<String>; 2],
    /// How far it moved, in model units.
    pub distance: f64,
    /// How far it turned, in degrees.
    pub angle: f64,
}

impl ModelDiff {
    /// What changed from one model to another. Textures in files of their own are left out:
    /// [`ModelDiff::add_textures`] compares those.
    #[must_use]
    pub fn between(old: &Model, new: &Model, tolerance: &Tolerance) -> Self {
        let surfaces = surfaces::Surfaces::pair(old, new);
        let moments = frames::Moments::pair(old, new, &surfaces);
        let vertices = surfaces.vertices(&moments.first());
        Self {
            formats: [old, new].map(|model| model.format().extension()),
            counts: [old, new].map(Model::counts),
            bounds: [moments.old_bounds, moments.new_bounds],
            header: header(old, new),
            surfaces: surfaces.diff(&vertices),
            frames: moments.diff(&surfaces, &vertices, tolerance),
            clips: skeleton::clips(old, new, tolerance),
            skins: textures::skins(old, new, tolerance),
            textures: Vec::new(),
            tags: moments.tags(tolerance),
            joints: skeleton::joints(old, new, tolerance),
        }
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.formats[0] == self.formats[1]
            && self.header.is_empty()
            && self.surfaces.is_empty()
            && self.frames.is_empty()
            && self.clips.is_empty()
            && self.skins.is_empty()
            && self.textures.is_empty()
            && self.tags.is_empty()
            && self.joints.is_empty()
    }
}

/// Of other formats the name alone means the same.
fn header(old: &Model, new: &Model) -> Vec<FieldDiff> {
    let is_same_format = old.format() == new.format();
    let fields = |model: &Model| {
        let name = (!model.name().is_empty()).then(|| ("name", model.name().to_owned()));
        let others = if is_same_format { model.header_fields() } else { Vec::new() };
        name.into_iter().chain(others).collect::<Vec<_>>()
    };
    let [old, new] = [fields(old), fields(new)];
    let value = |fields: &[(&str, String)], field: &str| {
        fields.iter().find(|(name, _)| *name == field).map(|(_, value)| value.clone())
    };
    let mut names: Vec<&'static str> = old.iter().chain(&new).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    let diff = |field| FieldDiff { field, values: [value(&old, field), value(&new, field)] };
    names.into_iter().map(diff).filter(|field| field.values[0] != field.values[1]).collect()
}

/// Length of the difference of two points. In f64, where no finite f32 overflows.
fn distance<const N: usize>(a: [f32; N], b: [f32; N]) -> f64 {
    let apart = a.iter().zip(b).map(|(a, b)| f64::from(*a) - f64::from(b));
    apart.map(|x| x * x).sum::<f64>().sqrt()
}

/// The angle between two directions in degrees; 0 if one is none. By the arc tangent, which is exact for
/// small angles too.
fn angle(a: [f32; 3], b: [f32; 3]) -> f64 {
    let [a, b] = [a, b].map(|v| v.map(f64::from));
    let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let length = cross.iter().map(|x| x * x).sum::<f64>().sqrt();
    libm::atan2(length, dot).to_degrees()
}

/// The largest angle between rows of axes.
fn axes_angle(a: [[f32; 3]; 3], b: [[f32; 3]; 3]) -> f64 {
    a.into_iter().zip(b).map(|(a, b)| angle(a, b)).fold(0.0, f64::max)
}

/// All vertices of a surface.
fn points(pose: &Pose, surface: usize) -> Vec<[f32; 3]> {
    pose.positions(surface).collect()
}
