//! TOML with spans that reach over several sources: the file, its profiles and `--set` arguments merge into
//! one tree, and every node still knows where it was written. Tables keep the order of the text.

use std::ops::Range;

use toml::Spanned as TomlSpanned;
use toml::de::{DeInteger, DeString, DeTable, DeValue};

use crate::diagnostic::{Span, Spanned};

/// A value and where it was written: the content of a text, the header of a table, else the whole value.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) value: Value,
}

/// A TOML value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Integer(i128),
    Float(f64),
    Bool(bool),
    Date,
    List(Vec<Node>),
    Table(Table),
    /// What a syntax error left over; the error is reported, so readers pass over it in silence.
    Broken,
}

impl Value {
    pub(super) fn table_mut(&mut self) -> Option<&mut Table> {
        if let Value::Table(table) = self { Some(table) } else { None }
    }

    /// What it is, for labels: "this is …".
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Value::Text(_) => "text",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::Bool(_) => "true or false",
            Value::Date => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Broken => "not readable",
        }
    }
}

/// A key and its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Spanned<String>,
    pub(super) node: Node,
}

/// Keys and values in the order of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) entries: Vec<Entry>,
}

impl Table {
    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key.value == key)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.key.value == key)
    }

    pub(super) fn value_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.get_mut(key).map(|entry| &mut entry.node.value)
    }

    /// Puts a value in place of another, or after the last.
    pub(super) fn set(&mut self, key: &str, value: Value) {
        match self.value_mut(key) {
            Some(old) => *old = value,
            None => {
                let span = Span::default();
                let key = Spanned { value: key.to_owned(), span };
                self.entries.push(Entry { key, node: Node { span, value } });
            }
        }
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<Entry> {
        let position = self.entries.iter().position(|entry| entry.key.value == key)?;
        Some(self.entries.remove(position))
    }
}

/// Where a piece of TOML stands: turns the spans of the parser into ours.
pub(super) struct Origin<'a> {
    /// Which source.
    pub(super) source: usize,
    /// Where in the source the piece begins.
    pub(super) offset: usize,
    /// The piece as written.
    pub(super) text: &'a str,
    /// Lines with syntax errors; a value that begins there is [`Value::Broken`].
    pub(super) broken: &'a [Range<usize>],
}

impl Origin<'_> {
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        let start = self.text.floor_char_boundary(range.start);
        let end = self.text.floor_char_boundary(range.end.max(start));
        Span { source: self.source, start: self.offset + start, end: self.offset + end }
    }

    pub(super) fn table(&self, table: &DeTable<'_>) -> Table {
        let mut entries: Vec<Entry> =
            table.iter().map(|(key, value)| Entry { key: self.key(key), node: self.node(value) }).collect();
        entries.sort_by_key(|entry| entry.key.span.start);
        Table { entries }
    }

    fn key(&self, key: &TomlSpanned<DeString<'_>>) -> Spanned<String> {
        let name = key.get_ref().to_string();
        Spanned { span: self.content(key.span(), &name), value: name }
    }

    pub(super) fn node(&self, node: &TomlSpanned<DeValue<'_>>) -> Node {
        let range = node.span();
        let mut span = self.span(range.clone());
        let broken = self.broken.iter().any(|line| line.contains(&range.start));
        let value = match node.get_ref() {
            DeValue::Table(table) => Value::Table(self.table(table)),
            _ if broken => Value::Broken,
            DeValue::String(text) => {
                span = self.content(range, text);
                Value::Text(text.to_string())
            }
            DeValue::Integer(integer) => whole(integer),
            DeValue::Float(float) => float.as_str().parse().map_or(Value::Broken, Value::Float),
            DeValue::Boolean(value) => Value::Bool(*value),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(array) => Value::List(array.iter().map(|node| self.node(node)).collect()),
        };
        Node { span, value }
    }

    /// The content of a quoted text without its quotes if it stands there as it is, so that a place inside
    /// the content is a place in the source; with escapes the whole literal.
    fn content(&self, range: Range<usize>, content: &str) -> Span {
        let whole = self.span(range);
        let raw = &self.text[whole.start - self.offset..whole.end - self.offset];
        let inside = ["\"\"\"", "'''", "\"", "'"].into_iter().find_map(|quote| {
            let inner = raw.strip_prefix(quote)?.strip_suffix(quote)?;
            let blank_line = if quote.len() == 3 { newline_length(inner) } else { 0 };
            (inner.get(blank_line..)? == content).then_some(quote.len() + blank_line)
        });
        let Some(skipped) = inside else { return whole };
        let start = whole.start + skipped;
        Span { source: whole.source, start, end: start + content.len() }
    }
}

/// A line end right after the opening quotes of a multi-line text is not part of it.
fn newline_length(text: &str) -> usize {
    if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with('\n')) }
}

/// A number beyond any whole number becomes the nearest float, infinite if need be; the readers refuse it
/// there.
fn whole(integer: &DeInteger<'_>) -> Value {
    match i128::from_str_radix(integer.as_str(), integer.radix()) {
        Ok(value) => Value::Integer(value),
        Err(_) => Value::Float(integer.as_str().parse().unwrap_or(f64::INFINITY)),
    }
}
