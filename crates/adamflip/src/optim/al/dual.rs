//! The three dual rules: how λ and μ of the augmented Lagrangian follow h.

use super::super::moments::Moments;
use super::super::{AdamSettings, Form, Rate};
use super::lagrangian::Lagrangian;

/// A dual rule with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dual {
    /// λ rises along h in every step.
    Ascent(Ascent),
    /// λ and μ change after each inner minimisation.
    Outer(Outer),
    /// λ and μ change whenever L stops falling.
    Adaptive(Adaptive),
}

/// AL-PINN: μ = 2β stays, λ climbs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ascent {
    /// β: the penalty is β·mean(r²).
    pub penalty: f64,
    /// The rate of λ.
    pub rate: Rate,
    /// How h moves λ.
    pub update: Update,
}

/// How h moves λ in the rule `ascent`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Update {
    /// Adam's moments on ∂L/∂λ, with those β and δ that θ has.
    Adam,
    /// νPI: ξ ← νξ + (1−ν)h, λ ← λ + η(K_I h + K_P(ξ − ξ before)), ξ = 0 at first.
    ProportionalIntegral {
        /// ν, the memory of ξ.
        memory: f64,
        /// K_I.
        integral: f64,
        /// K_P.
        proportional: f64,
    },
}

/// hPINN: λ ← λ + μh and μ ← βμ after each inner minimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outer {
    /// μ at first.
    pub penalty: f64,
    /// β, the growth of μ.
    pub growth: f64,
    /// The largest μ.
    pub limit: f64,
    /// Steps of Adam in the first inner minimisation; in each one where there is no L-BFGS.
    pub adam: usize,
    /// The most steps of L-BFGS in each inner minimisation.
    pub lbfgs: usize,
    /// L-BFGS ends earlier where ‖∇L‖ has fallen to this part of what it was when L-BFGS began.
    pub tolerance: f64,
}

/// PECANN-CAPU: λ ← λ + μc and μ ← max(μ, η/√(v̄ + 1e-16)) when L stops falling; c = h or, of residuals,
/// their squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adaptive {
    /// μ at first.
    pub penalty: f64,
    /// ζ of v̄ ← ζv̄ + (1−ζ)c².
    pub smoothing: f64,
    /// ω: L has stopped falling when L ≥ ωL of the step before.
    pub stall: f64,
    /// η of the penalties.
    pub scale: f64,
}

impl Update {
    /// νPI with ν = ½, K_I = 1 and K_P = 10 (ours: the numbers of the tests).
    pub fn proportional_integral() -> Self {
        Update::ProportionalIntegral { memory: 0.5, integral: 1.0, proportional: 10.0 }
    }
}

impl Default for Ascent {
    fn default() -> Self {
        Self { penalty: 1.0, rate: Rate::constant(1e-4), update: Update::Adam }
    }
}

impl Default for Outer {
    fn default() -> Self {
        Self { penalty: 2.0, growth: 2.0, limit: 1e4, adam: 2_000, lbfgs: 1_000, tolerance: 1e-3 }
    }
}

impl Default for Adaptive {
    fn default() -> Self {
        Self { penalty: 1.0, smoothing: 0.99, stall: 0.999, scale: 0.01 }
    }
}

impl Dual {
    /// The name in problem files.
    pub fn name(&self) -> &'static str {
        match self {
            Dual::Ascent(_) => "ascent",
            Dual::Outer(_) => "outer",
            Dual::Adaptive(_) => "adaptive",
        }
    }

    /// λ and μ before the first step. The sign of a residual's multiplier is not known, so it starts at 0;
    /// that of a square is what pulls at all once h is small, and starts at `start`.
    pub(super) fn begin(&self, start: f64, lagrangian: &mut Lagrangian) {
        let signed = |form| if form == Form::MeanSquare { start } else { 0.0 };
        match self {
            Dual::Ascent(rule) => lagrangian.set(|form| (signed(form), 2.0 * rule.penalty)),
            Dual::Outer(rule) => lagrangian.set(|form| (signed(form), rule.penalty)),
            Dual::Adaptive(rule) => {
                lagrangian.set(|_| (start, rule.penalty));
                lagrangian.square_residuals();
            }
        }
    }
}

/// What the rules remember besides λ and μ.
#[derive(Debug)]
pub(super) struct Memory {
    /// Adam's moments of λ.
    pub(super) moments: Moments,
    /// ξ of νPI, v̄ of CAPU.
    pub(super) smoothed: Vec<f64>,
    /// L of the step before.
    pub(super) previous: f64,
    slope: Vec<f64>,
}

impl Memory {
    pub(super) fn new(constraints: usize) -> Self {
        Self {
            moments: Moments::new(constraints),
            smoothed: vec![0.0; constraints],
            previous: f64::INFINITY,
            slope: vec![0.0; constraints],
        }
    }

    /// λ ascends with the rate η, from h in the last evaluation.
    pub(super) fn ascend(
        &mut self, rule: &Ascent, η: f64, adam: &AdamSettings, lagrangian: &mut Lagrangian
    ) {
        match rule.update {
            Update::Adam => {
                // ∂L/∂λ of an inequality is that of max(h, −λ/μ).
                let shifted: Vec<f64> = match lagrangian.at.inequalities.is_empty() {
                    true => Vec::new(),
                    false => (0..lagrangian.λ.len()).map(|i| lagrangian.constraint(i)).collect(),
                };
                let Lagrangian { λ, share, at, .. } = &mut *lagrangian;
                let h = if shifted.is_empty() { &at.constraints } else { &shifted };
                for ((slope, c), h) in self.slope.iter_mut().zip(&*share).zip(h) {
                    *slope = -c * h;
                }
                self.moments.step(adam.betas, adam.delta, η, &self.slope, λ);
            }
            Update::ProportionalIntegral { memory, integral, proportional } => {
                let Lagrangian { λ, at, .. } = &mut *lagrangian;
                for ((λ, ξ), h) in λ.iter_mut().zip(&mut self.smoothed).zip(&at.constraints) {
                    let before = std::mem::replace(ξ, memory * *ξ + (1.0 - memory) * h);
                    *λ += η * (integral * h + proportional * (*ξ - before));
                }
            }
        }
        lagrangian.keep_signs();
    }

    /// Takes in c and L of the last evaluation, and updates λ and μ if L has stopped falling.
    pub(super) fn adapt(&mut self, rule: &Adaptive, lagrangian: &mut Lagrangian) {
        let value = lagrangian.value();
        // L ≥ ωL₋ for a positive L₋, and the same share of |L₋| for a negative one.
        let stalled = value >= self.previous - (1.0 - rule.stall) * self.previous.abs();
        self.previous = value;
        for (i, v) in self.smoothed.iter_mut().enumerate() {
            let c = lagrangian.constraint(i);
            *v = rule.smoothing * *v + (1.0 - rule.smoothing) * c * c;
            if stalled {
                lagrangian.λ[i] += lagrangian.μ[i] * c;
                lagrangian.μ[i] = lagrangian.μ[i].max(rule.scale / (*v + 1e-16).sqrt());
            }
        }
    }
}

/// λ ← λ + μh, at least zero for inequalities, with h of the last evaluation, then μ ← βμ up to the limit.
pub(super) fn raise(rule: &Outer, lagrangian: &mut Lagrangian) {
    let Lagrangian { λ, μ, at, .. } = lagrangian;
    for ((λ, μ), h) in λ.iter_mut().zip(μ).zip(&at.constraints) {
        *λ += *μ * h;
        *μ = (rule.growth * *μ).min(rule.limit);
    }
    lagrangian.keep_signs();
}
