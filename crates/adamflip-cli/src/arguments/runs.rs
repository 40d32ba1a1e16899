//! Arguments of commands that train a run or follow one.

use std::path::PathBuf;
use std::time::Duration;

use adamflip::optim::Method;
use adamflip_run::Choices;
use clap::Args;

use super::{method, threads};
use adamflip_run::seconds;

pub(super) const SOLVE_EXAMPLES: &str = "\
Examples:
  adamflip solve problems/burgers_forward.toml
  adamflip solve problems/burgers_forward.toml --method adam --steps 5000 --seed 1
  adamflip solve problems/burgers_forward.toml --profile paper --finish al
  adamflip solve problems/heat_forward.toml --set network.hidden=4x32 --set term.pde.points=500
  adamflip solve changed.toml --start runs/heat_forward-0
  adamflip solve problems/heat_forward.toml --json | tail -n 1 | jq .rel_l2
  mpirun -n 4 adamflip solve problems/heat_forward.toml

The run folder holds the problem (problem.toml, data/), what was asked for (run.json), one row an observation \
(history.csv), the last two states (checkpoint.safetensors, checkpoint.old.safetensors), summary.json, figures/, \
fields.npz (all fields on the grid) and report.html, a page to look at.

Ctrl-C ends the run after the current step and keeps what it found; a second Ctrl-C ends it at once. SIGTERM, SIGHUP \
and SIGUSR1 (by which Slurm and other queues end a job) do the same as the first. After any of them, or after a crash, \
`adamflip resume RUN` goes on.

Under mpirun (of a program built with `--features mpi`) the ranks share the points of one run: the result has the same bits \
for any number of ranks and threads, and any number of them can resume it.";

pub(super) const RESUME_EXAMPLES: &str = "\
Examples:
  adamflip resume runs/burgers_forward-0
  adamflip resume runs/burgers_forward-0 --threads 1
  adamflip resume runs/burgers_forward-0 --more 5000

The run ends with the same bits as if it had never been interrupted, whatever the number of threads. A run that has \
ended gets its results written again, or with --more is trained on.";

pub(super) const WATCH_EXAMPLES: &str = "\
Examples:
  adamflip watch runs/burgers_forward-0
  adamflip watch runs/burgers_forward-0 --once
  adamflip watch runs/burgers_forward-0 --serve

A run that goes on in another process is followed to its end; nothing in its folder is changed. In a pipe there are plain \
lines. Exit code 0 if the run goes on or has ended, 1 if it was killed.";

#[derive(Debug, Args)]
pub(crate) struct Solve {
    #[command(flatten)]
    pub(crate) input: Input,

    /// The run folder [default: runs/NAME-SEED, with -2, -3, … if it exists]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) live: Live,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The run folder
    pub(crate) run: PathBuf,

    /// Extend the last stage by this many steps, at the rate at which it ends
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub(crate) more: Option<u64>,

    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = threads())]
    pub(crate) threads: Option<u16>,

    #[command(flatten)]
    pub(crate) live: Live,
}

/// How a run that trains is shown and kept.
#[derive(Debug, Args)]
pub(crate) struct Live {
    /// Print JSON, one object a line, instead of tables and progress
    #[arg(long)]
    pub(crate) json: bool,

    /// Also write events for TensorBoard into the run folder (`tensorboard --logdir runs`)
    #[arg(long)]
    pub(crate) tensorboard: bool,

    /// Seconds between checkpoints [default: 5, or more where they would take long]
    #[arg(long = "checkpoint-every", value_name = "S", allow_negative_numbers = true, value_parser = duration)]
    pub(crate) checkpoint: Option<Duration>,

    /// Show live curves and the solution on a web page of this machine [default port: 8790; 0: any that is
    /// free]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8790", value_parser = port)]
    pub(crate) serve: Option<u16>,

    /// Under mpirun: seconds without an answer of the other ranks after which a rank ends all
    #[arg(long, value_name = "S", default_value = "600", allow_negative_numbers = true, value_parser = duration)]
    pub(crate) rank_timeout: Duration,
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The run folder
    pub(crate) run: PathBuf,

    /// Show how it stands now and end
    #[arg(long)]
    pub(crate) once: bool,

    /// Show live curves and the solution on a web page of this machine [default port: 8790; 0: any that is
    /// free]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8790", value_parser = port)]
    #[arg(conflicts_with = "once")]
    pub(crate) serve: Option<u16>,
}

/// A problem and what the command line changes in it.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// The problem file
    pub(crate) file: PathBuf,

    /// Train in one stage of this method: all the steps of the file, with those settings of its last stage
    /// that mean the same (a file without stages: 300 steps of gauss_newton and newtonflip, 12,000 of the
    /// others)
    #[arg(long, value_name = "M", value_parser = method())]
    pub(crate) method: Option<Method>,

    /// Train the last stage by this method, the stages before it as they are
    #[arg(long, value_name = "M", value_parser = method(), conflicts_with = "method")]
    pub(crate) finish: Option<Method>,

    /// End after this many steps in all
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    pub(crate) steps: Option<u64>,

    /// The most time that training may take, `90`, `5m` or `1.5h`: `max_seconds` of [train]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) budget: Option<f64>,

    /// Start from the solution of another run of the same fields: `start` of [train]
    #[arg(long, value_name = "RUN")]
    pub(crate) start: Option<PathBuf>,

    /// The seed of every random number [default: that of the file, or 0]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,

    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = threads())]
    pub(crate) threads: Option<u16>,

    /// Apply the overrides of `[profile.P]` in the file
    #[arg(long, value_name = "P")]
    pub(crate) profile: Option<String>,

    /// Replace a value of the file, for example `term.pde.points=500` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

impl Input {
    /// All of it but the file and the threads.
    pub(crate) fn choices(&self) -> Choices {
        Choices {
            method: self.method.clone(),
            finish: self.finish.clone(),
            steps: self.steps,
            seed: self.seed,
            profile: self.profile.clone(),
            set: self.set.clone(),
            budget: self.budget,
            start: self.start.clone(),
        }
    }
}

/// A port; the option without one may stand before a file, which then is taken for it.
fn port(text: &str) -> Result<u16, String> {
    let hint = "write a port from 1 to 65535, 0 for any that is free, or `--serve` after all other arguments";
    text.parse().map_err(|_| hint.to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.parse().ok();
    let duration =
        seconds.filter(|s| *s <= 1e9).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "write a number of seconds, for example 60".to_owned())
}
