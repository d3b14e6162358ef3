//! Turns what the window system tells into events, in its order.

use std::rc::Rc;
use std::time::Instant;

use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{
    DeviceEvent, DeviceId, ElementState, MouseButton, MouseScrollDelta, WindowEvent,
};
use winit::event_loop::ActiveEventLoop;
use winit::keyboard::ModifiersState;
use winit::window::{Window, WindowAttributes, WindowId};

use super::super::event::{Button, Event, Held};
use super::keyboard::{Keys, Stroke};
use super::reason;

/// Pixels of a screen of usual density, on a touchpad, for one notch of a wheel.
const PIXELS_A_STEP: f64 = 20.0;

/// What is known of the window.
pub(super) struct Shell {
    attributes: WindowAttributes,
    opened: Option<Result<Rc<Window>, String>>,
    /// What happened since somebody asked.
    pub(super) events: Vec<Event>,
    pub(super) keys: Keys,
    modifiers: ModifiersState,
    pointer: [i32; 2],
    pub(super) size: [u32; 2],
    scale: f64,
    /// The next turn of the wheel is a button that goes up again.
    is_echo: bool,
    is_covered: bool,
    /// Windows makes a minimised window one without pixels.
    is_minimized: bool,
    /// The next picture is wanted.
    pub(super) is_ready: bool,
    /// The system was asked to say when it is.
    pub(super) is_asked: bool,
    /// What was shown is lost.
    pub(super) is_stale: bool,
}

impl Shell {
    pub(super) fn new(attributes: WindowAttributes) -> Self {
        Self {
            attributes,
            opened: None,
            events: Vec::new(),
            keys: Keys::default(),
            modifiers: ModifiersState::empty(),
            pointer: [0; 2],
            size: [0; 2],
            scale: 1.0,
            is_echo: false,
            is_covered: false,
            is_minimized: false,
            is_ready: true,
            is_asked: false,
            is_stale: true,
        }
    }

    /// # Errors
    /// If the window could not be opened.
    pub(super) fn window(&self) -> Result<Rc<Window>, String> {
        self.opened.clone().unwrap_or_else(|| Err("the system did not begin".into()))
    }

    /// Whether the system says that nothing of the window can be seen.
    pub(super) fn is_hidden(&self) -> bool {
        self.is_covered || self.is_minimized
    }

    fn held(&self) -> Held {
        Held { shift: self.modifiers.shift_key(), ctrl: self.modifiers.control_key() }
    }

    fn resize(&mut self, size: PhysicalSize<u32>) {
        let size = [size.width, size.height];
        self.is_minimized = size.contains(&0);
        self.is_stale = true;
        if !self.is_minimized && size != self.size {
            self.size = size;
            self.events.push(Event::Resize(size));
        }
    }

    fn press(&mut self, button: MouseButton, state: ElementState) {
        let button = match button {
            MouseButton::Left => Button::Left,
            MouseButton::Middle => Button::Middle,
            MouseButton::Right => Button::Right,
            _ => return,
        };
        self.events.push(match state {
            ElementState::Pressed => Event::Press { button, at: self.pointer, held: self.held() },
            ElementState::Released => Event::Release(button),
        });
    }

    fn point(&mut self, to: [i32; 2]) {
        if to == self.pointer {
            return;
        }
        self.pointer = to;
        // Between two looks only the last of several moves in a row counts.
        match self.events.last_mut() {
            Some(Event::Move(before)) => *before = to,
            _ => self.events.push(Event::Move(to)),
        }
    }

    fn turn_wheel(&mut self, delta: MouseScrollDelta) {
        if std::mem::take(&mut self.is_echo) {
            return;
        }
        let steps = match delta {
            MouseScrollDelta::LineDelta(_, lines) => lines,
            MouseScrollDelta::PixelDelta(pixels) => {
                (pixels.y / (PIXELS_A_STEP * self.scale)) as f32
            }
        };
        if steps != 0.0 && steps.is_finite() {
            self.events.push(Event::Wheel { steps, held: self.held() });
        }
    }
}

impl ApplicationHandler for Shell {
    // Where a wheel under X11 is nothing but buttons (remote desktops), the library turns it when they go
    // down and when they go up. Of the device it tells both, just before.
    fn device_event(&mut self, _: &ActiveEventLoop, _: DeviceId, event: DeviceEvent) {
        if let DeviceEvent::Button { button, state } = event {
            self.is_echo = is_wheel(button) && state == ElementState::Released;
        }
    }

