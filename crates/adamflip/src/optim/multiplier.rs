//! The feedback controller: multipliers λ in closed form that make the constraints decay.
//!
//! With g = ∇f + Jᵀλ as the direction of descent, θ ← θ − ηDg in a metric D, h changes at the rate −J D g.
//! Feedback linearization asks for J D g = K h + K_i z, a proportional and integral controller on h, and
//! solves for
//!
//! λ = −(J D Jᵀ + εI)⁻¹ (J D ∇f − K h − K_i z),    z ← z + η h.
//!
//! The signs are such that the integral term, too, pulls h towards zero.
//!
//! Of inequalities h ≤ 0 it asks for J D g ≥ K h + K_i z alone, and finds the smallest such g: λ ≥ 0, and
//! zero where g falls fast enough without it ([`ActiveSet`](super::complementarity::ActiveSet)). Far inside,
//! K h is a large negative number, and nothing happens; z stays at or above zero. Reference: Zhang et al.,
//! 2025.

use super::normal::Normal;
use super::{Block, ConstrainedProblem, Evaluation, Inequalities};

/// Gains of the controller and damping of its solve.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// K, the proportional gain.
    pub gain: f64,
    /// K of each named constraint in order; those beyond the end of the list have `gain`.
    pub gains: Vec<f64>,
    /// K_i, the integral gain.
    pub integral_gain: f64,
    /// ε.
    pub damping: Damping,
    /// s of λ̄ ← sλ̄ + (1 − s)λ, the average that is used in place of λ; 0 is λ itself.
    pub smoothing: f64,
}

impl Default for Feedback {
    /// K = 100 (our measurement on Burgers, where the paper's 1000 is worse than plain Adam), ε relative,
    /// 1e-6.
    fn default() -> Self {
        let damping = Damping::Relative(1e-6);
        Self { gain: 100.0, gains: Vec::new(), integral_gain: 0.0, damping, smoothing: 0.0 }
    }
}

impl Feedback {
    /// The largest gain that a problem with this many named constraints meets.
    pub fn largest(&self, named: usize) -> f64 {
        let given = self.gains.iter().take(named).copied().fold(0.0, f64::max);
        if self.gains.len() < named { given.max(self.gain) } else { given }
    }
}

/// The ε of the damped solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damping {
    /// ε itself, as the paper has it. Near feasibility J Jᵀ falls below it and the controller fades.
    Absolute(f64),
    /// ε as a fraction of tr(J Jᵀ)/m, so that the solve stays the same when h and J shrink together.
    Relative(f64),
}

/// The gain of every entry of h, from those of the named constraints in order and the one of all others.
pub(crate) fn each_entry(blocks: &[Block], gains: &[f64], gain: f64) -> Vec<f64> {
    let each = blocks.iter().zip(gains.iter().copied().chain(std::iter::repeat(gain)));
    each.flat_map(|(block, gain)| std::iter::repeat_n(gain, block.size)).collect()
}

/// λ, z and the memory of the solve.
#[derive(Debug)]
pub(crate) struct Multiplier {
    feedback: Feedback,
    /// K of every entry of h; empty until the first step, which asks the problem for its named constraints.
    gains: Vec<f64>,
    pub(crate) largest_gain: f64,
    /// The multipliers that were used: λ, or its average.
    pub(crate) λ: Vec<f64>,
    pub(crate) integral: Vec<f64>,
    /// λ̄; NaN before the first step.
    pub(crate) average: Vec<f64>,
    pub(crate) normal: Normal,
}

impl Multiplier {
    pub(crate) fn new(feedback: Feedback, constraints: usize) -> Self {
        Self {
            largest_gain: feedback.gain,
            gains: Vec::new(),
            λ: vec![0.0; constraints],
            integral: vec![0.0; constraints],
            average: vec![f64::NAN; if feedback.smoothing > 0.0 { constraints } else { 0 }],
            normal: Normal::new(constraints),
            feedback,
        }
    }

    /// Learns the sizes of the named constraints; once.
    pub(crate) fn meet(&mut self, problem: &dyn ConstrainedProblem) {
        let m = self.λ.len();
        if self.gains.len() == m {
            return;
        }
        let blocks = problem.constraint_blocks();
        self.normal.meet(Inequalities::of(&blocks));
        let Feedback { gain, gains, .. } = &self.feedback;
        self.gains = each_entry(&blocks, gains, *gain);
        self.largest_gain = self.feedback.largest(blocks.len());
    }

    /// Computes λ and adds Jᵀλ to the gradient in `at`, which then is g. η is the rate of this step.
    pub(crate) fn apply(&mut self, at: &mut Evaluation, metric: Option<&[f64]>, η: f64) {
        if self.λ.is_empty() {
            return;
        }
        let controlled = self.gains.iter().zip(&at.constraints).zip(&self.integral);
        for (λ, ((gain, h), z)) in self.λ.iter_mut().zip(controlled) {
            *λ = gain * h + self.feedback.integral_gain * z;
        }
        self.normal.gather(&at.jacobian, &at.gradient, metric, &mut self.λ);
        self.normal.factor(self.feedback.damping, &mut self.λ);
        self.smooth();
        at.jacobian.add_transposed(&self.λ, &mut at.gradient);
        self.integrate(&at.constraints, η);
    }

    fn smooth(&mut self) {
        let s = self.feedback.smoothing;
        for (average, λ) in self.average.iter_mut().zip(&mut self.λ).filter(|(_, λ)| λ.is_finite()) {
            *average = if average.is_nan() { *λ } else { s * *average + (1.0 - s) * *λ };
            *λ = *average;
        }
    }

    /// z ← z + ηh, where h is finite. Anti-windup: the integral part K_i z is kept from exceeding ten times
    /// the proportional part K h, so that an early, large violation is not paid back later; without a
    /// proportional part there is nothing to measure it against, and z is free.
    fn integrate(&mut self, h: &[f64], η: f64) {
        let integral_gain = self.feedback.integral_gain;
        if integral_gain == 0.0 || !h.iter().all(|h| h.is_finite()) {
            return;
        }
        for ((z, h), gain) in self.integral.iter_mut().zip(h).zip(&self.gains) {
            let limit = if *gain > 0.0 { 10.0 * gain / integral_gain } else { f64::INFINITY };
            let bound = if limit.is_finite() { limit * h.abs() } else { f64::INFINITY };
            *z = (*z + η * h).max(-bound).min(bound);
        }
        self.normal.active.inequalities().cut(&mut self.integral);
    }
}
