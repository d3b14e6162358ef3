//! The manifest: a line of JSON for every picture, written when the picture is there. A later run reads
//! it to know what is done.
//!
//! Lines are added at the end while a run goes on, whole ones at a time, so that a run that is killed
//! loses the line that it was at and no more. At the end of a run they are put into the order of the
//! list. Manifests of several runs are put together by concatenation: the last lines of a model count.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::files::Stamp;
use crate::hash::Hash;
use crate::output::{WriteError, write_file};

/// What a run did for one picture; `docs/thumbnails.md` describes the fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// The model.
    pub input: String,
    /// A hash of the program's version and of all options: 16 hexadecimal digits.
    pub options: String,
    /// The picture's path below the folder, with `/`; `None` if it was not drawn.
    pub output: Option<String>,
    /// The skin, the clip, the number of the frame, where there are several pictures.
    pub skin: Option<String>,
    /// See [`Line::skin`].
    pub clip: Option<String>,
    /// See [`Line::skin`].
    pub frame: Option<usize>,
    /// Which of the pictures of the model it is, from 0, and how many there are.
    pub picture: usize,
    /// See [`Line::picture`].
    pub pictures: usize,
    /// Width and height in pixels.
    pub size: Option<[u32; 2]>,
    /// Size of the file.
    pub bytes: Option<u64>,
    /// [`crate::Image::hash`] as 16 hexadecimal digits.
    pub hash: Option<String>,
    /// The textures of the surfaces.
    pub textures: Vec<Worn>,
    /// What is odd about model, textures and picture.
    pub warnings: Vec<String>,
    /// Why there is no picture.
    pub error: Option<String>,
    /// The files that the picture was made of.
    pub(crate) files: Vec<Stamp>,
    /// A hash of the names in the model's folder of files that may go with a model, pictures aside: 16
    /// hexadecimal digits; `None` for a model in an archive.
    pub beside: Option<String>,
    /// How long it took.
    pub milliseconds: f64,
}

/// The texture of a surface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Worn {
    /// The surface, empty if the format has no names.
    pub surface: String,
    /// The file; `None` if the picture lies in the model, or there is none.
    pub file: Option<String>,
    /// `given`, `exact`, `guessed` ..., as in `polyset info`; `None`: drawn in grey.
    pub origin: Option<String>,
}

/// A line as it stands in the file.
#[derive(Serialize, Deserialize)]
struct Written {
    #[serde(flatten)]
    line: Line,
    /// [`Line::check`]; lines that other programs have made over have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    check: Option<String>,
}

impl Line {
    /// A hash of all fields but the time: 16 hexadecimal digits. The manifest has it as `check`, and lines
    /// that have another one there do not count.
    pub fn check(&self) -> String {
        let timeless = Self { milliseconds: 0.0, ..self.clone() };
        let text = serde_json::to_vec(&timeless).unwrap_or_default();
        format!("{:016x}", Hash::new().bytes(&text))
    }

    /// A line of a file; nothing if it is none, or not as it was written.
    fn read(text: &[u8]) -> Option<Self> {
        let Written { line, check } = serde_json::from_slice(text).ok()?;
        check.is_none_or(|check| check == line.check()).then_some(line)
    }
}

/// A line without its end: where it is.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// Which of the files.
    file: usize,
    start: u64,
    bytes: usize,
}

/// How every line begins that was written here.
const BEGINNING: &[u8] = br#"{"input":"#;

/// Longer lines are none of ours.
const MAX_LINE: usize = 1 << 22;

/// A manifest that lines are added to, and those beside it that are read only.
#[derive(Debug)]
pub(super) struct Manifest {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The first is the one that is written.
    files: Vec<File>,
    end: u64,
    /// The lines of every model that count, by [`key`].
    lines: HashMap<u64, Vec<Span>>,
    /// Whose picture was the last one of a name, by [`key`].
    owners: HashMap<u64, u64>,
}

/// What stands for a name: of a model, or of a picture.
fn key(name: &str) -> u64 {
    Hash::new().bytes(name.as_bytes())
}

/// The part of a line that says whose it is.
#[derive(Deserialize)]
struct Owner {
    input: String,
    #[serde(default)]
    picture: usize,
    #[serde(default)]
    output: Option<String>,
}

fn cannot(what: &str, path: &Path, source: &io::Error) -> io::Error {
    io::Error::new(
        source.kind(),
        format!("cannot {what} the manifest '{}': {source}", path.display()),
    )
}

