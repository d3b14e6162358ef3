//! Vertex stage: a posed surface, a camera and a light give screen vertices.
//!
//! A screen vertex is a position in 1/65536 pixel (two integers, all that culling touches) and five
//! floats: z, 1/w and three attributes divided by w. Vertices behind the near plane, beyond the far
//! plane or outside the guard band are only flagged; the clip stage deals with their triangles.

use crate::light::LightRamp;
use crate::model::SLOTS;
use crate::pages::Pages;
use crate::pose::PosedSurface;

use super::shade::ATTRIBUTES;

/// Pixels from the centre of the picture to the end of the guard band. With pictures of at most
/// 16384 pixels, coordinates stay within 24576 pixels, 24 bits in 1/256 pixel with their sign.
pub(crate) const GUARD: f32 = 16384.0;

/// Pixels from the first pixel that no place on the screen exceeds. Vertices inside are nearer by far;
/// new ones of the clip stage, made by interpolation, may miss the guard band by as much as the far end
/// of their edge is rounded (docs/rasterization.md).
pub(crate) const FARTHEST: f32 = 32767.0;

/// Screen vertices of surfaces; each surface starts at a multiple of 8.
#[derive(Debug, Default)]
pub(crate) struct ScreenVertices {
    /// x (low half) and y (high half) in 1/65536 pixel, y down; see [`packed`].
    pub(crate) xy: Pages<u64>,
    /// [`ATTRIBUTES`] floats a vertex: z in 0..1, 1/w, a/w, b/w, c/w.
    pub(crate) attributes: Pages<f32>,
}

/// Numbers of positions that surfaces are handed to the kernels with, where they have no more vertices.
/// The first is enough for nearly all models, and 32 KiB; the second is what 16 bits count.
pub(crate) const ROOMS: [usize; 3] = [1 << 12, SLOTS, 1 << 20];

/// Vertices of a mesh up to which the caches hold them all.
pub(crate) const MANY_VERTICES: usize = 1 << 16;

/// Vertices of the ring of `stream.rs`, 450 KB of positions and attributes.
pub(crate) const RING: usize = 1 << 14;

/// How many positions a surface of so many vertices is handed to the kernels with: a power of two, if
/// it is not too large. What stands behind its own is of no meaning.
fn room(count: usize) -> usize {
    ROOMS.into_iter().find(|&room| count <= room).unwrap_or(count)
}

/// Spare floats behind the last vertex: its record is read as a vector of 8.
const SPARE: usize = 8;

/// Floats of attributes that a surface [`of_many`] vertices, and the ring, is handed to the kernels with: a power of two
/// of places where records begin, as [`ROOMS`] are of positions.
pub(crate) const RECORDS: usize = (RING * ATTRIBUTES).next_power_of_two() + SPARE;

/// Whether the [`RECORDS`] are not out of proportion to the vertices, and enough.
fn of_many(count: usize) -> bool {
    count > ROOMS[0] && count <= RING
}

impl ScreenVertices {
    /// Makes room for so many vertices, of surfaces of at most `most`.
    pub(crate) fn resize(&mut self, count: usize, most: usize) {
        let positions = count + room(most);
        if self.xy.len() < positions {
            // Memory that is fresh and never touched costs nothing.
            self.xy = Pages::zeroed(positions);
        }
        let behind = if most > ROOMS[0] { RECORDS } else { SPARE };
        let floats = count * ATTRIBUTES + behind;
        if self.attributes.len() < floats {
            self.attributes = Pages::zeroed(floats);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.xy.clear();
        self.attributes.clear();
    }

    /// Makes the last record as long as it is read.
    pub(crate) fn add_spare(&mut self) {
        self.attributes.resize(self.attributes.len() + SPARE, 0.0);
    }

    /// Positions of a surface, with [`room`].
    pub(crate) fn positions(&self, base: usize, count: usize) -> &[u64] {
        &self.xy[base..base + room(count)]
    }

    /// Attributes of a surface: [`RECORDS`] floats if it is [`of_many`] vertices.
    pub(crate) fn records(&self, base: usize, count: usize) -> &[f32] {
        let attributes = &self.attributes[base * ATTRIBUTES..];
        if of_many(count) { &attributes[..RECORDS] } else { attributes }
    }
}

/// Two coordinates as one word, so that the kernels load a position at once.
pub(crate) fn packed([x, y]: [i32; 2]) -> u64 {
    u64::from(x as u32) | u64::from(y as u32) << 32
}

/// The coordinates of a [`packed`] position in 1/65536 pixel.
pub(crate) fn fine(xy: u64) -> [i32; 2] {
    [xy as i32, (xy >> 32) as i32]
}

/// The coordinates of a [`packed`] position rounded to 1/256 pixel, which coverage goes by.
pub(crate) fn point(xy: u64) -> [i32; 2] {
    fine(xy).map(|x| (x + 128) >> 8)
}

/// What the three free attributes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// Texture coordinates times this scale, and light.
    Textured([f32; 2]),
    /// The normal.
    Normals,
    /// Depth between near and far, 0..1.
    Depth,
}

