//! Observations that are held out: when they are met no better, more steps would fit the noise of the others.
//!
//! A coefficient that is a field can bend to every error of the data. The default plan then trains without a
//! tenth of the observations, and keeps the state that meets these best among those whose equations hold.

use super::Trainer;
use crate::geometry::Points;
use crate::objective::values;
use crate::problem::{Problem, Stage, plan};
use crate::sample;
use crate::uncertainty::{self, MISSED};

/// One of this many observations is held out, where there are at least as many as the second.
const ONE_OF: usize = 10;
const LEAST: usize = 100;
/// Steps without a better state before the run ends.
const PATIENCE: usize = 20;
/// What counts as better.
const BETTER: f64 = 0.999;
/// The streams that choose the observations.
const STREAM: u64 = u32::MAX as u64 - 5;

/// What is held out, and the best state so far.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// By term.
    points: Vec<(usize, Points)>,
    /// The mean square of their residuals at the best state.
    pub(super) best: Option<f64>,
    /// Steps since then.
    pub(super) since: usize,
    /// θ there.
    pub(super) θ: Vec<f64>,
}

impl Held {
    /// Is anything held out?
    pub(super) fn is_in_use(&self) -> bool {
        !self.points.is_empty()
    }

    /// Takes observations out of the points of training; none where the plan is the user's or no field is
    /// unknown.
    pub(super) fn new(problem: &Problem, stages: &[Stage], seed: u64, points: &mut [Points]) -> Self {
        let mut held = Self::default();
        if !plan::is_default(stages) || problem.fields.len() == problem.sought {
            return held;
        }
        for (index, (term, points)) in problem.terms.iter().zip(points).enumerate() {
            if term.measured().is_empty() || points.len() < LEAST {
                continue;
            }
            let mut rng = sample::stream(seed, (index as u64 + 1) << 32 | STREAM);
            let count = points.len() / ONE_OF;
            let chosen = sample::any(points.len(), count, &mut rng);
            let rest: Vec<usize> = (0..points.len()).filter(|i| chosen.binary_search(i).is_err()).collect();
            held.points.push((index, points.select(&chosen)));
            *points = points.select(&rest);
        }
        held
    }
}

impl Trainer {
    /// Holds nothing out where these points, those of a run from before this was done, have everything.
    pub(super) fn take_back(&mut self, saved: &[Points]) {
        let whole = |(term, held): &(usize, Points)| {
            saved.get(*term).is_some_and(|saved| saved.len() == self.points[*term].len() + held.len())
        };
        if self.held.points.iter().any(whole) {
            for (term, held) in std::mem::take(&mut self.held).points {
                self.points[term].append(&held);
            }
        }
    }

    /// Looks at what is held out after a step; true where nothing was better for a while, and θ is the best
    /// then.
    pub(super) fn is_overfitted(&mut self) -> bool {
        let uses_curvature = self.stages[self.stage].method.uses_curvature();
        if self.held.points.is_empty() || !uses_curvature {
            return false;
        }
        let holds = uncertainty::missed(&self.state_here()).is_none_or(|share| share <= MISSED);
        let error = self.held_out();
        if holds && self.held.best.is_none_or(|best| error < BETTER * best) {
            (self.held.best, self.held.since) = (Some(error), 0);
            self.held.θ.clone_from(&self.θ);
            return false;
        }
        self.held.since += usize::from(self.held.best.is_some());
        if self.held.since < PATIENCE {
            return false;
        }
        self.θ.clone_from(&self.held.θ);
        true
    }

    /// The mean square residual of what is held out, term by term added up.
    fn held_out(&self) -> f64 {
        let problem = self.here();
        let term = |(term, points): &(usize, Points)| {
            let residual = &problem.terms[*term].residual;
            let columns = values(residual, self.objective.model(), &problem.unknowns, &self.θ, points);
            let sum: f64 = columns.iter().flatten().map(|r| r * r).sum();
            sum / (columns.len() * points.len()) as f64
        };
        self.held.points.iter().map(term).sum()
    }
}
