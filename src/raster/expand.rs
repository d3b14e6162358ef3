//! Flat and wire drawing: every triangle gets three vertices of its own.

use super::shade::ATTRIBUTES;
use super::vertex::{ScreenVertices, point};
use crate::look::Draw;

/// Whether a draw mode needs three vertices of its own for every triangle.
pub(crate) fn expands(draw: Draw) -> bool {
    matches!(draw, Draw::Flat | Draw::Wire)
}

/// Appends three vertices for every triangle, with one light (flat) or the distances to the edges
/// (wire).
pub(crate) fn expand(
    draw: Draw,
    base: usize,
    vertices: &mut ScreenVertices,
    triangles: &[[u32; 3]],
) {
    for corners in triangles {
        let corners = corners.map(|corner| base + corner as usize);
        let xy = corners.map(|corner| vertices.xy[corner]);
        let points = xy.map(point);
        let mut records: [[f32; ATTRIBUTES]; 3] = corners
            .map(|corner| std::array::from_fn(|i| vertices.attributes[corner * ATTRIBUTES + i]));
        if draw == Draw::Flat {
            let light = records.iter().map(|r| r[4] / r[1]).sum::<f32>() / 3.0;
            for record in &mut records {
                record[4] = light * record[1];
            }
        } else {
            for (corner, record) in records.iter_mut().enumerate() {
                record[1..].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
                record[2 + corner] = height(points, corner);
            }
        }
        for (xy, record) in xy.into_iter().zip(records) {
            vertices.xy.push(xy);
            vertices.attributes.extend_from_slice(&record);
        }
    }
}

/// Distance in pixels from a corner to the opposite side.
fn height(xy: [[i32; 2]; 3], corner: usize) -> f32 {
    let d = |p: [i32; 2], q: [i32; 2], i: usize| (f64::from(q[i]) - f64::from(p[i])) / 256.0;
    let [a, b, c] = [corner, (corner + 1) % 3, (corner + 2) % 3].map(|i| xy[i]);
    let area = (d(b, c, 0) * d(b, a, 1) - d(b, c, 1) * d(b, a, 0)).abs();
    let side = (d(b, c, 0) * d(b, c, 0) + d(b, c, 1) * d(b, c, 1)).sqrt();
    if side > 0.0 { (area / side) as f32 } else { 0.0 }
}
