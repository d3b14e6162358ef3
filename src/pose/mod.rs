//! Posing: a model and a [`Blend`] give positions, normals and tag frames.
//!
//! A pose holds one array per coordinate and surface, in vertex order, padded to a multiple of 8
//! with the last vertex, because the vertex stage reads eight at a time.

mod bounds;
mod keyframe;
mod normals;
mod skeleton;
mod tags;

use std::sync::Arc;

#[cfg(test)]
pub(crate) use bounds::PICTURES;
pub(crate) use bounds::{Bounds, ClusterBounds};

use crate::direction;
use crate::model::{Blend, Clip, Geometry, Model, Tag};
use crate::pages::Pages;
use crate::transform::Transform;

/// Arrays of a pose are as long as a multiple of this.
pub(crate) const LANES: usize = 8;

/// Positions, normals and tags of a model at one moment.
#[derive(Clone, Debug, Default)]
pub struct Pose {
    pub(crate) surfaces: Vec<PosedSurface>,
    tag_names: Arc<[String]>,
    tags: Vec<Tag>,
    joint_names: Arc<[String]>,
    pub(crate) blend: Option<Blend>,
    joints: skeleton::JointBuffers,
}

/// Vertices of one surface, structure of arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct PosedSurface {
    /// Number of vertices; the arrays are longer by the padding.
    pub(crate) count: usize,
    /// x, y, z of the positions.
    pub(crate) position: [Pages<f32>; 3],
    /// x, y, z of the unit normals.
    pub(crate) normal: [Pages<f32>; 3],
    /// Of its clusters.
    pub(crate) bounds: bounds::LazyBounds,
}

impl Pose {
    /// Positions of a surface's vertices in model units.
    pub fn positions(&self, surface: usize) -> impl Iterator<Item = [f32; 3]> + '_ {
        self.surfaces.get(surface).into_iter().flat_map(|s| {
            (0..s.count).map(|i| [s.position[0][i], s.position[1][i], s.position[2][i]])
        })
    }

    /// Unit normals of a surface's vertices.
    pub fn normals(&self, surface: usize) -> impl Iterator<Item = [f32; 3]> + '_ {
        self.surfaces
            .get(surface)
            .into_iter()
            .flat_map(|s| (0..s.count).map(|i| [s.normal[0][i], s.normal[1][i], s.normal[2][i]]))
    }

    /// Number of surfaces.
    #[must_use]
    pub fn surface_count(&self) -> usize {
        self.surfaces.len()
    }

    /// The smallest axis-aligned box around all vertices: its minimum and maximum. Zero if empty.
    #[must_use]
    pub fn bounds(&self) -> [[f32; 3]; 2] {
        let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for surface in &self.surfaces {
            for (axis, values) in surface.position.iter().enumerate() {
                for &x in &values[..surface.count] {
                    bounds[0][axis] = bounds[0][axis].min(x);
                    bounds[1][axis] = bounds[1][axis].max(x);
                }
            }
        }
        if bounds[0][0] > bounds[1][0] { [[0.0; 3]; 2] } else { bounds }
    }

    /// The tag of this name at this moment: the transform, relative to the model, of what hangs on
    /// it. The first of several, the exact name before one in other case; `None` if there is none. A
    /// joint of an MD5 is a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<Transform> {
        let all = || self.tags().chain(self.joints());
        let exact = all().find(|&(found, _)| found == name);
        let found = exact.or_else(|| all().find(|(tag, _)| tag.eq_ignore_ascii_case(name)));
        found.map(|(_, tag)| tag)
    }

    /// The joints of an MD5 at this moment with their names, in the order of [`Model::joints`].
    pub fn joints(&self) -> impl Iterator<Item = (&str, Transform)> {
        self.joint_names.iter().map(String::as_str).zip(self.joints.transforms())
    }

    /// The tags at this moment with their names, in the order of [`Model::tag_names`].
    pub fn tags(&self) -> impl Iterator<Item = (&str, Transform)> {
        let transform = |tag: &Tag| Transform::from_axes(tag.origin, tag.axis);
        self.tag_names.iter().map(String::as_str).zip(self.tags.iter().map(transform))
    }
}

