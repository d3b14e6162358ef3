//! The window of the system, through `minifb`, and its habits kept to ourselves.
//!
//! Keys come from the library's callback, which loses none between two looks; repeating a held key is
//! done here, the same everywhere. The library scales nothing: it gets a buffer of the window's size.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::time::{Duration, Instant};

use minifb::{InputCallback, MouseButton, MouseMode, Scale, ScaleMode, UseGPU, WindowOptions};
use raw_window_handle::{HasWindowHandle, RawWindowHandle};

use super::event::{Button, Event, Held};
use super::keys::{self, Key};
use super::present::Surface;

/// A held key acts again after this time, then in this rhythm.
const REPEAT_DELAY: Duration = Duration::from_millis(400);
const REPEAT_INTERVAL: Duration = Duration::from_millis(60);

/// What the system says about the keyboard, in its order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Raw {
    Key(minifb::Key, bool),
    Letter(char),
}

/// Collects what happens between two looks.
struct Keyboard(Rc<RefCell<Vec<Raw>>>);

impl InputCallback for Keyboard {
    fn add_char(&mut self, letter: u32) {
        if let Some(letter) = char::from_u32(letter) {
            self.0.borrow_mut().push(Raw::Letter(letter));
        }
    }

    fn set_key_state(&mut self, key: minifb::Key, down: bool) {
        self.0.borrow_mut().push(Raw::Key(key, down));
    }
}

/// The open window.
pub(super) struct Backend {
    window: minifb::Window,
    keyboard: Rc<RefCell<Vec<Raw>>>,
    keys: Keys,
    size: [u32; 2],
    pointer: [i32; 2],
    buttons: [bool; 3],
    active: bool,
    /// Steps of the wheel, away from the user, for 1 of the library.
    wheel_step: f32,
}

const BUTTONS: [(MouseButton, Button); 3] = [
    (MouseButton::Left, Button::Left),
    (MouseButton::Middle, Button::Middle),
    (MouseButton::Right, Button::Right),
];

impl Backend {
    /// Opens a window of this size in pixels.
    pub(super) fn open(title: &str, size: [u32; 2]) -> Result<Self, String> {
        let options = WindowOptions {
            resize: true,
            scale: Scale::X1,
            scale_mode: ScaleMode::UpperLeft,
            // Bringing up a GPU takes longer than all the rest, and copies pixels no better.
            use_gpu: UseGPU::Disabled,
            ..WindowOptions::default()
        };
        let [width, height] = size.map(|side| side as usize);
        let mut window = quietly(|| minifb::Window::new(&printable(title), width, height, options))
            .unwrap_or_else(|| {
                Err(minifb::Error::WindowCreate("a system library is missing".into()))
            })
            .map_err(|error| error.to_string())?;
        let keyboard = Rc::new(RefCell::new(Vec::new()));
        window.set_input_callback(Box::new(Keyboard(Rc::clone(&keyboard))));
        // The loop has its own rhythm.
        window.set_target_fps(0);
        let handle = window.window_handle().map(|handle| handle.as_raw());
        // Wayland counts in pixels, and towards the user; of X11's wheel, which is a button, the library
        // counts press and release.
        let is_wayland = matches!(handle, Ok(RawWindowHandle::Wayland(_)));
        let wheel_step = if is_wayland {
            -0.1
        } else if cfg!(all(unix, not(target_os = "macos"))) {
            0.5
        } else {
            1.0
        };
        Ok(Self {
            window,
            keyboard,
            keys: Keys::default(),
            size,
            pointer: [0; 2],
            buttons: [false; 3],
            active: false,
            wheel_step,
        })
    }

    pub(super) fn set_title(&mut self, title: &str) {
        self.window.set_title(&printable(title));
    }

    /// Whether held keys repeat as in a text.
    pub(super) fn set_typing(&mut self, typing: bool) {
        self.keys.typing = typing;
    }

    /// Whether the user may be at this window: it has the keyboard or the pointer.
    pub(super) fn is_attended(&self) -> bool {
        self.active || self.window.get_unscaled_mouse_pos(MouseMode::Discard).is_some()
    }

