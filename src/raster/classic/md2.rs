//! Quake II's alias models.

use super::boxtest::{MD2_NEAR, Md2Box, old_frame_world, world};
use super::buffers::Buffers;
use super::camera::{Axes, Camera};
use super::clip::{Clipper, NearEnd};
use super::fill::{Fill, Filler};
use super::frame::Target;
use super::light::{Light, md2_level};
use super::number::dot;
use super::scene::ClassicScene;
use super::select::entry;
use super::shade::{
    Linear, Lit, OneThird, Shade, ShellOneThird, ShellTwoThirds, TwoThirds, Undefined,
};
use super::stats::{ClassicPath, ClassicStats};
use super::tables::Tables;
use super::texture::{Texels, coordinate};
use super::transform::{self, Matrix, apply};
use super::vertex::{Projection, Vertex};
use crate::format::NORMALS;
use crate::model::{ByteFrame, Md2Mesh, Md2Triangle};

/// How far a shell stands off, in model units.
const SHELL: f32 = 4.0;
/// The translucency of shells in the game.
const SHELL_ALPHA: f32 = 0.3;

/// What the draw takes from the model.
#[derive(Clone, Copy)]
pub(super) struct Md2Source<'a> {
    pub(super) mesh: &'a Md2Mesh,
    pub(super) frames: &'a [ByteFrame],
    /// Packed vertices per frame.
    pub(super) vertex_count: usize,
    pub(super) texels: Texels<'a>,
    /// The size of the skin that texture coordinates count texels of. The original takes the
    /// picture's, whatever the header says; polyset takes the header's for pictures of other kinds.
    pub(super) skin_size: [i32; 2],
    pub(super) tables: &'a Tables,
}

/// How the pixels of a pass are made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Opaque,
    TwoThirds,
    OneThird,
    ShellTwoThirds(u8),
    ShellOneThird(u8),
}

impl Kind {
    fn of(alpha: Option<f32>, shell: Option<u8>) -> Self {
        let is_above = |limit| alpha.is_some_and(|alpha| f64::from(alpha) > limit);
        match shell {
            Some(color) if is_above(0.33) => Self::ShellTwoThirds(color),
            Some(color) => Self::ShellOneThird(color),
            None if alpha.is_none() || is_above(0.66) => Self::Opaque,
            None if is_above(0.33) => Self::TwoThirds,
            None => Self::OneThird,
        }
    }
}

/// All passes of an entity: the model, or the model and its shell, or the shell alone.
pub(super) fn draw(
    source: &Md2Source<'_>,
    scene: &ClassicScene,
    mut target: Target<'_>,
    buffers: &mut Buffers,
) -> ClassicStats {
    let shell = scene.shell.color();
    let kind = match shell {
        Some(_) => Kind::of(scene.alpha.or(Some(SHELL_ALPHA)), shell),
        None => Kind::of(scene.alpha, None),
    };
    let opaque_first = scene.opaque_pass.unwrap_or(shell.is_some()) && kind != Kind::Opaque;
    let passes = [opaque_first.then_some(Kind::Opaque), Some(kind)];
    let (mut stats, limit) = (ClassicStats::default(), target.max_work);
    for kind in passes.into_iter().flatten() {
        let Some(rest) = limit.checked_sub(stats.tested) else { break };
        target.max_work = rest;
        stats.add(&pass(source, scene, kind, target.reborrow(), buffers));
    }
    stats
}

