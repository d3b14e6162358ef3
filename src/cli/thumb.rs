//! `polyset thumb`: one small picture, as desktops ask for it.

use anyhow::Result;
use clap::{Arg, ArgMatches, value_parser};
use polyset::scene::Studio;
use polyset::scene::options::Command;

use super::arguments::{self, Given, INPUT};
use super::output::{self, Destination};
use super::overwrite::{refuse_no_picture, refuse_what_was_read};

const OUTPUT: &str = "OUTPUT";
/// Width and height unless said.
pub(crate) const DEFAULT_SIDE: u32 = 256;

pub(crate) fn command() -> clap::Command {
    let output = Arg::new(OUTPUT)
        .required(true)
        .value_parser(value_parser!(std::ffi::OsString))
        .help("Where the PNG goes, whatever its name; `-` is the standard output");
    arguments::subcommand("thumb", Command::Thumb, "Draw one thumbnail")
        .arg(arguments::input())
        .arg(output)
}

/// Draws the thumbnail. Says nothing unless something is wrong.
///
/// # Errors
/// If the options, the model or a file are bad, or drawing would take too long.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let given = Given::new(Command::Thumb, matches)?;
    let mut scene = given.scene(given.value(INPUT).unwrap_or_default());
    let side = given.text("size").and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_SIDE);
    scene.size = Some([side; 2]);
    let output = Destination::from(given.file(OUTPUT).unwrap_or_default());
    let mut opened = scene.open()?;
    if let Destination::File(path) = &output {
        refuse_what_was_read("the thumbnail", path, &opened.files())?;
        if !given.has("force") {
            refuse_no_picture(path)?;
        }
    }
    let drawing =
        Studio::for_thumbnails(side)?.thumbnail(&scene, &mut opened, given.has("honest"))?;
    match output {
        Destination::File(path) => drawing.save_png(path)?,
        Destination::Stdout => {
            let mut png = Vec::new();
            drawing.encode_png(&mut png)?;
            output::stdout(&png)?;
        }
    }
    Ok(())
}
