//! `[shapes]`: boxes, disks, balls, ellipses and polygons by name.

use super::domain::range;
use super::keys;
use super::reader::{Reader, Section};
use super::schema::{CoordinateRange, Number, Shape, ShapeForm};
use super::tree::{Entry, Node, Table, Value};
use crate::diagnostic::{Diagnostic, Span, Spanned};

const FORMS: &[&str] = &["box", "disk", "ball", "ellipse", "polygon"];
const EXAMPLE: &str = "`hole = { disk = { center = [0, 0], radius = 0.3 } }`";
const BOX: &str = "`box = { x = [-1, 1], y = [-1, 1] }`";
const POLYGON: &str = "`polygon = [[0, 0], [1, 0], [1, 1]]`";

/// `[shapes]`; one with an error still has a name.
pub(super) fn shapes(reader: &mut Reader, root: &Table, domain: &[CoordinateRange]) -> Vec<Shape> {
    let Some(entry) = root.get("shapes") else { return Vec::new() };
    let hint = format!("write `[shapes]`, and below it {EXAMPLE}");
    let Some(table) = reader.table(&entry.node, "`shapes`", &hint) else { return Vec::new() };
    let whole = |name: &Spanned<String>| Shape {
        name: name.clone(),
        axes: None,
        form: ShapeForm::Box(domain.to_vec()),
    };
    let shape = |entry| shape(reader, entry, domain).unwrap_or_else(|| whole(&entry.key));
    table.entries.iter().map(shape).collect()
}

fn shape(reader: &mut Reader, entry: &Entry, domain: &[CoordinateRange]) -> Option<Shape> {
    let name = &entry.key;
    let hint = format!("write for example {EXAMPLE}");
    let table = reader.table(&entry.node, &format!("the shape `{}`", name.value), &hint)?;
    let place = format!("[shapes.{}]", name.value);
    let section = Section { name: &place, table };
    reader.known_keys(section, &keys::names(keys::Table::Shape));
    let before = reader.diagnostics.len();
    let axes = section.get("axes").map(|(node, what)| {
        let axes = reader.coordinates(node, &what, "`axes = [\"x\", \"y\"]`", domain);
        Spanned { value: axes, span: node.span }
    });
    let form = form(reader, section, name, domain);
    let form = form.filter(|_| reader.diagnostics.len() == before)?;
    check_axes(reader, section, name, &form, axes.as_ref(), domain)?;
    Some(Shape { name: name.clone(), axes: axes.map(|axes| axes.value), form })
}

/// The one form that a shape has.
fn form(
    reader: &mut Reader,
    section: Section<'_>,
    name: &Spanned<String>,
    domain: &[CoordinateRange],
) -> Option<ShapeForm> {
    let forms: Vec<&Entry> =
        section.table.entries.iter().filter(|entry| FORMS.contains(&entry.key.value.as_str())).collect();
    if let [_, second, ..] = forms.as_slice() {
        let message = format!("the shape `{}` is two things at once", name.value);
        let hint = "give each a name of its own, and combine them: `inside = \"a + b\"`";
        reader.report(Diagnostic::new(second.key.span, message).label("one form too many").hint(hint));
        return None;
    }
    let Some(entry) = forms.first() else {
        // An unknown key was meant to be the form, and is reported.
        if section
            .table
            .entries
            .iter()
            .all(|entry| keys::names(keys::Table::Shape).contains(&entry.key.value.as_str()))
        {
            let message = format!("the shape `{}` has no form", name.value);
            let hint = format!("choose one of {}, for example {EXAMPLE}", FORMS.join(", "));
            reader.missing(Diagnostic::new(name.span, message).label("what is it?").hint(hint));
        }
        return None;
    };
    let (node, what) = (&entry.node, section.call(&entry.key.value));
    match entry.key.value.as_str() {
        "box" => cuboid(reader, node, &what, domain),
        "polygon" => polygon(reader, node, &what),
        kind => round(reader, node, section.name, kind),
    }
}

fn cuboid(reader: &mut Reader, node: &Node, what: &str, domain: &[CoordinateRange]) -> Option<ShapeForm> {
    let table = reader.table(node, what, &format!("write for example {BOX}"))?;
    if table.entries.is_empty() {
        let diagnostic = Diagnostic::new(node.span, format!("{what} has no coordinates"));
        reader.report(diagnostic.label("nothing in it").hint(format!("write for example {BOX}")));
    }
    let mut axes = Vec::new();
    for entry in &table.entries {
        if reader.coordinate_key(entry, what, domain) {
            let what = format!("the range of `{}` in {what}", entry.key.value);
            let range = range(reader, &entry.node, &what, BOX);
            axes.extend(range.map(|(lower, upper)| CoordinateRange {
                name: entry.key.clone(),
                lower,
                upper,
                refused: false,
            }));
        }
    }
    (!axes.is_empty()).then_some(ShapeForm::Box(axes))
}

