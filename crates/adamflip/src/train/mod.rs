//! The one training loop: sample, step, observe, stop.
//!
//! [`Trainer`] owns the problem, the points, θ and the optimizer. Only it changes points. It reads no clock:
//! whoever watches is asked after every step whether to go on. A run that was interrupted goes on exactly
//! where it was, in the same process or, by its [`Snapshot`], in another.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `points` | the points of training |
//! | `parts` | windows of time and values of a constant, one after the other |
//! | `time_marching` | how long windows are, and when the next begins |
//! | `attempts`, `scouts`, `quality`, `starts` | other attempts where one ends without an answer |
//! | `growth` | a wider network with the same function |
//! | `written` | the plan as it was taken, as a file |
//! | `stage` | the steps of one stage, and what ends it |
//! | `start` | a start from another solution |
//! | `stage_state` | what a stage was like so far |
//! | `snapshot` | everything needed to go on exactly |
//! | `status`, `advice` | why a run ended, and what to do about it |
//! | `held` | observations that training does not see, against fitting noise |
//! | `trend` | whether losses still fall |
//! | `tolerance` | what the file asks of its terms, held against training |
//! | `warning` | constraints that contradict each other or say the same |

mod advice;
mod attempts;
mod balance;
mod growth;
mod held;
mod parts;
mod points;
mod quality;
mod scouts;
mod snapshot;
mod stage;
mod stage_state;
mod start;
mod starts;
mod status;
#[cfg(test)]
mod tests;
mod time_marching;
mod tolerance;
mod trend;
mod warning;
mod written;

use std::sync::Arc;

pub use attempts::{Attempts, Decision};
pub use parts::Share;
pub use snapshot::{RestoreError, RunPosition, Snapshot};
pub use start::{Started, Unlike};
pub use status::{StageEnd, Status, Why};
pub use time_marching::WindowEnd;
pub use warning::{ConstraintIssue, ConstraintMonitor, Warning};
pub use written::Written;

use crate::certificate::{self, Certificate};
use crate::geometry::Points;
use crate::model::Model;
use crate::objective::{Objective, ResidualStats};
pub use crate::objective::{model, model_of};
use crate::optim::{Block, ConstrainedProblem, Method, Optimizer, Sense, StepReport};
use crate::problem::{Problem, Role, Stage, Term};
use crate::ranks::Ranks;
use crate::sample::SampleError;
use advice::Seen;
use held::Held;
use points::Chooser;
use stage_state::StageState;
use time_marching::TimeMarching;
use warning::View;

/// A loss that is this many times that of the untrained network is no result.
const GROWN: f64 = 1e3;

/// What a watcher answers after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Take the next step.
    Continue,
    /// The time budget is used up.
    TimeUp,
    /// The current window's share of it is used up: go on to the next.
    ShareUp,
    /// Stop here; a later call goes on as if nothing had happened.
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
    /// Where the current window begins and ends, and where time does; nothing where there are no windows.
    pub window: Option<[f64; 3]>,
    /// The share of the time that this part of the run may take; nothing where it may take all that is left.
    pub share: Option<Share>,
    /// The method of the stage.
    pub method: &'static str,
    /// Whether the step was observed ([`Trainer::observe`]): its report has the costly parts too.
    pub observed: bool,
    /// What the step saw and did.
    pub report: StepReport,
    /// The misfit of every term.
    pub misfits: &'a [ResidualStats],
    /// The multipliers of the constraints; empty for methods without.
    pub multipliers: &'a [f64],
    /// How many of them belong to each constraint term, in order.
    pub blocks: &'a [Block],
    /// The networks of all windows so far.
    pub model: &'a Model,
    /// The network's parameters, then those of the unknowns.
    pub θ: &'a [f64],
    /// What was found wrong with constraints so far.
    pub warnings: &'a [Warning],
}

/// The inequalities of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Active {
    /// Its number.
    pub term: usize,
    /// How many have a multiplier.
    pub active: usize,
    /// How many there are.
    pub of: usize,
    /// The largest multiplier.
    pub multiplier: f64,
}

