//! The one table of options, and what follows from it.
//!
//! A [`Row`] says everything about an option: its name, value, help, group and default, which
//! commands have it, which renderer and formats honour it, how it is read into a [`Scene`] and printed
//! from one. The command line's arguments, the lists that the window goes through, the refusals,
//! the printed command and `docs/options.md` are made from the rows.

mod checks;
mod row;
mod table;

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

pub use table::ROWS;

use super::{RendererKind, Scene};
use crate::error::RequestError;
use crate::look::Alpha;
use crate::model::Format;

/// An option.
#[derive(Debug)]
pub struct Row {
    /// The name without dashes: `camera-near`.
    pub name: &'static str,
    /// The letter that is short for it.
    pub short: Option<char>,
    /// What stands for its value in the help, such as `X,Y,Z`; `None` for a switch.
    pub value: Option<&'static str>,
    /// What it does, in a sentence or two without a full stop.
    pub help: &'static str,
    /// The heading that it stands under.
    pub group: Group,
    /// What is taken if it is not given; empty where there is nothing to say.
    pub default: &'static str,
    /// A value for examples and tests; empty for a switch.
    pub example: &'static str,
    /// Whether the value is a word (a name, a file) rather than made of numbers.
    pub is_word: bool,
    /// Whether it may be given several times.
    pub repeats: bool,
    /// The commands that have it.
    pub commands: &'static [Command],
    /// The renderers that honour it.
    pub renderers: &'static [RendererKind],
    /// The formats that honour it; empty for all.
    pub formats: &'static [Format],
    /// Options that it cannot stand beside, and why: "say the same".
    pub excludes: (&'static [&'static str], &'static str),
    choices: fn() -> Vec<(&'static str, &'static str)>,
    meaning: Meaning,
}

/// What the value of an option is for.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// It is a part of a scene.
    Scene {
        set: fn(&mut Scene, &OsStr) -> Result<(), String>,
        /// Its values as [`Row::read`] takes them; none if it was not said.
        get: fn(&Scene) -> Vec<OsString>,
    },
    /// A command has a use for it beside the scene.
    Command { check: fn(&OsStr) -> Result<(), String> },
}

/// A command that has options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Command {
    /// `polyset render`.
    Render,
    /// `polyset info`.
    Info,
    /// `polyset view`.
    View,
    /// `polyset thumb`.
    Thumb,
    /// `polyset thumbs`.
    Thumbs,
    /// `polyset sheet`.
    Sheet,
    /// `polyset animate`.
    Animate,
    /// `polyset sprites`.
    Sprites,
    /// `polyset hash`.
    Hash,
    /// `polyset compare`.
    Compare,
    /// `polyset check`.
    Check,
    /// `polyset bless`.
    Bless,
    /// `polyset diff`.
    Diff,
    /// `polyset explain`.
    Explain,
    /// `polyset lint`.
    Lint,
    /// `polyset man`.
    Man,
}

impl Command {
    /// Commands that have every option of `render` that is a part of a scene.
    const LIKE_RENDER: [Self; 3] = [Self::Animate, Self::Sprites, Self::Hash];

    fn draws_scenes(self) -> bool {
        Self::LIKE_RENDER.contains(&self)
    }
}

/// A heading of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Group {
    /// Size, background and where results go.
    Output,
    /// Which models, and which pictures of each.
    Batch,
    /// Where files come from.
    Files,
    /// How pictures follow each other.
    Motion,
    /// Which moment of which animation.
    Pose,
    /// Skins, colours, and how texels become pixels.
    Look,
    /// The light.
    Light,
    /// Where the picture is taken from.
    Camera,
    /// Which triangles and texels are drawn, and where the model stands.
    Geometry,
    /// Which renderer.
    Renderer,
    /// The words of the original engines.
    Engine,
    /// How the work is done; nothing here changes a bit of the picture.
    Run,
    /// How a window begins.
    Window,
    /// What is printed.
    Print,
    /// What counts as a difference of pictures.
    Tolerance,
}

impl Group {
    /// All headings in the order of the help.
    pub const ALL: [Self; 15] = [
        Self::Output,
        Self::Batch,
        Self::Motion,
        Self::Print,
        Self::Tolerance,
        Self::Window,
        Self::Files,
        Self::Pose,
        Self::Look,
        Self::Light,
        Self::Camera,
        Self::Geometry,
        Self::Renderer,
        Self::Engine,
        Self::Run,
    ];

    /// The heading's words.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Output => "Output",
            Self::Batch => "Models and pictures",
            Self::Files => "Files",
            Self::Motion => "Motion",
            Self::Pose => "Pose",
            Self::Look => "Look",
            Self::Light => "Light",
            Self::Camera => "Camera",
            Self::Geometry => "Geometry",
            Self::Renderer => "Renderer",
            Self::Engine => "Classic renderer",
            Self::Run => "Run",
            Self::Window => "Window",
            Self::Print => "Print",
            Self::Tolerance => "Tolerance",
        }
    }
}

