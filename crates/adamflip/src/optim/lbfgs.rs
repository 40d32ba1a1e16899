//! `lbfgs`: limited-memory BFGS with a strong Wolfe line search on the sum of all losses, the classical finisher.
//!
//! - Minimises f + p·Σ h over mean-square constraints and f + p·Σ mean(r²) over pointwise residuals r (a mean for each
//!   block): θ ← θ + αd, d = −H∇L, H from the last pairs (Δθ, Δ∇L).
//! - Needs one evaluation of the values a step, to see that the function is still the same, and one of the gradient for
//!   each trial of the line search: seldom more than one once it runs. Residuals cost another evaluation of the values
//!   for each trial. A step costs 4·memory·P multiplications besides.
//! - Defaults: 50 pairs (the usual choice for networks of this kind; Nocedal and Wright find 3 to 20 enough for less
//!   demanding ends), c₁ = 1e-4, c₂ = 0.9, p = 1.
//! - Restarts from the gradient where H gives no descent or the search along it fails. The step of the report is zero
//!   when that fails too: the end, to rounding.
//! - Fresh points between steps change the function. Then the gradient is computed anew, and the pairs go on: each is of
//!   one set of points, right to the extent that all sets stand for the same integral, and H stays positive definite
//!   with any of them. Measured on a least-squares fit of a tanh layer with 36 weights, 1,000 fresh points every 5 / 10 / 50
//!   steps, 600 steps, five seeds, median loss: all dropped 2e-2 / 9e-3 / 2e-5, ten kept 3e-5 / 3e-5 / 1e-5, all kept
//!   8e-6 / 5e-6 / 5e-6. A step at fixed points never raises the loss; fresh points may.
//! - Use it after Adam, at fixed points or with points that change every ten steps or less often.
//! - Reference: Liu and Nocedal 1989; Nocedal and Wright, Numerical Optimization, chapters 3 and 7.

use super::descent::{DescentSettings, Minimiser};
use super::{Block, ConstrainedProblem, End, Optimizer, State, StepReport};

/// Settings of [`Lbfgs`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LbfgsSettings {
    /// p, the weight of all constraints.
    pub penalty: f64,
    /// Memory and line search.
    pub descent: DescentSettings,
}

impl Default for LbfgsSettings {
    fn default() -> Self {
        Self { penalty: 1.0, descent: DescentSettings::default() }
    }
}

/// L-BFGS on the weighted sum.
#[derive(Debug)]
pub struct Lbfgs(Minimiser);

impl Lbfgs {
    /// For a problem of so many parameters whose constraints come in these blocks.
    pub fn new(settings: LbfgsSettings, parameters: usize, blocks: &[Block]) -> Self {
        let LbfgsSettings { penalty, descent } = settings;
        Self(Minimiser::new(penalty, descent.curvature(parameters), descent.wolfe, parameters, blocks))
    }
}

impl Optimizer for Lbfgs {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        self.0.step(problem, θ)
    }

    fn end(&self) -> Option<End> {
        self.0.end()
    }

    fn state(&self) -> State {
        self.0.state()
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        self.0.restore(state)
    }
}

#[cfg(test)]
mod tests;
