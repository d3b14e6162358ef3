//! What is under the pointer: the triangle, its surface and vertex, and the texel.

use glam::{Mat4, Vec3};

use super::picture::Picture;
use super::state::State;
use crate::image::{Image, Pixels};
use crate::look::Cull;
use crate::raster::{Instance, View};
use crate::scene::Drawn;

/// A place on a model.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hit {
    /// Along the line of sight.
    distance: f32,
    instance: usize,
    surface: usize,
    triangle: usize,
    /// Shares of the triangle's corners.
    shares: [f32; 3],
}

/// A line of sight: a point on the near plane and the way to the far one.
#[derive(Clone, Copy, Debug)]
struct Ray {
    origin: Vec3,
    way: Vec3,
}

impl Picture {
    /// What is said of the pixel at this place of the window.
    pub(crate) fn pick(&mut self, state: &State, pointer: [i32; 2]) -> Vec<String> {
        let placement = state.placement();
        let [x, y] = placement.in_picture(pointer.map(|at| at as f32)).map(f32::floor);
        let scene = self.scene(state);
        let [width, height] = scene.picture_size();
        if x < 0.0 || y < 0.0 || x >= width as f32 || y >= height as f32 {
            return vec!["outside of the picture".into()];
        }
        let mut lines = vec![format!("pixel {x}, {y}{}", self.color_at([x as usize, y as usize]))];
        let Some(opened) = self.opened() else { return lines };
        let Ok(assembly) = opened.assembly(&scene) else { return lines };
        let instances: Vec<Instance<'_>> = assembly.instances().collect();
        let Ok(camera) = scene.camera.camera(&instances) else { return lines };
        let columns = View::new(camera).matrix(&instances, width, height);
        let from_clip = Mat4::from_cols_array(&columns).inverse();
        let at = |z: f32| {
            let x = (x + 0.5) / width as f32 * 2.0 - 1.0;
            let y = 1.0 - (y + 0.5) / height as f32 * 2.0;
            from_clip.project_point3(Vec3::new(x, y, z))
        };
        let ray = Ray { origin: at(-1.0), way: at(1.0) - at(-1.0) };
        match nearest(&instances, ray, scene.look.cull) {
            Some(hit) => lines.extend(described(&instances, hit, instances.len() > 1)),
            None => lines.push("nothing".into()),
        }
        lines
    }

    /// The colour that was drawn there.
    fn color_at(&self, [x, y]: [usize; 2]) -> String {
        let said =
            |index: usize, [r, g, b]: [u8; 3]| format!(": index {index}, {r:02X}{g:02X}{b:02X}");
        match self.drawn() {
            Some(Drawn::Classic(frame)) => {
                let index = frame.indices()[y * frame.width() as usize + x];
                said(index.into(), frame.palette().color(index))
            }
            Some(Drawn::Precise(frame)) => {
                let pixel = frame.rows().nth(y).map_or(0, |row| row[x]);
                let [r, g, b, _] = pixel.to_le_bytes();
                match frame.palette() {
                    Some(palette) => said(r.into(), palette.color(r)),
                    None => format!(": {r:02X}{g:02X}{b:02X}"),
                }
            }
            None => String::new(),
        }
    }
}

/// The first place on any of the models along a line of sight that is drawn.
fn nearest(instances: &[Instance<'_>], ray: Ray, cull: Cull) -> Option<Hit> {
    let mut found: Option<Hit> = None;
    for (number, instance) in instances.iter().enumerate() {
        let turns_over = instance.transform.turns_triangles_over();
        for (surface, own) in instance.model.surfaces().iter().enumerate() {
            let points: Vec<Vec3> = instance
                .pose
                .positions(surface)
                .map(|point| instance.transform.point(point).into())
                .collect();
            for (triangle, corners) in own.triangles().iter().enumerate() {
                let corners = corners.map(|corner| points.get(corner as usize));
                let [Some(a), Some(b), Some(c)] = corners else { continue };
                let Some((distance, shares, is_front)) = ray.meets([*a, *b, *c]) else { continue };
                let is_drawn = match cull {
                    Cull::None => true,
                    Cull::Back => is_front != turns_over,
                    Cull::Front => is_front == turns_over,
                };
                let hit = Hit { distance, instance: number, surface, triangle, shares };
                if is_drawn
                    && found.is_none_or(|before| distance < before.distance)
                    && !is_hole(instance, hit)
                {
                    found = Some(hit);
                }
            }
        }
    }
    found
}

impl Ray {
    /// Where it meets a triangle: how far along, the shares of the corners, and whether that is its front,
    /// whose corners go clockwise.
    fn meets(&self, [a, b, c]: [Vec3; 3]) -> Option<(f32, [f32; 3], bool)> {
        let (ab, ac) = (b - a, c - a);
        let across = self.way.cross(ac);
        let size = ab.dot(across);
        if size == 0.0 {
            return None;
        }
        let from = self.origin - a;
        let share_b = from.dot(across) / size;
        let other = from.cross(ab);
        let share_c = self.way.dot(other) / size;
        let distance = ac.dot(other) / size;
        let shares = [1.0 - share_b - share_c, share_b, share_c];
        let is_met = shares.iter().all(|share| *share >= 0.0) && (0.0..=1.0).contains(&distance);
        is_met.then_some((distance, shares, size < 0.0))
    }
}

/// The texture's coordinates of a place, and the texel.
fn texel_of<'a>(instance: &Instance<'a>, hit: Hit) -> Option<(&'a Image, [u32; 2])> {
    let surface = &instance.model.surfaces()[hit.surface];
    let image = surface.texture()?;
    let corners = surface.triangles()[hit.triangle];
    let mut uv = [0.0; 2];
    for (corner, share) in corners.into_iter().zip(hit.shares) {
        let own = surface.texcoords().get(corner as usize)?;
        uv = [0, 1].map(|axis| uv[axis] + own[axis] * share);
    }
    let size = [image.width(), image.height()];
    let texel = [0, 1].map(|axis| {
        let side = size[axis] as f32;
        ((uv[axis] * side).floor().rem_euclid(side) as u32).min(size[axis] - 1)
    });
    Some((image, texel))
}

