//! A problem file whose plan is written out: the stages that a run took.

use super::Resolved;
use crate::diagnostic::Span;
use crate::optim::SettingValue;
use crate::spec::tree::{Node, Table, Value};

/// A stage as it was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenStage {
    /// The name of its method.
    pub method: &'static str,
    /// The steps that it took.
    pub steps: usize,
    /// Settings of the method that are not its own.
    pub settings: Vec<(String, SettingValue)>,
    /// Steps between draws of points, where the stage has a number of its own.
    pub resample: Option<usize>,
    /// The widths of the hidden layers, where the network has grown.
    pub hidden: Option<Vec<usize>>,
    /// A factor of the weights of all terms without data.
    pub equations: Option<f64>,
}

/// What decides when a plan that is left open ends: with the steps written out it has no use.
const OPEN: [&str; 8] =
    ["plan", "grow", "max_seconds", "accuracy", "tolerance", "patience", "stop_when_feasible", "resample"];

impl Resolved {
    /// The same problem with this seed, these first values of unknowns and these stages.
    pub fn with_plan(
        &self,
        seed: u64,
        starts: &[(&str, f64)],
        resample: usize,
        stages: &[TakenStage],
    ) -> Self {
        let mut file = self.clone();
        file.set_seed(seed);
        if let Some(unknowns) = file.root.value_mut("unknowns").and_then(Value::table_mut) {
            for (name, start) in starts {
                let unknown = unknowns.value_mut(name).and_then(Value::table_mut);
                unknown.into_iter().for_each(|unknown| unknown.set("start", Value::Float(*start)));
            }
        }
        if let Some(train) = file.root.value_mut("train").and_then(Value::table_mut) {
            OPEN.iter().for_each(|key| drop(train.remove(key)));
            train.set("resample", Value::Integer(resample as i128));
            train.set("stages", Value::List(stages.iter().map(|stage| node(stage.value())).collect()));
        }
        file
    }

    /// The text of `[train]`.
    pub fn train_text(&self) -> String {
        match self.root.get("train").map(|entry| &entry.node.value) {
            Some(Value::Table(train)) => super::section("train", train).trim_start().to_owned(),
            _ => String::new(),
        }
    }
}

fn node(value: Value) -> Node {
    Node { value, span: Span::default() }
}

fn list<T>(values: impl IntoIterator<Item = T>, value: impl Fn(T) -> Value) -> Value {
    Value::List(values.into_iter().map(|item| node(value(item))).collect())
}

impl TakenStage {
    fn value(&self) -> Value {
        let mut table = Table::default();
        table.set("method", Value::Text(self.method.to_owned()));
        table.set("steps", Value::Integer(self.steps as i128));
        for (key, setting) in &self.settings {
            table.set(key, written(setting));
        }
        let own = self.resample.map(|every| Value::Integer(every as i128));
        own.into_iter().for_each(|every| table.set("resample", every));
        self.equations.into_iter().for_each(|factor| table.set("equations", Value::Float(factor)));
        if let Some(widths) = &self.hidden {
            table.set("hidden", list(widths, |&width| Value::Integer(width as i128)));
        }
        Value::Table(table)
    }
}

fn written(setting: &SettingValue) -> Value {
    match setting {
        SettingValue::Number(number) => Value::Float(*number),
        SettingValue::Text(text) => Value::Text(text.clone()),
        SettingValue::Bool(flag) => Value::Bool(*flag),
        SettingValue::Numbers(numbers) => list(numbers, |&number| Value::Float(number)),
        // A constraint that is left to the method stays so where all are.
        SettingValue::Constraints(gains) => list(gains.iter().flatten(), |&gain| Value::Float(gain)),
        SettingValue::Other => Value::Bool(false),
    }
}
