//! A run of a batch: where it is, how far it is, and how it came out.

use std::path::PathBuf;

use serde_json::Value;

use super::child::Child;
use super::outcome::Outcome;

/// A run of a batch and how it stands.
#[derive(Debug)]
pub struct Job {
    name: String,
    pub(super) folder: PathBuf,
    pub(super) log: PathBuf,
    step: usize,
    steps: usize,
    seconds: Option<[f64; 2]>,
    pub(super) state: JobState,
    pub(super) child: Option<Child>,
}

/// How a run stands.
#[derive(Debug)]
pub(super) enum JobState {
    /// It will be trained.
    Waiting,
    /// A child of ours trains it.
    Running,
    /// A process that is not ours works in its folder: a child of a parent that was killed.
    Foreign,
    /// It has ended.
    Done(Outcome),
}

impl Job {
    /// A run in a folder, which says what it has to say in a log and will take this many steps, as far as is
    /// known.
    pub fn new(name: String, folder: PathBuf, log: PathBuf, steps: usize) -> Self {
        Self { name, folder, log, step: 0, steps, seconds: None, state: JobState::Waiting, child: None }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The steps that were taken so far.
    pub fn step(&self) -> usize {
        self.step
    }

    /// The steps that it will take, as far as that is known.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The part of its work that is done: by its time, where it knows how much is left, else by its steps.
    pub fn part(&self) -> f64 {
        match (&self.state, self.seconds) {
            (JobState::Done(_), _) => 1.0,
            (_, Some([taken, left])) => taken / (taken + left),
            (_, None) => self.step as f64 / self.steps.max(1) as f64,
        }
    }

    /// Is it being trained?
    pub fn is_busy(&self) -> bool {
        matches!(self.state, JobState::Running | JobState::Foreign)
    }

    /// How it came out, where it has ended.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.state {
            JobState::Done(outcome) => Some(outcome),
            _ => None,
        }
    }

    pub(super) fn end(&mut self, outcome: Outcome) {
        self.step = self.steps;
        self.state = JobState::Done(outcome);
    }

    /// Takes in an event of the run.
    pub(super) fn hear(&mut self, event: &Value) {
        let count = |key: &str| event[key].as_u64().and_then(|count| usize::try_from(count).ok());
        if event["event"] == "progress"
            && let (Some(step), Some(steps)) = (count("step"), count("steps"))
        {
            (self.step, self.steps) = (step, steps);
            let seconds = event["seconds"].as_f64().zip(event["seconds_left"].as_f64());
            self.seconds =
                seconds.map(|(taken, left)| [taken, left]).filter(|[taken, left]| taken + left > 0.0);
        }
    }
}
