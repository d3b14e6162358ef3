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
    /// Screen positions by [`Surface::slot`], see [`super::vertex::packed`]; behind those of the vertices
    /// may be others.
    pub(crate) xy: &'a [u64],
    /// [`super::shade::ATTRIBUTES`] floats a slot, and at least three more at the end.
    pub(crate) attributes: &'a [f32],
    /// Bits of a vertex's number that say where it stands: all of them, or those of a ring.
    pub(crate) slot_mask: usize,
    pub(crate) cull: Cull,
    pub(crate) shading: Shading<'a>,
    /// If the shading is the one that the kernels are fastest at.
    pub(crate) fast_path: Option<FastPath<'a>>,
    /// Of a filtered texture, see [`Shading::plain_blocks`].
    pub(crate) plain_blocks: Option<&'a Blocks>,
}

impl Surface<'_> {
    /// Where a vertex stands in `xy` and `attributes`.
    #[inline(always)]
    pub(crate) fn slot(&self, vertex: u32) -> usize {
        vertex as usize & self.slot_mask
    }
}
