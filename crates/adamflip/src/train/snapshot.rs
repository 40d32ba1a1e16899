//! Everything needed to go on exactly: what a trainer is, as numbers and texts.

use serde::{Deserialize, Serialize};

use super::{Attempts, ConstraintMonitor, StageEnd, Status, Trainer, Why, WindowEnd};
use crate::geometry::{Points, Windows};
use crate::optim::ConstrainedProblem;
use crate::problem::plan::can_grow;
use crate::problem::{Problem, Term};

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPosition {
    /// Steps taken, over all stages.
    pub step: usize,
    /// The current stage, from 0.
    pub stage: usize,
    /// The steps of the last stage, where they are not those of the plan.
    pub until: Option<usize>,
    /// Was this number asked for? An open stage that goes on sets it too.
    #[serde(default)]
    pub extended: bool,
    /// Steps between observations.
    pub observe: Option<usize>,
    /// Where windows begin and the current one ends; empty without windows.
    #[serde(default)]
    pub windows: Vec<f64>,
    /// Was the current window halved?
    #[serde(default)]
    pub halved: bool,
    /// The mean square of what is held out at the best state, and the steps since.
    #[serde(default)]
    pub held: Option<(f64, usize)>,
    /// The step of the continuation: which value of the constants that come to theirs step by step.
    #[serde(default, rename = "leg")]
    pub continuation: usize,
    /// Steps before the current window.
    #[serde(default)]
    pub before: usize,
    /// What came of windows.
    #[serde(default)]
    pub window_ends: Vec<WindowEnd>,
    /// How the plan ended, once it did.
    pub ended: Option<Status>,
    /// What made it end.
    pub why: Why,
    /// Earlier stages that ended before their last step.
    #[serde(default)]
    pub early: Vec<StageEnd>,
    /// Where a plan that watches itself stands.
    #[serde(default)]
    pub attempts: Attempts,
    /// What was found wrong with constraints.
    #[serde(rename = "lookout")]
    pub monitor: ConstraintMonitor,
}

impl RunPosition {
    /// The windows of the run, where it has any.
    pub fn windows(&self, problem: &Problem) -> Result<Option<Windows>, RestoreError> {
        if self.windows.is_empty() {
            return Ok(None);
        }
        let plan = problem.windows.ok_or(RestoreError::Windows)?;
        let windows = Windows { coordinate: plan.coordinate, bounds: self.windows.clone() };
        if windows.is_valid(&problem.domain) { Ok(Some(windows)) } else { Err(RestoreError::Windows) }
    }
}

/// The state of a run.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Where it stands.
    pub place: RunPosition,
    /// The network's parameters, then those of the unknowns.
    pub θ: Vec<f64>,
    /// θ at the start of the last step.
    pub before: Vec<f64>,
    /// The θ that meets held-out observations best; empty where there are none.
    pub kept: Vec<f64>,
    /// θ of the best attempt so far, and of the best scout; empty where there are none.
    pub attempts: [Vec<f64>; 2],
    /// The lists of the method's state, sorted by name; empty before the first step of a stage.
    pub optimizer: Vec<(String, Vec<f64>)>,
    /// What the stage was like so far; empty before its first step.
    pub course: Vec<f64>,
    /// The current points of every term.
    pub points: Vec<Points>,
}

/// A snapshot of another problem, plan or version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// Another number of parameters.
    #[error("it has {found} parameters, the problem has {expected}")]
    Parameters {
        /// In the snapshot.
        found: usize,
        /// In the problem.
        expected: usize,
    },
    /// Another number of terms, or points with other coordinates.
    #[error("the points of its terms are not those of the problem")]
    Points,
    /// Windows that the problem does not have.
    #[error("its windows of time are not those of the problem")]
    Windows,
    /// No such stage.
    #[error("it stands in stage {found}, the plan has {expected}")]
    Stage {
        /// In the snapshot, counted from 1.
        found: usize,
        /// In the plan.
        expected: usize,
    },
    /// State that is not of the method of its stage.
    #[error("its state is not one of `{0}`, the method of its stage")]
    Method(&'static str),
}

impl Trainer {
    /// The state to save.
    pub fn snapshot(&self) -> Snapshot {
        let state = self.optimizer.as_ref().map(|optimizer| optimizer.state()).unwrap_or_default();
        let mut optimizer: Vec<(String, Vec<f64>)> =
            state.into_iter().map(|(name, list)| (name.to_owned(), list)).collect();
        optimizer.sort_by(|a, b| a.0.cmp(&b.0));
        Snapshot {
            place: RunPosition {
                step: self.step,
                stage: self.stage,
                until: self.until,
                extended: self.extended,
                windows: self.windows().map(|windows| windows.bounds.clone()).unwrap_or_default(),
                halved: self.marching.as_ref().is_some_and(|marching| marching.halved),
                held: self.held.best.map(|best| (best, self.held.since)),
                continuation: self.continuation,
                before: self.before,
                window_ends: self.window_ends.clone(),
                observe: self.observe,
                ended: self.ended,
                why: self.why,
                early: self.early.clone(),
                attempts: self.attempts.clone(),
                monitor: self.monitor.clone(),
            },
            θ: self.θ.clone(),
            before: self.last_finite.clone(),
            kept: self.held.θ.clone(),
            attempts: self.attempts.lists(),
            optimizer,
            course: self.course.as_ref().map(|course| course.numbers()).unwrap_or_default(),
            points: self.points.clone(),
        }
    }

