//! A run goes on from its last checkpoint, with the bits of one that was never interrupted.

use std::path::Path;

use adamflip::train::Status;

use super::Session;
use crate::error::RunError;
use crate::record::{self, Record};
use crate::run_dir::RunDir;
use crate::{checkpoints, choices, start, trained};

impl Session {
    /// Opens a run to go on with it, where asked for with more steps in its last stage.
    pub fn resume(run: &Path, more: Option<u64>) -> Result<Self, RunError> {
        let (manifest, task) = trained::task(run)?;
        choices::fits(&task.problem, &task.stages)?;
        let dir = RunDir::open(run)?;
        let (method, origin) = (task.method, task.origin()?);
        let mut trainer = task.trainer()?;
        trainer.observe(record::interval(&trainer));
        if let Some(checkpoint) = checkpoints::newest(run)? {
            trained::belongs(run, &manifest, &origin, &checkpoint)?;
            trainer.restore(checkpoint.snapshot).map_err(|mismatch| trained::does_not_fit(run, &mismatch))?;
        } else {
            start::start(&mut trainer)?;
        }
        if more.is_some() && trainer.stages().is_empty() {
            let hint = "solve the problem again with steps";
            return Err(RunError::input(
                format!("the run in `{}` has no stage to extend", run.display()),
                hint,
            ));
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
        let record = Record::open(&dir, &trainer)?;
        let mut session = Self { dir, manifest, origin, trainer, record, method, more: None };
        if more.is_some() {
            // So that it is longer also for whoever resumes it next.
            session.save()?;
        }
        Ok(session)
    }
}
