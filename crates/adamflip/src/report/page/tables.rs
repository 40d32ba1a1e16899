//! The tables of the page: errors, unknowns, the certificate, the problem, the facts of the run.

use super::html::{Cell, Html, element, number, table};
use crate::certificate::{CONFIDENCE, Kkt, Violation};
use crate::problem::{Measure, Problem, Role};
use crate::report::subject::{RunFacts, Subject};
use crate::uncertainty::{Estimate, Interval, MOST_PARAMETERS, digits};

/// The errors of the fields: measured, and estimated.
pub(super) fn errors(subject: &Subject<'_>) -> Html {
    let problem = subject.state.problem;
    let mut content = Html::default();
    if subject.errors.is_empty() {
        let text = match problem.reference {
            None => "The problem has no reference.",
            Some(_) => "The errors against the reference could not be measured.",
        };
        content.push(element("p", "soft", text));
    } else {
        let row = |error: &crate::evaluate::FieldError| {
            let name = Cell::text(&problem.fields[error.field]);
            let points = error.reference.iter().filter(|value| value.is_finite()).count();
            let numbers = [number(error.relative_l2), number(error.max), points.to_string()];
            [name].into_iter().chain(numbers.map(Cell::Number)).collect()
        };
        let rows: Vec<Vec<Cell>> = subject.errors.iter().map(row).collect();
        content.push(table(&["field", "relative L2 error", "largest absolute error", "points"], &rows));
    }
    content.push(estimates(subject));
    content
}

/// The errors that are expected without a look at the reference.
fn estimates(subject: &Subject<'_>) -> Html {
    let problem = subject.state.problem;
    let row = |estimate: &Estimate| {
        let caveats: Vec<String> = estimate.caveats.iter().map(|caveat| caveat.text(problem)).collect();
        vec![
            Cell::text(&problem.fields[estimate.field]),
            Cell::Number(number(estimate.relative_l2)),
            Cell::Number(number(estimate.unfinished)),
            Cell::text(if caveats.is_empty() { "none".to_owned() } else { caveats.join("; ") }),
        ]
    };
    let estimates = &subject.assessment.estimates;
    if estimates.is_empty() {
        let text = format!(
            "There is no estimate of the errors: it is made for up to {MOST_PARAMETERS} parameters and finite residuals."
        );
        return element("p", "soft", &text);
    }
    let head = ["field", "estimated relative L2 error", "of it, what training has left", "caveats"];
    let mut content = table(&head, &estimates.iter().map(row).collect::<Vec<_>>());
    content.push(element(
        "p",
        "soft",
        "The estimate does not use the reference: it comes from the residuals at fresh points (and adaptive or given ones), \
         through the problem linearized at the solution.",
    ));
    content
}

/// The unknown numbers: found, true, apart.
pub(super) fn unknowns(subject: &Subject<'_>) -> Html {
    let state = &subject.state;
    let parameters = &state.θ[state.model.parameters()..];
    let row = |(index, (unknown, &parameter)): (usize, (&crate::problem::Unknown, &f64))| {
        let ends = subject.assessment.intervals.get(index).and_then(Interval::ends);
        // As many digits as the interval leaves them.
        let margin = ends.map(|[lower, upper]| 0.5 * (upper - lower));
        let margin = margin.filter(|margin| *margin > 0.0 && margin.is_finite());
        let precise = |value: f64| margin.map_or_else(|| number(value), |margin| digits(value, margin));
        let value = unknown.value(parameter).0;
        let shown = |known: Option<f64>| known.map_or_else(|| "–".to_owned(), number);
        let error = unknown.truth.map(|truth| (value - truth).abs());
        let relative = error.zip(unknown.truth).filter(|&(_, truth)| truth != 0.0);
        let numbers = [
            number(unknown.start),
            precise(value),
            ends.map_or_else(|| "–".to_owned(), |ends| ends.map(precise).join(" … ")),
            unknown.truth.map_or_else(|| "–".to_owned(), precise),
            shown(error),
            shown(relative.map(|(error, truth)| error / truth.abs())),
        ];
        [Cell::text(&unknown.name)].into_iter().chain(numbers.map(Cell::Number)).collect()
    };
    let unknowns = state.problem.unknowns.iter();
    let rows: Vec<Vec<Cell>> = unknowns.zip(parameters).enumerate().map(row).collect();
    let mut content =
        table(&["unknown", "start", "found", "95% interval", "truth", "error", "relative error"], &rows);
    for interval in &subject.assessment.intervals {
        let trouble = interval.identified.trouble(&state.problem.unknowns[interval.unknown].name);
        content.push(trouble.map_or_else(Html::default, |trouble| element("p", "", &trouble)));
    }
    content
}

