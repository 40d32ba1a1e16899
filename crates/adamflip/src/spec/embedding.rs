//! What stands before and after the layers of `[network]`: embeddings of the coordinates, factorized weights,
//! an ansatz.

use super::keys;
use super::reader::{Reader, Section};
use super::schema::{CoordinateRange, Number, OutputScales};
use super::tree::{Entry, Node, Value};
use crate::diagnostic::{Diagnostic, Spanned};
use crate::network::{Factorized, Fourier};

const MOST_FEATURES: u64 = 4096;
const FOURIER: &str = "`fourier = { features = 64, scale = 1.0 }`";
const PERIODIC: &str = "`periodic = [\"x\"]`";
const OUTPUTS: &str = "`scale_outputs = { T = [298, 5] }`, the middle of the values and their size";
const FACTORIZED: &str = "`factorized = true` or `factorized = { mean = 1.0, deviation = 0.1 }`";

/// `fourier = { features = 64, scale = 1.0 }`; the scale is 1 if not given, and may be one for each
/// coordinate.
pub(super) fn fourier(
    reader: &mut Reader,
    section: Section<'_>,
    domain: &[CoordinateRange],
) -> Option<Fourier> {
    let (node, what) = section.get("fourier")?;
    let table = reader.table(node, &what, &format!("write for example {FOURIER}"))?;
    let section = Section { name: "[network.fourier]", table };
    reader.known_keys(section, &keys::names(keys::Table::Fourier));
    let (scale, scales) = match section.get("scale") {
        None => (Some(1.0), Vec::new()),
        Some((node, _)) if matches!(node.value, Value::Table(_)) => (Some(1.0), scales(reader, node, domain)),
        Some((node, what)) => (reader.positive(node, &what), Vec::new()),
    };
    let Some((features, what)) = section.get("features") else {
        let diagnostic = Diagnostic::new(node.span, "[network.fourier] has no `features`");
        reader.missing_key(table, "features", diagnostic.hint(format!("write for example {FOURIER}")));
        return None;
    };
    let features = reader.count(features, &what, 1..=MOST_FEATURES)?.value;
    Some(Fourier { features, scale: scale?, scales })
}

/// `scale = { x = 4, t = 9 }`.
fn scales(reader: &mut Reader, node: &Node, domain: &[CoordinateRange]) -> Vec<(usize, f64)> {
    let Value::Table(table) = &node.value else { return Vec::new() };
    let scale = |entry: &Entry| {
        if !reader.coordinate_key(entry, "[network.fourier.scale]", domain) {
            return None;
        }
        let scale = reader.positive(&entry.node, &format!("the scale of `{}`", entry.key.value))?;
        Some((domain.iter().position(|axis| axis.name.value == entry.key.value)?, scale))
    };
    table.entries.iter().filter_map(scale).collect()
}

/// `periodic = ["x"]`, or with periods: `{ x = 1.0 }`; `[]` for none.
pub(super) fn periodic(
    reader: &mut Reader,
    section: Section<'_>,
    domain: &[CoordinateRange],
) -> Vec<(Spanned<String>, Option<Spanned<Number>>)> {
    let Some((node, what)) = section.get("periodic") else { return Vec::new() };
    let table = match &node.value {
        Value::Table(table) => table,
        // A profile takes back what the file says.
        Value::List(names) if names.is_empty() => return Vec::new(),
        _ => {
            let names = reader.coordinates(node, &what, PERIODIC, domain);
            return names.into_iter().map(|name| (name, None)).collect();
        }
    };
    let period = |entry: &Entry| {
        if !reader.coordinate_key(entry, "[network.periodic]", domain) {
            return None;
        }
        let period = reader.positive_number(&entry.node, &format!("the period of `{}`", entry.key.value))?;
        Some((entry.key.clone(), Some(period)))
    };
    table.entries.iter().filter_map(period).collect()
}

