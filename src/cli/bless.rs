//! `polyset bless`: keeps pictures as references.

use anyhow::{Result, ensure};
use clap::ArgMatches;
use polyset::check::{Row, Shown, json};
use polyset::scene::options::Command;

use super::arguments::{self, Given};
use super::check::{Task, text, with_scenes};
use super::console;
use super::output;

pub(crate) fn command() -> clap::Command {
    with_scenes(arguments::subcommand(
        "bless",
        Command::Bless,
        "Keep pictures of a scene file as references; without NAME and --all show what differs",
    ))
    .after_help("Exit codes: 0 nothing is left to be kept, 1 something is, 2 trouble.")
}

/// Draws, tells what differs and keeps it; returns whether all is as it should be then.
///
/// # Errors
/// If the scene file is bad, or something cannot be written.
pub(crate) fn run(matches: &ArgMatches) -> Result<bool> {
    let given = Given::new(Command::Bless, matches)?;
    let mut task = Task::new(given, matches)?;
    let is_asked = matches.contains_id("NAME") || given.has("all");
    let writes = is_asked || given.has("prune");
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true" || value == "1");
    ensure!(
        !writes || !is_ci || given.has("force"),
        "CI is set: what a machine draws there has been looked at by nobody; --force keeps it all the same"
    );
    let folder = given.file("report");
    let report = task.report(folder.as_deref())?;
    let progress = task.progress();
    let drawn = task.scenes.show(&task.numbers, task.threads, |number, outcome| {
        report.add(number, &task.scenes.cases()[number], outcome);
        progress.step();
    });
    progress.end();
    let drawn = drawn?;
    let gone = task.gone();
    // What was found is told before the report can fail.
    let (counts, rows) = report.counted(&gone);
    let shown = if given.has("json") { json(counts, &rows) } else { text(counts, &rows) };
    output::stdout(shown.as_bytes())?;
    report.finish(&gone)?;
    if !writes {
        if !counts.is_fine() {
            console::note("nothing was kept: look at it, then give the names of scenes, or --all");
        }
        return Ok(counts.is_fine());
    }
    let drawn = if is_asked { drawn } else { Shown::default() };
    let (prunes, force) = (given.has("prune"), given.has("force"));
    let blessed = task.scenes.bless(drawn, prunes, force)?;
    for file in &blessed.left {
        console::warning(format!("'{}' is left: it is not what was kept there", file.display()));
    }
    let mut said = format!("{} kept", blessed.kept.len());
    if prunes {
        said += &format!(", {} pruned", blessed.pruned.len());
    }
    console::note(&said);
    let is_left = |row: &Row| match row.verdict {
        "broken" | "fixed" => true,
        // A known failure.
        "new" => !blessed.kept.contains(&row.name),
        _ => false,
    };
    Ok(if is_asked { !rows.iter().any(is_left) } else { counts.is_fine() })
}
