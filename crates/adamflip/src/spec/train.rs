//! `[train]`: seed, points, and the stages with their methods. Settings of methods stay raw for the planner.

use super::reader::{Reader, Section};
use super::schema::{Planned, Setting, Stage, Train};
use super::term::SAMPLERS;
use super::tree::{Node, Table, Value};
use super::{keys, network};
use crate::diagnostic::{Diagnostic, Spanned};

/// Beyond this a counter of steps means nothing (30,000 years at a step a second).
const MOST_STEPS: u64 = 1_000_000_000_000;
/// More networks than this, one a window, are no plan.
const MOST_WINDOWS: u64 = 1000;
/// More lanes than this have no cores to work on them.
const MOST_LANES: u64 = 4096;
/// The plans that need no stages.
pub(super) const PLANS: &[(&str, Planned)] = &[("auto", Planned::Auto), ("fixed", Planned::Fixed)];
const STAGE: &str = "`{ method = \"adam\", steps = 1000, lr = 1e-3 }`";

/// What `[train]` says, defaults where it says nothing or something wrong.
pub(super) fn train(reader: &mut Reader, root: &Table) -> Train {
    let mut train = Train::default();
    let Some(entry) = root.get("train") else { return train };
    let hint = "write `[train]`, and below it for example `seed = 0`";
    let Some(table) = reader.table(&entry.node, "`train`", hint) else { return train };
    let section = Section { name: "[train]", table };
    reader.known_keys(section, &keys::names(keys::Table::Train));
    if let Some((node, what)) = section.get("seed") {
        train.seed = reader.whole(node, &what, 0..=u64::MAX).unwrap_or(train.seed);
    }
    if let Some((node, what)) = section.get("sampler") {
        train.sampler = reader.choice(node, &what, SAMPLERS).unwrap_or(train.sampler);
    }
    let resample = section.get("resample").and_then(|(node, what)| reader.count(node, &what, 0..=MOST_STEPS));
    train.resample = resample.map(|count| count.value);
    train.max_seconds = section.get("max_seconds").and_then(|(node, what)| reader.positive(node, &what));
    train.accuracy = section.get("accuracy").and_then(|(node, what)| reader.positive(node, &what));
    train.windows =
        section.get("windows").and_then(|(node, what)| reader.count(node, &what, 1..=MOST_WINDOWS));
    let start =
        section.get("start").and_then(|(node, what)| reader.text(node, &what, "`start = \"runs/other-0\"`"));
    train.start = start.map(|start| start.value);
    let observe = section.get("observe").and_then(|(node, what)| reader.count(node, &what, 1..=MOST_STEPS));
    train.observe = observe.map(|count| count.value);
    train.tolerance = section.get("tolerance").and_then(|(node, what)| reader.positive(node, &what));
    let patience = section.get("patience").and_then(|(node, what)| reader.count(node, &what, 1..=MOST_STEPS));
    train.patience = patience.map(|count| count.value);
    if let Some((node, what)) = section.get("stop_when_feasible") {
        train.stop_when_feasible = reader.flag(node, &what).unwrap_or(false);
        if train.stop_when_feasible && !has_tolerance(root) {
            let diagnostic = Diagnostic::new(node.span, format!("{what} needs a term with a tolerance"));
            reader.missing(
                diagnostic.label("feasible when?").hint("write `tolerance = \"max < 1e-3\"` in a term"),
            );
        }
    }
    if let Some(lanes) =
        section.get("lanes").and_then(|(node, what)| reader.count(node, &what, 1..=MOST_LANES))
    {
        train.lanes = lanes.value;
    }
    if let Some((node, what)) = section.get("stages") {
        train.stages = stages(reader, node, &what);
    }
    plan(reader, section, &mut train);
    train
}

