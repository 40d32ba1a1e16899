//! Do the equations hold at all? Their residuals by the size of their summands.
//!
//! The estimate follows a linear problem, and near a wrong solution (a curve that skips a jump, a flow on
//! another branch) that problem may be tame while the equation is missed by a third of its summands. A
//! residual of that size is no small disturbance, whatever its linearization says.

use crate::certificate::State;
use crate::derivative::Partial;
use crate::diagnostic::{Span, Spanned};
use crate::geometry::Points;
use crate::objective::values;
use crate::problem::{FieldResidual, Problem, Source, rms, with_magnitudes};

/// Points of a term that are looked at.
const POINTS: usize = 512;
/// The stream of their random numbers, beside those of the terms.
const ROUND: u64 = u32::MAX as u64 - 1;

/// How well the equations of a term are met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Balance {
    pub(super) term: usize,
    /// The residual by the summands, both as root mean squares, of the equation that is met worst.
    pub(super) share: f64,
    /// The least size of the summands of an equation.
    pub(super) summands: f64,
}

/// The terms inside the domain whose equations read fields and derivatives at the point itself.
pub(super) fn balances(state: &State<'_>) -> Vec<Balance> {
    let balance = |term: usize| {
        let Source::Drawn { place, normals: false, line: None, .. } = &state.problem.terms[term].source
        else {
            return None;
        };
        if !place.parts.iter().all(|part| part.fixed.is_empty() && part.boundary.is_none()) {
            return None;
        }
        let few = state.problem.terms[term].source.with_at_most(POINTS);
        let points = few.draw(&state.problem.domain, state.seed, term as u64 + 1, ROUND).ok()?;
        let equations = state.problem.terms[term].in_fields.iter().flatten();
        let measured = equations.filter_map(|equation| measured(state, equation, &points));
        measured.fold(None, |worst: Option<Balance>, (residual, summands)| {
            let share = worst.map_or(0.0, |worst| worst.share).max(residual / summands);
            Some(Balance {
                term,
                share,
                summands: worst.map_or(summands, |worst| worst.summands.min(summands)),
            })
        })
    };
    (0..state.problem.terms.len()).filter_map(balance).collect()
}

/// The root mean squares of one equation's residual and summands; nothing where it reads fields elsewhere.
fn measured(state: &State<'_>, equation: &FieldResidual, points: &Points) -> Option<(f64, f64)> {
    if equation.readings.iter().any(|reading| reading.site.is_some()) {
        return None;
    }
    let text = |field: usize, partial: &Partial| derivative(state.problem, field, partial);
    let texts: Vec<_> =
        equation.readings.iter().map(|reading| text(reading.field, &reading.partial)).collect();
    let readings = state.problem.expressions(&texts).ok()?;
    let mut points = points.clone();
    for column in values(&readings, state.model, &state.problem.unknowns, state.θ, &points) {
        points.push_attribute(&column);
    }
    let (residuals, magnitudes) = with_magnitudes(&equation.tape, &points).swap_remove(0);
    let (residual, summands) = (rms(&residuals), rms(&magnitudes));
    (residual.is_finite() && summands.is_normal()).then_some((residual, summands))
}

/// A derivative in the notation of equations.
fn derivative(problem: &Problem, field: usize, partial: &Partial) -> Spanned<String> {
    let by: String = partial.coordinates().map(|c| format!(", {}", problem.coordinates[c])).collect();
    let name = &problem.fields[field];
    let value = if by.is_empty() { name.clone() } else { format!("d({name}{by})") };
    Spanned { value, span: Span::default() }
}
