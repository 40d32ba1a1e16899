//! The names of a problem and what they stand for: coordinates, fields, constants, unknowns.

use std::collections::HashMap;

use super::reader::{Reader, Section};
use super::schema::{Axis, Number, Spec, Unknown};
use super::tree::{Entry, Node, Table, Value};
use crate::diagnostic::{Diagnostic, Span, Spanned};

/// The keys of an unknown.
const UNKNOWN_KEYS: &[&str] = &["start", "bounds", "truth"];
const FIELDS_EXAMPLE: &str = "`fields = [\"u\"]`";
const DOMAIN_EXAMPLE: &str = "`x = [-1, 1]`";

/// `fields = ["u", "v"]`: at least one. `start` is where the file begins.
pub(super) fn fields(reader: &mut Reader, root: &Table, start: Span) -> Vec<Spanned<String>> {
    let Some(entry) = root.get("fields") else {
        let hint = "name the functions that are sought, above the first section: `fields = [\"u\"]`";
        reader.missing_key(root, "fields", Diagnostic::new(start, "the problem has no `fields`").hint(hint));
        return Vec::new();
    };
    reader.texts(&entry.node, "`fields`", FIELDS_EXAMPLE)
}

/// `[domain]`: at least one coordinate. `end` is where the file ends.
pub(super) fn domain(reader: &mut Reader, root: &Table, end: Span) -> Vec<Axis> {
    let Some(entry) = root.get("domain") else {
        let hint = "give every coordinate a range: `[domain]`, and below it `x = [-1, 1]`";
        reader.missing_key(root, "domain", Diagnostic::new(end, "the problem has no [domain]").hint(hint));
        return Vec::new();
    };
    let Some(table) = reader.table(&entry.node, "`domain`", DOMAIN_EXAMPLE) else { return Vec::new() };
    if table.entries.is_empty() {
        let hint = format!("give every coordinate a range, for example {DOMAIN_EXAMPLE}");
        reader.missing(Diagnostic::new(entry.node.span, "[domain] has no coordinates").hint(hint));
    }
    table.entries.iter().map(|entry| axis(reader, entry)).collect()
}

/// A coordinate with a wrong range still is a coordinate, so that its name is known to the equations.
fn axis(reader: &mut Reader, entry: &Entry) -> Axis {
    let what = format!("the range of `{}`", entry.key.value);
    let range = range(reader, &entry.node, &what, DOMAIN_EXAMPLE);
    let (lower, upper) = range.unwrap_or_else(|| {
        let end = |value| Spanned { value: Number::Literal(value), span: entry.node.span };
        (end(0.0), end(1.0))
    });
    Axis { name: entry.key.clone(), lower, upper }
}

/// `[lower, upper]`, not empty as far as one can tell before formulas are evaluated.
fn range(
    reader: &mut Reader,
    node: &Node,
    what: &str,
    example: &str,
) -> Option<(Spanned<Number>, Spanned<Number>)> {
    let ends = reader.list(node, what, example)?;
    let [lower, upper] = ends else {
        let diagnostic = Diagnostic::new(node.span, format!("{what} needs two ends"));
        let label = if ends.len() == 1 { "1 entry".to_owned() } else { format!("{} entries", ends.len()) };
        reader.report(diagnostic.label(label).hint(format!("write for example {example}")));
        return None;
    };
    let (lower, upper) = (reader.number(lower, what), reader.number(upper, what));
    let (lower, upper) = (lower?, upper?);
    if let (Number::Literal(low), Number::Literal(high)) = (&lower.value, &upper.value)
        && low >= high
    {
        let diagnostic = Diagnostic::new(node.span, format!("{what} is empty: {low} is not below {high}"));
        let label = if low == high { "no length" } else { "lower end first" };
        reader.report(diagnostic.label(label).hint(swapped(*low, *high)));
        return None;
    }
    Some((lower, upper))
}

fn swapped(low: f64, high: f64) -> String {
    if low > high { format!("write `[{high}, {low}]`") } else { "the two ends must differ".into() }
}

