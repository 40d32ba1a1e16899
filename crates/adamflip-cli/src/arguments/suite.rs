//! The arguments of `suite`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{Shares, jobs, threads};
use crate::suite;
use adamflip_run::seconds;

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
problem file was changed. With --shard K/N several processes share the runs of one folder, and --collect makes the \
table. After Ctrl-C or a crash the same command goes on. Exit code 1 if a run failed.";

#[derive(Debug, Args)]
pub(crate) struct Suite {
    /// The problems [default: all]
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(suite::names()))]
    pub(crate) names: Vec<String>,

    /// The time of each run, in place of its own: `90`, `2m` or `1.5h`
    #[arg(long, value_name = "T", value_parser = seconds)]
    pub(crate) budget: Option<f64>,

    /// The seeds of each problem
    #[arg(long, alias = "seed", value_name = "S,S", value_delimiter = ',', default_value = "0")]
    pub(crate) seeds: Vec<u64>,

    /// The threads of each run
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1, value_parser = threads())]
    pub(crate) threads: u16,

    /// Runs at once [default: as many as there are cores for their threads]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs())]
    pub(crate) jobs: Option<u16>,

    #[command(flatten)]
    pub(crate) shares: Shares,

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
