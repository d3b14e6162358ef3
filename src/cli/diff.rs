//! `polyset diff`: what changed between two models, or the models of two places; also as git calls it.
//!
//! git hands an external diff program seven arguments: the path in the repository, then file, hash and
//! mode of the old and of the new side; `/dev/null` is a side that does not exist. A rename adds the new
//! path and a text about it. Of a path with a merge conflict git hands over the path alone.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{Arg, ArgMatches};
use polyset::diff::{ModelDiff, Tolerance};
use polyset::scene::options::Command;
use polyset::scene::{Anims, Input, Opened, Studio};
use polyset::{Image, Location, Renderer, Scene};
use serde::Serialize;

use super::Outcome;
use super::arguments::{self, Given};
use super::console;
use super::diff_text;
use super::output;
use super::overwrite::{refuse_no_picture, refuse_other_formats, refuse_what_was_read};

const MODELS: &str = "MODELS";
/// The version of the JSON: raised when a field changes its meaning or goes away.
const VERSION: u32 = 1;
/// git sets it for external diff programs.
const OF_GIT: &str = "GIT_DIFF_PATH_COUNTER";
/// What stands for a file that does not exist.
const NOTHING: &str = "/dev/null";
const ROWS: usize = 4;
/// More rows do not fit into a picture.
const MOST_ROWS: usize = 64;

pub(crate) fn command() -> clap::Command {
    let models = Arg::new(MODELS)
        .required(true)
        .num_args(1..=9)
        .value_names(["OLD", "NEW"])
        .value_parser(clap::builder::OsStringValueParser::new())
        .help(
            "Two models, folders or archives, whose models are paired by name; or the seven to nine \
             arguments that git hands to diff.external",
        );
    arguments::subcommand("diff", Command::Diff, "Tell what changed between two models")
        .arg(models)
        .override_usage("polyset diff [OPTIONS] <OLD> <NEW>")
        .after_help(
            "Exit codes: 0 equal, 1 different, 2 trouble; with git's arguments 0 for different too, \
             unless --trust-exit-code.",
        )
}

/// What came of all pairs of models.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    polyset_diff: u32,
    equal: bool,
    pub(super) models: Vec<Verdict>,
}

/// What came of one.
#[derive(Debug, Serialize)]
pub(super) struct Verdict {
    pub(super) name: String,
    /// "equal", "different", "missing" (only the old place has it), "new" (only the new one has it),
    /// "unreadable".
    pub(super) verdict: &'static str,
    /// Old and new; `null` if there is none.
    pub(super) files: [Option<String>; 2],
    /// Whether the files are equal byte for byte.
    pub(super) same_bytes: bool,
    /// Why a model cannot be read.
    pub(super) error: Option<String>,
    /// What could not be compared.
    pub(super) notes: Vec<String>,
    /// `null` if a model is missing or cannot be read.
    pub(super) diff: Option<ModelDiff>,
}

/// Two sides of a name.
struct Pair {
    name: String,
    files: [Option<Location>; 2],
    /// What each side is called in a report.
    labels: [Option<String>; 2],
    /// Where textures and animations are looked for, instead of around each file.
    beside: [Option<Location>; 2],
}

/// What was asked for.
enum Asked {
    Pair(Pair),
    Places(Vec<Pair>),
    /// By git.
    Git(Pair),
    /// By git, which has no two sides.
    Unmerged(String),
}

/// Compares and prints.
///
/// # Errors
/// If a model of a single pair cannot be read, or something cannot be written.
pub(crate) fn run(matches: &ArgMatches) -> Result<Outcome> {
    let given = Given::new(Command::Diff, matches)?;
    if given.has("quiet") {
        console::be_quiet();
    }
    let words: Vec<&OsStr> = matches.get_raw(MODELS).into_iter().flatten().collect();
    let asked = Asked::of(given, &words)?;
    let mut work = Work::new(given);
    let (pairs, is_git) = match asked {
        Asked::Unmerged(path) => {
            let text = format!("{}: not merged\n", console::printable(&path));
            output::stdout(text.as_bytes())?;
            return Ok(Outcome::Equal);
        }
        Asked::Pair(pair) => {
            let verdict = work.compare(&pair)?;
            return finish(given, vec![verdict], false);
        }
        Asked::Git(pair) => {
            // Among the differences of other files nobody asks for them.
            console::be_quiet();
            (vec![pair], true)
        }
        Asked::Places(pairs) => (pairs, false),
    };
    work.is_many = !is_git;
    let verdicts = pairs.iter().map(|pair| match work.compare(pair) {
        Ok(verdict) => Ok(verdict),
        // One broken model is no reason to be silent about the others.
        Err(error) if error.is::<polyset::OpenError>() => Ok(unreadable(pair, &error)),
        Err(error) => Err(error),
    });
    let verdicts = verdicts.collect::<Result<Vec<_>>>()?;
    let outcome = finish(given, verdicts, work.is_many)?;
    // git takes any other code for a failure, unless it was told to trust it.
    let is_quiet = is_git && !given.has("trust-exit-code");
    Ok(match outcome {
        _ if is_quiet => Outcome::Equal,
        Outcome::Trouble if is_git => Outcome::Different,
        outcome => outcome,
    })
}

