//! Rules that no small run reaches by itself, from what is known by hand.

use super::*;
use crate::objective::ResidualStats;
use crate::optim::StepReport;

fn rod() -> Problem {
    let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\n[term.pde]\nequation = \"u_xx = 1\"\npoints = 8\n\
                [term.left]\non = \"x = 0\"\nequation = \"u = 0\"\npoints = 1\n\
                [term.right]\non = \"x = 1\"\nequation = \"u = 0\"\npoints = 1\n[network]\nhidden = [3]\n\
                [train]\npatience = 20";
    crate::testing::problem(text)
}

/// A stage of a hundred equal steps with this report.
fn flat(problem: &Problem, report: StepReport) -> Trends {
    let mut trends = Trends::new(problem, 100);
    let misfits = vec![ResidualStats { mse: 0.1, max: 0.2 }; problem.terms.len()];
    (0..100).for_each(|_| trends.add(&report, &misfits));
    trends
}

fn said(status: Status, why: Why, method: &str, report: StepReport) -> String {
    let problem = rod();
    let trends = flat(&problem, report);
    let method = Method::named(method).unwrap();
    let stage = Some((&method, &trends));
    advice(&Seen {
        status,
        why,
        problem: &problem,
        stage,
        warnings: &[],
        entries: 2,
        idle: 0,
        is_untrained: stage.is_none(),
    })
}

#[test]
fn promises_that_are_not_kept_ask_for_a_lower_gain() {
    let report = StepReport { predicted: 0.1, actual: 0.004, ..StepReport::default() };
    insta::assert_snapshot!(said(Status::MaxSteps, Why::Plan, "adamflip", report), @"all planned steps were taken; the violation no longer falls, and steps bring 4% of the reduction that they promise: lower `gain`");
    insta::assert_snapshot!(said(Status::MaxSteps, Why::Plan, "adamflip_split", report), @"all planned steps were taken; the violation no longer falls, and steps bring 4% of the reduction that they promise: lower `normal_gain`");
    // Adam has no gain.
    insta::assert_snapshot!(said(Status::MaxSteps, Why::Plan, "adam", report), @"all planned steps were taken; at the constant rate 1e-3 the losses no longer fall: let it fall, as in `lr_end = 1e-5`");
    let kept = StepReport { predicted: 0.1, actual: 0.09, ..StepReport::default() };
    assert!(!said(Status::MaxSteps, Why::Plan, "adamflip", kept).contains("promise"));
}

#[test]
fn dependent_gradients_are_named() {
    let report = StepReport { condition: f64::INFINITY, rank: 1.0, ..StepReport::default() };
    insta::assert_snapshot!(said(Status::Stagnated, Why::Plan, "adamflip", report), @"neither objective nor violation improved over 20 steps; the gradients of `left` and `right` depend on each other (rank 1 of 2): drop one, or give it another weight");
}

#[test]
fn the_ends_of_methods() {
    let report = StepReport::default();
    let end = |status, end| said(status, Why::Method(end), "adamflip_metric", report);
    insta::assert_snapshot!(end(Status::Converged, End::Converged), @"converged: the method finds nothing left to improve at these points");
    insta::assert_snapshot!(end(Status::Stagnated, End::Infeasible), @"the method finds no better step towards `left` and `right`, which contradict each other here: correct one, or make it an objective");
    insta::assert_snapshot!(end(Status::Stagnated, End::NoProgress), @"the method finds no better step; at the constant rate 1e-3 the losses no longer fall: let it fall, as in `lr_end = 1e-5`");
}

/// What is said after a hundred steps whose losses are these, by term, of which the last ones moved nothing.
fn after(method: &str, idle: usize, loss: impl Fn(usize, usize) -> f64) -> String {
    let problem = rod();
    let mut trends = Trends::new(&problem, 100);
    for step in 0..100 {
        let misfit = |term| ResidualStats { mse: loss(term, step), max: 1.0 };
        trends.add(&StepReport::default(), &[misfit(0), misfit(1), misfit(2)]);
    }
    let (method, why) = (Method::named(method).unwrap(), Why::Plan);
    let stage = Some((&method, &trends));
    let is_untrained = false;
    advice(&Seen {
        status: Status::MaxSteps,
        why,
        problem: &problem,
        stage,
        warnings: &[],
        entries: 2,
        idle,
        is_untrained,
    })
}

#[test]
fn more_steps_are_advised_only_where_they_bring_something() {
    let falls = |step: usize| (-0.05 * step as f64).exp();
    // A constraint far below an objective that stands still.
    let still = after("newtonflip", 0, |term, step| if term == 0 { 0.1 } else { 1e-8 * falls(step) });
    insta::assert_snapshot!(still, @"all planned steps were taken; the losses no longer fall: a larger network, more points or another method may lower them");
    // The same constraint where it is the larger part.
    let both = after("newtonflip", 0, |term, step| if term == 0 { 1e-9 } else { falls(step) });
    assert!(both.contains("while the residuals of `left` and `right` still fell: more steps"), "{both}");
    // Losses that fall by other points only.
    let idle = after("newtonflip", 30, |_, step| falls(step));
    insta::assert_snapshot!(idle, @"all planned steps were taken; the last 30 steps found nothing better and moved nothing: a stage of `adam` before this one, another `--seed` or a larger network may go on");
}
