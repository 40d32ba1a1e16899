//! Starts from other runs: a new run whose file names one begins with its solution.

use std::path::Path;

use adamflip::train::{Started, Trainer};

use crate::checkpoints;
use crate::error::RunError;
use crate::trained;

/// Lets a new run start from the one that its file names; says whether it names one.
pub(crate) fn start(trainer: &mut Trainer) -> Result<bool, RunError> {
    let Some(run) = trainer.problem().train.start.clone() else { return Ok(false) };
    let (_, task) = trained::task(Path::new(&run))?;
    let checkpoint =
        checkpoints::newest(Path::new(&run))?.ok_or_else(|| trained::untrained(Path::new(&run)))?;
    // Whether its problem was changed since plays no part: it is a start, no more.
    let earlier = trained::solution(Path::new(&run), task, checkpoint)?;
    let started = trainer.start_from(&earlier.state()).map_err(|unlike| {
        let hint = "a start has the same coordinates and fields; leave `start` out, or name another run";
        RunError::input(format!("`{run}` is no start for this problem: {unlike}"), hint)
    })?;
    let text = match started {
        Started::Copied => format!("starting from the networks of `{run}`"),
        Started::Fitted(error) => {
            format!("starting from the fields of `{run}`, which the networks meet to {error:.1e}")
        }
    };
    log::info!("{text}");
    Ok(true)
}
