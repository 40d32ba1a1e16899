//! Why training ended.

/// Why training ended: the end of the last stage, or what ended the run before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The KKT residual and the violation are below the tolerance of the plan, or the method found nothing left to do.
    Converged,
    /// Every tolerance is met on points that training never saw, and the plan says to end then.
    Feasible,
    /// Nothing improved for as long as the plan has patience, or the method found no better step.
    Stagnated,
    /// All planned steps were taken.
    MaxSteps,
    /// The watcher's time budget ran out.
    TimeBudget,
    /// The watcher asked to stop.
    Interrupted,
    /// A loss or gradient was not finite; θ is the last one where all were.
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
