//! `polyset animate`: clips and turntables as files.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::{Arg, ArgMatches, value_parser};
use polyset::motion::{
    Crew, FilmKind, FilmOptions, FilmSummary, Motion, MotionError, Step, write_film, write_frames,
};
use polyset::scene::options::Command;
use polyset::scene::{Anims, Files, Opened, Studio};
use polyset::thumbs::{Template, split_any};
use polyset::{Clip, ColorMode, Location, Scene, write_file};

use super::arguments::{self, Given, INPUT};
use super::console;
use super::output::{self, Destination};
use super::overwrite::{PNG, refuse_unless, refuse_what_was_read};
use super::progress::Progress;
use super::render::{OUTPUT, named_output, print_camera};

pub(crate) fn command() -> clap::Command {
    let output = Arg::new(OUTPUT).value_parser(value_parser!(OsString)).help(
        "Where the animation goes: .gif, .png, .webp, .y4m, .rgba, a folder, or a name with {frame:4}",
    );
    arguments::subcommand("animate", Command::Animate, "Draw a clip or a turn as an animation")
        .arg(arguments::input())
        .arg(output)
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Film(FilmKind),
    /// A PNG for every picture.
    Frames,
}

/// The formats of `--format`.
fn format_of(name: &str) -> Option<Format> {
    if name == "png" { Some(Format::Frames) } else { by_extension(name) }
}

/// The format that the name of a file promises.
fn by_extension(extension: &str) -> Option<Format> {
    let kind = match extension.to_ascii_lowercase().as_str() {
        "gif" => FilmKind::Gif,
        "png" | "apng" => FilmKind::Apng,
        "webp" => FilmKind::WebP,
        "y4m" => FilmKind::Y4m,
        "rgba" | "raw" => FilmKind::Rgba,
        _ => return None,
    };
    Some(Format::Film(kind))
}

/// Draws the animations and writes them.
///
/// # Errors
/// If the options, the model or a file are bad, or nothing moves.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let given = Given::new(Command::Animate, matches)?;
    let scene = given.scene(given.value(INPUT).unwrap_or_default());
    scene.check()?;
    if given.has("quiet") {
        console::be_quiet();
    }
    let motion = motion(given)?;
    let is_all = given.value("clips").is_some();
    let target = Target::new(given, &scene, is_all)?;
    let anims = if is_all { Anims::All } else { Anims::AsAsked };
    let opened = scene.open_in(&Files::default(), anims)?;
    console::warnings_of(&opened);
    let names: Vec<Option<String>> = if is_all {
        let clips = opened.clips();
        ensure!(!clips.is_empty(), "'{}' has no clips", opened.name());
        clips.iter().map(|clip| Some(clip.clip.name().to_owned())).collect()
    } else {
        vec![None]
    };
    for name in names {
        let mut scene = scene.clone();
        if name.is_some() {
            scene.moment.animation = name;
        }
        let steps = motion.steps(&scene, &opened)?;
        if given.has("print-camera") {
            print_camera(&steps[0].scene.with_placed_camera(&opened)?)?;
        }
        if let Some(target) = &target {
            target.write(given, &scene, &opened, &steps)?;
        }
    }
    Ok(())
}

/// # Errors
/// If options are of no use without another one.
fn motion(given: Given<'_>) -> Result<Motion> {
    let number = |name| given.text(name).and_then(|text| text.parse::<f64>().ok());
    let motion = Motion {
        fps: number("fps"),
        speed: number("speed").unwrap_or(1.0),
        ping_pong: given.has("ping-pong"),
        turntable: given.text("turntable").and_then(|text| text.parse().ok()),
        light_follows: given.has("light-follows"),
    };
    let is_lone = motion.light_follows && motion.turntable.is_none();
    ensure!(!is_lone, "--light-follows is for --turntable");
    Ok(motion)
}

/// Where animations go.
struct Target {
    format: Format,
    place: Place,
    options: Options,
}

/// What the formats of films have options for.
struct Options {
    plays: u32,
    dither: bool,
}

enum Place {
    Stdout,
    /// A folder, and the names in it.
    Named(PathBuf, Template),
    File(PathBuf),
}

