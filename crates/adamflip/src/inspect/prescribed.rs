//! Equations that give a field its value: residual = ±(field − value), found by trying.

use super::place::place_of;
use super::probe::{Numbers, evaluate, points};
use crate::geometry::{Place, Points};
use crate::problem::{Problem, Residual, Source};

/// An equation that prescribes a field.
#[derive(Clone, Debug)]
pub(super) struct Prescription {
    pub(super) term: usize,
    pub(super) equation: usize,
    pub(super) field: usize,
    /// Where.
    pub(super) place: Place,
    sign: f64,
}

impl Prescription {
    /// The prescribed values at points.
    pub(super) fn values(&self, problem: &Problem, points: &Points) -> Vec<f64> {
        let residual =
            &evaluate(&problem.terms[self.term].residual, points, Numbers::Arbitrary(0))[self.equation];
        let field = &evaluate(&problem.solution, points, Numbers::Arbitrary(0))[self.field];
        prescribed(field, residual, self.sign)
    }
}

/// field − sign·residual.
fn prescribed(field: &[f64], residual: &[f64], sign: f64) -> Vec<f64> {
    field.iter().zip(residual).map(|(field, residual)| field - sign * residual).collect()
}

/// All equations of a problem that prescribe a field at drawn points.
pub(super) fn prescriptions(problem: &Problem) -> Vec<Prescription> {
    let Some(points) = points(&problem.domain, &Place::interior(), 8) else { return Vec::new() };
    let mut found = Vec::new();
    for (index, term) in problem.terms.iter().enumerate() {
        let (Source::Drawn { .. }, Some(place)) = (&term.source, place_of(term)) else { continue };
        if term.is_inequality() {
            continue;
        }
        let shown = shown(problem, &term.residual, &points);
        found.extend(shown.into_iter().map(|Shown { equation, field, sign, .. }| Prescription {
            term: index,
            equation,
            field,
            place: place.clone(),
            sign,
        }));
    }
    found
}

/// An equation that is a field less a value, and the values at points.
pub(super) struct Shown {
    equation: usize,
    pub(super) field: usize,
    sign: f64,
    pub(super) values: Vec<f64>,
}

/// The equations of a residual that show a field at points: the values do not depend on what the networks
/// compute.
pub(super) fn shown(problem: &Problem, residual: &Residual, points: &Points) -> Vec<Shown> {
    let choices = [0, 1, 2];
    let solutions = choices.map(|choice| evaluate(&problem.solution, points, Numbers::Arbitrary(choice)));
    let residuals = choices.map(|choice| evaluate(residual, points, Numbers::Arbitrary(choice)));
    let shows = |equation: usize, field: usize, sign: f64| {
        let value = |c: usize| prescribed(&solutions[c][field], &residuals[c][equation], sign);
        let values = value(0);
        let known = choices[1..].iter().all(|&c| agree(&values, &value(c)));
        known.then_some(Shown { equation, field, sign, values })
    };
    let fields = || (0..problem.fields.len()).flat_map(|field| [(field, 1.0), (field, -1.0)]);
    let equations = 0..residual.equations();
    equations.filter_map(|equation| fields().find_map(|(field, sign)| shows(equation, field, sign))).collect()
}

/// Numbers that differ by rounding only. Beside very large ones those of size one that were tried cannot be
/// seen.
fn agree(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs() < 1e10 && (a - b).abs() <= 1e-10 + 1e-14 * a.abs())
}
