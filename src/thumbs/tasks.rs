//! Parts of a list for other processes: plain data that names models and their pictures.
//!
//! [`List::tasks`] takes a list apart where it was made, [`List::of_tasks`] puts a part together where it
//! is drawn. Names are unique in the whole list, so that pictures do not depend on how it is divided.

use std::collections::HashMap;

use super::Request;
use super::list::{Job, List};
use crate::error::OpenError;
use crate::location::Location;
use crate::scene::Files;

/// A model of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The model.
    pub input: Location,
    /// What its pictures are called, as a [`super::Template`] is written.
    pub names: String,
    /// Where its archives are known from.
    pub place: Place,
}

/// What a list was made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Files on disk: nothing is to be known before.
    Disk,
    /// The game of the scene.
    Game,
    /// An archive, a place in one, or a place in the game.
    Input(Location),
}

/// What a process knows of the archives of places, for all parts that it draws.
#[derive(Debug, Default)]
pub struct Places(HashMap<Place, Files>);

impl Places {
    /// The archives of a place, opened if they are not yet.
    fn get(&mut self, place: &Place, request: &Request) -> Result<Files, OpenError> {
        if let Some(files) = self.0.get(place) {
            return Ok(files.clone());
        }
        let files = Files::default();
        match place {
            Place::Disk => return Ok(files),
            Place::Game => drop(request.scene.game_models_in(&files)?),
            Place::Input(input) => {
                let scene = request.scene_of(input);
                scene.is_player_in(&files)?;
                drop(scene.models_in(&files)?);
            }
        }
        self.0.insert(place.clone(), files.clone());
        Ok(files)
    }
}

impl List {
    /// The models one by one.
    #[must_use]
    pub fn tasks(&self) -> Vec<Task> {
        let task = |job: &Job| Task {
            input: job.input.clone(),
            names: job.names.notation(),
            place: self.origins[job.place].clone(),
        };
        self.jobs.iter().map(task).collect()
    }

    /// [`super::Line::options`] of every model, as a run would write it now.
    #[must_use]
    pub fn options(&self, request: &Request) -> Vec<String> {
        let hashes: Vec<String> =
            self.places.iter().map(|files| request.hash(&files.archive_stamps())).collect();
        self.jobs.iter().map(|job| job.options(&hashes)).collect()
    }

    /// A part of a list from its tasks, for the same request.
    ///
    /// # Errors
    /// If an archive cannot be read, or a name is none.
    pub fn of_tasks(
        tasks: &[Task],
        request: &Request,
        known: &mut Places,
    ) -> Result<Self, OpenError> {
        let mut list = Self::default();
        for task in tasks {
            let place = match list.origins.iter().position(|origin| *origin == task.place) {
                Some(place) => place,
                None => {
                    list.places.push(known.get(&task.place, request)?);
                    list.origins.push(task.place.clone());
                    list.places.len() - 1
                }
            };
            list.inputs.insert(task.input.to_string());
            list.jobs.push(Job { input: task.input.clone(), place, names: task.names.parse()? });
        }
        Ok(list)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Poses, Shard};
    use super::*;
    use crate::scene::Scene;

    #[test]
    fn sizes_of_no_picture_are_refused() {
        for side in [0, 16385, u32::MAX] {
            let request = Request::new(Scene::default(), side, false, Poses::default(), None);
            assert!(request.unwrap_err().to_string().contains("1 to 16384"), "{side}");
        }
    }

    #[test]
    fn a_list_in_parts_has_the_same_names_and_places() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("a{b}");
        std::fs::create_dir(&name).unwrap();
        std::fs::copy("tests/models/bolt.mdl", name.join("{bolt}.mdl")).unwrap();
        let poses = Poses { all_clips: true, ..Poses::default() };
        let request = Request::new(Scene::default(), 64, false, poses, None).unwrap();
        let inputs = [Location::on_disk(folder.path()), Location::on_disk("tests/models")];
        let list = List::new(&inputs, &request, true, Shard::default()).unwrap();
        let tasks = list.tasks();
        assert!(tasks.iter().any(|task| task.names.starts_with("a{{b}}/{{bolt}}.mdl-{clip}")));
        assert!(tasks.len() > 4 && tasks.iter().all(|task| task.place == Place::Disk));
        let mut known = Places::default();
        for (job, task) in list.jobs.iter().zip(&tasks) {
            let part = List::of_tasks(std::slice::from_ref(task), &request, &mut known).unwrap();
            let [own] = &part.jobs[..] else { panic!("one model") };
            assert_eq!((&own.input, own.names.path()), (&job.input, job.names.path()));
        }
    }
}
