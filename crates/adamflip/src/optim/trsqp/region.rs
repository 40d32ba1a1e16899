//! The trust region and the penalty: when a step is taken, and how far the next one may go.

use super::TrSqpSettings;
use crate::linalg::dot;

/// ‖c‖ has weight at most this in the merit function; beyond it f is rounding.
const LARGEST_PENALTY: f64 = 1e12;

/// Δ and μ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Region {
    /// Δ, the radius.
    pub(super) radius: f64,
    /// μ, the weight of ‖c‖ in the merit function f + μ‖c‖.
    pub(super) penalty: f64,
}

/// What the models promise for a step d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Prediction {
    /// q = ∇fᵀd + ½dᵀBd.
    pub(super) objective: f64,
    /// v = ‖c‖ − ‖c + A d‖.
    pub(super) violation: f64,
}

impl Region {
    /// Raises μ until the promised fall of μ‖c‖ outweighs what f is to lose; returns the promised fall of the
    /// merit.
    pub(super) fn predict(&mut self, of: Prediction, share: f64) -> f64 {
        if of.objective > 0.0 && of.violation > 0.0 {
            let needed = of.objective / (share * of.violation);
            self.penalty = self.penalty.max(needed).min(LARGEST_PENALTY);
        }
        self.penalty * of.violation - of.objective
    }

    /// Δ after a step of this length and ratio of actual to promised fall; says whether the step is taken.
    pub(super) fn judge(&mut self, ratio: f64, length: f64, settings: &TrSqpSettings) -> bool {
        let accepted = ratio >= settings.accept;
        if !accepted {
            // The fall along t·d is about t·promised − t²(1 − ratio)·promised: Δ goes to where that vanishes,
            // within the bounds. A ratio that is not a number shrinks the most. A step inside the ball would
            // only be proposed again, so its own length counts where that is less than Δ.
            let aim = length * (1.0 - settings.accept) / (1.0 - ratio);
            let [least, most] = settings.shrink.map(|factor| factor * self.radius.min(length));
            self.radius = aim.max(least).min(most);
        } else if ratio >= settings.excellent {
            self.radius = self.radius.max(7.0 * length);
        } else if ratio >= settings.good {
            self.radius = self.radius.max(2.0 * length);
        }
        accepted
    }
}

/// ‖c‖ − ‖c + e‖, without the cancellation of the two norms.
pub(super) fn fall_of_norm(c: &[f64], e: &[f64]) -> f64 {
    let before = dot(c, c);
    let after: f64 = c.iter().zip(e).map(|(c, e)| (c + e).powi(2)).sum();
    let sum = before.sqrt() + after.sqrt();
    if sum > 0.0 { -(2.0 * dot(c, e) + dot(e, e)) / sum } else { 0.0 }
}

/// actual/promised, both with the rounding error of the merit added, so that near a solution, where both are
/// nothing but rounding, good steps are taken (Conn, Gould and Toint 2000, section 17.4.2).
pub(in crate::optim) fn ratio(actual: f64, promised: f64, rounding: f64) -> f64 {
    (actual + rounding) / (promised + rounding)
}

/// The rounding error of f·weight + μ‖c‖. f and c are sums of terms of size one, or of their own size if that
/// is more.
pub(super) fn rounding(weight: f64, objective: f64, μ: f64, violation: f64) -> f64 {
    f64::EPSILON * (10.0 * weight * objective.abs().max(1.0) + 2.0 * μ * violation.max(1.0))
}

/// The τ ≥ 0 with ‖x + τp‖ = radius, for ‖x‖ ≤ radius; 0 where p = 0.
pub(in crate::optim) fn to_boundary(x: &[f64], p: &[f64], radius: f64) -> f64 {
    let (pp, xp) = (dot(p, p), dot(x, p));
    let room = (radius * radius - dot(x, x)).max(0.0);
    let root = (xp * xp + pp * room).sqrt();
    if pp == 0.0 {
        0.0
    } else if xp > 0.0 {
        // The form without cancellation.
        room / (xp + root)
    } else {
        (root - xp) / pp
    }
}
