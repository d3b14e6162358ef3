//! The command line: arguments from the option table (`arguments.rs`), one file per command.
//!
//! stdout carries data only, everything else goes to stderr as `polyset: ...`. Exit codes: 0 fine,
//! 1 something differs, is denied, or some of many failed, 2 trouble.

mod animate;
mod arguments;
#[cfg(test)]
mod arguments_tests;
mod batch;
mod bless;
mod check;
mod compare;
mod completions;
mod console;
mod diff;
mod diff_text;
mod explain;
mod hash;
mod info;
mod info_player;
mod info_text;
mod interrupt;
mod lines;
mod lint;
mod man;
mod output;
mod overwrite;
mod progress;
mod render;
mod sheet;
mod sprites;
mod stats;
mod thumb;
mod thumbs;
#[cfg(feature = "window")]
mod view;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use polyset::thumbs::Summary;

/// Exit code of usage errors, unreadable, malformed and unwritable files.
const TROUBLE: u8 = 2;
/// Exit code of what differs, of what is denied, and of many of which some could not be drawn.
const DIFFERENT: u8 = 1;
const FINE: u8 = 0;

/// How a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Equal,
    Different,
    /// Something could not be read.
    Trouble,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Equal => FINE,
            Outcome::Different => DIFFERENT,
            Outcome::Trouble => TROUBLE,
        })
    }
}

/// The command with its subcommands.
fn polyset() -> clap::Command {
    let command = clap::Command::new("polyset")
        .version(env!("CARGO_PKG_VERSION"))
        .about(
            "Draws Quake-family models (.mdl, .md2, .md3, .md5mesh) on the CPU, \
             the same bits on every machine",
        )
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help("Exit codes: 0 fine (or equal), 1 pictures differ or some failed, 2 trouble.")
        .subcommand(render::command())
        .subcommand(info::command())
        .subcommand(thumb::command())
        .subcommand(thumbs::command())
        .subcommand(sheet::command())
        .subcommand(animate::command())
        .subcommand(sprites::command())
        .subcommand(compare::command())
        .subcommand(diff::command())
        .subcommand(explain::command())
        .subcommand(lint::command())
        .subcommand(hash::command())
        .subcommand(check::command())
        .subcommand(bless::command())
        .subcommand(completions::command())
        .subcommand(man::command());
    #[cfg(feature = "window")]
    let command = command.subcommand(view::command());
    command
}

/// Parses the arguments, runs the command and turns its result into an exit code.
pub(crate) fn main() -> ExitCode {
    let matches = match polyset().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    interrupt::leave_nothing();
    let fine = |()| ExitCode::SUCCESS;
    let result = match matches.subcommand() {
        Some(("render", matches)) => render::run(matches).map(fine),
        Some(("info", matches)) => info::run(matches).map(fine),
        Some(("compare", matches)) => compare::run(matches).map(ExitCode::from),
        Some(("diff", matches)) => diff::run(matches).map(ExitCode::from),
        Some(("explain", matches)) => explain::run(matches).map(fine),
        Some(("lint", matches)) => lint::run(matches).map(ExitCode::from),
        Some(("hash", matches)) => hash::run(matches).map(|verdict| match verdict {
            hash::Verdict { is_fine: true, .. } => ExitCode::SUCCESS,
            hash::Verdict { any: false, .. } => ExitCode::from(TROUBLE),
            _ => ExitCode::from(DIFFERENT),
        }),
        Some(("check", matches)) => {
            check::run(matches).map(|fine| ExitCode::from(if fine { FINE } else { DIFFERENT }))
        }
        Some(("bless", matches)) => {
            bless::run(matches).map(|fine| ExitCode::from(if fine { FINE } else { DIFFERENT }))
        }
        Some(("thumb", matches)) => thumb::run(matches).map(fine),
        Some(("thumbs", matches)) => thumbs::run(matches).map(of_many),
        Some(("animate", matches)) => animate::run(matches).map(fine),
        Some(("sprites", matches)) => sprites::run(matches).map(fine),
        Some(("sheet", matches)) => sheet::run(matches).map(of_many),
        Some(("completions", matches)) => completions::run(matches).map(fine),
        Some(("man", matches)) => man::run(matches).map(fine),
        #[cfg(feature = "window")]
        Some(("view", matches)) => view::run(matches).map(fine),
        _ => unreachable!("a subcommand is required, and these are all"),
    };
    exit_code(result)
}

/// The exit code of many models.
fn of_many(summary: Summary) -> ExitCode {
    match summary {
        Summary { failed: 0, .. } => ExitCode::SUCCESS,
        Summary { drawn: 0, kept: 0, .. } => ExitCode::from(TROUBLE),
        _ => ExitCode::from(DIFFERENT),
    }
}

fn exit_code(result: Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) => {
            console::error(&error);
            ExitCode::from(TROUBLE)
        }
    }
}

/// Help and version go to stdout with exit code 0, everything else is the user's mistake.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let printed = error.print().and_then(|()| io::stdout().flush());
        let printed = printed.context("cannot write to the standard output");
        return exit_code(printed.map(|()| ExitCode::SUCCESS));
    }
    let text = error.render().to_string();
    console::usage(text.strip_prefix("error: ").unwrap_or(&text).trim_end());
    ExitCode::from(TROUBLE)
}
