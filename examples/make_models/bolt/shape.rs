//! Meshes: tubes of rings and plates, with weights and places on the skin.
//!
//! The skin has the layout of the early Quake models: the left half is what is seen from the front,
//! the right half what is seen from behind, painted as if looking through the model. A vertex on
//! the seam between the two has its place in the left half; a back triangle adds half the width.

use glam::{Quat, Vec2, Vec3};

use super::skeleton::Posed;

/// Joints and the shares they have in a vertex; the shares sum to 1.
pub(crate) type Weights = &'static [(usize, f32)];

/// Groups of triangles that MD3 and MD5 files keep apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Group {
    Head,
    Body,
    Legs,
}

#[derive(Clone)]
pub(crate) struct Vertex {
    /// Place at rest, ground at Z = 0.
    pub(crate) rest: Vec3,
    pub(crate) weights: Weights,
    /// Place on the skin, in texels of the base size, edges of texels at whole numbers.
    pub(crate) st: Vec2,
    pub(crate) on_seam: bool,
}

#[derive(Clone, Copy)]
pub(crate) struct Triangle {
    /// Clockwise seen from outside.
    pub(crate) vertices: [usize; 3],
    pub(crate) front: bool,
    pub(crate) group: Group,
}

#[derive(Clone)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) triangles: Vec<Triangle>,
    /// Half the width of the skin at base size.
    pub(crate) half: f32,
}

/// A rectangle of the skin's left half, in texels of the base size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chart {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

/// One ring of a tube, in the tube's own space: Z along the tube, X to its front.
#[derive(Clone, Copy)]
pub(crate) struct Ring {
    /// Row of the chart, 0 on top.
    pub(crate) row: f32,
    pub(crate) z: f32,
    /// Half the depth (X) and half the width (Y). Both 0: a single vertex.
    pub(crate) radius: [f32; 2],
    /// Moved forward.
    pub(crate) x: f32,
    pub(crate) weights: Weights,
}

/// Rings from top to bottom, joined to a surface.
pub(crate) struct Tube<'a> {
    pub(crate) group: Group,
    pub(crate) chart: Chart,
    /// Where the tube's own space lies in the model's.
    pub(crate) origin: Vec3,
    pub(crate) turn: Quat,
    /// Even number of vertices around.
    pub(crate) around: usize,
    /// 1 is an ellipse, smaller is boxier.
    pub(crate) roundness: f32,
    pub(crate) rings: &'a [Ring],
}

/// One outline of a plate: how far out on the face, how big, on the skin how far from the middle.
#[derive(Clone, Copy)]
pub(crate) struct Outline {
    pub(crate) x: f32,
    pub(crate) size: f32,
    pub(crate) reach: f32,
}

/// A flat thing facing its own +X: outlines from the middle of the face to the rim, and, where the
/// plate is free, on to the middle of its back.
pub(crate) struct Plate<'a> {
    pub(crate) group: Group,
    pub(crate) chart: Chart,
    pub(crate) origin: Vec3,
    pub(crate) turn: Quat,
    pub(crate) around: usize,
    pub(crate) roundness: f32,
    /// Half the width (Y) and half the height (Z) of size 1.
    pub(crate) radius: [f32; 2],
    pub(crate) weights: Weights,
    pub(crate) face: &'a [Outline],
    pub(crate) back: &'a [Outline],
    /// The chart lies in the right half of the skin, and is not mirrored there.
    pub(crate) on_back_half: bool,
}

fn power(value: f32, exponent: f32) -> f32 {
    libm::powf(value.abs(), exponent).copysign(value)
}

/// Point on a superellipse. Step 0 is at -Y, a quarter on is +X, half way is +Y.
fn around_at(step: usize, around: usize, roundness: f32) -> Vec2 {
    // Exact at the four ends, so that seams are straight.
    let quarters = 4 * step;
    if quarters.is_multiple_of(around) {
        return [-Vec2::Y, Vec2::X, Vec2::Y, -Vec2::X][quarters / around % 4];
    }
    let angle = step as f32 / around as f32 * std::f32::consts::TAU;
    Vec2::new(power(libm::sinf(angle), roundness), -power(libm::cosf(angle), roundness))
}

impl Mesh {
    pub(crate) fn new(half: f32) -> Self {
        Self { vertices: Vec::new(), triangles: Vec::new(), half }
    }

    pub(crate) fn tube(&mut self, tube: &Tube<'_>) {
        let mut previous: Option<(usize, bool)> = None;
        for ring in tube.rings {
            let first = self.vertices.len();
            let pole = ring.radius == [0.0; 2];
            let count = if pole { 1 } else { tube.around };
            for step in 0..count {
                let vertex = self.tube_vertex(tube, ring, step, pole);
                self.vertices.push(vertex);
            }
            if let Some(above) = previous {
                self.band(tube.group, tube.around, above, (first, pole), |step| {
                    step < tube.around / 2
                });
            }
            previous = Some((first, pole));
        }
    }

