//! Models, clips and poses.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::PyArray2;
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::Trouble;
use crate::picture::{table, triples};

/// A model of any format.
#[pyclass(frozen, module = "polyset")]
pub(crate) struct Model {
    model: Arc<polyset::Model>,
}

/// A part of a model with a texture of its own.
#[pyclass(frozen, module = "polyset")]
pub(crate) struct Surface {
    model: Arc<polyset::Model>,
    number: usize,
}

/// An animation of a model.
#[pyclass(frozen, module = "polyset")]
pub(crate) struct Clip {
    clip: polyset::Clip,
}

/// A model at a moment.
#[pyclass(frozen, module = "polyset")]
pub(crate) struct Pose {
    pose: polyset::Pose,
}

#[pymethods]
impl Model {
    /// Reads a model file and finds its textures as the games do.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let model = py.detach(|| polyset::Model::open(&path)).map_err(Trouble::from)?;
        Ok(Self { model: Arc::new(model) })
    }

    /// Reads the bytes of a model file, without textures.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &Bound<'_, PyBytes>) -> PyResult<Self> {
        let bytes = data.as_bytes();
        let model = py.detach(|| polyset::Model::from_bytes(bytes));
        let named = |source| polyset::OpenError::Load { file: "bytes".into(), source };
        Ok(Self { model: Arc::new(model.map_err(named).map_err(Trouble::from)?) })
    }

    /// "mdl", "md2", "md3" or "md5mesh".
    #[getter]
    fn format(&self) -> &'static str {
        self.model.format().extension()
    }

    /// The name inside the file.
    #[getter]
    fn name(&self) -> &str {
        self.model.name()
    }

    /// The animations.
    #[getter]
    fn clips(&self) -> Vec<Clip> {
        self.model.clips().iter().cloned().map(|clip| Clip { clip }).collect()
    }

    /// An animation by its name or number.
    fn clip(&self, name: &Bound<'_, PyAny>) -> PyResult<Clip> {
        let name = name.str()?.extract::<String>()?;
        let clip = self.model.clip(&name).map_err(Trouble::from)?.clone();
        Ok(Clip { clip })
    }

    /// The surfaces in file order.
    #[getter]
    fn surfaces(&self) -> Vec<Surface> {
        let numbers = 0..self.model.surfaces().len();
        numbers.map(|number| Surface { model: Arc::clone(&self.model), number }).collect()
    }

    /// Names of the skins that the file has; empty strings for pictures inside it.
    #[getter]
    fn skins(&self) -> Vec<&str> {
        self.model.skins().iter().map(polyset::Skin::name).collect()
    }

    /// Names of the tags.
    #[getter]
    fn tag_names(&self) -> Vec<&str> {
        self.model.tag_names().iter().map(String::as_str).collect()
    }

    /// Joints of a skeleton: names, and numbers of the joints that they hang on.
    #[getter]
    fn joints(&self) -> Vec<(&str, Option<usize>)> {
        self.model.joints().collect()
    }

    /// How many frames there are, those of all clips.
    #[getter]
    fn frame_count(&self) -> usize {
        self.model.frame_count()
    }

    /// How many triangles all surfaces have.
    #[getter]
    fn triangle_count(&self) -> usize {
        self.model.triangle_count()
    }

    /// Defects that did not stop the reading.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.model.warnings().iter().map(ToString::to_string).collect()
    }

    /// The model `time` seconds after the beginning of a clip, which is a `Clip`, a name or a number;
    /// without one in its first frame.
    #[pyo3(signature = (clip=None, time=0.0))]
    fn pose(&self, py: Python<'_>, clip: Option<&Bound<'_, PyAny>>, time: f32) -> PyResult<Pose> {
        let Some(clip) = clip else {
            return Ok(Pose { pose: self.model.pose_blend(polyset::Blend::frame(0)) });
        };
        let clip = match clip.cast::<Clip>() {
            Ok(clip) => clip.get().clip.clone(),
            Err(_) => self.clip(clip)?.clip,
        };
        Ok(Pose { pose: py.detach(|| self.model.pose(&clip, time)) })
    }

    fn __repr__(&self) -> String {
        let Self { model } = self;
        let (format, triangles) = (model.format().extension(), model.triangle_count());
        format!("<polyset.Model: .{format}, {triangles} triangles, {} clips>", model.clips().len())
    }
}

