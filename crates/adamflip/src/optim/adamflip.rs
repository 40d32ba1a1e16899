//! `adamflip`: feedback linearization with Adam's moments, Algorithm 1 of the AdamFLIP paper.
//!
//! - λ = −(J Jᵀ + εI)⁻¹(J∇f − K h − K_i z), g = ∇f + Jᵀλ, then Adam's moments with bias correction on g.
//! - Needs ∇f and J each step: as many gradients as there are constraints, and one m × m solve.
//! - Defaults: η = 1e-4 and δ = 1e-8 as in the authors' runs; β = (0.95, 0.999), the best row of the paper's
//!   ablation at β₂ = 0.999; K = 100 (our measurement on Burgers, where the paper's 1000 is worse than plain Adam);
//!   K_i = 0; ε relative, 1e-6.
//! - The theory asks for η·K ≤ 1.
//! - Use it with constraints aggregated to their mean square, after a short stage of Adam.

use super::adam::{AdamSettings, finish, moments_state, restore_moments};
use super::moments::Moments;
use super::multiplier::{Damping, Feedback, Multiplier};
use super::{Betas, ConstrainedProblem, Evaluation, Optimizer, Rate, State, StepReport, Want};

/// Settings of [`AdamFlip`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamFlipSettings {
    /// Rate, moments and clipping.
    pub adam: AdamSettings,
    /// Gains and damping of the controller.
    pub feedback: Feedback,
}

impl Default for AdamFlipSettings {
    fn default() -> Self {
        Self {
            adam: AdamSettings {
                rate: Rate::constant(1e-4),
                betas: Betas { first: 0.95, second: 0.999 },
                ..AdamSettings::default()
            },
            feedback: Feedback { gain: 100.0, integral_gain: 0.0, damping: Damping::Relative(1e-6) },
        }
    }
}

/// Algorithm 1.
#[derive(Debug)]
pub struct AdamFlip {
    settings: AdamFlipSettings,
    steps: usize,
    multiplier: Multiplier,
    moments: Moments,
    at: Evaluation,
}

impl AdamFlip {
    /// For a stage of `steps` steps on a problem of this size.
    pub fn new(settings: AdamFlipSettings, parameters: usize, constraints: usize, steps: usize) -> Self {
        Self {
            settings,
            steps,
            multiplier: Multiplier::new(settings.feedback, constraints),
            moments: Moments::new(parameters),
            at: Evaluation::new(parameters, constraints),
        }
    }
}

impl Optimizer for AdamFlip {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        problem.evaluate(θ, Want::Gradients, &mut self.at);
        let η = self.settings.adam.rate.at(self.moments.count as usize, self.steps);
        self.multiplier.apply(&mut self.at, η);
        finish(&self.settings.adam, η, &mut self.moments, &mut self.at, θ)
    }

    fn multipliers(&self) -> &[f64] {
        &self.multiplier.λ
    }

    fn state(&self) -> State {
        let mut state = moments_state(&self.moments);
        state.push(("integral", self.multiplier.integral.clone()));
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        restore_moments(&mut self.moments, &mut [("integral", &mut self.multiplier.integral)], state)
    }
}
