//! Clip stage: triangles that touch a vertex outside the near plane, the far plane or the guard
//! band become zero or more triangles inside.
//!
//! It runs only for surfaces in which the vertex stage found such a vertex. A new vertex on a
//! shared edge is computed from the inside end to the outside end, so both neighbours get the same
//! one and no crack opens.

use super::shade::ATTRIBUTES;
use super::vertex::{ClipVertex, GUARD, ScreenVertices, VertexSetup};

/// Signed distance to each plane in clip space; inside is not negative.
fn distances(setup: &VertexSetup, [x, y, z, w]: [f32; 4]) -> [f32; 6] {
    let [gx, gy] = setup.half.map(|half| GUARD / half);
    [w + z, w - z, gx * w + x, gx * w - x, gy * w + y, gy * w - y]
}

/// Clips the triangles of one surface. `vertices` are its vertices before the division; their screen
/// vertices stand from `base` on in `out`, new ones are appended. Triangles in `triangles` are pushed
/// relative to `base`, in the order of `source`.
pub(crate) fn clip_surface(
    setup: &VertexSetup,
    source: &[[u32; 3]],
    vertices: &[ClipVertex],
    base: usize,
    out: &mut ScreenVertices,
    triangles: &mut Vec<[u32; 3]>,
) {
    let (mut polygon, mut next) = (Polygon::default(), Polygon::default());
    for &corners in source {
        let vertices = corners.map(|corner| vertices[corner as usize]);
        if vertices.iter().all(|v| setup.is_inside(v.position)) {
            triangles.push(corners);
            continue;
        }
        let finite = |v: &ClipVertex| v.position.iter().all(|x| x.abs() < 1e30);
        if !vertices.iter().all(finite) {
            continue;
        }
        polygon.clear();
        vertices.into_iter().for_each(|vertex| polygon.push(vertex));
        for plane in 0..6 {
            cut(setup, plane, &polygon, &mut next);
            std::mem::swap(&mut polygon, &mut next);
        }
        let first = out.xy.len() - base;
        for vertex in polygon.vertices() {
            // Rounding may leave a new vertex a hair outside; the projection needs w above 0 only.
            if vertex.position[3] <= 0.0 {
                continue;
            }
            let (xy, attributes) = setup.project(vertex);
            out.xy.push(xy);
            out.attributes.extend_from_slice(&attributes);
        }
        let count = out.xy.len() - base - first;
        for corner in 2..count {
            triangles.push([first, first + corner - 1, first + corner].map(|v| v as u32));
        }
    }
    out.xy.resize(out.xy.len().next_multiple_of(8), 0);
    out.attributes.resize(out.xy.len() * ATTRIBUTES, 0.0);
}

/// A convex polygon: three corners and at most one more for each plane.
#[derive(Clone, Copy, Default)]
struct Polygon {
    vertices: [ClipVertex; 9],
    count: usize,
}

impl Polygon {
    fn clear(&mut self) {
        self.count = 0;
    }

    /// A tenth vertex, which only rounding could make, is left out.
    fn push(&mut self, vertex: ClipVertex) {
        if let Some(place) = self.vertices.get_mut(self.count) {
            *place = vertex;
            self.count += 1;
        }
    }

    fn vertices(&self) -> &[ClipVertex] {
        &self.vertices[..self.count]
    }
}

/// Sutherland-Hodgman against one plane.
fn cut(setup: &VertexSetup, plane: usize, polygon: &Polygon, out: &mut Polygon) {
    out.clear();
    let Some(last) = polygon.vertices().last() else { return };
    let mut previous = (*last, distances(setup, last.position)[plane]);
    for &vertex in polygon.vertices() {
        let current = (vertex, distances(setup, vertex.position)[plane]);
        match (previous.1 >= 0.0, current.1 >= 0.0) {
            (true, true) => out.push(vertex),
            (true, false) => out.push(crossing(previous, current)),
            (false, true) => {
                out.push(crossing(current, previous));
                out.push(vertex);
            }
            (false, false) => {}
        }
        previous = current;
    }
}

fn crossing(inside: (ClipVertex, f32), outside: (ClipVertex, f32)) -> ClipVertex {
    let t = inside.1 / (inside.1 - outside.1);
    let mix = |a: f32, b: f32| a + (b - a) * t;
    let (a, b) = (inside.0, outside.0);
    ClipVertex {
        position: std::array::from_fn(|i| mix(a.position[i], b.position[i])),
        attributes: std::array::from_fn(|i| mix(a.attributes[i], b.attributes[i])),
    }
}
