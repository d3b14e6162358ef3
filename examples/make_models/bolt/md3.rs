//! Quake III `.md3`: several surfaces, 16-bit vertices, tags; its `.skin` file.

use glam::{Quat, Vec2, Vec3};

use super::body::bolt;
use super::clips::Clip;
use super::out::{Out, bounds};
use super::shape::{Group, Mesh};
use super::skeleton::{ARMS, CHEST, HEAD, JOINTS, Posed};

/// A named place on a joint, for other models to be put on.
pub(crate) struct Tag {
    pub(crate) name: &'static str,
    pub(crate) joint: usize,
    /// Away from the joint, at rest.
    pub(crate) offset: Vec3,
}

const TAGS: [Tag; 2] = [
    Tag { name: "tag_head", joint: HEAD, offset: Vec3::ZERO },
    Tag { name: "tag_weapon", joint: ARMS[1][2], offset: Vec3::new(0.0, -1.4, -3.4) },
];

/// Surfaces with their shader, and by how many whole textures their coordinates are shifted.
const SURFACES: [(&str, Group, &str, [f32; 2]); 3] = [
    ("h_helmet", Group::Head, "models/bolt/bolt_paint.png", [0.0, 0.0]),
    ("u_body", Group::Body, "models/bolt/bolt_paint", [0.0, 0.0]),
    ("l_legs", Group::Legs, "models/bolt/bolt_paint.png", [-1.0, 2.0]),
];

/// What `bolt.skin` says: a texture per surface.
pub(crate) fn skin_file() -> Vec<u8> {
    let mut text = String::new();
    for (surface, _, _, _) in SURFACES {
        text += &format!("{surface},models/bolt/bolt_paint.png\n");
    }
    for tag in TAGS {
        text += &format!("{},\n", tag.name);
    }
    text.into_bytes()
}

/// The whole character: a stand, a walk, a greeting.
pub(crate) fn whole() -> Vec<u8> {
    let clips = [("stand", Clip::Stand, 8), ("walk", Clip::Walk, 10), ("wave", Clip::Wave, 12)];
    let frames: Vec<(String, Posed)> = clips
        .into_iter()
        .flat_map(|(name, clip, count)| {
            (0..count).map(move |index| {
                (format!("{name}{}", index + 1), clip.pose(index as f32 / count as f32))
            })
        })
        .collect();
    let whole = bolt();
    let surfaces: Vec<Surface> = SURFACES
        .iter()
        .map(|&(name, group, shader, shift)| {
            let mesh = whole.only(|triangle| triangle.group == group);
            Surface { name, shader, split: Split::new(&mesh, Vec2::from_array(shift)), mesh }
        })
        .collect();
    write("models/bolt/bolt.md3", &frames, &TAGS, &surfaces)
}

/// Nothing to see, a place to hold: the model of a hand.
pub(crate) fn hand() -> Vec<u8> {
    let tag = Tag { name: "tag_weapon", joint: CHEST, offset: Vec3::new(12.0, -6.0, -4.0) };
    let frames: Vec<(String, Posed)> = (0..2)
        .map(|index| (format!("hand{index}"), Clip::Stand.pose(0.5 * index as f32)))
        .collect();
    write("models/bolt/hand.md3", &frames, &[tag], &[])
}

pub(crate) struct Surface {
    name: &'static str,
    shader: &'static str,
    mesh: Mesh,
    split: Split,
}

impl Surface {
    /// A mesh whose texture coordinates are not shifted.
    pub(crate) fn new(name: &'static str, shader: &'static str, mesh: Mesh) -> Self {
        Self { name, shader, split: Split::new(&mesh, Vec2::ZERO), mesh }
    }
}

/// Vertices doubled where the two sides of a seam lie apart on the texture.
pub(crate) struct Split {
    /// The mesh's vertex, and the texture coordinates.
    pub(crate) vertices: Vec<(usize, Vec2)>,
    pub(crate) triangles: Vec<[usize; 3]>,
}

