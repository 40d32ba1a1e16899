//! `[term.NAME]`: equations, the place where they hold, points and a role; and the `[reference]` to compare with.

use super::reader::{Reader, Section};
use super::schema::{Axis, Measure, Reference, Role, Sampler, Term, Tolerance};
use super::tree::{Entry, Node, Table};
use crate::diagnostic::{Diagnostic, Span, Spanned};

const KEYS: &[&str] = &["equation", "on", "points", "role", "weight", "sampler", "tolerance"];
const ROLES: &[(&str, Role)] = &[("objective", Role::Objective), ("constraint", Role::Constraint)];
const MEASURES: &[(&str, Measure)] = &[("max", Measure::Max), ("rms", Measure::Rms), ("mse", Measure::Mse)];
/// The samplers by name, for terms and for `[train]`.
pub(super) const SAMPLERS: &[(&str, Sampler)] = &[
    ("uniform", Sampler::Uniform),
    ("grid", Sampler::Grid),
    ("latin", Sampler::Latin),
    ("sobol", Sampler::Sobol),
    ("halton", Sampler::Halton),
];
/// More points than any machine here can hold a step for; catches slips like `points = 1e10`.
const MOST_POINTS: u64 = 1_000_000_000;
const EQUATION: &str = "`equation = \"u_t = u_xx\"`";
const TOLERANCE: &str = "write for example `tolerance = \"max < 1e-3\"`; max, rms and mse can be measured";

/// All terms: at least one. `end` is where the file ends.
pub(super) fn terms(reader: &mut Reader, root: &Table, end: Span) -> Vec<Term> {
    let hint = "write `[term.pde]`, and below it `equation = \"u_t = u_xx\"` and `points = 1000`";
    let entry = root.get("term");
    let table = match entry {
        Some(entry) => reader.table(&entry.node, "`term`", hint),
        None => Some(&Table::default()),
    };
    let Some(table) = table else { return Vec::new() };
    if table.entries.is_empty() {
        let span = entry.map_or(end, |entry| entry.key.span);
        reader.missing_key(root, "term", Diagnostic::new(span, "the problem has no terms").hint(hint));
    }
    table.entries.iter().filter_map(|entry| term(reader, entry, table, hint)).collect()
}

fn term(reader: &mut Reader, entry: &Entry, all: &Table, hint: &str) -> Option<Term> {
    let name = &entry.key;
    check_name(reader, name);
    let place = format!("[term.{}]", name.value);
    let table = reader.table(&entry.node, &format!("`{}` in [term]", name.value), hint)?;
    let section = Section { name: &place, table };
    reader.known_keys(section, KEYS);
    let equations = equations(reader, section, name, all);
    let on = section.get("on").map(|(node, what)| reader.texts(node, &what, "`on = \"t = 0\"`"));
    let points = points(reader, section, name);
    let default = if on.is_some() { Role::Constraint } else { Role::Objective };
    let role = section.get("role").and_then(|(node, what)| reader.choice(node, &what, ROLES));
    let weight = section.get("weight").and_then(|(node, what)| reader.positive(node, &what));
    let sampler = section.get("sampler").and_then(|(node, what)| {
        reader.choice(node, &what, SAMPLERS).map(|value| Spanned { value, span: node.span })
    });
    let tolerance = section.get("tolerance").and_then(|(node, what)| tolerance(reader, node, &what));
    (!equations.is_empty()).then(|| Term {
        name: name.clone(),
        equations,
        on: on.unwrap_or_default(),
        points,
        role: role.unwrap_or(default),
        weight: weight.unwrap_or(1.0),
        sampler,
        tolerance,
    })
}

/// Names of terms stand in tables, figures and JSON, so they are kept plain.
fn check_name(reader: &mut Reader, name: &Spanned<String>) {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    if name.value.is_empty() || !name.value.chars().all(plain) {
        let diagnostic = Diagnostic::new(name.span, format!("`{}` cannot be the name of a term", name.value));
        reader.report(diagnostic.label("not a name").hint("use letters, digits, `_` and `-`"));
    }
}

