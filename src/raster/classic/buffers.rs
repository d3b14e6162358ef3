//! Memory that is kept between frames.

use super::vertex::Vertex;

/// Vertices of the surface that is being drawn.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) vertices: Vec<Vertex>,
    /// View positions, needed where the near plane cuts.
    pub(super) positions: Vec<[f32; 3]>,
}

impl Buffers {
    pub(super) fn clear(&mut self) {
        self.vertices.clear();
        self.positions.clear();
    }

    /// The vertices of those numbers; `None` if one does not exist.
    pub(super) fn corners(&self, numbers: [u32; 3]) -> Option<[Vertex; 3]> {
        let [a, b, c] = numbers.map(|number| self.vertices.get(number as usize).copied());
        Some([a?, b?, c?])
    }

    /// The view positions of vertices that exist.
    pub(super) fn positions(&self, numbers: [u32; 3]) -> [[f32; 3]; 3] {
        numbers.map(|number| self.positions[number as usize])
    }
}
