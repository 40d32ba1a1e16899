//! Many solves of one problem: as child processes of this program, several at once, each in a run folder of its own.
//!
//! A batch can be ended at any moment and asked for again: runs that have ended are kept, others go on from their
//! checkpoints, for each is nothing but a `solve` or a `resume`. `compare` and `sweep` say what is solved and show what
//! came of it.

mod child;
mod crew;
mod look;
mod metric;
mod outcome;
mod place;
mod plan;
mod request;
mod screen;
mod split;
mod statistics;

use adamflip::optim::Method;

pub(crate) use look::{Look, look};
pub(crate) use metric::{Better, Metric, Shape};
pub(crate) use outcome::{Outcome, failures};
pub(crate) use place::Place;
pub(crate) use plan::{Base, Plan, Wish, few_enough};
pub(crate) use request::{FILE, Request};
pub(crate) use split::{assignment, list};
pub(crate) use statistics::Spread;

use crate::arguments;
use crate::failure::Failure;
use crate::output::Data;
use crew::Crew;

/// What came of a batch: for each variant one outcome a seed, and where all of it is.
pub(crate) struct Finished {
    pub(crate) place: Place,
    pub(crate) outcomes: Vec<Vec<Outcome>>,
}

/// Solves all that is planned and not yet solved.
pub(crate) fn run(plan: &Plan, arguments: &arguments::Batch, data: &mut Data) -> Result<Finished, Failure> {
    let request = Request::of(plan)?;
    let place = Place::open(arguments.out.as_deref(), &request)?;
    let jobs = match arguments.jobs {
        Some(jobs) => jobs.into(),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let outcomes = Crew::new(plan, &place, jobs, arguments.json).work(data)?;
    Ok(Finished { place, outcomes })
}

/// The name of a method in tables, that of the file's own stages where none is given.
pub(crate) fn method_name(method: Option<&Method>) -> &'static str {
    method.map_or(arguments::PLAN, Method::name)
}
