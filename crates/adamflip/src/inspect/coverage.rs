//! Pieces of the boundary, and the first time: which of them have a condition.
//!
//! A piece is asked about only where the equations have derivatives that call for a condition there. Points
//! are drawn on it and held against every term, against the other points that equations mention, and against
//! the ansatz.

use super::place::{is_at, is_interior, lies_on, on_surface, place_of};
use super::probe::{Numbers, evaluate, points};
use super::{BoundaryPart, Finding};
use crate::geometry::{Boundary, Domain, Part, Place, Points, Region};
use crate::problem::{Problem, Source, Term, at_points};

/// Points on the whole boundary, and on a face.
const BOUNDARY: usize = 512;
const FACE: usize = 32;

/// The pieces on which nothing is said. With data or clouds of points, no piece needs a condition of its own.
pub(super) fn unsaid(problem: &Problem) -> Vec<Finding> {
    if problem.terms.iter().any(|term| !matches!(term.source, Source::Drawn { .. })) {
        return Vec::new();
    }
    let needs = |spot: &BoundaryPart| match *spot {
        BoundaryPart::Face(coordinate, _) => second_order(problem, coordinate) > 0,
        BoundaryPart::Shape(_) => {
            problem.domain.spatial().any(|coordinate| second_order(problem, coordinate) > 0)
        }
    };
    let pieces = boundary(&problem.domain);
    let open = |spot: BoundaryPart, points: &Points| {
        !is_said(problem, spot, points) && !is_initial(problem, spot, &pieces)
    };
    let space =
        pieces.iter().filter(|(spot, points)| needs(spot) && open(*spot, points)).map(|(spot, _)| *spot);
    space.chain(first_time(problem)).map(Finding::MissingCondition).collect()
}

/// An ansatz that varies with place, yet meets no term and fixes no field on any piece of the boundary.
pub(super) fn idle_ansatz(problem: &Problem) -> Option<Finding> {
    let conditions = || problem.terms.iter().filter(|term| !interior(term));
    if !has_ansatz(problem)
        || conditions().next().is_none()
        || conditions().any(|term| by_construction(term, problem))
    {
        return None;
    }
    let points = points(&problem.domain, &Place::interior(), FACE)?;
    let pieces = boundary(&problem.domain).into_iter().chain(ends_of_time(problem));
    (varies(problem, &points) && !pieces.into_iter().any(|(_, points)| is_fixed(problem, &points)))
        .then_some(Finding::IdleAnsatz)
}

/// The pieces of the spatial boundary with points on each.
fn boundary(domain: &Domain) -> Vec<(BoundaryPart, Points)> {
    let Some(points) = points(domain, &Place::of(vec![Part::boundary(Boundary::All)]), BOUNDARY) else {
        return Vec::new();
    };
    let spots: Vec<Option<BoundaryPart>> = points.iter().map(|point| spot(domain, &point)).collect();
    let mut pieces: Vec<(BoundaryPart, Points)> = Vec::new();
    for known in spots.iter().flatten() {
        if !pieces.iter().any(|(spot, _)| spot == known) {
            let own: Vec<usize> = (0..spots.len()).filter(|&index| spots[index] == Some(*known)).collect();
            pieces.push((*known, points.select(&own)));
        }
    }
    pieces
}

/// The piece on which a point of the boundary lies.
fn spot(domain: &Domain, point: &[f64]) -> Option<BoundaryPart> {
    let on_shape = |region: &Region| {
        let mut shapes = region.leaves().into_iter();
        shapes.find(|&shape| on_surface(&region.shapes[shape].1, point)).map(BoundaryPart::Shape)
    };
    let ends = |c: usize| [BoundaryPart::Face(c, domain.lower[c]), BoundaryPart::Face(c, domain.upper[c])];
    let on = |face: &BoundaryPart| matches!(*face, BoundaryPart::Face(c, value) if is_at(domain, c, point[c], value));
    domain.inside.as_ref().and_then(on_shape).or_else(|| domain.spatial().flat_map(ends).find(on))
}

/// The start of time, where there are derivatives in time and nothing is said at either end.
fn first_time(problem: &Problem) -> Option<BoundaryPart> {
    let time = problem.domain.time?;
    let derivatives = interior_orders(problem, time).any(|order| order > 0);
    let ends = ends_of_time(problem);
    let said = ends.iter().any(|(spot, points)| is_said(problem, *spot, points));
    (derivatives && !ends.is_empty() && !said).then(|| ends[0].0)
}

fn ends_of_time(problem: &Problem) -> Vec<(BoundaryPart, Points)> {
    let domain = &problem.domain;
    let face = |time: usize, value: f64| {
        let points = points(domain, &Place::of(vec![Part::at(time, value)]), FACE)?;
        Some((BoundaryPart::Face(time, value), points))
    };
    let ends = domain.time.map(|time| [face(time, domain.lower[time]), face(time, domain.upper[time])]);
    ends.into_iter().flatten().flatten().collect()
}

