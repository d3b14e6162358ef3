//! Which models: from files, folders, archives and games to jobs, each with a name of its own.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Request;
use super::manifest::Line;
use super::shard::Shard;
use super::tasks::Place;
use super::template::{Field, Template, as_part};
use crate::error::OpenError;
use crate::files::canonical;
use crate::hash::Hash;
use crate::location::Location;
use crate::scene::{Files, Input, Models, Scene};

/// A model of a list.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) input: Location,
    /// Which of the places of the list knows its folder or archive.
    pub(super) place: usize,
    /// The names of its pictures, with the fields that tell them apart.
    pub(super) names: Template,
}

impl Job {
    /// [`Line::options`], of the hash of every place's options: those of a model whose pictures have other
    /// names because another one has come before it are others.
    pub(super) fn options(&self, of_places: &[String]) -> String {
        let said = format!("{} {}", of_places[self.place], self.names);
        format!("{:016x}", Hash::new().bytes(said.as_bytes()))
    }
}

/// The models that were asked for.
#[derive(Clone, Debug, Default)]
pub struct List {
    pub(super) jobs: Vec<Job>,
    /// What is known of each place's folders and archives.
    pub(super) places: Vec<Files>,
    /// Which of them has been gone through for archives.
    pub(super) origins: Vec<Place>,
    /// The inputs of the whole list, of which these may be a part.
    pub(super) inputs: HashSet<String>,
    /// What is odd about archives, and inputs that hold nothing.
    pub warnings: Vec<String>,
}

impl List {
    /// Goes through `inputs`: models, folders (those within too if `recursive`), archives and folders in
    /// them; without any the whole game of the scene. A model that is there twice, whatever it is called,
    /// counts once. An input that does not exist or cannot be read is one that cannot be drawn.
    ///
    /// # Errors
    /// If there is no such game, or no input can be read.
    pub fn new(
        inputs: &[Location],
        request: &Request,
        recursive: bool,
        shard: Shard,
    ) -> Result<Self, OpenError> {
        let mut list = Self::default();
        let mut found = Vec::new();
        if inputs.is_empty() {
            let files = Files::default();
            let models = request.scene.game_models_in(&files)?;
            found.extend(named(&models).map(|model| (model, 0)));
            list.warnings.extend(models.warnings);
            list.push_place(files, Place::Game);
        }
        let mut errors = Vec::new();
        for input in inputs {
            let place = list.places.len();
            match list.look_into(input, request, recursive) {
                Ok(models) => found.extend(models.into_iter().map(|model| (model, place))),
                Err(error) => {
                    found.push(((input.clone(), file_name(input)), place));
                    list.push_place(Files::default(), Place::Disk);
                    errors.push(error);
                }
            }
        }
        if errors.len() == inputs.len()
            && let Some(first) = errors.into_iter().next()
        {
            return Err(first);
        }
        let mut seen = HashSet::new();
        found.retain(|((file, _), _)| seen.insert(canonical(file)));
        list.inputs = found.iter().map(|((file, _), _)| file.to_string()).collect();
        let names =
            unique(&found.iter().map(|((_, name), _)| name).collect::<Vec<_>>(), &request.template);
        for (((input, name), place), names) in found.into_iter().zip(names) {
            if shard.has(&name) {
                list.jobs.push(Job { input, place, names });
            }
        }
        Ok(list)
    }

    /// How many models there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The files and archives that the models lie in.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        self.jobs.iter().map(|job| job.input.path().to_path_buf()).collect()
    }

    /// Puts lines into the order of the list.
    pub fn sort(&self, lines: &mut [Line]) {
        let places: HashMap<String, usize> = self
            .jobs
            .iter()
            .enumerate()
            .map(|(number, job)| (job.input.to_string(), number))
            .collect();
        lines.sort_by_key(|line| (places.get(&line.input).copied(), line.picture));
    }

    /// The models of one input with their names.
    fn look_into(
        &mut self,
        input: &Location,
        request: &Request,
        recursive: bool,
    ) -> Result<Vec<(Location, String)>, OpenError> {
        let files = Files::default();
        let scene = request.scene_of(input);
        let is_player = scene.is_player_in(&files)?;
        let found = match scene.models_in(&files)?.filter(|_| !is_player) {
            None => {
                scene.check_input()?;
                vec![(input.clone(), file_name(input))]
            }
            Some(models) => {
                let is_folder = input.path().is_dir() && !recursive;
                let is_deep = |name: &str| is_folder && name.contains('/');
                let all = models.files.len();
                let flat: Vec<_> = named(&models).filter(|(_, name)| !is_deep(name)).collect();
                self.warnings.extend(models.warnings);
                if flat.is_empty() {
                    let deeper = match all {
                        0 => String::new(),
                        all => {
                            format!("; the folders in it have {all}, which --recursive takes too")
                        }
                    };
                    self.warnings.push(format!("'{input}' has no models{deeper}"));
                }
                flat
            }
        };
        self.push_place(files, Place::Input(input.clone()));
        Ok(found)
    }

    fn push_place(&mut self, files: Files, origin: Place) {
        let has_archives = !files.archive_stamps().is_empty();
        self.origins.push(if has_archives { origin } else { Place::Disk });
        self.places.push(files);
    }
}

