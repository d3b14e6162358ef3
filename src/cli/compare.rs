//! `polyset compare`: two pictures, or the pictures of two folders.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::{Arg, ArgMatches, value_parser};
use polyset::scene::options::Command;
use polyset::{
    Comparison, Image, Judgement, Location, Metric, OpenError, Tolerance, Verdict, pngs_in,
};
use serde::Serialize;

use super::Outcome;
use super::arguments::{self, Given};
use super::console;
use super::output;
use super::overwrite::{refuse_no_picture, refuse_other_formats, refuse_what_was_read};

const EXPECTED: &str = "EXPECTED";
const ACTUAL: &str = "ACTUAL";
/// The version of the JSON: raised when a field changes its meaning or goes away.
const VERSION: u32 = 1;
/// Levels at which differing pixels are counted.
const SWEEP: [u8; 7] = [0, 1, 2, 4, 8, 16, 32];

pub(crate) fn command() -> clap::Command {
    let input = |name: &'static str, help: &'static str| {
        Arg::new(name).required(true).value_parser(value_parser!(std::ffi::OsString)).help(help)
    };
    arguments::subcommand("compare", Command::Compare, "Compare pictures")
        .arg(input(
            EXPECTED,
            "The picture that is right (`-`: the standard input), or a folder of PNGs",
        ))
        .arg(input(
            ACTUAL,
            "The picture in question (`-`: the standard input), or a folder of PNGs with the same names",
        ))
        .after_help("Exit codes: 0 equal (as far as asked), 1 different, 2 trouble.")
}

/// What is asked of every pair.
struct Question {
    tolerance: Tolerance,
    by_index: bool,
    /// Difference pictures replace files that are something else.
    force: bool,
}

/// What came of two pictures.
#[derive(Debug, Serialize)]
struct Pair {
    name: String,
    /// "equal", "tolerated", "different", "missing" (there is no such actual picture), "new" (there is no
    /// such expected one), "unreadable".
    verdict: &'static str,
    /// Why a picture cannot be read.
    error: Option<String>,
    /// Width and height: expected and actual.
    sizes: Option<[[u32; 2]; 2]>,
    /// Pixels that were compared.
    compared: u64,
    /// Pixels over the threshold.
    differing: u64,
    mean_error: f64,
    worst: Option<Worst>,
    errors: Option<Errors>,
    /// Pixels over each level.
    over: BTreeMap<u8, u64>,
}

#[derive(Debug, Serialize)]
struct Worst {
    x: u32,
    y: u32,
    channel: &'static str,
    difference: u8,
    expected: [u8; 4],
    actual: [u8; 4],
}

/// What the metric says.
#[derive(Debug, Serialize)]
struct Errors {
    metric: &'static str,
    threshold: f64,
    mean: f64,
    worst: f64,
    /// Column and row of the worst.
    at: Option<[u32; 2]>,
}

#[derive(Debug, Serialize)]
struct Report {
    polyset_compare: u32,
    equal: bool,
    pictures: Vec<Pair>,
}

/// Compares and prints.
///
/// # Errors
/// If one of two pictures cannot be read, or a difference picture not be written.
pub(crate) fn run(matches: &ArgMatches) -> Result<Outcome> {
    let given = Given::new(Command::Compare, matches)?;
    let question = Question::of(given, matches)?;
    let input = |name| match given.value(name).unwrap_or_default() {
        stdin if stdin == "-" && cfg!(unix) => Location::on_disk("/dev/stdin"),
        file => Location::from(file),
    };
    let (expected, actual) = (input(EXPECTED), input(ACTUAL));
    let folders = [&expected, &actual].map(|place| place.path().is_dir());
    ensure!(
        folders[0] == folders[1],
        "'{expected}' and '{actual}': compare two pictures, or two folders"
    );
    let diff = given.file("diff");
    let pictures = if folders[0] {
        compare_folders(&expected, &actual, &question, diff.as_deref())?
    } else {
        vec![compare_files(actual.to_string(), &expected, &actual, &question, diff.as_deref())?]
    };
    let equal = pictures.iter().all(|picture| matches!(picture.verdict, "equal" | "tolerated"));
    let report = Report { polyset_compare: VERSION, equal, pictures };
    let text = if given.has("json") {
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        text(&report, folders[0])
    };
    output::stdout(text.as_bytes())?;
    let is_trouble = report.pictures.iter().any(|picture| picture.error.is_some());
    Ok(match (is_trouble, equal) {
        (true, _) => Outcome::Trouble,
        (_, true) => Outcome::Equal,
        _ => Outcome::Different,
    })
}

