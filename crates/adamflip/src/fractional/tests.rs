use super::*;

/// Orders in (0, 1) and (1, 2) up to near their ends.
const ORDERS: [f64; 10] = [0.01, 0.25, 0.5, 0.8, 0.99, 1.01, 1.3, 1.5, 1.75, 1.99];

fn gamma(x: f64) -> f64 {
    Function::Gamma.value(x)
}

/// n and s.
fn split(order: f64) -> (i32, f64) {
    let n = order.ceil();
    (n as i32, n - 1.0 - order)
}

/// The n-th derivative of t^p.
fn monomial(p: i32, n: i32, t: f64) -> f64 {
    (0..n).map(|i| f64::from(p - i)).product::<f64>() * if p < n { 0.0 } else { t.powi(p - n) }
}

/// D^α t^p = Γ(p+1)/Γ(p+1−α)·t^{p−α}, 0 for p < n.
fn monomial_caputo(p: i32, order: f64, t: f64) -> f64 {
    match p < order.ceil() as i32 {
        true => 0.0,
        false => gamma(f64::from(p) + 1.0) / gamma(f64::from(p) + 1.0 - order) * t.powf(f64::from(p) - order),
    }
}

/// D^α of Σ a_p t^p/p!.
fn series_caputo(a: impl Fn(i32) -> f64, order: f64, t: f64) -> f64 {
    (order.ceil() as i32..40)
        .map(|p| a(p) * t.powf(f64::from(p) - order) / gamma(f64::from(p) + 1.0 - order))
        .sum()
}

/// D^α at t > 0 from the n-th derivative.
fn scattered(rule: &Gauss, s: f64, t: f64, derivative: impl Fn(f64) -> f64) -> f64 {
    let weights = rule.weights(s);
    let terms = rule.nodes().iter().zip(&weights).map(|(τ, w)| w.0 * derivative(t * (1.0 - τ)));
    prefactor(t, s).0 * terms.sum::<f64>()
}

#[test]
fn legendre_nodes_are_those_of_the_other_algorithm() {
    for count in [1, 2, 3, 16, 33, 128] {
        let rule = Gauss::new(count, 0.0);
        for ((x, w), (τ, weight)) in
            legendre(count.try_into().unwrap()).into_iter().zip(rule.nodes().iter().zip(rule.weights(0.0)))
        {
            // The recurrence of 128 steps accumulates some ten units of rounding.
            assert!((x - τ).abs() < 1e-15 && (w - weight.0).abs() < 1e-15, "{count}: {x} {τ}");
        }
    }
}

#[test]
fn moments_are_integrals() {
    // s = b + 1 is a polynomial factor: the Gauss rule itself integrates it, with Σ w = 1/(b+1).
    for power in [-0.9, -0.5, 0.0] {
        let rule = Gauss::new(20, power);
        let values: Vec<_> = rule.nodes().iter().map(|&τ| jacobi(12, power, τ)).collect();
        let s = power + 1.0;
        for (k, moment) in moments(12, power, s).into_iter().enumerate() {
            let weights = rule.coefficient(0);
            let sum: f64 = (0..20).map(|q| weights[q] / (power + 1.0) * rule.nodes()[q] * values[q][k]).sum();
            // Rounding of twenty terms below 1.
            assert!((moment.0 - (s + 1.0) * sum).abs() < 1e-14, "{power} {k}: {moment:?} {sum}");
        }
    }
}

#[test]
fn at_their_own_power_the_weights_are_gauss_weights() {
    for power in [-0.99, -0.5, -0.01] {
        let rule = Gauss::new(9, power);
        let weights = rule.weights(power);
        for p in 0..18 {
            let sum: f64 = rule.nodes().iter().zip(&weights).map(|(τ, w)| w.0 * τ.powi(p)).sum();
            let exact = (power + 1.0) / (power + 1.0 + f64::from(p));
            // J_k at the first node is of size b+1 and has rounding of size 1: up to 1/(b+1) = 100 units.
            assert!((sum - exact).abs() < 1e-13, "{power} {p}: {}", sum - exact);
        }
        assert!(weights.iter().all(|w| w.0 > 0.0));
    }
}

#[test]
fn scattered_nodes_know_monomials_sine_and_exponential() {
    for order in ORDERS {
        let (n, s) = split(order);
        // Nodes of the order itself, and nodes of the middle with weights for the order.
        for power in [s, -0.5] {
            let rule = Gauss::new(16, power);
            for t in [1e-3, 0.4, 1.0, 2.5] {
                for p in 1..=12 {
                    let value = scattered(&rule, s, t, |r| monomial(p, n, r));
                    let exact = monomial_caputo(p, order, t);
                    // Rounding times p(p−1) ≤ 132 and the sum of the weights' sizes, below 10; far below
                    // 1e-10.
                    assert!((value - exact).abs() < 1e-12 * (1.0 + exact.abs()), "{order} t^{p} {t}");
                }
                let sine = scattered(&rule, s, t, |r| if n == 1 { r.cos() } else { -r.sin() });
                let exact = series_caputo(|p| [0.0, 1.0, 0.0, -1.0][p as usize % 4], order, t);
                // The interpolation error (t/4)^16/16!·2 at t = 2.5 is below 1e-16; rounding as before.
                assert!((sine - exact).abs() < 1e-12, "{order} {t}: {sine} {exact}");
                let exponential = scattered(&rule, s, t, f64::exp);
                let exact = series_caputo(|_| 1.0, order, t);
                assert!((exponential - exact).abs() < 1e-12 * (1.0 + exact), "{order} {t}");
            }
        }
    }
}

