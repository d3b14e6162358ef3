//! Cameras: automatic framing or explicit placement.
//!
//! Right-handed; the camera looks along its -Z; `right = forward x up`.

mod fit;

use std::sync::Arc;

pub(crate) use fit::Fit;
use glam::{Mat4, Vec3, Vec4};

use crate::direction::{at_hand, length, power_below, unit};
use crate::pose::{Pose, sphere_around};
use crate::transform::Transform;

/// Where the picture is taken from. Built by one of the constructors, changed by the methods; the
/// picture's shape and what is missing (near, far, framing) are filled in when it draws.
#[derive(Clone, Debug)]
pub struct Camera {
    pub(crate) aim: Aim,
    pub(crate) azimuth: f32,
    pub(crate) elevation: f32,
    pub(crate) zoom: f32,
    pub(crate) view_angle: f32,
    pub(crate) orthographic: bool,
    pub(crate) pixel_aspect: f32,
    pub(crate) near: Option<f32>,
    pub(crate) far: Option<f32>,
}

/// A camera for one picture: nothing is left open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolvedCamera {
    /// From the scene to clip space (-w..w, y up, z -w near to w far).
    pub(crate) clip: Mat4,
    /// Near and far distance along the view direction.
    pub(crate) range: [f32; 2],
    /// The power of two that brings distances in front of the camera to an ordinary size: 1 unless the
    /// scene is tiny or huge. `clip` and `range` times it show the same.
    pub(crate) scale: f32,
    /// Where the picture is taken from, and the direction that the camera looks in.
    pub(crate) eye: Vec3,
    pub(crate) forward: Vec3,
}

#[derive(Clone, Debug)]
pub(crate) enum Aim {
    /// Fit these points.
    Framing { points: Arc<[[f32; 3]]>, up: [f32; 3], focal_point: Option<[f32; 3]> },
    /// Eye, focal point, up.
    Placed { position: [f32; 3], focal_point: [f32; 3], up: [f32; 3] },
}

impl Camera {
    /// Full vertical angle in degrees unless said.
    pub(crate) const DEFAULT_VIEW_ANGLE: f32 = 30.0;

    /// A camera that shows the whole pose, which stands untransformed: azimuth 30, elevation 15, view
    /// angle 30 degrees, 5 % margin.
    #[must_use]
    pub fn framing(pose: &Pose) -> Self {
        Self::framing_instances([(pose, &Transform::IDENTITY)])
    }

