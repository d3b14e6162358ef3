//! `polyset info`: what a model file holds, where its textures were looked for, every warning.

use anyhow::Result;
use clap::ArgMatches;
use polyset::info::Known;
use polyset::scene::options::Command;
use polyset::{Location, Model, OpenError, Scene};

use super::arguments::{self, Given, INPUT};
use super::console;
use super::info_player;
use super::info_text;
use super::output;

pub(crate) fn command() -> clap::Command {
    let about =
        "Tell what a model file holds, where its textures were looked for, and every warning";
    let input = arguments::input().required(false).required_unless_present("game").help(
        "The model, or a folder or an archive whose models are listed; with --game a name in it, all \
         of its models if none is given; `-` is the standard input",
    );
    arguments::subcommand("info", Command::Info, about).arg(input)
}

/// Reads the model and prints what it holds, or lists the models of a place.
///
/// # Errors
/// If the file cannot be read or is no model.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let given = Given::new(Command::Info, matches)?;
    let scene = given.scene(given.value(INPUT).unwrap_or_default());
    if given.has("textconv") {
        return textconv(&scene);
    }
    let known = match given.value(INPUT) {
        Some(_) => Known::of(&scene)?,
        None => Known::of_game(&scene)?,
    };
    if let Known::List(list) = &known {
        list.warnings.iter().for_each(console::warning);
    }
    let text = match &known {
        known if given.has("json") => known.to_json(),
        Known::Model(info) => info_text::print(info, given.has("frames")),
        Known::Player(player) => info_player::print(player),
        Known::List(list) => info_text::list(list),
        _ => unreachable!("nothing else is known"),
    };
    output::stdout(text.as_bytes())
}

/// The bytes alone decide: what lies around the model is another one's history.
fn textconv(scene: &Scene) -> Result<()> {
    let file = scene.source.input.file().cloned();
    let file = file.unwrap_or_else(|| Location::from("-"));
    let model =
        Model::from_vec(scene.read()?).map_err(|source| OpenError::Load { file, source })?;
    output::stdout(polyset::diff::describe(&model).as_bytes())
}
