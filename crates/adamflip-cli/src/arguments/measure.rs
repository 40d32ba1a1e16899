//! Arguments of commands that train nothing: `check` and `bench`.

use adamflip::optim::Method;
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{Input, method, threads};
use crate::bench;

pub(super) const CHECK_EXAMPLES: &str = "\
Examples:
  adamflip check problems/burgers_forward.toml
  adamflip check problems/heat_forward.toml --set network.hidden=4x32 --threads 1

A few steps are taken to measure their time; nothing is written. Exit code 2 if the file has mistakes, \
all of which are shown.";

pub(super) const BENCH_EXAMPLES: &str = "\
Examples:
  adamflip bench
  adamflip bench --problems heat,navier_stokes --methods adamflip --threads 1
  adamflip bench --problems burgers --points 1000000 --json

Flops are those of the linear layers; the peak is that of fused multiply-adds in registers, \
measured on as many threads.";

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,

    /// Print JSON, one object a line, instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// The cases to run [default: all]
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_values = bench::NAMES)]
    #[arg(value_parser = PossibleValuesParser::new(bench::NAMES), hide_default_value = true)]
    pub(crate) problems: Vec<String>,

    /// The methods to run [default: adam, fl, fl_momentum, adamflip, adamflip_metric, adamflip_split, al,
    /// lbfgs and trsqp]
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_values = bench::METHODS)]
    #[arg(value_parser = method(), hide_default_value = true)]
    pub(crate) methods: Vec<Method>,

    /// Threads [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = threads())]
    pub(crate) threads: Option<u16>,

    /// Points of the equation, in place of those of the case
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) points: Option<u64>,

    /// Repetitions, of which the best counts
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeat: u32,

    /// Seconds for each case and method, all repetitions together
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 3.0, value_parser = seconds)]
    pub(crate) seconds: f64,

    /// Print JSON, one object a line, instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (1e-3..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("write a number of seconds, for example 3".to_owned()),
    }
}
