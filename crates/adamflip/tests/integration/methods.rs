//! Every method as a stage of a small heat problem: alone after Adam, aggregated and pointwise, mixed, and
//! with points that change.

use adamflip::optim::Method;
use adamflip::problem::{Problem, Role};
use adamflip::train::{Signal, Status, Trainer};

use crate::testing::{self, HEAT};

fn build(train: &str, set: &[&str]) -> Problem {
    let text = format!("{HEAT}[train]\n{train}");
    testing::problem_with(&text, set)
}

/// The sums of the mean squares of the objectives and of the constraints at the current points.
fn losses(trainer: &mut Trainer) -> [f64; 2] {
    let misfits = trainer.misfits();
    let terms = trainer.problem().terms.iter().zip(misfits);
    let mut sums = [0.0; 2];
    terms.for_each(|(term, misfit)| sums[usize::from(term.role == Role::Constraint)] += misfit.mse);
    sums
}

/// Trains, and gives the losses when the last stage begins and when it ends.
fn train(problem: Problem) -> [[f64; 2]; 2] {
    let stages = problem.stages.clone();
    let first: usize = stages[..stages.len() - 1].iter().map(|stage| stage.steps).sum();
    let mut trainer = Trainer::new(problem, 1, stages).unwrap();
    let mut before = Vec::new();
    let roles: Vec<Role> = trainer.problem().terms.iter().map(|term| term.role).collect();
    let status = trainer.run(&mut |progress| {
        assert!(progress.θ.iter().all(|θ| θ.is_finite()), "{} at {}", progress.method, progress.step);
        assert!(progress.multipliers.iter().all(|λ| λ.is_finite()), "{}", progress.method);
        if progress.step == first + 1 {
            before = progress.misfits.to_vec();
        }
        Signal::Continue
    });
    // With curvature, sixty steps may be all that there is to gain.
    let method = trainer.stages().last().map_or("", |stage| stage.method.name());
    let ends = ["gauss_newton", "newtonflip", "newton_rows", "newton_cg"].contains(&method)
        && matches!(status, Status::Stagnated | Status::Converged);
    assert!(status == Status::MaxSteps || ends, "{method}: {status:?} after {}", trainer.steps_taken());
    let mut sums = [0.0; 2];
    roles
        .iter()
        .zip(before)
        .for_each(|(role, misfit)| sums[usize::from(*role == Role::Constraint)] += misfit.mse);
    [sums, losses(&mut trainer)]
}

/// The settings of a method under which sixty steps are enough to see it work.
fn stage(name: &str) -> String {
    let settings = match name {
        "adam" | "fl" => "lr = 5e-3",
        "fl_momentum" => "lr = 5e-4",
        "adamflip" => "lr = 5e-3, gain = { initial = 20, walls = 30 }",
        "adamflip_metric" => "lr = 1e-2, delta = 1",
        "adamflip_split" => "lr = 1e-3, normal_gain = { walls = 0.2 }",
        "al" => "lr = 5e-3, dual_lr = 1e-2, penalty = 10",
        // The metric of 20 directions for 151 parameters has eigenvalues of about nine.
        "fl_zeroth" => "lr = 5e-4, gain = 200",
        "admm" => "lr = 5e-3, inner = 5",
        "lbfgs" | "trsqp" | "trust_region" => "memory = 10",
        "ssbroyden" => "penalty = 1",
        "gauss_newton" | "newtonflip" | "newton_rows" | "newton_cg" => "damping = 1e-2",
        _ => panic!("`{name}` needs a stage"),
    };
    format!("{{ method = '{name}', steps = 60, {settings} }}")
}

const WARM: &str = "{ method = 'adam', steps = 50, lr = 5e-3 }";

/// Both losses finite, and their sum, or the violation alone, lower at the end.
fn assert_falls(what: &str, [before, after]: [[f64; 2]; 2]) {
    assert!(after.iter().all(|loss| loss.is_finite()), "{what}: {after:?}");
    let sum = |losses: [f64; 2]| losses[0] + losses[1];
    assert!(sum(after) < sum(before) || after[1] < before[1], "{what}: {before:?} to {after:?}");
}

