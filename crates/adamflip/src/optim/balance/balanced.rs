//! A method with curvature on a sum whose weights change: it sees the problem with its objective apart, and
//! other weights are another function.

use super::Balance;
use crate::optim::{
    Balancing, Block, ConstrainedProblem, Evaluation, Optimizer, State, StepReport, Want, restore_lists,
};

/// A method on Σ wᵢℓᵢ over the terms of a problem without an objective.
pub(crate) trait Weighted: Optimizer {
    /// From now on the terms have these weights.
    fn set_weights(&mut self, weights: &[f64]);

    /// Tells that the weights are others than in the step before: gradients are to be found again, and falls
    /// of the sum say nothing.
    fn weights_changed(&mut self);

    /// h where the last step began.
    fn start(&self) -> &[f64];
}

/// The method as it is made for these blocks, or with weights that are balanced every `every` steps at the
/// least.
pub(crate) fn balanced<M: Weighted + 'static>(
    balancing: Option<Balancing>,
    every: usize,
    problem: &dyn ConstrainedProblem,
    make: impl FnOnce(usize, &[Block]) -> M,
) -> Box<dyn Optimizer> {
    let parameters = problem.parameters();
    let Some(balancing) = balancing else { return Box::new(make(parameters, &problem.constraint_blocks())) };
    let balance = Balance::new(balancing, every, problem);
    let method = make(parameters, balance.blocks());
    Box::new(Balanced::new(method, balance, parameters))
}

/// The method and the weights.
#[derive(Debug)]
pub(crate) struct Balanced<M> {
    method: M,
    balance: Balance,
    at: Evaluation,
}

impl<M: Weighted> Balanced<M> {
    /// With weights of one.
    pub(crate) fn new(mut method: M, balance: Balance, parameters: usize) -> Self {
        method.set_weights(balance.weights());
        let at = Evaluation::new(parameters, balance.entries());
        Self { method, balance, at }
    }
}

impl<M: Weighted> Optimizer for Balanced<M> {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let Self { method, balance, at } = self;
        let mut report = StepReport::default();
        problem.apart(&mut |problem| {
            if balance.is_due() {
                problem.evaluate(θ, Want::Products, at);
                if balance.look(problem, θ, at) {
                    method.set_weights(balance.weights());
                    method.weights_changed();
                }
            }
            report = method.step(problem, θ);
        });
        balance.end(method.start(), &mut report);
        report
    }

    fn multipliers(&self) -> &[f64] {
        self.balance.multipliers()
    }

    delegate!(to method: diagnose, points_changed, end);

    fn state(&self) -> State {
        let mut state = self.method.state();
        state.extend(self.balance.state());
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let mut balance = self.balance.clone();
        if !restore_lists(state, &mut balance.lists()) {
            return false;
        }
        self.method.set_weights(balance.weights());
        if !self.method.restore(state) {
            self.method.set_weights(self.balance.weights());
            return false;
        }
        self.balance = balance;
        true
    }
}
