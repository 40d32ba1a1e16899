//! `adamflip check`: all that can be said about a problem before it is trained.

mod report;
mod term;
mod text;
mod warnings;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use adamflip::train::{Signal, Status, Trainer};

use crate::arguments::Check;
use crate::failure::Failure;
use crate::input::{self, Task};
use crate::output::Data;
use report::{Cost, Report};

/// Steps timed at the most, after one that warms up, and the time after which no further one is begun.
const STEPS: usize = 3;
const LONGEST: Duration = Duration::from_secs(2);

pub(crate) fn run(arguments: &Check) -> Result<ExitCode, Failure> {
    let task = input::read(&arguments.input)?;
    let pool = input::pool(arguments.input.threads)?;
    let report = pool.install(|| examine(task))?;
    let mut data = Data::default();
    match arguments.input.json {
        true => data.json(&report),
        false => data.line(&text::text(&report)),
    }
    Ok(ExitCode::SUCCESS)
}

fn examine(task: Task) -> Result<Report, Failure> {
    let (stages, seed) = (task.stages.clone(), task.seed);
    let remarks = warnings::remarks(&task.problem, &stages, seed)
        .map_err(|error| Failure::input(error, "lower the `points` of the terms"))?;
    let mut trainer = task.trainer()?;
    let seconds = time_step(&mut trainer);
    let cost = Cost::of(&trainer, seconds, &stages);
    Ok(Report::of(trainer.problem(), &stages, seed, cost, remarks))
}

/// The time of the fastest of a few steps; `None` where not one could be taken.
fn time_step(trainer: &mut Trainer) -> Option<f64> {
    let start = Instant::now();
    let mut last = start;
    let mut best = None;
    let mut steps = 0;
    let status = trainer.run(&mut |_| {
        let now = Instant::now();
        let time = (now - last).as_secs_f64();
        last = now;
        steps += 1;
        best = Some(best.map_or(time, |best: f64| best.min(time)));
        if steps > STEPS || now - start > LONGEST { Signal::TimeUp } else { Signal::Continue }
    });
    best.filter(|_| status != Status::Diverged)
}