/// Disk, ball or ellipse: a center and what surrounds it.
fn round(reader: &mut Reader, node: &Node, place: &str, kind: &str) -> Option<ShapeForm> {
    let (keys, example): (&[&str], &str) = match kind {
        "disk" => (&["center", "radius"], "`disk = { center = [0, 0], radius = 1 }`"),
        "ball" => (&["center", "radius"], "`ball = { center = [0, 0, 0], radius = 1 }`"),
        _ => (&["center", "radii", "angle"], "`ellipse = { center = [0, 0], radii = [2, 1] }`"),
    };
    let table =
        reader.table(node, &format!("`{kind}` of {place}"), &format!("write for example {example}"))?;
    let place = format!("{}.{kind}]", place.trim_end_matches(']'));
    let section = Section { name: &place, table };
    reader.known_keys(section, keys);
    let plane = match kind {
        "disk" => Some("a disk lies in a plane: write for example `[0.5, 0.5]`, or use `ball`"),
        "ball" => None,
        _ => Some("an ellipse lies in a plane: write for example `[0.5, 0.5]`"),
    };
    let mut required = |key: &str| {
        let found = section.get(key);
        if found.is_none() {
            let diagnostic = Diagnostic::new(node.span, format!("this {kind} has no `{key}`"));
            reader.missing_key(table, key, diagnostic.hint(format!("write for example {example}")));
        }
        found
    };
    let center = required("center");
    let size = required(keys[1]);
    let center = center.and_then(|(node, what)| numbers(reader, node, &what, plane, Reader::number));
    if kind == "ellipse" {
        let radii =
            size.and_then(|(node, what)| numbers(reader, node, &what, plane, Reader::positive_number));
        let angle = section.get("angle").and_then(|(node, what)| reader.number(node, &what));
        return Some(ShapeForm::Ellipse { center: center?, radii: radii?, angle });
    }
    let radius = size.and_then(|(node, what)| reader.positive_number(node, &what));
    let (center, radius) = (center?, radius?);
    Some(if kind == "disk" { ShapeForm::Disk { center, radius } } else { ShapeForm::Ball { center, radius } })
}

/// A list of numbers; two in the `plane`, which is the hint for those who write more or less, else at least
/// one.
fn numbers(
    reader: &mut Reader,
    node: &Node,
    what: &str,
    plane: Option<&str>,
    number: fn(&mut Reader, &Node, &str) -> Option<Spanned<Number>>,
) -> Option<Vec<Spanned<Number>>> {
    let example = "`[0.5, 0.5]`";
    let nodes = reader.list(node, what, example)?;
    reader.not_empty(node, nodes, what, example);
    if let Some(hint) = plane.filter(|_| nodes.len() != 2 && !nodes.is_empty()) {
        let label = if nodes.len() == 1 { "1 entry".to_owned() } else { format!("{} entries", nodes.len()) };
        let diagnostic = Diagnostic::new(node.span, format!("{what} needs two numbers"));
        reader.report(diagnostic.label(label).hint(hint));
        return None;
    }
    let found: Vec<_> = nodes.iter().filter_map(|node| number(reader, node, what)).collect();
    (!found.is_empty() && found.len() == nodes.len()).then_some(found)
}

fn polygon(reader: &mut Reader, node: &Node, what: &str) -> Option<ShapeForm> {
    let nodes = reader.list(node, what, POLYGON)?;
    if nodes.len() < 3 {
        let diagnostic = Diagnostic::new(node.span, format!("{what} needs at least three corners"));
        let label = if nodes.len() == 1 { "1 corner".to_owned() } else { format!("{} corners", nodes.len()) };
        reader.report(diagnostic.label(label).hint(format!("write for example {POLYGON}")));
        return None;
    }
    let what = format!("a corner in {what}");
    let corner = |node: &Node| {
        if matches!(node.value, Value::Integer(_) | Value::Float(_) | Value::Text(_)) {
            reader.wrong_type(node, &what, "a list of two numbers", &format!("write for example {POLYGON}"));
            return None;
        }
        <[_; 2]>::try_from(numbers(
            reader,
            node,
            &what,
            Some("write for example `[1, 0.5]`"),
            Reader::number,
        )?)
        .ok()
    };
    let corners: Vec<_> = nodes.iter().filter_map(corner).collect();
    (corners.len() == nodes.len()).then_some(ShapeForm::Polygon(corners, node.span))
}

/// A shape has as many axes as coordinates.
fn check_axes(
    reader: &mut Reader,
    section: Section<'_>,
    name: &Spanned<String>,
    form: &ShapeForm,
    axes: Option<&Spanned<Vec<Spanned<String>>>>,
    domain: &[CoordinateRange],
) -> Option<()> {
    let (needed, is_box) = (form.dimension(), matches!(form, ShapeForm::Box(_)));
    let mut refuse = |span: Span, message: String, label: String, hint: &str| {
        reader.report(Diagnostic::new(span, message).label(label).hint(hint));
        None
    };
    match axes {
        Some(axes) if is_box => {
            let message =
                format!("{} is not needed: a box names its coordinates itself", section.call("axes"));
            refuse(axes.span, message, "not for a box".into(), "remove `axes`")
        }
        Some(axes) if axes.value.len() != needed => {
            let message = format!("{} must name {needed} coordinates", section.call("axes"));
            let hint = "name one coordinate for each number of the center or of a corner";
            refuse(axes.span, message, format!("{} here", axes.value.len()), hint)
        }
        None if needed > domain.len() && !domain.is_empty() => {
            let message = format!("the shape `{}` has {needed} coordinates", name.value);
            let hint = "a shape has at most as many coordinates as [domain]";
            refuse(name.span, message, format!("the domain has {}", domain.len()), hint)
        }
        _ => Some(()),
    }
}
