//! What equations do with fields beyond the points where they hold: derivatives over jumps, and values
//! outside the domain.

use super::Finding;
use crate::problem::{Problem, Term, at_points};
use crate::sample::SampleError;

/// Points of a term that are looked at.
const POINTS: usize = 200;

/// The terms that differentiate over a jump.
pub(super) fn jumps(problem: &Problem) -> impl Iterator<Item = Finding> + '_ {
    let jump = |(term, of): (usize, &Term)| Some(Finding::Jump { term, coordinate: of.jump? });
    problem.terms.iter().enumerate().filter_map(jump)
}

/// The terms that take fields outside the ranges of the domain, each with the point farthest outside.
pub(super) fn outside(problem: &Problem, seed: u64) -> Result<Vec<Finding>, SampleError> {
    let mut found = Vec::new();
    for (index, term) in problem.terms.iter().enumerate() {
        let sites: Vec<_> = term.residual.sites.iter().flatten().collect();
        if sites.is_empty() {
            continue;
        }
        let points = term.source.draw_at_most(POINTS, &problem.domain, seed, index as u64 + 1, 0)?;
        let mut farthest = (1e-9, Vec::new());
        for columns in sites.into_iter().map(|site| at_points(site, &points)) {
            for at in 0..points.len() {
                let point: Vec<f64> = columns.iter().map(|column| column[at]).collect();
                let distance = distance(problem, &point);
                if distance > farthest.0 {
                    farthest = (distance, point);
                }
            }
        }
        let (_, point) = farthest;
        found.extend((!point.is_empty()).then_some(Finding::Outside { term: index, point }));
    }
    Ok(found)
}

/// How far a point is outside, in lengths of the ranges; where it depends on an unknown, it is not known.
fn distance(problem: &Problem, point: &[f64]) -> f64 {
    let ranges = problem.domain.lower.iter().zip(&problem.domain.upper);
    let beyond = |(&x, (&lower, &upper)): (&f64, (&f64, &f64))| (lower - x).max(x - upper) / (upper - lower);
    point.iter().zip(ranges).map(beyond).fold(0.0, f64::max)
}
