//! B, the limited-memory model of the Lagrangian's second derivatives.
//!
//! The last pairs (s, y) of step and change of ∇L, applied to B₀ = γI by the rank-one or rank-two formula.
//! The formulas are unrolled into a sum (Nocedal and Wright 2006, procedure 7.6): B = γI + Σ w u uᵀ with, for
//! each pair and b = Bs of the pairs before it,
//!
//! - SR1: u = y − b with w = 1/uᵀs, skipped where |uᵀs| < 1e-8‖u‖‖s‖ (their 6.26);
//! - BFGS: y with w = 1/yᵀs and b with w = −1/sᵀb. Powell's damping has replaced y by φy + (1−φ)b, such that
//!   sᵀy ≥ 0.2 sᵀb (their 18.15): B stays positive definite.
//!
//! γ is 1 before the first pair, then yᵀy/sᵀy of the last pair with sᵀy > 0. Memory 4·k·P for k pairs, a new
//! pair costs about 2k²P operations and a product B v 4kP.

use crate::linalg::{add_scaled, dot, norm, set_scaled};

/// The formula for B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuasiNewton {
    /// Symmetric rank one: may be indefinite, and so sees negative curvature.
    Sr1,
    /// BFGS with Powell's damping: always positive definite.
    DampedBfgs,
}

/// Bounds on γ, so that one strange pair cannot make all steps vanish or explode.
const SCALES: [f64; 2] = [1e-8, 1e8];

/// The pairs and the sum.
#[derive(Debug)]
pub(in crate::optim) struct Curvature {
    formula: QuasiNewton,
    parameters: usize,
    /// γ.
    pub(in crate::optim) scale: f64,
    /// Pairs in use; the newest is the last.
    pub(in crate::optim) pairs: usize,
    pub(in crate::optim) steps: Vec<f64>,
    pub(in crate::optim) changes: Vec<f64>,
    /// The vectors u, then their w.
    vectors: Vec<f64>,
    weights: Vec<f64>,
    scratch: Vec<f64>,
}

impl Curvature {
    pub(in crate::optim) fn new(formula: QuasiNewton, memory: usize, parameters: usize) -> Self {
        Self {
            formula,
            parameters,
            scale: 1.0,
            pairs: 0,
            steps: vec![0.0; memory * parameters],
            changes: vec![0.0; memory * parameters],
            vectors: vec![0.0; 2 * memory * parameters],
            weights: Vec::with_capacity(2 * memory),
            scratch: vec![0.0; parameters],
        }
    }

    /// out = B v.
    pub(in crate::optim) fn times(&self, v: &[f64], out: &mut [f64]) {
        set_scaled(out, self.scale, v);
        for (&weight, u) in self.weights.iter().zip(self.vectors.chunks_exact(self.parameters.max(1))) {
            add_scaled(out, weight * dot(u, v), u);
        }
    }

    /// Takes in a pair, the oldest one gives way. Pairs without information (s or y zero or not finite) are
    /// left out.
    pub(in crate::optim) fn learn(&mut self, s: &[f64], y: &[f64]) {
        let [ss, yy, sy] = [dot(s, s), dot(y, y), dot(s, y)];
        if self.steps.is_empty() || !(ss > 0.0 && yy > 0.0 && (ss + yy + sy).is_finite()) {
            return;
        }
        let mut b = std::mem::take(&mut self.scratch);
        self.times(s, &mut b);
        let last = self.make_room();
        self.steps[last.clone()].copy_from_slice(s);
        let change = &mut self.changes[last];
        change.copy_from_slice(y);
        if self.formula == QuasiNewton::DampedBfgs {
            damp(change, sy, &b, dot(s, &b));
        }
        self.scratch = b;
        if sy > 1e-8 * (ss * yy).sqrt() {
            self.scale = (yy / sy).clamp(SCALES[0], SCALES[1]);
        }
        self.rebuild();
    }

    /// The place of a new pair.
    fn make_room(&mut self) -> std::ops::Range<usize> {
        let size = self.parameters;
        if self.pairs * size == self.steps.len() {
            self.steps.copy_within(size.., 0);
            self.changes.copy_within(size.., 0);
            self.pairs -= 1;
        }
        self.pairs += 1;
        (self.pairs - 1) * size..self.pairs * size
    }

    /// Unrolls the formula over all pairs.
    pub(in crate::optim) fn rebuild(&mut self) {
        self.weights.clear();
        let mut b = std::mem::take(&mut self.scratch);
        for pair in 0..self.pairs {
            let at = pair * self.parameters..(pair + 1) * self.parameters;
            self.times(&self.steps[at.clone()], &mut b);
            self.unroll(at, &mut b);
        }
        self.scratch = b;
    }

    /// The terms of the pair at these places, b = B s; nothing where the formula would divide by zero.
    fn unroll(&mut self, at: std::ops::Range<usize>, b: &mut [f64]) {
        let (s, y) = (&self.steps[at.clone()], &self.changes[at]);
        let next = self.weights.len() * self.parameters;
        let (first, second) = self.vectors[next..].split_at_mut(self.parameters);
        match self.formula {
            QuasiNewton::Sr1 => {
                set_scaled(first, -1.0, b);
                add_scaled(first, 1.0, y);
                let us = dot(first, s);
                if us.abs() > 1e-8 * norm(first) * norm(s) {
                    self.weights.push(1.0 / us);
                }
            }
            QuasiNewton::DampedBfgs => {
                let (sy, sb) = (dot(s, y), dot(s, b));
                if sy > 0.0 && sb > 0.0 {
                    first.copy_from_slice(y);
                    second[..self.parameters].copy_from_slice(b);
                    self.weights.extend([1.0 / sy, -1.0 / sb]);
                }
            }
        }
    }
}

/// y ← φy + (1−φ)b, with the largest φ ≤ 1 such that sᵀy ≥ 0.2 sᵀb.
fn damp(y: &mut [f64], sy: f64, b: &[f64], sb: f64) {
    if sy < 0.2 * sb {
        let φ = 0.8 * sb / (sb - sy);
        y.iter_mut().zip(b).for_each(|(y, b)| *y = φ * *y + (1.0 - φ) * b);
    }
}
