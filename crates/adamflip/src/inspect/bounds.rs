//! Bounds between which there is no room: `u >= 1` beside `u <= 0`, or beside `u = 0`.
//!
//! Of g ≤ 0 and a second residual r, which is at most zero or zero, k is found from two choices of numbers in
//! place of the networks, so that g + k·r is the same for both. If it is the same for a third choice too, no
//! field has a hand in it; where it is above zero (and k is, unless r is an equation's), both cannot hold.

use super::Finding;
use super::conflict::{common, pieces};
use super::place::place_of;
use super::probe::{points, sides};
use crate::geometry::{Part, Place};
use crate::problem::{Problem, Source};

/// Points at which two conditions are held against each other.
const POINTS: usize = 32;
/// The most pairs of terms that are held against each other, as for values that are prescribed.
const PAIRS: usize = 20_000;
/// The gap that counts, relative to the values whose sum it is: bounds that meet leave one point between
/// them.
const TOLERANCE: f64 = 1e-6;
/// Rounding of sums of numbers of size one.
const ROUNDING: f64 = 1e-10;

/// One residual of a term.
type Side = (usize, usize);

/// The worst point of every two conditions without room between them, of which one is an inequality.
pub(super) fn without_room(problem: &Problem) -> Vec<Finding> {
    let drawn = |&term: &usize| matches!(problem.terms[term].source, Source::Drawn { .. });
    let terms: Vec<usize> = (0..problem.terms.len()).filter(drawn).collect();
    let bounds = terms.iter().copied().filter(|&term| problem.terms[term].is_inequality());
    let pairs = bounds.flat_map(|bound| terms.iter().map(move |&other| (bound, other)));
    // Two inequalities are held against each other once.
    let once = |&(bound, other): &(usize, usize)| !problem.terms[other].is_inequality() || bound <= other;
    pairs.filter(once).take(PAIRS).flat_map(|(bound, other)| of_terms(problem, bound, other)).collect()
}

/// The equations of two terms, or of one, that leave no room.
fn of_terms(problem: &Problem, bound: usize, other: usize) -> Vec<Finding> {
    let equations = |term: usize| (0..problem.terms[term].residual.equations()).map(move |i| (term, i));
    let pairs = equations(bound).flat_map(|first| equations(other).map(move |second| (first, second)));
    let pairs = pairs.filter(|(first, second)| bound != other || first.1 < second.1);
    pairs.filter_map(|(first, second)| worst(problem, first, second)).collect()
}

/// The point where two conditions are farthest apart, over all that their places have in common.
fn worst(problem: &Problem, first: Side, second: Side) -> Option<Finding> {
    let places = [first, second].map(|(term, _)| place_of(&problem.terms[term]));
    let [Some(a), Some(b)] = places else { return None };
    let (mut largest, mut found) = (0.0, None);
    for a in pieces(&a, &problem.domain) {
        for b in pieces(&b, &problem.domain) {
            let Some((point, gap)) = common(&a, &b).and_then(|both| widest(problem, first, second, both))
            else {
                continue;
            };
            if gap > largest {
                largest = gap;
                let (terms, equations) = ([first.0, second.0], [first.1, second.1]);
                found = Some(Finding::NoRoom { terms, equations, point, gap });
            }
        }
    }
    found
}

/// The point of a part with the largest gap, and the gap.
fn widest(problem: &Problem, first: Side, second: Side, part: Part) -> Option<(Vec<f64>, f64)> {
    let points = points(&problem.domain, &Place::of(vec![part]), POINTS)?;
    let values = |(term, equation): Side, choice| {
        sides(&problem.terms[term].residual, &points, choice).swap_remove(equation)
    };
    let [g, r] = [first, second].map(|side| [0, 1, 2].map(|choice| values(side, choice)));
    let is_equation = !problem.terms[second.0].is_inequality();
    let at = |i: usize| gap(g.each_ref().map(|g| g[i]), r.each_ref().map(|r| r[i]), is_equation);
    let gaps = (0..points.len()).filter_map(|i| at(i).map(|gap| (i, gap)));
    let (i, gap) = gaps.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((points.point(i), gap))
}

/// What g + k·r is for every choice of numbers, where it is above zero.
fn gap(g: [f64; 3], r: [f64; 3], is_equation: bool) -> Option<f64> {
    let k = -(g[1] - g[0]) / (r[1] - r[0]);
    // Whatever depends on no numbers at all is a number itself.
    if !k.is_finite() || k == 0.0 || (k < 0.0 && !is_equation) {
        return None;
    }
    let sum = |i: usize| g[i] + k * r[i];
    let size = g.iter().chain(&r.map(|r| k * r)).fold(1.0, |size: f64, x| size.max(x.abs()));
    let same = (sum(2) - sum(0)).abs() <= ROUNDING * size;
    (same && sum(0) > TOLERANCE * size).then(|| sum(0))
}
