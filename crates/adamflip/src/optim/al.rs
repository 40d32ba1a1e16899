//! `al`: the augmented Lagrangian method with three dual rules.
//!
//! L = f + Σ mean(λ·r) + ½ Σ mean(μ·r²) over pointwise constraints with residuals r (a mean for each block, a
//! multiplier for each point), and L = f + Σ (λh + ½μh²) over constraints h that are mean squares already. θ
//! descends on L; λ and μ follow one of:
//!
//! - `ascent` (Son, Cho and Hwang 2023, AL-PINN): μ = 2β stays, so that the penalty is β·mean(r²); in every
//!   step Adam descends in θ and ascends in λ, both from the same evaluation. Or νPI (Sohrabi et al. 2024) in
//!   place of Adam for λ.
//! - `outer` (Lu et al. 2021, hPINN): θ is minimised at fixed λ and μ, the first time by Adam and L-BFGS,
//!   then by L-BFGS; after each minimisation λ ← λ + μh and μ ← βμ up to a limit. Their penalty μ·mean(r²) is
//!   ours with twice the μ.
//! - `adaptive` (Hu et al. 2025, PECANN-CAPU): Adam in θ, one penalty for each constraint c, which is a mean
//!   square or, of a pointwise constraint, the *square* of a residual, as in the authors' programs; v̄ ← 0.99
//!   v̄ + 0.01 c², and when L ≥ 0.999 L of the step before, λ ← λ + μc and μ ← max(μ, 0.01/√(v̄ + 1e-16)),
//!   from the evaluation of that step. With residuals themselves this is an integral controller of gain μ in
//!   nearly every step, and unstable (we tried).
//!
//! Needs: ∇f + Jᵀw with weights that depend on h. With mean squares one evaluation of all gradients; with
//! residuals one of the values and one of the combination.
//!
//! Defaults. `ascent`: β = 1 and both rates 1e-4, the authors' run on Burgers (they take β = 1000 and rates
//! 1e-3 and 1 for Helmholtz, 500 and 1e-3 and 0.1 for Klein–Gordon). `outer`: β = 2 as the authors; μ = 2 at
//! first, which is the plain sum of losses; 2,000 steps of Adam at 1e-3, then rounds of up to 1,000 steps of
//! L-BFGS, and a limit of 1e4: ours. `adaptive`: the authors' numbers, μ = 1 at first, Adam at 1e-3.
//! Multipliers start at 0 for residuals and at 1 for squares (as in PECANN-CAPU): the gradient of a square
//! vanishes with it, so that λ = 0 would leave nothing that pulls. For the same reason no finite λ makes a
//! square exactly 0, and λ only grows.
//!
//! A multiplier belongs to a point: keep the points of pointwise constraints fixed in such a stage.
//!
//! Use `ascent` as the baseline of the literature, `outer` for accuracy at fixed points, `adaptive` where
//! constraints differ by orders of magnitude.

mod dual;
mod lagrangian;
mod settings;

use super::adam::{finish, moments_state, restore_moments};
use super::descent::{Descent, DescentSettings};
use super::method::{Configure, JacobianRows, Keeps, MethodFacts};
use super::moments::Moments;
use super::settings::{SettingGroup, SettingValue};
use super::{AdamSettings, Block, ConstrainedProblem, Optimizer, Rate, State, StepReport};
use dual::Memory;
pub use dual::{Adaptive, Ascent, Dual, Outer, Update};
pub(crate) use lagrangian::Lagrangian;

/// Settings of [`AugmentedLagrangian`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlSettings {
    /// Adam in θ.
    pub adam: AdamSettings,
    /// L-BFGS in θ, for the rule `outer`.
    pub descent: DescentSettings,
    /// λ of squares at first; that of residuals is 0.
    pub start: f64,
    /// The rule of λ and μ.
    pub dual: Dual,
}

impl AlSettings {
    /// The rule `ascent` with its defaults.
    pub fn ascent() -> Self {
        Self::with(1e-4, Dual::Ascent(Ascent::default()))
    }

