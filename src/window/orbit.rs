//! The camera of the window: it goes round a point.

use glam::Vec3;

use crate::camera::{Aim, Camera};
use crate::direction::length;
use crate::pose::Pose;
use crate::scene::SceneCamera;
use crate::transform::Transform;

/// How near and far the wheel can go, in steps from where the camera was set.
const NEAREST: f32 = 0.02;
const FARTHEST: f32 = 50.0;

/// A camera that looks at a point from a distance. Degrees and lengths as in [`Camera`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Orbit {
    pub(crate) focal_point: [f32; 3],
    pub(crate) distance: f32,
    pub(crate) azimuth: f32,
    /// -90..=90.
    pub(crate) elevation: f32,
    /// The axis that the camera goes round, unit length.
    pub(crate) axis: [f32; 3],
    pub(crate) view_angle: f32,
    pub(crate) zoom: f32,
    pub(crate) orthographic: bool,
    pub(crate) near: Option<f32>,
    pub(crate) far: Option<f32>,
    /// The distance when the camera was set.
    pub(crate) start: f32,
}

impl Default for Orbit {
    fn default() -> Self {
        Self {
            focal_point: [0.0; 3],
            distance: 1.0,
            azimuth: 30.0,
            elevation: 15.0,
            axis: [0.0, 0.0, 1.0],
            view_angle: 30.0,
            zoom: 1.0,
            orthographic: false,
            near: None,
            far: None,
            start: 1.0,
        }
    }
}

impl Orbit {
    /// The camera that shows what `camera` shows of `pose` in a picture of this shape.
    pub(crate) fn of(camera: &Camera, pose: &Pose, transform: &Transform, aspect: f32) -> Self {
        let resolved = camera.resolve(pose, aspect);
        let (eye, forward) = (resolved.eye, resolved.forward);
        let depth = depth_of(pose, transform, eye, forward);
        let (axis, focal_depth) = match &camera.aim {
            Aim::Placed { focal_point, up, .. } => {
                (*up, (Vec3::from(*focal_point) - eye).dot(forward))
            }
            Aim::Framing { up, .. } => (*up, depth),
        };
        let focal_point = eye + forward * focal_depth;
        let axis = Vec3::from(axis).normalize_or(Vec3::Z);
        let (front, left) = basis(axis);
        let offset = -forward;
        let degrees = |y: f32, x: f32| libm::atan2(f64::from(y), f64::from(x)).to_degrees() as f32;
        let level = offset - axis * offset.dot(axis);
        let distance = if camera.orthographic {
            // The distance at which the view angle shows as much as the parallel projection.
            let row = resolved.clip.row(1).truncate();
            camera.zoom / (row.length() * tan_half(camera.view_angle))
        } else {
            focal_depth
        };
        Self {
            focal_point: focal_point.to_array(),
            distance,
            azimuth: degrees(offset.dot(left), offset.dot(front)),
            elevation: degrees(offset.dot(axis), level.length()),
            axis: axis.to_array(),
            view_angle: camera.view_angle,
            zoom: camera.zoom,
            orthographic: camera.orthographic,
            near: camera.near,
            far: camera.far,
            start: distance,
        }
    }

    /// The same parallel view with this angle, which says nothing there but is that of the perspective one:
    /// from where that would show as much, if the pose lies before the eye then.
    pub(crate) fn with_lens(self, view_angle: f32, pose: &Pose) -> Self {
        let half_height = self.distance * tan_half(self.view_angle);
        let distance = half_height / tan_half(view_angle);
        let [min, max] = pose.bounds().map(Vec3::from);
        if !self.orthographic || length(max - min) > distance {
            return self;
        }
        Self { view_angle, distance, start: distance, ..self }
    }