/// `scale_outputs = { T = [298, 5] }`; `true`: by what the problem says; `false`: none.
pub(super) fn output_scales(
    reader: &mut Reader,
    node: &Node,
    what: &str,
    fields: &[Spanned<String>],
) -> OutputScales {
    let known: Vec<&str> = fields.iter().map(|field| field.value.as_str()).collect();
    let mut scale = |entry: &Entry| {
        let Some(field) = known.iter().position(|name| *name == entry.key.value) else {
            reader.unknown_key(entry, "[network.scale_outputs]", &known);
            return None;
        };
        let what = format!("the scale of `{}`", entry.key.value);
        let numbers = reader.list(&entry.node, &what, OUTPUTS)?;
        let [offset, size] = numbers else {
            reader.wrong_type(&entry.node, &what, "two numbers", &format!("write for example {OUTPUTS}"));
            return None;
        };
        Some((field, [reader.real(offset, &what)?, reader.positive(size, &what)?]))
    };
    match &node.value {
        Value::Bool(true) => OutputScales::Auto,
        Value::Bool(false) => OutputScales::Given(Vec::new()),
        Value::Table(table) => OutputScales::Given(table.entries.iter().filter_map(&mut scale).collect()),
        _ => {
            let hint = format!("write for example {OUTPUTS}");
            reader.wrong_type(node, what, "true, false or a table", &hint);
            OutputScales::Auto
        }
    }
}

/// `factorized = true`, or a table with the distribution.
pub(super) fn factorized(reader: &mut Reader, section: Section<'_>) -> Option<Factorized> {
    let (node, what) = section.get("factorized")?;
    let mut factorized = Factorized::default();
    match &node.value {
        Value::Bool(chosen) => chosen.then_some(factorized),
        Value::Table(table) => {
            let section = Section { name: "[network.factorized]", table };
            reader.known_keys(section, &keys::names(keys::Table::Factorized));
            if let Some((node, what)) = section.get("mean") {
                factorized.mean = reader.real(node, &what)?;
            }
            if let Some((node, what)) = section.get("deviation") {
                factorized.deviation = reader.at_least(node, &what, 0.0)?;
            }
            Some(factorized)
        }
        _ => {
            reader.wrong_type(
                node,
                &what,
                "true, false or a table",
                &format!("write for example {FACTORIZED}"),
            );
            None
        }
    }
}

/// `ansatz = "x*(1 - x)*N"`, or one for each field by name.
pub(super) fn ansatz(
    reader: &mut Reader,
    section: Section<'_>,
    fields: &[Spanned<String>],
) -> Vec<(Option<Spanned<String>>, Spanned<String>)> {
    let Some((node, what)) = section.get("ansatz") else { return Vec::new() };
    match &node.value {
        Value::Table(table) => {
            let known: Vec<&str> = fields.iter().map(|field| field.value.as_str()).collect();
            let formula = |entry: &Entry| {
                if !known.contains(&entry.key.value.as_str()) && !known.is_empty() {
                    reader.unknown_key(entry, "[network.ansatz]", &known);
                    return None;
                }
                let what = format!("the ansatz of `{}`", entry.key.value);
                Some((Some(entry.key.clone()), reader.text(&entry.node, &what, "`\"x*(1 - x)*N\"`")?))
            };
            table.entries.iter().filter_map(formula).collect()
        }
        Value::Text(_) => {
            let text = reader.text(node, &what, "`ansatz = \"x*(1 - x)*N\"`");
            if let [first, _, ..] = fields {
                whose(reader, node, &what, &first.value);
            }
            text.map(|text| (None, text)).into_iter().collect()
        }
        _ => {
            reader.wrong_type(node, &what, "text or a table", "write for example `ansatz = \"x*(1 - x)*N\"`");
            Vec::new()
        }
    }
}

fn whose(reader: &mut Reader, node: &Node, what: &str, field: &str) {
    let diagnostic = Diagnostic::new(node.span, format!("{what} must say which field it is for"));
    let hint = format!("write `ansatz = {{ {field} = \"…\" }}`; fields without one are plain outputs");
    reader.report(diagnostic.label("there are several fields").hint(hint));
}
