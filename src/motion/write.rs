//! From steps to files: drawn in batches on all threads, encoded beside their neighbours, written in order.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

use super::Step;
use super::crew::Crew;
use super::encode::{Film, FilmKind, Shown, encoder};
use super::timing::{fitted, length, ticks_of};
use crate::error::RequestError;
use crate::image::Image;
use crate::output::{WriteError, write_file};
use crate::raster::DrawError;
use crate::scene::{Drawing, Scene};

/// How an animation becomes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilmOptions {
    /// The format of the file.
    pub kind: FilmKind,
    /// How often it is played; 0 for ever. Formats that are streams have no place for it.
    pub plays: u32,
    /// A GIF of true colour mixes the colours that it has instead of taking the nearest.
    pub dither: bool,
}

/// What was made of an animation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilmSummary {
    /// Pictures.
    pub pictures: usize,
    /// What they take to be shown once, in seconds.
    pub seconds: f64,
    /// Bytes that were written.
    pub bytes: u64,
    /// What is odd about pictures or about the file, each once.
    pub warnings: Vec<String>,
}

/// Why there is no animation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// What was asked for cannot be.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// There is nothing to draw with.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// A picture of a sequence cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The animation cannot be encoded or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Draws an animation and writes it into `out`. `tell` hears how many of how many pictures are done.
///
/// # Errors
/// If a picture cannot be drawn, the steps differ in size or in the kind of their colours, the format cannot have
/// their timing, or `out` fails.
pub fn write_film(
    steps: &[Step],
    crew: &Crew<'_>,
    options: FilmOptions,
    out: &mut dyn Write,
    tell: &dyn Fn(usize, usize),
) -> Result<FilmSummary, MotionError> {
    let steps = &fitted(options.kind, settled(steps, crew)?)[..];
    let Some(first) = steps.first() else { return Ok(FilmSummary::default()) };
    let size = first.scene.picture_size();
    let mode = first.scene.color_mode();
    if let Some(other) = steps.iter().find(|step| step.scene.picture_size() != size) {
        let ([a, b], [c, d]) = (size, other.scene.picture_size());
        let message = format!("pictures of {a} x {b} and of {c} x {d} pixels in one animation");
        return Err(RequestError::new(message).into());
    }
    if steps.iter().any(|step| step.scene.color_mode() != mode) {
        let message = "pictures in true colour and in palette indices in one animation";
        return Err(RequestError::new(message).into());
    }
    let mut summary =
        FilmSummary { pictures: steps.len(), seconds: length(steps), ..FilmSummary::default() };
    let (ticks, delays) = ticks_of(options.kind, steps)?;
    let film = Film { size, ticks, delays, plays: options.plays };
    let mut encoder = encoder(options.kind, film, options.dither);
    let batch = crew.batch(size);
    let rounds = if encoder.learns() { 2 } else { 1 };
    let all = rounds * steps.len();
    let mut warnings: BTreeSet<String> = BTreeSet::new();
    let draw = |steps: &[Step]| {
        let scenes: Vec<_> = steps.iter().map(|step| &step.scene).collect();
        crew.draw(&scenes, |_, drawing| Ok((drawing.image, drawing.warnings)))
    };
    let (mut drawn, mut done) = (0, 0);
    for steps in steps.chunks(batch) {
        if !encoder.learns() {
            break;
        }
        for (image, _) in draw(steps)? {
            encoder.learn(&image);
        }
        drawn += steps.len();
        tell(drawn, all);
    }
    let mut counted = Counted { out, bytes: 0 };
    let mut last: Option<Image> = None;
    for steps in steps.chunks(batch) {
        let (mut images, odd): (Vec<Image>, Vec<Vec<String>>) = draw(steps)?.into_iter().unzip();
        warnings.extend(odd.into_iter().flatten());
        let frame = |place: usize| {
            let before = place.checked_sub(1).map_or(last.as_ref(), |before| images.get(before));
            encoder.frame(Shown { number: done + place, before, image: &images[place] })
        };
        let frames = crew.each(images.len(), frame);
        for frame in frames {
            encoder.put(frame?, &mut counted)?;
        }
        done += images.len();
        last = images.pop();
        tell(done + drawn, all);
    }
    summary.bytes = counted.bytes;
    summary.warnings.extend(warnings);
    Ok(summary)
}

/// Draws an animation as a PNG for every picture; `path` gives the file of a number. Each is written whole
/// or not at all.
///
/// # Errors
/// If a picture cannot be drawn or written.
pub fn write_frames(
    steps: &[Step],
    crew: &Crew<'_>,
    path: &(dyn Fn(usize) -> PathBuf + Sync),
    tell: &dyn Fn(usize, usize),
) -> Result<FilmSummary, MotionError> {
    let steps = &settled(steps, crew)?[..];
    let Some(first) = steps.first() else { return Ok(FilmSummary::default()) };
    let mut summary =
        FilmSummary { pictures: steps.len(), seconds: length(steps), ..FilmSummary::default() };
    let mut warnings: BTreeSet<String> = BTreeSet::new();
    let mut done = 0;
    for chunk in steps.chunks(crew.batch(first.scene.picture_size())) {
        let scenes: Vec<_> = chunk.iter().map(|step| &step.scene).collect();
        let save = |number: usize, drawing: Drawing| {
            let mut png = Vec::new();
            drawing.encode_png(&mut png)?;
            write_file(path(done + number), |out| out.write_all(&png))?;
            Ok((png.len() as u64, drawing.warnings))
        };
        for (bytes, odd) in crew.draw(&scenes, save)? {
            summary.bytes += bytes;
            warnings.extend(odd);
        }
        done += chunk.len();
        tell(done, steps.len());
    }
    summary.warnings.extend(warnings);
    Ok(summary)
}

/// The steps with one background for all.
///
/// # Errors
/// If a picture cannot be drawn.
fn settled(steps: &[Step], crew: &Crew<'_>) -> Result<Vec<Step>, MotionError> {
    let mut steps = steps.to_vec();
    let mut scenes: Vec<&mut Scene> = steps.iter_mut().map(|step| &mut step.scene).collect();
    crew.free_background(&mut scenes)?;
    Ok(steps)
}

/// Counts the bytes that go through.
struct Counted<'a> {
    out: &'a mut dyn Write,
    bytes: u64,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
