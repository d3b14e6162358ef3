//! The other formats through the same spans: polyset's own idea of how they would have looked.
//!
//! Positions and normals come posed; light, near plane, clipping and filling are Quake's. Textures
//! repeat, because these formats' coordinates leave them.

use super::boxtest::MDL_NEAR;
use super::buffers::Buffers;
use super::camera::{Axes, Camera};
use super::clip::{Clipper, NearEnd};
use super::fill::{Fill, Filler};
use super::frame::Target;
use super::light::Light;
use super::number::int;
use super::scene::ClassicScene;
use super::shade::{Lit, Repeat, Undefined};
use super::stats::{ClassicPath, ClassicStats};
use super::tables::Tables;
use super::texture::Texels;
use super::transform::{self, Matrix, apply};
use super::vertex::{Projection, Vertex};
use crate::model::Surface;
use crate::pose::PosedSurface;

/// What all surfaces of a model have in common.
pub(super) struct PosedDraw {
    view: Matrix,
    light: Light,
    projection: Projection,
}

impl PosedDraw {
    pub(super) fn new(scene: &ClassicScene, target: &Target<'_>) -> Self {
        let camera = Camera::new(scene, target.width, target.height);
        let axes = Axes::from_angles(scene.angles);
        let least = if scene.view_weapon { 24 } else { i32::MIN };
        Self {
            view: transform::model(&camera, &axes, scene.origin),
            light: Light::new(scene.light_level.max(least), &axes),
            projection: Projection::new(&camera, MDL_NEAR, scene.view_weapon),
        }
    }

    pub(super) fn surface(
        &self,
        surface: &Surface,
        posed: &PosedSurface,
        texels: Texels<'_>,
        tables: &Tables,
        target: Target<'_>,
        buffers: &mut Buffers,
    ) -> ClassicStats {
        self.vertices(posed, buffers);
        let counts = Undefined::default();
        let Texels { indices, width, height } = texels;
        let texture = Repeat { texels: indices, width, height };
        let mut filler = Filler::new(target, Lit::new(texture, tables, &counts));
        let mut stats = ClassicStats {
            path: ClassicPath::Clipped,
            vertices: buffers.vertices.len() as u64,
            triangles: surface.triangles.len() as u64,
            ..ClassicStats::default()
        };
        self.triangles(surface, [width, height], buffers, &mut filler, &mut stats);
        filler.finish(&mut stats);
        stats.rows_outside = counts.rows.get();
        stats
    }

    fn vertices(&self, posed: &PosedSurface, buffers: &mut Buffers) {
        buffers.clear();
        let [x, y, z] = &posed.position;
        let [nx, ny, nz] = &posed.normal;
        for i in 0..posed.count {
            let position = apply(&self.view, [x[i], y[i], z[i]]);
            let mut vertex =
                Vertex { light: self.light.at([nx[i], ny[i], nz[i]]), ..Vertex::default() };
            self.projection.place_or_flag(&mut vertex, position);
            buffers.vertices.push(vertex);
            buffers.positions.push(position);
        }
    }

    fn triangles(
        &self,
        surface: &Surface,
        size: [i32; 2],
        buffers: &Buffers,
        fill: &mut dyn Fill,
        stats: &mut ClassicStats,
    ) {
        let clipper = Clipper { projection: self.projection, near_end: NearEnd::Lower };
        let scale = size.map(|side| f64::from(side) * 65536.0);
        for &numbers in surface.triangles.iter() {
            let Some([a, b, c]) = buffers.visible_corners(numbers) else {
                continue;
            };
            let Some(coordinates) = corner_coordinates(surface, numbers) else {
                continue;
            };
            let mut corners = [*a, *b, *c];
            for (corner, [s, t]) in corners.iter_mut().zip(coordinates) {
                corner.s = int((s * scale[0]) as f32);
                corner.t = int((t * scale[1]) as f32);
            }
            clipper.draw(corners.each_ref(), || buffers.positions(numbers), fill, stats);
        }
    }
}

/// Texture coordinates of a triangle, moved by whole repetitions to where they are smallest: 16.16
/// texels hold no more than 32768.
fn corner_coordinates(surface: &Surface, numbers: [u32; 3]) -> Option<[[f64; 2]; 3]> {
    let [a, b, c] = numbers.map(|number| surface.texcoords.get(number as usize).copied());
    let corners = [a?, b?, c?].map(|coordinate| coordinate.map(f64::from));
    let least = |axis: usize| {
        corners.iter().map(|corner| corner[axis]).fold(f64::INFINITY, f64::min).floor()
    };
    let start = [least(0), least(1)];
    Some(corners.map(|[s, t]| [s - start[0], t - start[1]]))
}
