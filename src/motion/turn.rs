//! A model that turns as on a table.

use crate::error::RequestError;
use crate::scene::Scene;
use crate::scene::framing::Framed;

use super::Step;

/// Turns the model of every step a bit further, counter-clockwise seen from above, until it has come round;
/// about the vertical through `axis` or the focal point, if one was said, else through the middle of all that is `framed`.
/// The light stays where it is; if it follows, the camera goes round instead.
///
/// # Errors
/// If a frame or an animation does not exist, or the camera cannot go round.
pub(super) fn turn(
    light_follows: bool,
    axis: Option<[f32; 2]>,
    seen: &Scene,
    framed: &Framed<'_>,
    steps: &mut [Step],
) -> Result<(), RequestError> {
    if light_follows && seen.engine.camera_angles.is_some() {
        return Err(RequestError::new(
            "--light-follows turns the camera about its focal point, which --camera-angles does not have",
        ));
    }
    let focal_point = seen.camera.focal_point.map(|[x, y, _]| [x, y]);
    let axis = match axis.or(focal_point) {
        Some(axis) => axis,
        None => {
            let [min, max] = seen.bounds(framed)?;
            [0, 1].map(|axis| min[axis] + (max[axis] - min[axis]) * 0.5)
        }
    };
    let placed = seen.with_camera_around(framed, axis)?;
    let count = steps.len() as f64;
    for (number, step) in steps.iter_mut().enumerate() {
        let degrees = 360.0 * number as f64 / count;
        step.scene.take_camera_of(&placed);
        if light_follows {
            let azimuth = placed.camera.azimuth.unwrap_or(0.0);
            step.scene.camera.azimuth = Some(azimuth - degrees as f32);
        } else {
            turn_model(&mut step.scene, axis, degrees);
        }
    }
    Ok(())
}

/// Turns a model about a vertical.
pub(crate) fn turn_model(scene: &mut Scene, [x, y]: [f32; 2], degrees: f64) {
    let [ox, oy, oz] = scene.placement.origin.unwrap_or_default();
    let [pitch, yaw, roll] = scene.placement.angles.unwrap_or_default();
    let (sin, cos) = libm::sincos(degrees.to_radians());
    let (dx, dy) = (f64::from(ox - x), f64::from(oy - y));
    let turned = [dx * cos - dy * sin, dx * sin + dy * cos];
    let origin = [x + turned[0] as f32, y + turned[1] as f32, oz];
    scene.placement.origin = Some(origin);
    scene.placement.angles = Some([pitch, yaw + degrees as f32, roll]);
}
