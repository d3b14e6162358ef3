//! `polyset thumbs`: small pictures of many models.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::{Arg, ArgMatches};
use polyset::Location;
use polyset::scene::options::Command;
use polyset::thumbs::{
    CacheSize, Destination, FrameChoice, List, Poses, Request, Shard, Summary, draw_into,
    fill_cache, split,
};

use super::arguments::{self, Given, INPUT};
use super::console;
use super::progress::Progress;
use super::thumb::DEFAULT_SIDE;

pub(crate) fn command() -> clap::Command {
    let inputs = Arg::new(INPUT)
        .num_args(0..)
        .value_parser(clap::builder::OsStringValueParser::new())
        .help(
            "Models, folders, archives, folders in archives (pak0.pk3:models/weapons2); with --game names \
             in the game, and without any all of the game",
        );
    arguments::subcommand("thumbs", Command::Thumbs, "Draw thumbnails of many models").arg(inputs)
}

/// Draws the thumbnails; returns what became of them.
///
/// # Errors
/// If the options or an input are bad, or something cannot be written.
pub(crate) fn run(matches: &ArgMatches) -> Result<Summary> {
    let given = Given::new(Command::Thumbs, matches)?;
    let inputs: Vec<Location> =
        matches.get_raw(INPUT).into_iter().flatten().map(Location::from).collect();
    ensure!(
        !inputs.is_empty() || given.value("game").is_some(),
        "nothing to draw: give models, folders or archives, or --game DIR"
    );
    let (folder, template) = match given.file("output") {
        Some(path) => split(&path).map(|(folder, template)| (Some(folder), template))?,
        None => (None, None),
    };
    let side = given.text("size").and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_SIDE);
    let poses = Poses {
        all_skins: given.has_value("skins"),
        all_clips: given.has_value("clips"),
        frames: given.text("frames").map(|text| match text.parse() {
            Ok(count) => FrameChoice::Count(count),
            Err(_) => FrameChoice::All,
        }),
    };
    let scene = given.scene("".as_ref());
    let request = Request::new(scene, side, given.has("honest"), poses, template)?;
    let shard = match given.text("shard") {
        Some(text) => Shard::of(text, |name| std::env::var(name).ok()).context("--shard")?,
        None => Shard::default(),
    };
    let threads = given.text("threads").and_then(|text| text.parse().ok()).and_then(NonZero::new);
    if given.has("quiet") {
        console::be_quiet();
    }
    let list = List::new(&inputs, &request, given.has("recursive"), shard)?;
    list.warnings.iter().for_each(console::warning);
    ensure!(!list.is_empty() || given.value("shard").is_some(), "there are no models to draw");

    let progress = Progress::new(list.len(), given.has("quiet"));
    let start = Instant::now();
    let tell = |event: polyset::thumbs::Event<'_>| progress.tell(event);
    let summary = if given.has("xdg-cache") {
        let sizes = sizes(given)?;
        fill_cache(&cache()?, &sizes, &request, &list, threads, given.has("redraw"), &tell)
    } else {
        let folder = folder.context("no output: give --output DIR, or --xdg-cache")?;
        let destination = Destination {
            folder,
            manifest: given.file("manifest"),
            shard,
            threads,
            redraw: given.has("redraw"),
            force: given.has("force"),
        };
        draw_into(&destination, &request, &list, &tell)
    };
    progress.end();
    let summary = summary.context(
        "stopped before the end; what was drawn is there, and the same command goes on from it",
    )?;
    progress.sum_up(summary, start.elapsed());
    Ok(summary)
}

fn sizes(given: Given<'_>) -> Result<Vec<CacheSize>> {
    let Some(names) = given.text("cache-sizes") else { return Ok(CacheSize::ALL.into()) };
    let size = |name: &str| CacheSize::ALL.into_iter().find(|size| size.name() == name.trim());
    let all = CacheSize::ALL.map(CacheSize::name).join(", ");
    let known = |name| {
        size(name).with_context(|| format!("--cache-sizes: there is no '{name}'; there are {all}"))
    };
    names.split(',').map(known).collect()
}

/// The folder of thumbnails, as the standard says.
fn cache() -> Result<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    // Relative paths do not count in these variables.
    let caches = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    match (caches, variable("HOME")) {
        (Some(caches), _) => Ok(caches.join("thumbnails")),
        (None, Some(home)) => Ok(PathBuf::from(home).join(".cache/thumbnails")),
        (None, None) => bail!("--xdg-cache needs XDG_CACHE_HOME or HOME"),
    }
}
