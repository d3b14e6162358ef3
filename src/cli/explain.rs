//! `polyset explain`: which file each engine takes for a model and its textures, and why.

use anyhow::Result;
use clap::ArgMatches;
use polyset::explain::{Explanation, POLYSET, Step, Trail};
use polyset::scene::options::Command;
use serde::Serialize;

use super::arguments::{self, Given, INPUT};
use super::console;
use super::lines::line;
use super::output;

/// The version of the JSON: raised when a field changes its meaning or goes away.
const VERSION: u32 = 1;

pub(crate) fn command() -> clap::Command {
    let about = "Tell which file each engine takes for a model and its textures, and why";
    arguments::subcommand("explain", Command::Explain, about).arg(arguments::input())
}

#[derive(Debug, Serialize)]
struct Report {
    polyset_explain: u32,
    input: String,
    engines: Vec<Explanation>,
}

/// Asks the engines and prints.
///
/// # Errors
/// If the model cannot be read, or lies in no game although an engine is asked for by name.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let given = Given::new(Command::Explain, matches)?;
    let scene = given.scene(given.value(INPUT).unwrap_or_default());
    let mut asked: Vec<String> = Vec::new();
    for name in matches.get_raw("engine").into_iter().flatten() {
        let name = name.to_string_lossy().into_owned();
        // An answer twice tells nothing new, and the standard input cannot be read twice.
        if !asked.contains(&name) {
            asked.push(name);
        }
    }
    let mut engines = Vec::new();
    if asked.is_empty() {
        for engine in scene.engines()? {
            match scene.explain(engine) {
                Ok(found) => engines.push(found),
                Err(error) if engine == POLYSET => return Err(error.into()),
                // polyset still has something to say.
                Err(error) => console::warning(format_args!("{engine}: {error}")),
            }
        }
    }
    for engine in &asked {
        engines.push(scene.explain(engine)?);
    }
    let input = scene.source.input.name();
    let report = Report { polyset_explain: VERSION, input, engines };
    let text = if given.has("json") {
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        print(&report)
    };
    output::stdout(text.as_bytes())
}

fn print(report: &Report) -> String {
    let mut text = String::new();
    for engine in &report.engines {
        if !text.is_empty() {
            text.push('\n');
        }
        line(&mut text, &format!("{}: {}", engine.engine, engine.title));
        line(&mut text, &format!("  rule      {}", engine.source));
        for unsure in &engine.unsure {
            line(&mut text, &format!("  not sure  {unsure}"));
        }
        for place in &engine.places {
            line(&mut text, &format!("  looks in  {place}"));
        }
        engine.files.iter().for_each(|trail| file(&mut text, trail));
    }
    text
}

fn file(text: &mut String, trail: &Trail) {
    let Trail { what, name, taken, why, steps } = trail;
    let name = if name.is_empty() { String::new() } else { format!(" '{name}'") };
    match taken {
        Some(taken) => line(text, &format!("  {what}{name}: {taken}")),
        None => line(text, &format!("  {what}{name}: {why}")),
    }
    if taken.is_some() {
        line(text, &format!("      because {why}"));
    }
    let mut is_over = false;
    for Step { name, found, .. } in steps {
        // What would have come later matters only if it is there.
        if found.is_empty() && !is_over {
            line(text, &format!("      not there {name}"));
        }
        is_over |= found.iter().any(|file| file.is_taken);
        for lost in found.iter().filter(|file| !file.is_taken) {
            line(text, &format!("      not {}: {}", lost.file, lost.why));
        }
    }
}
