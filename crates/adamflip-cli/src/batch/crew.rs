//! The children of a batch at work: as many at once as are allowed, until all runs have ended or the user has enough.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use serde_json::Value;

use super::child::{self, Child, News};
use super::look::{Look, look};
use super::outcome::Outcome;
use super::screen::{Intent, Screen};
use crate::failure::{Failure, SIGNALLED};
use crate::interrupt::Interrupt;
use crate::output::{self, Data};
use crate::shell;

/// How long news are waited for before the clock, Ctrl-C and runs of others are looked at.
const PATIENCE: Duration = Duration::from_millis(100);

/// A run that is to be trained.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// Where it says what it has to say.
    pub(crate) log: PathBuf,
    /// As many as it will take, as far as that is known.
    pub(crate) steps: usize,
}

/// Whoever has runs to train; they are known by their numbers.
pub(crate) trait Runs {
    /// What begins a run in its folder.
    fn order(&self, number: usize) -> child::Order;
    /// The threads of each.
    fn threads(&self) -> usize;
    /// A run has ended, now or before.
    fn ended(&mut self, _number: usize, _outcome: &Outcome) {}
}

/// A run and how it stands.
pub(super) struct Job {
    pub(super) name: String,
    folder: PathBuf,
    log: PathBuf,
    pub(super) step: usize,
    pub(super) steps: usize,
    pub(super) stand: Stand,
}

/// How a run stands.
pub(super) enum Stand {
    Waiting,
    /// A child of ours trains it.
    Running(Child),
    /// A process that is not ours works in its folder: a child of a parent that was killed.
    Foreign,
    Done(Outcome),
}

/// The runs of a batch and those who train them.
pub(crate) struct Crew<'a> {
    runs: &'a mut dyn Runs,
    intent: Intent<'a>,
    /// As many at once.
    most: usize,
    jobs: Vec<Job>,
    queue: VecDeque<usize>,
    screen: Screen,
    news: (Sender<News>, Receiver<News>),
}

impl<'a> Crew<'a> {
    /// For tasks that are trained in their order, so many at once.
    pub(crate) fn new(
        runs: &'a mut dyn Runs,
        tasks: Vec<Task>,
        most: usize,
        intent: Intent<'a>,
        json: bool,
    ) -> Self {
        let job = |Task { name, folder, log, steps }| {
            let stand = Stand::Waiting;
            Job { name, folder, log, step: 0, steps, stand }
        };
        let queue = (0..tasks.len()).collect();
        let jobs = tasks.into_iter().map(job).collect();
        let screen = Screen::new(json, intent.metric.clone());
        Self { runs, intent, most, jobs, queue, screen, news: mpsc::channel() }
    }

    /// Trains until all runs have ended, and says how each did.
    pub(crate) fn work(mut self, data: &mut Data) -> Result<Vec<Outcome>, Failure> {
        let interrupt = Interrupt::listen();
        self.screen.start(&self.intent, self.jobs.len(), data);
        self.gather();
        self.screen.begin(&self.jobs, data);
        let mut stopped = false;
        while self.busy() > 0 || !self.queue.is_empty() {
            if interrupt.is_raised() && !stopped {
                stopped = true;
                self.stop();
            }
            while self.busy() < self.most && self.next(data) {}
            self.hear(data);
            self.screen.show(&self.jobs, data);
        }
        self.screen.finish();
        // The last may have ended in the very moment of the signal.
        match stopped || interrupt.is_raised() {
            true => Err(self.interrupted(interrupt.code(), data)),
            false => Ok(self.outcomes()),
        }
    }

    /// Finds the runs that have ended before.
    fn gather(&mut self) {
        for (number, job) in self.jobs.iter_mut().enumerate() {
            if let Look::Ended(summary) = look(&job.folder) {
                let outcome = Outcome::of(summary);
                self.runs.ended(number, &outcome);
                job.step = job.steps;
                job.stand = Stand::Done(outcome);
            }
        }
        let jobs = &self.jobs;
        self.queue.retain(|&number| matches!(jobs[number].stand, Stand::Waiting));
    }

    /// How many runs are being trained.
    fn busy(&self) -> usize {
        let at_work = |job: &&Job| matches!(job.stand, Stand::Running(_) | Stand::Foreign);
        self.jobs.iter().filter(at_work).count()
    }