fn equations(
    reader: &mut Reader,
    section: Section<'_>,
    name: &Spanned<String>,
    all: &Table,
) -> Vec<Spanned<String>> {
    if let Some((node, what)) = section.get("equation") {
        return reader.texts(node, &what, EQUATION);
    }
    let diagnostic = Diagnostic::new(name.span, format!("the term `{}` has no equation", name.value));
    let mut hint = format!("add for example {EQUATION}");
    // A term that `--set` made is a misspelt term of the file.
    if name.span.source > 0 {
        let terms = all.entries.iter().filter(|entry| entry.key.span.source == 0);
        let names: Vec<&str> = terms.map(|entry| entry.key.value.as_str()).collect();
        hint = format!("the terms of the file are {}", names.join(", "));
    }
    reader.missing_key(section.table, "equation", diagnostic.label("what holds here?").hint(hint));
    Vec::new()
}

/// A term without valid points is kept with one, so that its equation is checked too.
fn points(reader: &mut Reader, section: Section<'_>, name: &Spanned<String>) -> Spanned<usize> {
    let points = match section.get("points") {
        Some((node, what)) => reader.count(node, &what, 1..=MOST_POINTS),
        None => {
            let diagnostic = Diagnostic::new(name.span, format!("the term `{}` has no points", name.value));
            let hint = "say at how many points it is enforced: `points = 1000`";
            reader.missing_key(section.table, "points", diagnostic.label("how many?").hint(hint));
            None
        }
    };
    points.unwrap_or(Spanned { value: 1, span: name.span })
}

fn tolerance(reader: &mut Reader, node: &Node, what: &str) -> Option<Tolerance> {
    let text = reader.text(node, what, "`\"max < 1e-3\"`")?;
    let parsed = text.value.split_once('<').and_then(|(measure, limit)| {
        let measure = MEASURES.iter().find(|(name, _)| *name == measure.trim())?.1;
        let limit: f64 = limit.strip_prefix('=').unwrap_or(limit).trim().parse().ok()?;
        (limit.is_finite() && limit > 0.0).then_some(Tolerance { measure, limit, span: node.span })
    });
    if parsed.is_none() {
        let message = format!("{what} must be a measure, `<` and a number above 0");
        reader.report(Diagnostic::new(node.span, message).label("not understood").hint(TOLERANCE));
    }
    parsed
}

/// `[reference]`: a formula for each field, and the grid. Its keys are the fields and coordinates of the problem.
pub(super) fn reference(
    reader: &mut Reader,
    root: &Table,
    fields: &[Spanned<String>],
    domain: &[Axis],
) -> Option<Reference> {
    let entry = root.get("reference")?;
    let example = "write `[reference]`, and below it `u = \"sin(pi*x)\"`";
    let table = reader.table(&entry.node, "`reference`", example)?;
    let mut known: Vec<&str> = fields.iter().map(|field| field.value.as_str()).collect();
    known.push("grid");
    let mut reference = Reference { fields: Vec::new(), grid: Vec::new() };
    for entry in &table.entries {
        let name = entry.key.value.as_str();
        if name == "grid" {
            reference.grid = grid(reader, &entry.node, domain);
        } else if !known.contains(&name) && !fields.is_empty() {
            reader.unknown_key(entry, "[reference]", &known);
        } else if let Some(formula) =
            reader.text(&entry.node, &format!("the reference of `{name}`"), "`\"sin(pi*x)\"`")
        {
            reference.fields.push((entry.key.clone(), formula));
        }
    }
    if table.entries.iter().all(|entry| entry.key.value == "grid") {
        let diagnostic = Diagnostic::new(entry.key.span, "[reference] has no formula for any field");
        reader.missing(diagnostic.hint("write for example `u = \"sin(pi*x)\"`"));
    }
    Some(reference)
}

fn grid(reader: &mut Reader, node: &Node, domain: &[Axis]) -> Vec<(Spanned<String>, Spanned<usize>)> {
    let example = "write for example `grid = { x = 201, t = 101 }`";
    let Some(table) = reader.table(node, "`grid` of [reference]", example) else { return Vec::new() };
    let known: Vec<&str> = domain.iter().map(|axis| axis.name.value.as_str()).collect();
    let mut grid = Vec::new();
    for entry in &table.entries {
        let name = entry.key.value.as_str();
        if !known.contains(&name) && !known.is_empty() {
            reader.unknown_key(entry, "[reference.grid]", &known);
        } else if let Some(count) =
            reader.count(&entry.node, &format!("`{name}` of [reference.grid]"), 1..=MOST_POINTS)
        {
            grid.push((entry.key.clone(), count));
        }
    }
    grid
}