    /// Shows the surface and takes in what happened.
    pub(super) fn present(&mut self, surface: &Surface, events: &mut Vec<Event>) {
        // The only error is a buffer that is too small.
        let _ = self.window.update_with_buffer(&surface.pixels, surface.width, surface.height);
        self.collect(events);
    }

    /// Takes in what happened.
    pub(super) fn look(&mut self, events: &mut Vec<Event>) {
        self.window.update();
        self.collect(events);
    }

    fn collect(&mut self, events: &mut Vec<Event>) {
        if !self.window.is_open() {
            events.push(Event::Close);
            return;
        }
        let (width, height) = self.window.get_size();
        let size = [width, height].map(|side| u32::try_from(side).unwrap_or(0));
        if size != self.size && !size.contains(&0) {
            self.size = size;
            events.push(Event::Resize(size));
        }
        let raw = self.keyboard.take();
        self.keys.take_in(&raw, Instant::now(), events);
        self.collect_mouse(events);
        let active = self.window.is_active();
        if self.active && !active {
            // Releases go to whoever has the keyboard now.
            self.keys = Keys::default();
        }
        self.active = active;
    }

    fn collect_mouse(&mut self, events: &mut Vec<Event>) {
        let position = self.window.get_unscaled_mouse_pos(MouseMode::Pass);
        let pointer = position.map_or(self.pointer, |(x, y)| [x, y].map(|at| at as i32));
        for (number, (theirs, button)) in BUTTONS.into_iter().enumerate() {
            let down = self.window.get_mouse_down(theirs);
            if down == self.buttons[number] {
                continue;
            }
            self.buttons[number] = down;
            let shift = self.keys.shift();
            if down {
                let held = Held { shift, ctrl: false };
                events.push(Event::Press { button, at: pointer, held });
            } else {
                events.extend([Event::Move(pointer), Event::Release(button)]);
            }
        }
        if pointer != self.pointer && self.buttons.contains(&true) {
            events.push(Event::Move(pointer));
        }
        self.pointer = pointer;
        let wheel = self.window.get_scroll_wheel().map_or(0.0, |(_, y)| y * self.wheel_step);
        if wheel != 0.0 && wheel.is_finite() {
            let held = Held { shift: self.keys.shift(), ctrl: false };
            events.push(Event::Wheel { steps: wheel, held });
        }
    }
}

/// Which keys are down.
#[derive(Debug, Default)]
struct Keys {
    shifts: [bool; 2],
    /// The key that was pressed last, if it is still down, and when it acts again.
    held: Option<(minifb::Key, Key, Instant)>,
    /// Keys are letters of a text, and those that move in it.
    typing: bool,
}

impl Keys {
    fn shift(&self) -> bool {
        self.shifts.contains(&true)
    }

    fn take_in(&mut self, raw: &[Raw], now: Instant, events: &mut Vec<Event>) {
        for (number, &entry) in raw.iter().enumerate() {
            match entry {
                Raw::Key(minifb::Key::LeftShift, down) => self.shifts[0] = down,
                Raw::Key(minifb::Key::RightShift, down) => self.shifts[1] = down,
                Raw::Key(theirs, true) => self.press(theirs, now, events),
                Raw::Key(theirs, false) => {
                    self.held = self.held.filter(|(held, ..)| *held != theirs);
                }
                Raw::Letter(letter) => {
                    // Of a key that the library knows there is a press just before (X11) or just
                    // after (Wayland); other layouts have their plus where it knows none.
                    let before = number.checked_sub(1).and_then(|before| raw.get(before));
                    let is_press = |entry: Option<&Raw>| matches!(entry, Some(Raw::Key(_, true)));
                    let known = is_press(before) || is_press(raw.get(number + 1));
                    let key = Key::Char(letter.to_ascii_uppercase());
                    if !known && keys::binding(key).is_some() {
                        events.push(Event::Key { key, shift: false });
                    }
                }
            }
        }
        self.repeat(now, events);
    }

