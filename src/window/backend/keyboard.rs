//! What a key on the keyboard means here, and which key acts again while it is held.
//!
//! Signs count by what is typed, letters and digits by their key without Shift. Systems repeat keys in
//! rhythms of their own; here it is the same everywhere.

use std::time::{Duration, Instant};

use winit::event::KeyEvent;
use winit::keyboard::{Key as Meaning, KeyCode, ModifiersState, NamedKey, PhysicalKey};
#[cfg(any(unix, windows))]
use winit::platform::modifier_supplement::KeyEventExtModifierSupplement as _;

use super::super::event::Event;
use super::super::keys::{self, Key};

/// A held key acts again after this time, then in this rhythm.
const REPEAT_DELAY: Duration = Duration::from_millis(400);
const REPEAT_INTERVAL: Duration = Duration::from_millis(60);

/// A key as the window system tells of it.
#[derive(Clone, Debug)]
pub(super) struct Stroke {
    /// Where it lies.
    place: PhysicalKey,
    /// What it types with all keys that are held.
    typed: Meaning,
    /// What it types alone.
    plain: Meaning,
}

impl Stroke {
    pub(super) fn of(event: &KeyEvent) -> Self {
        Self {
            place: event.physical_key,
            typed: event.logical_key.clone(),
            plain: event.key_without_modifiers(),
        }
    }

    /// The key, and whether Shift counts with it. `None` if it is none that anything could be bound to.
    fn key(&self, held: ModifiersState) -> Option<(Key, bool)> {
        let shift = held.shift_key();
        let [typed, plain] = [&self.typed, &self.plain].map(letter);
        let is_bound = |sign: &char| {
            !sign.is_ascii_alphanumeric() && keys::binding(Key::Char(*sign)).is_some()
        };
        // A Shift that made another sign of the key has done its work.
        let shifted = shift && typed == plain;
        if held.control_key() || held.super_key() {
            return None;
        }
        if held.alt_key() {
            // On a Mac this key leads to the third level of a layout, as AltGr does elsewhere.
            let sign = typed.filter(|sign| cfg!(target_os = "macos") && is_bound(sign));
            return sign.map(|sign| (Key::Char(sign), false));
        }
        if let Some(key) = on_number_pad(self.place).or_else(|| named(&self.typed)) {
            return Some((key, shift));
        }
        if let Some(sign) = typed.filter(is_bound) {
            return Some((Key::Char(sign), shifted));
        }
        let key = |letter: char, shift| Some((Key::Char(letter.to_ascii_uppercase()), shift));
        match (plain.filter(char::is_ascii_alphanumeric), typed) {
            // AltGr types something else; what is no ASCII means nothing here.
            (Some(plain), Some(typed)) if !shift && !typed.eq_ignore_ascii_case(&plain) => {
                typed.is_ascii_graphic().then_some((Key::Char(typed.to_ascii_uppercase()), false))
            }
            (Some(plain), _) => key(plain, shift),
            (None, Some(typed)) if typed.is_ascii_graphic() => key(typed, shifted),
            _ => key(us_letter(self.place)?, shift),
        }
    }
}

/// What is typed, if it is one character.
fn letter(meaning: &Meaning) -> Option<char> {
    match meaning {
        Meaning::Character(text) => {
            let mut letters = text.chars();
            letters.next().filter(|_| letters.next().is_none())
        }
        // Of an accent that waits for its letter.
        Meaning::Dead(accent) => *accent,
        _ => None,
    }
}

fn named(meaning: &Meaning) -> Option<Key> {
    let Meaning::Named(name) = meaning else { return None };
    Some(match name {
        NamedKey::Space => Key::Space,
        NamedKey::Enter => Key::Enter,
        NamedKey::Escape => Key::Escape,
        NamedKey::ArrowLeft => Key::Left,
        NamedKey::ArrowRight => Key::Right,
        NamedKey::ArrowUp => Key::Up,
        NamedKey::ArrowDown => Key::Down,
        NamedKey::PageUp => Key::PageUp,
        NamedKey::PageDown => Key::PageDown,
        NamedKey::Home => Key::Home,
        NamedKey::End => Key::End,
        NamedKey::Tab => Key::Tab,
        NamedKey::Backspace => Key::Backspace,
        NamedKey::F1 => Key::F1,
        NamedKey::F2 => Key::F2,
        NamedKey::F3 => Key::F3,
        NamedKey::F4 => Key::F4,
        NamedKey::F5 => Key::F5,
        NamedKey::F6 => Key::F6,
        NamedKey::F7 => Key::F7,
        NamedKey::F8 => Key::F8,
        NamedKey::F9 => Key::F9,
        NamedKey::F10 => Key::F10,
        NamedKey::F11 => Key::F11,
        NamedKey::F12 => Key::F12,
        _ => return None,
    })
}

