//! The self-scaled Broyden family: H ≈ (∇²L)⁻¹ as a matrix (Al-Baali, Spedicato and Maggioni 2014; Urbán,
//! Stefanou and Pons 2025, their SSBroyden).
//!
//! With s = Δθ, y = Δ∇L, ρ = 1/sᵀy and v = ρs − Hy/yᵀHy,
//!
//! H ← (H − Hy yᵀH/yᵀHy + φ yᵀHy vvᵀ)/τ + ρssᵀ,
//!
//! so that Hy = s whatever τ and φ are; τ = φ = 1 is BFGS. Both come from two numbers that compare H with the
//! pair, h = yᵀHy/sᵀy and b = sᵀH⁻¹s/sᵀy, which are 1 where H is right about it. Since d = −Hg gave s = αd,
//! H⁻¹s = −αg and b = −αρ sᵀg without any inverse.
//!
//! The three terms lie in the span of s and q = Hy: H/τ + a ssᵀ + b(sqᵀ + qsᵀ) + c qqᵀ. So an update is a
//! product (q) and one sweep that changes H and takes the next direction along: 4·P² bytes read, then 4·P²
//! read and written. The first pair is applied to H₀ = (sᵀy/yᵀy) I.
//!
//! τ ≤ 1 only ever enlarges H, so that a step of one is often too long; the line search tries min(1, 1.01·2(L
//! − L₋)/gᵀd) first, with L₋ the value before the last step (Nocedal and Wright, equation 3.60).

use super::curvature::{Move, set_pair};
use crate::linalg::{Change, Symmetric, dot};

/// The least part of a direction to try first, so that a step that brought next to nothing does not hold up
/// the next one.
const SHORTEST: f64 = 0.01;

/// H and the last update.
#[derive(Debug)]
pub(crate) struct Broyden {
    /// Does H go on where the function has changed?
    carry: bool,
    /// Is there a pair in H?
    used: bool,
    inverse: Symmetric,
    /// s.
    step: Vec<f64>,
    /// y.
    change: Vec<f64>,
    /// Hy.
    image: Vec<f64>,
    /// The gradient where the last update ended; not a number where H has changed since.
    gradient: Vec<f64>,
    /// H times that gradient.
    product: Vec<f64>,
    /// L before the last step; not a number where it was another function's.
    pub(super) before: f64,
}

impl Broyden {
    pub(crate) fn new(parameters: usize, carry: bool) -> Self {
        let list = || vec![0.0; parameters];
        Self {
            carry,
            used: false,
            inverse: Symmetric::new(parameters),
            step: list(),
            change: list(),
            image: list(),
            gradient: vec![f64::NAN; parameters],
            product: list(),
            before: f64::NAN,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.used
    }

    pub(super) fn forget(&mut self) {
        self.used = false;
        self.gradient.fill(f64::NAN);
        self.before = f64::NAN;
    }

    pub(super) fn carry(&mut self) {
        self.before = f64::NAN;
        if !self.carry {
            self.forget();
        }
    }

    /// The part of the direction to try first.
    pub(super) fn first(&self, value: f64, slope: f64) -> f64 {
        let like_the_last = 1.01 * 2.0 * (value - self.before) / slope;
        // One where there is no last value, or rounding has raised it.
        if like_the_last > 0.0 { like_the_last.clamp(SHORTEST, 1.0) } else { 1.0 }
    }

    /// The step must be along −H∇L, or along −∇L where there is no pair yet.
    pub(super) fn push(&mut self, step: Move<'_>) {
        let Self { inverse, step: s, change: y, image, .. } = self;
        self.before = step.value;
        let Some(product) = set_pair(s, y, &step) else { return };
        let forward = if self.used {
            -step.rate * dot(s, step.gradients[0])
        } else {
            let scale = product / dot(y, y);
            inverse.set_identity(scale);
            dot(s, s) / scale
        };
        inverse.multiply(y, image);
        let backward = dot(y, image);
        let Some((factor, weights)) = update(s.len(), product, backward, forward) else { return };
        self.gradient.copy_from_slice(step.gradients[1]);
        let change = Change { factor, vectors: [s, image], weights };
        inverse.update(change, &self.gradient, &mut self.product);
        self.used = true;
    }

    /// d = −H g.
    pub(super) fn direction(&mut self, g: &[f64], d: &mut [f64]) {
        match self.used {
            true if self.gradient == g => d.copy_from_slice(&self.product),
            true => self.inverse.multiply(g, d),
            false => d.copy_from_slice(g),
        }
        d.iter_mut().for_each(|d| *d = -*d);
    }

    /// The lower triangle of H; empty without pairs.
    pub(super) fn list(&self) -> Vec<f64> {
        if self.used { self.inverse.entries().to_vec() } else { Vec::new() }
    }

    pub(super) fn fits(&self, list: &[f64]) -> bool {
        list.is_empty() || list.len() == self.inverse.entries().len()
    }

    /// Puts a list that fits in place of H. The next direction is computed from it, with the bits that it
    /// would have had.
    pub(super) fn set(&mut self, list: &[f64], before: f64) {
        self.forget();
        self.before = before;
        if !list.is_empty() {
            self.inverse.entries_mut().copy_from_slice(list);
            self.used = true;
        }
    }
}

/// The factor of H, then the weights of ssᵀ, sqᵀ + qsᵀ and qqᵀ, from sᵀy, yᵀHy and sᵀH⁻¹s. None where H has
/// lost its definiteness to rounding.
fn update(size: usize, product: f64, backward: f64, forward: f64) -> Option<(f64, [f64; 3])> {
    let (τ, φ) = scaling(size, backward / product, forward / product);
    let weights =
        [(1.0 + φ * backward / (product * τ)) / product, -φ / (product * τ), (φ - 1.0) / (backward * τ)];
    let finite = (1.0 / τ).is_finite() && weights.iter().all(|weight| weight.is_finite());
    (backward > 0.0 && forward > 0.0 && τ > 0.0 && finite).then_some((1.0 / τ, weights))
}

/// τ and φ from h and b. θ is the member of the family in terms of H⁻¹ (0 is BFGS, 1 is DFP), as near to (1 −
/// b)/b as its bounds allow; 1 + θa is then ρ⁻ at least, hence positive, and H positive definite.
fn scaling(size: usize, h: f64, b: f64) -> (f64, f64) {
    // hb ≥ 1 by Cauchy and Schwarz; what is below is rounding.
    let a = (b * h - 1.0).max(0.0);
    let c = (a / (1.0 + a)).sqrt();
    // ρ⁻ = min(1, h(1 − c)), where h = (1 + a)/b and 1 − c² = 1/(1 + a): without the cancellation of 1 − c.
    let least = (1.0 / (b * (1.0 + c))).min(1.0);
    let [lower, wanted] = [(least - 1.0) / a, (1.0 / least).min((1.0 - b) / b)];
    // σ = 1 + θa is ρ⁻ at the lower bound, which is 0/0 where H is right about the pair.
    let (θ, spread) = if lower > wanted { (lower, least) } else { (wanted, 1.0 + wanted * a) };
    // One parameter leaves nothing beside the pair for τ to scale.
    let others = (size.max(2) - 1) as f64;
    let (even, shrink) = (spread.powf(-1.0 / others), (1.0 / b).min(1.0));
    let τ = if θ > 0.0 { shrink * even.min(1.0 / θ) } else { (shrink * even).min(spread) };
    (τ, (1.0 - θ) / spread)
}

#[cfg(test)]
mod tests;
