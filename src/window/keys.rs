//! The one table of keys. Dispatch, the cheat sheet and `polyset view --keys` all come from it.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

/// A key as the viewer tells keys apart: digits and signs of the number pad are those of the main
/// part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// A capital letter, a digit, or a sign.
    Char(char),
    Space,
    Enter,
    Escape,
    Left,
    Right,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Tab,
    Backspace,
    F1,
    F2,
    F3,
    F4,
    F5,
    F6,
    F7,
    F8,
    F9,
    F10,
    F11,
    F12,
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    NextInput,
    PreviousInput,
    Reload,
    /// Opens the list of files, clips or skins.
    List,
    Clip(Direction),
    /// Of a player's legs or torso alone.
    BodyClip(Body, Direction),
    Weapon(Direction),
    PlayPause,
    Step(Direction),
    Speed(Direction),
    Reverse,
    PlayMode(Direction),
    Interpolation,
    /// Azimuth and elevation in degrees.
    View(i16, i16),
    /// By degrees of azimuth and elevation.
    Turn(i16, i16),
    Orthographic,
    ResetCamera,
    Turntable,
    /// Turns and floats as what lies about in the games.
    Item,
    Finish(Direction),
    Skin(Direction),
    /// The next value of an option that has a list of them.
    Cycle(&'static str, Direction),
    Wire,
    Resolution(Direction),
    Palette,
    PixelAspect,
    /// Player colours: 0 the shirt, 1 the trousers.
    PlayerColor(usize, Direction),
    Background(Direction),
    Help,
    Names,
    Facts,
    /// How much is told of what is missing or odd.
    Warnings,
    Stats,
    Axes,
    Timeline,
    Edges,
    Normals,
    Bones,
    Grid,
    /// What is under the pointer.
    Pick,
    PaletteView,
    /// Compares with what was pinned.
    Versus(Direction),
    Pin,
    Screenshot,
    Picture,
    Command,
    SaveClip,
    ClipCommand,
    FullScreen,
    Quit,
}

/// The parts of a player that move by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Legs,
    Torso,
}

/// Which way a list is gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Back,
}

use Direction::{Back, Forward};

impl Direction {
    /// The number after or before `number` in a round of `count`.
    pub(crate) fn step(self, number: usize, count: usize) -> usize {
        let count = count.max(1);
        match self {
            Forward => (number + 1) % count,
            Back => (number + count - 1) % count,
        }
    }

    /// The entry after or before `current`.
    pub(crate) fn next<T: Copy + PartialEq>(self, list: &[T], current: T) -> T {
        let at = list.iter().position(|&entry| entry == current).unwrap_or(0);
        list[self.step(at, list.len())]
    }
}

/// Part of the list of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Files,
    Animation,
    Camera,
    Look,
    Show,
    Program,
}

impl Group {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Files => "Files",
            Self::Animation => "Animation",
            Self::Camera => "Camera",
            Self::Look => "Look",
            Self::Show => "Show",
            Self::Program => "Program",
        }
    }
}

/// A line of the table.
#[derive(Debug)]
pub(crate) struct Binding {
    /// What stands in the list.
    pub(crate) label: &'static str,
    pub(crate) keys: &'static [Key],
    pub(crate) action: Action,
    /// What the key does together with Shift; `None` is the same.
    pub(crate) shifted: Option<Action>,
    /// Whether holding the key down does it again and again.
    pub(crate) repeats: bool,
    pub(crate) group: Group,
    /// At most 19 letters, so that two columns fit on 320 x 200.
    pub(crate) help: &'static str,
}

const fn key(
    group: Group,
    label: &'static str,
    keys: &'static [Key],
    action: Action,
    help: &'static str,
) -> Binding {
    Binding { label, keys, action, shifted: None, repeats: false, group, help }
}

impl Binding {
    const fn back(self, action: Action) -> Self {
        Self { shifted: Some(action), ..self }
    }

    const fn repeating(self) -> Self {
        Self { repeats: true, ..self }
    }
}

use Group::{Animation, Camera, Files, Look, Program, Show};
use Key::Char;

