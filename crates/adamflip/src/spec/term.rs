//! `[term.NAME]`: equations or observations, the place where they hold, points and a role.

use super::adaptive::adaptive;
use super::data::{self, Source};
use super::keys;
use super::reader::{Reader, Section, is_misspelt};
use super::schema::{Caputo, Measure, OBSERVED_REFERENCE, Role, Term, Tolerance};
use super::symmetry;
use super::tree::{Entry, Node, Table, Value};
use crate::diagnostic::{Diagnostic, Span, Spanned};
use crate::sample::Sampler;

pub(super) const ROLES: &[(&str, Role)] = &[("objective", Role::Objective), ("constraint", Role::Constraint)];
pub(super) const CAPUTO: &[(&str, Caputo)] =
    &[("lines", Caputo::Lines), ("scattered", Caputo::Scattered), ("l1", Caputo::L1)];
const MEASURES: &[(&str, Measure)] = &[("max", Measure::Max), ("rms", Measure::Rms), ("mse", Measure::Mse)];
/// The samplers by name, for terms and for `[train]`.
pub(super) const SAMPLERS: &[(&str, Sampler)] = &[
    ("uniform", Sampler::Uniform),
    ("grid", Sampler::Grid),
    ("latin", Sampler::Latin),
    ("sobol", Sampler::Sobol),
    ("halton", Sampler::Halton),
];
/// More points than any machine here can hold a step for; catches slips like `points = 1e10`.
pub(super) const MOST_POINTS: u64 = 1_000_000_000;
/// Two nodes are the fewest that see a slope; beyond 256 Gauss rules have long reached rounding.
const NODES: std::ops::RangeInclusive<u64> = 2..=256;
const EQUATION: &str = "`equation = \"u_t = u_xx\"`";
const TOLERANCE: &str = "write for example `tolerance = \"max < 1e-3\"`; max, rms and mse can be measured";

/// All terms: at least one. `end` is where the file ends.
pub(super) fn terms(reader: &mut Reader, root: &Table, end: Span) -> Vec<Term> {
    let hint = "write `[term.pde]`, and below it `equation = \"u_t = u_xx\"` and `points = 1000`";
    let entry = root.get("term");
    let table = match entry {
        Some(entry) => reader.table(&entry.node, "`term`", hint),
        None => Some(&Table::default()),
    };
    let Some(table) = table else { return Vec::new() };
    if table.entries.is_empty() {
        let span = entry.map_or(end, |entry| entry.key.span);
        reader.missing_key(root, "term", Diagnostic::new(span, "the problem has no terms").hint(hint));
    }
    let file =
        File { all: table, inverse: is_inverse(root, table), reference: root.get("reference").is_some() };
    table.entries.iter().filter_map(|entry| term(reader, entry, &file, hint)).collect()
}

/// What a term must know about the rest of the file.
struct File<'a> {
    /// All terms.
    all: &'a Table,
    /// Whether data is fitted under the physics.
    inverse: bool,
    /// Whether there is a reference.
    reference: bool,
}

/// There are unknowns, and data that is not said to be a constraint.
fn is_inverse(root: &Table, terms: &Table) -> bool {
    let some = |entry: &Entry| matches!(&entry.node.value, Value::Table(table) if !table.entries.is_empty());
    let fitted = |entry: &Entry| {
        let Value::Table(term) = &entry.node.value else { return false };
        let role = term.get("role").map(|entry| &entry.node.value);
        Source::of(term).has_data() && !matches!(role, Some(Value::Text(role)) if role == "constraint")
    };
    root.get("unknowns").is_some_and(some) && terms.entries.iter().any(fitted)
}

