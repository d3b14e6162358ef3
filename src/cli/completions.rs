//! `polyset completions`: what lets a shell complete the command line.

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};
use clap_complete::Shell;

use super::output;

const SHELL: &str = "SHELL";
const SHELLS: [(&str, Shell); 3] =
    [("bash", Shell::Bash), ("zsh", Shell::Zsh), ("fish", Shell::Fish)];

pub(crate) fn command() -> clap::Command {
    let shell = Arg::new(SHELL)
        .required(true)
        .value_parser(PossibleValuesParser::new(SHELLS.map(|(name, _)| name)))
        .help("The shell that reads it");
    clap::Command::new("completions").about("Print the completions of a shell").arg(shell)
}

/// Prints the script that tells a shell every subcommand, option and listed value.
///
/// # Errors
/// If the standard output takes no more.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let name = matches.get_one::<String>(SHELL).map_or("", String::as_str);
    let found = SHELLS.iter().find(|(shell, _)| *shell == name);
    let (_, shell) = found.expect("the parser has checked it");
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut super::polyset(), "polyset", &mut script);
    output::stdout(&script)
}
