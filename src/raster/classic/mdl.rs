//! Quake's alias models.

use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*, u32x8};

use super::boxtest::{MDL_NEAR, Visibility, mdl as test_box};
use super::buffers::Buffers;
use super::camera::{Axes, Camera};
use super::clip::{Clipper, NearEnd};
use super::cull;
use super::fill::{Fill, Filler};
use super::frame::Target;
use super::light::Light;
use super::number::ints;
use super::scene::ClassicScene;
use super::select::{entry, pose_offset};
use super::shade::{Linear, Lit, Undefined};
use super::stats::{ClassicPath, ClassicStats};
use super::subdivision;
use super::tables::Tables;
use super::texture::{Texels, coordinate};
use super::transform::{self, Matrix, apply};
use super::vertex::{ON_SEAM, Projection, Vertex};
use crate::format::NORMALS;
use crate::model::{MdlMesh, MdlTriangle, StVertex};

/// The light of every number of a normal.
type Lights = [i32; 256];

/// One draw: what does not change from vertex to vertex.
struct MdlDraw<'a> {
    mesh: &'a MdlMesh,
    projection: Projection,
    matrix: Matrix,
    light: Light,
    /// Half of the skin, 16.16.
    seam: i32,
    /// Size of the picture that is drawn with.
    picture: [i32; 2],
    level: Level,
}

pub(super) fn draw(
    mesh: &MdlMesh,
    texels: Texels<'_>,
    tables: &Tables,
    scene: &ClassicScene,
    target: Target<'_>,
    buffers: &mut Buffers,
) -> ClassicStats {
    let mut stats =
        ClassicStats { triangles: mesh.triangles.len() as u64, ..ClassicStats::default() };
    let Some(frame) = entry(&mesh.frames, scene.frame) else {
        return stats;
    };
    let Some(bytes) = pose_offset(frame, scene.time, scene.sync)
        .and_then(|start| mesh.file.get(start..start.checked_add(mesh.st.len().checked_mul(4)?)?))
    else {
        return stats;
    };
    let size = [target.width, target.height];
    let camera = Camera::new(scene, size[0], size[1]);
    let [pitch, yaw, roll] = scene.angles;
    let axes = Axes::from_angles([-pitch, yaw, roll]);
    let matrix = transform::mdl(&camera, &axes, scene.origin, mesh.scale, mesh.scale_origin);
    stats.path = path(mesh, &camera, &matrix, frame.bounds, scene);
    if stats.path == ClassicPath::Rejected {
        return stats;
    }
    let least = if scene.view_weapon { 24 } else { i32::MIN };
    let draw = MdlDraw {
        mesh,
        projection: Projection::new(&camera, MDL_NEAR, scene.view_weapon),
        matrix,
        light: Light::new(scene.light_level.max(least), &axes),
        seam: coordinate(mesh.skin_width >> 1, mesh.skin_width, texels.width),
        picture: [texels.width, texels.height],
        level: target.level,
    };
    stats.vertices = mesh.st.len() as u64;
    let counts = Undefined::default();
    let texture = Linear { texels: texels.indices, width: texels.width };
    let mut filler = Filler::new(target, Lit::new(texture, tables, &counts));
    match stats.path {
        ClassicPath::Clipped => {
            draw.clipped_vertices(bytes, buffers);
            draw.clipped(buffers, &mut filler, &mut stats);
        }
        path => {
            draw.unclipped_vertices(bytes, buffers);
            draw.unclipped(path, size, buffers, &mut filler);
        }
    }
    filler.finish(&mut stats);
    (stats.texels_outside, stats.rows_outside) = (counts.texels.get(), counts.rows.get());
    stats
}

/// A view weapon is never tested, always clipped, and not there at all at wide angles.
fn path(
    mesh: &MdlMesh,
    camera: &Camera,
    matrix: &Matrix,
    bounds: [[u8; 3]; 2],
    scene: &ClassicScene,
) -> ClassicPath {
    if scene.view_weapon {
        let is_wide = scene.horizontal_angle > 90.0;
        return if is_wide { ClassicPath::Rejected } else { ClassicPath::Clipped };
    }
    match test_box(camera, matrix, bounds) {
        Visibility::Outside => ClassicPath::Rejected,
        Visibility::Partly => ClassicPath::Clipped,
        Visibility::Inside { nearest } => {
            let is_far = scene.subdivision && subdivision::is_far(camera, mesh.size, nearest);
            if is_far { ClassicPath::Subdivided } else { ClassicPath::Unclipped }
        }
    }
}