/// Whether a term, a periodic network or the ansatz says something there.
fn is_said(problem: &Problem, spot: BoundaryPart, points: &Points) -> bool {
    let periodic = |coordinate| {
        problem.networks.iter().any(|network| network.periods.iter().any(|&(c, _)| c == coordinate))
    };
    problem.terms.iter().any(|term| covers(term, points, problem) || visits(term, spot, &problem.domain))
        || matches!(spot, BoundaryPart::Face(coordinate, _) if periodic(coordinate))
        || (has_ansatz(problem) && is_fixed(problem, points))
}

/// Whether some of the points belong to the condition.
fn covers(term: &Term, points: &Points, problem: &Problem) -> bool {
    // A bound leaves the value open.
    if term.is_inequality() {
        return false;
    }
    let place = place_of(term).unwrap_or_default();
    let mut parts = place.parts.iter().filter(|part| !is_interior(part));
    parts.any(|part| points.iter().any(|point| lies_on(part, &point, &problem.domain)))
}

/// Whether the equations mention the field at points of the face: `u = u(1, t)`.
fn visits(term: &Term, spot: BoundaryPart, domain: &Domain) -> bool {
    let BoundaryPart::Face(coordinate, value) = spot else { return false };
    let Ok(points) = term.source.draw_at_most(FACE, domain, 0, 1, 0) else { return false };
    let mut sites = term.residual.sites.iter().flatten();
    sites
        .any(|site| at_points(site, &points)[coordinate].iter().all(|&x| is_at(domain, coordinate, x, value)))
}

/// Whether a condition is met at its points whatever the networks compute there.
pub fn by_construction(term: &Term, problem: &Problem) -> bool {
    if !has_ansatz(problem) || interior(term) && !term.projected || term.source.is_fixed() {
        return false;
    }
    let Ok(points) = term.source.draw_at_most(FACE, &problem.domain, 0, 1, 0) else { return false };
    let residuals = evaluate(&term.residual, &points, Numbers::Arbitrary(0));
    // A residual of numbers of size one that cancels leaves rounding only.
    residuals.iter().flatten().all(|residual| residual.abs() < 1e-10)
}

/// Whether some field is the same there whatever the network computes.
fn is_fixed(problem: &Problem, points: &Points) -> bool {
    let [one, other] = [0, 1].map(|choice| evaluate(&problem.solution, points, Numbers::Arbitrary(choice)));
    let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-10 * (1.0 + a.abs());
    one.iter().zip(&other).any(|(one, other)| one.iter().zip(other).all(same))
}

/// Whether a network's output has a factor that differs from point to point.
fn varies(problem: &Problem, points: &Points) -> bool {
    let [none, one] = [0.0, 1.0].map(|value| evaluate(&problem.solution, points, Numbers::All(value)));
    none.iter().zip(&one).any(|(none, one)| {
        let factors = || none.iter().zip(one).map(|(none, one)| one - none);
        let (least, most) =
            (factors().fold(f64::INFINITY, f64::min), factors().fold(f64::NEG_INFINITY, f64::max));
        most - least > 1e-6 * most.abs().max(least.abs())
    })
}

fn has_ansatz(problem: &Problem) -> bool {
    problem.has_ansatz()
}

fn interior(term: &Term) -> bool {
    place_of(term).is_some_and(|place| place.parts.iter().all(is_interior))
}

/// The orders in a coordinate of the derivatives in a term's equations.
fn orders(term: &Term, coordinate: usize) -> impl Iterator<Item = usize> + '_ {
    let operators = term.residual.groups.iter().flat_map(|group| group.streams.operators());
    operators.flat_map(|operator| operator.parts()).map(move |(partial, _)| partial.order_in(coordinate))
}

/// The same for all equations that hold inside.
fn interior_orders(problem: &Problem, coordinate: usize) -> impl Iterator<Item = usize> + '_ {
    let terms = problem.terms.iter().filter(|term| interior(term));
    terms.flat_map(move |term| orders(term, coordinate))
}

/// The highest even order in a coordinate, 0 where there is none.
fn second_order(problem: &Problem, coordinate: usize) -> usize {
    interior_orders(problem, coordinate).filter(|order| order % 2 == 0).max().unwrap_or(0)
}

/// Whether the opposite face has as many equations as the order asks for, slopes among them: an initial-value
/// problem along the coordinate.
fn is_initial(problem: &Problem, spot: BoundaryPart, pieces: &[(BoundaryPart, Points)]) -> bool {
    let BoundaryPart::Face(coordinate, value) = spot else { return false };
    let opposite = |other: &BoundaryPart| matches!(*other, BoundaryPart::Face(c, end) if c == coordinate && end != value);
    let Some((_, points)) = pieces.iter().find(|(other, _)| opposite(other)) else { return false };
    let terms: Vec<&Term> = problem.terms.iter().filter(|term| covers(term, points, problem)).collect();
    let equations: usize = terms.iter().map(|term| term.residual.equations()).sum();
    let slopes = terms.iter().flat_map(|term| orders(term, coordinate)).any(|order| order > 0);
    slopes && equations >= second_order(problem, coordinate) * problem.fields.len()
}