/// Every key of the window.
#[rustfmt::skip]
pub(crate) const BINDINGS: &[Binding] = &[
    key(Files, "Right", &[Key::Right, Key::PageDown], Action::NextInput, "next file (PgDn)").repeating(),
    key(Files, "Left", &[Key::Left, Key::PageUp], Action::PreviousInput, "previous (PgUp)").repeating(),
    key(Files, "Up", &[Key::Up, Key::F5], Action::Reload, "read again (F5)"),
    key(Files, "Tab", &[Key::Tab, Char('/')], Action::List, "list, search (/)"),
    key(Animation, "W", &[Char('W')], Action::Clip(Forward), "next clip *").back(Action::Clip(Back)),
    key(Animation, "Y", &[Char('Y')], Action::BodyClip(Body::Legs, Forward), "legs of a player *").back(Action::BodyClip(Body::Legs, Back)),
    key(Animation, "U", &[Char('U')], Action::BodyClip(Body::Torso, Forward), "torso of a player*").back(Action::BodyClip(Body::Torso, Back)),
    key(Animation, "Space", &[Key::Space], Action::PlayPause, "play or pause"),
    key(Animation, ".", &[Char('.')], Action::Step(Forward), "a frame on").repeating(),
    key(Animation, ",", &[Char(',')], Action::Step(Back), "a frame back").repeating(),
    key(Animation, "]", &[Char(']')], Action::Speed(Forward), "faster"),
    key(Animation, "[", &[Char('[')], Action::Speed(Back), "slower"),
    key(Animation, "Back", &[Key::Backspace], Action::Reverse, "play backwards"),
    key(Animation, "\\", &[Char('\\')], Action::PlayMode(Forward), "once, ping-pong *").back(Action::PlayMode(Back)),
    key(Animation, "I", &[Char('I')], Action::Interpolation, "smooth or 10 Hz"),
    key(Camera, "1", &[Char('1')], Action::View(0, 0), "front"),
    key(Camera, "3", &[Char('3')], Action::View(-90, 0), "right"),
    key(Camera, "7", &[Char('7')], Action::View(0, 90), "top"),
    key(Camera, "9", &[Char('9')], Action::View(30, 15), "three-quarter"),
    key(Camera, "4", &[Char('4')], Action::Turn(-90, 0), "round by 90 degrees"),
    key(Camera, "6", &[Char('6')], Action::Turn(90, 0), "the other way"),
    key(Camera, "8", &[Char('8')], Action::Turn(0, 90), "up by 90 degrees"),
    key(Camera, "2", &[Char('2')], Action::Turn(0, -90), "down by 90 degrees"),
    key(Camera, "5", &[Char('5')], Action::Orthographic, "orthographic"),
    key(Camera, "Enter", &[Key::Enter], Action::ResetCamera, "reset the camera"),
    key(Camera, "O", &[Char('O')], Action::Turntable, "turntable; item *").back(Action::Item),
    key(Look, "+", &[Char('+'), Char('=')], Action::Skin(Forward), "next skin"),
    key(Look, "-", &[Char('-')], Action::Skin(Back), "previous skin"),
    key(Look, "0", &[Char('0')], Action::Weapon(Forward), "weapon *").back(Action::Weapon(Back)),
    key(Look, "C", &[Char('C')], Action::Cycle("color", Forward), "rgb or indexed"),
    key(Look, "L", &[Char('L')], Action::Cycle("lighting", Forward), "lighting *").back(Action::Cycle("lighting", Back)),
    key(Look, "F", &[Char('F')], Action::Cycle("filter", Forward), "filter *").back(Action::Cycle("filter", Back)),
    key(Look, "P", &[Char('P')], Action::Cycle("perspective", Forward), "affine or correct"),
    key(Look, "A", &[Char('A')], Action::Cycle("anti-aliasing", Forward), "anti-aliasing *").back(Action::Cycle("anti-aliasing", Back)),
    key(Look, "D", &[Char('D')], Action::Cycle("draw", Forward), "what is drawn *").back(Action::Cycle("draw", Back)),
    key(Look, "E", &[Char('E')], Action::Wire, "wire"),
    key(Look, "G", &[Char('G')], Action::Cycle("cull", Forward), "culled faces *").back(Action::Cycle("cull", Back)),
    key(Look, "R", &[Char('R')], Action::Resolution(Forward), "resolution *").back(Action::Resolution(Back)),
    key(Look, ";", &[Char(';')], Action::PixelAspect, "pixels of 4:3"),
    key(Look, "'", &[Char('\'')], Action::Finish(Forward), "posterise, dither *").back(Action::Finish(Back)),
    key(Look, "V", &[Char('V')], Action::Cycle("renderer", Forward), "classic or precise"),
    key(Look, "J", &[Char('J')], Action::Palette, "palette, its view *").back(Action::PaletteView),
    key(Look, "S", &[Char('S')], Action::PlayerColor(0, Forward), "shirt colour *").back(Action::PlayerColor(0, Back)),
    key(Look, "T", &[Char('T')], Action::PlayerColor(1, Forward), "trousers colour *").back(Action::PlayerColor(1, Back)),
    key(Look, "B", &[Char('B')], Action::Background(Forward), "background *").back(Action::Background(Back)),
    key(Show, "H", &[Char('H'), Char('?'), Key::F1], Action::Help, "these keys (?, F1)"),
    key(Show, "N", &[Char('N')], Action::Names, "name and clip"),
    key(Show, "M", &[Char('M')], Action::Facts, "facts, warnings *").back(Action::Warnings),
    key(Show, "Z", &[Char('Z')], Action::Stats, "fps, stage times"),
    key(Show, "X", &[Char('X')], Action::Axes, "axes and tags"),
    key(Show, "F2", &[Key::F2], Action::Versus(Forward), "compare *: pin *").back(Action::Pin),
    key(Show, "F3", &[Key::F3], Action::Timeline, "timeline"),
    key(Show, "F4", &[Key::F4], Action::Edges, "edges"),
    key(Show, "F6", &[Key::F6], Action::Normals, "normals"),
    key(Show, "F7", &[Key::F7], Action::Bones, "bones and joints"),
    key(Show, "F8", &[Key::F8], Action::Grid, "ground and box"),
    key(Show, "F9", &[Key::F9], Action::Pick, "under the pointer"),
    key(Program, "F12", &[Key::F12], Action::Screenshot, "screenshot *").back(Action::Picture),
    key(Program, "F10", &[Key::F10], Action::SaveClip, "save clip as GIF"),
    key(Program, "F11", &[Key::F11], Action::FullScreen, "full screen"),
    key(Program, "K", &[Char('K')], Action::Command, "print as command *").back(Action::ClipCommand),
    key(Program, "Esc", &[Key::Escape, Char('Q')], Action::Quit, "quit (Q)"),
];

