//! From arguments to a problem that can be trained: the first half of every command.

use std::path::Path;

use adamflip::checkpoint::Origin;
use adamflip::optim::Method;
use adamflip::problem::plan::{with_method, with_steps};
use adamflip::problem::{self, Problem, Stage};
use adamflip::sample::SampleError;
use adamflip::train::Trainer;
use adamflip::{diagnostic, spec};
use rayon::ThreadPool;

use crate::arguments::Input;
use crate::failure::Failure;
use crate::{memory, output};

/// A problem with all that the command line says about its training.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) problem: Problem,
    pub(crate) seed: u64,
    pub(crate) stages: Vec<Stage>,
    /// The last method of the plan, also where it has no steps.
    pub(crate) method: &'static str,
}

impl Task {
    /// Draws points and initial parameters, on the current pool.
    pub(crate) fn trainer(self) -> Result<Trainer, Failure> {
        Trainer::new(self.problem, self.seed, self.stages).map_err(not_drawn)
    }

    /// What its states are trained on.
    pub(crate) fn origin(&self) -> Result<Origin, Failure> {
        Origin::of(&self.problem.file).map_err(|error| {
            let hint = "check that you may read the data files";
            Failure::input(format!("cannot read the data of `{}`: {error}", self.problem.name), hint)
        })
    }
}

/// Points that cannot be drawn.
pub(crate) fn not_drawn(error: SampleError) -> Failure {
    let hint = match error {
        SampleError::TooManyPoints { .. } => "lower the `points` of the terms",
        _ => "look at the places (`on`) of the terms and at the shapes",
    };
    Failure::input(error, hint)
}

/// A problem file and what is to be changed in it.
pub(crate) struct Choice<'a> {
    pub(crate) file: &'a Path,
    /// The name of the problem, where it is not that of the file.
    pub(crate) name: Option<&'a str>,
    pub(crate) method: Option<&'a Method>,
    /// The method of the last stage.
    pub(crate) finish: Option<&'a Method>,
    pub(crate) steps: Option<u64>,
    pub(crate) seed: Option<u64>,
    pub(crate) overrides: &'a spec::Overrides,
    /// Is it the file of a run folder, of a network that was trained?
    pub(crate) trained: bool,
}

/// Reads the problem file and applies the options.
pub(crate) fn read(input: &Input) -> Result<Task, Failure> {
    let mut overrides = spec::Overrides { profile: input.profile.clone(), set: input.set.clone() };
    overrides.set.extend(input.budget.map(|seconds| format!("train.max_seconds={seconds:?}")));
    let start = input.start.as_ref().map(|run| format!("train.start={:?}", run.to_string_lossy()));
    overrides.set.extend(start);
    let Input { file, method, finish, steps, seed, .. } = input;
    let (method, finish) = (method.as_ref(), finish.as_ref());
    let choice = Choice {
        file,
        name: None,
        method,
        finish,
        steps: *steps,
        seed: *seed,
        overrides: &overrides,
        trained: false,
    };
    let task = choice.task()?;
    fits(&task.problem, &task.stages)?;
    Ok(task)
}

/// Refuses a training that this machine has no memory for.
pub(crate) fn fits(problem: &Problem, stages: &[Stage]) -> Result<(), Failure> {
    let fits = problem.fits(stages, memory::bytes());
    fits.map_err(|problem::TooLarge { message, hint }| Failure::input(message, hint))
}

impl Choice<'_> {
    /// Reads the file and applies the rest. Whether there is memory to train it is another question: who only looks at a run
    /// needs little.
    pub(crate) fn task(&self) -> Result<Task, Failure> {
        let mut parsed = spec::load(self.file, self.overrides).map_err(Failure::rendered)?;
        if let Some(name) = self.name {
            parsed.spec.name = name.to_owned();
        }
        let seed = self.seed.unwrap_or(parsed.spec.train.seed);
        if self.trained && parsed.spec.network.scale_outputs == spec::OutputScales::Auto {
            // A folder from before sizes were chosen: its network has none.
            parsed.spec.network.scale_outputs = spec::OutputScales::Given(Vec::new());
            parsed.spec.network.is_given = true;
        }
        parsed.spec.train.seed = seed;
        let problem = build(parsed)?;
        let mut stages = problem.stages.clone();
        if let Some(method) = self.method {
            stages = with_method(&stages, method);
        }
        if let Some(method) = self.finish {
            let last = stages.split_off(stages.len().saturating_sub(1));
            stages.extend(with_method(&last, method));
        }
        let planned = last_method(&stages);
        if let Some(steps) = self.steps {
            stages = with_steps(stages, usize::try_from(steps).unwrap_or(usize::MAX));
        }
        let method = last_method(&stages).or(planned).unwrap_or("none");
        Ok(Task { problem, seed, stages, method })
    }
}

fn last_method(stages: &[Stage]) -> Option<&'static str> {
    stages.last().map(|stage| stage.method.name())
}

/// Builds the problem, or shows every mistake of the file.
pub(crate) fn build(parsed: spec::Parsed) -> Result<Problem, Failure> {
    problem::build(parsed).map_err(|rejected| {
        let text = diagnostic::render(&rejected.sources, &rejected.diagnostics, output::colours());
        Failure::diagnostics(text)
    })
}

/// The threads to work on: so many, or one for each core.
pub(crate) fn pool(threads: Option<u16>) -> Result<ThreadPool, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0).into())
        .build()
        .map_err(|error| Failure::input(format!("cannot start threads: {error}"), "lower `--threads`"))
}
