//! The arguments of `suite`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{jobs, threads};
use crate::suite;

pub(super) const EXAMPLES: &str = "\
Examples:
  adamflip suite wave lorenz_inverse
  adamflip suite --seeds 0,1,2
  adamflip suite --budget 2m --threads 2
  adamflip suite cavity_100 --json | tail -n 1 | jq .rows

The standard problems of the field (problems/standard), solved by the default network and plan, each within a time of its \
own: a minute for Lorenz, fifteen for Kuramoto-Sivashinsky, two to five for most. Each run is solved on one thread, as many \
at once as there are cores, unless --threads and --jobs say otherwise; with more threads more steps fit into the time.

error      relative L2 of each field, or relative error of each unknown number; the mean over the seeds
estimate   the error that the runs expect without a look at the reference, and whether it agrees (within a factor of three)
published  the best published error that we know of, and its source below the table

The folder holds the runs (runs/), what each said (logs/), and results/table.txt. A run is kept for the next time unless its \
problem file was changed. After Ctrl-C or a crash the same command goes on. Exit code 1 if a run failed.";

#[derive(Debug, Args)]
pub(crate) struct Suite {
    /// The problems [default: all]
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(suite::names()))]
    pub(crate) names: Vec<String>,

    /// The time of each run, in place of its own: 90, 90s, 2m or 1h
    #[arg(long, value_name = "T", value_parser = seconds)]
    pub(crate) budget: Option<u32>,

    /// The seeds of each problem
    #[arg(long, alias = "seed", value_name = "S,S", value_delimiter = ',', default_value = "0")]
    pub(crate) seeds: Vec<u64>,

    /// The threads of each run
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1, value_parser = threads())]
    pub(crate) threads: u16,

    /// Runs at once [default: as many as there are cores for their threads]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs())]
    pub(crate) jobs: Option<u16>,

    /// The folder of the problem files [default: problems/standard, here or beside the program]
    #[arg(long, value_name = "DIR")]
    pub(crate) problems: Option<PathBuf>,

    /// The folder of all runs
    #[arg(long, value_name = "DIR", default_value = "runs/suite")]
    pub(crate) out: PathBuf,

    /// Print JSON, one object a line, instead of the table and progress
    #[arg(long)]
    pub(crate) json: bool,
}

/// A time as people write it, in whole seconds.
fn seconds(text: &str) -> Result<u32, String> {
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(number) if text.ends_with('m') => (number, 60),
        Some(number) if text.ends_with('h') => (number, 3600),
        Some(number) => (number, 1),
        None => (text, 1),
    };
    let seconds = number.parse().ok().and_then(|number: u32| number.checked_mul(unit));
    seconds.filter(|seconds| *seconds > 0).ok_or_else(|| "write a time, for example 90s, 2m or 1h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_have_units() {
        for (text, expected) in [("90", 90), ("90s", 90), ("2m", 120), ("1h", 3600)] {
            assert_eq!(seconds(text), Ok(expected));
        }
        for text in ["", "m", "0", "-1", "2d", "1.5m", "9999999h"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