    /// Like [`Camera::framing`] for several poses, and where they stand in the scene.
    #[must_use]
    pub fn framing_instances<'a>(
        instances: impl IntoIterator<Item = (&'a Pose, &'a Transform)>,
    ) -> Self {
        let points = |(pose, transform): (&'a Pose, &'a Transform)| {
            let points = (0..pose.surface_count()).flat_map(|surface| pose.positions(surface));
            points.map(|point| transform.point(point))
        };
        let points = instances.into_iter().flat_map(points).collect();
        Self::new(Aim::Framing { points, up: [0.0, 0.0, 1.0], focal_point: None }, 30.0, 15.0)
    }

    /// A camera at `position` that looks at `focal_point` (scene units); `up` need not be a right angle to it.
    #[must_use]
    pub fn placed(position: [f32; 3], focal_point: [f32; 3], up: [f32; 3]) -> Self {
        let up = ordinary(up);
        Self::new(Aim::Placed { position, focal_point, up }, 0.0, 0.0)
    }

    fn new(aim: Aim, azimuth: f32, elevation: f32) -> Self {
        Self {
            aim,
            azimuth,
            elevation,
            zoom: 1.0,
            view_angle: Self::DEFAULT_VIEW_ANGLE,
            orthographic: false,
            pixel_aspect: 1.0,
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

    /// Degrees above the horizon. Straight above and below the azimuth says what is up in the picture.
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

    /// How many times higher than wide a pixel is shown, above 0: 1.2 for 320 x 200 on a screen of 4:3, as the
    /// first engines were played.
    #[must_use]
    pub fn pixel_aspect(mut self, ratio: f32) -> Self {
        self.pixel_aspect = ratio;
        self
    }

    /// Distance of the near plane, above 0; `None` fits what is drawn.
    #[must_use]
    pub fn near(mut self, near: Option<f32>) -> Self {
        self.near = near;
        self
    }

    /// Distance of the far plane; `None` fits what is drawn.
    #[must_use]
    pub fn far(mut self, far: Option<f32>) -> Self {
        self.far = far;
        self
    }

    /// Which direction is up, of any length.
    #[must_use]
    pub fn view_up(mut self, direction: [f32; 3]) -> Self {
        match &mut self.aim {
            Aim::Framing { up, .. } | Aim::Placed { up, .. } => *up = ordinary(direction),
        }
        self
    }

    /// The point in the middle of the picture; the fit of a framing camera then follows from it.
    #[must_use]
    pub fn focal_point(mut self, point: [f32; 3]) -> Self {
        match &mut self.aim {
            Aim::Framing { focal_point, .. } => *focal_point = Some(point),
            Aim::Placed { focal_point, .. } => *focal_point = point,
        }
        self
    }
}

impl Camera {
    /// Fills in what depends on the picture's shape (`aspect` = width / height) and on the pose.
    pub(crate) fn resolve(&self, pose: &Pose, aspect: f32) -> ResolvedCamera {
        self.resolve_around(|| pose.bounds(), aspect)
    }

    /// Like [`Camera::resolve`] for a scene whose box is asked for only if something depends on it.
    pub(crate) fn resolve_around(
        &self,
        bounds: impl FnOnce() -> [[f32; 3]; 2],
        aspect: f32,
    ) -> ResolvedCamera {
        let placement = self.place(aspect);
        let aspect = aspect / self.pixel_aspect;
        let ([near, far], scale) = self.depth_range(bounds, placement.eye);
        let projection = if self.orthographic {
            let height = placement.half_height / self.zoom;
            orthographic(height * aspect, height, near, far)
        } else {
            perspective(tan_half(self.view_angle) / self.zoom, aspect, near, far)
        };
        let Placement { eye, right, up, forward, .. } = placement;
        let view = Mat4::from_cols(
            Vec4::new(right.x, up.x, -forward.x, 0.0),
            Vec4::new(right.y, up.y, -forward.y, 0.0),
            Vec4::new(right.z, up.z, -forward.z, 0.0),
            Vec4::new(-right.dot(eye), -up.dot(eye), forward.dot(eye), 1.0),
        );
        // Parallel projection has brought everything to the size of the picture.
        let scale = if self.orthographic { 1.0 } else { scale };
        ResolvedCamera { clip: projection * view, range: [near, far], scale, eye, forward }
    }

    fn place(&self, aspect: f32) -> Placement {
        match &self.aim {
            Aim::Placed { position, focal_point, up } => {
                let focal = Vec3::from(*focal_point);
                let up = unit(Vec3::from(*up)).unwrap_or(Vec3::Z);
                let offset = Vec3::from(*position) - focal;
                let (offset, side) = turn(offset, up, self.azimuth, self.elevation);
                let axes = Axes::looking(unit(-offset).unwrap_or(Vec3::NEG_X), up, side);
                let half_height = positive_or(length(offset), NO_SIZE) * tan_half(self.view_angle);
                axes.at(focal + offset, half_height)
            }
            Aim::Framing { points, up, focal_point } => {
                let up = unit(Vec3::from(*up)).unwrap_or(Vec3::Z);
                let mut fit = Fit::new(self, up, focal_point.map(Vec3::from), aspect);
                points.iter().for_each(|&point| fit.add(point.into()));
                fit.place()
            }
        }
    }

    /// Near and far distance: given, else around the box; and [`ResolvedCamera::scale`].
    fn depth_range(&self, bounds: impl FnOnce() -> [[f32; 3]; 2], eye: Vec3) -> ([f32; 2], f32) {
        let range = |near: f32, far: f32| [near, far.max(near * (1.0 + 1e-6))];
        if let (Some(near), Some(far)) = (self.near, self.far) {
            // A small near distance says nothing about the size of what is seen.
            return (range(near, far), scale_for(near.max(1.0)));
        }
        let (centre, radius) = sphere_around(bounds());
        let distance = length(Vec3::from(centre) - eye);
        let radius = positive_or(radius, NO_SIZE);
        let near = self.near.unwrap_or((distance - 1.1 * radius).max(0.01 * radius));
        let far = distance + 1.1 * radius;
        (range(near, self.far.unwrap_or(far)), scale_for(far))
    }
}

/// The size of what has none.
const NO_SIZE: f32 = 1e-6;

/// Distances with which all stages can calculate as they are.
const ORDINARY: std::ops::Range<f32> = 1e-4..1e9;

/// The power of two by which things at this distance come to one of about 1; 1 if it is ordinary.
fn scale_for(distance: f32) -> f32 {
    if ORDINARY.contains(&distance) || !(distance > 0.0 && distance.is_finite()) {
        return 1.0;
    }
    // The reciprocal of the smallest distances is no f32.
    power_below(distance.max(f32::MIN_POSITIVE)).recip() as f32
}

/// The same direction, at a length that everybody can square.
fn ordinary(direction: [f32; 3]) -> [f32; 3] {
    at_hand(direction.into()).0.to_array()
}

fn positive_or(size: f32, otherwise: f32) -> f32 {
    if size > 0.0 { size } else { otherwise }
}

/// Where the camera stands and how it is turned; `half_height` is used by parallel projection only.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) eye: Vec3,
    pub(crate) right: Vec3,
    pub(crate) up: Vec3,
    pub(crate) forward: Vec3,
    pub(crate) half_height: f32,
}

