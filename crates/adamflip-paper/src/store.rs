//! A result: one small file a run, with all that the tables need and how it came about.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use adamflip::checkpoint::{regular, replace};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cell::{Cell, Form, MethodId, Study, Variant, benchmark};
use adamflip_run::LARGEST_TEXT;
use adamflip_run::Machine;
use adamflip_run::RunError;

/// The layout of the file; a reader refuses later ones.
pub(crate) const FORMAT: u32 = 1;

/// What came of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredResult {
    pub(crate) format: u32,
    pub(crate) study: String,
    pub(crate) problem: String,
    pub(crate) method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) variant: Option<String>,
    pub(crate) seed: u64,
    /// The profile of the file; none where it was solved as it is.
    pub(crate) profile: Option<String>,
    /// That of the whole reproduction.
    pub(crate) settings: String,
    /// Of the problem file as it was read, to see whether it was changed since.
    pub(crate) fingerprint: String,
    /// The command of the run.
    pub(crate) command: String,
    pub(crate) version: String,
    pub(crate) commit: Option<String>,
    pub(crate) date: String,
    pub(crate) machine: Machine,
    pub(crate) threads: usize,
    /// How many runs there were at once.
    pub(crate) jobs: usize,
    pub(crate) terms: BTreeMap<String, Measured>,
    /// The relative L2 error of every field, in the median of the last tenth of the steps; earlier results do
    /// not have it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) late: BTreeMap<String, f64>,
    /// The last line of `solve --json`.
    pub(crate) summary: Value,
}

/// How well a term holds at its training points, by both definitions of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) points: usize,
    /// The mean of the squares of all residuals.
    pub(crate) mean_square: Option<f64>,
    /// The mean over the points of the norm of the residuals there.
    pub(crate) mean_norm: Option<f64>,
}

impl StoredResult {
    /// Did it come to an end that counts?
    pub(crate) fn has_failed(&self) -> bool {
        self.summary["status"] == "diverged"
    }

    /// The work of the run, in seconds of one core: its processor time, or, of earlier results, that of its
    /// threads if they shared their cores with no one but the runs beside it.
    pub(crate) fn core_seconds(&self) -> f64 {
        let seconds = |key: &str| self.summary[key].as_f64();
        let share = self.machine.cores as f64 / self.jobs.max(1) as f64;
        let threads = (self.threads as f64).min(share);
        seconds("processor_seconds").or_else(|| Some(seconds("seconds")? * threads)).unwrap_or(0.0)
    }

    /// The same on all cores of its machine.
    pub(crate) fn seconds(&self) -> f64 {
        self.core_seconds() / self.machine.cores.max(1) as f64
    }

    /// Which cell it belongs to.
    pub(crate) fn is_of(&self, form: &Form) -> bool {
        let own = (self.study.as_str(), self.problem.as_str(), self.method.as_str());
        own == (form.study.name(), form.problem.name, form.method.name())
            && self.variant == form.variant.name()
    }

    pub(crate) fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// All results of a folder.
#[derive(Debug, Default)]
pub(crate) struct ResultStore {
    folder: PathBuf,
    kept: Vec<StoredResult>,
}

impl ResultStore {
    /// Reads a folder, which need not exist. A file that is no result is passed over with a word.
    pub(crate) fn read(folder: &Path) -> Result<Self, RunError> {
        let mut store = Self { folder: folder.to_owned(), kept: Vec::new() };
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(store),
            Err(error) => {
                let message = format!("cannot read the folder `{}`: {error}", folder.display());
                return Err(RunError::input(message, "choose another folder with `--results DIR`"));
            }
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        paths.sort();
        for path in paths {
            match read(&path) {
                Ok(kept) => store.kept.push(kept),
                Err(reason) => {
                    log::warn!("`{}` is passed over: {reason}", path.display());
                }
            }
        }
        Ok(store)
    }

    /// Puts a result on the disk, and in place of one of the same cell.
    pub(crate) fn keep(&mut self, cell: &Cell, kept: StoredResult) -> Result<(), RunError> {
        let path = self.path(cell);
        let failed = |error: &dyn std::fmt::Display| {
            let hint = "is the disk full? With some space, the same command keeps it";
            RunError::not_kept(format!("cannot keep `{}`: {error}", path.display()), hint)
        };
        std::fs::create_dir_all(&self.folder).map_err(|error| failed(&error))?;
        replace(&path, kept.text().as_bytes()).map_err(|error| failed(&error))?;
        self.forget(cell);
        self.kept.push(kept);
        Ok(())
    }

    /// Takes a result away.
    pub(crate) fn remove(&mut self, cell: &Cell) -> Result<(), RunError> {
        let path = self.path(cell);
        self.forget(cell);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let message = format!("cannot remove `{}`: {error}", path.display());
                Err(RunError::input(message, "check that you may write there"))
            }
            _ => Ok(()),
        }
    }

    fn forget(&mut self, cell: &Cell) {
        self.kept.retain(|kept| !(kept.seed == cell.seed && kept.is_of(&cell.form)));
    }

    fn path(&self, cell: &Cell) -> PathBuf {
        self.folder.join(format!("{}.json", cell.name()))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn all(&self) -> &[StoredResult] {
        &self.kept
    }

    /// The result of a cell.
    pub(crate) fn find(&self, cell: &Cell) -> Option<&StoredResult> {
        self.kept.iter().find(|kept| kept.seed == cell.seed && kept.is_of(&cell.form))
    }

    /// The results of all seeds.
    pub(crate) fn of<'a>(&'a self, form: &'a Form) -> impl Iterator<Item = &'a StoredResult> {
        self.kept.iter().filter(|kept| kept.is_of(form))
    }
}

fn read(path: &Path) -> Result<StoredResult, String> {
    let text = regular::read_text(path, LARGEST_TEXT).map_err(|error| error.to_string())?;
    let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    match value["format"].as_u64() {
        Some(format) if format > FORMAT.into() => {
            Err(format!("it is of a newer version of adamflip (layout {format})"))
        }
        _ => serde_json::from_value(value).map_err(|error| error.to_string()),
    }
}

impl StoredResult {
    /// The plain cell that it is of, if it is one of the main study.
    pub(crate) fn main(&self) -> Option<Cell> {
        let method = MethodId::ALL.into_iter().find(|method| method.name() == self.method)?;
        let problem = benchmark(&self.problem).filter(|_| self.study == Study::Main.name())?;
        let form = Form { study: Study::Main, problem, method, variant: Variant::Plain };
        Some(Cell { form, seed: self.seed })
    }
}
