//! Everything needed to go on exactly: what a trainer is, as numbers and texts.

use serde::{Deserialize, Serialize};

use super::{Lookout, StageEnd, Status, Trainer, Why};
use crate::geometry::Points;
use crate::optim::ConstrainedProblem;
use crate::problem::Term;

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
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
    /// How the plan ended, once it did.
    pub ended: Option<Status>,
    /// What made it end.
    pub why: Why,
    /// Earlier stages that ended before their last step.
    #[serde(default)]
    pub early: Vec<StageEnd>,
    /// What was found wrong with constraints.
    pub lookout: Lookout,
}

/// The state of a run.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Where it stands.
    pub place: Place,
    /// The network's parameters, then those of the unknowns.
    pub θ: Vec<f64>,
    /// θ at the start of the last step.
    pub before: Vec<f64>,
    /// The lists of the method's state, sorted by name; empty before the first step of a stage.
    pub optimizer: Vec<(String, Vec<f64>)>,
    /// What the stage was like so far; empty before its first step.
    pub course: Vec<f64>,
    /// The current points of every term.
    pub points: Vec<Points>,
}

/// A snapshot of another problem, plan or version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
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
            place: Place {
                step: self.step,
                stage: self.stage,
                until: self.until,
                extended: self.extended,
                observe: self.observe,
                ended: self.ended,
                why: self.why,
                early: self.early.clone(),
                lookout: self.lookout.clone(),
            },
            θ: self.θ.clone(),
            before: self.last_finite.clone(),
            optimizer,
            course: self.course.as_ref().map(|course| course.numbers()).unwrap_or_default(),
            points: self.points.clone(),
        }
    }

    /// Continues from a saved state of the same problem, seed and plan. Where it does not fit, the trainer is of no use
    /// any more.
    pub fn restore(&mut self, snapshot: Snapshot) -> Result<(), Unfit> {
        self.fits(&snapshot)?;
        let Snapshot { place, θ, before, optimizer, course: numbers, points } = snapshot;
        (self.step, self.stage) = (place.step, place.stage);
        (self.until, self.extended) = (place.until, place.extended);
        (self.observe, self.ended, self.why) = (place.observe, place.ended, place.why);
        (self.lookout, self.θ, self.last_finite, self.early) = (place.lookout, θ, before, place.early);
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
            return Err(Unfit::Method(method));
        }
        self.course = Some(course);
        self.optimizer = (!diverged).then_some(method_state);
        Ok(())
    }

    fn fits(&self, snapshot: &Snapshot) -> Result<(), Unfit> {
        let expected = self.objective.parameters();
        if let Some(list) = [&snapshot.θ, &snapshot.before].into_iter().find(|list| list.len() != expected) {
            return Err(Unfit::Parameters { found: list.len(), expected });
        }
        let alike = |(saved, term, own): (&Points, &Term, &Points)| {
            let shape = saved.dimension() == own.dimension() && saved.attributes() == own.attributes();
            shape && (saved.len() == own.len() || term.source.grows() && saved.len() > own.len())
        };
        let count = snapshot.points.len() == self.points.len();
        let terms = snapshot.points.iter().zip(&self.problem.terms).zip(&self.points);
        if !count || !terms.map(|((saved, term), own)| (saved, term, own)).all(alike) {
            return Err(Unfit::Points);
        }
        let (stage, stages) = (snapshot.place.stage, self.stages.len());
        if stage >= stages.max(1) {
            return Err(Unfit::Stage { found: stage + 1, expected: stages });
        }
        Ok(())
    }
}
