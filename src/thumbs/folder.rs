//! A folder of thumbnails with its manifest.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use super::Request;
use super::list::{Job, List};
use super::manifest::{Line, Manifest, Worn, of_shards};
use super::plan::Picture;
use super::run::{Event, Summary, Teller, ThumbsError, each};
use super::shard::Shard;
use crate::assets::{Origin, TextureEntry, may_go_with_models};
use crate::files::{Stamp, is_same_file};
use crate::hash::Hash;
use crate::image::is_drawn_by_polyset;
use crate::location::Location;
use crate::output::{is_protected, write_file};
use crate::scene::{Drawing, Opened, Studio};

/// Where pictures go, and how.
#[derive(Clone, Debug)]
pub struct Destination {
    /// The folder; it is made if there is none.
    pub folder: PathBuf,
    /// The manifest; `manifest.jsonl` in the folder unless said, of a part of a list
    /// `manifest-2-of-4.jsonl`.
    pub manifest: Option<PathBuf>,
    /// The part of the list.
    pub shard: Shard,
    /// Models side by side; as many as the machine has processors unless said.
    pub threads: Option<NonZero<usize>>,
    /// Pictures are drawn again even if nothing has changed.
    pub redraw: bool,
    /// Files that polyset has not drawn are replaced.
    pub force: bool,
}

/// Warnings of a picture that the manifest has.
const MAX_WARNINGS: usize = 16;
/// What is said before the pixels of a PNG: enough to tell who drew it.
const HEAD: u64 = 1 << 16;

