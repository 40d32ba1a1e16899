//! Training in a thread of its own, so that Python goes on: other threads run, signals arrive, callbacks are
//! called.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use adamflip_run::{Event, RunError, Session, StepEvent, TrainOptions, pool};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::of_run;

/// Between two looks for signals.
const LOOK: Duration = Duration::from_millis(50);
/// Between two calls of the progress bar.
const SHOW: Duration = Duration::from_millis(150);

/// Who is told of steps: the user's callback of every step, the progress bar now and then.
pub(crate) struct Watcher {
    callback: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
    shown: Option<Instant>,
}

impl Watcher {
    pub(crate) fn new(callback: Option<Py<PyAny>>, progress: Option<Py<PyAny>>) -> Self {
        Self { callback, progress, shown: None }
    }

    /// Whether training ends here: the callback says so by `True`, or fails.
    fn step(&mut self, step: &StepEvent<'_>, budget: Option<f64>) -> PyResult<bool> {
        let shows = self.progress.is_some() && self.shown.is_none_or(|shown| shown.elapsed() >= SHOW);
        if self.callback.is_none() && !shows {
            return Ok(false);
        }
        Python::attach(|py| {
            let moment = moment(py, step, budget)?;
            if let Some(progress) = self.progress.as_ref().filter(|_| shows) {
                progress.call1(py, (&moment,))?;
                self.shown = Some(Instant::now());
            }
            match &self.callback {
                Some(callback) => {
                    let answer = callback.call1(py, (&moment,))?;
                    Ok(answer.bind(py).is(pyo3::types::PyBool::new(py, true)))
                }
                None => Ok(false),
            }
        })
    }
}

/// What a callback sees of a step.
fn moment<'py>(py: Python<'py>, step: &StepEvent<'_>, budget: Option<f64>) -> PyResult<Bound<'py, PyDict>> {
    let (progress, problem) = (step.progress, step.problem);
    let seconds = step.elapsed.as_secs_f64();
    let moment = PyDict::new(py);
    moment.set_item("step", progress.step)?;
    moment.set_item("stage", progress.stage)?;
    moment.set_item("method", progress.method)?;
    moment.set_item("seconds", seconds)?;
    let loss: f64 = problem.terms.iter().zip(progress.misfits).map(|(term, m)| term.weight * m.mse).sum();
    moment.set_item("loss", loss)?;
    let residuals = PyDict::new(py);
    for (term, misfit) in problem.terms.iter().zip(progress.misfits) {
        residuals.set_item(&term.name, misfit.mse.sqrt())?;
    }
    moment.set_item("residuals", residuals)?;
    let unknowns = PyDict::new(py);
    let first = progress.θ.len() - problem.unknowns.len().min(progress.θ.len());
    for (unknown, &parameter) in problem.unknowns.iter().zip(&progress.θ[first..]) {
        unknowns.set_item(&unknown.name, unknown.value(parameter).0)?;
    }
    moment.set_item("unknowns", unknowns)?;
    let share = match budget {
        Some(budget) => seconds / budget,
        None => progress.step as f64 / progress.steps.max(1) as f64,
    };
    moment.set_item("share", share.min(1.0))?;
    Ok(moment)
}

/// What ended a training besides its own end.
#[derive(Default)]
struct Stop {
    asked: AtomicBool,
    error: Mutex<Option<PyErr>>,
}

impl Stop {
    fn with(&self, error: PyErr) {
        self.asked.store(true, Ordering::Relaxed);
        if let Ok(mut kept) = self.error.lock() {
            kept.get_or_insert(error);
        }
    }
}

/// Opens a session and trains it to its end; returns the path of its folder. Python's lock is free meanwhile,
/// and signals are looked for. A signal or an error of a callback ends the training like Ctrl-C ends the
/// program: the run is kept.
pub(crate) fn train(
    py: Python<'_>,
    threads: Option<u16>,
    mut watcher: Watcher,
    open: impl FnOnce() -> Result<Session, RunError> + Send,
) -> PyResult<PathBuf> {
    let pool = pool(threads).map_err(of_run)?;
    let stop = Stop::default();
    let work = || {
        let mut session = open()?;
        let budget = session.budget().map(|budget| budget.as_secs_f64());
        let trained = session.take_steps(&TrainOptions::default(), &mut |event| {
            if let Event::Step(step) = &event {
                match watcher.step(step, budget) {
                    Ok(false) => {}
                    Ok(true) => return ControlFlow::Break(()),
                    Err(error) => stop.with(error),
                }
            }
            if stop.asked.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        // Who interrupts does not wait for figures and estimates; a resumption makes them.
        if !stop.asked.load(Ordering::Relaxed) {
            session.finish(trained)?;
        }
        Ok(session.path().to_owned())
    };
    let path = py.detach(|| with_signals(&stop, || pool.install(work)));
    if let Some(error) = stop.error.into_inner().ok().flatten() {
        return Err(error);
    }
    path.map_err(of_run)
}

/// Does the work in a thread of its own, and looks for signals in this one: Python handles them in its main
/// thread alone.
fn with_signals<T: Send>(stop: &Stop, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let (done, end) = mpsc::channel();
        let worker = scope.spawn(move || {
            let result = work();
            // Whoever waits is there until this ends.
            let _ = done.send(());
            result
        });
        while end.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                stop.with(error);
            }
        }
        match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
