//! One stage: its steps, what the watcher is shown, and what ends it.

use super::stage_state::{StageState, WARM_UP};
use super::tolerance::within;
use super::{Progress, Signal, Status, Trainer, Why, parts};
use crate::objective::{ResidualStats, identities};
use crate::optim::{End, Optimizer, StepReport};
use crate::uncertainty;

/// What looks may cost of all time.
const LOOKS: f64 = 0.02;
/// Operations that a step takes the time of besides those of its evaluation: some fifty microseconds' worth.
const STEP: f64 = 2e5;
/// Steps without anything to do, at other points each, before a stage ends.
const IDLE: usize = 5;
/// How many more an open stage takes at a time.
const MORE: usize = 50;
/// Steps between estimates of the error at the least: one takes the time of several steps.
const ESTIMATE_EVERY: usize = 50;
/// Steps between questions whether all tolerances are met, where no interval of observation is set.
const USUAL: usize = 100;

impl Trainer {
    /// Takes the steps of the current stage, from its beginning or from where it was interrupted.
    pub(super) fn run_stage(&mut self, watch: &mut dyn FnMut(&Progress<'_>) -> Signal) -> Status {
        self.why = Why::Plan;
        let (mut course, mut optimizer) = match (self.course.take(), self.optimizer.take()) {
            (Some(course), Some(optimizer)) => (course, optimizer),
            _ => self.begin(),
        };
        let mut status = loop {
            if course.taken >= self.length() && !self.goes_on(&course) {
                break Status::MaxSteps;
            }
            if let Some(status) = self.take(&mut course, optimizer.as_mut(), watch) {
                break status;
            }
        };
        if course.taken > 0 || status == Status::Diverged {
            status = self.close(status);
        }
        self.course = Some(course);
        // After numbers that are not finite, the moments have gone on: no state of the method belongs to θ.
        self.optimizer = (status != Status::Diverged).then_some(optimizer);
        status
    }

    /// The optimizer of the current stage, and its course from the first step on.
    pub(super) fn begin(&mut self) -> (StageState, Box<dyn Optimizer>) {
        if let Some(hidden) = self.stages[self.stage].hidden.clone()
            && hidden != self.problem.network.hidden
            && self.marching.is_none()
        {
            self.widen(&hidden);
        }
        self.weigh();
        self.objective.forget_equation_weights();
        let here = parts::here(&self.problem, self.marching.as_ref(), self.continuation);
        self.objective.set_identities(&identities(here));
        let (method, steps) = (&self.stages[self.stage].method, self.stages[self.stage].steps);
        self.objective.set_pointwise(method.pointwise());
        let optimizer = method.optimizer(&self.objective, steps);
        let wait = self.observe.unwrap_or(USUAL);
        let mut course = StageState::new(&self.problem, &self.objective, steps, (self.step, wait));
        course.still = self.points_stay();
        (course, optimizer)
    }

    /// The weights of all terms in the current stage.
    fn weigh(&mut self) {
        if self.stages.iter().all(|stage| stage.equations.is_none()) {
            return;
        }
        let factor = self.stages[self.stage].equations.unwrap_or(1.0);
        let terms = &parts::here(&self.problem, self.marching.as_ref(), self.continuation).terms;
        let of = |term: &crate::problem::Term| if term.measured().is_empty() { factor } else { 1.0 };
        self.objective.set_weights(|number| terms[number].weight * of(&terms[number]));
    }

    /// The steps of the current stage.
    fn length(&self) -> usize {
        self.until.filter(|_| self.is_last()).unwrap_or(self.stages[self.stage].steps)
    }

    /// Is it the last stage, of the last value of constants that come to theirs step by step?
    fn is_last(&self) -> bool {
        self.stage + 1 == self.stages.len() && self.continuation == self.problem.continuation.len()
    }

    /// More steps where the plan is open, nobody asked for a number of them, and the losses still fall.
    fn goes_on(&mut self, course: &StageState) -> bool {
        let open = self.stages[self.stage].open.filter(|_| !self.extended && self.is_last());
        let more = open.is_some_and(|most| course.taken < most)
            && course.trends.still_falls()
            && !self.has_enough(course);
        if more {
            self.until = Some(course.taken + MORE);
        }
        more
    }

    /// The end of a stage, or an interruption, which leaves everything as it is. The losses after a step are
    /// seen by the next one, which the last of a stage does not have.
    fn close(&mut self, status: Status) -> Status {
        // The next step has other points, and sees the losses there: a pause changes nothing.
        let moves = self.round().is_some() && !self.points_stay();
        let goes_on = matches!(status, Status::Interrupted | Status::TimeBudget);
        if status == Status::Interrupted && moves && self.θ.iter().all(|θ| θ.is_finite()) {
            return status;
        }
        if status != Status::Diverged {
            let misfits = self.misfits();
            match misfits.iter().position(|misfit| !misfit.mse.is_finite()) {
                Some(term) => self.why = Why::NotFinite { term: Some(term), taken: self.step },
                None => {
                    if self.observe.is_some() && !goes_on {
                        self.look(&misfits);
                    }
                    return status;
                }
            }
        }
        // The step left θ as it was, but the losses are not finite there: the last good θ is one step back.
        let first = self.first();
        self.θ[first..].copy_from_slice(&self.last_finite);
        self.step = self.step.saturating_sub(1);
        Status::Diverged
    }

    /// One step; a status where it was the last.
    fn take(
        &mut self,
        course: &mut StageState,
        optimizer: &mut dyn Optimizer,
        watch: &mut dyn FnMut(&Progress<'_>) -> Signal,
    ) -> Option<Status> {
        let observed = self.is_observed(self.step + 1, course);
        if self.resample() {
            optimizer.points_changed();
        }
        let first = self.first();
        self.start.copy_from_slice(&self.θ[first..]);
        if observed {
            optimizer.diagnose(true);
        }
        self.balance(course);
        self.objective.begin_step();
        let report = optimizer.step(&mut self.objective, &mut self.θ[first..]);
        if observed {
            optimizer.diagnose(false);
        }
        if !is_finite(&report) {
            self.blame();
            return Some(Status::Diverged);
        }
        std::mem::swap(&mut self.last_finite, &mut self.start);
        (self.step, course.taken) = (self.step + 1, course.taken + 1);
        course.trends.add(&report, self.objective.misfits());
        if observed {
            self.look_if_due(course);
        }
        let signal = watch(&Progress {
            step: self.step,
            steps: self.steps_planned(),
            stage: self.stage,
            window: self.window(),
            share: self.share(),
            method: self.stages[self.stage].method.name(),
            observed,
            report,
            misfits: self.objective.misfits(),
            multipliers: optimizer.multipliers(),
            blocks: &course.blocks,
            model: self.model(),
            θ: &self.θ,
            warnings: &self.monitor.warnings,
        });
        // First whether the step was the last: so it is whether or not somebody interrupts.
        self.end(course, &report, optimizer.end()).or(match signal {
            Signal::Continue => None,
            Signal::TimeUp => Some(Status::TimeBudget),
            Signal::ShareUp => {
                self.why = Why::Share;
                Some(Status::TimeBudget)
            }
            Signal::Interrupt => Some(Status::Interrupted),
        })
    }

    fn is_observed(&self, step: usize, course: &StageState) -> bool {
        let last = course.taken + 1 == self.length();
        self.observe.is_some_and(|every| step == 1 || step.is_multiple_of(every) || last)
    }

    /// What ends the stage after a step.
    fn end(&mut self, course: &mut StageState, report: &StepReport, end: Option<End>) -> Option<Status> {
        let train = &self.problem.train;
        // Without constraints the gradient is all there is to the KKT conditions.
        let kkt = if course.blocks.is_empty() { report.gradient_norm } else { report.kkt };
        if train.tolerance.is_some_and(|limit| kkt <= limit && report.violation <= limit) {
            return Some(Status::Converged);
        }
        // Fresh points may give a method that had come to its end something to do again, but not for long.
        course.idle = if end.is_some() { course.idle + 1 } else { 0 };
        if let Some(end) = end.filter(|_| course.still || course.idle >= IDLE) {
            self.why = Why::Method(end);
            return Some(if end == End::Converged { Status::Converged } else { Status::Stagnated });
        }
        if train.stop_when_feasible && self.is_feasible(course) {
            return Some(Status::Feasible);
        }
        if let Some(accuracy) = self.accuracy()
            && self.is_accurate(accuracy, course)
        {
            self.why = Why::Accurate;
            return Some(Status::Converged);
        }
        if self.is_overfitted() {
            self.why = Why::HeldOut;
            return Some(Status::Converged);
        }
        let misfits = self.objective.misfits();
        let patience = course.patience.as_mut();
        patience.is_some_and(|patience| patience.over(&self.problem, misfits)).then_some(Status::Stagnated)
    }

    /// Asks now and then whether every tolerance is met: first of the misfits of training, which are known,
    /// then of other points. After a refusal the next question comes later.
    fn is_feasible(&self, course: &mut StageState) -> bool {
        let mut terms = self.problem.terms.iter().zip(self.objective.misfits());
        if self.step < course.next_question || !terms.all(|(term, misfit)| within(term, misfit)) {
            return false;
        }
        course.wait *= 2;
        course.next_question = self.step + course.wait;
        self.is_certified()
    }

    /// Is the estimated error of every field below this, without a caveat? An estimate takes the time of
    /// several steps: it is made where the losses, of which the error is about the square root, say that it
    /// may be.
    fn is_accurate(&self, accuracy: f64, course: &mut StageState) -> bool {
        let losses: f64 = self.objective.misfits().iter().map(|misfit| misfit.mse).sum();
        let (error, before) = course.asked;
        let hopeful = before.is_infinite() || error * (losses / before).sqrt() <= 1.5 * accuracy;
        if course.taken < course.next_estimate || !hopeful || !self.stages[self.stage].method.uses_curvature()
        {
            return false;
        }
        course.next_estimate = course.taken + ESTIMATE_EVERY;
        let estimates = uncertainty::assess(&self.state_here()).estimates;
        let whole = estimates.len() == self.problem.fields.len();
        let largest = estimates.iter().map(|estimate| estimate.relative_l2).fold(0.0, f64::max);
        course.asked = (largest, losses);
        whole && largest <= accuracy && estimates.iter().all(|estimate| estimate.caveats.is_empty())
    }

    /// Looks at the constraints a few times in a stage, and less often where that would cost too much.
    fn look_if_due(&mut self, course: &mut StageState) {
        let steps = course.taken as f64 * (STEP + self.objective.flops() as f64);
        if course.taken < course.next_look || course.looks_cost + course.look_cost > LOOKS * steps {
            return;
        }
        course.looks_cost += course.look_cost;
        course.next_look = course.taken + (self.length() / 8).max(WARM_UP);
        let misfits: Vec<ResidualStats> = self.objective.misfits().to_vec();
        self.look(&misfits);
    }

    /// Remembers the first term whose loss is not finite.
    fn blame(&mut self) {
        let term = self.objective.misfits().iter().position(|misfit| !misfit.mse.is_finite());
        self.why = Why::NotFinite { term, taken: self.step };
    }
}

fn is_finite(report: &StepReport) -> bool {
    [report.objective, report.violation, report.gradient_norm].iter().all(|x| x.is_finite())
}
