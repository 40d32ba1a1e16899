//! `adamflip slurm`: a batch script of Slurm, a job array with a task for each share of a batch.

use adamflip_run::shell;
use clap::Parser;

use crate::arguments::{self, Arguments, Command, Shares};
use crate::failure::{Failure, SUCCESS};
use crate::output::Data;

pub(crate) fn run(arguments: &arguments::Slurm) -> Result<u8, Failure> {
    let name = arguments.command.first().map(String::as_str).unwrap_or_default();
    let (threads, jobs) = batch(&arguments.command)?;
    let words: Vec<String> = arguments.command.iter().map(|word| shell::quoted(word)).collect();
    let cores = threads * jobs.unwrap_or(1);
    // What is not said is one run at a time: the cores of the machine are not those of the task.
    let jobs = if jobs.is_none() { " --jobs 1" } else { "" };
    Data::default().line(script(name, &words.join(" "), jobs, arguments.shares, cores).trim_end());
    Ok(SUCCESS)
}

/// Threads and runs at once of a command, which must be one of a batch; errors of its arguments show now.
fn batch(words: &[String]) -> Result<(u16, Option<u16>), Failure> {
    let program = std::iter::once("adamflip").chain(words.iter().map(String::as_str));
    let parsed = Arguments::try_parse_from(program).map_err(|usage| {
        let text = usage.to_string();
        let said = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Failure::input(said, "`adamflip slurm --help` shows examples")
    })?;
    let (shares, threads, jobs): (&Shares, u16, Option<u16>) = match &parsed.command {
        Command::Sweep(command) => (&command.batch.shares, command.batch.threads, command.batch.jobs),
        Command::Compare(command) => (&command.batch.shares, command.batch.threads, command.batch.jobs),
        Command::Suite(command) => (&command.shares, command.threads, command.jobs),
        Command::Reproduce(command) => (&command.shares, 1, command.jobs),
        _ => {
            let hint = "shares have `sweep`, `compare`, `reproduce` and `suite`";
            return Err(Failure::input(format!("`{}` has no shares", words[0]), hint));
        }
    };
    if shares.shard.is_some() || shares.collect {
        let hint = "leave it away: the script names the share of each task";
        return Err(Failure::input("the command has a share already", hint));
    }
    Ok((threads, jobs))
}

/// `exec` puts the program in the place of the shell, which `B:` of `--signal` means.
fn script(name: &str, words: &str, jobs: &str, shares: u32, cores: u16) -> String {
    format!(
        "\
#!/bin/bash
#SBATCH --job-name=adamflip-{name}
#SBATCH --array=1-{shares}
#SBATCH --cpus-per-task={cores}
#SBATCH --mem-per-cpu=2G
#SBATCH --time=24:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --output=%x-%A_%a.log

# Two minutes before the time ends the runs stop and keep their states: submit the script again to go on.
cd \"$SLURM_SUBMIT_DIR\" || exit
exec adamflip {words}{jobs} --shard \"$SLURM_ARRAY_TASK_ID/{shares}\"

# Tables and figures of what there is, at any time:
#   adamflip {words} --collect
"
    )
}
