//! Runs that must not go on: those of a problem file that was changed since.

use std::io::ErrorKind;
use std::path::Path;

use super::child::JobSpec;
use super::fingerprint;
use super::look::{Look, look};
use crate::error::RunError;

/// Removes a run that was started with another file: it would go on with that one.
pub fn remove_changed(run: &Path, order: &JobSpec) -> Result<(), RunError> {
    let old = fingerprint::of_run(run);
    if matches!(look(run), Look::Busy) || old.is_none() || old == Some(fingerprint::now(order)?) {
        return Ok(());
    }
    log::warn!("`{}` starts again: its problem file was changed since", run.display());
    remove(run)
}

/// Removes the folder of a run.
pub fn remove(run: &Path) -> Result<(), RunError> {
    if matches!(look(run), Look::Busy) {
        let message = format!("another adamflip works in `{}`", run.display());
        return Err(RunError::input(message, "wait for it, or end it first"));
    }
    match std::fs::remove_dir_all(run) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let message = format!("cannot remove `{}`: {error}", run.display());
            let hint = "check that you may write there, or choose another folder with `--out DIR`";
            Err(RunError::input(message, hint))
        }
        _ => Ok(()),
    }
}
