//! A start from another solution of the same fields: of coarser or other networks, another coefficient, a
//! smaller domain.
//!
//! Where the networks are the same, their parameters are taken over. Otherwise the new networks are fitted to
//! the old fields wherever both domains are.

use super::Trainer;
use crate::certificate::State;
use crate::geometry::{Place, Points};
use crate::linalg::{add_scaled, add_squares, dot};
use crate::model::Model;
use crate::objective::{rows, values};
use crate::optim::{ConstrainedProblem, Evaluation, Method, Want};
use crate::problem::{Problem, plan};
use crate::sample::{self, SampleError, Sampler};

/// Points of the fit by parameters, at the least and at the most.
const TIMES: usize = 2;
const LEAST: usize = 500;
const MOST: usize = 4000;
/// Networks of more parameters are fitted without their curvature.
const LARGE: usize = 5000;
/// Steps of the fit at the most, and the error at which it ends, as a share of the fields.
const STEPS: usize = 150;
const CLOSE: f64 = 1e-6;
/// Fields that differ by less, as a share of their size, are the same.
const SAME: f64 = 1e-9;
/// The stream of the points: no term's.
const STREAM: u64 = u64::MAX - 1;

/// What was taken over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Started {
    /// The parameters themselves.
    Copied,
    /// The fields, with this relative error.
    Fitted(f64),
}

/// Why a solution is no start for another.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unlike {
    /// Other coordinates.
    #[error("its coordinates are {found}, those of the problem {expected}")]
    Coordinates {
        /// In the earlier solution.
        found: String,
        /// In the problem.
        expected: String,
    },
    /// A field that it does not have.
    #[error("it has no field `{0}`")]
    Field(String),
    /// Domains that do not meet.
    #[error("its domain and that of the problem have nothing in common")]
    Elsewhere,
    /// No points to fit at.
    #[error(transparent)]
    Points(#[from] SampleError),
}

impl Trainer {
    /// Starts from another solution; before the first step.
    pub fn start_from(&mut self, earlier: &State<'_>) -> Result<Started, Unlike> {
        let (problem, first) = (self.here(), self.first());
        let order = order(problem, earlier.problem)?;
        let mut θ = self.θ[first..].to_vec();
        let count = (TIMES * θ.len()).clamp(LEAST, MOST);
        let points = common(problem, earlier.problem, count, self.seed)?;
        let other = earlier.problem;
        let known = values(&other.solution, earlier.model, &other.unknowns, earlier.θ, &points);
        let known: Vec<Vec<f64>> = order.iter().map(|&field| known[field].clone()).collect();
        carry_unknowns(problem, earlier, &mut θ);
        let mut fit = Fit { problem, model: self.objective.model(), points: &points, known: &known };
        let networks = fit.model.parameters();
        let started = match earlier.θ.get(..networks) {
            Some(same) if earlier.model.parameters() == networks && fit.error(&with(&θ, same)) < SAME => {
                θ[..networks].copy_from_slice(same);
                Started::Copied
            }
            _ => Started::Fitted(fit.run(&mut θ)),
        };
        self.θ[first..].copy_from_slice(&θ);
        self.start.copy_from_slice(&θ);
        self.last_finite.copy_from_slice(&θ);
        if plan::is_default(&self.stages) {
            // The stages before the last are there to find a start.
            self.stage = self.stages.len() - 1;
        }
        Ok(started)
    }
}

/// θ with other parameters of the networks.
fn with(θ: &[f64], networks: &[f64]) -> Vec<f64> {
    let mut θ = θ.to_vec();
    θ[..networks.len()].copy_from_slice(networks);
    θ
}

/// The numbers of the problem's fields in the earlier one.
fn order(problem: &Problem, earlier: &Problem) -> Result<Vec<usize>, Unlike> {
    if problem.coordinates != earlier.coordinates {
        let [found, expected] = [earlier, problem].map(|problem| problem.coordinates.join(", "));
        return Err(Unlike::Coordinates { found, expected });
    }
    let find = |name: &String| earlier.fields.iter().position(|field| field == name);
    problem.fields.iter().map(|name| find(name).ok_or_else(|| Unlike::Field(name.clone()))).collect()
}

