//! Many solves, mostly of one problem: as child processes of this program, several at once, each in a run folder of its own.
//!
//! A batch can be ended at any moment and asked for again: runs that have ended are kept, others go on from their
//! checkpoints, for each is nothing but a `solve` or a `resume`. `compare`, `sweep`, `reproduce` and `suite` say what is solved and show what
//! came of it.

mod child;
mod crew;
pub(crate) mod fingerprint;
mod look;
mod metric;
mod outcome;
mod place;
mod plan;
mod request;
mod screen;
mod split;
mod stale;
mod statistics;

use adamflip::optim::Method;

pub(crate) use child::Order;
pub(crate) use crew::{Crew, Runs, Task};
pub(crate) use look::{Look, look};
pub(crate) use metric::{Better, Metric, Shape};
pub(crate) use outcome::{Outcome, failures};
pub(crate) use place::Place;
pub(crate) use plan::{Base, Plan, Wish, few_enough};
pub(crate) use request::{FILE, Request};
pub(crate) use screen::Intent;
pub(crate) use split::{assignment, list};
pub(crate) use stale::{remove, remove_changed};
pub(crate) use statistics::Spread;

use crate::arguments;
use crate::failure::Failure;
use crate::output::Data;

/// What came of a batch: for each variant one outcome a seed, and where all of it is.
pub(crate) struct Finished {
    pub(crate) place: Place,
    pub(crate) outcomes: Vec<Vec<Outcome>>,
}

/// Solves all that is planned and not yet solved.
pub(crate) fn run(plan: &Plan, arguments: &arguments::Batch, data: &mut Data) -> Result<Finished, Failure> {
    let request = Request::of(plan)?;
    let place = Place::open(arguments.out.as_deref(), &request)?;
    let threads = usize::from(arguments.threads);
    let mut runs = Planned { plan, runs: plan.runs(), threads };
    let tasks = runs.tasks(&place);
    let intent = Intent {
        command: plan.command,
        problem: Some(&plan.name),
        title: &plan.title,
        folder: place.path(),
        metric: plan.shape.first(),
    };
    let jobs = at_once(arguments.jobs, threads);
    let all = Crew::new(&mut runs, tasks, jobs, intent, arguments.json).work(data)?;
    let mut outcomes: Vec<Vec<Outcome>> = plan.variants.iter().map(|_| Vec::new()).collect();
    // They are in the order of the seeds.
    for ((variant, _), outcome) in runs.runs.iter().zip(all) {
        outcomes[*variant].push(outcome);
    }
    Ok(Finished { place, outcomes })
}

/// As many runs at once as were asked for, or as there are cores for their threads.
pub(crate) fn at_once(jobs: Option<u16>, threads: usize) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    jobs.map_or_else(|| (cores() / threads).max(1), usize::from)
}

/// The runs of a plan: variant and seed of each, by their numbers.
struct Planned<'a> {
    plan: &'a Plan,
    runs: Vec<(usize, usize)>,
    threads: usize,
}

impl Planned<'_> {
    fn tasks(&self, place: &Place) -> Vec<Task> {
        let task = |&(variant, seed): &(usize, usize)| {
            let form = &self.plan.variants[variant];
            let name = format!("{}-{}", form.name, self.plan.seeds[seed]);
            Task { folder: place.run(&name), log: place.log(&name), steps: form.steps, name }
        };
        self.runs.iter().map(task).collect()
    }
}

impl Runs for Planned<'_> {
    fn order(&self, number: usize) -> Order {
        let (variant, seed) = self.runs[number];
        self.plan.order(variant, seed)
    }

    fn threads(&self) -> usize {
        self.threads
    }
}

/// The name of a method in tables, that of the file's own stages where none is given.
pub(crate) fn method_name(method: Option<&Method>) -> &'static str {
    method.map_or(arguments::PLAN, Method::name)
}