    /// Eye and up direction.
    pub(crate) fn placement(&self) -> ([f32; 3], [f32; 3]) {
        let axis = Vec3::from(self.axis);
        let (front, left) = basis(axis);
        let [azimuth, elevation] = [self.azimuth, self.elevation]
            .map(|degrees| libm::sincos(f64::from(degrees).to_radians()));
        let level = front * azimuth.1 as f32 + left * azimuth.0 as f32;
        let offset = level * elevation.1 as f32 + axis * elevation.0 as f32;
        let up = axis * elevation.1 as f32 - level * elevation.0 as f32;
        let eye = Vec3::from(self.focal_point) + offset * self.distance;
        (eye.to_array(), up.to_array())
    }

    pub(crate) fn camera(&self) -> Camera {
        let (eye, up) = self.placement();
        Camera::placed(eye, self.focal_point, up)
            .view_angle(self.view_angle)
            .zoom(self.zoom)
            .orthographic(self.orthographic)
            .near(self.near)
            .far(self.far)
    }

    /// The same view from so far away that no vertex of the pose is nearer than `nearest` along the
    /// line of sight. Every step doubles the distance and halves what the view angle shows.
    pub(crate) fn not_nearer(mut self, pose: &Pose, yaw: f32, nearest: f32) -> Self {
        let turned = Transform::yaw(yaw);
        for _ in 0..24 {
            let resolved = self.camera().resolve(pose, 1.0);
            let depth =
                |point| (Vec3::from(turned.point(point)) - resolved.eye).dot(resolved.forward);
            let points = (0..pose.surface_count()).flat_map(|surface| pose.positions(surface));
            // Something behind the eye: the user has moved the camera into the model.
            let first = points.map(depth).fold(f32::INFINITY, f32::min);
            if !(0.0..nearest).contains(&first) {
                break;
            }
            let half = libm::atan(f64::from(tan_half(self.view_angle) * 0.5)).to_degrees();
            self.view_angle = (2.0 * half) as f32;
            self.distance *= 2.0;
        }
        self
    }

    /// The camera as a scene says it.
    pub(crate) fn scene_camera(&self) -> SceneCamera {
        let (eye, up) = self.placement();
        SceneCamera {
            position: Some(eye),
            focal_point: Some(self.focal_point),
            view_up: Some(up),
            view_angle: Some(self.view_angle),
            near: self.near,
            far: self.far,
            zoom: (self.zoom != 1.0).then_some(self.zoom),
            orthographic: self.orthographic,
            ..SceneCamera::default()
        }
    }

    /// Goes round by degrees.
    pub(crate) fn turn(&mut self, azimuth: f32, elevation: f32) {
        self.azimuth = (self.azimuth + azimuth + 180.0).rem_euclid(360.0) - 180.0;
        self.elevation = (self.elevation + elevation).clamp(-90.0, 90.0);
    }

    /// Moves the picture by shares of its height, right and down.
    pub(crate) fn pan(&mut self, right: f32, down: f32) {
        let (eye, up) = self.placement();
        let up = Vec3::from(up);
        let focal_point = Vec3::from(self.focal_point);
        let forward = (focal_point - Vec3::from(eye)).normalize_or(Vec3::NEG_X);
        let height = 2.0 * self.distance * tan_half(self.view_angle) / self.zoom;
        let moved = focal_point + (up * down - forward.cross(up) * right) * height;
        self.focal_point = moved.to_array();
    }

    /// Goes nearer by steps of the wheel, farther if negative.
    pub(crate) fn approach(&mut self, steps: f32) {
        let factor = libm::pow(0.9, f64::from(steps)) as f32;
        self.distance = (self.distance * factor).clamp(self.start * NEAREST, self.start * FARTHEST);
    }
}

fn depth_of(pose: &Pose, transform: &Transform, eye: Vec3, forward: Vec3) -> f32 {
    let [min, max] = pose.bounds().map(Vec3::from);
    let half = (max - min) * 0.5;
    let (centre, radius) = ((min + half).to_array(), length(half));
    let depth = (Vec3::from(transform.point(centre)) - eye).dot(forward).max(radius * 1e-3);
    // A single point at the eye has no depth; the orbit needs one.
    if depth > 0.0 { depth } else { 1e-6 }
}