/// A problem in training.
pub struct Trainer {
    ranks: Ranks,
    problem: Problem,
    /// Of the current attempt.
    seed: u64,
    /// Of the run.
    asked_seed: u64,
    /// The stages as they were planned, and those of the current attempt.
    plan: Vec<Stage>,
    stages: Vec<Stage>,
    attempts: Attempts,
    objective: Objective,
    /// The current points of every term.
    points: Vec<Points>,
    optimizer: Option<Box<dyn Optimizer>>,
    /// Of all windows so far, where there are any; the last is the current.
    θ: Vec<f64>,
    /// θ at the start of the current step.
    start: Vec<f64>,
    /// The last θ at which losses and gradients were finite.
    last_finite: Vec<f64>,
    step: usize,
    stage: usize,
    /// The steps of the last stage, where they are not those of the plan.
    until: Option<usize>,
    /// Steps before the current window.
    before: usize,
    marching: Option<TimeMarching>,
    /// The step of the continuation: which value of the constants that come to theirs step by step.
    continuation: usize,
    window_ends: Vec<WindowEnd>,
    held: Held,
    /// Was this number asked for? Then an open stage takes no more.
    extended: bool,
    /// Steps between observations; none are made where it is not set.
    observe: Option<usize>,
    /// What the current stage was like, once it began.
    course: Option<StageState>,
    /// How the plan ended, once it did.
    ended: Option<Status>,
    why: Why,
    /// How earlier stages ended, where that was not with their last step.
    early: Vec<StageEnd>,
    monitor: ConstraintMonitor,
}

impl Trainer {
    /// Draws points and initial parameters. Runs on the current rayon pool, as do all later calls.
    pub fn new(problem: Problem, seed: u64, stages: Vec<Stage>) -> Result<Self, SampleError> {
        let first = parts::here(&problem, None, 0);
        let mut points = points::first(first, seed)?;
        let held = Held::new(&problem, &stages, seed, &mut points);
        let (model, θ) = model(&problem, seed);
        let objective = Objective::new(first, Arc::new(model), &points);
        let (start, last_finite) = (θ.clone(), θ.clone());
        let windows = Self::first_windows(&problem);
        let mut trainer = Self {
            ranks: Ranks::default(),
            problem,
            seed,
            asked_seed: seed,
            plan: stages.clone(),
            stages,
            attempts: Attempts::default(),
            objective,
            points,
            optimizer: None,
            θ,
            start,
            last_finite,
            step: 0,
            stage: 0,
            until: None,
            before: 0,
            marching: None,
            continuation: 0,
            window_ends: Vec::new(),
            held,
            extended: false,
            observe: None,
            course: None,
            ended: None,
            why: Why::Plan,
            early: Vec::new(),
            monitor: ConstraintMonitor::default(),
        };
        if let Some(windows) = windows {
            trainer.enter(windows)?;
        }
        Ok(trainer)
    }

