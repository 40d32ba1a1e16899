//! A run from its folder: the problem, the networks and their parameters.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use adamflip::checkpoint::{Change, Checkpoint, Origin, regular};
use adamflip::optim::Method;
use adamflip::train::{RestoreError, Trainer};
use adamflip::{Solution, spec};

use crate::checkpoints;
use crate::choices::{Choices, Task};
use crate::error::RunError;
use crate::manifest::RunManifest;
use crate::shell;

/// Reads a run at its last checkpoint, whether it has ended, was interrupted, or goes on in another process.
pub fn open(run: &Path) -> Result<Solution, RunError> {
    let (manifest, task) = task(run)?;
    let checkpoint = checkpoints::newest(run)?.ok_or_else(|| untrained(run))?;
    belongs(run, &manifest, &task.origin()?, &checkpoint)?;
    solution(run, task, checkpoint)
}

/// The solution of a run at a checkpoint.
pub(crate) fn solution(run: &Path, task: Task, checkpoint: Checkpoint) -> Result<Solution, RunError> {
    Solution::at(task.problem, checkpoint).map_err(|error| match error {
        adamflip::Error::Restore(error) => does_not_fit(run, &error),
        other => RunError::complete(other),
    })
}

/// A run as it stood at its last checkpoint, with its points.
pub fn trainer(run: &Path) -> Result<(RunManifest, Trainer), RunError> {
    let (manifest, task) = task(run)?;
    let checkpoint = checkpoints::newest(run)?.ok_or_else(|| untrained(run))?;
    belongs(run, &manifest, &task.origin()?, &checkpoint)?;
    let mut trainer = task.trainer()?;
    trainer.restore(checkpoint.snapshot).map_err(|error| does_not_fit(run, &error))?;
    Ok((manifest, trainer))
}

/// What a run was asked to do.
pub fn task(run: &Path) -> Result<(RunManifest, Task), RunError> {
    let manifest = RunManifest::read(run)?;
    let (method, finish) =
        (method(run, manifest.method.as_deref())?, method(run, manifest.finish.as_deref())?);
    let file = run.join("problem.toml");
    check_files(run, std::slice::from_ref(&file))?;
    let choices =
        Choices { method, finish, steps: manifest.steps, seed: Some(manifest.seed), ..Choices::default() };
    let task = Task::of_run(&file, &manifest.name, &choices)?;
    let files: Vec<PathBuf> = task.problem.file.paths().cloned().collect();
    check_files(run, &files)?;
    Ok((manifest, task))
}

/// Are the problem and its data files of this folder, not links to others? One that is missing is told by
/// whoever reads it.
fn check_files(run: &Path, files: &[PathBuf]) -> Result<(), RunError> {
    let folder = run.join(spec::DATA);
    let checks = std::iter::once((folder.as_path(), regular::is_folder(&folder)))
        .chain(files.iter().map(|path| (path.as_path(), regular::open_to_read(path).map(drop))));
    for (path, check) in checks {
        match check {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let hint = "a run folder has its own copies of problem and data";
                return Err(RunError::input(format!("cannot read `{}`: {error}", path.display()), hint));
            }
            _ => {}
        }
    }
    Ok(())
}

fn method(run: &Path, name: Option<&str>) -> Result<Option<Method>, RunError> {
    let Some(name) = name else { return Ok(None) };
    let unknown = || {
        let hint = "it was started by a version that has this method";
        RunError::input(format!("the run in `{}` has the unknown method `{name}`", run.display()), hint)
    };
    Method::named(name).map(Some).ok_or_else(unknown)
}

/// Is the checkpoint one of this run, and of its problem and data as they are now?
pub(crate) fn belongs(
    run: &Path,
    manifest: &RunManifest,
    origin: &Origin,
    checkpoint: &Checkpoint,
) -> Result<(), RunError> {
    let metadata = &checkpoint.metadata;
    if (metadata.problem.as_str(), metadata.seed) != (manifest.name.as_str(), manifest.seed) {
        return Err(of_another_run(run, manifest, checkpoint));
    }
    match &metadata.origin {
        Some(trained) if trained == origin => Ok(()),
        Some(trained) => Err(changed(run, &trained.changes(origin))),
        None => {
            log::warn!(
                "the checkpoint in `{}` has no digests: it is not known whether problem or data were changed since",
                run.display()
            );
            Ok(())
        }
    }
}

fn of_another_run(run: &Path, manifest: &RunManifest, checkpoint: &Checkpoint) -> RunError {
    let metadata = &checkpoint.metadata;
    RunError::input(
        format!(
            "the checkpoint in `{}` is one of `{}` with seed {}, the run is one of `{}` with seed {}",
            run.display(),
            metadata.problem,
            metadata.seed,
            manifest.name,
            manifest.seed
        ),
        "was a file copied from another run?",
    )
}

/// A problem or data that are not those of the checkpoint.
fn changed(run: &Path, changes: &[Change]) -> RunError {
    const MOST: usize = 8;
    let mut names: Vec<String> =
        changes.iter().take(MOST).map(|Change { name, what }| format!("`{name}` was {what}")).collect();
    if changes.len() > MOST {
        names.push(format!("and {} more", changes.len() - MOST));
    }
    let (file, folder) = (shell::path(&run.join("problem.toml")), shell::path(run));
    RunError::input(
        format!(
            "the problem in `{}` is not the one that its checkpoint was trained on: {}",
            run.display(),
            names.join(", ")
        ),
        format!(
            "undo the change; or start a new run of the changed problem from this state: \
             `adamflip solve {file} --start {folder}`"
        ),
    )
}

/// A run that was ended before its first checkpoint.
pub(crate) fn untrained(run: &Path) -> RunError {
    let hint = format!("`adamflip resume {}` trains it", shell::path(run));
    RunError::input(format!("the run in `{}` has no checkpoint yet", run.display()), hint)
}

/// A checkpoint that does not fit the problem beside it.
pub(crate) fn does_not_fit(run: &Path, mismatch: &RestoreError) -> RunError {
    RunError::input(
        format!("the checkpoint in `{}` does not fit its `problem.toml`: {mismatch}", run.display()),
        "was one of the two changed or copied from another run? A changed problem is a new run",
    )
}
