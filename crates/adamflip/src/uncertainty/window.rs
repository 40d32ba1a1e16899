//! The error of a solution in windows of time.
//!
//! The correction that the linearized problem of a window asks for moves the start of the next: it is
//! estimated from the corrected end of the one before. What no step can remove is taken to stay as large as
//! it was.

use super::estimate::{Caveat, Estimate, estimate};
use super::linear::Linearized;
use crate::certificate::{State, Window};
use crate::geometry::Place;
use crate::objective::values;
use crate::problem::rms;
use crate::sample::{self, Sampler};

/// Points of a window at which the size of fields is taken.
const POINTS: usize = 256;

/// The estimated errors of all fields; nothing where a window cannot be linearized.
pub(super) fn estimates(state: &State<'_>) -> Option<Vec<Estimate>> {
    let (windows, _) = state.model.windows()?;
    let fields = state.problem.fields.len();
    let mut step: Option<Vec<f64>> = None;
    let mut total: Vec<Sum> = vec![Sum::default(); fields];
    for number in 0..windows.count() {
        let window = Window::of(state, number, step.as_deref())?;
        let here = window.state();
        let linear = Linearized::new(&here)?;
        let found = estimate(&here, &linear);
        if found.len() != fields {
            return None;
        }
        let length = windows.bounds[number + 1] - windows.bounds[number];
        for ((sum, found), size) in total.iter_mut().zip(found).zip(sizes(&here)?) {
            sum.add(found, size, length);
        }
        step = Some(linear.step);
    }
    let mut estimates: Vec<Estimate> =
        total.into_iter().enumerate().map(|(field, sum)| sum.estimate(field)).collect();
    if windows.bounds.last().is_some_and(|end| *end < state.problem.domain.upper[windows.coordinate]) {
        for estimate in &mut estimates {
            estimate.relative_l2 = 1.0;
            estimate.caveats.insert(0, Caveat::Short);
        }
    }
    Some(estimates)
}

/// The error of one field, window by window.
#[derive(Clone, Debug, Default)]
struct Sum {
    /// Squares over time: of the error, of what a step would remove, of the field.
    error: f64,
    unfinished: f64,
    size: f64,
    /// The square of what no step removed in the windows so far.
    stays: f64,
    caveats: Vec<Caveat>,
}

impl Sum {
    fn add(&mut self, found: Estimate, size: f64, length: f64) {
        let square = |relative: f64| (relative * size).powi(2);
        self.stays += square(found.relative_l2) - square(found.unfinished).min(square(found.relative_l2));
        self.error += length * (square(found.unfinished) + self.stays);
        self.unfinished += length * square(found.unfinished);
        self.size += length * size * size;
        let new =
            found.caveats.into_iter().filter(|caveat| !self.caveats.contains(caveat)).collect::<Vec<_>>();
        self.caveats.extend(new);
    }

    fn estimate(self, field: usize) -> Estimate {
        let size = if self.size > 0.0 { self.size } else { 1.0 };
        let [relative_l2, unfinished] = [self.error, self.unfinished].map(|sum| (sum / size).sqrt().min(1.0));
        Estimate { field, relative_l2, unfinished, caveats: self.caveats }
    }
}

/// The root mean squares of all fields.
fn sizes(state: &State<'_>) -> Option<Vec<f64>> {
    let mut rng = sample::stream(state.seed, u64::MAX);
    let points =
        sample::draw(&state.problem.domain, &Place::interior(), Sampler::Latin, POINTS, &mut rng).ok()?;
    let fields = values(&state.problem.solution, state.model, &state.problem.unknowns, state.θ, &points);
    Some(fields.iter().map(Vec::as_slice).map(rms).collect())
}
