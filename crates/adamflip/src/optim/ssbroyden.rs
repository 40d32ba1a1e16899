//! `ssbroyden`: the self-scaled Broyden method with a strong Wolfe line search on the sum of all losses; its
//! inverse Hessian is a matrix.
//!
//! - Minimises what `lbfgs` does, with balanced `weights` too: f + p·Σ h or f + p·Σ mean(r²): θ ← θ + αd, d =
//!   −H∇L. With s = Δθ, y = Δ∇L, ρ = 1/sᵀy, h = ρyᵀHy, b = −αρsᵀ∇L, a = bh − 1 and v = ρs − Hy/yᵀHy:
//!   - ρ⁻ = min(1, h(1 − √(a/(1+a)))), θ = max((ρ⁻−1)/a, min(1/ρ⁻, (1−b)/b)), σ = 1 + θa, φ = (1−θ)/σ;
//!   - τ = min(1, 1/b)·min(σ^(1/(1−P)), 1/θ) where θ > 0, else min(min(1, 1/b)·σ^(1/(1−P)), σ);
//!   - H ← (H − HyyᵀH/yᵀHy + φ·yᵀHy·vvᵀ)/τ + ρssᵀ, left out where sᵀy is not safely positive.
//! - Needs what `lbfgs` needs of the problem: one evaluation of the values a step and one of the gradient for
//!   each trial of the line search, seldom more than one. H has P²/2 entries: 4·P² bytes of memory and of
//!   every checkpoint, read twice and written once a step: some 10 ms for P = 3,000 on one core, and with P²
//!   more beyond.
//! - Defaults: c₁ = 1e-4, c₂ = 0.9 as the authors, p = 1; H₀ = (sᵀy/yᵀy)I of the first pair. The search tries
//!   first what the last decrease suggests, as theirs does: on the fit below a third fewer gradients than
//!   with one, to the same loss or less.
//! - Restarts from the gradient where H gives no descent or the search along it fails. The step of the report
//!   is zero when that fails too: the end, to rounding.
//! - Fresh points between steps change the function. H goes on (the authors do the same), or starts again
//!   with `carry` = false. Measured on the fit of a tanh layer with 36 weights, 600 steps, 1,000 points that
//!   are fresh every 5 / 10 / 50 steps or fixed, nine seeds, median loss on others: restarted 1e-3 / 2e-4 /
//!   1e-6 / 5e-10, carried 2e-8 / 2e-9 / 2e-9 / 5e-10. `lbfgs` ends at 1e-5 in all four, also with all pairs
//!   kept.
//! - Use it last, on networks of up to a few thousand parameters, for digits that `lbfgs` does not reach. On
//!   small functions from textbooks it is no better than `lbfgs` (1.3 to 3 times its gradients on those of
//!   Rosenbrock and Powell).
//! - Reference: Urbán, Stefanou and Pons 2025; Al-Baali, Spedicato and Maggioni 2014 for the family.

use super::balance::balanced;
use super::descent::{Broyden, Curvature, Minimiser};
use super::method::{Configure, MethodFacts, Pace};
use super::settings::{SettingGroup, SettingValue, balance, lbfgs, setting};
use super::{Balancing, Block, ConstrainedProblem, Optimizer, Wolfe};

/// Settings of [`SsBroyden`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SsBroydenSettings {
    /// p, the weight of all constraints.
    pub penalty: f64,
    /// Does H go on when the function has changed between two steps? Otherwise it starts again.
    pub carry: bool,
    /// The conditions of the line search.
    pub wolfe: Wolfe,
    /// How the losses of the terms are weighed against each other, in place of the penalty.
    pub balancing: Option<Balancing>,
}

impl Default for SsBroydenSettings {
    fn default() -> Self {
        Self { penalty: 1.0, carry: true, wolfe: Wolfe::default(), balancing: None }
    }
}

const CARRY: SettingGroup =
    &[setting("carry", "true or false", "does the matrix go on where points change?")];

impl Configure for SsBroydenSettings {
    // A triangle, and another while it is saved.
    const FACTS: MethodFacts =
        MethodFacts { pace: Pace::QuasiNewton, matrices: [0.0, 1.0], ..MethodFacts::penalty("ssbroyden") };

    fn parts(&self) -> Vec<SettingGroup> {
        let mut parts = vec![lbfgs::PENALTY, CARRY, lbfgs::WOLFE];
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
            "carry" => self.carry = value.flag()?,
            _ if balance::has(key) => balance::set(&mut self.balancing, key, value)?,
            _ => lbfgs::set_wolfe(&mut self.wolfe, key, value)?,
        }
        Some(())
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, _steps: usize) -> Box<dyn Optimizer> {
        balanced(self.balancing, super::lbfgs::EVERY, problem, |size, blocks| {
            SsBroyden::new(self, size, blocks).0
        })
    }
}

/// Self-scaled Broyden on the weighted sum.
#[derive(Debug)]
pub struct SsBroyden(Minimiser);

impl SsBroyden {
    /// For a problem of this many parameters whose constraints come in these blocks.
    pub fn new(settings: SsBroydenSettings, parameters: usize, blocks: &[Block]) -> Self {
        let curvature = Curvature::Broyden(Broyden::new(parameters, settings.carry));
        Self(Minimiser::new(settings.penalty, curvature, settings.wolfe, parameters, blocks))
    }
}

impl Optimizer for SsBroyden {
    delegate!(to 0: step, end, state, restore);
}

#[cfg(test)]
mod tests;
