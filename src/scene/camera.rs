//! The camera of a scene: placed where it was said, else framing the model.

use super::{Opened, Scene, SceneCamera};
use crate::camera::Camera;
use crate::error::RequestError;
use crate::model::Format;
use crate::raster::{Instance, View};
use crate::transform::Transform;

impl Scene {
    /// # Errors
    /// If the camera contradicts itself, whatever the model.
    pub(super) fn check_camera(&self) -> Result<(), RequestError> {
        let camera = &self.camera;
        if let (Some(near), Some(far)) = (camera.near, camera.far)
            && near >= far
        {
            return Err(RequestError::new(format!(
                "--camera-near {near} must be smaller than --camera-far {far}"
            )));
        }
        if self.engine.camera_angles.is_some() && camera.position.is_none() {
            return Err(RequestError::new("--camera-angles needs --camera-position"));
        }
        Ok(())
    }

    /// The camera of the precise renderer: that of the scene, which for a weapon in the player's hand is
    /// the eye at the origin, looking ahead with 90 degrees from side to side.
    ///
    /// # Errors
    /// If the eye is where it looks.
    pub(super) fn precise_camera(
        &self,
        instances: &[Instance<'_>],
    ) -> Result<Camera, RequestError> {
        let mut wanted = self.camera.clone();
        if self.engine.view_weapon && wanted.position.is_none() {
            let [width, height] = self.picture_size();
            wanted.position = Some([0.0; 3]);
            wanted.focal_point = wanted.focal_point.or(Some([1.0, 0.0, 0.0]));
            let angle = wanted.vertical_angle(90.0, width, height);
            wanted.view_angle = wanted.view_angle.or(Some(angle));
        }
        wanted.camera(instances)
    }

    /// The column-major matrix from the scene to clip space (OpenGL's conventions: -w..w with y up) with
    /// which the precise renderer draws the picture.
    ///
    /// # Errors
    /// If a frame or an animation does not exist, or the eye is where it looks.
    pub fn clip_matrix(&self, opened: &Opened) -> Result<[f32; 16], RequestError> {
        let assembly = opened.assembly(self)?;
        let instances: Vec<Instance<'_>> = assembly.instances().collect();
        let view = View::new(self.precise_camera(&instances)?);
        let [width, height] = self.picture_size();
        Ok(view.matrix(&instances, width, height))
    }

    /// How the model stands in the scene.
    #[must_use]
    pub fn transform(&self, format: Format) -> Transform {
        let origin = self.placement.origin.unwrap_or_default();
        let [pitch, yaw, roll] = self.placement.angles.unwrap_or_default();
        // Quake negates the pitch of its alias models.
        let pitch = if format == Format::Mdl { -pitch } else { pitch };
        let turned = match [pitch, yaw, roll] {
            [0.0, 0.0, 0.0] => Transform::IDENTITY,
            [0.0, yaw, 0.0] => Transform::yaw(yaw),
            angles => Transform::angles(angles),
        };
        if origin == [0.0; 3] { turned } else { Transform::translation(origin) * turned }
    }
}

impl SceneCamera {
    /// The camera in front of posed models.
    ///
    /// # Errors
    /// If the eye is where it looks.
    pub(crate) fn camera(&self, instances: &[Instance<'_>]) -> Result<Camera, RequestError> {
        let stands = || instances.iter().map(|instance| (instance.pose, &instance.transform));
        let mut camera = match self.position {
            Some(position) => {
                let focal_point = self.focal_point.unwrap_or_else(|| middle(instances));
                if position == focal_point {
                    let [x, y, z] = position;
                    return Err(RequestError::new(format!(
                        "--camera-position {x},{y},{z} is also what the camera looks at; \
                         move it or give --camera-focal-point"
                    )));
                }
                Camera::placed(position, focal_point, self.view_up.unwrap_or([0.0, 0.0, 1.0]))
            }
            None => {
                let framing = Camera::framing_instances(stands());
                let framing = framing.view_up(self.view_up.unwrap_or([0.0, 0.0, 1.0]));
                match self.focal_point {
                    Some(point) => framing.focal_point(point),
                    None => framing,
                }
            }
        };
        if let Some(degrees) = self.azimuth {
            camera = camera.azimuth(degrees);
        }
        if let Some(degrees) = self.elevation {
            camera = camera.elevation(degrees);
        }
        if let Some(degrees) = self.view_angle {
            camera = camera.view_angle(degrees);
        }
        Ok(camera
            .zoom(self.zoom.unwrap_or(1.0))
            .near(self.near)
            .far(self.far)
            .orthographic(self.orthographic)
            .pixel_aspect(self.pixel_aspect.unwrap_or(1.0)))
    }
}

/// The middle of the pose's box, of several models that of the box around all points.
pub(super) fn middle(instances: &[Instance<'_>]) -> [f32; 3] {
    let centre = |[min, max]: [[f32; 3]; 2]| {
        std::array::from_fn(|axis| min[axis] + (max[axis] - min[axis]) * 0.5)
    };
    if let [Instance { pose, transform, .. }] = instances {
        return transform.point(centre(pose.bounds()));
    }
    let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for Instance { pose, transform, .. } in instances {
        let points = (0..pose.surface_count()).flat_map(|surface| pose.positions(surface));
        for (axis, x) in points.flat_map(|point| transform.point(point).into_iter().enumerate()) {
            bounds[0][axis] = bounds[0][axis].min(x);
            bounds[1][axis] = bounds[1][axis].max(x);
        }
    }
    if bounds[0][0] > bounds[1][0] { [0.0; 3] } else { centre(bounds) }
}