impl Split {
    /// Texture coordinates are parts of the whole texture, shifted.
    pub(crate) fn new(mesh: &Mesh, shift: Vec2) -> Self {
        let size = Vec2::new(2.0 * mesh.half, super::body::HEIGHT as f32);
        let mut split = Self { vertices: Vec::new(), triangles: Vec::new() };
        for triangle in &mesh.triangles {
            let vertices = [0, 1, 2].map(|corner| {
                let st = mesh.corner(triangle, corner) / size + shift;
                let vertex = (triangle.vertices[corner], st);
                split.vertices.iter().position(|&known| known == vertex).unwrap_or_else(|| {
                    split.vertices.push(vertex);
                    split.vertices.len() - 1
                })
            });
            split.triangles.push(vertices);
        }
        split
    }
}

pub(crate) fn write(
    name: &str,
    frames: &[(String, Posed)],
    tags: &[Tag],
    surfaces: &[Surface],
) -> Vec<u8> {
    let mut out = Out::default();
    out.name("IDP3", 4);
    out.int(15);
    out.name(name, 64);
    for value in [0, frames.len(), tags.len(), surfaces.len(), 0] {
        out.int(value);
    }
    const OFFSETS: usize = 92;
    out.0.resize(108, 0);
    let at = out.0.len();
    out.set_int(OFFSETS, at);
    for (name, posed) in frames {
        let points: Vec<Vec3> =
            surfaces.iter().flat_map(|surface| surface.mesh.positions(posed)).collect();
        let corners = if points.is_empty() { [Vec3::ZERO; 2] } else { bounds(&points) };
        for corner in corners {
            out.vector(corner);
        }
        out.vector(Vec3::ZERO);
        out.float(points.iter().map(|point| point.length()).fold(0.0, f32::max));
        out.name(name, 16);
    }
    let at = out.0.len();
    out.set_int(OFFSETS + 4, at);
    for (_, posed) in frames {
        for tag in tags {
            out.name(tag.name, 64);
            out.vector(posed.point(tag.joint, JOINTS[tag.joint].rest + tag.offset));
            let turn: Quat = posed.turn[tag.joint];
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                out.vector(turn * axis);
            }
        }
    }
    let at = out.0.len();
    out.set_int(OFFSETS + 8, at);
    for surface in surfaces {
        write_surface(&mut out, surface, frames);
    }
    let end = out.0.len();
    out.set_int(OFFSETS + 12, end);
    out.0
}

fn write_surface(out: &mut Out, surface: &Surface, frames: &[(String, Posed)]) {
    let start = out.0.len();
    out.name("IDP3", 4);
    out.name(surface.name, 64);
    for value in [0, frames.len(), 1, surface.split.vertices.len(), surface.split.triangles.len()] {
        out.int(value);
    }
    const OFFSETS: usize = 88;
    out.0.resize(start + 108, 0);
    let mark = |out: &mut Out, field: usize| {
        let at = out.0.len() - start;
        out.set_int(start + OFFSETS + 4 * field, at);
    };
    mark(out, 1);
    out.name(surface.shader, 64);
    out.int(0);
    mark(out, 0);
    for triangle in &surface.split.triangles {
        for &index in triangle {
            out.int(index);
        }
    }
    mark(out, 2);
    for (_, st) in &surface.split.vertices {
        out.float(st.x);
        out.float(st.y);
    }
    mark(out, 3);
    for (_, posed) in frames {
        let positions = surface.mesh.positions(posed);
        let normals = surface.mesh.normals(&positions);
        for &(vertex, _) in &surface.split.vertices {
            const STEPS_PER_UNIT: f32 = 64.0;
            let steps = positions[vertex] * STEPS_PER_UNIT;
            for step in steps.to_array() {
                out.short(libm::floorf(step + 0.5) as i32);
            }
            out.0.extend(angles(normals[vertex]));
        }
    }
    mark(out, 4);
}

/// Zenith and azimuth of a unit normal, 255 to the full turn, cut to whole numbers.
pub(crate) fn angles(normal: Vec3) -> [u8; 2] {
    if normal.x == 0.0 && normal.y == 0.0 {
        return if normal.z > 0.0 { [0, 0] } else { [128, 0] };
    }
    let bytes = |radians: f32| (radians.to_degrees() * (255.0 / 360.0)) as i32 as u8;
    [bytes(libm::acosf(normal.z.clamp(-1.0, 1.0))), bytes(libm::atan2f(normal.y, normal.x))]
}
