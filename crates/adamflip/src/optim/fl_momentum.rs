//! `fl_momentum`: feedback linearization with a heavy ball.
//!
//! - λ as in `fl`, m ← βm + (∇f + Jᵀλ), θ ← θ − ηm.
//! - Needs ∇f and J each step, and one m × m solve.
//! - Steps are 1/(1 − β) times those of `fl` once m has built up, so η·K is to stay below 1 − β.
//! - Defaults: β = 0.9, η = 1e-4, K = 100: a tenth of h a step in the long run (ours: the paper names none).
//! - Reference: Zhang et al. 2025, as restated in the AdamFLIP paper.
//! - Use it where `fl` is slow along valleys; it overshoots in h, since the constraint part is averaged too.

use super::controller::Controller;
use super::fl::FlSettings;
use super::method::{Configure, MethodFacts};
use super::multiplier::Feedback;
use super::settings::{SettingGroup, SettingValue, adam, feedback, setting};
use super::{ConstrainedProblem, Optimizer, Rate, State, StepReport, restore_lists};
use crate::linalg::add_scaled;

/// Settings of [`FlMomentum`].
#[derive(Clone, Debug, PartialEq)]
pub struct FlMomentumSettings {
    /// Rate, controller and clipping.
    pub fl: FlSettings,
    /// β.
    pub momentum: f64,
}

impl Default for FlMomentumSettings {
    fn default() -> Self {
        let fl = FlSettings { rate: Rate::constant(1e-4), feedback: Feedback::default(), clip: None };
        Self { fl, momentum: 0.9 }
    }
}

const MOMENTUM: SettingGroup =
    &[setting("momentum", "a number in [0, 1), as in `momentum = 0.9`", "memory of the directions")];

impl Configure for FlMomentumSettings {
    const FACTS: MethodFacts = MethodFacts {
        without_constraints: Some("is plain gradient descent"),
        ..MethodFacts::multipliers("fl_momentum", false)
    };

    fn parts(&self) -> Vec<SettingGroup> {
        vec![adam::RATE, MOMENTUM, adam::CLIP, feedback::GAINS, feedback::DAMPING]
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        if key == "momentum" {
            self.momentum = value.share()?;
            return Some(());
        }
        self.fl.set(key, value)
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
        Box::new(FlMomentum::new(self, problem.parameters(), problem.constraints(), steps))
    }

    fn rate(&mut self) -> Option<&mut Rate> {
        Some(&mut self.fl.rate)
    }

    fn feedback(&self) -> Option<&Feedback> {
        Some(&self.fl.feedback)
    }
}

/// Feedback linearization with momentum.
#[derive(Debug)]
pub struct FlMomentum {
    settings: FlMomentumSettings,
    steps: usize,
    controller: Controller,
    momentum: Vec<f64>,
    count: f64,
}

impl FlMomentum {
    /// For a stage of `steps` steps on a problem of this size.
    pub fn new(settings: FlMomentumSettings, parameters: usize, constraints: usize, steps: usize) -> Self {
        let controller = Controller::new(settings.fl.feedback.clone(), parameters, constraints);
        Self { settings, steps, controller, momentum: vec![0.0; parameters], count: 0.0 }
    }
}

impl Optimizer for FlMomentum {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let η = self.settings.fl.rate.at(self.count as usize, self.steps);
        let controller = &mut self.controller;
        let (mut report, finite) = controller.direction(problem, None, self.settings.fl.clip, η, θ);
        if finite {
            self.count += 1.0;
            for (m, g) in self.momentum.iter_mut().zip(&controller.at.gradient) {
                *m = self.settings.momentum * *m + g;
            }
            add_scaled(θ, -η, &self.momentum);
            controller.end(θ, &mut report);
        }
        report
    }

    delegate!(to controller: multipliers, diagnose, points_changed);

    fn state(&self) -> State {
        let mut state = self.controller.state();
        state.extend([("momentum", self.momentum.clone()), ("count", vec![self.count])]);
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let mut lists = self.controller.lists();
        lists
            .extend([("momentum", &mut self.momentum[..]), ("count", std::slice::from_mut(&mut self.count))]);
        restore_lists(state, &mut lists)
    }
}
