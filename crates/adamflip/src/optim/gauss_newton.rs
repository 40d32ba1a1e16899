//! `gauss_newton`: the method of Levenberg and Marquardt on the weighted sum of all losses.
//!
//! - φ = f + p·Σ losses of the constraints is a sum of squares ‖r‖², with H = 2∂rᵀ∂r: (H + A + μI)d = −∇φ,
//!   where A = β(A + H) remembers the points before, if they change. The step is taken if φ falls; μ falls to
//!   a third after a good step and grows fourfold after a bad one.
//! - Needs the rows of all residuals each step, H in N·P² flop for N residuals and P parameters, and a
//!   factorization of P³/3; two P × P matrices (three by rows, `factor`) and half of one for A. For networks
//!   of some thousand parameters.
//! - Defaults: p = 100, μ = 1e-3 of tr(H)/P at first, β = 0.8: ours.
//! - With `weights`, φ = Σ wᵢℓᵢ, weights balanced by a rule ([`super::balance`]). Where they change, H of the
//!   points before goes into A, as where points do: it is the curvature of another sum of the same losses.
//! - Reference: Levenberg 1944, Marquardt 1963; for physics-informed networks Müller and Zeinhofer 2023 (as
//!   natural gradients).
//! - Use it after a short stage of Adam, with fresh or adaptive points every ten steps or so: at fixed points
//!   it fits those and nothing between them.

use super::balance::{Weighted, balanced};
use super::method::{Configure, MethodFacts, Pace};
use super::newton::{Newton, NewtonSettings};
use super::settings::{SettingGroup, SettingValue, balance, newton};
use super::{Block, ConstrainedProblem, Optimizer};

impl Configure for NewtonSettings {
    // A triangle, that with damping, its reflections, what it remembers, and the same to be saved.
    const FACTS: MethodFacts =
        MethodFacts { pace: Pace::Curvature, matrices: [0.0, 5.0], ..MethodFacts::penalty("gauss_newton") };

    fn parts(&self) -> Vec<SettingGroup> {
        let mut parts = vec![newton::KEYS];
        parts.extend(balance::parts(&self.balancing));
        parts
    }

    fn choices() -> Vec<Self> {
        balance::choices().map(|balancing| Self { balancing, ..Self::default() }).collect()
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match balance::has(key) {
            true => balance::set(&mut self.balancing, key, value),
            false => newton::set(self, key, value),
        }
    }

    fn needed(&self, key: &str) -> Option<&'static str> {
        balance::needed(key)
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, _steps: usize) -> Box<dyn Optimizer> {
        balanced(self.balancing, EVERY, problem, |size, blocks| GaussNewton::new(self, size, blocks))
    }
}

/// Steps between changes of balanced weights at the least.
const EVERY: usize = 10;

/// Levenberg–Marquardt.
#[derive(Debug)]
pub struct GaussNewton(Newton);

impl GaussNewton {
    /// For a problem of this many parameters whose constraints come in these blocks.
    pub fn new(settings: NewtonSettings, parameters: usize, blocks: &[Block]) -> Self {
        Self(Newton::new(settings, None, parameters, blocks))
    }
}

impl Optimizer for GaussNewton {
    delegate!(to 0: step, points_changed, end, state, restore);
}

impl Weighted for GaussNewton {
    fn set_weights(&mut self, weights: &[f64]) {
        self.0.set_weights(weights);
    }

    fn weights_changed(&mut self) {
        self.0.points_changed();
    }

    fn start(&self) -> &[f64] {
        self.0.start()
    }
}
