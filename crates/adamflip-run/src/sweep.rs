//! One problem for many values of its keys, in all combinations or drawn at random.

mod draw;
mod over;
mod results;

use std::path::Path;

use adamflip::optim::Method;
use serde::{Serialize, Serializer};

use crate::batch::{self, Base, BatchChoices, Finished, Launch, Metric, Monitor, Plan, Shape, VariantSpec};
use crate::error::RunError;
use crate::ordered::Ordered;
use crate::shell;
use crate::table::{Row, Table};
use over::Over;

/// What is tried.
#[derive(Clone, Debug, Default)]
pub struct SweepChoices {
    /// The problem, and what all runs have in common.
    pub batch: BatchChoices,
    /// Keys of the file and the values to try: `key=a,b,…`, or with `random` also `key=lo..hi`.
    pub over: Vec<String>,
    /// This many combinations at random in place of all.
    pub random: Option<u32>,
    /// The seed of what is drawn.
    pub draw_seed: u64,
    /// The name of what is best.
    pub metric: Option<String>,
    /// One stage of this method in place of the stages of the file.
    pub method: Option<Method>,
}

/// What came of a sweep; as JSON it is the last line of `adamflip sweep --json`.
#[derive(Debug)]
pub struct Sweep {
    plan: Plan,
    finished: Finished,
    table: Table,
}

/// Solves a problem for many values of its keys, and writes tables beside the runs.
pub fn sweep(
    choices: &SweepChoices,
    launch: &Launch<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Sweep, RunError> {
    let overs = over::all(&choices.over)?;
    let base = Base::read(&choices.batch)?;
    let values = match choices.random {
        Some(count) => draw::random(&overs, count, choices.draw_seed),
        None => draw::grid(&overs)?,
    };
    let plan = base.plan("sweep", variants(choices, &overs, values))?;
    let metric = match &choices.metric {
        Some(name) => plan.shape.named(name)?,
        None => plan.shape.first(),
    };
    let finished = batch::run(&plan, launch, monitor)?;
    let keys: Vec<String> = overs.iter().map(|over| over.key.clone()).collect();
    let table = table(&plan, &finished, &keys, &metric);
    if launch.scope.has_tables() {
        table.keep(&finished.dir)?;
        finished.dir.write("results.csv", &results::text(&plan, &finished, &keys, &table.metrics))?;
    }
    Ok(Sweep { plan, finished, table })
}

impl Sweep {
    /// The table, the best first.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The folder of runs and tables.
    pub fn path(&self) -> &Path {
        self.finished.dir.path()
    }

    /// The options of `adamflip solve` that make the best again; none where no run has a number.
    pub fn best(&self) -> Option<String> {
        let best = self.table.rows.first().filter(|row| row.numbers[0].count > 0)?;
        let keys = self.table.labels.iter().zip(&best.labels);
        let set: Vec<String> =
            keys.map(|(key, value)| format!("--set {}", shell::quoted(&format!("{key}={value}")))).collect();
        Some(set.join(" "))
    }
}

/// A form of the problem for each choice of values.
fn variants(choices: &SweepChoices, overs: &[Over], values: Vec<Vec<String>>) -> Vec<VariantSpec> {
    let digits = values.len().to_string().len().max(3);
    let variant = |(number, values): (usize, Vec<String>)| VariantSpec {
        name: format!("{:0digits$}", number + 1),
        method: choices.method.clone(),
        set: overs.iter().zip(&values).map(|(over, value)| format!("{}={value}", over.key)).collect(),
        option: "--over".to_owned(),
        labels: values,
    };
    values.into_iter().enumerate().map(variant).collect()
}

/// All choices, the best first.
fn table(plan: &Plan, finished: &Finished, keys: &[String], metric: &Metric) -> Table {
    let metrics = columns(&plan.shape, metric);
    let rows = plan.variants.iter().zip(&finished.outcomes);
    let rows = rows.map(|(variant, outcomes)| Row::of(variant.labels.clone(), outcomes, &metrics)).collect();
    let notes = batch::failures(plan, &finished.outcomes);
    Table { title: plan.title.clone(), labels: keys.to_vec(), metrics, rows, notes }.sorted()
}

/// What is sorted by stands first.
fn columns(shape: &Shape, metric: &Metric) -> Vec<Metric> {
    let first = match (metric, shape.fields.as_slice()) {
        (Metric::Error, [field]) => Metric::FieldError(field.clone()),
        _ => metric.clone(),
    };
    let others = shape.metrics().into_iter().filter(|other| *other != first);
    std::iter::once(first.clone()).chain(others).collect()
}

#[derive(Serialize)]
struct Event<'a> {
    event: &'static str,
    problem: &'a str,
    metric: String,
    seeds: &'a [u64],
    /// The best first.
    rows: Vec<Tried<'a>>,
    folder: String,
}

#[derive(Serialize)]
struct Tried<'a> {
    values: Ordered<&'a str>,
    runs: usize,
    failed: usize,
    numbers: Ordered<batch::Spread>,
}

impl Serialize for Sweep {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { plan, table, .. } = self;
        let event = Event {
            event: "sweep",
            problem: &plan.name,
            metric: table.metrics[0].name(),
            seeds: &plan.seeds,
            rows: table.rows.iter().map(|row| Tried::of(row, table)).collect(),
            folder: self.path().display().to_string(),
        };
        event.serialize(serializer)
    }
}

impl<'a> Tried<'a> {
    fn of(row: &'a Row, table: &Table) -> Self {
        Self {
            values: table.labels.iter().cloned().zip(row.labels.iter().map(String::as_str)).collect(),
            runs: row.runs.1,
            failed: row.runs.1 - row.runs.0,
            numbers: table.metrics.iter().map(Metric::name).zip(row.numbers.iter().copied()).collect(),
        }
    }
}
