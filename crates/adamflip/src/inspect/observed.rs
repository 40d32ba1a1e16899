//! Where an inverse problem has no data.

use super::Finding;
use super::place::unknown_fields;
use crate::geometry::Points;
use crate::problem::Problem;
use crate::sample::SampleError;

/// The fraction of a range that must be without data to be worth a word.
const MOST: f64 = 0.5;

/// The coordinates along which most of the range has no data.
pub(super) fn unobserved(problem: &Problem, seed: u64) -> Result<Vec<Finding>, SampleError> {
    if problem.unknowns.is_empty() && unknown_fields(problem).next().is_none() {
        return Ok(Vec::new());
    }
    let terms = problem.terms.iter().zip(1u64..).filter(|(term, _)| !term.measured().is_empty());
    let points = terms
        .map(|(term, number)| term.source.draw(&problem.domain, seed, number, 0))
        .collect::<Result<Vec<Points>, _>>()?;
    if points.is_empty() {
        return Ok(Vec::new());
    }
    let along = |coordinate: usize| {
        let (lower, upper) = (problem.domain.lower[coordinate], problem.domain.upper[coordinate]);
        let values = points.iter().flat_map(|points| points.column(coordinate)).copied();
        let gaps = gaps(values.collect(), lower, upper);
        let field = unknown_fields(problem).find(|&field| depends(problem, field, coordinate));
        (!gaps.is_empty()).then_some(Finding::Unobserved { coordinate, gaps, field })
    };
    Ok((0..problem.coordinates.len()).filter_map(along).collect())
}

fn depends(problem: &Problem, field: usize, coordinate: usize) -> bool {
    let own = problem.networks.iter().find(|plan| plan.fields.contains(&field));
    own.is_some_and(|plan| plan.coordinates.contains(&coordinate))
}

/// The ends of the range without data where they are most of it, or else the gap within that is.
fn gaps(mut values: Vec<f64>, lower: f64, upper: f64) -> Vec<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let (Some(&first), Some(&last)) = (values.first(), values.last()) else { return Vec::new() };
    let most = MOST * (upper - lower);
    if (first - lower) + (upper - last) > most {
        return [(lower, first), (last, upper)].into_iter().filter(|(a, b)| b > a).collect();
    }
    let within = values.windows(2).map(|pair| (pair[0], pair[1]));
    within.filter(|(a, b)| b - a > most).collect()
}
