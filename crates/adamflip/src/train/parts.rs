//! The parts of a run that come one after the other: windows of time, values of a constant.

use super::held::Held;
use super::march::March;
use super::{Trainer, points};
use crate::objective::Objective;
use crate::problem::Problem;

/// The share of the time for all values of a constant before the last.
const LEGS: f64 = 0.4;

/// A part of a run that is to end before the others can begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Its number.
    pub number: usize,
    /// The share that it may take of the time that is left when it begins.
    pub of: f64,
}

/// The problem that is being trained.
pub(super) fn here<'a>(whole: &'a Problem, march: Option<&'a March>, leg: usize) -> &'a Problem {
    march.map_or_else(|| whole.legs.get(leg).unwrap_or(whole), |march| &march.problem)
}

impl Trainer {
    /// The problem that is being trained: that of the current window, or with the current value of a
    /// constant.
    pub(super) fn here(&self) -> &Problem {
        here(&self.problem, self.march.as_ref(), self.leg)
    }

    /// Goes on to the next value of a constant; false at the last.
    pub(super) fn next_leg(&mut self) -> bool {
        if self.leg == self.problem.legs.len() || !self.enter_leg(self.leg + 1) {
            return false;
        }
        // What was found is the start: no other is needed.
        self.stage = self.stages.len() - 1;
        (self.course, self.optimizer, self.before) = (None, None, self.step);
        true
    }

    /// Takes up a value of a constant, with the networks as they are. False where it has no points.
    pub(super) fn enter_leg(&mut self, leg: usize) -> bool {
        let problem = here(&self.problem, None, leg);
        let Ok(mut points) = points::first(problem, self.seed) else { return false };
        self.held = Held::new(problem, &self.stages, self.seed, &mut points);
        self.objective = Objective::among(&self.ranks, problem, self.objective.model().clone(), &points);
        (self.points, self.leg) = (points, leg);
        true
    }

    /// The share of the time that is left which the current window or value of a constant may take, and its
    /// number.
    pub(super) fn share(&self) -> Option<Share> {
        let to_come = self.problem.legs.len() - self.leg;
        let of = match self.window() {
            _ if to_come > 0 => LEGS / to_come as f64,
            Some([from, to, end]) if !self.is_adaptive() && to < end => (to - from) / (end - from),
            _ => return self.look_share(),
        };
        Some(Share { number: self.leg + self.window_ends.len(), of })
    }

    /// What a run that stops here has not come to.
    pub fn shortfall(&self) -> Option<String> {
        if self.leg < self.problem.legs.len() {
            return Some(format!(
                "it came to value {} of {} of its constants",
                self.leg + 1,
                self.problem.legs.len() + 1
            ));
        }
        let [from, to, end] = self.window()?;
        (to < end).then(|| format!("it came up to t = {from} of {end}"))
    }
}
