//! How two pictures differ.

use polyset::{Metric, Tolerance, Verdict};
use pyo3::prelude::*;

use crate::errors::Trouble;
use crate::picture::{image_of, rgba};

/// What came of a comparison.
#[pyclass(frozen, module = "polyset")]
pub(crate) struct Comparison {
    judgement: polyset::Judgement,
    tolerance: Tolerance,
    expected: polyset::Image,
    actual: polyset::Image,
}

/// Compares two pictures: drawings, paths of files, or arrays. Without a tolerance nothing may differ; with
/// `indices` the indices of indexed pictures neither.
///
/// # Errors
/// If a picture cannot be read, or the tolerance is none.
#[pyfunction]
#[pyo3(signature = (expected, actual, *, metric=None, threshold=None, max_differing=None, ignore_regions=Vec::new(), indices=false, palette=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn compare(
    py: Python<'_>,
    expected: &Bound<'_, PyAny>,
    actual: &Bound<'_, PyAny>,
    metric: Option<&str>,
    threshold: Option<f64>,
    max_differing: Option<&Bound<'_, PyAny>>,
    ignore_regions: Vec<[u32; 4]>,
    indices: bool,
    palette: Option<&Bound<'_, PyAny>>,
) -> PyResult<Comparison> {
    let read = |value| {
        let image = image_of(value, palette, None)?;
        Ok::<_, PyErr>(if indices { image } else { image.into_rgba() })
    };
    let (expected, actual) = (read(expected)?, read(actual)?);
    let metric = metric.map(str::parse::<Metric>).transpose().map_err(Trouble::from)?;
    let tolerance = Tolerance::new(metric, threshold).map_err(Trouble::from)?;
    let regions = ignore_regions.into_iter();
    let regions = regions.map(|[x, y, width, height]| polyset::Region { x, y, width, height });
    let mut tolerance = tolerance.ignoring(regions.collect());
    if let Some(allowance) = max_differing {
        let allowance = allowance.str()?.extract::<String>()?;
        let allowance = allowance.parse().map_err(Trouble::from)?;
        tolerance = tolerance.max_differing(allowance);
    }
    let judgement = py.detach(|| tolerance.judge(&expected, &actual));
    Ok(Comparison { judgement, tolerance, expected, actual })
}

#[pymethods]
impl Comparison {
    /// Whether the pictures are equal as far as was asked.
    #[getter]
    fn is_accepted(&self) -> bool {
        self.judgement.is_accepted()
    }

    /// Whether size and every pixel are equal, and of two indexed pictures the indices.
    #[getter]
    fn is_equal(&self) -> bool {
        self.judgement.comparison().is_equal()
    }

    /// "equal", "tolerated" or "different".
    #[getter]
    fn verdict(&self) -> &'static str {
        match self.judgement.verdict() {
            Verdict::Equal => "equal",
            Verdict::Different => "different",
            _ => "tolerated",
        }
    }

    /// Number of pixels whose error is over the threshold.
    #[getter]
    fn differing(&self) -> u64 {
        self.judgement.differing()
    }

    /// Number of pixels that were compared.
    #[getter]
    fn compared(&self) -> u64 {
        self.judgement.comparison().compared()
    }

    /// The error by the metric in the mean of all pixels.
    #[getter]
    fn mean_error(&self) -> f64 {
        self.judgement.mean_error()
    }

    /// The largest error by the metric, and the column and row where it is.
    #[getter]
    fn worst_error(&self) -> Option<(f64, (u32, u32))> {
        self.judgement.worst_error().map(|(error, [x, y])| (error, (x, y)))
    }

    /// Expected, difference and actual side by side, (H, W, 4).
    fn picture<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        rgba(py, py.detach(|| self.tolerance.picture(&self.expected, &self.actual)))
    }

    /// Writes `picture` as PNG, whole or not at all.
    fn save_picture(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        let draw = || self.tolerance.picture(&self.expected, &self.actual).save_drawn(&path);
        Ok(py.detach(draw).map_err(Trouble::from)?)
    }

    fn __bool__(&self) -> bool {
        self.judgement.is_accepted()
    }

    fn __str__(&self) -> String {
        self.judgement.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<polyset.Comparison: {}>", self.judgement)
    }
}
