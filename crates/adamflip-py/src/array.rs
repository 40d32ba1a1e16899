//! Numbers that Python functions return: anything that numpy takes for an array of them.

use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::errors;

/// What a function returned, under a name for messages.
pub(crate) struct Returned<'py> {
    /// As in "the gradient of `fun`".
    name: &'static str,
    array: PyReadonlyArrayDyn<'py, f64>,
}

impl<'py> Returned<'py> {
    /// Takes an array of f64 as it is, and has numpy convert everything else.
    pub(crate) fn new(value: &Bound<'py, PyAny>, name: &'static str) -> PyResult<Self> {
        let py = value.py();
        let array = match value.cast::<PyArrayDyn<f64>>() {
            Ok(array) => array.clone(),
            Err(_) => converted(value).map_err(|cause| {
                let message = format!("{name} is not an array of numbers: {cause}");
                errors::input_from(py, cause, message, "return numpy arrays of floats")
            })?,
        };
        let array = array.try_readonly().map_err(|error| {
            errors::input(format!("{name} cannot be read: {error}"), "return an array of its own")
        })?;
        Ok(Self { name, array })
    }

    pub(crate) fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    /// Appends the numbers, in the order of rows, where the shape is one of these.
    pub(crate) fn append(&self, shapes: &[&[usize]], to: &mut Vec<f64>) -> PyResult<()> {
        if !shapes.contains(&self.shape()) {
            let message =
                format!("{} has the shape {}, not {}", self.name, tuple(self.shape()), tuple(shapes[0]));
            let hint =
                "for m constraints and n = len(x0), h has shape (m,), its Jacobian (m, n), a gradient (n,)";
            return Err(errors::input(message, hint));
        }
        match self.array.as_slice() {
            Ok(numbers) => to.extend_from_slice(numbers),
            Err(_) => to.extend(self.array.as_array().iter()),
        }
        Ok(())
    }
}

fn converted<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", "float64")?;
    let array = AS_ARRAY.import(py, "numpy", "asarray")?.call((value,), Some(&keywords))?;
    Ok(array.cast_into()?)
}

/// `(3,)`, `(2, 3)`.
fn tuple(shape: &[usize]) -> String {
    let numbers: Vec<String> = shape.iter().map(usize::to_string).collect();
    if shape.len() == 1 { format!("({},)", numbers[0]) } else { format!("({})", numbers.join(", ")) }
}
