//! Arguments from the option table, and scenes from arguments.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use polyset::scene::options::{self, Command, Row};
use polyset::{Renderer, Scene, SimdLevel};

/// What stands for the model on the command line.
pub(crate) const INPUT: &str = "INPUT";

/// A subcommand with all options of the table that it has.
pub(crate) fn subcommand(
    name: &'static str,
    command: Command,
    about: &'static str,
) -> clap::Command {
    clap::Command::new(name).about(about).args(options::rows_of(command).map(argument))
}

/// The argument that names the model.
pub(crate) fn input() -> Arg {
    Arg::new(INPUT).required(true).value_parser(OsStringValueParser::new()).help(
        "The model: .mdl, .md2, .md3 or .md5mesh, told by its content; ARCHIVE:MEMBER is one in a .pak, \
         .pk3 or .pk4; `-` is the standard input",
    )
}

fn argument(row: &'static Row) -> Arg {
    let several = if row.repeats { "; may be given several times" } else { "" };
    let arg = Arg::new(row.name)
        .long(row.name)
        .help(format!("{}{several}", row.help_line()))
        .help_heading(row.group.title());
    let arg = match row.short {
        Some(letter) => arg.short(letter),
        None => arg,
    };
    let Some(value) = row.value else { return arg.action(ArgAction::SetTrue) };
    let arg = arg
        .value_name(value)
        .allow_hyphen_values(!row.is_word)
        .allow_negative_numbers(true)
        .action(if row.repeats { ArgAction::Append } else { ArgAction::Set });
    let choices = row.choices();
    if choices.is_empty() {
        let check = move |text: OsString| row.read(&mut Scene::default(), &text).map(|()| text);
        let parser = OsStringValueParser::new().try_map(check);
        return arg.value_parser(parser).value_hint(hint(value));
    }
    let values = choices.into_iter().map(|(name, help)| {
        let value = PossibleValue::new(name);
        if help.is_empty() { value } else { value.help(help) }
    });
    arg.value_parser(PossibleValuesParser::new(values))
}

/// What a shell completes an option's value with.
fn hint(value: &str) -> ValueHint {
    match value {
        // An archive stands for a folder in places.
        "DIR" => ValueHint::AnyPath,
        _ if value.contains("FILE") || value == "OUT" => ValueHint::FilePath,
        _ => ValueHint::Other,
    }
}

/// What was given to a command.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    command: Command,
    matches: &'a ArgMatches,
}

impl<'a> Given<'a> {
    /// # Errors
    /// If two options cannot stand together, or a folder is called like the standard output.
    pub(crate) fn new(command: Command, matches: &'a ArgMatches) -> Result<Self> {
        let given = Self { command, matches };
        let rows: Vec<&Row> = given.rows().collect();
        options::check_together(&rows)?;
        let is_of_files = |row: &Row| match (command, row.name) {
            (Command::Compare, "diff") => true,
            _ => row.value.is_some_and(|value| value.starts_with("DIR")),
        };
        for row in rows.into_iter().filter(|row| is_of_files(row)) {
            let name = row.name;
            let is_stream = given.value(name).is_some_and(|value| value == "-");
            ensure!(!is_stream, "--{name} -: no stream; './-' is what a file or folder is called");
        }
        Ok(given)
    }

    /// The options that were given.
    fn rows(self) -> impl Iterator<Item = &'static Row> + 'a {
        options::rows_of(self.command).filter(move |row| {
            self.matches.value_source(row.name) == Some(ValueSource::CommandLine)
        })
    }

    /// Whether a switch was given.
    pub(crate) fn has(self, switch: &str) -> bool {
        self.matches.get_flag(switch)
    }

    /// The value of an option or argument that can be given once.
    pub(crate) fn value(self, name: &str) -> Option<&'a OsStr> {
        self.matches.get_raw(name)?.next()
    }

    /// [`Given::value`] as text; values with a notation are.
    pub(crate) fn text(self, name: &str) -> Option<&'a str> {
        self.value(name)?.to_str()
    }

    /// [`Given::value`] as a file.
    pub(crate) fn file(self, name: &str) -> Option<PathBuf> {
        self.value(name).map(PathBuf::from)
    }

    /// [`Given::value`] as width and height in pixels; `None` for a word that is no size.
    #[cfg(feature = "window")]
    pub(crate) fn size(self, name: &str) -> Option<[u32; 2]> {
        let (width, height) = self.text(name)?.split_once([',', 'x', 'X'])?;
        Some([width.trim().parse().ok()?, height.trim().parse().ok()?])
    }

    /// The scene of a model.
    pub(crate) fn scene(self, input: &OsStr) -> Scene {
        let mut scene = Scene::new(input);
        for row in self.rows().filter(|row| row.is_of_scene()) {
            let values = self.matches.get_raw(row.name).into_iter().flatten();
            // A switch has no value of its own.
            let values: Vec<&OsStr> =
                if row.value.is_some() { values.collect() } else { vec![OsStr::new("")] };
            for value in values {
                row.read(&mut scene, value).expect("the parser has checked it");
            }
        }
        scene
    }

    /// A renderer on the wanted threads and instruction set.
    ///
    /// # Errors
    /// If the machine lacks the instruction set or cannot start the threads.
    pub(crate) fn renderer(self) -> Result<Renderer> {
        let name = self.text("simd").unwrap_or("auto");
        let level: SimdLevel = name.parse()?;
        if !level.is_available() {
            let known = SimdLevel::available();
            let known: Vec<String> = known.iter().map(ToString::to_string).collect();
            let known = known.join(", ");
            bail!("--simd {name}: this machine does not have it; it has auto, {known}");
        }
        let mut renderer = Renderer::new().with_simd(level)?;
        if let Some(pixels) = self.text("max-work").and_then(|text| text.parse().ok()) {
            renderer = renderer.with_max_work(pixels);
        }
        match self.text("threads").and_then(|text| text.parse().ok()) {
            Some(threads) => Ok(renderer.with_threads(threads)?),
            None => Ok(renderer),
        }
    }
}