    /// Continues from a saved state of the same problem, seed and plan. Where it does not fit, the trainer is
    /// of no use any more.
    pub fn restore(&mut self, snapshot: Snapshot) -> Result<(), RestoreError> {
        self.take_up(&snapshot)?;
        self.march_to(&snapshot)?;
        self.take_back(&snapshot.points);
        self.fits(&snapshot)?;
        let Snapshot { place, θ, before, kept, optimizer, course: numbers, points, .. } = snapshot;
        (self.held.best, self.held.since) = place.held.map_or((None, 0), |(best, since)| (Some(best), since));
        self.held.θ = kept;
        (self.step, self.stage) = (place.step, place.stage);
        (self.until, self.extended) = (place.until, place.extended);
        (self.observe, self.ended, self.why) = (place.observe, place.ended, place.why);
        (self.monitor, self.θ, self.last_finite, self.early) = (place.monitor, θ, before, place.early);
        self.points = points;
        self.objective.set_points(&self.points);
        if numbers.is_empty() {
            return Ok(());
        }
        let method = self.stages[self.stage].method.name();
        let (mut course, mut method_state) = self.begin();
        // A run that diverged has no state of the method.
        let diverged = self.ended == Some(Status::Diverged) && optimizer.is_empty();
        if !course.restore(&numbers) || !(diverged || method_state.restore(&optimizer)) {
            return Err(RestoreError::Method(method));
        }
        if !course.weights.is_empty() {
            self.objective.set_equation_weights(&course.weights);
        }
        self.course = Some(course);
        self.optimizer = (!diverged).then_some(method_state);
        Ok(())
    }

    /// Takes up the attempt in which a snapshot was made, and its network.
    fn take_up(&mut self, snapshot: &Snapshot) -> Result<(), RestoreError> {
        self.attempts = snapshot.place.attempts.clone();
        let hidden = self.attempts.hidden.clone();
        if !hidden.is_empty() {
            if !can_grow(&self.problem.network) || hidden.len() != self.problem.network.hidden.len() {
                let expected = self.θ.len();
                return Err(RestoreError::Parameters { found: snapshot.θ.len(), expected });
            }
            self.problem = self.problem.widened(&hidden);
        }
        self.seed = self.attempts.seed_of(self.asked_seed);
        let begins_elsewhere = self.attempts != Attempts::default();
        if begins_elsewhere && self.is_single() && !self.take_up_stages() {
            return Err(RestoreError::Points);
        }
        // A network that has grown has no attempt to go back to.
        let parameters = self.θ.len();
        if !self.attempts.set_lists(snapshot.attempts.clone(), parameters) {
            return Err(RestoreError::Parameters { found: snapshot.attempts[0].len(), expected: parameters });
        }
        Ok(())
    }

    /// Takes up the window in which a snapshot was made.
    fn march_to(&mut self, snapshot: &Snapshot) -> Result<(), RestoreError> {
        let place = &snapshot.place;
        self.before = place.before;
        if place.continuation > self.problem.continuation.len()
            || place.continuation > 0 && !self.enter_continuation(place.continuation)
        {
            return Err(RestoreError::Points);
        }
        let Some(windows) = place.windows(&self.problem)? else { return Ok(()) };
        let expected = windows.count() * self.objective.parameters();
        if snapshot.θ.len() != expected {
            return Err(RestoreError::Parameters { found: snapshot.θ.len(), expected });
        }
        self.θ = snapshot.θ.clone();
        self.enter(windows).map_err(|_| RestoreError::Windows)?;
        if let Some(marching) = &mut self.marching {
            marching.halved = place.halved;
        }
        self.window_ends = place.window_ends.clone();
        Ok(())
    }

    fn fits(&self, snapshot: &Snapshot) -> Result<(), RestoreError> {
        let kept = if snapshot.place.held.is_some() { self.θ.len() } else { 0 };
        for (list, expected) in [
            (&snapshot.θ, self.θ.len()),
            (&snapshot.kept, kept),
            (&snapshot.before, self.objective.parameters()),
        ] {
            if list.len() != expected {
                return Err(RestoreError::Parameters { found: list.len(), expected });
            }
        }
        let alike = |(saved, term, own): (&Points, &Term, &Points)| {
            let shape = saved.dimension() == own.dimension() && saved.attributes() == own.attributes();
            shape && (saved.len() == own.len() || term.source.grows() && saved.len() > own.len())
        };
        let count = snapshot.points.len() == self.points.len();
        let terms = snapshot.points.iter().zip(&self.here().terms).zip(&self.points);
        if !count || !terms.map(|((saved, term), own)| (saved, term, own)).all(alike) {
            return Err(RestoreError::Points);
        }
        let (stage, stages) = (snapshot.place.stage, self.stages.len());
        if stage >= stages.max(1) {
            return Err(RestoreError::Stage { found: stage + 1, expected: stages });
        }
        Ok(())
    }
}
