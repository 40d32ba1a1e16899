//! The runs of a reproduction at work: what begins each, and what is kept of it when it ends.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::cell::{Cell, MethodId};
use super::quantity::Quantity;
use super::setting::{Profile, Source};
use super::sheet::median;
use super::store::{FORMAT, ResultStore, StoredResult};
use super::{measure, paper, plane, study};
use adamflip_run::batch::{self, BatchDir, Job, JobSource, JobSpec, Look, Outcome, fingerprint, look};
use adamflip_run::{Machine, RunError, RunManifest};

/// How many times the time of the paper's AdamFLIP a run is given that is bounded by time, where our own is
/// not known.
const PATIENCE: f64 = 3.0;

/// A run to be made.
pub(crate) struct Planned {
    cell: Cell,
    job: JobSpec,
    steps: usize,
}

/// What is to be run for cells, in their job; all errors of their files show now.
pub(crate) fn plan(cells: &[Cell], source: &Source) -> Result<Vec<Planned>, RunError> {
    let planned = |cell: &Cell| {
        let job = source.job(&cell.form, cell.seed)?;
        Ok(Planned { cell: *cell, steps: job.planned_steps()?, job })
    };
    cells.iter().map(planned).collect()
}

/// The same for a scheduler. Runs that were started with other files are taken away.
pub(crate) fn jobs(planned: &[Planned], dir: &BatchDir) -> Result<Vec<Job>, RunError> {
    let job = |planned: &Planned| {
        let name = planned.cell.name();
        let folder = dir.run(&name);
        batch::remove_changed(&folder, &planned.job)?;
        Ok(Job::new(name.clone(), folder, dir.log(&name), planned.steps))
    };
    planned.iter().map(job).collect()
}

/// The runs, and where their results go.
pub(crate) struct Work<'a> {
    planned: Vec<Planned>,
    source: &'a Source,
    dir: &'a BatchDir,
    store: &'a mut ResultStore,
    threads: usize,
    jobs: usize,
    commit: Option<String>,
    /// What could not be kept.
    pub(crate) error: Option<RunError>,
}

impl<'a> Work<'a> {
    /// All cores are shared among this many runs at once.
    pub(crate) fn new(
        planned: Vec<Planned>,
        source: &'a Source,
        dir: &'a BatchDir,
        store: &'a mut ResultStore,
        jobs: usize,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (threads, commit) = ((cores / jobs).max(1), commit(&source.folder));
        Self { planned, source, dir, store, threads, jobs, commit, error: None }
    }

    /// The time of a run that is bounded by it: what AdamFLIP took for the same problem, on this machine if
    /// it has run here.
    fn budget(&self, cell: &Cell) -> Option<f64> {
        if cell.form.method != MethodId::TrSqp || self.source.profile != Profile::Paper {
            return None;
        }
        let form = study::plain(cell.form.problem, MethodId::AdamFlip);
        let here = Machine::this();
        // Another share may have solved it meanwhile.
        let latest = ResultStore::read(self.store.folder()).ok();
        let store = latest.as_ref().unwrap_or(self.store);
        let (own, others): (Vec<&StoredResult>, Vec<&StoredResult>) =
            store.of(&form).filter(|kept| !kept.has_failed()).partition(|kept| kept.machine == here);
        let known = if own.is_empty() { others } else { own };
        let ours = median(known.iter().map(|kept| kept.core_seconds() / self.threads as f64));
        let theirs = paper::number(cell.form.problem, Quantity::Seconds, MethodId::AdamFlip)?;
        Some(ours.unwrap_or(PATIENCE * theirs).ceil())
    }

    fn kept(&self, planned: &Planned, summary: Value) -> Result<StoredResult, RunError> {
        let Planned { cell, job, .. } = planned;
        let run = &self.dir.run(&cell.name());
        let manifest = RunManifest::read(run)?;
        let (form, text) = (&cell.form, str::to_owned);
        Ok(StoredResult {
            format: FORMAT,
            study: text(form.study.name()),
            problem: text(form.problem.name),
            method: text(form.method.name()),
            variant: form.variant.name(),
            seed: cell.seed,
            profile: job.profile.clone(),
            settings: text(self.source.settings()),
            fingerprint: fingerprint::of_run(run).unwrap_or_default(),
            command: manifest.command,
            version: manifest.version,
            commit: self.commit.clone(),
            date: adamflip_run::now(),
            machine: manifest.machine,
            threads: manifest.threads,
            jobs: self.jobs,
            terms: measure::terms(run)?,
            late: measure::late(run, form.problem.fields),
            summary,
        })
    }
}

impl JobSource for Work<'_> {
    fn job(&self, number: usize) -> JobSpec {
        let Planned { cell, job, .. } = &self.planned[number];
        let mut job = job.clone();
        job.set.extend(self.budget(cell).map(|seconds| format!("train.max_seconds={seconds:?}")));
        job
    }

    fn threads(&self) -> usize {
        self.threads
    }

    /// Keeps the result, also of a run that diverged. One that broke has none, and is started again another
    /// time.
    fn ended(&mut self, number: usize, _: &Outcome) {
        let planned = &self.planned[number];
        let cell = planned.cell;
        let Look::Ended(summary) = look(&self.dir.run(&cell.name())) else { return };
        // What figures show of an earlier run of the cell.
        plane::remove(self.store.folder(), &cell);
        let kept = self.kept(planned, summary).and_then(|kept| self.store.keep(&cell, kept));
        if let Err(error) = kept {
            self.error.get_or_insert(error);
        }
    }
}

/// The commit of the problem files, where they are under version control; `-dirty` where one of them was
/// changed since.
fn commit(folder: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    let name = git(&["rev-parse", "--short=12", "HEAD"])?;
    // Results of the same session are elsewhere in the tree, and change nothing.
    let changed = git(&["status", "--porcelain", "--", "."])?;
    Some(format!("{}{}", name.trim(), if changed.is_empty() { "" } else { "-dirty" }))
}