impl Row {
    /// Whether a command has it.
    #[must_use]
    pub fn is_of(&self, command: Command) -> bool {
        let is_shared = self.is_of_scene() && self.commands.contains(&Command::Render);
        let has_own = || {
            let is_own = |row: &Self| row.name == self.name && row.commands.contains(&command);
            ROWS.iter().any(is_own)
        };
        self.commands.contains(&command) || is_shared && command.draws_scenes() && !has_own()
    }

    /// Whether it is a part of a scene, rather than of what a command does with one.
    #[must_use]
    pub fn is_of_scene(&self) -> bool {
        matches!(self.meaning, Meaning::Scene { .. })
    }

    /// The values that it can have, each with a line of help that may be empty; none if they are
    /// not a list.
    #[must_use]
    pub fn choices(&self) -> Vec<(&'static str, &'static str)> {
        (self.choices)()
    }

    /// Reads a value into a scene; a switch takes any. An option of a command alone is only checked.
    ///
    /// # Errors
    /// What was expected instead.
    pub fn read(&self, scene: &mut Scene, value: &OsStr) -> Result<(), String> {
        match self.meaning {
            Meaning::Scene { set, .. } => set(scene, value),
            Meaning::Command { check } => check(value),
        }
    }

    /// The values that a scene has for it, as [`Row::read`] takes them; none if it was not said.
    #[must_use]
    pub fn values(&self, scene: &Scene) -> Vec<OsString> {
        match self.meaning {
            Meaning::Scene { get, .. } => get(scene),
            Meaning::Command { .. } => Vec::new(),
        }
    }

    /// Whether a renderer honours it.
    #[must_use]
    pub fn is_honoured_by(&self, renderer: RendererKind) -> bool {
        self.renderers.contains(&renderer)
    }

    /// Whether models of a format honour it.
    #[must_use]
    pub fn is_for(&self, format: Format) -> bool {
        self.formats.is_empty() || self.formats.contains(&format)
    }

    /// The help with its default behind.
    #[must_use]
    pub fn help_line(&self) -> String {
        if self.default.is_empty() {
            self.help.to_owned()
        } else {
            format!("{} [default: {}]", self.help, self.default)
        }
    }
}

/// The rows of a command, in the order of the table.
pub fn rows_of(command: Command) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.is_of(command))
}

/// The row of a command's option, named with or without dashes in front.
#[must_use]
pub fn row(command: Command, name: &str) -> Option<&'static Row> {
    let name = name.strip_prefix("--").unwrap_or(name);
    rows_of(command).find(|row| row.name == name)
}

/// The first two of some options that cannot stand together.
///
/// # Errors
/// Names both and says why.
pub fn check_together(given: &[&Row]) -> Result<(), RequestError> {
    for row in given {
        let (excluded, why) = row.excludes;
        if let Some(other) = given.iter().find(|other| excluded.contains(&other.name)) {
            return Err(RequestError::new(format!(
                "--{} and --{} {why}; give one of them",
                row.name, other.name
            )));
        }
    }
    Ok(())
}

impl Scene {
    /// Sets an option of `polyset render` by its name, with or without dashes in front; a switch is
    /// set whatever the value.
    ///
    /// # Errors
    /// If there is no such option, or the value is not one of it.
    pub fn set(&mut self, name: &str, value: impl AsRef<OsStr>) -> Result<(), RequestError> {
        let found = row(Command::Render, name).filter(|row| row.is_of_scene());
        let Some(row) = found else {
            return Err(RequestError::new(format!(
                "there is no option '{name}' of a scene; 'polyset render --help' lists all"
            )));
        };
        let value = value.as_ref();
        row.read(self, value).map_err(|expected| {
            let value = value.display();
            RequestError::new(format!("invalid value '{value}' for '--{}': {expected}", row.name))
        })
    }

    /// The options that were said, whatever the renderer, in the order of the table.
    pub fn given(&self) -> impl Iterator<Item = &'static Row> + '_ {
        rows_of(Command::Render).filter(|row| !row.values(self).is_empty())
    }

    /// Whether all that was said can be done together, as far as that is known without the model.
    ///
    /// # Errors
    /// If an option is not for the scene's renderer, or two contradict each other.
    pub fn check(&self) -> Result<(), RequestError> {
        let given: Vec<&Row> = self.given().collect();
        let stranger = given.iter().find(|row| !row.is_honoured_by(self.renderer));
        if let Some(row) = stranger {
            return Err(RequestError::new(match self.renderer {
                RendererKind::Precise => format!("--{} needs --renderer classic", row.name),
                RendererKind::Classic => {
                    format!("--{} means nothing to --renderer classic", row.name)
                }
            }));
        }
        check_together(&given)?;
        self.check_alpha()?;
        self.check_camera()?;
        self.check_background()
    }

