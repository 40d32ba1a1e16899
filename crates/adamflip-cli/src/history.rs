//! The history of a run: `history.csv` row by row while it trains, `history.svg` at its end.

use std::io::{BufWriter, Write};

use adamflip::problem::{Problem, Role};
use adamflip::report::figure::{Chart, Curve, curves};
use adamflip::train::Progress;

use crate::failure::Failure;
use crate::folder::{self, Folder};

/// Rows of a run whose file does not say how often to observe.
const ROWS: usize = 1000;

/// Observations of a run at fixed intervals of steps.
pub(crate) struct History {
    file: BufWriter<std::fs::File>,
    /// The first error of the file; nothing is written after it.
    error: Option<std::io::Error>,
    every: usize,
    multipliers: usize,
    curves: Vec<Curve>,
}

impl History {
    /// Begins the file in the run folder.
    pub(crate) fn create(folder: &Folder, problem: &Problem, steps: usize) -> Result<Self, Failure> {
        let curve = |name: &String| Curve { name: name.clone(), points: Vec::new() };
        let mut history = Self {
            file: BufWriter::new(folder.open("history.csv")?),
            error: None,
            every: problem.train.observe.unwrap_or(steps.div_ceil(ROWS)).max(1),
            multipliers: constraints(problem).count(),
            curves: problem.terms.iter().map(|term| curve(&term.name)).collect(),
        };
        history.row(&header(problem));
        Ok(history)
    }

    /// Takes in a step; keeps the first, every so many-th and the last.
    pub(crate) fn observe(&mut self, progress: &Progress<'_>, problem: &Problem, seconds: f64) {
        let step = progress.step;
        if step != 1 && step != progress.steps && !step.is_multiple_of(self.every) {
            return;
        }
        for (curve, misfit) in self.curves.iter_mut().zip(progress.misfits) {
            curve.points.push((step as f64, misfit.mse));
        }
        let row = self.cells(progress, problem, seconds);
        self.row(&row);
    }

    fn cells(&self, progress: &Progress<'_>, problem: &Problem, seconds: f64) -> Vec<String> {
        let report = &progress.report;
        let [step, stage] = [progress.step, progress.stage].map(|count| count.to_string());
        let mut row = vec![step, stage, progress.method.to_owned(), format!("{seconds:.3}")];
        let numbers =
            [report.objective, report.violation, report.rate, report.step_norm, report.gradient_norm];
        row.extend(numbers.map(number));
        row.extend(progress.misfits.iter().flat_map(|misfit| [number(misfit.mse), number(misfit.max)]));
        let multiplier = |i: usize| progress.multipliers.get(i).copied().map(number).unwrap_or_default();
        row.extend((0..self.multipliers).map(multiplier));
        let parameters = &progress.θ[progress.θ.len() - problem.unknowns.len()..];
        row.extend(problem.unknowns.iter().zip(parameters).map(|(unknown, &p)| number(unknown.value(p).0)));
        row
    }

    fn row(&mut self, cells: &[String]) {
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        if self.error.is_none() {
            self.error = writeln!(self.file, "{}", cells.join(",")).err();
        }
    }

    /// Completes the file and draws the losses.
    pub(crate) fn finish(mut self, folder: &Folder, heading: &str) -> Result<(), Failure> {
        let failed = self.error.take().or_else(|| self.file.flush().err());
        if let Some(error) = failed {
            return Err(folder::lost(&folder.file("history.csv"), &error));
        }
        let chart = Chart {
            title: heading.to_owned(),
            x_label: "step".into(),
            y_label: "mean square residual".into(),
        };
        folder.write("history.svg", &curves(&chart, &self.curves))
    }
}

fn constraints(problem: &Problem) -> impl Iterator<Item = &str> {
    let terms = problem.terms.iter().filter(|term| term.role == Role::Constraint);
    terms.map(|term| term.name.as_str())
}

fn header(problem: &Problem) -> Vec<String> {
    const STEP: [&str; 9] = [
        "step",
        "stage",
        "method",
        "seconds",
        "objective",
        "violation",
        "rate",
        "step_norm",
        "gradient_norm",
    ];
    let mut names: Vec<String> = STEP.map(str::to_owned).to_vec();
    names
        .extend(problem.terms.iter().flat_map(|term| ["mse", "max"].map(|of| format!("{}_{of}", term.name))));
    names.extend(constraints(problem).map(|name| format!("multiplier_{name}")));
    names.extend(problem.unknowns.iter().map(|unknown| unknown.name.clone()));
    names
}

/// As few digits as bring the number back exactly.
fn number(value: f64) -> String {
    format!("{value:e}")
}

/// A cell with a comma, a quote or a line end is put in quotes (RFC 4180).
fn quoted(cell: &str) -> String {
    if cell.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