    /// The rule `outer` with its defaults.
    pub fn outer() -> Self {
        Self::with(1e-3, Dual::Outer(Outer::default()))
    }

    /// The rule `adaptive` with its defaults.
    pub fn adaptive() -> Self {
        Self::with(1e-3, Dual::Adaptive(Adaptive::default()))
    }

    fn with(rate: f64, dual: Dual) -> Self {
        let adam = AdamSettings { rate: Rate::constant(rate), ..AdamSettings::default() };
        Self { adam, descent: DescentSettings::default(), start: 1.0, dual }
    }
}

impl Default for AlSettings {
    fn default() -> Self {
        Self::ascent()
    }
}

impl Configure for AlSettings {
    const FACTS: MethodFacts = MethodFacts {
        keeps: Keeps::Constraints,
        jacobian: JacobianRows::Combined,
        matrices: [0.0, 0.0],
        ..MethodFacts::multipliers("al", true)
    };

    fn parts(&self) -> Vec<SettingGroup> {
        settings::parts(self)
    }

    fn choices() -> Vec<Self> {
        let update = Update::proportional_integral();
        let controlled =
            Self { dual: Dual::Ascent(Ascent { update, ..Ascent::default() }), ..Self::ascent() };
        vec![controlled, Self::outer(), Self::adaptive()]
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        settings::set(self, key, value)
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, steps: usize) -> Box<dyn Optimizer> {
        Box::new(AugmentedLagrangian::new(self, problem.parameters(), &problem.constraint_blocks(), steps))
    }

    fn rate(&mut self) -> Option<&mut Rate> {
        Some(&mut self.adam.rate)
    }

    fn needed(&self, key: &str) -> Option<&'static str> {
        settings::needed(key)
    }
}

/// The augmented Lagrangian method.
#[derive(Debug)]
pub struct AugmentedLagrangian {
    settings: AlSettings,
    steps: usize,
    lagrangian: Lagrangian,
    memory: Memory,
    moments: Moments,
    /// For the rule `outer` only; of no size otherwise.
    descent: Descent,
    progress: Progress,
}

/// Where the method is in its stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Progress {
    /// Steps of this stage.
    taken: usize,
    /// Inner minimisations that have ended.
    round: usize,
    /// Steps of the current inner minimisation.
    inner: usize,
    /// ‖∇L‖ at the first step of L-BFGS in it.
    first_norm: f64,
}

impl AugmentedLagrangian {
    /// For a stage of `steps` steps on a problem of this many parameters whose constraints come in these
    /// blocks.
    pub fn new(settings: AlSettings, parameters: usize, blocks: &[Block], steps: usize) -> Self {
        let mut lagrangian = Lagrangian::new(parameters, blocks);
        settings.dual.begin(settings.start, &mut lagrangian);
        let constraints = lagrangian.λ.len();
        let descent = match settings.dual {
            Dual::Outer(_) => Descent::new(settings.descent, parameters, constraints),
            Dual::Ascent(_) | Dual::Adaptive(_) => Descent::new(settings.descent, 0, 0),
        };
        let (memory, moments) = (Memory::new(constraints), Moments::new(parameters));
        Self { settings, steps, lagrangian, memory, moments, descent, progress: Progress::default() }
    }

