//! The problem as it was read: the file with its profile and `--set` arguments applied, as the text of a new
//! file that stands on its own.

mod taken;

use std::path::PathBuf;
use std::sync::Arc;

use super::Parsed;
use super::schema::{Network, OBSERVED_REFERENCE, OutputScales};
use super::tree::{Node, Table, Value};
use crate::data::Arrays;
use crate::diagnostic::Span;
pub use taken::TakenStage;

/// The folder of data files beside a resolved problem file.
pub const DATA: &str = "data";

/// A problem file without profiles, and the data files that belong beside it.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    root: Table,
    /// The data files.
    pub files: Vec<DataFile>,
}

/// A data file that belongs to a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFile {
    /// Its name in the folder [`DATA`].
    pub name: String,
    /// What it holds.
    pub content: Content,
}

/// What a data file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// That of another file.
    File(PathBuf),
    /// Arrays in memory.
    Arrays(Arc<Arrays>),
}

impl Parsed {
    /// The problem with everything applied, and with this seed.
    pub fn resolved(&self, seed: u64) -> Resolved {
        let mut root = self.root.clone();
        let mut files = Vec::new();
        let terms = root.value_mut("term").and_then(Value::table_mut);
        for term in terms.into_iter().flat_map(|terms| &mut terms.entries) {
            for key in ["data", "cloud"] {
                let value = term.node.value.table_mut().and_then(|term| term.value_mut(key));
                value.into_iter().for_each(|value| self.collect(value, &mut files));
            }
        }
        let reference = root.value_mut("reference").and_then(Value::table_mut);
        let value = reference.and_then(|reference| reference.value_mut("data"));
        value.into_iter().for_each(|value| self.collect(value, &mut files));
        let mut resolved = Resolved { root, files };
        resolved.set_seed(seed);
        resolved
    }

    /// Leads a path to the folder of data files.
    fn collect(&self, value: &mut Value, files: &mut Vec<DataFile>) {
        let Value::Text(path) = value else { return };
        if path == OBSERVED_REFERENCE {
            return;
        }
        let content = match self.spec.arrays.iter().find(|arrays| arrays.name() == path) {
            Some(arrays) => Content::Arrays(arrays.clone()),
            None => Content::File(self.spec.folder.join(path.as_str())),
        };
        let name = match files.iter().find(|known| known.content == content) {
            Some(known) => known.name.clone(),
            None => {
                let name = unused(std::path::Path::new(path), files);
                files.push(DataFile { name: name.clone(), content });
                name
            }
        };
        *path = format!("{DATA}/{name}");
    }
}

impl Resolved {
    /// The text of the file.
    pub fn text(&self) -> String {
        file(&self.root)
    }

    /// Every value that can change a result, by its path (`term.pde.equation`): the title and the time that a
    /// run may take cannot.
    pub fn values(&self) -> Vec<(String, String)> {
        const SILENT: [&str; 2] = ["title", "train.max_seconds"];
        let mut values = Vec::new();
        leaves("", &self.root, &mut values);
        values.retain(|(path, _)| !SILENT.contains(&path.as_str()));
        values
    }

