//! The history of a run: `history.csv` row by row while it trains, `history.svg` at its end.

use std::io::{BufWriter, Write};

use adamflip::objective::Misfit;
use adamflip::optim::StepReport;
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
    /// The numbers of the constraints among the terms.
    constraints: Vec<usize>,
    curves: Vec<Curve>,
    /// The step that was seen last.
    last: Observation,
    /// The step that was written last.
    written: usize,
}

/// What a row says. It is kept for every step, because only later it shows which was the last.
#[derive(Default)]
struct Observation {
    step: usize,
    stage: usize,
    method: &'static str,
    seconds: f64,
    report: StepReport,
    misfits: Vec<Misfit>,
    /// λ of an aggregated constraint, the root mean square of a pointwise one's; none for methods without.
    multipliers: Vec<f64>,
    unknowns: Vec<f64>,
}

impl Observation {
    /// Takes over a step, without allocating after the first.
    fn take(&mut self, progress: &Progress<'_>, problem: &Problem, seconds: f64) {
        (self.step, self.stage, self.method) = (progress.step, progress.stage, progress.method);
        (self.seconds, self.report) = (seconds, progress.report);
        self.misfits.clear();
        self.misfits.extend_from_slice(progress.misfits);
        self.multipliers.clear();
        if !progress.multipliers.is_empty() {
            let mut rest = progress.multipliers;
            self.multipliers.extend(progress.groups.iter().map(|group| {
                let (own, others) = rest.split_at(group.size.min(rest.len()));
                rest = others;
                together(own)
            }));
        }
        let parameters = &progress.θ[progress.θ.len() - problem.unknowns.len()..];
        self.unknowns.clear();
        self.unknowns.extend(problem.unknowns.iter().zip(parameters).map(|(unknown, &p)| unknown.value(p).0));
    }

    /// The cells of the row.
    fn cells(&self, constraints: &[usize]) -> Vec<String> {
        let report = &self.report;
        let [step, stage] = [self.step, self.stage].map(|count| count.to_string());
        let mut row = vec![step, stage, self.method.to_owned(), format!("{:.3}", self.seconds)];
        let numbers =
            [report.objective, report.violation, report.rate, report.step_norm, report.gradient_norm];
        row.extend(numbers.map(number));
        row.extend(self.misfits.iter().flat_map(|misfit| [number(misfit.mse), number(misfit.max)]));
        let multiplier = |i: usize| self.multipliers.get(i).copied().map(number).unwrap_or_default();
        row.extend((0..constraints.len()).map(multiplier));
        row.extend(self.unknowns.iter().copied().map(number));
        let costly =
            [report.kkt, report.gain, report.predicted, report.actual, report.condition, report.rank];
        row.extend(costly.map(number));
        row.extend(constraints.iter().map(|&term| number(self.misfits[term].mse.sqrt())));
        row
    }
}

impl History {
    /// Begins the file in the run folder.
    pub(crate) fn create(folder: &Folder, problem: &Problem, steps: usize) -> Result<Self, Failure> {
        let curve = |name: &String| Curve { name: name.clone(), points: Vec::new() };
        let mut history = Self {
            file: BufWriter::new(folder.open("history.csv")?),
            error: None,
            every: problem.train.observe.unwrap_or(steps.div_ceil(ROWS)).max(1),
            constraints: constraints(problem).collect(),
            curves: problem.terms.iter().map(|term| curve(&term.name)).collect(),
            last: Observation::default(),
            written: 0,
        };
        history.row(&header(problem));
        Ok(history)
    }

    /// Steps between rows.
    pub(crate) fn every(&self) -> usize {
        self.every
    }

    /// Takes in a step; keeps those that the trainer observes and, at the end, the last.
    pub(crate) fn observe(&mut self, progress: &Progress<'_>, problem: &Problem, seconds: f64) {
        self.last.take(progress, problem, seconds);
        if progress.observed {
            self.write_last();
        }
    }

    fn write_last(&mut self) {
        let step = self.last.step;
        self.written = step;
        for (curve, misfit) in self.curves.iter_mut().zip(&self.last.misfits) {
            curve.points.push((step as f64, misfit.mse));
        }
        let row = self.last.cells(&self.constraints);
        self.row(&row);
    }

    fn row(&mut self, cells: &[String]) {
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        if self.error.is_none() {
            self.error = writeln!(self.file, "{}", cells.join(",")).err();
        }
    }

    /// Completes the file, by the last step however the run ended, and draws the losses.
    pub(crate) fn finish(mut self, folder: &Folder, problem: &Problem) -> Result<(), Failure> {
        if self.last.step != self.written {
            self.write_last();
        }
        let failed = self.error.take().or_else(|| self.file.flush().err());
        if let Some(error) = failed {
            return Err(folder::lost(&folder.file("history.csv"), &error));
        }
        let chart = Chart {
            title: problem.title.as_ref().unwrap_or(&problem.name).clone(),
            x_label: "step".into(),
            y_label: "mean square residual".into(),
        };
        folder.write("history.svg", &curves(&chart, &self.curves))
    }
}

/// The numbers of the constraints among the terms.
fn constraints(problem: &Problem) -> impl Iterator<Item = usize> {
    (0..problem.terms.len()).filter(|&term| problem.terms[term].role == Role::Constraint)
}

/// The only number, or the root of the mean square of several.
fn together(numbers: &[f64]) -> f64 {
    match numbers {
        [one] => *one,
        _ => (numbers.iter().map(|x| x * x).sum::<f64>() / numbers.len() as f64).sqrt(),
    }
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
    const COSTLY: [&str; 6] = ["kkt", "gain", "predicted", "actual", "condition", "rank"];
    let name = |term: usize| problem.terms[term].name.as_str();
    let mut names: Vec<String> = STEP.map(str::to_owned).to_vec();
    names
        .extend(problem.terms.iter().flat_map(|term| ["mse", "max"].map(|of| format!("{}_{of}", term.name))));
    names.extend(constraints(problem).map(|term| format!("multiplier_{}", name(term))));
    names.extend(problem.unknowns.iter().map(|unknown| unknown.name.clone()));
    names.extend(COSTLY.map(str::to_owned));
    names.extend(constraints(problem).map(|term| format!("{}_rms", name(term))));
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
