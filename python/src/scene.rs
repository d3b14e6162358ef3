//! Scenes: what a picture shows, opening it and drawing it.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::PyArray2;
use polyset::scene::options::Command;
use polyset::{OpenError, Renderer};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::errors::Trouble;
use crate::model::matrix;
use crate::options::{check, refuse_others, set, set_all};
use crate::picture::{Parts, depth, image_of, rgba};

/// A picture, said completely.
#[pyclass(frozen, module = "polyset")]
#[derive(Clone)]
pub(crate) struct Scene {
    scene: polyset::Scene,
}

/// What a scene names, read: models, textures, animations.
#[pyclass(frozen, module = "polyset")]
pub(crate) struct Opened {
    opened: Mutex<polyset::scene::Opened>,
}

/// Draws scenes. Keeps its buffers from picture to picture.
#[pyclass(frozen, module = "polyset")]
pub(crate) struct Studio {
    studio: Mutex<polyset::scene::Studio>,
}

/// A picture that was drawn.
#[pyclass(frozen, module = "polyset")]
pub(crate) struct Drawing {
    parts: Parts,
    #[pyo3(get)]
    depth: Option<Py<PyAny>>,
    #[pyo3(get)]
    warnings: Vec<String>,
}

/// A thread that panicked has left whole values behind: they are replaced, never half written.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl Scene {
    /// The picture of a model, with options as keywords.
    #[new]
    #[pyo3(signature = (input, **options))]
    fn new(input: PathBuf, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut scene = polyset::Scene::new(input);
        options.map_or(Ok(()), |options| set_all(&mut scene, options))?;
        scene.check().map_err(Trouble::from)?;
        Ok(Self { scene })
    }

    /// The same scene with more options; what may be given several times is added.
    #[pyo3(signature = (**options))]
    fn with_options(&self, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut scene = self.scene.clone();
        options.map_or(Ok(()), |options| set_all(&mut scene, options))?;
        scene.check().map_err(Trouble::from)?;
        Ok(Self { scene })
    }

    /// What is drawn.
    #[getter]
    fn input(&self) -> OsString {
        let input = &self.scene.source.input;
        input.file().map_or_else(|| input.name().into(), polyset::Location::to_os_string)
    }

    /// Width and height in pixels.
    #[getter]
    fn size(&self) -> (u32, u32) {
        self.scene.picture_size().into()
    }

    /// The options that were said, as the command line has them.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for row in self.scene.given() {
            let values = row.values(&self.scene);
            let name = row.name.replace('-', "_");
            if row.value.is_none() {
                all.set_item(name, true)?;
            } else if row.repeats {
                all.set_item(name, values)?;
            } else {
                all.set_item(name, values.into_iter().next())?;
            }
        }
        Ok(all)
    }

    /// The `polyset render` command that draws the same picture.
    #[getter]
    fn command_line(&self) -> OsString {
        self.scene.command_line()
    }

    /// Reads the model and all that belongs to it.
    fn open(&self, py: Python<'_>) -> PyResult<Opened> {
        let opened = py.detach(|| self.scene.open()).map_err(Trouble::from)?;
        Ok(Opened { opened: Mutex::new(opened) })
    }

    /// The matrix from the scene to clip space (-w..w, y up) with which the precise renderer draws the
    /// picture, (4, 4).
    #[pyo3(signature = (opened=None))]
    fn clip_matrix<'py>(
        &self,
        py: Python<'py>,
        opened: Option<&Bound<'py, Opened>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let opened = opened.map(Bound::get);
        let columns = py.detach(|| match opened {
            Some(opened) => Ok(self.scene.clip_matrix(&lock(&opened.opened))?),
            None => Ok::<_, Trouble>(self.scene.clip_matrix(&self.scene.open()?)?),
        });
        Ok(matrix(py, &columns?))
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        other.scene == self.scene
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.scene.source.input.name().hash(&mut hasher);
        for row in self.scene.given() {
            row.name.hash(&mut hasher);
            for value in row.values(&self.scene) {
                // 0 and -0 are equal, and have to have the same hash.
                value.to_string_lossy().replace('-', "").hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let scene = &slf.get().scene;
        let input = match scene.source.input.file() {
            Some(file) => file.to_os_string(),
            None => "-".into(),
        };
        let said: Vec<(&str, Vec<OsString>)> =
            scene.given().map(|row| (row.name, row.values(scene))).collect();
        let class = slf.get_type().getattr("_of_values")?;
        Ok((class, (input, said).into_pyobject(py)?))
    }

    /// A scene from what `__reduce__` has kept.
    #[staticmethod]
    fn _of_values(input: PathBuf, said: Vec<(String, Vec<PathBuf>)>) -> PyResult<Self> {
        let mut scene = polyset::Scene::new(input);
        for (name, values) in said {
            for value in values {
                scene.set(&name, value).map_err(Trouble::from)?;
            }
        }
        Ok(Self { scene })
    }

    fn __repr__(&self) -> String {
        format!("<polyset.Scene: {}>", self.scene.command_line().display())
    }
}

