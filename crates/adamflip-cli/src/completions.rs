//! `adamflip completions`: what a shell offers after the Tab key.

use clap::CommandFactory;

use crate::arguments::{Arguments, Completions};
use crate::failure::{Failure, SUCCESS};
use crate::output::Data;

pub(crate) fn run(arguments: &Completions) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "adamflip", &mut script);
    Data::default().line(String::from_utf8_lossy(&script).trim_end());
    Ok(SUCCESS)
}
