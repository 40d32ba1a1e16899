//! `adamflip compare`: one problem under several methods, seeds and settings, in one table and figure.

mod curve;
mod drawing;
mod figure;
mod setting;

use std::process::ExitCode;

use adamflip::optim::Method;
use serde::Serialize;

use crate::arguments::{Compare, PLAN};
use crate::batch::{self, Base, Finished, Metric, Plan, Wish, method_name};
use crate::failure::{Failure, NOT_MET};
use crate::ordered::Ordered;
use crate::output::{self, Data};
use crate::table::{Row, Table};
use setting::Setting;

/// What is compared where nothing is said: the file's own stages, the usual method, and that of the paper.
const METHODS: [&str; 3] = [PLAN, "adam", "adamflip"];

pub(crate) fn run(arguments: &Compare) -> Result<ExitCode, Failure> {
    let base = Base::read(&arguments.batch)?;
    let methods = methods(arguments, &base);
    let settings = setting::all(&arguments.settings)?;
    let wishes = methods.iter().flat_map(|method| settings.iter().map(move |setting| wish(method, setting)));
    let plan = base.plan("compare", wishes.collect())?;
    let mut data = Data::default();
    let finished = batch::run(&plan, &arguments.batch, &mut data)?;
    let table = table(&plan, &finished, !arguments.settings.is_empty());
    table.keep(&finished.place)?;
    finished.place.write("errors.svg", &figure::errors(&plan, &finished))?;
    match arguments.batch.json {
        true => data.json(&Comparison::of(&plan, &finished, &table)),
        false => data.line(table.render(arguments.batch.format).trim_end()),
    }
    output::say(&format!("tables, figure and runs are in `{}`", finished.place.path().display()));
    Ok(ExitCode::from(if table.has_failures() { NOT_MET } else { 0 }))
}

/// The methods in the order given, each once; of the usual ones not those that train as the file does.
fn methods(arguments: &Compare, base: &Base<'_>) -> Vec<Option<Method>> {
    let named = |name: &str| Method::named(name);
    let mut methods = Vec::new();
    for name in arguments.methods.iter().map(String::as_str) {
        if !methods.contains(&named(name)) {
            methods.push(named(name));
        }
    }
    if methods.is_empty() {
        let plan = base.stages(&base.problem, None);
        let other =
            |method: &Option<Method>| method.is_none() || base.stages(&base.problem, method.as_ref()) != plan;
        methods = METHODS.map(named).into_iter().filter(other).collect();
    }
    methods
}

fn wish(method: &Option<Method>, setting: &Setting) -> Wish {
    let labels: Vec<String> =
        std::iter::once(method_name(method.as_ref()).to_owned()).chain(setting.name.clone()).collect();
    Wish {
        name: labels.join("-"),
        labels,
        method: method.clone(),
        set: setting.set.clone(),
        option: format!("--settings {}", setting.name.as_deref().unwrap_or_default()),
    }
}

fn table(plan: &Plan, finished: &Finished, settings: bool) -> Table {
    let mut labels = vec!["method".to_owned()];
    if settings {
        labels.push("setting".to_owned());
    }
    let metrics = plan.shape.metrics();
    let rows = plan.variants.iter().zip(&finished.outcomes);
    let rows = rows.map(|(variant, outcomes)| Row::of(variant.labels.clone(), outcomes, &metrics)).collect();
    let notes = batch::failures(plan, &finished.outcomes);
    Table { title: plan.title.clone(), labels, metrics, rows, notes }
}

/// The last JSON line.
#[derive(Serialize)]
struct Comparison<'a> {
    event: &'static str,
    problem: &'a str,
    seeds: &'a [u64],
    rows: Vec<Compared<'a>>,
    folder: String,
}

#[derive(Serialize)]
struct Compared<'a> {
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    setting: Option<&'a str>,
    runs: usize,
    failed: usize,
    numbers: Ordered<batch::Spread>,
}

impl<'a> Comparison<'a> {
    fn of(plan: &'a Plan, finished: &Finished, table: &'a Table) -> Self {
        let rows = table.rows.iter().map(|row| Compared {
            method: &row.labels[0],
            setting: row.labels.get(1).map(String::as_str),
            runs: row.runs.1,
            failed: row.runs.1 - row.runs.0,
            numbers: table.metrics.iter().map(Metric::name).zip(row.numbers.iter().copied()).collect(),
        });
        Self {
            event: "comparison",
            problem: &plan.name,
            seeds: &plan.seeds,
            rows: rows.collect(),
            folder: finished.place.path().display().to_string(),
        }
    }
}
