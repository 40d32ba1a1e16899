//! Values that one condition gives, put into another where both meet: `u = u(1, t)` or `u_x = 0` at the
//! corner of an initial value that is not periodic or has a slope there. No smooth solution meets both.

use super::Finding;
use super::conflict::{common, pieces};
use super::place::{is_at, is_interior, place_of};
use super::prescribed::{Prescription, prescriptions};
use super::probe::points;
use crate::geometry::{Part, Place, Points};
use crate::problem::{FieldResidual, Problem, Reading, Source, at_points, rms, with_magnitudes};

/// Points at which conditions are held against each other.
const POINTS: usize = 32;
/// The difference that counts, relative to the summands of the condition along the prescribed values: slopes
/// are differences of values, good to a hundred-thousandth for fifteen waves along a coordinate.
const TOLERANCE: f64 = 1e-3;
/// The step of differences, relative to a coordinate's range.
const STEP: f64 = 1e-3;
/// One-sided differences of fourth order for the first and second derivative (Fornberg 1988, Table 3).
const FIRST: [f64; 5] = [-25.0 / 12.0, 4.0, -3.0, 4.0 / 3.0, -1.0 / 4.0];
const SECOND: [f64; 6] = [15.0 / 4.0, -77.0 / 6.0, 107.0 / 6.0, -13.0, 61.0 / 12.0, -5.0 / 6.0];

/// The conditions that prescribed values do not meet.
pub(super) fn incompatible(problem: &Problem) -> Vec<Finding> {
    let all = prescriptions(problem);
    let mut found = Vec::new();
    for (index, term) in problem.terms.iter().enumerate() {
        let Some(place) = place_of(term).filter(|place| !place.parts.iter().all(is_interior)) else {
            continue;
        };
        if !matches!(term.source, Source::Drawn { .. }) {
            continue;
        }
        for (equation, residual) in term.in_fields.iter().enumerate() {
            let is_value = all.iter().any(|p| p.term == index && p.equation == equation);
            if let Some(residual) = residual.as_ref().filter(|_| !is_value) {
                found.extend(worst(problem, &all, (index, equation), residual, &place));
            }
        }
    }
    found.extend(all.iter().flat_map(|prescription| not_periodic(problem, prescription)));
    found
}

/// Where a condition misses the prescribed values the most.
fn worst(
    problem: &Problem,
    all: &[Prescription],
    (term, equation): (usize, usize),
    residual: &FieldResidual,
    place: &Place,
) -> Option<Finding> {
    let slope = residual.readings.iter().any(|reading| reading.partial.order() > 0);
    let first = residual.readings.first()?;
    let mut found: Option<(f64, Finding)> = None;
    for prescribing in all.iter().filter(|p| p.field == first.field && p.term != term) {
        for piece in pieces(&prescribing.place, &problem.domain) {
            for other in pieces(place, &problem.domain) {
                let Some(both) = common(&piece, &other).filter(|both| *both != piece) else { continue };
                let Some((size, point, residual)) = miss(problem, all, residual, &piece, both) else {
                    continue;
                };
                if found.as_ref().is_none_or(|(known, _)| size > *known) {
                    let terms = [prescribing.term, term];
                    found = Some((size, Finding::Kink { terms, equation, point, residual, slope }));
                }
            }
        }
    }
    found.map(|(_, finding)| finding)
}

/// The largest residual of a condition where it meets a piece with prescribed values, relative to what
/// counts: at least one, or nothing.
fn miss(
    problem: &Problem,
    all: &[Prescription],
    residual: &FieldResidual,
    piece: &Part,
    both: Part,
) -> Option<(f64, Vec<f64>, f64)> {
    let at = |part: Part| {
        let points = points(&problem.domain, &Place::of(vec![part]), POINTS)?.try_with_attributes(0)?;
        let columns = residual.readings.iter().map(|reading| read(problem, all, reading, piece, &points));
        let columns = columns.collect::<Option<Vec<_>>>()?;
        let mut read = points.clone();
        columns.iter().for_each(|column| read.push_attribute(column));
        Some((points, with_magnitudes(&residual.tape, &read).swap_remove(0)))
    };
    let (_, (_, along)) = at(piece.clone())?;
    let (points, (residuals, here)) = at(both)?;
    let limit = TOLERANCE * rms(&along).max(rms(&here));
    let finite = (0..points.len()).filter(|&i| residuals[i].is_finite());
    let worst = finite.max_by(|&i, &j| residuals[i].abs().total_cmp(&residuals[j].abs()))?;
    let size = residuals[worst].abs() / limit;
    (size > 1.0).then(|| (size, points.point(worst), residuals[worst]))
}

