//! The course of one stage so far: what decides when it ends, and what is remembered of it.
//!
//! All of it can be saved as lists of numbers, so that a stage that was interrupted goes on as if it had not
//! been. Counts are below 2⁵³, so they are exact as f64.

use super::trend::{Patience, Trends};
use super::warning::cost;
use crate::optim::{Block, ConstrainedProblem};
use crate::problem::Problem;

/// No looks at the constraints before this many steps of a stage, when the network is still on its way from
/// nothing.
pub(super) const WARM_UP: usize = 100;

/// The state of a stage.
#[derive(Clone, Debug)]
pub(super) struct StageState {
    /// Steps of this stage.
    pub(super) taken: usize,
    /// Steps in a row in which the method found nothing to do.
    pub(super) idle: usize,
    pub(super) blocks: Vec<Block>,
    /// Do all points stay?
    pub(super) still: bool,
    pub(super) patience: Option<Patience>,
    pub(super) trends: Trends,
    /// The step of the next look at the constraints, the operations of one, and those of all so far.
    pub(super) next_look: usize,
    pub(super) look_cost: f64,
    pub(super) looks_cost: f64,
    /// The next step to ask whether tolerances are met, and the steps between.
    pub(super) next_question: usize,
    pub(super) wait: usize,
    /// The largest estimated error when it was last asked for, and the sum of all losses then.
    pub(super) asked: (f64, f64),
    /// The next step of the stage to ask for it.
    pub(super) next_estimate: usize,
    /// The weights of all equations, where they are balanced.
    pub(super) weights: Vec<f64>,
    /// How many equations there are.
    equations: usize,
}

impl StageState {
    /// The beginning of a stage of this many steps; the first question comes `wait` after `step`.
    pub(super) fn new(
        problem: &Problem,
        objective: &impl ConstrainedProblem,
        steps: usize,
        (step, wait): (usize, usize),
    ) -> Self {
        Self {
            taken: 0,
            idle: 0,
            blocks: objective.constraint_blocks(),
            still: false,
            patience: problem.train.patience.map(Patience::new),
            trends: Trends::new(problem, steps),
            next_look: WARM_UP,
            look_cost: cost(problem, objective.parameters()),
            looks_cost: 0.0,
            next_question: step + wait,
            wait,
            asked: (1.0, f64::INFINITY),
            next_estimate: 0,
            weights: Vec::new(),
            equations: problem.terms.iter().map(|term| term.residual.equations()).sum(),
        }
    }

    /// What changes from step to step, as numbers.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let Self { taken, idle, next_look, looks_cost, next_question, wait, asked, next_estimate, .. } =
            *self;
        let mut numbers =
            vec![taken as f64, idle as f64, next_look as f64, looks_cost, next_question as f64, wait as f64];
        numbers.extend([asked.0, asked.1, next_estimate as f64]);
        numbers.extend(self.patience.iter().flat_map(Patience::numbers));
        numbers.extend(self.trends.numbers());
        numbers.extend(&self.weights);
        numbers
    }

    /// Takes them back; `false` where they are not those of such a stage.
    #[must_use]
    pub(super) fn restore(&mut self, numbers: &[f64]) -> bool {
        let (own, equations) = (self.numbers().len(), self.equations);
        if numbers.len() != own && numbers.len() != own + equations {
            return false;
        }
        self.weights = numbers[own..].to_vec();
        let mut rest = numbers.iter().copied();
        let mut next = || rest.next().unwrap_or_default();
        self.taken = next() as usize;
        self.idle = next() as usize;
        self.next_look = next() as usize;
        self.looks_cost = next();
        self.next_question = next() as usize;
        self.wait = next() as usize;
        self.asked = (next(), next());
        self.next_estimate = next() as usize;
        if let Some(patience) = &mut self.patience {
            patience.restore(&mut next);
        }
        self.trends.restore(&mut next);
        true
    }
}
