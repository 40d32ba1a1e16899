//! `[reference]`: the known solution, as formulas or as a file.

use super::reader::{Reader, Section};
use super::schema::{CoordinateRange, Reference};
use super::term::MOST_POINTS;
use super::tree::{Node, Table};
use super::{data, keys};
use crate::diagnostic::{Diagnostic, Spanned};

/// A formula for each field or a file, and the grid. Its keys are the fields and coordinates of the problem.
pub(super) fn reference(
    reader: &mut Reader,
    root: &Table,
    fields: &[Spanned<String>],
    domain: &[CoordinateRange],
) -> Option<Reference> {
    let entry = root.get("reference")?;
    let example = "write `[reference]`, and below it `u = \"sin(pi*x)\"`";
    let table = reader.table(&entry.node, "`reference`", example)?;
    let mut known: Vec<&str> = fields.iter().map(|field| field.value.as_str()).collect();
    let others = keys::names(keys::Table::Reference);
    known.extend(&others);
    let section = Section { name: "[reference]", table };
    let mut reference = Reference {
        fields: Vec::new(),
        data: section
            .get("data")
            .and_then(|(node, what)| reader.text(node, &what, "`data = \"burgers.mat\"`")),
        columns: columns(reader, section),
        grid: section.get("grid").map(|(node, _)| grid(reader, section, node, domain)).unwrap_or_default(),
    };
    for entry in &table.entries {
        let name = entry.key.value.as_str();
        if others.contains(&name) {
            continue;
        }
        if !known.contains(&name) && !fields.is_empty() {
            reader.unknown_key(entry, "[reference]", &known);
        } else if let Some(formula) =
            reader.text(&entry.node, &format!("the reference of `{name}`"), "`\"sin(pi*x)\"`")
        {
            reference.fields.push((entry.key.clone(), formula));
        }
    }
    if table.entries.iter().all(|entry| matches!(entry.key.value.as_str(), "grid" | "columns")) {
        let diagnostic = Diagnostic::new(entry.key.span, "[reference] has no formula for any field");
        let hint = "write for example `u = \"sin(pi*x)\"`, or name a file: `data = \"solution.csv\"`";
        reader.missing(diagnostic.hint(hint));
    }
    Some(reference)
}

/// Only a file has columns.
fn columns(reader: &mut Reader, section: Section<'_>) -> Option<Vec<Spanned<String>>> {
    let (node, what) = section.get("columns")?;
    if section.get("data").is_none() {
        let diagnostic = Diagnostic::new(node.span, format!("{what} has no use without `data`"));
        let hint = "the columns of a file are meant, for example of `data = \"solution.npy\"`";
        reader.missing_key(section.table, "data", diagnostic.label("of what?").hint(hint));
    }
    data::columns(reader, section)
}

fn grid(
    reader: &mut Reader,
    section: Section<'_>,
    node: &Node,
    domain: &[CoordinateRange],
) -> Vec<(Spanned<String>, Spanned<usize>)> {
    if section.get("data").is_some() {
        let diagnostic = Diagnostic::new(node.span, "`grid` of [reference] has no use beside `data`");
        reader
            .diagnostics
            .push(diagnostic.label("errors are measured at the points of the file").hint("remove it"));
    }
    let example = "write for example `grid = { x = 201, t = 101 }`";
    let Some(table) = reader.table(node, "`grid` of [reference]", example) else { return Vec::new() };
    let mut grid = Vec::new();
    for entry in &table.entries {
        let name = entry.key.value.as_str();
        if reader.coordinate_key(entry, "[reference.grid]", domain) {
            let count = reader.count(&entry.node, &format!("`{name}` of [reference.grid]"), 1..=MOST_POINTS);
            grid.extend(count.map(|count| (entry.key.clone(), count)));
        }
    }
    grid
}
