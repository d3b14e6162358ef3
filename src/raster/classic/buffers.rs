//! Memory that is kept between frames.

use super::setup::denominator;
use super::vertex::{CLIP, Vertex};

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
    #[inline(always)]
    pub(super) fn corners(&self, [a, b, c]: [u32; 3]) -> Option<[&Vertex; 3]> {
        let vertex = |number: u32| self.vertices.get(number as usize);
        Some([vertex(a)?, vertex(b)?, vertex(c)?])
    }

    /// The vertices of those numbers, if the triangle may be seen: it shows its front, or is cut, which
    /// may turn it over. `None` as well if one of them does not exist.
    #[inline(always)]
    pub(super) fn visible_corners(&self, numbers: [u32; 3]) -> Option<[&Vertex; 3]> {
        let [a, b, c] = self.corners(numbers)?;
        let is_cut = (a.flags | b.flags | c.flags) & CLIP != 0;
        (is_cut || denominator([a, b, c]) < 0).then_some([a, b, c])
    }

    /// The view positions of vertices that exist.
    pub(super) fn positions(&self, numbers: [u32; 3]) -> [[f32; 3]; 3] {
        numbers.map(|number| self.positions[number as usize])
    }
}
