//! `polyset hash`: the hashes of pictures, printed and checked.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use clap::ArgMatches;
use polyset::check::hash_line;
use polyset::scene::Studio;
use polyset::scene::options::Command;
use polyset::{Location, Renderer, Scene};
use rayon::prelude::*;

use super::arguments::{self, Given, INPUT};
use super::batch;
use super::console;
use super::output;

/// What became of many pictures.
pub(crate) struct Verdict {
    /// Whether every hash was as expected, and all could be drawn.
    pub(crate) is_fine: bool,
    /// Whether at least one was drawn.
    pub(crate) any: bool,
}

pub(crate) fn command() -> clap::Command {
    arguments::subcommand("hash", Command::Hash, "Print or check hashes of pictures")
        .arg(batch::inputs())
}

/// Prints a line for each picture, or checks those of a file.
///
/// # Errors
/// If the options, an input or the file of hashes are bad.
pub(crate) fn run(matches: &ArgMatches) -> Result<Verdict> {
    let given = Given::new(Command::Hash, matches)?;
    given.scene(OsStr::new("-")).check()?;
    let inputs: Vec<Location> =
        matches.get_raw(INPUT).into_iter().flatten().map(Location::from).collect();
    let quiet = given.has("quiet");
    match given.file("check") {
        Some(_) if !inputs.is_empty() => {
            bail!("--check takes the models from its file; give no INPUT beside it")
        }
        Some(file) => check(given, &file, quiet),
        None => print(given, &inputs),
    }
}

/// The models of the inputs; those of a game by their names in it.
fn models(given: Given<'_>, inputs: &[Location]) -> Result<Vec<Location>> {
    let has_game = given.value("game").is_some();
    ensure!(
        has_game || !inputs.is_empty(),
        "nothing to draw: give models, folders or archives, or --game DIR"
    );
    let game = has_game.then(|| given.scene(OsStr::new("-")).game_models()).transpose()?;
    let in_game: HashMap<Location, Location> = game
        .iter()
        .flat_map(|game| game.pictures().into_iter().map(|place| (game.name_of(&place), place)))
        .map(|(name, place)| (place, Location::from(name.as_str())))
        .collect();
    // The same for every copy of the game, wherever it lies.
    let named = |place: Location| in_game.get(&place).cloned().unwrap_or(place);
    if let Some(game) = game.filter(|_| inputs.is_empty()) {
        return Ok(game.pictures().into_iter().map(named).collect());
    }
    let mut models = Vec::new();
    for input in inputs {
        let scene = given.scene(&input.to_os_string());
        match scene.models()? {
            Some(found) if !scene.is_player()? => {
                models.extend(found.pictures().into_iter().map(named));
            }
            _ => models.push(input.clone()),
        }
    }
    Ok(models)
}

/// The hash of each model's picture, in order. A picture is drawn by one thread, and does not depend on
/// that.
fn hashes(given: Given<'_>, models: &[Location]) -> Vec<Result<u64>> {
    let scenes: Vec<Scene> =
        models.iter().map(|model| given.scene(&model.to_os_string())).collect();
    let studio = || Renderer::new().with_threads(1).map(Studio::new);
    let draw = |studio: &mut Result<Studio, polyset::DrawError>, scene: &Scene| {
        let studio = studio.as_mut().map_err(|error| anyhow::anyhow!("{error}"))?;
        let mut opened = scene.open()?;
        let drawing = studio.draw(scene, &mut opened)?;
        studio.forget_textures();
        Ok(drawing.image.hash())
    };
    scenes.par_iter().map_init(studio, draw).collect()
}

fn print(given: Given<'_>, inputs: &[Location]) -> Result<Verdict> {
    let models = models(given, inputs)?;
    let mut verdict = Verdict { is_fine: true, any: false };
    let mut text = Vec::new();
    for (model, hash) in models.iter().zip(hashes(given, &models)) {
        match hash {
            Ok(hash) => {
                verdict.any = true;
                text.extend(line(hash, model.to_os_string().as_encoded_bytes()));
            }
            Err(error) => {
                verdict.is_fine = false;
                console::failure(&failure(model, &error));
            }
        }
    }
    output::stdout(&text)?;
    Ok(verdict)
}

