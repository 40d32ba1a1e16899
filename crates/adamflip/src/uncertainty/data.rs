//! How large data are, and whether the solution explains them.

use crate::certificate::State;
use crate::geometry::Points;
use crate::objective::Misfit;
use crate::problem::Term;

/// The mean square of what a term's data have measured at points; zero where it has none.
pub(super) fn measured_size(term: &Term, points: &Points) -> f64 {
    let measured = term.measured();
    let squares: f64 = measured.iter().flat_map(|&index| points.attribute(index)).map(|x| x * x).sum();
    squares / (measured.len() * points.len()).max(1) as f64
}

/// The terms whose data are met, with these misfits, to no better than half of their root mean square; only where every equation
/// compares with one measured number.
pub fn unexplained<'a>(state: &State<'a>, misfits: &'a [Misfit]) -> impl Iterator<Item = &'a Term> + use<'a> {
    let terms = state.problem.terms.iter().zip(state.points).zip(misfits);
    let is_unexplained = |((term, points), misfit): &((&Term, &Points), &Misfit)| {
        let size = measured_size(term, points);
        size > 0.0 && misfit.mse > 0.25 * size && term.measured().len() == term.residual.equations()
    };
    terms.filter(is_unexplained).map(|((term, _), _)| term)
}
