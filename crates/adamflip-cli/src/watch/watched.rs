//! A run as its folder shows it to anyone: plan, history and whether it still goes on. Nothing is written.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use adamflip::checkpoint::Checkpoint;
use adamflip::train::planned;
use adamflip_run::{CHECKPOINT, HISTORY, RunManifest, is_held, shell};

use super::end::End;
use super::tail::{Tail, TailUpdate};
use crate::failure::Failure;
use crate::view::{Moment, Outline, Trace};

/// A history that did not grow for so long makes one ask whether somebody still works on it.
const QUIET: Duration = Duration::from_secs(1);

/// A run that is looked at.
pub(crate) struct Watched {
    pub(crate) run: PathBuf,
    pub(crate) manifest: RunManifest,
    pub(crate) outline: Outline,
    pub(crate) trace: Trace,
    pub(crate) condition: Condition,
    tail: Tail,
    /// When the history grew last, and when the lock was asked for.
    grown: Instant,
    asked: Instant,
}

/// Whether a run goes on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// A process works on it.
    Running,
    /// It came to an end and says so.
    Ended(End),
    /// Nobody works on it, and it has not come to an end.
    Killed,
}

impl Watched {
    /// Opens a run and reads all that is there.
    pub(crate) fn open(run: &Path) -> Result<Self, Failure> {
        let (manifest, outline) = plan(run)?;
        let mut watched = Self {
            run: run.into(),
            manifest,
            trace: Trace::new(outline.columns()),
            outline,
            condition: Condition::Running,
            tail: Tail::new(run.join(HISTORY)),
            grown: Instant::now(),
            asked: Instant::now(),
        };
        watched.read()?;
        watched.condition = watched.ask();
        Ok(watched)
    }

    /// Looks again; did anything change?
    pub(crate) fn refresh(&mut self) -> Result<bool, Failure> {
        let grown = self.read()?;
        // The lock is asked for seldom: whoever starts in that very moment would be refused.
        let due = match self.condition {
            Condition::Running => self.grown.elapsed() >= QUIET && self.asked.elapsed() >= QUIET,
            Condition::Ended(_) | Condition::Killed => grown,
        };
        let condition = if due { self.ask() } else { self.condition.clone() };
        let changed = grown || condition != self.condition;
        self.condition = condition;
        Ok(changed)
    }

    /// Reads the new rows.
    fn read(&mut self) -> Result<bool, Failure> {
        let mut grown = false;
        loop {
            match self.tail.look().map_err(|error| self.unreadable(&error))? {
                TailUpdate::Nothing => break,
                TailUpdate::Rows(history) => self.trace.extend(&history, 0),
                TailUpdate::Replaced => self.trace = Trace::new(self.outline.columns()),
            }
            grown = true;
        }
        if grown {
            self.grown = Instant::now();
            self.lengthen();
        }
        Ok(grown)
    }

    /// A run that has more steps than its plan was extended.
    fn lengthen(&mut self) {
        let step = self.moment().step;
        if step > self.outline.steps() {
            if let Ok((_, outline)) = plan(&self.run) {
                self.outline = outline;
            }
            self.outline.reach(step);
        }
    }

    fn ask(&mut self) -> Condition {
        self.asked = Instant::now();
        if self.is_occupied() { Condition::Running } else { self.outcome() }
    }

    /// How the run stands if nobody works on it. A session that trains takes the summary of the one before
    /// away.
    pub(crate) fn outcome(&self) -> Condition {
        End::read(&self.run).map_or(Condition::Killed, Condition::Ended)
    }

    /// Does a process hold the lock?
    fn is_occupied(&self) -> bool {
        is_held(&self.run)
    }

    /// The newest row.
    pub(crate) fn moment(&self) -> Moment {
        Moment::last(&self.outline, &self.trace)
    }

    fn unreadable(&self, error: &std::io::Error) -> Failure {
        let path = self.run.join(HISTORY);
        Failure::input(
            format!("cannot read `{}`: {error}", path.display()),
            format!(
                "`adamflip resume {}` writes it again from the last checkpoint on",
                shell::path(&self.run)
            ),
        )
    }
}

/// What a run is and is to do. Only its checkpoint knows that it was extended.
fn plan(run: &Path) -> Result<(RunManifest, Outline), Failure> {
    let (manifest, task) = adamflip_run::task(run)?;
    let until = Checkpoint::read(&run.join(CHECKPOINT)).ok().and_then(|state| state.metadata.place.until);
    Ok((manifest, Outline::of(&task.problem, &task.stages, planned(&task.stages, until))))
}
