//! L-BFGS against dense BFGS, on Rosenbrock's function, across changes of the function, and resumed.

use super::super::al::problems::{Analytic, quadratic, rosenbrock, saved};
use super::super::descent::problems::{Moving, SIZE, bowl, dense_bfgs};
use super::super::{Evaluation, Want, Wolfe};
use super::*;

fn exact() -> LbfgsSettings {
    // The cubic model is exact on a quadratic, so 1e-9 of the slope is reached by the second or third trial.
    let wolfe = Wolfe { curvature: 1e-9, ..Wolfe::default() };
    LbfgsSettings {
        descent: DescentSettings { wolfe, ..DescentSettings::default() },
        ..LbfgsSettings::default()
    }
}

#[test]
fn a_quadratic_ends_in_as_many_steps_as_it_has_variables() {
    let mut problem = bowl();
    let mut θ = problem.start.clone();
    let mut lbfgs = Lbfgs::new(exact(), SIZE, &[]);
    // With exact steps on a quadratic BFGS from any multiple of I walks through the same points, whatever its
    // scale.
    for expected in dense_bfgs(θ.clone()) {
        lbfgs.step(&mut problem, &mut θ);
        for (θ, expected) in θ.iter().zip(&expected) {
            // 1e-9 of the slope left in each search, amplified by the condition number.
            assert!((θ - expected).abs() < 1e-7, "{θ} against {expected}");
        }
    }
    let report = lbfgs.step(&mut problem, &mut θ);
    // The gradient started at about 75.
    assert!(report.gradient_norm < 1e-6, "{report:?}");
}

#[test]
fn rosenbrock_is_solved_in_few_steps() {
    let mut problem = rosenbrock();
    let mut θ = problem.start.clone();
    let mut lbfgs = Lbfgs::new(LbfgsSettings::default(), 2, &[]);
    let mut steps = 0;
    while lbfgs.step(&mut problem, &mut θ).gradient_norm > 1e-9 {
        steps += 1;
        assert!(steps <= 60, "{θ:?}");
    }
    // The Hessian's smallest eigenvalue is 0.4: the error is at most 2.5 gradients.
    assert!((θ[0] - 1.0).abs() < 1e-8 && (θ[1] - 1.0).abs() < 1e-8);
    // The work, so that a change for the worse shows: checks of the function, and trials of the line
    // searches.
    assert!(problem.calls[0] <= steps + 2 && problem.calls[1] <= 70, "{:?} in {steps} steps", problem.calls);
}

#[test]
fn losses_never_rise_and_the_end_is_a_step_of_zero() {
    let mut problem = rosenbrock();
    let mut θ = problem.start.clone();
    let mut lbfgs = Lbfgs::new(LbfgsSettings::default(), 2, &[]);
    let mut last = f64::INFINITY;
    for _ in 0..200 {
        let report = lbfgs.step(&mut problem, &mut θ);
        // The line search takes values for equal within 1e-12.
        assert!(report.objective <= last * (1.0 + 1e-12));
        last = report.objective;
    }
    let report = lbfgs.step(&mut problem, &mut θ);
    assert_eq!((report.step_norm, report.rate), (0.0, 0.0));
}

