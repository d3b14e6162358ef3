//! Reads scene files: from TOML to entries, every option by the one table.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml_edit::{Document, Item, TableLike, Value};

use super::keys::{Kind, contradiction, known, normal, texts, unknown};
use crate::scene::options::Row;

/// What is wrong with a scene file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct SceneFileError {
    /// Where it stands.
    pub place: Line,
    /// What was expected, and what was found.
    pub message: String,
}

/// A line of a scene file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The file as it was named.
    pub file: Arc<Path>,
    /// Counted from 1; 0 for the file as a whole.
    pub line: usize,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "'{}'", self.file.display())?;
        if self.line > 0 { write!(f, ", line {}", self.line) } else { Ok(()) }
    }
}

impl Line {
    pub(super) fn error(&self, message: impl Into<String>) -> SceneFileError {
        SceneFileError { place: self.clone(), message: message.into() }
    }

    /// The folder that names in the file are relative to.
    pub(super) fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }
}

/// An option of the table with its values, as they are given on the command line.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) row: &'static Row,
    pub(super) values: Vec<OsString>,
    pub(super) place: Line,
}

/// What a scene is compared with.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    /// A picture; the name may have fields.
    Picture(String),
    /// A hash that stands in the scene file; `None` if there is none yet.
    Hash(Option<u64>),
    /// A file of hashes.
    Hashes(PathBuf),
}

/// What scenes may have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub(super) options: Vec<Setting>,
    pub(super) expected: Option<(Expected, Line)>,
    /// Rows of `polyset compare`.
    pub(super) tolerance: Vec<Setting>,
    pub(super) known_failure: Option<String>,
}

/// A `[[scene]]`.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) place: Line,
    pub(super) name: Option<String>,
    pub(super) models: Vec<String>,
    pub(super) exclude: Vec<String>,
    pub(super) settings: Settings,
    pub(super) axes: Vec<Axis>,
}

/// A row of a matrix: what is varied.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) name: String,
    pub(super) values: AxisValues,
    pub(super) place: Line,
}

#[derive(Clone, Debug)]
pub(super) enum AxisValues {
    AllSkins,
    AllClips,
    /// Every so-manieth frame from the first on.
    Frames(usize),
    Listed(Vec<Choice>),
}

/// One value of an axis.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) options: Vec<Setting>,
}

/// Larger files are no scene files.
const MAX_SCENE_FILE: u64 = 16 << 20;
/// Files that may include each other in a row.
const MAX_INCLUDES: usize = 32;

/// All entries of a scene file and of those that it includes.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, SceneFileError> {
    let mut reader = Reader::default();
    let place = Line { file: path.into(), line: 0 };
    reader.read(path, &Settings::default(), &place)?;
    Ok(reader.entries)
}

#[derive(Default)]
struct Reader {
    entries: Vec<Entry>,
    /// Canonical paths of all files.
    files: Vec<PathBuf>,
    /// Those that are being read, as they were named.
    chain: Vec<(PathBuf, PathBuf)>,
}

