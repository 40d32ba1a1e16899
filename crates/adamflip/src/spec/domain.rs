//! `[domain]`: the coordinates with their ranges, and the part of them that is meant.

use super::reader::Reader;
use super::schema::{CoordinateRange, Number};
use super::tree::{Entry, Node, Table, Value};
use crate::diagnostic::{Diagnostic, Span, Spanned};

const INSIDE: &str = "inside";
const DOMAIN_EXAMPLE: &str = "`x = [-1, 1]`";

/// `[domain]`: at least one coordinate. `end` is where the file ends.
pub(super) fn domain(reader: &mut Reader, root: &Table, end: Span) -> Vec<CoordinateRange> {
    let Some(entry) = root.get("domain") else {
        let hint = "give every coordinate a range: `[domain]`, and below it `x = [-1, 1]`";
        reader.missing_key(root, "domain", Diagnostic::new(end, "the problem has no [domain]").hint(hint));
        return Vec::new();
    };
    let Some(table) = reader.table(&entry.node, "`domain`", DOMAIN_EXAMPLE) else { return Vec::new() };
    let axes: Vec<&Entry> = table.entries.iter().filter(|entry| entry.key.value != INSIDE).collect();
    if axes.is_empty() {
        let hint = format!("give every coordinate a range, for example {DOMAIN_EXAMPLE}");
        reader.missing(Diagnostic::new(entry.node.span, "[domain] has no coordinates").hint(hint));
    }
    axes.into_iter().map(|entry| axis(reader, entry)).collect()
}

/// `inside = "plate - hole"` of `[domain]`.
pub(super) fn inside(reader: &mut Reader, root: &Table) -> Option<Spanned<String>> {
    let Value::Table(table) = &root.get("domain")?.node.value else { return None };
    let entry = table.get(INSIDE)?;
    if matches!(entry.node.value, Value::List(_)) {
        let hint = "`inside = \"plate - hole\"` cuts the domain out of its ranges; choose another name";
        let diagnostic = Diagnostic::new(entry.key.span, "a coordinate cannot be called `inside`");
        reader.report(diagnostic.label("reserved").hint(hint));
        return None;
    }
    reader.text(&entry.node, "`inside` of [domain]", "`inside = \"plate - hole\"`")
}

/// A coordinate with a wrong range still is a coordinate, so that its name is known to the equations.
fn axis(reader: &mut Reader, entry: &Entry) -> CoordinateRange {
    let what = format!("the range of `{}`", entry.key.value);
    let range = range(reader, &entry.node, &what, DOMAIN_EXAMPLE);
    let refused = range.is_none();
    let (lower, upper) = range.unwrap_or_else(|| {
        let end = |value| Spanned { value: Number::Literal(value), span: entry.node.span };
        (end(0.0), end(1.0))
    });
    CoordinateRange { name: entry.key.clone(), lower, upper, refused }
}

/// `[lower, upper]`, not empty as far as one can tell before formulas are evaluated.
pub(super) fn range(
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
