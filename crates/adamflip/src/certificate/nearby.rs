//! The search for larger residuals around the worst of the fresh points, so that the largest is not just
//! luck.
//!
//! Around each of the worst points a few more are looked at, within a box as wide as points are apart; then
//! around the best of these within half of it, and so on. Points stay on the place of the term: fixed
//! coordinates stay, sides are not left, and in the interior no end of a coordinate is touched, where an
//! equation need not hold (u_r/r at r = 0). Curved boundaries, where that would need a step along the
//! surface, are left as they were drawn.

use rand::Rng;

use super::violation::Sizes;
use super::{FRESH, State};
use crate::geometry::{Boundary, Domain, Part, Points};
use crate::objective::values;
use crate::problem::{Source, Term};
use crate::sample;

/// The stream of these points, beside that of fresh ones.
const NEARBY: u64 = FRESH - 1;
/// Points around which is looked.
const WORST: usize = 16;
/// Boxes around each, and points in each.
const ROUNDS: i32 = 4;
const EACH: usize = 16;

/// A point with the room it has: the ends of every coordinate, equal where it is fixed.
struct Centre<'a> {
    part: &'a Part,
    room: Vec<(f64, f64)>,
    /// Is the part open, so that its ends do not belong to it?
    is_open: bool,
    point: Vec<f64>,
    size: f64,
    /// Which of the residuals there it is.
    residual: usize,
}

/// A residual larger than all at these points and where it is, if one is found.
pub(super) fn larger(
    state: &State<'_>,
    (term, index): (&Term, usize),
    points: &Points,
    sizes: &Sizes,
) -> Option<(f64, Vec<f64>)> {
    let Source::Drawn { normals, .. } = &term.source else { return None };
    let domain = &state.problem.domain;
    let place = term.source.place(domain, FRESH)?;
    // Whether a normal turns round nearby only the region knows.
    if !sizes.largest.iter().all(|size| size.is_finite()) || *normals && domain.inside.is_some() {
        return None;
    }
    let whole = [Part::default()];
    let parts = if place.parts.is_empty() { &whole[..] } else { &place.parts };
    let (mut chosen, mut centres) = (Vec::new(), Vec::new());
    for at in sample::rar(&sizes.largest, WORST) {
        let (point, size, residual) = (points.point(at), sizes.largest[at], sizes.residual[at]);
        let found = parts.iter().find_map(|part| room(domain, part, &point).map(|room| (part, room)));
        if let Some((part, room)) = found {
            chosen.extend([at; EACH]);
            let is_open = part.boundary.is_none() && part.fixed.is_empty();
            centres.push(Centre { part, room, is_open, point, size, residual });
        }
    }
    let mut rng = sample::stream(state.seed, (index as u64 + 1) << 32 | NEARBY);
    // With them go the normals: a side has one.
    let mut near = points.select(&chosen);
    for round in 0..ROUNDS {
        for (number, centre) in centres.iter().enumerate() {
            let place = number * EACH..(number + 1) * EACH;
            place.for_each(|at| near.write(at, &centre.beside(domain, points.len(), round, &mut rng), &[]));
        }
        look(state, term, &near, &mut centres);
    }
    let before = sizes.largest.iter().copied().fold(0.0, f64::max);
    let best = centres.into_iter().max_by(|a, b| a.size.total_cmp(&b.size))?;
    // What is not a number is larger than all.
    best.size.total_cmp(&before).is_gt().then(|| (best.size, term.place(best.point, best.residual)))
}

/// Moves every centre to the largest of the residuals around it.
fn look(state: &State<'_>, term: &Term, near: &Points, centres: &mut [Centre<'_>]) {
    let columns = values(&term.residual, state.model, &state.problem.unknowns, state.θ, near);
    let sizes = Sizes::of(&columns, near.len());
    for (at, (&size, &residual)) in sizes.largest.iter().zip(&sizes.residual).enumerate() {
        let centre = &mut centres[at / EACH];
        // What is not a number is larger than all.
        if size.total_cmp(&centre.size).is_gt() {
            (centre.size, centre.residual, centre.point) = (size, residual, near.point(at));
        }
    }
}

impl Centre<'_> {
    /// A point in the box of this round that is on the place; the centre itself where the first that is tried
    /// is not.
    fn beside(&self, domain: &Domain, count: usize, round: i32, rng: &mut impl Rng) -> Vec<f64> {
        let free = self.room.iter().filter(|(lower, upper)| lower < upper).count().max(1);
        let width = (count as f64).powf(-1.0 / free as f64) * 0.5f64.powi(round);
        let moved = self.point.iter().zip(&self.room).map(|(value, (lower, upper))| {
            let fraction = (rng.next_u64() >> 11) as f64 * 2f64.powi(-52) - 1.0;
            let (moved, reach) = (value + fraction * width * (upper - lower), |end: f64| {
                if self.is_open { 0.5 * (value + end) } else { end }
            });
            match () {
                () if moved <= *lower => reach(*lower),
                () if moved >= *upper => reach(*upper),
                () => moved,
            }
        });
        let moved: Vec<f64> = moved.collect();
        let stays = domain.contains(&moved) && self.part.within.iter().all(|within| within.holds(&moved));
        if stays { moved } else { self.point.clone() }
    }
}

/// The ends between which a point of a part may move along every coordinate; `None` where it is not on the
/// part, or the part is curved.
fn room(domain: &Domain, part: &Part, point: &[f64]) -> Option<Vec<(f64, f64)>> {
    let on_side = match part.boundary {
        None => false,
        Some(Boundary::All) if domain.inside.is_none() => true,
        Some(_) => return None,
    };
    if !part.within.iter().all(|within| within.holds(point)) {
        return None;
    }
    let (mut is_on, mut ends) = (!on_side, Vec::new());
    for (c, &value) in point.iter().enumerate() {
        let (lower, upper) = (domain.lower[c], domain.upper[c]);
        let is_end = Some(c) != domain.time && (value == lower || value == upper);
        if part.value(c).is_some() || on_side && is_end {
            if part.value(c).is_some_and(|fixed| fixed != value) {
                return None;
            }
            is_on |= on_side && is_end;
            ends.push((value, value));
        } else {
            let (from, to) = part.range(c);
            let (lower, upper) = (lower.max(from), upper.min(to));
            if !(lower..=upper).contains(&value) {
                return None;
            }
            ends.push((lower, upper));
        }
    }
    is_on.then_some(ends)
}
