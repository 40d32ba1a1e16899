//! A run from its folder: the problem, the networks and their parameters.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adamflip::checkpoint::{Change, Checkpoint, Origin, regular};
use adamflip::model::Model;
use adamflip::optim::Method;
use adamflip::problem::Problem;
use adamflip::spec;
use adamflip::train::{Earlier, Started, Trainer, Unfit};

use crate::facts::Facts;
use crate::failure::Failure;
use crate::folder;
use crate::input::{self, Task};
use crate::{output, shell};

/// A run that ended, was interrupted, or goes on in another process.
pub(crate) struct Trained {
    pub(crate) problem: Problem,
    pub(crate) model: Arc<Model>,
    pub(crate) θ: Vec<f64>,
}

/// Reads a run at its last checkpoint.
pub(crate) fn open(run: &Path) -> Result<Trained, Failure> {
    let (facts, task) = task(run)?;
    let checkpoint = folder::newest(run)?.ok_or_else(|| untrained(run))?;
    belongs(run, &facts, &task.origin()?, &checkpoint)?;
    solution(run, &facts, task, checkpoint)
}

/// The solution of a run at a checkpoint.
fn solution(run: &Path, facts: &Facts, task: Task, checkpoint: Checkpoint) -> Result<Trained, Failure> {
    let windows = checkpoint.snapshot.place.windows(&task.problem).map_err(|error| unfit(run, &error))?;
    let model = adamflip::train::model_of(&task.problem, facts.seed, windows.as_ref());
    let θ = checkpoint.snapshot.θ;
    let expected = model.parameters() + task.problem.unknowns.len();
    if θ.len() != expected {
        return Err(unfit(run, &Unfit::Parameters { found: θ.len(), expected }));
    }
    Ok(Trained { problem: task.problem, model: Arc::new(model), θ })
}

/// A run as it stood at its last checkpoint, with its points.
pub(crate) fn trainer(run: &Path) -> Result<(Facts, Trainer), Failure> {
    let (facts, task) = task(run)?;
    let checkpoint = folder::newest(run)?.ok_or_else(|| untrained(run))?;
    belongs(run, &facts, &task.origin()?, &checkpoint)?;
    let mut trainer = task.trainer()?;
    trainer.restore(checkpoint.snapshot).map_err(|error| unfit(run, &error))?;
    Ok((facts, trainer))
}

/// Lets a new run start from the one that its file names; says whether it names one.
pub(crate) fn start(trainer: &mut Trainer) -> Result<bool, Failure> {
    let Some(run) = trainer.problem().train.start.clone() else { return Ok(false) };
    let (facts, task) = task(Path::new(&run))?;
    let checkpoint = folder::newest(Path::new(&run))?.ok_or_else(|| untrained(Path::new(&run)))?;
    // Whether its problem was changed since plays no part: it is a start, no more.
    let Trained { problem, model, θ } = solution(Path::new(&run), &facts, task, checkpoint)?;
    let earlier = Earlier { problem: &problem, model: &model, θ: &θ };
    let started = trainer.start_from(earlier).map_err(|unlike| {
        let hint = "a start has the same coordinates and fields; leave `start` out, or name another run";
        Failure::input(format!("`{run}` is no start for this problem: {unlike}"), hint)
    })?;
    output::say(&match started {
        Started::Copied => format!("starting from the networks of `{run}`"),
        Started::Fitted(error) => {
            format!("starting from the fields of `{run}`, which the networks meet to {error:.1e}")
        }
    });
    Ok(true)
}

/// What a run was asked to do.
pub(crate) fn task(run: &Path) -> Result<(Facts, Task), Failure> {
    let facts = Facts::read(run)?;
    let (method, finish) = (method(run, facts.method.as_deref())?, method(run, facts.finish.as_deref())?);
    let input = input::Choice {
        file: &run.join("problem.toml"),
        name: Some(&facts.name),
        method: method.as_ref(),
        finish: finish.as_ref(),
        steps: facts.steps,
        seed: Some(facts.seed),
        overrides: &Default::default(),
        trained: true,
    };
    check_files(run, &[input.file.to_owned()])?;
    let task = input.task()?;
    let files: Vec<PathBuf> = task.problem.file.paths().cloned().collect();
    check_files(run, &files)?;
    Ok((facts, task))
}

/// Are the problem and its data files of this folder, not links to others? One that is missing is told by
/// whoever reads it.
fn check_files(run: &Path, files: &[PathBuf]) -> Result<(), Failure> {
    let folder = run.join(spec::DATA);
    let checks = std::iter::once((folder.as_path(), regular::is_folder(&folder)))
        .chain(files.iter().map(|path| (path.as_path(), regular::open_to_read(path).map(drop))));
    for (path, check) in checks {
        match check {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let hint = "a run folder has its own copies of problem and data";
                return Err(Failure::input(format!("cannot read `{}`: {error}", path.display()), hint));
            }
            _ => {}
        }
    }
    Ok(())
}

fn method(run: &Path, name: Option<&str>) -> Result<Option<Method>, Failure> {
    let Some(name) = name else { return Ok(None) };
    let unknown = || {
        let hint = "it was begun by a version that has this method";
        Failure::input(format!("the run in `{}` has the unknown method `{name}`", run.display()), hint)
    };
    Method::named(name).map(Some).ok_or_else(unknown)
}

/// Is the checkpoint one of this run, and of its problem and data as they are now?
pub(crate) fn belongs(
    run: &Path,
    facts: &Facts,
    origin: &Origin,
    checkpoint: &Checkpoint,
) -> Result<(), Failure> {
    let metadata = &checkpoint.metadata;
    if (metadata.problem.as_str(), metadata.seed) != (facts.name.as_str(), facts.seed) {
        return Err(of_another_run(run, facts, checkpoint));
    }
    match &metadata.origin {
        Some(trained) if trained == origin => Ok(()),
        Some(trained) => Err(changed(run, &trained.changes(origin))),
        None => {
            output::warn(&format!(
                "the checkpoint in `{}` has no digests: it is not known whether problem or data were changed since",
                run.display()
            ));
            Ok(())
        }
    }
}

fn of_another_run(run: &Path, facts: &Facts, checkpoint: &Checkpoint) -> Failure {
    let metadata = &checkpoint.metadata;
    Failure::input(
        format!(
            "the checkpoint in `{}` is one of `{}` with seed {}, the run is one of `{}` with seed {}",
            run.display(),
            metadata.problem,
            metadata.seed,
            facts.name,
            facts.seed
        ),
        "was a file copied from another run?",
    )
}

/// A problem or data that are not those of the checkpoint.
fn changed(run: &Path, changes: &[Change]) -> Failure {
    const MOST: usize = 8;
    let mut names: Vec<String> =
        changes.iter().take(MOST).map(|Change { name, what }| format!("`{name}` was {what}")).collect();
    if changes.len() > MOST {
        names.push(format!("and {} more", changes.len() - MOST));
    }
    let (file, folder) = (shell::path(&run.join("problem.toml")), shell::path(run));
    Failure::input(
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
pub(crate) fn untrained(run: &Path) -> Failure {
    let hint = format!("`adamflip resume {}` trains it", shell::path(run));
    Failure::input(format!("the run in `{}` has no checkpoint yet", run.display()), hint)
}

/// A checkpoint that does not fit the problem beside it.
pub(crate) fn unfit(run: &Path, unfit: &Unfit) -> Failure {
    Failure::input(
        format!("the checkpoint in `{}` does not fit its `problem.toml`: {unfit}", run.display()),
        "was one of the two changed or copied from another run? A changed problem is a new run",
    )
}
