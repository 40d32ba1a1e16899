//! Warnings of constraints that contradict each other or say the same, found while training.
//!
//! Now and then a small copy of the problem is looked at: at most [`ROWS`] residuals of all constraints, each
//! on its own whatever the method makes of them. Terms with the same place get the same points there, so that
//! the same equation gives the same rows, and a contradiction is exact. [`conflict`](crate::optim::conflict)
//! says what the rows tell; here is remembered what stays.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::tolerance::within;
use crate::geometry::Points;
use crate::model::Model;
use crate::objective::{Objective, ResidualStats};
use crate::optim::conflict::{Look, look};
use crate::optim::{ConstrainedProblem, Evaluation, Want};
use crate::problem::{Problem, Role, Source, Term};

/// Residuals that are looked at, over all constraints: enough for the smooth functions that networks are on
/// the sides of a domain, and their eigenvalues take some ten milliseconds.
const ROWS: usize = 128;
/// The part of h that counts.
const PART: f64 = 0.1;
/// Twins whose h differ by less say the same.
const SAME: f64 = 1e-6;
/// A part of h out of reach must be there in this many looks before it is told.
const PERSISTENT: usize = 3;

/// What is wrong with some constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConstraintIssue {
    /// They cannot be met together.
    Conflicting,
    /// They say the same.
    Redundant,
    /// No parameter changes the constraint, and it is not met.
    Fixed,
}

impl ConstraintIssue {
    /// The name in summaries.
    pub fn name(self) -> &'static str {
        match self {
            ConstraintIssue::Conflicting => "conflicting",
            ConstraintIssue::Redundant => "redundant",
            ConstraintIssue::Fixed => "fixed",
        }
    }
}

/// Constraints that training cannot put right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What is wrong.
    #[serde(rename = "trouble")]
    pub issue: ConstraintIssue,
    /// The names of the terms.
    pub terms: Vec<String>,
    /// The step at which it was found.
    pub step: usize,
}

/// The looks so far and what they brought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConstraintMonitor {
    pub(super) warnings: Vec<Warning>,
    /// Largest ‖h‖ of all looks.
    largest: f64,
    /// Looks in a row in which the same terms had a part of h out of reach.
    persistent: (Vec<usize>, usize),
    /// The step of the last look.
    seen: Option<usize>,
    /// The rank of the rows of the untrained network.
    #[serde(default)]
    rank: Option<usize>,
}

/// What is looked at: the model at θ, after this many steps, with the misfits and points of all terms.
pub(super) struct View<'a> {
    pub(super) problem: &'a Problem,
    pub(super) model: &'a Arc<Model>,
    pub(super) θ: &'a [f64],
    pub(super) step: usize,
    pub(super) misfits: &'a [ResidualStats],
    pub(super) points: &'a [Points],
}

impl ConstraintMonitor {
    pub(super) fn has_begun(&self) -> bool {
        self.rank.is_some()
    }

    /// Looks at the untrained network, to know how well a network can tell points apart.
    pub(super) fn begin(&mut self, view: &View<'_>) {
        self.rank = Some(probe(view).map_or(0, |(look, _)| look.rank));
    }

    /// Looks at the constraints.
    pub(super) fn look(&mut self, view: &View<'_>) {
        // The same state twice does not make a thing persistent.
        if self.seen.replace(view.step) == Some(view.step) {
            return;
        }
        let Some((look, terms)) = probe(view) else { return };
        // Units that have saturated are the same everywhere: all conditions seem to be one, whatever they
        // say.
        if 2 * look.rank < self.rank.unwrap_or(0) {
            return;
        }
        for &block in &look.fixed {
            self.warn(ConstraintIssue::Fixed, &[terms[block]], view);
        }
        for twin in &look.twins {
            let pair = twin.blocks.map(|block| terms[block]);
            match twin.gap {
                gap if gap <= SAME => self.warn(ConstraintIssue::Redundant, &pair, view),
                gap if gap >= PART && unmet(&pair, view) => {
                    self.warn(ConstraintIssue::Conflicting, &pair, view)
                }
                _ => {}
            }
        }
        self.persist(&look, &terms, view);
    }

