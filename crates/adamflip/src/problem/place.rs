//! The `on` of a term: texts to parts of the domain.

use std::sync::Arc;

use super::names::Names;
use crate::diagnostic::{Diagnostic, Spanned, nearest};
use crate::geometry::{Boundary, Domain, Part, PartError, Place, Predicate};
use crate::lang::{self, Graph, Leaf, Tape};

/// The place of a term; nothing where a text has an error.
pub(super) fn place(
    texts: &[Spanned<String>],
    names: &Names,
    domain: &Domain,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Place> {
    let parts: Vec<Option<Part>> = texts.iter().map(|text| part(text, names, domain, diagnostics)).collect();
    Some(Place { parts: parts.into_iter().collect::<Option<_>>()? })
}

fn part(
    text: &Spanned<String>,
    names: &Names,
    domain: &Domain,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Part> {
    let mut graph = Graph::new();
    let read = lang::place(text, &names.given_scope(), &mut graph);
    let found = read.map_err(|mistakes| diagnostics.extend(mistakes)).ok()?;
    let mut part = Part {
        fixed: found.fixed.iter().map(|&(c, value)| (c, snap(domain, c, value))).collect(),
        boundary: None,
        ranges: Vec::new(),
        within: Vec::new(),
    };
    for (name, span) in &found.names {
        let boundary = boundary(name, domain);
        match boundary {
            Some(boundary) if part.boundary.is_none() => part.boundary = Some(boundary),
            Some(_) => {
                let diagnostic = Diagnostic::new(*span, "a place lies on one boundary at a time");
                diagnostics.push(diagnostic.label("second boundary").hint("write several places as a list"));
                return None;
            }
            None => {
                diagnostics.push(unknown_name(name, *span, domain));
                return None;
            }
        }
    }
    for (coordinate, lower, upper) in found.ranges {
        let (least, most) = (domain.lower[coordinate], domain.upper[coordinate]);
        let (lower, upper) = (lower.unwrap_or(least).max(least), upper.unwrap_or(most).min(most));
        if lower >= upper {
            let name = &names.coordinates[coordinate];
            let message = format!("the place `{}` is empty", text.value);
            let diagnostic = Diagnostic::new(text.span, message);
            let label = format!("no {name} of [{least}, {most}] is meant");
            diagnostics.push(diagnostic.label(label).hint("turn the comparison round, or change the number"));
            return None;
        }
        part.ranges.push((coordinate, lower, upper));
    }
    for condition in found.conditions {
        part.within.push(predicate(&text.value, Tape::lower(&graph, &[condition])));
    }
    match domain.check(&part) {
        Ok(()) => Some(part),
        Err(error) => {
            diagnostics.push(bad_part(text, &error, &part, names, domain));
            None
        }
    }
}

/// Whether a point meets a condition, a tape that gives 1 or 0.
fn predicate(text: &str, tape: Tape) -> Predicate {
    let tape = Arc::new(tape);
    Predicate::new(text, move |point: &[f64]| {
        let mut values = vec![0.0; tape.registers()];
        for (value, leaf) in values.iter_mut().zip(tape.inputs()) {
            if let Leaf::Coordinate(c) = *leaf {
                *value = point[c];
            }
        }
        tape.forward(&mut values, 1);
        values[tape.outputs()[0]] != 0.0
    })
}

fn boundary(name: &str, domain: &Domain) -> Option<Boundary> {
    if name == "boundary" {
        return Some(Boundary::All);
    }
    let shapes = &domain.inside.as_ref()?.shapes;
    shapes.iter().position(|(known, _)| known == name).map(Boundary::Shape)
}

fn unknown_name(name: &str, span: crate::diagnostic::Span, domain: &Domain) -> Diagnostic {
    let shapes = domain.inside.iter().flat_map(|region| &region.shapes).map(|(name, _)| name.as_str());
    let known: Vec<&str> = shapes.chain(["boundary"]).collect();
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("places are coordinates with a value, and {}", known.join(", ")),
    };
    Diagnostic::new(span, format!("`{name}` is not a place")).label("not a shape").hint(hint)
}

/// A value within rounding of an end of the axis is that end: `0.1 + 0.2` on an axis that ends at 0.3.
fn snap(domain: &Domain, coordinate: usize, value: f64) -> f64 {
    let ends = [domain.lower[coordinate], domain.upper[coordinate]];
    let close = |end: &f64| (value - end).abs() <= 1e-12 * (ends[1] - ends[0]).abs();
    ends.into_iter().find(close).unwrap_or(value)
}

fn bad_part(
    text: &Spanned<String>,
    error: &PartError,
    part: &Part,
    names: &Names,
    domain: &Domain,
) -> Diagnostic {
    let name = |coordinate: usize| names.coordinates.get(coordinate).map_or("?", String::as_str);
    match *error {
        PartError::Outside { coordinate, value, lower, upper } => {
            let name = name(coordinate);
            Diagnostic::new(text.span, format!("the place `{}` is outside the domain", text.value))
                .label(format!("{name} = {value} is not in [{lower}, {upper}]"))
                .hint(format!("the ends of the axis are `{name} = {lower}` and `{name} = {upper}`"))
        }
        PartError::FixedOnBoundary { coordinate } => {
            let name = name(coordinate);
            Diagnostic::new(text.span, format!("`{name}` is fixed on a boundary that runs along it"))
                .label(format!("`{name}` has one value here, and many on the boundary"))
                .hint(instead_of_boundary(part, coordinate, name, domain))
        }
        PartError::DuplicateCoordinate { coordinate } => {
            Diagnostic::new(text.span, format!("`{}` is fixed twice", name(coordinate)))
                .hint("write several places as a list")
        }
        PartError::EmptyRange { coordinate, lower, upper } => {
            let name = name(coordinate);
            Diagnostic::new(text.span, format!("nothing is left of `{name}`"))
                .label(format!("it would run from {lower} to {upper}"))
                .hint("turn a comparison round, or change its number")
        }
        PartError::UnknownCoordinate { .. } | PartError::UnknownShape { .. } => {
            Diagnostic::new(text.span, error.to_string()).hint("write the place in another way")
        }
    }
}

/// Where a coordinate with a value and a boundary were both meant.
fn instead_of_boundary(part: &Part, coordinate: usize, name: &str, domain: &Domain) -> String {
    let value = part.value(coordinate).unwrap_or(domain.lower[coordinate]);
    let is_end = value == domain.lower[coordinate] || value == domain.upper[coordinate];
    match (part.boundary, is_end) {
        (Some(Boundary::All), true) => {
            format!("write `{name} = {value}` alone: this end of the axis is the boundary")
        }
        _ => {
            format!(
                "write `{name} = {value}` alone, or choose a part of the boundary by a comparison: `{name} < {value}`"
            )
        }
    }
}
