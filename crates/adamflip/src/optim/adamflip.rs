//! `adamflip`: feedback linearization with Adam's moments, Algorithm 1 of the AdamFLIP paper.
//!
//! - λ = −(J Jᵀ + εI)⁻¹(J∇f − K h − K_i z), g = ∇f + Jᵀλ, then Adam's moments with bias correction on g.
//! - Needs ∇f and J each step: as many gradients as there are constraints, and one m × m solve.
//! - Defaults: η = 1e-4 and δ = 1e-8 as in the authors' runs; β = (0.95, 0.999), the best row of the paper's
//!   ablation at β₂ = 0.999; K = 100 (our measurement on Burgers, where the paper's 1000 is worse than plain
//!   Adam); K_i = 0; ε relative, 1e-6.
//! - Options of the authors' runs: gains for each named constraint, g clipped at norm 10, ε absolute (1e-6),
//!   λ replaced by its running average (0.9), and backtracking: the step is halved up to this many times (5)
//!   until the merit f + ρ‖h‖₁ does not rise. The merit is the exact penalty of the paper's proof; ρ is fixed
//!   or, by default, max(1, 2‖λ‖∞). Every trial is one more evaluation of f and h.
//! - The theory asks for η·K ≤ 1.
//! - Use it with constraints aggregated to their mean square, after a short stage of Adam.

use super::adam::{AdamSettings, moments_state, restore_moments};
use super::controller::Controller;
use super::method::{Configure, MethodFacts};
use super::moments::Moments;
use super::multiplier::Feedback;
use super::settings::{SettingGroup, SettingValue, adam, feedback, setting};
use super::{Betas, ConstrainedProblem, Evaluation, Matrix, Optimizer, Rate, State, StepReport, Want};

/// Settings of [`AdamFlip`].
#[derive(Clone, Debug, PartialEq)]
pub struct AdamFlipSettings {
    /// Rate, moments and clipping.
    pub adam: AdamSettings,
    /// Gains and damping of the controller.
    pub feedback: Feedback,
    /// Shorter steps where the merit would rise.
    pub backtracking: Backtracking,
}

/// How steps are shortened that would raise the merit f + ρ‖h‖₁.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Backtracking {
    /// Halvings at the most; zero takes every step as it is.
    pub halvings: usize,
    /// ρ; max(1, 2‖λ‖∞) where it is not given.
    pub penalty: Option<f64>,
}

impl Default for AdamFlipSettings {
    fn default() -> Self {
        Self {
            adam: AdamSettings {
                rate: Rate::constant(1e-4),
                betas: Betas { first: 0.95, second: 0.999 },
                ..AdamSettings::default()
            },
            feedback: Feedback::default(),
            backtracking: Backtracking::default(),
        }
    }
}

const BACKTRACKING: SettingGroup = &[
    // Fifty halvings leave nothing of a step.
    setting("halvings", "a whole number from 0 to 50, as in `halvings = 5`", "the most halvings of a step"),
    setting("penalty", "a positive number, as in `penalty = 10`", "the weight of ‖h‖₁ in the merit"),
];

impl Configure for AdamFlipSettings {
    const FACTS: MethodFacts = MethodFacts::multipliers("adamflip", false);

    fn parts(&self) -> Vec<SettingGroup> {
        let adam = [adam::RATE, adam::MOMENTS, adam::ROTATION, adam::CLIP];
        [&adam[..], &[feedback::GAINS, feedback::DAMPING, BACKTRACKING]].concat()
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match key {
            "halvings" => self.backtracking.halvings = value.whole(0..=50)?,
            "penalty" => self.backtracking.penalty = Some(value.positive()?),
            key if feedback::has(key) => feedback::set(&mut self.feedback, key, value)?,
            _ => adam::set(&mut self.adam, key, value)?,
        }
        Some(())
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
        let method = AdamFlip::new(self, problem.parameters(), problem.constraints(), steps);
        Box::new(method.with_matrices(&problem.matrices()))
    }

    fn rate(&mut self) -> Option<&mut Rate> {
        Some(&mut self.adam.rate)
    }

    fn feedback(&self) -> Option<&Feedback> {
        Some(&self.feedback)
    }
}

/// Algorithm 1.
#[derive(Debug)]
pub struct AdamFlip {
    settings: AdamFlipSettings,
    steps: usize,
    controller: Controller,
    moments: Moments,
    trial: Evaluation,
}

impl AdamFlip {
    /// For a stage of `steps` steps on a problem of this size.
    pub fn new(settings: AdamFlipSettings, parameters: usize, constraints: usize, steps: usize) -> Self {
        Self {
            controller: Controller::new(settings.feedback.clone(), parameters, constraints),
            settings,
            steps,
            moments: Moments::new(parameters),
            trial: Evaluation::new(0, constraints),
        }
    }

    /// For a problem whose θ holds these matrices, in whose bases the moments may be kept.
    pub fn with_matrices(mut self, matrices: &[Matrix]) -> Self {
        self.moments = self.moments.turning(self.settings.adam.rotate, matrices);
        self
    }

    /// Halves the step to θ while the merit is above that of its start.
    fn backtrack(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) {
        let λ = &self.controller.multiplier.λ;
        let largest = λ.iter().fold(0.0, |largest: f64, λ| largest.max(λ.abs()));
        let penalty = self.settings.backtracking.penalty.unwrap_or((2.0 * largest).max(1.0));
        self.trial.inequalities.clone_from(&self.controller.at.inequalities);
        let merit = |at: &Evaluation| at.objective + penalty * at.violation();
        let limit = merit(&self.controller.at);
        for _ in 0..self.settings.backtracking.halvings {
            problem.evaluate(θ, Want::Values, &mut self.trial);
            if merit(&self.trial) <= limit {
                return;
            }
            let start = &self.controller.reduction.step;
            θ.iter_mut().zip(start).for_each(|(θ, start)| *θ = 0.5 * (*θ + start));
        }
    }
}

impl Optimizer for AdamFlip {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let AdamSettings { rate, betas, delta, clip, .. } = self.settings.adam;
        let η = rate.at(self.moments.count as usize, self.steps);
        let (mut report, finite) = self.controller.direction(problem, None, clip, η, θ);
        if finite {
            self.moments.step(betas, delta, η, &self.controller.at.gradient, θ);
            self.backtrack(problem, θ);
            self.controller.end(θ, &mut report);
        }
        report
    }

    delegate!(to controller: multipliers, diagnose, points_changed);

    fn state(&self) -> State {
        let mut state = moments_state(&self.moments);
        state.extend(self.controller.state());
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        restore_moments(&mut self.moments, &mut self.controller.lists(), state)
    }
}
