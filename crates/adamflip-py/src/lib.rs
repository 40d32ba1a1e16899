//! The Python module `adamflip._adamflip`: problems, runs and minimisation, for the package in `python/`.
//!
//! Everything that takes long runs without Python's lock. Nothing here knows mathematics: `adamflip` does,
//! and `adamflip-run` keeps the runs.

// θ is the name that the library gives to parameters.
#![allow(mixed_script_confusables)]

mod array;
mod errors;
mod functions;
mod logging;
mod minimize;
mod pool;
mod problem;
mod settings;
mod solution;
mod training;

use std::ffi::OsString;
use std::path::PathBuf;

use adamflip_cli::Invocation;
use pyo3::prelude::*;

/// The program `adamflip` with these arguments; returns its exit code. `executable` with `-m adamflip` starts
/// its children.
#[pyfunction]
fn main(py: Python<'_>, executable: PathBuf, arguments: Vec<OsString>) -> u8 {
    py.detach(|| adamflip_cli::run(Invocation::by(executable, &["-m", "adamflip"], arguments)))
}

/// The native half of the package.
#[pymodule]
fn _adamflip(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<problem::Draft>()?;
    module.add_class::<solution::Solution>()?;
    module.add_function(wrap_pyfunction!(solution::report, module)?)?;
    module.add_function(wrap_pyfunction!(solution::resume, module)?)?;
    module.add_function(wrap_pyfunction!(problem::seconds, module)?)?;
    module.add_function(wrap_pyfunction!(minimize::methods, module)?)?;
    module.add_function(wrap_pyfunction!(minimize::takes_few_steps, module)?)?;
    module.add_function(wrap_pyfunction!(minimize::minimize, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)
}
