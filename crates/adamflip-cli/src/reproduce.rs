//! `adamflip reproduce`: the problems of the paper by all its methods, and our numbers beside its own.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `benchmark`, `quantity` | the seven problems and what is measured of them |
//! | `cell`, `study` | which runs there are, and in which order |
//! | `setting` | how a run is solved |
//! | `work`, `measure` | what begins a run and what is kept of it |
//! | `kept` | results on the disk |
//! | `paper` | the paper's numbers |
//! | `tables`, `sheet` | tables, and how they are written |
//! | `runs` | every run by itself |
//! | `plane` | what figures show of a run, on the disk |
//! | `figures`, `page` | figures, and the page with all of it |
//! | `status` | how far it is |

mod benchmark;
mod cell;
mod figures;
mod kept;
mod measure;
mod page;
mod paper;
mod plane;
mod quantity;
mod runs;
mod setting;
mod sheet;
mod status;
mod study;
mod tables;
mod work;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adamflip::checkpoint::replace;
use serde::Serialize;

pub(crate) use benchmark::PROBLEMS;
pub(crate) use cell::{METHODS, STUDIES};

use crate::arguments::{Format, Profile, Reproduce};
use crate::batch::{self, Crew, Intent, Metric, Outcome, Place, fingerprint};
use crate::failure::{Failure, NOT_MET};
use crate::output::{self, Data};
use crate::summary::counted;
use cell::{Cell, Study, Way};
use kept::Shelf;
use setting::Source;
use status::Status;
use study::Choice;
use work::Work;

pub(crate) fn run(arguments: &Reproduce) -> Result<ExitCode, Failure> {
    let source = Source { folder: arguments.problems.clone(), profile: arguments.profile };
    let (out, results) = folders(arguments);
    let cells = choice(arguments).cells();
    let mut shelf = Shelf::read(&results)?;
    same_settings(&shelf, &source)?;
    let mut data = Data::default();
    if arguments.status {
        changed(&cells, &source, &shelf);
        let status = Status::of(&cells, &shelf);
        match arguments.json {
            true => data.json(&status),
            false => data.line(&status.text()),
        }
        return Ok(ExitCode::SUCCESS);
    }
    let broken = match arguments.tables {
        true => 0,
        false => train(arguments, &cells, &source, &out, &mut shelf, &mut data)?,
    };
    let old = match arguments.tables {
        true => changed(&cells, &source, &shelf),
        false => outdated(&cells, &source, &shelf),
    };
    show(arguments, &cells, &shelf, &old, &out, &mut data)?;
    Ok(ExitCode::from(if broken > 0 { NOT_MET } else { 0 }))
}

/// Where the runs and the results are.
fn folders(arguments: &Reproduce) -> (PathBuf, PathBuf) {
    let (out, results) = match arguments.profile {
        Profile::Paper => ("runs/reproduce", "results/reproduce"),
        Profile::Quick => ("runs/reproduce-quick", "runs/reproduce-quick/results"),
    };
    let or = |chosen: &Option<PathBuf>, usual: &str| chosen.clone().unwrap_or_else(|| usual.into());
    (or(&arguments.out, out), or(&arguments.results, results))
}

/// What of all was chosen; nothing said is everything.
fn choice(arguments: &Reproduce) -> Choice {
    fn chosen<T: Copy>(all: &[T], names: &[String], name: impl Fn(T) -> &'static str) -> Vec<T> {
        let wanted = |item: &T| names.is_empty() || names.iter().any(|known| known == name(*item));
        all.iter().copied().filter(wanted).collect()
    }
    let problems: Vec<&benchmark::Benchmark> = benchmark::BENCHMARKS.iter().collect();
    let mut seeds: Vec<u64> = Vec::new();
    for seed in &arguments.seeds {
        if !seeds.contains(seed) {
            seeds.push(*seed);
        }
    }
    Choice {
        problems: chosen(&problems, &arguments.names, |problem| problem.name),
        ways: chosen(&Way::ALL, &arguments.methods, Way::name),
        studies: chosen(&Study::ALL, &arguments.studies, Study::name),
        seeds,
    }
}

/// Results of quick runs do not belong among those of whole ones.
fn same_settings(shelf: &Shelf, source: &Source) -> Result<(), Failure> {
    match shelf.all().iter().find(|kept| kept.settings != source.settings()) {
        Some(kept) => Err(Failure::input(
            format!(
                "the results in `{}` are those of `--profile {}`",
                shelf.folder().display(),
                kept.settings
            ),
            "choose another folder with `--results DIR`",
        )),
        None => Ok(()),
    }
}

