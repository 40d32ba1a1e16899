//! The training of a run in its folder, from wherever it stands to its end.
//!
//! [`Session::create`] makes the folder of a new run, [`Session::resume`] goes on in one that is there, and
//! [`Session::train`] trains: it saves states, keeps the budget of time, and tells a front end of every step.
//! A session works on the thread pool in which it is called and keeps nothing global, so that several can
//! train at once.

mod clock;
mod create;
mod member;
mod resume;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use adamflip::checkpoint::{Checkpoint, Origin};
use adamflip::history::History;
use adamflip::problem::Problem;
use adamflip::ranks::Ranks;
use adamflip::train::{Progress, Signal, Status, Trainer, Warning};

use crate::agreement::{Votes, together};
use crate::error::RunError;
use crate::manifest::RunManifest;
use crate::record::Record;
use crate::run_dir::RunDir;
use crate::summary::{Summary, stored};
use crate::{process, results};
pub(crate) use clock::Time;
use clock::{Saves, Shares, budget};
pub use member::Member;

/// A run that can be trained. No other process works in its folder while it lives.
pub struct Session {
    pub(crate) dir: RunDir,
    pub(crate) manifest: RunManifest,
    /// What its states are trained on.
    origin: Origin,
    pub(crate) trainer: Trainer,
    pub(crate) record: Record,
    /// The last method of the plan, also where it has no steps.
    pub(crate) method: &'static str,
    /// Seconds from now on, where they are not those of the problem.
    more: Option<f64>,
}

/// How a run is kept while it trains.
#[derive(Clone, Debug, Default)]
pub struct TrainOptions {
    /// The time between checkpoints; where it is not given, five seconds, or more where they would take long.
    pub checkpoint_every: Option<Duration>,
    /// Also write events for TensorBoard into the run folder.
    pub tensorboard: bool,
}

/// How a training ended.
#[derive(Clone, Copy, Debug)]
pub struct Trained {
    /// Why.
    pub status: Status,
    time: Time,
}

/// What a front end is told while a run trains.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Constraints are in trouble.
    Warning(&'a Warning),
    /// A step was taken.
    Step(StepEvent<'a>),
    /// Training has ended; results are written next.
    Ended,
}

/// A step that was taken.
#[derive(Debug)]
pub struct StepEvent<'a> {
    /// What the trainer says of it.
    pub progress: &'a Progress<'a>,
    /// The problem that is trained.
    pub problem: &'a Problem,
    /// All rows that were observed so far.
    pub history: &'a History,
    /// The time of training, that before a resumption included.
    pub elapsed: Duration,
}

/// Takes in what happens; the answer to a step says whether training goes on.
pub type Callback<'a> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a;

impl Session {
    /// The run folder.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The trainer as it stands.
    pub fn trainer(&self) -> &Trainer {
        &self.trainer
    }

    /// What the run was asked to do.
    pub fn manifest(&self) -> &RunManifest {
        &self.manifest
    }

    /// What was observed so far.
    pub fn history(&self) -> &History {
        &self.record.history
    }

    /// The time of training so far.
    pub fn elapsed(&self) -> Duration {
        Duration::try_from_secs_f64(self.record.seconds()).unwrap_or_default()
    }

    /// Gives the training this many seconds from now on, in place of the problem's own budget.
    #[must_use]
    pub fn with_seconds(self, seconds: Option<f64>) -> Self {
        Self { more: seconds, ..self }
    }

    /// The time of training at which the budget ends. One that was used up before begins again.
    pub fn budget(&self) -> Option<Duration> {
        match self.more.and_then(|more| Duration::try_from_secs_f64(more).ok()) {
            Some(more) => Some(self.elapsed().saturating_add(more)),
            None => budget(self.trainer.problem().train.max_seconds, self.elapsed()),
        }
    }

    /// Trains to the end of the plan, of the time, or until the callback has enough; writes what came of it
    /// and sums it up. A session can be trained again after an interruption.
    pub fn train(
        &mut self,
        options: &TrainOptions,
        callback: &mut Callback<'_>,
    ) -> Result<Summary, RunError> {
        let trained = self.take_steps(options, callback)?;
        self.finish(trained)
    }

