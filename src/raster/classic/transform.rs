//! Model to view space: x to the right, y down, z forward.

use super::camera::{Axes, Camera};

/// Three rows; the fourth column is the translation.
pub(super) type Matrix = [[f32; 4]; 3];

/// One coordinate of a transformed point.
#[inline(always)]
pub(super) fn apply_row(row: &[f32; 4], p: [f32; 3]) -> f32 {
    p[0] * row[0] + p[1] * row[1] + p[2] * row[2] + row[3]
}

/// A transformed point.
#[inline(always)]
pub(super) fn apply(matrix: &Matrix, p: [f32; 3]) -> [f32; 3] {
    [apply_row(&matrix[0], p), apply_row(&matrix[1], p), apply_row(&matrix[2], p)]
}

/// Model space to a world whose origin is such that the fourth column is `translation`.
pub(super) fn entity(axes: &Axes, translation: [f32; 3]) -> Matrix {
    let row = |i: usize| [axes.forward[i], -axes.right[i], axes.up[i], translation[i]];
    [row(0), row(1), row(2)]
}

/// View space of a world whose origin is the camera.
fn view(camera: &Camera, world: &Matrix) -> Matrix {
    let down = camera.axes.up.map(|x| -x);
    [camera.axes.right, down, camera.axes.forward].map(|axis| {
        [0, 1, 2, 3].map(|j| axis[0] * world[0][j] + axis[1] * world[1][j] + axis[2] * world[2][j])
    })
}

/// Vertex bytes of an `.mdl` to view space: scale and origin of the model are folded in.
pub(super) fn mdl(
    camera: &Camera,
    axes: &Axes,
    origin: [f32; 3],
    scale: [f32; 3],
    scale_origin: [f32; 3],
) -> Matrix {
    let to_eye = [0, 1, 2].map(|i| camera.eye[i] - origin[i]);
    let turned = entity(axes, to_eye.map(|x| -x));
    let scaled = turned.map(|row| {
        [row[0] * scale[0], row[1] * scale[1], row[2] * scale[2], apply_row(&row, scale_origin)]
    });
    view(camera, &scaled)
}

/// Model units to view space.
pub(super) fn model(camera: &Camera, axes: &Axes, origin: [f32; 3]) -> Matrix {
    let from_eye = [0, 1, 2].map(|i| origin[i] - camera.eye[i]);
    view(camera, &entity(axes, from_eye))
}
