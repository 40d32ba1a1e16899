//! Parts of a place on which no point lies.

use super::Finding;
use super::place::{faces, lies_on, place_of};
use crate::geometry::Part;
use crate::problem::Problem;
use crate::sample::SampleError;

/// The parts of all terms that get no point.
pub(super) fn unsampled(problem: &Problem, seed: u64) -> Result<Vec<Finding>, SampleError> {
    let domain = &problem.domain;
    let mut found = Vec::new();
    for (index, term) in problem.terms.iter().enumerate() {
        let Some(place) = place_of(term).filter(|_| term.line.is_none()) else { continue };
        let parts: Vec<Part> = place.parts.iter().flat_map(|part| faces(part, domain)).collect();
        // Where there are enough points, every part gets one.
        if parts.len() <= term.points {
            continue;
        }
        let points = term.source.draw(domain, seed, index as u64 + 1, 0)?;
        let is_empty = |part: &&Part| !points.iter().any(|point| lies_on(part, &point, domain));
        let empty: Vec<Part> = parts.iter().filter(is_empty).cloned().collect();
        if !empty.is_empty() {
            found.push(Finding::Unsampled { term: index, parts: parts.len(), empty });
        }
    }
    Ok(found)
}
