//! One iteration of a quasi-Newton method on an augmented Lagrangian: direction, line search, new pair.
//! Shared by `lbfgs`, `ssbroyden`, `al` and `trsqp`, which differ in what becomes of the pairs.
//!
//! An iteration starts where the last one ended, with the gradient found there. Between the two the function
//! may have changed, because the training loop drew fresh points; since the same θ gives the same bits,
//! comparing f and h with those remembered shows it. Then the gradient is computed again. A pair never mixes
//! two functions: both its gradients come from one iteration.

mod broyden;
mod curvature;
mod minimiser;
mod pairs;
#[cfg(test)]
pub(crate) mod problems;

use std::cell::Cell;

use super::al::Lagrangian;
use super::{ConstrainedProblem, State, StepReport, Wolfe, restore_lists};
use crate::linalg::{dot, norm};
pub(crate) use broyden::Broyden;
pub(crate) use curvature::Curvature;
use curvature::Move;
pub(crate) use minimiser::Minimiser;
pub(crate) use pairs::Pairs;

/// Settings of the iteration with limited memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DescentSettings {
    /// Curvature pairs kept.
    pub memory: usize,
    /// The conditions of the line search.
    pub wolfe: Wolfe,
    /// Pairs carried over, the newest first, when the function has changed between two steps; 0 drops all.
    pub carried: usize,
}

impl Default for DescentSettings {
    fn default() -> Self {
        Self { memory: 50, wolfe: Wolfe::default(), carried: 50 }
    }
}

impl DescentSettings {
    /// The memory, empty.
    pub(crate) fn curvature(&self, parameters: usize) -> Curvature {
        Curvature::Pairs(Pairs::new(parameters, self.memory, self.carried))
    }
}

/// Where the last iteration ended, and the curvature so far.
#[derive(Debug)]
pub(crate) struct Descent {
    wolfe: Wolfe,
    curvature: Curvature,
    point: Vec<f64>,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    trial_gradient: Vec<f64>,
    /// f and then h at `point`; not a number before the first iteration.
    known: Vec<f64>,
    /// h where the last iteration began.
    start: Vec<f64>,
}

impl Descent {
    /// With limited memory.
    pub(crate) fn new(settings: DescentSettings, parameters: usize, constraints: usize) -> Self {
        Self::with(settings.curvature(parameters), settings.wolfe, parameters, constraints)
    }

    pub(crate) fn with(curvature: Curvature, wolfe: Wolfe, parameters: usize, constraints: usize) -> Self {
        let list = || vec![0.0; parameters];
        Self {
            wolfe,
            curvature,
            point: list(),
            gradient: list(),
            direction: list(),
            trial: list(),
            trial_gradient: list(),
            known: vec![f64::NAN; constraints + 1],
            start: vec![f64::NAN; constraints],
        }
    }

    /// h where the last iteration ended.
    pub(crate) fn constraints(&self) -> &[f64] {
        &self.known[1..]
    }

    /// h where the last iteration began.
    pub(crate) fn start(&self) -> &[f64] {
        &self.start
    }

    /// Goes on with another function that is much like the last one, even if f and h do not show it.
    pub(crate) fn renew(&mut self) {
        self.known.fill(f64::NAN);
    }

    /// Starts again: for a function that has nothing to do with the last one.
    pub(crate) fn forget(&mut self) {
        self.curvature.forget();
        self.known.fill(f64::NAN);
    }

    /// One iteration from θ. The step of a report is zero where nothing better was found along the direction
    /// nor along the gradient.
    pub(crate) fn step(
        &mut self,
        lagrangian: &mut Lagrangian,
        problem: &mut dyn ConstrainedProblem,
        θ: &mut [f64],
    ) -> StepReport {
        lagrangian.values(problem, θ);
        self.start.copy_from_slice(&lagrangian.at.constraints);
        if !self.is_known(θ, lagrangian) {
            self.meet(lagrangian, problem, θ);
        }
        let report = StepReport {
            objective: lagrangian.at.objective,
            violation: lagrangian.at.violation(),
            gradient_norm: norm(&self.gradient),
            ..StepReport::default()
        };
        let value = lagrangian.value();
        if !value.is_finite() || !report.gradient_norm.is_finite() {
            self.forget();
            return report;
        }
        let rate = self.descend(value, &mut |θ, gradient| lagrangian.gradient(problem, θ, gradient));
        let Some(rate) = rate else { return report };
        self.curvature.push(Move {
            points: [&self.point, &self.trial],
            gradients: [&self.gradient, &self.trial_gradient],
            value,
            rate,
        });
        let squared: f64 = self.trial.iter().zip(&self.point).map(|(new, old)| (new - old).powi(2)).sum();
        std::mem::swap(&mut self.point, &mut self.trial);
        std::mem::swap(&mut self.gradient, &mut self.trial_gradient);
        self.remember(lagrangian);
        θ.copy_from_slice(&self.point);
        StepReport { rate, step_norm: squared.sqrt(), ..report }
    }