/// The number pad is digits and signs whatever Num Lock says.
fn on_number_pad(place: PhysicalKey) -> Option<Key> {
    let PhysicalKey::Code(code) = place else { return None };
    Some(match code {
        KeyCode::Numpad0 => Key::Char('0'),
        KeyCode::Numpad1 => Key::Char('1'),
        KeyCode::Numpad2 => Key::Char('2'),
        KeyCode::Numpad3 => Key::Char('3'),
        KeyCode::Numpad4 => Key::Char('4'),
        KeyCode::Numpad5 => Key::Char('5'),
        KeyCode::Numpad6 => Key::Char('6'),
        KeyCode::Numpad7 => Key::Char('7'),
        KeyCode::Numpad8 => Key::Char('8'),
        KeyCode::Numpad9 => Key::Char('9'),
        KeyCode::NumpadAdd => Key::Char('+'),
        KeyCode::NumpadSubtract => Key::Char('-'),
        KeyCode::NumpadMultiply => Key::Char('*'),
        KeyCode::NumpadDivide => Key::Char('/'),
        KeyCode::NumpadDecimal => Key::Char('.'),
        KeyCode::NumpadEnter => Key::Enter,
        _ => return None,
    })
}

/// The letter or digit that keyboards of the US have in this place: of layouts whose own letters are
/// no Latin ones.
fn us_letter(place: PhysicalKey) -> Option<char> {
    let PhysicalKey::Code(code) = place else { return None };
    // `KeyQ`, `Digit5`
    let name = format!("{code:?}");
    let letter = name.strip_prefix("Key").or_else(|| name.strip_prefix("Digit"))?;
    let mut letters = letter.chars();
    letters.next().filter(|_| letters.next().is_none())
}

/// The key that was pressed last, if it is still down.
#[derive(Debug, Default)]
pub(super) struct Keys {
    held: Option<Repeat>,
    /// Keys are letters of a text, and those that move in it.
    pub(super) typing: bool,
}

#[derive(Clone, Copy, Debug)]
struct Repeat {
    place: PhysicalKey,
    key: Key,
    shift: bool,
    /// When it acts again.
    due: Instant,
}

impl Keys {
    pub(super) fn press(
        &mut self,
        stroke: &Stroke,
        held: ModifiersState,
        now: Instant,
    ) -> Option<Event> {
        // The system's own repetition of a held key.
        if self.held.is_some_and(|held| held.place == stroke.place) {
            return None;
        }
        let (key, shift) = stroke.key(held)?;
        self.held = Some(Repeat { place: stroke.place, key, shift, due: now + REPEAT_DELAY });
        Some(Event::Key { key, shift })
    }

    pub(super) fn release(&mut self, place: PhysicalKey) {
        self.held = self.held.filter(|held| held.place != place);
    }

    /// Forgets what is held: its release goes to another window.
    pub(super) fn forget(&mut self) {
        self.held = None;
    }

    /// When the held key acts again.
    pub(super) fn due(&self) -> Option<Instant> {
        self.held.filter(|held| self.repeats(held.key)).map(|held| held.due)
    }

    pub(super) fn repeat(&mut self, now: Instant) -> Option<Event> {
        self.due().filter(|due| *due <= now)?;
        let held = self.held.as_mut()?;
        // What was missed while the program was busy is not made up for.
        held.due = now + REPEAT_INTERVAL;
        Some(Event::Key { key: held.key, shift: held.shift })
    }

