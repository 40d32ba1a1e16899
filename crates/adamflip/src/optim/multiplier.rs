//! The feedback controller: multipliers λ in closed form that make the constraints decay.
//!
//! With g = ∇f + Jᵀλ as the direction of descent, h changes at the rate −J g. Feedback linearization asks for
//! J g = K h + K_i z, a proportional and integral controller on h, and solves for
//!
//! λ = −(J Jᵀ + εI)⁻¹ (J ∇f − K h − K_i z),    z ← z + η h.

use super::Evaluation;
use crate::linalg::{Cholesky, add_scaled, dot};

/// Gains of the controller and damping of its solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// K, the proportional gain.
    pub gain: f64,
    /// K_i, the integral gain.
    pub integral_gain: f64,
    /// ε.
    pub damping: Damping,
}

/// The ε of the damped solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Damping {
    /// ε itself, as the paper has it. Near feasibility J Jᵀ falls below it and the controller fades.
    Absolute(f64),
    /// ε as a fraction of tr(J Jᵀ)/m, so that the solve stays the same when h and J shrink together.
    Relative(f64),
}

/// Numbers of a row that are worked on at a time, so that all rows' parts stay in the first-level cache.
const CHUNK: usize = 1024;

/// λ, z and the memory of the solve.
#[derive(Debug)]
pub(crate) struct Multiplier {
    feedback: Feedback,
    pub(crate) λ: Vec<f64>,
    pub(crate) integral: Vec<f64>,
    gram: Vec<f64>,
    solver: Cholesky,
}

impl Multiplier {
    pub(crate) fn new(feedback: Feedback, constraints: usize) -> Self {
        Self {
            feedback,
            λ: vec![0.0; constraints],
            integral: vec![0.0; constraints],
            gram: vec![0.0; constraints * constraints],
            solver: Cholesky::new(constraints),
        }
    }

    /// Computes λ and adds Jᵀλ to the gradient in `at`, which then is g. η is the rate of this step.
    ///
    /// λ is zero where J vanishes altogether (nothing to control) or the damped system is not solvable.
    pub(crate) fn apply(&mut self, at: &mut Evaluation, η: f64) {
        let m = self.λ.len();
        if m == 0 {
            return;
        }
        self.products(at);
        let ε = match self.feedback.damping {
            Damping::Absolute(ε) => ε,
            Damping::Relative(ε) => ε * (0..m).map(|i| self.gram[i * m + i]).sum::<f64>() / m as f64,
        };
        for i in 0..m {
            self.gram[i * m + i] += ε;
        }
        if self.solver.solve(&mut self.gram, &mut self.λ).is_err() {
            self.λ.fill(0.0);
        }
        let columns = at.gradient.len();
        for start in (0..columns).step_by(CHUNK) {
            let chunk = start..columns.min(start + CHUNK);
            for (λ, row) in self.λ.iter().zip(at.jacobian.chunks_exact(columns)) {
                add_scaled(&mut at.gradient[chunk.clone()], *λ, &row[chunk.clone()]);
            }
        }
        self.integrate(&at.constraints, η);
    }

    /// gram = J Jᵀ (lower triangle) and λ = K h + K_i z − J ∇f, chunk by chunk.
    fn products(&mut self, at: &Evaluation) {
        let (m, columns) = (self.λ.len(), at.gradient.len());
        self.gram.fill(0.0);
        for (i, λ) in self.λ.iter_mut().enumerate() {
            *λ = self.feedback.gain * at.constraints[i] + self.feedback.integral_gain * self.integral[i];
        }
        for start in (0..columns).step_by(CHUNK) {
            let chunk = start..columns.min(start + CHUNK);
            let row = |i: usize| &at.jacobian[i * columns..][chunk.clone()];
            for i in 0..m {
                for j in 0..=i {
                    self.gram[i * m + j] += dot(row(i), row(j));
                }
                self.λ[i] -= dot(row(i), &at.gradient[chunk.clone()]);
            }
        }
    }

    /// z ← z + ηh, where h is finite. Anti-windup: the integral part K_i z is kept from exceeding ten times the
    /// proportional part K h, so that an early, large violation is not paid back later; without a proportional part
    /// there is nothing to measure it against, and z is free.
    fn integrate(&mut self, h: &[f64], η: f64) {
        let Feedback { gain, integral_gain, .. } = self.feedback;
        if integral_gain == 0.0 || !h.iter().all(|h| h.is_finite()) {
            return;
        }
        let limit = if gain > 0.0 { 10.0 * gain / integral_gain } else { f64::INFINITY };
        for (z, h) in self.integral.iter_mut().zip(h) {
            let bound = if limit.is_finite() { limit * h.abs() } else { f64::INFINITY };
            *z = (*z + η * h).max(-bound).min(bound);
        }
    }
}
