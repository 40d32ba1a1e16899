//! The plan as it was taken: a problem file whose stages, seed and start values are those of the attempt that
//! was kept, and which finds the same θ to the bit without a plan that watches itself.

use super::Trainer;
use crate::problem::Stage;
use crate::problem::plan::is_default;
use crate::spec::TakenStage;

/// A problem file with the plan as it was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The text of the whole file.
    pub file: String,
    /// Its `[train]` section.
    pub train: String,
    /// Why it does not find the same to the bit, where it does not.
    pub differs: Option<&'static str>,
}

impl Trainer {
    /// The plan as it was taken so far; none before the first step, or where the file has stages of its own.
    pub fn written(&self) -> Option<Written> {
        let taken: Vec<(Stage, usize)> = self.stages_taken();
        if taken.is_empty() || !is_default(&self.plan) {
            return None;
        }
        let stage = |(stage, steps): &(Stage, usize)| {
            let (method, settings) = stage.written();
            TakenStage {
                method,
                steps: *steps,
                settings: settings.to_vec(),
                resample: stage.resample,
                hidden: stage.hidden.clone(),
                equations: stage.equations,
            }
        };
        let stages: Vec<TakenStage> = taken.iter().map(stage).collect();
        let starts: Vec<(&str, f64)> =
            self.starts().map(|(unknown, start)| (unknown.name.as_str(), start)).collect();
        let file = self.problem.file.with_plan(self.seed, &starts, self.problem.resample, &stages);
        Some(Written { file: file.text(), train: file.train_text(), differs: self.differs() })
    }

    /// Why the stages that were taken are not all that was done.
    fn differs(&self) -> Option<&'static str> {
        let adaptive = |term: &crate::problem::Term| term.source.grows();
        if self.marching.is_some() {
            Some(
                "windows of time took different numbers of steps, and where they were found as the run went on they are of unequal length: `plan = \"auto\"` finds them again",
            )
        } else if !self.problem.continuation.is_empty() {
            Some("constants came to their values step by step, each with a number of steps of its own")
        } else if self.held.is_in_use() {
            Some("a tenth of the observations was held out, which a plan with stages does not do")
        } else if self.attempts.seed.is_some() && self.problem.terms.iter().any(adaptive) {
            Some("points that were added where residuals are large were drawn again in between")
        } else if self.problem.train.start.is_some() {
            Some("it started from another solution")
        } else {
            None
        }
    }
}
