//! The problems of the AdamFLIP paper by all its methods, and our numbers beside its own: what
//! `adamflip reproduce` shows.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `benchmark`, `quantity` | the seven problems and what is measured of them |
//! | `cell`, `study` | which runs there are, and in which order |
//! | `setting` | how a run is solved |
//! | `work`, `measure` | what begins a run and what is kept of it |
//! | `store` | results on the disk |
//! | `paper` | the paper's numbers |
//! | `tables`, `sheet` | tables, and how they are written |
//! | `runs` | every run by itself |
//! | `plane` | what figures show of a run, on the disk |
//! | `figures`, `page` | figures, and the page with all of it |
//! | `status` | how far it is |

// θ is the name that the library gives to parameters.
#![allow(mixed_script_confusables)]

mod benchmark;
mod cell;
mod figures;
mod measure;
mod page;
mod paper;
mod plane;
mod quantity;
mod runs;
mod setting;
mod sheet;
mod status;
mod store;
mod study;
mod tables;
mod work;

use std::path::PathBuf;

use adamflip::checkpoint::replace;
use adamflip_run::RunError;
use adamflip_run::batch::{
    self, BatchDir, Intent, Metric, Monitor, Outcome, Program, Scheduler, Scope, fingerprint,
};
use adamflip_run::table::Format;
use adamflip_run::words::counted;
use serde::Serialize;

pub use benchmark::PROBLEMS;
pub use cell::{METHODS, STUDIES};
pub use setting::Profile;
pub use status::Status;

use cell::{Cell, MethodId, Study};
use setting::Source;
use store::ResultStore;
use study::Choice;
use work::Work;

/// What is reproduced; lists that are empty mean everything.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder of the problem files.
    pub problems: PathBuf,
    /// The settings of the runs.
    pub profile: Profile,
    /// Names of [`PROBLEMS`].
    pub names: Vec<String>,
    /// Names of [`METHODS`].
    pub methods: Vec<String>,
    /// Names of [`STUDIES`].
    pub studies: Vec<String>,
    /// The seeds of the runs.
    pub seeds: Vec<u64>,
    /// The folder of the runs, where it is not the usual one.
    pub out: Option<PathBuf>,
    /// The folder of results, tables and figures, where it is not the usual one.
    pub results: Option<PathBuf>,
}

impl Options {
    /// Where the runs and the results are.
    fn folders(&self) -> (PathBuf, PathBuf) {
        let (out, results) = match self.profile {
            Profile::Paper => ("runs/reproduce", "results/reproduce"),
            Profile::Quick => ("runs/reproduce-quick", "runs/reproduce-quick/results"),
        };
        let or = |chosen: &Option<PathBuf>, usual: &str| chosen.clone().unwrap_or_else(|| usual.into());
        (or(&self.out, out), or(&self.results, results))
    }

    /// What of all was chosen; nothing said is everything.
    fn cells(&self) -> Vec<Cell> {
        fn chosen<T: Copy>(all: &[T], names: &[String], name: impl Fn(T) -> &'static str) -> Vec<T> {
            let wanted = |item: &T| names.is_empty() || names.iter().any(|known| known == name(*item));
            all.iter().copied().filter(wanted).collect()
        }
        let problems: Vec<&benchmark::Benchmark> = benchmark::BENCHMARKS.iter().collect();
        let mut seeds: Vec<u64> = Vec::new();
        for seed in &self.seeds {
            if !seeds.contains(seed) {
                seeds.push(*seed);
            }
        }
        let choice = Choice {
            problems: chosen(&problems, &self.names, |problem| problem.name),
            methods: chosen(&MethodId::ALL, &self.methods, MethodId::name),
            studies: chosen(&Study::ALL, &self.studies, Study::name),
            seeds,
        };
        choice.cells()
    }
}

/// What solves the runs that have no result yet.
#[derive(Clone, Debug)]
pub struct Workers<'a> {
    /// The program that solves each.
    pub program: &'a Program,
    /// Runs at once, which share all cores; one for each core where nothing is said.
    pub jobs: Option<usize>,
    /// Which of the runs are solved.
    pub scope: Scope,
    /// The command line, to be run again.
    pub line: &'a str,
}

/// The runs that were chosen and their results.
#[derive(Debug)]
pub struct Reproduction {
    cells: Vec<Cell>,
    source: Source,
    out: PathBuf,
    store: ResultStore,
}

impl Reproduction {
    /// Reads the results that are there.
    pub fn open(options: &Options) -> Result<Self, RunError> {
        let source = Source { folder: options.problems.clone(), profile: options.profile };
        let (out, results) = options.folders();
        let store = ResultStore::read(&results)?;
        same_settings(&store, &source)?;
        Ok(Self { cells: options.cells(), source, out, store })
    }

    /// How far it is.
    pub fn status(&self) -> Status {
        Status::of(&self.cells, &self.store)
    }

