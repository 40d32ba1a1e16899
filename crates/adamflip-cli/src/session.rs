//! The training of a run in its folder, from wherever it stands to its end: what `solve` and `resume` share.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use adamflip::checkpoint::{Checkpoint, Origin};
use adamflip::train::{Share, Signal, Status, Trainer};

use crate::arguments::Live;
use crate::facts::Facts;
use crate::failure::Failure;
use crate::folder::Folder;
use crate::interrupt::Interrupt;
use crate::output::{self, Data};
use crate::progress::Reporter;
use crate::record::Record;
use crate::serve::Listener;
use crate::shell;
use crate::start::Start;
use crate::view::Outline;
use crate::{ended, processor, results, start};

/// The time between checkpoints where none is asked for: so many times as long as the last one took, that half a percent
/// of all time goes to them, and not less than some seconds.
const PATIENCE: u32 = 200;
const LEAST: Duration = Duration::from_secs(5);

/// How long a training took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    /// In all sittings.
    pub(crate) seconds: f64,
    /// Of all processors; only known of a run in one sitting.
    pub(crate) processor: Option<f64>,
}

impl Time {
    /// What the summary of a run tells.
    fn of(folder: &Folder) -> Option<Self> {
        let summary = ended::summary(folder.path())?;
        Some(Self { seconds: summary["seconds"].as_f64()?, processor: summary["processor_seconds"].as_f64() })
    }
}

/// A run that can be trained.
pub(crate) struct Session {
    pub(crate) folder: Folder,
    pub(crate) facts: Facts,
    /// What its states are trained on.
    pub(crate) origin: Origin,
    pub(crate) trainer: Trainer,
    pub(crate) record: Record,
    /// The last method of the plan, also where it has no steps.
    pub(crate) method: &'static str,
}

impl Session {
    /// Trains to the end of the plan, of the time, or of the user's patience; writes and shows what came of it.
    pub(crate) fn run(
        mut self,
        live: &Live,
        listener: Option<Listener>,
        interrupt: &Interrupt,
    ) -> Result<ExitCode, Failure> {
        let mut data = Data::default();
        if self.trainer.ended().is_none() {
            // It is that of an earlier end, and would be taken for the end of this training.
            ended::mark_earlier(&self.folder)?;
        }
        if live.tensorboard {
            self.record = self.record.with_tensorboard(&self.folder)?;
        }
        match live.json {
            true => data.json(&Start::of(&self.trainer, self.folder.path())),
            false => output::say(&start::greeting(&self.trainer)),
        }
        let server = listener.map(|listener| listener.start(self.folder.path()));
        // A run that had ended is not trained, and keeps its time.
        let known = self.trainer.ended().and_then(|_| Time::of(&self.folder));
        let (status, time) = self.train(live, interrupt, &mut data)?;
        let time = known.unwrap_or(time);
        let summary = results::keep(&mut self, status, time)?;
        match live.json {
            true => data.json(&summary),
            false => data.line(&summary.table(rayon::current_num_threads())),
        }
        if matches!(status, Status::Interrupted | Status::TimeBudget) {
            output::say(&format!("`adamflip resume {}` goes on from here", shell::path(self.folder.path())));
        }
        if let Some(server) = server {
            server.close(interrupt);
        }
        let code = if status == Status::Interrupted { interrupt.code() } else { summary.code() };
        Ok(ExitCode::from(code))
    }

    /// How the training ended, and its time.
    fn train(
        &mut self,
        live: &Live,
        interrupt: &Interrupt,
        data: &mut Data,
    ) -> Result<(Status, Time), Failure> {
        // The trainer is busy while it is watched, so the watcher looks at a copy.
        let problem = self.trainer.problem().clone();
        let before = Duration::try_from_secs_f64(self.record.seconds()).unwrap_or_default();
        let budget = budget(problem.train.max_seconds, before);
        let outline = Outline {
            budget: budget.map(|most| most.as_secs_f64()),
            ..Outline::of(&problem, self.trainer.stages(), self.trainer.steps())
        };
        let worked = processor::seconds().filter(|_| before.is_zero());
        let mut reporter = Reporter::start(live.json, before, self.trainer.step(), outline);
        let mut told = self.trainer.warnings().len();
        let mut shares = Shares::default();
        let mut saves = Saves::new(live.checkpoint, before);
        let status = loop {
            let record = &mut self.record;
            let status = self.trainer.run(&mut |progress| {
                let now = reporter.elapsed();
                record.observe(progress, now);
                reporter.warn(&progress.warnings[told..]);
                told = progress.warnings.len();
                reporter.show(progress, &problem, &record.history, now, data);
                match () {
                    () if interrupt.is_raised() => Signal::Interrupt,
                    () if budget.is_some_and(|most| now >= most) => Signal::TimeUp,
                    () if budget.is_some_and(|most| shares.are_up(progress.share, now, most)) => {
                        Signal::ShareUp
                    }
                    () if saves.are_due(now) => Signal::Interrupt,
                    () => Signal::Continue,
                }
            });
            if status != Status::Interrupted || interrupt.is_raised() {
                break status;
            }
            let start = Instant::now();
            self.save()?;
            saves.took(start.elapsed(), reporter.elapsed());
        };
        let time = Time {
            seconds: reporter.elapsed().as_secs_f64(),
            processor: worked.and_then(|before| Some(processor::seconds()? - before)),
        };
        reporter.finish();
        // The last look comes after the last step.
        reporter.warn(&self.trainer.warnings()[told..]);
        self.record.close();
        self.save()?;
        Ok((status, time))
    }

    /// Keeps the state, unless nothing could go on from it; the history first, which must not be behind.
    pub(crate) fn save(&mut self) -> Result<(), Failure> {
        self.record.sync(&self.folder)?;
        let checkpoint = Checkpoint::of(&self.trainer).with_origin(self.origin.clone());
        match checkpoint.snapshot.θ.iter().all(|x| x.is_finite()) {
            true => self.folder.save(&checkpoint),
            false => Ok(()),
        }
    }
}

/// The end of the time budget. One that was used up before begins again.
fn budget(max_seconds: Option<f64>, before: Duration) -> Option<Duration> {
    let most = Duration::try_from_secs_f64(max_seconds?).ok()?;
    Some(if before < most { most } else { before.saturating_add(most) })
}

/// When the share of the time of the current part of a run is over.
#[derive(Default)]
struct Shares {
    part: Option<Share>,
    end: Duration,
}

impl Shares {
    fn are_up(&mut self, part: Option<Share>, now: Duration, most: Duration) -> bool {
        if self.part != part {
            let share = part.map_or(1.0, |part| part.of);
            (self.part, self.end) = (part, now + most.saturating_sub(now).mul_f64(share));
        }
        part.is_some() && now >= self.end
    }
}

/// When checkpoints are written.
struct Saves {
    asked: Option<Duration>,
    next: Duration,
}

impl Saves {
    fn new(asked: Option<Duration>, now: Duration) -> Self {
        Self { asked, next: now + asked.unwrap_or(LEAST) }
    }

    fn are_due(&self, now: Duration) -> bool {
        now >= self.next
    }

    /// One took so long, and it is now so late.
    fn took(&mut self, cost: Duration, now: Duration) {
        self.next = now + self.asked.unwrap_or_else(|| LEAST.max(cost * PATIENCE));
    }
}
