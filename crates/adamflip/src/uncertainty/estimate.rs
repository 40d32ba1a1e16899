//! The error of a solution without a reference.
//!
//! The residual r of an equation that is left at the end is what the solution would need to be exact: its error e solves the
//! linearized equation Le = −r. In the space that the network can move in, this gives two parts: the step H⁻¹g that training
//! has not taken, and, for what no step can remove, the deviation of the field when residuals of that size are spread over all
//! directions alike. Residuals are taken at fresh points, and at those of training where they are adaptive or given.

use super::linear::Linearized;
use crate::certificate::State;
use crate::geometry::{Place, Points};
use crate::linalg::dot;
use crate::objective::{rows, values};
use crate::problem::{Problem, Source};
use crate::sample::{self, Sampler};

/// Points at which fields are looked at.
const POINTS: usize = 256;
/// The stream of their random numbers: no term's.
const STREAM: u64 = u64::MAX;

/// Why an estimate should not be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// It is so large that the linearized problem says little of the true one.
    Large,
    /// Equations and conditions do not determine the field: it could be another and meet them as well.
    Undetermined,
    /// The residual of a term is concentrated in few places, which the points may have missed.
    Concentrated(usize),
}

impl Doubt {
    /// The doubt in words.
    pub fn text(&self, problem: &Problem) -> String {
        match self {
            Doubt::Large => "so large that it is only an order of magnitude".to_owned(),
            Doubt::Undetermined => {
                "equations and conditions do not determine it, or hardly: is one missing, or do small errors grow enormously?".to_owned()
            }
            Doubt::Concentrated(term) => {
                let name = &problem.terms[*term].name;
                format!("the residual of `{name}` is concentrated in few places, which points may miss")
            }
        }
    }
}

/// The estimated error of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The field's number.
    pub field: usize,
    /// The estimated relative L2 error.
    pub relative_l2: f64,
    /// The part of it that another step of Gauss and Newton would remove.
    pub unfinished: f64,
    /// Why it should not be trusted; empty where nothing speaks against it.
    pub doubts: Vec<Doubt>,
}

/// The estimated errors of all fields; none where no points can be drawn, nor of fields that have grown beyond all numbers.
pub fn estimate(state: &State<'_>, linear: &Linearized) -> Vec<Estimate> {
    let Some(points) = points(state) else { return Vec::new() };
    let problem = state.problem;
    let known = values(&problem.solution, state.model, &problem.unknowns, state.θ, &points);
    let rows = rows(&problem.solution, state.model, &problem.unknowns, state.θ, &points);
    let field = |(field, (known, rows)): (usize, (Vec<f64>, Vec<f64>))| {
        let moves: Vec<f64> =
            rows.chunks_exact(linear.parameters).map(|row| dot(row, &linear.step)).collect();
        let solved = linear.solved(rows.clone());
        let variances = linear.variances(&solved);
        // Of a field that is zero the error is absolute.
        let size = match mean_square(&known).sqrt() {
            0.0 => 1.0,
            size => size,
        };
        let pairs = rows.chunks_exact(linear.parameters).zip(solved.chunks_exact(linear.parameters));
        let answers: Vec<f64> = pairs.map(|(row, solved)| dot(row, solved)).collect();
        // Relative to the most that it could be, so that the field's unit does not matter.
        let is_free = linear.ridge * answers.iter().sum::<f64>() > FREE * dot(&rows, &rows);
        let unfinished = mean_square(&moves).sqrt() / size;
        let spread = (variances.iter().sum::<f64>() / variances.len().max(1) as f64).sqrt() / size;
        // A field of zeros has an error of one; what is not a number stays so, and is no estimate.
        let [relative_l2, unfinished] =
            [unfinished.hypot(spread), unfinished].map(|x| if x > 1.0 { 1.0 } else { x });
        Estimate { field, relative_l2, unfinished, doubts: doubts(linear, relative_l2, is_free) }
    };
    let estimates = known.into_iter().zip(rows).enumerate().map(field);
    estimates.filter(|estimate| estimate.relative_l2.is_finite()).collect()
}

fn mean_square(list: &[f64]) -> f64 {
    list.iter().map(|x| x * x).sum::<f64>() / list.len().max(1) as f64
}

/// Points all over the domain; where equations hold on given points alone, some of these.
fn points(state: &State<'_>) -> Option<Points> {
    let terms = &state.problem.terms;
    if terms.iter().any(|term| matches!(term.source, Source::Drawn { .. })) {
        let mut rng = sample::stream(state.seed, STREAM);
        return sample::draw(&state.problem.domain, &Place::interior(), Sampler::Latin, POINTS, &mut rng)
            .ok();
    }
    let most = state.points.iter().max_by_key(|points| points.len())?;
    let spread: Vec<usize> = (0..most.len()).step_by(most.len().div_ceil(POINTS).max(1)).collect();
    Some(most.select(&spread))
}

/// Above this the linearized problem says little of the true one.
const LARGE: f64 = 0.1;
/// A field answers to a unit of merit by at most ‖row‖²/ridge, of which this share is left where the ridge alone determines it.
const FREE: f64 = 1e-3;
/// Residuals that are so many times their root mean square are concentrated.
const PEAK: f64 = 30.0;

fn doubts(linear: &Linearized, relative: f64, is_free: bool) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if is_free {
        doubts.push(Doubt::Undetermined);
    }
    if relative > LARGE {
        doubts.push(Doubt::Large);
    }
    let peaks = linear.parts.iter().filter(|part| part.largest > PEAK * PEAK * part.mse);
    doubts.extend(peaks.map(|part| Doubt::Concentrated(part.term)));
    doubts
}
