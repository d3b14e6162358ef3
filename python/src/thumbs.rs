//! Many thumbnails, a part of the list at a time: what the processes of a cluster do.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use polyset::Location;
use polyset::scene::options::Command;
use polyset::thumbs::{
    Destination, Event, FrameChoice, Line, List, Place, Places, Poses, Request, Shard, Task,
    draw_into,
};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::Trouble;
use crate::options::{check, set_all};

/// What to draw of every model of a list.
#[pyclass(frozen, module = "polyset")]
pub(crate) struct Thumbs {
    request: Request,
    known: Mutex<Places>,
}

/// What the manifest says as `check` of a line, which may have one or not.
#[pyfunction]
pub(crate) fn line_check(line: &str) -> PyResult<String> {
    let line: Line =
        serde_json::from_str(line).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(line.check())
}

/// A model: input, names of pictures, "disk", "game" or "input", and that input.
type Row = (PathBuf, String, String, PathBuf);

#[pymethods]
impl Thumbs {
    /// Pictures of `size` x `size` pixels, with the options that all of them share. `name` is the template
    /// of names below the folder.
    #[new]
    #[pyo3(signature = (size=256, *, honest=false, skins=false, clips=false, frames=None, name=None, **options))]
    fn new(
        size: u32,
        honest: bool,
        skins: bool,
        clips: bool,
        frames: Option<&Bound<'_, PyAny>>,
        name: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut scene = polyset::Scene::new("");
        options.map_or(Ok(()), |options| set_all(&mut scene, options))?;
        let size = check(Command::Thumbs, "size", &size.to_string()).map(|()| size)?;
        let frames = match frames {
            None => None,
            Some(frames) => {
                let text = frames.str()?.extract::<String>()?;
                check(Command::Thumbs, "frames", &text)?;
                Some(text.parse().map_or(FrameChoice::All, FrameChoice::Count))
            }
        };
        let poses = Poses { all_skins: skins, all_clips: clips, frames };
        let name = name.map(str::parse).transpose().map_err(Trouble::from)?;
        let request = Request::new(scene, size, honest, poses, name).map_err(Trouble::from)?;
        Ok(Self { request, known: Mutex::default() })
    }

    /// The models of files, folders, archives and places in them, and warnings about these; without any
    /// inputs those of the game.
    #[pyo3(signature = (inputs, *, recursive=false))]
    fn list(
        &self,
        py: Python<'_>,
        inputs: Vec<PathBuf>,
        recursive: bool,
    ) -> PyResult<(Vec<Row>, Vec<String>)> {
        let inputs: Vec<Location> =
            inputs.iter().map(|input| Location::from(input.as_os_str())).collect();
        let list = py.detach(|| List::new(&inputs, &self.request, recursive, Shard::default()));
        let list = list.map_err(Trouble::from)?;
        let rows = list.tasks().into_iter().map(row).collect();
        Ok((rows, list.warnings))
    }

    /// Whether nothing has changed that the pictures of a model were made of, by the lines that a manifest has
    /// of it; whether the pictures are there is not looked at.
    fn is_unchanged(&self, py: Python<'_>, row: Row, lines: Vec<String>) -> PyResult<bool> {
        let parsed: Result<Vec<Line>, _> =
            lines.iter().map(|line| serde_json::from_str(line)).collect();
        // What cannot be read is drawn again.
        let Ok(lines) = parsed else { return Ok(false) };
        py.detach(|| {
            let list = self.part(&[task(row)])?;
            Ok(list.is_unchanged(&self.request, 0, &lines))
        })
    }

    /// Draws the pictures of some models of a list into a folder as `polyset thumbs` does; `manifest` has
    /// the lines that are known of them, and gets the new ones. Returns the lines of all of them.
    #[pyo3(signature = (rows, folder, manifest, *, redraw=false, force=false, threads=1))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn draw(
        &self,
        py: Python<'_>,
        rows: Vec<Row>,
        folder: PathBuf,
        manifest: PathBuf,
        redraw: bool,
        force: bool,
        threads: usize,
    ) -> PyResult<Vec<String>> {
        let tasks: Vec<Task> = rows.into_iter().map(task).collect();
        let destination = Destination {
            folder,
            manifest: Some(manifest),
            shard: Shard::default(),
            threads: NonZero::new(threads),
            redraw,
            force,
        };
        let lines = py.detach(|| self.draw_tasks(&tasks, &destination))?;
        let text = |line: &Line| serde_json::to_string(line).expect("plain data is JSON");
        Ok(lines.iter().map(text).collect())
    }
}

impl Thumbs {
    fn part(&self, tasks: &[Task]) -> PyResult<List> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let list = List::of_tasks(tasks, &self.request, &mut known);
        Ok(list.map_err(Trouble::from)?)
    }

    fn draw_tasks(&self, tasks: &[Task], destination: &Destination) -> PyResult<Vec<Line>> {
        let list = self.part(tasks)?;
        let lines = Mutex::new(Vec::new());
        let tell = |event: Event<'_>| {
            if let Event::Drawn(line) | Event::Kept(line) | Event::Failed(line) = event {
                lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.clone());
            }
        };
        draw_into(destination, &self.request, &list, &tell)
            .map_err(|error| PyOSError::new_err(error.to_string()))?;
        let mut lines = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
        list.sort(&mut lines);
        Ok(lines)
    }
}

fn row(task: Task) -> Row {
    let (kind, place) = match task.place {
        Place::Disk => ("disk", PathBuf::new()),
        Place::Game => ("game", PathBuf::new()),
        Place::Input(input) => ("input", PathBuf::from(input.to_os_string())),
    };
    (PathBuf::from(task.input.to_os_string()), task.names, kind.to_owned(), place)
}

fn task((input, names, kind, place): Row) -> Task {
    let location = |path: PathBuf| Location::from(path.as_os_str());
    let place = match &*kind {
        "game" => Place::Game,
        "input" => Place::Input(location(place)),
        _ => Place::Disk,
    };
    Task { input: location(input), names, place }
}
