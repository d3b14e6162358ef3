//! What the original software renderers of Quake and Quake II read from a model: integers, in file
//! order. Only the classic rasterizer uses it.

use crate::bytes::FileBytes;

/// The integer mesh of an MDL or MD2 file.
#[derive(Clone, Debug)]
pub(crate) enum EngineMesh {
    Mdl(MdlMesh),
    Md2(Md2Mesh),
}

/// Quake's alias model as its loader has it.
#[derive(Clone, Debug)]
pub(crate) struct MdlMesh {
    pub(crate) file: FileBytes,
    pub(crate) scale: [f32; 3],
    pub(crate) scale_origin: [f32; 3],
    pub(crate) skin_width: i32,
    pub(crate) skin_height: i32,
    /// Header field: mean triangle area, drives the subdivision threshold.
    pub(crate) size: f32,
    pub(crate) st: Vec<StVertex>,
    pub(crate) triangles: Vec<MdlTriangle>,
    /// Frame entries as the engine counts them.
    pub(crate) frames: Vec<MdlFrameEntry>,
}

/// Texture coordinate of an MDL vertex, in texels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StVertex {
    pub(crate) onseam: i32,
    pub(crate) s: i32,
    pub(crate) t: i32,
}

/// A triangle of an MDL.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MdlTriangle {
    pub(crate) faces_front: bool,
    pub(crate) vertices: [u32; 3],
}

/// A frame entry: one pose, or a group whose poses change with time.
#[derive(Clone, Debug)]
pub(crate) struct MdlFrameEntry {
    /// Box bytes of the entry (for a group the group's box): min, max.
    pub(crate) bounds: [[u8; 3]; 2],
    /// File offsets of the poses' vertex bytes (4 per vertex).
    pub(crate) poses: Vec<usize>,
    /// Cumulative end times; empty for a single pose.
    pub(crate) end_times: Vec<f32>,
}

/// Quake II's alias model as its loader has it. Frames are those of the packed keyframes.
#[derive(Clone, Debug)]
pub(crate) struct Md2Mesh {
    pub(crate) file: FileBytes,
    pub(crate) skin_width: i32,
    pub(crate) skin_height: i32,
    /// Texture coordinates in texels, signed.
    pub(crate) st: Vec<[i16; 2]>,
    pub(crate) triangles: Vec<Md2Triangle>,
    /// The surface's texture coordinates count texels wherever the header's size is 0, until a
    /// picture is set and gives its size.
    pub(crate) texcoords_in_texels: bool,
}

impl Md2Mesh {
    /// Turns texture coordinates that count texels, because the header has no skin size, into parts
    /// of a picture of this size; only the first picture's size counts.
    pub(crate) fn size_texcoords(&mut self, texcoords: &mut [[f32; 2]], picture: [u32; 2]) {
        if !std::mem::take(&mut self.texcoords_in_texels) {
            return;
        }
        for (axis, header) in [self.skin_width, self.skin_height].into_iter().enumerate() {
            if header < 1 {
                let size = picture[axis].max(1) as f32;
                texcoords.iter_mut().for_each(|st| st[axis] /= size);
            }
        }
    }
}

/// A triangle of an MD2: separate indices of positions and texture coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Md2Triangle {
    pub(crate) vertices: [u32; 3],
    pub(crate) st: [u32; 3],
}
