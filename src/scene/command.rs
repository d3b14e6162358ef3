//! A scene as the command that draws it.

use std::ffi::{OsStr, OsString};

use super::Scene;
use super::options::{Command, Group, Row, rows_of};
use crate::location::Location;

impl Scene {
    /// The words of the `polyset render` command that draws this picture, into a PNG that is called
    /// like the model. Options that the scene's renderer has no use for are left out.
    #[must_use]
    pub fn command(&self) -> Vec<OsString> {
        self.command_of("render", "png", Vec::new())
    }

    /// The words of a command that makes a file of the model, which is called like it; with more options.
    pub(crate) fn command_of(
        &self,
        command: &str,
        extension: &str,
        more: Vec<OsString>,
    ) -> Vec<OsString> {
        let input = self.source.input.file();
        let stem = input.map(Location::file_stem).filter(|stem| !stem.is_empty());
        let mut output = stem.unwrap_or(OsStr::new("model")).to_owned();
        output.push(format!(".{extension}"));
        let files = [input.map_or_else(|| "-".into(), Location::to_os_string), output];
        let options = self.option_words(|_| true).into_iter().chain(more);
        // Behind a dash of its own, names that begin with one are no options.
        let is_option = |name: &OsString| name.len() > 1 && begins_with_dash(name);
        let mut words: Vec<OsString> = vec!["polyset".into(), command.into()];
        if files.iter().any(is_option) {
            words.extend(options);
            words.push("--".into());
            words.extend(files);
        } else {
            words.extend(files);
            words.extend(options);
        }
        words
    }

    /// The options of those rows that are wanted.
    fn option_words(&self, is_wanted: impl Fn(&Row) -> bool) -> Vec<OsString> {
        let mut words = Vec::new();
        let rows = rows_of(Command::Render).filter(|row| row.is_honoured_by(self.renderer));
        for row in rows.filter(|row| is_wanted(row)) {
            for value in row.values(self) {
                let name = format!("--{}", row.name);
                if row.value.is_none() {
                    words.push(name.into());
                } else if begins_with_dash(&value) {
                    // A word of its own would look like an option.
                    let mut word = OsString::from(name + "=");
                    word.push(value);
                    words.push(word);
                } else {
                    words.extend([name.into(), value]);
                }
            }
        }
        words
    }

    /// [`Scene::command`] as a line for a shell.
    #[must_use]
    pub fn command_line(&self) -> OsString {
        line_of(&self.command())
    }

    /// The options that say the camera, and the view angle in the engine's words, as a line for a shell.
    #[must_use]
    pub fn camera_line(&self) -> OsString {
        let names_angle = |row: &Row| row.name == "camera-horizontal-angle";
        let is_camera = |row: &Row| row.group == Group::Camera || names_angle(row);
        line_of(&self.option_words(|row| is_camera(row) || row.name == "camera-angles"))
    }
}

/// Words as a line for a shell.
pub(crate) fn line_of(words: &[OsString]) -> OsString {
    let mut line = OsString::new();
    for (number, word) in words.iter().enumerate() {
        if number > 0 {
            line.push(" ");
        }
        line.push(quoted(word));
    }
    line
}

fn begins_with_dash(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"-")
}

/// A word as a shell takes it.
fn quoted(word: &OsStr) -> OsString {
    let is_plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_./,:=+@%".contains(b);
    let bytes = word.as_encoded_bytes();
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return word.to_owned();
    }
    let mut text = OsString::from("'");
    match word.to_str() {
        Some(word) => text.push(word.replace('\'', r"'\''")),
        // Between quotation marks every byte but the mark itself stands for itself.
        None => text.push(escaped(word)),
    }
    text.push("'");
    text
}

#[cfg(unix)]
fn escaped(word: &OsStr) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut bytes = Vec::new();
    for &byte in word.as_bytes() {
        if byte == b'\'' {
            bytes.extend_from_slice(br"'\''");
        } else {
            bytes.push(byte);
        }
    }
    OsString::from_vec(bytes)
}

#[cfg(not(unix))]
fn escaped(word: &OsStr) -> OsString {
    word.to_string_lossy().replace('\'', r"'\''").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("models/a.md2".as_ref()), "models/a.md2");
        assert_eq!(quoted("my model's.md2".as_ref()), r"'my model'\''s.md2'");
        assert_eq!(quoted("".as_ref()), "''");
    }

    #[test]
    fn names_that_look_like_options_stay_names() {
        let mut scene = Scene::new("-x.md2");
        scene.set("palette", "-p.lmp").unwrap();
        scene.set("camera-azimuth-angle", "-30").unwrap();
        let line = scene.command_line();
        let expected =
            "polyset render --palette=-p.lmp --camera-azimuth-angle=-30 -- -x.md2 -x.png";
        assert_eq!(line, expected);
        assert_eq!(Scene::default().command_line(), "polyset render - model.png");
    }
}
