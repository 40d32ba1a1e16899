//! `adamflip bench`: time per step, useful flop per second, and the fraction of this machine's peak.
//!
//! The methods of a problem take turns, so that a disturbance of the machine meets them alike, and the best
//! of several repetitions counts.

mod cases;
mod peak;

use std::time::{Duration, Instant};

use adamflip::optim::Method;
use adamflip::train::{Signal, Status, Trainer};
use adamflip_run::peak_megabytes;
use adamflip_run::words::{counted, text_table};
use serde::Serialize;

use crate::arguments::Bench;
use crate::failure::{Failure, SUCCESS};
use crate::output::{self, Data};
pub(crate) use cases::{METHODS, NAMES};

/// Steps before the clock starts, and the time they must at least take: caches, clock rate and moments
/// settle.
const WARM_UP: (usize, Duration) = (2, Duration::from_millis(20));

/// One line of the result, in the shape of the contract.
#[derive(Serialize)]
struct Measurement {
    event: &'static str,
    problem: &'static str,
    method: &'static str,
    points: usize,
    ms_per_step: f64,
    gflops: f64,
    peak_fraction: f64,
    threads: usize,
    /// The peak of all threads together.
    peak_gflops: f64,
    /// The largest resident memory of the program so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_mb: Option<f64>,
}

pub(crate) fn run(arguments: &Bench) -> Result<u8, Failure> {
    let pool = adamflip_run::pool(arguments.threads)?;
    pool.install(|| bench(arguments))
}

fn bench(arguments: &Bench) -> Result<u8, Failure> {
    let mut data = Data::default();
    let peak = peak::gflops();
    let mut rows = Vec::new();
    for case in cases::CASES.iter().filter(|case| arguments.problems.iter().any(|name| name == case.name)) {
        if !arguments.json {
            output::say(&format!("{} …", case.name));
        }
        for measurement in measure(case, arguments, peak)? {
            if arguments.json {
                data.json(&measurement);
            }
            rows.push(measurement);
        }
        if data.is_closed() {
            break;
        }
    }
    if !arguments.json {
        data.line(&table(&rows, peak));
    }
    Ok(SUCCESS)
}

/// All methods on one case.
fn measure(case: &cases::Case, arguments: &Bench, peak: f64) -> Result<Vec<Measurement>, Failure> {
    let mut trainers: Vec<(&Method, Trainer, f64)> = Vec::new();
    for method in &arguments.methods {
        let trainer = case.task(method, arguments.points)?.trainer()?;
        trainers.push((method, trainer, f64::INFINITY));
    }
    let window = Duration::from_secs_f64(arguments.seconds / f64::from(arguments.repeat));
    for _ in 0..arguments.repeat {
        for (_, trainer, best) in &mut trainers {
            *best = best.min(seconds_per_step(trainer, window)?);
        }
    }
    let result = |(method, trainer, best): &(&Method, Trainer, f64)| {
        let gflops = trainer.objective().flops() as f64 / best / 1e9;
        Measurement {
            event: "bench",
            problem: case.name,
            method: method.name(),
            points: trainer.objective().points(),
            ms_per_step: 1e3 * best,
            gflops,
            peak_fraction: gflops / peak,
            threads: rayon::current_num_threads(),
            peak_gflops: peak,
            memory_mb: peak_megabytes(),
        }
    };
    Ok(trainers.iter().map(result).collect())
}

/// Trains for a while and returns the mean time of a step after the first few.
fn seconds_per_step(trainer: &mut Trainer, window: Duration) -> Result<f64, Failure> {
    let begin = Instant::now();
    let mut warm_up = 0;
    let mut timed: Option<(Instant, usize)> = None;
    let mut mean = f64::NAN;
    let status = trainer.run(&mut |_| {
        let now = Instant::now();
        match &mut timed {
            None => {
                warm_up += 1;
                if warm_up >= WARM_UP.0 && now - begin >= WARM_UP.1 {
                    timed = Some((now, 0));
                }
                Signal::Continue
            }
            Some((start, steps)) => {
                *steps += 1;
                mean = (now - *start).as_secs_f64() / *steps as f64;
                if now - *start >= window { Signal::TimeUp } else { Signal::Continue }
            }
        }
    });
    match status {
        Status::TimeBudget => Ok(mean),
        // A method that came to its end has taken steps all the same.
        Status::Converged | Status::Stagnated if mean.is_finite() => Ok(mean),
        _ => Err(Failure::run(format!("a benchmark ended early: {}", status.name()), trainer.advice(status))),
    }
}

fn table(rows: &[Measurement], peak: f64) -> String {
    let row = |row: &Measurement| {
        vec![
            row.problem.to_owned(),
            row.method.to_owned(),
            row.points.to_string(),
            format!("{:.4}", row.ms_per_step),
            format!("{:.1}", row.gflops),
            format!("{:.1}%", 100.0 * row.peak_fraction),
        ]
    };
    let header = ["problem", "method", "points", "ms/step", "GFLOP/s", "of peak"];
    let table = text_table(&header, rows.iter().map(row), 2..);
    let threads = counted(rayon::current_num_threads(), "thread");
    let memory = peak_megabytes().map_or(String::new(), |memory| format!(", peak memory {memory:.0} MB"));
    format!("{table}\n\n {threads}, FMA peak {peak:.1} GFLOP/s{memory}")
}
