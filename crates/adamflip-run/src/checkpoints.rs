//! The states of a run on the disk: the last, and the one before it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use adamflip::checkpoint::{Checkpoint, CheckpointError};

use crate::error::RunError;
use crate::run_dir::RunDir;

/// The file of the last state of a run; the one before it is beside it.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
const OLDER: &str = "checkpoint.old.safetensors";

impl RunDir {
    /// Keeps a state beside the one before it.
    pub(crate) fn save(&self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        let (newest, older) = (self.file(CHECKPOINT), self.file(OLDER));
        // A second name for the newest, so that it is there at every moment.
        let staged = self.file("checkpoint.old.safetensors.tmp");
        let _ = fs::remove_file(&staged);
        // One that is damaged must not take the place of the good one before it.
        if self.is_whole.get() || Checkpoint::read(&newest).is_ok() {
            let linked = fs::hard_link(&newest, &staged).or_else(|_| fs::copy(&newest, &staged).map(drop));
            let kept = linked.and_then(|()| fs::rename(&staged, &older));
            kept.map_err(|error| self.lost(&older, &error))?;
            // Where both are names of one file, because the next state was never written, nothing is renamed.
            let _ = fs::remove_file(&staged);
        }
        checkpoint.write(&newest).map_err(|error| self.full(error))?;
        self.is_whole.set(true);
        Ok(())
    }
}

/// The newest state of a run that can be read; none where it was never saved. The one before it steps in for
/// a damaged one.
pub fn newest(path: &Path) -> Result<Option<Checkpoint>, RunError> {
    let newest = Checkpoint::read(&path.join(CHECKPOINT));
    let error = match newest {
        Ok(checkpoint) => return Ok(Some(checkpoint)),
        Err(error) if is_absent(&error) || is_damaged(&error) => error,
        // Of a later version, or not to be read now: the one before it must not take its place.
        Err(error) => return Err(RunError::input(error, "the state before it is kept beside it")),
    };
    match Checkpoint::read(&path.join(OLDER)) {
        Ok(older) => {
            let step = older.metadata.place.step;
            log::warn!("{error}; the state before it, of step {step}, steps in");
            Ok(Some(older))
        }
        Err(_) if is_absent(&error) => Ok(None),
        Err(_) => Err(RunError::input(error, "the run cannot go on from it; solve the problem again")),
    }
}

fn is_damaged(error: &CheckpointError) -> bool {
    use CheckpointError::{Broken, Damaged, Foreign};
    matches!(error, Broken { .. } | Damaged { .. } | Foreign { .. })
}

fn is_absent(error: &CheckpointError) -> bool {
    matches!(error, CheckpointError::Io { source, .. } if source.kind() == ErrorKind::NotFound)
}
