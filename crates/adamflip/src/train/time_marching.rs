//! Time marching: windows that are solved one after the other.
//!
//! A problem whose plan leaves it open is first tried as a whole. Where its equation is missed at the end,
//! the window is halved, until it is met; the next is as long, or twice as long where nothing had to be
//! halved. It is the control of the step size of integrators, with a network for a step.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::stage_state::StageState;
use super::{Trainer, points};
use crate::certificate::State;
use crate::geometry::Windows;
use crate::model::Model;
use crate::objective::{Objective, window};
use crate::optim::ConstrainedProblem;
use crate::problem::{Problem, WindowPlan, plan};
use crate::sample::SampleError;
use crate::uncertainty::{self, MISSED};

/// The shortest window as a share of all time.
const SHORTEST: f64 = 1e-3;
/// A window whose estimated error is below this is done; where the plan asks for an accuracy, below this
/// share of it.
const GOOD: f64 = 1e-4;
const SHARE: f64 = 0.3;
/// Where it is below this, no more steps than those of the plan are taken; nor more than this many.
const GOOD_ENOUGH: f64 = 0.02;
const MOST: usize = 400;
/// An equation that is missed by this share of its summands, with an error that is estimated to be large, is
/// not solved either: van der Pol's, with a curve that skips the jump, is missed by 0.8% and more; Kuramoto
/// and Sivashinsky's, solved with an error that is far overestimated, by 0.05%.
const DOUBTFUL: f64 = 0.005;
const LARGE: f64 = 0.2;
/// What would be left of time after a window is taken into it up to this share of its length.
const REST: f64 = 0.25;

/// The windows of a run so far; the last is the current.
pub(super) struct TimeMarching {
    pub(super) windows: Windows,
    /// The problem of the current window.
    pub(super) problem: Problem,
    /// The networks of all of them.
    pub(super) model: Arc<Model>,
    /// Was the current window halved?
    pub(super) halved: bool,
}

/// What came of a window, for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WindowEnd {
    /// The time at which it begins.
    pub from: f64,
    /// The time at which it ends.
    pub to: f64,
    /// The step of the run that was its last.
    pub step: usize,
    /// The largest residual of an equation by its summands.
    pub missed: f64,
    /// Was it given up for a shorter one?
    pub is_given_up: bool,
}

/// How well a window is solved.
#[derive(Clone, Copy, Debug)]
struct Judged {
    /// The largest residual of an equation by its summands.
    missed: f64,
    /// The largest estimated error of a field; 0 for a problem as a whole, which is not judged by it.
    estimate: f64,
}

impl Judged {
    /// Should the window be shorter?
    fn fails(self) -> bool {
        self.missed > MISSED || self.missed > DOUBTFUL && self.estimate > LARGE
    }
}

impl Trainer {
    /// The networks of all windows so far.
    pub fn model(&self) -> &Arc<Model> {
        self.marching.as_ref().map_or(self.objective.model(), |marching| &marching.model)
    }

    /// Where the current window's part of θ begins.
    pub(super) fn first(&self) -> usize {
        self.θ.len() - self.objective.parameters()
    }

