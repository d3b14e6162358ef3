//! `polyset man`: the manual, a page for the command and one for each subcommand, from the arguments that
//! the parser knows.

use std::path::Path;

use anyhow::Result;
use clap::{Arg, ArgMatches, value_parser};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use polyset::scene::options::Command;

use super::arguments::{self, Given};
use super::output;
use super::overwrite::refuse_unless;

const DIR: &str = "DIR";
/// Bytes of a file that tell whether it is a page of a manual.
const HEAD: usize = 1024;
/// What a line of help on exit codes begins with.
const EXIT_CODES: &str = "Exit codes: ";

pub(crate) fn command() -> clap::Command {
    let folder = Arg::new(DIR)
        .required(true)
        .value_parser(value_parser!(std::ffi::OsString))
        .value_hint(clap::ValueHint::DirPath)
        .help("The folder for polyset.1, polyset-render.1 and so on; it is made");
    arguments::subcommand("man", Command::Man, "Write the pages of the manual").arg(folder)
}

/// Writes all pages, or none if one of the files is something else.
///
/// # Errors
/// If a file is no page of a manual, or cannot be written.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let given = Given::new(Command::Man, matches)?;
    let folder = given.file(DIR).unwrap_or_default();
    output::make_folder(&folder)?;
    let pages = pages(super::polyset())?;
    let pages = pages.into_iter().map(|(name, page)| (folder.join(name), page));
    let pages: Vec<_> = pages.collect();
    if !given.has("force") {
        pages.iter().try_for_each(|(path, _)| refuse_no_page(path))?;
    }
    for (path, page) in pages {
        polyset::write_file(path, |out| out.write_all(&page))?;
    }
    Ok(())
}

/// # Errors
/// If the file is there and no page of a manual.
fn refuse_no_page(path: &Path) -> Result<()> {
    let is_page =
        |head: &[u8]| head.split(|&byte| byte == b'\n').any(|line| line.starts_with(b".TH "));
    refuse_unless(path, HEAD, is_page, ["page of a manual", "folder"])
}

/// File names and contents, the command's own page first.
fn pages(command: clap::Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let see_also = names.iter().map(|name| format!("polyset-{name}")).collect::<Vec<_>>();
    let mut pages = vec![page(command.clone(), &command, &see_also)?];
    for subcommand in command.get_subcommands() {
        pages.push(page(subcommand.clone(), &command, &["polyset".to_owned()])?);
    }
    Ok(pages)
}

/// One page. What a subcommand does not say of exit codes holds as for the whole.
fn page(
    mut command: clap::Command,
    whole: &clap::Command,
    see_also: &[String],
) -> std::io::Result<(String, Vec<u8>)> {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    let after = |command: &clap::Command| command.get_after_help().map(ToString::to_string);
    let notes = after(&command).or_else(|| after(whole)).unwrap_or_default();
    let command = command.override_usage(usage).after_help(None::<&str>);
    let name = command.get_display_name().unwrap_or("polyset").to_uppercase();
    // An empty word instead of a date: pages of one version are equal whenever they are made.
    let man = Man::new(command)
        .title(name)
        .date("\"\"")
        .source(format!("polyset {}", env!("CARGO_PKG_VERSION")))
        .manual("polyset");
    let mut text = Vec::new();
    man.render(&mut text)?;

    let mut end = Roff::new();
    let (exit_codes, notes): (Vec<&str>, Vec<&str>) =
        notes.lines().partition(|line| line.starts_with(EXIT_CODES));
    for (heading, lines) in [("EXIT STATUS", exit_codes), ("NOTES", notes)] {
        if !lines.is_empty() {
            end.control("SH", [heading]);
            end.extend(lines.iter().map(|line| line.trim_start_matches(EXIT_CODES)).map(line_of));
        }
    }
    end.control("SH", ["SEE ALSO"]);
    for (index, name) in see_also.iter().enumerate() {
        let comma = if index + 1 < see_also.len() { "," } else { "" };
        end.text([bold(name), roman(format!("(1){comma}"))]);
    }
    let page = tidy(&String::from_utf8_lossy(&text)) + &tidy(&end.to_roff());
    Ok((man.get_filename(), page.into_bytes()))
}

/// What the help has in backticks is bold here, and two breaks around an empty line are one space.
fn tidy(page: &str) -> String {
    let mut tidied = String::with_capacity(page.len());
    for line in page.replace(".br\n\n.br\n", ".sp\n").lines() {
        let pieces: Vec<&str> = line.split('`').collect();
        // Only pairs mark something.
        if pieces.len().is_multiple_of(2) {
            tidied.push_str(&line.replace('`', "\\(ga"));
        } else {
            tidied.push_str(pieces[0]);
            for pair in pieces[1..].chunks_exact(2) {
                tidied.extend(["\\fB", pair[0], "\\fR", pair[1]]);
            }
        }
        tidied.push('\n');
    }
    tidied
}

fn line_of(text: &str) -> Roff {
    let mut line = Roff::new();
    line.text([roman(text)]);
    line
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn backticks_become_bold_and_breaks_one_space() {
        for (page, expected) in [
            ("`\\-` is `a`, or not\n", "\\fB\\-\\fR is \\fBa\\fR, or not\n"),
            ("one ` alone", "one \\(ga alone\n"),
            ("a\n.br\n\n.br\nb\n", "a\n.sp\nb\n"),
            (".SH NAME\nplain\n", ".SH NAME\nplain\n"),
        ] {
            assert_eq!(tidy(page), expected);
        }
    }
}
