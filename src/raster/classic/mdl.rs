//! Quake's alias models.

use fearless_simd::{Level, Simd, dispatch, f32x4, prelude::*};

use super::boxtest::{MDL_NEAR, Visibility, mdl as test_box};
use super::buffers::Buffers;
use super::camera::{Axes, Camera};
use super::clip::{Clipper, NearEnd};
use super::fill::{Fill, Filler};
use super::frame::Target;
use super::light::Light;
use super::number::ints;
use super::scene::ClassicScene;
use super::select::{entry, pose_offset};
use super::setup::denominator;
use super::shade::{Linear, Lit, Undefined};
use super::stats::{ClassicPath, ClassicStats};
use super::subdivision;
use super::tables::Tables;
use super::texture::{Texels, coordinate};
use super::transform::{self, Matrix, apply};
use super::vertex::{ON_SEAM, Projection, Vertex};
use crate::format::NORMALS;
use crate::model::{MdlMesh, StVertex};

/// The light of every normal.
type Lights = [i32; NORMALS.len()];

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
    /// Everything of a vertex that does not depend on its place, and its position in bytes. `lights`
    /// are those of all normals.
    #[inline(always)]
    fn lit(&self, [x, y, z, normal]: [u8; 4], st: StVertex, lights: &Lights) -> (Vertex, [f32; 3]) {
        let vertex = Vertex {
            s: coordinate(st.s, self.mesh.skin_width, self.picture[0]),
            t: coordinate(st.t, self.mesh.skin_height, self.picture[1]),
            light: *lights.get(usize::from(normal)).unwrap_or(&lights[0]),
            flags: st.onseam,
            ..Vertex::default()
        };
        (vertex, [f32::from(x), f32::from(y), f32::from(z)])
    }

    #[inline(always)]
    fn lit_vertices(&self, bytes: &[u8]) -> impl Iterator<Item = (Vertex, [f32; 3])> {
        let mut lights: Lights = [0; NORMALS.len()];
        for (light, normal) in lights.iter_mut().zip(NORMALS) {
            *light = self.light.at(normal);
        }
        let packed = bytes.as_chunks::<4>().0.iter();
        packed.zip(&self.mesh.st).map(move |(&packed, &st)| self.lit(packed, st, &lights))
    }

    fn clipped_vertices(&self, bytes: &[u8], buffers: &mut Buffers) {
        buffers.clear();
        for (mut vertex, position) in self.lit_vertices(bytes) {
            let position = apply(&self.matrix, position);
            self.projection.place_or_flag(&mut vertex, position);
            buffers.vertices.push(vertex);
            buffers.positions.push(position);
        }
    }

    fn unclipped_vertices(&self, bytes: &[u8], buffers: &mut Buffers) {
        buffers.clear();
        // Column, row and depth are one vector of what every machine of a kind has.
        dispatch!(Level::baseline(), simd => self.placed(simd, bytes, &mut buffers.vertices));
    }

    /// The scale of the picture goes into the matrix first: the same place, but rounded otherwise.
    #[inline(always)]
    fn placed<S: Simd>(&self, simd: S, bytes: &[u8], vertices: &mut Vec<Vertex>) {
        let [scale_x, scale_y] = self.projection.scale;
        let [center_x, center_y] = self.projection.center;
        let [row_u, row_v, row_z] = self.matrix;
        let rows = [row_u.map(|x| x * scale_x), row_v.map(|x| x * scale_y), row_z];
        let column = |i: usize| f32x4::load_array(simd, [rows[0][i], rows[1][i], rows[2][i], 0.0]);
        let columns = [column(0), column(1), column(2), column(3)];
        let center = f32x4::load_array(simd, [center_x, center_y, 0.0, 0.0]);
        vertices.extend(self.lit_vertices(bytes).map(|(vertex, [x, y, z])| {
            let [u, v, z, _] =
                (columns[0] * x + columns[1] * y + columns[2] * z + columns[3]).into();
            let scaled = f32x4::load_array(simd, [u, v, self.projection.zi_scale, 0.0]);
            let [u, v, zi, _] = ints(simd, scaled * (1.0 / z) + center).into();
            Vertex { u, v, zi, ..vertex }
        }));
    }

    /// Triangles that can be seen, in file order, with the texture coordinates of their own half of
    /// the skin.
    #[inline(always)]
    fn triangles(&self, buffers: &Buffers, mut draw: impl FnMut([&Vertex; 3], [u32; 3])) {
        for triangle in &self.mesh.triangles {
            let Some(corners) = buffers.visible_corners(triangle.vertices) else {
                continue;
            };
            let own;
            let corners = if triangle.faces_front {
                corners
            } else {
                own = self.on_back(corners);
                own.each_ref()
            };
            draw(corners, triangle.vertices);
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
        self.triangles(buffers, |corners, numbers| {
            clipper.draw(corners, || buffers.positions(numbers), fill, stats);
        });
    }

    fn unclipped(&self, path: ClassicPath, size: [i32; 2], buffers: &Buffers, fill: &mut dyn Fill) {
        if path != ClassicPath::Subdivided {
            self.triangles(buffers, |corners, _| fill.triangle(corners));
            return;
        }
        buffers.vertices.iter().for_each(|vertex| fill.point(vertex));
        self.triangles(buffers, |corners, _| {
            // Of corners whose flags in the file look like clip flags nothing is known yet.
            if denominator(corners) < 0 {
                subdivision::draw(corners, size, fill);
            }
        });
    }
}