fn finish(given: Given<'_>, models: Vec<Verdict>, is_many: bool) -> Result<Outcome> {
    let is_trouble = models.iter().any(|model| model.verdict == "unreadable");
    let equal = models.iter().all(|model| model.verdict == "equal");
    let report = Report { polyset_diff: VERSION, equal, models };
    let text = if given.has("json") {
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        diff_text::print(&report, is_many)
    };
    output::stdout(text.as_bytes())?;
    Ok(match (is_trouble, equal) {
        (true, _) => Outcome::Trouble,
        (_, true) => Outcome::Equal,
        _ => Outcome::Different,
    })
}

fn unreadable(pair: &Pair, error: &anyhow::Error) -> Verdict {
    let error = format!("{error:#}");
    Verdict { verdict: "unreadable", error: Some(error), ..pair.verdict("unreadable", false) }
}

impl Pair {
    fn verdict(&self, verdict: &'static str, same_bytes: bool) -> Verdict {
        Verdict {
            name: self.name.clone(),
            verdict,
            files: self.labels.clone(),
            same_bytes,
            error: None,
            notes: Vec::new(),
            diff: None,
        }
    }
}

impl Asked {
    fn of(given: Given<'_>, words: &[&OsStr]) -> Result<Self> {
        let beside = given.value("beside").map(Location::from);
        match words {
            [path] if std::env::var_os(OF_GIT).is_some() => {
                Ok(Self::Unmerged(path.to_string_lossy().into_owned()))
            }
            &[old, new] => Self::of_two(given, [old, new].map(Location::from), beside),
            &[path, old, _, _, new, _, _, ref rest @ ..] => {
                let new_path = rest.first().copied().unwrap_or(path);
                let files = [old, new].map(|file| (file != NOTHING).then(|| Location::from(file)));
                let shown = [path, new_path].map(|path| path.to_string_lossy().into_owned());
                let [old_label, new_label] = shown.clone();
                let labels = [
                    files[0].is_some().then_some(old_label),
                    files[1].is_some().then_some(new_label),
                ];
                let [_, name] = shown;
                let around = [path, new_path].map(|path| Some(Location::from(path)));
                let beside = if beside.is_some() { [beside.clone(), beside] } else { around };
                Ok(Self::Git(Pair { name, files, labels, beside }))
            }
            _ => bail!(
                "{} models: give OLD and NEW (git hands over seven arguments or more)",
                words.len()
            ),
        }
    }

    /// Two models, or two places that hold some.
    fn of_two(given: Given<'_>, places: [Location; 2], beside: Option<Location>) -> Result<Self> {
        let is_nothing = |place: &Location| place.path() == Path::new(NOTHING);
        let models = |place: &Location| -> Result<_> {
            if is_nothing(place) {
                return Ok(None);
            }
            Ok(given.scene(&place.to_os_string()).models()?)
        };
        let [old, new] = [models(&places[0])?, models(&places[1])?];
        let (old, new) = match (old, new) {
            (Some(old), Some(new)) => (old, new),
            (None, None) => {
                let labels = places.each_ref().map(|place| Some(place.to_string()));
                let files = places
                    .each_ref()
                    .map(|place| Some(place).filter(|place| !is_nothing(place)).cloned());
                let name = if files[1].is_some() { &places[1] } else { &places[0] };
                let name = name.to_string();
                let beside = [beside.clone(), beside];
                return Ok(Self::Pair(Pair { name, files, labels, beside }));
            }
            _ => {
                let [old, new] = places;
                bail!("'{old}' and '{new}': compare two models, or two folders or archives")
            }
        };
        for warning in old.warnings.iter().chain(&new.warnings) {
            console::warning(warning);
        }
        let mut pairs: BTreeMap<String, [Option<Location>; 2]> = BTreeMap::new();
        for (side, models) in [old, new].iter().enumerate() {
            for file in &models.files {
                pairs.entry(models.name_of(file)).or_default()[side] = Some(file.clone());
            }
        }
        ensure!(!pairs.is_empty(), "'{}' and '{}' hold no models", places[0], places[1]);
        let pair = |(name, files): (String, [Option<Location>; 2])| {
            let labels = files.each_ref().map(|file| file.as_ref().map(ToString::to_string));
            Pair { name, files, labels, beside: [beside.clone(), beside.clone()] }
        };
        Ok(Self::Places(pairs.into_iter().map(pair).collect()))
    }
}

/// What all pairs have in common.
struct Work<'a> {
    given: Given<'a>,
    tolerance: Tolerance,
    output: Option<PathBuf>,
    side: u32,
    rows: usize,
    studio: Studio,
    is_many: bool,
}

/// One side, read.
struct Side {
    scene: Scene,
    bytes: Vec<u8>,
}

