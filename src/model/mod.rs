//! The one shape that all formats become.
//!
//! A [`Model`] has surfaces (texture coordinates, triangles, texture names), positions in one of
//! four packed forms ([`Geometry`]), clips over its frames, tags and skins. Keyframes stay packed as
//! the file has them; posing decodes only the frames that it blends.
//!
//! A surface's *vertex* is a corner with its texture coordinate: where a format shares positions
//! between different texture coordinates (MDL's seam, MD2's separate table) the vertex is
//! duplicated and [`ByteKeyframes::vertex_of`] says which packed vertex it decodes.

mod clip;
mod clusters;
mod describe;
mod engine;
mod facing;
mod geometry;
mod material;
mod parts;
mod reach;
mod skin;
mod skinning;
mod slots;

pub use clip::{Blend, Clip};
pub(crate) use clip::{Timing, find_clip};
pub(crate) use clusters::{Clusters, Reached};
pub use describe::Counts;
pub(crate) use engine::{
    EngineMesh, Md2Mesh, Md2Triangle, MdlFrameEntry, MdlMesh, MdlTriangle, StVertex,
};
pub(crate) use geometry::{
    AnimJoint, ByteFrame, ByteKeyframes, FloatKeyframes, Geometry, Joint, ShortFrame,
    ShortKeyframes, ShortSurface, SkeletalAnim, Skeleton, SkinnedSurface, Weight,
};
pub(crate) use material::{
    AlphaGen, AlphaTest, ColorGen, DepthTest, Faces, Factor, Map, Material, SORT_OPAQUE, Stage,
    TcMod, Wave, WaveShape, turned,
};
pub use parts::SurfaceParts;
pub(crate) use reach::Reach;
pub(crate) use skinning::{JointFrame, orientation, weld};
pub(crate) use slots::{SLOTS, Slots};

use std::sync::Arc;

use crate::bytes::FileBytes;
use crate::error::Warning;
use crate::image::{Image, Palette};
use crate::pages::Pages;

/// The format that a [`Model`] came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Quake, IDPO version 6.
    Mdl,
    /// Quake II, IDP2 version 8.
    Md2,
    /// Quake III, IDP3 version 15.
    Md3,
    /// Doom 3, MD5Version 10.
    Md5,
    /// Built by a library user from plain vectors.
    Parts,
}

impl Format {
    /// Those that files have.
    pub(crate) const FILES: [Self; 4] = [Self::Mdl, Self::Md2, Self::Md3, Self::Md5];

    /// The usual file extension, without the dot; "parts" for a model built in memory.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Mdl => "mdl",
            Self::Md2 => "md2",
            Self::Md3 => "md3",
            Self::Md5 => "md5mesh",
            Self::Parts => "parts",
        }
    }
}

/// A model with its surfaces, frames, clips, tags and skins.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) format: Format,
    /// The name inside the file (MD3's header), often empty.
    pub(crate) name: String,
    pub(crate) surfaces: Vec<Surface>,
    pub(crate) geometry: Geometry,
    pub(crate) clips: Vec<Clip>,
    /// Number of the clip that is shown unless another is said.
    pub(crate) idle: usize,
    pub(crate) tags: TagTrack,
    /// Model-wide skins: MDL (embedded) and MD2 (file names). MD3 and MD5 name a texture per surface.
    pub(crate) skins: Vec<Skin>,
    /// The palette that embedded skins are drawn with.
    pub(crate) palette: Arc<Palette>,
    /// Texel 255 of embedded skins is a hole (MDL flag 0x4000).
    pub(crate) holey: bool,
    /// What the original software renderers read, for the classic rasterizer.
    pub(crate) engine: Option<EngineMesh>,
    pub(crate) warnings: Vec<Warning>,
}

/// One mesh with one texture.
#[derive(Clone, Debug)]
pub struct Surface {
    pub(crate) name: String,
    /// Texture or material names in file order; MD3 may have several, MDL has none.
    pub(crate) shaders: Vec<String>,
    /// One per vertex; (0, 0) is the upper left corner of the texture, 1 its right or lower end.
    pub(crate) texcoords: Pages<[f32; 2]>,
    /// Three vertices each, clockwise when seen from outside.
    pub(crate) triangles: Pages<[u32; 3]>,
    /// What the surface is drawn with; `None` is drawn in neutral grey.
    pub(crate) texture: Option<Arc<Image>>,
    /// What a shader script or a material says of the surface, in place of the texture.
    pub(crate) material: Option<Arc<Material>>,
    /// Which vertices runs of its triangles reach.
    pub(crate) reach: Reach,
    /// Which vertices clusters of its triangles reach.
    pub(crate) clusters: Clusters,
    /// The vertices of its triangles by 16 bits.
    pub(crate) slots: Slots,
}

impl Surface {
    /// The surface's name, empty if the format has none.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The textures or materials that the file names for this surface.
    #[must_use]
    pub fn shaders(&self) -> &[String] {
        &self.shaders
    }