#[cfg(feature = "window")]
impl Pose {
    /// One surface of all vertices of several poses, where they stand: for whoever asks for points alone.
    pub(crate) fn gather<'a>(
        &mut self,
        poses: impl Iterator<Item = (&'a Pose, &'a Transform)> + Clone,
    ) {
        let counts = poses.clone().flat_map(|(pose, _)| &pose.surfaces).map(|s| s.count);
        self.surfaces.resize_with(1, PosedSurface::default);
        let all = &mut self.surfaces[0];
        all.resize(counts.sum());
        let points = poses.flat_map(|(pose, transform)| {
            let points = (0..pose.surface_count()).flat_map(|surface| pose.positions(surface));
            points.map(|point| transform.point(point))
        });
        for (vertex, point) in points.enumerate() {
            for (values, x) in all.position.iter_mut().zip(point) {
                values[vertex] = x;
            }
        }
        all.pad();
    }
}

/// Centre and radius of the sphere around a box.
pub(crate) fn sphere_around([min, max]: [[f32; 3]; 2]) -> ([f32; 3], f32) {
    let half: [f32; 3] = std::array::from_fn(|i| (max[i] - min[i]) * 0.5);
    let centre = std::array::from_fn(|i| min[i] + half[i]);
    (centre, direction::length(half.into()))
}

impl PosedSurface {
    /// Room for `count` vertices and the padding; what the arrays held is unspecified afterwards.
    pub(crate) fn resize(&mut self, count: usize) {
        self.count = count;
        self.bounds = bounds::LazyBounds::default();
        let padded = count.next_multiple_of(LANES);
        for values in self.position.iter_mut().chain(&mut self.normal) {
            values.resize(padded, 0.0);
        }
    }

    /// Fills the padding with the last vertex.
    pub(crate) fn pad(&mut self) {
        let count = self.count;
        for values in self.position.iter_mut().chain(&mut self.normal) {
            if let Some(&last) = count.checked_sub(1).and_then(|last| values.get(last)) {
                values[count..].fill(last);
            }
        }
    }
}

impl Model {
    /// The pose of `clip` at `time` seconds; the clip repeats.
    #[must_use]
    pub fn pose(&self, clip: &Clip, time: f32) -> Pose {
        self.pose_blend(clip.at(time))
    }

    /// The pose between two frames. A frame number beyond the last is the last.
    ///
    /// Positions blend linearly after decoding; normals blend linearly and are brought back to
    /// length 1. At `t` = 0 and 1 the pose is exactly that of the frame.
    #[must_use]
    pub fn pose_blend(&self, blend: Blend) -> Pose {
        let mut pose = Pose::default();
        self.pose_into(blend, &mut pose);
        pose
    }

    /// Like [`Model::pose_blend`], into buffers that are kept: posing the same model again
    /// allocates nothing.
    pub fn pose_into(&self, blend: Blend, pose: &mut Pose) {
        pose.blend = Some(blend);
        pose.surfaces.resize_with(self.surfaces.len(), PosedSurface::default);
        pose.joint_names = Arc::default();
        match &self.geometry {
            Geometry::Bytes(keys) => keyframe::bytes(keys, blend, &mut pose.surfaces),
            Geometry::Shorts(keys) => keyframe::shorts(keys, blend, &mut pose.surfaces),
            Geometry::Floats(keys) => keyframe::floats(keys, blend, &mut pose.surfaces),
            Geometry::Skeleton(skeleton) => {
                pose.joint_names.clone_from(&skeleton.names);
                let joints = &mut pose.joints;
                skeleton::pose(skeleton, &self.surfaces, blend, joints, &mut pose.surfaces);
            }
        }
        pose.tag_names.clone_from(&self.tags.names);
        tags::pose(&self.tags, blend, &mut pose.tags);
    }

    /// The tags in a frame, in the order of [`Model::tag_names`], without posing vertices.
    pub(crate) fn tags_in(&self, frame: usize) -> Vec<Transform> {
        let mut found = Vec::new();
        tags::pose(&self.tags, Blend::frame(frame), &mut found);
        found.iter().map(|tag| Transform::from_axes(tag.origin, tag.axis)).collect()
    }
}
