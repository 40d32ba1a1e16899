//! A result: one small file a run, with all that the tables need and how it came about.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use adamflip::checkpoint::{regular, replace};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cell::{Cell, Form, Study, Variant, Way, benchmark};
use crate::facts::Machine;
use crate::failure::Failure;
use crate::folder::LARGEST_TEXT;
use crate::output;

/// The layout of the file; a reader refuses later ones.
pub(super) const FORMAT: u32 = 1;

/// What came of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) format: u32,
    pub(super) study: String,
    pub(super) problem: String,
    pub(super) method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) variant: Option<String>,
    pub(super) seed: u64,
    /// The profile of the file; none where it was solved as it is.
    pub(super) profile: Option<String>,
    /// That of the whole reproduction.
    pub(super) settings: String,
    /// Of the problem file as it was read, to see whether it was changed since.
    pub(super) fingerprint: String,
    /// The command of the run.
    pub(super) command: String,
    pub(super) version: String,
    pub(super) commit: Option<String>,
    pub(super) date: String,
    pub(super) machine: Machine,
    pub(super) threads: usize,
    /// How many runs there were at once.
    pub(super) jobs: usize,
    pub(super) terms: BTreeMap<String, Measured>,
    /// The relative L2 error of every field, in the median of the last tenth of the steps; earlier results do not have it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) late: BTreeMap<String, f64>,
    /// The last line of `solve --json`.
    pub(super) summary: Value,
}

/// How well a term holds at its training points, by both definitions of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Measured {
    pub(super) points: usize,
    /// The mean of the squares of all residuals.
    pub(super) mean_square: Option<f64>,
    /// The mean over the points of the norm of the residuals there.
    pub(super) mean_norm: Option<f64>,
}

impl Kept {
    /// Did it come to an end that counts?
    pub(super) fn has_failed(&self) -> bool {
        self.summary["status"] == "diverged"
    }

    /// The work of the run, in seconds of one core: its processor time, or, of earlier results, that of its threads if they
    /// shared their cores with no one but the runs beside it.
    pub(super) fn core_seconds(&self) -> f64 {
        let seconds = |key: &str| self.summary[key].as_f64();
        let share = self.machine.cores as f64 / self.jobs.max(1) as f64;
        let threads = (self.threads as f64).min(share);
        seconds("processor_seconds").or_else(|| Some(seconds("seconds")? * threads)).unwrap_or(0.0)
    }

    /// The same on all cores of its machine.
    pub(super) fn seconds(&self) -> f64 {
        self.core_seconds() / self.machine.cores.max(1) as f64
    }

    /// Which cell it belongs to.
    pub(super) fn is_of(&self, form: &Form) -> bool {
        let own = (self.study.as_str(), self.problem.as_str(), self.method.as_str());
        own == (form.study.name(), form.problem.name, form.way.name()) && self.variant == form.variant.name()
    }

    pub(super) fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// All results of a folder.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    folder: PathBuf,
    kept: Vec<Kept>,
}

impl Shelf {
    /// Reads a folder, which need not exist. A file that is no result is passed over with a word.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let mut shelf = Self { folder: folder.to_owned(), kept: Vec::new() };
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(shelf),
            Err(error) => {
                let message = format!("cannot read the folder `{}`: {error}", folder.display());
                return Err(Failure::input(message, "choose another folder with `--results DIR`"));
            }
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        paths.sort();
        for path in paths {
            match read(&path) {
                Ok(kept) => shelf.kept.push(kept),
                Err(reason) => {
                    output::warn(&format!("`{}` is passed over: {reason}", path.display()));
                }
            }
        }
        Ok(shelf)
    }

    /// Puts a result on the disk, and in place of one of the same cell.
    pub(super) fn keep(&mut self, cell: &Cell, kept: Kept) -> Result<(), Failure> {
        let path = self.path(cell);
        let failed = |error: &dyn std::fmt::Display| {
            let hint = "is the disk full? With some space, the same command keeps it";
            Failure::run(format!("cannot keep `{}`: {error}", path.display()), hint)
        };
        std::fs::create_dir_all(&self.folder).map_err(|error| failed(&error))?;
        replace(&path, kept.text().as_bytes()).map_err(|error| failed(&error))?;
        self.forget(cell);
        self.kept.push(kept);
        Ok(())
    }

    /// Takes a result away.
    pub(super) fn remove(&mut self, cell: &Cell) -> Result<(), Failure> {
        let path = self.path(cell);
        self.forget(cell);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                let message = format!("cannot remove `{}`: {error}", path.display());
                Err(Failure::input(message, "check that you may write there"))
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

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn all(&self) -> &[Kept] {
        &self.kept
    }

    /// The result of a cell.
    pub(super) fn find(&self, cell: &Cell) -> Option<&Kept> {
        self.kept.iter().find(|kept| kept.seed == cell.seed && kept.is_of(&cell.form))
    }

    /// The results of all seeds.
    pub(super) fn of<'a>(&'a self, form: &'a Form) -> impl Iterator<Item = &'a Kept> {
        self.kept.iter().filter(|kept| kept.is_of(form))
    }
}

fn read(path: &Path) -> Result<Kept, String> {
    let text = regular::read_text(path, LARGEST_TEXT).map_err(|error| error.to_string())?;
    let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    match value["format"].as_u64() {
        Some(format) if format > FORMAT.into() => {
            Err(format!("it is of a newer version of adamflip (layout {format})"))
        }
        _ => serde_json::from_value(value).map_err(|error| error.to_string()),
    }
}

impl Kept {
    /// The plain cell that it is of, if it is one of the main study.
    pub(super) fn main(&self) -> Option<Cell> {
        let way = Way::ALL.into_iter().find(|way| way.name() == self.method)?;
        let problem = benchmark(&self.problem).filter(|_| self.study == Study::Main.name())?;
        let form = Form { study: Study::Main, problem, way, variant: Variant::Plain };
        Some(Cell { form, seed: self.seed })
    }
}
