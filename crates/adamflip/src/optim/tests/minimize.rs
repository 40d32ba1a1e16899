//! The loop around the methods: how it ends, and what it says of the end.

use super::problems::{
    Analytic, hs6, hs7, hs26, infeasible, kkt_residual, quadratic, rank_deficient, regular,
};
use super::*;

fn solve(problem: &mut Analytic, method: &Method, steps: usize) -> (Vec<f64>, Minimum) {
    let mut θ = problem.start.clone();
    let options = MinimizeOptions { steps, ..MinimizeOptions::default() };
    let minimum = minimize(problem, &mut θ, method, options, &mut |_, _| true);
    (θ, minimum)
}

fn trsqp() -> Method {
    Method::with("trsqp", &[("tolerance", 1e-10.into())]).unwrap()
}

#[test]
fn solutions_meet_the_tolerance() {
    for mut problem in regular() {
        let (θ, minimum) = solve(&mut problem, &trsqp(), 600);
        assert_eq!(minimum.status, MinimizeStatus::Converged, "{}: {minimum:?}", problem.name);
        assert!(minimum.kkt <= 1e-6 && minimum.violation <= 1e-6, "{}: {minimum:?}", problem.name);
        // The second derivative of hs26 along its constraint vanishes: a gradient of 1e-6 is far from the
        // solution.
        let tolerance = if problem.name == "hs26" { 1e-1 } else { 1e-4 };
        assert!(problem.error(&θ) < tolerance, "{}: {θ:?}", problem.name);
        let at = problem.at(&θ);
        assert_eq!((minimum.objective, &minimum.constraints), (at.objective, &at.constraints));
        // Normal equations square the condition, which is below 1e4 here.
        assert!((minimum.kkt - kkt_residual(&at)).abs() < 1e-10, "{}", problem.name);
    }
}

#[test]
fn multipliers_are_those_of_the_solution() {
    // ∇f + Jᵀλ = 0 at (0, √3): (0, −1) + λ(0, 2√3).
    let (_, minimum) = solve(&mut hs7(), &trsqp(), 100);
    assert!((minimum.multipliers[0] - 0.5 / 3f64.sqrt()).abs() < 1e-6, "{minimum:?}");
}

#[test]
fn first_order_methods_stop_when_the_tolerance_is_met() {
    let settings = [("lr", 3e-2.into()), ("lr_end", 1e-6.into()), ("gain", 10.0.into())];
    let method = Method::with("adamflip", &settings).unwrap();
    let (_, minimum) = solve(&mut quadratic(), &method, 24_000);
    assert_eq!(minimum.status, MinimizeStatus::Converged, "{minimum:?}");
    assert!(minimum.steps < 24_000);
}

#[test]
fn the_steps_are_those_of_the_optimizer() {
    let method = Method::named("adamflip_split").unwrap();
    let (mut seen, mut expected) = (Vec::new(), Vec::new());
    let mut θ = hs6().start;
    let options = MinimizeOptions { steps: 20, ..MinimizeOptions::default() };
    let minimum = minimize(&mut hs6(), &mut θ, &method, options, &mut |_, θ| {
        seen.push(θ.to_vec());
        true
    });
    let (mut optimizer, mut again) = (method.optimizer(&hs6(), 20), hs6().start);
    for _ in 0..20 {
        optimizer.step(&mut hs6(), &mut again);
        expected.push(again.clone());
    }
    assert_eq!((seen, minimum.status, minimum.steps), (expected, MinimizeStatus::MaxSteps, 20));
}

#[test]
fn contradictions_are_infeasible_and_redundant_constraints_are_not() {
    let (_, minimum) = solve(&mut infeasible(), &trsqp(), 600);
    assert_eq!(minimum.status, MinimizeStatus::Infeasible, "{minimum:?}");
    let (θ, minimum) = solve(&mut rank_deficient(), &trsqp(), 600);
    assert_eq!(minimum.status, MinimizeStatus::Converged, "{minimum:?}");
    assert!(rank_deficient().error(&θ) < 1e-6);
    // Of all multipliers that fit, 0.75 = λ₁ + 2λ₂, the shortest.
    assert!((minimum.multipliers[0] - 0.15).abs() < 1e-6 && (minimum.multipliers[1] - 0.3).abs() < 1e-6);
}