    fn press(&mut self, theirs: minifb::Key, now: Instant, events: &mut Vec<Event>) {
        let Some(key) = key_of(theirs) else { return };
        // X11 repeats presses of a held key.
        if self.held.is_some_and(|(held, ..)| held == theirs) {
            return;
        }
        self.held = Some((theirs, key, now + REPEAT_DELAY));
        events.push(Event::Key { key, shift: self.shift() });
    }

    fn repeat(&mut self, now: Instant, events: &mut Vec<Event>) {
        let shift = self.shift();
        let Some((_, key, due)) = &mut self.held else { return };
        if now < *due || !keys::binding(*key).is_some_and(|binding| binding.repeats) {
            return;
        }
        // What was missed while the program was busy is not made up for.
        *due = now + REPEAT_INTERVAL;
        events.push(Event::Key { key: *key, shift });
    }
}

/// The library's keys as the viewer tells them apart.
fn key_of(theirs: minifb::Key) -> Option<Key> {
    use minifb::Key as Theirs;
    let number = theirs as u8;
    let named = match theirs {
        Theirs::Space => Key::Space,
        Theirs::Enter | Theirs::NumPadEnter => Key::Enter,
        Theirs::Escape => Key::Escape,
        Theirs::Left => Key::Left,
        Theirs::Right => Key::Right,
        Theirs::Up => Key::Up,
        Theirs::Down => Key::Down,
        Theirs::PageUp => Key::PageUp,
        Theirs::PageDown => Key::PageDown,
        Theirs::Backspace => Key::Backspace,
        Theirs::Backslash => Key::Char('\\'),
        Theirs::Slash => Key::Char('/'),
        Theirs::Tab => Key::Tab,
        Theirs::F1 => Key::F1,
        Theirs::F2 => Key::F2,
        Theirs::Apostrophe => Key::Char('\''),
        Theirs::F3 => Key::F3,
        Theirs::F4 => Key::F4,
        Theirs::F5 => Key::F5,
        Theirs::F6 => Key::F6,
        Theirs::F7 => Key::F7,
        Theirs::F8 => Key::F8,
        Theirs::F9 => Key::F9,
        Theirs::F10 => Key::F10,
        Theirs::F12 => Key::F12,
        Theirs::Comma => Key::Char(','),
        Theirs::Period | Theirs::NumPadDot => Key::Char('.'),
        Theirs::Equal | Theirs::NumPadPlus => Key::Char('+'),
        Theirs::Minus | Theirs::NumPadMinus => Key::Char('-'),
        Theirs::LeftBracket => Key::Char('['),
        Theirs::RightBracket => Key::Char(']'),
        _ => {
            let of_range = |first: Theirs, last: Theirs, letter: u8| {
                let range = first as u8..=last as u8;
                range
                    .contains(&number)
                    .then(|| Key::Char(char::from(letter + number - first as u8)))
            };
            return of_range(Theirs::Key0, Theirs::Key9, b'0')
                .or_else(|| of_range(Theirs::A, Theirs::Z, b'A'))
                .or_else(|| of_range(Theirs::NumPad0, Theirs::NumPad9, b'0'));
        }
    };
    Some(named)
}

