//! What the mouse does: it moves the camera, the light and the clip.

use super::{Request, State};
use crate::window::event::{Button, Held};
use crate::window::timeline;

/// Degrees that a drag over the height of the picture turns the camera.
const DEGREES_PER_HEIGHT: f32 = 180.0;
/// Steps of the wheel that a drag over the height of the picture is.
const STEPS_PER_HEIGHT: f32 = 20.0;
/// Two presses within this time at the same place are a double click.
pub(super) const DOUBLE_CLICK_MS: u64 = 400;
const DOUBLE_CLICK_PIXELS: i32 = 5;

/// What a button that is held down does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hand {
    Orbit,
    Pan,
    Zoom,
    /// Moves along the timeline.
    Scrub,
    /// Turns the light.
    Light,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Drag {
    pub(super) button: Button,
    hand: Hand,
    from: [i32; 2],
}

impl State {
    pub(super) fn press(&mut self, button: Button, at: [i32; 2], held: Held) -> Option<Request> {
        let is_on_timeline = self.shown.timeline && timeline::panel(self.window).contains(at);
        let hand = match button {
            Button::Left if is_on_timeline => Hand::Scrub,
            Button::Left if held.ctrl => Hand::Light,
            Button::Left if held.shift => Hand::Pan,
            Button::Left => Hand::Orbit,
            Button::Middle => Hand::Pan,
            Button::Right => Hand::Zoom,
        };
        self.drag = Some(Drag { button, hand, from: at });
        self.pointer = Some(at);
        if hand == Hand::Scrub {
            self.scrub(at);
            return None;
        }
        let is_near = |before: [i32; 2]| {
            (0..2).all(|axis| (before[axis] - at[axis]).abs() <= DOUBLE_CLICK_PIXELS)
        };
        let is_double = self
            .last_press
            .is_some_and(|(when, before)| self.now - when <= DOUBLE_CLICK_MS && is_near(before));
        let counts = button == Button::Left && !is_double;
        self.last_press = counts.then_some((self.now, at));
        (button == Button::Left && is_double).then_some(Request::Frame(None))
    }

    pub(super) fn drag_to(&mut self, to: [i32; 2]) {
        let placement = self.placement();
        let rows = self.picture_size()[1] as f32;
        let height = rows * placement.scale as f32 * placement.pixel_aspect;
        let Some(drag) = &mut self.drag else { return };
        let [right, down] = [0, 1].map(|axis| (to[axis] - drag.from[axis]) as f32 / height);
        if right == 0.0 && down == 0.0 {
            return;
        }
        drag.from = to;
        let degrees = [-right, down].map(|way| way * DEGREES_PER_HEIGHT);
        match drag.hand {
            Hand::Scrub => return self.scrub(to),
            Hand::Light => {
                let said = self.settings.turn_light(degrees, self.facts.format);
                return self.say(said);
            }
            Hand::Orbit => self.orbit.turn(degrees[0], degrees[1]),
            Hand::Pan => self.orbit.pan(right, down),
            Hand::Zoom => self.orbit.approach(-down * STEPS_PER_HEIGHT),
        }
        self.framed = false;
    }

    /// Goes to the place of the clip that is under the pointer, and stays there.
    fn scrub(&mut self, at: [i32; 2]) {
        let place = f64::from(timeline::place_of(at, self.window));
        let frames = self.facts.frames.max(1);
        match self.clip() {
            Some(clip) => {
                // The very end is the beginning again.
                let seconds = (clip.exact_duration() * place * (1.0 - 1e-6)).max(0.0);
                self.playback.seek(self.now, seconds);
            }
            None => {
                let frame = ((place * frames as f64) as usize).min(frames - 1);
                self.playback.fix(self.now, frame);
            }
        }
    }
}
