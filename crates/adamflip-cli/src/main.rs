//! The program `adamflip`; all of it is in the library, which Python calls too.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(adamflip_cli::run(adamflip_cli::Invocation::of_this_process()))
}
