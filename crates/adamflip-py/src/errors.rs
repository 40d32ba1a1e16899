//! Exceptions of the package, which Python defines (`adamflip.errors`).

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An `InputError` with its sentence and what to do.
pub(crate) fn input(py: Python<'_>, message: impl Into<String>, hint: impl Into<String>) -> PyErr {
    static INPUT_ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = match INPUT_ERROR.import(py, "adamflip.errors", "InputError") {
        Ok(class) => class,
        Err(error) => return error,
    };
    match class.call1((message.into(), hint.into())) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// The same, with the exception that it comes from.
pub(crate) fn input_from(py: Python<'_>, cause: PyErr, message: String, hint: &str) -> PyErr {
    let error = input(py, message, hint);
    error.set_cause(py, Some(cause));
    error
}
