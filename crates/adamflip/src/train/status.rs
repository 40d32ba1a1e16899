//! Why training ended.

use serde::{Deserialize, Serialize};

use crate::optim::End;

/// Why training ended: the end of the last stage, or what ended the run before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The KKT residual and the violation are below the tolerance of the plan, or the method found nothing
    /// left to do.
    Converged,
    /// Every tolerance is met on points that training never saw, and the plan says to end then.
    Feasible,
    /// Nothing improved for as long as the plan has patience, or the method found no better step.
    Stagnated,
    /// All planned steps were taken.
    MaxSteps,
    /// The watcher's time budget ran out.
    TimeBudget,
    /// The watcher asked to stop; a later call goes on exactly there.
    Interrupted,
    /// A loss or gradient was not finite, and θ is the last one where all were; or the residuals ended far
    /// above those of the untrained network.
    Diverged,
}

impl Status {
    /// The name in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Status::Converged => "converged",
            Status::Feasible => "feasible",
            Status::Stagnated => "stagnated",
            Status::MaxSteps => "max_steps",
            Status::TimeBudget => "time_budget",
            Status::Interrupted => "interrupted",
            Status::Diverged => "diverged",
        }
    }
}

/// What made a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Why {
    /// The plan: its steps, tolerance or patience.
    Plan,
    /// The method came to its end.
    Method(End),
    /// The estimated errors are below the accuracy that the plan asks for.
    Accurate,
    /// Observations that were held out are met no better: more steps would fit noise.
    HeldOut,
    /// The window's share of the time is used up.
    Share,
    /// Residuals that ended far above those of the untrained network.
    Grown,
    /// Numbers that are not finite after this many steps: the loss of a term, or a gradient.
    NotFinite {
        /// The number of the term.
        term: Option<usize>,
        /// Steps taken before.
        taken: usize,
    },
}

/// A stage that ended before its last step, and made room for the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageEnd {
    /// Its number, from 0.
    pub stage: usize,
    /// Its method.
    pub method: String,
    /// The step of the run that was its last.
    pub step: usize,
    /// How it ended.
    pub status: Status,
    /// What made it end.
    pub why: Why,
}