impl Manifest {
    /// Opens or makes a manifest, and nobody else's until it is closed. `beside` are others whose lines
    /// count as well, if this one has none for a model.
    ///
    /// # Errors
    /// If it cannot be read or written, is something else, or another run is at it.
    pub(super) fn open(path: &Path, beside: &[PathBuf]) -> io::Result<Self> {
        let mut state =
            State { files: Vec::new(), end: 0, lines: HashMap::new(), owners: HashMap::new() };
        let options = File::options().read(true).append(true).create(true).open(path);
        let file = options.map_err(|error| cannot("open", path, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            // Where there are no locks nobody can be told apart.
            Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => {
                let message = format!("another run is writing the manifest '{}'", path.display());
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
            }
        }
        state.files.push(file);
        for other in beside {
            let Ok(file) = File::open(other) else { continue };
            state.files.push(file);
            let number = state.files.len() - 1;
            // What cannot be read is drawn again.
            let _ = state.read(number);
        }
        let known = std::mem::take(&mut state.lines);
        let end = state.read(0).map_err(|error| cannot("read", path, &error))?;
        let length = state.files[0].metadata()?.len();
        if end == 0 && length > 0 && !state.is_begun_line(length)? {
            let message = format!(
                "'{}' is there and is no manifest of thumbnails; give another name with --manifest",
                path.display()
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        // A line that a killed run was at.
        state.files[0].set_len(end)?;
        state.end = end;
        for (key, spans) in known {
            state.lines.entry(key).or_insert(spans);
        }
        Ok(Self { path: path.into(), state: Mutex::new(state) })
    }

    /// The lines of a model.
    pub(super) fn of(&self, input: &str) -> Vec<Line> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = state.lines_of(key(input));
        lines.retain(|line| line.input == input);
        lines
    }

    /// The model that a picture of this name is of.
    pub(super) fn owner(&self, output: &str) -> Option<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let owner = *state.owners.get(&key(output))?;
        let lines = state.lines_of(owner).into_iter();
        lines.rev().find(|line| line.output.as_deref() == Some(output)).map(|line| line.input)
    }

    /// The lines of a model do not count any more: others will be added.
    pub(super) fn forget(&self, input: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.lines.remove(&key(input));
    }

    /// # Errors
    /// If it cannot be written.
    pub(super) fn add(&self, line: &Line) -> io::Result<()> {
        let written = Written { line: line.clone(), check: Some(line.check()) };
        let mut text = serde_json::to_vec(&written)?;
        let bytes = text.len();
        text.push(b'\n');
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let start = state.end;
        let written = state.files[0].write_all(&text);
        if let Err(error) = written {
            // Half a line would spoil the next one.
            let _ = state.files[0].set_len(start);
            return Err(cannot("write", &self.path, &error));
        }
        state.end += text.len() as u64;
        state.lines.entry(key(&line.input)).or_default().push(Span { file: 0, start, bytes });
        if let Some(output) = &line.output {
            state.owners.insert(key(output), key(&line.input));
        }
        Ok(())
    }

    /// Puts the lines into the order of the models; those of others that this manifest has come behind.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn sort<'a>(&self, inputs: impl Iterator<Item = &'a str>) -> Result<(), WriteError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut spans = Vec::new();
        for input in inputs {
            spans.extend(state.lines.remove(&key(input)).unwrap_or_default());
        }
        let others = state.lines.drain().flat_map(|(_, spans)| spans);
        let mut others: Vec<Span> = others.filter(|span| span.file == 0).collect();
        others.sort_by_key(|span| span.start);
        spans.extend(others);
        let mut end = 0;
        let is_sorted = spans.iter().all(|span| {
            let is_next = span.file == 0 && span.start == end;
            end = span.start + span.bytes as u64 + 1;
            is_next
        });
        if is_sorted && end == state.end {
            return Ok(());
        }
        write_file(&self.path, |out| {
            for span in &spans {
                out.write_all(&state.text(*span)?)?;
                out.write_all(b"\n")?;
            }
            Ok(())
        })
    }
}

impl State {
    /// Reads whose lines are where; returns where the last whole line ends.
    fn read(&mut self, file: usize) -> io::Result<u64> {
        let mut reader = BufReader::with_capacity(1 << 16, self.files[file].try_clone()?);
        reader.seek(SeekFrom::Start(0))?;
        let mut start = 0;
        let mut end = 0;
        let mut text = Vec::new();
        loop {
            text.clear();
            let read = (&mut reader).take(MAX_LINE as u64).read_until(b'\n', &mut text)?;
            if read == 0 || text.pop() != Some(b'\n') {
                return Ok(end);
            }
            if let Ok(owner) = serde_json::from_slice::<Owner>(&text) {
                let spans = self.lines.entry(key(&owner.input)).or_default();
                // Every run begins with the first picture.
                if owner.picture == 0 {
                    spans.clear();
                }
                spans.push(Span { file, start, bytes: text.len() });
                if let Some(output) = &owner.output {
                    self.owners.insert(key(output), key(&owner.input));
                }
                end = start + read as u64;
            } else if start == 0 && !text.starts_with(BEGINNING) {
                return Ok(0);
            } else {
                // A damaged line: the others count.
                end = start + read as u64;
            }
            start += read as u64;
        }
    }

    /// The lines of the model with this key.
    fn lines_of(&mut self, key: u64) -> Vec<Line> {
        let spans = self.lines.get(&key).cloned().unwrap_or_default();
        let texts = spans.into_iter().filter_map(|span| self.text(span).ok());
        texts.filter_map(|text| Line::read(&text)).collect()
    }

    /// Whether what there is could be the beginning of a first line.
    fn is_begun_line(&mut self, length: u64) -> io::Result<bool> {
        let most = BEGINNING.len();
        let bytes = usize::try_from(length).unwrap_or(most).min(most);
        let text = self.text(Span { file: 0, start: 0, bytes })?;
        Ok(BEGINNING.starts_with(&text))
    }

    fn text(&mut self, span: Span) -> io::Result<Vec<u8>> {
        let mut text = vec![0; span.bytes];
        let file = &mut self.files[span.file];
        file.seek(SeekFrom::Start(span.start))?;
        file.read_exact(&mut text)?;
        Ok(text)
    }
}

/// The manifests of parts of a list in a folder.
pub(super) fn of_shards(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_one = |name: &str| {
        let parts = name.strip_prefix("manifest-").and_then(|name| name.strip_suffix(".jsonl"));
        parts.and_then(|parts| parts.split_once("-of-")).is_some_and(|(number, count)| {
            [number, count].iter().all(|part| part.parse::<u32>().is_ok())
        })
    };
    let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_one));
    let mut found: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    found.sort_unstable();
    found
}
