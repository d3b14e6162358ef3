//! One model in the scene.

use super::error::DrawError;
use crate::look::Look;
use crate::model::Model;
use crate::pose::Pose;
use crate::transform::Transform;

/// A model to draw: at what moment, how, and how it stands in the scene.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// Surfaces, texture coordinates and textures.
    pub model: &'a Model,
    /// Positions and normals of that model.
    pub pose: &'a Pose,
    /// How it is drawn.
    pub look: Look,
    /// How it stands in the scene.
    pub transform: Transform,
}

impl<'a> Instance<'a> {
    /// A model as it was made, in the look that its format suggests.
    #[must_use]
    pub fn new(model: &'a Model, pose: &'a Pose) -> Self {
        Self { model, pose, look: Look::of(model.format()), transform: Transform::IDENTITY }
    }

    /// Drawn like this.
    #[must_use]
    pub fn look(mut self, look: Look) -> Self {
        self.look = look;
        self
    }

    /// Standing like this.
    #[must_use]
    pub fn transform(mut self, transform: Transform) -> Self {
        self.transform = transform;
        self
    }
}

/// # Errors
/// If a pose has another number of surfaces, or of vertices in one, than its model.
pub(crate) fn check(instances: &[Instance<'_>]) -> Result<(), DrawError> {
    for (instance, Instance { model, pose, .. }) in instances.iter().enumerate() {
        let misfit = |surface, found, expected| {
            if found == expected {
                return Ok(());
            }
            Err(DrawError::Pose { instance, surface, found, expected })
        };
        misfit(None, pose.surfaces.len(), model.surfaces.len())?;
        for (number, (posed, surface)) in pose.surfaces.iter().zip(&model.surfaces).enumerate() {
            misfit(Some(number), posed.count, surface.vertex_count())?;
        }
    }
    Ok(())
}

/// The smallest box around all instances: that of the pose if one stands untransformed, else around
/// the corners of the poses' boxes where they stand.
pub(crate) fn bounds(instances: &[Instance<'_>]) -> [[f32; 3]; 2] {
    if let [Instance { pose, transform, .. }] = instances
        && transform.is_identity()
    {
        return pose.bounds();
    }
    let mut all = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    let has_vertices =
        |instance: &&Instance<'_>| instance.pose.surfaces.iter().any(|s| s.count > 0);
    for Instance { pose, transform, .. } in instances.iter().filter(has_vertices) {
        let [min, max] = pose.bounds();
        for corner in 0..8 {
            let corner = [0, 1, 2].map(|i| if corner >> i & 1 == 0 { min[i] } else { max[i] });
            for (axis, x) in transform.point(corner).into_iter().enumerate() {
                all[0][axis] = all[0][axis].min(x);
                all[1][axis] = all[1][axis].max(x);
            }
        }
    }
    if all[0][0] > all[1][0] { [[0.0; 3]; 2] } else { all }
}
