//! The names of a problem and what they stand for: fields, constants, and what no name may be.

use std::collections::HashMap;

use super::reader::Reader;
use super::schema::{Number, Spec};
use super::tree::{Table, Value};
use crate::diagnostic::{Diagnostic, Span, Spanned};

const FIELDS_EXAMPLE: &str = "`fields = [\"u\"]`";

/// `fields = ["u", "v"]`: at least one. `start` is where the file begins.
pub(super) fn fields(reader: &mut Reader, root: &Table, start: Span) -> Vec<Spanned<String>> {
    let Some(entry) = root.get("fields") else {
        let hint = "name the functions that are sought, above the first section: `fields = [\"u\"]`";
        reader.missing_key(root, "fields", Diagnostic::new(start, "the problem has no `fields`").hint(hint));
        return Vec::new();
    };
    reader.texts(&entry.node, "`fields`", FIELDS_EXAMPLE)
}

type Constants = Vec<(Spanned<String>, Spanned<Number>)>;
type Continuation = Vec<(usize, Vec<Spanned<Number>>)>;

/// `[constants]`; one with a wrong value still has a name. A list is a constant that comes to its last value
/// step by step.
pub(super) fn constants(reader: &mut Reader, root: &Table) -> (Constants, Continuation) {
    let (mut constants, mut continuation) = (Vec::new(), Continuation::new());
    let Some(entry) = root.get("constants") else { return (constants, continuation) };
    let hint = "write `[constants]`, and below it `nu = 0.1`";
    let Some(table) = reader.table(&entry.node, "`constants`", hint) else {
        return (constants, continuation);
    };
    for (index, entry) in table.entries.iter().enumerate() {
        let what = format!("the constant `{}`", entry.key.value);
        let nodes = match &entry.node.value {
            Value::List(nodes) if !nodes.is_empty() => &nodes[..],
            _ => std::slice::from_ref(&entry.node),
        };
        let value = |node| reader.number(node, &what).unwrap_or_else(|| placeholder(entry.node.span));
        let mut values: Vec<_> = nodes.iter().map(value).collect();
        let last = values.pop().unwrap_or_else(|| placeholder(entry.node.span));
        if !values.is_empty() {
            continuation.push((index, values));
        }
        constants.push((entry.key.clone(), last));
    }
    if let [(_, first), others @ ..] = &continuation[..]
        && let Some((other, _)) = others.iter().find(|(_, values)| values.len() != first.len())
    {
        let diagnostic = Diagnostic::new(
            constants[*other].0.span,
            "constants that change together have lists of one length",
        );
        let count = first.len() + 1;
        reader.diagnostics.push(
            diagnostic.label(format!("not {count} values")).hint(format!("give {count} values, or one")),
        );
        continuation.clear();
    }
    (constants, continuation)
}

/// What stands for a number that could not be read.
pub(super) fn placeholder(span: Span) -> Spanned<Number> {
    Spanned { value: Number::Literal(1.0), span }
}

/// Every name is an identifier, not a word of the equation language, and stands for one thing only.
pub(super) fn check_names(reader: &mut Reader, spec: &Spec) {
    let coordinates = spec.domain.iter().map(|axis| (&axis.name, "a coordinate"));
    let fields = spec.fields.iter().map(|name| (name, "a field"));
    let shapes = spec.shapes.iter().map(|shape| (&shape.name, "a shape"));
    let constants = spec.constants.iter().map(|(name, _)| (name, "a constant"));
    let defines = spec.defines.iter().map(|define| match define.parameters {
        Some(_) => (&define.name, "a function"),
        None => (&define.name, "a definition"),
    });
    let unknowns = spec.unknowns.iter().map(|unknown| (&unknown.name, "an unknown"));
    let reference = |name: &Spanned<String>| {
        let of = name.value.strip_suffix("_reference");
        of.is_some_and(|of| spec.fields.iter().any(|field| field.value == of))
    };
    for name in spec.fields.iter().filter(|name| reference(name)) {
        let diagnostic =
            Diagnostic::new(name.span, format!("`{}` is the reference in exported files", name.value));
        reader.report(diagnostic.label("reserved").hint("choose another name"));
    }
    let mut seen: HashMap<&str, &str> = HashMap::new();
    let names = coordinates.chain(fields).chain(shapes).chain(constants).chain(defines).chain(unknowns);
    for (name, kind) in names {
        if let Some(problem) = name_problem(&name.value) {
            report_name(reader, name.span, problem);
        } else if name.value == "N" && !spec.network.ansatz.is_empty() {
            let hint = "choose another name, or remove `ansatz` from [network]";
            let diagnostic = Diagnostic::new(name.span, "`N` stands for the network's output in `ansatz`");
            reader.report(diagnostic.label("reserved").hint(hint));
        } else if let Some(other) = seen.insert(&name.value, kind) {
            let message = format!("the name `{}` is used twice", name.value);
            let diagnostic = Diagnostic::new(name.span, message).label(format!("already {other}"));
            reader.report(diagnostic.hint("choose another name for one of them"));
        }
    }
}

/// The words of the equation language that no name may be, and what each does.
#[rustfmt::skip]
const RESERVED: &[(&str, &str)] = &[
    ("pi",        "is the number 3.14…"),
    ("d",         "stands for derivatives"),
    ("where",     "chooses between two expressions"),
    ("integral",  "stands for integrals"),
    ("caputo",    "stands for fractional derivatives"),
    ("laplacian", "stands for the sum of second derivatives"),
    ("grad",      "stands for the gradient"),
    ("div",       "stands for the divergence"),
    ("dot",       "stands for the product of vectors"),
    ("and",       "joins conditions"),
    ("or",        "joins conditions"),
    ("boundary",  "stands for the whole boundary"),
];

/// Message, label and hint about a name that equations cannot hold.
type NameProblem = (String, &'static str, &'static str);

pub(super) fn name_problem(name: &str) -> Option<NameProblem> {
    if let Some((_, meaning)) = RESERVED.iter().find(|(word, _)| *word == name) {
        return Some((format!("`{name}` {meaning}"), "reserved", "choose another name"));
    }
    let hint = "begin with a letter, then letters, digits and `_`";
    (!is_identifier(name)).then(|| (format!("`{name}` cannot be a name in equations"), "not a name", hint))
}

pub(super) fn report_name(reader: &mut Reader, span: Span, (message, label, hint): NameProblem) {
    reader.report(Diagnostic::new(span, message).label(label).hint(hint));
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    // Plain digits, as the equations have them: `u₁` is no name there.
    letters.next().is_some_and(char::is_alphabetic)
        && letters.all(|c| c.is_alphabetic() || c.is_ascii_digit() || c == '_')
}