/// Runs what has no result yet; how many broke.
fn train(
    arguments: &Reproduce,
    cells: &[Cell],
    source: &Source,
    out: &Path,
    shelf: &mut Shelf,
    data: &mut Data,
) -> Result<usize, Failure> {
    cells.iter().try_for_each(|cell| source.has(&cell.form))?;
    let (known, open): (Vec<Cell>, Vec<Cell>) =
        cells.iter().partition(|cell| !arguments.again && shelf.find(cell).is_some());
    changed(&known, source, shelf);
    if open.is_empty() {
        output::say(&format!("all {} have results", counted(known.len(), "run")));
        return Ok(0);
    }
    if !known.is_empty() {
        output::say(&format!("{} of {} have results", known.len(), counted(cells.len(), "run")));
    }
    // Before there is anything on the disk, so that every mistake of the files shows.
    let planned = work::plan(&open, source)?;
    let place = Place::shared(out)?;
    if arguments.again {
        for cell in &open {
            batch::remove(&place.run(&cell.name()))?;
            shelf.remove(cell)?;
            plane::remove(shelf.folder(), cell);
        }
    }
    let jobs = batch::at_once(arguments.jobs, 1);
    let tasks = work::tasks(&planned, &place)?;
    let mut work = Work::new(planned, source, &place, shelf, jobs);
    let intent = Intent {
        command: "reproduce",
        problem: None,
        title: "The paper, reproduced",
        folder: place.path(),
        metric: Metric::Error,
    };
    let outcomes = Crew::new(&mut work, tasks, jobs, intent, arguments.json).work(data);
    if let Some(failure) = work.failure.take() {
        return Err(failure);
    }
    // One that diverged has a result.
    let without =
        |(cell, outcome): &(&Cell, &Outcome)| outcome.summary().is_none() && shelf.find(cell).is_none();
    Ok(open.iter().zip(&outcomes?).filter(without).count())
}

/// The names of results that are of problem files that were changed since.
fn outdated(cells: &[Cell], source: &Source, shelf: &Shelf) -> Vec<String> {
    let is_old = |cell: &&Cell| {
        let Some(kept) = shelf.find(cell) else { return false };
        let order = source.order(&cell.form, cell.seed).ok();
        order.and_then(|order| fingerprint::now(&order).ok()).is_some_and(|now| now != kept.fingerprint)
    };
    cells.iter().filter(is_old).map(Cell::name).collect()
}

/// Says which these are.
fn changed(cells: &[Cell], source: &Source, shelf: &Shelf) -> Vec<String> {
    let old = outdated(cells, source, shelf);
    if let Some(first) = old.first() {
        output::warn(&format!(
            "{} of problem files that were changed since, for example `{first}`: `--again` solves them again",
            counted(old.len(), "result")
        ));
    }
    old
}

/// Writes and shows all tables and figures of the results that are there.
fn show(
    arguments: &Reproduce,
    cells: &[Cell],
    shelf: &Shelf,
    old: &[String],
    out: &Path,
    data: &mut Data,
) -> Result<(), Failure> {
    if shelf.all().is_empty() {
        let message = format!("there are no results in `{}`", shelf.folder().display());
        return Err(Failure::input(message, "`adamflip reproduce` makes some"));
    }
    let sheets = tables::all(shelf, old);
    let pictures = figures::all(shelf, &out.join("runs"))?;
    let files = [
        ("tables.txt", sheet::file(&sheets, Format::Text)),
        ("tables.md", sheet::file(&sheets, Format::Markdown)),
        ("tables.tex", sheet::file(&sheets, Format::Latex)),
        ("tables.csv", sheet::file(&sheets, Format::Csv)),
        ("runs.csv", runs::csv(shelf)),
        ("index.html", page::page(shelf, &sheets, &pictures)),
    ];
    for (name, text) in &files {
        replace(&shelf.folder().join(name), text.as_bytes()).map_err(|error| {
            Failure::run(
                error,
                "is the disk full? With some space, `adamflip reproduce --tables` writes it again",
            )
        })?;
    }
    let status = Status::of(cells, shelf);
    match arguments.json {
        true => data.json(&Reproduction::of(shelf, &status)),
        false => data.line(files[0].1.trim_end()),
    }
    output::say(&format!("{}; tables and figures are in `{}`", status.line(), shelf.folder().display()));
    Ok(())
}

/// The last JSON line.
#[derive(Serialize)]
struct Reproduction {
    event: &'static str,
    done: usize,
    planned: usize,
    results: usize,
    folder: String,
}

impl Reproduction {
    fn of(shelf: &Shelf, status: &Status) -> Self {
        Self {
            event: "reproduction",
            done: status.done,
            planned: status.planned,
            results: shelf.all().len(),
            folder: shelf.folder().display().to_string(),
        }
    }
}
