//! `polyset render`: one picture.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail, ensure};
use clap::{Arg, ArgMatches, value_parser};
use polyset::scene::options::Command;
use polyset::scene::{Drawing, RendererKind, Studio};
use polyset::{Scene, target_of};

use super::arguments::{self, Given, INPUT};
use super::console;
use super::output::{self, Destination};
use super::overwrite::{refuse_no_picture, refuse_other_formats, refuse_what_was_read};
use super::stats::Stats;

pub(crate) const OUTPUT: &str = "OUTPUT";

pub(crate) fn command() -> clap::Command {
    let output = Arg::new(OUTPUT).value_parser(value_parser!(std::ffi::OsString)).help(
        "Where the PNG goes; `-` is the standard output. May be left out with --hash or --stats",
    );
    arguments::subcommand("render", Command::Render, "Draw one picture")
        .arg(arguments::input())
        .arg(output)
}

/// Draws the picture and writes what was asked for.
///
/// # Errors
/// If the options, the model or a file are bad.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let given = Given::new(Command::Render, matches)?;
    let scene = given.scene(given.value(INPUT).unwrap_or_default());
    scene.check()?;
    if given.has("quiet") {
        console::be_quiet();
    }
    let outputs = Outputs::new(given)?;
    let studio = Studio::new(given.renderer()?);
    let mut studio = if outputs.depth.is_some() { studio.with_depth() } else { studio };
    let mut stats = Stats::default();

    let start = Instant::now();
    let mut opened = scene.open()?;
    console::warnings_of(&opened);
    console::decisions(&scene, &opened);
    outputs.check(&opened.files(), &scene, given.has("force"))?;
    stats.push("read", 1, opened.triangle_count() as u64, start);

    if given.has("print-camera") {
        print_camera(&scene.with_placed_camera(&opened)?)?;
    }
    let drawing = studio.draw(&scene, &mut opened)?;
    drawing.warnings.iter().for_each(console::warning);
    stats.extend(drawing.stats.iter().cloned());

    let start = Instant::now();
    let bytes = outputs.write(&drawing)?;
    let pixels = u64::from(drawing.image.width()) * u64::from(drawing.image.height());
    stats.push("write", pixels, bytes, start);
    if given.has("stats") {
        console::table(&stats.table());
        if let Some(counts) = drawing.counts {
            console::table(&format!("{counts}\n"));
        }
    }
    Ok(())
}

/// The output that was named, as an argument or by `--output`.
///
/// # Errors
/// If there are two.
pub(crate) fn named_output(given: Given<'_>) -> Result<Option<PathBuf>> {
    match (given.file(OUTPUT), given.file("output")) {
        (Some(first), Some(second)) => bail!(
            "two outputs: OUTPUT '{}' and --output '{}'; give one of them",
            first.display(),
            second.display()
        ),
        (path, None) | (None, path) => Ok(path),
    }
}

/// Prints the camera of a scene as options.
///
/// # Errors
/// If the standard output is closed or full.
pub(crate) fn print_camera(scene: &Scene) -> Result<()> {
    let mut line = scene.camera_line().into_encoded_bytes();
    line.push(b'\n');
    output::stdout(&line)
}

/// What is written where.
struct Outputs {
    picture: Option<Destination>,
    depth: Option<Destination>,
    hash: bool,
}

impl Outputs {
    /// # Errors
    /// If the picture is named twice, or not at all although nothing else is asked for, or if two
    /// things would go to the standard output.
    fn new(given: Given<'_>) -> Result<Self> {
        let path = named_output(given)?;
        path.as_deref().map_or(Ok(()), refuse_other_formats)?;
        let picture = path.map(Destination::from);
        let depth = given.file("depth-output").map(Destination::from);
        let hash = given.has("hash");
        let camera = given.has("print-camera");
        ensure!(
            picture.is_some() || depth.is_some() || hash || camera || given.has("stats"),
            "no output: give OUTPUT or --output FILE ('-' is the standard output); \
             with --hash, --stats, --print-camera or --depth-output it may be left out"
        );
        let to_stdout: Vec<&str> = [
            ("the picture", picture == Some(Destination::Stdout)),
            ("--depth-output", depth == Some(Destination::Stdout)),
            ("--hash", hash),
            ("--print-camera", camera),
        ]
        .into_iter()
        .filter_map(|(what, is_there)| is_there.then_some(what))
        .collect();
        ensure!(
            to_stdout.len() < 2,
            "{} would be mixed on the standard output; write one of them to a file",
            to_stdout.join(" and ")
        );
        Ok(Self { picture, depth, hash })
    }

    /// # Errors
    /// If something that was read, another output, or a file that is no picture would be lost.
    fn check(&self, read: &[PathBuf], scene: &Scene, force: bool) -> Result<()> {
        let file = |destination: &Option<Destination>| match destination {
            Some(Destination::File(path)) => Some(path.clone()),
            _ => None,
        };
        let (picture, depth) = (file(&self.picture), file(&self.depth));
        for (what, path) in [("the picture", &picture), ("--depth-output", &depth)] {
            path.as_ref().map_or(Ok(()), |path| refuse_what_was_read(what, path, read))?;
        }
        if let (Some(picture), Some(depth)) = (&picture, &depth) {
            ensure!(
                target_of(picture) != target_of(depth),
                "the picture and --depth-output are the same file '{}'",
                depth.display()
            );
        }
        if force {
            return Ok(());
        }
        picture.as_deref().map_or(Ok(()), refuse_no_picture)?;
        // Depth has no mark; what has another size is something else.
        let [width, height] = scene.picture_size().map(u64::from);
        let bytes = if scene.renderer == RendererKind::Classic { 2 } else { 4 };
        let found = depth.as_deref().and_then(|path| std::fs::metadata(path).ok());
        let found = found.filter(std::fs::Metadata::is_file).map_or(0, |metadata| metadata.len());
        if let Some(path) = depth.filter(|_| found != 0 && found != width * height * bytes) {
            bail!(
                "'{}' exists and is no depth of a picture of this size; give another name, or --force \
                 to replace it",
                path.display()
            );
        }
        Ok(())
    }

    /// Returns the number of bytes that were written.
    ///
    /// # Errors
    /// If the picture cannot be encoded or something cannot be written.
    fn write(&self, drawing: &Drawing) -> Result<u64> {
        let depth = drawing.depth.as_deref().unwrap_or_default();
        match &self.depth {
            Some(Destination::File(path)) => drawing.save_depth(path)?,
            Some(Destination::Stdout) => output::stdout(depth)?,
            None => {}
        }
        let mut written = if self.depth.is_some() { depth.len() as u64 } else { 0 };
        match &self.picture {
            Some(Destination::File(path)) => {
                drawing.save_png(path)?;
                written += std::fs::metadata(path).map_or(0, |metadata| metadata.len());
            }
            Some(Destination::Stdout) => {
                let mut png = Vec::new();
                drawing.encode_png(&mut png)?;
                output::stdout(&png)?;
                written += png.len() as u64;
            }
            None => {}
        }
        if self.hash {
            output::stdout(format!("{:016x}\n", drawing.image.hash()).as_bytes())?;
        }
        Ok(written)
    }
}
