//! Flat and wire drawing: every triangle gets three vertices of its own.
//!
//! Of a triangle that was cut the clip stage made a fan. Its triangles go by the source: one light, and
//! no line where the fan is joined or the plane cuts.

use super::shade::ATTRIBUTES;
use super::vertex::{ClipVertex, ScreenVertices, VertexSetup, point};
use crate::look::Draw;

/// Whether a draw mode needs three vertices of its own for every triangle.
pub(crate) fn expands(draw: Draw) -> bool {
    matches!(draw, Draw::Flat | Draw::Wire)
}

/// A surface behind the clip stage.
pub(crate) struct Clipped<'a, I> {
    pub(crate) triangles: &'a [[u32; 3]],
    /// Its first vertex.
    pub(crate) base: usize,
    /// Vertices from here on were made by cutting.
    pub(crate) first_new: usize,
    /// The source triangle of each triangle that was made by cutting.
    pub(crate) sources: I,
}

/// Appends three vertices for every triangle, with one light (flat) or the distances to the edges
/// (wire).
pub(crate) fn expand(
    draw: Draw,
    setup: &VertexSetup,
    clipped: Clipped<'_, impl Iterator<Item = [ClipVertex; 3]>>,
    vertices: &mut ScreenVertices,
) {
    let Clipped { triangles, base, first_new, mut sources } = clipped;
    for corners in triangles {
        let is_new = corners[0] as usize >= first_new;
        let source = if is_new { sources.next() } else { None };
        let corners = corners.map(|corner| base + corner as usize);
        let xy = corners.map(|corner| vertices.xy[corner]);
        let points = xy.map(point);
        let mut records: [[f32; ATTRIBUTES]; 3] = corners
            .map(|corner| std::array::from_fn(|i| vertices.attributes[corner * ATTRIBUTES + i]));
        if draw == Draw::Flat {
            let lights = match source {
                Some(source) => source.map(|vertex| vertex.attributes[2]),
                None => records.map(|record| record[4] / record[1]),
            };
            let light = lights.iter().sum::<f32>() / 3.0;
            for record in &mut records {
                record[4] = light * record[1];
            }
        } else {
            let lines = source.map(|source| lines(setup, source));
            for (corner, record) in records.iter_mut().enumerate() {
                record[1..].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
                match &lines {
                    Some(lines) => {
                        let far = lines.map(|line| distance(line, points[corner]));
                        record[2..].copy_from_slice(&far);
                    }
                    None => record[2 + corner] = height(points, corner),
                }
            }
        }
        for (xy, record) in xy.into_iter().zip(records) {
            vertices.xy.push(xy);
            vertices.attributes.extend_from_slice(&record);
        }
    }
}

/// The lines on the screen that the edges of a triangle lie on, also where its corners cannot be
/// projected: `a x + b y + c` is the distance of a point in pixels.
fn lines(setup: &VertexSetup, source: [ClipVertex; 3]) -> [[f64; 3]; 3] {
    // Pixels times w: of such points the cross product of two is the line through both.
    let [half_x, half_y] = setup.half.map(f64::from);
    let [p, q, r] = source.map(|vertex| {
        let [x, y, _, w] = vertex.position.map(f64::from);
        [half_x * (w + x), half_y * (w - y), w]
    });
    [[q, r], [r, p], [p, q]].map(|[p, q]| {
        let cross = |i: usize, j: usize| p[i] * q[j] - p[j] * q[i];
        let (a, b, c) = (cross(1, 2), cross(2, 0), cross(0, 1));
        let length = (a * a + b * b).sqrt();
        if length > 0.0 { [a, b, c].map(|x| x / length) } else { [0.0; 3] }
    })
}

/// Distance in pixels from a line. Points are at most `FARTHEST` pixels from the first on each axis:
/// what is as far as `LEAVES` is so at all corners of a triangle, or nearly, and looks at no wire.
fn distance([a, b, c]: [f64; 3], [x, y]: [i32; 2]) -> f32 {
    const LEAVES: f64 = 1e6;
    let pixels = |x: i32| f64::from(x) / 256.0;
    ((a * pixels(x) + b * pixels(y)) + c).abs().min(LEAVES) as f32
}

/// Distance in pixels from a corner to the opposite side.
fn height(xy: [[i32; 2]; 3], corner: usize) -> f32 {
    let d = |p: [i32; 2], q: [i32; 2], i: usize| (f64::from(q[i]) - f64::from(p[i])) / 256.0;
    let [a, b, c] = [corner, (corner + 1) % 3, (corner + 2) % 3].map(|i| xy[i]);
    let area = (d(b, c, 0) * d(b, a, 1) - d(b, c, 1) * d(b, a, 0)).abs();
    let side = (d(b, c, 0) * d(b, c, 0) + d(b, c, 1) * d(b, c, 1)).sqrt();
    if side > 0.0 { (area / side) as f32 } else { 0.0 }
}
