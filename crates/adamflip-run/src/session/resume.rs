//! A run goes on from its last checkpoint, with the bits of one that was never interrupted.

use std::path::Path;

use adamflip::checkpoint::Origin;
use adamflip::ranks::Ranks;
use adamflip::train::{Status, Trainer};

use super::Session;
use crate::agreement::{self, alike, together};
use crate::choices::Task;
use crate::error::RunError;
use crate::manifest::RunManifest;
use crate::record::{self, Record};
use crate::run_dir::RunDir;
use crate::{checkpoints, choices, start, trained};

impl Session {
    /// Opens a run to go on with it, where asked for with more steps in its last stage.
    pub fn resume(run: &Path, more: Option<u64>) -> Result<Self, RunError> {
        Self::resume_among(&Ranks::default(), run, more)
    }

    /// The same by several ranks, of which this is the first.
    pub fn resume_among(ranks: &Ranks, run: &Path, more: Option<u64>) -> Result<Self, RunError> {
        let (manifest, task) = together(ranks, trained::task(run))?;
        alike(ranks, &task)?;
        let mut session = together(ranks, Self::open(run, manifest, task, more))?;
        agreement::join(&mut session.trainer, ranks)?;
        Ok(session)
    }

    fn open(run: &Path, manifest: RunManifest, task: Task, more: Option<u64>) -> Result<Self, RunError> {
        choices::fits(&task.problem, &task.stages)?;
        let dir = RunDir::open(run)?;
        let (method, origin) = (task.method, task.origin()?);
        let trainer = ready(run, &manifest, &origin, task, more)?;
        let record = Record::open(&dir, &trainer)?;
        let mut session = Self { dir, manifest, origin, trainer, record, method, more: None };
        if more.is_some() {
            // So that it is longer also for whoever resumes it next.
            session.save()?;
        }
        Ok(session)
    }
}

/// A trainer as a run was left, to go on with.
pub(super) fn ready(
    run: &Path,
    manifest: &RunManifest,
    origin: &Origin,
    task: Task,
    more: Option<u64>,
) -> Result<Trainer, RunError> {
    let mut trainer = task.trainer()?;
    trainer.observe(record::interval(&trainer));
    if let Some(checkpoint) = checkpoints::newest(run)? {
        trained::belongs(run, manifest, origin, &checkpoint)?;
        trainer.restore(checkpoint.snapshot).map_err(|mismatch| trained::does_not_fit(run, &mismatch))?;
    } else {
        start::start(&mut trainer)?;
    }
    if more.is_some() && trainer.stages().is_empty() {
        let message = format!("the run in `{}` has no stage to extend", run.display());
        return Err(RunError::input(message, "solve the problem again with steps"));
    }
    match (more, trainer.ended()) {
        (Some(_), Some(Status::Diverged)) => {
            return Err(RunError::input(
                format!("the run in `{}` diverged: there is nothing to go on from", run.display()),
                "solve the problem again with a smaller `lr`, or another method",
            ));
        }
        (Some(more), _) => {
            trainer.extend(usize::try_from(more).unwrap_or(usize::MAX / 2));
            trainer.observe(record::interval(&trainer));
        }
        (None, Some(status)) => log::info!(
            "`{}` had ended ({}); its results are written again. `--more N` extends it by N steps",
            run.display(),
            status.name()
        ),
        (None, None) => log::info!("going on after step {}", trainer.steps_taken()),
    }
    Ok(trainer)
}
