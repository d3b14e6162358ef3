//! Angles to axes, and the camera's part of the projection.

use std::f64::consts::PI;

use super::scene::ClassicScene;
use crate::transform::axes_of_angles;

/// Unit vectors of something that is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axes {
    pub(super) forward: [f32; 3],
    pub(super) right: [f32; 3],
    pub(super) up: [f32; 3],
}

impl Axes {
    /// From pitch, yaw, roll in degrees; positive pitch points the nose down.
    pub(super) fn from_angles([pitch, yaw, roll]: [f32; 3]) -> Self {
        let [forward, right, up] = axes_of_angles([pitch, yaw, roll].map(sine_and_cosine));
        Self { forward, right, up }
    }
}

/// The angle becomes an `f32` of radians, the functions are computed in double.
fn sine_and_cosine(degrees: f32) -> (f32, f32) {
    let radians = (f64::from(degrees) * (PI * 2.0 / 360.0)) as f32;
    (libm::sin(f64::from(radians)) as f32, libm::cos(f64::from(radians)) as f32)
}

/// Where the camera stands and how it projects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub(super) eye: [f32; 3],
    pub(super) axes: Axes,
    /// Twice the tangent of half the horizontal angle.
    pub(super) horizontal_term: f32,
    /// The same for the vertical angle that the picture's shape gives.
    pub(super) vertical_term: f32,
    /// Pixels per unit of x / z and y / z.
    pub(super) scale: [f32; 2],
    /// The middle of the picture.
    pub(super) center: [f32; 2],
    /// Width and height in pixels.
    pub(super) size: [i32; 2],
}

impl Camera {
    pub(super) fn new(scene: &ClassicScene, width: i32, height: i32) -> Self {
        let horizontal_term = view_term(scene.horizontal_angle);
        let scale = width as f32 / horizontal_term;
        let shown_height = height as f32 * scene.pixel_aspect;
        let vertical = vertical_angle(scene.horizontal_angle, width as f32, shown_height);
        Self {
            eye: scene.camera_position,
            axes: Axes::from_angles(scene.camera_angles),
            horizontal_term,
            vertical_term: view_term(vertical),
            scale: [scale, scale / scene.pixel_aspect],
            center: [width as f32 / 2.0 - 0.5, height as f32 / 2.0 - 0.5],
            size: [width, height],
        }
    }
}

fn view_term(degrees: f32) -> f32 {
    (2.0 * libm::tan(f64::from(degrees / 360.0) * PI)) as f32
}

/// Quake II's vertical angle of a picture; only its box test uses it.
fn vertical_angle(horizontal: f32, width: f32, height: f32) -> f32 {
    let distance = (f64::from(width) / libm::tan(f64::from(horizontal / 360.0) * PI)) as f32;
    let half = libm::atan(f64::from(height / distance)) as f32;
    (f64::from(half * 360.0) / PI) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positive_pitch_looks_down_and_positive_yaw_turns_left() {
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-6);
        let down = Axes::from_angles([90.0, 0.0, 0.0]);
        assert!(near(down.forward, [0.0, 0.0, -1.0]) && near(down.up, [1.0, 0.0, 0.0]));
        let left = Axes::from_angles([0.0, 90.0, 0.0]);
        assert!(near(left.forward, [0.0, 1.0, 0.0]) && near(left.right, [1.0, 0.0, 0.0]));
        let rolled = Axes::from_angles([0.0, 0.0, 90.0]);
        assert!(near(rolled.right, [0.0, 0.0, -1.0]) && near(rolled.up, [0.0, -1.0, 0.0]));
    }

    #[test]
    fn ninety_degrees_reach_half_the_width_at_unit_distance() {
        let camera = Camera::new(&ClassicScene::default(), 320, 200);
        assert!((camera.horizontal_term - 2.0).abs() < 1e-6);
        assert!((camera.scale[0] - 160.0).abs() < 1e-4);
        assert!((camera.vertical_term - 2.0 * 200.0 / 320.0).abs() < 1e-6);
        assert_eq!(camera.center, [159.5, 99.5]);
        // Pixels that are higher than wide show more above and below.
        let scene = ClassicScene { pixel_aspect: 1.25, ..ClassicScene::default() };
        let camera = Camera::new(&scene, 320, 200);
        assert!((camera.scale[0] - 160.0).abs() < 1e-4 && (camera.scale[1] - 128.0).abs() < 1e-4);
        assert!((camera.vertical_term - 2.0 * 250.0 / 320.0).abs() < 1e-6);
    }
}
