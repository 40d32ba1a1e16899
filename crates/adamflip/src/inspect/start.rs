//! Losses and gradients at the first parameters, before any step.

use std::sync::Arc;

use super::Finding;
use super::coverage::by_construction;
use super::probe::reads;
use crate::geometry::Points;
use crate::model::Model;
use crate::objective::{Objective, ResidualStats, values};
use crate::optim::{ConstrainedProblem, Evaluation, Want};
use crate::problem::{Problem, Role, Term};
use crate::sample::SampleError;
use crate::train;

/// Points of a term at the most: a mean square is known to a few per cent.
const POINTS: usize = 1000;
/// The ratio of losses beyond which one term drowns the other: a thousand in the residuals.
const RATIO: f64 = 1e6;
/// Losses below are rounding: residuals of size one are known to 1e-16.
const RANK_TOLERANCE: f64 = 1e-28;

/// Fields and unknowns that no equation mentions.
pub(super) fn unused(problem: &Problem) -> Vec<Finding> {
    let residuals = || problem.terms.iter().map(|term| &term.residual);
    let field = |&field: &usize| !residuals().any(|residual| reads(residual, &problem.networks, field));
    let unknown = |&number: &usize| !residuals().any(|residual| residual.unknowns().any(|u| u == number));
    let fields = (0..problem.fields.len()).filter(field).map(Finding::UnusedField);
    fields.chain((0..problem.unknowns.len()).filter(unknown).map(Finding::UnusedUnknown)).collect()
}

/// Unknowns and networks without a gradient, and losses of very different size.
pub(super) fn at_start(problem: &Problem, seed: u64) -> Result<Vec<Finding>, SampleError> {
    let terms = problem.terms.iter().zip(1u64..);
    let draw =
        |(term, number): (&Term, u64)| term.source.draw_at_most(POINTS, &problem.domain, seed, number, 0);
    let points = terms.map(draw).collect::<Result<Vec<_>, _>>()?;
    let (model, θ) = train::model(problem, seed);
    let networks: Vec<_> = model.members().iter().map(|member| member.parameters.clone()).collect();
    // One gradient of all losses together tells what nothing depends on: a row for each constraint is not
    // needed.
    let mut together = problem.clone();
    together.terms.iter_mut().for_each(|term| term.role = Role::Objective);
    let mut objective = Objective::new(&together, Arc::new(model), &points);
    let mut out = Evaluation::new(objective.parameters(), 0);
    objective.evaluate(&θ, Want::Gradients, &mut out);
    // Not a number is not zero: training will say so.
    let idle = |index: usize| out.gradient[index] == 0.0;
    let first = θ.len() - problem.unknowns.len();
    let unused = unused(problem);
    let unknowns = (0..problem.unknowns.len())
        .filter(|&unknown| idle(first + unknown) && !unused.contains(&Finding::UnusedUnknown(unknown)));
    let mut found: Vec<Finding> = unknowns.map(Finding::IdleUnknown).collect();
    let used = |network: &usize| {
        problem.networks[*network].fields.iter().any(|&field| !unused.contains(&Finding::UnusedField(field)))
    };
    let networks = (0..networks.len()).filter(|&n| networks[n].clone().all(idle)).filter(used);
    found.extend(networks.map(Finding::IdleNetwork));
    found.extend(scales(problem, objective.misfits()));
    let broken = objective.misfits().iter().enumerate().filter(|(_, misfit)| !misfit.mse.is_finite());
    found.extend(
        broken.filter_map(|(term, _)| not_finite(problem, term, &points[term], objective.model(), &θ)),
    );
    Ok(found)
}

/// Where the residual of a term is not finite.
fn not_finite(
    problem: &Problem, index: usize, points: &Points, model: &Model, θ: &[f64]
) -> Option<Finding> {
    let term = &problem.terms[index];
    let columns = values(&term.residual, model, &problem.unknowns, θ, points);
    let broken = |column: &[f64]| column.iter().position(|residual| !residual.is_finite());
    let (column, at) =
        columns.iter().enumerate().find_map(|(column, residuals)| Some((column, broken(residuals)?)))?;
    let some = (0..points.len()).filter(|&i| columns.iter().any(|column| !column[i].is_finite())).count();
    Some(Finding::NotFinite {
        term: index,
        equation: column % term.equations.len(),
        points: [some, points.len()],
        point: term.place(points.point(at), column),
    })
}

/// The largest and the smallest loss, where they are far apart.
/// Losses of very different size, where no method is to balance them.
fn scales(problem: &Problem, misfits: &[ResidualStats]) -> Option<Finding> {
    let balances = problem.stages.last().is_some_and(|stage| stage.method.balances_equations());
    let is_balanced = |term: &Term| balances && (term.role == Role::Constraint || problem.has_free_weights());
    let losses = problem.terms.iter().zip(misfits).enumerate();
    let losses = losses
        .filter(|(_, (term, _))| !by_construction(term, problem) && !is_balanced(term))
        .map(|(index, (term, misfit))| (index, term.weight * misfit.mse))
        .filter(|(_, loss)| loss.is_finite() && *loss > RANK_TOLERANCE);
    let largest = losses.clone().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let smallest = losses.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (largest.1 > RATIO * smallest.1).then_some(Finding::Scales { largest, smallest })
}
