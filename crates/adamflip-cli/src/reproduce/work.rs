//! The runs of a reproduction at work: what begins each, and what is kept of it when it ends.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::cell::{Cell, Way};
use super::kept::{FORMAT, Kept, Shelf};
use super::quantity::Quantity;
use super::setting::{self, Source};
use super::sheet::median;
use super::{measure, paper, plane, study};
use crate::arguments::Profile;
use crate::batch::{self, Look, Order, Outcome, Place, Runs, Task, fingerprint, look};
use crate::facts::{self, Facts, Machine};
use crate::failure::Failure;

/// How many times the time of the paper's AdamFLIP a run is given that is bounded by time, where our own is not known.
const PATIENCE: f64 = 3.0;

/// A run to be made.
pub(super) struct Planned {
    cell: Cell,
    order: Order,
    steps: usize,
}

/// What is to be run for cells, in their order; all mistakes of their files show now.
pub(super) fn plan(cells: &[Cell], source: &Source) -> Result<Vec<Planned>, Failure> {
    let planned = |cell: &Cell| {
        let order = source.order(&cell.form, cell.seed)?;
        Ok(Planned { cell: *cell, steps: setting::steps(&order)?, order })
    };
    cells.iter().map(planned).collect()
}

/// The same for a crew. Runs that were begun with other files are taken away.
pub(super) fn tasks(planned: &[Planned], place: &Place) -> Result<Vec<Task>, Failure> {
    let task = |planned: &Planned| {
        let name = planned.cell.name();
        let folder = place.run(&name);
        batch::remove_changed(&folder, &planned.order)?;
        Ok(Task { folder, log: place.log(&name), name, steps: planned.steps })
    };
    planned.iter().map(task).collect()
}

/// The runs, and where their results go.
pub(super) struct Work<'a> {
    planned: Vec<Planned>,
    source: &'a Source,
    place: &'a Place,
    shelf: &'a mut Shelf,
    threads: usize,
    jobs: usize,
    commit: Option<String>,
    /// What could not be kept.
    pub(super) failure: Option<Failure>,
}

impl<'a> Work<'a> {
    /// All cores are shared among so many runs at once.
    pub(super) fn new(
        planned: Vec<Planned>,
        source: &'a Source,
        place: &'a Place,
        shelf: &'a mut Shelf,
        jobs: usize,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (threads, commit) = ((cores / jobs).max(1), commit(&source.folder));
        Self { planned, source, place, shelf, threads, jobs, commit, failure: None }
    }

    /// The time of a run that is bounded by it: what AdamFLIP took for the same problem, on this machine if it has run here.
    fn budget(&self, cell: &Cell) -> Option<f64> {
        if cell.form.way != Way::TrSqp || self.source.profile != Profile::Paper {
            return None;
        }
        let form = study::plain(cell.form.problem, Way::AdamFlip);
        let here = Machine::this();
        let (own, others): (Vec<&Kept>, Vec<&Kept>) =
            self.shelf.of(&form).filter(|kept| !kept.has_failed()).partition(|kept| kept.machine == here);
        let known = if own.is_empty() { others } else { own };
        let ours = median(known.iter().map(|kept| kept.core_seconds() / self.threads as f64));
        let theirs = paper::number(cell.form.problem, Quantity::Seconds, Way::AdamFlip)?;
        Some(ours.unwrap_or(PATIENCE * theirs).ceil())
    }

    fn kept(&self, planned: &Planned, summary: Value) -> Result<Kept, Failure> {
        let Planned { cell, order, .. } = planned;
        let run = &self.place.run(&cell.name());
        let facts = Facts::read(run)?;
        let (form, text) = (&cell.form, str::to_owned);
        Ok(Kept {
            format: FORMAT,
            study: text(form.study.name()),
            problem: text(form.problem.name),
            method: text(form.way.name()),
            variant: form.variant.name(),
            seed: cell.seed,
            profile: order.profile.clone(),
            settings: text(self.source.settings()),
            fingerprint: fingerprint::of_run(run).unwrap_or_default(),
            command: facts.command,
            version: facts.version,
            commit: self.commit.clone(),
            date: facts::now(),
            machine: facts.machine,
            threads: facts.threads,
            jobs: self.jobs,
            terms: measure::terms(run)?,
            late: measure::late(run, form.problem.fields),
            summary,
        })
    }
}

impl Runs for Work<'_> {
    fn order(&self, number: usize) -> Order {
        let Planned { cell, order, .. } = &self.planned[number];
        let mut order = order.clone();
        order.set.extend(self.budget(cell).map(|seconds| format!("train.max_seconds={seconds:?}")));
        order
    }

    fn threads(&self) -> usize {
        self.threads
    }

    /// Keeps the result, also of a run that diverged. One that broke has none, and is begun again another time.
    fn ended(&mut self, number: usize, _: &Outcome) {
        let planned = &self.planned[number];
        let cell = planned.cell;
        let Look::Ended(summary) = look(&self.place.run(&cell.name())) else { return };
        // What figures show of an earlier run of the cell.
        plane::remove(self.shelf.folder(), &cell);
        let kept = self.kept(planned, summary).and_then(|kept| self.shelf.keep(&cell, kept));
        if let Err(failure) = kept {
            self.failure.get_or_insert(failure);
        }
    }
}

/// The commit of the problem files, where they are under version control; `-dirty` where one of them was changed since.
fn commit(folder: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    let name = git(&["rev-parse", "--short=12", "HEAD"])?;
    // Results of the same sitting are elsewhere in the tree, and change nothing.
    let changed = git(&["status", "--porcelain", "--", "."])?;
    Some(format!("{}{}", name.trim(), if changed.is_empty() { "" } else { "-dirty" }))
}
