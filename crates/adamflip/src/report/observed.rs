//! The history of a run as figures: losses, errors, multipliers, unknowns, steps.

use super::figure::{Curve, Diagram, Figure, FigureError, Panel, Vertical, compose};
use super::subject::Subject;
use crate::history::{History, unknown_column};
use crate::problem::Role;

/// Losses fall by any factor, and all of it is shown.
const ALL: Vertical = Vertical::Logarithmic { decades: f64::INFINITY };

/// The mean square residual of every term, and the errors of the fields where they were measured.
pub(super) fn losses(subject: &Subject<'_>, title: &str) -> Result<Option<Figure>, FigureError> {
    let Subject { state, history, .. } = subject;
    let terms = state.problem.terms.iter().map(|term| (format!("{}_mse", term.name), term.name.as_str()));
    let fields = state.problem.fields.iter().map(|field| (format!("rel_l2_{field}"), field.as_str()));
    let losses = curves(history, terms, |value| value);
    let mut errors = curves(history, fields, |value| value);
    // Errors are not measured at every step: between two there is no gap. The ends stay, for the axis is that
    // of the losses.
    let ends = [history.steps().first(), history.steps().last()];
    let kept = |(step, error): &(f64, f64)| !error.is_nan() || ends.contains(&Some(step));
    errors.iter_mut().for_each(|curve| curve.points.retain(kept));
    let diagrams = [
        diagram(history, "losses", "mean square residual", ALL, losses),
        diagram(history, "errors", "relative L2 error", ALL, errors),
    ];
    figure(title, diagrams)
}

/// The multipliers of the constraints: as they are, or their sizes where these differ by orders of magnitude.
pub(super) fn multipliers(subject: &Subject<'_>, title: &str) -> Result<Option<Figure>, FigureError> {
    /// A linear axis shows what is a hundredth of the largest.
    const APART: f64 = 100.0;
    let Subject { state, history, .. } = subject;
    let constraints = || {
        let terms = state.problem.terms.iter().filter(|term| term.role == Role::Constraint);
        terms.map(|term| (format!("multiplier_{}", term.name), term.name.as_str()))
    };
    let sizes: Vec<f64> = constraints()
        .filter_map(|(name, _)| history.column(&name))
        .map(|column| {
            column.iter().filter(|value| value.is_finite()).fold(0.0, |most: f64, v| most.max(v.abs()))
        })
        .filter(|&size| size > 0.0)
        .collect();
    let (least, most) =
        sizes.iter().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), &v| (a.min(v), b.max(v)));
    let multiplier = if most > APART * least {
        let curves = curves(history, constraints(), f64::abs);
        diagram(history, "multipliers", "absolute multiplier", ALL, curves)
    } else {
        let curves = curves(history, constraints(), |value| value);
        diagram(history, "multipliers", "multiplier", Vertical::Linear, curves)
    };
    figure(title, [multiplier])
}

/// Every unknown number on its way, with the truth where it is known.
pub(super) fn unknowns(subject: &Subject<'_>, title: &str) -> Result<Option<Figure>, FigureError> {
    let Subject { state, history, .. } = subject;
    let unknown = |unknown: &crate::problem::Unknown| {
        let name = unknown.name.as_str();
        let column = (unknown_column(name), name);
        let curves = curves(history, [column].into_iter(), |value| value);
        let goal = unknown.truth.map(|truth| (truth, "truth".to_owned()));
        diagram(history, name, name, Vertical::Linear, curves).map(|diagram| Diagram { goal, ..diagram })
    };
    figure(title, state.problem.unknowns.iter().map(unknown))
}

/// How the method moved: rate and gain, norms of step and gradient, its trust region, the conditioning of the
/// constraints.
pub(super) fn steps(subject: &Subject<'_>, title: &str) -> Result<Option<Figure>, FigureError> {
    let history = subject.history;
    /// A title, the name of the values, columns and their names.
    type Row<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);
    let table: [Row<'_>; 5] = [
        ("rate and gain", "factor", &[("rate", "rate"), ("gain", "gain")]),
        ("steps", "norm", &[("step_norm", "step"), ("gradient_norm", "gradient"), ("kkt", "KKT residual")]),
        (
            "trust region",
            "value",
            &[("radius", "radius"), ("damping", "damping"), ("penalty", "largest penalty")],
        ),
        ("refused trust regions", "in a step", &[("refused", "refused")]),
        ("condition of the constraints", "condition number", &[("condition", "condition")]),
    ];
    let diagrams = table.map(|(title, label, columns)| {
        let columns = columns.iter().map(|&(column, name)| (column.to_owned(), name));
        diagram(history, title, label, ALL, curves(history, columns, |value| value))
    });
    figure(title, diagrams)
}

/// The columns that have something to show.
fn curves<'a>(
    history: &History,
    columns: impl Iterator<Item = (String, &'a str)>,
    size: impl Fn(f64) -> f64,
) -> Vec<Curve> {
    let curve = |(column, name): (String, &str)| {
        let values = history.column(&column)?;
        let points: Vec<(f64, f64)> =
            history.steps().iter().zip(values).map(|(&step, &value)| (step, size(value))).collect();
        let has_some = points.iter().any(|(_, value)| value.is_finite() && *value != 0.0);
        has_some.then(|| Curve { name: name.to_owned(), points })
    };
    columns.filter_map(curve).collect()
}

fn diagram(
    history: &History,
    title: &str,
    y_label: &str,
    vertical: Vertical,
    curves: Vec<Curve>,
) -> Option<Diagram> {
    (!curves.is_empty()).then(|| Diagram {
        title: title.to_owned(),
        x_label: "step".to_owned(),
        y_label: y_label.to_owned(),
        vertical,
        curves,
        stretches: stages(history),
        goal: None,
    })
}

/// Where every stage begins, and its method; a lone stage needs no mark.
fn stages(history: &History) -> Vec<(f64, String)> {
    let rows = history.steps().iter().zip(history.methods()).zip(history.column("stage").unwrap_or(&[]));
    let mut started: Vec<(f64, String, f64)> = Vec::new();
    for ((&step, method), &stage) in rows {
        if started.last().is_none_or(|(_, _, last)| *last != stage) {
            started.push((step, method.clone(), stage));
        }
    }
    started.into_iter().map(|(step, method, _)| (step, method)).collect()
}

/// One diagram below the other; none where there is nothing to show.
fn figure(
    title: &str,
    diagrams: impl IntoIterator<Item = Option<Diagram>>,
) -> Result<Option<Figure>, FigureError> {
    let rows: Vec<Vec<Panel>> =
        diagrams.into_iter().flatten().map(|diagram| vec![Panel::Diagram(diagram)]).collect();
    Ok(if rows.is_empty() { None } else { Some(compose(title, &rows)?) })
}
