//! Lines over the model: edges, normals, bones, tags, the ground and the box around it.

use std::sync::Arc;

use glam::{Mat4, Vec3, Vec4};

use super::canvas::{Canvas, TEXT, TITLE};
use super::picture::Picture;
use super::present::Placement;
use super::source::Shown;
use super::state::State;
use crate::font::CELL_WIDTH;
use crate::raster::{Instance, View};
use crate::scene::{ModelPlacement, Opened, Scene};
use crate::transform::Transform;

pub(crate) const AXIS_COLORS: [u32; 3] = [0x00ff_6060, 0x0060_e060, 0x0070_a0ff];
const EDGE: u32 = 0x0000_0000;
const NORMAL: u32 = 0x0040_e0ff;
const BONE: u32 = 0x00ff_d040;
const GROUND: u32 = 0x0070_7078;
const BOX: u32 = 0x00c0_a0ff;

/// Units of the model that the axes of a tag are long.
const TAG_LENGTH: f32 = 4.0;
/// How long normals are, of the diagonal of the model's box.
const NORMAL_LENGTH: f32 = 0.025;
/// Squares of the ground from its middle to its border, at least.
const SQUARES: f32 = 4.0;
/// How much farther than the picture's depth a line may lie and be seen: it runs along what it marks.
const DEPTH_BIAS: f32 = 3e-3;

/// A line in pixels of the picture, from its left upper corner.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    ends: [[f32; 2]; 2],
    /// If the model hides it: the depth of the ends, 0 to 1.
    depth: Option<[f32; 2]>,
    color: u32,
}

/// Lines and names over a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Marks {
    lines: Vec<Line>,
    labels: Vec<([f32; 2], u32, String)>,
    /// What is written about them in words.
    pub(crate) notes: Vec<String>,
    /// Depth of the picture's pixels, and how many a row has; empty if no line needs it.
    depth: Vec<f32>,
    width: usize,
}

/// What marks follow from: the model, the picture, what is marked, and the box of the clip.
pub(super) type Cause = (u64, Scene, Shown, [[f32; 3]; 2]);

/// From the scene to pixels of the picture.
struct Sight {
    to_clip: Mat4,
    size: [f32; 2],
}

impl Sight {
    fn of(scene: &Scene, instances: &[Instance<'_>]) -> Option<Self> {
        let camera = scene.camera.camera(instances).ok()?;
        let [width, height] = scene.picture_size();
        let columns = View::new(camera).matrix(instances, width, height);
        let size = [width as f32, height as f32];
        Some(Self { to_clip: Mat4::from_cols_array(&columns), size })
    }

    fn clip(&self, point: Vec3) -> Vec4 {
        self.to_clip * point.extend(1.0)
    }

    /// Pixels, and the depth.
    fn pixel(&self, clip: Vec4) -> ([f32; 2], f32) {
        let [x, y, z] = (clip.truncate() / clip.w).to_array();
        let [width, height] = self.size;
        ([(x + 1.0) * 0.5 * width, (1.0 - y) * 0.5 * height], (z + 1.0) * 0.5)
    }

    /// Where a point lies that is before the eye.
    fn point(&self, point: [f32; 3]) -> Option<[f32; 2]> {
        let clip = self.clip(point.into());
        (clip.w > 0.0 && clip.z >= -clip.w).then(|| self.pixel(clip).0)
    }

    /// The part of a line that is before the near plane.
    fn line(&self, from: [f32; 3], to: [f32; 3], color: u32, is_hidden: bool) -> Option<Line> {
        let mut ends = [from, to].map(|end| self.clip(end.into()));
        let before = ends.map(|end| end.z + end.w);
        match before.map(|distance| distance > 0.0) {
            [true, true] => {}
            [false, false] => return None,
            [first, _] => {
                let share = before[0] / (before[0] - before[1]);
                let cut =
                    ends[0] + (ends[1] - ends[0]) * (share + if first { -1e-4 } else { 1e-4 });
                ends[usize::from(first)] = cut;
            }
        }
        if ends.iter().any(|end| end.w <= 0.0) {
            return None;
        }
        let [a, b] = ends.map(|end| self.pixel(end));
        let depth = is_hidden.then_some([a.1, b.1]);
        Some(Line { ends: [a.0, b.0], depth, color })
    }
}

impl Picture {
    /// What the state wants to be marked; nothing is done again for the same picture.
    pub(crate) fn marks(&mut self, state: &State) -> Arc<Marks> {
        let shown = state.shown;
        if !(shown.axes || shown.edges || shown.normals || shown.bones || shown.grid) {
            return Arc::default();
        }
        let cause = (self.generation(), self.scene(state), shown, state.bounds());
        if let Some((known, marks)) = &self.marked
            && *known == cause
        {
            return Arc::clone(marks);
        }
        let marks = Arc::new(self.made_marks(state, &cause.1));
        self.marked = Some((cause, Arc::clone(&marks)));
        marks
    }