    /// One step of Adam on L from an evaluation at θ, which stays in the Lagrangian. Tells whether it was
    /// finite.
    fn adam(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> (StepReport, bool) {
        self.lagrangian.differentiate(problem, θ);
        let η = self.settings.adam.rate.at(self.progress.taken, self.steps);
        let report = finish(&self.settings.adam, η, &mut self.moments, &mut self.lagrangian.at, θ);
        (report, self.lagrangian.at.is_finite() && report.gradient_norm.is_finite())
    }

    /// One step of an inner minimisation, and the dual step where it was the last.
    fn outer(&mut self, rule: &Outer, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let Progress { round, inner, .. } = self.progress;
        let first = if round == 0 { rule.adam } else { 0 };
        self.progress.inner += 1;
        if rule.lbfgs == 0 || inner < first {
            let (report, finite) = self.adam(problem, θ);
            if finite && rule.lbfgs == 0 && self.progress.inner >= rule.adam {
                self.lagrangian.values(problem, θ);
                self.end_round(rule);
            }
            return report;
        }
        let report = self.descent.step(&mut self.lagrangian, problem, θ);
        if inner == first {
            self.progress.first_norm = report.gradient_norm;
        }
        let done = self.progress.inner >= first + rule.lbfgs
            || report.step_norm == 0.0
            || report.gradient_norm < rule.tolerance * self.progress.first_norm;
        // h of the new θ is at hand; not a number where the evaluation was not finite.
        let h = self.descent.constraints();
        if done && h.iter().all(|h| h.is_finite()) {
            self.lagrangian.at.constraints.copy_from_slice(h);
            self.end_round(rule);
        }
        report
    }

    /// The dual step from h in the last evaluation, and a fresh start in θ.
    fn end_round(&mut self, rule: &Outer) {
        dual::raise(rule, &mut self.lagrangian);
        self.descent.forget();
        self.moments.mean.fill(0.0);
        self.moments.square.fill(0.0);
        self.moments.count = 0.0;
        self.progress = Progress { round: self.progress.round + 1, inner: 0, ..self.progress };
    }
}

impl Optimizer for AugmentedLagrangian {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let report = match self.settings.dual {
            Dual::Outer(rule) => self.outer(&rule, problem, θ),
            Dual::Ascent(rule) => {
                let (report, finite) = self.adam(problem, θ);
                if finite {
                    let η = rule.rate.at(self.progress.taken, self.steps);
                    self.memory.ascend(&rule, η, &self.settings.adam, &mut self.lagrangian);
                }
                report
            }
            Dual::Adaptive(rule) => {
                let (report, finite) = self.adam(problem, θ);
                if finite {
                    self.memory.adapt(&rule, &mut self.lagrangian);
                }
                report
            }
        };
        self.progress.taken += 1;
        StepReport { kkt: report.gradient_norm, ..report }
    }

    /// w with which the last gradient ∇f + Jᵀw was formed: λ + μh, divided by the number of points for
    /// residuals. At a solution, the multipliers of the problem.
    fn multipliers(&self) -> &[f64] {
        &self.lagrangian.weights
    }

    fn state(&self) -> State {
        let Self { lagrangian, memory, progress, .. } = self;
        let mut state = moments_state(&self.moments);
        let counts = [progress.taken, progress.round, progress.inner].map(|count| count as f64);
        state.extend([
            ("multiplier", lagrangian.λ.clone()),
            ("penalty", lagrangian.μ.clone()),
            ("smoothed", memory.smoothed.clone()),
            ("dual_mean", memory.moments.mean.clone()),
            ("dual_square", memory.moments.square.clone()),
            ("dual_count", vec![memory.moments.count]),
            ("progress", [&counts[..], &[progress.first_norm, memory.previous]].concat()),
        ]);
        state.extend(self.descent.state());
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let (mut progress, mut dual_count) = ([0.0; 5], [0.0]);
        let Self { lagrangian, memory, moments, .. } = self;
        let further: &mut [(&str, &mut [f64])] = &mut [
            ("multiplier", &mut lagrangian.λ),
            ("penalty", &mut lagrangian.μ),
            ("smoothed", &mut memory.smoothed),
            ("dual_mean", &mut memory.moments.mean),
            ("dual_square", &mut memory.moments.square),
            ("dual_count", &mut dual_count),
            ("progress", &mut progress),
        ];
        // Nothing may change unless all of it fits.
        if !self.descent.fits(state) || !restore_moments(moments, further, state) {
            return false;
        }
        memory.moments.count = dual_count[0];
        let [taken, round, inner, first_norm, previous] = progress;
        memory.previous = previous;
        let [taken, round, inner] = [taken, round, inner].map(|count| count as usize);
        self.progress = Progress { taken, round, inner, first_norm };
        self.descent.restore(state)
    }
}

#[cfg(test)]
pub(crate) mod problems;
#[cfg(test)]
mod tests;