    /// Whether a key that is held acts again and again.
    fn repeats(&self, key: Key) -> bool {
        match key {
            Key::Tab | Key::Enter | Key::Escape => false,
            _ if self.typing => true,
            key => keys::binding(key).is_some_and(|binding| binding.repeats),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use winit::keyboard::SmolStr;

    fn stroke(code: KeyCode, typed: &str, plain: &str) -> Stroke {
        let meaning = |text: &str| Meaning::Character(SmolStr::new(text));
        Stroke { place: PhysicalKey::Code(code), typed: meaning(typed), plain: meaning(plain) }
    }

    fn name(code: KeyCode, name: NamedKey) -> Stroke {
        Stroke {
            place: PhysicalKey::Code(code),
            typed: Meaning::Named(name),
            plain: Meaning::Named(name),
        }
    }

    const NONE: ModifiersState = ModifiersState::empty();
    const SHIFT: ModifiersState = ModifiersState::SHIFT;

    #[test]
    fn letters_digits_and_signs_are_found_on_every_layout() {
        use KeyCode as K;
        let char = |letter, shift| Some((Key::Char(letter), shift));
        let table = [
            ("letter", stroke(K::KeyW, "w", "w"), NONE, char('W', false)),
            ("capital", stroke(K::KeyW, "W", "w"), SHIFT, char('W', true)),
            ("caps lock", stroke(K::KeyW, "W", "w"), NONE, char('W', false)),
            ("digit", stroke(K::Digit1, "1", "1"), NONE, char('1', false)),
            ("shifted digit", stroke(K::Digit1, "!", "1"), SHIFT, char('1', true)),
            ("bound sign", stroke(K::Period, ".", "."), NONE, char('.', false)),
            ("its shift", stroke(K::Equal, "+", "="), SHIFT, char('+', false)),
            ("other sign", stroke(K::Backslash, "|", "\\"), SHIFT, char('|', false)),
            ("German plus", stroke(K::BracketRight, "+", "+"), NONE, char('+', false)),
            ("German AltGr", stroke(K::Digit8, "[", "8"), NONE, char('[', false)),
            ("no German Q", stroke(K::KeyQ, "@", "q"), NONE, char('@', false)),
            ("nor an E", stroke(K::KeyE, "\u{20ac}", "e"), NONE, None),
            ("German Z", stroke(K::KeyY, "z", "z"), NONE, char('Z', false)),
            ("umlaut", stroke(K::Semicolon, "\u{f6}", "\u{f6}"), NONE, None),
            ("French digit", stroke(K::Digit1, "1", "&"), SHIFT, char('1', false)),
            ("French E", stroke(K::Digit2, "\u{e9}", "\u{e9}"), NONE, char('2', false)),
            ("French minus", stroke(K::Digit6, "-", "-"), NONE, char('-', false)),
            ("Russian", stroke(K::KeyW, "\u{446}", "\u{446}"), NONE, char('W', false)),
            ("Russian capital", stroke(K::KeyW, "\u{426}", "\u{446}"), SHIFT, char('W', true)),
            ("Russian dot", stroke(K::Slash, ".", "."), NONE, char('.', false)),
            ("two letters", stroke(K::F20, "ab", "ab"), NONE, None),
            ("enter", name(K::Enter, NamedKey::Enter), NONE, Some((Key::Enter, false))),
            ("shift tab", name(K::Tab, NamedKey::Tab), SHIFT, Some((Key::Tab, true))),
            ("nothing", name(K::ScrollLock, NamedKey::ScrollLock), NONE, None),
            ("number pad", name(K::Numpad7, NamedKey::Home), NONE, char('7', false)),
            ("its plus", stroke(K::NumpadAdd, "+", "+"), NONE, char('+', false)),
        ];
        for (what, stroke, held, expected) in table {
            assert_eq!(stroke.key(held), expected, "{what}");
        }
        let accent = Stroke {
            place: PhysicalKey::Code(K::Equal),
            typed: Meaning::Dead(Some('`')),
            plain: Meaning::Dead(Some('\u{b4}')),
        };
        assert_eq!(accent.key(SHIFT), char('`', false));
    }

    #[test]
    fn other_modifiers_make_another_key() {
        let w = stroke(KeyCode::KeyW, "w", "w");
        let escape = name(KeyCode::Escape, NamedKey::Escape);
        for held in [ModifiersState::CONTROL, ModifiersState::ALT, ModifiersState::SUPER] {
            for stroke in [&w, &escape] {
                assert_eq!(stroke.key(held), None, "{held:?}");
                assert_eq!(stroke.key(held | SHIFT), None, "{held:?}");
                assert_eq!(Keys::default().press(stroke, held, Instant::now()), None);
            }
        }
    }

    #[test]
    fn every_ascii_sign_reaches_the_state() {
        for sign in (b'!'..=b'~').map(char::from) {
            let key = stroke(KeyCode::F20, &sign.to_string(), &sign.to_string()).key(NONE);
            assert_eq!(key, Some((Key::Char(sign.to_ascii_uppercase()), false)));
        }
    }

    #[test]
    fn held_keys_repeat_only_where_it_makes_sense() {
        let table = [
            (stroke(KeyCode::Period, ".", "."), false, true),
            (stroke(KeyCode::KeyW, "w", "w"), false, false),
            (stroke(KeyCode::KeyW, "w", "w"), true, true),
            (stroke(KeyCode::Digit7, "&", "&"), true, true),
            (name(KeyCode::Backspace, NamedKey::Backspace), true, true),
            (name(KeyCode::Tab, NamedKey::Tab), true, false),
            (name(KeyCode::Backspace, NamedKey::Backspace), false, false),
        ];
        for (stroke, typing, repeats) in table {
            let mut keys = Keys { typing, ..Keys::default() };
            let start = Instant::now();
            let at = |after: u64| start + Duration::from_millis(after);
            assert!(keys.press(&stroke, NONE, start).is_some());
            assert_eq!(keys.press(&stroke, NONE, at(30)), None);
            assert_eq!(keys.due(), repeats.then_some(at(400)));
            assert_eq!(keys.repeat(at(399)), None);
            assert_eq!(keys.repeat(at(400)).is_some(), repeats);
            assert_eq!(keys.repeat(at(410)), None);
            assert_eq!(keys.repeat(at(2000)).is_some(), repeats);
            keys.release(PhysicalKey::Code(KeyCode::F20));
            assert_eq!(keys.repeat(at(3000)).is_some(), repeats);
            keys.release(stroke.place);
            assert_eq!(keys.repeat(at(4000)), None);
        }
    }

    #[test]
    fn every_key_of_the_table_is_on_the_keyboard() {
        let names = [
            (KeyCode::Space, NamedKey::Space),
            (KeyCode::Enter, NamedKey::Enter),
            (KeyCode::Escape, NamedKey::Escape),
            (KeyCode::ArrowLeft, NamedKey::ArrowLeft),
            (KeyCode::ArrowRight, NamedKey::ArrowRight),
            (KeyCode::ArrowUp, NamedKey::ArrowUp),
            (KeyCode::ArrowDown, NamedKey::ArrowDown),
            (KeyCode::PageUp, NamedKey::PageUp),
            (KeyCode::PageDown, NamedKey::PageDown),
            (KeyCode::Home, NamedKey::Home),
            (KeyCode::End, NamedKey::End),
            (KeyCode::Tab, NamedKey::Tab),
            (KeyCode::Backspace, NamedKey::Backspace),
            (KeyCode::F1, NamedKey::F1),
            (KeyCode::F2, NamedKey::F2),
            (KeyCode::F3, NamedKey::F3),
            (KeyCode::F4, NamedKey::F4),
            (KeyCode::F5, NamedKey::F5),
            (KeyCode::F6, NamedKey::F6),
            (KeyCode::F7, NamedKey::F7),
            (KeyCode::F8, NamedKey::F8),
            (KeyCode::F9, NamedKey::F9),
            (KeyCode::F10, NamedKey::F10),
            (KeyCode::F11, NamedKey::F11),
            (KeyCode::F12, NamedKey::F12),
        ];
        let known: Vec<Key> = names
            .into_iter()
            .filter_map(|(code, named)| name(code, named).key(NONE))
            .map(|k| k.0)
            .collect();
        let bound = keys::BINDINGS.iter().flat_map(|binding| binding.keys);
        for key in bound.filter(|key| !matches!(key, Key::Char(_))) {
            assert!(known.contains(key), "{key}");
        }
    }
}