/// What an equation reads of a field at points, where values that are prescribed on a piece tell it.
fn read(
    problem: &Problem,
    all: &[Prescription],
    reading: &Reading,
    piece: &Part,
    points: &Points,
) -> Option<Vec<f64>> {
    let domain = &problem.domain;
    if piece.boundary.is_some() || reading.partial.coordinates().any(|c| piece.value(c).is_some()) {
        return None;
    }
    let mut here = points.clone();
    if let Some(site) = &reading.site {
        for (c, column) in at_points(site, points).iter().enumerate() {
            here.column_mut(c).copy_from_slice(column);
        }
    }
    let on = |&(c, value): &(usize, f64)| here.column(c).iter().all(|&x| is_at(domain, c, x, value));
    if !piece.fixed.iter().all(on) {
        return None;
    }
    let gives = |p: &&Prescription| p.field == reading.field && pieces(&p.place, domain).contains(piece);
    let coordinates: Vec<usize> = reading.partial.coordinates().collect();
    derivative(problem, all.iter().find(gives)?, &here, &coordinates)
}

/// A prescribed value, or its first or second derivative by one coordinate, from differences into the domain.
fn derivative(
    problem: &Problem,
    of: &Prescription,
    points: &Points,
    coordinates: &[usize],
) -> Option<Vec<f64>> {
    let (along, weights) = match *coordinates {
        [] => return Some(of.values(problem, points)),
        [c] => (c, &FIRST[..]),
        [c, other] if c == other => (c, &SECOND[..]),
        _ => return None,
    };
    let (lower, upper) = (problem.domain.lower[along], problem.domain.upper[along]);
    let step = STEP * (upper - lower);
    let side = |x: f64| if x - lower < upper - x { step } else { -step };
    let (mut sum, mut largest) = (vec![0.0; points.len()], vec![0.0f64; points.len()]);
    for (weight, k) in weights.iter().zip(0..) {
        let mut moved = points.clone();
        moved.column_mut(along).iter_mut().for_each(|x| *x += f64::from(k) * side(*x));
        let values = of.values(problem, &moved);
        sum.iter_mut().zip(&values).for_each(|(sum, value)| *sum += weight * value);
        largest.iter_mut().zip(&values).for_each(|(largest, value)| *largest = largest.max(value.abs()));
    }
    // What is left of values that are all the same is rounding, some 1e-14 of them.
    let rounding = sum.iter_mut().zip(&largest).filter(|(sum, largest)| sum.abs() < 1e-12 * **largest);
    rounding.for_each(|(sum, _)| *sum = 0.0);
    let power = coordinates.len() as i32;
    let sides = points.column(along).iter().map(|&x| side(x).powi(power));
    sum.iter_mut().zip(sides).for_each(|(sum, step)| *sum /= step);
    Some(sum)
}

/// Prescribed values that do not have the period of the network.
fn not_periodic(problem: &Problem, of: &Prescription) -> Option<Finding> {
    let plan = problem.networks.iter().find(|plan| plan.fields.contains(&of.field))?;
    let domain = &problem.domain;
    for &(coordinate, period) in &plan.periods {
        let (lower, upper) = (domain.lower[coordinate], domain.upper[coordinate]);
        let free = |part: &Part| {
            part.value(coordinate).is_none() && part.boundary.is_none() && part.ranges.is_empty()
        };
        for piece in pieces(&of.place, domain).into_iter().filter(free) {
            if lower + period > upper * (1.0 + 1e-12) + 1e-12 {
                continue;
            }
            let start = Part { fixed: [&piece.fixed[..], &[(coordinate, lower)]].concat(), ..piece.clone() };
            let whole = points(domain, &Place::of(vec![piece]), POINTS)?;
            let first = points(domain, &Place::of(vec![start]), POINTS)?;
            let mut last = first.clone();
            last.column_mut(coordinate).iter_mut().for_each(|x| *x = (*x + period).min(upper));
            for by in [&[][..], &[coordinate]] {
                let [a, b, size] = [&first, &last, &whole].map(|points| derivative(problem, of, points, by));
                let (a, b, size) = (a?, b?, rms(&size?));
                let difference = |i: usize| (a[i] - b[i]).abs();
                let finite = (0..a.len()).filter(|&i| difference(i).is_finite());
                let worst = finite.max_by(|&i, &j| difference(i).total_cmp(&difference(j)))?;
                if difference(worst) > TOLERANCE * size {
                    return Some(Finding::NotPeriodic {
                        term: of.term,
                        field: of.field,
                        coordinate,
                        period,
                        point: first.point(worst),
                        values: [a[worst], b[worst]],
                        slope: !by.is_empty(),
                    });
                }
            }
        }
    }
    None
}
