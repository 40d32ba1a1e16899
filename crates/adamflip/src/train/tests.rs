//! Every status reached by a small run, with its sentence; tolerances and warnings.

use super::*;
use crate::testing::{self, ROD};

/// The rod with another end that is held, at `value`.
fn held_twice(value: &str) -> String {
    format!("{ROD}[term.again]\non = [\"x = 0\", \"x = 1\"]\nequation = \"{value}\"\npoints = 4\n")
}

fn trainer(text: &str, train: &str) -> Trainer {
    let text = format!("{text}[train]\n{train}");
    testing::trainer(&text, 1)
}

/// Runs to the end and tells how it was.
fn told(trainer: &mut Trainer) -> String {
    let status = trainer.run(&mut |_| Signal::Continue);
    format!("{}: {}", status.name(), trainer.advice(status))
}

#[test]
fn max_steps_while_it_still_falls() {
    let mut trainer = trainer(ROD, r#"stages = [{ method = "adam", steps = 100, lr = 1e-2 }]"#);
    insta::assert_snapshot!(told(&mut trainer), @"max_steps: all planned steps were taken while the residuals of `pde` still fell: more steps (`--steps`) will lower them further");
}

#[test]
fn max_steps_where_it_falls_no_longer() {
    let mut trainer = trainer(ROD, r#"stages = [{ method = "adam", steps = 100, lr = 1e-12 }]"#);
    insta::assert_snapshot!(told(&mut trainer), @"max_steps: all planned steps were taken; at the constant rate 1e-12 the losses no longer fall: let it fall, as in `lr_end = 1e-14`");
    let falling = r#"stages = [{ method = "adam", steps = 100, lr = 1e-12, lr_end = 1e-13 }]"#;
    insta::assert_snapshot!(told(&mut self::trainer(ROD, falling)), @"max_steps: all planned steps were taken; the losses no longer fall: a larger network, more points or a stage of `newtonflip` may lower them");
}

#[test]
fn no_steps() {
    let mut trainer = trainer(ROD, r#"stages = [{ method = "adam", steps = 0 }]"#);
    insta::assert_snapshot!(told(&mut trainer), @"max_steps: all planned steps were taken, for there were none; the network is as it was drawn");
}

#[test]
fn time_budget_and_interrupt() {
    for (signal, status) in [(Signal::TimeUp, Status::TimeBudget), (Signal::Interrupt, Status::Interrupted)] {
        let mut trainer = trainer(ROD, r#"stages = [{ method = "adam", steps = 400, lr = 1e-2 }]"#);
        let stop = &mut |progress: &Progress<'_>| if progress.step < 100 { Signal::Continue } else { signal };
        assert_eq!((trainer.run(stop), trainer.steps_taken()), (status, 100));
        match status {
            Status::TimeBudget => {
                insta::assert_snapshot!(trainer.advice(status), @"the time budget ran out while the residuals of `pde` still fell: raise `max_seconds`")
            }
            _ => {
                insta::assert_snapshot!(trainer.advice(status), @"interrupted; the result is that of the last step taken, when the residuals of `pde` still fell")
            }
        }
    }
}

#[test]
fn divergence_names_the_term_and_the_keys_of_the_method() {
    let stage = |method: &str| format!(r#"stages = [{{ method = "{method}", steps = 50, lr = 1e200 }}]"#);
    insta::assert_snapshot!(told(&mut trainer(ROD, &stage("adam"))), @"diverged: the loss of `pde` became infinite or not a number after step 1; the last finite state was kept: lower `lr`, or set `clip`");
    insta::assert_snapshot!(told(&mut trainer(ROD, &stage("adamflip"))), @"diverged: the loss of `pde` became infinite or not a number after step 1; the last finite state was kept: lower `lr`, or `gain`, or set `clip`");
    insta::assert_snapshot!(told(&mut trainer(ROD, &stage("adamflip_split"))), @"diverged: the loss of `pde` became infinite or not a number after step 1; the last finite state was kept: lower `lr`, or `normal_gain`, or set `clip`");
    let never = ROD.replace("u_xx = 1", "u_xx = log(-1 - x)");
    insta::assert_snapshot!(told(&mut trainer(&never, &stage("adam"))), @"diverged: the loss of `pde` became infinite or not a number before the first step: look at the equations with `adamflip check`");
}

#[test]
fn residuals_far_above_those_of_the_untrained_network_are_no_result() {
    let plan = |lr: &str| format!(r#"stages = [{{ method = "adam", steps = 3, lr = {lr} }}]"#);
    let mut far = trainer(ROD, &plan("100"));
    insta::assert_snapshot!(told(&mut far), @"diverged: the residuals are far above those of the untrained network: lower `lr`, or set `clip`");
    // There is a state to look at, but no use in more of the same.
    assert_eq!(far.steps_taken(), 3);
    far.extend(5);
    assert_eq!(far.ended(), Some(Status::Diverged));
    assert_eq!(trainer(ROD, &plan("1e-3")).run(&mut |_| Signal::Continue), Status::MaxSteps);
}

/// Units that have saturated tell no two points apart: conditions that agree seem to be one that contradicts
/// itself.
#[test]
fn a_network_that_has_saturated_raises_no_alarm() {
    let walls = "[term.start]\non = \"t = 0\"\nequation = \"u = sin(pi*x)\"\npoints = 20\n\
                 [term.walls]\non = [\"x = 0\", \"x = 1\"]\nequation = \"u = 0\"\npoints = 20\n[network]\nhidden = [8, 8]\n";
    let rod = format!(
        "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.pde]\nequation = \"u_t = u_xx\"\npoints = 8\n{walls}"
    );
    let mut trainer = trainer(&rod, "stages = [{ method = 'adam', steps = 3 }]");
    trainer.observe(1);
    // Weights and biases so large that tanh is ±1 at all points.
    trainer.θ.iter_mut().for_each(|weight| *weight += 1e3);
    let misfits = trainer.misfits();
    for step in 1..10 {
        trainer.step = step;
        trainer.look(&misfits);
    }
    assert_eq!(trainer.warnings(), []);
}

/// A run that ends early has the rest of its plan before it.
#[test]
fn what_is_added_comes_after_the_last_stage() {
    let text = ROD.replace("equation = \"u = 0\"", "equation = \"u = 0\"\ntolerance = \"max < 10\"");
    let plan = "stop_when_feasible = true\n\
                stages = [{ method = \"adam\", steps = 5000 }, { method = \"adamflip\", steps = 700 }]";
    let mut trainer = trainer(&text, plan);
    assert_eq!(trainer.run(&mut |_| Signal::Continue), Status::Feasible);
    assert_eq!(trainer.stage(), 0);
    trainer.extend(50);
    assert_eq!(trainer.steps_planned(), 5750);
}

#[test]
fn a_last_step_out_of_range_is_a_divergence() {
    for signal in [Signal::Continue, Signal::TimeUp, Signal::Interrupt] {
        let steps = if signal == Signal::Continue { 1 } else { 9 };
        let plan = format!(r#"stages = [{{ method = "adam", steps = {steps}, lr = 1e300 }}]"#);
        let mut trainer = trainer(ROD, &plan);
        let start = trainer.θ().to_vec();
        let status = trainer.run(&mut |_| signal);
        assert_eq!(
            (status, trainer.steps_taken(), trainer.θ()),
            (Status::Diverged, 0, &start[..]),
            "{signal:?}"
        );
        insta::allow_duplicates! {
            insta::assert_snapshot!(trainer.advice(status), @"the loss of `pde` became infinite or not a number after step 1; the last finite state was kept: lower `lr`, or set `clip`");
        }
    }
}

/// With fresh points the next step judges, whether or not there is a pause before it.
#[test]
fn a_pause_before_fresh_points_decides_nothing() {
    let plan = "resample = 1\nstages = [{ method = \"adam\", steps = 9, lr = 1e300 }]";
    let mut trainer = trainer(ROD, plan);
    let start = trainer.θ().to_vec();
    assert_eq!((trainer.run(&mut |_| Signal::Interrupt), trainer.steps_taken()), (Status::Interrupted, 1));
    assert_eq!(trainer.run(&mut |_| Signal::Continue), Status::Diverged);
    assert_eq!((trainer.steps_taken(), trainer.θ()), (0, &start[..]));
}

#[test]
fn converged_below_the_tolerance() {
    let plan = "tolerance = 1e-3\nstages = [{ method = \"adamflip\", steps = 4000, lr = 1e-2, lr_end = 1e-4, gain = 10 }]";
    let text = ROD.replace("u_xx = 1", "u_x = 0");
    let mut trainer = trainer(&text, plan);
    let mut last = None;
    let status = trainer.run(&mut |progress| {
        last = Some(progress.report);
        Signal::Continue
    });
    let report = last.unwrap();
    assert!(report.kkt <= 1e-3 && report.violation <= 1e-3, "{status:?} {report:?}");
    assert!(trainer.steps_taken() < 4000);
    insta::assert_snapshot!(trainer.advice(status), @"converged: the KKT residual and the violation are below `tolerance`");
}

#[test]
fn feasible_on_points_that_training_never_saw() {
    let text = ROD.replace("equation = \"u = 0\"", "equation = \"u = 0\"\ntolerance = \"max < 1e-2\"");
    let plan = "stop_when_feasible = true\nstages = [{ method = \"adam\", steps = 5000, lr = 1e-2 }]";
    let mut trainer = trainer(&text, plan);
    insta::assert_snapshot!(told(&mut trainer), @"feasible: every tolerance is met at points that training never saw, and `stop_when_feasible` ended the run");
    assert!(trainer.steps_taken() < 5000);
    let certificate = trainer.certify();
    let met: Vec<_> = certificate.violations.iter().map(|v| v.is_met()).collect();
    assert_eq!(met, [None, Some(true)]);
}

#[test]
fn training_points_alone_do_not_make_it_feasible() {
    // Two points are fitted soon; the interval between them is not.
    let text = ROD
        .replace("u_xx = 1", "u = sin(20*x)\"\ntolerance = \"max < 0.1")
        .replace("points = 8", "points = 2");
    let plan = "stop_when_feasible = true\nstages = [{ method = \"adam\", steps = 2000, lr = 1e-2 }]";
    let mut trainer = trainer(&text, plan);
    assert_eq!(trainer.run(&mut |_| Signal::Continue), Status::MaxSteps);
    assert!(trainer.misfits()[0].max < 0.1, "{:?}", trainer.misfits());
    assert_eq!(trainer.certify().violations[0].is_met(), Some(false));
}

#[test]
fn stagnation_ends_a_stage_and_then_the_run() {
    let plan = r#"patience = 50
    stages = [{ method = "adam", steps = 1000, lr = 1e-12 }, { method = "adamflip", steps = 1000, lr = 1e-12 }]"#;
    let mut trainer = trainer(ROD, plan);
    let mut stages = Vec::new();
    let status = trainer.run(&mut |progress| {
        stages.push(progress.stage);
        Signal::Continue
    });
    assert_eq!(stages.iter().filter(|stage| **stage == 0).count(), 51);
    assert_eq!((stages.len(), status), (102, Status::Stagnated));
    insta::assert_snapshot!(trainer.advice(status), @"neither objective nor violation improved over 50 steps; at the constant rate 1e-12 the losses no longer fall: let it fall, as in `lr_end = 1e-14`");
}

#[test]
fn fresh_points_are_no_reason_to_lose_patience() {
    let plan = "patience = 200\nresample = 1\nstages = [{ method = \"adam\", steps = 600, lr = 3e-3 }]";
    let mut trainer = trainer(&ROD.replace("u_xx = 1", "u_xx = sin(9*x)"), plan);
    assert_eq!(trainer.run(&mut |_| Signal::Continue), Status::MaxSteps);
}

#[test]
fn reductions_are_those_of_the_same_points() {
    for method in ["adamflip", "adamflip_split"] {
        let plan = format!("resample = 5\nstages = [{{ method = \"{method}\", steps = 12 }}]");
        let mut unknown = Vec::new();
        trainer(ROD, &plan).run(&mut |progress| {
            unknown.extend(progress.report.actual.is_nan().then_some(progress.step));
            Signal::Continue
        });
        assert_eq!(unknown, [1, 6, 11], "{method}");
    }
}

#[test]
fn misfits_are_those_at_the_start_of_the_step() {
    for method in [
        "'lbfgs'",
        "'ssbroyden'",
        "'trsqp'",
        "'adamflip', halvings = 3",
        "'al', dual = 'outer', adam_steps = 2, lbfgs_steps = 3",
    ] {
        let plan = format!("resample = 0\nstages = [{{ method = {method}, steps = 12 }}]");
        let mut trainer = trainer(ROD, &plan);
        let mut known = trainer.misfits();
        let mut other = self::trainer(ROD, &plan);
        trainer.run(&mut |progress| {
            assert_eq!(progress.misfits, known, "{method} at {}", progress.step);
            known = other.objective.measure(progress.θ).to_vec();
            Signal::Continue
        });
    }
}

#[test]
fn a_trust_region_keeps_all_points_and_may_come_to_its_end() {
    for (method, stay) in [("adam", false), ("al", false), ("trsqp", true)] {
        let plan = format!("resample = 2\nstages = [{{ method = \"{method}\", steps = 5 }}]");
        let mut trainer = trainer(ROD, &plan);
        let before = format!("{:?}", trainer.points);
        trainer.run(&mut |_| Signal::Continue);
        assert_eq!(before == format!("{:?}", trainer.points), stay, "{method}");
    }
    let plan = "resample = 10\nstages = [{ method = \"trsqp\", steps = 1000, tolerance = 1e-3 }]";
    let mut trainer = trainer(&ROD.replace("u_xx = 1", "u_x = 0"), plan);
    let status = trainer.run(&mut |_| Signal::Continue);
    assert!(matches!(trainer.why, Why::Method(_)), "{status:?} after {}", trainer.steps_taken());
    assert!(trainer.steps_taken() < 1000);
}

fn found(trainer: &mut Trainer) -> Vec<(ConstraintIssue, Vec<String>)> {
    trainer.observe(10);
    trainer.run(&mut |_| Signal::Continue);
    trainer.warnings().iter().map(|warning| (warning.issue, warning.terms.clone())).collect()
}

fn plan(method: &str) -> String {
    format!(r#"stages = [{{ method = "{method}", steps = 300, lr = 1e-3 }}]"#)
}

#[test]
fn contradicting_constraints_are_named() {
    for method in ["adam", "adamflip", "adamflip_split"] {
        let mut trainer = trainer(&held_twice("u = 1"), &plan(method));
        let expected = (ConstraintIssue::Conflicting, vec!["ends".to_owned(), "again".to_owned()]);
        assert_eq!(found(&mut trainer), [expected], "{method}");
    }
    let patient = "patience = 100\nstages = [{ method = \"adam\", steps = 9000, lr = 1e-2, lr_end = 1e-6 }]";
    let mut trainer = trainer(&held_twice("u = 1"), patient);
    trainer.observe(10);
    insta::assert_snapshot!(told(&mut trainer), @"stagnated: neither objective nor violation improved over 100 steps; `ends` and `again` contradict each other, and no number of steps will meet them together");
}

#[test]
fn constraints_that_contradict_each_other_on_a_part_of_a_side_are_named() {
    let text = ROD.replace("x = [0, 1]", "x = [0, 1]\ny = [0, 1]").replace("points = 2", "points = 20");
    let text = format!("{text}[term.low]\non = \"x = 0 and y < 0.5\"\nequation = \"u = 1\"\npoints = 10\n");
    let mut trainer = trainer(&text, r#"stages = [{ method = "adamflip_split", steps = 1000, lr = 1e-3 }]"#);
    let expected = (ConstraintIssue::Conflicting, vec!["ends".to_owned(), "low".to_owned()]);
    assert_eq!(found(&mut trainer), [expected]);
}

#[test]
fn a_duplicated_constraint_is_named_as_redundant() {
    for method in ["adamflip", "adamflip_split"] {
        for same in ["u = 0", "0 = 3*u"] {
            let mut trainer = trainer(&held_twice(same), &plan(method));
            let expected = (ConstraintIssue::Redundant, vec!["ends".to_owned(), "again".to_owned()]);
            assert_eq!(found(&mut trainer), [expected], "{method} {same}");
        }
    }
}

#[test]
fn a_constraint_that_the_ansatz_forbids_is_named() {
    let text = ROD.replace("hidden = [6]", "hidden = [6]\nansatz = \"x*(1 - x)*N\"");
    let mut met = trainer(&text, &plan("adamflip"));
    assert_eq!(found(&mut met), []);
    let mut forbidden = trainer(&text.replace("u = 0", "u = 1"), &plan("adamflip"));
    assert_eq!(found(&mut forbidden), [(ConstraintIssue::Fixed, vec!["ends".to_owned()])]);
}

#[test]
fn ordinary_constraints_give_no_warning() {
    for method in ["adamflip", "adamflip_split"] {
        assert_eq!(found(&mut trainer(&held_twice("u_x = x - 0.5"), &plan(method))), [], "{method}");
    }
}

#[test]
fn only_observed_steps_pay_for_diagnostics() {
    let mut trainer = trainer(ROD, r#"stages = [{ method = "adamflip", steps = 25 }]"#);
    trainer.observe(10);
    let mut known = Vec::new();
    trainer.run(&mut |progress| {
        assert_eq!(progress.observed, progress.report.condition.is_finite());
        known.extend(progress.observed.then_some(progress.step));
        Signal::Continue
    });
    assert_eq!(known, [1, 10, 20, 25]);
}

/// A grid is the same whenever it is drawn: nothing has changed, and a method may come to its own end on it.
#[test]
fn a_grid_is_not_fresh() {
    let plan = "sampler = \"grid\"\nresample = 1\nstages = [{ method = \"newtonflip\", steps = 9 }]";
    let mut trainer = trainer(ROD, plan);
    let mut unknown = Vec::new();
    trainer.run(&mut |progress| {
        unknown.extend(progress.report.actual.is_nan().then_some(progress.step));
        Signal::Continue
    });
    assert_eq!((trainer.points_stay(), unknown), (true, vec![1]));
}

/// The worst points of a grid are the same each time: what is added to it is drawn.
#[test]
fn points_that_are_added_to_a_grid_are_new() {
    let rod = ROD.replace("points = 8\n", "points = 8\nadaptive = \"rar\"\nsampler = \"grid\"\n");
    let mut trainer = trainer(&rod, "resample = 1\nstages = [{ method = \"adam\", steps = 6 }]");
    trainer.run(&mut |_| Signal::Continue);
    let mut points = trainer.points()[0].column(0).to_vec();
    assert!(points.len() > 8);
    points.sort_by(f64::total_cmp);
    assert!(points.windows(2).all(|pair| pair[0] < pair[1]), "{points:?}");
}
