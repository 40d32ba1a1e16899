//! A rank beside the first: it does the steps of a session, and leaves folder, clock and talk to rank 0.

use std::ops::ControlFlow;
use std::path::Path;

use adamflip::ranks::Ranks;
use adamflip::train::{Signal, Status, Trainer};

use super::resume::ready;
use crate::agreement::{self, Votes, alike, together};
use crate::choices::{Task, fits};
use crate::error::RunError;
use crate::{record, start, trained};

/// A rank's part of a run.
pub struct Member {
    trainer: Trainer,
}

impl Member {
    /// Beside [`Session::begin_among`](super::Session::begin_among) on rank 0.
    pub fn begin(ranks: &Ranks, task: Task) -> Result<Self, RunError> {
        alike(ranks, &task)?;
        let trainer = || {
            let mut trainer = task.trainer()?;
            trainer.observe(record::interval(&trainer));
            start::start(&mut trainer)?;
            Ok(trainer)
        };
        Self::join(ranks, trainer())
    }

    /// Beside [`Session::resume_among`](super::Session::resume_among) on rank 0.
    pub fn resume(ranks: &Ranks, run: &Path, more: Option<u64>) -> Result<Self, RunError> {
        let (manifest, task) = together(ranks, trained::task(run))?;
        alike(ranks, &task)?;
        let trainer = || {
            fits(&task.problem, &task.stages)?;
            let origin = task.origin()?;
            ready(run, &manifest, &origin, task, more)
        };
        Self::join(ranks, trainer())
    }

    fn join(ranks: &Ranks, trainer: Result<Trainer, RunError>) -> Result<Self, RunError> {
        let mut trainer = together(ranks, trainer)?;
        agreement::join(&mut trainer, ranks)?;
        Ok(Self { trainer })
    }

    /// The steps of [`Session::train`](super::Session::train). `callback` says whether to go on: where this
    /// rank is asked to stop, all are.
    pub fn train(&mut self, callback: &mut dyn FnMut() -> ControlFlow<()>) -> Result<(), RunError> {
        let ranks = self.trainer.ranks().clone();
        together(&ranks, Ok(()))?;
        let mut votes = Votes::new(&ranks);
        loop {
            let status = self
                .trainer
                .run(&mut |progress| votes.follow(Signal::Continue, callback().is_break(), progress.θ));
            votes.check()?;
            // Rank 0 saves.
            together(&ranks, Ok(()))?;
            if status != Status::Interrupted || votes.is_stopped {
                break;
            }
        }
        // Rank 0 writes what came of it, alone.
        ranks.meet();
        together(&ranks, Ok(()))
    }
}