    fn is_known(&self, θ: &[f64], lagrangian: &Lagrangian) -> bool {
        self.point == θ
            && self.known[0] == lagrangian.at.objective
            && self.known[1..] == lagrangian.at.constraints
    }

    /// A point or function that is new: its gradient, and the curvature that goes on.
    fn meet(&mut self, lagrangian: &mut Lagrangian, problem: &mut dyn ConstrainedProblem, θ: &[f64]) {
        self.point.copy_from_slice(θ);
        lagrangian.gradient(problem, θ, &mut self.gradient);
        self.remember(lagrangian);
        self.curvature.carry();
    }

    fn remember(&mut self, lagrangian: &Lagrangian) {
        self.known[0] = lagrangian.at.objective;
        self.known[1..].copy_from_slice(&lagrangian.at.constraints);
    }

    /// Searches along −Hg, then, if that fails, along −g without any pairs. Leaves the new point and its
    /// gradient in `trial` and `trial_gradient` and gives the step length.
    fn descend(&mut self, value: f64, function: &mut dyn FnMut(&[f64], &mut [f64]) -> f64) -> Option<f64> {
        loop {
            let slope = self.aim();
            let first = match self.curvature.is_empty() {
                // Without curvature, a step of length one at the most (Liu and Nocedal 1989 take 1/‖g‖ too).
                true => (1.0 / norm(&self.gradient)).min(1.0),
                false => self.curvature.first(value, slope),
            };
            let found = self.search(value, slope, first, function);
            if found.is_some() || self.curvature.is_empty() {
                return found;
            }
            self.curvature.forget();
        }
    }

    /// Sets the direction and gives its slope. Restarts from −g where H has lost descent to rounding: where
    /// the cosine between d and −g is that of a right angle to eight digits.
    fn aim(&mut self) -> f64 {
        self.curvature.direction(&self.gradient, &mut self.direction);
        let slope = dot(&self.direction, &self.gradient);
        let limit = -1e-8 * norm(&self.direction) * norm(&self.gradient);
        if slope < limit && slope.is_finite() || self.curvature.is_empty() {
            return slope;
        }
        self.curvature.forget();
        self.curvature.direction(&self.gradient, &mut self.direction);
        dot(&self.direction, &self.gradient)
    }

    fn search(
        &mut self,
        value: f64,
        slope: f64,
        first: f64,
        function: &mut dyn FnMut(&[f64], &mut [f64]) -> f64,
    ) -> Option<f64> {
        let Self { point, direction, trial, trial_gradient, .. } = self;
        let last = Cell::new(0.0);
        let mut φ = |step: f64| {
            last.set(step);
            for ((trial, point), d) in trial.iter_mut().zip(&*point).zip(&*direction) {
                *trial = point + step * d;
            }
            (function(trial, trial_gradient), dot(trial_gradient, direction))
        };
        let found = self.wolfe.search(value, slope, first, &mut φ)?;
        let step = found.at.step;
        // When the evaluations ran out, the best was not the last.
        if last.get() != step {
            φ(step);
        }
        (trial != point).then_some(step)
    }

    pub(crate) fn state(&self) -> State {
        let mut state = vec![
            ("point", self.point.clone()),
            ("gradient", self.gradient.clone()),
            ("known", self.known.clone()),
        ];
        state.extend(self.curvature.state());
        state
    }

    /// Does a saved state fit this problem and its curvature?
    pub(crate) fn fits(&self, state: &[(String, Vec<f64>)]) -> bool {
        let sizes =
            [("point", self.point.len()), ("gradient", self.gradient.len()), ("known", self.known.len())];
        sizes.iter().all(|(name, size)| find(state, name).is_some_and(|list| list.len() == *size))
            && self.curvature.fits(state)
    }

    pub(crate) fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        if !self.fits(state) {
            return false;
        }
        self.curvature.restore(state);
        let Self { point, gradient, known, .. } = self;
        restore_lists(state, &mut [("point", point), ("gradient", gradient), ("known", known)])
    }
}

/// The list of this name in a saved state.
fn find<'a>(state: &'a [(String, Vec<f64>)], name: &str) -> Option<&'a [f64]> {
    state.iter().find(|(known, _)| known == name).map(|(_, list)| list.as_slice())
}