/// Who decides: the plan itself, its fixed form, or the stages of the file.
fn plan(reader: &mut Reader, section: Section<'_>, train: &mut Train) {
    train.grow = section.get("grow").and_then(|(node, what)| reader.flag(node, &what));
    let Some((node, what)) = section.get("plan") else { return };
    train.plan = reader.choice(node, &what, PLANS).unwrap_or(train.plan);
    if section.get("stages").is_some() {
        let diagnostic = Diagnostic::new(node.span, format!("{what} and `stages` are two plans"));
        reader.report(diagnostic.label("which one?").hint("leave one of the two out"));
    }
}

/// Does a term ask for something?
fn has_tolerance(root: &Table) -> bool {
    let Some(Value::Table(terms)) = root.get("term").map(|entry| &entry.node.value) else { return false };
    terms
        .entries
        .iter()
        .any(|entry| matches!(&entry.node.value, Value::Table(term) if term.get("tolerance").is_some()))
}

fn stages(reader: &mut Reader, node: &Node, what: &str) -> Vec<Stage> {
    let example = format!("`stages = [{}]`", STAGE.trim_matches('`'));
    let Some(nodes) = reader.list(node, what, &example) else { return Vec::new() };
    reader.not_empty(node, nodes, what, &example);
    nodes.iter().filter_map(|node| stage(reader, node)).collect()
}

fn stage(reader: &mut Reader, node: &Node) -> Option<Stage> {
    let table = reader.table(node, "a stage", &format!("write for example {STAGE}"))?;
    let section = Section { name: "a stage", table };
    let method = section.get("method").map(|(node, what)| reader.text(node, &what, "`method = \"adam\"`"));
    let steps = section.get("steps").map(|(node, what)| reader.count(node, &what, 0..=MOST_STEPS));
    for (key, present) in [("method", method.is_some()), ("steps", steps.is_some())] {
        if !present {
            let diagnostic = Diagnostic::new(node.span, format!("this stage has no `{key}`"));
            reader.missing(diagnostic.hint(format!("write for example {STAGE}")));
        }
    }
    let hidden = section.get("hidden").and_then(|(node, what)| network::hidden(reader, node, &what));
    let equations = section.get("equations").and_then(|(node, what)| reader.positive(node, &what));
    let settings = settings(reader, table);
    let resample = section.get("resample").and_then(|(node, what)| reader.count(node, &what, 0..=MOST_STEPS));
    let resample = resample.map(|count| count.value);
    Some(Stage { method: method??, steps: steps??, resample, hidden, equations, settings, span: node.span })
}

fn settings(reader: &mut Reader, table: &Table) -> Vec<(Spanned<String>, Spanned<Setting>)> {
    let own = keys::names(keys::Table::Stage);
    let others = table.entries.iter().filter(|entry| !own.contains(&entry.key.value.as_str()));
    let setting = |entry: &super::tree::Entry| {
        let value = setting(reader, &entry.node, &format!("`{}` of a stage", entry.key.value))?;
        Some((entry.key.clone(), Spanned { value, span: entry.node.span }))
    };
    others.filter_map(setting).collect()
}

fn setting(reader: &mut Reader, node: &Node, what: &str) -> Option<Setting> {
    match &node.value {
        Value::Text(text) => Some(Setting::Text(text.clone())),
        Value::Bool(value) => Some(Setting::Bool(*value)),
        Value::Integer(_) | Value::Float(_) => reader.real(node, what).map(Setting::Number),
        Value::List(nodes) => {
            let numbers: Option<Vec<f64>> = nodes.iter().map(|node| reader.real(node, what)).collect();
            numbers.map(Setting::Numbers)
        }
        Value::Table(table) if !table.entries.is_empty() => {
            let named = |entry: &super::tree::Entry| {
                let number = reader.real(&entry.node, &format!("`{}` in {what}", entry.key.value))?;
                Some((entry.key.clone(), number))
            };
            table.entries.iter().map(named).collect::<Option<_>>().map(Setting::Named)
        }
        Value::Broken => None,
        Value::Date | Value::Table(_) => {
            let message = format!("{what} must be a number, text, true or false, or a list of numbers");
            let label = format!("this is {}", node.value.describe());
            reader.report(
                Diagnostic::new(node.span, message).label(label).hint("write for example `lr = 1e-3`"),
            );
            None
        }
    }
}
