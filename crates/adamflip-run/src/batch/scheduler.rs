//! The children of a batch at work: as many at once as are allowed, until all runs have ended or somebody has
//! enough.

use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use super::child::{Child, ChildEvent, Program};
use super::job::{Job, JobState};
use super::look::{Look, look};
use super::monitor::{Intent, JobSource, Monitor};
use super::outcome::Outcome;
use crate::error::RunError;

/// How long events are waited for before the clock, the monitor and runs of others are looked at.
const PATIENCE: Duration = Duration::from_millis(100);
/// Exit codes above this tell of a signal, as a shell tells it.
const SIGNALLED: i32 = 128;
/// The exit code of a program that refuses its input, a folder that is there among it.
const REFUSED: i32 = 2;

/// Starts the runs of a batch and listens to them.
pub struct Scheduler<'a> {
    source: &'a mut dyn JobSource,
    monitor: &'a mut dyn Monitor,
    program: &'a Program,
    intent: Intent<'a>,
    /// As many at once.
    most: usize,
    jobs: Vec<Job>,
    queue: VecDeque<usize>,
    /// Runs that had no folder when a child of ours began them.
    fresh: HashSet<usize>,
    events: (Sender<ChildEvent>, Receiver<ChildEvent>),
}

impl<'a> Scheduler<'a> {
    /// For runs that are trained by a program in their order.
    pub fn new(
        source: &'a mut dyn JobSource,
        jobs: Vec<Job>,
        program: &'a Program,
        intent: Intent<'a>,
        monitor: &'a mut dyn Monitor,
    ) -> Self {
        let queue = (0..jobs.len()).collect();
        let (fresh, events) = (HashSet::new(), mpsc::channel());
        Self { source, monitor, program, intent, most: 1, jobs, queue, fresh, events }
    }

    /// The most runs at once; one where nothing is said.
    #[must_use]
    pub fn at_once(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Trains until all runs have ended, and says how each did.
    pub fn work(mut self) -> Result<Vec<Outcome>, RunError> {
        self.monitor.start(&self.intent, self.jobs.len());
        self.gather();
        self.monitor.begin(&self.jobs);
        let mut is_stopped = false;
        while self.busy() > 0 || !self.queue.is_empty() {
            if self.monitor.is_interrupted() && !is_stopped {
                is_stopped = true;
                self.stop();
            }
            while self.busy() < self.most && self.next() {}
            self.hear();
            self.monitor.show(&self.jobs);
        }
        self.monitor.finish();
        // The last may have ended in the very moment of the signal.
        if is_stopped || self.monitor.is_interrupted() {
            Err(self.interrupted())
        } else {
            Ok(self.outcomes())
        }
    }

    /// Finds the runs that have ended before.
    fn gather(&mut self) {
        for (number, job) in self.jobs.iter_mut().enumerate() {
            if let Look::Ended(summary) = look(&job.folder) {
                let outcome = Outcome::of(summary);
                self.source.ended(number, &outcome);
                job.end(outcome);
            }
        }
        let jobs = &self.jobs;
        self.queue.retain(|&number| matches!(jobs[number].state, JobState::Waiting));
    }

    /// How many runs are being trained.
    fn busy(&self) -> usize {
        self.jobs.iter().filter(|job| job.is_busy()).count()
    }

    /// Starts the next run, if there is one.
    fn next(&mut self) -> bool {
        let Some(number) = self.queue.pop_front() else { return false };
        let job = &mut self.jobs[number];
        let command = match look(&job.folder) {
            Look::Busy => {
                log::warn!("another adamflip still works in `{}`: waiting for it", job.folder.display());
                job.state = JobState::Foreign;
                return true;
            }
            Look::Ended(summary) => {
                self.done(number, Outcome::of(summary));
                return true;
            }
            Look::Begun => self.program.resume(&job.folder, self.source.threads()),
            Look::Absent => {
                self.fresh.insert(number);
                self.source.job(number).command(self.program, &job.folder, self.source.threads())
            }
        };
        match Child::start(command, &job.log, number, self.events.0.clone()) {
            Ok(child) => (job.state, job.child) = (JobState::Running, Some(child)),
            Err(error) => self.done(number, Outcome::Failed(format!("cannot be started: {error}"))),
        }
        true
    }

    /// Takes in what the children say, and looks after runs of others.
    fn hear(&mut self) {
        let mut event = self.events.1.recv_timeout(PATIENCE).ok();
        while let Some(item) = event {
            match item {
                ChildEvent::Said(number, event) => self.jobs[number].hear(&event),
                ChildEvent::Closed(number) => self.closed(number),
            }
            event = self.events.1.try_recv().ok();
        }
        for (number, job) in self.jobs.iter_mut().enumerate() {
            if matches!(job.state, JobState::Foreign) && !matches!(look(&job.folder), Look::Busy) {
                job.state = JobState::Waiting;
                self.queue.push_front(number);
            }
        }
    }

    /// A child has ended.
    fn closed(&mut self, number: usize) {
        let job = &mut self.jobs[number];
        let Some(child) = job.child.take() else { return };
        job.state = JobState::Waiting;
        let (code, said) = child.end();
        match look(&job.folder) {
            Look::Ended(summary) => self.done(number, Outcome::of(summary)),
            _ if code.is_some_and(|code| code > SIGNALLED) => {}
            // A child whose parent was killed made the folder while ours began; it stops by itself, and we go
            // on with it.
            Look::Begun | Look::Busy if code == Some(REFUSED) && self.fresh.remove(&number) => {
                self.queue.push_back(number);
            }
            _ => {
                let outcome = Outcome::broken(&job.log, said, code);
                self.done(number, outcome);
            }
        }
    }

    fn done(&mut self, number: usize, outcome: Outcome) {
        self.source.ended(number, &outcome);
        self.jobs[number].end(outcome);
        self.monitor.done(number, &self.jobs);
    }

    /// Asks all children to stop, and starts no more.
    fn stop(&mut self) {
        self.queue.clear();
        self.monitor.stopping();
        for job in &mut self.jobs {
            if let Some(child) = &mut job.child {
                child.let_go();
            } else if matches!(job.state, JobState::Foreign) {
                job.state = JobState::Waiting;
            }
        }
    }

    fn interrupted(&mut self) -> RunError {
        let (done, runs) = (self.jobs.iter().filter_map(Job::outcome).count(), self.jobs.len());
        self.monitor.interrupted(done, runs);
        let Intent { folder, line, .. } = self.intent;
        RunError::interrupted(format!(
            "{done} of {runs} runs have ended, in `{}`; the same command goes on:\n  {line}",
            folder.display(),
        ))
    }

    fn outcomes(self) -> Vec<Outcome> {
        let outcome = |job: Job| match job.state {
            JobState::Done(outcome) => outcome,
            // Somebody else interrupted this child.
            _ => Outcome::Failed("it was interrupted; the same command goes on with it".to_owned()),
        };
        self.jobs.into_iter().map(outcome).collect()
    }
}
