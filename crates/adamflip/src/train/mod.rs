//! The one training loop: sample, step, observe, stop.
//!
//! [`Trainer`] owns the problem, the points, θ and the optimizer. Only it changes points. It reads no clock: whoever
//! watches is asked after every step whether to go on.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `points` | points of training, and points that training never sees |
//! | `network` | networks and the first θ |
//! | `stage` | the steps of one stage, and what ends it |
//! | `status`, `advice` | why a run ended, and what to do about it |
//! | `trend` | whether losses still fall |
//! | `tolerance` | what the file asks of its terms |
//! | `warning` | constraints that contradict each other or say the same |

mod advice;
mod network;
mod points;
mod stage;
mod status;
#[cfg(test)]
mod tests;
mod tolerance;
mod trend;
mod warning;

use std::sync::Arc;

pub use network::model;
pub use status::Status;
pub use tolerance::Judgement;
pub use warning::{Trouble, Warning};

use crate::geometry::Points;
use crate::objective::{Misfit, Objective};
use crate::optim::{Block, ConstrainedProblem, End, Method, Optimizer, StepReport};
use crate::problem::{Problem, Stage, Term};
use crate::sample::SampleError;
use advice::Seen;
use points::Chooser;
use tolerance::Judge;
use trend::Trends;
use warning::{Lookout, View};

/// What a watcher answers after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Take the next step.
    Continue,
    /// The time budget is used up.
    TimeUp,
    /// Stop now.
    Interrupt,
}

/// What a watcher sees after a step. The losses are those at the start of the step.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Steps taken, over all stages.
    pub step: usize,
    /// Steps planned, over all stages.
    pub steps: usize,
    /// The number of the stage, from 0.
    pub stage: usize,
    /// The method of the stage.
    pub method: &'static str,
    /// Whether the step was observed ([`Trainer::observe`]): its report has the costly parts too.
    pub observed: bool,
    /// What the step saw and did.
    pub report: StepReport,
    /// The misfit of every term.
    pub misfits: &'a [Misfit],
    /// The multipliers of the constraints; empty for methods without.
    pub multipliers: &'a [f64],
    /// How many of them belong to each constraint term, in order.
    pub groups: &'a [Block],
    /// The network's parameters, then those of the unknowns.
    pub θ: &'a [f64],
    /// What was found wrong with constraints so far.
    pub warnings: &'a [Warning],
}

/// What made a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// The plan: its steps, tolerance or patience.
    Plan,
    /// The method came to its end.
    Method(End),
    /// Numbers that are not finite after so many steps: the loss of a term, or a gradient.
    NotFinite { term: Option<usize>, taken: usize },
}

/// A problem in training.
pub struct Trainer {
    problem: Problem,
    seed: u64,
    stages: Vec<Stage>,
    objective: Objective,
    /// The current points of every term.
    points: Vec<Points>,
    optimizer: Option<Box<dyn Optimizer>>,
    θ: Vec<f64>,
    /// θ at the start of the current step.
    start: Vec<f64>,
    /// The last θ at which losses and gradients were finite.
    last_finite: Vec<f64>,
    step: usize,
    stage: usize,
    /// Steps between observations; none are made where it is not set.
    observe: Option<usize>,
    /// What the current stage was like.
    trends: Option<Trends>,
    why: Why,
    lookout: Lookout,
}

impl Trainer {
    /// Draws points and initial parameters. Runs on the current rayon pool, as do all later calls.
    pub fn new(problem: Problem, seed: u64, stages: Vec<Stage>) -> Result<Self, SampleError> {
        let points = points::first(&problem, seed)?;
        let (model, θ) = model(&problem, seed);
        let objective = Objective::new(&problem, Arc::new(model), &points);
        let (start, last_finite) = (θ.clone(), θ.clone());
        Ok(Self {
            problem,
            seed,
            stages,
            objective,
            points,
            optimizer: None,
            θ,
            start,
            last_finite,
            step: 0,
            stage: 0,
            observe: None,
            trends: None,
            why: Why::Plan,
            lookout: Lookout::default(),
        })
    }

