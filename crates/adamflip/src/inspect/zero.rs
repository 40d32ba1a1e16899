//! Problems that zero solves: fields that are 0 everywhere, or coefficients that are 0.

use super::Finding;
use super::probe::{Numbers, evaluate, evaluate_with, field, points, reads};
use crate::geometry::{Place, Points};
use crate::lang::Leaf;
use crate::problem::{Problem, Residual};
use crate::sample::SampleError;

/// Points of a term that are looked at.
const POINTS: usize = 50;
/// What sin(π) is at the most, times coefficients.
const ZERO: f64 = 1e-12;

/// Whether fields of zero meet every equation, and which coefficients of zero make equations hold for every
/// field.
pub(super) fn solutions(problem: &Problem, seed: u64) -> Result<Vec<Finding>, SampleError> {
    let mut terms = Vec::new();
    for (term, number) in problem.terms.iter().zip(1..) {
        let points = term.source.draw_at_most(POINTS, &problem.domain, seed, number, 0)?;
        terms.push((&term.residual, points));
    }
    let mut found: Vec<Finding> = Vec::from_iter(zero_fields(problem, &terms).then_some(Finding::ZeroFields));
    let mut seen = Vec::new();
    for (term, (residual, _)) in terms.iter().enumerate() {
        let zero = coefficients(problem, residual);
        if zero.is_empty() || seen.contains(&zero) {
            continue;
        }
        let mut concerned =
            terms.iter().filter(|(residual, _)| zero.iter().any(|c| c.is_in(residual, problem)));
        if concerned.all(|(residual, points)| vanishes(problem, residual, points, &zero)) {
            let names = zero.iter().map(|coefficient| coefficient.name(problem)).collect();
            found.push(Finding::ZeroCoefficients { term, names });
        }
        seen.push(zero);
    }
    Ok(found)
}

fn zero_fields(problem: &Problem, terms: &[(&Residual, Points)]) -> bool {
    let zero =
        |(residual, points): &(&Residual, Points)| is_zero(&evaluate(residual, points, Numbers::All(0.0)));
    // With an ansatz networks of zero may well be a solution that is not.
    let fields = points(&problem.domain, &Place::interior(), POINTS).is_some_and(|points| {
        is_zero(&evaluate(&problem.solution, &points, Numbers::All(0.0))[..problem.sought])
    });
    fields && !terms.is_empty() && terms.iter().all(zero)
}

fn is_zero(residuals: &[Vec<f64>]) -> bool {
    residuals.iter().flatten().all(|residual| residual.abs() <= ZERO)
}

/// What is to be found beside the fields sought, and may be zero.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Coefficient {
    Number(usize),
    /// A field, and its network's output where it is zero.
    Field(usize, f64),
}

/// The coefficients of a residual that may be zero.
fn coefficients(problem: &Problem, residual: &Residual) -> Vec<Coefficient> {
    let unbounded = |&unknown: &usize| {
        problem.unknowns[unknown].bounds.is_none_or(|(lower, upper)| lower <= 0.0 && upper >= 0.0)
    };
    let mut numbers: Vec<usize> = residual.unknowns().filter(unbounded).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let fields = (problem.sought..problem.fields.len())
        .filter(|&field| reads(residual, &problem.networks, field))
        .filter_map(|field| Some(Coefficient::Field(field, output_of_zero(problem, field)?)));
    numbers.into_iter().map(Coefficient::Number).chain(fields).collect()
}

/// The output of its network at which a coefficient is zero: that of start + output; none where bounds
/// transform it.
fn output_of_zero(problem: &Problem, field: usize) -> Option<f64> {
    let points = points(&problem.domain, &Place::interior(), 1)?;
    let value = |output| evaluate(&problem.solution, &points, Numbers::All(output))[field][0];
    let output = -value(0.0);
    (value(output).abs() <= ZERO).then_some(output)
}

impl Coefficient {
    fn is_in(&self, residual: &Residual, problem: &Problem) -> bool {
        match *self {
            Self::Number(number) => residual.unknowns().any(|unknown| unknown == number),
            Self::Field(field, _) => reads(residual, &problem.networks, field),
        }
    }

    fn name(&self, problem: &Problem) -> String {
        match *self {
            Self::Number(number) => problem.unknowns[number].name.clone(),
            Self::Field(field, _) => problem.fields[field].clone(),
        }
    }
}

/// Whether a residual is zero where the coefficients are, and only there, whatever the fields are.
fn vanishes(problem: &Problem, residual: &Residual, points: &Points, zero: &[Coefficient]) -> bool {
    let number = |leaf: Leaf| {
        let read = field(residual, &problem.networks, leaf);
        zero.iter().find_map(|coefficient| match *coefficient {
            Coefficient::Number(number) => (leaf == Leaf::Unknown(number)).then_some(0.0),
            Coefficient::Field(field, output) => {
                read.filter(|read| read.0 == field).map(|(_, is_value)| if is_value { output } else { 0.0 })
            }
        })
    };
    [0, 1].into_iter().all(|choice| {
        is_zero(&evaluate_with(residual, points, choice, number))
            && !is_zero(&evaluate(residual, points, Numbers::Arbitrary(choice)))
    })
}
