//! Who has to do with a batch: whoever has its runs, and whoever watches them.

use std::path::Path;

use super::child::JobSpec;
use super::job::Job;
use super::metric::Metric;
use super::outcome::Outcome;

/// What a batch is for.
#[derive(Clone, Debug)]
pub struct Intent<'a> {
    /// The command that asks for it.
    pub command: &'static str,
    /// The command line, to be run again.
    pub line: &'a str,
    /// The name of the problem, where it is one.
    pub problem: Option<&'a str>,
    /// What it is called for people.
    pub title: &'a str,
    /// Where its runs are.
    pub folder: &'a Path,
    /// What is told of a run that has ended.
    pub metric: Metric,
}

/// Whoever has runs to train; they are known by their numbers.
pub trait JobSource {
    /// What begins a run in its folder.
    fn job(&self, number: usize) -> JobSpec;
    /// The threads of each.
    fn threads(&self) -> usize;
    /// A run has ended, now or before.
    fn ended(&mut self, _number: usize, _outcome: &Outcome) {}
}

/// Whoever watches a batch.
pub trait Monitor {
    /// This many runs are to be trained, or were.
    fn start(&mut self, intent: &Intent<'_>, runs: usize);
    /// Those that had ended before are known.
    fn begin(&mut self, jobs: &[Job]);
    /// A run has ended.
    fn done(&mut self, number: usize, jobs: &[Job]);
    /// Time has passed.
    fn show(&mut self, jobs: &[Job]);
    /// Is the batch to stop? Then every run keeps a checkpoint.
    fn is_interrupted(&self) -> bool;
    /// All runs were asked to stop.
    fn stopping(&mut self);
    /// All runs have ended or stopped.
    fn finish(&mut self);
    /// The batch stopped when this many of its runs had ended.
    fn interrupted(&mut self, done: usize, runs: usize);
}
