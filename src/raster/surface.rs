//! A surface as the stages behind the clip stage see it: vertices on the screen, triangles inside, and
//! how pixels are shaded.

use super::blocks::Blocks;
use super::shade::{FastPath, Shading};
use crate::look::Cull;

/// Vertices, triangles and shading of one surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    /// Vertex numbers.
    pub(crate) triangles: &'a [[u32; 3]],
    /// Screen positions, see [`super::vertex::packed`]; behind those of the vertices may be others.
    pub(crate) xy: &'a [u64],
    /// [`super::shade::ATTRIBUTES`] floats a vertex, and at least three more at the end.
    pub(crate) attributes: &'a [f32],
    pub(crate) cull: Cull,
    pub(crate) shading: Shading<'a>,
    /// If the shading is the one that the kernels are fastest at.
    pub(crate) fast_path: Option<FastPath<'a>>,
    /// Of a filtered texture, see [`Shading::plain_blocks`].
    pub(crate) plain_blocks: Option<&'a Blocks>,
}
