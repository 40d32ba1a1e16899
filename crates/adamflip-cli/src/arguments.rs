//! What can be said on the command line.

mod batch;
mod measure;
mod reproduce;
mod runs;
mod shares;
mod slurm;
mod suite;
mod tools;
mod trained;

use adamflip::optim::Method;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};

pub(crate) use batch::{Batch, Compare, Sweep};
pub(crate) use measure::{Bench, Check};
pub(crate) use reproduce::Reproduce;
pub(crate) use runs::{Input, Live, Resume, Solve, Watch};
pub(crate) use shares::{COLLECT, Shares};
pub(crate) use slurm::Slurm;
pub(crate) use suite::Suite;
pub(crate) use tools::{Completions, List, Man, New, ProblemKind, Schema};
pub(crate) use trained::{Export, ExportFormat, Intervals, Predict, Report};

const EXAMPLES: &str = "\
Examples:
  adamflip new pendulum --kind ode
  adamflip check problems/heat_forward.toml
  adamflip solve problems/burgers_forward.toml
  adamflip resume runs/burgers_forward-0
  adamflip compare problems/oscillator.toml --methods adam,adamflip --seeds 0,1,2
  adamflip predict runs/burgers_forward-0 --grid x=-1:1:201,t=0.5 --expr \"u, u_x\"

Exit codes:
  0    done, and every tolerance met (compare, sweep, reproduce and suite: whatever tolerances were missed)
  1    a tolerance was not met, the problem was not solved, the run diverged, or what it found could not be written
  2    bad input
  128+n  ended by signal n, with its state saved: 130 after Ctrl-C, 143 after SIGTERM";

/// Solve differential equations with neural networks whose conditions are constraints.
#[derive(Debug, Parser)]
#[command(name = "adamflip", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a problem file to start from
    #[command(after_help = tools::NEW_EXAMPLES)]
    New(New),
    /// Say all that can be said about a problem before training
    #[command(after_help = measure::CHECK_EXAMPLES)]
    Check(Check),
    /// Train a network on a problem and write a run folder
    #[command(after_help = runs::SOLVE_EXAMPLES)]
    Solve(Solve),
    /// Continue a run after Ctrl-C, a crash or its end, with the same bits as without the break
    #[command(after_help = runs::RESUME_EXAMPLES)]
    Resume(Resume),
    /// Follow a run of another process, or look at one that is over
    #[command(after_help = runs::WATCH_EXAMPLES)]
    Watch(Watch),
    /// Write the report of a run again: a page to look at, and its figures
    #[command(after_help = trained::REPORT_EXAMPLES)]
    Report(Report),
    /// How well the unknowns of a run are known
    #[command(after_help = trained::INTERVALS_EXAMPLES)]
    Intervals(Intervals),
    /// Solve a problem by several methods and compare them in one table and figure
    #[command(after_help = batch::COMPARE_EXAMPLES)]
    Compare(Compare),
    /// Solve a problem for many values of its keys and sort the results
    #[command(after_help = batch::SWEEP_EXAMPLES)]
    Sweep(Sweep),
    /// Solve the problems of the paper by all its methods and put our numbers beside its own
    #[command(after_help = reproduce::EXAMPLES)]
    Reproduce(Reproduce),
    /// Solve the standard problems of the field and put our errors beside the best published
    #[command(after_help = suite::EXAMPLES)]
    Suite(Suite),
    /// Print a batch script of Slurm that solves a batch in shares, to be edited and submitted
    #[command(after_help = slurm::EXAMPLES)]
    Slurm(Slurm),
    /// Evaluate a trained run at any points: fields, derivatives, expressions
    #[command(after_help = trained::PREDICT_EXAMPLES)]
    Predict(Predict),
    /// Write a trained run in a format of other tools: ONNX, NPZ, CSV, VTK
    #[command(after_help = trained::EXPORT_EXAMPLES)]
    Export(Export),
    /// Show the problem files and runs there are
    #[command(after_help = tools::LIST_EXAMPLES)]
    List(List),
    /// Time the steps of built-in cases against the peak of this machine
    #[command(after_help = measure::BENCH_EXAMPLES)]
    Bench(Bench),
    /// Print the keys of problem files: a JSON Schema for editors, or a page
    #[command(after_help = tools::SCHEMA_EXAMPLES)]
    Schema(Schema),
    /// Print the completions of a shell
    #[command(after_help = tools::COMPLETIONS_EXAMPLES)]
    Completions(Completions),
    /// Print the manual page, or write all pages
    #[command(after_help = tools::MAN_EXAMPLES)]
    Man(Man),
}

fn method() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::NAMES).try_map(|name| Method::named(&name).ok_or("unknown method"))
}

/// More runs at once than this would be a typing error.
fn jobs() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=1024)
}

/// More threads than this would be a typing error.
fn threads() -> clap::builder::RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=1024)
}
