//! Clip stage: triangles that touch a vertex outside the near plane, the far plane or the guard
//! band become zero or more triangles inside.
//!
//! It runs only for surfaces in which the vertex stage found such a vertex. A new vertex on a
//! shared edge is computed from the inside end to the outside end, so both neighbours get the same
//! one and no crack opens.

use super::shade::ATTRIBUTES;
use super::threads::Threads;
use super::vertex::{ClipVertex, GUARD, MIN_W, ScreenVertices, TOO_FAR, VertexSetup};

/// Signed distance to each plane in clip space; inside is not negative.
fn distances(setup: &VertexSetup, [x, y, z, w]: [f32; 4]) -> [f32; 6] {
    let [gx, gy] = setup.half.map(|half| GUARD / half);
    [w + z, w - z, gx * w + x, gx * w - x, gy * w + y, gy * w - y]
}

/// Clips surfaces, one after the other. Keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct Clipper {
    /// Vertices of the surface before the division.
    vertices: Vec<ClipVertex>,
    parts: Vec<Part>,
    /// Parts of the surface; those behind are memory.
    tasks: usize,
}

/// Triangles or vertices of a task.
const TASK: usize = 4096;

impl Clipper {
    /// Takes the vertices of a surface before the division.
    pub(crate) fn set_vertices(
        &mut self,
        count: usize,
        vertex: impl Fn(usize) -> ClipVertex + Sync,
        threads: &Threads,
    ) {
        self.vertices.resize(count, ClipVertex::default());
        let make = |_, (task, vertices): (usize, &mut [ClipVertex])| {
            for (i, place) in vertices.iter_mut().enumerate() {
                *place = vertex(task * TASK + i);
            }
        };
        threads.share(self.vertices.chunks_mut(TASK).enumerate(), make);
    }

    /// Clips the triangles of the surface whose vertices were set. Its screen vertices stand from `base`
    /// on in `out`, new ones are appended. Triangles in `triangles` are pushed relative to `base`, in
    /// the order of `source`.
    pub(crate) fn clip(
        &mut self,
        setup: &VertexSetup,
        source: &[[u32; 3]],
        base: usize,
        out: &mut ScreenVertices,
        triangles: &mut Vec<[u32; 3]>,
        threads: &Threads,
    ) {
        let Self { vertices, parts, .. } = self;
        let tasks = source.len().div_ceil(TASK);
        self.tasks = tasks;
        parts.resize_with(parts.len().max(tasks), Part::default);
        let parts = &mut parts[..tasks];
        let clip = |_, (source, part): (&[[u32; 3]], &mut Part)| part.clip(setup, source, vertices);
        threads.share(source.chunks(TASK).zip(parts.iter_mut()), clip);
        for part in parts {
            part.append_to(base, out, triangles);
        }
        out.xy.resize(out.xy.len().next_multiple_of(8), 0);
        out.attributes.resize(out.xy.len() * ATTRIBUTES, 0.0);
    }

    /// The triangles of the surface that were cut, once for each triangle that this made, in the order
    /// of those.
    pub(crate) fn sources(&self) -> impl Iterator<Item = [ClipVertex; 3]> {
        let corners = self.parts[..self.tasks].iter().flat_map(|part| &part.sources);
        corners.map(|corners| corners.map(|corner| self.vertices[corner as usize]))
    }
}

/// What clipping made of some triangles.
#[derive(Debug, Default)]
struct Part {
    xy: Vec<u64>,
    attributes: Vec<f32>,
    /// Vertices of the surface, and with [`NEW`] those of this part.
    triangles: Vec<[u32; 3]>,
    /// Of each triangle of new vertices, the one that it was cut from.
    sources: Vec<[u32; 3]>,
}

const NEW: u32 = 1 << 31;

impl Part {
    fn clip(&mut self, setup: &VertexSetup, source: &[[u32; 3]], vertices: &[ClipVertex]) {
        self.xy.clear();
        self.attributes.clear();
        self.triangles.clear();
        self.sources.clear();
        let (mut polygon, mut next) = (Polygon::default(), Polygon::default());
        for &corners in source {
            let vertices = corners.map(|corner| vertices[corner as usize]);
            if vertices.iter().all(|v| setup.is_inside(v.position)) {
                self.triangles.push(corners);
                continue;
            }
            let finite = |v: &ClipVertex| v.position.iter().all(|x| x.abs() < TOO_FAR);
            if !vertices.iter().all(finite) {
                continue;
            }
            let distances = vertices.map(|vertex| distances(setup, vertex.position));
            let hides = |plane: usize| distances.iter().all(|distance| distance[plane] < 0.0);
            if (0..6).any(hides) {
                continue;
            }
            polygon.clear();
            vertices.into_iter().for_each(|vertex| polygon.push(vertex));
            for plane in 0..6 {
                cut(setup, plane, &polygon, &mut next);
                std::mem::swap(&mut polygon, &mut next);
            }
            let first = self.xy.len();
            for vertex in polygon.vertices() {
                // A new vertex is as far from its plane as its edge is rounded: a hair where the ends
                // of the edge are near each other, anywhere where w differs by many powers of ten.
                // The projection holds places in range, but it has to divide by w.
                if vertex.position[3] <= MIN_W {
                    continue;
                }
                let (xy, attributes) = setup.project(vertex);
                self.xy.push(xy);
                self.attributes.extend_from_slice(&attributes);
            }
            for corner in 2..self.xy.len() - first {
                let fan = [first, first + corner - 1, first + corner];
                self.triangles.push(fan.map(|vertex| vertex as u32 | NEW));
                self.sources.push(corners);
            }
        }
    }

    fn append_to(&self, base: usize, out: &mut ScreenVertices, triangles: &mut Vec<[u32; 3]>) {
        let first = (out.xy.len() - base) as u32;
        out.xy.extend_from_slice(&self.xy);
        out.attributes.extend_from_slice(&self.attributes);
        let placed = |vertex: u32| if vertex & NEW == 0 { vertex } else { first + (vertex & !NEW) };
        triangles.extend(self.triangles.iter().map(|corners| corners.map(placed)));
    }
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
