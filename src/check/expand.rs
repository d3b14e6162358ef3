//! From entries to cases: every model that a pattern finds, times every value of the matrix.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

use glob::{MatchOptions, Pattern};

use super::case::{Case, Reference};
use super::file::{
    Axis, AxisValues, Choice, Entry, Expected, Line, SceneFileError, Setting, Settings, replace,
};
use super::tolerance::tolerance;
use crate::location::Location;
use crate::scene::options::{Command, row};
use crate::scene::{Anims, DrivenClip, Files, Frames, Input, Opened, Scene};

/// Cases that one scene file may have.
const MAX_CASES: usize = 1_000_000;

/// A model of an entry and what its name can be made of.
struct Found {
    input: Location,
    /// Below the part of the pattern that has no wildcards, extension included.
    path: String,
}

/// A point of the matrix: for every axis the name of its value.
#[derive(Clone)]
struct Point {
    names: Vec<(String, String)>,
    scene: Scene,
    /// Frames of the animation that is chosen.
    frame_count: usize,
}

/// All cases of the entries, in their order. What is wrong with a model is an error of its case alone.
pub(super) fn expand(entries: &[Entry], files: &Files) -> Result<Vec<Case>, SceneFileError> {
    let mut cases: Vec<Case> = Vec::new();
    for entry in entries {
        cases.extend(entry.cases(files)?);
        if cases.len() > MAX_CASES {
            return Err(entry.place.error(format!("more than {MAX_CASES} scenes")));
        }
    }
    let mut places: HashMap<String, &Line> = HashMap::new();
    for case in &cases {
        // On some disks names that differ in case alone are one.
        if let Some(first) = places.insert(case.name.to_lowercase(), &case.place) {
            return Err(case.place.error(format!(
                "there are two scenes '{}'; the other one is that of {first}",
                case.name
            )));
        }
    }
    Ok(cases)
}

impl Entry {
    fn cases(&self, files: &Files) -> Result<Vec<Case>, SceneFileError> {
        let is_pattern = |model: &String| model.contains(['*', '?', '[']);
        let is_one = self.models.len() == 1 && !self.models.iter().any(is_pattern);
        let template = match &self.name {
            Some(name) => name.clone(),
            None if is_one => {
                return Err(self.place.error("this scene has no name: name = \"...\""));
            }
            None => "{path}".into(),
        };
        self.check_template(&template)?;
        let mut cases = Vec::new();
        for model in &self.models {
            match self.find(model, files)? {
                Ok(found) => {
                    for found in found {
                        cases.extend(self.cases_of(&found, &template, files)?);
                    }
                }
                Err(message) => {
                    // The pattern stands for the names of models that there are not.
                    let fields = ["path", "stem"].map(|field| (field.to_owned(), model.clone()));
                    let name = filled(&template, &fields);
                    cases.push(self.case(&name, Err(message))?);
                }
            }
        }
        if cases.len() > 1 && matches!(self.settings.expected, Some((Expected::Hash(_), _))) {
            return Err(self.place.error(format!(
                "a hash is that of one picture, and here are {}: hashes = \"FILE\" is for several",
                cases.len()
            )));
        }
        Ok(cases)
    }

