//! Whether equations admit a generator: pr X \[F\] = 0 on F = 0, and what is left over where it is not.
//!
//! First by algebra: every equation is solved for a derivative that it contains once, with a factor free of
//! fields; that is put into pr X \[F\], which is multiplied out. Where 0 remains the matter is proved.
//! Otherwise by numbers: pr X \[F\] at random points of the manifold of all derivatives that satisfy the
//! equations and their consequences of the same order ([`Manifold`]). An analytic function that vanishes at
//! random points of an analytic manifold vanishes on all of it with probability one; in floating point what
//! is below [`ROUNDING`] of its summands counts as vanished. Systems of maximal rank that are locally
//! solvable are meant (Olver 1993, theorem 2.71).

use super::manifold::Manifold;
use crate::lang::{Generator, Graph, HERE, Id, Leaf, NotDifferentiable};

/// What vanishes, relative to its summands: far above rounding, far below a wrong coefficient.
pub(super) const ROUNDING: f64 = 1e-8;
/// Equations are put into each other so often at most.
const ROUNDS: usize = 6;

/// How it was decided that equations admit a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// By algebra.
    Proved,
    /// By numbers at random points.
    Tested,
}

/// Why they do not, or why nobody can tell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AdmissionError {
    /// What is left of pr X \[F\] for the equation with this number.
    Rest { equation: usize, rest: Id },
    /// The equation with this number has no prolongation.
    Underivable(usize, NotDifferentiable),
    /// No derivatives were found that satisfy the equations.
    Unsolvable,
}

/// What is known where the equations hold.
pub(super) struct Surroundings<'a> {
    /// The ranges of the coordinates.
    pub(super) ranges: &'a [(f64, f64)],
    /// On which coordinates each field depends.
    pub(super) depends: &'a dyn Fn(usize, usize) -> bool,
}

/// Decides for the equations `asked`, which hold together with those of the `system`.
pub(super) fn admitted(
    graph: &mut Graph,
    generator: &Generator,
    (asked, system): (&[Id], &[Id]),
    surroundings: &Surroundings<'_>,
) -> Result<Admission, AdmissionError> {
    let mut speeds = Vec::new();
    for (equation, &id) in asked.iter().enumerate() {
        speeds.push(graph.along(generator, id).map_err(|why| AdmissionError::Underivable(equation, why))?);
    }
    let rests: Vec<Id> = speeds.iter().map(|&speed| rest(graph, speed, system)).collect();
    let zero = graph.constant(0.0);
    if rests.iter().all(|&rest| rest == zero) {
        return Ok(Admission::Proved);
    }
    let manifold = Manifold::new(graph, system, &rests, surroundings).ok_or(AdmissionError::Unsolvable)?;
    let sizes = manifold.relative().ok_or(AdmissionError::Unsolvable)?;
    match sizes.iter().position(|size| *size > ROUNDING) {
        Some(equation) => Err(AdmissionError::Rest { equation, rest: rests[equation] }),
        None => Ok(Admission::Tested),
    }
}

/// What remains of an expression where the equations hold, as far as algebra tells.
pub(super) fn rest(graph: &mut Graph, id: Id, system: &[Id]) -> Id {
    let rules = rules(graph, system);
    let mut id = id;
    for _ in 0..ROUNDS {
        let before = id;
        let find = |leaf: Leaf| rules.iter().find(|(led, _)| *led == leaf).map(|&(_, value)| value);
        id = graph.substitute(id, &mut |leaf| find(leaf));
        id = graph.collected(id).unwrap_or(id);
        if id == before {
            break;
        }
    }
    id
}

/// Derivatives and what they are by the equations.
fn rules(graph: &mut Graph, system: &[Id]) -> Vec<(Leaf, Id)> {
    let mut rules: Vec<(Leaf, Id)> = Vec::new();
    for &equation in system {
        // An equation solved for a derivative that another one has been solved for would lead in circles.
        let led: Vec<Leaf> = rules.iter().map(|(leaf, _)| *leaf).collect();
        let find = |leaf: Leaf| rules.iter().find(|(led, _)| *led == leaf).map(|&(_, value)| value);
        let reduced = graph.substitute(equation, &mut |leaf| find(leaf));
        let reduced = graph.collected(reduced).unwrap_or(reduced);
        if let Some((leaf, value)) = solved(graph, reduced, &led) {
            for (_, earlier) in &mut rules {
                *earlier = graph.substitute(*earlier, &mut |other| (other == leaf).then_some(value));
            }
            rules.push((leaf, value));
        }
    }
    rules
}

/// The equation solved for the derivative of highest order that stands alone in it, with a factor free of
/// fields.
fn solved(graph: &mut Graph, equation: Id, led: &[Leaf]) -> Option<(Leaf, Id)> {
    let mut candidates: Vec<(usize, Leaf)> = Vec::new();
    for leaf in graph.leaves(&[equation]) {
        if let Leaf::Jet { partial, site: HERE, .. } = leaf
            && !led.contains(&leaf)
        {
            candidates.push((partial.order(), leaf));
        }
    }
    // Of one order the last: derivatives by time in files that name it last.
    candidates.sort();
    while let Some((_, leaf)) = candidates.pop() {
        let one = graph.constant(1.0);
        let Ok(factor) = graph.tangent(equation, &[(leaf, one)]) else { continue };
        let factor = graph.collected(factor).unwrap_or(factor);
        let zero = graph.constant(0.0);
        if factor == zero || graph.depends_on(factor, |leaf| matches!(leaf, Leaf::Jet { .. })) {
            continue;
        }
        let others = graph.substitute(equation, &mut |other| (other == leaf).then_some(zero));
        let quotient = graph.div(others, factor);
        let value = graph.neg(quotient);
        return Some((leaf, graph.collected(value).unwrap_or(value)));
    }
    None
}