    /// The paths of the data files that are files.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().filter_map(|file| match &file.content {
            Content::File(path) => Some(path),
            Content::Arrays(_) => None,
        })
    }

    /// Sets the seed.
    pub fn set_seed(&mut self, seed: u64) {
        if self.root.get("train").is_none() {
            self.root.set("train", Value::Table(Table::default()));
        }
        let train = self.root.value_mut("train").and_then(Value::table_mut);
        train.into_iter().for_each(|train| train.set("seed", Value::Integer(seed.into())));
    }

    /// Writes down the number of points of a term, where the file leaves it open.
    pub fn set_points(&mut self, term: &str, points: usize) {
        let terms = self.root.value_mut("term").and_then(Value::table_mut);
        let table = terms.and_then(|terms| terms.value_mut(term)).and_then(Value::table_mut);
        table.into_iter().for_each(|table| table.set("points", Value::Integer(points as i128)));
    }

    /// Writes down the network that was chosen, so that the file means the same wherever it is read.
    pub fn set_network(&mut self, network: &Network, fields: &[String], coordinates: &[String]) {
        if self.root.get("network").is_none() {
            self.root.set("network", Value::Table(Table::default()));
        }
        let Some(table) = self.root.value_mut("network").and_then(Value::table_mut) else { return };
        let number = |value: f64| Node { value: Value::Float(value), span: Span::default() };
        if let OutputScales::Given(scales) = &network.scale_outputs {
            let mut chosen = Table::default();
            for &(field, [offset, size]) in scales {
                chosen.set(&fields[field], Value::List(vec![number(offset), number(size)]));
            }
            let value = if scales.is_empty() { Value::Bool(false) } else { Value::Table(chosen) };
            table.set("scale_outputs", value);
        }
        if !network.is_given {
            // Read again it is given: that it may grow is to be said.
            let train = self.root.value_mut("train").and_then(Value::table_mut);
            train
                .into_iter()
                .filter(|train| train.get("grow").is_none() && train.get("stages").is_none())
                .for_each(|train| train.set("grow", Value::Bool(true)));
            let Some(table) = self.root.value_mut("network").and_then(Value::table_mut) else { return };
            let width = |&width: &usize| Node { value: Value::Integer(width as i128), span: Span::default() };
            table.set("hidden", Value::List(network.hidden.iter().map(width).collect()));
            if !network.periodic.is_empty() {
                let name = |name: &str| Node { value: Value::Text(name.to_owned()), span: Span::default() };
                let names = network.periodic.iter().map(|(coordinate, _)| name(&coordinate.value));
                table.set("periodic", Value::List(names.collect()));
            }
            if let Some(fourier) = &network.fourier {
                let mut scales = Table::default();
                for &(coordinate, scale) in &fourier.scales {
                    scales.set(&coordinates[coordinate], Value::Float(scale));
                }
                let mut chosen = Table::default();
                chosen.set("features", Value::Integer(fourier.features as i128));
                chosen.set("scale", Value::Table(scales));
                table.set("fourier", Value::Table(chosen));
            }
        }
    }
}

/// The values of a table and of all tables in it. An empty one is a value too.
fn leaves(path: &str, table: &Table, values: &mut Vec<(String, String)>) {
    for entry in &table.entries {
        let dot = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{dot}{}", key(&entry.key.value));
        match &entry.node.value {
            Value::Table(table) if !table.entries.is_empty() => leaves(&path, table, values),
            value => values.push((path, inline(value))),
        }
    }
}

/// The name of a file, with a number where another has it.
fn unused(path: &std::path::Path, files: &[DataFile]) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let taken = |name: &String| files.iter().any(|known| known.name == *name);
    let numbered = (2..).map(|number| format!("{number}-{name}"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(name)
}

/// A whole file: plain keys first, then a section for each table; one whose entries all are tables is a
/// section for each of these.
pub(super) fn file(root: &Table) -> String {
    let is_table = |node: &Node| matches!(node.value, Value::Table(_));
    let mut text: String =
        root.entries.iter().filter(|e| !is_table(&e.node)).map(|e| line(&e.key.value, &e.node)).collect();
    for entry in &root.entries {
        let Value::Table(table) = &entry.node.value else { continue };
        let name = key(&entry.key.value);
        if !table.entries.is_empty() && table.entries.iter().all(|entry| is_table(&entry.node)) {
            for inner in &table.entries {
                if let Value::Table(table) = &inner.node.value {
                    text += &section(&format!("{name}.{}", key(&inner.key.value)), table);
                }
            }
        } else {
            text += &section(&name, table);
        }
    }
    text
}

fn section(name: &str, table: &Table) -> String {
    let lines: String = table.entries.iter().map(|entry| line(&entry.key.value, &entry.node)).collect();
    format!("\n[{name}]\n{lines}")
}

fn line(name: &str, node: &Node) -> String {
    let value = match &node.value {
        // One table a line: stages are long.
        Value::List(nodes) if matches!(nodes.first().map(|node| &node.value), Some(Value::Table(_))) => {
            let rows: String = nodes.iter().map(|node| format!("    {},\n", inline(&node.value))).collect();
            format!("[\n{rows}]")
        }
        value => inline(value),
    };
    format!("{} = {value}\n", key(name))
}

pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Text(text) => quoted(text),
        Value::Integer(integer) => integer.to_string(),
        // As few digits as bring the number back, always with a point or an exponent.
        Value::Float(float) => format!("{float:?}"),
        Value::Bool(value) => value.to_string(),
        Value::List(nodes) => {
            format!("[{}]", nodes.iter().map(|node| inline(&node.value)).collect::<Vec<_>>().join(", "))
        }
        Value::Table(table) => {
            let entry = |entry: &super::tree::Entry| {
                format!("{} = {}", key(&entry.key.value), inline(&entry.node.value))
            };
            format!("{{ {} }}", table.entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        // No key takes a date, and what is broken is reported: neither comes from a file without errors.
        Value::Date | Value::Broken => quoted(""),
    }
}

fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            _ if c.is_control() => format!("\\u{:04X}", u32::from(c)),
            _ => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}