    /// Triangles between two rings: the first one above the second one as seen from outside, or
    /// nearer to the middle. `front` is told per step.
    fn band(
        &mut self,
        group: Group,
        around: usize,
        above: (usize, bool),
        below: (usize, bool),
        front: impl Fn(usize) -> bool,
    ) {
        for step in 0..around {
            let next = (step + 1) % around;
            let at = |(first, pole): (usize, bool), step| if pole { first } else { first + step };
            let [a, b] = [at(above, step), at(above, next)];
            let [c, d] = [at(below, next), at(below, step)];
            for vertices in [[a, b, c], [a, c, d]] {
                if vertices[0] != vertices[1] && vertices[1] != vertices[2] {
                    let front = front(step);
                    self.triangles.push(Triangle { vertices, front, group });
                }
            }
        }
    }

    pub(crate) fn plate(&mut self, plate: &Plate<'_>) {
        let rim = plate.face.len().saturating_sub(1);
        let mut previous: Option<(usize, bool)> = None;
        for (index, outline) in plate.face.iter().chain(plate.back).enumerate() {
            let first = self.vertices.len();
            let pole = outline.size == 0.0;
            let seam = index == rim && !plate.back.is_empty();
            for step in 0..if pole { 1 } else { plate.around } {
                let vertex = self.plate_vertex(plate, outline, step, seam, index > rim);
                self.vertices.push(vertex);
            }
            if let Some(inner) = previous {
                let front = !plate.on_back_half && index <= rim;
                self.band(plate.group, plate.around, inner, (first, pole), |_| front);
            }
            previous = Some((first, pole));
        }
    }

    fn tube_vertex(&self, tube: &Tube<'_>, ring: &Ring, step: usize, pole: bool) -> Vertex {
        let half_turn = tube.around / 2;
        let p = if pole { Vec2::ZERO } else { around_at(step, tube.around, tube.roundness) };
        let place = Vec3::new(ring.x + ring.radius[0] * p.x, ring.radius[1] * p.y, ring.z);
        let along = if step <= half_turn { step } else { tube.around - step };
        let share = if pole { 0.5 } else { along as f32 / half_turn as f32 };
        let shift = if step > half_turn { self.half } else { 0.0 };
        let s = tube.chart.x + tube.chart.width * share + shift;
        Vertex {
            rest: tube.origin + tube.turn * place,
            weights: ring.weights,
            st: Vec2::new(s, tube.chart.y + ring.row),
            on_seam: pole || step == 0 || step == half_turn,
        }
    }

    fn plate_vertex(
        &self,
        plate: &Plate<'_>,
        outline: &Outline,
        step: usize,
        on_seam: bool,
        back: bool,
    ) -> Vertex {
        let unit = if outline.size == 0.0 {
            Vec2::ZERO
        } else {
            let p = around_at(step, plate.around, plate.roundness);
            // Left to right and up, seen from the face.
            Vec2::new(-p.y, p.x)
        };
        let across = Vec2::from_array(plate.radius) * unit * outline.size;
        let half = Vec2::new(plate.chart.width, plate.chart.height) * 0.5;
        let middle = Vec2::new(plate.chart.x, plate.chart.y) + half;
        let shift = if back { self.half } else { 0.0 };
        Vertex {
            rest: plate.origin + plate.turn * Vec3::new(outline.x, across.x, across.y),
            weights: plate.weights,
            st: middle + half * outline.reach * unit * Vec2::new(1.0, -1.0) + Vec2::X * shift,
            on_seam,
        }
    }

    /// Places of all vertices in a pose.
    pub(crate) fn positions(&self, posed: &Posed) -> Vec<Vec3> {
        self.vertices
            .iter()
            .map(|vertex| {
                vertex
                    .weights
                    .iter()
                    .map(|&(joint, share)| share * posed.point(joint, vertex.rest))
                    .sum()
            })
            .collect()
    }

    /// Unit normals: the unit normals of the triangles around a vertex, summed.
    pub(crate) fn normals(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; positions.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.vertices.map(|index| positions[index]);
            let face = (c - a).cross(b - a).normalize_or_zero();
            for index in triangle.vertices {
                normals[index] += face;
            }
        }
        normals.iter().map(|normal| normal.try_normalize().unwrap_or(Vec3::Z)).collect()
    }

    /// Where a corner of a triangle lies on the skin.
    pub(crate) fn corner(&self, triangle: &Triangle, corner: usize) -> Vec2 {
        let vertex = &self.vertices[triangle.vertices[corner]];
        let shift = if !triangle.front && vertex.on_seam { self.half } else { 0.0 };
        vertex.st + Vec2::X * shift
    }

    /// The mesh with only some of its triangles, and the vertices these use.
    pub(crate) fn only(&self, keep: impl Fn(&Triangle) -> bool) -> Self {
        let mut part = Self::new(self.half);
        let mut new_index = vec![None; self.vertices.len()];
        for triangle in self.triangles.iter().filter(|triangle| keep(triangle)) {
            let vertices = triangle.vertices.map(|index| {
                *new_index[index].get_or_insert_with(|| {
                    part.vertices.push(self.vertices[index].clone());
                    part.vertices.len() - 1
                })
            });
            part.triangles.push(Triangle { vertices, ..*triangle });
        }
        part
    }
}