/// The library prints to the standard output what it cannot use as a title.
fn printable(title: &str) -> String {
    title.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Runs what may panic (the library does when a system library is missing); `None` if it did.
fn quietly<T>(open: impl FnOnce() -> T) -> Option<T> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(open));
    panic::set_hook(hook);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use minifb::Key as Theirs;

    fn pressed(keys: &mut Keys, raw: &[Raw], now: Instant) -> Vec<(Key, bool)> {
        let mut events = Vec::new();
        keys.take_in(raw, now, &mut events);
        let key = |event| match event {
            Event::Key { key, shift } => (key, shift),
            other => panic!("{other:?}"),
        };
        events.into_iter().map(key).collect()
    }

    #[test]
    fn presses_act_once_and_shift_counts_in_its_order() {
        let raw = [
            Raw::Key(Theirs::W, true),
            Raw::Letter('w'),
            Raw::Key(Theirs::W, true),
            Raw::Letter('w'),
            Raw::Key(Theirs::W, false),
            Raw::Key(Theirs::LeftShift, true),
            Raw::Key(Theirs::W, true),
            Raw::Letter('W'),
            Raw::Key(Theirs::LeftShift, false),
            Raw::Key(Theirs::W, false),
            Raw::Key(Theirs::NumPad7, true),
        ];
        let found = pressed(&mut Keys::default(), &raw, Instant::now());
        let w = Key::Char('W');
        assert_eq!(found, [(w, false), (w, true), (Key::Char('7'), false)]);
    }

    #[test]
    fn signs_of_other_layouts_are_found_by_their_letter() {
        let found = |raw: &[Raw]| pressed(&mut Keys::default(), raw, Instant::now());
        let plus = [(Key::Char('+'), false)];
        assert_eq!(found(&[Raw::Letter('+')]), plus);
        // Wayland says the letter first.
        assert_eq!(found(&[Raw::Letter('='), Raw::Key(Theirs::Equal, true)]), plus);
        assert_eq!(found(&[Raw::Letter('\u{f6}'), Raw::Letter('@')]), []);
    }

    #[test]
    fn held_keys_repeat_only_where_it_makes_sense() {
        for (theirs, repeats) in [(Theirs::Period, true), (Theirs::W, false)] {
            let mut keys = Keys::default();
            let start = Instant::now();
            let count = |keys: &mut Keys, raw: &[Raw], after: u64| {
                pressed(keys, raw, start + Duration::from_millis(after)).len()
            };
            assert_eq!(count(&mut keys, &[Raw::Key(theirs, true)], 0), 1);
            assert_eq!(count(&mut keys, &[], 399), 0);
            assert_eq!(count(&mut keys, &[], 400), usize::from(repeats));
            assert_eq!(count(&mut keys, &[], 410), 0);
            assert_eq!(count(&mut keys, &[], 2000), usize::from(repeats));
            assert_eq!(count(&mut keys, &[Raw::Key(theirs, false)], 3000), 0);
            assert_eq!(count(&mut keys, &[], 4000), 0);
        }
    }

    #[test]
    fn every_key_of_the_table_is_on_the_keyboard() {
        let all = [
            Theirs::Space,
            Theirs::Enter,
            Theirs::Escape,
            Theirs::Left,
            Theirs::Right,
            Theirs::Up,
            Theirs::PageUp,
            Theirs::PageDown,
            Theirs::Backspace,
            Theirs::Backslash,
            Theirs::Slash,
            Theirs::F1,
            Theirs::F2,
            Theirs::Apostrophe,
            Theirs::F3,
            Theirs::F4,
            Theirs::F5,
            Theirs::F6,
            Theirs::F7,
            Theirs::F8,
            Theirs::F9,
            Theirs::Key2,
            Theirs::Key4,
            Theirs::Key6,
            Theirs::Key8,
            Theirs::F10,
            Theirs::F12,
            Theirs::Comma,
            Theirs::Period,
            Theirs::Equal,
            Theirs::Minus,
            Theirs::LeftBracket,
            Theirs::RightBracket,
            Theirs::A,
            Theirs::B,
            Theirs::C,
            Theirs::D,
            Theirs::E,
            Theirs::F,
            Theirs::G,
            Theirs::H,
            Theirs::I,
            Theirs::J,
            Theirs::K,
            Theirs::L,
            Theirs::M,
            Theirs::N,
            Theirs::O,
            Theirs::P,
            Theirs::Q,
            Theirs::R,
            Theirs::S,
            Theirs::T,
            Theirs::V,
            Theirs::W,
            Theirs::X,
            Theirs::Z,
            Theirs::U,
            Theirs::Y,
            Theirs::Key0,
            Theirs::Key1,
            Theirs::Key3,
            Theirs::Key5,
            Theirs::NumPad7,
            Theirs::NumPad9,
        ];
        let known: Vec<Key> = all.into_iter().filter_map(key_of).collect();
        for key in keys::BINDINGS.iter().flat_map(|binding| binding.keys) {
            assert!(known.contains(key), "{key}");
        }
    }
}
