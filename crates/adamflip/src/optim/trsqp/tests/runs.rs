//! Whole runs on problems with known solutions.

use num_dual::DualNum;

use super::problems::{Analytic, hock_schittkowski, rosenbrock_on_a_circle};
use super::*;
use crate::optim::{ConstrainedProblem, Evaluation, Optimizer, Want};

/// Steps until it stops, at most 400, and the end.
fn run(problem: &mut Analytic, settings: TrSqpSettings) -> (usize, Vec<f64>, TrSqp) {
    let mut method = TrSqp::new(settings, problem.start.len(), problem.constraints);
    let mut θ = problem.start.clone();
    let mut steps = 0;
    while method.outcome() == TrSqpOutcome::Running && steps < 400 {
        let report = method.step(problem, &mut θ);
        assert!(report.objective.is_finite() && report.gradient_norm.is_finite(), "{}", problem.name);
        steps += 1;
    }
    (steps, θ, method)
}

/// ‖∇f + Jᵀλ‖∞ with least-squares λ from dense normal equations, and ‖c‖∞.
fn kkt(problem: &mut Analytic, θ: &[f64]) -> [f64; 2] {
    let at = problem.at(θ);
    let image = times(at.jacobian.rows(), &at.gradient);
    let λ = scaled(-1.0, &solve_gram(at.jacobian.rows(), &image, θ.len()));
    let residual = plus(&at.gradient, 1.0, &transposed_times(at.jacobian.rows(), &λ, θ.len()));
    [furthest(&residual, &vec![0.0; θ.len()]), furthest(&at.constraints, &vec![0.0; λ.len()])]
}

#[test]
fn the_published_solutions_are_kkt_points() {
    for mut problem in hock_schittkowski().into_iter().chain([rosenbrock_on_a_circle()]) {
        let solution = problem.solution.clone();
        let [stationarity, violation] = kkt(&mut problem, &solution);
        // Seven published digits, slopes up to 50.
        assert!(stationarity < 5e-5 && violation < 5e-5, "{} {stationarity} {violation}", problem.name);
    }
}

/// The most steps with the default settings, as measured and a few more for other roundings; without
/// pretraining, too.
#[rustfmt::skip]
const STEPS: [(&str, usize, usize); 10] = [
    ("hs6", 32, 25), ("hs7", 25, 20), ("hs26", 400, 400), ("hs27", 40, 40), ("hs39", 25, 40), ("hs40", 20, 15),
    ("hs77", 35, 30), ("hs78", 20, 20), ("hs79", 30, 20), ("rosenbrock", 40, 40),
];

#[test]
fn hock_schittkowski_and_rosenbrock() {
    for mut problem in hock_schittkowski().into_iter().chain([rosenbrock_on_a_circle()]) {
        let &(name, most, most_without) = STEPS.iter().find(|(name, ..)| *name == problem.name).unwrap();
        for quasi_newton in [QuasiNewton::DampedBfgs, QuasiNewton::Sr1] {
            for pretrain in [10, 0] {
                let settings = TrSqpSettings { pretrain, quasi_newton, ..Default::default() };
                // hs26 is flat to fourth order at its solution: below f = 1e-10 the merit refuses all but
                // tiny steps along the curved constraint. SR1 from hs27's own start creeps for the same
                // reason, at any γ.
                let [near, tolerance] = match (name, quasi_newton, pretrain) {
                    ("hs26", ..) => [5e-3, 1e-6],
                    ("hs27", QuasiNewton::Sr1, 0) => [0.1, 1e-2],
                    _ => [3e-6, 1e-8],
                };
                problem.calls = [0; 2];
                let (steps, θ, _) = run(&mut problem, settings);
                let [stationarity, violation] = kkt(&mut problem, &θ);
                let error = furthest(&θ, &problem.solution);
                assert!(stationarity < tolerance && violation < tolerance, "{name} {quasi_newton:?}");
                assert!(error < near, "{name} {quasi_newton:?} {pretrain} {θ:?}");
                if quasi_newton == QuasiNewton::DampedBfgs {
                    assert!(steps <= if pretrain > 0 { most } else { most_without }, "{name} {steps}");
                }
            }
        }
    }
}

#[test]
fn the_correction_saves_steps_along_curved_constraints() {
    let mut problem = hock_schittkowski().remove(3);
    let mut steps = |second_order_correction| {
        let (steps, ..) = run(&mut problem, TrSqpSettings { second_order_correction, ..Default::default() });
        steps
    };
    assert!(steps(false) > 5 * steps(true));
}