    /// Observes the first step, every n-th and the last of a stage: their reports have the costly parts
    /// too, and constraints are looked at for contradictions now and then. Without this neither is done.
    pub fn observe(&mut self, every: usize) {
        self.observe = Some(every.max(1));
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Goes on together with these ranks: all of them have the same state, and make the same calls from now
    /// on. Watchers must answer the same on all of them.
    pub fn join(&mut self, ranks: Ranks) {
        self.objective.join(&ranks);
        self.ranks = ranks;
    }

    /// Who trains it.
    pub fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// The training problem at its current points.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// The seed of points and initial parameters.
    #[expect(clippy::misnamed_getters, reason = "tries of a watched plan have seeds of their own")]
    pub fn seed(&self) -> u64 {
        self.asked_seed
    }

    /// The network's parameters, then those of the unknowns.
    pub fn θ(&self) -> &[f64] {
        &self.θ
    }

    /// Steps taken.
    pub fn steps_taken(&self) -> usize {
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
        &self.monitor.warnings
    }

    /// Steps planned, over all stages.
    pub fn steps_planned(&self) -> usize {
        self.before + planned(&self.stages, self.until)
    }

    /// The current points of every term.
    pub fn points(&self) -> &[Points] {
        &self.points
    }

    /// How the plan ended; `None` while there is something left to do.
    pub fn ended(&self) -> Option<Status> {
        self.ended
    }

    /// Lets the last stage take this many steps more than it was to take, or, once it has ended, than it
    /// took: at the rate at which its schedule ends, and with new patience. From then on an open stage is
    /// closed: it takes this number. Does nothing where there is no stage, or where numbers were not finite
    /// and more of the same would not be either.
    pub fn extend(&mut self, steps: usize) {
        let Some(last) = self.stages.last().filter(|_| self.ended != Some(Status::Diverged)) else { return };
        let course =
            self.course.as_ref().filter(|_| self.ended.is_some() && self.stage + 1 == self.stages.len());
        let taken = course.map(|course| course.taken);
        let from = taken.or(self.until).unwrap_or(last.steps);
        (self.until, self.extended) = (Some(from.saturating_add(steps)), true);
        self.ended = None;
        if let Some(course) = &mut self.course {
            course.patience = self.problem.train.patience.map(trend::Patience::new);
        }
    }

    /// Trains to the end of the plan, or until `watch` says otherwise. A stage that comes to its own end
    /// makes room for the next. After an interruption another call goes on; after the end it only says how
    /// that was.
    pub fn run(&mut self, watch: &mut dyn FnMut(&Progress<'_>) -> Signal) -> Status {
        loop {
            if let Some(status) = self.ended {
                return status;
            }
            let status = if self.stages.is_empty() { Status::MaxSteps } else { self.run_stage(watch) };
            match status {
                _ if self.ends_scout(status) && self.next_scout() => {}
                Status::TimeBudget
                    if self.why == Why::Share
                        && (self.next_continuation() || self.next_window() || self.looked_at()) => {}
                Status::Interrupted => return status,
                Status::TimeBudget => return self.settle(status),
                Status::Converged | Status::Stagnated | Status::MaxSteps
                    if self.stage + 1 < self.stages.len() && !self.is_done() =>
                {
                    self.early.extend(self.stage_end(status));
                    self.note_stage();
                    (self.stage, self.course, self.optimizer) = (self.stage + 1, None, None);
                }
                Status::Converged | Status::Stagnated | Status::MaxSteps
                    if self.next_continuation() || self.next_window() || self.goes_further(status) => {}
                Status::Diverged if self.goes_further(status) => {}
                _ => {
                    let status = self.settle(status);
                    self.ended = Some(self.judged(status));
                }
            }
        }
    }

    /// Takes at most this many steps; says how the plan ended, or [`Status::Interrupted`] where there are
    /// steps left.
    pub fn advance(&mut self, steps: usize) -> Status {
        let mut left = steps;
        if left == 0 {
            return self.ended.unwrap_or(Status::Interrupted);
        }
        self.run(&mut |_| {
            left -= 1;
            if left == 0 { Signal::Interrupt } else { Signal::Continue }
        })
    }

    /// Is there nothing left for later stages?
    fn is_done(&self) -> bool {
        matches!(self.why, Why::Accurate | Why::HeldOut)
    }

    /// Stages before the current one that ended before their last step, and why.
    pub fn early_ends(&self) -> &[StageEnd] {
        &self.early
    }

    fn stage_end(&self, status: Status) -> Option<StageEnd> {
        let method = self.stages[self.stage].method.name().to_owned();
        let end = StageEnd { stage: self.stage, method, step: self.step, status, why: self.why };
        (status != Status::MaxSteps).then_some(end)
    }

    /// The status of a plan that has come to its end: steps that led far away from any solution are no
    /// success.
    fn judged(&mut self, status: Status) -> Status {
        if !matches!(status, Status::Converged | Status::Stagnated | Status::MaxSteps) {
            return status;
        }
        let (_, untrained) = model(self.here(), self.seed);
        let first = self.first();
        let mut loss = |θ: &[f64]| -> f64 {
            let misfits = self.objective.measure(θ).iter();
            misfits.zip(&self.problem.terms).map(|(misfit, term)| term.weight * misfit.mse).sum()
        };
        // Of the two the trained network is the last to be measured.
        let (before, after) = (loss(&untrained), loss(&self.θ[first..]));
        match before > 0.0 && after > GROWN * before {
            true => {
                self.why = Why::Grown;
                Status::Diverged
            }
            false => status,
        }
    }

    /// What the status of the last run means and what to do about it.
    pub fn advice(&self, status: Status) -> String {
        let trends = self.course.as_ref().map(|course| &course.trends);
        let stage = self.stages.get(self.stage).map(|stage| &stage.method).zip(trends);
        advice::advice(&Seen {
            status,
            why: self.why,
            problem: &self.problem,
            stage,
            warnings: self.warnings(),
            entries: self.objective.constraints(),
            idle: self.course.as_ref().map_or(0, |course| course.idle),
            is_untrained: self.step == 0,
        })
    }

    /// Mean square and largest residual of every term at the current θ.
    pub fn misfits(&mut self) -> Vec<ResidualStats> {
        let first = self.first();
        self.objective.measure(&self.θ[first..]).to_vec()
    }

    /// Where the inequalities of the terms hold something back, by the multipliers of the last step; none for
    /// methods without multipliers at every point.
    pub fn active(&self) -> Vec<Active> {
        let λ = self.optimizer().map(|optimizer| optimizer.multipliers()).unwrap_or_default();
        let terms = &self.problem.terms;
        let constraints = (0..terms.len()).filter(|&term| terms[term].role == Role::Constraint);
        let mut first = 0;
        let mut blocks = Vec::new();
        for (term, block) in constraints.zip(self.objective.constraint_blocks()) {
            let own = λ.get(first..first + block.size).unwrap_or_default();
            first += block.size;
            if block.sense == Sense::AtMostZero && !own.is_empty() {
                blocks.push(Active {
                    term,
                    active: own.iter().filter(|λ| **λ > 0.0).count(),
                    of: own.len(),
                    multiplier: own.iter().copied().fold(0.0, f64::max),
                });
            }
        }
        blocks
    }

    /// How well every term holds at the current θ, on points that training never saw, and how far θ is from
    /// optimal.
    pub fn certify(&self) -> Certificate {
        certificate::certify(&self.state())
    }

    /// What has been trained, for those who judge it.
    pub fn state(&self) -> certificate::State<'_> {
        let (problem, model, points) = (&self.problem, self.model(), &self.points);
        certificate::State { problem, model, θ: &self.θ, seed: self.seed, points }
    }

    /// Is every tolerance of the file met, on points that training never saw? Not where there is none.
    fn is_certified(&self) -> bool {
        certificate::is_certified(&self.state())
    }

    /// Looks for constraints that contradict each other or say the same, where the terms have these misfits.
    fn look(&mut self, misfits: &[ResidualStats]) {
        let first = self.first();
        let problem = parts::here(&self.problem, self.marching.as_ref(), self.continuation);
        let (points, step) = (&self.points, self.step);
        let untrained = (!self.monitor.has_begun()).then(|| model(problem, self.seed).1);
        let view = |θ| View { problem, model: self.objective.model(), θ, step, misfits, points };
        if let Some(θ) = &untrained {
            self.monitor.begin(&view(θ));
        }
        self.monitor.look(&view(&self.θ[first..]));
    }

    /// Are the points of the current stage the same from its first step to its last?
    fn points_stay(&self) -> bool {
        let method = &self.stages[self.stage].method;
        let stay = |term: &Term| term.source.repeats(&self.problem.domain) || stays(term, method);
        self.resample_every() == 0 || self.problem.terms.iter().all(stay)
    }

    /// The number of the resampling before the next step, where the plan has one there.
    fn round(&self) -> Option<u64> {
        let every = self.resample_every();
        // An attempt counts its own steps, so that it is what a run with its seed would be.
        let step = self.step - self.attempts.origin;
        let due = every > 0 && step > 0 && step.is_multiple_of(every);
        due.then(|| self.round_at(step))
    }

    /// The number of the resampling before a step, counted from the beginning of the attempt.
    fn round_at(&self, step: usize) -> u64 {
        let own = self.stages[self.stage].resample.is_some();
        if own { step as u64 } else { (step / self.resample_every().max(1)) as u64 }
    }

    /// Steps between draws of fresh points in the current stage; 0: never.
    fn resample_every(&self) -> usize {
        self.stages.get(self.stage).and_then(|stage| stage.resample).unwrap_or(self.problem.resample)
    }

    /// Fresh points where the plan asks for them; true where there are any.
    fn resample(&mut self) -> bool {
        self.round().is_some_and(|round| self.draw(round))
    }

    /// The points of the last step of an attempt that is gone back to, where they are not drawn again before
    /// the next step.
    fn redraw(&mut self) {
        let (step, every) = (self.step - self.attempts.origin, self.resample_every());
        let last = step.saturating_sub(1).checked_div(every).map_or(0, |times| times * every);
        if last > 0 && every > 1 {
            self.draw(self.round_at(last));
        }
    }

    /// Draws points of this number; true where there are any that change.
    fn draw(&mut self, round: u64) -> bool {
        let first = self.first();
        let problem = parts::here(&self.problem, self.marching.as_ref(), self.continuation);
        let chooser = Chooser {
            ranks: &self.ranks,
            problem,
            model: self.objective.model(),
            θ: &self.θ[first..],
            seed: self.seed,
        };
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

/// Do the points of a term stay where they are during a stage of this method? All do where it compares one
/// step with the next; those of pointwise constraints where it remembers something of each, and are never
/// added to: more points would be more constraints than it has room for.
fn stays(term: &Term, method: &Method) -> bool {
    let remembered = method.keeps_points() || term.source.grows();
    method.keeps_all_points() || term.is_pointwise(method) && remembered
}

/// The steps of a plan whose last stage takes `until` steps, where that is given.
pub fn planned(stages: &[Stage], until: Option<usize>) -> usize {
    let (last, before) = match stages.split_last() {
        Some((last, before)) => (until.unwrap_or(last.steps), before),
        None => (0, stages),
    };
    before.iter().map(|stage| stage.steps).sum::<usize>().saturating_add(last)
}