    /// Solves what has no result yet, or all of it again; how many runs broke.
    pub fn train(
        &mut self,
        again: bool,
        workers: &Workers<'_>,
        monitor: &mut dyn Monitor,
    ) -> Result<usize, RunError> {
        let Self { cells, source, out, store } = self;
        cells.iter().try_for_each(|cell| source.has(&cell.form))?;
        // By their numbers among all, which stay the same whatever has ended.
        let own = cells.iter().enumerate().filter(|(number, _)| workers.scope.takes(*number));
        let (known, open): (Vec<Cell>, Vec<Cell>) =
            own.map(|(_, cell)| *cell).partition(|cell| !again && store.find(cell).is_some());
        tell(&outdated(&known, source, store));
        if open.is_empty() {
            log::info!("all {} have results", counted(known.len(), "run"));
            return Ok(0);
        }
        if !known.is_empty() {
            log::info!("{} of {} have results", known.len(), counted(cells.len(), "run"));
        }
        // Before there is anything on the disk, so that every error of the files shows.
        let planned = work::plan(&open, source)?;
        let dir = BatchDir::shared(out, workers.scope)?;
        if again {
            for cell in &open {
                batch::remove(&dir.run(&cell.name()))?;
                store.remove(cell)?;
                plane::remove(store.folder(), cell);
            }
        }
        let most = batch::at_once(workers.jobs, 1);
        let jobs = work::jobs(&planned, &dir)?;
        let mut work = Work::new(planned, source, &dir, store, most);
        let intent = Intent {
            command: "reproduce",
            line: workers.line,
            problem: None,
            title: "The paper, reproduced",
            folder: dir.path(),
            metric: Metric::Error,
        };
        let scheduler = Scheduler::new(&mut work, jobs, workers.program, intent, monitor);
        let outcomes = scheduler.at_once(most).work();
        if let Some(error) = work.error.take() {
            return Err(error);
        }
        // One that diverged has a result.
        let without =
            |(cell, outcome): &(&Cell, &Outcome)| outcome.summary().is_none() && store.find(cell).is_none();
        Ok(open.iter().zip(&outcomes?).filter(without).count())
    }

    /// Warns of results that are of problem files that were changed since.
    pub fn warn_of_changes(&self) {
        tell(&outdated(&self.cells, &self.source, &self.store));
    }

    /// Writes all tables and figures of the results that are there beside them; the tables as text.
    pub fn write_tables(&self) -> Result<String, RunError> {
        let Self { cells, source, out, store } = self;
        if store.all().is_empty() {
            let message = format!("there are no results in `{}`", store.folder().display());
            return Err(RunError::input(message, "`adamflip reproduce` makes some"));
        }
        let sheets = tables::all(store, &outdated(cells, source, store));
        let pictures = figures::all(store, &out.join("runs"))?;
        let text = sheet::file(&sheets, Format::Text);
        let files = [
            ("tables.txt", text.clone()),
            ("tables.md", sheet::file(&sheets, Format::Markdown)),
            ("tables.tex", sheet::file(&sheets, Format::Latex)),
            ("tables.csv", sheet::file(&sheets, Format::Csv)),
            ("runs.csv", runs::csv(store)),
            ("index.html", page::page(store, &sheets, &pictures)),
        ];
        for (name, text) in &files {
            replace(&store.folder().join(name), text.as_bytes()).map_err(|error| {
                RunError::not_kept(
                    error,
                    "is the disk full? With some space, `adamflip reproduce --tables` writes it again",
                )
            })?;
        }
        Ok(text)
    }

    /// The folder of results, tables and figures.
    pub fn results(&self) -> &std::path::Path {
        self.store.folder()
    }

    /// What came of it, as the last JSON line.
    pub fn event(&self) -> impl Serialize + use<> {
        let status = self.status();
        Event {
            event: "reproduction",
            done: status.done,
            planned: status.planned,
            results: self.store.all().len(),
            folder: self.store.folder().display().to_string(),
        }
    }
}

#[derive(Serialize)]
struct Event {
    event: &'static str,
    done: usize,
    planned: usize,
    results: usize,
    folder: String,
}

/// Results of quick runs do not belong among those of whole ones.
fn same_settings(store: &ResultStore, source: &Source) -> Result<(), RunError> {
    match store.all().iter().find(|kept| kept.settings != source.settings()) {
        Some(kept) => Err(RunError::input(
            format!(
                "the results in `{}` are those of `--profile {}`",
                store.folder().display(),
                kept.settings
            ),
            "choose another folder with `--results DIR`",
        )),
        None => Ok(()),
    }
}

/// The names of results that are of problem files that were changed since.
fn outdated(cells: &[Cell], source: &Source, store: &ResultStore) -> Vec<String> {
    let is_old = |cell: &&Cell| {
        let Some(kept) = store.find(cell) else { return false };
        let job = source.job(&cell.form, cell.seed).ok();
        job.and_then(|job| fingerprint::now(&job).ok()).is_some_and(|now| now != kept.fingerprint)
    };
    cells.iter().filter(is_old).map(Cell::name).collect()
}

/// Warns of these.
fn tell(old: &[String]) {
    if let Some(first) = old.first() {
        log::warn!(
            "{} of problem files that were changed since, for example `{first}`: `--again` solves them again",
            counted(old.len(), "result")
        );
    }
}
