//! The problem files and the runs there are.

mod problems;
mod runs;

use std::path::{Path, PathBuf};

use crate::error::RunError;
pub use problems::{ProblemEntry, all as problems, table as problem_table};
pub use runs::{RunEntry, all as runs, table as run_table};

/// What is in a folder, by name.
fn entries(folder: &Path, hint: &str) -> Result<Vec<PathBuf>, RunError> {
    let read = std::fs::read_dir(folder);
    let entries = read.map_err(|error| {
        RunError::input(format!("cannot read the folder `{}`: {error}", folder.display()), hint)
    })?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}
