//! `adam`: the usual training, a weighted sum of all losses under Adam.
//!
//! - Minimises f + Σ h (the terms' own weights are in f and h already), or Σ wᵢℓᵢ with weights that a rule
//!   balances ([`super::balance`]).
//! - Needs one combined gradient a step.
//! - Defaults: η = 1e-3, β = (0.9, 0.999), δ = 1e-8 (Kingma and Ba 2015).
//! - Use it as the warm start of a constrained method and as the baseline to beat.

use super::balance::Balance;
use super::controller::{begin, shorten};
use super::method::{Configure, MethodFacts};
use super::moments::Moments;
use super::settings::{SettingGroup, SettingValue, adam as keys, balance};
use super::{
    Balancing, Betas, ConstrainedProblem, Evaluation, Matrix, Optimizer, Rate, State, StepReport, Want,
    restore_lists,
};

/// Settings of [`Adam`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamSettings {
    /// η.
    pub rate: Rate,
    /// β₁ and β₂.
    pub betas: Betas,
    /// δ, added to the root of the second moment.
    pub delta: f64,
    /// Gradients longer than this are shortened to it.
    pub clip: Option<f64>,
    /// The moments are kept in the eigenbasis of the layers (SOAP), which turns every this many steps; 0:
    /// they are those of θ.
    pub rotate: usize,
    /// How the losses of the terms are weighed against each other, by the method `adam` alone.
    pub balancing: Option<Balancing>,
}

impl Default for AdamSettings {
    fn default() -> Self {
        let betas = Betas { first: 0.9, second: 0.999 };
        Self { rate: Rate::constant(1e-3), betas, delta: 1e-8, clip: None, rotate: 0, balancing: None }
    }
}

impl Configure for AdamSettings {
    const FACTS: MethodFacts = MethodFacts::penalty("adam");

    fn parts(&self) -> Vec<SettingGroup> {
        let mut parts = vec![keys::RATE, keys::MOMENTS, keys::ROTATION, keys::CLIP];
        parts.extend(balance::parts(&self.balancing));
        parts
    }

    fn choices() -> Vec<Self> {
        balance::choices().map(|balancing| Self { balancing, ..Self::default() }).collect()
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match balance::has(key) {
            true => balance::set(&mut self.balancing, key, value),
            false => keys::set(self, key, value),
        }
    }

    fn needed(&self, key: &str) -> Option<&'static str> {
        balance::needed(key)
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
        let adam = Adam::new(self, problem.parameters(), problem.constraints(), steps);
        let adam = adam.with_matrices(&problem.matrices());
        match self.balancing {
            None => Box::new(adam),
            Some(balancing) => Box::new(adam.balanced(Balance::new(balancing, 1, problem))),
        }
    }

    fn rate(&mut self) -> Option<&mut Rate> {
        Some(&mut self.rate)
    }
}

/// Adam on the weighted sum.
#[derive(Debug)]
pub struct Adam {
    settings: AdamSettings,
    steps: usize,
    weights: Vec<f64>,
    moments: Moments,
    at: Evaluation,
    /// The weights of all terms, where a rule balances them.
    balance: Option<Balance>,
}

impl Adam {
    /// For a stage of `steps` steps on a problem of this size.
    pub fn new(settings: AdamSettings, parameters: usize, constraints: usize, steps: usize) -> Self {
        Self {
            settings,
            steps,
            weights: vec![1.0; constraints],
            moments: Moments::new(parameters),
            at: Evaluation::new(parameters, constraints),
            balance: None,
        }
    }

    /// With weights that are balanced.
    fn balanced(self, balance: Balance) -> Self {
        let at = Evaluation::new(self.moments.mean.len(), balance.entries());
        Self { at, balance: Some(balance), ..self }
    }

    /// For a problem whose θ holds these matrices, in whose bases the moments may be kept.
    pub fn with_matrices(mut self, matrices: &[Matrix]) -> Self {
        self.moments = self.moments.turning(self.settings.rotate, matrices);
        self
    }
}

impl Optimizer for Adam {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let Self { settings, steps, weights, moments, at, balance } = self;
        let η = settings.rate.at(moments.count as usize, *steps);
        let Some(balance) = balance else {
            problem.evaluate(θ, Want::Combination(weights), at);
            return finish(settings, η, moments, at, θ);
        };
        problem.apart(&mut |problem| {
            problem.evaluate(θ, Want::Products, at);
            balance.look(problem, θ, at);
        });
        at.jacobian.add_transposed(&balance.slopes(&at.constraints), &mut at.gradient);
        let mut report = finish(settings, η, moments, at, θ);
        balance.end(&at.constraints, &mut report);
        report
    }

    fn multipliers(&self) -> &[f64] {
        self.balance.as_ref().map_or(&[], Balance::multipliers)
    }

    fn state(&self) -> State {
        let mut state = moments_state(&self.moments);
        state.extend(self.balance.iter().flat_map(Balance::state));
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        match &mut self.balance {
            None => restore_moments(&mut self.moments, &mut [], state),
            Some(balance) => restore_moments(&mut self.moments, &mut balance.lists(), state),
        }
    }
}

/// Clips the direction g in `at.gradient`, applies Adam's moments to it, and reports. Leaves θ and the
/// moments as they are where the evaluation is not finite.
pub(super) fn finish(
    settings: &AdamSettings,
    η: f64,
    moments: &mut Moments,
    at: &mut Evaluation,
    θ: &mut [f64],
) -> StepReport {
    let report = begin(at, η);
    if !at.is_finite() || !report.gradient_norm.is_finite() {
        return report;
    }
    shorten(&mut at.gradient, report.gradient_norm, settings.clip);
    let step_norm = moments.step(settings.betas, settings.delta, η, &at.gradient, θ);
    StepReport { step_norm, ..report }
}

pub(super) fn moments_state(moments: &Moments) -> State {
    let mut state = vec![
        ("mean", moments.mean.clone()),
        ("square", moments.square.clone()),
        ("count", vec![moments.count]),
    ];
    state.extend(moments.rotation.as_ref().map(|rotation| ("rotation", rotation.state())));
    state
}

/// Restores the moments together with further lists of a method.
pub(super) fn restore_moments(
    moments: &mut Moments,
    further: &mut [(&str, &mut [f64])],
    state: &[(String, Vec<f64>)],
) -> bool {
    let mut count = [0.0];
    let mut rotation = moments.rotation.as_ref().map(|rotation| rotation.state());
    let own: [(&str, &mut [f64]); 3] =
        [("mean", &mut moments.mean), ("square", &mut moments.square), ("count", &mut count)];
    let mut lists: Vec<(&str, &mut [f64])> = own.into_iter().collect();
    lists.extend(rotation.as_mut().map(|list| ("rotation", &mut list[..])));
    lists.extend(further.iter_mut().map(|(name, list)| (*name, &mut **list)));
    let restored = restore_lists(state, &mut lists);
    if restored {
        moments.count = count[0];
        if let (Some(own), Some(saved)) = (&mut moments.rotation, rotation) {
            own.restore(&saved);
        }
    }
    restored
}