fn pass(
    source: &Md2Source<'_>,
    scene: &ClassicScene,
    kind: Kind,
    target: Target<'_>,
    buffers: &mut Buffers,
) -> ClassicStats {
    let mesh = source.mesh;
    let mut stats =
        ClassicStats { triangles: mesh.triangles.len() as u64, ..ClassicStats::default() };
    let frame = entry(source.frames, scene.frame);
    let (Some(frame), Some(old)) = (frame, entry(source.frames, scene.old_frame)) else {
        return stats;
    };
    let camera = Camera::new(scene, target.width, target.height);
    let axes = Axes::from_angles(scene.angles);
    let view = transform::model(&camera, &axes, scene.origin);
    if is_rejected(scene, &camera, &axes, &view, [frame, old]) {
        return stats;
    }
    stats.path = ClassicPath::Clipped;
    let mirrored = scene.view_weapon && scene.left_handed;
    let mut projection = Projection::new(&camera, MD2_NEAR, scene.view_weapon);
    if mirrored {
        projection.scale[0] = -projection.scale[0];
    }
    let stage = VertexStage {
        lerp: Lerp::new(scene, &axes, frame, old),
        push: if matches!(kind, Kind::Opaque | Kind::TwoThirds | Kind::OneThird) {
            0.0
        } else {
            SHELL
        },
        view,
        light: Light::new(md2_level(scene), &axes),
        projection,
    };
    if !stage.run(source, [frame, old], buffers) {
        return stats;
    }
    stats.vertices = source.vertex_count as u64;
    let counts = Undefined::default();
    let texture = Linear { texels: source.texels.indices, width: source.texels.width };
    let lit = Lit::new(texture, source.tables, &counts);
    let triangles = Triangles {
        source,
        buffers,
        clipper: Clipper { projection, near_end: NearEnd::First },
        mirrored,
    };
    let blend = || source.tables.blend();
    match kind {
        Kind::Opaque => triangles.fill(target, lit, &mut stats),
        Kind::TwoThirds => {
            triangles.fill(target, TwoThirds { lit, blend: blend() }, &mut stats);
        }
        Kind::OneThird => triangles.fill(target, OneThird { lit, blend: blend() }, &mut stats),
        Kind::ShellTwoThirds(color) => {
            triangles.fill(target, ShellTwoThirds { color, blend: blend() }, &mut stats);
        }
        Kind::ShellOneThird(color) => {
            triangles.fill(target, ShellOneThird { color, blend: blend() }, &mut stats);
        }
    }
    (stats.texels_outside, stats.rows_outside) = (counts.texels.get(), counts.rows.get());
    stats
}

/// Blended frames are rejected only together.
fn is_rejected(
    scene: &ClassicScene,
    camera: &Camera,
    axes: &Axes,
    view: &Matrix,
    [frame, old]: [&ByteFrame; 2],
) -> bool {
    let current = Md2Box { camera, view, world: world(axes, scene.origin) };
    if !current.rejects(frame) {
        return false;
    }
    let old_origin = scene.old_origin.unwrap_or(scene.origin);
    let before = Md2Box { camera, view, world: old_frame_world(axes, old_origin) };
    scene.backlerp == 0.0 || before.rejects(old)
}

/// Two frames' bytes to one position in model space.
struct Lerp {
    shift: [f32; 3],
    front: [f32; 3],
    back: [f32; 3],
}

impl Lerp {
    fn new(scene: &ClassicScene, axes: &Axes, frame: &ByteFrame, old: &ByteFrame) -> Self {
        let back = scene.backlerp;
        let front = 1.0 - back;
        let old_origin = scene.old_origin.unwrap_or(scene.origin);
        let moved = [0, 1, 2].map(|i| old_origin[i] - scene.origin[i]);
        let moved = [dot(moved, axes.forward), -dot(moved, axes.right), dot(moved, axes.up)];
        Self {
            shift: [0, 1, 2].map(|i| back * (moved[i] + old.origin[i]) + front * frame.origin[i]),
            front: frame.scale.map(|scale| front * scale),
            back: old.scale.map(|scale| back * scale),
        }
    }

    #[inline(always)]
    fn at(&self, new: [u8; 4], old: [u8; 4]) -> [f32; 3] {
        [0, 1, 2].map(|i| {
            self.shift[i] + f32::from(old[i]) * self.back[i] + f32::from(new[i]) * self.front[i]
        })
    }
}

struct VertexStage {
    lerp: Lerp,
    /// How far along their normals vertices are moved.
    push: f32,
    view: Matrix,
    light: Light,
    projection: Projection,
}