#[test]
fn a_quadratic_with_linear_constraints() {
    let formula: fn(&[num_dual::Dual64]) -> Vec<num_dual::Dual64> = |x| {
        let f = x.iter().enumerate().map(|(i, x)| (*x - i as f64).powi(2) * 0.5);
        vec![
            f.fold(num_dual::Dual64::from_re(0.0), |sum, f| sum + f),
            x[0] + x[1] + x[2] - 1.0,
            x[2] - x[3] * 2.0 + x[4] + 0.5,
        ]
    };
    let mut problem = Analytic::new("quadratic", formula, &[3.0, -1.0, 2.0, 0.5, 4.0], &[0.0; 5]);
    let settings = TrSqpSettings { pretrain: 0, radius: 100.0, ..Default::default() };
    let (steps, θ, method) = run(&mut problem, settings);
    // B = I is exact: one step to the solution, one call to see it.
    assert_eq!((steps, method.outcome()), (2, TrSqpOutcome::Converged));
    let rows = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -2.0, 1.0];
    let center = [0.0, 1.0, 2.0, 3.0, 4.0];
    let excess = [times(&rows, &center)[0] - 1.0, times(&rows, &center)[1] + 0.5];
    let projection = plus(&center, -1.0, &transposed_times(&rows, &solve_gram(&rows, &excess, 5), 5));
    // Rounding.
    assert!(furthest(&θ, &projection) < 1e-12);
    let (steps, θ, _) = run(&mut problem, TrSqpSettings::default());
    assert!(steps <= 12 && furthest(&θ, &projection) < 1e-9, "{steps}, from Δ₀ = 1 and with pretraining");
}

#[test]
fn contradicting_constraints_end_at_a_stationary_point() {
    let mut linear = Analytic::new(
        "x = 0 and x = 1",
        |x| vec![x[0] + (x[1] - 2.0).powi(2), x[0], x[0] - 1.0],
        &[5.0, 5.0],
        &[0.5, 2.0],
    );
    for pretrain in [0, 10] {
        let (_, θ, method) = run(&mut linear, TrSqpSettings { pretrain, ..Default::default() });
        assert_eq!(method.outcome(), TrSqpOutcome::Infeasible);
        // Least squares of 0 and 1, and the minimum of f along the free direction.
        assert!(furthest(&θ, &linear.solution) < 1e-6, "{θ:?}");
    }
    // x² + 1 = 0 has no solution at all; A vanishes at the stationary point of ‖c‖.
    let mut curved =
        Analytic::new("x² = −1", |x| vec![(x[1] - 2.0).powi(2), x[0].powi(2) + 1.0], &[1.5, 5.0], &[]);
    let (steps, θ, method) = run(&mut curved, TrSqpSettings::default());
    assert!(method.outcome() != TrSqpOutcome::Converged && θ.iter().all(|x| x.is_finite()));
    // ‖c‖ is quadratic there: its rounding hides x up to the root of it.
    assert!(θ[0].abs() < 1e-4, "{steps} {θ:?} {:?}", method.outcome());
}

#[test]
fn redundant_constraints_do_no_harm() {
    let mut problem = Analytic::new(
        "twice the same",
        |x| {
            let c = x[0].powi(2) + x[1].powi(2) - 1.0;
            vec![x[0] + x[1] * 2.0 + x[2].powi(2), c, c * 3.0]
        },
        &[1.0, 0.3, 1.0],
        &[-1.0 / 5f64.sqrt(), -2.0 / 5f64.sqrt(), 0.0],
    );
    let (steps, θ, method) = run(&mut problem, TrSqpSettings::default());
    assert_eq!((method.outcome(), method.rank()), (TrSqpOutcome::Converged, 1));
    assert!(steps < 60 && furthest(&θ, &problem.solution) < 1e-8, "{steps} {θ:?}");
    // The shortest multipliers: λ₁ + 3λ₂ = √5/2 with λ₂ = 3λ₁.
    let λ = method.multipliers();
    assert!((λ[0] - 5f64.sqrt() / 20.0).abs() < 1e-8 && (λ[1] - 3.0 * λ[0]).abs() < 1e-8, "{λ:?}");
}

#[test]
fn without_constraints_or_without_an_objective() {
    let mut free = Analytic::new(
        "free",
        |x| vec![(x[1] - x[0].powi(2)).powi(2) * 100.0 + (-x[0] + 1.0).powi(2)],
        &[-1.2, 1.0],
        &[1.0, 1.0],
    );
    let (steps, θ, _) = run(&mut free, TrSqpSettings::default());
    assert!(steps < 100 && furthest(&θ, &[1.0, 1.0]) < 1e-6, "{steps} {θ:?}");
    let mut all =
        Analytic::new("all", |x| vec![x[0] * 0.0, x[0].powi(2) - 2.0, x[0] * x[1] - 1.0], &[3.0, 3.0], &[]);
    let (_, θ, method) = run(&mut all, TrSqpSettings::default());
    assert_eq!(method.outcome(), TrSqpOutcome::Converged);
    assert!(furthest(&θ, &[2f64.sqrt(), 0.5f64.sqrt()]) < 1e-9);
}