#[test]
fn every_method_is_a_stage() {
    let mut stages: Vec<(String, &str)> = Method::NAMES.map(|name| (stage(name), name)).to_vec();
    for rule in [
        "dual = 'outer', adam_steps = 10, lbfgs_steps = 10",
        "dual = 'adaptive', lr = 5e-3",
        "update = 'pi', dual_lr = 1e-2, penalty = 10, lr = 5e-3",
    ] {
        stages.push((format!("{{ method = 'al', steps = 60, {rule} }}"), "al"));
    }
    stages.push(("{ method = 'admm', steps = 60, solver = 'lbfgs', slack = 1e-3 }".to_owned(), "admm"));
    for name in ["adam", "lbfgs", "ssbroyden", "trust_region", "gauss_newton"] {
        for rule in ["annealed", "ntk", "relobralo", "softadapt"] {
            let lr = if name == "adam" { ", lr = 5e-3" } else { "" };
            stages.push((format!("{{ method = '{name}', steps = 60, weights = '{rule}'{lr} }}"), name));
        }
    }
    for (stage, name) in stages {
        let allowed = Method::named(name).unwrap().pointwise();
        for pointwise in [None, Some(false), Some(true)] {
            if allowed.is_none() && pointwise.is_some() {
                continue;
            }
            let set = |term: &str, choice: bool| format!("term.{term}.pointwise={choice}");
            let set: Vec<String> =
                pointwise.iter().flat_map(|&choice| [set("initial", choice), set("walls", choice)]).collect();
            let set: Vec<&str> = set.iter().map(String::as_str).collect();
            let run = train(build(&format!("stages = [{WARM}, {stage}]"), &set));
            assert_falls(&format!("{stage}, pointwise: {pointwise:?}"), run);
        }
    }
}

#[test]
fn a_constraint_in_the_mean_beside_one_at_every_point() {
    for name in Method::NAMES.into_iter().filter(|name| Method::named(name).unwrap().pointwise().is_some()) {
        let set = ["term.initial.pointwise=true", "term.walls.pointwise=false"];
        assert_falls(name, train(build(&format!("stages = [{WARM}, {}]", stage(name)), &set)));
    }
}

#[test]
fn methods_are_mixed() {
    let stages = format!("stages = [{WARM}, {}, {}]", stage("adamflip_split"), stage("lbfgs"));
    let [before, after] = train(build(&stages, &[]));
    // The finisher minimises the sum.
    assert!(after[0] + after[1] < 0.9 * (before[0] + before[1]), "{before:?} to {after:?}");
}

#[test]
fn every_method_copes_with_points_that_change() {
    for name in Method::NAMES {
        for adaptive in
            [&[][..], &["term.walls.adaptive=rar", "term.pde.adaptive=rad"], &["term.walls.adaptive=rad"]]
        {
            let stages = format!("resample = 7\nstages = [{WARM}, {}]", stage(name));
            assert_falls(&format!("{name}, {adaptive:?}"), train(build(&stages, adaptive)));
        }
    }
}

#[test]
fn pointwise_constraints_get_no_more_points() {
    let more = |stage: &str| {
        let stages = format!("resample = 5\nstages = [{{ steps = 20, {stage} }}]");
        let problem = build(&stages, &["term.walls.adaptive=rar"]);
        let mut trainer = testing::trainer_of(problem, 1);
        let before = trainer.objective().points();
        trainer.run(&mut |_| Signal::Continue);
        trainer.objective().points() - before
    };
    assert!(more("method = 'adam'") > 0);
    assert!(more("method = 'adamflip'") > 0, "all points together are one constraint");
    assert_eq!((more("method = 'adamflip_split'"), more("method = 'al'")), (0, 0));
}

#[test]
fn points_that_a_method_remembers_stay() {
    // At a rate of nothing θ stays, and a misfit changes only with the points.
    let changes = |stage: &str| {
        let stages = format!("resample = 5\nstages = [{{ steps = 6, lr = 1e-300, {stage} }}]");
        let problem = build(&stages, &["term.walls.pointwise=true"]);
        let mut trainer = testing::trainer_of(problem, 1);
        let before = trainer.misfits();
        trainer.run(&mut |_| Signal::Continue);
        let after = trainer.misfits();
        [0, 2].map(|term| before[term] != after[term])
    };
    assert_eq!(changes("method = 'al'"), [true, false]);
    assert_eq!(changes("method = 'adamflip'"), [true, true]);
    assert_eq!(changes("method = 'adamflip', integral_gain = 0.1"), [true, false]);
    assert!(Method::named("trsqp").unwrap().keeps_all_points());
}
