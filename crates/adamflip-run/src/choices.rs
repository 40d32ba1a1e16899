//! From a problem file and what is chosen about its training to a problem that can be trained.

use std::path::{Path, PathBuf};

use adamflip::checkpoint::Origin;
use adamflip::optim::Method;
use adamflip::problem::plan::{with_method, with_steps};
use adamflip::problem::{self, Problem, Stage};
use adamflip::sample::SampleError;
use adamflip::spec;
use adamflip::train::Trainer;
use rayon::ThreadPool;

use crate::error::RunError;
use crate::process;

/// What is chosen about the training of a problem; where nothing is, the file decides.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// One stage of this method in place of the stages of the file.
    pub method: Option<Method>,
    /// The method of the last stage.
    pub finish: Option<Method>,
    /// The steps of all stages together.
    pub steps: Option<u64>,
    /// The seed of every random number.
    pub seed: Option<u64>,
    /// The profile of the file whose overrides are applied.
    pub profile: Option<String>,
    /// Values that replace those of the file, each as `key=value`.
    pub set: Vec<String>,
    /// The most seconds that training may take.
    pub budget: Option<f64>,
    /// The folder of a run whose solution is the start.
    pub start: Option<PathBuf>,
}

impl Choices {
    /// What is replaced in the text of a problem file while it is read.
    pub fn overrides(&self) -> spec::Overrides {
        let budget = self.budget.map(|seconds| format!("train.max_seconds={seconds:?}"));
        let start = self.start.as_ref().map(|run| format!("train.start={:?}", run.to_string_lossy()));
        let set = self.set.iter().cloned().chain(budget).chain(start).collect();
        spec::Overrides { profile: self.profile.clone(), set }
    }
}

/// Where a problem comes from.
#[derive(Debug)]
pub enum Source<'a> {
    /// A problem file.
    File(&'a Path),
    /// A problem that was read already, with [`Choices::overrides`] applied.
    Parsed(Box<spec::Parsed>),
}

impl<'a> From<&'a Path> for Source<'a> {
    fn from(path: &'a Path) -> Self {
        Self::File(path)
    }
}

impl From<spec::Parsed> for Source<'_> {
    fn from(parsed: spec::Parsed) -> Self {
        Self::Parsed(Box::new(parsed))
    }
}

impl Source<'_> {
    fn parsed(self, choices: &Choices) -> Result<spec::Parsed, RunError> {
        match self {
            Self::File(path) => spec::load(path, &choices.overrides()).map_err(RunError::complete),
            Self::Parsed(parsed) => Ok(*parsed),
        }
    }
}

/// A problem with all that is chosen about its training.
#[derive(Debug)]
pub struct Task {
    /// The problem.
    pub problem: Problem,
    /// The seed of every random number.
    pub seed: u64,
    /// What training does, one stage after the other.
    pub stages: Vec<Stage>,
    /// The last method of the plan, also where it has no steps.
    pub method: &'static str,
}

impl Task {
    /// Reads a problem and applies what is chosen; refuses one that this machine has no memory to train.
    pub fn read<'a>(source: impl Into<Source<'a>>, choices: &Choices) -> Result<Self, RunError> {
        let task = Self::planned(source.into().parsed(choices)?, choices)?;
        fits(&task.problem, &task.stages)?;
        Ok(task)
    }

    /// The problem of a run in a folder, under the name of the run. Its file says what was chosen when it
    /// began, and is left as it is. Reading a run needs little memory: whether there is enough to train it is
    /// not asked.
    pub(crate) fn of_run(file: &Path, name: &str, choices: &Choices) -> Result<Self, RunError> {
        let mut parsed = Source::File(file).parsed(choices)?;
        name.clone_into(&mut parsed.spec.name);
        if parsed.spec.network.scale_outputs == spec::OutputScales::Auto {
            // A folder from before sizes were chosen: its network has none.
            parsed.spec.network.scale_outputs = spec::OutputScales::Given(Vec::new());
            parsed.spec.network.is_given = true;
        }
        Self::planned(parsed, choices)
    }

    fn planned(mut parsed: spec::Parsed, choices: &Choices) -> Result<Self, RunError> {
        let seed = choices.seed.unwrap_or(parsed.spec.train.seed);
        parsed.spec.train.seed = seed;
        let problem = build(parsed)?;
        let mut stages = problem.stages.clone();
        if let Some(method) = &choices.method {
            stages = with_method(&stages, method);
        }
        if let Some(method) = &choices.finish {
            let last = stages.split_off(stages.len().saturating_sub(1));
            stages.extend(with_method(&last, method));
        }
        let planned = last_method(&stages);
        if let Some(steps) = choices.steps {
            stages = with_steps(stages, usize::try_from(steps).unwrap_or(usize::MAX));
        }
        let method = last_method(&stages).or(planned).unwrap_or("none");
        Ok(Self { problem, seed, stages, method })
    }

    /// Draws points and initial parameters, on the current pool.
    pub fn trainer(self) -> Result<Trainer, RunError> {
        Trainer::new(self.problem, self.seed, self.stages).map_err(not_drawn)
    }

    /// What its states are trained on.
    pub(crate) fn origin(&self) -> Result<Origin, RunError> {
        Origin::of(&self.problem.file).map_err(|error| {
            let hint = "check that you may read its data files";
            RunError::input(format!("cannot read the data of `{}`: {error}", self.problem.name), hint)
        })
    }
}

/// Points that cannot be drawn.
pub(crate) fn not_drawn(error: SampleError) -> RunError {
    let hint = match error {
        SampleError::TooManyPoints { .. } => "lower the `points` of the terms",
        _ => "look at the places (`on`) of the terms and at the shapes",
    };
    RunError::input(error, hint)
}

/// Refuses a training that this machine has no memory for.
pub fn fits(problem: &Problem, stages: &[Stage]) -> Result<(), RunError> {
    let fits = problem.fits(stages, process::memory_bytes());
    fits.map_err(|problem::TooLarge { message, hint }| RunError::input(message, hint))
}

fn last_method(stages: &[Stage]) -> Option<&'static str> {
    stages.last().map(|stage| stage.method.name())
}

/// Builds the problem, or tells every error of the file.
pub fn build(parsed: spec::Parsed) -> Result<Problem, RunError> {
    problem::build(parsed).map_err(RunError::from)
}

/// The threads to work on: this many, or one for each core. Everything here works on the pool in which it is
/// called.
pub fn pool(threads: Option<u16>) -> Result<ThreadPool, RunError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0).into())
        .build()
        .map_err(|error| RunError::input(format!("cannot start threads: {error}"), "lower `--threads`"))
}