/// What the mouse does, for the lists.
pub(crate) const MOUSE: &[(&str, &str)] = &[
    ("drag", "orbit"),
    ("middle", "or Shift-drag: pan"),
    ("wheel", "or right drag: zoom"),
    ("Ctrl", "drag: light"),
    ("", "wheel: its level"),
    ("double", "click: re-frame"),
];

/// What the asterisks in the lists mean.
pub(crate) const NOTE: &str = "* Shift: the other way (F12: the picture alone)";

/// The binding of a key.
pub(crate) fn binding(key: Key) -> Option<&'static Binding> {
    BINDINGS.iter().find(|binding| binding.keys.contains(&key))
}

/// What a key does; letters are the same with and without Shift unless the table says otherwise.
pub(crate) fn action(key: Key, shift: bool) -> Option<Action> {
    let binding = binding(key)?;
    Some(binding.shifted.filter(|_| shift).unwrap_or(binding.action))
}

/// The list of keys as text, group by group.
pub(crate) fn key_list() -> String {
    let mut text = String::new();
    let mut group = None;
    for binding in BINDINGS {
        if group != Some(binding.group) {
            let gap = if text.is_empty() { "" } else { "\n" };
            group = Some(binding.group);
            let _ = writeln!(text, "{gap}{}", binding.group.title());
        }
        let _ = writeln!(text, "  {:<7} {}", binding.label, binding.help);
    }
    text.push_str("\nMouse\n");
    for (label, help) in MOUSE {
        let _ = writeln!(text, "  {label:<7} {help}");
    }
    let _ = writeln!(text, "\n{NOTE}");
    text
}

