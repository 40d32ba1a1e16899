//! `newtonflip`: feedback linearization with the curvature of Gauss and Newton (ours).
//!
//! - Sequential quadratic programming with the Gauss–Newton matrix and pointwise constraints, normal and tangential part apart:
//!   [`super::newton`] has the step. Linear constraints under a linear least-squares objective are solved in one step.
//! - h contracts by 1 − γ a step, γ → 1 as steps succeed; the tangential part converges as Gauss–Newton does. Both in one
//!   factorization of P³/3 beside the N·P² flop of the matrix and some m²P for m constraints.
//! - Why split: in the metric of Gauss–Newton the normal step of hundreds of constraints on a smooth boundary is ruled by
//!   those of their combinations that are rounding; the Euclidean row space tells them apart. `metric = "gauss_newton"` is that
//!   form, to be compared.
//! - Defaults: γ from 0.5, p = 100, μ from 1e-3 of tr(H)/P, β = 0.8, eigenvalues of J Jᵀ below 1e-6 of the largest left out: ours. The
//!   more of the row space is hard, the less room is left along it. First trials are in `results/2026-11-16-curvature.md`.
//! - Reference: Omojokun 1989 and Nocedal and Wright, chapter 18, for the two parts of the step.
//! - Use it last, after a stage of Adam or AdamFLIP, with fresh or adaptive points every ten steps or so.

use super::newton::{Hard, Metric, Newton, NewtonSettings};
use super::{Block, ConstrainedProblem, End, Optimizer, State, StepReport};

/// Settings of [`NewtonFlip`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonFlipSettings {
    /// Penalty and damping.
    pub newton: NewtonSettings,
    /// γ at first, the share of h that a step is to remove.
    pub gain: f64,
    /// Eigenvalues of J Jᵀ up to this share of the largest are left out of the row space.
    pub rank_cut: f64,
    /// The metric of the step towards the constraints.
    pub metric: Metric,
}

impl Default for NewtonFlipSettings {
    fn default() -> Self {
        Self { newton: NewtonSettings::default(), gain: 0.5, rank_cut: 1e-6, metric: Metric::default() }
    }
}

/// Constrained Gauss–Newton.
#[derive(Debug)]
pub struct NewtonFlip(Newton);

impl NewtonFlip {
    /// For a problem of so many parameters whose constraints come in these blocks.
    pub fn new(settings: NewtonFlipSettings, parameters: usize, blocks: &[Block]) -> Self {
        let NewtonFlipSettings { gain, rank_cut: cut, metric, .. } = settings;
        let hard = Hard { gain, cut, metric };
        Self(Newton::new(settings.newton, Some(hard), parameters, blocks))
    }
}

impl Optimizer for NewtonFlip {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        self.0.step(problem, θ)
    }

    fn multipliers(&self) -> &[f64] {
        self.0.multipliers()
    }

    fn diagnose(&mut self, wanted: bool) {
        self.0.diagnose = wanted;
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
