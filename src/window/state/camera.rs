//! What keys do to the camera, and to the table under the model.

use super::scene::item_rate;
use super::{Request, State, on_off};
use crate::window::keys::Action;

/// Degrees a second.
pub(super) const TURNTABLE_RATE: f64 = 36.0;

impl State {
    pub(super) fn move_camera(&mut self, action: Action) -> Option<Request> {
        match action {
            Action::View(azimuth, elevation) => {
                Some(Request::Frame(Some([azimuth, elevation].map(f32::from))))
            }
            Action::Turn(azimuth, elevation) => {
                let now = [self.orbit.azimuth, self.orbit.elevation];
                let [azimuth, elevation] = [f32::from(azimuth), f32::from(elevation)];
                let turned = (now[0] + azimuth + 180.0).rem_euclid(360.0) - 180.0;
                let raised = (now[1] + elevation).clamp(-90.0, 90.0);
                Some(Request::Frame(Some([turned, raised])))
            }
            Action::Orthographic => {
                self.orbit.orthographic = !self.orbit.orthographic;
                self.say(format!("orthographic: {}", on_off(self.orbit.orthographic)));
                None
            }
            Action::ResetCamera => {
                self.yaw.set(self.now, 0.0);
                (self.orbit, self.framed) = (self.home.orbit, self.home.framed);
                self.refit()
            }
            Action::Turntable => {
                self.turntable = !self.turntable;
                self.is_item = false;
                let rate = if self.turntable { TURNTABLE_RATE } else { 0.0 };
                self.yaw.set_rate(self.now, rate);
                self.refit()
            }
            Action::Item => {
                self.is_item = !self.is_item;
                self.turntable = self.is_item;
                let rate = if self.is_item { item_rate(self.facts.format) } else { 0.0 };
                self.yaw.set_rate(self.now, rate);
                self.say(format!("as an item: {}", on_off(self.is_item)));
                self.refit()
            }
            _ => None,
        }
    }
}