    /// The same without results: the state and the history are kept, and [`Self::finish`] or a later
    /// resumption does the rest. For who must end at once.
    pub fn take_steps(
        &mut self,
        options: &TrainOptions,
        callback: &mut Callback<'_>,
    ) -> Result<Trained, RunError> {
        let had_ended = self.trainer.ended().is_some();
        let prepared = self.prepare(options, had_ended);
        together(self.trainer.ranks(), prepared)?;
        // A run that had ended is not trained, and keeps its time.
        let known = if had_ended { Time::of(self.dir.path()) } else { None };
        let (status, time) = self.steps(options, callback)?;
        Ok(Trained { status, time: known.unwrap_or(time) })
    }

    fn prepare(&mut self, options: &TrainOptions, had_ended: bool) -> Result<(), RunError> {
        if !had_ended {
            // It is that of an earlier end, and would be taken for the end of this training.
            stored::mark_earlier(&self.dir)?;
        }
        if options.tensorboard { self.record.start_tensorboard(&self.dir) } else { Ok(()) }
    }

    /// Writes what came of a training, and sums it up: this rank alone, while others wait.
    pub fn finish(&mut self, trained: Trained) -> Result<Summary, RunError> {
        let ranks = self.trainer.ranks().clone();
        self.trainer.join(Ranks::default());
        let kept = results::keep(self, trained.status, trained.time);
        self.trainer.join(ranks.clone());
        ranks.meet();
        together(&ranks, kept)
    }

    /// How the training ended, and its time.
    fn steps(
        &mut self,
        options: &TrainOptions,
        callback: &mut Callback<'_>,
    ) -> Result<(Status, Time), RunError> {
        // The trainer is busy while it is watched, so the callback looks at a copy.
        let problem = self.trainer.problem().clone();
        let (before, budget, start) = (self.elapsed(), self.budget(), Instant::now());
        let elapsed = || before + start.elapsed();
        let worked = process::processor_seconds().filter(|_| before.is_zero());
        let mut told = self.trainer.warnings().len();
        let mut shares = Shares::default();
        let mut saves = Saves::new(options.checkpoint_every, before);
        let ranks = self.trainer.ranks().clone();
        let mut votes = Votes::new(&ranks);
        let (first, sent) = (self.trainer.steps_taken(), ranks.bytes_sent());
        let status = loop {
            let record = &mut self.record;
            let status = self.trainer.run(&mut |progress| {
                let now = elapsed();
                record.observe(progress, now);
                for warning in &progress.warnings[told..] {
                    let _ = callback(Event::Warning(warning));
                }
                told = progress.warnings.len();
                let (problem, history) = (&problem, &record.history);
                let step = Event::Step(StepEvent { progress, problem, history, elapsed: now });
                let stops = callback(step).is_break();
                let signal = if stops {
                    Signal::Interrupt
                } else if budget.is_some_and(|most| now >= most) {
                    Signal::TimeUp
                } else if budget.is_some_and(|most| shares.are_up(progress.share, now, most)) {
                    Signal::ShareUp
                } else if saves.are_due(now) {
                    Signal::Interrupt
                } else {
                    Signal::Continue
                };
                votes.follow(signal, stops, progress.θ)
            });
            votes.check()?;
            if status != Status::Interrupted || votes.is_stopped {
                break status;
            }
            let start = Instant::now();
            let saved = self.save();
            together(&ranks, saved)?;
            saves.took(start.elapsed(), elapsed());
        };
        let time = Time {
            seconds: elapsed().as_secs_f64(),
            processor: worked.and_then(|before| Some(process::processor_seconds()? - before)),
        };
        // The last look comes after the last step.
        for warning in &self.trainer.warnings()[told..] {
            let _ = callback(Event::Warning(warning));
        }
        let _ = callback(Event::Ended);
        let taken = self.trainer.steps_taken() - first;
        if !ranks.is_alone() && taken > 0 {
            let each = (ranks.bytes_sent() - sent) / taken as u64;
            log::info!("{} ranks: each step rank 0 sent {each} bytes to the others", ranks.size());
        }
        self.record.close();
        let saved = self.save();
        together(&ranks, saved)?;
        Ok((status, time))
    }

    /// Keeps the state, unless nothing could go on from it; the history first, which must not be behind.
    fn save(&mut self) -> Result<(), RunError> {
        self.record.sync(&self.dir)?;
        let checkpoint = Checkpoint::of(&self.trainer).with_origin(self.origin.clone());
        if checkpoint.snapshot.θ.iter().all(|x| x.is_finite()) { self.dir.save(&checkpoint) } else { Ok(()) }
    }
}
