//! What the user did in a window, as text, to be done again: `--record` and `--play`.
//!
//! One event a line: milliseconds since the first picture, a word, and what belongs to it. Lines that
//! begin with `#` say something to people.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

use super::event::{Button, Event, Held};

const HEAD: &str = "# polyset view 1";

/// What is wrong with a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, found '{found}'")]
pub(crate) struct LogError {
    line: usize,
    expected: &'static str,
    found: String,
}

/// An event and when it happened, in milliseconds.
pub(crate) type Timed = (u64, Event);

/// Writes a log, line by line as things happen.
#[derive(Debug)]
pub(crate) struct Recorder(BufWriter<File>);

impl Recorder {
    /// A log in place of an earlier one.
    ///
    /// # Errors
    /// If the file cannot be written, or is there already and is something else.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        if path.is_file() {
            let mut head = Vec::new();
            File::open(path)?.take(HEAD.len() as u64).read_to_end(&mut head)?;
            if !(head.is_empty() || head == HEAD.as_bytes()) {
                return Err(io::Error::other("it is there already and no log of a window"));
            }
        }
        let mut recorder = Self(BufWriter::new(File::create(path)?));
        recorder.line(HEAD)?;
        Ok(recorder)
    }

    pub(crate) fn remark(&mut self, text: &str) -> io::Result<()> {
        self.line(&format!("# {text}"))
    }

    pub(crate) fn event(&mut self, now: u64, event: &Event) -> io::Result<()> {
        self.line(&format!("{now} {}", text(event)))
    }

    fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.0, "{line}")?;
        self.0.flush()
    }
}

fn text(event: &Event) -> String {
    match event {
        Event::Key { key, shift } => {
            format!("key {}{key}", prefix(Held { shift: *shift, ctrl: false }))
        }
        Event::Press { button, at: [x, y], held } => {
            format!("press {}{} {x} {y}", prefix(*held), button_name(*button))
        }
        Event::Release(button) => format!("release {}", button_name(*button)),
        Event::Move([x, y]) => format!("move {x} {y}"),
        Event::Wheel { steps, held } => format!("wheel {}{steps}", prefix(*held)),
        Event::Resize([width, height]) => format!("size {width} {height}"),
        Event::Drop(path) => {
            format!("drop {}", percent_encode(path.as_os_str().as_encoded_bytes(), NOT_IN_A_LINE))
        }
        Event::Close => "close".into(),
    }
}

/// What would end a line or a word of a log.
const NOT_IN_A_LINE: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

fn prefix(held: Held) -> &'static str {
    match (held.ctrl, held.shift) {
        (false, false) => "",
        (false, true) => "shift+",
        (true, false) => "ctrl+",
        (true, true) => "ctrl+shift+",
    }
}

const BUTTONS: [(Button, &str); 3] =
    [(Button::Left, "left"), (Button::Middle, "middle"), (Button::Right, "right")];

fn button_name(button: Button) -> &'static str {
    BUTTONS.iter().find(|(known, _)| *known == button).map_or("?", |(_, name)| name)
}

/// The events of a log, in the order of their times.
pub(crate) fn parse(text: &str) -> Result<Vec<Timed>, LogError> {
    let mut events: Vec<Timed> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let error = |expected| LogError { line: number + 1, expected, found: line.into() };
        let timed = event(line).map_err(error)?;
        if events.last().is_some_and(|(before, _)| timed.0 < *before) {
            return Err(error("a time not before that of the line above"));
        }
        events.push(timed);
    }
    Ok(events)
}

