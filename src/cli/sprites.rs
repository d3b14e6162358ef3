//! `polyset sprites`: a model from all sides, as a sheet or as files for Doom's engines.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::ArgMatches;
use polyset::motion::{
    Crew, Schema, SheetOptions, SpriteSet, SpriteView, Sprites, doom_sprites, lay_out,
};
use polyset::scene::options::Command;
use polyset::scene::{Anims, Files};
use polyset::{Location, Scene, write_file};

use super::animate::studios;
use super::arguments::{self, Given, INPUT};
use super::console;
use super::output;
use super::overwrite::{refuse_no_picture, refuse_unless, refuse_what_was_read};
use super::progress::Progress;

/// Width and height of a cell unless said.
const CELL: u32 = 128;

pub(crate) fn command() -> clap::Command {
    let about = "Draw a model from all sides, as sprites on a sheet or for Doom's engines";
    arguments::subcommand("sprites", Command::Sprites, about).arg(arguments::input())
}

/// Draws the sprites and writes them.
///
/// # Errors
/// If the options, the model or a file are bad.
pub(crate) fn run(matches: &ArgMatches) -> Result<()> {
    let given = Given::new(Command::Sprites, matches)?;
    let mut scene = given.scene(given.value(INPUT).unwrap_or_default());
    scene.size = scene.size.or(Some([CELL; 2]));
    scene.check()?;
    if given.has("quiet") {
        console::be_quiet();
    }
    let folder = given.file("output").context("no output: give --output DIR")?;
    let sprites = wanted(given);
    let is_all = given.value("clips").is_some();
    let opened =
        scene.open_in(&Files::default(), if is_all { Anims::All } else { Anims::AsAsked })?;
    console::warnings_of(&opened);
    let clips: Vec<String> = if is_all {
        opened.clips().iter().map(|clip| clip.clip.name().to_owned()).collect()
    } else {
        Vec::new()
    };
    let crew = Crew::new(&opened, studios(given, usize::MAX)?)?;
    let progress = Progress::new(0, "pictures", given.has("quiet"));
    let start = Instant::now();
    let set = sprites.draw(&scene, &clips, &crew, &|done, all| progress.reach(done, all));
    progress.end();
    let set = set?;
    set.warnings.iter().for_each(console::warning);
    let place = Place { folder, read: opened.files(), force: given.has("force") };
    let written = match given.text("doom-name") {
        Some(name) => doom(&set, &sprites, name, &place)?,
        None => sheet(given, &scene, &set, &sprites, &place)?,
    };
    if !given.has("quiet") {
        let (count, folder) = (set.cells.len(), place.folder.display());
        let seconds = start.elapsed().as_secs_f64();
        console::note(&format!("{count} sprites, {written} in '{folder}'; took {seconds:.1} s"));
    }
    Ok(())
}

fn wanted(given: Given<'_>) -> Sprites {
    let number = |name| given.text(name).and_then(|text| text.parse::<f64>().ok());
    let view = SpriteView::NAMES.into_iter().find(|(_, name)| given.text("view") == Some(name));
    let directions = given.text("directions").and_then(|text| text.parse().ok()).unwrap_or(8);
    // Five of eight are drawn.
    let is_mirrored = directions == 5;
    Sprites {
        view: view.map_or_else(SpriteView::default, |(view, _)| view),
        directions: if is_mirrored { 8 } else { directions },
        mirror: is_mirrored || given.has("mirror"),
        scale: number("scale").map(|scale| scale as f32),
        enlarge: given.text("enlarge").and_then(|text| text.parse().ok()).unwrap_or(1),
        fps: number("fps"),
        speed: number("speed").unwrap_or(1.0),
    }
}

/// Where files go.
struct Place {
    folder: PathBuf,
    /// What must not be overwritten.
    read: Vec<PathBuf>,
    force: bool,
}

impl Place {
    /// The path of a picture.
    ///
    /// # Errors
    /// If it was read, or is there and no picture.
    fn picture(&self, name: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        refuse_what_was_read("the sprites", &path, &self.read)?;
        if !self.force {
            refuse_no_picture(&path)?;
        }
        Ok(path)
    }
}

/// Writes a file for every sprite; returns what was written, in words.
fn doom(set: &SpriteSet, sprites: &Sprites, name: &str, place: &Place) -> Result<String> {
    let sprites = doom_sprites(set, sprites.directions, name)?;
    let path = |name: &str| place.picture(&format!("{name}.png"));
    let paths: Vec<PathBuf> =
        sprites.iter().map(|sprite| path(&sprite.name)).collect::<Result<_>>()?;
    output::make_folder(&place.folder)?;
    for (sprite, path) in sprites.iter().zip(&paths) {
        write_file(path, |out| sprite.image.encode_sprite(out, sprite.offset))?;
    }
    Ok(format!("{} files", paths.len()))
}

/// Writes the sheet and its JSON; returns what was written, in words.
fn sheet(
    given: Given<'_>,
    scene: &Scene,
    set: &SpriteSet,
    sprites: &Sprites,
    place: &Place,
) -> Result<String> {
    let number = |name| given.text(name).and_then(|text| text.parse().ok()).unwrap_or(0);
    let options = SheetOptions {
        trim: given.has("trim"),
        padding: number("padding"),
        extrude: number("extrude"),
    };
    let sheet = lay_out(set, options)?;
    let model = scene.source.input.file().map(Location::file_stem).unwrap_or_default();
    let model = if model.is_empty() { "model".into() } else { model.to_string_lossy() };
    let (image, json) = (format!("{model}.png"), format!("{model}.json"));
    let picture = place.picture(&image)?;
    let description = place.folder.join(&json);
    refuse_what_was_read("the description", &description, &place.read)?;
    if !place.force {
        refuse_no_description(&description)?;
    }
    let schema = match given.text("schema") {
        Some("aseprite") => Schema::Aseprite,
        _ => Schema::Plain,
    };
    let text = set.describe(sprites, &sheet, schema, [&model, &image]);
    output::make_folder(&place.folder)?;
    sheet.image.save_drawn(&picture)?;
    write_file(&description, |out| out.write_all(text.as_bytes()))?;
    let (width, height) = (sheet.image.width(), sheet.image.height());
    Ok(format!("{image} ({width} x {height}) and {json}"))
}

/// # Errors
/// If the file is there and no JSON object.
fn refuse_no_description(path: &Path) -> Result<()> {
    refuse_unless(path, 1, |head| head == b"{", ["JSON object", "folder"])
}
