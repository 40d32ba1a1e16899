//! Special functions that neither the standard library nor `libm` has: ψ, ψ′ and the Cole–Hopf solution.

use std::f64::consts::{FRAC_PI_4, PI};

/// Terms below e^−TAIL of the largest do not reach the 53 bits of the sum (e^−44 < 2^−63).
const TAIL: f64 = 44.0;

/// More quadrature nodes than this cost too much to be meant: reached for nu below about 1e-10 at t = 1.
const MOST_NODES: f64 = 1e6;

/// The solution at (x, t) of Burgers' equation u_t + u u_x = nu u_xx with u(x, 0) = −sin(πx), by the
/// Cole–Hopf transform (Basdevant et al., Computers & Fluids 14, 1986):
///
/// u = −∫ sin(π(x−η)) e^E(η) dη / ∫ e^E(η) dη,  E(η) = −cos(π(x−η))/(2π nu) − η²/(4 nu t).
///
/// Both integrals by the trapezoidal rule, whose error falls exponentially for entire integrands, with nodes
/// from [`lattice`]. Gauss–Hermite nodes would reach only to |η| ≈ √(8n nu t), too short where nu is small.
/// NaN for t < 0, nu ≤ 0, and where more than a million nodes would be needed.
pub(super) fn cole_hopf(x: f64, t: f64, nu: f64) -> f64 {
    if !(x.is_finite() && t.is_finite() && t >= 0.0 && nu.is_finite() && nu > 0.0) {
        return f64::NAN;
    }
    // Reduced to one period: π·x of a large x would lose its digits.
    let x = x - 2.0 * (x / 2.0).round();
    // |u_t| ≤ π + π² nu bounds what the first instants change.
    if t * (1.0 + nu) < 1e-18 {
        return -(PI * x).sin();
    }
    // The slowest mode decays like e^(−π² nu t).
    if PI * PI * nu * t > TAIL {
        return 0.0;
    }
    let (spacing, reach) = lattice(t, nu);
    if reach.is_nan() || reach > MOST_NODES / 2.0 {
        return f64::NAN;
    }
    let reach = reach as i64;
    let (mut largest, mut flux, mut mass) = (f64::NEG_INFINITY, 0.0, 0.0);
    for node in -reach..=reach {
        let eta = node as f64 * spacing;
        let (sine, cosine) = (PI * (x - eta)).sin_cos();
        let exponent = -cosine / (2.0 * PI * nu) - eta * eta / (4.0 * nu * t);
        // Everything is held relative to the largest exponent so far, so that nothing overflows.
        if exponent > largest {
            let shrink = (largest - exponent).exp();
            (flux, mass, largest) = (flux * shrink, mass * shrink, exponent);
        }
        let weight = (exponent - largest).exp();
        flux += sine * weight;
        mass += weight;
    }
    -flux / mass
}

/// Spacing of the trapezoidal rule and number of nodes to each side.
///
/// On the line Im η = a the integrand grows by at most e^G, G = a²/(4 nu t) + (cosh πa − 1)/(2π nu), so the
/// rule with spacing h errs by e^(G − 2πa/h) relative to the largest value: h = 2πa/(TAIL + G), near its best
/// where G = TAIL. Since E(0) ≥ −1/(2π nu), terms with η²/(4 nu t) > 1/(π nu) + TAIL are negligible.
fn lattice(t: f64, nu: f64) -> (f64, f64) {
    let quadratic = 0.25 / (nu * t) + FRAC_PI_4 / nu;
    let line = (TAIL / quadratic).sqrt().min(1.0);
    // 2 sinh² = cosh − 1 without cancellation.
    let growth = line * line * 0.25 / (nu * t) + (0.5 * PI * line).sinh().powi(2) / (PI * nu);
    let spacing = 2.0 * PI * line / (TAIL + growth);
    let reach = (4.0 * t / PI + 4.0 * TAIL * nu * t).sqrt();
    (spacing, (reach / spacing).ceil())
}

