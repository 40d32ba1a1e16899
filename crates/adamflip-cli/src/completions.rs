//! `adamflip completions`: what a shell offers after the Tab key.

use std::process::ExitCode;

use clap::CommandFactory;

use crate::arguments::{Arguments, Completions};
use crate::failure::Failure;
use crate::output::Data;

pub(crate) fn run(arguments: &Completions) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "adamflip", &mut script);
    Data::default().line(String::from_utf8_lossy(&script).trim_end());
    Ok(ExitCode::SUCCESS)
}
