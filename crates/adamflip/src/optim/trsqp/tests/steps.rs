//! Single steps against dense ones written by hand.

use num_dual::DualNum;

use super::problems::Analytic;
use super::*;
use crate::optim::Optimizer;

/// Four parameters, two curved constraints.
fn problem() -> Analytic {
    Analytic::new(
        "four",
        |x| {
            vec![
                x[0].powi(2) * 0.5 + x[1].powi(4) * 0.1 + (x[2] * 0.5).exp() + x[3].powi(2) + x[0] * x[3],
                x[0] + x[1].powi(2) - x[2] * 0.3 - 0.7,
                x[1] * 2.0 - x[2].powi(2) * 0.2 + x[3] - 0.4,
            ]
        },
        &[1.2, 0.9, -0.4, 0.6],
        &[0.0; 4],
    )
}

/// λ = −(A Aᵀ)⁻¹A∇f.
fn multipliers(a: &[f64], gradient: &[f64]) -> Vec<f64> {
    scaled(-1.0, &solve_gram(a, &times(a, gradient), 4))
}

/// d_n within the radius.
fn normal(a: &[f64], c: &[f64], radius: f64) -> Vec<f64> {
    let newton = scaled(-1.0, &transposed_times(a, &solve_gram(a, c, 4), 4));
    let slope = transposed_times(a, c, 4);
    let cauchy = scaled(-dot(&slope, &slope) / norm(&times(a, &slope)).powi(2), &slope);
    if norm(&newton) <= radius {
        newton
    } else if norm(&cauchy) >= radius {
        scaled(radius / norm(&cauchy), &cauchy)
    } else {
        // The root of ‖cauchy + τ(newton − cauchy)‖ = radius by bisection.
        let at = |τ: f64| plus(&cauchy, τ, &plus(&newton, -1.0, &cauchy));
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if norm(&at(middle)) < radius { low = middle } else { high = middle }
        }
        at(low)
    }
}

/// v less its part in the rows of A.
fn projected(a: &[f64], v: &[f64]) -> Vec<f64> {
    plus(v, -1.0, &transposed_times(a, &solve_gram(a, &times(a, v), 4), 4))
}

/// The minimiser of ½tᵀBt + gᵀt over null(A), through an orthonormal basis of it.
fn tangential(a: &[f64], b: &[f64], g: &[f64]) -> Vec<f64> {
    let first = projected(a, &[1.0, 0.0, 0.0, 0.0]);
    let first = scaled(1.0 / norm(&first), &first);
    let second = projected(a, &[0.0, 0.0, 0.0, 1.0]);
    let second = plus(&second, -dot(&first, &second), &first);
    let second = scaled(1.0 / norm(&second), &second);
    let (bf, bs) = (times(b, &first), times(b, &second));
    let reduced = vec![dot(&first, &bf), dot(&first, &bs), dot(&first, &bs), dot(&second, &bs)];
    let z = solve(reduced, vec![-dot(&first, g), -dot(&second, g)]);
    plus(&scaled(z[0], &first), z[1], &second)
}

fn identity() -> Vec<f64> {
    (0..16).map(|k| if k % 5 == 0 { 1.0 } else { 0.0 }).collect()
}

/// The letter of the algorithm, without pretraining and correction, and conjugate gradients to the end.
fn letter(radius: f64) -> TrSqpSettings {
    TrSqpSettings {
        pretrain: 0,
        radius,
        forcing: 1e-15,
        second_order_correction: false,
        ..Default::default()
    }
}

#[test]
fn a_first_step_is_the_dense_one() {
    // From a step along the Cauchy direction to one inside the ball.
    for radius in [0.05, 0.4, 0.8, 1.0, 1.5, 20.0] {
        let mut problem = problem();
        let at = problem.at(&problem.start.clone());
        let n = normal(at.jacobian.rows(), &at.constraints, 0.8 * radius);
        let r = projected(at.jacobian.rows(), &plus(&at.gradient, 1.0, &n));
        let room = (radius * radius - dot(&n, &n)).sqrt();
        // B = I: one conjugate-gradient step, to the end or to the ball.
        let d = plus(&n, -(room / norm(&r)).min(1.0), &r);
        let expected = plus(&problem.start, 1.0, &d);
        let q = dot(&at.gradient, &d) + 0.5 * dot(&d, &d);
        let v = norm(&at.constraints) - norm(&plus(&at.constraints, 1.0, &times(at.jacobian.rows(), &d)));
        let μ = if q > 0.0 { (q / (0.7 * v)).max(1.0) } else { 1.0 };
        let after = problem.at(&expected);
        let merit = |e: &crate::optim::Evaluation| e.objective + μ * norm(&e.constraints);
        let ratio = (merit(&at) - merit(&after)) / (μ * v - q);

        let mut method = TrSqp::new(letter(radius), 4, 2);
        let mut θ = problem.start.clone();
        let report = method.step(&mut problem, &mut θ);
        // Two by two systems of condition number below 100: a few digits less than all.
        let taken = if ratio >= 1e-8 { expected } else { problem.start.clone() };
        assert!(furthest(&θ, &taken) < 1e-10, "{radius}: {θ:?} {taken:?}");
        let λ = multipliers(at.jacobian.rows(), &at.gradient);
        assert!(furthest(method.multipliers(), &λ) < 1e-12);
        assert!((method.penalty() - μ).abs() < 1e-10 * μ);
        let next = if ratio >= 0.9 {
            radius.max(7.0 * norm(&d))
        } else if ratio >= 0.3 {
            radius.max(2.0 * norm(&d))
        } else if ratio >= 1e-8 {
            radius
        } else {
            let base = radius.min(norm(&d));
            (norm(&d) / (1.0 - ratio)).clamp(0.1 * base, 0.5 * base)
        };
        // The rounding guard of the ratio and the 1e-8 of the aim are left out here.
        assert!((method.radius() - next).abs() < 1e-7 * next, "{radius}: {} {next}", method.radius());
        assert_eq!(report.rate, radius);
        assert!((report.gradient_norm - norm(&projected(at.jacobian.rows(), &at.gradient))).abs() < 1e-12);
    }
}

