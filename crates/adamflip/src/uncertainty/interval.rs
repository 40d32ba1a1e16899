//! Confidence intervals of unknown coefficients, and whether there is anything to be confident of.

use super::linear::Linearized;
use super::part::Part;
use super::student::quantile;
use crate::certificate::State;
use crate::geometry::Points;
use crate::objective::values;
use crate::problem::Unknown;

/// What an unknown is told apart by at the least: changes of the data by this share of their size.
const PRECISION: f64 = 1e-3;

/// Do the equations and data determine an unknown?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identified {
    /// Yes: another value would leave equations or data unmet.
    Yes,
    /// Twice or none of its value would do nearly as well, once all else is fitted to it.
    No,
    /// It stands at one of its bounds, where its trained parameter has no effect.
    AtBound,
}

impl Identified {
    /// What is wrong with an unknown of this name, and what to do.
    pub fn trouble(self, name: &str) -> Option<String> {
        match self {
            Identified::Yes => None,
            Identified::No => Some(format!(
                "`{name}` is not determined: with another value of it the equations and data can be met as well; measure \
                 something that depends on it, or give its value"
            )),
            Identified::AtBound => Some(format!(
                "`{name}` stands at one of its bounds: widen them, or look whether the data contradict the equations"
            )),
        }
    }
}

/// What is known of an unknown coefficient.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// Its number.
    pub unknown: usize,
    /// Its value.
    pub value: f64,
    /// The standard deviation that noise and what the equations leave unmet give it.
    pub deviation: f64,
    /// The 95% interval, the step that is left included.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
    /// How far another step of Gauss and Newton would move it: what training has not finished.
    pub unfinished: f64,
    /// Is it determined at all?
    pub identified: Identified,
    /// The correlations with all unknowns.
    pub correlations: Vec<f64>,
}

/// Intervals of all unknowns.
pub fn intervals(state: &State<'_>, linear: &Linearized) -> Vec<Interval> {
    let unknowns = &state.problem.unknowns;
    let (size, count) = (linear.parameters, unknowns.len());
    let first = size - count;
    let mut rows = vec![0.0; count * size];
    (0..count).for_each(|i| rows[i * size + first + i] = 1.0);
    let solved = linear.solved(rows);
    let covariance = linear.covariance(&solved);
    let level = level(state, linear);
    let width = width(linear);
    let interval = |(number, unknown): (usize, &Unknown)| {
        let parameter = state.θ[first + number];
        let variance = |i: usize| covariance[i * count + i];
        let deviation = variance(number).sqrt();
        let step = linear.step[first + number];
        let (value, slope) = unknown.value(parameter);
        let half = width * deviation + step.abs();
        let correlation =
            |other: usize| covariance[number * count + other] / (variance(number) * variance(other)).sqrt();
        Interval {
            unknown: number,
            value,
            deviation: slope * deviation,
            lower: unknown.value(parameter - half).0,
            upper: unknown.value(parameter + half).0,
            unfinished: slope * step.abs(),
            identified: identified(unknown, (value, slope), solved[number * size + first + number], level),
            correlations: (0..count).map(correlation).collect(),
        }
    };
    unknowns.iter().enumerate().map(interval).collect()
}

/// Half of what an interval is wide, in deviations.
pub(super) fn width(linear: &Linearized) -> f64 {
    let freedom = linear.parts.iter().filter(|part| part.observed).map(|part| part.freedom).sum();
    // Without observations the residuals of equations are what the deviation was estimated by: more than enough of them.
    quantile(if freedom > 0.0 { freedom } else { f64::INFINITY })
}

/// Would the merit rise above `level` if the unknown changed by its own size and all else were fitted anew? By the linearized
/// problem it rises by half the square of the change over the diagonal entry of H⁻¹.
fn identified(unknown: &Unknown, (value, slope): (f64, f64), inverse: f64, level: f64) -> Identified {
    let size = unknown.bounds.map_or(value.abs(), |(lower, upper)| value.abs().min(upper - lower));
    let range = unknown.bounds.map_or(f64::INFINITY, |(lower, upper)| upper - lower);
    if slope < 1e-6 * range.min(1.0) {
        return Identified::AtBound;
    }
    let change = size.max(f64::MIN_POSITIVE) / slope;
    if 0.5 * change * change / inverse > level { Identified::Yes } else { Identified::No }
}

/// The merit of data that are met to a thousandth of their size; without data, the merit at θ. (What noise hides is in the
/// interval.)
fn level(state: &State<'_>, linear: &Linearized) -> f64 {
    let observed: Vec<&Part> = linear.parts.iter().filter(|part| part.observed).collect();
    if observed.is_empty() {
        return linear.parts.iter().map(|part| part.weighted(part.mse)).sum();
    }
    let level = |part: &&Part| {
        let size = PRECISION * size_at(state, part.points());
        part.weighted(size * size)
    };
    observed.iter().map(level).sum()
}

/// The root mean square of the sought fields at points.
fn size_at(state: &State<'_>, points: &Points) -> f64 {
    let columns = values(&state.problem.solution, state.model, &state.problem.unknowns, state.θ, points);
    let all = columns.iter().take(state.problem.sought).flatten();
    let (sum, count) = all.fold((0.0, 0), |(sum, count), u| (sum + u * u, count + 1));
    (sum / f64::from(count.max(1))).sqrt()
}