const NAMED: [(Key, &str); 25] = [
    (Key::Space, "space"),
    (Key::Enter, "enter"),
    (Key::Escape, "escape"),
    (Key::Left, "left"),
    (Key::Right, "right"),
    (Key::Up, "up"),
    (Key::Down, "down"),
    (Key::PageUp, "pageup"),
    (Key::PageDown, "pagedown"),
    (Key::Home, "home"),
    (Key::End, "end"),
    (Key::Tab, "tab"),
    (Key::Backspace, "backspace"),
    (Key::F1, "f1"),
    (Key::F2, "f2"),
    (Key::F3, "f3"),
    (Key::F4, "f4"),
    (Key::F5, "f5"),
    (Key::F6, "f6"),
    (Key::F7, "f7"),
    (Key::F8, "f8"),
    (Key::F9, "f9"),
    (Key::F10, "f10"),
    (Key::F11, "f11"),
    (Key::F12, "f12"),
];
/// What the list of keys calls some of them.
const SHORT: [(Key, &str); 4] = [
    (Key::Escape, "esc"),
    (Key::PageUp, "pgup"),
    (Key::PageDown, "pgdn"),
    (Key::Backspace, "back"),
];

impl Key {
    /// Whether it is none that belongs to a text.
    pub(crate) fn is_function(self) -> bool {
        matches!(
            self,
            Self::F1
                | Self::F2
                | Self::F3
                | Self::F4
                | Self::F5
                | Self::F6
                | Self::F7
                | Self::F8
                | Self::F9
                | Self::F10
                | Self::F11
                | Self::F12
        )
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Char(letter) => write!(f, "{letter}"),
            named => {
                let name = NAMED.iter().find(|(key, _)| key == named).map_or("?", |(_, name)| name);
                f.write_str(name)
            }
        }
    }
}

/// Names as they are written in logs and in the list of keys, whatever their case.
impl FromStr for Key {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut names = NAMED.iter().chain(&SHORT);
        if let Some((key, _)) = names.find(|(_, name)| name.eq_ignore_ascii_case(text)) {
            return Ok(*key);
        }
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if letter.is_ascii_graphic() => {
                Ok(Char(letter.to_ascii_uppercase()))
            }
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_does_two_things_and_every_line_fits_half_a_small_screen() {
        for (number, binding) in BINDINGS.iter().enumerate() {
            assert!(binding.label.len() <= 6 && binding.help.len() <= 19, "{}", binding.label);
            assert_eq!(binding.help.ends_with('*'), binding.shifted.is_some(), "{}", binding.label);
            for key in binding.keys {
                let others = BINDINGS[..number].iter().flat_map(|other| other.keys);
                assert!(!others.clone().any(|other| other == key), "{key} twice");
                assert_eq!(key.to_string().parse(), Ok(*key));
            }
        }
        assert!(MOUSE.iter().all(|(label, help)| label.len() <= 6 && help.len() <= 19));
    }

    #[test]
    fn keys_are_read_as_the_list_calls_them() {
        for binding in BINDINGS {
            // Those of several keys are called after what they do.
            if let Ok(key) = binding.label.parse() {
                assert!(binding.keys.contains(&key), "{}", binding.label);
            } else {
                assert!(binding.keys.len() > 1, "{} is no name", binding.label);
            }
        }
        for (text, key) in [
            ("F12", Key::F12),
            ("f12", Key::F12),
            ("Space", Key::Space),
            ("Esc", Key::Escape),
            ("PgUp", Key::PageUp),
            ("PageDown", Key::PageDown),
            ("w", Char('W')),
        ] {
            assert_eq!(text.parse(), Ok(key), "{text}");
        }
    }

    #[test]
    fn shift_goes_the_other_way_only_where_the_table_says() {
        assert_eq!(action(Char('W'), false), Some(Action::Clip(Forward)));
        assert_eq!(action(Char('W'), true), Some(Action::Clip(Back)));
        assert_eq!(action(Char('+'), true), Some(Action::Skin(Forward)));
        assert_eq!(action(Char('@'), false), None);
    }

    #[test]
    fn lists_go_round_in_both_directions() {
        assert_eq!(Forward.next(&[1, 2, 3], 3), 1);
        assert_eq!(Back.next(&[1, 2, 3], 1), 3);
        assert_eq!(Forward.next(&[1, 2, 3], 7), 2);
        assert_eq!(Back.step(0, 0), 0);
    }

    #[test]
    fn the_list_has_every_line_of_the_table() {
        let list = key_list();
        for binding in BINDINGS {
            let line = format!("  {:<7} {}\n", binding.label, binding.help);
            assert!(list.contains(&line), "{line}");
        }
    }
}
