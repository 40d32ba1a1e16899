//! `lbfgs`: limited-memory BFGS with a strong Wolfe line search on the sum of all losses, the classical
//! finisher.
//!
//! - With `weights`, minimises Σ wᵢℓᵢ instead, weights balanced by a rule ([`super::balance`]): when they
//!   change, the gradient is computed again and the pairs go on, as where points do.
//! - Minimises f + p·Σ h over mean-square constraints and f + p·Σ mean(r²) over pointwise residuals r (a mean
//!   for each block): θ ← θ + αd, d = −H∇L, H from the last pairs (Δθ, Δ∇L).
//! - Needs one evaluation of the values a step, to see that the function is still the same, and one of the
//!   gradient for each trial of the line search: seldom more than one once it runs. Residuals cost another
//!   evaluation of the values for each trial. A step costs 4·memory·P multiplications besides.
//! - Defaults: 50 pairs (the usual choice for networks of this kind; Nocedal and Wright find 3 to 20 enough
//!   for less demanding ends), c₁ = 1e-4, c₂ = 0.9, p = 1.
//! - Restarts from the gradient where H gives no descent or the search along it fails. The step of the report
//!   is zero when that fails too: the end, to rounding.
//! - Fresh points between steps change the function. Then the gradient is computed again, and the pairs go
//!   on: each is of one set of points, right to the extent that all sets stand for the same integral, and H
//!   stays positive definite with any of them. Measured on a least-squares fit of a tanh layer with 36
//!   weights, 1,000 fresh points every 5 / 10 / 50 steps, 600 steps, five seeds, median loss: all dropped
//!   2e-2 / 9e-3 / 2e-5, ten kept 3e-5 / 3e-5 / 1e-5, all kept 8e-6 / 5e-6 / 5e-6. A step at fixed points
//!   never raises the loss; fresh points may.
//! - Use it after Adam, at fixed points or with points that change every ten steps or less often.
//! - Reference: Liu and Nocedal 1989; Nocedal and Wright, Numerical Optimization, chapters 3 and 7.

use super::balance::balanced;
use super::descent::{DescentSettings, Minimiser};
use super::method::{Configure, MethodFacts, Pace};
use super::settings::{SettingGroup, SettingValue, balance, lbfgs as keys};
use super::{Balancing, Block, ConstrainedProblem, Optimizer};

/// Settings of [`Lbfgs`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LbfgsSettings {
    /// p, the weight of all constraints.
    pub penalty: f64,
    /// Memory and line search.
    pub descent: DescentSettings,
    /// How the losses of the terms are weighed against each other, in place of the penalty.
    pub balancing: Option<Balancing>,
}

impl Default for LbfgsSettings {
    fn default() -> Self {
        Self { penalty: 1.0, descent: DescentSettings::default(), balancing: None }
    }
}

impl Configure for LbfgsSettings {
    const FACTS: MethodFacts = MethodFacts { pace: Pace::QuasiNewton, ..MethodFacts::penalty("lbfgs") };

    fn parts(&self) -> Vec<SettingGroup> {
        let mut parts = vec![keys::PENALTY, keys::MEMORY, keys::WOLFE];
        parts.extend(balance::parts(&self.balancing));
        parts
    }

    fn choices() -> Vec<Self> {
        balance::choices().map(|balancing| Self { balancing, ..Self::default() }).collect()
    }

    fn needed(&self, key: &str) -> Option<&'static str> {
        balance::needed(key)
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match key {
            "penalty" => self.penalty = value.not_negative()?,
            _ if balance::has(key) => balance::set(&mut self.balancing, key, value)?,
            _ => keys::set_descent(&mut self.descent, key, value)?,
        }
        Some(())
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, _steps: usize) -> Box<dyn Optimizer> {
        balanced(self.balancing, EVERY, problem, |size, blocks| Lbfgs::new(self, size, blocks).0)
    }
}

/// Steps between changes of balanced weights at the least: pairs of another sum are right only in part.
pub(super) const EVERY: usize = 100;

/// L-BFGS on the weighted sum.
#[derive(Debug)]
pub struct Lbfgs(Minimiser);

impl Lbfgs {
    /// For a problem of this many parameters whose constraints come in these blocks.
    pub fn new(settings: LbfgsSettings, parameters: usize, blocks: &[Block]) -> Self {
        let LbfgsSettings { penalty, descent, .. } = settings;
        Self(Minimiser::new(penalty, descent.curvature(parameters), descent.wolfe, parameters, blocks))
    }
}

impl Optimizer for Lbfgs {
    delegate!(to 0: step, end, state, restore);
}

#[cfg(test)]
mod tests;
