//! The keys of scene files: those of their own, and the names of options with `_` for `-`.

use std::ffi::OsString;

use toml_edit::Value;

use crate::scene::Scene;
use crate::scene::options::{Command, Group, ROWS, Row, row};

/// Where a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// At the beginning of the file.
    File,
    /// In `[defaults]`.
    Defaults,
    /// In `[[scene]]`.
    Scene,
    /// In `[scene.matrix]`.
    Matrix,
}

impl Kind {
    /// The keys of its own.
    fn own(self) -> &'static [&'static str] {
        match self {
            Self::File => &["include", "defaults", "scene"],
            Self::Defaults => &["reference", "hashes", "known_failure"],
            Self::Scene => &[
                "name",
                "model",
                "exclude",
                "reference",
                "hash",
                "hashes",
                "known_failure",
                "matrix",
            ],
            Self::Matrix => &[],
        }
    }

    /// The option of this key, and whether it says what counts as a difference.
    pub(super) fn row(self, key: &str) -> Option<(&'static Row, bool)> {
        let name = key.replace('_', "-");
        let has_tolerance = matches!(self, Self::Defaults | Self::Scene);
        let tolerance = row(Command::Compare, &name).filter(|row| row.group == Group::Tolerance);
        // What is drawn in palette indices is compared by them, if the reference has any.
        let tolerance = tolerance.filter(|row| row.name != "indices");
        match tolerance.filter(|_| has_tolerance) {
            Some(row) => Some((row, true)),
            None => {
                row(Command::Render, &name).filter(|row| row.is_of_scene()).map(|row| (row, false))
            }
        }
    }
}

/// A key with `_` for `-`.
pub(super) fn normal(key: &str) -> String {
    key.replace('-', "_")
}

/// Why two keys cannot stand in one table; `None` if they can.
pub(super) fn contradiction(kind: Kind, a: &str, b: &str) -> Option<&'static str> {
    const COMPARED: [&str; 3] = ["reference", "hash", "hashes"];
    if a == b {
        return Some("are one key");
    }
    if kind != Kind::Matrix && COMPARED.contains(&a) && COMPARED.contains(&b) {
        return Some("both say what the scene is compared with");
    }
    let (a, b) = (kind.row(a)?.0, kind.row(b)?.0);
    let why = |a: &Row, b: &Row| Some(a.excludes.1).filter(|_| a.excludes.0.contains(&b.name));
    why(a, b).or_else(|| why(b, a))
}

/// All keys that there are.
pub(super) fn known(kind: Kind) -> Vec<String> {
    let own = kind.own().iter().map(|key| (*key).to_owned());
    if kind == Kind::File {
        return own.collect();
    }
    let names = ROWS.iter().map(|row| normal(row.name)).filter(|key| kind.row(key).is_some());
    let mut keys: Vec<String> = own.chain(names).collect();
    keys.sort();
    keys.dedup();
    keys
}

/// Names less alike than this are no slip of the pen.
const LIKENESS: f64 = 0.75;

/// What is said of a key that does not exist.
pub(super) fn unknown(key: &str, known: &[String]) -> String {
    let likeness = |known: &&String| strsim::jaro_winkler(key, known);
    let nearest = known.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|known| likeness(known) > LIKENESS) {
        Some(nearest) => format!("there is no key '{key}'; did you mean '{nearest}'?"),
        None if known.len() < 8 => {
            format!("there is no key '{key}'; there are {}", known.join(", "))
        }
        None => format!("there is no key '{key}'; docs/check.md lists all"),
    }
}

/// The texts that an option is given on the command line for a value; `None` for a switch that is off.
///
/// # Errors
/// What was expected instead.
pub(super) fn texts(row: &'static Row, value: &Value) -> Result<Option<Vec<OsString>>, String> {
    let key = normal(row.name);
    if row.value.is_none() {
        let is_on = value.as_bool().ok_or_else(|| format!("{key}: expected true or false"))?;
        return Ok(is_on.then(|| vec![OsString::new()]));
    }
    let values: Vec<String> = match value.as_array() {
        Some(array) => {
            let parts: Option<Vec<String>> = array.iter().map(word).collect();
            let parts =
                parts.ok_or_else(|| format!("{key}: expected numbers or texts in the list"))?;
            let is_number = |value: &Value| value.is_integer() || value.is_float();
            let is_one =
                row.value.is_some_and(|value| value.contains(',')) && array.iter().all(is_number);
            if row.repeats && !is_one { parts } else { vec![parts.join(",")] }
        }
        None => vec![plain(value).ok_or_else(|| format!("{key}: expected a number or a text"))?],
    };
    let choices = row.choices();
    for value in &values {
        let checked = row.read(&mut Scene::default(), value.as_ref());
        checked.map_err(|expected| format!("{key} = {value}: {expected}"))?;
        let is_listed = choices.is_empty() || choices.iter().any(|(name, _)| name == value);
        if !is_listed {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            return Err(format!("{key} = {value}: expected {}", names.join(", ")));
        }
    }
    Ok(Some(values.into_iter().map(OsString::from).collect()))
}

/// [`plain`], or several numbers of a list with commas between them.
fn word(value: &Value) -> Option<String> {
    let Some(array) = value.as_array() else { return plain(value) };
    let parts: Option<Vec<String>> = array.iter().map(plain).collect();
    parts.map(|parts| parts.join(","))
}

/// A number or text as a word; `on` and `off` for what is true or not.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Float(number) => Some(number.value().to_string()),
        Value::Boolean(is_on) => Some(if *is_on.value() { "on" } else { "off" }.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_names_of_options() {
        for (kind, key, is_there) in [
            (Kind::Scene, "camera_azimuth_angle", true),
            (Kind::Scene, "threshold", true),
            (Kind::Defaults, "threshold", true),
            (Kind::Matrix, "threshold", false),
            (Kind::Matrix, "skin", true),
            (Kind::Scene, "threads", false),
            (Kind::Scene, "json", false),
        ] {
            assert_eq!(kind.row(key).is_some(), is_there, "{key}");
        }
        let keys = known(Kind::Scene);
        for key in ["name", "model", "size", "known_failure", "max_differing", "texture_search"] {
            assert!(keys.iter().any(|known| known == key), "{key} is not among them");
        }
    }

    #[test]
    fn the_nearest_key_is_named() {
        for (key, expected) in [
            ("sise", "there is no key 'sise'; did you mean 'size'?"),
            ("refrence", "there is no key 'refrence'; did you mean 'reference'?"),
            ("qqq", "there is no key 'qqq'; docs/check.md lists all"),
        ] {
            assert_eq!(unknown(key, &known(Kind::Scene)), expected);
        }
        assert_eq!(
            unknown("xyz", &known(Kind::File)),
            "there is no key 'xyz'; there are include, defaults, scene"
        );
    }
}
