//! Many solves, mostly of one problem: as child processes of the program, several at once, each in a run
//! folder of its own.
//!
//! A batch can be ended at any moment and asked for again: runs that have ended are kept, others go on from
//! their checkpoints, for each is nothing but a `solve` or a `resume`. [`compare`](fn@crate::compare),
//! [`sweep`](fn@crate::sweep) and others say what is solved and show what came of it.

mod child;
mod dir;
pub mod fingerprint;
mod job;
mod look;
mod mark;
mod metric;
mod monitor;
mod outcome;
mod plan;
mod request;
mod scheduler;
mod shard;
mod split;
mod stale;
mod statistics;

use std::path::Path;

use adamflip::optim::Method;

pub use child::{JobSpec, PARENT_DEATH_PIPE, Program};
pub use dir::BatchDir;
pub use job::Job;
pub use look::{Look, look};
pub use metric::{Better, Metric};
pub use monitor::{Intent, JobSource, Monitor};
pub use outcome::Outcome;
pub use plan::BatchChoices;
pub use scheduler::Scheduler;
pub use shard::{Scope, Shard};
pub use stale::{remove, remove_changed};
pub use statistics::Spread;

pub(crate) use metric::Shape;
pub(crate) use outcome::failures;
pub(crate) use plan::{Base, Plan, VariantSpec, few_enough};
pub(crate) use request::{FILE, Request};
pub(crate) use split::{assignment, list};

use crate::error::RunError;

/// The name of the file's own stages among the methods.
pub const PLAN: &str = "plan";

/// How the runs of a batch are started, and where they go.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// The program that solves each.
    pub program: &'a Program,
    /// The folder of all runs; where none is asked for, one of `runs/`.
    pub out: Option<&'a Path>,
    /// The threads of each run.
    pub threads: usize,
    /// Runs at once; as many as there are cores for their threads where nothing is said.
    pub jobs: Option<usize>,
    /// Which of the runs are solved.
    pub scope: Scope,
    /// The command line, to be run again.
    pub line: &'a str,
}

/// What came of a batch: for each variant one outcome a seed, and where all of it is.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) dir: BatchDir,
    pub(crate) outcomes: Vec<Vec<Outcome>>,
}

/// Solves all of the share that is planned and not yet solved, and looks at what there is of the others.
pub(crate) fn run(plan: &Plan, launch: &Launch<'_>, monitor: &mut dyn Monitor) -> Result<Finished, RunError> {
    let scope = launch.scope;
    let dir = BatchDir::open(launch.out, &Request::of(plan, launch.line)?, scope)?;
    let all = plan.runs();
    let own =
        all.iter().enumerate().filter(|(number, _)| scope.takes(*number)).map(|(_, run)| *run).collect();
    let own = Planned { plan, runs: own, threads: launch.threads };
    let mut solved = match scope {
        Scope::Collect => Vec::new(),
        Scope::Whole | Scope::Shard(_) => solve(own, &dir, launch, monitor)?,
    }
    .into_iter();
    let mut outcomes: Vec<Vec<Outcome>> = plan.variants.iter().map(|_| Vec::new()).collect();
    // They are in the order of the seeds.
    for (number, (variant, seed)) in all.into_iter().enumerate() {
        let solved = if scope.takes(number) { solved.next() } else { None };
        let found = || Outcome::found(&plan.job_at(&dir, variant, seed));
        outcomes[variant].push(solved.unwrap_or_else(found));
    }
    Ok(Finished { dir, outcomes })
}

fn solve(
    mut runs: Planned<'_>,
    dir: &BatchDir,
    launch: &Launch<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Vec<Outcome>, RunError> {
    let (plan, jobs) = (runs.plan, runs.jobs(dir));
    let intent = Intent {
        command: plan.command,
        line: launch.line,
        problem: Some(&plan.name),
        title: &plan.title,
        folder: dir.path(),
        metric: plan.shape.first(),
    };
    let scheduler = Scheduler::new(&mut runs, jobs, launch.program, intent, monitor);
    scheduler.at_once(at_once(launch.jobs, launch.threads)).work()
}

/// As many runs at once as were asked for, or as there are cores for their threads.
pub fn at_once(jobs: Option<usize>, threads: usize) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    jobs.unwrap_or_else(|| (cores() / threads).max(1))
}

/// The runs of a plan: variant and seed of each, by their numbers.
struct Planned<'a> {
    plan: &'a Plan,
    runs: Vec<(usize, usize)>,
    threads: usize,
}

impl Planned<'_> {
    fn jobs(&self, dir: &BatchDir) -> Vec<Job> {
        self.runs.iter().map(|&(variant, seed)| self.plan.job_at(dir, variant, seed)).collect()
    }
}

impl JobSource for Planned<'_> {
    fn job(&self, number: usize) -> JobSpec {
        let (variant, seed) = self.runs[number];
        self.plan.job(variant, seed)
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

/// The name of a method in tables, that of the file's own stages where none is given.
pub(crate) fn method_name(method: Option<&Method>) -> &'static str {
    method.map_or(PLAN, Method::name)
}
