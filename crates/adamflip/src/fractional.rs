//! Numbers behind derivatives of fractional order: nodes, weights and matrices of the Caputo derivative.
//!
//! With n = ⌈α⌉ the Caputo derivative from `start` on is D^α E(t) = 1/Γ(n−α) ∫ E⁽ⁿ⁾(r)(t−r)^{n−1−α} dr. Let s
//! = n−1−α, between −1 and 0, and e = t − start. Substituting r = t − eτ,
//!
//! D^α E(t) = e^{s+1}/Γ(s+2) · ∫₀¹ E⁽ⁿ⁾(t − eτ) (s+1)τ^s dτ = [`prefactor`] · mean.
//!
//! The mean has weight 1 for every s. Written so, nothing is singular at the ends: s = −1 takes E⁽ⁿ⁾(t), the
//! whole order n, and s = 0 the plain mean, the whole order n−1. The mean is taken in three ways:
//!
//! - [`Gauss`] nodes τ for a fixed power and weights that are exact for every s (product integration),
//! - [`line_row`]: E⁽ⁿ⁾ as the polynomial through nodes shared by all t, integrated exactly,
//! - [`l1_weights`]: E⁽ⁿ⁻¹⁾ piecewise linear on equal steps (Oldham & Spanier, *The Fractional Calculus*,
//!   1974), of order 2 + s; for singular E.
//!
//! Whatever depends on s comes with its derivative by s = n−1−α, so that d/dα = −d/ds. `problem` writes the
//! same recurrences as expressions. Reference: K. Diethelm, *The Analysis of Fractional Differential
//! Equations*, 2010.

#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;

use crate::lang::Function;
use crate::quadrature;

/// A number and its derivative by the exponent s.
pub type WithSlope = (f64, f64);

/// Gauss–Jacobi nodes on (0, 1) for the weight τ^b, and the transform from values at them to coefficients in
/// the Jacobi polynomials J_k(τ) = P_k^{(0,b)}(2τ−1), orthogonal for that weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauss {
    power: f64,
    nodes: Vec<f64>,
    /// Row k holds (2k+b+1)·w_q·J_k(τ_q): the k-th coefficient of the interpolant from its values.
    transform: Vec<f64>,
}

impl Gauss {
    /// The rule with this many nodes for the weight τ^`power`, which must exceed −1. Power 0 is
    /// Gauss–Legendre.
    pub fn new(count: usize, power: f64) -> Self {
        let nodes = nodes(count, power);
        let mut transform = vec![0.0; count * count];
        for (q, &τ) in nodes.iter().enumerate() {
            let values = jacobi(count, power, τ);
            let scaled = |k: usize| (2.0 * k as f64 + power + 1.0) * values[k];
            // 1/Σ J_k²/‖J_k‖² is the Gauss weight; unlike formulas with J′ it does not mind nodes close to 0.
            let weight = 1.0 / (0..count).map(|k| scaled(k) * values[k]).sum::<f64>();
            for k in 0..count {
                transform[k * count + q] = weight * scaled(k);
            }
        }
        Self { power, nodes, transform }
    }

    /// The nodes τ, ascending.
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// The exponent b of the weight for which the nodes are Gauss nodes.
    pub fn power(&self) -> f64 {
        self.power
    }

    /// What values at the nodes contribute to the coefficient of J_k in their interpolant.
    pub fn coefficient(&self, k: usize) -> &[f64] {
        &self.transform[k * self.nodes.len()..][..self.nodes.len()]
    }

    /// Weights of the mean with density (s+1)τ^s, exact for polynomials of degree below the number of nodes,
    /// and of twice that where s is the rule's power. With J_k's [`moments`] m_k they are Σ_k
    /// m_k·`coefficient(k)`.
    pub fn weights(&self, s: f64) -> Vec<WithSlope> {
        let moments = moments(self.nodes.len(), self.power, s);
        let weight = |q: usize| {
            let terms = moments.iter().enumerate().map(|(k, m)| (m.0, m.1, self.coefficient(k)[q]));
            terms.fold((0.0, 0.0), |sum, (m, slope, c)| (sum.0 + c * m, sum.1 + c * slope))
        };
        (0..self.nodes.len()).map(weight).collect()
    }
}