#[pymethods]
impl Opened {
    /// Names of the models of the picture with those of their surfaces; the first one has the empty
    /// name unless it is a player's.
    #[getter]
    fn parts(&self, py: Python<'_>) -> Vec<(String, Vec<String>)> {
        let surfaces = |member: &polyset::scene::Opened| {
            member.model.surfaces().iter().map(|surface| surface.name().to_owned()).collect()
        };
        self.with(py, |opened| {
            opened.members().map(|(name, member)| (name.to_owned(), surfaces(member))).collect()
        })
    }

    /// The names of the clips that can be chosen.
    #[getter]
    fn clips(&self, py: Python<'_>) -> Vec<String> {
        self.with(py, |opened| {
            opened.clips().iter().map(|clip| clip.clip.name().to_owned()).collect()
        })
    }

    /// The files on disk that were read.
    #[getter]
    fn files(&self, py: Python<'_>) -> Vec<PathBuf> {
        self.with(py, |opened| opened.files())
    }

    /// What is odd about the models and their textures.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> Vec<String> {
        let of = |member: &polyset::scene::Opened| {
            let model = member.model.warnings().iter().map(ToString::to_string);
            model.chain(member.textures.warnings.iter().cloned()).collect::<Vec<_>>()
        };
        self.with(py, |opened| {
            let members = opened.members().flat_map(|(_, member)| of(member));
            opened.warnings.iter().cloned().chain(members).collect()
        })
    }

    /// Draws a surface of a part (by number) with another picture from now on.
    #[pyo3(signature = (surface, pixels, *, part=0, palette=None, transparent=None))]
    fn set_skin(
        &self,
        surface: usize,
        pixels: &Bound<'_, PyAny>,
        part: usize,
        palette: Option<&Bound<'_, PyAny>>,
        transparent: Option<u8>,
    ) -> PyResult<()> {
        let image = image_of(pixels, palette, transparent)?;
        self.with(pixels.py(), |opened| {
            let count = opened.parts.len() + 1;
            let member = match part.checked_sub(1) {
                None => Some(opened),
                Some(part) => opened.parts.get_mut(part).map(|part| &mut part.opened),
            };
            let Some(member) = member else {
                return Err(none("part", part, count));
            };
            let count = member.model.surfaces().len();
            if surface >= count {
                return Err(none("surface", surface, count));
            }
            member.model.set_skin(surface, image);
            Ok(())
        })
    }

    /// The picture that a surface of a part is drawn with, (H, W, 4); `None` if there is none.
    #[pyo3(signature = (surface, *, part=0))]
    fn skin<'py>(
        &self,
        py: Python<'py>,
        surface: usize,
        part: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let texture = self.with(py, |opened| {
            let count = opened.parts.len() + 1;
            let (_, member) =
                opened.members().nth(part).ok_or_else(|| none("part", part, count))?;
            let surfaces = member.model.surfaces();
            let surface =
                surfaces.get(surface).ok_or_else(|| none("surface", surface, surfaces.len()))?;
            Ok::<_, PyErr>(surface.texture().map(|image| image.as_ref().clone()))
        });
        Ok(texture?.map(|image| rgba(py, image)))
    }
}

impl Opened {
    /// Works on what was opened when no thread draws with it; others run while this one waits.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut polyset::scene::Opened) -> T + Send,
    ) -> T {
        py.detach(|| work(&mut lock(&self.opened)))
    }
}

fn none(what: &str, number: usize, count: usize) -> PyErr {
    PyIndexError::new_err(format!("there is no {what} {number}: there are {count}, counted from 0"))
}

#[pymethods]
impl Studio {
    /// Draws on so many threads; as many as the machine has unless said. A picture whose triangles cover
    /// more than `max_work` pixels together is refused.
    #[new]
    #[pyo3(signature = (*, threads=None, max_work=None))]
    fn new(threads: Option<usize>, max_work: Option<u64>) -> PyResult<Self> {
        let mut renderer = Renderer::new();
        if let Some(threads) = threads {
            check(Command::Render, "threads", &threads.to_string())?;
            renderer = renderer.with_threads(threads).map_err(Trouble::from)?;
        }
        if let Some(pixels) = max_work {
            renderer = renderer.with_max_work(pixels);
        }
        let studio = polyset::scene::Studio::new(renderer).with_depth();
        Ok(Self { studio: Mutex::new(studio) })
    }

    /// Lets the textures of earlier pictures go.
    fn forget_textures(&self, py: Python<'_>) {
        py.detach(|| lock(&self.studio).forget_textures());
    }

