//! One iteration of L-BFGS on an augmented Lagrangian: direction, line search, new pair.
//!
//! An iteration starts where the last one ended, with the gradient found there. Between the two the function may have
//! changed, because the training loop drew fresh points; since the same θ gives the same bits, comparing f and h
//! with those remembered shows it. Then the gradient is computed anew. A pair never mixes two functions: both its
//! gradients come from one iteration.

use std::cell::Cell;

use super::super::al::Lagrangian;
use super::super::{ConstrainedProblem, State, StepReport, Wolfe, restore_lists};
use super::curvature::Curvature;
use crate::linalg::{dot, norm};

/// Settings of the iteration.
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

/// Where the last iteration ended, and the curvature so far.
#[derive(Debug)]
pub(crate) struct Descent {
    settings: DescentSettings,
    curvature: Curvature,
    point: Vec<f64>,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    trial_gradient: Vec<f64>,
    /// f and then h at `point`; not a number before the first iteration.
    known: Vec<f64>,
}

impl Descent {
    pub(crate) fn new(settings: DescentSettings, parameters: usize, constraints: usize) -> Self {
        let list = || vec![0.0; parameters];
        Self {
            settings,
            curvature: Curvature::new(parameters, settings.memory),
            point: list(),
            gradient: list(),
            direction: list(),
            trial: list(),
            trial_gradient: list(),
            known: vec![f64::NAN; constraints + 1],
        }
    }

    /// h where the last iteration ended.
    pub(crate) fn constraints(&self) -> &[f64] {
        &self.known[1..]
    }

    /// Starts anew: for a function that has nothing to do with the last one.
    pub(crate) fn forget(&mut self) {
        self.curvature.keep(0);
        self.known.fill(f64::NAN);
    }

    /// One iteration from θ. The step of a report is zero where nothing better was found along the direction nor along
    /// the gradient.
    pub(crate) fn step(
        &mut self,
        lagrangian: &mut Lagrangian,
        problem: &mut dyn ConstrainedProblem,
        θ: &mut [f64],
    ) -> StepReport {
        lagrangian.values(problem, θ);
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
        self.curvature.push([&self.point, &self.trial], [&self.gradient, &self.trial_gradient]);
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

    /// A point or function that is new: its gradient, and fewer pairs.
    fn meet(&mut self, lagrangian: &mut Lagrangian, problem: &mut dyn ConstrainedProblem, θ: &[f64]) {
        self.point.copy_from_slice(θ);
        lagrangian.gradient(problem, θ, &mut self.gradient);
        self.remember(lagrangian);
        self.curvature.keep(self.settings.carried);
    }

    fn remember(&mut self, lagrangian: &Lagrangian) {
        self.known[0] = lagrangian.at.objective;
        self.known[1..].copy_from_slice(&lagrangian.at.constraints);
    }

    /// Searches along −Hg, then, if that fails, along −g without any pairs. Leaves the new point and its gradient in
    /// `trial` and `trial_gradient` and gives the step length.
    fn descend(&mut self, value: f64, function: &mut dyn FnMut(&[f64], &mut [f64]) -> f64) -> Option<f64> {
        loop {
            let slope = self.aim();
            let first = match self.curvature.pairs() {
                // Without curvature, a step of length one at the most (Liu and Nocedal 1989 take 1/‖g‖ too).
                0 => (1.0 / norm(&self.gradient)).min(1.0),
                _ => 1.0,
            };
            let found = self.search(value, slope, first, function);
            if found.is_some() || self.curvature.pairs() == 0 {
                return found;
            }
            self.curvature.keep(0);
        }
    }

    /// Sets the direction and gives its slope. Restarts from −g where H has lost descent to rounding: where the cosine
    /// between d and −g is that of a right angle to eight digits.
    fn aim(&mut self) -> f64 {
        self.curvature.direction(&self.gradient, &mut self.direction);
        let slope = dot(&self.direction, &self.gradient);
        let limit = -1e-8 * norm(&self.direction) * norm(&self.gradient);
        if slope < limit && slope.is_finite() || self.curvature.pairs() == 0 {
            return slope;
        }
        self.curvature.keep(0);
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
        let found = self.settings.wolfe.search(value, slope, first, &mut φ)?;
        let step = found.at.step;
        // When the evaluations ran out, the best was not the last.
        if last.get() != step {
            φ(step);
        }
        (trial != point).then_some(step)
    }

    pub(crate) fn state(&self) -> State {
        let [steps, changes] = self.curvature.lists();
        vec![
            ("point", self.point.clone()),
            ("gradient", self.gradient.clone()),
            ("known", self.known.clone()),
            ("steps", steps),
            ("changes", changes),
        ]
    }

    /// Does a saved state fit this problem and memory?
    pub(crate) fn fits(&self, state: &[(String, Vec<f64>)]) -> bool {
        let sizes =
            [("point", self.point.len()), ("gradient", self.gradient.len()), ("known", self.known.len())];
        let pairs = find(state, "steps").zip(find(state, "changes"));
        sizes.iter().all(|(name, size)| find(state, name).is_some_and(|list| list.len() == *size))
            && pairs.is_some_and(|(steps, changes)| self.curvature.fits(steps, changes))
    }

    pub(crate) fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        if !self.fits(state) {
            return false;
        }
        if let Some((steps, changes)) = find(state, "steps").zip(find(state, "changes")) {
            self.curvature.set(steps, changes);
        }
        let Self { point, gradient, known, .. } = self;
        restore_lists(state, &mut [("point", point), ("gradient", gradient), ("known", known)])
    }
}

/// The list of this name in a saved state.
fn find<'a>(state: &'a [(String, Vec<f64>)], name: &str) -> Option<&'a [f64]> {
    state.iter().find(|(known, _)| known == name).map(|(_, list)| list.as_slice())
}