fn term(reader: &mut Reader, entry: &Entry, file: &File<'_>, hint: &str) -> Option<Term> {
    let name = &entry.key;
    check_name(reader, name);
    let place = format!("[term.{}]", name.value);
    let table = reader.table(&entry.node, &format!("`{}` in [term]", name.value), hint)?;
    let section = Section { name: &place, table };
    reader.known_keys(section, &keys::names(keys::Table::Term));
    let source = Source::of(table);
    source.check(reader, section);
    let mut texts = |key: &str, example: &str| {
        section.get(key).map(|(node, what)| reader.texts(node, &what, example)).unwrap_or_default()
    };
    let (on, observe) = (texts("on", "`on = \"t = 0\"`"), texts("observe", "`observe = [\"u\", \"u_x\"]`"));
    let complement = complement(reader, section);
    let term = Term {
        name: name.clone(),
        equations: equations(reader, section, source, name, file.all),
        complement,
        on,
        points: points(reader, section, source, name),
        cloud: section
            .get("cloud")
            .and_then(|(node, what)| reader.text(node, &what, "`cloud = \"points.csv\"`")),
        data: data(reader, section, file),
        columns: data::columns(reader, section),
        observe,
        noise: section.get("noise").and_then(|(node, what)| reader.at_least(node, &what, 0.0)),
        adaptive: section.get("adaptive").and_then(|(node, what)| adaptive(reader, node, &what)),
        caputo: section.get("caputo").and_then(|(node, what)| reader.choice(node, &what, CAPUTO)),
        nodes: section.get("nodes").and_then(|(node, what)| reader.count(node, &what, NODES)),
        role: role(reader, section, source, file),
        pointwise: section.get("pointwise").and_then(|(node, what)| reader.flag(node, &what)),
        weight: section.get("weight").and_then(|(node, what)| reader.positive(node, &what)).unwrap_or(1.0),
        sampler: section.get("sampler").and_then(|(node, what)| sampler(reader, node, &what)),
        tolerance: section.get("tolerance").and_then(|(node, what)| tolerance(reader, node, &what)),
        symmetry: symmetry::symmetry(reader, section),
        project: section.get("project").and_then(|(node, what)| reader.flag(node, &what)).unwrap_or(false),
    };
    let says = term.data.is_some() || term.complement.is_some() || term.symmetry.is_some();
    (!term.equations.is_empty() || says).then_some(term)
}

/// `complement = ["u - psi", "-u_xx - f"]`
fn complement(reader: &mut Reader, section: Section<'_>) -> Option<[Spanned<String>; 2]> {
    const EXAMPLE: &str = "`complement = [\"u - psi\", \"-u_xx - f\"]`";
    let (node, what) = section.get("complement")?;
    for key in ["equation", "data"] {
        if let Some(entry) = section.table.get(key) {
            let message = format!("{} has no use beside `complement`", section.call(key));
            let hint = "give it a term of its own, with the same `on`";
            reader.report(Diagnostic::new(entry.key.span, message).label("no use here").hint(hint));
        }
    }
    let texts = reader.texts(node, &what, EXAMPLE);
    let count = texts.len();
    let pair: Option<[Spanned<String>; 2]> = texts.try_into().ok();
    // Texts that are no texts were reported.
    if pair.is_none() && count > 0 {
        let message = format!("{what} must be two expressions: both are at least 0, and one of them is 0");
        reader.report(
            Diagnostic::new(node.span, message)
                .label("not a pair")
                .hint(format!("write for example {EXAMPLE}")),
        );
    }
    pair
}

/// Has one of the texts of `equation` a comparison outside of parentheses?
fn is_inequality(section: Section<'_>) -> bool {
    let compares = |text: &str| {
        let mut depth = 0;
        text.chars().any(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0 && matches!(c, '<' | '>')
        })
    };
    match section.table.get("equation").map(|entry| &entry.node.value) {
        Some(Value::Text(text)) => compares(text),
        Some(Value::List(list)) => {
            list.iter().any(|node| matches!(&node.value, Value::Text(text) if compares(text)))
        }
        _ => false,
    }
}

/// What [`Role`] says about files that do not say it.
fn role(reader: &mut Reader, section: Section<'_>, source: Source, file: &File<'_>) -> Role {
    let written = section.get("role").and_then(|(node, what)| reader.choice(node, &what, ROLES));
    let objective = if file.inverse { source.has_data() } else { section.get("on").is_none() };
    let objective = objective && !is_inequality(section);
    written.unwrap_or(if objective { Role::Objective } else { Role::Constraint })
}