    fn about_to_wait(&mut self, _: &ActiveEventLoop) {
        self.is_echo = false;
    }

    fn resumed(&mut self, system: &ActiveEventLoop) {
        if self.opened.is_some() {
            return;
        }
        let window = system.create_window(self.attributes.clone());
        let window = window.map(Rc::new).map_err(|error| reason(&error.to_string()));
        if let Ok(window) = &window {
            let size = window.inner_size();
            self.size = [size.width, size.height];
            self.scale = window.scale_factor();
        }
        self.opened = Some(window);
    }

    fn window_event(&mut self, _: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested => self.events.push(Event::Close),
            WindowEvent::Resized(size) => self.resize(size),
            WindowEvent::ScaleFactorChanged { scale_factor, .. } => self.scale = scale_factor,
            WindowEvent::RedrawRequested => {
                (self.is_ready, self.is_asked, self.is_stale) = (true, false, true);
            }
            WindowEvent::Occluded(is_covered) => {
                self.is_covered = is_covered;
                self.is_stale |= !is_covered;
            }
            WindowEvent::Focused(false) => self.keys.forget(),
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::KeyboardInput { event, is_synthetic, .. } => match event.state {
                ElementState::Released => self.keys.release(event.physical_key),
                // Keys that were down when the window got the keyboard are not meant for it.
                ElementState::Pressed if is_synthetic || event.repeat => {}
                ElementState::Pressed => {
                    let stroke = Stroke::of(&event);
                    let key = self.keys.press(&stroke, self.modifiers, Instant::now());
                    self.events.extend(key);
                }
            },
            WindowEvent::CursorMoved { position, .. } => {
                self.point([position.x, position.y].map(|at| at.floor() as i32));
            }
            WindowEvent::MouseInput { state, button, .. } => self.press(button, state),
            WindowEvent::MouseWheel { delta, .. } => self.turn_wheel(delta),
            WindowEvent::DroppedFile(path) => self.events.push(Event::Drop(path)),
            _ => {}
        }
    }
}

/// Whether a button of the mouse is one of those that are wheels under X11.
fn is_wheel(button: u32) -> bool {
    cfg!(all(unix, not(target_os = "macos"))) && (4..=7).contains(&button)
}

#[cfg(test)]
mod tests {
    use super::*;
    use winit::dpi::PhysicalPosition;

    fn shell() -> Shell {
        Shell::new(Window::default_attributes())
    }

    #[test]
    fn moves_in_a_row_are_one_and_clicks_keep_their_order() {
        let mut shell = shell();
        shell.point([1, 2]);
        shell.point([3, 4]);
        shell.press(MouseButton::Left, ElementState::Pressed);
        shell.press(MouseButton::Left, ElementState::Released);
        shell.point([3, 4]);
        shell.point([5, 6]);
        shell.press(MouseButton::Back, ElementState::Pressed);
        let (button, held) = (Button::Left, Held::default());
        let expected = [
            Event::Move([3, 4]),
            Event::Press { button, at: [3, 4], held },
            Event::Release(button),
            Event::Move([5, 6]),
        ];
        assert_eq!(shell.events, expected);
    }

    #[test]
    fn a_notch_of_the_wheel_is_a_step() {
        let mut shell = shell();
        shell.modifiers = ModifiersState::CONTROL | ModifiersState::SHIFT;
        shell.turn_wheel(MouseScrollDelta::LineDelta(0.0, 1.0));
        shell.turn_wheel(MouseScrollDelta::LineDelta(1.0, 0.0));
        shell.scale = 2.0;
        shell.turn_wheel(MouseScrollDelta::PixelDelta(PhysicalPosition::new(0.0, -60.0)));
        let held = Held { shift: true, ctrl: true };
        let expected = [1.0, -1.5].map(|steps| Event::Wheel { steps, held });
        assert_eq!(shell.events, expected);
    }

    #[test]
    fn a_window_without_pixels_is_hidden_and_has_its_size_when_it_comes_back() {
        let mut shell = shell();
        shell.resize(PhysicalSize::new(300, 200));
        shell.resize(PhysicalSize::new(0, 0));
        assert!(shell.is_hidden());
        shell.resize(PhysicalSize::new(300, 200));
        assert!(!shell.is_hidden());
        assert_eq!((shell.size, shell.events), ([300, 200], vec![Event::Resize([300, 200])]));
    }
}