/// The line of a picture, as `sha1sum` writes it: a name with ends of lines in it has `\n`, `\r` and `\\`
/// instead, which a `\` before the hash says.
fn line(hash: u64, name: &[u8]) -> Vec<u8> {
    let has_ends = name.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
    let mut line = if has_ends { b"\\".to_vec() } else { Vec::new() };
    line.extend(format!("{hash:016x}  ").bytes());
    for byte in name {
        match byte {
            b'\n' => line.extend(br"\n"),
            b'\r' => line.extend(br"\r"),
            b'\\' if has_ends => line.extend(br"\\"),
            byte => line.push(*byte),
        }
    }
    line.push(b'\n');
    line
}

/// The hash and the model of a [`line`]; `None` if it is none.
fn expected(line: &[u8]) -> Option<Expected> {
    let Some(escaped) = line.strip_prefix(b"\\") else {
        let (hash, name) = hash_line(line)?;
        return Some((hash, Location::from(&*name_of(name.to_vec())?)));
    };
    let (hash, escaped) = hash_line(escaped)?;
    let mut name = Vec::new();
    let mut bytes = escaped.iter().copied();
    while let Some(byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            byte => byte,
        });
    }
    Some((hash, Location::from(&*name_of(name)?)))
}

/// The name of a file that these bytes are; `None` where the system has no such names.
#[cfg(unix)]
fn name_of(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

/// The name of a file that these bytes are; `None` where the system has no such names.
#[cfg(not(unix))]
fn name_of(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

/// What went wrong with a model, which most errors name themselves.
fn failure(model: &Location, error: &anyhow::Error) -> String {
    let (name, text) = (format!("'{model}'"), format!("{error:#}"));
    if text.contains(&name) { text } else { format!("{name}: {text}") }
}

/// A hash and the model that it is of.
type Expected = (u64, Location);

/// # Errors
/// If a line is something else; says which.
fn read(file: &Path) -> Result<Vec<Expected>> {
    let text = output::read(file)?;
    let mut all = Vec::new();
    let lines = text.strip_suffix(b"\n").unwrap_or(&text).split(|byte| *byte == b'\n');
    for (number, line) in lines.enumerate().filter(|_| !text.is_empty()) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        all.push(expected(line).with_context(|| {
            let line = number + 1;
            let file = file.display();
            format!("'{file}', line {line}: expected 16 hexadecimal digits, two blanks and a name")
        })?);
    }
    ensure!(!all.is_empty(), "'{}' has no hashes", file.display());
    Ok(all)
}

fn check(given: Given<'_>, file: &Path, quiet: bool) -> Result<Verdict> {
    let expected = read(file)?;
    let models: Vec<Location> = expected.iter().map(|(_, model)| model.clone()).collect();
    let mut verdict = Verdict { is_fine: true, any: false };
    let (mut text, mut different, mut failed) = (String::new(), 0, 0);
    for ((expected, model), hash) in expected.iter().zip(hashes(given, &models)) {
        let name = console::printable(&model.to_string());
        verdict.any |= hash.is_ok();
        // Writing to a String cannot fail.
        let _ = match hash {
            Ok(hash) if hash == *expected && quiet => Ok(()),
            Ok(hash) if hash == *expected => writeln!(text, "{name}: OK"),
            Ok(hash) => {
                different += 1;
                writeln!(text, "{name}: FAILED (expected {expected:016x}, found {hash:016x})")
            }
            Err(error) => {
                failed += 1;
                console::failure(&failure(model, &error));
                writeln!(text, "{name}: FAILED to draw")
            }
        };
    }
    output::stdout(text.as_bytes())?;
    verdict.is_fine = different + failed == 0;
    if !verdict.is_fine {
        let all = models.len();
        console::failure(&format!(
            "of {all} pictures {different} have another hash, {failed} could not be drawn"
        ));
    }
    Ok(verdict)
}