impl Question {
    fn of(given: Given<'_>, matches: &ArgMatches) -> Result<Self> {
        let by_index = given.has("indices");
        let metric = given.text("metric").map(str::parse).transpose()?;
        let threshold = given.text("threshold").map(|text| text.trim().parse()).transpose()?;
        let tolerance = Tolerance::new(metric, threshold)?;
        ensure!(
            !by_index || tolerance.metric() == Metric::Exact,
            "--indices compares exactly; leave --metric and --threshold out"
        );
        let allowance = given.text("max-differing").map(str::parse).transpose()?;
        let regions = matches.get_raw("ignore-region").into_iter().flatten();
        let regions = regions.map(|region| region.to_string_lossy().parse());
        let regions = regions.collect::<Result<_, _>>()?;
        let tolerance = tolerance.max_differing(allowance.unwrap_or_default()).ignoring(regions);
        Ok(Self { tolerance, by_index, force: given.has("force") })
    }

    fn open(&self, file: &Location) -> Result<Image, OpenError> {
        let path = PathBuf::from(file.to_os_string());
        if self.by_index {
            Image::open_indexed_png(path)
        } else {
            Image::open_whole(path).map(Image::into_rgba)
        }
    }
}

fn compare_files(
    name: String,
    expected: &Location,
    actual: &Location,
    question: &Question,
    diff: Option<&Path>,
) -> Result<Pair> {
    let images = [question.open(expected)?, question.open(actual)?];
    let judgement = question.tolerance.judge(&images[0], &images[1]);
    if let Some(path) = diff {
        let read = [expected, actual].map(|file| file.path().to_path_buf());
        refuse_other_formats(path)?;
        refuse_what_was_read("the difference picture", path, &read)?;
        if !question.force {
            refuse_no_picture(path)?;
        }
        question.tolerance.picture(&images[0], &images[1]).save_png(path)?;
    }
    let verdict = match judgement.verdict() {
        Verdict::Equal => "equal",
        Verdict::Tolerated => "tolerated",
        Verdict::Different => "different",
    };
    let comparison = judgement.comparison();
    let sizes = images.each_ref().map(|image| [image.width(), image.height()]);
    Ok(Pair {
        name,
        verdict,
        error: None,
        sizes: Some(sizes),
        compared: comparison.compared(),
        differing: judgement.differing(),
        mean_error: comparison.mean_error(),
        worst: worst(comparison),
        errors: comparison.is_same_size().then(|| errors(&question.tolerance, &judgement)),
        over: SWEEP.map(|level| (level, comparison.differing_above(level))).into(),
    })
}

fn errors(tolerance: &Tolerance, judgement: &Judgement) -> Errors {
    let worst = judgement.worst_error();
    Errors {
        metric: tolerance.metric().name(),
        threshold: tolerance.threshold(),
        mean: judgement.mean_error(),
        worst: worst.map_or(0.0, |(error, _)| error),
        at: worst.map(|(_, at)| at),
    }
}

fn worst(comparison: &Comparison) -> Option<Worst> {
    let worst = comparison.worst_pixel()?;
    let channels = ["red", "green", "blue", "alpha"];
    let differences = worst.expected.iter().zip(worst.actual).map(|(a, b)| a.abs_diff(b));
    let named = channels.into_iter().zip(differences).rev();
    // The first of several.
    let (channel, difference) = named.max_by_key(|(_, difference)| *difference)?;
    let (x, y) = (worst.x, worst.y);
    let (expected, actual) = (worst.expected, worst.actual);
    Some(Worst { x, y, channel, difference, expected, actual })
}