/// Draws the pictures of all models of the list. `tell` is called from several threads.
///
/// # Errors
/// If a file cannot be written: what was drawn until then stays, and counts as done. A model that
/// cannot be drawn is no error but [`Event::Failed`].
pub fn draw_into(
    destination: &Destination,
    request: &Request,
    list: &List,
    tell: &(impl Fn(Event<'_>) + Sync),
) -> Result<Summary, ThumbsError> {
    let folder = &destination.folder;
    fs::create_dir_all(folder).map_err(|error| cannot_make(folder, &error))?;
    let own = folder.join(format!("manifest{}.jsonl", destination.shard.suffix()));
    let path = destination.manifest.clone().unwrap_or(own);
    let mut beside = of_shards(folder);
    beside.retain(|other| *other != path);
    let manifest = Manifest::open(&path, &beside)?;
    let options: Vec<String> =
        list.places.iter().map(|files| request.hash(&files.archive_stamps())).collect();
    let run = Run {
        request,
        list,
        destination,
        options,
        manifest,
        made: Mutex::default(),
        beside: Mutex::default(),
        read: OnceLock::new(),
        teller: Teller::new(tell),
    };
    let result = each(
        list.jobs.len(),
        destination.threads,
        || Studio::for_thumbnails(request.side),
        |studio, number| run.job(studio, &list.jobs[number]),
    );
    result?;
    let inputs: Vec<String> = list.jobs.iter().map(|job| job.input.to_string()).collect();
    run.manifest.sort(inputs.iter().map(String::as_str))?;
    Ok(run.teller.summary())
}

fn cannot_make(folder: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot make the folder '{}': {error}", folder.display()))
}

struct Run<'a, T> {
    request: &'a Request,
    list: &'a List,
    destination: &'a Destination,
    /// The hash of the options, by place.
    options: Vec<String>,
    manifest: Manifest,
    /// Folders that are there.
    made: Mutex<BTreeSet<PathBuf>>,
    /// See [`Run::beside`], by folder.
    beside: Mutex<HashMap<PathBuf, Option<String>>>,
    /// See [`Run::is_read_for_any`].
    read: OnceLock<HashSet<PathBuf>>,
    teller: Teller<'a, T>,
}

/// What a later run has to do for a model.
enum State {
    /// Nothing: its pictures are there, and nothing that they are made of has changed.
    Done,
    /// To note that what has come to lie beside it changes nothing.
    Noted,
    Changed,
}

impl<T: Fn(Event<'_>) + Sync> Run<'_, T> {
    /// # Errors
    /// If a picture or the manifest cannot be written.
    fn job(&self, studio: &mut Studio, job: &Job) -> Result<(), ThumbsError> {
        let input = job.input.to_string();
        let mut known = self.manifest.of(&input);
        let beside = self.beside(job);
        let state = match self.destination.redraw {
            true => State::Changed,
            false => self.state(job, &known, beside.as_ref()),
        };
        match state {
            State::Done => {}
            State::Noted => {
                self.manifest.forget(&input);
                for line in &mut known {
                    line.beside.clone_from(&beside);
                    self.manifest.add(line)?;
                }
            }
            State::Changed => {
                self.manifest.forget(&input);
                let outputs: Vec<String> = known.drain(..).filter_map(|line| line.output).collect();
                self.draw(studio, job, &Before { input, beside, outputs })?;
            }
        }
        known.iter().for_each(|line| self.teller.tell(Event::Kept(line)));
        self.teller.tell(Event::Done);
        Ok(())
    }

    /// Whether the pictures of a model are there, and nothing has changed that they were made of.
    fn state(&self, job: &Job, lines: &[Line], beside: Option<&String>) -> State {
        let is_there = |line: &Line| {
            let output = line.output.as_ref().map(|output| self.destination.folder.join(output));
            let bytes = output.and_then(|path| fs::metadata(path).ok()).map(|file| file.len());
            bytes.is_some() && bytes == line.bytes
        };
        match lines.iter().all(is_there) {
            false => State::Changed,
            true => {
                let options = job.options(&self.options);
                self.request.state((self.list, job), &options, lines, beside)
            }
        }
    }

    /// [`Line::beside`] as it is now.
    fn beside(&self, job: &Job) -> Option<String> {
        let folder = folder_of(job)?;
        let mut known = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(folder.into()).or_insert_with(|| hash_of_names(folder)).clone()
    }

    fn draw(&self, studio: &mut Studio, job: &Job, before: &Before) -> Result<(), ThumbsError> {
        let mut start = Instant::now();
        self.request.draw(self.list, job, studio, |shot| {
            let mut line = Line {
                input: before.input.clone(),
                options: job.options(&self.options),
                beside: before.beside.clone(),
                pictures: shot.count,
                ..Line::default()
            };
            if let Some((number, picture)) = shot.picture {
                line.picture = number;
                line.skin.clone_from(&picture.skin);
                line.clip.clone_from(&picture.clip);
                line.frame = picture.frame;
            }
            if let Some(opened) = shot.opened {
                line.textures = textures(opened);
                line.files = opened.stamps();
                line.warnings = warnings(opened);
            }
            match (shot.drawing, shot.picture, shot.opened) {
                (Ok(drawing), Some((_, picture)), Some(opened)) => {
                    let output = &picture.output;
                    let was_ours = before.outputs.contains(&slashes(output));
                    self.keep(&drawing, output, was_ours, (job, opened), &mut line)?;
                }
                (drawing, ..) => line.error = drawing.err(),
            }
            self.add(line, start)?;
            start = Instant::now();
            Ok(())
        })
    }

    /// Writes a picture, and into its line what became of it. `was_ours`: the manifest has had it as a
    /// picture of this model.
    fn keep(
        &self,
        drawing: &Drawing,
        output: &Path,
        was_ours: bool,
        (job, opened): (&Job, &Opened),
        line: &mut Line,
    ) -> Result<(), ThumbsError> {
        line.warnings.extend(drawing.warnings.iter().cloned());
        line.size = Some([drawing.image.width(), drawing.image.height()]);
        line.hash = Some(format!("{:016x}", drawing.image.hash()));
        let mut png = Vec::new();
        drawing.encode_png(&mut png)?;
        line.bytes = Some(png.len() as u64);
        let path = self.destination.folder.join(output);
        line.error = self.would_destroy(&path, opened);
        if line.error.is_none() && !was_ours {
            line.error = self.would_take(&path, &slashes(output), job);
        }
        if line.error.is_some() {
            return Ok(());
        }
        self.make_folders(output.parent().unwrap_or(Path::new("")))?;
        match write_file(&path, |out| out.write_all(&png)) {
            Ok(()) => line.output = Some(slashes(output)),
            // This one alone: the next pictures may be written.
            Err(error) if is_protected(&path) => line.error = Some(error.to_string()),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn add(&self, mut line: Line, start: Instant) -> Result<(), ThumbsError> {
        line.milliseconds = (start.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        line.warnings.truncate(MAX_WARNINGS);
        self.manifest.add(&line)?;
        self.teller.tell(if line.error.is_none() {
            Event::Drawn(&line)
        } else {
            Event::Failed(&line)
        });
        Ok(())
    }

    /// The folders below the folder of the run, which itself is never made again.
    fn make_folders(&self, below: &Path) -> Result<(), ThumbsError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.contains(below) {
            return Ok(());
        }
        let mut folder = self.destination.folder.clone();
        for part in below.components() {
            folder.push(part);
            match fs::create_dir(&folder) {
                Err(_) if folder.is_dir() => {}
                result => result.map_err(|error| cannot_make(&folder, &error))?,
            }
        }
        made.insert(below.into());
        Ok(())
    }

    /// Why a file must not be replaced, if it must not.
    fn would_destroy(&self, path: &Path, opened: &Opened) -> Option<String> {
        let real = fs::canonicalize(path).ok()?;
        let read = opened.files();
        if read.iter().any(|read| fs::canonicalize(read).is_ok_and(|read| read == real)) {
            return Some(format!("'{}' was read for it and would be overwritten", path.display()));
        }
        (is_foreign(path) && !self.destination.force).then(|| {
            format!(
                "'{}' is there and was not drawn by polyset; --force replaces it",
                path.display()
            )
        })
    }

    /// Why a file that is there must not become a picture of this model, if it must not: it is a picture of
    /// another one, or another one is made of it.
    fn would_take(&self, path: &Path, output: &str, job: &Job) -> Option<String> {
        let real = fs::canonicalize(path).ok()?;
        let Some(owner) = self.manifest.owner(output) else {
            return self.is_read_for_any(&real).then(|| {
                format!("'{}' was read for another model and would be overwritten", path.display())
            });
        };
        // One of this list has its own name now.
        if self.list.inputs.contains(&owner) {
            return None;
        }
        let other = Location::from(owner.as_str());
        let is_there = other.path().exists() && !is_same_file(&other, &job.input);
        if is_there && !self.destination.force {
            return Some(format!(
                "'{}' is the picture of '{owner}'; draw into another folder or give names of their own \
                 with --output, or --force to replace it",
                path.display()
            ));
        }
        self.manifest.forget(&owner);
        None
    }

    /// Whether any model of the list is made of a file. All are opened for it, so it is asked only of files
    /// that no manifest knows.
    fn is_read_for_any(&self, real: &Path) -> bool {
        let all = self.read.get_or_init(|| {
            let mut read = HashSet::new();
            for job in &self.list.jobs {
                let Ok(mut opened) = self.request.open(self.list, job) else { continue };
                for picture in self.request.pictures(job, &opened) {
                    if picture.skin.is_some() {
                        let _ = opened.dress(&picture.scene);
                    }
                }
                read.extend(opened.files().iter().filter_map(|file| fs::canonicalize(file).ok()));
            }
            read
        });
        all.contains(real)
    }
}

/// What is known of a model before it is drawn.
struct Before {
    input: String,
    beside: Option<String>,
    /// Its pictures of the last run.
    outputs: Vec<String>,
}

/// The folder of a model that is in no archive.
fn folder_of(job: &Job) -> Option<&Path> {
    let path = job.input.path();
    let folder = match job.input.member() {
        Some(_) => return None,
        None if path.is_dir() => path,
        None => path.parent().unwrap_or(path),
    };
    Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// Nothing if the folder cannot be read.
fn hash_of_names(folder: &Path) -> Option<String> {
    let names = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    let mut names: Vec<OsString> =
        names.filter(|name| may_go_with_models(&name.to_string_lossy().to_lowercase())).collect();
    names.sort_unstable();
    Some(format!("{:016x}", Hash::new().bytes(names.join(OsStr::new("/")).as_encoded_bytes())))
}

impl List {
    /// Whether nothing has changed that the pictures of a model were made of, by its number and the lines that a
    /// manifest has of it. The pictures themselves may be kept anywhere.
    #[must_use]
    pub fn is_unchanged(&self, request: &Request, model: usize, lines: &[Line]) -> bool {
        let (job, options) = (&self.jobs[model], &self.options(request)[model]);
        let beside = folder_of(job).and_then(hash_of_names);
        let state = request.state((self, job), options, lines, beside.as_ref());
        !matches!(state, State::Changed)
    }
}

impl Request {
    /// Whether nothing has changed that the pictures of a model were made of, wherever they are. `options` is
    /// what [`Line::options`] would be now.
    fn state(
        &self,
        (list, job): (&List, &Job),
        options: &str,
        lines: &[Line],
        beside: Option<&String>,
    ) -> State {
        let first_to_last = lines.iter().enumerate().all(|(number, line)| {
            line.picture == number
                && line.pictures == lines.len()
                && line.error.is_none()
                && line.options == options
                && line.files.iter().all(|stamp| stamp.holds())
        });
        let is_open = |worn: &Worn| matches!(worn.origin.as_deref(), None | Some("guessed"));
        let is_dressed = !lines.iter().any(|line| line.textures.iter().any(is_open));
        let is_alone = lines.iter().all(|line| line.beside.as_ref() == beside);
        match !lines.is_empty() && first_to_last {
            false => State::Changed,
            true if is_dressed && is_alone => State::Done,
            true if !self.opens_the_same(list, job, lines) => State::Changed,
            true if is_alone => State::Done,
            true => State::Noted,
        }
    }

    /// Whether textures that were missing or guessed still are, and no file goes with the model that did
    /// not: what has come since changes the picture, though no file has changed that it was made of.
    fn opens_the_same(&self, list: &List, job: &Job, lines: &[Line]) -> bool {
        let Ok(mut opened) = self.open(list, job) else { return false };
        let pictures = self.pictures(job, &opened);
        let mut is_same = |(line, picture): (&Line, &Picture)| {
            let is_dressed = line.skin.is_none() || opened.dress(&picture.scene).is_ok();
            let is_known = |stamp: &Stamp| line.files.contains(stamp);
            is_dressed && textures(&opened) == line.textures && opened.stamps().iter().all(is_known)
        };
        let name = |picture: &Picture| slashes(&picture.output);
        pictures.len() == lines.len()
            && lines.iter().zip(&pictures).all(|(line, picture)| {
                line.output.as_ref() == Some(&name(picture)) && is_same((line, picture))
            })
    }

    /// What pictures depend on beside the models and their textures.
    pub(super) fn hash(&self, archives: &[Stamp]) -> String {
        let scene = self.scene_of(&Location::on_disk("model"));
        let said = format!(
            "{} {} {} {:?} {:?} {archives:?}",
            env!("CARGO_PKG_VERSION"),
            scene.command_line().display(),
            self.is_honest,
            self.poses,
            self.template,
        );
        format!("{:016x}", Hash::new().bytes(said.as_bytes()))
    }
}

/// Whether there is something under a name that polyset has not drawn: a file with something in it that
/// does not say so, a folder, a device.
#[must_use]
pub fn is_foreign(path: &Path) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return false };
    // Opening a pipe would wait for its other end.
    if !metadata.is_file() {
        return true;
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    // What cannot be read is not known to be ours.
    read.is_err() || !(head.is_empty() || is_drawn_by_polyset(&head))
}

fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The textures of all parts.
fn textures(opened: &Opened) -> Vec<Worn> {
    let entries = opened.members().flat_map(|(_, member)| &member.textures.textures);
    let worn = |entry: &TextureEntry| Worn {
        surface: entry.name.clone(),
        file: entry.found.as_ref().map(ToString::to_string),
        origin: entry.origin.map(Origin::name).map(str::to_owned),
    };
    entries.map(worn).collect()
}

fn warnings(opened: &Opened) -> Vec<String> {
    let mut all = opened.warnings.clone();
    for (part, member) in opened.members() {
        let name = if opened.parts.is_empty() { String::new() } else { format!("{part}: ") };
        let model = member.model.warnings().iter().map(ToString::to_string);
        let warnings = model.chain(member.textures.warnings.iter().cloned());
        all.extend(warnings.take(MAX_WARNINGS).map(|warning| format!("{name}{warning}")));
    }
    all
}
