//! `--status`: how far the reproduction is, and how long the rest will take.

use serde::Serialize;

use super::cell::{Cell, Study, Way};
use super::kept::{Kept, Shelf};
use crate::progress::clock;
use crate::summary::plain_table;

/// How a study of a problem stands.
#[derive(Debug, Serialize, PartialEq)]
pub(super) struct Stand {
    study: &'static str,
    problem: &'static str,
    done: usize,
    diverged: usize,
    planned: usize,
    /// On all cores; none where nothing is known.
    seconds_left: Option<f64>,
}

/// How all stands, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct Status {
    event: &'static str,
    pub(super) done: usize,
    pub(super) planned: usize,
    /// On all cores, which runs share however many there are at once.
    seconds_left: Option<f64>,
    studies: Vec<Stand>,
}

impl Status {
    pub(super) fn of(cells: &[Cell], shelf: &Shelf) -> Self {
        let mut studies = Vec::new();
        for study in Study::ALL {
            for problem in &super::benchmark::BENCHMARKS {
                let own: Vec<&Cell> = cells
                    .iter()
                    .filter(|cell| cell.form.study == study && cell.form.problem == problem)
                    .collect();
                if !own.is_empty() {
                    studies.push(stand(study, problem.name, &own, shelf));
                }
            }
        }
        Self {
            event: "status",
            done: studies.iter().map(|stand| stand.done).sum(),
            planned: cells.len(),
            seconds_left: studies.iter().map(|stand| stand.seconds_left).sum(),
            studies,
        }
    }

    pub(super) fn text(&self) -> String {
        let mut table = plain_table(&["study", "problem", "done", "planned", "left"]);
        for stand in &self.studies {
            let done = match stand.diverged {
                0 => stand.done.to_string(),
                diverged => format!("{} ({diverged} diverged)", stand.done),
            };
            let left = stand.seconds_left.map_or("unknown".to_owned(), clock);
            let (study, problem) = (stand.study.to_owned(), stand.problem.to_owned());
            table.add_row(vec![study, problem, done, stand.planned.to_string(), left]);
        }
        let lines: Vec<String> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
        format!("{}\n\n {}", lines.join("\n"), self.line())
    }

    /// All of it in a sentence.
    pub(super) fn line(&self) -> String {
        let left = match self.seconds_left {
            Some(0.0) => String::new(),
            Some(left) => format!(", about {} left", clock(left)),
            None => ", time left unknown".to_owned(),
        };
        format!("{} of {} runs have results{left}", self.done, self.planned)
    }
}

fn stand(study: Study, problem: &'static str, cells: &[&Cell], shelf: &Shelf) -> Stand {
    let known: Vec<&Kept> = cells.iter().filter_map(|cell| shelf.find(cell)).collect();
    let open = cells.iter().filter(|cell| shelf.find(cell).is_none());
    Stand {
        study: study.name(),
        problem,
        done: known.len(),
        diverged: known.iter().filter(|kept| kept.has_failed()).count(),
        planned: cells.len(),
        seconds_left: open.map(|cell| expected(cell, shelf)).sum::<Option<f64>>().map(|work| work / cores()),
    }
}

fn cores() -> f64 {
    std::thread::available_parallelism().map_or(1, usize::from) as f64
}

/// The work of a run, in seconds of one core, by those that are most like it: of the same study, problem and method, or at
/// least of the same problem with the settings of the paper. Else it takes as much longer than others as in the paper.
fn expected(cell: &Cell, shelf: &Shelf) -> Option<f64> {
    let (problem, method) = (cell.form.problem.name, cell.form.way.name());
    let is_ours = |kept: &Kept| kept.method == Way::Best.name();
    let comparable = |kept: &Kept| is_ours(kept) == (cell.form.way == Way::Best);
    let mean = |like: &dyn Fn(&Kept) -> bool| {
        let work: Vec<f64> = shelf.all().iter().filter(|kept| like(kept)).map(Kept::core_seconds).collect();
        (!work.is_empty()).then(|| work.iter().sum::<f64>() / work.len() as f64)
    };
    let same = |kept: &Kept| kept.problem == problem && kept.method == method;
    let closest = mean(&|kept| same(kept) && kept.study == cell.form.study.name());
    closest
        .or_else(|| mean(&same))
        .or_else(|| mean(&|kept| kept.problem == problem && comparable(kept)))
        .or_else(|| {
            let pairs = shelf.all().iter().filter(|kept| comparable(kept)).filter_map(|kept| {
                let theirs = super::cell::benchmark(&kept.problem)?.seconds;
                Some((kept.core_seconds(), f64::from(theirs)))
            });
            let (ours, theirs) = pairs.fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
            (theirs > 0.0).then(|| ours / theirs * f64::from(cell.form.problem.seconds))
        })
}
