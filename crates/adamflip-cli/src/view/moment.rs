//! The newest values of a run.

use adamflip::history::unknown_column;
use adamflip::problem::{Problem, Role};
use adamflip::train::Progress;

use super::{Outline, Trace};

/// A step and what it saw.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    pub(crate) step: usize,
    pub(crate) method: String,
    /// Where the current window begins and ends, and where time does; nothing without windows.
    pub(crate) window: Option<[f64; 3]>,
    /// The time of training so far.
    pub(crate) seconds: f64,
    /// Steps a second; not a number before it was measured.
    pub(crate) speed: f64,
    /// Mean square and largest residual of every term.
    pub(crate) misfits: Vec<(f64, f64)>,
    pub(crate) unknowns: Vec<f64>,
    /// Trust regions that were refused in this step; not a number for methods without.
    pub(crate) refused: f64,
}

impl Moment {
    /// The step that a trainer just took.
    pub(crate) fn of(progress: &Progress<'_>, problem: &Problem, seconds: f64, speed: f64) -> Self {
        let parameters = &progress.θ[progress.θ.len() - problem.unknowns.len()..];
        let unknowns = problem.unknowns.iter().zip(parameters);
        Self {
            step: progress.step,
            method: progress.method.to_owned(),
            window: progress.window,
            seconds,
            speed,
            misfits: progress.misfits.iter().map(|misfit| (misfit.mse, misfit.max)).collect(),
            unknowns: unknowns.map(|(unknown, &parameter)| unknown.value(parameter).0).collect(),
            refused: progress.report.refused,
        }
    }

    /// The newest row of a history.
    pub(crate) fn last(outline: &Outline, trace: &Trace) -> Self {
        let misfit = |name: &str| {
            let value = |of: &str| trace.last(&format!("{name}_{of}"));
            (value("mse"), value("max"))
        };
        Self {
            step: trace.last("step").max(0.0) as usize,
            method: trace.method().to_owned(),
            window: None,
            seconds: trace.last("seconds").max(0.0),
            speed: speed(trace),
            misfits: outline.terms.iter().map(|term| misfit(&term.name)).collect(),
            unknowns: outline
                .unknowns
                .iter()
                .map(|unknown| trace.last(&unknown_column(&unknown.name)))
                .collect(),
            refused: trace.last("refused"),
        }
    }

    /// The method, and the window that it works in.
    pub(crate) fn label(&self) -> String {
        let window = self.window.map(|[from, to, end]| format!(" t {from} to {to} of {end}"));
        format!("{}{}", self.method, window.unwrap_or_default())
    }

    /// The seconds to the last step or to the end of the budget, whichever is first; an open plan takes all
    /// of its budget.
    pub(crate) fn left(&self, outline: &Outline) -> Option<f64> {
        let to_go = outline.steps().saturating_sub(self.step) as f64 / self.speed;
        let left = match outline.budget.map(|budget| (budget - self.seconds).max(0.0)) {
            Some(budget) if outline.is_open => budget,
            Some(budget) => to_go.min(budget),
            None => to_go,
        };
        Some(left).filter(|left| left.is_finite())
    }

    /// The largest residual of all constraints.
    pub(crate) fn violation(&self, outline: &Outline) -> f64 {
        let terms = outline.terms.iter().zip(&self.misfits);
        let constraints = terms.filter(|(term, _)| term.known == Role::Constraint);
        // What is not a number is larger than all.
        let larger = |most: f64, max: f64| if most.is_nan() || max <= most { most } else { max };
        constraints.map(|(_, (_, max))| *max).fold(0.0, larger)
    }
}

/// Steps a second over the newest rows, at least a second of them where there is one.
fn speed(trace: &Trace) -> f64 {
    let (steps, seconds) = (trace.column("step"), trace.column("seconds"));
    let (Some(step), Some(second)) = (steps.last(), seconds.last()) else { return f64::NAN };
    let before = seconds.partition_point(|&then| then <= second - 1.0).saturating_sub(1);
    let time = second - seconds[before];
    // The file has milliseconds.
    if time > 0.0 { (step - steps[before]) / time } else { f64::NAN }
}
