//! `[unknowns]`: numbers and fields to be found.

use super::domain::range;
use super::reader::{Reader, Section};
use super::schema::{CoordinateRange, Number, Unknown};
use super::symbols::placeholder;
use super::tree::{Entry, Table, Value};
use super::{keys, network};
use crate::diagnostic::{Diagnostic, Spanned};

/// `[unknowns]`; one with a wrong value still has a name.
pub(super) fn unknowns(reader: &mut Reader, root: &Table, domain: &[CoordinateRange]) -> Vec<Unknown> {
    let Some(entry) = root.get("unknowns") else { return Vec::new() };
    let hint = "write `[unknowns]`, and below it `kappa = { start = 1.0 }`";
    let Some(table) = reader.table(&entry.node, "`unknowns`", hint) else { return Vec::new() };
    table.entries.iter().map(|entry| unknown(reader, entry, domain)).collect()
}

fn unknown(reader: &mut Reader, entry: &Entry, domain: &[CoordinateRange]) -> Unknown {
    let name = &entry.key.value;
    let mut unknown = Unknown {
        name: entry.key.clone(),
        start: placeholder(entry.key.span),
        bounds: None,
        truth: None,
        of: None,
        hidden: None,
    };
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
    reader.known_keys(section, &keys::names(keys::Table::Unknown));
    unknown.start = start(reader, section, &entry.key).unwrap_or(unknown.start);
    unknown.bounds =
        section.get("bounds").and_then(|(node, what)| range(reader, node, &what, "`bounds = [0, 10]`"));
    unknown.truth = section.get("truth").and_then(|(node, what)| reader.number(node, &what));
    let of = section.get("of").map(|(node, what)| reader.coordinates(node, &what, "`of = [\"x\"]`", domain));
    unknown.hidden = hidden(reader, section, of.is_some());
    unknown.of = of.filter(|of| !of.is_empty());
    unknown
}

fn start(reader: &mut Reader, section: Section<'_>, name: &Spanned<String>) -> Option<Spanned<Number>> {
    if let Some((node, what)) = section.get("start") {
        return reader.number(node, &what);
    }
    let diagnostic = Diagnostic::new(name.span, format!("the unknown `{}` has no `start`", name.value));
    let hint = "say where training starts: `start = 1.0`";
    reader.missing_key(section.table, "start", diagnostic.label("where does it start?").hint(hint));
    None
}

/// Only a field has a network.
fn hidden(reader: &mut Reader, section: Section<'_>, is_field: bool) -> Option<Vec<usize>> {
    let (node, what) = section.get("hidden")?;
    if !is_field {
        let diagnostic = Diagnostic::new(node.span, format!("{what} has no use without `of`"));
        let hint = "a number has no network; for a field say what it depends on: `of = [\"x\"]`";
        reader.missing_key(section.table, "of", diagnostic.label("the network of what?").hint(hint));
    }
    network::hidden(reader, node, &what)
}
