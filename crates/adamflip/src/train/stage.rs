//! One stage: its steps, what the watcher is shown, and what ends it.

use super::tolerance::within;
use super::trend::{Patience, Trends};
use super::warning::cost;
use super::{Progress, Signal, Status, Trainer, Why};
use crate::optim::{Block, ConstrainedProblem, End, Method, Optimizer, StepReport};

/// No looks at the constraints before so many steps of a stage, when the network is still on its way from nothing.
const WARM_UP: usize = 100;
/// What looks may cost of all time.
const LOOKS: f64 = 0.02;
/// Operations that a step takes the time of besides those of its evaluation: some fifty microseconds' worth.
const STEP: f64 = 2e5;
/// Steps between questions whether all tolerances are met, where no interval of observation is set.
const USUAL: usize = 100;

/// The state of a stage.
struct Run {
    length: usize,
    /// Steps of this stage.
    taken: usize,
    groups: Vec<Block>,
    /// Do all points stay?
    still: bool,
    patience: Option<Patience>,
    /// The step of the next look at the constraints, the operations of one, and those of all so far.
    next_look: usize,
    look_cost: f64,
    looks_cost: f64,
    /// The next step to ask whether tolerances are met, and the steps between.
    next_question: usize,
    wait: usize,
}

impl Trainer {
    /// Takes the steps of the current stage.
    pub(super) fn run_stage(&mut self, watch: &mut dyn FnMut(&Progress<'_>) -> Signal) -> Status {
        let stage = &self.stages[self.stage];
        let (method, length) = (stage.method.clone(), stage.steps);
        self.objective.set_pointwise(method.pointwise());
        let mut optimizer = method.optimizer(&self.objective, length);
        self.trends = Some(Trends::new(&self.problem, length));
        self.why = Why::Plan;
        let mut run = self.begin(length);
        let mut status = loop {
            if run.taken == length {
                break Status::MaxSteps;
            }
            if let Some(status) = self.take(&mut run, &method, optimizer.as_mut(), watch) {
                break status;
            }
        };
        // The losses after a step are seen by the next one, which the last of a stage does not have.
        if status != Status::Diverged && run.taken > 0 && !self.ends_finite() {
            status = Status::Diverged;
        }
        match status {
            Status::Diverged => self.back_to_finite(),
            _ => self.optimizer = Some(optimizer),
        }
        if self.observe.is_some() && status != Status::Diverged && run.taken > 0 {
            self.look();
        }
        status
    }

    fn begin(&self, length: usize) -> Run {
        let wait = self.observe.unwrap_or(USUAL);
        Run {
            length,
            taken: 0,
            groups: self.objective.groups(),
            still: self.points_stay(),
            patience: self.problem.train.patience.map(Patience::new),
            next_look: WARM_UP,
            look_cost: cost(&self.problem, self.objective.parameters()),
            looks_cost: 0.0,
            next_question: self.step + wait,
            wait,
        }
    }

    /// One step; a status where it was the last.
    fn take(
        &mut self,
        run: &mut Run,
        method: &Method,
        optimizer: &mut dyn Optimizer,
        watch: &mut dyn FnMut(&Progress<'_>) -> Signal,
    ) -> Option<Status> {
        let observed = self.is_observed(self.step + 1, run);
        if self.resample() {
            optimizer.points_changed();
        }
        self.start.copy_from_slice(&self.θ);
        if observed {
            optimizer.diagnose(true);
        }
        self.objective.begin_step();
        let report = optimizer.step(&mut self.objective, &mut self.θ);
        if observed {
            optimizer.diagnose(false);
        }
        if !is_finite(&report) {
            self.blame();
            return Some(Status::Diverged);
        }
        std::mem::swap(&mut self.last_finite, &mut self.start);
        (self.step, run.taken) = (self.step + 1, run.taken + 1);
        if let Some(trends) = &mut self.trends {
            trends.add(&report, self.objective.misfits());
        }
        if observed {
            self.look_if_due(run);
        }
        let signal = watch(&Progress {
            step: self.step,
            steps: self.stages.iter().map(|stage| stage.steps).sum(),
            stage: self.stage,
            method: method.name(),
            observed,
            report,
            misfits: self.objective.misfits(),
            multipliers: optimizer.multipliers(),
            groups: &run.groups,
            θ: &self.θ,
            warnings: &self.lookout.warnings,
        });
        match signal {
            Signal::Continue => self.end(run, &report, optimizer.end()),
            Signal::TimeUp => Some(Status::TimeBudget),
            Signal::Interrupt => Some(Status::Interrupted),
        }
    }

    fn is_observed(&self, step: usize, run: &Run) -> bool {
        self.observe
            .is_some_and(|every| step == 1 || step.is_multiple_of(every) || run.taken + 1 == run.length)
    }

    /// What ends the stage after a step.
    fn end(&mut self, run: &mut Run, report: &StepReport, end: Option<End>) -> Option<Status> {
        let train = &self.problem.train;
        // Without constraints the gradient is all there is to the KKT conditions.
        let kkt = if run.groups.is_empty() { report.gradient_norm } else { report.kkt };
        if train.tolerance.is_some_and(|limit| kkt <= limit && report.violation <= limit) {
            return Some(Status::Converged);
        }
        // Fresh points give a method that had come to its end something to do again.
        if let Some(end) = end.filter(|_| run.still) {
            self.why = Why::Method(end);
            return Some(if end == End::Converged { Status::Converged } else { Status::Stagnated });
        }
        if train.stop_when_feasible && self.is_feasible(run) {
            return Some(Status::Feasible);
        }
        let misfits = self.objective.misfits();
        let patience = run.patience.as_mut();
        patience.is_some_and(|patience| patience.over(&self.problem, misfits)).then_some(Status::Stagnated)
    }

    /// Asks now and then whether every tolerance is met: first of the misfits of training, which are known, then of
    /// other points. After a refusal the next question comes later.
    fn is_feasible(&self, run: &mut Run) -> bool {
        let mut terms = self.problem.terms.iter().zip(self.objective.misfits());
        if self.step < run.next_question || !terms.all(|(term, misfit)| within(term, misfit)) {
            return false;
        }
        run.wait *= 2;
        run.next_question = self.step + run.wait;
        let judgements = self.judge();
        !judgements.is_empty() && judgements.iter().all(|judgement| judgement.met())
    }

    /// Looks at the constraints a few times in a stage, and less often where that would cost too much.
    fn look_if_due(&mut self, run: &mut Run) {
        let steps = run.taken as f64 * (STEP + self.objective.flops() as f64);
        if run.taken < run.next_look || run.looks_cost + run.look_cost > LOOKS * steps {
            return;
        }
        run.looks_cost += run.look_cost;
        run.next_look = run.taken + (run.length / 8).max(WARM_UP);
        self.look();
    }

    /// Remembers the first term whose loss is not finite.
    fn blame(&mut self) {
        let term = self.objective.misfits().iter().position(|misfit| !misfit.mse.is_finite());
        self.why = Why::NotFinite { term, taken: self.step };
    }

    /// Are all losses finite at the current θ? If not, the first that is not is remembered.
    fn ends_finite(&mut self) -> bool {
        let term = self.objective.measure(&self.θ).iter().position(|misfit| !misfit.mse.is_finite());
        if term.is_some() {
            self.why = Why::NotFinite { term, taken: self.step };
        }
        term.is_none()
    }

    /// The step left θ as it was, but the losses are not finite there: the last good θ is one step back. The moments
    /// have gone on, so no state of the method belongs to it.
    fn back_to_finite(&mut self) {
        self.θ.copy_from_slice(&self.last_finite);
        self.step = self.step.saturating_sub(1);
        self.optimizer = None;
    }
}

fn is_finite(report: &StepReport) -> bool {
    [report.objective, report.violation, report.gradient_norm].iter().all(|x| x.is_finite())
}