    /// Observes the first step, every so many-th and the last of a stage: their reports have the costly parts too, and
    /// constraints are looked at for contradictions now and then. Without this neither is done.
    pub fn observe(&mut self, every: usize) {
        self.observe = Some(every.max(1));
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The training problem at its current points.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// The seed of points and initial parameters.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The network's parameters, then those of the unknowns.
    pub fn θ(&self) -> &[f64] {
        &self.θ
    }

    /// Steps taken.
    pub fn step(&self) -> usize {
        self.step
    }

    /// The number of the current stage, from 0.
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// The stages in order.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The optimizer of the current stage, once a step was taken.
    pub fn optimizer(&self) -> Option<&dyn Optimizer> {
        self.optimizer.as_deref()
    }

    /// What was found wrong with constraints; only of runs that are observed.
    pub fn warnings(&self) -> &[Warning] {
        &self.lookout.warnings
    }

    /// Trains through the whole plan or until `watch` says otherwise. A stage that comes to its own end makes room for
    /// the next. A second call goes through the plan again from the current θ.
    pub fn run(&mut self, watch: &mut dyn FnMut(&Progress<'_>) -> Signal) -> Status {
        let mut status = Status::MaxSteps;
        self.why = Why::Plan;
        for stage in 0..self.stages.len() {
            self.stage = stage;
            status = self.run_stage(watch);
            match status {
                Status::Converged | Status::Stagnated | Status::MaxSteps => {}
                Status::Feasible | Status::TimeBudget | Status::Interrupted | Status::Diverged => break,
            }
        }
        status
    }

    /// What the status of the last run means and what to do about it.
    pub fn advice(&self, status: Status) -> String {
        let stage = self.stages.get(self.stage).map(|stage| &stage.method).zip(self.trends.as_ref());
        advice::advice(&Seen {
            status,
            why: self.why,
            problem: &self.problem,
            stage,
            warnings: self.warnings(),
            entries: self.objective.constraints(),
        })
    }

    /// Mean square and largest residual of every term at the current θ.
    pub fn misfits(&mut self) -> Vec<Misfit> {
        self.objective.measure(&self.θ).to_vec()
    }

    /// Every tolerance of the file at the current θ, on points that training never saw.
    pub fn judge(&self) -> Vec<Judgement> {
        let (problem, model, points) = (&self.problem, self.objective.model(), &self.points);
        Judge { problem, model, θ: &self.θ, seed: self.seed, points }.judge()
    }

    /// Looks for constraints that contradict each other or say the same.
    fn look(&mut self) {
        let (problem, model, points) = (&self.problem, self.objective.model(), &self.points);
        let (θ, step, misfits) = (&self.θ, self.step, self.objective.misfits());
        self.lookout.look(&View { problem, model, θ, step, misfits, points });
    }

    /// Are the points of the current stage the same from its first step to its last?
    fn points_stay(&self) -> bool {
        let method = &self.stages[self.stage].method;
        let stay = |term: &Term| term.source.is_fixed() || stays(term, method);
        self.problem.train.resample == 0 || self.problem.terms.iter().all(stay)
    }

    /// Fresh points where the plan asks for them; true where there are any.
    fn resample(&mut self) -> bool {
        let every = self.problem.train.resample;
        if every == 0 || self.step == 0 || !self.step.is_multiple_of(every) {
            return false;
        }
        let round = (self.step / every) as u64;
        let (problem, model) = (&self.problem, self.objective.model());
        let chooser = Chooser { problem, model, θ: &self.θ, seed: self.seed };
        let method = &self.stages[self.stage].method;
        let mut changed = false;
        for (index, points) in self.points.iter_mut().enumerate() {
            if stays(&problem.terms[index], method) {
                continue;
            }
            if let Some(next) = chooser.next(index, round, points) {
                (*points, changed) = (next, true);
            }
        }
        if changed {
            self.objective.set_points(&self.points);
        }
        changed
    }
}

/// Do the points of a term stay where they are during a stage of this method? All do where it compares one step with the
/// next; those of pointwise constraints where it remembers something of each, and are never added to: more points would be
/// more constraints than it has room for.
fn stays(term: &Term, method: &Method) -> bool {
    let remembered = method.keeps_points() || term.source.grows();
    method.keeps_all_points() || term.is_pointwise(method) && remembered
}
