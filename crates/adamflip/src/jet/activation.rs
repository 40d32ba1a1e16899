//! Activation functions with their first five derivatives: order four of a jet, and one more for its reverse
//! sweep.
//!
//! The forward sweep saves the value a = σ(z) and one auxiliary number from which, with z and a, every
//! derivative follows by a few multiplications; the reverse sweep then needs no transcendental function
//! (except gelu's).

use super::math;
use crate::simd::Simd;

/// The functions that a layer may apply pointwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// tanh z.
    Tanh,
    /// sin z.
    Sin,
    /// z·s(z) with the logistic function s, also called SiLU.
    Swish,
    /// z·Φ(z) with the normal distribution function Φ (the exact form, not the tanh approximation).
    Gelu,
    /// ln(1 + eᶻ).
    Softplus,
}

/// Derivatives of the activation: `[k]` is the k-th, `[0]` unused. Only as many are computed as asked for.
pub(crate) type Derivatives<V> = [V; 6];

impl Activation {
    /// (σ(z), auxiliary number).
    #[inline(always)]
    pub(crate) fn value<S: Simd>(self, s: S, z: S::V) -> (S::V, S::V) {
        match self {
            Activation::Tanh => {
                let a = math::tanh(s, z);
                (a, a)
            }
            Activation::Sin => math::sin_cos(s, z),
            Activation::Swish => {
                let logistic = math::sigmoid(s, z);
                (s.mul(z, logistic), logistic)
            }
            Activation::Gelu => {
                let distribution =
                    math::lanes(s, z, |z| 0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2));
                (s.mul(z, distribution), distribution)
            }
            Activation::Softplus => (math::softplus(s, z), math::sigmoid(s, z)),
        }
    }

    /// σ′ to the `order`-th derivative from what [`Activation::value`] saved.
    #[inline(always)]
    pub(crate) fn derivatives<S: Simd>(
        self,
        s: S,
        order: usize,
        z: S::V,
        a: S::V,
        auxiliary: S::V,
    ) -> Derivatives<S::V> {
        match self {
            Activation::Tanh => tanh(s, order, a),
            Activation::Sin => {
                let (minus_sin, minus_cos) = (s.sub(s.splat(0.0), a), s.sub(s.splat(0.0), auxiliary));
                [a, auxiliary, minus_sin, minus_cos, a, auxiliary]
            }
            Activation::Swish => swish(s, z, auxiliary),
            Activation::Gelu => gelu(s, z, auxiliary),
            Activation::Softplus => {
                let [_, d1, d2, d3, d4, _] = logistic(s, auxiliary);
                [a, auxiliary, d1, d2, d3, d4]
            }
        }
    }
}

/// σ′ = 1 − a², and the higher ones are polynomials in a times σ′.
#[inline(always)]
fn tanh<S: Simd>(s: S, order: usize, a: S::V) -> Derivatives<S::V> {
    let c = |x| s.splat(x);
    let square = s.mul(a, a);
    let d1 = s.sub(c(1.0), square);
    let mut d = [a, d1, d1, d1, d1, d1];
    if order >= 2 {
        d[2] = s.mul(s.mul(a, c(-2.0)), d1);
    }
    if order >= 3 {
        d[3] = s.mul(d1, s.mul_add(square, c(6.0), c(-2.0)));
    }
    if order >= 4 {
        d[4] = s.mul(s.mul(a, d1), s.mul_add(square, c(-24.0), c(16.0)));
        d[5] = s.mul(d1, s.mul_add(square, s.mul_add(square, c(120.0), c(-120.0)), c(16.0)));
    }
    d
}

/// Derivatives of the logistic function l, polynomials in l and p = l(1 − l).
#[inline(always)]
fn logistic<S: Simd>(s: S, l: S::V) -> Derivatives<S::V> {
    let c = |x| s.splat(x);
    let p = s.neg_mul_add(l, l, l);
    let slope = s.mul(p, s.mul_add(l, c(-2.0), c(1.0)));
    [
        l,
        p,
        slope,
        s.mul(p, s.mul_add(p, c(-6.0), c(1.0))),
        s.mul(slope, s.mul_add(p, c(-12.0), c(1.0))),
        s.mul(p, s.mul_add(p, s.mul_add(p, c(120.0), c(-30.0)), c(1.0))),
    ]
}

/// (z·l)⁽ⁿ⁾ = z·l⁽ⁿ⁾ + n·l⁽ⁿ⁻¹⁾.
#[inline(always)]
fn swish<S: Simd>(s: S, z: S::V, l: S::V) -> Derivatives<S::V> {
    let d = logistic(s, l);
    std::array::from_fn(|n| match n {
        0 => s.mul(z, d[0]),
        _ => s.mul_add(z, d[n], s.mul(s.splat(n as f64), d[n - 1])),
    })
}

/// σ′ = Φ + zφ; the higher ones are φ times polynomials in z, since φ′ = −zφ.
#[inline(always)]
fn gelu<S: Simd>(s: S, z: S::V, distribution: S::V) -> Derivatives<S::V> {
    let c = |x| s.splat(x);
    let square = s.mul(z, z);
    let bell = math::exp(s, s.mul(square, c(-0.5)));
    let density = s.mul(bell, c(0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2));
    let odd = s.mul(density, z);
    [
        s.mul(z, distribution),
        s.add(distribution, odd),
        s.mul(density, s.sub(c(2.0), square)),
        s.mul(odd, s.sub(square, c(4.0))),
        s.mul(density, s.neg_mul_add(square, s.sub(square, c(7.0)), c(-4.0))),
        s.mul(odd, s.mul_add(square, s.sub(square, c(11.0)), c(18.0))),
    ]
}
