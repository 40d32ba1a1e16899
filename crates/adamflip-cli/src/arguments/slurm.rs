//! The arguments of `slurm`.

use clap::Args;

pub(super) const EXAMPLES: &str = "\
Examples:
  adamflip slurm --shares 20 sweep heat.toml --over 'train.stages[0].lr=1e-5..1e-2' --random 1000 > heat.sh
  adamflip slurm compare heat.toml --methods adam,al,adamflip --seeds 0,1,2 > heat.sh

The script has one task for each share. Edit times, memory and partition, then `sbatch heat.sh`. Before its time ends a task is \
sent SIGUSR1: its runs stop after their step and keep their states, and the same script, submitted again, goes on. The last \
lines of the script say how the tables are made.";

#[derive(Debug, Args)]
pub(crate) struct Slurm {
    /// The number of shares: tasks of the job array
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) shares: u32,

    /// The command of a batch and its arguments: `sweep`, `compare`, `reproduce` or `suite`
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<String>,
}
