//! What a row says: the names of its columns and, for a step, its numbers.

use crate::optim::{Block, Sense};
use crate::problem::{Problem, Role};
use crate::train::Progress;

/// What every step has.
const STEP: [&str; 9] =
    ["step", "stage", "method", "seconds", "objective", "violation", "rate", "step_norm", "gradient_norm"];
/// What some methods have, or only where it was asked for.
#[rustfmt::skip]
const COSTLY: [&str; 10] = [
    "kkt", "gain", "predicted", "actual", "condition", "rank", "refused", "radius", "damping", "penalty",
];

/// The column of an unknown: a word of its own before it, for a user may call it `rate`.
pub fn unknown_column(name: &str) -> String {
    format!("unknown_{name}")
}

/// The names of all columns.
pub(super) fn names(problem: &Problem) -> Vec<String> {
    let mut names: Vec<String> = STEP.map(str::to_owned).to_vec();
    names
        .extend(problem.terms.iter().flat_map(|term| ["mse", "max"].map(|of| format!("{}_{of}", term.name))));
    names.extend(constraints(problem).map(|term| format!("multiplier_{}", problem.terms[term].name)));
    names.extend(inequalities(problem).map(|term| format!("active_{}", problem.terms[term].name)));
    names.extend(problem.unknowns.iter().map(|unknown| unknown_column(&unknown.name)));
    names.extend(COSTLY.map(str::to_owned));
    names.extend(constraints(problem).map(|term| format!("{}_rms", problem.terms[term].name)));
    names.extend(known(problem).map(|field| format!("rel_l2_{}", problem.fields[field])));
    names
}

/// A step. Only later it shows which was the last, so one is kept of every step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub(super) method: &'static str,
    /// In the order of the names, without the errors; what there is not is not a number.
    pub(super) numbers: Vec<f64>,
}

impl Row {
    /// The number of the step; 0 before the first.
    pub fn step(&self) -> usize {
        self.numbers.first().map_or(0, |step| *step as usize)
    }

    /// Takes over a step that ended after this many seconds.
    pub fn take(&mut self, progress: &Progress<'_>, problem: &Problem, seconds: f64) {
        let (report, row) = (&progress.report, &mut self.numbers);
        self.method = progress.method;
        row.clear();
        row.extend([progress.step as f64, progress.stage as f64, seconds]);
        row.extend([report.objective, report.violation, report.rate, report.step_norm, report.gradient_norm]);
        row.extend(progress.misfits.iter().flat_map(|misfit| [misfit.mse, misfit.max]));
        let mut together = multipliers(progress).map(together);
        row.extend(constraints(problem).map(|_| together.next().unwrap_or(f64::NAN)));
        let mut own = multipliers(progress).zip(progress.blocks).map(|(λ, group)| active(λ, group));
        let active = constraints(problem).map(|term| (term, own.next().unwrap_or(f64::NAN)));
        row.extend(active.filter(|(term, _)| problem.terms[*term].is_inequality()).map(|(_, count)| count));
        let parameters = &progress.θ[progress.θ.len() - problem.unknowns.len()..];
        row.extend(problem.unknowns.iter().zip(parameters).map(|(unknown, &p)| unknown.value(p).0));
        row.extend([report.kkt, report.gain, report.predicted, report.actual, report.condition, report.rank]);
        row.extend([report.refused, report.radius, report.damping, report.penalty]);
        row.extend(constraints(problem).map(|term| progress.misfits[term].mse.sqrt()));
    }
}

/// λ of every constraint; none for methods without.
fn multipliers<'a>(progress: &'a Progress<'_>) -> impl Iterator<Item = &'a [f64]> {
    let mut rest = progress.multipliers;
    progress.blocks.iter().filter(|_| !progress.multipliers.is_empty()).map(move |block| {
        let (own, others) = rest.split_at(block.size.min(rest.len()));
        rest = others;
        own
    })
}

/// How many inequalities of a block are active: those with a multiplier.
fn active(λ: &[f64], block: &Block) -> f64 {
    match block.sense {
        Sense::AtMostZero => λ.iter().filter(|λ| **λ > 0.0).count() as f64,
        Sense::Zero => f64::NAN,
    }
}

/// The numbers of the constraints among the terms.
fn constraints(problem: &Problem) -> impl Iterator<Item = usize> {
    (0..problem.terms.len()).filter(|&term| problem.terms[term].role == Role::Constraint)
}

/// The numbers of the inequalities among the terms.
fn inequalities(problem: &Problem) -> impl Iterator<Item = usize> {
    constraints(problem).filter(|&term| problem.terms[term].is_inequality())
}

/// The fields with a reference.
fn known(problem: &Problem) -> impl Iterator<Item = usize> {
    problem.reference.iter().flat_map(|reference| reference.fields.iter().map(|(field, _)| *field))
}

/// The only number, or the root of the mean square of several.
fn together(numbers: &[f64]) -> f64 {
    match numbers {
        [one] => *one,
        _ => (numbers.iter().map(|x| x * x).sum::<f64>() / numbers.len() as f64).sqrt(),
    }
}