    /// # Errors
    /// If the value of `--alpha` is for the other renderer.
    fn check_alpha(&self) -> Result<(), RequestError> {
        let message = match (self.renderer, self.engine.alpha, self.look.alpha) {
            (RendererKind::Precise, Some(_), _) => {
                "--alpha with a number needs --renderer classic; without it: auto, opaque, test, blend"
            }
            (RendererKind::Classic, _, Alpha::Opaque | Alpha::Blend) => {
                "--alpha with --renderer classic is a number from 0 to 1"
            }
            _ => return Ok(()),
        };
        Err(RequestError::new(message))
    }

    /// Whether all that was said is for models of a format.
    ///
    /// # Errors
    /// If an option is for others alone.
    pub fn check_format(&self, format: Format) -> Result<(), RequestError> {
        if self.engine.alpha.is_some() && format != Format::Md2 {
            let found = format.extension();
            let message = format!("--alpha with a number is for .md2; this is an .{found}");
            return Err(RequestError::new(message));
        }
        let Some(row) = self.given().find(|row| !row.is_for(format)) else { return Ok(()) };
        let formats: Vec<String> =
            row.formats.iter().map(|format| format!(".{}", format.extension())).collect();
        Err(RequestError::new(format!(
            "--{} is for {}; this is an .{}",
            row.name,
            formats.join(", "),
            format.extension()
        )))
    }

    /// The scene without what its renderer has no use for; as it is, if it holds what no option can say, which
    /// is told where it is drawn.
    #[must_use]
    pub fn honoured(&self) -> Self {
        let mut scene = Self { renderer: self.renderer, ..Self::default() };
        scene.source.input = self.source.input.clone();
        for row in self.given().filter(|row| row.is_honoured_by(self.renderer)) {
            for value in row.values(self) {
                if row.read(&mut scene, &value).is_err() {
                    return self.clone();
                }
            }
        }
        scene
    }
}

/// `docs/options.md`: every option of every command.
#[must_use]
pub fn document() -> String {
    let mut text = String::from(
        "# Options\n\n\
         Every option of every command. Values are shown as an example; \"classic\" and \"precise\" \
         say which of the two renderers honours an option where the other refuses it, and formats \
         which models do. `polyset COMMAND --help` says the same.\n",
    );
    for group in Group::ALL {
        let _ = writeln!(text, "\n## {}\n", group.title());
        let _ = writeln!(
            text,
            "| option | commands | honoured by | default | |\n|---|---|---|---|---|"
        );
        for row in ROWS.iter().filter(|row| row.group == group) {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} |",
                example(row),
                commands(row),
                honoured(row),
                row.default,
                with_choices(row)
            );
        }
    }
    text
}

fn commands(row: &Row) -> String {
    let own = row.commands.iter().copied();
    let more = Command::LIKE_RENDER.into_iter();
    let more = more.filter(|more| row.is_of(*more) && !row.commands.contains(more));
    own.chain(more).map(name).collect::<Vec<_>>().join(", ")
}

fn example(row: &Row) -> String {
    let short = row.short.map(|letter| format!("`-{letter}`, ")).unwrap_or_default();
    let space = if row.example.is_empty() { "" } else { " " };
    format!("{short}`--{}{space}{}`", row.name, row.example)
}

fn name(command: Command) -> &'static str {
    match command {
        Command::Render => "render",
        Command::Info => "info",
        Command::View => "view",
        Command::Thumb => "thumb",
        Command::Thumbs => "thumbs",
        Command::Sheet => "sheet",
        Command::Animate => "animate",
        Command::Sprites => "sprites",
        Command::Compare => "compare",
        Command::Diff => "diff",
        Command::Explain => "explain",
        Command::Lint => "lint",
        Command::Hash => "hash",
        Command::Check => "check",
        Command::Bless => "bless",
        Command::Man => "man",
    }
}

fn honoured(row: &Row) -> String {
    let mut words: Vec<String> = match row.renderers {
        [RendererKind::Precise] => vec!["precise".into()],
        [RendererKind::Classic] => vec!["classic".into()],
        _ => Vec::new(),
    };
    words.extend(row.formats.iter().map(|format| format!(".{}", format.extension())));
    words.join(" ")
}

fn with_choices(row: &Row) -> String {
    let choices: Vec<String> = row
        .choices()
        .into_iter()
        .map(
            |(name, help)| {
                if help.is_empty() { format!("`{name}`") } else { format!("`{name}` ({help})") }
            },
        )
        .collect();
    let help = row.help.replace('|', "\\|");
    let several = if row.repeats { "; may be given several times" } else { "" };
    if choices.is_empty() {
        format!("{help}{several}")
    } else {
        format!("{help}: {}", choices.join(", "))
    }
}
