//! What can be said on the command line.

mod batch;
mod tools;

use std::path::PathBuf;
use std::time::Duration;

use adamflip::optim::Method;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};

use crate::{bench, export};
pub(crate) use batch::{Batch, Compare, Format, PLAN, Sweep};
pub(crate) use tools::{Completions, Kind, List, Man, New};

const EXAMPLES: &str = "\
Examples:
  adamflip solve problems/burgers_forward.toml
  adamflip check problems/heat_forward.toml
  adamflip bench --problems heat
  adamflip compare problems/oscillator.toml --methods adam,adamflip --seeds 0,1,2
  adamflip new pendulum --kind ode

Exit codes:
  0    done, and every tolerance met
  1    trained, but a tolerance was not met or the run diverged
  2    bad input
  130  interrupted";

const SOLVE_EXAMPLES: &str = "\
Examples:
  adamflip solve problems/burgers_forward.toml
  adamflip solve problems/burgers_forward.toml --method adam --steps 5000 --seed 1
  adamflip solve problems/heat_forward.toml --set network.hidden=4x32 --set term.pde.points=500
  adamflip solve problems/heat_forward.toml --json | tail -n 1 | jq .rel_l2

The run folder holds the problem (problem.toml, data/), what was asked for (run.json), one row an observation \
(history.csv), the last two states (checkpoint.safetensors, checkpoint.old.safetensors), summary.json, figures/ \
fields.npz (all fields on the grid) and report.html, a page to look at.

Ctrl-C ends the run after the current step and keeps what it found; a second Ctrl-C ends it at once. After either, \
or after a crash, `adamflip resume RUN` goes on.";

const RESUME_EXAMPLES: &str = "\
Examples:
  adamflip resume runs/burgers_forward-0
  adamflip resume runs/burgers_forward-0 --threads 1
  adamflip resume runs/burgers_forward-0 --more 5000

The run ends with the same bits as if it had never been interrupted, whatever the number of threads. A run that has \
ended gets its results written again, or with --more is trained on.";

const REPORT_EXAMPLES: &str = "\
Examples:
  adamflip report runs/burgers_forward-0
  adamflip report runs/burgers_forward-0 --out elsewhere

report.html is one page with all figures in it, which needs no network; figures/ has each of them as SVG and PNG. A run \
that is still training is reported as of its last checkpoint.";

const WATCH_EXAMPLES: &str = "\
Examples:
  adamflip watch runs/burgers_forward-0
  adamflip watch runs/burgers_forward-0 --once
  adamflip watch runs/burgers_forward-0 --serve

A run that goes on in another process is followed to its end; nothing in its folder is changed. In a pipe there are plain \
lines. Exit code 0 if the run goes on or has ended, 1 if it was killed.";

const CHECK_EXAMPLES: &str = "\
Examples:
  adamflip check problems/burgers_forward.toml
  adamflip check problems/heat_forward.toml --set network.hidden=4x32 --threads 1

A few steps are taken to measure their time; nothing is written. Exit code 2 if the file has mistakes, \
all of which are shown.";

const BENCH_EXAMPLES: &str = "\
Examples:
  adamflip bench
  adamflip bench --problems heat,navier_stokes --methods adamflip --threads 1
  adamflip bench --problems burgers --points 1000000 --json

Flops are those of the linear layers; the peak is that of fused multiply-adds in registers, \
measured on as many threads.";

const PREDICT_EXAMPLES: &str = "\
Examples:
  adamflip predict runs/burgers_forward-0 > fields.csv
  adamflip predict runs/burgers_forward-0 --grid x=-1:1:401,t=0.5 --ask \"u, u_x\"
  adamflip predict runs/burgers_forward-0 --at sensors.csv --ask \"u_t + u*u_x - nu*u_xx\" --out residual.npz

Expressions are written like equations: fields, derivatives, unknowns, constants and definitions of the problem. A grid is \
`name=lower:upper:count` or `name=value` for every coordinate. CSV and NPY files of points are read as they are needed, so that \
memory does not grow with their number.";

const EXPORT_EXAMPLES: &str = "\
Examples:
  adamflip export runs/heat_forward-0 --to onnx
  adamflip export runs/heat_forward-0 --out fields.npz
  adamflip export runs/heat_forward-0 --to vtk --out heat.pvd

ONNX takes coordinates [N, d] to fields [N, fields] in double precision. The others hold all fields and references where \
errors are measured; VTK is one image a time and a list of them for ParaView.";