    /// The models of a name or pattern; the inner error is why there are none.
    fn find(
        &self,
        model: &str,
        files: &Files,
    ) -> Result<Result<Vec<Found>, String>, SceneFileError> {
        let place = |scene: &Scene| scene.source.input.file().cloned();
        let Some(wild) = model.find(['*', '?', '[']) else {
            let path = model.rsplit(['/', '\\']).next().unwrap_or(model).to_owned();
            let scene = self.scene(&self.settings.options, model, files)?;
            let input = place(&scene).unwrap_or(Location::on_disk(model));
            return Ok(Ok(vec![Found { input, path }]));
        };
        let pattern = |text: &str| {
            Pattern::new(text)
                .map_err(|error| self.place.error(format!("'{text}' is no pattern: {}", error.msg)))
        };
        let exclude =
            self.exclude.iter().map(|text| pattern(text)).collect::<Result<Vec<_>, _>>()?;
        // The folder in which the wildcards begin; a colon stands before the names in an archive.
        let base = model[..wild].rfind(['/', '\\', ':']).map_or("", |at| &model[..at]);
        let rest = model[base.len()..].trim_start_matches(['/', '\\', ':']);
        let folder = if base.is_empty() { "." } else { base };
        let scene = self.scene(&self.settings.options, folder, files)?;
        let place = place(&scene).unwrap_or(Location::on_disk(folder));
        let listed = if base.is_empty() && scene.source.game.is_some() {
            scene.game_models_in(files).map(Some)
        } else {
            scene.models_in(files)
        };
        let models = match listed {
            Ok(Some(models)) => models,
            Ok(None) => return Ok(Err(format!("'{place}' is no folder and no archive"))),
            Err(error) => return Ok(Err(error.to_string())),
        };
        // Names in archives and games begin at their roots.
        let root = match place.member() {
            Some(member) => member.to_owned(),
            None if scene.source.game.is_some() && !files.exists(&place) => base.to_owned(),
            None => String::new(),
        };
        let pattern = pattern(rest)?;
        let options = MatchOptions {
            case_sensitive: false,
            require_literal_separator: true,
            ..MatchOptions::new()
        };
        let below = |file: &Location| {
            let name = models.name_of(file);
            let at = root.len().min(name.len());
            let is_below = name.is_char_boundary(at) && name[..at].eq_ignore_ascii_case(&root);
            is_below.then(|| name[at..].trim_start_matches('/').to_owned())
        };
        let places = models.players.iter().map(|player| &player.place);
        let mut found: Vec<Found> = Vec::new();
        for file in models.files.iter().chain(places) {
            let Some(path) = below(file) else { continue };
            let is_out = exclude.iter().any(|pattern| pattern.matches_with(&path, options));
            if pattern.matches_with(&path, options) && !is_out {
                found.push(Found { input: file.clone(), path });
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        if found.is_empty() {
            return Ok(Err(format!("no model is called like '{model}'")));
        }
        Ok(Ok(found))
    }

    /// The scene of a model with some options.
    fn scene(
        &self,
        options: &[Setting],
        model: &str,
        files: &Files,
    ) -> Result<Scene, SceneFileError> {
        let has_game = options.iter().any(|setting| setting.row.name == "game");
        let mut scene = Scene::new(OsStr::new(model)).rebased(self.place.folder(), has_game, files);
        if model == "-" {
            return Err(self.place.error("a scene is no place for the standard input"));
        }
        for setting in options {
            apply(setting, &mut scene, has_game, files)?;
        }
        Ok(scene)
    }

    fn cases_of(
        &self,
        found: &Found,
        template: &str,
        files: &Files,
    ) -> Result<Vec<Case>, SceneFileError> {
        let mut options = self.settings.options.clone();
        // What the matrix varies is not said beside it.
        for axis in &self.axes {
            if let Some(row) = row(Command::Render, &axis.name.replace('_', "-")) {
                options.retain(|setting| setting.row.name != row.name);
            }
        }
        let mut scene = self.scene(&options, "", files)?;
        scene.source.input = Input::File(found.input.clone());
        let fields = fields(found);
        if let Err(error) = scene.check() {
            return Err(self.place.error(error.to_string()));
        }
        let needs_model =
            self.axes.iter().any(|axis| !matches!(axis.values, AxisValues::Listed(_)));
        let opened = if needs_model {
            match self.probe(&scene).open_in(files, Anims::AsAsked) {
                Ok(opened) => Some(opened),
                Err(error) => {
                    let name = filled(template, &fields);
                    return Ok(vec![self.case(&name, Err(error.to_string()))?]);
                }
            }
        } else {
            None
        };
        let frame_count = opened.as_ref().map_or(1, |opened| frame_count(&scene, opened));
        let mut points = vec![Point { names: Vec::new(), scene, frame_count }];
        // Frames are those of the animation, which comes first.
        let is_of_frames = |axis: &&Axis| matches!(axis.values, AxisValues::Frames(_));
        let (last, first): (Vec<&Axis>, Vec<&Axis>) = self.axes.iter().partition(is_of_frames);
        for axis in first.into_iter().chain(last) {
            let mut more = Vec::new();
            for point in points {
                axis.extend(&point, opened.as_ref(), files, &mut more)?;
            }
            points = more;
            if points.len() > MAX_CASES {
                return Err(axis.place.error(format!("more than {MAX_CASES} scenes")));
            }
        }
        let case = |point: Point| {
            if let Err(error) = point.scene.check() {
                return Err(self.place.error(error.to_string()));
            }
            let mut name = template.to_owned();
            for axis in &self.axes {
                let field = format!("{{{}}}", axis.name);
                if !name.contains(&field) {
                    name = format!("{name}-{field}");
                }
            }
            let all: Vec<_> = fields.iter().cloned().chain(point.names).collect();
            self.case(&filled(&name, &all), Ok(point.scene))
        };
        points.into_iter().map(case).collect()
    }

    /// A scene whose model has the animations that the matrix goes through, or if it goes through frames
    /// alone those that the scene counts frames of.
    fn probe(&self, scene: &Scene) -> Scene {
        let mut probe = scene.clone();
        let has = |what: fn(&AxisValues) -> bool| self.axes.iter().any(|axis| what(&axis.values));
        if has(|values| matches!(values, AxisValues::AllClips)) {
            // Any number asks for all of them; the first may not exist.
            probe.moment.animation = Some("0".into());
        } else if has(|values| matches!(values, AxisValues::Frames(_))) {
            probe.moment.frames = Some(Frames { from: 0, to: 0, t: 0.0 });
        }
        probe
    }

    fn case(&self, name: &str, scene: Result<Scene, String>) -> Result<Case, SceneFileError> {
        let is_word = |word: &str| {
            let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
            word.chars().all(is_plain) && word.contains(|c| c != '.')
        };
        if !name.split('/').all(is_word) {
            return Err(self.place.error(format!(
                "'{name}' is no name: letters, digits, -, _, . and / between words"
            )));
        }
        let Settings { expected, tolerance: rows, known_failure, .. } = &self.settings;
        let Some((expected, said)) = expected else {
            return Err(self.place.error(format!(
                "the scene '{name}' has nothing to be compared with: reference = \"{{name}}.png\", \
                 hash = \"new\" or hashes = \"FILE\""
            )));
        };
        let reference = match expected {
            Expected::Picture(text) => {
                let file = filled(text, &[("name".into(), name.into())]);
                if !file.to_lowercase().ends_with(".png") {
                    return Err(said.error("references are PNGs; let the name end in .png"));
                }
                Reference::Picture(said.folder().join(file))
            }
            Expected::Hash(hash) => Reference::Hash(*hash),
            Expected::Hashes(file) => Reference::Hashes(file.clone()),
        };
        Ok(Case {
            name: name.to_owned(),
            place: self.place.clone(),
            scene,
            reference,
            tolerance: tolerance(rows)?,
            known_failure: known_failure.clone(),
        })
    }

    /// Every field of a name is one that there is.
    fn check_template(&self, template: &str) -> Result<(), SceneFileError> {
        let axes = self.axes.iter().map(|axis| axis.name.as_str());
        let known: Vec<&str> = ["path", "stem"].into_iter().chain(axes).collect();
        for piece in template.split('{').skip(1) {
            let field = piece.split_once('}').map(|(field, _)| field);
            if !field.is_some_and(|field| known.contains(&field)) {
                let known: Vec<String> = known.iter().map(|name| format!("{{{name}}}")).collect();
                return Err(self.place.error(format!(
                    "name = \"{template}\": there are the fields {}",
                    known.join(", ")
                )));
            }
        }
        Ok(())
    }
}

/// Gives a scene an option; what it names lies where the file that said it lies.
fn apply(
    setting: &Setting,
    scene: &mut Scene,
    has_game: bool,
    files: &Files,
) -> Result<(), SceneFileError> {
    let row = setting.row;
    for value in &setting.values {
        let cannot = |expected| setting.place.error(format!("{}: {expected}", row.name));
        let mut alone = Scene::default();
        row.read(&mut alone, value).map_err(cannot)?;
        let rebased = alone.clone().rebased(setting.place.folder(), has_game, files);
        if rebased == alone {
            row.read(scene, value).map_err(cannot)?;
        }
        for value in row.values(&rebased).iter().filter(|_| rebased != alone) {
            row.read(scene, value).map_err(cannot)?;
        }
    }
    Ok(())
}

impl Axis {
    /// Adds a point for every value.
    fn extend(
        &self,
        point: &Point,
        opened: Option<&Opened>,
        files: &Files,
        points: &mut Vec<Point>,
    ) -> Result<(), SceneFileError> {
        let mut add = |name: String, change: &dyn Fn(&mut Point)| {
            let mut point = point.clone();
            point.names.push((self.name.clone(), name));
            change(&mut point);
            points.push(point);
        };
        match (&self.values, opened) {
            (AxisValues::Listed(choices), _) => {
                for Choice { name, options } in choices {
                    let mut point = point.clone();
                    point.names.push((self.name.clone(), name.clone()));
                    let has_game = point.scene.source.game.is_some();
                    let mut all = Vec::new();
                    for setting in options {
                        replace(&mut all, setting.row, Some(setting.clone()));
                    }
                    for setting in &all {
                        apply(setting, &mut point.scene, has_game, files)?;
                    }
                    points.push(point);
                }
            }
            (AxisValues::AllSkins, Some(opened)) => {
                let skins = opened.skins(&point.scene);
                for (number, (skin, _)) in skins.iter().enumerate() {
                    let change = |point: &mut Point| point.scene.source.skins = vec![skin.clone()];
                    add(number.to_string(), &change);
                }
                if skins.is_empty() {
                    add("0".into(), &|_| {});
                }
            }
            (AxisValues::AllClips, Some(opened)) => {
                let clips = opened.clips();
                for DrivenClip { clip, .. } in &clips {
                    add(clip.name().to_owned(), &|point| {
                        point.scene.moment.animation = Some(clip.name().to_owned());
                        point.frame_count = clip.frames().len().max(1);
                    });
                }
                if clips.is_empty() {
                    add("still".into(), &|_| {});
                }
            }
            (AxisValues::Frames(step), Some(_)) => {
                for frame in (0..point.frame_count).step_by(*step) {
                    let digits = (point.frame_count - 1).to_string().len();
                    add(format!("{frame:0digits$}"), &|point| {
                        point.scene.moment.frames = Some(Frames { from: frame, to: frame, t: 0.0 });
                    });
                }
            }
            (_, None) => unreachable!("the model is opened for these"),
        }
        Ok(())
    }
}

/// How many frames a scene can choose from: those of its animation, else of the model.
fn frame_count(scene: &Scene, opened: &Opened) -> usize {
    let asked = scene.moment.animation.as_ref().and_then(|asked| opened.clip(asked).ok());
    let count = asked.map_or(opened.model.frame_count(), |clip| clip.frames().len());
    count.max(1)
}

fn fields(found: &Found) -> Vec<(String, String)> {
    let path = Path::new(&found.path);
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    vec![("path".into(), found.path.clone()), ("stem".into(), stem)]
}

/// A template with its fields filled in, each as a part of a name.
fn filled(template: &str, fields: &[(String, String)]) -> String {
    let mut text = template.to_owned();
    for (field, value) in fields {
        let is_path = matches!(&**field, "path" | "name");
        let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c) || is_path && c == '/';
        let value: String = value.chars().map(|c| if plain(c) { c } else { '_' }).collect();
        text = text.replace(&format!("{{{field}}}"), &value);
    }
    text
}
