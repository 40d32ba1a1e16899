//! One problem under several methods, seeds and settings, in one table and figure.

mod curve;
mod drawing;
mod figure;
mod setting;

use std::path::Path;

use adamflip::optim::Method;
use serde::{Serialize, Serializer};

use crate::batch::{
    self, Base, BatchChoices, Finished, Launch, Metric, Monitor, PLAN, Plan, VariantSpec, method_name,
};
use crate::error::RunError;
use crate::ordered::Ordered;
use crate::table::{Row, Table};
use setting::Setting;

/// What is compared where nothing is said: the file's own stages, the usual method, and that of the paper.
const METHODS: [&str; 3] = [PLAN, "adam", "adamflip"];

/// What is compared.
#[derive(Clone, Debug, Default)]
pub struct CompareChoices {
    /// The problem, and what all runs have in common.
    pub batch: BatchChoices,
    /// The names of the methods; [`PLAN`] is the file's own stages. Some usual ones where there are none.
    pub methods: Vec<String>,
    /// Named changes of the file for every method, each as `name:key=value,…`.
    pub settings: Vec<String>,
}

/// What came of a comparison; as JSON it is the last line of `adamflip compare --json`.
#[derive(Debug)]
pub struct Comparison {
    plan: Plan,
    finished: Finished,
    table: Table,
}

/// Solves a problem by several methods, and writes tables and a figure beside the runs.
pub fn compare(
    choices: &CompareChoices,
    launch: &Launch<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Comparison, RunError> {
    let base = Base::read(&choices.batch)?;
    let methods = methods(choices, &base);
    let settings = setting::all(&choices.settings)?;
    let variants =
        methods.iter().flat_map(|method| settings.iter().map(move |setting| variant(method, setting)));
    let plan = base.plan("compare", variants.collect())?;
    let finished = batch::run(&plan, launch, monitor)?;
    let table = table(&plan, &finished, !choices.settings.is_empty());
    if launch.scope.has_tables() {
        table.keep(&finished.dir)?;
        finished.dir.write("errors.svg", &figure::errors(&plan, &finished))?;
    }
    Ok(Comparison { plan, finished, table })
}

impl Comparison {
    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The folder of runs, tables and figure.
    pub fn path(&self) -> &Path {
        self.finished.dir.path()
    }
}

/// The methods in the order given, each once; of the usual ones not those that train as the file does.
fn methods(choices: &CompareChoices, base: &Base<'_>) -> Vec<Option<Method>> {
    let named = |name: &str| Method::named(name);
    let mut methods = Vec::new();
    for name in choices.methods.iter().map(String::as_str) {
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

fn variant(method: &Option<Method>, setting: &Setting) -> VariantSpec {
    let labels: Vec<String> =
        std::iter::once(method_name(method.as_ref()).to_owned()).chain(setting.name.clone()).collect();
    VariantSpec {
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

#[derive(Serialize)]
struct Event<'a> {
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

impl Serialize for Comparison {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { plan, table, .. } = self;
        let rows = table.rows.iter().map(|row| Compared {
            method: &row.labels[0],
            setting: row.labels.get(1).map(String::as_str),
            runs: row.runs.1,
            failed: row.runs.1 - row.runs.0,
            numbers: table.metrics.iter().map(Metric::name).zip(row.numbers.iter().copied()).collect(),
        });
        let event = Event {
            event: "comparison",
            problem: &plan.name,
            seeds: &plan.seeds,
            rows: rows.collect(),
            folder: self.path().display().to_string(),
        };
        event.serialize(serializer)
    }
}
