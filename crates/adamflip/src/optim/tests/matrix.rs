//! Every method on every analytic problem: a row for each method, with its settings and what it must reach.

use super::problems::{Analytic, infeasible, rank_deficient, regular};
use super::*;

/// Steps that every method gets.
const STEPS: usize = 24_000;

/// The settings of a method for these problems (functions of order one, not networks); none for a method that does not
/// solve constrained problems. A new method needs a row.
fn row(name: &str, problem: &str) -> Option<Method> {
    let feedback = |gain| Feedback { gain, damping: Damping::Relative(1e-8), ..Feedback::default() };
    // The curvature of Rosenbrock's valley is near a thousand.
    let steep = problem.starts_with("rosenbrock");
    let falling = Rate { start: 3e-2, decay: Decay::Exponential(1e-6) };
    Some(match name {
        // Minimises f + Σh.
        "adam" => return None,
        "fl" => {
            let (rate, gain) = if steep { (1e-3, 100.0) } else { (1e-2, 10.0) };
            Method::Fl(FlSettings { rate: Rate::constant(rate), feedback: feedback(gain), clip: None })
        }
        "fl_momentum" => Method::FlMomentum(FlMomentumSettings {
            fl: FlSettings { rate: Rate::constant(1e-3), feedback: feedback(50.0), clip: None },
            momentum: 0.9,
        }),
        "adamflip" => Method::AdamFlip(AdamFlipSettings {
            adam: AdamSettings { rate: falling, ..AdamFlipSettings::default().adam },
            feedback: feedback(10.0),
            ..AdamFlipSettings::default()
        }),
        "adamflip_metric" => Method::AdamFlipMetric(AdamFlipMetricSettings {
            adam: AdamSettings { rate: Rate::constant(1e-2), delta: 1.0, ..AdamSettings::default() },
            feedback: feedback(1.0),
        }),
        "adamflip_split" => Method::AdamFlipSplit(AdamFlipSplitSettings {
            adam: AdamSettings { rate: falling, ..AdamSettings::default() },
            ..AdamFlipSplitSettings::default()
        }),
        _ => panic!("`{name}` needs a row"),
    })
}

/// How near the solution θ must come.
fn tolerance(method: &str, problem: &str) -> f64 {
    match (method, problem) {
        // f grows with the fourth power of the distance: 5e-2 is f below 1e-5.
        (_, "hs26") => 5e-2,
        // A curved valley with a floor of slope 0.01; the monotone v̄ remembers the steep start.
        ("adamflip_metric", "hs27") => 0.1,
        // The same valley without adaptive scaling; 1e-6 after these steps, still falling.
        ("fl" | "fl_momentum", "hs27") => 1e-5,
        // ε shifts the solution by up to 1e-8 of λ, and rates end at 1e-6.
        _ => 1e-6,
    }
}

fn run(method: &Method, problem: &mut Analytic) -> (Vec<f64>, StepReport) {
    let mut optimizer = method.optimizer(problem.parameters(), problem.constraints(), STEPS);
    let mut θ = problem.start.clone();
    for _ in 1..STEPS {
        optimizer.step(problem, &mut θ);
    }
    optimizer.diagnose(true);
    let report = optimizer.step(problem, &mut θ);
    (θ, report)
}

#[test]
fn every_method_solves_every_problem() {
    for name in Method::NAMES {
        for mut problem in regular() {
            let Some(method) = row(name, problem.name) else { continue };
            let (θ, report) = run(&method, &mut problem);
            let error = problem.error(&θ);
            assert!(error < tolerance(name, problem.name), "{name} on {}: {error}", problem.name);
            // h to the same order: ε and the last rate, times gradients up to 20.
            assert!(report.violation < 1e-5, "{name} on {}: {report:?}", problem.name);
            assert_eq!(problem.calls[1], STEPS, "{name} on {}: one gradient a step", problem.name);
        }
    }
}

#[test]
fn conflicting_constraints_end_at_the_least_violation() {
    for name in Method::NAMES {
        let Some(method) = row(name, "infeasible pair") else { continue };
        let mut problem = infeasible();
        let (θ, report) = run(&method, &mut problem);
        // As for the regular problems.
        assert!(problem.error(&θ) < 1e-6, "{name}: {θ:?}");
        assert!((report.violation - 1.0).abs() < 1e-6, "{name}: {report:?}");
        assert_eq!((report.rank, report.condition), (1.0, f64::INFINITY), "{name}");
        // Nothing more can be promised, and nothing came.
        assert!(report.predicted.abs() < 1e-6 && report.actual.abs() < 1e-6, "{name}: {report:?}");
    }
}

#[test]
fn redundant_constraints_are_met_and_counted() {
    for name in Method::NAMES {
        let Some(method) = row(name, "rank-deficient pair") else { continue };
        let mut problem = rank_deficient();
        let (θ, report) = run(&method, &mut problem);
        assert!(problem.error(&θ) < 1e-6, "{name}: {θ:?}");
        assert_eq!(report.rank, 1.0, "{name}");
        // The residual of a damped least-squares multiplier: ε of λ at the most.
        assert!(report.kkt < 1e-6, "{name}: {report:?}");
    }
}