fn data(reader: &mut Reader, section: Section<'_>, file: &File<'_>) -> Option<Spanned<String>> {
    let (node, what) = section.get("data")?;
    let data = reader.text(node, &what, "`data = \"sensors.csv\"`")?;
    if data.value == OBSERVED_REFERENCE && !file.reference {
        let hint =
            "write `[reference]`, and below it `u = \"sin(pi*x)\"`, or name a file: `data = \"sensors.csv\"`";
        let diagnostic = Diagnostic::new(node.span, "the problem has no [reference] to observe");
        reader.missing(diagnostic.label("not there").hint(hint));
    }
    Some(data)
}

fn sampler(reader: &mut Reader, node: &Node, what: &str) -> Option<Spanned<Sampler>> {
    reader.choice(node, what, SAMPLERS).map(|value| Spanned { value, span: node.span })
}

/// Names of terms stand in tables, figures and JSON, so they are kept plain.
fn check_name(reader: &mut Reader, name: &Spanned<String>) {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    if name.value.is_empty() || !name.value.chars().all(plain) {
        let diagnostic = Diagnostic::new(name.span, format!("`{}` cannot be the name of a term", name.value));
        reader.report(diagnostic.label("not a name").hint("use letters, digits, `_` and `-`"));
    }
}

fn equations(
    reader: &mut Reader,
    section: Section<'_>,
    source: Source,
    name: &Spanned<String>,
    all: &Table,
) -> Vec<Spanned<String>> {
    if let Some((node, what)) = section.get("equation") {
        return reader.texts(node, &what, EQUATION);
    }
    let complement = section.get("complement").is_some() || is_misspelt(section.table, "complement");
    let symmetry = section.get("symmetry").is_some() || is_misspelt(section.table, "symmetry");
    let data = source.has_data() || is_misspelt(section.table, "data");
    if data || complement || symmetry {
        return Vec::new();
    }
    let diagnostic = Diagnostic::new(name.span, format!("the term `{}` has no equation", name.value));
    let mut hint = format!("add for example {EQUATION}");
    // A term that `--set` made is a misspelt term of the file.
    if name.span.source > 0 {
        let terms = all.entries.iter().filter(|entry| entry.key.span.source == 0);
        let names: Vec<&str> = terms.map(|entry| entry.key.value.as_str()).collect();
        hint = format!("the terms of the file are {}", names.join(", "));
    }
    reader.missing_key(section.table, "equation", diagnostic.label("what holds here?").hint(hint));
    Vec::new()
}

/// How many points; where the file does not say it the problem decides, by the dimension of the place. A
/// number that is no number stands as one, so that the equation is checked too.
fn points(
    reader: &mut Reader,
    section: Section<'_>,
    source: Source,
    name: &Spanned<String>,
) -> Option<Spanned<usize>> {
    let (node, what) = section.get("points").filter(|_| !source.is_file())?;
    let points = reader.count(node, &what, 1..=MOST_POINTS);
    Some(points.unwrap_or(Spanned { value: 1, span: name.span }))
}

fn tolerance(reader: &mut Reader, node: &Node, what: &str) -> Option<Tolerance> {
    let text = reader.text(node, what, "`\"max < 1e-3\"`")?;
    let parsed = text.value.split_once('<').and_then(|(measure, limit)| {
        let measure = MEASURES.iter().find(|(name, _)| *name == measure.trim())?.1;
        let limit: f64 = limit.strip_prefix('=').unwrap_or(limit).trim().parse().ok()?;
        (limit.is_finite() && limit > 0.0).then_some(Tolerance { measure, limit, span: node.span })
    });
    if parsed.is_none() {
        let message = format!("{what} must be a measure, `<` and a number above 0");
        reader.report(Diagnostic::new(node.span, message).label("not understood").hint(TOLERANCE));
    }
    parsed
}