#[test]
fn whole_orders_are_limits() {
    let rule = Gauss::new(12, -0.5);
    for t in [0.3_f64, 1.0, 2.0] {
        // s = −1 takes the derivative itself, s = 0 the increase; rounding amplified by interpolation to the
        // end.
        assert!((scattered(&rule, -1.0, t, f64::cos) - t.cos()).abs() < 1e-12);
        assert!((scattered(&rule, 0.0, t, f64::cos) - t.sin()).abs() < 1e-13);
    }
}

#[test]
fn lines_know_monomials_sine_and_exponential() {
    let length = 2.5;
    let rule = Gauss::new(16, 0.0);
    let at: Vec<f64> = rule.nodes().iter().map(|x| length * x).collect();
    for order in ORDERS {
        let (n, s) = split(order);
        for (row, &t) in at.iter().enumerate() {
            let entries = line_row(&rule, row, length, s);
            let apply =
                |f: &dyn Fn(f64) -> f64| -> f64 { at.iter().zip(&entries).map(|(&t, a)| a.0 * f(t)).sum() };
            for p in 1..=12 {
                let (value, exact) = (apply(&|r| monomial(p, n, r)), monomial_caputo(p, order, t));
                // Values up to p(p−1)·2.5^p enter every row: rounding relative to the largest.
                let largest = monomial(p, n, length);
                assert!(
                    (value - exact).abs() < 1e-13 * (1.0 + largest),
                    "{order} t^{p} {t}: {value} {exact}"
                );
            }
            let exact = series_caputo(|_| 1.0, order, t);
            // Interpolation on (0, 2.5): (2.5/4)^16·2/16!·e^2.5 < 1e-15; rounding relative to e^2.5 = 12.
            assert!((apply(&f64::exp) - exact).abs() < 1e-12, "{order} {t}");
        }
    }
}

#[test]
fn lines_are_lagrange_polynomials_at_scattered_nodes() {
    let (length, s, count) = (1.7, -0.35, 10);
    let (line, rule) = (Gauss::new(count, 0.0), Gauss::new(count, s));
    let lagrange = |j: usize, x: f64| -> f64 {
        let at = line.nodes();
        (0..count).filter(|&i| i != j).map(|i| (x - at[i]) / (at[j] - at[i])).product()
    };
    for row in 0..count {
        let x = line.nodes()[row];
        for (j, entry) in line_row(&line, row, length, s).into_iter().enumerate() {
            let mean: f64 =
                rule.nodes().iter().zip(rule.weights(s)).map(|(τ, w)| w.0 * lagrange(j, x * (1.0 - τ))).sum();
            // Both are exact for degree 9; products of nine factors round to some 1e-15.
            assert!((entry.0 - prefactor(length * x, s).0 * mean).abs() < 1e-13, "{row} {j}");
        }
    }
}

/// A central difference of fourth order with h = 1e-3 errs by h⁴/30·f⁽⁵⁾ = 3e-14·f⁽⁵⁾ and rounding 1e-13·f;
/// in s all quantities below vary on the scale s + 2 > 1, so that f⁽⁵⁾ is at most 5!·f, and that of e^{s+1}
/// on the scale 1/|ln e|.
fn slope(f: impl Fn(f64) -> Vec<WithSlope>, s: f64) -> Vec<f64> {
    let h = 1e-3;
    let at = |i: f64| f(s + i * h);
    let (a, b, c, d) = (at(-2.0), at(-1.0), at(1.0), at(2.0));
    (0..a.len()).map(|i| (8.0 * (c[i].0 - b[i].0) - (d[i].0 - a[i].0)) / (12.0 * h)).collect()
}

fn check(name: &str, f: impl Fn(f64) -> Vec<WithSlope>) {
    for s in [-0.98, -0.7, -0.5, -0.1, -0.01] {
        let values = f(s);
        let scale = values.iter().map(|v| v.0.abs().max(v.1.abs())).fold(1.0, f64::max);
        for (value, difference) in values.iter().zip(slope(&f, s)) {
            // 120·3e-14 + 1e-13 < 1e-11, with a factor for scales below 1.
            assert!((value.1 - difference).abs() < 1e-10 * scale, "{name} {s}: {value:?} {difference}");
        }
    }
}

#[test]
fn slopes_are_those_of_finite_differences() {
    check("moments", |s| moments(16, -0.4, s));
    check("weights", |s| Gauss::new(16, -0.4).weights(s));
    check("line moments", |s| line_moments(16, 0.3, s));
    check("prefactor", |s| [0.05, 0.7, 1.0, 3.0].map(|elapsed| prefactor(elapsed, s)).to_vec());
    let rule = Gauss::new(12, 0.0);
    check("line", |s| (0..12).flat_map(|row| line_row(&rule, row, 1.5, s)).collect());
    check("l1", |s| l1_weights(5, s));
    assert_eq!(prefactor(0.0, -0.5), (0.0, 0.0));
}

#[test]
fn l1_has_its_order() {
    let error = |steps: usize, order: f64| {
        let (n, s) = split(order);
        let (t, h) = (1.0, 1.0 / steps as f64);
        let value = |j: usize| monomial(4, n - 1, t - j as f64 * h);
        let sum: f64 =
            l1_weights(steps, s).iter().enumerate().map(|(j, b)| b.0 * (value(j) - value(j + 1))).sum();
        (h.powf(s) / gamma(s + 2.0) * sum - monomial_caputo(4, order, t)).abs()
    };
    for order in [0.3, 0.5, 0.7, 0.9, 1.4, 1.6, 1.9] {
        let observed = (error(1000, order) / error(2000, order)).log2();
        let expected = 2.0 + split(order).1;
        // The next term of the error is h²: relative to the first h^{−s} = h^{0.3}, a few hundredths of the
        // order.
        assert!((observed - expected).abs() < 0.08, "{order}: {observed}, not {expected}");
    }
}
