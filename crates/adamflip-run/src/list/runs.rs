//! The runs of a folder, and the batches in it.

use std::path::Path;
use std::time::SystemTime;

use serde::Serialize;

use super::entries;
use crate::batch::{self, Look, Metric, Request};
use crate::error::RunError;
use crate::manifest::RunManifest;
use crate::words::{short, text_table};
use crate::{lock, results};

/// A run, or a batch of them.
#[derive(Debug, Serialize)]
pub struct RunEntry {
    event: &'static str,
    name: String,
    problem: String,
    /// `running`, `interrupted`, or how it ended.
    status: String,
    steps: Option<u64>,
    /// The mean of the relative errors of the fields.
    rel_l2: Option<f64>,
    /// Seconds since something was written.
    age: f64,
    path: String,
}

/// All runs of a folder; what is none is left out, which is logged.
pub fn all(folder: &Path) -> Result<Vec<RunEntry>, RunError> {
    let paths = entries(folder, "name the folder of runs with `--runs DIR`")?;
    let folders = paths.iter().filter(|path| path.is_dir() && !is_hidden(path));
    Ok(folders.filter_map(|path| entry(path)).collect())
}

/// A run that is being made has a name with a dot until it is whole.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn entry(path: &Path) -> Option<RunEntry> {
    // The runs of `reproduce` have a status of their own.
    if path.join("runs").is_dir() && !path.join(batch::FILE).exists() {
        return None;
    }
    let found = match Request::read(path) {
        Ok(Some(request)) => Ok(of_batch(path, &request)),
        Ok(None) => RunManifest::read(path).map(|manifest| of_run(path, manifest)),
        Err(failure) => Err(failure),
    };
    found.inspect_err(|error| log::warn!("{}", reason(path, error))).ok()
}

/// The first line of an error.
fn reason(path: &Path, error: &RunError) -> String {
    let line = error.message().lines().next().unwrap_or_default();
    format!("`{}` is left out: {line}", path.display())
}

fn of_run(path: &Path, manifest: RunManifest) -> RunEntry {
    let (status, steps, rel_l2) = match batch::look(path) {
        Look::Ended(summary) => {
            let status = summary["status"].as_str().unwrap_or("ended").to_owned();
            (status, summary["steps"].as_u64(), Metric::Error.of(&summary))
        }
        Look::Busy => so_far(path, "running"),
        Look::Begun | Look::Absent => so_far(path, "interrupted"),
    };
    let problem = manifest.name;
    let rel_l2 = Some(rel_l2).filter(|error| error.is_finite());
    let name = name(path);
    let (age, path) = (age(path), path.display().to_string());
    RunEntry { event: "run", name, problem, status, steps, rel_l2, age, path }
}

/// How far a run is by its history.
fn so_far(path: &Path, status: &str) -> (String, Option<u64>, f64) {
    let history = results::history_or_none(path);
    let step = history.steps().last().map(|step| *step as u64);
    let columns = history.names().iter().filter(|name| name.starts_with("rel_l2_"));
    let last = |column: &[f64]| column.iter().rev().find(|error| error.is_finite()).copied();
    let errors: Vec<f64> = columns
        .filter_map(|name| history.column(name))
        .map(|column| last(column).unwrap_or(f64::NAN))
        .collect();
    (status.to_owned(), step, errors.iter().sum::<f64>() / errors.len() as f64)
}

fn of_batch(path: &Path, request: &Request) -> RunEntry {
    let runs = std::fs::read_dir(path.join("runs")).into_iter().flatten().flatten();
    let looks: Vec<Look> = runs.map(|run| batch::look(&run.path())).collect();
    let ended = looks.iter().filter(|look| matches!(look, Look::Ended(_))).count();
    let state = if lock::is_held(path) {
        ", running"
    } else if ended < request.runs() {
        ", interrupted"
    } else {
        ""
    };
    RunEntry {
        event: "batch",
        name: name(path),
        problem: request.problem.clone(),
        status: format!("{ended} of {} runs ended{state}", request.runs()),
        steps: None,
        rel_l2: None,
        age: age(path),
        path: path.display().to_string(),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Seconds since one of the files that a run or batch writes to was changed.
fn age(path: &Path) -> f64 {
    let files =
        ["run.json", "history.csv", "summary.json", batch::FILE, "table.txt"].map(|file| path.join(file));
    let written = files.iter().filter_map(|file| file.metadata().ok()?.modified().ok()).max();
    let elapsed = written.and_then(|written| SystemTime::now().duration_since(written).ok());
    elapsed.map_or(0.0, |elapsed| elapsed.as_secs_f64())
}

/// The table for people.
pub fn table(entries: &[RunEntry]) -> String {
    let row = |entry: &RunEntry| {
        vec![
            entry.name.clone(),
            entry.problem.clone(),
            entry.status.clone(),
            entry.steps.map_or(String::new(), |steps| steps.to_string()),
            entry.rel_l2.map_or(String::new(), short),
            ago(entry.age),
        ]
    };
    text_table(&["run", "problem", "status", "steps", "rel_l2", "age"], entries.iter().map(row), 3..)
}

/// A time ago in one unit.
fn ago(seconds: f64) -> String {
    match seconds {
        ..90.0 => format!("{seconds:.0} s"),
        ..5_400.0 => format!("{:.0} min", seconds / 60.0),
        ..129_600.0 => format!("{:.0} h", seconds / 3_600.0),
        _ => format!("{:.0} d", seconds / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_one_unit() {
        let said = [3.4, 89.0, 120.0, 7_200.0, 200_000.0].map(ago);
        assert_eq!(said, ["3 s", "89 s", "2 min", "2 h", "2 d"]);
    }
}
