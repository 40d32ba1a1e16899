//! The feasibility certificate: how well every term holds on points that training never saw.
//!
//! Sits after `problem` and `objective` in the flow; `train` asks it whether tolerances are met, reports show it.

use crate::geometry::Points;
use crate::model::Model;
use crate::objective::values;
use crate::problem::{Measure, Problem, Source, Term};
use crate::sample::{SampleError, Sampler};

/// The stream of a term's fresh points: far from its rounds of training points, beside that of its noise.
const FRESH: u64 = u32::MAX as u64 - 1;
/// Fresh points of a term at the least, and for every point of training.
const LEAST: usize = 1000;
const TIMES: usize = 4;

/// A trained state: the model at θ, and what the points of its training were.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// The problem.
    pub problem: &'a Problem,
    /// The networks.
    pub model: &'a Model,
    /// Their parameters, then those of the unknowns.
    pub θ: &'a [f64],
    /// The seed of the training points.
    pub seed: u64,
    /// The training points of every term.
    pub points: &'a [Points],
}

/// The residuals of a term at fresh points.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The number of the term.
    pub term: usize,
    /// The points at which it was measured: not those of training, unless the term observes data.
    pub points: usize,
    /// The mean square over points and equations.
    pub mse: f64,
    /// The largest absolute residual; not a number where one is not.
    pub max: f64,
    /// The point where it is largest.
    pub worst: Vec<f64>,
}

impl Violation {
    /// The root of the mean square.
    pub fn rms(&self) -> f64 {
        self.mse.sqrt()
    }

    /// What a tolerance limits.
    pub fn measured(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Max => self.max,
            Measure::Rms => self.rms(),
            Measure::Mse => self.mse,
        }
    }

    /// Is the tolerance of its term met? `None` where the file asks for none.
    pub fn is_met(&self, problem: &Problem) -> Option<bool> {
        let (measure, limit) = problem.terms[self.term].tolerance?;
        Some(self.measured(measure) < limit)
    }
}

/// How well every term holds, in the order of the terms.
pub fn certify(state: &State<'_>) -> Vec<Violation> {
    (0..state.problem.terms.len()).map(|term| violation(state, term)).collect()
}

/// How well one term holds.
pub fn violation(state: &State<'_>, index: usize) -> Violation {
    let term = &state.problem.terms[index];
    let training = &state.points[index];
    // Where no fresh points can be had, those of training are better than none.
    let points = fresh(state.problem, index, state.seed, training).unwrap_or_else(|_| training.clone());
    let columns = values(&term.residual, state.model, &state.problem.unknowns, state.θ, &points);
    let (mse, max, worst) = sizes(&columns);
    Violation {
        term: index,
        // A point of a line stands for all its nodes.
        points: points.len() * nodes(term),
        mse,
        max,
        worst: worst.map(|at| points.point(at)).unwrap_or_default(),
    }
}

/// Points to judge a term on. Observations are judged where they were made; everything else on points that training
/// never sees, several times as many.
pub fn fresh(problem: &Problem, index: usize, seed: u64, training: &Points) -> Result<Points, SampleError> {
    let term = &problem.terms[index];
    let draw = |source: &Source| source.draw(&problem.domain, seed, index as u64 + 1, FRESH);
    match &term.source {
        Source::Drawn { place, count, normals, .. } => {
            let count = count.saturating_mul(TIMES).max(LEAST.div_ceil(nodes(term)));
            // Latin whatever the training does: a grid would meet its points again, and Sobol's sequence its beginning.
            let (place, sampler) = (place.clone(), Sampler::Latin);
            draw(&Source::Drawn { place, sampler, count, normals: *normals, adaptive: None })
        }
        Source::Given { points, noise, .. } if *noise == 0.0 => Ok(points.clone()),
        Source::Given { .. } | Source::Observed { .. } => Ok(training.clone()),
    }
}

/// Along lines every point stands for several.
fn nodes(term: &Term) -> usize {
    (term.residual.equations() / term.equations.len().max(1)).max(1)
}

/// Mean square, largest, and the point of the largest.
fn sizes(columns: &[Vec<f64>]) -> (f64, f64, Option<usize>) {
    let count = columns.iter().map(Vec::len).sum::<usize>();
    let all = || columns.iter().flat_map(|column| column.iter().enumerate());
    let mse = all().map(|(_, r)| r * r).sum::<f64>() / count.max(1) as f64;
    let worst = all().max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
    // What is not a number is above all numbers in the total order.
    (mse, worst.map_or(0.0, |(_, r)| r.abs()), worst.map(|(at, _)| at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;
    use crate::train::Trainer;

    #[test]
    fn the_largest_residual_is_found_and_not_a_number_is_not_lost() {
        assert_eq!(sizes(&[vec![1.0, -3.0], vec![2.0, 0.0]]), (3.5, 3.0, Some(1)));
        assert!(sizes(&[vec![1.0, f64::NAN, 5.0]]).1.is_nan());
        assert_eq!(sizes(&[]), (0.0, 0.0, None));
    }

    #[test]
    fn every_term_is_measured_where_training_never_was() {
        let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\n[term.a]\nequation = \"u = 1\"\npoints = 8\n\
                    [term.b]\non = \"x = 1\"\nequation = \"u = 3*x\"\npoints = 1\n[network]\nhidden = [3]";
        let problem = crate::problem::build(spec::parse("p.toml", text, &Default::default())).unwrap();
        let trainer = Trainer::new(problem, 0, Vec::new()).unwrap();
        let violations = trainer.certify();
        assert_eq!(violations.iter().map(|v| (v.term, v.points)).collect::<Vec<_>>(), [(0, 1000), (1, 1000)]);
        assert_eq!(violations[1].worst, [1.0]);
        // All points of the side are one, so all residuals are; the mean of a thousand squares rounds.
        assert!((violations[1].rms() - violations[1].max).abs() < 1e-12 * violations[1].max);
        assert!(violations[0].rms() < violations[0].max);
    }
}
