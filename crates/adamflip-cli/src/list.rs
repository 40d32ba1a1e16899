//! `adamflip list`: the problem files and the runs there are.

mod problems;
mod runs;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::arguments::List;
use crate::failure::Failure;
use crate::output::{self, Data};
use problems::Listed;
use runs::Entry;

pub(crate) fn run(arguments: &List) -> Result<ExitCode, Failure> {
    let problems = match &arguments.problems {
        Some(folder) => Some(folder.clone()),
        None => shipped(""),
    };
    let listed = problems.as_deref().map(problems::all).transpose()?;
    let entries = match &arguments.runs {
        Some(folder) => Some(runs::all(folder)?),
        None => Path::new("runs").is_dir().then(|| runs::all(Path::new("runs"))).transpose()?,
    };
    let (listed, entries) = (listed.unwrap_or_default(), entries.unwrap_or_default());
    let mut data = Data::default();
    if arguments.json {
        listed.iter().for_each(|problem| data.json(problem));
        entries.iter().for_each(|entry| data.json(entry));
        return Ok(ExitCode::SUCCESS);
    }
    if !listed.is_empty() {
        data.line(&problems::table(&listed));
    }
    if !entries.is_empty() {
        let space = if listed.is_empty() { "" } else { "\n" };
        data.line(&format!("{space}{}", runs::table(&entries)));
    }
    silence(arguments, problems.as_deref(), &listed, &entries);
    Ok(ExitCode::SUCCESS)
}

/// Says what there is not.
fn silence(arguments: &List, problems: Option<&Path>, listed: &[Listed], entries: &[Entry]) {
    let place =
        |folder: Option<&Path>, usual: &str| folder.map_or(usual.to_owned(), |f| f.display().to_string());
    if listed.is_empty() {
        output::say(&format!(
            "there are no problem files in `{}`; `adamflip new NAME` writes one",
            place(problems, "problems")
        ));
    }
    if entries.is_empty() {
        let runs = place(arguments.runs.as_deref(), "runs");
        output::say(&format!("there are no runs in `{runs}`; `adamflip solve FILE` makes one"));
    }
}

/// The folder of problem files, or one in it: here, or beside the program or above it.
pub(crate) fn shipped(inner: &str) -> Option<PathBuf> {
    let program = std::env::current_exe().ok();
    let above = program.iter().flat_map(|program| program.ancestors().skip(1)).map(Path::to_owned);
    let mut folders =
        std::iter::once(PathBuf::new()).chain(above).map(|folder| folder.join("problems").join(inner));
    folders.find(|folder| folder.is_dir())
}

/// What is in a folder, by name.
fn entries(folder: &Path, hint: &str) -> Result<Vec<PathBuf>, Failure> {
    let read = std::fs::read_dir(folder);
    let entries = read.map_err(|error| {
        Failure::input(format!("cannot read the folder `{}`: {error}", folder.display()), hint)
    })?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}