/// What a model is called that was named by itself.
fn file_name(input: &Location) -> String {
    input.file_name().to_string_lossy().into_owned()
}

/// What a picture each is made of, players as one, with their names.
fn named(models: &Models) -> impl Iterator<Item = (Location, String)> {
    models.pictures().into_iter().map(|file| {
        let name = models.name_of(&file);
        (file, name)
    })
}

impl Request {
    /// The scene of a model.
    pub(super) fn scene_of(&self, input: &Location) -> Scene {
        let mut scene = self.scene.clone();
        scene.source.input = Input::File(input.clone());
        scene
    }
}

/// The names of the pictures of every model, different from each other whatever the case: where two
/// would be called the same, the later one gets a number.
fn unique(names: &[&String], template: &Template) -> Vec<Template> {
    let wanted: Vec<Template> = names.iter().map(|name| partly(template, name)).collect();
    let key = |template: &Template| template.path().to_string_lossy().to_lowercase();
    let mut taken: HashSet<String> = wanted.iter().map(key).collect();
    let mut times: HashMap<String, u32> = HashMap::new();
    let unique = wanted.into_iter().map(|name| {
        let count = times.entry(key(&name)).or_default();
        *count += 1;
        if *count == 1 {
            return name;
        }
        loop {
            let numbered = name.numbered(*count);
            if taken.insert(key(&numbered)) {
                return numbered;
            }
            *count += 1;
        }
    });
    unique.collect()
}

/// The template with what is known of a model before it is opened.
fn partly(template: &Template, name: &str) -> Template {
    let (dir, file) = name.rsplit_once('/').unwrap_or(("", name));
    let path = Path::new(file);
    let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    template.with(|field| match field {
        Field::Dir => Some(dir.to_owned()),
        Field::File => Some(as_part(file)),
        Field::Model => Some(as_part(&text(path.file_stem()))),
        Field::Ext => Some(as_part(&text(path.extension()))),
        Field::Skin | Field::Clip | Field::Frame => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_whatever_the_case() {
        let names = ["a/ogre.mdl", "a/OGRE.mdl", "b/ogre.md2", "ogre.md2", "ogre.mdl", "ogre.mdl"];
        let names = names.map(str::to_owned);
        for (template, expected) in [
            (
                "{dir}/{file}.png",
                "a/ogre.mdl.png a/OGRE.mdl-2.png b/ogre.md2.png ogre.md2.png ogre.mdl.png \
                 ogre.mdl-2.png",
            ),
            ("{model}.png", "ogre.png OGRE-2.png ogre-3.png ogre-4.png ogre-5.png ogre-6.png"),
            (
                "{dir}/{model}-{frame:2}.png",
                "a/ogre-{frame_2}.png a/OGRE-{frame_2}-2.png b/ogre-{frame_2}.png \
                 ogre-{frame_2}.png ogre-{frame_2}-2.png ogre-{frame_2}-3.png",
            ),
        ] {
            let names: Vec<&String> = names.iter().collect();
            let found = unique(&names, &template.parse().unwrap());
            let found: Vec<String> =
                found.iter().map(|name| name.path().display().to_string()).collect();
            assert_eq!(found.join(" "), expected, "{template}");
        }
        // A name that is like a numbered one.
        let names = ["x.md2", "x.md2", "x.md2-2"].map(str::to_owned);
        let found = unique(&names.iter().collect::<Vec<_>>(), &"{file}.png".parse().unwrap());
        let found: HashSet<_> = found.iter().map(Template::path).collect();
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
