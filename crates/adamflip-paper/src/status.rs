//! `--status`: how far the reproduction is, and how long the rest will take.

use serde::Serialize;

use super::cell::{Cell, MethodId, Study};
use super::store::{ResultStore, StoredResult};
use adamflip_run::words::{clock, text_table};

/// How far a study of a problem is.
#[derive(Debug, Serialize, PartialEq)]
struct StudyStatus {
    study: &'static str,
    problem: &'static str,
    done: usize,
    diverged: usize,
    planned: usize,
    /// On all cores; none where nothing is known.
    seconds_left: Option<f64>,
}

/// How far all is, as JSON or as a table.
#[derive(Debug, Serialize)]
pub struct Status {
    event: &'static str,
    pub(crate) done: usize,
    pub(crate) planned: usize,
    /// On all cores, which runs share however many there are at once.
    seconds_left: Option<f64>,
    studies: Vec<StudyStatus>,
}

impl Status {
    pub(crate) fn of(cells: &[Cell], store: &ResultStore) -> Self {
        let mut studies = Vec::new();
        for study in Study::ALL {
            for problem in &super::benchmark::BENCHMARKS {
                let own: Vec<&Cell> = cells
                    .iter()
                    .filter(|cell| cell.form.study == study && cell.form.problem == problem)
                    .collect();
                if !own.is_empty() {
                    studies.push(of_study(study, problem.name, &own, store));
                }
            }
        }
        Self {
            event: "status",
            done: studies.iter().map(|study| study.done).sum(),
            planned: cells.len(),
            seconds_left: studies.iter().map(|study| study.seconds_left).sum(),
            studies,
        }
    }

    /// The table for people.
    pub fn text(&self) -> String {
        let row = |study: &StudyStatus| {
            let done = match study.diverged {
                0 => study.done.to_string(),
                diverged => format!("{} ({diverged} diverged)", study.done),
            };
            let left = study.seconds_left.map_or("unknown".to_owned(), clock);
            vec![study.study.to_owned(), study.problem.to_owned(), done, study.planned.to_string(), left]
        };
        let header = ["study", "problem", "done", "planned", "left"];
        format!("{}\n\n {}", text_table(&header, self.studies.iter().map(row), 0..0), self.line())
    }

    /// All of it in a sentence.
    pub fn line(&self) -> String {
        let left = match self.seconds_left {
            Some(0.0) => String::new(),
            Some(left) => format!(", about {} left", clock(left)),
            None => ", time left unknown".to_owned(),
        };
        format!("{} of {} runs have results{left}", self.done, self.planned)
    }
}

fn of_study(study: Study, problem: &'static str, cells: &[&Cell], store: &ResultStore) -> StudyStatus {
    let known: Vec<&StoredResult> = cells.iter().filter_map(|cell| store.find(cell)).collect();
    let open = cells.iter().filter(|cell| store.find(cell).is_none());
    StudyStatus {
        study: study.name(),
        problem,
        done: known.len(),
        diverged: known.iter().filter(|kept| kept.has_failed()).count(),
        planned: cells.len(),
        seconds_left: open.map(|cell| expected(cell, store)).sum::<Option<f64>>().map(|work| work / cores()),
    }
}

fn cores() -> f64 {
    std::thread::available_parallelism().map_or(1, usize::from) as f64
}

/// The work of a run, in seconds of one core, by those that are most like it: of the same study, problem and
/// method, or at least of the same problem with the settings of the paper. Else it takes as much longer than
/// others as in the paper.
fn expected(cell: &Cell, store: &ResultStore) -> Option<f64> {
    let (problem, method) = (cell.form.problem.name, cell.form.method.name());
    let is_ours = |kept: &StoredResult| kept.method == MethodId::Best.name();
    let comparable = |kept: &StoredResult| is_ours(kept) == (cell.form.method == MethodId::Best);
    let mean = |like: &dyn Fn(&StoredResult) -> bool| {
        let work: Vec<f64> =
            store.all().iter().filter(|kept| like(kept)).map(StoredResult::core_seconds).collect();
        (!work.is_empty()).then(|| work.iter().sum::<f64>() / work.len() as f64)
    };
    let same = |kept: &StoredResult| kept.problem == problem && kept.method == method;
    let closest = mean(&|kept| same(kept) && kept.study == cell.form.study.name());
    closest
        .or_else(|| mean(&same))
        .or_else(|| mean(&|kept| kept.problem == problem && comparable(kept)))
        .or_else(|| {
            let pairs = store.all().iter().filter(|kept| comparable(kept)).filter_map(|kept| {
                let theirs = super::cell::benchmark(&kept.problem)?.seconds;
                Some((kept.core_seconds(), f64::from(theirs)))
            });
            let (ours, theirs) = pairs.fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
            (theirs > 0.0).then(|| ours / theirs * f64::from(cell.form.problem.seconds))
        })
}
