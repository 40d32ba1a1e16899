//! Conditions that give a field different values at one point: on the same face, or at an edge where two
//! faces meet.

use super::Finding;
use super::place::faces;
use super::prescribed::{Prescription, prescriptions};
use super::probe::points;
use crate::geometry::{Boundary, Domain, Part, Place};
use crate::problem::Problem;

/// Points at which two conditions are held against each other.
const POINTS: usize = 32;
/// The most pairs of conditions that are held against each other, some microseconds each; of very many
/// conditions each is held against those that follow it in the file.
const PAIRS: usize = 20_000;
/// The difference that counts, relative to the largest value of either condition: values written with six
/// digits or more agree.
const TOLERANCE: f64 = 1e-6;

/// The worst point of every two conditions that disagree.
pub(super) fn disagreements(problem: &Problem) -> Vec<Finding> {
    let all = prescriptions(problem);
    let sizes: Vec<f64> = all.iter().map(|prescription| size(problem, prescription)).collect();
    let following = (PAIRS / all.len().max(1)).max(1);
    let mut found = Vec::new();
    for (index, first) in all.iter().enumerate() {
        for (second, size) in all.iter().zip(&sizes).skip(index + 1).take(following) {
            if first.field == second.field {
                found.extend(worst(problem, first, second, TOLERANCE * size.max(sizes[index])));
            }
        }
    }
    found
}

/// The largest value that is prescribed.
fn size(problem: &Problem, prescription: &Prescription) -> f64 {
    let points = points(&problem.domain, &prescription.place, POINTS);
    let values = points.map_or(Vec::new(), |points| prescription.values(problem, &points));
    values.into_iter().filter(|value| value.is_finite()).fold(0.0, |size, value| size.max(value.abs()))
}

/// The largest difference above a limit, over all pieces of both places.
fn worst(problem: &Problem, first: &Prescription, second: &Prescription, limit: f64) -> Option<Finding> {
    let others = pieces(&second.place, &problem.domain);
    let (mut largest, mut found) = (limit, None);
    for a in pieces(&first.place, &problem.domain) {
        for b in &others {
            let Some(both) = common(&a, b) else { continue };
            let same_place = a.fixed.len() == both.fixed.len()
                && b.fixed.len() == both.fixed.len()
                && a.boundary.is_some() == b.boundary.is_some();
            let Some((point, values)) = widest(problem, [first, second], both) else { continue };
            let difference = (values[0] - values[1]).abs();
            if difference > largest.max(TOLERANCE * values[0].abs().max(values[1].abs())) {
                largest = difference;
                let (terms, field) = ([first.term, second.term], first.field);
                found = Some(Finding::Disagreement { terms, field, point, values, same_place });
            }
        }
    }
    found
}

/// The point of a part where two prescribed values are farthest apart, and the values.
fn widest(problem: &Problem, both: [&Prescription; 2], part: Part) -> Option<(Vec<f64>, [f64; 2])> {
    let points = points(&problem.domain, &Place::of(vec![part]), POINTS)?;
    let [a, b] = both.map(|prescription| prescription.values(problem, &points));
    let difference = |index: usize| (a[index] - b[index]).abs();
    let known = (0..points.len()).filter(|&index| difference(index).is_finite());
    let index = known.max_by(|&i, &j| difference(i).total_cmp(&difference(j)))?;
    Some((points.point(index), [a[index], b[index]]))
}

/// The parts of a place, a box's boundary as its faces.
pub(super) fn pieces(place: &Place, domain: &Domain) -> Vec<Part> {
    match &place.parts[..] {
        [] => vec![Part::default()],
        parts => parts.iter().flat_map(|part| faces(part, domain)).collect(),
    }
}

/// What two parts have in common; nothing where they are apart, or where it is not known how two shapes meet.
pub(super) fn common(a: &Part, b: &Part) -> Option<Part> {
    let boundary = match (a.boundary, b.boundary) {
        (None, other) | (other, None) => other,
        (Some(Boundary::All), other) | (other, Some(Boundary::All)) => other,
        (Some(one), Some(other)) if one == other => Some(one),
        _ => return None,
    };
    let mut fixed = a.fixed.clone();
    for &(coordinate, value) in &b.fixed {
        match a.value(coordinate) {
            None => fixed.push((coordinate, value)),
            Some(known) if known == value => {}
            Some(_) => return None,
        }
    }
    let ranges = a.ranges.iter().chain(&b.ranges).copied().collect();
    let within = a.within.iter().chain(&b.within).cloned().collect();
    Some(Part { fixed, boundary, ranges, within })
}