/// Nodes and weights of the plain mean over (0, 1), exact for polynomials of degree below twice their number.
pub fn legendre(count: NonZeroUsize) -> Vec<(f64, f64)> {
    quadrature::legendre(count.get()).into_iter().map(|(x, w)| (0.5 + 0.5 * x, 0.5 * w)).collect()
}

/// m_k = ∫₀¹ J_k(τ)(s+1)τ^s dτ for k below `count`: m_0 = 1, m_{k+1} = m_k·(s−b−k)/(s+k+2), by parts from
/// Rodrigues' formula.
pub fn moments(count: usize, power: f64, s: f64) -> Vec<WithSlope> {
    let step = |&(m, slope): &WithSlope, k: usize| {
        let (k, below) = (k as f64, s + k as f64 + 2.0);
        let ratio = (s - power - k) / below;
        (m * ratio, slope * ratio + m * (2.0 * k + 2.0 + power) / (below * below))
    };
    let mut moments = vec![(1.0, 0.0)];
    for k in 1..count {
        moments.push(step(&moments[k - 1], k - 1));
    }
    moments.truncate(count);
    moments
}

/// I_k = ∫₀¹ P_k(2x(1−τ)−1)(s+1)τ^s dτ for k below `count`: what the Legendre polynomial on (0, 1) of degree
/// k contributes to the mean at x.
///
/// I_0 = 1, I_1 = 2x/(s+2) − 1, and (k+2+s)·I_{k+1} = (2k+1)(2x−1)·I_k − (k−1−s)·I_{k−1}: the recurrence of
/// P_k, where ∫2xτ·P_k τ^s follows by parts from (2k+1)P_k = P′_{k+1} − P′_{k−1}, whose boundary terms
/// cancel. It is stable for x in (0, 1) as that of P_k is. (C. Li, F. Zeng, F. Liu, *Spectral approximations
/// to the fractional integral and derivative*, Fract. Calc. Appl. Anal. 15, 2012, have it for Jacobi
/// polynomials.)
pub fn line_moments(count: usize, x: f64, s: f64) -> Vec<WithSlope> {
    let mut moments = vec![(1.0, 0.0), (2.0 * x / (s + 2.0) - 1.0, -2.0 * x / ((s + 2.0) * (s + 2.0)))];
    for k in 1..count.saturating_sub(1) {
        let ((older, older_slope), (last, last_slope)) = (moments[k - 1], moments[k]);
        let kf = k as f64;
        let (ahead, back, below) = ((2.0 * kf + 1.0) * (2.0 * x - 1.0), kf - 1.0 - s, kf + 2.0 + s);
        let next = (ahead * last - back * older) / below;
        moments.push((next, (ahead * last_slope - back * older_slope + older - next) / below));
    }
    moments.truncate(count);
    moments
}

/// e^{s+1}/Γ(s+2), 0 at e = 0.
pub fn prefactor(elapsed: f64, s: f64) -> WithSlope {
    if elapsed <= 0.0 {
        return (0.0, 0.0);
    }
    let value = elapsed.powf(s + 1.0) / Function::Gamma.value(s + 2.0);
    (value, value * (elapsed.ln() - Function::Digamma.value(s + 2.0)))
}

/// Row i of the matrix A with D^α E(t_i) = Σ_j A_ij E⁽ⁿ⁾(t_j), the t's being the nodes of `rule` (of power 0)
/// stretched to a range of this length. Exact where E⁽ⁿ⁾ is a polynomial of degree below their number.
pub fn line_row(rule: &Gauss, row: usize, length: f64, s: f64) -> Vec<WithSlope> {
    let count = rule.nodes.len();
    let x = rule.nodes[row];
    let (factor, factor_slope) = prefactor(length * x, s);
    let moments = line_moments(count, x, s);
    let mut entries = vec![(0.0, 0.0); count];
    for (k, (moment, slope)) in moments.into_iter().enumerate() {
        for (entry, c) in entries.iter_mut().zip(rule.coefficient(k)) {
            entry.0 += factor * moment * c;
            entry.1 += (factor * slope + factor_slope * moment) * c;
        }
    }
    entries
}