impl Reader {
    /// `place` is where the file is named.
    fn read(
        &mut self,
        path: &Path,
        inherited: &Settings,
        place: &Line,
    ) -> Result<(), SceneFileError> {
        let cannot = |error| match place.line {
            0 => place.error(format!("cannot be read: {error}")),
            _ => place.error(format!("cannot read '{}': {error}", path.display())),
        };
        let canonical = fs::canonicalize(path).map_err(cannot)?;
        if let Some(at) = self.chain.iter().position(|(known, _)| *known == canonical) {
            let names = self.chain[at..].iter().map(|(_, name)| name.display().to_string());
            let names: Vec<String> = names.chain([path.display().to_string()]).collect();
            return Err(place.error(format!("files include each other: {}", names.join(" -> "))));
        }
        if self.chain.len() == MAX_INCLUDES {
            return Err(place.error(format!("more than {MAX_INCLUDES} files include each other")));
        }
        if self.files.contains(&canonical) {
            return Ok(());
        }
        let bytes = fs::metadata(path).map_err(cannot)?.len();
        if bytes > MAX_SCENE_FILE {
            return Err(
                place.error(format!("{bytes} bytes, no more than {MAX_SCENE_FILE} are read"))
            );
        }
        let text = fs::read_to_string(path).map_err(cannot)?;
        self.files.push(canonical.clone());
        self.chain.push((canonical, path.into()));
        let source = Source { file: path.into(), text: &text };
        let document = Document::parse(&*text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            source.line(at).error(error.message().trim().replace('\n', "; "))
        })?;
        let result = self.read_table(&source, document.as_table(), inherited);
        self.chain.pop();
        result
    }

    fn read_table(
        &mut self,
        source: &Source<'_>,
        root: &dyn TableLike,
        inherited: &Settings,
    ) -> Result<(), SceneFileError> {
        let mut settings = inherited.clone();
        if let Some(defaults) = source.get(root, "defaults") {
            let table = source.table(defaults.1, &defaults.2)?;
            source.refuse_contradictions(table, Kind::Defaults)?;
            for (key, item, place) in source.keys(table) {
                source.set(&mut settings, Kind::Defaults, &key, item, &place)?;
            }
        }
        // Those that are included come first, as if they stood there.
        for (key, item, place) in source.keys(root) {
            match &*key {
                "include" => {
                    for name in source.strings(item, &place)? {
                        self.read(&source.folder().join(name), &settings, &place)?;
                    }
                }
                "defaults" | "scene" => {}
                _ => return Err(place.error(unknown(&key, &known(Kind::File)))),
            }
        }
        let Some((_, scenes, place)) = source.get(root, "scene") else { return Ok(()) };
        let Some(scenes) = scenes.as_array_of_tables() else {
            return Err(place.error("expected [[scene]] with two brackets on each side"));
        };
        for table in scenes {
            let line = source.line(table.span().map_or(0, |span| span.start));
            self.entries.push(source.entry(table, settings.clone(), line)?);
        }
        Ok(())
    }
}

/// A file that is being read.
struct Source<'a> {
    file: PathBuf,
    text: &'a str,
}

