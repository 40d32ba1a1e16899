//! `adamflip report`: the report of a run, from its last checkpoint.

use std::path::Path;
use std::process::ExitCode;

use adamflip::checkpoint::replace_in;
use adamflip::train::Status;
use adamflip::uncertainty;
use serde::Deserialize;

use crate::arguments::Report;
use crate::failure::Failure;
use crate::output::Data;
use crate::results::{self, Outcome};
use crate::{ended, input, trained};

pub(crate) fn run(arguments: &Report) -> Result<ExitCode, Failure> {
    input::pool(arguments.threads)?.install(|| report(arguments))?;
    Ok(ExitCode::SUCCESS)
}

fn report(arguments: &Report) -> Result<(), Failure> {
    let run = &arguments.run;
    let (facts, trainer) = trained::trainer(run)?;
    let mut history = results::history(run)?;
    history.truncate(trainer.step());
    let (errors, certificate) = (results::errors(&trainer), trainer.certify());
    let outcome = Outcome {
        trainer: &trainer,
        facts: &facts,
        history: &history,
        status: trainer.ended().or_else(|| told(run, trainer.step())).unwrap_or(Status::Interrupted),
        seconds: history.last("seconds").max(0.0),
        errors: &errors,
        certificate: &certificate,
        assessment: &uncertainty::assess(&trainer.state()),
    };
    let out = arguments.out.as_deref().unwrap_or(run);
    outcome.draw(&mut |name, content| write(out, name, content))?;
    Data::default().line(&out.join("report.html").to_string_lossy());
    Ok(())
}

/// How the last sitting ended, if its summary is of this state: only it knows of a time budget.
fn told(run: &Path, step: usize) -> Option<Status> {
    let summary = ended::summary(run)?;
    let fits = summary["steps"] == step;
    Status::deserialize(&summary["status"]).ok().filter(|_| fits)
}

fn write(out: &Path, name: &str, content: &[u8]) -> Result<(), Failure> {
    let path = out.join(name);
    let failed = |error: &dyn std::fmt::Display| {
        let hint = "choose another folder with `--out DIR`";
        Failure::input(format!("cannot write `{}`: {error}", path.display()), hint)
    };
    std::fs::create_dir_all(out).map_err(|error| failed(&error))?;
    replace_in(out, name, content).map_err(|error| failed(&error))
}
