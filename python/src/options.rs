//! Options of scenes as keywords: their names with `_` for `-`, their values as Python has them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use polyset::scene::options::{Command, Row, check_together, row, rows_of};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::errors::Trouble;

/// Sets the keywords of a scene.
///
/// # Errors
/// If there is no such option, a value is none of it, or two cannot stand together.
pub(crate) fn set_all(scene: &mut polyset::Scene, keywords: &Bound<'_, PyDict>) -> PyResult<()> {
    let mut said: Vec<&Row> = Vec::new();
    for (name, value) in keywords.iter() {
        said.extend(set(scene, &name.extract::<String>()?, &value)?);
    }
    Ok(check_together(&said).map_err(Trouble::from)?)
}

/// Sets one option; `None` leaves it as it is. Returns the option if it was set.
///
/// # Errors
/// If there is no such option, or the value is none of it.
pub(crate) fn set(
    scene: &mut polyset::Scene,
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<&'static Row>> {
    let mut name = name.replace('_', "-");
    // A pair is what the command calls a resolution.
    if name == "size"
        && !value.is_none()
        && value.len().is_ok()
        && !value.is_instance_of::<PyString>()
    {
        name = "resolution".into();
    }
    let found = row(Command::Render, &name).filter(|row| row.is_of_scene());
    let Some(row) = found else {
        // The library says what there is.
        scene.set(&name, "").map_err(Trouble::from)?;
        return Ok(None);
    };
    let texts = texts(row, value)?;
    let is_set = !texts.is_empty();
    for text in texts {
        scene.set(&name, text).map_err(Trouble::from)?;
    }
    Ok(is_set.then_some(row))
}

/// Refuses keywords that are options of scenes, but not of a command.
///
/// # Errors
/// If there is one.
pub(crate) fn refuse_others(
    command: Command,
    title: &str,
    keywords: &Bound<'_, PyDict>,
) -> PyResult<()> {
    for name in keywords.keys() {
        let name = name.extract::<String>()?;
        if row(command, &name.replace('_', "-")).is_none() {
            let message = format!("there is no option '{name}' of 'polyset {title}'");
            return Err(Trouble::Request(message).into());
        }
    }
    Ok(())
}

/// Checks the value of an option that a command has for itself.
///
/// # Errors
/// If it is none of it.
pub(crate) fn check(command: Command, name: &str, value: &str) -> Result<(), Trouble> {
    let Some(row) = row(command, name) else { return Ok(()) };
    row.read(&mut polyset::Scene::default(), OsStr::new(value)).map_err(|expected| {
        Trouble::Request(format!("invalid value '{value}' for '{name}': {expected}"))
    })
}

/// The values of an option as the command line has them.
fn texts(row: &Row, value: &Bound<'_, PyAny>) -> PyResult<Vec<OsString>> {
    if value.is_none() {
        return Ok(Vec::new());
    }
    if row.value.is_none() {
        return match value.extract::<bool>() {
            Ok(is_set) => Ok(is_set.then(OsString::new).into_iter().collect()),
            Err(_) => Err(wrong(row, value, "True or False")),
        };
    }
    if let Ok(pairs) = value.cast::<PyDict>() {
        if !row.repeats {
            return Err(wrong(row, value, "a single value"));
        }
        let pair = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let mut text = one(row, &key, 0)?;
            text.push("=");
            text.push(one(row, &value, 0)?);
            Ok(text)
        };
        return pairs.iter().map(pair).collect();
    }
    match items(value)? {
        None => Ok(vec![one(row, value, 0)?]),
        Some(items) if row.repeats => items.iter().map(|item| one(row, item, 0)).collect(),
        Some(items) => Ok(vec![joined(row, &items, 0)?]),
    }
}

/// What a list, a tuple or an array holds; `None` for anything else.
fn items<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let is_sequence = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
    let is_array = value.hasattr("tolist")? && value.len().is_ok();
    if !(is_sequence || is_array) {
        return Ok(None);
    }
    value.try_iter()?.collect::<PyResult<Vec<_>>>().map(Some)
}

/// Values of an option are at most lists in a list.
const DEEPEST: usize = 1;

fn joined(row: &Row, items: &[Bound<'_, PyAny>], depth: usize) -> PyResult<OsString> {
    let texts = items.iter().map(|item| one(row, item, depth)).collect::<PyResult<Vec<_>>>()?;
    Ok(texts.join(OsStr::new(",")))
}

/// A single value, `depth` lists deep.
fn one(row: &Row, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<OsString> {
    // NumPy's too.
    if let Ok(is_on) = value.extract::<bool>() {
        let is_switch = row.choices().iter().any(|(name, _)| *name == "on");
        if !is_switch {
            return Err(wrong(row, value, "a value"));
        }
        return Ok(if is_on { "on" } else { "off" }.into());
    }
    if let Some(items) = items(value)? {
        if depth == DEEPEST {
            return Err(wrong(row, value, "a value or a list of values"));
        }
        return joined(row, &items, depth + 1);
    }
    if let Ok(text) = value.extract::<PathBuf>() {
        return Ok(text.into_os_string());
    }
    if !(value.hasattr("__index__")? || value.hasattr("__float__")?) {
        return Err(wrong(row, value, "a text, a path or a number"));
    }
    Ok(value.str()?.extract::<String>()?.into())
}

fn wrong(row: &Row, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let found = value.repr().map_or_else(|_| "something else".into(), |text| text.to_string());
    let name = row.name.replace('-', "_");
    PyTypeError::new_err(format!("{name}: expected {expected}, found {found}"))
}

/// The options that scenes have as keywords, in the order of the table: name, help, default, choices,
/// and whether it is a switch and may be given several times.
///
/// # Errors
/// If the interpreter refuses.
#[pyfunction]
pub(crate) fn options(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let rows = rows_of(Command::Render).filter(|row| row.is_of_scene());
    let describe = |row: &Row| {
        let facts = PyDict::new(py);
        facts.set_item("name", row.name.replace('-', "_"))?;
        facts.set_item("help", row.help)?;
        facts.set_item("default", row.default)?;
        facts.set_item("example", row.example)?;
        facts.set_item("is_switch", row.value.is_none())?;
        facts.set_item("repeats", row.repeats)?;
        let choices: Vec<&str> = row.choices().iter().map(|(name, _)| *name).collect();
        facts.set_item("choices", choices)?;
        Ok(facts)
    };
    rows.map(describe).collect()
}
