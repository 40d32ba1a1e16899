//! The profile of an unknown: how the merit rises when it is held at other values and everything else is
//! fitted again.
//!
//! A slower check of [`intervals`](super::intervals), which take the merit for a quadratic function. With the
//! merit φ(p) of the refitted problem, its rise is measured in deviations, t(p) = ±√(2(φ(p) − φ̂)·H⁻¹ₚₚ/σₚ²):
//! for a quadratic function t = (p − p̂)/σₚ exactly, and the scale keeps weights that are not those of the
//! noise from mattering. The interval is where
//! |t| is below the quantile, found by interpolation.

use std::sync::Arc;

use super::interval::width;
use super::linear::Linearized;
use crate::certificate::State;
use crate::model::Model;
use crate::objective::Objective;
use crate::optim::{
    Block, ConstrainedProblem, Evaluation, GaussNewton, Matrix, NewtonSettings, Optimizer, Want,
};
use crate::problem::{Problem, Role};

/// Where the unknown is held, in half widths of its interval from its value.
const OFFSETS: [f64; 8] = [0.4, 0.8, 1.2, 1.6, -0.4, -0.8, -1.2, -1.6];
/// The most steps that a fit may take.
const STEPS: usize = 30;
/// A fit ends when the merit falls by less than this share of what one deviation raises it by.
const SETTLED: f64 = 1e-3;

/// The profile of an unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its number.
    pub unknown: usize,
    /// Values and how many deviations the merit puts them away, in rising order.
    pub curve: Vec<(f64, f64)>,
    /// The 95% interval; infinite where the curve does not reach so far.
    pub lower: f64,
    /// Its upper end.
    pub upper: f64,
}

/// The profiles of all unknowns. Takes some dozens of Gauss–Newton steps for each.
pub fn profiles(state: &State<'_>, linear: &Linearized) -> Vec<Profile> {
    let count = state.problem.unknowns.len();
    let mut fit = Fit::new(state, linear);
    // The trained θ is not quite the minimum of the merit at these points.
    let mut minimum = state.θ.to_vec();
    let first = state.θ.len() - count;
    let solved = linear.solved_units(count);
    let variances = linear.variances(&solved);
    let least = fit.run(&mut minimum, None, 0.0);
    let mut profile = |unknown: usize| {
        let at = first + unknown;
        let (variance, row) = (variances[unknown], &solved[unknown * state.θ.len()..][..state.θ.len()]);
        let (deviation, inverse, width) = (variance.sqrt(), row[at], width(linear, row, variance));
        // What one deviation raises the merit by.
        let unit = 0.5 * deviation * deviation / inverse;
        let mut curve = vec![(minimum[at], 0.0)];
        let mut θ = minimum.clone();
        // Where nothing is known there is nothing to hold it against.
        let offsets = if unit > 0.0 && unit.is_finite() { &OFFSETS[..] } else { &[] };
        for &offset in offsets {
            if offset == -OFFSETS[0] {
                θ.copy_from_slice(&minimum);
            }
            θ[at] = minimum[at] + offset * width * deviation;
            let rise = fit.run(&mut θ, Some(at), SETTLED * unit) - least;
            // Where the equations give no number the unknown cannot be: further away than any deviation.
            let rise = if rise.is_nan() { f64::INFINITY } else { rise.max(0.0) };
            curve.push((θ[at], offset.signum() * (rise / unit).sqrt()));
            if rise.is_infinite() {
                θ.copy_from_slice(&minimum);
            }
        }
        curve.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [lower, upper] = [-1.0, 1.0].map(|side| crossing(&curve, side * width));
        curve.retain(|(_, t)| t.is_finite());
        let value = |parameter: f64| state.problem.unknowns[unknown].value(parameter).0;
        Profile {
            unknown,
            lower: lower.map_or(f64::NEG_INFINITY, value),
            upper: upper.map_or(f64::INFINITY, value),
            curve: curve.into_iter().map(|(parameter, t)| (value(parameter), t)).collect(),
        }
    };
    (0..count).map(&mut profile).collect()
}

/// Where the curve takes a value, between two of its points; where one of them is infinitely far, that one:
/// the interval is rather too wide.
fn crossing(curve: &[(f64, f64)], level: f64) -> Option<f64> {
    let between = |pair: &&[(f64, f64)]| (pair[0].1 - level) * (pair[1].1 - level) <= 0.0;
    let pair = match level < 0.0 {
        // The one next to the value itself.
        true => curve.windows(2).rev().find(between)?,
        false => curve.windows(2).find(between)?,
    };
    let [(x0, t0), (x1, t1)] = [pair[0], pair[1]];
    Some(match () {
        () if t1 == t0 || t0.is_infinite() => x0,
        () if t1.is_infinite() => x1,
        () => x0 + (level - t0) / (t1 - t0) * (x1 - x0),
    })
}

/// Fits all parameters, or all but one, at the points of the linearized problem.
struct Fit {
    objective: Objective,
    parameters: usize,
}

impl Fit {
    fn new(state: &State<'_>, linear: &Linearized) -> Self {
        let mut problem: Problem = state.problem.clone();
        let mut points = state.points.to_vec();
        for part in &linear.parts {
            let term = &mut problem.terms[part.term];
            (term.role, term.weight) = (Role::Objective, part.weight);
            points[part.term] = part.points.clone();
        }
        let model: Arc<Model> = Arc::new(state.model.clone());
        Self { objective: Objective::new(&problem, model, &points), parameters: state.θ.len() }
    }

    /// The least merit from θ, which moves there.
    fn run(&mut self, θ: &mut [f64], held: Option<usize>, settled: f64) -> f64 {
        let settings = NewtonSettings { memory: 0.0, damping: 1e-9, ..NewtonSettings::default() };
        let mut method = GaussNewton::new(settings, self.parameters, &[]);
        let mut problem = Held { objective: &mut self.objective, held };
        let mut before = f64::INFINITY;
        for _ in 0..STEPS {
            let objective = method.step(&mut problem, θ).objective;
            if before - objective <= settled.max(1e-9 * objective) || method.end().is_some() {
                break;
            }
            before = objective;
        }
        let mut at = Evaluation::new(self.parameters, 0);
        problem.evaluate(θ, Want::Values, &mut at);
        at.objective
    }
}

/// A problem one parameter of which stays where it is.
struct Held<'a> {
    objective: &'a mut Objective,
    held: Option<usize>,
}

impl ConstrainedProblem for Held<'_> {
    fn parameters(&self) -> usize {
        self.objective.parameters()
    }

    fn constraints(&self) -> usize {
        self.objective.constraints()
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        self.objective.constraint_blocks()
    }

    fn matrices(&self) -> Vec<Matrix> {
        self.objective.matrices()
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        self.objective.evaluate(θ, want, out);
        if let Some(held) = self.held {
            out.gradient[held] = 0.0;
        }
    }

    fn add_gauss_newton(&mut self, θ: &[f64], weights: &[f64], lower: &mut [f64]) {
        self.objective.add_gauss_newton(θ, weights, lower);
        let Some(held) = self.held else { return };
        let size = θ.len();
        lower[held * size..(held + 1) * size].fill(0.0);
        (held..size).for_each(|row| lower[row * size + held] = 0.0);
        lower[held * size + held] = 1.0;
    }
}
