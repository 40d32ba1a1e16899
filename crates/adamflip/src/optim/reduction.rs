//! What a step promises of ‖h‖₂, and what came of the promise of the step before.

use super::{Evaluation, StepReport};
use crate::linalg::norm;

/// The last promise.
#[derive(Debug)]
pub(crate) struct Reduction {
    /// θ at the start of the step, then Δθ. Free for other uses before [`begin`](Self::begin).
    pub(crate) step: Vec<f64>,
    /// h + JΔθ: what h should become.
    pub(crate) expected: Vec<f64>,
    /// ‖h‖₂ at the start of the last step; NaN before the first and where points have changed.
    pub(crate) before: f64,
}

impl Reduction {
    pub(crate) fn new(parameters: usize, constraints: usize) -> Self {
        Self { step: vec![0.0; parameters], expected: vec![f64::NAN; constraints], before: f64::NAN }
    }

    /// Forgets the promise of the last step: ‖h‖ of other points says nothing about it.
    pub(crate) fn forget(&mut self) {
        self.before = f64::NAN;
    }

    /// Remembers where the step starts and reports what the last one brought.
    pub(crate) fn begin(&mut self, at: &Evaluation, θ: &[f64], report: &mut StepReport) {
        report.actual = 1.0 - norm(&at.violated()) / self.before;
        self.step.copy_from_slice(θ);
    }

    /// Reports what a step to θ promises.
    pub(crate) fn end(&mut self, at: &Evaluation, θ: &[f64], report: &mut StepReport) {
        self.step.iter_mut().zip(θ).for_each(|(step, θ)| *step = θ - *step);
        at.jacobian.times(&self.step, &mut self.expected);
        self.promise(at, report);
    }

    /// The same where `expected` holds JΔθ already.
    pub(crate) fn promise(&mut self, at: &Evaluation, report: &mut StepReport) {
        self.expected.iter_mut().zip(&at.constraints).for_each(|(change, h)| *change += h);
        at.inequalities.cut(&mut self.expected);
        self.before = norm(&at.violated());
        report.predicted = 1.0 - norm(&self.expected) / self.before;
    }
}