/// PNGs by their paths below the folders.
fn compare_folders(
    expected: &Location,
    actual: &Location,
    question: &Question,
    diff: Option<&Path>,
) -> Result<Vec<Pair>> {
    let mut pairs: BTreeMap<PathBuf, [Option<Location>; 2]> = BTreeMap::new();
    for (side, folder) in [expected, actual].into_iter().enumerate() {
        for file in pngs_in(folder.clone())? {
            let name = file.path().strip_prefix(folder.path()).unwrap_or(file.path());
            pairs.entry(name.to_owned()).or_default()[side] = Some(file.clone());
        }
    }
    // A mistyped folder, or pictures of other kinds: nothing would be compared and all be well.
    ensure!(!pairs.is_empty(), "'{expected}' and '{actual}' hold no PNGs");
    let verdict = |(name, pair): (PathBuf, [Option<Location>; 2])| {
        let shown = name.display().to_string();
        match pair {
            [Some(expected), Some(actual)] => {
                let diff = diff.map(|folder| folder.join(&name));
                if let Some(folder) = diff.as_deref().and_then(Path::parent) {
                    output::make_folder(folder)?;
                }
                match compare_files(shown.clone(), &expected, &actual, question, diff.as_deref()) {
                    // One broken picture is no reason to be silent about the others.
                    Err(error) if error.is::<OpenError>() => {
                        Ok(Pair { error: Some(format!("{error:#}")), ..alone(shown, "unreadable") })
                    }
                    result => result,
                }
            }
            [Some(_), None] => Ok(alone(shown, "missing")),
            _ => Ok(alone(shown, "new")),
        }
    };
    pairs.into_iter().map(verdict).collect()
}

fn alone(name: String, verdict: &'static str) -> Pair {
    Pair {
        name,
        verdict,
        error: None,
        sizes: None,
        compared: 0,
        differing: 0,
        mean_error: 0.0,
        worst: None,
        errors: None,
        over: BTreeMap::new(),
    }
}

/// Of folders a line a picture that is not equal, and the counts; of two pictures everything.
fn text(report: &Report, is_folder: bool) -> String {
    let mut text = String::new();
    for picture in &report.pictures {
        if !is_folder {
            text.push_str(&details(picture));
        } else if picture.verdict != "equal" {
            let summary = picture.error.clone().unwrap_or_else(|| summary(picture));
            let summary = console::printable(&summary);
            let summary = if summary.is_empty() { summary } else { format!(": {summary}") };
            let name = console::printable(&picture.name);
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{} {name}{summary}", picture.verdict);
        }
    }
    if is_folder {
        let count = |verdict| report.pictures.iter().filter(|p| p.verdict == verdict).count();
        let counts = ["equal", "tolerated", "different", "missing", "new", "unreadable"]
            .map(|verdict| (count(verdict), verdict))
            .into_iter()
            .filter(|(count, verdict)| *count > 0 || *verdict == "equal")
            .map(|(count, verdict)| format!("{count} {verdict}"));
        let _ = writeln!(text, "{}", counts.collect::<Vec<_>>().join(", "));
    }
    text
}

fn summary(picture: &Pair) -> String {
    match picture.sizes {
        Some([expected, actual]) if expected != actual => {
            let [[a, b], [c, d]] = [expected, actual];
            format!("expected {a} x {b} pixels, found {c} x {d}")
        }
        Some(_) => {
            let share = picture.differing as f64 * 100.0 / picture.compared.max(1) as f64;
            format!("{} of {} pixels differ ({share:.3} %)", picture.differing, picture.compared)
        }
        None => String::new(),
    }
}

fn details(picture: &Pair) -> String {
    let mut text = picture.verdict.to_owned();
    if picture.verdict != "equal" {
        let _ = write!(text, ": {}", summary(picture));
    }
    text.push('\n');
    if let Some(worst) = &picture.worst {
        let Worst { x, y, channel, difference, expected, actual } = worst;
        let _ = writeln!(
            text,
            "worst  {channel} by {difference} at ({x}, {y}): expected {expected:?}, found {actual:?}"
        );
        let _ = writeln!(text, "mean   {:.4} of 255 over all channels", picture.mean_error);
        if let Some(Errors { metric: metric @ ("flip" | "ssim"), mean, worst, at, .. }) =
            &picture.errors
        {
            let at = at.map(|[x, y]| format!(" at ({x}, {y})")).unwrap_or_default();
            let _ = writeln!(text, "{metric}   mean {mean:.6}, worst {worst:.6}{at}");
        }
        let over = picture.over.iter().map(|(level, count)| format!("{level}: {count}"));
        let _ = writeln!(text, "over   {}", over.collect::<Vec<_>>().join("  "));
    }
    text
}