    /// Draws the picture of a scene; `opened` is what `open` gave for it, or for another scene of the
    /// same input.
    #[pyo3(signature = (scene, opened=None, *, depth=true))]
    fn draw(
        &self,
        py: Python<'_>,
        scene: &Bound<'_, Scene>,
        opened: Option<&Bound<'_, Opened>>,
        depth: bool,
    ) -> PyResult<Drawing> {
        let (scene, opened) = (&scene.get().scene, opened.map(Bound::get));
        let drawn = py.detach(|| {
            let mut studio = lock(&self.studio);
            let drawing = match opened {
                Some(opened) => studio.draw(scene, &mut lock(&opened.opened)),
                None => studio.draw(scene, &mut scene.open()?),
            };
            Ok::<_, Trouble>(drawing?)
        });
        Drawing::of(py, drawn?, depth)
    }
}

impl Drawing {
    /// A drawing in Python's memory.
    fn of(py: Python<'_>, drawing: polyset::scene::Drawing, keeps_depth: bool) -> PyResult<Self> {
        let polyset::scene::Drawing { image, depth: bytes, warnings, .. } = drawing;
        let size = [image.width(), image.height()];
        let bytes = bytes.filter(|_| keeps_depth);
        let depth = bytes.map(|bytes| depth(py, bytes, size)).transpose()?.map(Bound::unbind);
        Ok(Self { parts: Parts::of(py, image), depth, warnings })
    }

    pub(crate) fn image(&self, py: Python<'_>) -> PyResult<polyset::Image> {
        let palette = self.parts.palette.as_ref().map(|palette| palette.bind(py).as_any());
        image_of(self.parts.pixels.bind(py), palette, self.parts.transparent)
    }
}

#[pymethods]
impl Drawing {
    /// Colours (H, W, 4), or palette indices (H, W).
    #[getter]
    fn pixels<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.parts.pixels.bind(py).clone()
    }

    /// The colours of the indices, (256, 3); `None` of a picture in true colour.
    #[getter]
    fn palette<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<u8>>> {
        self.parts.palette.as_ref().map(|palette| palette.bind(py).clone())
    }

    /// The index that means "nothing is here".
    #[getter]
    fn transparent(&self) -> Option<u8> {
        self.parts.transparent
    }

    /// The hash that `polyset render --hash` prints, of what the arrays hold now: they may have been written to.
    #[getter]
    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        let image = self.image(py)?;
        Ok(format!("{:016x}", py.detach(|| image.hash())))
    }

    /// Colours (H, W, 4); indices are looked up.
    #[getter]
    fn rgba<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.parts.palette {
            None => Ok(self.pixels(py)),
            Some(_) => Ok(rgba(py, self.image(py)?)),
        }
    }

    /// The bytes of a PNG file, as `polyset render` writes it.
    fn png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let image = self.image(py)?;
        let bytes = py.detach(|| {
            let mut bytes = Vec::new();
            image.encode_drawn(&mut bytes).map(|()| bytes)
        });
        Ok(PyBytes::new(py, &bytes?))
    }

    /// Writes the picture as PNG, whole or not at all.
    fn save_png(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let image = self.image(py)?;
        Ok(py.detach(|| image.save_drawn(&path)).map_err(Trouble::from)?)
    }

    /// For notebooks.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.png(py)
    }
}

/// A picture of `size` x `size` pixels that tells a model from others, as `polyset thumb` draws it.
///
/// # Errors
/// If the model cannot be read or drawn.
#[pyfunction]
#[pyo3(signature = (path, size=256, *, honest=false, **options))]
pub(crate) fn thumbnail<'py>(
    py: Python<'py>,
    path: PathBuf,
    size: u32,
    honest: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Drawing> {
    check(Command::Thumb, "size", &size.to_string())?;
    let mut scene = polyset::Scene::new(path);
    if let Some(options) = options {
        refuse_others(Command::Thumb, "thumb", options)?;
        set_all(&mut scene, options)?;
    }
    set(&mut scene, "size", size.into_pyobject(py)?.as_any())?;
    let drawing = py.detach(|| {
        let mut opened = scene.open()?;
        let mut studio = polyset::scene::Studio::for_thumbnails(size)?;
        Ok::<_, Trouble>(studio.thumbnail(&scene, &mut opened, honest)?)
    });
    Drawing::of(py, drawing?, false)
}

/// What `polyset info --json` tells of a model, a player, a folder, an archive, or with `game` alone of a
/// game: the text of JSON.
///
/// # Errors
/// If it cannot be read.
#[pyfunction]
#[pyo3(signature = (path=None, **options))]
pub(crate) fn info(
    py: Python<'_>,
    path: Option<PathBuf>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let is_game = path.is_none();
    let mut scene = polyset::Scene::new(path.unwrap_or_default());
    if let Some(options) = options {
        refuse_others(Command::Info, "info", options)?;
        set_all(&mut scene, options)?;
    }
    if is_game && scene.source.game.is_none() {
        return Err(Trouble::Request("give a path, or game=".into()).into());
    }
    let known = py.detach(|| {
        let of = if is_game { polyset::info::Known::of_game } else { polyset::info::Known::of };
        of(&scene).map(|known| known.to_json())
    });
    Ok(known.map_err(|error: OpenError| Trouble::from(error))?)
}