#[test]
fn a_rejected_step_leaves_everything_but_the_radius() {
    // √x is not defined below zero, where the first steps lead.
    let mut problem =
        Analytic::new("root", |x| vec![x[0].sqrt() + x[1].powi(2), x[1] - 1.0], &[0.01, 1.0], &[]);
    let mut method = TrSqp::new(TrSqpSettings::default(), 2, 1);
    let mut θ = problem.start.clone();
    let report = method.step(&mut problem, &mut θ);
    assert_eq!((θ.as_slice(), report.step_norm), ([0.01, 1.0].as_slice(), 0.0));
    // A trial that is not defined shrinks the most.
    assert!((method.radius() - 0.1).abs() < 1e-15);
}

#[test]
fn either_pretraining_leads_to_the_solution() {
    for mut problem in hock_schittkowski().into_iter().chain([rosenbrock_on_a_circle()]) {
        let counts = [Pretrain::Normal, Pretrain::Lbfgs].map(|pretrain_method| {
            problem.calls = [0; 2];
            let (_, θ, _) = run(&mut problem, TrSqpSettings { pretrain_method, ..Default::default() });
            let calls = problem.calls[1];
            // As with normal steps: hs26 is flat to fourth order.
            let near = if problem.name == "hs26" { 5e-3 } else { 3e-6 };
            let error = furthest(&θ, &problem.solution);
            assert!(error < near, "{} {pretrain_method:?} {error}", problem.name);
            calls
        });
        // Why normal steps are the default: derivatives are evaluated less often.
        assert!(counts[0] <= counts[1], "{} {counts:?}", problem.name);
    }
}

#[test]
fn restored_runs_go_on_with_the_same_bits() {
    let formulas = [QuasiNewton::DampedBfgs, QuasiNewton::Sr1];
    let methods = [Pretrain::Normal, Pretrain::Lbfgs];
    for (quasi_newton, pretrain_method) in formulas.into_iter().flat_map(|q| methods.map(|p| (q, p))) {
        let mut problem = hock_schittkowski().remove(0);
        // Two pairs of memory: the oldest have been dropped. Stops in pretraining, after it, and later.
        let settings =
            TrSqpSettings { pretrain: 3, pretrain_method, quasi_newton, memory: 2, ..Default::default() };
        for stop in [1, 3, 4, 5, 6, 9, 12, 40] {
            let (mut whole, mut θ) = (TrSqp::new(settings, 2, 1), problem.start.clone());
            for _ in 0..stop {
                whole.step(&mut problem, &mut θ);
            }
            let saved: Vec<(String, Vec<f64>)> =
                whole.state().into_iter().map(|(name, list)| (name.to_owned(), list)).collect();
            let (mut resumed, mut again) = (TrSqp::new(settings, 2, 1), θ.clone());
            assert!(resumed.restore(&saved));
            for _ in 0..10 {
                let report = whole.step(&mut problem, &mut θ);
                // As text, because what does not apply is not a number.
                assert_eq!(format!("{report:?}"), format!("{:?}", resumed.step(&mut problem, &mut again)));
                assert_eq!((&θ, whole.outcome()), (&again, resumed.outcome()));
            }
            assert_eq!(whole.state(), resumed.state());
            assert!(!TrSqp::new(settings, 3, 1).restore(&saved), "another problem");
            let longer = TrSqpSettings { memory: 5, ..settings };
            assert!(!TrSqp::new(longer, 2, 1).restore(&saved), "another memory");
        }
    }
}

/// f = ½‖θ − center‖² on the unit circle; the center may move.
struct Moving {
    center: [f64; 2],
}

impl ConstrainedProblem for Moving {
    fn parameters(&self) -> usize {
        2
    }

    fn constraints(&self) -> usize {
        1
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let difference = plus(θ, -1.0, &self.center);
        out.objective = 0.5 * dot(&difference, &difference);
        out.constraints[0] = dot(θ, θ) - 1.0;
        if matches!(want, Want::Gradients | Want::Products) {
            out.gradient.copy_from_slice(&difference);
            out.jacobian.rows_mut().copy_from_slice(&scaled(2.0, θ));
        }
    }
}

#[test]
fn a_problem_that_changes_starts_what_had_stopped() {
    let mut problem = Moving { center: [3.0, 4.0] };
    let mut method = TrSqp::new(TrSqpSettings::default(), 2, 1);
    let mut θ = [1.0, 0.2];
    for target in [[0.6, 0.8], [0.8, 0.6], [-0.6, 0.8]] {
        problem.center = [5.0 * target[0], 5.0 * target[1]];
        let pairs = method.curvature.pairs;
        method.step(&mut problem, &mut θ);
        assert_eq!(method.curvature.pairs, pairs, "no pair across the change");
        for _ in 0..60 {
            method.step(&mut problem, &mut θ);
        }
        assert!(method.outcome() != TrSqpOutcome::Running);
        let rest = θ;
        method.step(&mut problem, &mut θ);
        assert_eq!(rest, θ, "stopped");
        assert!(furthest(&θ, &target) < 1e-8, "{θ:?}");
    }
}
