//! Cameras: automatic framing, explicit placement, or matrices.
//!
//! Right-handed; the camera looks along its -Z; `right = forward x up`.

use std::sync::Arc;

use crate::pose::Pose;

/// Where the picture is taken from. Built by one of the constructors, changed by the methods; the
/// picture's shape and what is missing (near, far, framing) are filled in when it draws.
#[derive(Clone, Debug)]
pub struct Camera {
    pub(crate) view: View,
    pub(crate) azimuth: f32,
    pub(crate) elevation: f32,
    pub(crate) zoom: f32,
    pub(crate) view_angle: f32,
    pub(crate) orthographic: bool,
    pub(crate) near: Option<f32>,
    pub(crate) far: Option<f32>,
}

#[derive(Clone, Debug)]
pub(crate) enum View {
    /// Fit these points.
    Framing { points: Arc<[[f32; 3]]>, up: [f32; 3], focal_point: Option<[f32; 3]> },
    /// Eye, focal point, up.
    Placed { position: [f32; 3], focal_point: [f32; 3], up: [f32; 3] },
    /// Column-major view and projection, clip space -w..w with y up.
    Matrices { view: [f32; 16], projection: [f32; 16] },
}

impl Camera {
    /// A camera that shows the whole pose: azimuth 30, elevation 15, view angle 30 degrees, 5 % margin.
    #[must_use]
    pub fn framing(pose: &Pose) -> Self {
        let points = (0..pose.surface_count()).flat_map(|s| pose.positions(s)).collect();
        Self::new(View::Framing { points, up: [0.0, 0.0, 1.0], focal_point: None }, 30.0, 15.0)
    }

    /// A camera at `position` that looks at `focal_point` (model units); `up` need not be a right angle to it.
    #[must_use]
    pub fn placed(position: [f32; 3], focal_point: [f32; 3], up: [f32; 3]) -> Self {
        Self::new(View::Placed { position, focal_point, up }, 0.0, 0.0)
    }

    /// A camera given as column-major view and projection matrices (OpenGL's conventions).
    #[must_use]
    pub fn from_matrices(view: [f32; 16], projection: [f32; 16]) -> Self {
        Self::new(View::Matrices { view, projection }, 0.0, 0.0)
    }

    fn new(view: View, azimuth: f32, elevation: f32) -> Self {
        Self {
            view,
            azimuth,
            elevation,
            zoom: 1.0,
            view_angle: 30.0,
            orthographic: false,
            near: None,
            far: None,
        }
    }

    /// Degrees around the up axis, from the model's front (+X) towards its left; a turn about the
    /// focal point for a placed camera.
    #[must_use]
    pub fn azimuth(mut self, degrees: f32) -> Self {
        self.azimuth = degrees;
        self
    }

    /// Degrees above the horizon.
    #[must_use]
    pub fn elevation(mut self, degrees: f32) -> Self {
        self.elevation = degrees;
        self
    }

    /// The picture is `factor` times larger about its centre.
    #[must_use]
    pub fn zoom(mut self, factor: f32) -> Self {
        self.zoom = factor;
        self
    }

    /// Full vertical angle in degrees, above 0 and below 180.
    #[must_use]
    pub fn view_angle(mut self, degrees: f32) -> Self {
        self.view_angle = degrees;
        self
    }

    /// Parallel projection; a placed camera shows what its view angle would at the focal point.
    #[must_use]
    pub fn orthographic(mut self, yes: bool) -> Self {
        self.orthographic = yes;
        self
    }

    /// Distance of the near plane, above 0; `None` fits the pose.
    #[must_use]
    pub fn near(mut self, near: Option<f32>) -> Self {
        self.near = near;
        self
    }

    /// Distance of the far plane; `None` fits the pose.
    #[must_use]
    pub fn far(mut self, far: Option<f32>) -> Self {
        self.far = far;
        self
    }

    /// For a framing camera: which direction is up.
    #[must_use]
    pub fn view_up(mut self, direction: [f32; 3]) -> Self {
        match &mut self.view {
            View::Framing { up, .. } | View::Placed { up, .. } => *up = direction,
            View::Matrices { .. } => {}
        }
        self
    }

    /// For a framing camera: the point in the middle of the picture (the fit then follows from it).
    #[must_use]
    pub fn focal_point(mut self, point: [f32; 3]) -> Self {
        match &mut self.view {
            View::Framing { focal_point, .. } => *focal_point = Some(point),
            View::Placed { focal_point, .. } => *focal_point = point,
            View::Matrices { .. } => {}
        }
        self
    }
}