/// Beyond this the asymptotic series of ψ and ψ′ below are exact to rounding: the first omitted term of ψ is
/// B₁₄/(14·10¹⁴) < 1e-15.
const ASYMPTOTIC: f64 = 10.0;

/// The digamma function ψ = (log Γ)′.
pub(super) fn digamma(x: f64) -> f64 {
    if x < 0.5 {
        return digamma(1.0 - x) - PI / (PI * x).tan();
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < ASYMPTOTIC {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let tail = 1.0 / 12.0
        - r * (1.0 / 120.0 - r * (1.0 / 252.0 - r * (1.0 / 240.0 - r * (1.0 / 132.0 - r * 691.0 / 32760.0))));
    sum + x.ln() - 0.5 / x - r * tail
}

/// The trigamma function ψ′.
pub(super) fn trigamma(x: f64) -> f64 {
    if x < 0.5 {
        return (PI / (PI * x).sin()).powi(2) - trigamma(1.0 - x);
    }
    let (mut x, mut sum) = (x, 0.0);
    while x < ASYMPTOTIC {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let tail = 1.0 / 6.0
        - r * (1.0 / 30.0 - r * (1.0 / 42.0 - r * (1.0 / 30.0 - r * (5.0 / 66.0 - r * 691.0 / 2730.0))));
    sum + 1.0 / x + 0.5 * r + r * tail / x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::SymmetricEigen;

    const POINTS: [(f64, f64); 7] =
        [(-0.9, 0.1), (-0.3, 0.25), (0.1, 0.5), (0.5, 0.5), (0.75, 0.75), (0.05, 0.99), (0.98, 1.0)];

    /// The definition with 40,000 equal steps over |η| ≤ 14: far finer and wider than the rule needs.
    fn brute_force(x: f64, t: f64, nu: f64) -> f64 {
        let steps = 20_000;
        let eta = |i: i32| 14.0 * f64::from(i) / f64::from(steps);
        let exponent = |eta: f64| -(PI * (x - eta)).cos() / (2.0 * PI * nu) - eta * eta / (4.0 * nu * t);
        let largest = (-steps..=steps).map(|i| exponent(eta(i))).fold(f64::NEG_INFINITY, f64::max);
        let (mut flux, mut mass) = (0.0, 0.0);
        for i in -steps..=steps {
            let weight = (exponent(eta(i)) - largest).exp();
            flux += (PI * (x - eta(i))).sin() * weight;
            mass += weight;
        }
        -flux / mass
    }

    #[test]
    fn cole_hopf_agrees_with_brute_force() {
        // Rounding of exponents near 1/nu bounds the agreement: 1/nu · 2⁻⁵³ < 1e-12 for the smallest nu here.
        for nu in [1e-3, 0.01 / PI, 0.05, 1.0] {
            for (x, t) in POINTS {
                let (value, expected) = (cole_hopf(x, t, nu), brute_force(x, t, nu));
                assert!((value - expected).abs() < 1e-11, "nu {nu}, ({x}, {t}): {value} and {expected}");
            }
        }
    }

    #[test]
    fn cole_hopf_agrees_with_gauss_hermite() {
        // Golub and Welsch: nodes are the eigenvalues of the recurrence's matrix, weights the squares of the
        // first entries of its eigenvectors.
        let count = 120;
        let mut matrix = vec![0.0; count * count];
        (1..count).for_each(|k| matrix[k * count + k - 1] = (0.5 * k as f64).sqrt());
        let mut rule = SymmetricEigen::new(count);
        rule.decompose(&matrix).unwrap();
        let integral = |f: &dyn Fn(f64) -> f64| -> f64 {
            let vectors = rule.vectors.chunks_exact(count);
            rule.values.iter().zip(vectors).map(|(z, vector)| vector[0] * vector[0] * f(*z)).sum()
        };
        let nu = 0.2 / PI;
        for (x, t) in POINTS {
            let y = |z: f64| x - z * (4.0 * nu * t).sqrt();
            let weight = |z: f64| (-(PI * y(z)).cos() / (2.0 * PI * nu)).exp();
            let expected = -integral(&|z| (PI * y(z)).sin() * weight(z)) / integral(&weight);
            // e^(1/(2π nu)) = e^2.5 amplifies the weights' rounding little.
            assert!((cole_hopf(x, t, nu) - expected).abs() < 1e-13, "({x}, {t})");
        }
    }

    /// Sixth-order central differences of first and second order.
    fn differences(f: impl Fn(f64) -> f64, h: f64) -> (f64, f64) {
        let (odd, even) = (|i: f64| f(i * h) - f(-i * h), |i: f64| f(i * h) + f(-i * h) - 2.0 * f(0.0));
        let first = (45.0 * odd(1.0) - 9.0 * odd(2.0) + odd(3.0)) / (60.0 * h);
        let second = (270.0 * even(1.0) - 27.0 * even(2.0) + 2.0 * even(3.0)) / (180.0 * h * h);
        (first, second)
    }

    #[test]
    fn cole_hopf_solves_burgers() {
        for nu in [0.01 / PI, 0.1, 0.7] {
            for (x, t) in [(-0.7, 0.2), (0.4, 0.3), (0.5, 0.8), (-0.55, 0.6)] {
                let h = 2e-3;
                let u = cole_hopf(x, t, nu);
                let (u_t, _) = differences(|s| cole_hopf(x, t + s, nu), h);
                let (u_x, u_xx) = differences(|s| cole_hopf(x + s, t, nu), h);
                // h⁶ times seventh derivatives below 1e5, and rounding 1e-16·nu/h² < 1e-10.
                let residual = u_t + u * u_x - nu * u_xx;
                assert!(residual.abs() < 1e-9, "nu {nu}, ({x}, {t}): {residual}");
            }
        }
    }

    #[test]
    fn cole_hopf_at_the_edges() {
        assert_eq!(cole_hopf(0.3, 0.0, 0.1), -(PI * 0.3).sin());
        // Continuous into t = 0: u_t is at most π + π² nu.
        assert!((cole_hopf(0.3, 1e-14, 0.1) + (PI * 0.3).sin()).abs() < 1e-13);
        assert!(cole_hopf(1.0, 0.5, 0.01 / PI).abs() < 1e-14);
        assert_eq!(cole_hopf(0.5, 1e9, 1.0), 0.0);
        for nu in [1e-8, 1e-6, 1e3] {
            let u = cole_hopf(0.25, 0.4, nu);
            assert!((-1.0..=0.0).contains(&u), "nu {nu}: {u}");
        }
        for (x, t, nu) in
            [(0.1, -1.0, 0.1), (0.1, 1.0, 0.0), (0.1, 1.0, -1.0), (f64::NAN, 1.0, 1.0), (0.1, 1.0, 1e-300)]
        {
            assert!(cole_hopf(x, t, nu).is_nan());
        }
    }

    #[test]
    fn small_viscosity_follows_characteristics() {
        // Before the shock u is carried along x = ξ − sin(πξ) t; viscosity moves it by O(nu).
        let (xi, t, nu): (f64, f64, f64) = (0.6, 0.2, 1e-7);
        let carried = -(PI * xi).sin();
        assert!((cole_hopf(xi + carried * t, t, nu) - carried).abs() < 20.0 * nu);
    }

    #[test]
    fn polygamma_at_known_arguments() {
        let euler = 0.577_215_664_901_532_9;
        // Ten recurrence steps of rounding each.
        assert!((digamma(1.0) + euler).abs() < 1e-14);
        assert!((digamma(0.5) + euler + 4.0_f64.ln()).abs() < 1e-14);
        assert!((digamma(-0.5) - (digamma(0.5) + 2.0)).abs() < 1e-13);
        assert!((trigamma(1.0) - PI * PI / 6.0).abs() < 1e-14);
        assert!((trigamma(0.25) - (PI * PI + 8.0 * 0.915_965_594_177_219)).abs() < 1e-12);
    }
}
