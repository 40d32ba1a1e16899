//! All that can be said about a problem before it is trained.

mod report;
mod term;
mod text;
mod thinned;
mod warnings;

use std::time::{Duration, Instant};

use adamflip::inspect;
use adamflip::problem::{Problem, Stage};
use adamflip::sample::SampleError;
use adamflip::train::{Signal, Status, Trainer};

use crate::choices::{Task, not_drawn};
use crate::error::RunError;
pub use report::CheckReport;
use report::Cost;
use thinned::Thinned;

/// Steps of a stage timed at the most, after one that warms up, and the time for all stages: a stage begins
/// no further one when its share is over.
const STEPS: usize = 3;
const LONGEST: Duration = Duration::from_secs(1);

/// Looks at a problem, takes a few steps of every stage to time them, and says all that is known before
/// training.
pub fn check(task: Task) -> Result<CheckReport, RunError> {
    let Task { problem, stages, seed, .. } = task;
    let thinned = Thinned::of(&problem, &stages);
    let remarks = warnings::remarks(&problem, &thinned.problem, &stages, seed).map_err(not_drawn)?;
    let seconds = time_stages(&thinned.problem, seed, &stages).map_err(not_drawn)?;
    let sizes = inspect::sizes(&thinned.problem, seed);
    let trainer = Trainer::new(thinned.problem, seed, stages.clone()).map_err(not_drawn)?;
    let cost = Cost::of(&trainer, thinned.factor, seconds, &stages);
    Ok(CheckReport::of(&problem, &sizes, (&stages, seed), cost, remarks))
}

/// The time that all steps of all stages will take; `None` where there are none, or where they meet infinite
/// numbers.
fn time_stages(problem: &Problem, seed: u64, stages: &[Stage]) -> Result<Option<f64>, SampleError> {
    let stages: Vec<&Stage> = stages.iter().filter(|stage| stage.steps > 0).collect();
    let mut total = None;
    for (index, &stage) in stages.iter().enumerate() {
        // Each starts from the first network, as only the first stage does in training: a step takes the same
        // time there.
        let mut trainer = Trainer::new(problem.clone(), seed, vec![stage.clone()])?;
        let (time, status) = time_step(&mut trainer, LONGEST / stages.len() as u32);
        match time.filter(|_| index > 0 || status != Status::Diverged) {
            Some(time) => total = Some(total.unwrap_or(0.0) + time * stage.steps as f64),
            None => return Ok(None),
        }
    }
    Ok(total)
}

/// The time of the fastest of a few steps, none where not one could be taken, and how they ended.
fn time_step(trainer: &mut Trainer, longest: Duration) -> (Option<f64>, Status) {
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
        if steps > STEPS || now - start > longest { Signal::TimeUp } else { Signal::Continue }
    });
    (best, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_timed() {
        let seconds = |second: &str| {
            let text = format!(
                "fields = ['u']\n[domain]\nx = [0, 1]\ny = [0, 1]\n[term.pde]\nequation = 'u_xx = 1'\npoints = 8\n\
                 [term.walls]\non = ['x = 0', 'x = 1']\nequation = 'u = 0'\npoints = 200\n[train]\n\
                 stages = [{{ method = 'adam', steps = 1 }}, {{ method = '{second}', steps = 1000 }}]"
            );
            let problem =
                adamflip::problem::build(adamflip::spec::parse("p.toml", &text, &Default::default()))
                    .unwrap();
            time_stages(&problem, 0, &problem.stages).unwrap().unwrap()
        };
        // The Gram matrix of 200 constraints takes many times what the rest of a step does; twice leaves room
        // for a busy machine.
        assert!(seconds("adamflip_split") > 2.0 * seconds("adam"));
    }
}