impl<'a> Work<'a> {
    fn new(given: Given<'a>) -> Self {
        let number = |name| given.text(name).and_then(|text| text.parse().ok()).unwrap_or(0.0);
        let rows = match given.text("frames") {
            Some("all") => MOST_ROWS,
            Some(text) => text.parse().unwrap_or(ROWS).min(MOST_ROWS),
            None => ROWS,
        };
        Self {
            given,
            tolerance: Tolerance {
                distance: number("tolerance"),
                angle: number("angle-tolerance"),
                levels: given.text("threshold").and_then(|text| text.parse().ok()).unwrap_or(0),
            },
            output: given.file("output"),
            side: given.text("size").and_then(|text| text.parse().ok()).unwrap_or(256),
            rows,
            studio: Studio::new(Renderer::new()),
            is_many: false,
        }
    }

    fn compare(&mut self, pair: &Pair) -> Result<Verdict> {
        let (old, new) = match &pair.files {
            [Some(old), Some(new)] => (old, new),
            [Some(file), None] => return self.alone(pair, file, "missing", 0),
            [None, Some(file)] => return self.alone(pair, file, "new", 1),
            [None, None] => return Ok(pair.verdict("equal", true)),
        };
        let old = self.read(old, pair.beside[0].as_ref())?;
        let new = self.read(new, pair.beside[1].as_ref())?;
        let same_bytes = old.bytes == new.bytes;
        let (old_scene, new_scene) = (old.scene.clone(), new.scene.clone());
        let [mut old, mut new] = [old.open(self.is_many)?, new.open(self.is_many)?];
        let mut diff = ModelDiff::between(&old.model, &new.model, &self.tolerance);
        let mut notes = diff.add_textures(&new_scene, [&old, &new], &self.tolerance)?;
        let is_equal = diff.is_equal();
        if is_equal && !same_bytes {
            let note = if self.tolerance == Tolerance::default() {
                "the files differ in bytes that say nothing about the model: packing, padding, \
                 comments, or what lies behind its end"
            } else {
                "the files differ, by no more than is tolerated"
            };
            notes.push(note.into());
        }
        if self.output.is_some() && !(self.is_many && is_equal) {
            self.draw(pair, &old_scene, [&mut old, &mut new], &diff)?;
        }
        let verdict = if is_equal { "equal" } else { "different" };
        Ok(Verdict { notes, diff: Some(diff), ..pair.verdict(verdict, same_bytes) })
    }

    /// A model without the other side has to be one.
    fn alone(
        &self,
        pair: &Pair,
        file: &Location,
        verdict: &'static str,
        side: usize,
    ) -> Result<Verdict> {
        self.read(file, pair.beside[side].as_ref())?.open(self.is_many)?;
        Ok(pair.verdict(verdict, false))
    }

    fn read(&self, file: &Location, beside: Option<&Location>) -> Result<Side> {
        let mut scene = self.given.scene(&file.to_os_string());
        scene.size = Some([self.side; 2]);
        scene.check()?;
        let bytes = scene.read()?;
        if let Some(beside) = beside {
            scene.source.input = Input::File(beside.clone());
        }
        Ok(Side { scene, bytes })
    }

    fn draw(
        &mut self,
        pair: &Pair,
        scene: &Scene,
        [old, new]: [&mut Opened; 2],
        diff: &ModelDiff,
    ) -> Result<()> {
        let Some(output) = &self.output else { return Ok(()) };
        let mut read: Vec<PathBuf> = old.files().into_iter().chain(new.files()).collect();
        read.extend(pair.files.iter().flatten().map(|file| file.path().to_path_buf()));
        let path = if self.is_many {
            let mut name = OsString::from(output.join(&pair.name));
            name.push(".png");
            PathBuf::from(name)
        } else {
            output.clone()
        };
        let picture: Image =
            polyset::diff::picture(&mut self.studio, scene, [old, new], diff, self.rows)
                .with_context(|| format!("'{}' cannot be drawn", pair.name))?;
        match output::Destination::from(path) {
            output::Destination::Stdout => {
                ensure!(
                    !self.is_many,
                    "--output: the pictures of folders go to a folder, not to the standard output"
                );
                let mut png = Vec::new();
                picture.encode_drawn(&mut png)?;
                output::stdout(&png)
            }
            output::Destination::File(path) => {
                refuse_other_formats(&path)?;
                refuse_what_was_read("the picture", &path, &read)?;
                if !self.given.has("force") {
                    refuse_no_picture(&path)?;
                }
                if let Some(folder) = path.parent().filter(|_| self.is_many) {
                    output::make_folder(folder)?;
                }
                picture.save_drawn(&path)?;
                Ok(())
            }
        }
    }
}

impl Side {
    fn open(self, is_many: bool) -> Result<Opened> {
        let opened = self.scene.open_bytes(self.bytes, Anims::All)?;
        if !is_many {
            console::warnings_of(&opened);
        }
        Ok(opened)
    }
}
