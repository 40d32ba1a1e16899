//! The report of a run again, from its last checkpoint.

use std::path::{Path, PathBuf};

use adamflip::checkpoint::replace_in;
use adamflip::train::Status;
use adamflip::uncertainty;
use serde::Deserialize;

use crate::error::RunError;
use crate::results::{self, Outcome};
use crate::summary::stored;
use crate::trained;

/// Writes the report of a run and its figures, where asked for into another folder, and returns the path of
/// the page.
pub fn report(run: &Path, out: Option<&Path>) -> Result<PathBuf, RunError> {
    let (manifest, trainer) = trained::trainer(run)?;
    let mut history = results::history(run)?;
    history.truncate(trainer.steps_taken());
    let (errors, certificate) = (results::errors(&trainer), trainer.certify());
    let outcome = Outcome {
        trainer: &trainer,
        manifest: &manifest,
        history: &history,
        status: trainer.ended().or_else(|| told(run, trainer.steps_taken())).unwrap_or(Status::Interrupted),
        seconds: history.last("seconds").max(0.0),
        errors: &errors,
        certificate: &certificate,
        assessment: &uncertainty::assess(&trainer.state()),
    };
    let out = out.unwrap_or(run);
    outcome.draw(&mut |name, content| write(out, name, content))?;
    Ok(out.join("report.html"))
}

/// How the last session ended, if its summary is of this state: only it knows of a time budget.
fn told(run: &Path, step: usize) -> Option<Status> {
    let summary = stored::summary(run)?;
    let fits = summary["steps"] == step;
    Status::deserialize(&summary["status"]).ok().filter(|_| fits)
}

fn write(out: &Path, name: &str, content: &[u8]) -> Result<(), RunError> {
    let path = out.join(name);
    let failed = |error: &dyn std::fmt::Display| {
        let hint = "choose another folder with `--out DIR`";
        RunError::input(format!("cannot write `{}`: {error}", path.display()), hint)
    };
    std::fs::create_dir_all(out).map_err(|error| failed(&error))?;
    replace_in(out, name, content).map_err(|error| failed(&error))
}
