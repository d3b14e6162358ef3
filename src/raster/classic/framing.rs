//! An ordinary camera in the engines' words.

use super::camera::Axes;
use super::scene::ClassicScene;
use crate::camera::{Aim, Camera};
use crate::model::{Format, Model};
use crate::pose::Pose;

/// Nothing of a framed model comes nearer: the original renderers cut at 5 (Quake) and 4 units.
pub(crate) const NEAREST: f32 = 5.5;

impl ClassicScene {
    /// Turns and places the scene's camera like `camera`. `pose` is what a framing camera fits (in
    /// model space; the scene's `origin` and `angles` are applied), `width` and `height` the size
    /// of the picture.
    ///
    /// The original renderers cut what is nearer than 5 units. A framing camera that comes so close
    /// steps back and narrows its angle instead. Parallel projection does not exist here: the
    /// camera's view angle is taken.
    pub fn set_camera(
        &mut self,
        model: &Model,
        pose: &Pose,
        camera: &Camera,
        width: u32,
        height: u32,
    ) {
        let aspect = width as f32 / height as f32;
        let axes = entity_axes(model.format(), self.angles);
        let mut camera = camera.clone().orthographic(false);
        if let Aim::Framing { points, .. } = &mut camera.aim {
            let place = |&p: &[f32; 3]| to_world(p, &axes, self.origin);
            let world: Vec<[f32; 3]> = points.iter().map(place).collect();
            *points = world.clone().into();
            // Half the angle is about twice the distance: the 24th is a model of a millionth unit.
            for _ in 0..24 {
                let resolved = camera.resolve(pose, aspect);
                let depth =
                    |p: &[f32; 3]| (glam::Vec3::from(*p) - resolved.eye).dot(resolved.forward);
                if world.iter().map(depth).fold(f32::INFINITY, f32::min) >= NEAREST {
                    break;
                }
                camera.view_angle *= 0.5;
            }
        }
        let resolved = camera.resolve(pose, aspect);
        let [right, up] = [0, 1].map(|row| resolved.clip.row(row).truncate().to_array());
        let length = |v: [f32; 3]| f64::from(glam::Vec3::from(v).length());
        self.pixel_aspect = camera.pixel_aspect;
        self.camera_position = resolved.eye.to_array();
        self.camera_angles = angles(resolved.forward.to_array(), right, up);
        self.horizontal_angle = (2.0 * libm::atan(1.0 / length(right))).to_degrees() as f32;
    }
}

impl ClassicScene {
    /// Where a point of the model stands in the world, by the scene's `origin` and `angles`.
    #[must_use]
    pub fn to_world(&self, model: &Model, point: [f32; 3]) -> [f32; 3] {
        to_world(point, &entity_axes(model.format(), self.angles), self.origin)
    }
}

/// Axes of a turned model: Quake negates the pitch of its alias models.
pub(super) fn entity_axes(format: Format, [pitch, yaw, roll]: [f32; 3]) -> Axes {
    let pitch = if format == Format::Mdl { -pitch } else { pitch };
    Axes::from_angles([pitch, yaw, roll])
}

fn to_world(p: [f32; 3], axes: &Axes, origin: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|i| p[0] * axes.forward[i] - p[1] * axes.right[i] + p[2] * axes.up[i] + origin[i])
}

/// Pitch, yaw, roll in degrees whose axes point along the given vectors (of any length).
fn angles(forward: [f32; 3], right: [f32; 3], up: [f32; 3]) -> [f32; 3] {
    let [fx, fy, fz] = forward.map(f64::from);
    let level = (fx * fx + fy * fy).sqrt();
    let pitch = libm::atan2(-fz, level);
    // Straight up or down the yaw shows in the other axes only; the roll is 0 then.
    let (yaw, roll) = if level > 1e-6 {
        let size = |v: [f32; 3]| f64::from(glam::Vec3::from(v).length()).max(1e-30);
        let roll = libm::atan2(-f64::from(right[2]) / size(right), f64::from(up[2]) / size(up));
        (libm::atan2(fy, fx), roll)
    } else {
        (libm::atan2(f64::from(right[0]), -f64::from(right[1])), 0.0)
    };
    [pitch, yaw, roll].map(|radians| radians.to_degrees() as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_and_axes_are_inverse() {
        for wanted in [[15.0, -150.0, 0.0], [-70.0, 20.0, 30.0], [90.0, 40.0, 0.0]] {
            let Axes { forward, right, up } = Axes::from_angles(wanted);
            let found = angles(forward, right.map(|x| x * 3.0), up.map(|x| x * 0.2));
            for (a, b) in wanted.iter().zip(found) {
                assert!((a - b).abs() < 1e-3, "{wanted:?} {found:?}");
            }
        }
    }
}
