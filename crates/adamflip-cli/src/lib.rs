//! The program `adamflip`: arguments, terminal, signals, exit codes. Runs are in `adamflip-run`, the numerics
//! in `adamflip`.
//!
//! stdout carries data (tables, or JSON lines), stderr carries talk (progress, warnings, errors).

// θ is the name that the library gives to parameters.
#![allow(mixed_script_confusables)]

mod arguments;
mod batch;
mod bench;
mod check;
mod compare;
mod completions;
mod disk;
mod export;
mod failure;
mod interrupt;
mod intervals;
mod invocation;
mod list;
mod man;
#[cfg(feature = "mpi")]
mod mpi;
mod new;
mod output;
mod predict;
mod progress;
mod ranks;
mod report;
mod reproduce;
mod schema;
mod serve;
mod slurm;
mod solve;
mod suite;
mod sweep;
mod view;
mod watch;

use clap::Parser;

use arguments::{Arguments, Command};
use failure::SUCCESS;
pub use invocation::Invocation;

/// Runs a command: `invocation` is how the program was called. Returns the exit code.
pub fn run(invocation: Invocation) -> u8 {
    output::show_log();
    let parsed = Arguments::try_parse_from(invocation.words());
    invocation.keep();
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(usage) => return ended(shown(&usage)),
    };
    let outcome = match arguments.command {
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Resume(arguments) => solve::resume(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Intervals(arguments) => intervals::run(&arguments),
        Command::Watch(arguments) => watch::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Suite(arguments) => suite::run(&arguments),
        Command::Slurm(arguments) => slurm::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::List(arguments) => list::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    };
    ended(outcome.unwrap_or_else(|failure| {
        failure.tell();
        failure.code
    }))
}

/// Help that was asked for, or what is wrong with the arguments.
fn shown(usage: &clap::Error) -> u8 {
    if let Err(error) = usage.print() {
        output::lost(&error);
    }
    u8::try_from(usage.exit_code()).unwrap_or(u8::MAX)
}

/// The exit code; a success whose output is lost is none.
fn ended(code: u8) -> u8 {
    if code == SUCCESS && output::is_lost() { failure::NOT_MET } else { code }
}