struct Axes {
    right: Vec3,
    up: Vec3,
    forward: Vec3,
}

impl Axes {
    /// `side` is what lies to the right as long as the eye is not beyond the pole.
    fn looking(forward: Vec3, up: Vec3, side: Vec3) -> Self {
        let mut right = forward.cross(up);
        if right.length_squared() < 1e-6 {
            // Almost straight up or down `forward` is rounded away from what makes the difference.
            right = if right.dot(side) < -1e-6 { -side } else { side };
        }
        let right = right.normalize();
        Self { right, up: right.cross(forward), forward }
    }

    fn at(&self, eye: Vec3, half_height: f32) -> Placement {
        Placement { eye, right: self.right, up: self.up, forward: self.forward, half_height }
    }
}

/// The direction of azimuth 0 around `up`.
fn front(up: Vec3) -> Vec3 {
    let front = if up.x.abs() > 0.9 { Vec3::Z } else { Vec3::X };
    unit(front - up * front.dot(up)).unwrap_or(Vec3::X)
}

/// Turns `offset` by `azimuth` about `up`, then raises it by `elevation` (degrees). Also gives the axis
/// that raising turns about, which is to the right of who looks back along the offset.
fn turn(offset: Vec3, up: Vec3, azimuth: f32, elevation: f32) -> (Vec3, Vec3) {
    let turned = rotate(offset, up, azimuth);
    let mut side = up.cross(at_hand(turned).0);
    if side.length_squared() < 1e-13 {
        // At the pole every azimuth is the same place, but not the same picture.
        side = up.cross(rotate(front(up), up, azimuth));
    }
    let side = side.normalize();
    // Downwards is positive.
    (rotate(turned, side, -elevation), side)
}

/// Turns about an axis of unit length, counter-clockwise seen from its tip.
pub(crate) fn rotate(v: Vec3, axis: Vec3, degrees: f32) -> Vec3 {
    if degrees == 0.0 {
        return v;
    }
    let (sin, cos) = libm::sincos(f64::from(degrees).to_radians());
    let (sin, cos) = (sin as f32, cos as f32);
    v * cos + axis.cross(v) * sin + axis * (axis.dot(v) * (1.0 - cos))
}

/// The tangent of half an angle: half the height of what is seen at distance 1.
pub(crate) fn tan_half(degrees: f32) -> f32 {
    libm::tan(f64::from(degrees).to_radians() * 0.5) as f32
}

fn perspective(tan_half: f32, aspect: f32, near: f32, far: f32) -> Mat4 {
    let depth = far - near;
    let product = -2.0 * far * near / depth;
    // The product of large or of small distances is no f32.
    let is_exact = product.is_finite() && far * near > 1e-30;
    let product = if is_exact { product } else { -2.0 * far * (near / depth) };
    Mat4::from_cols(
        Vec4::new(1.0 / (tan_half * aspect), 0.0, 0.0, 0.0),
        Vec4::new(0.0, 1.0 / tan_half, 0.0, 0.0),
        Vec4::new(0.0, 0.0, -(far + near) / depth, -1.0),
        Vec4::new(0.0, 0.0, product, 0.0),
    )
}

