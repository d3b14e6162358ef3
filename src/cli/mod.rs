//! The command line: typed arguments (`args.rs`), checked plan (`plan.rs`), run; one file per command.
//!
//! stdout carries data only, everything else goes to stderr as `polyset: ...`. Exit codes: 0 fine,
//! 1 pictures or checks differ, 2 trouble.

mod args;
mod classic;
mod classic_args;
mod console;
mod info;
mod info_json;
mod info_text;
mod input;
mod output;
mod plan;
mod render;
mod stats;
mod values;
#[cfg(feature = "window")]
mod view;
#[cfg(feature = "window")]
mod view_source;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Draws Quake-family models (.mdl, .md2, .md3, .md5mesh) on the CPU, the same bits on every machine.
#[derive(Debug, Parser)]
#[command(name = "polyset", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "Exit codes: 0 fine, 1 pictures or checks differ, 2 trouble.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Draw one picture
    Render(Box<render::RenderArgs>),
    /// Tell what a model file holds, where its textures were looked for, and every warning
    Info(info::InfoArgs),
    /// Look at models in a window
    #[cfg(feature = "window")]
    View(Box<view::ViewArgs>),
}

/// Exit code of usage errors, unreadable, malformed and unwritable files.
const TROUBLE: u8 = 2;

/// Parses the arguments, runs the command and turns its result into an exit code.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let result = match cli.command {
        Command::Render(args) => render::run(&args),
        Command::Info(args) => info::run(&args),
        #[cfg(feature = "window")]
        Command::View(args) => view::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            console::error(&error);
            ExitCode::from(TROUBLE)
        }
    }
}

/// Help and version go to stdout with exit code 0, everything else is the user's mistake.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A closed pipe is the reader's choice, and there is nowhere else to say anything.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    console::plain(text.strip_prefix("error: ").unwrap_or(&text).trim_end());
    ExitCode::from(TROUBLE)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