    /// Starts the next run, if there is one.
    fn next(&mut self, data: &mut Data) -> bool {
        let Some(number) = self.queue.pop_front() else { return false };
        let job = &self.jobs[number];
        let command = match look(&job.folder) {
            Look::Busy => {
                output::warn(&format!(
                    "another adamflip still works in `{}`: waiting for it",
                    job.folder.display()
                ));
                self.jobs[number].stand = Stand::Foreign;
                return true;
            }
            Look::Ended(summary) => {
                self.done(number, Outcome::of(summary), data);
                return true;
            }
            Look::Begun => child::resume(&job.folder, self.runs.threads()),
            Look::Absent => self.runs.order(number).command(&job.folder, self.runs.threads()),
        };
        match command.and_then(|command| Child::start(command, &job.log, number, self.news.0.clone())) {
            Ok(child) => self.jobs[number].stand = Stand::Running(child),
            Err(error) => self.done(number, Outcome::Failed(format!("cannot be started: {error}")), data),
        }
        true
    }

    /// Takes in what the children say, and looks after runs of others.
    fn hear(&mut self, data: &mut Data) {
        let mut news = self.news.1.recv_timeout(PATIENCE).ok();
        while let Some(item) = news {
            match item {
                News::Event(number, event) => self.jobs[number].hear(&event),
                News::Closed(number) => self.closed(number, data),
            }
            news = self.news.1.try_recv().ok();
        }
        for number in 0..self.jobs.len() {
            let foreign = matches!(self.jobs[number].stand, Stand::Foreign);
            if foreign && !matches!(look(&self.jobs[number].folder), Look::Busy) {
                self.jobs[number].stand = Stand::Waiting;
                self.queue.push_front(number);
            }
        }
    }

    /// A child has ended.
    fn closed(&mut self, number: usize, data: &mut Data) {
        let job = &mut self.jobs[number];
        let Stand::Running(child) = std::mem::replace(&mut job.stand, Stand::Waiting) else { return };
        let (code, said) = child.end();
        match look(&job.folder) {
            Look::Ended(summary) => self.done(number, Outcome::of(summary), data),
            _ if code.is_some_and(|code| code > SIGNALLED.into()) => {}
            _ => {
                let outcome = Outcome::broken(&job.log, said, code);
                self.done(number, outcome, data);
            }
        }
    }

    fn done(&mut self, number: usize, outcome: Outcome, data: &mut Data) {
        self.runs.ended(number, &outcome);
        let job = &mut self.jobs[number];
        job.step = job.steps;
        job.stand = Stand::Done(outcome);
        self.screen.done(number, &self.jobs, data);
    }

    /// Asks all children to stop, and starts no more.
    fn stop(&mut self) {
        self.queue.clear();
        self.screen.say("stopping: every run keeps a checkpoint");
        for job in &mut self.jobs {
            match &mut job.stand {
                Stand::Running(child) => child.let_go(),
                Stand::Foreign => job.stand = Stand::Waiting,
                Stand::Waiting | Stand::Done(_) => {}
            }
        }
    }

    fn interrupted(&self, code: u8, data: &mut Data) -> Failure {
        let done = self.jobs.iter().filter(|job| matches!(job.stand, Stand::Done(_))).count();
        self.screen.interrupted(done, self.jobs.len(), data);
        let text = format!(
            "{done} of {} runs have ended, in `{}`; the same command goes on:\n  {}",
            self.jobs.len(),
            self.intent.folder.display(),
            shell::command()
        );
        Failure { text, code }
    }

    fn outcomes(self) -> Vec<Outcome> {
        let outcome = |job: Job| match job.stand {
            Stand::Done(outcome) => outcome,
            // Somebody else interrupted this child.
            _ => Outcome::Failed("it was interrupted; the same command goes on with it".to_owned()),
        };
        self.jobs.into_iter().map(outcome).collect()
    }
}

impl Job {
    /// Takes in an event of the run.
    fn hear(&mut self, event: &Value) {
        let count = |key: &str| event[key].as_u64().and_then(|count| usize::try_from(count).ok());
        if event["event"] == "progress"
            && let (Some(step), Some(steps)) = (count("step"), count("steps"))
        {
            (self.step, self.steps) = (step, steps);
        }
    }
}
