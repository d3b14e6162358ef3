//! Cutting triangles at the near plane and at the sides of the picture.

use super::fill::Fill;
use super::number::{int, int_f64};
use super::stats::ClassicStats;
use super::vertex::{BOTTOM, CLIP, LEFT, NEAR, Projection, RIGHT, TOP, Vertex};

/// From which end a cut at the near plane is computed; the ends differ in rounding only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NearEnd {
    /// Quake: from the one that is lower in the picture.
    Lower,
    /// Quake II: from the first on the way around the triangle.
    First,
}

/// Sends triangles to be filled, cut where necessary.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clipper {
    pub(super) projection: Projection,
    pub(super) near_end: NearEnd,
}

/// A stage makes at most three vertices of two, so five stages at most 19 of three.
const MOST: usize = 20;

#[derive(Clone, Copy)]
struct Polygon {
    vertices: [Vertex; MOST],
    count: usize,
}

impl Polygon {
    fn new() -> Self {
        Self { vertices: [Vertex::default(); MOST], count: 0 }
    }

    fn push(&mut self, vertex: Vertex) {
        self.vertices[self.count] = vertex;
        self.count += 1;
    }

    fn as_slice(&self) -> &[Vertex] {
        &self.vertices[..self.count]
    }

    fn any_flags(&self, first: usize) -> i32 {
        self.as_slice().iter().take(first).fold(0, |flags, vertex| flags | vertex.flags)
    }
}

impl Clipper {
    /// One triangle with the flags and view positions of its corners.
    pub(super) fn draw(
        &self,
        corners: [&Vertex; 3],
        positions: impl FnOnce() -> [[f32; 3]; 3],
        fill: &mut dyn Fill,
        stats: &mut ClassicStats,
    ) {
        let flags = corners.map(|corner| corner.flags & CLIP);
        if flags[0] & flags[1] & flags[2] != 0 {
            stats.outside += 1;
            return;
        }
        let any = flags[0] | flags[1] | flags[2];
        if any == 0 {
            fill.triangle(corners);
            return;
        }
        stats.clipped += 1;
        stats.near_clipped += u64::from(any & NEAR != 0);
        let mut polygon = self.cut(corners, &positions());
        let [width, height] = self.projection.size;
        for vertex in &mut polygon.vertices[..polygon.count] {
            vertex.u = vertex.u.clamp(0, width);
            vertex.v = vertex.v.clamp(0, height);
        }
        for pair in polygon.as_slice().windows(2).skip(1) {
            fill.triangle([&polygon.vertices[0], &pair[0], &pair[1]]);
        }
    }

    /// Which sides to cut at is decided by the corners, and after the near plane once more by the
    /// first three vertices; what cutting brings outside later stays.
    fn cut(&self, corners: [&Vertex; 3], positions: &[[f32; 3]; 3]) -> Polygon {
        let mut polygon = Polygon::new();
        corners.iter().for_each(|&&corner| polygon.push(corner));
        let mut sides = polygon.any_flags(3);
        if sides & NEAR != 0 {
            polygon = stage(&polygon, NEAR, |from, to, vertices| {
                self.near_vertex([&vertices[from], &vertices[to]], [positions[from], positions[to]])
            });
            sides = polygon.any_flags(3);
        }
        for side in [LEFT, RIGHT, BOTTOM, TOP] {
            if sides & side != 0 {
                polygon = stage(&polygon, side, |from, to, vertices| {
                    self.side_vertex(side, &vertices[from], &vertices[to])
                });
            }
        }
        polygon
    }

    /// The vertex where an edge goes through the near plane; `p` comes before `q`.
    fn near_vertex(&self, [p, q]: [&Vertex; 2], [at_p, at_q]: [[f32; 3]; 2]) -> Vertex {
        let keep = self.near_end == NearEnd::First || p.v >= q.v;
        let ((a, at_a), (b, at_b)) =
            if keep { ((p, at_p), (q, at_q)) } else { ((q, at_q), (p, at_p)) };
        let near = self.projection.near;
        let part = (near - at_a[2]) / (at_b[2] - at_a[2]);
        let between = |a: i32, b: i32| int(a as f32 + b.wrapping_sub(a) as f32 * part);
        let mut vertex = Vertex {
            s: between(a.s, b.s),
            t: between(a.t, b.t),
            light: between(a.light, b.light),
            ..Vertex::default()
        };
        let x = at_a[0] + (at_b[0] - at_a[0]) * part;
        let y = at_a[1] + (at_b[1] - at_a[1]) * part;
        self.projection.place(&mut vertex, [x, y, near]);
        vertex.flags = self.projection.outside(&vertex);
        vertex
    }

    /// The vertex where an edge goes through a side of the picture.
    fn side_vertex(&self, side: i32, p: &Vertex, q: &Vertex) -> Vertex {
        let (a, b) = if p.v >= q.v { (p, q) } else { (q, p) };
        let [width, height] = self.projection.size;
        let (limit, from, to) = match side {
            LEFT => (0, a.u, b.u),
            RIGHT => (width, a.u, b.u),
            TOP => (0, a.v, b.v),
            _ => (height, a.v, b.v),
        };
        let part = limit.wrapping_sub(from) as f32 / to.wrapping_sub(from) as f32;
        let between =
            |a: i32, b: i32| int_f64(f64::from(a as f32 + b.wrapping_sub(a) as f32 * part) + 0.5);
        let mut vertex = Vertex {
            u: between(a.u, b.u),
            v: between(a.v, b.v),
            s: between(a.s, b.s),
            t: between(a.t, b.t),
            light: between(a.light, b.light),
            zi: between(a.zi, b.zi),
            flags: 0,
        };
        vertex.flags = self.projection.outside(&vertex);
        vertex
    }
}

/// Keeps what lies on the inner side (Sutherland and Hodgman); `cut` makes the vertex between two
/// neighbours.
fn stage(input: &Polygon, side: i32, cut: impl Fn(usize, usize, &[Vertex]) -> Vertex) -> Polygon {
    let mut output = Polygon::new();
    let vertices = input.as_slice();
    let mut previous = vertices.len().wrapping_sub(1);
    for (current, vertex) in vertices.iter().enumerate() {
        if (vertex.flags ^ vertices[previous].flags) & side != 0 {
            output.push(cut(previous, current, vertices));
        }
        if vertex.flags & side == 0 {
            output.push(*vertex);
        }
        previous = current;
    }
    output
}