/// The certificate: the verdict, how far every term is violated on fresh points, and how far θ is from
/// optimal.
pub(super) fn certificate(subject: &Subject<'_>) -> Html {
    let (problem, certificate) = (subject.state.problem, subject.certificate);
    let verdict = format!("Verdict: {}.", certificate.verdict().sentence());
    let mut content = element("p", "", &verdict);
    content.push(violations(problem, &certificate.violations));
    let bounds = format!(
        "Bounds hold with {}% confidence each: the root mean square over the whole place is below its bound, and the \
         largest is exceeded on less than the given share of the place. What was not drawn at random, observations and \
         single points, has none.",
        100.0 * CONFIDENCE
    );
    content.push(element("p", "soft", &bounds));
    if let Some(kkt) = &certificate.kkt {
        content.push(element("p", "soft", &optimality(kkt)));
    }
    content
}

/// The KKT residual in a sentence.
fn optimality(kkt: &Kkt) -> String {
    let of = match kkt.of > kkt.entries {
        true => format!(" (of {}, so that it is at most this)", kkt.of),
        false => String::new(),
    };
    format!(
        "KKT residual ‖∇f + Jᵀλ‖ at the points of training: {}, which is {} of ‖∇f‖, with {} pointwise constraints{of}.",
        number(kkt.residual),
        number(kkt.relative),
        kkt.entries
    )
}

/// Every term: what was measured with its bounds, where it is largest, and whether that was allowed.
fn violations(problem: &Problem, violations: &[Violation]) -> Html {
    let has_tolerance = problem.terms.iter().any(|term| term.tolerance.is_some());
    let row = |violation: &Violation| {
        let term = &problem.terms[violation.term];
        let mut cells = vec![Cell::text(&term.name), Cell::text(role(term.role))];
        let bound =
            |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("≤ {}", number(value)));
        let numbers = [
            violation.points.to_string(),
            number(violation.rms()),
            bound(violation.rms_bound()),
            number(violation.max),
            bound(violation.exceeded_share),
        ];
        cells.extend(numbers.map(Cell::Number));
        cells.push(Cell::text(place(problem, &violation.worst)));
        if has_tolerance {
            cells.extend(verdict(violation));
        }
        cells
    };
    let mut head = vec!["term", "role", "points", "root mean square", "its bound", "largest"];
    head.extend(["share above it", "where it is largest"]);
    if has_tolerance {
        head.extend(["tolerance", "verdict"]);
    }
    table(&head, &violations.iter().map(row).collect::<Vec<_>>())
}

fn verdict(violation: &Violation) -> [Cell; 2] {
    match (violation.tolerance, violation.is_met()) {
        (Some((measure, limit)), Some(met)) => {
            let name = match measure {
                Measure::Max => "max",
                Measure::Rms => "rms",
                Measure::Mse => "mse",
            };
            let text = if met { "met" } else { "not met" };
            [Cell::text(format!("{name} < {limit}")), Cell::Verdict(met, text.to_owned())]
        }
        _ => [Cell::text("–"), Cell::text("none asked")],
    }
}

/// The equations as they were understood, each with its role and points.
pub(super) fn terms(problem: &Problem) -> Html {
    let row = |term: &crate::problem::Term| {
        vec![
            Cell::text(&term.name),
            Cell::text(role(term.role)),
            Cell::Code(term.equations.clone()),
            Cell::Number(term.points.to_string()),
        ]
    };
    table(&["term", "role", "equations", "points"], &problem.terms.iter().map(row).collect::<Vec<_>>())
}

/// The facts of the run that are known.
pub(super) fn facts(subject: &Subject<'_>) -> Html {
    let Subject { state, facts, .. } = subject;
    let RunFacts {
        version,
        plan,
        steps,
        status,
        advice: _,
        seconds,
        threads,
        machine,
        date,
        command: _,
        more,
    } = facts;
    let time = match *threads {
        0 => format!("{} s", number(*seconds)),
        1 => format!("{} s on 1 thread", number(*seconds)),
        threads => format!("{} s on {threads} threads", number(*seconds)),
    };
    let rows = [
        ("plan", plan.clone()),
        ("steps taken", steps.to_string()),
        ("ended", status.clone()),
        ("time", if *seconds > 0.0 { time } else { String::new() }),
        ("parameters", state.θ.len().to_string()),
        ("seed", state.seed.to_string()),
        ("program", if version.is_empty() { String::new() } else { format!("adamflip {version}") }),
        ("machine", machine.clone()),
        ("date", date.clone()),
    ];
    let own = rows.into_iter().map(|(name, value)| (name.to_owned(), value));
    let known = own.chain(more.iter().cloned()).filter(|(_, value)| !value.is_empty());
    table(&[], &known.map(|(name, value)| vec![Cell::text(name), Cell::text(value)]).collect::<Vec<_>>())
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Objective => "objective",
        Role::Constraint => "constraint",
    }
}

/// `x = 0.5, t = 1`.
fn place(problem: &Problem, point: &[f64]) -> String {
    let axes = problem.coordinates.iter().zip(point);
    axes.map(|(name, &value)| format!("{name} = {}", number(value))).collect::<Vec<_>>().join(", ")
}