    /// Follows the part of h that is out of reach.
    fn persist(&mut self, look: &Look, terms: &[usize], view: &View<'_>) {
        self.largest = self.largest.max(look.size);
        let involved: Vec<usize> = terms
            .iter()
            .zip(&look.shares)
            .filter(|(_, share)| **share >= PART)
            .map(|(&term, _)| term)
            .collect();
        let counts = look.beyond >= PART * self.largest && involved.len() > 1 && unmet(&involved, view);
        self.persistent = match std::mem::take(&mut self.persistent) {
            (same, looks) if counts && same == involved => (same, looks + 1),
            _ if counts => (involved, 1),
            _ => (Vec::new(), 0),
        };
        let (involved, looks) = &self.persistent;
        if *looks >= PERSISTENT {
            self.warn(ConstraintIssue::Conflicting, &involved.clone(), view);
        }
    }

    /// A warning, unless one of the kind that concerns the same terms was given.
    fn warn(&mut self, issue: ConstraintIssue, terms: &[usize], view: &View<'_>) {
        let terms: Vec<String> = terms.iter().map(|&term| view.problem.terms[term].name.clone()).collect();
        let known = |warning: &Warning| {
            warning.issue == issue && warning.terms.iter().all(|known| terms.contains(known))
        };
        if !self.warnings.iter().any(known) {
            self.warnings.push(Warning { issue, terms, step: view.step });
        }
    }
}

/// Is one of the terms not within its tolerance, or without one?
fn unmet(terms: &[usize], view: &View<'_>) -> bool {
    terms.iter().any(|&term| {
        let asked = &view.problem.terms[term];
        asked.tolerance.is_none() || !within(asked, &view.misfits[term])
    })
}

/// Looks at a few residuals of every constraint. Also says which terms they are.
fn probe(view: &View<'_>) -> Option<(Look, Vec<usize>)> {
    let terms: Vec<usize> = constraints(view.problem).collect();
    if terms.is_empty() {
        return None;
    }
    let share = (ROWS / terms.len()).max(1);
    let mut small = view.problem.clone();
    small.terms = terms.iter().map(|&term| view.problem.terms[term].clone()).collect();
    small.terms.iter_mut().for_each(|term| (term.pointwise, term.weight) = (Some(true), 1.0));
    let points: Vec<Points> = terms.iter().map(|&term| few(view, term, share)).collect();
    let mut objective = Objective::new(&small, view.model.clone(), &points);
    objective.set_pointwise(Some(true));
    let mut at = Evaluation::new(objective.parameters(), objective.constraints());
    objective.evaluate(view.θ, Want::Products, &mut at);
    Some((look(&at, &objective.constraint_blocks())?, terms))
}

fn constraints(problem: &Problem) -> impl Iterator<Item = usize> {
    (0..problem.terms.len()).filter(|&term| problem.terms[term].role == Role::Constraint)
}

/// This many residuals' worth of a term's points, or of those of the first constraint with the same place.
fn few(view: &View<'_>, term: usize, rows: usize) -> Points {
    let terms = &view.problem.terms;
    let shared = constraints(view.problem).find(|&other| same_place(&terms[other], &terms[term]));
    let points = &view.points[shared.unwrap_or(term)];
    let wanted = (rows / terms[term].residual.equations().max(1)).clamp(1, points.len().max(1));
    let chosen: Vec<usize> = (0..wanted).map(|i| i * points.len() / wanted).collect();
    points.select(&chosen)
}

/// Do both terms draw their points in the same way, but for their random numbers?
fn same_place(first: &Term, second: &Term) -> bool {
    match (&first.source, &second.source) {
        (
            Source::Drawn { place, normals, interface: None, .. },
            Source::Drawn { place: other, normals: other_normals, interface: None, .. },
        ) => {
            place == other
                && normals == other_normals
                && first.residual.equations() == second.residual.equations()
        }
        _ => false,
    }
}

/// Floating-point operations of a look, roughly: rows and their products, and the eigenvalues.
pub(super) fn cost(problem: &Problem, parameters: usize) -> f64 {
    let count = |term: usize| problem.terms[term].points * problem.terms[term].equations.len();
    let rows = constraints(problem).map(count).sum::<usize>().min(ROWS) as f64;
    rows * rows * parameters as f64 + 10.0 * rows.powi(3)
}