    /// The state of the current window alone.
    pub(super) fn state_here(&self) -> State<'_> {
        let (problem, model) = (self.here(), self.objective.model());
        State { problem, model, θ: &self.θ[self.first()..], seed: self.seed, points: &self.points }
    }

    /// Where the current window begins and ends, and where time does; nothing where there are no windows.
    pub fn window(&self) -> Option<[f64; 3]> {
        let Windows { coordinate, bounds } = &self.marching.as_ref()?.windows;
        let end = self.problem.domain.upper[*coordinate];
        Some([bounds[bounds.len() - 2], bounds[bounds.len() - 1], end])
    }

    /// The windows so far.
    pub fn windows(&self) -> Option<&Windows> {
        self.marching.as_ref().map(|marching| &marching.windows)
    }

    /// What came of windows.
    pub fn window_ends(&self) -> &[WindowEnd] {
        &self.window_ends
    }

    /// The windows that a plan begins with, where it has a number of them.
    pub(super) fn first_windows(problem: &Problem) -> Option<Windows> {
        let plan = problem.windows.filter(|plan| plan.count.is_some())?;
        let mut windows = plan.windows(&problem.domain);
        windows.bounds.truncate(2);
        Some(windows)
    }

    /// Takes up the last of these windows; θ has a part for it already.
    pub(super) fn enter(&mut self, windows: Windows) -> Result<(), SampleError> {
        let model = Arc::new(super::model_of(&self.problem, self.seed, Some(&windows)));
        let last = windows.count() - 1;
        let problem = window(&self.problem, &model, &self.θ, last, None);
        self.points = points::first(&problem, self.seed)?;
        let own = model.windows().map_or(&model, |(_, models)| &models[last]).clone();
        self.objective = Objective::among(&self.ranks, &problem, own, &self.points);
        self.start = self.θ[model.part(last)].to_vec();
        self.last_finite = self.start.clone();
        self.marching = Some(TimeMarching { windows, problem, model, halved: false });
        Ok(())
    }

    /// The accuracy that ends a stage: what the plan asks for, and in windows of our own a share of it, since
    /// errors add up.
    pub(super) fn accuracy(&self) -> Option<f64> {
        let asked = self.problem.train.accuracy;
        if self.is_adaptive() { Some(asked.map_or(GOOD, |asked| SHARE * asked)) } else { asked }
    }

    /// The windows of the plan. Where the stages are the user's, there are windows only where they ask for a
    /// number of them.
    fn window_plan(&self) -> Option<WindowPlan> {
        self.problem.windows.filter(|plan| plan.count.is_some() || plan::is_default(&self.stages))
    }

    /// Does it march in windows that are as long as they can be?
    pub(super) fn is_adaptive(&self) -> bool {
        self.marching.is_some() && self.problem.windows.is_some_and(|plan| plan.count.is_none())
    }

    /// Has a window of our own had enough steps? It should be shorter, and its losses do not fall fast; or it
    /// is good enough to go on to the next.
    pub(super) fn has_enough(&self, course: &StageState) -> bool {
        if self.window_plan().is_none_or(|plan| plan.count.is_some()) {
            return false;
        }
        let judged = self.judged_here();
        let is_done = self.is_adaptive() && (judged.estimate <= GOOD_ENOUGH || course.taken >= MOST);
        is_done || judged.fails() && !course.trends.falls_fast(&self.problem)
    }

    /// How well the current window is solved.
    fn judged_here(&self) -> Judged {
        let state = self.state_here();
        let missed = uncertainty::missed(&state).unwrap_or(0.0);
        let estimates = if self.is_adaptive() { uncertainty::assess(&state).estimates } else { Vec::new() };
        let estimate = estimates.iter().map(|estimate| estimate.relative_l2).fold(0.0, f64::max);
        Judged { missed, estimate }
    }

    /// Goes on to the next window, or to a shorter one where this was not solved; false at the end of time,
    /// or where there is nothing to be done.
    pub(super) fn next_window(&mut self) -> bool {
        let Some(plan) = self.window_plan() else { return false };
        let all = plan.windows(&self.problem.domain);
        let (begin, end) = (all.bounds[0], all.bounds[all.count()]);
        let whole = || Windows { coordinate: plan.coordinate, bounds: vec![begin, end] };
        let mut windows = self.marching.as_ref().map_or_else(whole, |marching| marching.windows.clone());
        let last = windows.bounds.len() - 1;
        let (from, to) = (windows.bounds[last - 1], windows.bounds[last]);
        let judged = self.judged_here();
        let fails = plan.count.is_none() && judged.fails();
        let mut end_here = WindowEnd { from, to, step: self.step, missed: judged.missed, is_given_up: false };
        let (size, saved) = (self.objective.parameters(), self.θ.clone());
        if fails {
            if to - from < 2.0 * SHORTEST * (end - begin) {
                return false;
            }
            end_here.is_given_up = true;
            windows.bounds[last] = 0.5 * (from + to);
            let first = self.θ.len() - size;
            match first {
                0 => self.θ = super::model(&self.problem, self.seed).1,
                _ => self.θ.copy_within(first - size..first, first),
            }
        } else if to < end {
            let next = match plan.count {
                Some(_) => all.bounds[last + 1],
                None => {
                    longer(to, to - from, self.marching.as_ref().is_some_and(|marching| marching.halved), end)
                }
            };
            windows.bounds.push(next);
            self.θ.extend_from_within(self.θ.len() - size..);
        } else {
            return false;
        }
        // Every slab has points; only memory could be short of them.
        if self.enter(windows).is_err() {
            self.θ = saved;
            return false;
        }
        if let Some(marching) = &mut self.marching {
            marching.halved = fails;
        }
        self.window_ends.push(end_here);
        self.attempts.taken.clear();
        (self.stage, self.course, self.optimizer) = (0, None, None);
        (self.until, self.before) = (None, self.step);
        true
    }
}

/// The end of the window after one that ended at `from`.
fn longer(from: f64, length: f64, halved: bool, end: f64) -> f64 {
    let next = from + if halved { length } else { 2.0 * length };
    if end - next < REST * length { end } else { next }
}
