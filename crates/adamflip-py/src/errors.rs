//! Errors as exceptions of Python: a sentence, a hint, and where errors of a problem are.

use adamflip::Error;
use adamflip::problem::BuildError;
use adamflip_run::{ErrorKind, RunError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// An exception of the package by the name of its class.
fn exception(class: &str, message: &str, hint: Option<&str>, places: Option<&BuildError>) -> PyErr {
    let made = Python::attach(|py| -> PyResult<PyErr> {
        let mistakes = PyList::empty(py);
        for mistake in places.iter().flat_map(|places| &places.diagnostics) {
            let (line, column) = place(places, mistake);
            let entry = PyDict::new(py);
            entry.set_item("message", &mistake.message)?;
            entry.set_item("label", &mistake.label)?;
            entry.set_item("hint", mistake.hint.as_deref())?;
            entry.set_item("line", line)?;
            entry.set_item("column", column)?;
            mistakes.append(entry)?;
        }
        let class = py.import("adamflip.errors")?.getattr(class)?;
        Ok(PyErr::from_value(class.call1((message, hint, mistakes))?))
    });
    made.unwrap_or_else(|error| error)
}

/// Line and column of an error, from 1.
fn place(places: Option<&BuildError>, mistake: &adamflip::diagnostic::Diagnostic) -> (usize, usize) {
    let text =
        places.and_then(|places| places.sources.get(mistake.span.source)).map_or("", |source| &source.text);
    let before = &text[..text.floor_char_boundary(mistake.span.start)];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (1 + before.matches('\n').count(), 1 + before[start..].chars().count())
}

/// Wrong input with what to do about it.
pub(crate) fn input(message: impl std::fmt::Display, hint: impl std::fmt::Display) -> PyErr {
    exception("InputError", &message.to_string(), Some(&hint.to_string()), None)
}

/// A keyword that there is not.
pub(crate) fn keyword(message: impl std::fmt::Display, hint: impl std::fmt::Display) -> PyErr {
    exception("KeywordError", &message.to_string(), Some(&hint.to_string()), None)
}

/// An error of the library.
pub(crate) fn raised(error: Error) -> PyErr {
    match &error {
        Error::Build(mistakes) => exception("ProblemError", &error.to_string(), None, Some(mistakes)),
        Error::Io { .. } => exception("RunFailure", &error.to_string(), None, None),
        _ => {
            // Messages of the library bring their hints along.
            let text = error.to_string();
            let (message, hint) = match text.split_once("\nhint: ") {
                Some((message, hint)) => (message, Some(hint)),
                None => (text.as_str(), None),
            };
            exception("InputError", message, hint, None)
        }
    }
}

/// An error of a run.
pub(crate) fn of_run(error: RunError) -> PyErr {
    let class = match (error.rejected(), error.kind()) {
        (Some(_), _) => "ProblemError",
        (None, ErrorKind::BadInput) => "InputError",
        (None, _) => "RunFailure",
    };
    exception(class, error.message(), error.hint(), error.rejected())
}

/// The same, with the exception that it comes from.
pub(crate) fn input_from(py: Python<'_>, cause: PyErr, message: String, hint: &str) -> PyErr {
    let error = input(message, hint);
    error.set_cause(py, Some(cause));
    error
}
