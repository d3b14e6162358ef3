//! `polyset thumbs`: small pictures of many models.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::ArgMatches;
use polyset::scene::options::Command;
use polyset::thumbs::{CacheSize, Destination, Event, Summary, draw_into, fill_cache, split};

use super::arguments::{self, Given};
use super::batch::{self, Batch};
use super::output;
use super::progress::Progress;
use super::thumb::DEFAULT_SIDE;

pub(crate) fn command() -> clap::Command {
    arguments::subcommand("thumbs", Command::Thumbs, "Draw thumbnails of many models")
        .arg(batch::inputs())
}

/// Draws the thumbnails; returns what became of them.
///
/// # Errors
/// If the options or an input are bad, or something cannot be written.
pub(crate) fn run(matches: &ArgMatches) -> Result<Summary> {
    let given = Given::new(Command::Thumbs, matches)?;
    let (folder, template) = match given.file("output") {
        Some(path) => split(&path).map(|(folder, template)| (Some(folder), template))?,
        None => (None, None),
    };
    let batch = Batch::new(given, matches, DEFAULT_SIDE, template, given.text("shard"))?;
    let Batch { request, list, shard, threads } = &batch;
    let progress = Progress::new(list.len(), "models", given.has("quiet"));
    let start = Instant::now();
    let tell = |event: Event<'_>| progress.tell(event);
    let summary = if given.has("xdg-cache") {
        let sizes = sizes(given)?;
        fill_cache(&cache()?, &sizes, request, list, *threads, given.has("redraw"), &tell)
    } else {
        let folder = folder.context("no output: give --output DIR, or --xdg-cache")?;
        output::make_folder(&folder)?;
        let destination = Destination {
            folder,
            manifest: given.file("manifest"),
            shard: *shard,
            threads: *threads,
            redraw: given.has("redraw"),
            force: given.has("force"),
        };
        draw_into(&destination, request, list, &tell)
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