/// `[constants]`; one with a wrong value still has a name.
pub(super) fn constants(reader: &mut Reader, root: &Table) -> Vec<(Spanned<String>, Spanned<Number>)> {
    let Some(entry) = root.get("constants") else { return Vec::new() };
    let Some(table) =
        reader.table(&entry.node, "`constants`", "write `[constants]`, and below it `nu = 0.1`")
    else {
        return Vec::new();
    };
    let constant = |entry: &Entry| {
        let value = reader.number(&entry.node, &format!("the constant `{}`", entry.key.value));
        (entry.key.clone(), value.unwrap_or_else(|| placeholder(entry.node.span)))
    };
    table.entries.iter().map(constant).collect()
}

fn placeholder(span: Span) -> Spanned<Number> {
    Spanned { value: Number::Literal(1.0), span }
}

/// `[unknowns]`; one with a wrong value still has a name.
pub(super) fn unknowns(reader: &mut Reader, root: &Table) -> Vec<Unknown> {
    let Some(entry) = root.get("unknowns") else { return Vec::new() };
    let hint = "write `[unknowns]`, and below it `kappa = { start = 1.0 }`";
    let Some(table) = reader.table(&entry.node, "`unknowns`", hint) else { return Vec::new() };
    table.entries.iter().map(|entry| unknown(reader, entry)).collect()
}

fn unknown(reader: &mut Reader, entry: &Entry) -> Unknown {
    let name = &entry.key.value;
    let (start, bounds, truth) = (placeholder(entry.key.span), None, None);
    let mut unknown = Unknown { name: entry.key.clone(), start, bounds, truth };
    let example = match entry.node.value {
        Value::Integer(value) => format!("write `{name} = {{ start = {value} }}`"),
        Value::Float(value) => format!("write `{name} = {{ start = {value:?} }}`"),
        _ => format!("write for example `{name} = {{ start = 1.0, bounds = [0, 10] }}`"),
    };
    let place = format!("[unknowns.{name}]");
    let Some(table) = reader.table(&entry.node, &format!("the unknown `{name}`"), &example) else {
        return unknown;
    };
    let section = Section { name: &place, table };
    reader.known_keys(section, UNKNOWN_KEYS);
    match section.get("start") {
        Some((node, what)) => unknown.start = reader.number(node, &what).unwrap_or(unknown.start),
        None => {
            let diagnostic = Diagnostic::new(entry.key.span, format!("the unknown `{name}` has no `start`"));
            let hint = "say where training starts: `start = 1.0`";
            reader.missing_key(table, "start", diagnostic.label("where does it start?").hint(hint));
        }
    }
    unknown.bounds =
        section.get("bounds").and_then(|(node, what)| range(reader, node, &what, "`bounds = [0, 10]`"));
    unknown.truth = section.get("truth").and_then(|(node, what)| reader.number(node, &what));
    unknown
}

/// Every name is an identifier, not a word of the equation language, and stands for one thing only.
pub(super) fn check_names(reader: &mut Reader, spec: &Spec) {
    let coordinates = spec.domain.iter().map(|axis| (&axis.name, "a coordinate"));
    let fields = spec.fields.iter().map(|name| (name, "a field"));
    let constants = spec.constants.iter().map(|(name, _)| (name, "a constant"));
    let unknowns = spec.unknowns.iter().map(|unknown| (&unknown.name, "an unknown"));
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for (name, kind) in coordinates.chain(fields).chain(constants).chain(unknowns) {
        if let Some(problem) = name_problem(&name.value) {
            reader.report(Diagnostic::new(name.span, problem.0).label(problem.1).hint(problem.2));
        } else if let Some(other) = seen.insert(&name.value, kind) {
            let message = format!("the name `{}` is used twice", name.value);
            let diagnostic = Diagnostic::new(name.span, message).label(format!("already {other}"));
            reader.report(diagnostic.hint("choose another name for one of them"));
        }
    }
}

fn name_problem(name: &str) -> Option<(String, &'static str, &'static str)> {
    match name {
        "pi" => Some(("`pi` is the number 3.14…".into(), "reserved", "choose another name")),
        "d" => Some(("`d` stands for derivatives".into(), "reserved", "choose another name")),
        _ if is_identifier(name) => None,
        _ => {
            let hint = "begin with a letter, then letters, digits and `_`";
            Some((format!("`{name}` cannot be a name in equations"), "not a name", hint))
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.all(|c| c.is_alphanumeric() || c == '_')
}