impl Target {
    /// # Errors
    /// If there is no output, or it cannot be what is asked for.
    fn new(given: Given<'_>, scene: &Scene, is_all: bool) -> Result<Option<Self>> {
        let path = named_output(given)?;
        let Some(path) = path else {
            ensure!(
                given.has("print-camera"),
                "no output: give OUTPUT or --output; with --print-camera it may be left out"
            );
            return Ok(None);
        };
        // The folder of no name would be the current one.
        ensure!(!path.as_os_str().is_empty(), "OUTPUT: expected a file name");
        let (folder, template) = split_any(&path)?;
        let [tells_frames, tells_clips] = template.as_ref().map_or([false; 2], Template::tells);
        let is_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let format = match given.text("format") {
            Some(name) => format_of(name),
            None if tells_frames || is_folder => Some(Format::Frames),
            None => path.extension().map_or_else(
                || (path.as_os_str() != "-").then_some(Format::Frames),
                |extension| by_extension(&extension.to_string_lossy()),
            ),
        };
        let Some(format) = format else {
            bail!(
                "'{}': the format is not known by the name; let it end in .gif, .png, .webp, .y4m or \
                 .rgba, or give --format",
                path.display()
            );
        };
        let place = match template {
            Some(template) => Place::Named(folder, template),
            None if Destination::from(path.clone()) == Destination::Stdout => Place::Stdout,
            None if format == Format::Frames => {
                let name = if is_all { "{clip}-{frame:4}.png" } else { "{frame:4}.png" };
                Place::Named(path.clone(), Template::of_any_file(name)?)
            }
            None => Place::File(path.clone()),
        };
        let [tells_frames, tells_clips] = match &place {
            Place::Named(_, template) => template.tells(),
            _ => [tells_frames, tells_clips],
        };
        let name = path.display();
        ensure!(
            format != Format::Frames || tells_frames && place_is_png(&place),
            "'{name}': a PNG for every picture needs a folder, or a name with {{frame:4}} that ends in .png"
        );
        ensure!(
            format == Format::Frames || !tells_frames,
            "'{name}': all pictures are in one file; leave {{frame}} out, or give --format png"
        );
        ensure!(
            !is_all || tells_clips,
            "'{name}': several clips would be called the same: the name needs {{clip}}"
        );
        let is_film =
            matches!(format, Format::Film(FilmKind::Gif | FilmKind::Apng | FilmKind::WebP));
        let plays = given.text("loop").and_then(|text| text.parse().ok());
        ensure!(
            is_film || plays.is_none(),
            "--loop is for .gif, .png and .webp: a stream or a folder of pictures does not repeat"
        );
        ensure!(
            format == Format::Film(FilmKind::Gif) || !given.has("dither"),
            "--dither is for .gif"
        );
        ensure!(
            !given.has("dither") || scene.color_mode() == ColorMode::Rgb,
            "--dither is for true colour; palette indices are what they are"
        );
        let options = Options { plays: plays.unwrap_or(0), dither: given.has("dither") };
        Ok(Some(Self { format, place, options }))
    }

    /// Writes one animation.
    ///
    /// # Errors
    /// If a file would be lost, or something cannot be drawn or written.
    fn write(
        &self,
        given: Given<'_>,
        scene: &Scene,
        opened: &Opened,
        steps: &[Step],
    ) -> Result<()> {
        let model = scene.source.input.file().map(Location::file_stem);
        let model = model.map_or_else(|| "model".into(), |stem| stem.to_string_lossy());
        let asked = scene.moment.animation.as_deref();
        let clip = asked.map(|asked| opened.clip(asked).map(Clip::name)).transpose()?;
        let clip = clip.unwrap_or("still");
        let path = |frame: Option<usize>| match &self.place {
            Place::Stdout => PathBuf::from("-"),
            Place::File(path) => path.clone(),
            Place::Named(folder, template) => folder.join(template.of_clip(&model, clip, frame)),
        };
        let read = opened.files();
        let is_sequence = self.format == Format::Frames;
        let paths: Vec<PathBuf> = match (&self.place, is_sequence) {
            (Place::Stdout, _) => Vec::new(),
            (_, true) => (0..steps.len()).map(|frame| path(Some(frame))).collect(),
            (_, false) => vec![path(None)],
        };
        for path in &paths {
            refuse_what_was_read("the animation", path, &read)?;
            if !given.has("force") {
                refuse_another_kind(path, self.format)?;
            }
        }
        for folder in paths.iter().filter_map(|path| path.parent()) {
            if !folder.as_os_str().is_empty() && matches!(self.place, Place::Named(..)) {
                output::make_folder(folder)?;
            }
        }
        let crew = Crew::new(opened, studios(given, steps.len())?)?;
        let progress = Progress::new(steps.len(), "pictures", given.has("quiet"));
        let tell = |done, all| progress.reach(done, all);
        let start = Instant::now();
        let summary = match self.format {
            Format::Frames => write_frames(steps, &crew, &|frame| path(Some(frame)), &tell)?,
            Format::Film(kind) => {
                let Options { plays, dither } = self.options;
                let options = FilmOptions { kind, plays, dither };
                self.write_film(steps, &crew, options, &path(None), &tell)?
            }
        };
        progress.end();
        summary.warnings.iter().for_each(console::warning);
        if !given.has("quiet") {
            let first = paths.first().and_then(|path| path.parent());
            let name = if is_sequence { first.map(Path::to_owned) } else { Some(path(None)) };
            let name = name.unwrap_or_default().display().to_string();
            console::note(&told(&name, &summary, start.elapsed().as_secs_f64()));
        }
        Ok(())
    }

