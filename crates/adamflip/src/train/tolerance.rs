//! Tolerances: what a file asks of its terms, and what was reached where training never was.

use super::points::unseen;
use crate::geometry::Points;
use crate::model::Model;
use crate::objective::{Misfit, values};
use crate::problem::{Measure, Problem, Term};

/// A tolerance held against the residuals of its term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The number of the term.
    pub term: usize,
    /// What is measured.
    pub measure: Measure,
    /// What it must stay below.
    pub limit: f64,
    /// What it is.
    pub measured: f64,
    /// The points at which it was measured: not those of training, unless the term observes data.
    pub points: usize,
}

impl Judgement {
    /// Is the tolerance met?
    pub fn met(&self) -> bool {
        self.measured < self.limit
    }
}

/// A state of training, and the current points of every term.
pub(super) struct Judge<'a> {
    pub(super) problem: &'a Problem,
    pub(super) model: &'a Model,
    pub(super) θ: &'a [f64],
    pub(super) seed: u64,
    pub(super) points: &'a [Points],
}

impl Judge<'_> {
    /// Every tolerance on points that training never saw.
    pub(super) fn judge(&self) -> Vec<Judgement> {
        let terms = self.problem.terms.iter().enumerate();
        terms.filter_map(|(index, term)| self.term(index, term)).collect()
    }

    fn term(&self, index: usize, term: &Term) -> Option<Judgement> {
        let (measure, limit) = term.tolerance?;
        let training = &self.points[index];
        // Where no such points can be had, those of training are better than none.
        let points = unseen(self.problem, index, self.seed, training).unwrap_or_else(|_| training.clone());
        let columns = values(&term.residual, self.model, &self.problem.unknowns, self.θ, &points);
        let measured = measured(measure, &misfit(&columns));
        // A point of a line stands for all its nodes.
        let points = points.len() * columns.len() / term.equations.len().max(1);
        Some(Judgement { term: index, measure, limit, measured, points })
    }
}

/// Does the term meet its tolerance, if it has one, with this misfit?
pub(super) fn within(term: &Term, misfit: &Misfit) -> bool {
    term.tolerance.is_none_or(|(measure, limit)| measured(measure, misfit) < limit)
}

fn measured(measure: Measure, misfit: &Misfit) -> f64 {
    match measure {
        Measure::Max => misfit.max,
        Measure::Rms => misfit.mse.sqrt(),
        Measure::Mse => misfit.mse,
    }
}

fn misfit(columns: &[Vec<f64>]) -> Misfit {
    let count = columns.iter().map(Vec::len).sum::<usize>();
    let all = || columns.iter().flatten();
    let mse = all().map(|r| r * r).sum::<f64>() / count.max(1) as f64;
    // `f64::max` would lose what is not a number.
    let max = all().fold(0.0, |max: f64, r| max.max(r.abs()));
    Misfit { mse, max: if mse.is_nan() { f64::NAN } else { max } }
}
