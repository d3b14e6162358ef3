//! polyset as a Python package: the compiled part of it.
//!
//! The classes have the names of the library. Everything that reads or draws lets other threads of the
//! interpreter run meanwhile. `lib/polyset/__init__.pyi` documents what Python sees.

mod compare;
mod errors;
mod model;
mod options;
mod picture;
mod scene;
mod thumbs;

use pyo3::prelude::*;

#[pymodule]
fn _polyset(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::add_to(module)?;
    module.add_class::<model::Model>()?;
    module.add_class::<model::Clip>()?;
    module.add_class::<model::Pose>()?;
    module.add_class::<model::Surface>()?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<scene::Opened>()?;
    module.add_class::<scene::Studio>()?;
    module.add_class::<scene::Drawing>()?;
    module.add_class::<compare::Comparison>()?;
    module.add_class::<thumbs::Thumbs>()?;
    module.add_function(wrap_pyfunction!(thumbs::line_check, module)?)?;
    module.add_function(wrap_pyfunction!(scene::thumbnail, module)?)?;
    module.add_function(wrap_pyfunction!(scene::info, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare, module)?)?;
    module.add_function(wrap_pyfunction!(picture::save_png, module)?)?;
    module.add_function(wrap_pyfunction!(options::options, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