#[test]
fn a_penalty_that_leaves_a_violation_is_no_solution() {
    let method = Method::with("lbfgs", &[("penalty", 1.0.into())]).unwrap();
    let (_, minimum) = solve(&mut quadratic(), &method, 600);
    assert_eq!(minimum.status, MinimizeStatus::Stagnated, "{minimum:?}");
    assert!(minimum.violation > 1e-3);
}

#[test]
fn without_constraints_the_gradient_vanishes() {
    let mut bowl = Bowl { broken_below: f64::NEG_INFINITY };
    let mut θ = [3.0, -4.0];
    let method = Method::named("lbfgs").unwrap();
    let minimum = minimize(&mut bowl, &mut θ, &method, MinimizeOptions::default(), &mut |_, _| true);
    assert_eq!((minimum.status, minimum.violation), (MinimizeStatus::Converged, 0.0));
    assert!(minimum.kkt <= 1e-6 && minimum.multipliers.is_empty());
}

#[test]
fn what_is_not_finite_leaves_the_last_point_that_was() {
    let mut bowl = Bowl { broken_below: 1.0 };
    let method = Method::with("adam", &[("lr", 0.5.into()), ("schedule", "constant".into())]).unwrap();
    let mut θ = [3.0, 3.0];
    let minimum = minimize(&mut bowl, &mut θ, &method, MinimizeOptions::default(), &mut |_, _| true);
    assert_eq!(minimum.status, MinimizeStatus::NotFinite, "{minimum:?}");
    assert!(θ[0] >= 1.0 && θ[0] < 1.6 && minimum.objective.is_finite(), "{θ:?}");
    let mut θ = [0.5, 0.5];
    let minimum = minimize(&mut bowl, &mut θ, &method, MinimizeOptions::default(), &mut |_, _| true);
    assert_eq!((minimum.status, minimum.steps, θ), (MinimizeStatus::NotFinite, 0, [0.5, 0.5]));
}

#[test]
fn the_callback_stops() {
    let mut steps = 0;
    let mut θ = hs26().start;
    let method = Method::named("adamflip").unwrap();
    let minimum = minimize(&mut hs26(), &mut θ, &method, MinimizeOptions::default(), &mut |_, _| {
        steps += 1;
        steps < 3
    });
    assert_eq!((minimum.status, minimum.steps, steps), (MinimizeStatus::Stopped, 3, 3));
    assert!(minimum.objective.is_finite());
}

#[test]
fn settings_are_refused_with_the_words_of_problem_files() {
    let refused = |name: &str, settings: &[(&str, SettingValue)]| {
        let errors = Method::with(name, settings).unwrap_err();
        errors.iter().map(|error| format!("{error}: {}", error.hint())).collect::<Vec<_>>()
    };
    assert!(refused("adamflop", &[])[0].starts_with("unknown method `adamflop`: did you mean `adamflip`?"));
    let errors = refused("adamflip", &[("gian", 1.0.into()), ("lr", (-1.0).into())]);
    assert!(errors.iter().any(|e| e.starts_with("`adamflip` has no setting `gian`: did you mean `gain`?")));
    assert!(
        errors.contains(
            &"`lr` does not take this value: write a positive number, as in `lr = 1e-3`".to_owned()
        )
    );
    let errors = refused("fl", &[("schedule", "constant".into()), ("lr_end", 1e-5.into())]);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].starts_with("a constant rate has no end"));
    assert_eq!(
        refused("al", &[("nu", 0.5.into())]),
        ["`al` has no setting `nu`: `nu` is a setting of `update = \"pi\"`"]
    );
}

/// ½‖θ‖², not a number where θ₀ is below a bound.
struct Bowl {
    broken_below: f64,
}

impl ConstrainedProblem for Bowl {
    fn parameters(&self) -> usize {
        2
    }

    fn constraints(&self) -> usize {
        0
    }

    fn evaluate(&mut self, θ: &[f64], _: Want<'_>, out: &mut Evaluation) {
        let f = 0.5 * (θ[0] * θ[0] + θ[1] * θ[1]);
        out.objective = if θ[0] < self.broken_below { f64::NAN } else { f };
        out.gradient.copy_from_slice(θ);
    }
}
