//! How large data are, and whether the solution explains them: each observed quantity on its own.

use crate::certificate::State;
use crate::geometry::Points;
use crate::objective::values;
use crate::problem::{Source, Term};

/// The mean square of what a term's data have measured at points; zero where it has none.
pub(super) fn measured_size(term: &Term, points: &Points) -> f64 {
    let measured = term.measured();
    let squares: f64 = measured.iter().flat_map(|&index| points.attribute(index)).map(|x| x * x).sum();
    squares / (measured.len() * points.len()).max(1) as f64
}

/// The share of its size that an observed quantity may be missed by, squared: half of it.
const HALF: f64 = 0.25;
/// Deviations of the noise that a fit may leave, squared: three.
const NOISE: f64 = 9.0;

/// The terms with an observed quantity that is met to no better than half of its root mean square; only where
/// every equation compares with one measured number.
pub fn unexplained<'a>(state: &State<'a>) -> Vec<&'a Term> {
    let missed =
        |&(number, _): &(usize, &Term)| quantities(state, number).iter().any(|of| of.left > HALF * of.size);
    let terms = state.problem.terms.iter().enumerate();
    let terms = terms.filter(|(_, term)| term.measured().len() == term.residual.equations());
    terms.filter(missed).map(|(_, term)| term).collect()
}

/// The largest share that is left of an observed quantity: 0 where data are met, 1 where nothing is, 0
/// without data.
pub fn unexplained_share(state: &State<'_>) -> f64 {
    let terms = state.problem.terms.iter().enumerate();
    let compares = terms.filter(|(_, term)| term.measured().len() == term.residual.equations());
    let shares =
        compares.flat_map(|(number, _)| quantities(state, number)).map(|of| (of.left / of.size).sqrt());
    shares.fold(0.0, f64::max)
}

/// Whether some data are missed by more than their noise where that is known, else by more than half of their
/// size: what is left then is not noise, and tells nothing of how well unknowns are known.
pub(super) fn is_beyond_noise(state: &State<'_>) -> bool {
    let beyond = |(number, term): (usize, &Term)| {
        let noise = match term.source {
            Source::Observed { noise, .. } if noise > 0.0 => NOISE * noise * noise,
            _ => HALF,
        };
        let compares = term.measured().len() == term.residual.equations();
        compares && quantities(state, number).iter().any(|of| of.left > noise * of.size)
    };
    state.problem.terms.iter().enumerate().any(beyond)
}

/// What is left of one observed quantity, and how large it is: mean squares in the unit of the equation.
struct Quantity {
    left: f64,
    size: f64,
}

/// Of every equation of a term with data. What data contribute to a residual is told by leaving them out.
fn quantities(state: &State<'_>, number: usize) -> Vec<Quantity> {
    let (term, points) = (&state.problem.terms[number], &state.points[number]);
    let measured = term.measured();
    if measured.is_empty() {
        return Vec::new();
    }
    let mut without = points.clone();
    measured.iter().for_each(|&index| without.attribute_mut(index).fill(0.0));
    let residuals =
        |points: &Points| values(&term.residual, state.model, &state.problem.unknowns, state.θ, points);
    let pairs = residuals(points).into_iter().zip(residuals(&without));
    let quantity = |(with, without): (Vec<f64>, Vec<f64>)| {
        let count = with.len().max(1) as f64;
        let left = with.iter().map(|r| r * r).sum::<f64>() / count;
        let size = with.iter().zip(&without).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / count;
        Quantity { left, size }
    };
    let known = |of: &Quantity| of.left.is_finite() && of.size.is_finite() && of.size > 0.0;
    pairs.map(quantity).filter(known).collect()
}