impl Source<'_> {
    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }

    fn line(&self, at: usize) -> Line {
        Line { file: self.file.as_path().into(), line: line_at(self.text, at) }
    }

    /// The keys of a table with `_` for `-`, what they stand for, and where.
    fn keys<'t>(
        &'t self,
        table: &'t dyn TableLike,
    ) -> impl Iterator<Item = (String, &'t Item, Line)> + 't {
        table.iter().map(|(key, item)| {
            let span = table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
            (normal(key), item, self.line(span.map_or(0, |span| span.start)))
        })
    }

    fn get<'t>(
        &'t self,
        table: &'t dyn TableLike,
        wanted: &str,
    ) -> Option<(String, &'t Item, Line)> {
        self.keys(table).find(|(key, ..)| key == wanted)
    }

    fn table<'t>(&self, item: &'t Item, place: &Line) -> Result<&'t dyn TableLike, SceneFileError> {
        item.as_table_like().ok_or_else(|| place.error("expected a table"))
    }

    fn string(&self, item: &Item, place: &Line) -> Result<String, SceneFileError> {
        let text = item.as_str().filter(|text| !text.is_empty());
        text.map(str::to_owned).ok_or_else(|| place.error("expected a text in quotation marks"))
    }

    /// A text, or a list of texts.
    fn strings(&self, item: &Item, place: &Line) -> Result<Vec<String>, SceneFileError> {
        let Some(array) = item.as_array() else { return Ok(vec![self.string(item, place)?]) };
        let text =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let texts: Option<Vec<String>> = array.iter().map(text).collect();
        texts.ok_or_else(|| place.error("expected a text in quotation marks, or a list of texts"))
    }

    fn entry(
        &self,
        table: &dyn TableLike,
        settings: Settings,
        place: Line,
    ) -> Result<Entry, SceneFileError> {
        let (models, exclude) = (Vec::new(), Vec::new());
        let mut entry = Entry { place, name: None, models, exclude, settings, axes: Vec::new() };
        self.refuse_contradictions(table, Kind::Scene)?;
        for (key, item, place) in self.keys(table) {
            match &*key {
                "name" => entry.name = Some(self.string(item, &place)?),
                "model" => entry.models = self.strings(item, &place)?,
                "exclude" => entry.exclude = self.strings(item, &place)?,
                "matrix" => {
                    let axes = self.table(item, &place)?;
                    self.refuse_contradictions(axes, Kind::Matrix)?;
                    for (key, item, place) in self.keys(axes) {
                        entry.axes.push(self.axis(key, item, place)?);
                    }
                }
                _ => self.set(&mut entry.settings, Kind::Scene, &key, item, &place)?,
            }
        }
        if entry.models.is_empty() {
            return Err(entry.place.error("this scene has no model: model = \"FILE\""));
        }
        if let Some((Expected::Hash(_) | Expected::Hashes(_), _)) = &entry.settings.expected {
            self.refuse_tolerance(table)?;
        }
        self.refuse_beside_matrix(table, &entry.axes)?;
        Ok(entry)
    }

    /// # Errors
    /// If two keys of a table are one with `-` or `_`, or cannot stand together: one of them would be
    /// forgotten.
    fn refuse_contradictions(
        &self,
        table: &dyn TableLike,
        kind: Kind,
    ) -> Result<(), SceneFileError> {
        let mut seen: Vec<(String, usize)> = Vec::new();
        for (key, item, place) in self.keys(table) {
            let against = seen.iter().find_map(|(other, line)| {
                contradiction(kind, &key, other).map(|why| (other, line, why))
            });
            if let Some((other, line, why)) = against {
                return Err(place.error(format!("'{key}' and '{other}' in line {line} {why}")));
            }
            // A switch that is off contradicts nothing.
            if item.as_bool() != Some(false) {
                seen.push((key, place.line));
            }
        }
        Ok(())
    }

    /// # Errors
    /// If a scene says itself what its matrix varies. The defaults may, for the scenes without that matrix.
    fn refuse_beside_matrix(
        &self,
        table: &dyn TableLike,
        axes: &[Axis],
    ) -> Result<(), SceneFileError> {
        for axis in axes.iter().filter(|axis| Kind::Matrix.row(&axis.name).is_some()) {
            let said = self.keys(table).filter(|(_, item, _)| item.as_bool() != Some(false));
            for (key, _, place) in said {
                if let Some(why) = contradiction(Kind::Scene, &axis.name, &key) {
                    let (name, line) = (&axis.name, place.line);
                    return Err(axis
                        .place
                        .error(format!("'{name}' and '{key}' in line {line} {why}")));
                }
            }
        }
        Ok(())
    }

    /// # Errors
    /// If a scene that is compared by a hash says itself what is tolerated: a hash is equal or not. The
    /// defaults may, for the scenes that have pictures.
    fn refuse_tolerance(&self, table: &dyn TableLike) -> Result<(), SceneFileError> {
        for (key, _, place) in self.keys(table) {
            if matches!(Kind::Scene.row(&key), Some((_, true))) {
                return Err(place.error(format!(
                    "'{key}' is for pictures, and this scene is compared by a hash, which is equal or \
                     not: reference = \"FILE.png\""
                )));
            }
        }
        Ok(())
    }

    /// Sets what scenes may have in common.
    fn set(
        &self,
        settings: &mut Settings,
        kind: Kind,
        key: &str,
        item: &Item,
        place: &Line,
    ) -> Result<(), SceneFileError> {
        let expected = match key {
            "known_failure" => {
                settings.known_failure = Some(self.string(item, place)?);
                return Ok(());
            }
            "reference" => Expected::Picture(self.string(item, place)?),
            "hashes" => Expected::Hashes(self.folder().join(self.string(item, place)?)),
            "hash" if kind == Kind::Scene => {
                let text = self.string(item, place)?;
                let hash = u64::from_str_radix(&text, 16).ok().filter(|_| text.len() == 16);
                if hash.is_none() && text != "new" {
                    return Err(place.error(format!(
                        "expected a hash of 16 hexadecimal digits, or \"new\"; found \"{text}\""
                    )));
                }
                Expected::Hash(hash)
            }
            _ => {
                let Some((row, is_tolerance)) = kind.row(key) else {
                    return Err(place.error(unknown(key, &known(kind))));
                };
                let list =
                    if is_tolerance { &mut settings.tolerance } else { &mut settings.options };
                replace(list, row, self.setting(row, item, place)?);
                return Ok(());
            }
        };
        settings.expected = Some((expected, place.clone()));
        Ok(())
    }

    /// The option's values, which were checked; `None` for a switch that is off.
    fn setting(
        &self,
        row: &'static Row,
        item: &Item,
        place: &Line,
    ) -> Result<Option<Setting>, SceneFileError> {
        let value = item
            .as_value()
            .ok_or_else(|| place.error(format!("{} is no table", normal(row.name))))?;
        self.setting_of(row, value, place)
    }

    fn setting_of(
        &self,
        row: &'static Row,
        value: &Value,
        place: &Line,
    ) -> Result<Option<Setting>, SceneFileError> {
        let values = texts(row, value).map_err(|message| place.error(message))?;
        Ok(values.map(|values| Setting { row, values, place: place.clone() }))
    }

    fn axis(&self, key: String, item: &Item, place: Line) -> Result<Axis, SceneFileError> {
        let row = Kind::Matrix.row(&key).map(|(row, _)| row);
        let of_row = || row.ok_or_else(|| place.error(unknown(&key, &known(Kind::Matrix))));
        let values = if let Some(word) = item.as_str() {
            match (&*of_row()?.name.replace('-', "_"), word.split_once(' ')) {
                ("skin", None) if word == "all" => AxisValues::AllSkins,
                ("animation", None) if word == "all" => AxisValues::AllClips,
                ("frame", None) if word == "all" => AxisValues::Frames(1),
                ("frame", Some(("every", count))) => {
                    let step = count.trim().parse().ok().filter(|step| *step > 0);
                    AxisValues::Frames(step.ok_or_else(|| {
                        place.error(format!("expected \"every N\"; found \"{word}\""))
                    })?)
                }
                _ => {
                    return Err(place.error(format!(
                        "expected a list or a table of values, or \"all\" for skin, animation and \
                         frame, or \"every N\" for frame; found \"{word}\""
                    )));
                }
            }
        } else if let Some(array) = item.as_array() {
            let row = of_row()?;
            let choice = |value: &Value| {
                let options: Vec<_> = self.setting_of(row, value, &place)?.into_iter().collect();
                let values = options.iter().flat_map(|setting| &setting.values);
                let name =
                    values.map(|value| value.to_string_lossy()).collect::<Vec<_>>().join("-");
                let name = if row.value.is_some() { name } else { value.to_string().trim().into() };
                Ok(Choice { name, options })
            };
            AxisValues::Listed(array.iter().map(choice).collect::<Result<_, _>>()?)
        } else {
            let choice = |(name, item, place): (String, &Item, Line)| {
                let options = match item.as_table_like() {
                    Some(table) => {
                        self.refuse_contradictions(table, Kind::Matrix)?;
                        let mut settings = Settings::default();
                        for (key, item, place) in self.keys(table) {
                            self.set(&mut settings, Kind::Matrix, &key, item, &place)?;
                        }
                        settings.options
                    }
                    None => self.setting(of_row()?, item, &place)?.into_iter().collect(),
                };
                Ok(Choice { name, options })
            };
            let table = self.table(item, &place)?;
            AxisValues::Listed(self.keys(table).map(choice).collect::<Result<_, _>>()?)
        };
        if matches!(&values, AxisValues::Listed(listed) if listed.is_empty()) {
            return Err(place.error(format!("'{key}' has no values")));
        }
        Ok(Axis { name: key, values, place })
    }
}

/// The line of a byte of a text, counted from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Puts a setting in the place of what was said before, also of options that cannot stand beside it.
pub(super) fn replace(list: &mut Vec<Setting>, row: &'static Row, setting: Option<Setting>) {
    list.retain(|old| {
        let excludes = |a: &Row, b: &Row| a.excludes.0.contains(&b.name);
        let is_against = excludes(old.row, row) || excludes(row, old.row);
        old.row.name != row.name && !(setting.is_some() && is_against)
    });
    list.extend(setting);
}