    /// Number of vertices, each with one texture coordinate.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.texcoords.len()
    }

    /// Texture coordinates, one per vertex; (0, 0) is the upper left corner of the texture.
    #[must_use]
    pub fn texcoords(&self) -> &[[f32; 2]] {
        &self.texcoords
    }

    /// Triangles as vertex numbers, clockwise when seen from outside.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The picture that the surface is drawn with.
    #[must_use]
    pub fn texture(&self) -> Option<&Arc<Image>> {
        self.texture.as_ref()
    }
}

/// A model-wide skin entry.
#[derive(Clone, Debug)]
pub struct Skin {
    pub(crate) name: String,
    pub(crate) source: SkinSource,
}

/// Where the pictures of a [`Skin`] come from.
#[derive(Clone, Debug)]
pub(crate) enum SkinSource {
    /// MDL: `width * height` indices at each offset; `end_times` has one entry per picture of a
    /// group and is empty for a single picture.
    Embedded { file: FileBytes, width: u32, height: u32, offsets: Vec<usize>, end_times: Vec<f32> },
    /// MD2: a path from the game's root.
    File,
}

impl Skin {
    /// The path that the file gives (MD2) or an empty string (embedded).
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Attachment points, one set per frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagTrack {
    /// Shared with the poses.
    pub(crate) names: Arc<[String]>,
    /// `frame * names.len() + tag`.
    pub(crate) frames: Vec<Tag>,
}

/// An attachment point of one frame, in the model's coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tag {
    /// Position in model units.
    pub(crate) origin: [f32; 3],
    /// Rows forward, left, up; brought to unit length when they are posed.
    pub(crate) axis: [[f32; 3]; 3],
}

impl Tag {
    /// No offset, no turn.
    pub(crate) const IDENTITY: Self =
        Self { origin: [0.0; 3], axis: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] };
}

impl Model {
    /// The format that the model came from.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The name inside the file (MD3), often empty.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The surfaces in file order.
    #[must_use]
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// The clips (named sequences, frame groups, skeletal animations) in file order.
    #[must_use]
    pub fn clips(&self) -> &[Clip] {
        &self.clips
    }

    /// The clip that is shown unless another is said: the first, of a part of a Quake III player with an
    /// `animation.cfg` beside it the one that it stands in. `None` without clips.
    #[must_use]
    pub fn idle_clip(&self) -> Option<&Clip> {
        self.clips.get(self.idle)
    }

    /// The model-wide skin entries; empty for MD3 and MD5.
    #[must_use]
    pub fn skins(&self) -> &[Skin] {
        &self.skins
    }

    /// Names of the tags in file order.
    #[must_use]
    pub fn tag_names(&self) -> &[String] {
        &self.tags.names
    }

    /// Whether something can hang on a tag or joint of this name, in either case.
    pub(crate) fn has_tag(&self, name: &str) -> bool {
        let joints = match &self.geometry {
            Geometry::Skeleton(skeleton) => &skeleton.names[..],
            _ => &[],
        };
        self.tags.names.iter().chain(joints).any(|tag| tag.eq_ignore_ascii_case(name))
    }

    /// Takes all animations from a skeleton.
    pub(crate) fn remove_anims(&mut self) {
        if let Geometry::Skeleton(skeleton) = &mut self.geometry {
            skeleton.anims.clear();
            self.clips.clear();
            self.idle = 0;
        }
    }

    /// Whether these frames are among the model's own.
    pub(crate) fn has(&self, Blend { from, to, anim, .. }: Blend) -> bool {
        let frames = match &self.geometry {
            Geometry::Skeleton(skeleton) => skeleton.anims.get(anim).map_or(0, |anim| anim.frames),
            _ => self.frame_count(),
        };
        from.max(to) < frames
    }

    /// Every defect that was found while reading and did not stop it.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Triangles of all surfaces together.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.surfaces.iter().map(|s| s.triangles.len()).sum()
    }

    /// Number of single poses in file order: group members are counted one by one; an MD5 model
    /// counts the frames of its first animation, or 1 (the bind pose) without any.
    #[must_use]
    pub fn frame_count(&self) -> usize {
        self.geometry.frame_count()
    }

    /// Draws `surface` with `image` from now on; a number out of range changes nothing.
    ///
    /// An MD2 whose header leaves the skin's size at 0 takes the size of the first picture set.
    pub fn set_skin(&mut self, surface: usize, image: impl Into<Arc<Image>>) {
        let image = image.into();
        let Some(surface) = self.surfaces.get_mut(surface) else { return };
        if let Some(EngineMesh::Md2(mesh)) = &mut self.engine {
            mesh.size_texcoords(&mut surface.texcoords, [image.width(), image.height()]);
        }
        surface.texture = Some(image);
        surface.material = None;
    }
}