/// Whether the texel there is one through which what lies behind is seen.
fn is_hole(instance: &Instance<'_>, hit: Hit) -> bool {
    let Some((image, [x, y])) = texel_of(instance, hit) else { return false };
    let at = (y * image.width() + x) as usize;
    match image.pixels() {
        Pixels::Indexed { indices, transparent, .. } => *transparent == Some(indices[at]),
        Pixels::Rgba(_) => false,
    }
}

fn described(instances: &[Instance<'_>], hit: Hit, names_model: bool) -> Vec<String> {
    let instance = &instances[hit.instance];
    let surfaces = instance.model.surfaces();
    let surface = &surfaces[hit.surface];
    let mut lines = Vec::new();
    if names_model {
        lines.push(format!("model {} of 0-{}", hit.instance, instances.len() - 1));
    }
    let name =
        if surface.name().is_empty() { String::new() } else { format!(": {}", surface.name()) };
    lines.push(format!("surface {} of 0-{}{name}", hit.surface, surfaces.len() - 1));
    lines.push(format!("triangle {} of 0-{}", hit.triangle, surface.triangles().len() - 1));
    let corner = (0..3).max_by(|a, b| hit.shares[*a].total_cmp(&hit.shares[*b])).unwrap_or(0);
    let vertex = surface.triangles()[hit.triangle][corner] as usize;
    if let Some([x, y, z]) = instance.pose.positions(hit.surface).nth(vertex) {
        lines.push(format!("vertex {vertex}: {x:.2} {y:.2} {z:.2}"));
    }
    let Some((image, [x, y])) = texel_of(instance, hit) else {
        lines.push("no texture".into());
        return lines;
    };
    lines.push(format!("texel {x}, {y} of {} x {}", image.width(), image.height()));
    let at = (y * image.width() + x) as usize;
    lines.push(match image.pixels() {
        Pixels::Indexed { indices, palette, .. } => {
            let [r, g, b] = palette.color(indices[at]);
            format!("index {}: {r:02X}{g:02X}{b:02X}", indices[at])
        }
        Pixels::Rgba(rgba) => {
            let [r, g, b, a] = [0, 1, 2, 3].map(|channel| rgba[at * 4 + channel]);
            format!("colour {r:02X}{g:02X}{b:02X}, alpha {a}")
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_meets_a_triangle_on_its_front_or_back() {
        let corners = [Vec3::ZERO, Vec3::new(0.0, 4.0, 0.0), Vec3::new(4.0, 0.0, 0.0)];
        let ray = |x: f32, y: f32, down: f32| Ray {
            origin: Vec3::new(x, y, down),
            way: Vec3::new(0.0, 0.0, -2.0 * down),
        };
        // From above these corners go clockwise.
        let (distance, shares, is_front) = ray(1.0, 1.0, 8.0).meets(corners).unwrap();
        assert_eq!((distance, shares, is_front), (0.5, [0.5, 0.25, 0.25], true));
        let (.., is_front) = ray(1.0, 1.0, -8.0).meets(corners).unwrap();
        assert!(!is_front);
        assert!(ray(3.0, 3.0, 8.0).meets(corners).is_none());
        assert!(ray(1.0, 1.0, 8.0).meets([Vec3::ZERO; 3]).is_none());
    }
}
