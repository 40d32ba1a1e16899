//! `adamflip sweep`: one problem for many values of its keys, in all combinations or drawn at random.

mod draw;
mod over;
mod results;

use std::process::ExitCode;

use serde::Serialize;

use crate::arguments::Sweep;
use crate::batch::{self, Base, Finished, Metric, Plan, Shape, Wish};
use crate::failure::{Failure, NOT_MET};
use crate::ordered::Ordered;
use crate::output::{self, Data};
use crate::shell;
use crate::table::{Row, Table};
use over::Over;

pub(crate) fn run(arguments: &Sweep) -> Result<ExitCode, Failure> {
    let overs = over::all(&arguments.over)?;
    let base = Base::read(&arguments.batch)?;
    let choices = match arguments.random {
        Some(count) => draw::random(&overs, count, arguments.draw_seed),
        None => draw::grid(&overs)?,
    };
    let plan = base.plan("sweep", wishes(arguments, &overs, choices))?;
    let metric = match &arguments.metric {
        Some(name) => plan.shape.named(name)?,
        None => plan.shape.first(),
    };
    let mut data = Data::default();
    let finished = batch::run(&plan, &arguments.batch, &mut data)?;
    let keys: Vec<String> = overs.iter().map(|over| over.key.clone()).collect();
    let table = table(&plan, &finished, &keys, &metric);
    table.keep(&finished.place)?;
    finished.place.write("results.csv", &results::text(&plan, &finished, &keys, &table.metrics))?;
    match arguments.batch.json {
        true => data.json(&Found::of(&plan, &finished, &table)),
        false => data.line(table.render(arguments.batch.format).trim_end()),
    }
    output::say(&advice(&table, &finished));
    Ok(ExitCode::from(if table.has_failures() { NOT_MET } else { 0 }))
}

/// A form of the problem for each choice of values.
fn wishes(arguments: &Sweep, overs: &[Over], choices: Vec<Vec<String>>) -> Vec<Wish> {
    let digits = choices.len().to_string().len().max(3);
    let wish = |(number, values): (usize, Vec<String>)| Wish {
        name: format!("{:0digits$}", number + 1),
        method: arguments.method.clone(),
        set: overs.iter().zip(&values).map(|(over, value)| format!("{}={value}", over.key)).collect(),
        option: "--over".to_owned(),
        labels: values,
    };
    choices.into_iter().enumerate().map(wish).collect()
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

/// Where the results are, and how the best is had again.
fn advice(table: &Table, finished: &Finished) -> String {
    let place = format!("tables and runs are in `{}`", finished.place.path().display());
    let Some(best) = table.rows.first().filter(|row| row.numbers[0].count > 0) else { return place };
    let keys = table.labels.iter().zip(&best.labels);
    let set: Vec<String> =
        keys.map(|(key, value)| format!("--set {}", shell::quoted(&format!("{key}={value}")))).collect();
    format!("the best has {}; {place}", set.join(" "))
}

/// The last JSON line.
#[derive(Serialize)]
struct Found<'a> {
    event: &'static str,
    problem: &'a str,
    metric: String,
    seeds: &'a [u64],
    /// The best first.
    rows: Vec<Choice<'a>>,
    folder: String,
}

#[derive(Serialize)]
struct Choice<'a> {
    values: Ordered<&'a str>,
    runs: usize,
    failed: usize,
    numbers: Ordered<batch::Spread>,
}

impl<'a> Found<'a> {
    fn of(plan: &'a Plan, finished: &Finished, table: &'a Table) -> Self {
        let values = |row: &'a Row| table.labels.iter().cloned().zip(row.labels.iter().map(String::as_str));
        let choice = |row: &'a Row| Choice {
            values: values(row).collect(),
            runs: row.runs.1,
            failed: row.runs.1 - row.runs.0,
            numbers: table.metrics.iter().map(Metric::name).zip(row.numbers.iter().copied()).collect(),
        };
        Self {
            event: "sweep",
            problem: &plan.name,
            metric: table.metrics[0].name(),
            seeds: &plan.seeds,
            rows: table.rows.iter().map(choice).collect(),
            folder: finished.place.path().display().to_string(),
        }
    }
}
