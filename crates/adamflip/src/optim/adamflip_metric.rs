//! `adamflip_metric`: feedback linearization in Adam's own metric, Algorithm 2 of the AdamFLIP paper.
//!
//! - D = diag(1/(√v̄ + δ)) from the v̄ of the step before, λ = −(J D Jᵀ + εI)⁻¹(J D ∇f − K h), g = ∇f + Jᵀλ;
//!   m and v are Adam's moments of g, v̄ ← max(v̄, v/(1−β₂ᵗ)) never falls (AMSGrad), θ ← θ − η D m/(1−β₁ᵗ).
//!   So J D g = K h holds in every step, but for ε (which the paper's box does not have: set it to 0).
//! - Needs ∇f and J each step, and one m × m solve; J is gone through once more for its scaling.
//! - The KKT residual of the report is the theorem's ‖∇f + Jᵀλ†‖, with λ† of least squares in the metric D.
//! - v̄ starts at zero, so the first step is η·g/δ: δ is a length here, not a guard against division by zero.
//! - The gain must be small: the part of g that answers K h is D⁻¹n with n = K·(J's inverse in the metric)h,
//!   so where |n| > 1 in a coordinate, √v̄ ≥ |g| there grows by the factor |n| every step, without bound, and
//!   the step along the constraints dies (on the quadratic of the tests: at η = 0.01, δ = 1 it stays at a KKT
//!   residual of ten with K = 10 and converges with K = 1). A step of Adam is η long in a coordinate; K may
//!   not ask for a longer one. The theorem assumes g bounded.
//! - Defaults: K = 1, η = 1e-3, δ = 0.1, β = (0.9, 0.999), ε relative, 1e-8 (ours); the theorem's schedule
//!   η/(√t log t) is `schedule = "theorem"`. The theory asks for η·K ≤ 1.
//! - Reference: Algorithm 2 and theorem 1 of the paper; Reddi et al. 2018 for the monotone v̄.
//! - Use it where a guarantee is wanted; the monotone v̄ makes it slow after a rough start.

use super::adam::AdamSettings;
use super::controller::Controller;
use super::method::{Configure, JacobianRows, MethodFacts};
use super::multiplier::{Damping, Feedback};
use super::settings::{SettingGroup, SettingValue, adam, feedback};
use super::{Betas, ConstrainedProblem, Optimizer, Rate, State, StepReport, restore_lists};

/// Settings of [`AdamFlipMetric`].
#[derive(Clone, Debug, PartialEq)]
pub struct AdamFlipMetricSettings {
    /// Rate, moments, δ and clipping.
    pub adam: AdamSettings,
    /// Gains and damping of the controller.
    pub feedback: Feedback,
}

impl Default for AdamFlipMetricSettings {
    fn default() -> Self {
        let betas = Betas { first: 0.9, second: 0.999 };
        Self {
            adam: AdamSettings { rate: Rate::constant(1e-3), betas, delta: 0.1, ..AdamSettings::default() },
            feedback: Feedback { gain: 1.0, damping: Damping::Relative(1e-8), ..Feedback::default() },
        }
    }
}

impl Configure for AdamFlipMetricSettings {
    const FACTS: MethodFacts =
        MethodFacts { jacobian: JacobianRows::Written, ..MethodFacts::multipliers("adamflip_metric", false) };

    fn parts(&self) -> Vec<SettingGroup> {
        vec![adam::RATE, adam::MOMENTS, adam::CLIP, feedback::GAINS, feedback::DAMPING]
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match feedback::has(key) {
            true => feedback::set(&mut self.feedback, key, value),
            false => adam::set(&mut self.adam, key, value),
        }
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
        Box::new(AdamFlipMetric::new(self, problem.parameters(), problem.constraints(), steps))
    }

    fn rate(&mut self) -> Option<&mut Rate> {
        Some(&mut self.adam.rate)
    }

    fn feedback(&self) -> Option<&Feedback> {
        Some(&self.feedback)
    }
}

/// Algorithm 2.
#[derive(Debug)]
pub struct AdamFlipMetric {
    settings: AdamFlipMetricSettings,
    steps: usize,
    controller: Controller,
    mean: Vec<f64>,
    square: Vec<f64>,
    /// v̄.
    peak: Vec<f64>,
    /// The diagonal of D.
    metric: Vec<f64>,
    count: f64,
}

impl AdamFlipMetric {
    /// For a stage of `steps` steps on a problem of this size.
    pub fn new(
        settings: AdamFlipMetricSettings,
        parameters: usize,
        constraints: usize,
        steps: usize,
    ) -> Self {
        let zeros = || vec![0.0; parameters];
        Self {
            controller: Controller::new(settings.feedback.clone(), parameters, constraints),
            settings,
            steps,
            mean: zeros(),
            square: zeros(),
            peak: zeros(),
            metric: zeros(),
            count: 0.0,
        }
    }

    /// Takes in g and moves θ ← θ − ηD m̂.
    fn advance(&mut self, η: f64, θ: &mut [f64]) {
        let Betas { first: β1, second: β2 } = self.settings.adam.betas;
        self.count += 1.0;
        let (mean_scale, square_scale) =
            (1.0 / (1.0 - β1.powf(self.count)), 1.0 / (1.0 - β2.powf(self.count)));
        let moments = self.mean.iter_mut().zip(&mut self.square).zip(&mut self.peak);
        let places = θ.iter_mut().zip(&self.metric).zip(&self.controller.at.gradient);
        for (((mean, square), peak), ((θ, d), g)) in moments.zip(places) {
            *mean = β1 * *mean + (1.0 - β1) * g;
            *square = β2 * *square + (1.0 - β2) * g * g;
            *peak = peak.max(*square * square_scale);
            *θ -= η * d * (*mean * mean_scale);
        }
    }
}

impl Optimizer for AdamFlipMetric {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let AdamSettings { rate, delta, clip, .. } = self.settings.adam;
        let η = rate.at(self.count as usize, self.steps);
        self.metric.iter_mut().zip(&self.peak).for_each(|(d, v)| *d = 1.0 / (v.sqrt() + delta));
        let (mut report, finite) = self.controller.direction(problem, Some(&self.metric), clip, η, θ);
        if finite {
            self.advance(η, θ);
            self.controller.end(θ, &mut report);
        }
        report
    }

    delegate!(to controller: multipliers, diagnose, points_changed);

    fn state(&self) -> State {
        let mut state = self.controller.state();
        let moments = [("mean", &self.mean), ("square", &self.square), ("peak", &self.peak)];
        state.extend(moments.map(|(name, list)| (name, list.clone())));
        state.push(("count", vec![self.count]));
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let mut lists = self.controller.lists();
        lists.extend([
            ("mean", &mut self.mean[..]),
            ("square", &mut self.square),
            ("peak", &mut self.peak),
            ("count", std::slice::from_mut(&mut self.count)),
        ]);
        restore_lists(state, &mut lists)
    }
}
