//! The points of training, which change where the plan says so.

use crate::geometry::Points;
use crate::model::Model;
use crate::objective::values_among;
use crate::problem::{Adaptive, Problem, Source, Term};
use crate::ranks::Ranks;
use crate::sample::{self, SampleError, Sampler};

/// The first points of every term.
pub(super) fn first(problem: &Problem, seed: u64) -> Result<Vec<Points>, SampleError> {
    let terms = problem.terms.iter().zip(1u64..);
    terms.map(|(term, number)| term.source.draw(&problem.domain, seed, number, 0)).collect()
}

/// A state of training at which points are chosen.
pub(super) struct Chooser<'a> {
    pub(super) ranks: &'a Ranks,
    pub(super) problem: &'a Problem,
    pub(super) model: &'a Model,
    pub(super) θ: &'a [f64],
    pub(super) seed: u64,
}

impl Chooser<'_> {
    /// The next points of a term; none where they stay. `round` counts the resamplings.
    pub(super) fn next(&self, index: usize, round: u64, current: &Points) -> Option<Points> {
        let term = &self.problem.terms[index];
        let Source::Drawn { place, sampler, count, normals, adaptive, line, interface } = &term.source else {
            return None;
        };
        if term.source.repeats(&self.problem.domain) {
            return None;
        }
        // The same call succeeded for the first points.
        let draw =
            |source: &Source| source.draw(&self.problem.domain, self.seed, index as u64 + 1, round).ok();
        let Some(adaptive) = adaptive else { return draw(&term.source) };
        let pool = match adaptive {
            Adaptive::Rad { pool, .. } | Adaptive::Rar { pool, .. } => count.saturating_mul(*pool),
        };
        let sampler = match (adaptive, sampler) {
            // A grid is the same each time, and so would be its worst points.
            (Adaptive::Rar { .. }, Sampler::Grid) => Sampler::Latin,
            _ => *sampler,
        };
        let (place, normals, line, interface) = (place.clone(), *normals, *line, interface.clone());
        let pool =
            draw(&Source::Drawn { place, sampler, count: pool, normals, adaptive: None, line, interface })?;
        let residuals = self.residual_sizes(term, &pool);
        match *adaptive {
            Adaptive::Rad { power, floor, .. } => {
                // A stream of its own, away from those of the points.
                let mut rng = sample::stream(self.seed, (index as u64 + 1) << 32 | 1 << 31 | round);
                Some(pool.select(&sample::rad(&residuals, *count, power, floor, &mut rng)))
            }
            Adaptive::Rar { add, limit, .. } => {
                let most = (*count as f64 * limit) as usize;
                let more = ((*count as f64 * add).ceil() as usize).min(most.saturating_sub(current.len()));
                (more > 0).then(|| {
                    let mut points = current.clone();
                    points.append(&pool.select(&sample::rar(&residuals, more)));
                    points
                })
            }
        }
    }

    /// The root of the sum of squares of a term's residuals at each of the points.
    fn residual_sizes(&self, term: &Term, points: &Points) -> Vec<f64> {
        let unknowns = &self.problem.unknowns;
        let columns = values_among(self.ranks, &term.residual, self.model, unknowns, self.θ, points);
        (0..points.len())
            .map(|i| columns.iter().map(|column| column[i] * column[i]).sum::<f64>().sqrt())
            .collect()
    }
}
