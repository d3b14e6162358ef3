//! What a scene takes is what its command says.

use std::ffi::{OsStr, OsString};

use polyset::Scene;
use polyset::scene::options::{Command, Row, rows_of};

use crate::source::Source;

/// Words of which values are made.
const WORDS: [&str; 34] = [
    "0",
    "1",
    "-1",
    "0.5",
    "1e3",
    "-0",
    "1e-40",
    "3e38",
    "1e39",
    "nan",
    "inf",
    "255",
    "256",
    "65535",
    "4294967296",
    "16384",
    "0x10",
    "+5",
    " 1",
    "1.",
    ".5",
    "on",
    "off",
    "white",
    "ff8000",
    "ff800080",
    "a.pak:b.mdl",
    "-x",
    "--",
    "red=a.tga",
    "=",
    "'",
    "\u{e9}",
    "",
];

/// Sets options to values, most of which they take; prints the scene and reads it back.
pub fn options(data: &[u8]) {
    let mut source = Source::new(data);
    let mut scene = Scene::new(text(&mut source));
    for _ in 0..16 {
        if source.is_empty() {
            break;
        }
        set(&mut scene, &mut source);
    }
    let _ = scene.check();
    let words = scene.command();
    let honoured = scene.honoured();
    let again = parsed(&words);
    assert!(again == honoured, "{words:?} is\n{again:?}, and was\n{honoured:?}");
    assert!(again.command() == words, "{words:?} and {:?}", again.command());
    let line = scene.command_line();
    if let Some(line) = line.to_str() {
        let split = split(line);
        assert!(words.iter().map(OsString::as_os_str).eq(split.iter().map(OsStr::new)), "{line}");
    }
}

/// The options of a scene.
pub(crate) fn scene_rows() -> Vec<&'static Row> {
    rows_of(Command::Render).filter(|row| row.is_of_scene()).collect()
}

fn set(scene: &mut Scene, source: &mut Source<'_>) {
    let rows = scene_rows();
    let row = source.pick(&rows);
    let value = value(row, source);
    let before = scene.clone();
    let name = match source.below(12) {
        0 => source.pick(&WORDS).to_owned(),
        1 => format!("--{}", row.name),
        _ => row.name.to_owned(),
    };
    if let Err(error) = scene.set(&name, &value) {
        assert!(!error.to_string().is_empty());
        assert!(*scene == before, "'{name}' refused {value:?} and changed the scene");
    }
}

/// A value that the option may take.
pub(crate) fn value(row: &Row, source: &mut Source<'_>) -> OsString {
    let choices = row.choices();
    match source.below(8) {
        0 => text(source),
        1 => row.example.into(),
        _ if !choices.is_empty() => source.pick(&choices).0.into(),
        2 => source.pick(&WORDS).into(),
        _ => {
            // As many numbers as the example has.
            let count = row.example.split(',').count();
            let number = |source: &mut Source<'_>| match source.below(4) {
                0 => source.pick(&WORDS).to_owned(),
                1 => source.float(300.0).to_string(),
                2 => source.below(20).to_string(),
                _ => format!("{:e}", source.strange()),
            };
            let numbers: Vec<String> = (0..count).map(|_| number(source)).collect();
            numbers.join(",").into()
        }
    }
}

/// Text of any bytes that the system takes.
fn text(source: &mut Source<'_>) -> OsString {
    let bytes = source.bytes(12);
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        OsString::from_vec(bytes)
    }
    #[cfg(not(unix))]
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// Reads the words of a command, as the command line does.
fn parsed(words: &[OsString]) -> Scene {
    let is_long = |word: &OsStr| word.as_encoded_bytes().starts_with(b"--");
    let mut files: Vec<&OsString> = Vec::new();
    let mut options: Vec<(String, OsString)> = Vec::new();
    let mut words = words[2..].iter();
    while let Some(word) = words.next() {
        if word == "--" {
            files.extend(words.by_ref());
        } else if is_long(word) {
            let (name, value) = parted(word);
            let takes_one = scene_rows().iter().any(|row| row.name == name && row.value.is_some());
            let value = match value {
                Some(value) => value,
                None if takes_one => words.next().expect("a value").clone(),
                None => OsString::new(),
            };
            options.push((name, value));
        } else {
            files.push(word);
        }
    }
    assert_eq!(files.len(), 2, "a model and a picture");
    let mut scene = Scene::new(files[0]);
    for (name, value) in options {
        scene.set(&name, &value).expect("what is printed is accepted");
    }
    scene
}

/// `--name=value`, or `--name`.
fn parted(word: &OsStr) -> (String, Option<OsString>) {
    let bytes = word.as_encoded_bytes();
    let Some(equals) = bytes.iter().position(|&byte| byte == b'=') else {
        return (word.to_string_lossy()[2..].to_owned(), None);
    };
    let name = String::from_utf8_lossy(&bytes[2..equals]).into_owned();
    #[cfg(unix)]
    let value = {
        use std::os::unix::ffi::OsStringExt;
        OsString::from_vec(bytes[equals + 1..].to_vec())
    };
    #[cfg(not(unix))]
    let value = String::from_utf8_lossy(&bytes[equals + 1..]).into_owned().into();
    (name, Some(value))
}

/// The words of a line as a shell sees them: quotation marks, and `\` outside of them.
fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let last = words.last_mut().expect("there is one");
        match character {
            '\'' => quoted = !quoted,
            '\\' if !quoted => last.extend(characters.next()),
            ' ' if !quoted => words.push(String::new()),
            _ => last.push(character),
        }
    }
    words
}