/// From the space of an instance to clip space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClipRows {
    /// Rows of the matrix: to -w..w, y up, z -w near to w far.
    pub(crate) rows: [[f32; 4]; 4],
    /// Near and far distance along the view direction, between which a depth picture is linear;
    /// `None` if it shows z as it is.
    pub(crate) range: Option<[f32; 2]>,
}

/// Everything that is the same for all vertices of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexSetup {
    pub(crate) camera: ClipRows,
    pub(crate) light: LightRamp,
    pub(crate) source: Source,
    /// Divide attributes by w; off for affine mapping.
    pub(crate) perspective: bool,
    /// Half the picture's size in pixels.
    pub(crate) half: [f32; 2],
}

/// A vertex before the division.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClipVertex {
    /// Clip space: -w..w, y up.
    pub(crate) position: [f32; 4],
    /// a, b, c, not divided by w.
    pub(crate) attributes: [f32; 3],
}

/// Smallest w that is projected; nearer vertices are behind any near plane in use.
pub(crate) const MIN_W: f32 = 1e-9;

/// Clip coordinates from here on may become infinite in distances to planes, or are so already: a
/// triangle that has some is left out. The sides of the guard band are at most 32768 w from the
/// middle, so distances stay below 6.6e37 and their differences below 1.4e38.
pub(crate) const TOO_FAR: f32 = 1e33;

/// Vertices whose w is below can be projected without a look at x, y and z: inside the guard band
/// those are below 32768 w, which is below [`TOO_FAR`]. The clip stage looks at the others.
pub(crate) const FAR_W: f32 = 1e28;

impl VertexSetup {
    /// The vertex in clip space with its attributes.
    pub(crate) fn clip_vertex(
        &self,
        surface: &PosedSurface,
        texcoords: &[[f32; 2]],
        i: usize,
    ) -> ClipVertex {
        let [x, y, z] = [0, 1, 2].map(|axis| surface.position[axis][i]);
        let row = |r: [f32; 4]| ((r[0] * x + r[1] * y) + r[2] * z) + r[3];
        let position = self.camera.rows.map(row);
        let normal = [0, 1, 2].map(|axis| surface.normal[axis][i]);
        let attributes = match self.source {
            Source::Textured(scale) => {
                // The padding behind the last vertex repeats it.
                let [u, v] = texcoords[i.min(texcoords.len() - 1)].map(sane);
                [u * scale[0], v * scale[1], self.light.at(normal)]
            }
            Source::Normals => normal,
            Source::Depth => {
                let along = match self.camera.range {
                    Some([near, far]) if self.camera.rows[3] != [0.0, 0.0, 0.0, 1.0] => {
                        (position[3] - near) / (far - near)
                    }
                    _ => (position[2] / position[3]) * 0.5 + 0.5,
                };
                [along, 0.0, 0.0]
            }
        };
        ClipVertex { position, attributes }
    }

    /// Whether the vertex can be projected as it is. False for anything that is not finite.
    pub(crate) fn is_inside(&self, position: [f32; 4]) -> bool {
        let [x, y, z, w] = position;
        let [gx, gy] = self.half.map(|half| GUARD / half);
        w > MIN_W && w < FAR_W && z.abs() <= w && x.abs() <= gx * w && y.abs() <= gy * w
    }

