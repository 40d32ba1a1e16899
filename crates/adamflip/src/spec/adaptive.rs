//! `adaptive` of a term: points that follow the residual.

use super::reader::{Reader, Section};
use super::schema::Adaptive;
use super::tree::{Node, Value};
use crate::diagnostic::{Diagnostic, Spanned};

/// The defaults of RAD are those of Wu et al. 2023; RAR doubles the points in ten rounds.
const METHODS: &[(&str, Adaptive)] = &[
    ("rad", Adaptive::Rad { power: 1.0, floor: 1.0, pool: 10 }),
    ("rar", Adaptive::Rar { pool: 10, add: 0.1, limit: 2.0 }),
];
const RAD_KEYS: &[&str] = &["method", "power", "floor", "pool"];
const RAR_KEYS: &[&str] = &["method", "pool", "add", "limit"];
/// The residual is evaluated on the whole pool: beyond this it costs more than all else.
const LARGEST_POOL: u64 = 1000;
const EXAMPLE: &str = "`adaptive = \"rad\"` or `adaptive = { method = \"rad\", power = 1 }`";

/// The names of the ways.
pub(super) fn names() -> Vec<&'static str> {
    METHODS.iter().map(|row| row.0).chain(["none"]).collect()
}

/// `"rad"`, or a table with its settings; `"none"` takes back what a file says, in its profiles and on the
/// command line.
pub(super) fn adaptive(reader: &mut Reader, node: &Node, what: &str) -> Option<Spanned<Adaptive>> {
    let value = match &node.value {
        Value::Table(table) => settings(reader, node, Section { name: what, table })?,
        Value::Text(text) if text == "none" => return None,
        Value::Text(_) => reader.choice(node, what, METHODS)?,
        _ => {
            reader.wrong_type(node, what, "text or a table", &format!("write for example {EXAMPLE}"));
            return None;
        }
    };
    Some(Spanned { value, span: node.span })
}

fn settings(reader: &mut Reader, node: &Node, section: Section<'_>) -> Option<Adaptive> {
    let Some((method, what)) = section.get("method") else {
        let diagnostic = Diagnostic::new(node.span, format!("{} has no `method`", section.name));
        reader.missing_key(section.table, "method", diagnostic.hint(format!("write for example {EXAMPLE}")));
        let keys = ["method", "power", "floor", "pool", "add", "limit"];
        reader.known_keys(section, &keys);
        return None;
    };
    let mut chosen = reader.choice(method, &what, METHODS)?;
    let mut real = |key: &str, value: &mut f64, read: fn(&mut Reader, &Node, &str) -> Option<f64>| {
        if let Some(found) = section.get(key).and_then(|(node, what)| read(reader, node, &what)) {
            *value = found;
        }
    };
    let (keys, pool) = match &mut chosen {
        Adaptive::Rad { power, floor, pool } => {
            real("power", power, Reader::positive);
            real("floor", floor, |reader, node, what| reader.at_least(node, what, 0.0));
            (RAD_KEYS, pool)
        }
        Adaptive::Rar { pool, add, limit } => {
            real("add", add, Reader::positive);
            real("limit", limit, |reader, node, what| reader.at_least(node, what, 1.0));
            (RAR_KEYS, pool)
        }
    };
    if let Some((node, what)) = section.get("pool") {
        *pool = reader.count(node, &what, 1..=LARGEST_POOL).map_or(*pool, |count| count.value);
    }
    reader.known_keys(section, keys);
    Some(chosen)
}
