//! A run from its folder: the problem, the networks and their parameters.

use std::path::Path;
use std::sync::Arc;

use adamflip::checkpoint::Checkpoint;
use adamflip::model::Model;
use adamflip::optim::Method;
use adamflip::problem::Problem;
use adamflip::train::{Earlier, Started, Trainer, Unfit};

use crate::facts::Facts;
use crate::failure::Failure;
use crate::folder;
use crate::input::{self, Task};
use crate::output;
use crate::shell;

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
    belongs(run, &facts, &checkpoint)?;
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
    belongs(run, &facts, &checkpoint)?;
    let mut trainer = task.trainer()?;
    trainer.restore(checkpoint.snapshot).map_err(|error| unfit(run, &error))?;
    Ok((facts, trainer))
}

/// Lets a new run start from the one that its file names; says whether it names one.
pub(crate) fn start(trainer: &mut Trainer) -> Result<bool, Failure> {
    let Some(run) = trainer.problem().train.start.clone() else { return Ok(false) };
    let Trained { problem, model, θ } = open(Path::new(&run))?;
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
    let task = input.task()?;
    Ok((facts, task))
}

fn method(run: &Path, name: Option<&str>) -> Result<Option<Method>, Failure> {
    let Some(name) = name else { return Ok(None) };
    let unknown = || {
        let hint = "it was begun by a version that has this method";
        Failure::input(format!("the run in `{}` has the unknown method `{name}`", run.display()), hint)
    };
    Method::named(name).map(Some).ok_or_else(unknown)
}

/// Is the checkpoint one of this run?
pub(crate) fn belongs(run: &Path, facts: &Facts, checkpoint: &Checkpoint) -> Result<(), Failure> {
    let metadata = &checkpoint.metadata;
    if (metadata.problem.as_str(), metadata.seed) == (facts.name.as_str(), facts.seed) {
        return Ok(());
    }
    Err(Failure::input(
        format!(
            "the checkpoint in `{}` is one of `{}` with seed {}, the run is one of `{}` with seed {}",
            run.display(),
            metadata.problem,
            metadata.seed,
            facts.name,
            facts.seed
        ),
        "was a file copied from another run?",
    ))
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
