//! A problem file that is put together key by key instead of being written: what builders make.

use super::resolved::{file, inline};
use super::syntax;
use super::tree::{Node, Table, Value as TreeValue};
use crate::diagnostic::Span;

/// A value of a problem file: text, a number, `true` or `false`, a list, or a table.
///
/// ```
/// use adamflip::Value;
/// let widths: Value = [20, 20].into();
/// let unknown = Value::table([("start", Value::from(1.0)), ("bounds", [0.0, 10.0].into())]);
/// # let _ = (widths, unknown);
/// ```
#[derive(Clone, Debug)]
pub struct Value(TreeValue);

/// A value that stands in no text.
fn node(value: TreeValue) -> Node {
    Node { span: Span::default(), value }
}

impl Value {
    /// The value as a file writes it.
    pub fn to_toml(&self) -> String {
        inline(&self.0)
    }

    /// A table; of equal keys the last counts.
    pub fn table<K: AsRef<str>>(entries: impl IntoIterator<Item = (K, Value)>) -> Self {
        let mut table = Table::default();
        entries.into_iter().for_each(|(key, value)| table.set(key.as_ref(), value.0));
        Self(TreeValue::Table(table))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self(TreeValue::Text(text.to_owned()))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self(TreeValue::Text(text))
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self(TreeValue::Float(number))
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self(TreeValue::Bool(flag))
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => { $(
        impl From<$integer> for Value {
            fn from(number: $integer) -> Self {
                Self(TreeValue::Integer(number as i128))
            }
        }
    )* };
}
from_integers!(i32, i64, u32, u64, usize, i128);

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(list: Vec<T>) -> Self {
        Self(TreeValue::List(list.into_iter().map(|item| node(item.into().0)).collect()))
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(list: [T; N]) -> Self {
        Vec::from(list).into()
    }
}

/// A problem file in the making.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    root: Table,
}

impl Draft {
    /// Sets a key by its path: `["train", "seed"]` is `seed` in `[train]`. Tables on the way are made.
    pub fn set(&mut self, path: &[&str], value: impl Into<Value>) {
        let Some((key, tables)) = path.split_last() else { return };
        let mut table = &mut self.root;
        for name in tables {
            if !matches!(table.get(name).map(|entry| &entry.node.value), Some(TreeValue::Table(_))) {
                table.set(name, TreeValue::Table(Table::default()));
            }
            match table.value_mut(name).and_then(TreeValue::table_mut) {
                Some(inner) => table = inner,
                None => return,
            }
        }
        table.set(key, value.into().0);
    }

    /// Whether there is such a key.
    pub fn has(&self, path: &[&str]) -> bool {
        let Some((key, tables)) = path.split_last() else { return false };
        let inner = tables.iter().try_fold(&self.root, |table, name| match &table.get(name)?.node.value {
            TreeValue::Table(inner) => Some(inner),
            _ => None,
        });
        inner.is_some_and(|table| table.get(key).is_some())
    }

    /// A draft of what a text says; what it cannot be read of is left out.
    pub fn from_text(text: &str) -> Self {
        Self { root: syntax::parse(text, &mut Vec::new()) }
    }

    /// The names in a table, or the texts of a list.
    pub fn names(&self, path: &[&str]) -> Vec<String> {
        let mut value = None;
        let mut table = Some(&self.root);
        for name in path {
            value = table.and_then(|table| table.get(name)).map(|entry| &entry.node.value);
            table = if let Some(TreeValue::Table(inner)) = value { Some(inner) } else { None };
        }
        match value {
            Some(TreeValue::Table(table)) => {
                table.entries.iter().map(|entry| entry.key.value.clone()).collect()
            }
            Some(TreeValue::List(nodes)) => {
                let text = |node: &Node| {
                    if let TreeValue::Text(text) = &node.value { Some(text.clone()) } else { None }
                };
                nodes.iter().filter_map(text).collect()
            }
            Some(TreeValue::Text(text)) => vec![text.clone()],
            _ => Vec::new(),
        }
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        file(&self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Overrides, parse};

    #[test]
    fn a_draft_is_the_file_that_one_would_write() {
        let mut draft = Draft::default();
        draft.set(&["fields"], ["u"]);
        draft.set(&["domain", "x"], [-1.0, 1.0]);
        draft.set(&["term", "pde", "equation"], "u_xx = \"no\"");
        draft.set(&["term", "pde", "points"], 100);
        draft.set(&["train", "stages"], [Value::table([("method", "adam".into()), ("steps", 5.into())])]);
        draft.set(&["domain", "x"], [-2, 2]);
        assert!(draft.has(&["term", "pde", "points"]) && !draft.has(&["term", "pde", "on"]));
        assert_eq!(
            (draft.names(&["domain"]), draft.names(&["fields"])),
            (vec!["x".into()], vec!["u".into()])
        );
        assert_eq!(Draft::from_text(&draft.text()).text(), draft.text());
        assert!(!draft.has(&["fields", "u"]) && !draft.has(&["nothing", "there"]));
        insta::assert_snapshot!(draft.text(), @r#"
        fields = ["u"]

        [domain]
        x = [-2, 2]

        [term.pde]
        equation = "u_xx = \"no\""
        points = 100

        [train]
        stages = [
            { method = "adam", steps = 5 },
        ]
        "#);
        assert!(parse("p.toml", &draft.text(), &Overrides::default()).diagnostics.is_empty());
    }
}
