//! `--set train.stages[1].lr=1e-3`: one value of the file replaced from the command line.

use std::ops::Range;

use toml::de::DeValue;

use super::reader::Reader;
use super::tree::{Entry, Node, Origin, Table, Value};
use crate::diagnostic::{Diagnostic, Span, Spanned};

const EXAMPLE: &str = "write for example `--set train.seed=1` or `--set train.stages[0].lr=1e-3`";

/// Applies one argument, which is the text of source number `source`.
pub(super) fn apply(reader: &mut Reader, root: &mut Table, source: usize, argument: &str) {
    let applied = Assignment::parse(source, argument)
        .and_then(|assignment| set_in_table(root, &assignment.path, &assignment.value, ""));
    if let Err(diagnostic) = applied {
        reader.report(*diagnostic);
    }
}

/// A path and the value to put there.
struct Assignment {
    path: Vec<Spanned<Step>>,
    value: Node,
}

/// One step of a path: `.key` or `[index]`.
enum Step {
    Key(String),
    Index(usize),
}

/// Boxed, because it is much larger than what success carries.
type Outcome<T> = Result<T, Box<Diagnostic>>;

fn fail<T>(span: Span, message: impl Into<String>, label: &str, hint: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Diagnostic::new(span, message).label(label).hint(hint)))
}

impl Assignment {
    fn parse(source: usize, text: &str) -> Outcome<Self> {
        let span = |range: Range<usize>| Span { source, start: range.start, end: range.end };
        let Some((path, _)) = text.split_once('=') else {
            return fail(span(0..text.len()), "`--set` needs a key, `=` and a value", "no `=` here", EXAMPLE);
        };
        let start = path.len() + 1;
        let raw = &text[start..];
        let start = start + raw.len() - raw.trim_start().len();
        let steps = parse_path(source, path)?;
        // Profiles are merged before, so that `--set` wins: too late to change one.
        if let Some(Spanned { value: Step::Key(key), span }) = steps.first()
            && key == "profile"
        {
            return fail(
                *span,
                "a profile cannot be changed by `--set`",
                "",
                "set the keys themselves: `train.seed=1`",
            );
        }
        Ok(Self { path: steps, value: parse_value(source, start, raw.trim())? })
    }
}

fn parse_path(source: usize, path: &str) -> Outcome<Vec<Spanned<Step>>> {
    let mut steps = Vec::new();
    let mut start = 0;
    for segment in path.split('.') {
        let (key, indices) = segment.split_at(segment.find('[').unwrap_or(segment.len()));
        let bare = key.trim();
        let begin = start + key.len() - key.trim_start().len();
        let span = Span { source, start: begin, end: begin + bare.len() };
        if bare.is_empty() {
            return fail(span, "a key is missing in the path of `--set`", "empty", EXAMPLE);
        }
        steps.push(Spanned { value: Step::Key(bare.to_owned()), span });
        parse_indices(source, start + key.len(), indices, &mut steps)?;
        start += segment.len() + 1;
    }
    Ok(steps)
}

/// `[1][2]…` that begins at `start`.
fn parse_indices(source: usize, start: usize, text: &str, steps: &mut Vec<Spanned<Step>>) -> Outcome<()> {
    let mut at = start;
    for piece in text.trim_end().split_inclusive(']') {
        let span = Span { source, start: at, end: at + piece.len() };
        let number = piece.strip_prefix('[').and_then(|piece| piece.strip_suffix(']'));
        match number.and_then(|number| number.trim().parse().ok()) {
            Some(index) => steps.push(Spanned { value: Step::Index(index), span }),
            None => return fail(span, format!("`{piece}` is not an index"), "not an index", EXAMPLE),
        }
        at += piece.len();
    }
    Ok(())
}

/// A TOML value; what is none is text, so that `4x20` needs no quotes within the quotes of a shell. But what
/// begins like a list, a table or a quoted text was meant as one.
fn parse_value(source: usize, offset: usize, raw: &str) -> Outcome<Node> {
    let origin = Origin { source, offset, text: raw, broken: &[] };
    match DeValue::parse(raw) {
        Ok(value) => Ok(origin.node(&value)),
        Err(error) if raw.starts_with(['[', '{', '"', '\'']) => {
            let span = origin.span(error.span().unwrap_or(0..raw.len()));
            let hint = "check brackets, quotes and commas, and that the shell leaves them alone";
            fail(span, format!("the value of `--set` is not valid TOML: {}", error.message()), "", hint)
        }
        Err(_) => Ok(Node { span: origin.span(0..raw.len()), value: Value::Text(raw.to_owned()) }),
    }
}

/// `name` is the path to `table`, empty for the file itself.
fn set_in_table(table: &mut Table, path: &[Spanned<Step>], value: &Node, name: &str) -> Outcome<()> {
    let Some((step, rest)) = path.split_first() else { return Ok(()) };
    let key = match &step.value {
        Step::Key(key) => key,
        Step::Index(_) => return fail(step.span, "a table has keys, no indices", "an index", EXAMPLE),
    };
    let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
    if let Some(entry) = table.get_mut(key) {
        return set_in_node(&mut entry.node, rest, value, &name);
    }
    if let Some(Spanned { value: Step::Index(_), span }) = rest.first() {
        let hint = format!("write it in the file, or whole: `--set '{name}=[…]'`");
        return fail(*span, format!("`{name}` is not in the file"), "an entry of what?", hint);
    }
    let mut node = Node { span: step.span, value: Value::Table(Table::default()) };
    set_in_node(&mut node, rest, value, &name)?;
    table.entries.push(Entry { key: Spanned { value: key.clone(), span: step.span }, node });
    Ok(())
}

/// `name` is the path to `node`.
fn set_in_node(node: &mut Node, path: &[Spanned<Step>], value: &Node, name: &str) -> Outcome<()> {
    let Some((step, rest)) = path.split_first() else {
        *node = value.clone();
        return Ok(());
    };
    match (&mut node.value, &step.value) {
        (Value::Table(table), Step::Key(_)) => set_in_table(table, path, value, name),
        (Value::List(nodes), Step::Index(index)) => {
            let length = nodes.len();
            match nodes.get_mut(*index) {
                Some(node) => set_in_node(node, rest, value, &format!("{name}[{index}]")),
                None => fail(
                    step.span,
                    format!("`{name}` has {length} entries"),
                    "beyond the last",
                    count_hint(length),
                ),
            }
        }
        (Value::List(_), Step::Key(key)) => fail(
            step.span,
            format!("`{name}` is a list"),
            "a key",
            format!("say which entry: `{name}[0].{key}`"),
        ),
        (Value::Broken, _) => Ok(()),
        (other, Step::Key(_)) => {
            let message = format!("`{name}` is {}, it has no keys", other.describe());
            fail(step.span, message, "no such key", format!("write `--set {name}=…` to replace it"))
        }
        (other, Step::Index(_)) => {
            let message = format!("`{name}` is {}, it has no entries", other.describe());
            fail(step.span, message, "no such entry", EXAMPLE)
        }
    }
}

fn count_hint(length: usize) -> String {
    match length {
        0 => "the list is empty".into(),
        1 => "the only entry is `[0]`".into(),
        _ => format!("entries are counted from `[0]` to `[{}]`", length - 1),
    }
}