/// b_j = (j+1)^{s+1} − j^{s+1} of the L1 scheme: with h the step,
/// D^α E(t) ≈ h^s/Γ(s+2) Σ_j b_j (E⁽ⁿ⁻¹⁾(t−jh) − E⁽ⁿ⁻¹⁾(t−(j+1)h)), of order 2+s in h.
pub fn l1_weights(steps: usize, s: f64) -> Vec<WithSlope> {
    let power = |j: usize| match j {
        // 0^{s+1} is 0 for every s > −1, and its limit.
        0 => (0.0, 0.0),
        j => ((j as f64).powf(s + 1.0), (j as f64).powf(s + 1.0) * (j as f64).ln()),
    };
    let difference = |j: usize| (power(j + 1).0 - power(j).0, power(j + 1).1 - power(j).1);
    (0..steps).map(difference).collect()
}

/// J_0(τ), J_1(τ), … by their three-term recurrence (Szegő, *Orthogonal Polynomials*, 4.5.1, for (0, b)).
fn jacobi(count: usize, power: f64, τ: f64) -> Vec<f64> {
    let mut values = vec![1.0, 1.0 + (power + 2.0) * (τ - 1.0)];
    for k in 2..count {
        let [ahead, shift, back] = recurrence(k, power);
        values.push((ahead * (2.0 * τ - 1.0) + shift) * values[k - 1] - back * values[k - 2]);
    }
    values.truncate(count);
    values
}

/// J_k = (a·(2τ−1) + b)·J_{k−1} − c·J_{k−2}, k ≥ 2.
fn recurrence(k: usize, power: f64) -> [f64; 3] {
    let k = k as f64;
    let c = 2.0 * k + power;
    let below = 2.0 * k * (k + power) * (c - 2.0);
    [
        (c - 1.0) * c * (c - 2.0) / below,
        -(c - 1.0) * power * power / below,
        2.0 * (k - 1.0) * (k + power - 1.0) * c / below,
    ]
}

/// The zeros of J_count. Those of J_k lie between those of J_{k−1} and the ends, which brackets each.
fn nodes(count: usize, power: f64) -> Vec<f64> {
    let mut zeros = Vec::new();
    for degree in 1..=count {
        let ends: Vec<f64> = [0.0].into_iter().chain(zeros).chain([1.0]).collect();
        zeros = ends.windows(2).map(|ends| zero(degree, power, ends[0], ends[1])).collect();
    }
    zeros
}

/// The zero of J_degree in a bracket: Newton's method, halving where it would leave.
fn zero(degree: usize, power: f64, mut lower: f64, mut upper: f64) -> f64 {
    let rising = jacobi_slope(degree, power, upper).0 > 0.0;
    let mut τ = 0.5 * (lower + upper);
    // Halving alone would take 53 steps.
    for _ in 0..60 {
        let (value, slope) = jacobi_slope(degree, power, τ);
        if (value > 0.0) == rising {
            upper = τ;
        } else {
            lower = τ;
        }
        let newton = τ - value / slope;
        let next = if lower <= newton && newton <= upper { newton } else { 0.5 * (lower + upper) };
        let close = (next - τ).abs() <= f64::EPSILON * τ;
        τ = next;
        if close {
            break;
        }
    }
    τ
}

/// J_degree(τ) and its derivative.
fn jacobi_slope(degree: usize, power: f64, τ: f64) -> (f64, f64) {
    let mut last = (1.0, 0.0);
    let mut now = (1.0 + (power + 2.0) * (τ - 1.0), power + 2.0);
    for k in 2..=degree {
        let [ahead, shift, back] = recurrence(k, power);
        let factor = ahead * (2.0 * τ - 1.0) + shift;
        let next = (factor * now.0 - back * last.0, factor * now.1 + 2.0 * ahead * now.0 - back * last.1);
        (last, now) = (now, next);
    }
    now
}