fn orthographic(half_width: f32, half_height: f32, near: f32, far: f32) -> Mat4 {
    let depth = far - near;
    Mat4::from_cols(
        Vec4::new(1.0 / half_width, 0.0, 0.0, 0.0),
        Vec4::new(0.0, 1.0 / half_height, 0.0, 0.0),
        Vec4::new(0.0, 0.0, -2.0 / depth, 0.0),
        Vec4::new(0.0, 0.0, -(far + near) / depth, 1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Blend, Model, SurfaceParts};

    fn pose(points: &[[f32; 3]]) -> Pose {
        let part = SurfaceParts {
            positions: points.to_vec(),
            normals: vec![[0.0, 0.0, 1.0]; points.len()],
            texcoords: vec![[0.0; 2]; points.len()],
            ..SurfaceParts::default()
        };
        let model = Model::from_parts(vec![part]).unwrap();
        model.pose_blend(Blend::frame(0))
    }

    fn project(camera: &ResolvedCamera, p: [f32; 3]) -> [f32; 3] {
        camera.clip.project_point3(Vec3::from(p)).to_array()
    }

    #[test]
    fn left_is_left_when_seen_from_behind_and_up_is_up() {
        let camera = Camera::placed([-100.0, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]);
        let camera = camera.resolve(&pose(&[[10.0; 3], [-10.0; 3]]), 1.0);
        let [x, y, _] = project(&camera, [0.0, 10.0, 5.0]);
        assert!(
            x < 0.0 && y > 0.0,
            "the model's left (+Y) seen from behind is on the left: {x} {y}"
        );
    }

    #[test]
    fn pixels_that_are_higher_than_wide_show_what_a_picture_of_their_shape_does() {
        let pose = pose(&[[3.0, -8.0, 1.0], [10.0, 4.0, 30.0], [-7.0, 2.0, -24.0]]);
        for camera in [
            Camera::framing(&pose),
            Camera::framing(&pose).orthographic(true),
            Camera::placed([60.0, 5.0, 20.0], [0.0; 3], [0.0, 0.0, 1.0]),
        ] {
            // 320 x 200 fills 4:3.
            let shown = camera.clone().pixel_aspect(1.2).resolve(&pose, 1.6).clip;
            let expected = camera.resolve(&pose, 4.0 / 3.0).clip;
            let near = |a: f32, b: f32| (a - b).abs() < 1e-4 * b.abs().max(1.0);
            let pairs = shown.to_cols_array().into_iter().zip(expected.to_cols_array());
            assert!(pairs.clone().all(|(a, b)| near(a, b)), "{shown} {expected}");
        }
    }

    #[test]
    fn framing_touches_the_margin_and_never_leaves_it() {
        let points = [[3.0, -8.0, 1.0], [10.0, 4.0, 30.0], [-7.0, 2.0, -24.0], [0.0, 0.0, 0.0]];
        for orthographic in [false, true] {
            for aspect in [0.5, 1.0, 2.0] {
                let pose = pose(&points);
                let camera = Camera::framing(&pose).orthographic(orthographic);
                let camera = camera.resolve(&pose, aspect);
                let reach =
                    points.iter().map(|&p| project(&camera, p)).fold(0.0f32, |m, [x, y, z]| {
                        assert!(z.abs() < 1.0, "inside near and far: {z}");
                        m.max(x.abs()).max(y.abs())
                    });
                assert!((reach - 0.9).abs() < 1e-3, "{orthographic} {aspect}: {reach}");
            }
        }
    }

    #[test]
    fn transformed_instances_are_framed_where_they_stand() {
        let poses = [pose(&[[10.0, -4.0, 3.0], [-8.0, 9.0, -5.0]]), pose(&[[1.0, 2.0, 3.0]])];
        let [yaw, moved] = [Transform::yaw(30.0), Transform::translation([0.0, 70.0, 0.0])];
        let camera = Camera::framing_instances([(&poses[0], &yaw), (&poses[1], &moved)]);
        let bounds = || [[-80.0; 3], [80.0; 3]];
        let camera = camera.near(Some(1.0)).resolve_around(bounds, 1.0);
        let points = [yaw.point([10.0, -4.0, 3.0]), yaw.point([-8.0, 9.0, -5.0]), [1.0, 72.0, 3.0]];
        let reach = points.map(|point| {
            let [x, y, _] = project(&camera, point);
            x.abs().max(y.abs())
        });
        assert!((reach.into_iter().fold(0.0, f32::max) - 0.9).abs() < 1e-3, "{reach:?}");
    }

    #[test]
    fn azimuth_goes_to_the_models_left_and_elevation_up() {
        let camera = Camera::placed([10.0, 0.0, 0.0], [0.0; 3], [0.0, 0.0, 1.0]);
        let eye = camera.clone().azimuth(90.0).place(1.0).eye;
        assert!((eye - Vec3::new(0.0, 10.0, 0.0)).length() < 1e-4, "{eye}");
        let eye = camera.elevation(30.0).place(1.0).eye;
        assert!((eye.z - 5.0).abs() < 1e-4 && eye.x > 8.0, "{eye}");
    }
}
