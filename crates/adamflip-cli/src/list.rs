//! `adamflip list`: the problem files and the runs there are.

use std::path::{Path, PathBuf};

use adamflip_run::list::{self, ProblemEntry, RunEntry};

use crate::arguments::List;
use crate::failure::{Failure, SUCCESS};
use crate::output::{self, Data};

pub(crate) fn run(arguments: &List) -> Result<u8, Failure> {
    let problems = match &arguments.problems {
        Some(folder) => Some(folder.clone()),
        None => shipped(""),
    };
    let listed = problems.as_deref().map(list::problems).transpose()?;
    let entries = match &arguments.runs {
        Some(folder) => Some(list::runs(folder)?),
        None => Path::new("runs").is_dir().then(|| list::runs(Path::new("runs"))).transpose()?,
    };
    let (listed, entries) = (listed.unwrap_or_default(), entries.unwrap_or_default());
    let mut data = Data::default();
    if arguments.json {
        listed.iter().for_each(|problem| data.json(problem));
        entries.iter().for_each(|entry| data.json(entry));
        return Ok(SUCCESS);
    }
    if !listed.is_empty() {
        data.line(&list::problem_table(&listed));
    }
    if !entries.is_empty() {
        let space = if listed.is_empty() { "" } else { "\n" };
        data.line(&format!("{space}{}", list::run_table(&entries)));
    }
    silence(arguments, problems.as_deref(), &listed, &entries);
    Ok(SUCCESS)
}

/// Says what there is not.
fn silence(arguments: &List, problems: Option<&Path>, listed: &[ProblemEntry], entries: &[RunEntry]) {
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
