//! Trained runs in Python: values of any expression as numpy arrays, files for other programs.

use std::path::PathBuf;

use adamflip::Solution as Trained;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::{input, of_run, raised};
use crate::logging;
use crate::pool;
use crate::problem::{seconds, threads_of, whole};
use crate::training::{Watcher, train};

/// The solution of a run at its last checkpoint.
#[pyclass(module = "adamflip._adamflip", frozen)]
pub(crate) struct Solution {
    trained: Trained,
}

#[pymethods]
impl Solution {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        logging::install();
        let trained = py.detach(|| pool::install(|| adamflip_run::open(&path)))?.map_err(of_run)?;
        Ok(Self { trained })
    }

    #[getter]
    fn fields(&self) -> Vec<String> {
        self.trained.problem().fields.clone()
    }

    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.trained.problem().coordinates.clone()
    }

    /// The ends of every coordinate.
    #[getter]
    fn ranges(&self) -> Vec<(f64, f64)> {
        let domain = &self.trained.problem().domain;
        domain.lower.iter().copied().zip(domain.upper.iter().copied()).collect()
    }

    /// The values of expressions at points that are given column by column.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        expressions: Vec<String>,
        columns: Vec<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<f64>>>> {
        let columns = slices(&columns)?;
        let expressions: Vec<&str> = expressions.iter().map(String::as_str).collect();
        let answers = || self.trained.evaluate_columns(&expressions, &columns);
        let values = py.detach(|| pool::install(answers))?.map_err(raised)?;
        Ok(values.into_iter().map(|column| PyArray1::from_vec(py, column)).collect())
    }

    /// Which of the points belong to the domain.
    fn contains<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let columns = slices(&columns)?;
        let domain = &self.trained.problem().domain;
        let count = columns.first().map_or(0, |column| column.len());
        let inside = |i: usize| domain.contains(&columns.iter().map(|column| column[i]).collect::<Vec<_>>());
        Ok(PyArray1::from_vec(py, (0..count).map(inside).collect()))
    }

    /// Writes the solution for other programs.
    fn export(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| pool::install(|| self.trained.export(&path)))?.map_err(raised)
    }
}

fn slices<'a>(columns: &'a [PyReadonlyArray1<'_, f64>]) -> PyResult<Vec<&'a [f64]>> {
    let slice = |column: &'a PyReadonlyArray1<'_, f64>| {
        column.as_slice().map_err(|_| input("the points are not contiguous", "use numpy.ascontiguousarray"))
    };
    columns.iter().map(slice).collect()
}

/// Draws the report of a run again; returns the path of its page.
#[pyfunction]
pub(crate) fn report(py: Python<'_>, path: PathBuf) -> PyResult<PathBuf> {
    py.detach(|| pool::install(|| adamflip_run::report(&path, None)))?.map_err(of_run)
}

/// Continues a run in its folder, whose path is returned.
#[pyfunction]
#[pyo3(signature = (path, steps, budget, threads, callback, progress))]
pub(crate) fn resume(
    py: Python<'_>,
    path: PathBuf,
    steps: Option<Bound<'_, PyAny>>,
    budget: Option<Bound<'_, PyAny>>,
    threads: Option<Bound<'_, PyAny>>,
    callback: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<PathBuf> {
    let steps = steps.map(|steps| whole(&steps, "steps")).transpose()?;
    let budget = budget.map(|budget| seconds(&budget)).transpose()?;
    let threads = threads.map(|threads| threads_of(&threads)).transpose()?;
    train(py, threads, Watcher::new(callback, progress), move || {
        adamflip_run::Session::resume(&path, steps).map(|session| session.with_seconds(budget))
    })
}