    fn made_marks(&mut self, state: &State, scene: &Scene) -> Marks {
        let shown = state.shown;
        let mut marks = Marks::default();
        if shown.edges || shown.normals {
            marks.depth = self.depth(scene);
            marks.width = scene.picture_size()[0] as usize;
        }
        let Some(opened) = self.opened() else { return marks };
        let Ok(assembly) = opened.assembly(scene) else { return marks };
        let instances: Vec<Instance<'_>> = assembly.instances().collect();
        let Some(sight) = Sight::of(scene, &instances) else { return marks };
        if shown.grid {
            marks.ground(state, &sight);
            marks.model_box(scene, opened, &sight);
        }
        for instance in &instances {
            if shown.edges {
                marks.edges(instance, &sight);
            }
            if shown.normals {
                marks.normals(instance, &sight);
            }
            if shown.bones {
                marks.bones(instance, &sight);
            }
            if shown.axes {
                marks.tags(instance, &sight);
            }
        }
        if shown.bones && !instances.iter().any(|one| one.model.joints().next().is_some()) {
            marks.notes.push("this model has no joints".into());
        }
        marks
    }
}

impl Marks {
    fn edges(&mut self, instance: &Instance<'_>, sight: &Sight) {
        for (number, surface) in instance.model.surfaces().iter().enumerate() {
            let points = points(instance, number);
            for corners in surface.triangles() {
                for [a, b] in [[0, 1], [1, 2], [2, 0]] {
                    let [a, b] = [corners[a], corners[b]].map(|corner| points.get(corner as usize));
                    if let (Some(a), Some(b)) = (a, b) {
                        self.lines.extend(sight.line(*a, *b, EDGE, true));
                    }
                }
            }
        }
    }

    fn normals(&mut self, instance: &Instance<'_>, sight: &Sight) {
        let [min, max] = instance.pose.bounds().map(Vec3::from);
        let length = (max - min).length() * NORMAL_LENGTH;
        for surface in 0..instance.pose.surface_count() {
            let positions = instance.pose.positions(surface);
            for (from, normal) in positions.zip(instance.pose.normals(surface)) {
                let to = Vec3::from(from) + Vec3::from(normal) * length;
                let ends = [from, to.to_array()].map(|end| instance.transform.point(end));
                self.lines.extend(sight.line(ends[0], ends[1], NORMAL, true));
            }
        }
    }

    fn bones(&mut self, instance: &Instance<'_>, sight: &Sight) {
        let stands = |joint: Transform| instance.transform.point(joint.origin());
        let joints: Vec<(&str, [f32; 3])> =
            instance.pose.joints().map(|(name, joint)| (name, stands(joint))).collect();
        for ((_, parent), (name, origin)) in instance.model.joints().zip(&joints) {
            if let Some((_, from)) = parent.and_then(|parent| joints.get(parent)) {
                self.lines.extend(sight.line(*from, *origin, BONE, false));
            }
            let at = sight.point(*origin);
            self.labels.extend(at.map(|at| (at, TEXT, (*name).to_owned())));
        }
    }

    fn tags(&mut self, instance: &Instance<'_>, sight: &Sight) {
        for (name, tag) in instance.pose.tags() {
            let tag = instance.transform * tag;
            for (axis, color) in AXIS_COLORS.into_iter().enumerate() {
                let mut along = [0.0; 3];
                along[axis] = TAG_LENGTH;
                self.lines.extend(sight.line(tag.origin(), tag.point(along), color, false));
            }
            let at = sight.point(tag.origin());
            self.labels.extend(at.map(|at| (at, TITLE, name.to_owned())));
        }
    }

