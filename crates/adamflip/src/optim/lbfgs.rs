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

mod curvature;
mod descent;

use super::al::Lagrangian;
use super::{Block, ConstrainedProblem, End, Form, Optimizer, State, StepReport};
pub(crate) use descent::Descent;
pub use descent::DescentSettings;

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
pub struct Lbfgs {
    lagrangian: Lagrangian,
    descent: Descent,
    end: Option<End>,
}

/// ‖∇L‖ at which a step of zero is convergence rather than a failed search: losses are of order one at first, and the
/// line search loses sight of descent near the root of their rounding.
const STATIONARY: f64 = 1e-8;

impl Lbfgs {
    /// For a problem of so many parameters whose constraints come in these blocks.
    pub fn new(settings: LbfgsSettings, parameters: usize, blocks: &[Block]) -> Self {
        let mut lagrangian = Lagrangian::new(parameters, blocks);
        lagrangian.set(|form| match form {
            Form::MeanSquare => (settings.penalty, 0.0),
            // ½μ·mean(r²) = p·mean(r²).
            Form::Residuals => (0.0, 2.0 * settings.penalty),
        });
        let descent = Descent::new(settings.descent, parameters, lagrangian.λ.len());
        Self { lagrangian, descent, end: None }
    }
}

impl Optimizer for Lbfgs {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let report = self.descent.step(&mut self.lagrangian, problem, θ);
        let over = report.step_norm == 0.0 && report.gradient_norm.is_finite();
        let end = if report.gradient_norm <= STATIONARY { End::Converged } else { End::NoProgress };
        self.end = over.then_some(end);
        report
    }

    fn end(&self) -> Option<End> {
        self.end
    }

    fn state(&self) -> State {
        self.descent.state()
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        self.descent.restore(state)
    }
}

#[cfg(test)]
mod tests;
