//! The error of a solution without a reference.
//!
//! The residual r of an equation that is left at the end is what the solution would need to be exact: its
//! error e solves the linearized equation Le = −r. In the space that the network can move in, this gives two
//! parts: the step H⁻¹g that training has not taken, and, for what no step can remove, the deviation of the
//! field when residuals of that size are spread over all directions alike. Residuals are taken at fresh
//! points, and at those of training where they are adaptive or given.

use super::balance::{Balance, balances};
use super::linear::Linearized;
use super::part::MeritTerm;
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
pub enum Caveat {
    /// It is so large that the linearized problem says little of the true one.
    Large,
    /// The windows of time do not reach its end.
    Short,
    /// Equations and conditions do not determine the field: it could be another and meet them as well.
    Undetermined,
    /// The residual of a term is no small part of its summands: the field may be another than the solution.
    Unbalanced {
        /// The term's number.
        term: usize,
        /// The residual by the summands, in whole per cent.
        percent: u32,
    },
    /// The residual of a term is concentrated in few places, which the points may have missed.
    Concentrated(usize),
}

impl Caveat {
    /// The caveat in words.
    pub fn text(&self, problem: &Problem) -> String {
        match self {
            Caveat::Large => "so large that it is only an order of magnitude".to_owned(),
            Caveat::Short => "time was not solved to its end".to_owned(),
            Caveat::Undetermined => {
                "equations and conditions do not determine it, or hardly: is one missing, or do small errors grow enormously?".to_owned()
            }
            Caveat::Unbalanced { term, percent } => {
                let name = &problem.terms[*term].name;
                format!("the equation of `{name}` is not met: its residual is {percent}% of its summands")
            }
            Caveat::Concentrated(term) => {
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
    pub caveats: Vec<Caveat>,
}

/// The estimated errors of all fields; none where no points can be drawn, nor of fields that have grown
/// beyond all numbers.
pub fn estimate(state: &State<'_>, linear: &Linearized) -> Vec<Estimate> {
    let Some(points) = points(state) else { return Vec::new() };
    let problem = state.problem;
    let balances = balances(state);
    let worst = balances.iter().max_by(|a, b| a.share.total_cmp(&b.share));
    let missed = worst.filter(|balance| balance.share > MISSED);
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
        let mut caveats = caveats(linear, &balances, relative_l2, is_free);
        // An equation that is missed by a third of its summands is not solved to a per cent.
        let least = missed.map_or(0.0, |balance| balance.share.min(1.0));
        if let Some(&Balance { term, share, .. }) = missed {
            caveats.insert(0, Caveat::Unbalanced { term, percent: (100.0 * share).round() as u32 });
        }
        let relative_l2 = if relative_l2 < least { least } else { relative_l2 };
        Estimate { field, relative_l2, unfinished, caveats }
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

/// Residuals above this part of their summands are missed equations. After 60 s each, twelve standard
/// problems with errors up to 9% had at most 0.007; van der Pol's and Robertson's, which were not solved,
/// 0.13 and 0.94.
pub const MISSED: f64 = 0.03;
/// Above this the linearized problem says little of the true one.
const LARGE: f64 = 0.1;
/// A field answers to a unit of merit by at most ‖row‖²/ridge, of which this share is left where the ridge
/// alone determines it.
const FREE: f64 = 1e-3;
/// Residuals that are this many times their root mean square are concentrated.
const PEAK: f64 = 30.0;
/// Unless the largest of them is below this part of the summands.
const HARMLESS: f64 = 0.05;

fn caveats(linear: &Linearized, balances: &[Balance], relative: f64, is_free: bool) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    if is_free {
        caveats.push(Caveat::Undetermined);
    }
    if relative > LARGE {
        caveats.push(Caveat::Large);
    }
    // A peak that is small beside the summands of its equation hides nothing.
    let summands = |term: usize| balances.iter().find(|b| b.term == term).map_or(0.0, |b| b.summands);
    let is_peak = |part: &&MeritTerm| {
        part.largest > PEAK * PEAK * part.mse && part.largest.sqrt() > HARMLESS * summands(part.term)
    };
    let peaks = linear.parts.iter().filter(is_peak);
    caveats.extend(peaks.map(|part| Caveat::Concentrated(part.term)));
    caveats
}
