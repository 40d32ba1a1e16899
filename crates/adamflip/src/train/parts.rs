//! The parts of a run that come one after the other: windows of time, steps of a continuation in a constant.

use super::held::Held;
use super::time_marching::TimeMarching;
use super::{Trainer, points};
use crate::objective::Objective;
use crate::problem::Problem;

/// The share of the time for all values of a constant before the last.
const CONTINUATION_SHARE: f64 = 0.4;

/// A part of a run that is to end before the others can begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Its number.
    pub number: usize,
    /// The share that it may take of the time that is left when it begins.
    pub of: f64,
}

/// The problem that is being trained.
pub(super) fn here<'a>(whole: &'a Problem, marching: Option<&'a TimeMarching>, step: usize) -> &'a Problem {
    marching.map_or_else(|| whole.continuation.get(step).unwrap_or(whole), |marching| &marching.problem)
}

impl Trainer {
    /// The problem that is being trained: that of the current window, or with the current value of a
    /// constant.
    pub(super) fn here(&self) -> &Problem {
        here(&self.problem, self.marching.as_ref(), self.continuation)
    }

    /// Goes on to the next value of a constant; false at the last.
    pub(super) fn next_continuation(&mut self) -> bool {
        if self.continuation == self.problem.continuation.len()
            || !self.enter_continuation(self.continuation + 1)
        {
            return false;
        }
        // What was found is the start: no other is needed.
        self.stage = self.stages.len() - 1;
        (self.course, self.optimizer, self.before) = (None, None, self.step);
        true
    }

    /// Takes up a value of a constant, with the networks as they are. False where it has no points.
    pub(super) fn enter_continuation(&mut self, step: usize) -> bool {
        let problem = here(&self.problem, None, step);
        let Ok(mut points) = points::first(problem, self.seed) else { return false };
        self.held = Held::new(problem, &self.stages, self.seed, &mut points);
        self.objective = Objective::among(&self.ranks, problem, self.objective.model().clone(), &points);
        (self.points, self.continuation) = (points, step);
        true
    }

    /// The share of the time that is left which the current window or value of a constant may take, and its
    /// number.
    pub(super) fn share(&self) -> Option<Share> {
        let to_come = self.problem.continuation.len() - self.continuation;
        let of = match self.window() {
            _ if to_come > 0 => CONTINUATION_SHARE / to_come as f64,
            Some([from, to, end]) if !self.is_adaptive() && to < end => (to - from) / (end - from),
            _ => return self.look_share(),
        };
        Some(Share { number: self.continuation + self.window_ends.len(), of })
    }

    /// What a run that stops here has not come to.
    pub fn shortfall(&self) -> Option<String> {
        if self.continuation < self.problem.continuation.len() {
            return Some(format!(
                "it came to value {} of {} of its constants",
                self.continuation + 1,
                self.problem.continuation.len() + 1
            ));
        }
        let [from, to, end] = self.window()?;
        (to < end).then(|| format!("it came up to t = {from} of {end}"))
    }
}
