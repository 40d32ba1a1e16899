//! What a status means and what to do about it: an opening, then the first rule of a table that holds.

use super::trend::Trends;
use super::warning::{ConstraintIssue, Warning};
use super::{Status, Why};
use crate::optim::{Decay, End, Method};
use crate::problem::{Problem, Role};

/// What is known at the end of a run.
pub(super) struct Seen<'a> {
    pub(super) status: Status,
    pub(super) why: Why,
    pub(super) problem: &'a Problem,
    /// The method of the last stage and what the stage was like; none where no step was planned.
    pub(super) stage: Option<(&'a Method, &'a Trends)>,
    pub(super) warnings: &'a [Warning],
    /// Entries of h.
    pub(super) entries: usize,
    /// The last steps, this many, found nothing better and left θ where it was.
    pub(super) idle: usize,
    /// Was no step taken?
    pub(super) is_untrained: bool,
}

/// The rest of a sentence, where the rule holds.
type Rule = fn(&Seen<'_>) -> Option<String>;

#[rustfmt::skip]
const RULES: &[(Status, &[Rule])] = &[
    (Status::Converged,   &[]),
    (Status::Feasible,    &[]),
    (Status::Stagnated,   &[contradiction, infeasible, dependence, overshoot, constant_rate, exhausted]),
    (Status::MaxSteps,    &[unplanned, contradiction, too_short, stuck, violation_falls, overshoot, objective_falls, constant_rate, exhausted]),
    (Status::TimeBudget,  &[contradiction, too_short, stuck, violation_falls, objective_falls, overshoot, constant_rate, exhausted]),
    (Status::Interrupted, &[too_short, stuck, violation_falls, objective_falls]),
    (Status::Diverged,    &[at_the_start, too_fast]),
];

/// What happened and what to do about it.
pub(super) fn advice(seen: &Seen<'_>) -> String {
    let rules = RULES.iter().filter(|(status, _)| *status == seen.status).flat_map(|(_, rules)| *rules);
    let rest = rules.filter_map(|rule| rule(seen)).next().unwrap_or_default();
    format!("{}{rest}", opening(seen))
}

fn opening(seen: &Seen<'_>) -> String {
    match (seen.status, seen.why) {
        (Status::Converged, Why::Accurate) => "the estimated errors are below `accuracy`".into(),
        (Status::Converged, Why::HeldOut) => {
            "the tenth of the observations that was held out is met no better: more steps would fit their noise".into()
        }
        (Status::Converged, Why::Method(_)) => {
            "converged: the method finds nothing left to improve at these points".into()
        }
        (Status::Converged, _) => {
            "converged: the KKT residual and the violation are below `tolerance`".into()
        }
        (Status::Feasible, _) => {
            "every tolerance is met at points that training never saw, and `stop_when_feasible` ended the run"
                .into()
        }
        (Status::Stagnated, Why::Method(_)) => "the method finds no better step".into(),
        (Status::Stagnated, _) => {
            let patience = seen.problem.train.patience.unwrap_or(0);
            format!("neither objective nor violation improved over {patience} steps")
        }
        (Status::MaxSteps, _) => "all planned steps were taken".into(),
        (Status::TimeBudget, _) => "the time budget ran out".into(),
        (Status::Interrupted, _) => "interrupted; the result is that of the last step taken".into(),
        (Status::Diverged, Why::NotFinite { term: Some(term), .. }) => {
            format!("the loss of `{}` became infinite or not a number", seen.problem.terms[term].name)
        }
        (Status::Diverged, Why::Grown) => "the residuals are far above those of the untrained network".into(),
        (Status::Diverged, _) => "a gradient became infinite or not a number".into(),
    }
}

fn unplanned(seen: &Seen<'_>) -> Option<String> {
    (seen.stage.is_none() && seen.is_untrained)
        .then(|| ", for there were none; the network is as it was drawn".into())
}

/// Steps of a stage that say nothing of where it leads.
const TOO_SHORT: usize = 20;

fn too_short(seen: &Seen<'_>) -> Option<String> {
    let (_, trends) = seen.stage?;
    (trends.count < TOO_SHORT).then(|| match trends.count {
        1 => "; the last stage had one step only".into(),
        count => format!("; the last stage had {count} steps only"),
    })
}

/// Constraints that were found to contradict each other.
fn contradiction(seen: &Seen<'_>) -> Option<String> {
    let warning = seen.warnings.iter().find(|warning| warning.issue != ConstraintIssue::Redundant)?;
    let terms = quoted(warning.terms.iter().map(String::as_str));
    Some(match warning.issue {
        ConstraintIssue::Fixed => format!("; no step changes {terms}: look at its equation and the ansatz"),
        _ => format!("; {terms} contradict each other, and no number of steps will meet them together"),
    })
}

fn infeasible(seen: &Seen<'_>) -> Option<String> {
    let constraints = seen.problem.terms.iter().filter(|term| term.role == Role::Constraint);
    let names = quoted(constraints.map(|term| term.name.as_str()));
    (seen.why == Why::Method(End::Infeasible)).then(|| {
        format!(" towards {names}, which contradict each other here: correct one, or make it an objective")
    })
}

/// Aggregated constraints whose gradients are dependent; pointwise ones nearly always are.
fn dependence(seen: &Seen<'_>) -> Option<String> {
    let (_, trends) = seen.stage?;
    let constraints = seen.problem.terms.iter().filter(|term| term.role == Role::Constraint);
    let names: Vec<&str> = constraints.map(|term| term.name.as_str()).collect();
    let dependent = trends.condition >= 1e10 && names.len() == seen.entries && names.len() > 1;
    dependent.then(|| {
        let (rank, count) = (trends.rank, names.len());
        let names = quoted(names.into_iter());
        format!("; the gradients of {names} depend on each other (rank {rank} of {count}): drop one, or give it another weight")
    })
}

/// Idle steps that are more than a bad draw of points.
const STUCK: usize = 5;

/// Steps that moved nothing: losses that differ then differ by fresh points alone.
fn stuck(seen: &Seen<'_>) -> Option<String> {
    let (method, _) = seen.stage?;
    (seen.idle >= STUCK).then(|| {
        let cure = match method.rate() {
            Some(_) => "a stage of `newtonflip`",
            None => "a stage of `adam` before this one, another `--seed`",
        };
        format!("; the last {} steps found nothing better and moved nothing: {cure} or a larger network may go on", seen.idle)
    })
}

fn violation_falls(seen: &Seen<'_>) -> Option<String> {
    falling(seen, Role::Constraint)
}

fn objective_falls(seen: &Seen<'_>) -> Option<String> {
    falling(seen, Role::Objective)
}

fn falling(seen: &Seen<'_>, role: Role) -> Option<String> {
    let (_, trends) = seen.stage?;
    let names = trends.worth_more(seen.problem, role);
    let more = match seen.status {
        Status::TimeBudget => ": raise `max_seconds`",
        Status::Interrupted => "",
        _ => ": more steps (`--steps`) will lower them further",
    };
    let when = if seen.status == Status::Interrupted { ", when" } else { " while" };
    (!names.is_empty())
        .then(|| format!("{when} the residuals of {} still fell{more}", quoted(names.into_iter())))
}

/// Steps that promise much of ‖h‖ and bring little of it.
fn overshoot(seen: &Seen<'_>) -> Option<String> {
    let (method, trends) = seen.stage?;
    let (predicted, actual) = (trends.predicted.value(), trends.actual.value());
    let gain = gain_key(method)?;
    // A promise below a thousandth a step says little either way.
    (predicted > 1e-3 && actual < 0.25 * predicted).then(|| {
        let share = 100.0 * (actual / predicted).max(0.0);
        format!("; the violation no longer falls, and steps bring {share:.0}% of the reduction that they promise: lower `{gain}`")
    })
}

fn constant_rate(seen: &Seen<'_>) -> Option<String> {
    let (method, _) = seen.stage?;
    let rate = method.rate().filter(|rate| rate.decay == Decay::Constant)?;
    let (from, to) = (rate.start, rate.start / 100.0);
    Some(format!(
        "; at the constant rate {from:e} the losses no longer fall: let it fall, as in `lr_end = {to:e}`"
    ))
}

fn exhausted(seen: &Seen<'_>) -> Option<String> {
    let method = match seen.stage {
        Some((method, _)) if method.rate().is_some() => "a stage of `newtonflip`",
        _ => "another method",
    };
    Some(format!("; the losses no longer fall: a larger network, more points or {method} may lower them"))
}

fn at_the_start(seen: &Seen<'_>) -> Option<String> {
    let untouched = matches!(seen.why, Why::NotFinite { taken: 0, .. });
    untouched.then(|| " before the first step: look at the equations with `adamflip check`".into())
}

fn too_fast(seen: &Seen<'_>) -> Option<String> {
    let (method, _) = seen.stage?;
    let when = match seen.why {
        Why::NotFinite { taken, .. } => format!(" after step {taken}; the last finite state was kept"),
        Why::Grown => String::new(),
        _ => return None,
    };
    let rate = method.rate().map(|_| "lower `lr`");
    let gain = gain_key(method).map(|gain| format!("`{gain}`"));
    let clip = method.rate().map(|_| "set `clip`");
    let keys: Vec<String> =
        [rate.map(String::from), gain, clip.map(String::from)].into_iter().flatten().collect();
    let keys = if keys.is_empty() { "begin with a stage of `adam`".into() } else { keys.join(", or ") };
    Some(format!("{when}: {keys}"))
}

/// The key of a method's gain.
fn gain_key(method: &Method) -> Option<&'static str> {
    method.gains().map(|gains| gains.key)
}

/// `a`, `b` and `c`.
fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests;