/// The directions of azimuth 0 and 90 around an axis, as [`Camera`] has them.
fn basis(axis: Vec3) -> (Vec3, Vec3) {
    let front = if axis.x.abs() > 0.9 { Vec3::Z } else { Vec3::X };
    let front = (front - axis * front.dot(axis)).normalize_or(Vec3::X);
    (front, axis.cross(front))
}

fn tan_half(degrees: f32) -> f32 {
    libm::tan(f64::from(degrees).to_radians() * 0.5) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Blend, Model, SurfaceParts};

    fn pose() -> Pose {
        let positions = vec![[3.0, -8.0, 1.0], [10.0, 4.0, 30.0], [-7.0, 2.0, -24.0]];
        let part = SurfaceParts {
            normals: vec![[0.0, 0.0, 1.0]; 3],
            texcoords: vec![[0.0; 2]; 3],
            positions,
            ..SurfaceParts::default()
        };
        Model::from_parts(vec![part]).unwrap().pose_blend(Blend::frame(0))
    }

    fn assert_same_view(a: &Camera, b: &Camera, pose: &Pose) {
        let [a, b] = [a, b].map(|camera| camera.resolve(pose, 1.6));
        for (a, b) in a.clip.to_cols_array().into_iter().zip(b.clip.to_cols_array()) {
            assert!((a - b).abs() < 2e-3 * a.abs().max(1.0), "{a} {b}");
        }
    }

    #[test]
    fn an_orbit_shows_what_its_camera_shows() {
        let pose = pose();
        let framing = Camera::framing(&pose).zoom(1.5);
        let placed = Camera::placed([30.0, -50.0, 20.0], [1.0, 2.0, 3.0], [0.1, 0.0, 1.0]);
        let others = [
            framing.clone().azimuth(-100.0).elevation(-40.0),
            Camera::framing(&pose).orthographic(true),
            placed.clone().view_angle(70.0),
            placed.azimuth(20.0).orthographic(true),
            framing.clone().view_up([1.0, 0.0, 0.0]),
        ];
        for camera in others.iter().chain([&framing]) {
            let orbit = Orbit::of(camera, &pose, &Transform::IDENTITY, 1.6);
            assert_same_view(camera, &orbit.camera(), &pose);
        }
    }

    #[test]
    fn a_parallel_view_keeps_its_size_under_another_lens() {
        let pose = pose();
        let far = Orbit { distance: 900.0, orthographic: true, ..Orbit::default() };
        let near = far.with_lens(60.0, &pose);
        assert!(near.view_angle == 60.0 && near.distance < 500.0);
        let height = |orbit: &Orbit| orbit.camera().resolve(&pose, 1.6).clip.row(1).truncate();
        assert!((height(&near) - height(&far)).length() < 1e-6);
        // It would stand inside of the model.
        let small = Orbit { distance: 9.0, ..far };
        assert_eq!(small.with_lens(60.0, &pose), small);
    }

    #[test]
    fn moves_go_where_the_hand_goes() {
        let mut orbit = Orbit { azimuth: 0.0, elevation: 0.0, ..Orbit::default() };
        // Seen from the front the model's left (+Y) is on the right. The picture moves right and
        // down, so what it is centred on lies left and above.
        orbit.pan(0.1, 0.2);
        let [x, y, z] = orbit.focal_point;
        assert!(x.abs() < 1e-6 && y < 0.0 && z > 0.0, "{:?}", orbit.focal_point);
        orbit.approach(1.0);
        assert!((orbit.distance - 0.9).abs() < 1e-6);
        orbit.approach(1e4);
        assert!((orbit.distance - NEAREST).abs() < 1e-6);
        orbit.turn(190.0, 200.0);
        assert_eq!((orbit.azimuth, orbit.elevation), (-170.0, 90.0));
    }
}
