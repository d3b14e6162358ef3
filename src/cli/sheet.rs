//! `polyset sheet`: many models on one picture or on a page.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Result, ensure};
use clap::ArgMatches;
use polyset::Scene;
use polyset::scene::Background;
use polyset::scene::options::Command;
use polyset::thumbs::{
    Destination as Folder, Event, Line, Sheet, SheetStyle, Summary, draw_into, draw_sheet,
    is_foreign, write_page,
};

use super::arguments::{self, Given};
use super::batch::{self, Batch};
use super::output::{self, Destination};
use super::overwrite::{refuse_other_formats, refuse_what_was_read};
use super::progress::Progress;

/// Width and height of a cell, and of a picture on a page, unless said.
const CELL: u32 = 128;
const PAGE_CELL: u32 = 256;

pub(crate) fn command() -> clap::Command {
    arguments::subcommand("sheet", Command::Sheet, "Draw many models on one picture or page")
        .arg(batch::inputs())
}

/// Draws the sheet, the page, or both.
///
/// # Errors
/// If the options or an input are bad, or something cannot be written.
pub(crate) fn run(matches: &ArgMatches) -> Result<Summary> {
    let given = Given::new(Command::Sheet, matches)?;
    let output = given.file("output").map(Destination::from);
    let page = given.file("html");
    ensure!(output.is_some() || page.is_some(), "no output: give --output FILE or --html DIR");
    let mut summary = Summary::default();
    if let Some(output) = &output {
        let batch = Batch::new(given, matches, CELL, None, None)?;
        summary = sheet(given, &batch, output)?;
    }
    if let Some(folder) = page {
        let batch = Batch::new(given, matches, PAGE_CELL, None, None)?;
        summary = self::page(given, &batch, folder)?;
    }
    Ok(summary)
}

fn sheet(given: Given<'_>, batch: &Batch, output: &Destination) -> Result<Summary> {
    let mut style = SheetStyle {
        columns: given.text("columns").and_then(|text| text.parse().ok()),
        title: given.text("title").map(str::to_owned),
        has_labels: !given.has("no-labels"),
        ..SheetStyle::default()
    };
    if let Some(background) = given.value("background-color").and_then(color) {
        style.background = background;
    }
    if let Destination::File(path) = output {
        refuse_other_formats(path)?;
        refuse_what_was_read("the sheet", path, &batch.list.files())?;
        ensure!(
            given.has("force") || !is_foreign(path),
            "'{}' is there and was not drawn by polyset; --force replaces it",
            path.display()
        );
    }
    let progress = Progress::new(batch.list.len(), "models", given.has("quiet"));
    let start = Instant::now();
    let tell = |event: Event<'_>| progress.tell(event);
    let drawn = draw_sheet(&batch.request, &batch.list, &style, batch.threads, &tell);
    progress.end();
    let Sheet { image, summary, files } = drawn?;
    match output {
        Destination::File(path) => {
            // Textures, skins and weapons are known when all is drawn.
            refuse_what_was_read("the sheet", path, &files)?;
            image.save_drawn(path)?;
        }
        Destination::Stdout => {
            let mut png = Vec::new();
            image.encode_drawn(&mut png)?;
            output::stdout(&png)?;
        }
    }
    progress.sum_up(summary, start.elapsed());
    Ok(summary)
}

/// A colour as the option of scenes has it.
fn color(text: &OsStr) -> Option<[u8; 4]> {
    let mut scene = Scene::default();
    scene.set("background-color", text).ok()?;
    match scene.background {
        Some(Background::Color(color)) => Some(color),
        _ => None,
    }
}

fn page(given: Given<'_>, batch: &Batch, folder: PathBuf) -> Result<Summary> {
    let progress = Progress::new(batch.list.len(), "models", given.has("quiet"));
    let start = Instant::now();
    let lines: Mutex<Vec<Line>> = Mutex::default();
    let tell = |event: Event<'_>| {
        if let Event::Drawn(line) | Event::Kept(line) | Event::Failed(line) = event {
            lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.clone());
        }
        progress.tell(event);
    };
    let destination = Folder {
        folder,
        manifest: None,
        shard: batch.shard,
        threads: batch.threads,
        redraw: given.has("redraw"),
        force: given.has("force"),
    };
    let drawn = draw_into(&destination, &batch.request, &batch.list, &tell);
    progress.end();
    let summary = drawn?;
    let mut lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
    batch.list.sort(&mut lines);
    let folder = &destination.folder;
    let name = folder.file_name().unwrap_or(Path::new("models").as_os_str()).to_string_lossy();
    let title = given.text("title").unwrap_or(&name);
    write_page(folder, title, &lines, given.has("force"))?;
    progress.sum_up(summary, start.elapsed());
    Ok(summary)
}