impl Surface {
    fn surface(&self) -> &polyset::Surface {
        &self.model.surfaces()[self.number]
    }
}

#[pymethods]
impl Surface {
    /// Its name; empty where the format has none.
    #[getter]
    fn name(&self) -> &str {
        self.surface().name()
    }

    /// Names of textures, shader scripts or materials.
    #[getter]
    fn shaders(&self) -> Vec<&str> {
        self.surface().shaders().iter().map(String::as_str).collect()
    }

    /// How many vertices it has.
    #[getter]
    fn vertex_count(&self) -> usize {
        self.surface().vertex_count()
    }

    /// Vertices of each triangle, (T, 3); clockwise seen from outside.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        triples(py, self.surface().triangles().to_vec())
    }

    /// Texture coordinates of each vertex, (V, 2); (0, 0) is the upper left corner.
    #[getter]
    fn texcoords<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        let coordinates = self.surface().texcoords();
        table(py, coordinates.len(), coordinates.as_flattened().to_vec())
    }

    fn __repr__(&self) -> String {
        let surface = self.surface();
        let triangles = surface.triangles().len();
        format!("<polyset.Surface '{}': {triangles} triangles>", surface.name())
    }
}

#[pymethods]
impl Clip {
    /// Unique in its model.
    #[getter]
    fn name(&self) -> &str {
        self.clip.name()
    }

    /// The first frame in file order, and the one behind the last.
    #[getter]
    fn frames(&self) -> (usize, usize) {
        let frames = self.clip.frames();
        (frames.start, frames.end)
    }

    /// Seconds until it repeats; 0 for a single frame.
    #[getter]
    fn duration(&self) -> f32 {
        self.clip.duration()
    }

    fn __repr__(&self) -> String {
        let count = self.clip.frames().len();
        format!("<polyset.Clip '{}': {count} frames>", self.clip.name())
    }
}

#[pymethods]
impl Pose {
    /// Positions of the vertices of a surface, (V, 3).
    fn positions<'py>(
        &self,
        py: Python<'py>,
        surface: usize,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.check(surface)?;
        Ok(triples(py, self.pose.positions(surface).collect()))
    }

    /// Normals of the vertices of a surface, (V, 3).
    fn normals<'py>(&self, py: Python<'py>, surface: usize) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.check(surface)?;
        Ok(triples(py, self.pose.normals(surface).collect()))
    }

    /// The least and the greatest coordinates of all vertices.
    #[getter]
    fn bounds(&self) -> ((f32, f32, f32), (f32, f32, f32)) {
        let [min, max] = self.pose.bounds();
        (min.into(), max.into())
    }

    /// A tag as a matrix from its space to the model's, (4, 4).
    fn tag<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let tag = self.pose.tag(name).ok_or_else(|| {
            let known: Vec<&str> = self.pose.tags().map(|(name, _)| name).collect();
            PyKeyError::new_err(format!("there is no tag '{name}'; there are {known:?}"))
        })?;
        Ok(matrix(py, &tag.columns()))
    }

    /// All tags by name.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, self.pose.tags())
    }

    /// All joints of a skeleton by name.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, self.pose.joints())
    }
}

impl Pose {
    fn check(&self, surface: usize) -> PyResult<()> {
        let count = self.pose.surface_count();
        if surface < count {
            return Ok(());
        }
        let message = format!("there is no surface {surface}: there are {count}, counted from 0");
        Err(PyIndexError::new_err(message))
    }
}

fn by_name<'py, 'a>(
    py: Python<'py>,
    places: impl Iterator<Item = (&'a str, polyset::Transform)>,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (name, place) in places {
        all.set_item(name, matrix(py, &place.columns()))?;
    }
    Ok(all)
}

/// A column-major matrix as rows.
pub(crate) fn matrix<'py>(py: Python<'py>, columns: &[f32; 16]) -> Bound<'py, PyArray2<f32>> {
    let row = |row: usize| (0..4).map(move |column| columns[4 * column + row]);
    table(py, 4, (0..4).flat_map(row).collect())
}
