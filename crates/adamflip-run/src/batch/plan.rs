//! What a batch is to solve: variants of one problem, each for several seeds; all of them built once before
//! anything is trained, so that every error shows at once.

use std::path::PathBuf;

use adamflip::optim::Method;
use adamflip::problem::plan::{with_method, with_steps};
use adamflip::problem::{Problem, Stage};
use adamflip::spec::{self as problem_file, Overrides};

use super::child::JobSpec;
use super::dir::BatchDir;
use super::job::Job;
use super::metric::Shape;
use crate::choices;
use crate::error::RunError;

/// Far more runs than anybody waits for: a typing error in a list or range.
const MOST_RUNS: usize = 100_000;

/// What is chosen of a batch: a problem and what all its runs have in common.
#[derive(Clone, Debug, Default)]
pub struct BatchChoices {
    /// The problem file.
    pub file: PathBuf,
    /// The seeds of each run; that of the file where there are none.
    pub seeds: Vec<u64>,
    /// The steps of all stages of a run together.
    pub steps: Option<u64>,
    /// The profile of the file whose overrides are applied.
    pub profile: Option<String>,
    /// Values that replace those of the file in all runs.
    pub set: Vec<String>,
}

/// All that is to be solved.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The command that asks for it: `compare` or `sweep`.
    pub(crate) command: &'static str,
    pub(crate) file: PathBuf,
    /// The data files that any of the variants reads.
    pub(crate) files: Vec<PathBuf>,
    /// The names of the problem, for files and for people.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) profile: Option<String>,
    pub(crate) set: Vec<String>,
    pub(crate) steps: Option<u64>,
    pub(crate) variants: Vec<Variant>,
    pub(crate) seeds: Vec<u64>,
    /// What can be measured in any of them.
    pub(crate) shape: Shape,
}

/// A form of the problem that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct VariantSpec {
    /// The name of its runs, to which the seed is added.
    pub(crate) name: String,
    /// What it is called in tables.
    pub(crate) labels: Vec<String>,
    pub(crate) method: Option<Method>,
    /// What it changes in the file, besides `--set`.
    pub(crate) set: Vec<String>,
    /// The option that says so, for messages.
    pub(crate) option: String,
}

/// A form of the problem that can be solved.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) labels: Vec<String>,
    pub(crate) method: Option<Method>,
    pub(crate) set: Vec<String>,
    /// The steps of a run.
    pub(crate) steps: usize,
}

/// A problem file with what all variants change in it.
pub(crate) struct Base<'a> {
    request: &'a BatchChoices,
    pub(crate) problem: Problem,
    files: Vec<PathBuf>,
}

impl<'a> Base<'a> {
    /// Reads the file, or shows its errors.
    pub(crate) fn read(request: &'a BatchChoices) -> Result<Self, RunError> {
        let (problem, files) = build(request, &[], "")?;
        Ok(Self { request, problem, files })
    }

    /// The stages of a method, in as many steps as are asked for.
    pub(crate) fn stages(&self, problem: &Problem, method: Option<&Method>) -> Vec<Stage> {
        let stages = problem.stages.clone();
        let stages = method.map_or(stages.clone(), |method| with_method(&stages, method));
        let Some(steps) = self.request.steps else { return stages };
        with_steps(stages, usize::try_from(steps).unwrap_or(usize::MAX))
    }

    /// Builds every form that is asked for.
    pub(crate) fn plan(self, command: &'static str, specs: Vec<VariantSpec>) -> Result<Plan, RunError> {
        let request = self.request;
        let mut seeds = request.seeds.clone();
        seeds.sort_unstable();
        seeds.dedup();
        if seeds.is_empty() {
            seeds.push(self.problem.train.seed);
        }
        few_enough(specs.len().saturating_mul(seeds.len()))?;
        let mut shape = Shape::default();
        let (mut variants, mut files) = (Vec::new(), self.files.clone());
        for spec in specs {
            no_seed(&spec)?;
            let (problem, own) = build(request, &spec.set, &spec.option)?;
            files.extend(own);
            shape.join(Shape::of(&problem));
            let stages = self.stages(&problem, spec.method.as_ref());
            choices::fits(&problem, &stages)?;
            let steps = stages.iter().map(|stage| stage.steps).fold(0, usize::saturating_add);
            let VariantSpec { name, labels, method, set, .. } = spec;
            variants.push(Variant { name, labels, method, set, steps });
        }
        files.sort();
        files.dedup();
        Ok(Plan {
            command,
            file: request.file.clone(),
            files,
            title: self.problem.title.unwrap_or_else(|| self.problem.name.clone()),
            name: self.problem.name,
            profile: request.profile.clone(),
            set: request.set.clone(),
            steps: request.steps,
            variants,
            seeds,
            shape,
        })
    }
}

impl Plan {
    /// All runs, as numbers of their variants and seeds; all variants have a seed before any has the next.
    pub(super) fn runs(&self) -> Vec<(usize, usize)> {
        let seeds = 0..self.seeds.len();
        seeds.flat_map(|seed| (0..self.variants.len()).map(move |variant| (variant, seed))).collect()
    }

    /// One of them in its folder.
    pub(super) fn job_at(&self, dir: &BatchDir, variant: usize, seed: usize) -> Job {
        let variant = &self.variants[variant];
        let name = format!("{}-{}", variant.name, self.seeds[seed]);
        Job::new(name.clone(), dir.run(&name), dir.log(&name), variant.steps)
    }

    /// What begins one of them.
    pub(super) fn job(&self, variant: usize, seed: usize) -> JobSpec {
        let form = &self.variants[variant];
        JobSpec {
            file: self.file.clone(),
            method: form.method.clone(),
            finish: None,
            steps: self.steps,
            seed: self.seeds[seed],
            profile: self.profile.clone(),
            set: self.set.iter().chain(&form.set).cloned().collect(),
        }
    }
}

/// Every run has a seed of its own already.
fn no_seed(spec: &VariantSpec) -> Result<(), RunError> {
    let seed = |set: &&String| set.split_once('=').is_some_and(|(key, _)| key.trim() == "train.seed");
    match spec.set.iter().find(seed) {
        Some(set) => Err(RunError::input(
            format!("`{} {set}` would have no effect", spec.option),
            "the seeds of all runs are those of `--seeds 0,1,2`",
        )),
        None => Ok(()),
    }
}

/// Refuses more runs than anybody waits for.
pub(crate) fn few_enough(runs: usize) -> Result<(), RunError> {
    if runs <= MOST_RUNS {
        return Ok(());
    }
    let hint = format!("at most {MOST_RUNS} are solved: shorten the lists, or draw some with `--random N`");
    Err(RunError::input(format!("these are {runs} runs"), hint))
}

/// The problem with further overrides, which errors call by the name of their option, and the data files
/// that it reads.
fn build(
    request: &BatchChoices,
    further: &[String],
    option: &str,
) -> Result<(Problem, Vec<PathBuf>), RunError> {
    let set: Vec<String> = request.set.iter().chain(further).cloned().collect();
    let overrides = Overrides { profile: request.profile.clone(), set };
    let mut parsed = problem_file::load(&request.file, &overrides).map_err(RunError::complete)?;
    for source in parsed.sources.iter_mut().rev().take(further.len()) {
        source.name = option.to_owned();
    }
    let files = parsed.resolved(0).paths().cloned().collect();
    Ok((choices::build(parsed)?, files))
}
