//! Pictures as arrays, and arrays as pictures.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::ndarray::{Array, Array2, Array3};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2, PyReadonlyArray3, PyUntypedArrayMethods,
};
use polyset::{Image, OpenError, Palette, Pixels};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::Trouble;
use crate::scene::Drawing;

/// A picture taken apart: its pixels are the image's memory, handed over without a copy.
pub(crate) struct Parts {
    /// (H, W, 4) colours, or (H, W) indices.
    pub(crate) pixels: Py<PyAny>,
    /// (256, 3) of an indexed picture.
    pub(crate) palette: Option<Py<PyArray2<u8>>>,
    pub(crate) transparent: Option<u8>,
}

impl Parts {
    pub(crate) fn of(py: Python<'_>, image: Image) -> Self {
        let (width, height) = (image.width() as usize, image.height() as usize);
        match image.into_pixels() {
            Pixels::Rgba(rgba) => {
                let array = Array3::from_shape_vec((height, width, 4), rgba);
                let array = array.expect("four bytes a pixel").into_pyarray(py);
                Self { pixels: array.into_any().unbind(), palette: None, transparent: None }
            }
            Pixels::Indexed { indices, palette, transparent } => {
                let array = Array2::from_shape_vec((height, width), indices);
                let array = array.expect("one byte a pixel").into_pyarray(py);
                let colors = palette.colors().as_flattened().to_vec();
                let colors = Array2::from_shape_vec((256, 3), colors).expect("256 colours");
                Self {
                    pixels: array.into_any().unbind(),
                    palette: Some(colors.into_pyarray(py).unbind()),
                    transparent,
                }
            }
        }
    }
}

/// A picture in colours, whatever it was.
pub(crate) fn rgba<'py>(py: Python<'py>, image: Image) -> Bound<'py, PyAny> {
    Parts::of(py, image.into_rgba()).pixels.into_bound(py)
}

/// Depth, (H, W): `f4` in 0..=1 of the precise renderer, `i2` of the classic one.
///
/// # Errors
/// If the interpreter refuses.
pub(crate) fn depth<'py>(
    py: Python<'py>,
    bytes: Vec<u8>,
    [width, height]: [u32; 2],
) -> PyResult<Bound<'py, PyAny>> {
    let pixels = width as usize * height as usize;
    let kind = if bytes.len() == 4 * pixels { "<f4" } else { "<i2" };
    let array = PyArray1::from_vec(py, bytes).call_method1("view", (kind,))?;
    array.call_method1("reshape", ((height, width),))
}

/// Points or directions, (N, 3).
pub(crate) fn triples<'py, T: numpy::Element>(
    py: Python<'py>,
    items: Vec<[T; 3]>,
) -> Bound<'py, PyArray2<T>> {
    table(py, items.len(), items.into_iter().flatten().collect())
}

/// A table of so many rows.
pub(crate) fn table<T: numpy::Element>(
    py: Python<'_>,
    rows: usize,
    items: Vec<T>,
) -> Bound<'_, PyArray2<T>> {
    let columns = items.len().checked_div(rows).unwrap_or(3);
    let array = Array::from_shape_vec((rows, columns), items);
    array.expect("rows of one length").into_pyarray(py)
}

/// A picture that Python gives: a drawing, the path of a file, an array (H, W, 4) or (H, W, 3) of colours, or
/// indices (H, W) with a palette.
///
/// # Errors
/// If it is none of these, or the file cannot be read.
pub(crate) fn image_of(
    value: &Bound<'_, PyAny>,
    palette: Option<&Bound<'_, PyAny>>,
    transparent: Option<u8>,
) -> PyResult<Image> {
    if let Ok(drawing) = value.cast::<Drawing>() {
        return drawing.get().image(value.py());
    }
    if let Ok(array) = value.extract::<PyReadonlyArray3<'_, u8>>() {
        let [height, width, channels] = [array.shape()[0], array.shape()[1], array.shape()[2]];
        let bytes = array.as_array();
        let rgba: Vec<u8> = match channels {
            4 => bytes.iter().copied().collect(),
            3 => {
                let bytes: Vec<u8> = bytes.iter().copied().collect();
                let pixels = bytes.as_chunks::<3>().0;
                pixels.iter().flat_map(|[r, g, b]| [*r, *g, *b, 255]).collect()
            }
            _ => return Err(unusable(value)),
        };
        let [width, height] = sides(width, height, value)?;
        return Ok(Image::from_rgba(width, height, rgba).map_err(Trouble::from)?);
    }
    if let Ok(array) = value.extract::<PyReadonlyArray2<'_, u8>>() {
        let [width, height] = sides(array.shape()[1], array.shape()[0], value)?;
        let palette = palette.ok_or_else(|| no_palette(None))?;
        let colors = palette.extract::<PyReadonlyArray2<'_, u8>>().ok();
        let colors = colors.filter(|colors| colors.shape() == [256, 3]);
        let colors = colors.ok_or_else(|| no_palette(Some(palette)))?;
        let colors: Vec<u8> = colors.as_array().iter().copied().collect();
        let palette = Arc::new(Palette::from_lmp(&colors).map_err(Trouble::from)?);
        let indices = array.as_array().iter().copied().collect();
        let image = Image::from_indices(width, height, indices, palette, transparent);
        return Ok(image.map_err(Trouble::from)?);
    }
    let Ok(path) = value.extract::<PathBuf>() else { return Err(unusable(value)) };
    Ok(value.py().detach(|| open(&path)).map_err(Trouble::from)?)
}

/// A picture as it was kept: indices stay indices.
fn open(path: &std::path::Path) -> Result<Image, OpenError> {
    Image::open_indexed_png(path).or_else(|_| Image::open_whole(path))
}

fn sides(width: usize, height: usize, value: &Bound<'_, PyAny>) -> PyResult<[u32; 2]> {
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width), Ok(height)) => Ok([width, height]),
        _ => Err(unusable(value)),
    }
}

fn no_palette(found: Option<&Bound<'_, PyAny>>) -> PyErr {
    let found = found.map(|found| format!("; found {}", described(found))).unwrap_or_default();
    PyTypeError::new_err(format!(
        "indices need a palette: an array of 256 colours, (256, 3) uint8{found}"
    ))
}

/// Type and shape of what was given.
fn described(value: &Bound<'_, PyAny>) -> String {
    let shape = value.getattr("shape").map(|shape| format!(" of shape {shape}"));
    format!("{}{}", value.get_type(), shape.unwrap_or_default())
}

fn unusable(value: &Bound<'_, PyAny>) -> PyErr {
    let found = described(value);
    PyTypeError::new_err(format!(
        "expected the path of a picture or an array of uint8, (H, W, 4), (H, W, 3) or (H, W); found \
         {found}"
    ))
}

/// Writes a picture that Python gives as PNG that says that polyset drew it, whole or not at all.
///
/// # Errors
/// If it is no picture, or the file cannot be written.
#[pyfunction]
#[pyo3(signature = (picture, path, *, palette=None, transparent=None))]
pub(crate) fn save_png(
    py: Python<'_>,
    picture: &Bound<'_, PyAny>,
    path: PathBuf,
    palette: Option<&Bound<'_, PyAny>>,
    transparent: Option<u8>,
) -> PyResult<()> {
    let image = image_of(picture, palette, transparent)?;
    Ok(py.detach(|| image.save_drawn(&path)).map_err(Trouble::from)?)
}
