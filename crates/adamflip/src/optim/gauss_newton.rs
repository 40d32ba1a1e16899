//! `gauss_newton`: the method of Levenberg and Marquardt on the weighted sum of all losses.
//!
//! - φ = f + p·Σ losses of the constraints is a sum of squares ‖r‖², with H = 2∂rᵀ∂r: (H + A + μI)d = −∇φ, where A = β(A + H)
//!   remembers the points before, if they change. The step is taken if φ falls; μ falls to a third after a good step and grows
//!   fourfold after a bad one.
//! - Needs the rows of all residuals each step, H in N·P² flop for N residuals and P parameters, and a factorization of P³/3;
//!   two P × P matrices and half of one for A. For networks of some thousand parameters.
//! - Defaults: p = 100, μ = 1e-3 of tr(H)/P at first, β = 0.8: ours.
//! - Reference: Levenberg 1944, Marquardt 1963; for physics-informed networks Müller and Zeinhofer 2023 (as natural gradients).
//! - Use it after a short stage of Adam, with fresh or adaptive points every ten steps or so: at fixed points it fits
//!   those and nothing between them.

use super::newton::{Newton, NewtonSettings};
use super::{Block, ConstrainedProblem, End, Optimizer, State, StepReport};

/// Levenberg–Marquardt.
#[derive(Debug)]
pub struct GaussNewton(Newton);

impl GaussNewton {
    /// For a problem of so many parameters whose constraints come in these blocks.
    pub fn new(settings: NewtonSettings, parameters: usize, blocks: &[Block]) -> Self {
        Self(Newton::new(settings, None, parameters, blocks))
    }
}

impl Optimizer for GaussNewton {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        self.0.step(problem, θ)
    }

    fn points_changed(&mut self) {
        self.0.points_changed();
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
