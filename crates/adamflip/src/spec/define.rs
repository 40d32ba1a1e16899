//! `[define]`: named expressions and functions, the names taken apart and the bodies left to `lang`.

use super::reader::Reader;
use super::schema::Define;
use super::symbols::{name_problem, report_name};
use super::tree::{Entry, Node, Table, Value};
use crate::diagnostic::{Diagnostic, Span, Spanned};

const EXAMPLE: &str = "`flux = \"k*u_x\"` or `\"g(s)\" = \"exp(-s^2)\"`";

/// `[define]`; one with a wrong body still has a name.
pub(super) fn defines(reader: &mut Reader, root: &Table) -> Vec<Define> {
    let Some(entry) = root.get("define") else { return Vec::new() };
    let hint = format!("write `[define]`, and below it {EXAMPLE}");
    let Some(table) = reader.table(&entry.node, "`define`", &hint) else { return Vec::new() };
    table.entries.iter().filter_map(|entry| define(reader, entry)).collect()
}

fn define(reader: &mut Reader, entry: &Entry) -> Option<Define> {
    let (name, parameters) = head(reader, &entry.key)?;
    let body = body(reader, &entry.node, &name.value);
    Some(Define { name, parameters, body })
}

/// A name, and the parameters of a function.
type Head = (Spanned<String>, Option<Vec<Spanned<String>>>);

fn head(reader: &mut Reader, key: &Spanned<String>) -> Option<Head> {
    let text = key.value.as_str();
    let Some(open) = text.find('(') else { return Some((part(key, 0, text.len()), None)) };
    let Some(inside) = text[open + 1..].trim_end().strip_suffix(')') else {
        let diagnostic = Diagnostic::new(key.span, format!("`{text}` is not a name with parameters"));
        reader.report(diagnostic.label("not understood").hint(format!("write for example {EXAMPLE}")));
        return None;
    };
    let name = part(key, 0, open);
    if inside.trim().is_empty() {
        let diagnostic =
            Diagnostic::new(key.span, format!("the function `{}` has no parameters", name.value));
        reader
            .report(diagnostic.label("nothing in `()`").hint(format!("write `{}` without `()`", name.value)));
        return Some((name, None));
    }
    let mut parameters: Vec<Spanned<String>> = Vec::new();
    let mut start = open + 1;
    for piece in inside.split(',') {
        let parameter = part(key, start, start + piece.len());
        start += piece.len() + 1;
        check_parameter(reader, &name.value, &parameter, &parameters);
        // Kept in any case, so that calls have the right number of arguments.
        parameters.push(parameter);
    }
    Some((name, Some(parameters)))
}

/// A parameter may have the name of something else, which it then hides; but not of another parameter.
fn check_parameter(
    reader: &mut Reader,
    function: &str,
    parameter: &Spanned<String>,
    others: &[Spanned<String>],
) {
    let (name, span) = (&parameter.value, parameter.span);
    if name.is_empty() {
        let diagnostic = Diagnostic::new(span, format!("a parameter of `{function}` has no name"));
        reader.report(diagnostic.label("no name here").hint("write one, or remove a comma"));
    } else if let Some(problem) = name_problem(name) {
        report_name(reader, span, problem);
    } else if others.iter().any(|other| other.value == *name) {
        let diagnostic =
            Diagnostic::new(span, format!("the function `{function}` has two parameters `{name}`"));
        reader.report(diagnostic.label("the second").hint("choose another name for one of them"));
    }
}

/// A piece of a key without blanks around it. A key with escapes is not written as it reads: then all of it
/// is the place.
fn part(key: &Spanned<String>, start: usize, end: usize) -> Spanned<String> {
    let piece = &key.value[start..end];
    let start = start + piece.len() - piece.trim_start().len();
    let value = piece.trim().to_owned();
    let span = match key.span.end - key.span.start == key.value.len() {
        true => Span { start: key.span.start + start, end: key.span.start + start + value.len(), ..key.span },
        false => key.span,
    };
    Spanned { value, span }
}

/// What a definition without valid body stands for: something harmless.
fn body(reader: &mut Reader, node: &Node, name: &str) -> Spanned<String> {
    let what = format!("the definition of `{name}`");
    let body = match node.value {
        Value::Integer(_) | Value::Float(_) => {
            reader.wrong_type(node, &what, "text", "numbers are given names in [constants]");
            None
        }
        _ => reader.text(node, &what, "`\"k*u_x\"`"),
    };
    body.unwrap_or(Spanned { value: "1".into(), span: node.span })
}
