//! How large the fields are, as far as reference, data and conditions show it before training.

use super::prescribed::{Prescription, prescriptions, shown};
use super::probe::points;
use crate::geometry::Place;
use crate::problem::{Known, Places, Problem, at_points};
use crate::sample;

/// Points at which formulas are looked at.
const POINTS: usize = 1000;

/// What shows the size of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The known solution.
    Reference,
    /// Measured values.
    Data,
    /// Values that conditions give: the field may be larger elsewhere.
    Conditions,
}

/// The largest absolute value that is known of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSize {
    /// The field's number.
    pub field: usize,
    /// The largest absolute value.
    pub size: f64,
    /// By what.
    pub by: Shown,
}

/// The sizes of all fields of which something is known: by the reference, else by data, else by conditions.
pub fn sizes(problem: &Problem, seed: u64) -> Vec<FieldSize> {
    let prescribed = prescriptions(problem);
    let size = |field: usize| {
        let ways = [
            (Shown::Reference, in_reference(problem, field)),
            (Shown::Data, in_data(problem, field, seed)),
            (Shown::Conditions, in_conditions(problem, &prescribed, field)),
        ];
        let known = |(by, size): (Shown, Option<f64>)| Some(FieldSize { field, size: size?, by });
        ways.into_iter().find_map(known)
    };
    (0..problem.fields.len()).filter_map(size).collect()
}

fn in_reference(problem: &Problem, field: usize) -> Option<f64> {
    let reference = problem.reference.as_ref()?;
    let (_, known) = reference.fields.iter().find(|(number, _)| *number == field)?;
    let values = match (known, &reference.places) {
        (Known::Values(values), _) => values.clone(),
        (Known::Formula(tape), Places::Points(points)) => at_points(tape, points).swap_remove(0),
        (Known::Formula(tape), Places::Grid(grid)) => {
            let points = match problem.domain.inside {
                None => sample::grid(&problem.domain, &grid.counts).ok()?,
                Some(_) => points(&problem.domain, &Place::interior(), POINTS)?,
            };
            at_points(tape, &points).swap_remove(0)
        }
    };
    largest(&values)
}

/// By measured values of the field itself.
fn in_data(problem: &Problem, field: usize, seed: u64) -> Option<f64> {
    let terms = problem.terms.iter().zip(1u64..);
    let terms = terms.filter(|(term, _)| !term.measured().is_empty() && !term.is_inequality());
    let values = terms.filter_map(|(term, number)| {
        let points = term.source.draw_at_most(POINTS, &problem.domain, seed, number, 0).ok()?;
        let columns = shown(problem, &term.residual, &points).into_iter();
        columns
            .filter(|shown| shown.field == field)
            .filter_map(|shown| largest(&shown.values))
            .reduce(f64::max)
    });
    values.reduce(f64::max)
}

fn in_conditions(problem: &Problem, prescribed: &[Prescription], field: usize) -> Option<f64> {
    let own = prescribed.iter().filter(|prescription| prescription.field == field);
    let values = own.filter_map(|prescription| {
        let points = points(&problem.domain, &prescription.place, POINTS)?;
        largest(&prescription.values(problem, &points))
    });
    values.reduce(f64::max)
}

/// The largest of the finite ones.
fn largest(values: &[f64]) -> Option<f64> {
    values.iter().filter(|value| value.is_finite()).map(|value| value.abs()).reduce(f64::max)
}