#[test]
fn constraints_are_penalised_by_their_form() {
    // Mean squares: f + pΣh is unbounded or not as h is; here h is linear, so only the gradient at one point
    // is compared.
    let mut problem = quadratic();
    let start = problem.start.clone();
    let settings = LbfgsSettings { penalty: 3.0, ..LbfgsSettings::default() };
    let norm_of = |blocks: &[Block], problem: &mut Analytic| {
        let mut θ = start.clone();
        Lbfgs::new(settings, 3, blocks).step(problem, &mut θ).gradient_norm
    };
    let at = (problem.at)(&start);
    let expected = |w: [f64; 2]| {
        let entry = |i: usize| at.gradient[i] + w[0] * at.rows[0][i] + w[1] * at.rows[1][i];
        (0..3).map(|i| entry(i).powi(2)).sum::<f64>().sqrt()
    };
    // A few roundings.
    let mean_squares = norm_of(&[Block::mean_squares(2)], &mut problem);
    assert!((mean_squares - expected([3.0, 3.0])).abs() < 1e-12);
    // p·mean(r²) over one block of two: weights p·2r/2. Over two blocks of one: p·2r.
    let [r, q] = [at.constraints[0], at.constraints[1]];
    let one = norm_of(&[Block::residuals(2)], &mut problem);
    assert!((one - expected([3.0 * r, 3.0 * q])).abs() < 1e-12);
    let two = norm_of(&[Block::residuals(1), Block::residuals(1)], &mut problem);
    assert!((two - expected([6.0 * r, 6.0 * q])).abs() < 1e-12);
}

#[test]
fn a_function_that_has_changed_is_met_again() {
    for carried in [0, 2, 50] {
        let descent = DescentSettings { carried, ..DescentSettings::default() };
        let mut lbfgs = Lbfgs::new(LbfgsSettings { descent, ..LbfgsSettings::default() }, 4, &[]);
        let (mut problem, mut θ) = (Moving { center: 0.0 }, [1.0; 4]);
        for _ in 0..8 {
            lbfgs.step(&mut problem, &mut θ);
        }
        problem.center = 0.5;
        let mut fresh = Evaluation::new(4, 0);
        problem.evaluate(&θ, Want::Values, &mut fresh);
        let pairs =
            |lbfgs: &Lbfgs| saved(lbfgs.state()).iter().find(|(n, _)| n == "steps").unwrap().1.len() / 4;
        let before = pairs(&lbfgs);
        let report = lbfgs.step(&mut problem, &mut θ);
        assert_eq!(report.objective, fresh.objective);
        assert_eq!(report.gradient_norm, crate::linalg::norm(&fresh.gradient), "of the new function");
        assert!(pairs(&lbfgs) <= before.min(carried) + 1);
        for _ in 0..40 {
            lbfgs.step(&mut problem, &mut θ);
        }
        // Curvature is at least one.
        assert!(θ.iter().all(|θ| (θ - 0.5).abs() < 1e-8), "{carried}: {θ:?}");
    }
}

#[test]
fn restored_runs_go_on_with_the_same_bits() {
    // Saved before the first step, early, and after a memory of three has gone round.
    for taken in [0, 2, 11] {
        let descent = DescentSettings { memory: 3, ..DescentSettings::default() };
        let make = || Lbfgs::new(LbfgsSettings { descent, ..LbfgsSettings::default() }, SIZE, &[]);
        let (mut problem, mut whole) = (bowl(), make());
        let mut θ = problem.start.clone();
        for _ in 0..taken {
            whole.step(&mut problem, &mut θ);
        }
        let (mut resumed, mut again) = (make(), θ.clone());
        assert!(resumed.restore(&saved(whole.state())));
        for _ in 0..6 {
            let report = whole.step(&mut problem, &mut θ);
            // As text, because what does not apply is not a number.
            assert_eq!(format!("{:?}", resumed.step(&mut problem, &mut again)), format!("{report:?}"));
            assert_eq!(θ, again);
        }
        assert!(!make().restore(&[]));
        assert!(!Lbfgs::new(LbfgsSettings::default(), 2, &[]).restore(&saved(whole.state())));
    }
}

#[test]
fn numbers_that_are_not_finite_change_nothing() {
    let mut lbfgs = Lbfgs::new(LbfgsSettings::default(), 4, &[]);
    let mut θ = [1.0; 4];
    let report = lbfgs.step(&mut Moving { center: f64::NAN }, &mut θ);
    assert!(report.objective.is_nan() && θ == [1.0; 4]);
    assert!(lbfgs.step(&mut Moving { center: 0.0 }, &mut θ).step_norm > 0.0, "and it goes on after");
}
