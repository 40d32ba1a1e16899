//! The secular equation f(λ) = 1/ρ + Σ z_i²/(d_i − λ) = 0, whose solutions are the eigenvalues of diag(d) +
//! ρzzᵀ.
//!
//! One solution lies between any two neighbours of d, the last one beyond the last by ρ‖z‖² at the most. A
//! step replaces the sums over the poles on either side by a constant and one pole each, with their value and
//! slope (Li 1993, the middle way), and halves the bracket where that would leave it. Solutions are told by
//! their distances from all of d, of which none is a difference of close numbers: that from the nearest is
//! what is solved for.
#![allow(unsafe_code)]

use crate::simd::{Isa, Kernel, Simd};

/// diag(d) + ρzzᵀ, d rising, no z zero.
#[derive(Clone, Copy)]
pub(super) struct Secular<'a> {
    pub(super) poles: &'a [f64],
    pub(super) z: &'a [f64],
    /// ρ.
    pub(super) strength: f64,
}

/// The sum over some poles, and its derivative.
#[derive(Clone, Copy, Default)]
struct Sum {
    value: f64,
    slope: f64,
}

/// Steps at most: halving alone, from the largest number to the smallest, in orders of magnitude first.
const STEPS: usize = 120;

impl Secular<'_> {
    /// Solution `at`: sets `distances` to d_i − λ and returns λ.
    pub(super) fn solve(&self, at: usize, distances: &mut [f64]) -> f64 {
        let (origin, τ) = if at + 1 < self.poles.len() { self.between(at) } else { self.beyond() };
        for (distance, pole) in distances.iter_mut().zip(self.poles) {
            *distance = (pole - self.poles[origin]) - τ;
        }
        self.poles[origin] + τ
    }

    /// The sums over poles up to `at` and after it, at τ from `origin`.
    fn sums(&self, at: usize, origin: usize, τ: f64) -> [Sum; 2] {
        let mut sums = [Sum::default(); 2];
        let (poles, z) = (self.poles.split_at(at + 1), self.z.split_at(at + 1));
        let origin = self.poles[origin];
        for ((poles, z), sum) in [(poles.0, z.0), (poles.1, z.1)].into_iter().zip(&mut sums) {
            Isa::detect().run(Side { poles, z, origin, τ, sum });
        }
        sums
    }

    /// Between two poles, from the nearer.
    fn between(&self, at: usize) -> (usize, f64) {
        let gap = self.poles[at + 1] - self.poles[at];
        let [below, above] = self.sums(at, at, 0.5 * gap);
        let middle = 1.0 / self.strength + below.value + above.value;
        let (p, q) = (self.z[at] * self.z[at], self.z[at + 1] * self.z[at + 1]);
        // What the other poles say in the middle.
        let c = middle + 2.0 * (p - q) / gap;
        let origin = if middle >= 0.0 { at } else { at + 1 };
        let (mut lower, mut upper) = if origin == at { (0.0, 0.5 * gap) } else { (-0.5 * gap, 0.0) };
        let [left, right] = [self.poles[at] - self.poles[origin], self.poles[at + 1] - self.poles[origin]];
        let mut τ = root(c, c * (left + right) + p + q, c * left * right + p * right + q * left);
        for _ in 0..STEPS {
            if !(τ > lower && τ < upper) {
                τ = halved(lower, upper);
            }
            let [below, above] = self.sums(at, origin, τ);
            let f = 1.0 / self.strength + below.value + above.value;
            if settled(f, 1.0 / self.strength - below.value + above.value) {
                break;
            }
            *(if f < 0.0 { &mut lower } else { &mut upper }) = τ;
            let (left, right) = (left - τ, right - τ);
            let c = f - left * below.slope - right * above.slope;
            let a = (left + right) * f - left * right * (below.slope + above.slope);
            let next = τ + root(c, a, left * right * f);
            if next == τ || halved(lower, upper) == lower || halved(lower, upper) == upper {
                break;
            }
            τ = next;
        }
        (origin, τ)
    }

    /// Beyond the last pole.
    fn beyond(&self) -> (usize, f64) {
        let last = self.poles.len() - 1;
        let length: f64 = self.z.iter().map(|z| z * z).sum();
        let (mut lower, mut upper) = (0.0, self.strength * length * (1.0 + 8.0 * f64::EPSILON));
        let mut τ = upper;
        for _ in 0..STEPS {
            if !(τ > lower && τ <= upper) {
                τ = halved(lower, upper);
            }
            let [below, _] = self.sums(last, last, τ);
            let f = 1.0 / self.strength + below.value;
            if settled(f, 1.0 / self.strength - below.value) {
                break;
            }
            *(if f < 0.0 { &mut lower } else { &mut upper }) = τ;
            // c + s/(0 − λ) = 0 with the value and slope of f.
            let next = τ * τ * below.slope / (f + τ * below.slope);
            if next == τ || halved(lower, upper) == lower || halved(lower, upper) == upper {
                break;
            }
            τ = next;
        }
        (last, τ)
    }
}