/// Solve differential equations with neural networks whose conditions are constraints.
#[derive(Debug, Parser)]
#[command(name = "adamflip", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train a network on a problem and write a run folder
    #[command(after_help = SOLVE_EXAMPLES)]
    Solve(Solve),
    /// Continue a run after Ctrl-C, a crash or its end, with the same bits as without the break
    #[command(after_help = RESUME_EXAMPLES)]
    Resume(Resume),
    /// Write the report of a run again: a page to look at, and its figures
    #[command(after_help = REPORT_EXAMPLES)]
    Report(Report),
    /// Follow a run of another process, or look at one that is over
    #[command(after_help = WATCH_EXAMPLES)]
    Watch(Watch),
    /// Say all that can be said about a problem before training
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Time the steps of built-in cases against the peak of this machine
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Bench),
    /// Evaluate a trained run at any points: fields, derivatives, expressions
    #[command(after_help = PREDICT_EXAMPLES)]
    Predict(Predict),
    /// Write a trained run in a format of other tools: ONNX, NPZ, CSV, VTK
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(Export),
    /// Solve a problem by several methods and compare them in one table and figure
    #[command(after_help = batch::COMPARE_EXAMPLES)]
    Compare(Compare),
    /// Solve a problem for many values of its keys and sort the results
    #[command(after_help = batch::SWEEP_EXAMPLES)]
    Sweep(Sweep),
    /// Write a problem file to start from
    #[command(after_help = tools::NEW_EXAMPLES)]
    New(New),
    /// Show the problem files and runs there are
    #[command(after_help = tools::LIST_EXAMPLES)]
    List(List),
    /// Print the completions of a shell
    #[command(after_help = tools::COMPLETIONS_EXAMPLES)]
    Completions(Completions),
    /// Print the manual page, or write all pages
    #[command(after_help = tools::MAN_EXAMPLES)]
    Man(Man),
}

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
pub(crate) struct Report {
    /// The run folder
    pub(crate) run: PathBuf,

    /// Where to put `report.html` and `figures/` [default: the run folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The run folder
    pub(crate) run: PathBuf,

    /// Extend the last stage by so many steps, at the rate at which it ends
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub(crate) more: Option<u64>,

    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads())]
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
    #[arg(long = "checkpoint-every", value_name = "S", value_parser = duration)]
    pub(crate) checkpoint: Option<Duration>,

    /// Show live curves and the solution on a web page of this machine [default port: 8790; 0: any that is free]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8790", value_parser = port)]
    pub(crate) serve: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The run folder
    pub(crate) run: PathBuf,

    /// Show how it stands now and end
    #[arg(long)]
    pub(crate) once: bool,

    /// Show live curves and the solution on a web page of this machine [default port: 8790; 0: any that is free]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8790", value_parser = port)]
    #[arg(conflicts_with = "once")]
    pub(crate) serve: Option<u16>,
}

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
    /// The cases to run
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_values = bench::NAMES)]
    #[arg(value_parser = PossibleValuesParser::new(bench::NAMES), hide_default_value = true)]
    pub(crate) problems: Vec<String>,

    /// The methods to run
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_values = Method::NAMES)]
    #[arg(value_parser = method(), hide_default_value = true)]
    pub(crate) methods: Vec<Method>,

    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<u16>,

    /// Points of the equation, in place of those of the case
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) points: Option<u64>,

    /// Repetitions, of which the best counts
    #[arg(long, value_name = "R", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) repeat: u32,

    /// Seconds for each case and method, all repetitions together
    #[arg(long, value_name = "S", default_value_t = 3.0, value_parser = seconds)]
    pub(crate) seconds: f64,

    /// Print JSON, one object a line, instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Predict {
    /// The folder of a run
    pub(crate) run: PathBuf,

    /// The points: a CSV, NPY, NPZ or MAT file with the coordinates
    #[arg(long, value_name = "FILE", conflicts_with = "grid")]
    pub(crate) at: Option<PathBuf>,

    /// The points: `x=-1:1:201,t=0.5` [default: where errors are measured]
    #[arg(long, value_name = "GRID", allow_hyphen_values = true)]
    pub(crate) grid: Option<String>,

    /// What is asked for, separated by commas (repeatable) [default: all fields]
    #[arg(long, value_name = "EXPRESSIONS", allow_hyphen_values = true)]
    pub(crate) ask: Vec<String>,

    /// The file: .csv, .json, .npy or .npz [default: CSV on stdout]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<u16>,

    /// Print one JSON object instead of CSV; with --out, what was written
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The folder of a run
    pub(crate) run: PathBuf,

    /// The format [default: that of the extension of --out]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<export::Format>,

    /// The file [default: the problem's name in the current folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Replace files that exist
    #[arg(long)]
    pub(crate) force: bool,

    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<u16>,
}

/// A problem and what the command line changes in it.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// The problem file
    pub(crate) file: PathBuf,

    /// Train in one stage of this method, at the rate of the last stage of the file
    #[arg(long, value_name = "M", value_parser = method())]
    pub(crate) method: Option<Method>,

    /// End after so many steps in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    pub(crate) steps: Option<u64>,

    /// The seed of every random number [default: that of the file, or 0]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,

    /// Threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<u16>,

    /// Apply the overrides of `[profile.P]` in the file
    #[arg(long, value_name = "P")]
    pub(crate) profile: Option<String>,

    /// Replace a value of the file, for example `train.stages[0].lr=1e-4` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
}

fn method() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::NAMES).try_map(|name| Method::named(&name).ok_or("unknown method"))
}

/// More threads than this would be a typing mistake.
fn threads() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=1024)
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

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (1e-3..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("write a number of seconds, for example 3".to_owned()),
    }
}
