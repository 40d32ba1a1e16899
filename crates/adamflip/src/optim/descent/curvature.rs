//! What a descent knows of the curvature, and so its directions: the last pairs, or a matrix.

use super::super::State;
use super::broyden::Broyden;
use super::find;
use super::pairs::Pairs;
use crate::linalg::dot;

/// An approximation H of the inverse Hessian.
#[derive(Debug)]
pub(crate) enum Curvature {
    /// Of limited memory.
    Pairs(Pairs),
    /// As a matrix.
    Broyden(Broyden),
}

/// A step along a direction of descent, from the first of two points to the second.
#[derive(Clone, Copy)]
pub(super) struct Move<'a> {
    pub(super) points: [&'a [f64]; 2],
    pub(super) gradients: [&'a [f64]; 2],
    /// L at the first.
    pub(super) value: f64,
    /// α, the part of the direction that was taken.
    pub(super) rate: f64,
}

impl Curvature {
    /// Is it a multiple of the identity, because nothing was seen yet?
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Curvature::Pairs(pairs) => pairs.count() == 0,
            Curvature::Broyden(matrix) => matrix.is_empty(),
        }
    }

    pub(super) fn forget(&mut self) {
        match self {
            Curvature::Pairs(pairs) => pairs.keep(0),
            Curvature::Broyden(matrix) => matrix.forget(),
        }
    }

    /// Goes on with another function that is much like the last one.
    pub(super) fn carry(&mut self) {
        match self {
            Curvature::Pairs(pairs) => pairs.carry(),
            Curvature::Broyden(matrix) => matrix.carry(),
        }
    }

    /// Takes in what a step along the last direction showed, if it is good enough.
    pub(super) fn push(&mut self, step: Move<'_>) {
        match self {
            Curvature::Pairs(pairs) => pairs.push(step),
            Curvature::Broyden(matrix) => matrix.push(step),
        }
    }

    /// d = −H g.
    pub(super) fn direction(&mut self, g: &[f64], d: &mut [f64]) {
        match self {
            Curvature::Pairs(pairs) => pairs.direction(g, d),
            Curvature::Broyden(matrix) => matrix.direction(g, d),
        }
    }

    /// The part of a direction of this slope to try first, where L has this value; not while it is empty.
    pub(super) fn first(&self, value: f64, slope: f64) -> f64 {
        match self {
            Curvature::Pairs(_) => 1.0,
            Curvature::Broyden(matrix) => matrix.first(value, slope),
        }
    }

    pub(super) fn state(&self) -> State {
        match self {
            Curvature::Pairs(pairs) => {
                let [steps, changes] = pairs.lists();
                vec![("steps", steps), ("changes", changes)]
            }
            Curvature::Broyden(matrix) => {
                vec![("inverse", matrix.list()), ("before", vec![matrix.before])]
            }
        }
    }

    /// Does a saved state fit?
    pub(super) fn fits(&self, state: &[(String, Vec<f64>)]) -> bool {
        match self {
            Curvature::Pairs(pairs) => find(state, "steps")
                .zip(find(state, "changes"))
                .is_some_and(|(steps, changes)| pairs.fits(steps, changes)),
            Curvature::Broyden(matrix) => find(state, "inverse")
                .zip(find(state, "before"))
                .is_some_and(|(list, before)| matrix.fits(list) && before.len() == 1),
        }
    }

    /// Goes on from a state that fits.
    pub(super) fn restore(&mut self, state: &[(String, Vec<f64>)]) {
        match self {
            Curvature::Pairs(pairs) => {
                if let Some((steps, changes)) = find(state, "steps").zip(find(state, "changes")) {
                    pairs.set(steps, changes);
                }
            }
            Curvature::Broyden(matrix) => {
                if let Some((list, [before])) = find(state, "inverse").zip(find(state, "before")) {
                    matrix.set(list, *before);
                }
            }
        }
    }
}

/// Pairs whose sᵀy is below this part of ‖s‖‖y‖ are left out: they would make H nearly indefinite. Rounding
/// of the gradient alone is well below it.
const ANGLE: f64 = 1e-10;

/// Sets s = Δθ and y = Δ∇L of a step and gives sᵀy, if it is safely positive.
pub(super) fn set_pair(s: &mut [f64], y: &mut [f64], step: &Move<'_>) -> Option<f64> {
    for (difference, [old, new]) in [(&mut *s, step.points), (&mut *y, step.gradients)] {
        for ((difference, old), new) in difference.iter_mut().zip(old).zip(new) {
            *difference = new - old;
        }
    }
    let product = dot(s, y);
    (product > ANGLE * (dot(s, s) * dot(y, y)).sqrt() && product.is_finite()).then_some(product)
}