#[test]
fn a_second_step_uses_the_pair_of_the_first() {
    let mut problem = problem();
    let mut method = TrSqp::new(letter(20.0), 4, 2);
    let mut θ = problem.start.clone();
    let before = problem.at(&θ);
    let λ = multipliers(before.jacobian.rows(), &before.gradient);
    assert!(method.step(&mut problem, &mut θ).step_norm > 0.0, "the first step is taken");
    let s = plus(&θ, -1.0, &problem.start);
    let middle = problem.at(&θ);
    let lagrangian =
        |e: &crate::optim::Evaluation| plus(&e.gradient, 1.0, &transposed_times(e.jacobian.rows(), &λ, 4));
    let y = plus(&lagrangian(&middle), -1.0, &lagrangian(&before));
    // Powell's damping, with B = I before the pair.
    let (ss, sy) = (dot(&s, &s), dot(&s, &y));
    let φ = if sy < 0.2 * ss { 0.8 * ss / (ss - sy) } else { 1.0 };
    let r = plus(&scaled(φ, &y), 1.0 - φ, &s);
    let scale = if sy > 0.0 { dot(&y, &y) / sy } else { 1.0 };
    let b: Vec<f64> = (0..16)
        .map(|k| {
            let (i, j) = (k / 4, k % 4);
            scale * identity()[k] - scale * s[i] * s[j] / ss + r[i] * r[j] / dot(&s, &r)
        })
        .collect();
    let n = normal(middle.jacobian.rows(), &middle.constraints, 0.8 * 20.0);
    let t = tangential(middle.jacobian.rows(), &b, &plus(&middle.gradient, 1.0, &times(&b, &n)));
    let expected = plus(&plus(&θ, 1.0, &n), 1.0, &t);
    assert!(method.step(&mut problem, &mut θ).step_norm > 0.0, "the second step is taken");
    // The first step's rounding passes through y and B.
    assert!(furthest(&θ, &expected) < 1e-10, "{θ:?} {expected:?}");
    assert_eq!(problem.calls, [2, 4], "one of each kind a step, and two by this test");
}

#[test]
fn a_step_of_pretraining_is_the_dogleg() {
    for radius in [0.3, 20.0] {
        let mut problem = problem();
        let at = problem.at(&problem.start.clone());
        let expected = plus(&problem.start, 1.0, &normal(at.jacobian.rows(), &at.constraints, radius));
        let mut method = TrSqp::new(TrSqpSettings { radius, ..Default::default() }, 4, 2);
        let mut θ = problem.start.clone();
        method.step(&mut problem, &mut θ);
        assert!(furthest(&θ, &expected) < 1e-10);
        assert!(norm(&problem.at(&θ).constraints) < norm(&at.constraints));
    }
}

/// Reports tell the length of the step that was taken, corrected ones too.
#[test]
fn a_corrected_step_has_its_own_length() {
    let mut problem = super::problems::hock_schittkowski().into_iter().find(|p| p.name == "hs27").unwrap();
    let (mut method, mut θ) = (TrSqp::new(TrSqpSettings::default(), 3, 1), problem.start.clone());
    let mut corrected = 0;
    while method.outcome() == TrSqpOutcome::Running {
        let (before, calls) = (θ.clone(), problem.calls[0]);
        let report = method.step(&mut problem, &mut θ);
        let moved = norm(&plus(&θ, -1.0, &before));
        // θ is of order one, the rest is its rounding.
        assert!((report.step_norm - moved).abs() < 1e-14, "{report:?} {moved}");
        corrected += usize::from(problem.calls[0] == calls + 2 && moved > 0.0);
    }
    assert!(corrected > 0, "some step was corrected");
}

#[test]
fn pretraining_by_descent_lowers_the_violation_step_by_step() {
    let mut problem = problem();
    let settings = TrSqpSettings { pretrain_method: Pretrain::Lbfgs, pretrain: 6, ..Default::default() };
    let (mut method, mut θ) = (TrSqp::new(settings, 4, 2), problem.start.clone());
    let first = norm(&problem.at(&θ).constraints);
    let mut last = first;
    for _ in 0..6 {
        method.step(&mut problem, &mut θ);
        let next = norm(&problem.at(&θ).constraints);
        assert!(next < last, "{next} {last}");
        last = next;
    }
    // Six steps of a method of superlinear convergence on two equations.
    assert!(last < 0.1 * first && method.outcome() == TrSqpOutcome::Running, "{last} {first}");
}