impl MdlDraw<'_> {
    /// Those of numbers that no normal has are those of the first.
    fn lights(&self) -> Lights {
        let mut lights = [self.light.at(NORMALS[0]); 256];
        for (light, normal) in lights.iter_mut().zip(NORMALS) {
            *light = self.light.at(normal);
        }
        lights
    }

    /// Everything of a vertex that does not depend on its place.
    #[inline(always)]
    fn lit(&self, [_, _, _, normal]: [u8; 4], st: StVertex, lights: &Lights) -> Vertex {
        let [width, height] = self.picture;
        let mesh = self.mesh;
        let [s, t] = if [mesh.skin_width, mesh.skin_height] == self.picture {
            [st.s.wrapping_shl(16), st.t.wrapping_shl(16)]
        } else {
            [coordinate(st.s, mesh.skin_width, width), coordinate(st.t, mesh.skin_height, height)]
        };
        Vertex { s, t, light: lights[usize::from(normal)], flags: st.onseam, ..Vertex::default() }
    }

    fn clipped_vertices(&self, bytes: &[u8], buffers: &mut Buffers) {
        buffers.clear();
        let lights = self.lights();
        for (&packed, &st) in bytes.as_chunks().0.iter().zip(&self.mesh.st) {
            let mut vertex = self.lit(packed, st, &lights);
            let [x, y, z, _] = packed.map(f32::from);
            let position = apply(&self.matrix, [x, y, z]);
            self.projection.place_or_flag(&mut vertex, position);
            buffers.vertices.push(vertex);
            buffers.positions.push(position);
        }
    }

    fn unclipped_vertices(&self, bytes: &[u8], buffers: &mut Buffers) {
        buffers.clear();
        dispatch!(self.level, simd => self.placed(simd, bytes, &mut buffers.vertices));
    }

    /// The scale of the picture goes into the matrix first: the same place, but rounded otherwise.
    #[inline(always)]
    fn placed<S: Simd>(&self, simd: S, bytes: &[u8], vertices: &mut Vec<Vertex>) {
        let [scale_x, scale_y] = self.projection.scale;
        let [center_x, center_y] = self.projection.center;
        let [row_u, row_v, row_z] = self.matrix;
        let (row_u, row_v) = (row_u.map(|x| x * scale_x), row_v.map(|x| x * scale_y));
        let lights = self.lights();
        let (eights, rest) = bytes.as_chunks::<4>().0.as_chunks::<8>();
        let mut last = [[0; 4]; 8];
        last[..rest.len()].copy_from_slice(rest);
        let eights = eights.iter().chain([&last]);
        for (eight, st) in eights.zip(self.mesh.st.chunks(8)) {
            let mut words = [0; 8];
            for lane in 0..8 {
                words[lane] = u32::from_le_bytes(eight[lane]);
            }
            let words = u32x8::load_array(simd, words);
            let p = [
                (words & 255).to_float::<f32x8<S>>(),
                (words >> 8 & 255).to_float::<f32x8<S>>(),
                (words >> 16 & 255).to_float::<f32x8<S>>(),
            ];
            let inverse = f32x8::splat(simd, 1.0) / apply_rows(p, row_z);
            let u = ints(simd, apply_rows(p, row_u) * inverse + center_x);
            let v = ints(simd, apply_rows(p, row_v) * inverse + center_y);
            let zi = ints(simd, inverse * self.projection.zi_scale);
            let [u, v, zi]: [[i32; 8]; 3] = [u.into(), v.into(), zi.into()];
            let places = u.into_iter().zip(v).zip(zi);
            vertices.extend(st.iter().zip(eight).zip(places).map(
                |((&st, &packed), ((u, v), zi))| Vertex {
                    u,
                    v,
                    zi,
                    ..self.lit(packed, st, &lights)
                },
            ));
        }
    }

    /// Triangles that show their front, in file order.
    #[inline(always)]
    fn fronts(&self, buffers: &Buffers, mut draw: impl FnMut([&Vertex; 3])) {
        for triangles in self.mesh.triangles.chunks(cull::TOGETHER) {
            let mut fronts = cull::fronts(self.level, triangles, &buffers.vertices);
            while fronts != 0 {
                let triangle = &triangles[fronts.trailing_zeros() as usize];
                fronts &= fronts - 1;
                let Some(corners) = buffers.corners(triangle.vertices) else { continue };
                self.of_half(triangle, corners, &mut draw);
            }
        }
    }

    /// Hands over the corners of a triangle with the texture coordinates of its own half of the skin.
    #[inline(always)]
    fn of_half(
        &self,
        triangle: &MdlTriangle,
        corners: [&Vertex; 3],
        draw: impl FnOnce([&Vertex; 3]),
    ) {
        if triangle.faces_front {
            draw(corners);
        } else {
            draw(self.on_back(corners).each_ref());
        }
    }

    /// The corners of a triangle of the back half.
    fn on_back(&self, [a, b, c]: [&Vertex; 3]) -> [Vertex; 3] {
        let mut corners = [*a, *b, *c];
        for corner in corners.iter_mut().filter(|corner| corner.flags & ON_SEAM != 0) {
            corner.s = corner.s.wrapping_add(self.seam);
        }
        corners
    }

    fn clipped(&self, buffers: &Buffers, fill: &mut dyn Fill, stats: &mut ClassicStats) {
        let clipper = Clipper { projection: self.projection, near_end: NearEnd::Lower };
        for triangle in &self.mesh.triangles {
            let Some(corners) = buffers.visible_corners(triangle.vertices) else { continue };
            let positions = || buffers.positions(triangle.vertices);
            self.of_half(triangle, corners, |corners| {
                clipper.draw(corners, positions, fill, stats);
            });
        }
    }

    fn unclipped(&self, path: ClassicPath, size: [i32; 2], buffers: &Buffers, fill: &mut dyn Fill) {
        if path != ClassicPath::Subdivided {
            self.fronts(buffers, |corners| fill.front(corners));
            return;
        }
        buffers.vertices.iter().for_each(|vertex| fill.point(vertex));
        self.fronts(buffers, |corners| subdivision::draw(corners, size, fill));
    }
}

/// [`super::transform::apply_row`] for eight points.
#[inline(always)]
fn apply_rows<S: Simd>([x, y, z]: [f32x8<S>; 3], row: [f32; 4]) -> f32x8<S> {
    x * row[0] + y * row[1] + z * row[2] + row[3]
}