    fn write_film(
        &self,
        steps: &[Step],
        crew: &Crew<'_>,
        options: FilmOptions,
        path: &Path,
        tell: &dyn Fn(usize, usize),
    ) -> Result<FilmSummary> {
        if let Place::Stdout = self.place {
            let mut out = BufWriter::new(io::stdout().lock());
            let summary = write_film(steps, crew, options, &mut out, tell);
            let summary =
                summary.and_then(|summary| out.flush().map(|()| summary).map_err(Into::into));
            return match summary {
                Err(MotionError::Io(error)) => {
                    Err(error).context("cannot write to the standard output")
                }
                summary => Ok(summary?),
            };
        }
        let mut summary = Err(None);
        let written = write_file(path, |out| match write_film(steps, crew, options, out, tell) {
            Ok(made) => {
                summary = Ok(made);
                Ok(())
            }
            Err(MotionError::Io(error)) => Err(error),
            Err(error) => {
                summary = Err(Some(error));
                Err(io::Error::other("not drawn"))
            }
        });
        match (written, summary) {
            (_, Err(Some(error))) => Err(error.into()),
            (Err(error), _) => Err(error.into()),
            (Ok(()), summary) => Ok(summary.unwrap_or_default()),
        }
    }
}

/// As many studios as threads were asked for, or as the machine has; not more than pictures.
///
/// # Errors
/// If the machine lacks the instruction set that was asked for.
pub(super) fn studios(given: Given<'_>, pictures: usize) -> Result<Vec<Studio>> {
    let threads = given.text("threads").and_then(|text| text.parse().ok());
    let threads = threads.or_else(|| std::thread::available_parallelism().ok());
    let threads = threads.map_or(1, std::num::NonZero::get).min(pictures).max(1);
    (0..threads).map(|_| Ok(Studio::new(given.renderer()?))).collect()
}

fn place_is_png(place: &Place) -> bool {
    matches!(place, Place::Named(_, template) if template.is_of_png())
}

/// # Errors
/// If the file is there and no animation of this format.
fn refuse_another_kind(path: &Path, format: Format) -> Result<()> {
    let (mark, what): (&[u8], _) = match format {
        Format::Film(FilmKind::Gif) => (b"GIF8", "GIF"),
        Format::Film(FilmKind::WebP) => (b"RIFF", "WebP"),
        Format::Film(FilmKind::Y4m) => (b"YUV4MPEG2 ", "y4m"),
        Format::Film(FilmKind::Apng) | Format::Frames => (PNG, "PNG"),
        // Pixels have no mark.
        _ => (b"", "empty file"),
    };
    let is_one = |head: &[u8]| !mark.is_empty() && head == mark;
    refuse_unless(path, mark.len().max(1), is_one, [what, "name"])
}

/// What was made, in a line.
fn told(name: &str, summary: &FilmSummary, took: f64) -> String {
    let FilmSummary { pictures, seconds, bytes, .. } = summary;
    let rate = *pictures as f64 / took;
    let what = if *pictures == 1 { "picture" } else { "pictures" };
    format!(
        "'{name}': {pictures} {what}, {seconds:.2} s, {bytes} bytes; took {took:.1} s ({rate:.0} a second)"
    )
}