    /// Divides by w and goes to the screen. w is above [`MIN_W`].
    pub(crate) fn project(&self, vertex: &ClipVertex) -> (u64, [f32; ATTRIBUTES]) {
        let [x, y, z, w] = vertex.position;
        let iw = 1.0 / w;
        let sx = (x * iw) * self.half[0] + self.half[0];
        let sy = self.half[1] - (y * iw) * self.half[1];
        let snap = |s: f32| (s.clamp(-FARTHEST, FARTHEST) * 65536.0).floor() as i32;
        let k = if self.perspective { iw } else { 1.0 };
        let [a, b, c] = vertex.attributes.map(|x| x * k);
        (packed([snap(sx), snap(sy)]), [(z * iw) * 0.5 + 0.5, k, a, b, c])
    }
}

/// Texture coordinates up to here are used as they are.
pub(crate) const FAR_TEXCOORD: f32 = 16384.0;

/// Texture coordinates as they are, unless they are so far out that texel numbers would not fit.
fn sane(u: f32) -> f32 {
    if u.abs() <= FAR_TEXCOORD {
        u
    } else if u.is_finite() {
        u - u.floor()
    } else {
        0.0
    }
}

/// What the vertex stage found of some vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// All of them are inside.
    pub(crate) inside: bool,
    /// Smallest and largest x and y in 1/65536 pixel.
    pub(crate) min: [i32; 2],
    pub(crate) max: [i32; 2],
}

impl Extent {
    /// Of no vertices.
    pub(crate) const NONE: Self = Self { inside: true, min: [i32::MAX; 2], max: [i32::MIN; 2] };

    /// Of both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            inside: self.inside && other.inside,
            min: [0, 1].map(|axis| self.min[axis].min(other.min[axis])),
            max: [0, 1].map(|axis| self.max[axis].max(other.max[axis])),
        }
    }
}

/// Where the vertices begin that are transformed at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// The first of them; a multiple of 8.
    pub(crate) first: usize,
    /// The first of those that are transformed next, if some may be left out in between and the caches do not hold
    /// them all: the processor does not see by itself where its streams go on then, and they are prefetched.
    pub(crate) next: Option<usize>,
}

impl Stretch {
    /// Of which nothing is prefetched.
    pub(crate) fn from(first: usize) -> Self {
        Self { first, next: None }
    }
}

/// Transforms and lights vertices `first..first + xy.len()` of a surface.
pub(crate) fn transform(
    setup: &VertexSetup,
    surface: &PosedSurface,
    texcoords: &[[f32; 2]],
    first: usize,
    xy: &mut [u64],
    attributes: &mut [f32],
) -> Extent {
    let mut extent = Extent::NONE;
    let records = attributes.as_chunks_mut::<ATTRIBUTES>().0;
    for (i, (xy, record)) in xy.iter_mut().zip(records).enumerate() {
        let vertex = setup.clip_vertex(surface, texcoords, first + i);
        if setup.is_inside(vertex.position) {
            (*xy, *record) = setup.project(&vertex);
            let at = fine(*xy);
            extent = extent.and(Extent { inside: true, min: at, max: at });
        } else {
            (*xy, *record) = (0, [0.0; ATTRIBUTES]);
            extent.inside = false;
        }
    }
    extent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_surface_has_room() {
        let [small, medium, large] = ROOMS;
        let mut vertices = ScreenVertices::default();
        for (counts, rooms) in [
            ([8, 16], [small, small]),
            ([8, small + 8], [small, medium]),
            ([8, RING + 8], [small, medium]),
            ([small + 8, medium + 8], [medium, large]),
            ([large, 8], [large, small]),
            ([8, large + 8], [small, large + 8]),
            ([0, 8], [small, small]),
        ] {
            vertices.resize(counts.iter().sum(), *counts.iter().max().unwrap());
            let mut base = 0;
            for (count, room) in counts.into_iter().zip(rooms) {
                assert_eq!(vertices.positions(base, count).len(), room, "{counts:?}");
                let records = vertices.records(base, count).len();
                assert!(records >= count * ATTRIBUTES + SPARE, "{counts:?}");
                assert_eq!(records == RECORDS, of_many(count), "{counts:?}");
                base += count;
            }
        }
    }
}