fn event(line: &str) -> Result<Timed, &'static str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (time, words) = words.split_first().ok_or("an event")?;
    let time = time.parse().map_err(|_| "milliseconds")?;
    let event = match words {
        ["key", key] => {
            let (held, key) = held(key);
            Event::Key { key: key.parse().map_err(|()| "the name of a key")?, shift: held.shift }
        }
        ["press", name, x, y] => {
            let (held, name) = held(name);
            Event::Press { button: button(name)?, at: [whole(x)?, whole(y)?], held }
        }
        ["release", name] => Event::Release(button(name)?),
        ["move", x, y] => Event::Move([whole(x)?, whole(y)?]),
        ["wheel", steps] => {
            let (held, steps) = held(steps);
            let steps: Option<f32> = steps.parse().ok();
            let steps = steps.filter(|steps| steps.is_finite()).ok_or("steps of the wheel")?;
            Event::Wheel { steps, held }
        }
        ["size", width, height] => Event::Resize([side(width)?, side(height)?]),
        ["drop", path] => {
            let bytes = percent_decode_str(path).collect();
            Event::Drop(path_of(bytes).ok_or("a path as this system has them")?)
        }
        ["close"] => Event::Close,
        _ => {
            return Err(
                "key, press, release, move, wheel, size, drop or close with what belongs to it",
            );
        }
    };
    Ok((time, event))
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere paths are no bytes")]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

fn held(word: &str) -> (Held, &str) {
    let (ctrl, word) = without(word, "ctrl+");
    let (shift, word) = without(word, "shift+");
    (Held { shift, ctrl }, word)
}

/// Whether a word begins with this, whatever the case, and what is left of it.
fn without<'a>(word: &'a str, prefix: &str) -> (bool, &'a str) {
    match word.split_at_checked(prefix.len()) {
        Some((head, rest)) if head.eq_ignore_ascii_case(prefix) => (true, rest),
        _ => (false, word),
    }
}

fn button(name: &str) -> Result<Button, &'static str> {
    let known = BUTTONS.iter().find(|(_, known)| *known == name);
    known.map(|(button, _)| *button).ok_or("left, middle or right")
}

fn whole(text: &str) -> Result<i32, &'static str> {
    text.parse().map_err(|_| "a whole number of pixels")
}

fn side(text: &str) -> Result<u32, &'static str> {
    text.parse().ok().filter(|side| (1..=16384).contains(side)).ok_or("a side from 1 to 16384")
}

#[cfg(test)]
mod tests {
    use super::super::keys::Key;
    use super::*;

    #[test]
    fn what_is_recorded_is_played() {
        let held = Held { shift: true, ctrl: false };
        let events = [
            Event::Resize([640, 400]),
            Event::Key { key: Key::Char('W'), shift: true },
            Event::Key { key: Key::Char('+'), shift: false },
            Event::Key { key: Key::PageDown, shift: false },
            Event::Press { button: Button::Left, at: [3, -4], held },
            Event::Move([300, 200]),
            Event::Release(Button::Left),
            Event::Wheel { steps: -1.5, held: Held { ctrl: true, ..held } },
            Event::Drop("a folder/100 %.md2".into()),
            Event::Close,
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut recorder = Recorder::new(&path).unwrap();
        recorder.remark("first picture after 12 ms").unwrap();
        for (number, event) in events.iter().enumerate() {
            recorder.event(number as u64 * 10, event).unwrap();
        }
        let played = parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let expected: Vec<Timed> =
            events.into_iter().enumerate().map(|(i, event)| (i as u64 * 10, event)).collect();
        assert_eq!(played, expected);
    }

    #[test]
    fn case_does_not_count_in_names_of_keys() {
        let text = "1 key F12\n2 key Shift+F12\n3 key Space\n4 press Ctrl+left 1 2";
        let expected = "1 key f12\n2 key shift+f12\n3 key space\n4 press ctrl+left 1 2";
        assert_eq!(parse(text).unwrap(), parse(expected).unwrap());
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, expected) in [
            ("x key W", "line 1: expected milliseconds, found 'x key W'"),
            ("# head\n\n5 key nokey", "line 3: expected the name of a key"),
            ("5 key W\n4 key W", "line 2: expected a time not before"),
            ("5 press left 1", "line 1: expected key, press,"),
            ("5 press thumb 1 2", "line 1: expected left, middle or right"),
            ("5 size 0 4", "line 1: expected a side"),
            ("5 wheel nan", "line 1: expected steps"),
            ("5", "line 1: expected key, press,"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        assert_eq!(parse("").unwrap(), []);
    }
}
