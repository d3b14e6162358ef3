//! Is the frame's box in the picture? Decides between drawing nothing, drawing without any
//! clipping, and clipping.

use super::camera::{Axes, Camera};
use super::number::{dot, int};
use super::transform::{Matrix, apply, apply_row, entity};
use crate::model::ByteFrame;

/// Quake's near plane.
pub(super) const MDL_NEAR: f32 = 5.0;
/// Quake II's near plane.
pub(super) const MD2_NEAR: f32 = 4.0;

/// What the box test of an `.mdl` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visibility {
    Outside,
    /// Wholly inside the picture; the whole units to the nearest corner.
    Inside {
        nearest: i32,
    },
    Partly,
}

/// Corners of a box as (x, y, z) with 0 for the minimum and 1 for the maximum, and its edges. The
/// order matters for the rounding of points on the near plane.
const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 1]];
const EDGES: [[usize; 2]; 12] = [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
    [4, 5],
    [5, 6],
    [6, 7],
    [7, 4],
    [0, 5],
    [1, 4],
    [2, 7],
    [3, 6],
];

/// Sides of the picture that all points of a box are outside of, or any of them.
struct Outcodes {
    all: u8,
    any: u8,
}

impl Outcodes {
    fn add(&mut self, camera: &Camera, [x, y, z]: [f32; 3]) {
        let inverse = 1.0 / z;
        let px = x * camera.scale[0] * inverse + camera.center[0];
        let py = y * camera.scale[1] * inverse + camera.center[1];
        let [width, height] = camera.size.map(|side| side as f32);
        let code = u8::from(px < 0.0)
            | u8::from(py < 0.0) << 1
            | u8::from(px > width) << 2
            | u8::from(py > height) << 3;
        self.all &= code;
        self.any |= code;
    }
}

/// Quake's test of a frame entry's box bytes.
pub(super) fn mdl(camera: &Camera, matrix: &Matrix, bounds: [[u8; 3]; 2]) -> Visibility {
    let corners = CORNERS
        .map(|corner| apply(matrix, [0, 1, 2].map(|axis| f32::from(bounds[corner[axis]][axis]))));
    let is_near = corners.map(|[_, _, z]| z < MDL_NEAR);
    if is_near == [true; 8] {
        return Visibility::Outside;
    }
    let mut codes = Outcodes { all: u8::MAX, any: 0 };
    let mut nearest = 9999;
    for (corner, _) in corners.iter().zip(is_near).filter(|(_, near)| !near) {
        codes.add(camera, *corner);
        if corner[2] < nearest as f32 {
            nearest = int(corner[2]);
        }
    }
    for [from, to] in EDGES.into_iter().filter(|&[from, to]| is_near[from] != is_near[to]) {
        let ([x0, y0, z0], [x1, y1, z1]) = (corners[from], corners[to]);
        let part = (MDL_NEAR - z0) / (z1 - z0);
        codes.add(camera, [x0 + (x1 - x0) * part, y0 + (y1 - y0) * part, MDL_NEAR]);
    }
    if codes.all != 0 {
        Visibility::Outside
    } else if codes.any == 0 && is_near == [false; 8] {
        Visibility::Inside { nearest }
    } else {
        Visibility::Partly
    }
}

/// What Quake II's test needs besides the box: it looks at world coordinates.
pub(super) struct Md2Box<'a> {
    pub(super) camera: &'a Camera,
    /// Model units to view space.
    pub(super) view: &'a Matrix,
    /// Model units to the world.
    pub(super) world: Matrix,
}

impl Md2Box<'_> {
    /// Whether nothing of a frame can be seen. The near test looks at two opposite corners only, so
    /// a model can vanish although it reaches into the picture.
    pub(super) fn rejects(&self, frame: &ByteFrame) -> bool {
        let low = frame.origin;
        let high = [0, 1, 2].map(|i| frame.origin[i] + frame.scale[i] * 255.0);
        let is_near = |p| apply_row(&self.view[2], p) < MD2_NEAR;
        if is_near(low) && is_near(high) {
            return true;
        }
        let corners = CORNERS.map(|corner| {
            let p = [0, 1, 2].map(|axis| [low, high][corner[axis]][axis]);
            apply(&self.world, p)
        });
        self.planes().iter().any(|(normal, distance)| {
            corners.iter().all(|&corner| dot(corner, *normal) - distance < 0.0)
        })
    }

    /// The four sides of the view pyramid: normal to the inside, and distance.
    fn planes(&self) -> [([f32; 3], f32); 4] {
        let camera = self.camera;
        let x = 1.0 / (camera.horizontal_term / 2.0);
        let y = 1.0 / (camera.vertical_term / 2.0);
        [[-x, 0.0, 1.0], [x, 0.0, 1.0], [0.0, -y, 1.0], [0.0, y, 1.0]].map(|n| {
            let length = f64::from(dot(n, n)).sqrt() as f32;
            let inverse = 1.0 / length;
            let n = n.map(|x| x * inverse);
            let axes = &camera.axes;
            let normal = [0, 1, 2]
                .map(|i| -n[0] * axes.right[i] + n[1] * axes.up[i] + n[2] * axes.forward[i]);
            (normal, dot(camera.eye, normal))
        })
    }
}

/// The world matrix that Quake II tests the old frame with: a slip of the original that decides
/// which models are seen, so it is kept.
pub(super) fn old_frame_world(axes: &Axes, old_origin: [f32; 3]) -> Matrix {
    let row = |i: usize| [axes.up[i], 0.0, 0.0, old_origin[i]];
    [row(0), row(1), row(2)]
}

/// The world matrix of the current frame.
pub(super) fn world(axes: &Axes, origin: [f32; 3]) -> Matrix {
    entity(axes, origin)
}
