//! Reading typed values out of the tree: every function reports what is wrong and goes on.

use super::tree::{Entry, Node, Table, Value};
use crate::diagnostic::{Diagnostic, Spanned, nearest};

/// Collects the errors of a file while its parts are read.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The file has syntax errors: what seems to be missing may stand on a spoilt line.
    pub(super) spoilt: bool,
}

/// A table whose keys are known, and its name in messages (`[term.pde]`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    pub(super) table: &'a Table,
}

impl<'a> Section<'a> {
    /// A value and what to call it: "`points` of [term.pde]".
    pub(super) fn get(&self, key: &str) -> Option<(&'a Node, String)> {
        self.table.get(key).map(|entry| (&entry.node, self.call(key)))
    }

    pub(super) fn call(&self, key: &str) -> String {
        format!("`{key}` of {}", self.name)
    }
}

impl Reader {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Something that should be there is not.
    pub(super) fn missing(&mut self, diagnostic: Diagnostic) {
        if !self.spoilt {
            self.report(diagnostic);
        }
    }

    /// The key `key` should be in `table` and is not. A misspelt one is reported as unknown: once is enough.
    pub(super) fn missing_key(&mut self, table: &Table, key: &str, diagnostic: Diagnostic) {
        if !is_misspelt(table, key) {
            self.missing(diagnostic);
        }
    }

    pub(super) fn wrong_type(&mut self, node: &Node, what: &str, wanted: &str, hint: &str) {
        if matches!(node.value, Value::Broken) {
            return;
        }
        let diagnostic = Diagnostic::new(node.span, format!("{what} must be {wanted}"));
        self.report(diagnostic.label(format!("this is {}", node.value.describe())).hint(hint));
    }

    /// A table of any keys.
    pub(super) fn table<'a>(&mut self, node: &'a Node, what: &str, hint: &str) -> Option<&'a Table> {
        match &node.value {
            Value::Table(table) => Some(table),
            _ => {
                self.wrong_type(node, what, "a table", hint);
                None
            }
        }
    }

    /// Reports every key that is not in `known`.
    pub(super) fn known_keys(&mut self, section: Section<'_>, known: &[&str]) {
        for entry in &section.table.entries {
            if !known.contains(&entry.key.value.as_str()) {
                self.unknown_key(entry, section.name, known);
            }
        }
    }

    pub(super) fn unknown_key(&mut self, entry: &Entry, place: &str, known: &[&str]) {
        let name = &entry.key.value;
        let list = format!("the keys of {place} are {}", known.join(", "));
        let hint = match nearest(name, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`? {list}"),
            None => list,
        };
        let message = format!("unknown key `{name}` in {place}");
        self.report(Diagnostic::new(entry.key.span, message).label("unknown key").hint(hint));
    }

    /// A text that is not blank.
    pub(super) fn text(&mut self, node: &Node, what: &str, example: &str) -> Option<Spanned<String>> {
        match &node.value {
            Value::Text(text) if text.trim().is_empty() => {
                let diagnostic = Diagnostic::new(node.span, format!("{what} is empty"));
                self.report(diagnostic.label("no text here").hint(format!("write for example {example}")));
                None
            }
            Value::Text(text) => Some(Spanned { value: text.clone(), span: node.span }),
            _ => {
                self.wrong_type(node, what, "text", &format!("write for example {example}"));
                None
            }
        }
    }

    /// One text or a list of texts, not empty.
    pub(super) fn texts(&mut self, node: &Node, what: &str, example: &str) -> Vec<Spanned<String>> {
        match &node.value {
            Value::List(nodes) => {
                self.not_empty(node, nodes, what, example);
                nodes.iter().filter_map(|node| self.text(node, what, example)).collect()
            }
            Value::Text(_) => self.text(node, what, example).into_iter().collect(),
            _ => {
                let hint = format!("write for example {example}");
                self.wrong_type(node, what, "text or a list of texts", &hint);
                Vec::new()
            }
        }
    }

    pub(super) fn not_empty(&mut self, node: &Node, entries: &[Node], what: &str, example: &str) {
        if entries.is_empty() {
            let diagnostic = Diagnostic::new(node.span, format!("{what} is an empty list"));
            self.report(diagnostic.label("nothing in it").hint(format!("write for example {example}")));
        }
    }

    /// A list of any values.
    pub(super) fn list<'a>(&mut self, node: &'a Node, what: &str, example: &str) -> Option<&'a [Node]> {
        match &node.value {
            Value::List(nodes) => Some(nodes),
            _ => {
                self.wrong_type(node, what, "a list", &format!("write for example {example}"));
                None
            }
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&mut self, node: &Node, what: &str) -> Option<bool> {
        match node.value {
            Value::Bool(value) => Some(value),
            _ => {
                self.wrong_type(node, what, "true or false", "write `true` or `false`, without quotes");
                None
            }
        }
    }

    /// One of a table of names.
    pub(super) fn choice<T: Copy>(&mut self, node: &Node, what: &str, choices: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = choices.iter().map(|&(name, _)| name).collect();
        let text = self.text(node, what, &format!("`\"{}\"`", names.first().unwrap_or(&"")))?;
        let found = choices.iter().find(|(name, _)| *name == text.value).map(|&(_, value)| value);
        if found.is_none() {
            let meant =
                nearest(&text.value, names.iter().copied()).map(|name| format!("did you mean `{name}`? "));
            let hint = format!("{}choose one of {}", meant.unwrap_or_default(), names.join(", "));
            let message = format!("{what} cannot be `{}`", text.value);
            self.report(Diagnostic::new(node.span, message).label("unknown name").hint(hint));
        }
        found
    }
}

/// Whether another key of the table was probably meant to be `key`.
pub(super) fn is_misspelt(table: &Table, key: &str) -> bool {
    let meant = |name: &str| name != key && nearest(name, [key]).is_some();
    table.entries.iter().any(|entry| meant(&entry.key.value))
}
