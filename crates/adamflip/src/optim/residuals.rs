//! The residuals of a problem, block by block: what curvature is made of.
//!
//! f, the constraints that are mean squares and those that are residuals come from one list r(θ), in blocks:
//! f is the sum of squares of the objective's blocks, an h that is a mean square that of its block, and other
//! entries of h are residuals themselves. Weights are folded in. With R = ∂r/∂θ a method asks for rows of R
//! some at a time, for R v, Rᵀw and R Rᵀ. Everything follows from the rows
//! ([`ConstrainedProblem::visit_rows`]), so that is all a small problem writes; one with something better
//! overrides the products.

use std::ops::Range;

use super::{ConstrainedProblem, Evaluation, Form, Want};
use crate::linalg::{add_gram, add_scaled, add_squares, dot};

/// Sees the number of a residual, it and some that follow, and their rows, one after the other.
pub type VisitRows<'a> = dyn FnMut(usize, &[f64], &[f64]) + 'a;

/// What a block of residuals is to the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResidualRole {
    /// The sum of its squares is a part of f.
    Objective,
    /// The entries of h from this one on: the residuals themselves, or the one that is the sum of their
    /// squares.
    Constraint(usize),
}

/// Neighbouring residuals of one term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualBlock {
    /// What they are to the problem.
    pub role: ResidualRole,
    /// The weight of the term, whose root is in the residuals already.
    pub weight: f64,
    /// Are they squared and added up, or each an entry of h?
    pub form: Form,
    /// The number of residuals.
    pub size: usize,
}

impl ResidualBlock {
    /// The weight of its squares in f + Σ wᵢhᵢ: 1 in f, wᵢ in the mean square hᵢ, and none where each
    /// residual is an entry of h.
    pub(super) fn weight_in_sum(&self, weights: &[f64]) -> f64 {
        match (self.role, self.form) {
            (ResidualRole::Objective, _) => 1.0,
            (ResidualRole::Constraint(entry), Form::MeanSquare) => weights[entry],
            (ResidualRole::Constraint(_), Form::Residuals) => 0.0,
        }
    }

    /// The number of residuals of all blocks.
    pub fn total(blocks: &[Self]) -> usize {
        blocks.iter().map(|block| block.size).sum()
    }
}

/// The blocks with their ranges of residuals.
pub(crate) fn ranges(blocks: &[ResidualBlock]) -> impl Iterator<Item = (&ResidualBlock, Range<usize>)> {
    let mut first = 0;
    blocks.iter().map(move |block| {
        let range = first..first + block.size;
        first = range.end;
        (block, range)
    })
}

/// The blocks of a problem whose f is no sum of squares: its constraints that are residuals.
pub(super) fn of_constraints<P: ConstrainedProblem + ?Sized>(problem: &P) -> Vec<ResidualBlock> {
    let mut first = 0;
    let block = |block: super::Block| {
        let role = ResidualRole::Constraint(first);
        first += block.size;
        let own = ResidualBlock { role, weight: 1.0, form: block.form, size: block.size };
        (block.form == Form::Residuals).then_some(own)
    };
    problem.constraint_blocks().into_iter().filter_map(block).collect()
}

/// The rows of [`of_constraints`].
pub(super) fn visit_constraints<P: ConstrainedProblem + ?Sized>(
    problem: &mut P,
    θ: &[f64],
    visit: &mut VisitRows<'_>,
) {
    let mut at = Evaluation::new(θ.len(), problem.constraints());
    problem.evaluate(θ, Want::Gradients, &mut at);
    for (block, range) in ranges(&of_constraints(problem)) {
        if let ResidualRole::Constraint(first) = block.role {
            let rows = &at.jacobian.rows()[first * θ.len()..(first + block.size) * θ.len()];
            visit(range.start, &at.constraints[first..first + block.size], rows);
        }
    }
}

/// r from rows.
pub(super) fn values<P: ConstrainedProblem + ?Sized>(problem: &mut P, θ: &[f64], out: &mut [f64]) {
    problem.visit_rows(θ, &mut |first, residuals, _| {
        out[first..first + residuals.len()].copy_from_slice(residuals);
    });
}

/// R v from rows.
pub(super) fn jvp<P: ConstrainedProblem + ?Sized>(problem: &mut P, θ: &[f64], v: &[f64], out: &mut [f64]) {
    problem.visit_rows(θ, &mut |first, _, rows| {
        out[first..].iter_mut().zip(rows.chunks_exact(v.len())).for_each(|(out, row)| *out = dot(row, v));
    });
}

/// Rᵀw from rows.
pub(super) fn vjp<P: ConstrainedProblem + ?Sized>(problem: &mut P, θ: &[f64], w: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    problem.visit_rows(θ, &mut |first, _, rows| {
        w[first..].iter().zip(rows.chunks_exact(θ.len())).for_each(|(w, row)| add_scaled(out, *w, row));
    });
}

/// The lower triangle of R Rᵀ from rows, all of which it holds.
pub(crate) fn gram<P: ConstrainedProblem + ?Sized>(problem: &mut P, θ: &[f64], lower: &mut [f64]) {
    let size = lower.len().isqrt();
    let mut all = vec![0.0; size * θ.len()];
    problem.visit_rows(θ, &mut |first, _, rows| {
        all[first * θ.len()..][..rows.len()].copy_from_slice(rows);
    });
    lower.fill(0.0);
    if size > 0 && !θ.is_empty() {
        add_gram(lower, &all, θ.len());
    }
}

/// The squared length of every row.
pub(crate) fn squares<P: ConstrainedProblem + ?Sized>(problem: &mut P, θ: &[f64], out: &mut [f64]) {
    problem.visit_rows(θ, &mut |first, _, rows| {
        let rows = rows.chunks_exact(θ.len().max(1));
        out[first..].iter_mut().zip(rows).for_each(|(out, row)| *out = dot(row, row));
    });
}

/// lower(G) += 2RᵀWR over the blocks that are squared: those of f with weight 1, those of h with the weights
/// of their entries.
pub(super) fn gauss_newton<P: ConstrainedProblem + ?Sized>(
    problem: &mut P,
    θ: &[f64],
    weights: &[f64],
    lower: &mut [f64],
) {
    let blocks = problem.residual_blocks();
    let weight = |block: &ResidualBlock| block.weight_in_sum(weights);
    if blocks.iter().all(|block| weight(block) == 0.0) {
        return;
    }
    problem.visit_rows(θ, &mut |first, residuals, rows| {
        let visited = first..first + residuals.len();
        for (block, range) in ranges(&blocks) {
            let own = range.start.max(visited.start)..range.end.min(visited.end);
            if weight(block) > 0.0 && !own.is_empty() {
                let own = (own.start - first) * θ.len()..(own.end - first) * θ.len();
                add_squares(lower, 2.0 * weight(block), &rows[own], θ.len());
            }
        }
    });
}