impl VertexStage {
    /// Fills the buffers; false if the frames are not in the file.
    fn run(&self, source: &Md2Source<'_>, frames: [&ByteFrame; 2], buffers: &mut Buffers) -> bool {
        buffers.clear();
        let packed = |frame: &ByteFrame| {
            let end = frame.offset.checked_add(source.vertex_count.checked_mul(4)?)?;
            source.mesh.file.get(frame.offset..end).map(|bytes| bytes.as_chunks::<4>().0)
        };
        let [Some(new), Some(old)] = frames.map(packed) else {
            return false;
        };
        for (&new, &old) in new.iter().zip(old) {
            let normal = *NORMALS.get(usize::from(new[3])).unwrap_or(&NORMALS[0]);
            let mut position = self.lerp.at(new, old);
            if self.push != 0.0 {
                position = [0, 1, 2].map(|i| position[i] + normal[i] * self.push);
            }
            let position = apply(&self.view, position);
            let mut vertex = Vertex { light: self.light.at(normal), ..Vertex::default() };
            self.projection.place_or_flag(&mut vertex, position);
            buffers.vertices.push(vertex);
            buffers.positions.push(position);
        }
        true
    }
}

struct Triangles<'a> {
    source: &'a Md2Source<'a>,
    buffers: &'a Buffers,
    clipper: Clipper,
    /// A mirrored weapon's triangles are turned round, so that their front stays the front.
    mirrored: bool,
}

impl Triangles<'_> {
    fn fill<S: Shade>(&self, target: Target<'_>, shade: S, stats: &mut ClassicStats) {
        let mut filler = Filler::new(target, shade);
        self.draw(&mut filler, stats);
        filler.finish(stats);
    }

    fn draw(&self, fill: &mut dyn Fill, stats: &mut ClassicStats) {
        for triangle in &self.source.mesh.triangles {
            let mut numbers = triangle.vertices;
            if self.mirrored {
                numbers.reverse();
            }
            let Some(mut corners) =
                self.buffers.visible_corners(numbers).and_then(|_| self.corners(triangle))
            else {
                continue;
            };
            if self.mirrored {
                corners.reverse();
            }
            let positions = || self.buffers.positions(numbers);
            self.clipper.draw(corners.each_ref(), positions, fill, stats);
        }
    }

    /// The corners with their texture coordinates. The original stores those in the vertex, so of a
    /// vertex that a triangle names twice both corners get the later ones.
    fn corners(&self, triangle: &Md2Triangle) -> Option<[Vertex; 3]> {
        let [a, b, c] = self.buffers.corners(triangle.vertices)?;
        let mut corners = [*a, *b, *c];
        let Texels { width, height, .. } = self.source.texels;
        let [skin_width, skin_height] = self.source.skin_size;
        for (i, &number) in triangle.st.iter().enumerate() {
            let [s, t] = *self.source.mesh.st.get(number as usize)?;
            let s = coordinate(i32::from(s), skin_width, width);
            let t = coordinate(i32::from(t), skin_height, height);
            let named = triangle.vertices.iter().zip(&mut corners);
            for (_, corner) in named.filter(|(vertex, _)| **vertex == triangle.vertices[i]) {
                (corner.s, corner.t) = (s, t);
            }
        }
        Some(corners)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_and_shell_choose_the_kind() {
        let table = [
            (None, None, Kind::Opaque),
            (Some(1.0), None, Kind::Opaque),
            // As f32, 0.66 and 0.33 are above the doubles that they are compared with.
            (Some(0.66), None, Kind::Opaque),
            (Some(0.65), None, Kind::TwoThirds),
            (Some(0.33), None, Kind::TwoThirds),
            (Some(0.3), None, Kind::OneThird),
            (Some(0.0), None, Kind::OneThird),
            (Some(0.9), Some(7), Kind::ShellTwoThirds(7)),
            (Some(0.33), Some(7), Kind::ShellTwoThirds(7)),
            (Some(0.3), Some(7), Kind::ShellOneThird(7)),
        ];
        for (alpha, shell, expected) in table {
            assert_eq!(Kind::of(alpha, shell), expected, "{alpha:?} {shell:?}");
        }
    }
}