    /// Squares under the clip's lowest point; their side is a power of two, as levels have it.
    fn ground(&mut self, state: &State, sight: &Sight) {
        let [min, max] = state.bounds();
        let [x, y] = state.pivot();
        let reach = (max[0] - min[0]).max(max[1] - min[1]) * 0.75;
        let side = libm::exp2(libm::floor(libm::log2(f64::from(reach / SQUARES)))) as f32;
        if !(side.is_finite() && side > 0.0) {
            return;
        }
        let count = (reach / side).ceil() as i32;
        let [x, y] = [x, y].map(|middle| (middle / side).round() * side);
        let end = count as f32 * side;
        for number in -count..=count {
            let at = number as f32 * side;
            for ends in [
                [[x + at, y - end, min[2]], [x + at, y + end, min[2]]],
                [[x - end, y + at, min[2]], [x + end, y + at, min[2]]],
            ] {
                self.lines.extend(sight.line(ends[0], ends[1], GROUND, false));
            }
        }
        self.notes.push(format!("ground: {side} units a square"));
    }

    /// The box around the pose, which turns with the model.
    fn model_box(&mut self, scene: &Scene, opened: &Opened, sight: &Sight) {
        let mut unturned = scene.clone();
        unturned.placement = ModelPlacement { origin: None, angles: None, ..unturned.placement };
        let Ok(bounds) = unturned.framed_pose(opened).and_then(|pose| unturned.bounds(&pose))
        else {
            return;
        };
        let placement = &scene.placement;
        let stands = Transform::translation(placement.origin.unwrap_or_default())
            * Transform::angles(placement.angles.unwrap_or_default());
        let corner =
            |number: usize| stands.point([0, 1, 2].map(|axis| bounds[number >> axis & 1][axis]));
        for from in 0..8 {
            for to in [1, 2, 4].map(|bit| from | bit) {
                if to != from {
                    self.lines.extend(sight.line(corner(from), corner(to), BOX, false));
                }
            }
        }
        let [x, y, z] = [0, 1, 2].map(|axis| bounds[1][axis] - bounds[0][axis]);
        self.notes.push(format!("box: {x:.1} x {y:.1} x {z:.1}"));
    }

    /// Draws them over a picture that lies there in the window.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, placement: Placement) {
        let in_window = |at: [f32; 2]| placement.in_window(at);
        for line in &self.lines {
            let [from, to] = line.ends.map(in_window);
            canvas.thin_stroke(from, to, line.color, |share| {
                line.depth.is_none_or(|depth| {
                    let at = [0, 1].map(|axis| {
                        line.ends[0][axis] + (line.ends[1][axis] - line.ends[0][axis]) * share
                    });
                    self.is_before(at, depth[0] + (depth[1] - depth[0]) * share)
                })
            });
        }
        let mut taken: Vec<[isize; 2]> = Vec::new();
        let [width, height] =
            [4 * CELL_WIDTH * canvas.scale, crate::font::CELL_HEIGHT * canvas.scale];
        for (at, color, name) in &self.labels {
            let at = in_window(*at).map(|x| x as isize);
            let is_near = |other: &[isize; 2]| {
                other[0].abs_diff(at[0]) < width && other[1].abs_diff(at[1]) < height
            };
            // Names of joints that lie close together cannot be read anyhow.
            if !taken.iter().any(is_near) {
                canvas.text([at[0] + 2 * canvas.scale as isize, at[1]], *color, name);
                taken.push(at);
            }
        }
    }

    /// Whether nothing in the picture lies before this depth, there or just beside.
    fn is_before(&self, [x, y]: [f32; 2], depth: f32) -> bool {
        let (column, row) = (x.floor() as isize, y.floor() as isize);
        let (width, height) =
            (self.width as isize, (self.depth.len() / self.width.max(1)) as isize);
        let mut around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (column + dx, row + dy)));
        around.any(|(x, y)| {
            let is_inside = (0..width).contains(&x) && (0..height).contains(&y);
            is_inside && self.depth[(y * width + x) as usize] + DEPTH_BIAS >= depth
        })
    }
}

/// A surface's vertices where they stand in the scene.
fn points(instance: &Instance<'_>, surface: usize) -> Vec<[f32; 3]> {
    instance.pose.positions(surface).map(|point| instance.transform.point(point)).collect()
}
