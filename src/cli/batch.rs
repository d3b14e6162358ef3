//! What commands for many models have in common: inputs, and what is drawn of each.

use std::num::NonZero;

use anyhow::{Context, Result, ensure};
use clap::{Arg, ArgMatches};
use polyset::Location;
use polyset::thumbs::{FrameChoice, List, Poses, Request, Shard, Template};

use super::arguments::{Given, INPUT};
use super::console;

/// The argument that names models and places that hold them.
pub(crate) fn inputs() -> Arg {
    Arg::new(INPUT)
        .num_args(0..)
        .value_parser(clap::builder::OsStringValueParser::new())
        .help(
            "Models, folders, archives, folders in archives (pak0.pk3:models/weapons2); with --game names \
             in the game, and without any all of the game",
        )
}

/// What is drawn of which models.
pub(crate) struct Batch {
    pub(crate) request: Request,
    pub(crate) list: List,
    pub(crate) shard: Shard,
    pub(crate) threads: Option<NonZero<usize>>,
}

impl Batch {
    /// Pictures of `side` x `side` pixels unless the options say something else. Warnings about the
    /// inputs are told.
    ///
    /// # Errors
    /// If the options or an input are bad, or there are no models.
    pub(crate) fn new(
        given: Given<'_>,
        matches: &ArgMatches,
        side: u32,
        template: Option<Template>,
        shard: Option<&str>,
    ) -> Result<Self> {
        if given.has("quiet") {
            console::be_quiet();
        }
        let inputs: Vec<Location> =
            matches.get_raw(INPUT).into_iter().flatten().map(Location::from).collect();
        ensure!(
            !inputs.is_empty() || given.value("game").is_some(),
            "nothing to draw: give models, folders or archives, or --game DIR"
        );
        let side = given.text("size").and_then(|text| text.parse().ok()).unwrap_or(side);
        let poses = Poses {
            all_skins: given.value("skins").is_some(),
            all_clips: given.value("clips").is_some(),
            frames: given.text("frames").map(|text| match text.parse() {
                Ok(count) => FrameChoice::Count(count),
                Err(_) => FrameChoice::All,
            }),
        };
        let scene = given.scene("".as_ref());
        let request = Request::new(scene, side, given.has("honest"), poses, template)?;
        let is_part = shard.is_some();
        let shard = match shard {
            Some(text) => Shard::of(text, |name| std::env::var(name).ok()).context("--shard")?,
            None => Shard::default(),
        };
        let threads =
            given.text("threads").and_then(|text| text.parse().ok()).and_then(NonZero::new);
        let list = List::new(&inputs, &request, given.has("recursive"), shard)?;
        list.warnings.iter().for_each(console::warning);
        ensure!(!list.is_empty() || is_part, "there are no models to draw");
        Ok(Self { request, list, shard, threads })
    }
}
