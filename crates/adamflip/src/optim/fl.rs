//! `fl`: feedback linearization alone, gradient descent on a Lagrangian whose multipliers are a controller's.
//!
//! - λ = −(J Jᵀ + εI)⁻¹(J∇f − K h − K_i z), θ ← θ − η(∇f + Jᵀλ).
//! - Needs ∇f and J each step, and one m × m solve.
//! - Without damping h contracts by 1 − ηK a step to first order; the theory asks for η·K ≤ 1. With K = 1/η
//!   it is the step of sequential quadratic programming with the Hessian I/η.
//! - Defaults: η = 1e-3, K = 100 (a tenth of h a step), ε relative, 1e-6 (ours: the paper names none for its
//!   FL rows).
//! - Reference: Cerone et al. 2025 and Zhang et al. 2025, as restated in the AdamFLIP paper.
//! - Use it on small, well-scaled problems and as a baseline; networks want `adamflip_split`.

use super::controller::Controller;
use super::method::{Configure, MethodFacts};
use super::multiplier::Feedback;
use super::settings::{SettingGroup, SettingValue, adam, feedback};
use super::{ConstrainedProblem, Optimizer, Rate, State, StepReport, restore_lists};
use crate::linalg::add_scaled;

/// Settings of [`Fl`].
#[derive(Clone, Debug, PartialEq)]
pub struct FlSettings {
    /// η.
    pub rate: Rate,
    /// Gains and damping of the controller.
    pub feedback: Feedback,
    /// Directions longer than this are shortened to it.
    pub clip: Option<f64>,
}

impl Default for FlSettings {
    fn default() -> Self {
        Self { rate: Rate::constant(1e-3), feedback: Feedback::default(), clip: None }
    }
}

impl Configure for FlSettings {
    const FACTS: MethodFacts = MethodFacts {
        without_constraints: Some("is plain gradient descent"),
        ..MethodFacts::multipliers("fl", false)
    };

    fn parts(&self) -> Vec<SettingGroup> {
        vec![adam::RATE, adam::CLIP, feedback::GAINS, feedback::DAMPING]
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match key {
            "clip" => adam::set_clip(&mut self.clip, value),
            key if feedback::has(key) => feedback::set(&mut self.feedback, key, value),
            _ => adam::set_rate(&mut self.rate, key, value),
        }
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
        Box::new(Fl::new(self, problem.parameters(), problem.constraints(), steps))
    }

    fn rate(&mut self) -> Option<&mut Rate> {
        Some(&mut self.rate)
    }

    fn feedback(&self) -> Option<&Feedback> {
        Some(&self.feedback)
    }
}

/// Feedback linearization.
#[derive(Debug)]
pub struct Fl {
    settings: FlSettings,
    steps: usize,
    controller: Controller,
    count: f64,
}

impl Fl {
    /// For a stage of `steps` steps on a problem of this size.
    pub fn new(settings: FlSettings, parameters: usize, constraints: usize, steps: usize) -> Self {
        let controller = Controller::new(settings.feedback.clone(), parameters, constraints);
        Self { settings, steps, controller, count: 0.0 }
    }
}

impl Optimizer for Fl {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let η = self.settings.rate.at(self.count as usize, self.steps);
        let controller = &mut self.controller;
        let (mut report, finite) = controller.direction(problem, None, self.settings.clip, η, θ);
        if finite {
            self.count += 1.0;
            add_scaled(θ, -η, &controller.at.gradient);
            controller.end(θ, &mut report);
        }
        report
    }

    delegate!(to controller: multipliers, diagnose, points_changed);

    fn state(&self) -> State {
        let mut state = self.controller.state();
        state.push(("count", vec![self.count]));
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let mut lists = self.controller.lists();
        lists.push(("count", std::slice::from_mut(&mut self.count)));
        restore_lists(state, &mut lists)
    }
}
