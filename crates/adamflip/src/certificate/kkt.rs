//! The first-order optimality residual of a trained state: ‖∇f + Jᵀλ‖ at the points of training.
//!
//! f is the sum of the objective terms, J the Jacobian of every residual of the constraint terms, whatever
//! the method made of them in training, and λ the multipliers of least squares: what is left of ∇f beside the
//! row space of J. Where f cannot fall without a constraint being given up, nothing is left. Inequalities
//! have λ ≥ 0, and none where they are not active. Of more constraints than [`ENTRIES`] only some, chosen at
//! random, are used: fewer rows take less away, so that the residual can only be larger than that of all.

use std::sync::Arc;

use super::{State, Window};
use crate::geometry::Points;
use crate::linalg::norm;
use crate::objective::Objective;
use crate::optim::{ConstrainedProblem, Evaluation, RowSpace, Want};
use crate::problem::{Problem, Role};
use crate::sample;

/// Constraint entries at the most, about: their Gram matrix is taken apart in m³ operations.
const ENTRIES: usize = 1200;
/// Numbers of J at the most: 240 MB.
const NUMBERS: usize = 30_000_000;
/// Eigenvalues of J Jᵀ up to this share of the largest count as rounding, as in the ranks of `history.csv`:
/// what only they could take away stays in the residual.
const CUT: f64 = 1e-12;
/// Inequalities that are further inside than this share of the farthest have no multiplier.
const INACTIVE: f64 = 1e-4;
/// The stream that chooses among the points of a term.
const CHOICE: u64 = u32::MAX as u64 - 3;

/// The optimality residual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kkt {
    /// ‖∇f + Jᵀλ‖.
    pub residual: f64,
    /// The same as a share of ‖∇f‖: 1 where constraints balance nothing of it; 0 where ∇f is 0.
    pub relative: f64,
    /// The entries of h that J has rows for.
    pub entries: usize,
    /// The entries that there are.
    pub of: usize,
}

/// The optimality residual of a state, of the last window where it has windows; `None` where numbers are not
/// finite or would be too many.
pub fn kkt(state: &State<'_>) -> Option<Kkt> {
    if let Some((windows, _)) = state.model.windows() {
        return kkt_of(&Window::of(state, windows.count() - 1, None)?.state(), ENTRIES);
    }
    kkt_of(state, ENTRIES)
}

/// The same with at most about this many entries of h.
pub(super) fn kkt_of(state: &State<'_>, most: usize) -> Option<Kkt> {
    let problem = pointwise(state.problem);
    let of = (0..problem.terms.len()).map(|term| entries(&problem, state.points, term)).sum();
    let points = chosen(&problem, state, of, most);
    let mut objective = Objective::new(&problem, Arc::new(state.model.clone()), &points);
    objective.set_pointwise(Some(true));
    let (parameters, entries) = (objective.parameters(), objective.constraints());
    if parameters.saturating_mul(entries) > NUMBERS {
        return None;
    }
    let mut at = Evaluation::new(parameters, entries);
    objective.evaluate(state.θ, Want::Gradients, &mut at);
    at.leave_out_inactive(&objective.constraint_blocks(), INACTIVE, 0.0);
    let mut space = RowSpace::new(parameters, entries);
    if !at.is_finite() || entries > 0 && !space.find(&at.jacobian, CUT) {
        return None;
    }
    let residual = space.multipliers(&at.gradient, 0.0, &mut vec![0.0; entries]);
    let gradient = norm(&at.gradient);
    let relative = if gradient > 0.0 { residual / gradient } else { 0.0 };
    (residual.is_finite() && relative.is_finite()).then_some(Kkt { residual, relative, entries, of })
}

/// The problem with all constraints pointwise: a mean square that is met has no gradient, and hence no
/// multiplier.
fn pointwise(problem: &Problem) -> Problem {
    let mut problem = problem.clone();
    problem.terms.iter_mut().for_each(|term| term.pointwise = Some(true));
    problem
}

/// The entries of h of a term.
fn entries(problem: &Problem, points: &[Points], index: usize) -> usize {
    let term = &problem.terms[index];
    let each = if term.role == Role::Constraint { term.residual.equations() } else { 0 };
    points[index].len() * each
}

/// The points of every term, those of constraints only as many as there is room for, and one of each at the
/// least.
fn chosen(problem: &Problem, state: &State<'_>, of: usize, most: usize) -> Vec<Points> {
    let choose = |(index, points): (usize, &Points)| {
        if of <= most || problem.terms[index].role == Role::Objective {
            return points.clone();
        }
        let take = (points.len() as f64 * most as f64 / of as f64).floor().max(1.0) as usize;
        let mut rng = sample::stream(state.seed, (index as u64 + 1) << 32 | CHOICE);
        points.select(&sample::any(points.len(), take, &mut rng))
    };
    state.points.iter().enumerate().map(choose).collect()
}
