//! The vertex that everything behind the transform works with: integers.

use super::camera::Camera;
use super::number::int;

/// Outside of the left side of the picture.
pub(super) const LEFT: i32 = 1;
/// Outside of the upper side.
pub(super) const TOP: i32 = 2;
/// Outside of the right side.
pub(super) const RIGHT: i32 = 4;
/// Outside of the lower side.
pub(super) const BOTTOM: i32 = 8;
/// In front of the near plane.
pub(super) const NEAR: i32 = 16;
/// All reasons to clip.
pub(super) const CLIP: i32 = LEFT | TOP | RIGHT | BOTTOM | NEAR;
/// `.mdl`: on the seam between the two halves of the skin. It shares the word with the others, as
/// the file's value does in the original.
pub(super) const ON_SEAM: i32 = 32;

/// A projected and lit vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub(super) struct Vertex {
    /// Column and row of the picture.
    pub(super) u: i32,
    pub(super) v: i32,
    /// Texels, 16.16.
    pub(super) s: i32,
    pub(super) t: i32,
    /// Row of the light table, 8 fraction bits.
    pub(super) light: i32,
    /// `2^31 / z`.
    pub(super) zi: i32,
    pub(super) flags: i32,
}

/// View space to the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    pub(super) near: f32,
    pub(super) zi_scale: f32,
    pub(super) scale: [f32; 2],
    pub(super) center: [f32; 2],
    pub(super) size: [i32; 2],
}

impl Projection {
    /// `near` is the near plane; a view weapon's depth counts threefold, so that walls near the
    /// player do not cover it.
    pub(super) fn new(camera: &Camera, near: f32, view_weapon: bool) -> Self {
        let unit = 2_147_483_648.0;
        Self {
            near,
            zi_scale: if view_weapon { unit * 3.0 } else { unit },
            scale: camera.scale,
            center: camera.center,
            size: camera.size,
        }
    }

    /// Sets the place of a vertex whose view position is not in front of the near plane.
    #[inline(always)]
    pub(super) fn place(&self, vertex: &mut Vertex, [x, y, z]: [f32; 3]) {
        let inverse = 1.0 / z;
        vertex.zi = int(inverse * self.zi_scale);
        vertex.u = int(x * self.scale[0] * inverse + self.center[0]);
        vertex.v = int(y * self.scale[1] * inverse + self.center[1]);
    }

    /// Sets place and clip flags of a vertex; near ones stay at (0, 0, 0).
    #[inline(always)]
    pub(super) fn place_or_flag(&self, vertex: &mut Vertex, position: [f32; 3]) {
        if position[2] < self.near {
            vertex.flags |= NEAR;
        } else {
            self.place(vertex, position);
            vertex.flags |= self.outside(vertex);
        }
    }

    /// The sides of the picture that a vertex is outside of.
    #[inline(always)]
    pub(super) fn outside(&self, vertex: &Vertex) -> i32 {
        let [width, height] = self.size;
        let flag = |is_outside: bool, flag: i32| if is_outside { flag } else { 0 };
        flag(vertex.u < 0, LEFT)
            | flag(vertex.v < 0, TOP)
            | flag(vertex.u > width, RIGHT)
            | flag(vertex.v > height, BOTTOM)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::classic::ClassicScene;

    #[test]
    fn coordinates_are_truncated_and_the_far_edges_are_inside() {
        let camera = Camera::new(&ClassicScene::default(), 100, 100);
        let projection = Projection::new(&camera, 5.0, false);
        // Columns of the picture to view space at z = 50 and back.
        let at = |px: f32| {
            let mut vertex = Vertex::default();
            let x = (px - camera.center[0]) * 50.0 / camera.scale[0];
            projection.place_or_flag(&mut vertex, [x, 0.0, 50.0]);
            (vertex.u, vertex.flags)
        };
        let table = [
            (99.99, (99, 0)),
            (100.01, (100, 0)),
            (101.01, (101, RIGHT)),
            (-0.9, (0, 0)),
            (-1.01, (-1, LEFT)),
        ];
        for (px, expected) in table {
            assert_eq!(at(px), expected, "{px}");
        }
    }

    #[test]
    fn depth_is_a_part_of_2_to_the_31_and_tripled_for_weapons() {
        let camera = Camera::new(&ClassicScene::default(), 100, 100);
        for (view_weapon, zi) in [(false, 1 << 27), (true, 3 << 27)] {
            let mut vertex = Vertex::default();
            Projection::new(&camera, 5.0, view_weapon).place(&mut vertex, [0.0, 0.0, 16.0]);
            assert_eq!(vertex.zi, zi);
        }
    }
}
