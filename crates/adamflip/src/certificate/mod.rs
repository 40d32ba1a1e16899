//! The feasibility certificate: how well every term holds on points that training never saw, what that says
//! of all other points, and whether the solution is optimal to first order.
//!
//! Sits after `problem` and `objective` in the flow; `train` asks it whether tolerances are met, reports show
//! it.
//!
//! | file | what it has |
//! | --- | --- |
//! | `violation` | what was measured of a term, with its upper confidence bounds |
//! | `nearby` | the search for larger residuals around the worst points |
//! | `verdict` | the verdict over all tolerances |
//! | `window` | the same for windows of time |
//! | `kkt` | the first-order optimality residual at the end |

mod kkt;
mod nearby;
mod verdict;
mod violation;
mod window;

use std::fmt;

use crate::geometry::{Part, Points};
use crate::model::Model;
use crate::objective::values;
use crate::problem::{Problem, Source, Term};
use crate::sample::{SampleError, Sampler};
pub use kkt::{Kkt, kkt};
pub use verdict::Verdict;
pub(crate) use violation::Sizes;
pub use violation::{CONFIDENCE, Violation};
pub use window::Window;

/// The stream of a term's fresh points: far from its rounds of training points, beside that of its noise.
const FRESH: u64 = u32::MAX as u64 - 1;
/// Fresh points for every point of training.
const TIMES: usize = 4;
/// Nor more than this many, which take some dozens of megabytes: bounds of means are then within a thousandth
/// of the deviation.
const MOST: usize = 1_000_000;
/// Independent draws at the least, however many nodes a line has: below, the mean of squares is far from
/// normal.
const DRAWS: usize = 30;

/// Fresh points of a term at the least for a quick look: in training, and in pictures.
pub const FEW: usize = 1000;
/// Fresh points of a term at the least in the certificate.
pub const MANY: usize = 10_000;

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

/// What is known of a trained state.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// How well every term holds, in the order of the terms.
    pub violations: Vec<Violation>,
    /// The optimality residual at the points of training, where it can be had.
    pub kkt: Option<Kkt>,
}

impl Certificate {
    /// The verdict over all tolerances.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(&self.violations)
    }
}

/// A line for each term, then the verdict.
impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let longest = self.violations.iter().map(|v| v.name.chars().count()).max().unwrap_or(0);
        for violation in &self.violations {
            let Violation { name, max, points, .. } = violation;
            write!(f, "{name:longest$}  rms {:.2e}", violation.rms())?;
            if let Some(bound) = violation.rms_bound() {
                write!(f, " (below {bound:.2e} with {}% confidence)", 100.0 * CONFIDENCE)?;
            }
            writeln!(f, ", max {max:.2e}, at {points} points")?;
        }
        f.write_str(&self.verdict().sentence())
    }
}

/// The certificate of a state, on at least [`MANY`] fresh points a term.
pub fn certify(state: &State<'_>) -> Certificate {
    let violations = (0..state.problem.terms.len()).map(|term| violation(state, term, MANY)).collect();
    Certificate { violations, kkt: kkt(state) }
}

/// Is every tolerance of the file met? Not where there is none. Most states fail a quick look; one that
/// passes must pass on the points of the certificate as well, which so never contradicts this. (They are then
/// the points that chose the end of the run: of k questions, each may be answered wrongly with a chance of
/// 5%.)
pub fn is_certified(state: &State<'_>) -> bool {
    let terms =
        || (0..state.problem.terms.len()).filter(|&term| state.problem.terms[term].tolerance.is_some());
    let met = |least: usize| terms().all(|term| violation(state, term, least).is_met() == Some(true));
    terms().next().is_some() && met(FEW) && met(MANY)
}

/// How well one term holds, on at least this many fresh points.
pub fn violation(state: &State<'_>, index: usize, least: usize) -> Violation {
    if let Some(violation) = window::violation(state, index, least) {
        return violation;
    }
    let term = state.problem.terms[index].validation();
    let training = &state.points[index];
    let drawn = fresh(state.problem, term, (state.seed, index), training, least);
    // A bound needs points that were drawn at random; where no fresh points can be had, those of training are
    // better than none.
    let is_random = drawn.is_ok() && is_random(state.problem, term);
    let points = drawn.unwrap_or_else(|_| training.clone());
    let columns = values(&term.residual, state.model, &state.problem.unknowns, state.θ, &points);
    let sizes = Sizes::of(&columns, points.len());
    // A point of a line stands for all its nodes.
    let (max, worst) = sizes.worst();
    let mut violation = Violation {
        term: index,
        name: term.name.clone(),
        tolerance: term.tolerance,
        points: points.len() * term.nodes(),
        mse: sizes.mean(),
        max,
        worst: worst.map(|at| term.place(points.point(at), sizes.residual[at])).unwrap_or_default(),
        mse_bound: None,
        exceeded_share: None,
    };
    if is_random {
        violation.mse_bound = sizes.bound();
        violation.exceeded_share = sizes.exceeded_share();
        if let Some((max, worst)) = nearby::larger(state, (term, index), &points, &sizes) {
            (violation.max, violation.worst) = (max, worst);
            violation.exceeded_share = violation.exceeded_share.filter(|_| max.is_finite());
        }
    }
    violation
}

/// Points to judge a term on, at least this many. Observations are judged where they were made; everything
/// else on points that training never sees, several times as many. A place that is a few points has no
/// others. The number of the term is that of its random numbers.
pub fn fresh(
    problem: &Problem,
    term: &Term,
    (seed, index): (u64, usize),
    training: &Points,
    least: usize,
) -> Result<Points, SampleError> {
    let draw = |source: &Source| source.draw(&problem.domain, seed, index as u64 + 1, FRESH);
    match &term.source {
        Source::Drawn { place, count, normals, line, interface, .. } => {
            let count = match is_random(problem, term) {
                true => count.saturating_mul(TIMES).min(MOST).max(least.div_ceil(term.nodes())).max(DRAWS),
                // All of them, and the boundary of an interval is one part of two.
                false => {
                    let points = |part: &Part| if part.fixed.is_empty() { 2 } else { 1 };
                    (*count).max(place.parts.iter().map(points).sum())
                }
            };
            // Latin whatever the training does: a grid would meet its points again, and Sobol's sequence its
            // beginning.
            let (place, sampler, interface) = (place.clone(), Sampler::Latin, interface.clone());
            let (normals, adaptive, line) = (*normals, None, *line);
            draw(&Source::Drawn { place, sampler, count, normals, adaptive, line, interface })
        }
        Source::Given { points, noise, .. } if *noise == 0.0 => Ok(points.clone()),
        Source::Given { .. } | Source::Observed { .. } => Ok(training.clone()),
    }
}

/// Whether fresh points of a term are drawn at random: not those of observations, nor where its place is
/// single points.
fn is_random(problem: &Problem, term: &Term) -> bool {
    // Lines have ends that are drawn.
    matches!(&term.source, Source::Drawn { place, line, .. } if line.is_some() || problem.domain.has_extent(place))
}

#[cfg(test)]
mod tests;
