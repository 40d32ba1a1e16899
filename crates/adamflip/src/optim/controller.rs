//! What the methods of feedback linearization share: evaluate, find λ and the direction g = ∇f + Jᵀλ, and
//! account for both in the report.

use super::multiplier::{Feedback, Multiplier};
use super::reduction::Reduction;
use super::{ConstrainedProblem, Evaluation, State, StepReport, Want};
use crate::linalg::norm;

/// The evaluation at θ, the multiplier, and the account of ‖h‖.
#[derive(Debug)]
pub(crate) struct Controller {
    pub(crate) at: Evaluation,
    pub(crate) multiplier: Multiplier,
    pub(crate) reduction: Reduction,
}

impl Controller {
    pub(crate) fn new(feedback: Feedback, parameters: usize, constraints: usize) -> Self {
        Self {
            at: Evaluation::new(parameters, constraints),
            multiplier: Multiplier::new(feedback, constraints),
            reduction: Reduction::new(parameters, constraints),
        }
    }

    /// The direction g at θ in `at.gradient`, shortened to `clip`. The second part of the answer is `false`
    /// where numbers are not finite, and no step is to be taken.
    pub(crate) fn direction(
        &mut self,
        problem: &mut dyn ConstrainedProblem,
        metric: Option<&[f64]>,
        clip: Option<f64>,
        η: f64,
        θ: &[f64],
    ) -> (StepReport, bool) {
        // A metric scales the columns of J, which takes its rows.
        let want = if metric.is_some() { Want::Gradients } else { Want::Products };
        problem.evaluate(θ, want, &mut self.at);
        self.multiplier.meet(problem);
        self.at.inequalities.clone_from(self.multiplier.normal.active.inequalities());
        self.multiplier.apply(&mut self.at, metric, η);
        let mut report = begin(&self.at, η);
        if !self.at.is_finite() || !report.gradient_norm.is_finite() {
            return (report, false);
        }
        let room = &mut self.reduction.step;
        room.copy_from_slice(&self.at.gradient);
        // This takes away what K h put into g, and once more what the damping left of J∇f.
        self.multiplier.normal.project(&self.at.jacobian, metric, room);
        report.kkt = norm(room);
        report.gain = η * self.multiplier.largest_gain;
        report.condition = self.multiplier.normal.spectrum.condition;
        report.rank = self.multiplier.normal.spectrum.rank;
        self.reduction.begin(&self.at, θ, &mut report);
        shorten(&mut self.at.gradient, report.gradient_norm, clip);
        (report, true)
    }

    /// λ of the last step.
    pub(crate) fn multipliers(&self) -> &[f64] {
        &self.multiplier.λ
    }

    /// Asks for the costly parts of reports, or stops asking.
    pub(crate) fn diagnose(&mut self, wanted: bool) {
        self.multiplier.normal.diagnose(wanted);
    }

    /// What was seen of h is not to be held against what comes.
    pub(crate) fn points_changed(&mut self) {
        self.reduction.forget();
    }

    /// Accounts for the step that led to θ.
    pub(crate) fn end(&mut self, θ: &[f64], report: &mut StepReport) {
        self.reduction.end(&self.at, θ, report);
        report.step_norm = norm(&self.reduction.step);
    }

    /// What must be saved to go on exactly.
    pub(crate) fn state(&self) -> State {
        let Multiplier { integral, average, .. } = &self.multiplier;
        let lists = [("integral", integral), ("average", average)].into_iter();
        let used = lists.filter(|(_, list)| !list.is_empty()).map(|(name, list)| (name, list.clone()));
        std::iter::once(("before", vec![self.reduction.before])).chain(used).collect()
    }

    /// The same lists, to restore.
    pub(crate) fn lists(&mut self) -> Vec<(&'static str, &mut [f64])> {
        let Multiplier { integral, average, .. } = &mut self.multiplier;
        let lists = [("integral", integral), ("average", average)].into_iter();
        let used = lists.filter(|(_, list)| !list.is_empty()).map(|(name, list)| (name, &mut list[..]));
        std::iter::once(("before", std::slice::from_mut(&mut self.reduction.before))).chain(used).collect()
    }
}

/// A report of what is known before the step.
pub(crate) fn begin(at: &Evaluation, η: f64) -> StepReport {
    StepReport {
        objective: at.objective,
        violation: at.violation(),
        rate: η,
        gradient_norm: norm(&at.gradient),
        ..StepReport::default()
    }
}

/// Shortens g to the limit, if there is one.
pub(crate) fn shorten(g: &mut [f64], length: f64, limit: Option<f64>) {
    if let Some(limit) = limit.filter(|&limit| length > limit) {
        g.iter_mut().for_each(|g| *g *= limit / length);
    }
}
