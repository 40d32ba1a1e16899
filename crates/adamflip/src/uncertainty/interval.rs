//! Confidence intervals of unknown coefficients, and whether there is anything to be confident of.

use super::data::{is_beyond_noise, measured_size};
use super::linear::Linearized;
use super::part::{Column, MeritTerm};
use super::student::quantile;
use crate::certificate::State;
use crate::problem::{Problem, Unknown};

/// Up to this many deviations a value may be zero.
const ZERO: f64 = 4.0;
/// What an unknown is told apart by at the least: changes of the data by this share of their size.
const PRECISION: f64 = 1e-3;
/// The share of its size, or of its range if that is less, that its parameter moves an unknown by, below
/// which it stands at a bound.
const BOUND: f64 = 1e-6;

/// Do the equations and data determine an unknown?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identified {
    /// Yes: another value would leave equations or data unmet.
    Yes,
    /// Twice or none of its value would do nearly as well, once all else is fitted to it.
    No,
    /// It stands at one of its bounds, where its trained parameter has no effect.
    AtBound,
    /// Yes, but the fit goes through all observations, so that nothing tells their noise: the interval has no
    /// meaning.
    NoiseUnknown,
    /// Yes, but data are missed by more than their noise: what is left tells nothing of the interval.
    Unexplained,
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
            Identified::NoiseUnknown => Some(format!(
                "how well `{name}` is known cannot be told: the fit goes through all observations, noise and all; give the data \
                 less weight, or make them an objective"
            )),
            Identified::Unexplained => Some(format!(
                "how well `{name}` is known cannot be told: the data are missed by more than their noise; train longer, start \
                 unknowns nearer, or look at the equations"
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

impl Interval {
    /// The interval; none where it has no meaning.
    pub fn ends(&self) -> Option<[f64; 2]> {
        (self.identified == Identified::Yes).then_some([self.lower, self.upper])
    }
}

/// Intervals of all unknowns.
pub fn intervals(state: &State<'_>, linear: &Linearized) -> Vec<Interval> {
    let unknowns = &state.problem.unknowns;
    let (size, count) = (linear.parameters, unknowns.len());
    let first = size - count;
    let solved = linear.solved_units(count);
    let covariance = linear.covariance(&solved);
    let level = level(state.problem, linear);
    let is_exhausted = linear.parts.iter().flat_map(|part| &part.columns).any(Column::is_exhausted);
    let is_unexplained = is_beyond_noise(state);
    let interval = |(number, unknown): (usize, &Unknown)| {
        let (parameter, row) = (state.θ[first + number], &solved[number * size..][..size]);
        // Of nothing, rounding may make less than nothing.
        let variance = |i: usize| covariance[i * count + i].max(0.0);
        let deviation = variance(number).sqrt();
        let step = linear.step[first + number];
        let (value, slope) = unknown.value(parameter);
        let half = width(linear, row, variance(number)) * deviation + step.abs();
        let correlation = |other: usize| {
            let product = (variance(number) * variance(other)).sqrt();
            if product > 0.0 { covariance[number * count + other] / product } else { 0.0 }
        };
        let identified = match identified(unknown, (value, slope), (row[first + number], deviation), level) {
            Identified::Yes if is_unexplained => Identified::Unexplained,
            Identified::Yes if is_exhausted => Identified::NoiseUnknown,
            Identified::Yes if !half.is_finite() => Identified::No,
            other => other,
        };
        Interval {
            unknown: number,
            value,
            deviation: slope * deviation,
            lower: unknown.value(parameter - half).0,
            upper: unknown.value(parameter + half).0,
            unfinished: slope * step.abs(),
            identified,
            correlations: (0..count).map(correlation).collect(),
        }
    };
    unknowns.iter().enumerate().map(interval).collect()
}

/// Half of what the interval of a number is wide, in deviations.
pub(super) fn width(linear: &Linearized, solved: &[f64], variance: f64) -> f64 {
    quantile(linear.freedom(solved, variance))
}

/// Would the merit rise above `level` if the unknown changed by its own size and all else were fitted again?
/// By the linearized problem it rises by half the square of the change over the diagonal entry of H⁻¹.
fn identified(
    unknown: &Unknown,
    (value, slope): (f64, f64),
    (inverse, deviation): (f64, f64),
    level: f64,
) -> Identified {
    let thought = match value.abs().max(unknown.start.abs()) {
        0.0 => 1.0,
        size => size,
    };
    let range = unknown.bounds.map_or(f64::INFINITY, |(lower, upper)| upper - lower);
    if unknown.bounds.is_some() && slope < BOUND * thought.min(range) {
        return Identified::AtBound;
    }
    // One that may be zero has the size that it was thought to have.
    let size = if value.abs() > ZERO * deviation * slope { value.abs() } else { thought }.min(range);
    let change = size / slope;
    if 0.5 * change * change / inverse > level { Identified::Yes } else { Identified::No }
}

/// The merit of data that are met to a thousandth of their size; without data, the merit at θ. (What noise
/// hides is in the interval.)
fn level(problem: &Problem, linear: &Linearized) -> f64 {
    let observed = || linear.parts.iter().filter(|part| part.observed);
    if observed().next().is_none() {
        return linear.parts.iter().map(|part| part.weight * part.mse).sum();
    }
    // Data that are all zero tell no size: theirs is one.
    let size = |part: &MeritTerm| match measured_size(&problem.terms[part.term], &part.points) {
        0.0 => 1.0,
        size => size,
    };
    observed().map(|part| part.weight * PRECISION * PRECISION * size(part)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A diffusivity far below the upper end of its range is not at the lower one.
    #[test]
    fn a_small_value_in_wide_bounds_is_not_at_a_bound() {
        let unknown =
            |start: f64| Unknown { name: "κ".to_owned(), start, bounds: Some((0.0, 1e-2)), truth: None };
        // Near zero the value is an exponential of its parameter.
        assert_eq!(identified(&unknown(1e-8), (1e-9, 1e-9), (1e-3, 0.1), 1e-6), Identified::Yes);
        assert_eq!(identified(&unknown(1e-3), (1e-12, 1e-12), (1e-3, 0.1), 1e-6), Identified::AtBound);
        assert_eq!(identified(&unknown(1e-3), (1e-2, 1e-10), (1e-3, 0.1), 1e-6), Identified::AtBound);
    }
}
