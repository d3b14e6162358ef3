//! Where positions and normals come from: three packed keyframe forms and the skeleton.

use std::sync::Arc;

use crate::bytes::FileBytes;

/// Positions and normals of a model, packed as its format packs them.
#[derive(Clone, Debug)]
pub(crate) enum Geometry {
    /// MDL and MD2: one surface, three bytes and a normal index per vertex.
    Bytes(ByteKeyframes),
    /// MD3: 16-bit positions and two normal bytes per vertex.
    Shorts(ShortKeyframes),
    /// Plain vectors of a library user.
    Floats(FloatKeyframes),
    /// MD5: joints and weights.
    Skeleton(Skeleton),
}

impl Geometry {
    pub(crate) fn frame_count(&self) -> usize {
        match self {
            Self::Bytes(keys) => keys.frames.len(),
            Self::Shorts(keys) => keys.frames.len(),
            Self::Floats(keys) => keys.frame_count,
            Self::Skeleton(skeleton) => skeleton.anims.first().map_or(1, SkeletalAnim::frame_count),
        }
    }
}

/// Keyframes of bytes: position = byte * scale + origin, normal = entry of the 162-entry table.
#[derive(Clone, Debug)]
pub(crate) struct ByteKeyframes {
    pub(crate) file: FileBytes,
    /// Packed vertices per frame, 4 bytes each.
    pub(crate) packed_count: usize,
    /// All single poses in file order, group members one by one.
    pub(crate) frames: Vec<ByteFrame>,
    /// The packed vertex that each vertex of the surface decodes.
    pub(crate) vertex_of: Vec<u32>,
}

/// One pose of [`ByteKeyframes`].
#[derive(Clone, Debug)]
pub(crate) struct ByteFrame {
    pub(crate) name: String,
    pub(crate) scale: [f32; 3],
    pub(crate) origin: [f32; 3],
    /// File offset of `packed_count * 4` bytes.
    pub(crate) offset: usize,
}

/// Keyframes of MD3.
#[derive(Clone, Debug)]
pub(crate) struct ShortKeyframes {
    pub(crate) file: FileBytes,
    pub(crate) frames: Vec<ShortFrame>,
    /// Parallel to the model's surfaces.
    pub(crate) surfaces: Vec<ShortSurface>,
}

/// What an MD3 says of a whole frame.
#[derive(Clone, Debug)]
pub(crate) struct ShortFrame {
    pub(crate) name: String,
}

/// Packed vertices of one MD3 surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortSurface {
    /// File offset of `frame_count * vertex_count` records of 8 bytes, frame-major.
    pub(crate) offset: usize,
    /// At least 1; frames of the model beyond it use the last.
    pub(crate) frame_count: usize,
    pub(crate) vertex_count: usize,
}

/// Keyframes of plain vectors.
#[derive(Clone, Debug)]
pub(crate) struct FloatKeyframes {
    pub(crate) frame_count: usize,
    /// Per surface: `frame * vertex_count + vertex`.
    pub(crate) positions: Vec<Vec<[f32; 3]>>,
    pub(crate) normals: Vec<Vec<[f32; 3]>>,
}

/// MD5: the bind-pose skeleton, the weighted surfaces and the animations that fit it.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    pub(crate) joints: Vec<Joint>,
    /// Their names, shared with the poses.
    pub(crate) names: Arc<[String]>,
    /// Parallel to the model's surfaces.
    pub(crate) surfaces: Vec<SkinnedSurface>,
    /// Joints in an order in which every parent stands before its children.
    pub(crate) order: Vec<u32>,
    pub(crate) anims: Vec<SkeletalAnim>,
}

/// A joint of the bind pose, in object space.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    pub(crate) name: String,
    pub(crate) parent: Option<u32>,
    pub(crate) position: [f32; 3],
    /// x, y, z, w with w computed as the negative root.
    pub(crate) orientation: [f32; 4],
}

/// Vertices of one MD5 mesh.
#[derive(Clone, Debug)]
pub(crate) struct SkinnedSurface {
    /// First weight and number of weights of every vertex.
    pub(crate) vertices: Vec<(u32, u32)>,
    pub(crate) weights: Vec<Weight>,
    /// For every vertex the first vertex at the same rounded bind position; normals are summed there.
    pub(crate) weld: Vec<u32>,
}

/// A position in a joint's space and its share of the vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weight {
    pub(crate) joint: u32,
    pub(crate) bias: f32,
    pub(crate) position: [f32; 3],
}

/// An md5anim that fits the skeleton.
#[derive(Clone, Debug)]
pub(crate) struct SkeletalAnim {
    pub(crate) name: String,
    /// Frames per second, above 0.
    pub(crate) frame_rate: f32,
    /// Parallel to the skeleton's joints.
    pub(crate) joints: Vec<AnimJoint>,
    /// Animated components per frame.
    pub(crate) component_count: usize,
    /// `frame * component_count + component`.
    pub(crate) components: Vec<f32>,
    /// At least 1, also when `component_count` is 0.
    pub(crate) frames: usize,
}

impl SkeletalAnim {
    pub(crate) fn frame_count(&self) -> usize {
        self.frames
    }
}

/// How an animation moves one joint, parent-relative.
#[derive(Clone, Debug)]
pub(crate) struct AnimJoint {
    pub(crate) name: String,
    pub(crate) parent: Option<u32>,
    /// Bits 1 2 4: position x y z, 8 16 32: orientation x y z are animated.
    pub(crate) flags: u32,
    /// The first of this joint's components in a frame.
    pub(crate) first: usize,
    pub(crate) base_position: [f32; 3],
    /// x, y, z of the base orientation.
    pub(crate) base_orientation: [f32; 3],
}