/// Points that lie in both domains.
fn common(problem: &Problem, earlier: &Problem, count: usize, seed: u64) -> Result<Points, Unlike> {
    let mut rng = sample::stream(seed, STREAM);
    let points = sample::draw(&problem.domain, &Place::interior(), Sampler::Latin, count, &mut rng)?;
    let (lower, upper) = (&earlier.domain.lower, &earlier.domain.upper);
    let within =
        |point: Vec<f64>| point.iter().zip(lower.iter().zip(upper)).all(|(x, (a, b))| a <= x && x <= b);
    let both: Vec<usize> = (0..points.len()).filter(|&i| within(points.point(i))).collect();
    if both.is_empty() { Err(Unlike::Elsewhere) } else { Ok(points.select(&both)) }
}

/// Unknown numbers keep what was found for them.
fn carry_unknowns(problem: &Problem, earlier: &State<'_>, θ: &mut [f64]) {
    let first = θ.len() - problem.unknowns.len();
    let parameters = &earlier.θ[earlier.θ.len() - earlier.problem.unknowns.len()..];
    for (unknown, parameter) in problem.unknowns.iter().zip(&mut θ[first..]) {
        let mut known = earlier.problem.unknowns.iter().zip(parameters);
        if let Some((same, &found)) = known.find(|(known, _)| known.name == unknown.name) {
            let start = same.value(found).0;
            *parameter = crate::problem::Unknown { start, ..unknown.clone() }.parameter();
        }
    }
}

/// Fields that are to become others: f is the sum over fields of the mean square misfit by the mean square of
/// the field.
struct Fit<'a> {
    problem: &'a Problem,
    model: &'a Model,
    points: &'a Points,
    known: &'a [Vec<f64>],
}

impl Fit<'_> {
    /// One over the sum of squares of a field; of a field of zeros over its number of points.
    fn share(&self, field: usize) -> f64 {
        let known = &self.known[field];
        let square = dot(known, known);
        1.0 / if square > 0.0 { square } else { known.len() as f64 }
    }

    fn misfits(&self, θ: &[f64]) -> Vec<Vec<f64>> {
        let mut misfits = values(&self.problem.solution, self.model, &self.problem.unknowns, θ, self.points);
        for (misfit, known) in misfits.iter_mut().zip(self.known) {
            misfit.iter_mut().zip(known).for_each(|(u, known)| *u -= known);
        }
        misfits
    }

    /// The largest relative error of a field.
    fn error(&self, θ: &[f64]) -> f64 {
        let error = |(field, misfit): (usize, &Vec<f64>)| (self.share(field) * dot(misfit, misfit)).sqrt();
        self.misfits(θ).iter().enumerate().map(error).fold(0.0, f64::max)
    }

    /// Fits θ; the relative error that is left.
    fn run(&mut self, θ: &mut [f64]) -> f64 {
        let method = match θ.len() <= LARGE {
            true => Method::GaussNewton(Default::default()),
            false => Method::Lbfgs(Default::default()),
        };
        let mut optimizer = method.optimizer(self, STEPS);
        for _ in 0..STEPS {
            let report = optimizer.step(self, θ);
            if optimizer.end().is_some() || report.objective < CLOSE * CLOSE {
                break;
            }
        }
        self.error(θ)
    }
}

impl ConstrainedProblem for Fit<'_> {
    fn parameters(&self) -> usize {
        self.model.parameters() + self.problem.unknowns.len()
    }

    fn constraints(&self) -> usize {
        0
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let misfits = self.misfits(θ);
        out.objective = misfits.iter().enumerate().map(|(field, r)| self.share(field) * dot(r, r)).sum();
        if want == Want::Values {
            return;
        }
        out.gradient.fill(0.0);
        let rows = rows(&self.problem.solution, self.model, &self.problem.unknowns, θ, self.points);
        for (field, (misfit, rows)) in misfits.iter().zip(rows).enumerate() {
            for (r, row) in misfit.iter().zip(rows.chunks_exact(θ.len())) {
                add_scaled(&mut out.gradient, 2.0 * self.share(field) * r, row);
            }
        }
    }

    fn add_gauss_newton(&mut self, θ: &[f64], _weights: &[f64], lower: &mut [f64]) {
        let rows = rows(&self.problem.solution, self.model, &self.problem.unknowns, θ, self.points);
        for (field, rows) in rows.iter().enumerate() {
            add_squares(lower, 2.0 * self.share(field), rows, θ.len());
        }
    }
}