/// f is rounding of its terms, whose sizes add up to `total`.
fn settled(f: f64, total: f64) -> bool {
    f.abs() <= 4.0 * f64::EPSILON * total || f.is_nan()
}

/// The solution of cη² − aη + b = 0 that tends to b/a as b does to zero, or to the one between the poles.
fn root(c: f64, a: f64, b: f64) -> f64 {
    let discriminant = (a * a - 4.0 * b * c).abs().sqrt();
    if a > 0.0 { 2.0 * b / (a + discriminant) } else { (a - discriminant) / (2.0 * c) }
}

/// Halfway, in orders of magnitude.
fn halved(lower: f64, upper: f64) -> f64 {
    if lower == 0.0 {
        upper / 64.0
    } else if upper == 0.0 {
        lower / 64.0
    } else {
        (lower.abs().sqrt() * upper.abs().sqrt()).copysign(lower)
    }
}

/// Σ z²/δ and Σ z²/δ², δ = (d − origin) − τ.
struct Side<'a> {
    poles: &'a [f64],
    z: &'a [f64],
    origin: f64,
    τ: f64,
    sum: &'a mut Sum,
}

impl Kernel for Side<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { poles, z, origin, τ, sum } = self;
        let (poles, z) = (poles.chunks_exact(S::LANES), z.chunks_exact(S::LANES));
        for (pole, z) in poles.remainder().iter().zip(z.remainder()) {
            let ratio = z / ((pole - origin) - τ);
            sum.value += z * ratio;
            sum.slope += ratio * ratio;
        }
        let (origin, τ) = (simd.splat(origin), simd.splat(τ));
        let zero = simd.splat(0.0);
        let (mut value, mut slope) = (zero, zero);
        for (pole, z) in poles.zip(z) {
            // SAFETY: both chunks have LANES numbers.
            let (pole, z) = unsafe { (simd.load(pole.as_ptr()), simd.load(z.as_ptr())) };
            let ratio = simd.div(z, simd.sub(simd.sub(pole, origin), τ));
            value = simd.mul_add(z, ratio, value);
            slope = simd.mul_add(ratio, ratio, slope);
        }
        let [values, slopes, ..] = simd.sums([value, slope, zero, zero]);
        sum.value += values;
        sum.slope += slopes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What must hold of all solutions: they lie between the poles, and z taken from them again is z.
    fn check(poles: &[f64], z: &[f64], strength: f64) {
        let (count, secular) = (poles.len(), Secular { poles, z, strength });
        let mut distances = vec![0.0; count * count];
        for (at, distances) in distances.chunks_exact_mut(count).enumerate() {
            let solution = secular.solve(at, distances);
            assert!(
                distances[..=at].iter().all(|d| *d < 0.0) && distances[at + 1..].iter().all(|d| *d > 0.0)
            );
            assert!(
                solution >= poles[at] && at + 1 == count || solution <= poles[count - 1] + 2.0 * strength
            );
        }
        for (i, z) in z.iter().enumerate() {
            let ratio = |j: usize| {
                let distance = -distances[j * count + i];
                if i == j { distance } else { distance / (poles[j] - poles[i]) }
            };
            let again = ((0..count).map(ratio).product::<f64>() / strength).sqrt();
            // Some ten roundings a factor.
            assert!((again / z.abs() - 1.0).abs() < 1e-14 * count as f64, "{i}: {again} {z}");
        }
    }

    #[test]
    fn solutions_give_back_the_vector() {
        check(&[1.0], &[1.0], 0.3);
        check(&[0.0, 1.0], &[0.6, 0.8], 2.0);
        check(&[0.0, 1e-15, 1.0], &[0.5, 0.5, 0.7], 1.0);
        check(&[-1.0, 0.0, 1e-3, 1.0], &[1e-8, 0.7, 1e-12, 0.7], 1e-3);
        check(&[-3.0, -1.0, 2.0, 5.0], &[0.5, -0.5, 0.5, -0.5], 1e6);
        let poles: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.3).exp2()).collect();
        let z: Vec<f64> = (0..40).map(|i| 0.01 + 0.2 * f64::from(i).sin().abs()).collect();
        check(&poles, &z, 7.0);
    }

    /// ρ = 1 and z = (1, 1)/√2 on 0 and 1: λ² − 2λ + ½ = 0.
    #[test]
    fn two_solutions_are_known() {
        let (z, mut distances) = ([0.5f64.sqrt(); 2], [0.0; 2]);
        let secular = Secular { poles: &[0.0, 1.0], z: &z, strength: 1.0 };
        for (at, exact) in [1.0 - 0.5f64.sqrt(), 1.0 + 0.5f64.sqrt()].into_iter().enumerate() {
            assert!((secular.solve(at, &mut distances) - exact).abs() < 1e-15);
        }
    }
}
