//! The known solution: formulas or a file, and the points at which errors are measured.

use super::data::{self, Read};
use super::names::Names;
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::{Domain, Place, Points, between};
use crate::lang::{self, Graph, HERE, Id, Leaf, Tape};
use crate::sample::{self, Sampler};
use crate::spec::{self, Number};

/// The known solution.
#[derive(Clone, Debug)]
pub struct Reference {
    /// For each known field its number and its values.
    pub fields: Vec<(usize, Known)>,
    /// Where the error is measured.
    pub places: Places,
    /// What was assumed or left out in reading a file.
    pub notes: Vec<String>,
}

/// How a field is known.
#[derive(Clone, Debug)]
pub enum Known {
    /// From the coordinates.
    Formula(Tape),
    /// At the points of a file, in their order.
    Values(Vec<f64>),
}

/// The points at which errors are measured.
#[derive(Clone, Debug)]
pub enum Places {
    /// A regular grid.
    Grid(Grid),
    /// A list of points.
    Points(Points),
}

/// A regular grid, last coordinate fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Where each coordinate begins.
    pub lower: Vec<f64>,
    /// Where it ends.
    pub upper: Vec<f64>,
    /// Points along each coordinate.
    pub counts: Vec<usize>,
}

impl Grid {
    /// The place of a node along a coordinate: the ends included, a single node in the middle.
    pub fn node(&self, coordinate: usize, index: usize) -> f64 {
        let count = self.counts[coordinate];
        let fraction = if count == 1 { 0.5 } else { index as f64 / (count - 1) as f64 };
        between(self.lower[coordinate], self.upper[coordinate], fraction)
    }
}

/// Understands `[reference]`, and the truths of unknown fields with it.
pub(super) fn reference(
    spec: &spec::Spec,
    names: &Names,
    domain: &Domain,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Reference> {
    let mut fields: Vec<(usize, Known)> = Vec::new();
    for (field, text) in formulas(spec, names) {
        let mut graph = Graph::new();
        match lang::expression(&text, &names.given_scope(), &mut graph) {
            Err(mistakes) => diagnostics.extend(mistakes),
            Ok(id) if graph.is_nonlocal(id) => diagnostics.push(not_local(&text)),
            Ok(id) => fields.push((field, Known::Formula(Tape::lower(&graph, &[id])))),
        }
    }
    let mut notes = Vec::new();
    let mut places = usual_places(spec, names, domain);
    let file = spec.reference.as_ref().and_then(|reference| Some((reference, reference.data.as_ref()?)));
    if let Some((reference, file)) = file {
        let read = data::read(spec, file, reference.columns.as_deref(), names, domain, diagnostics)?;
        for (name, values) in read.columns.iter().zip(0..) {
            let Some(field) = names.fields.iter().position(|field| field == name) else { continue };
            if fields.iter().any(|(known, _)| *known == field) {
                diagnostics.push(known_twice(name, file));
            }
            fields.push((field, Known::Values(read.points.attribute(values).to_vec())));
        }
        if !read.columns.iter().any(|name| names.fields.contains(name)) {
            diagnostics.push(no_field(file, &read, names));
        }
        notes = read.notes;
        places = match read.grid {
            Some(grid) => Places::Grid(grid),
            None => Places::Points(read.points),
        };
    }
    (!fields.is_empty()).then_some(Reference { fields, places, notes })
}

fn not_local(text: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(text.span, "a reference must be a formula of the point itself")
        .label("an integral or a Caputo derivative")
        .hint("write its value out as a formula, or give the values in a file: `data = \"…\"`")
}

fn known_twice(name: &str, file: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(file.span, format!("`{name}` is known twice: by a formula, and by a column of this file"))
        .label(format!("has a column `{name}`"))
        .hint("remove the formula, or read other columns: `columns = [\"x\", …]`")
}

fn no_field(file: &Spanned<String>, read: &Read, names: &Names) -> Diagnostic {
    let message = format!("`{}` has no column named like a field", file.value);
    Diagnostic::new(file.span, message)
        .label(format!("its columns are {}", read.columns.join(", ")))
        .hint(format!("the fields are {}; rename by `columns = [\"u = usol\"]`", names.fields.join(", ")))
}

/// The formulas of the file by field: those of `[reference]` and the truths of unknown fields.
fn formulas(spec: &spec::Spec, names: &Names) -> Vec<(usize, Spanned<String>)> {
    let place = |name: &str| names.fields.iter().position(|field| field == name);
    let written = spec.reference.iter().flat_map(|reference| &reference.fields);
    let written = written.filter_map(|(name, text)| Some((place(&name.value)?, text.clone())));
    let truths = spec.unknowns.iter().filter(|unknown| unknown.of.is_some()).filter_map(|unknown| {
        let truth = unknown.truth.as_ref()?;
        let value = match &truth.value {
            Number::Text(text) => text.clone(),
            Number::Literal(value) => value.to_string(),
        };
        Some((place(&unknown.name.value)?, Spanned { value, span: truth.span }))
    });
    written.chain(truths).collect()
}

/// The expression with fields replaced by their formulas and unknowns by their truths; nothing where one is
/// missing or has no derivative.
pub(super) fn substituted(spec: &spec::Spec, names: &Names, graph: &mut Graph, id: Id) -> Option<Id> {
    let formulas = formulas(spec, names);
    let mut replaced: Vec<(Leaf, Id)> = Vec::new();
    for leaf in graph.leaves(&[id]) {
        let image = match leaf {
            Leaf::Jet { field, partial, site } => {
                let (_, text) = formulas.iter().find(|(known, _)| *known == field)?;
                let mut image = lang::expression(text, &names.given_scope(), graph).ok()?;
                for coordinate in partial.coordinates() {
                    image = graph.differentiate(image, coordinate).ok()?;
                }
                if site != HERE {
                    let coordinates = graph.site_coordinates(site).to_vec();
                    image = graph.moved(image, &coordinates);
                }
                image
            }
            Leaf::Unknown(unknown) => {
                let value = truth(spec, names, unknown)?;
                graph.constant(value)
            }
            Leaf::Coordinate(_) | Leaf::Attribute(_) | Leaf::Slot(_) => continue,
        };
        replaced.push((leaf, image));
    }
    Some(graph.substitute(id, &mut |leaf| {
        replaced.iter().find(|(known, _)| *known == leaf).map(|&(_, image)| image)
    }))
}

/// The known value of an unknown number.
pub(super) fn truth(spec: &spec::Spec, names: &Names, unknown: usize) -> Option<f64> {
    let mut scalars = spec.unknowns.iter().filter(|unknown| unknown.of.is_none());
    let truth = scalars.nth(unknown)?.truth.as_ref()?;
    super::names::number(truth, &names.constant_scope(), &mut Vec::new())
}

/// A grid, unless it would have so many coordinates that hardly a node lies inside and the file asks for
/// none.
fn usual_places(spec: &spec::Spec, names: &Names, domain: &Domain) -> Places {
    let grid = usual_grid(spec, names, domain);
    let asked = spec.reference.as_ref().is_some_and(|reference| !reference.grid.is_empty());
    let drawn = (domain.dimension() > FEW && !asked).then(|| {
        sample::draw(domain, &Place::interior(), Sampler::Sobol, SCATTERED, &mut sample::stream(0, 0))
    });
    match drawn {
        Some(Ok(points)) => Places::Points(points),
        _ => Places::Grid(grid),
    }
}

/// Coordinates of which a grid of a hundred thousand nodes has most of them inside.
const FEW: usize = 4;
/// Points where there are more.
const SCATTERED: usize = 1 << 14;

fn usual_grid(spec: &spec::Spec, names: &Names, domain: &Domain) -> Grid {
    let usual = usual_count(names.coordinates.len());
    let counts = spec.reference.as_ref().map_or(&[][..], |reference| &reference.grid);
    let count = |name: &String| {
        counts.iter().find(|(known, _)| known.value == *name).map_or(usual, |(_, count)| count.value)
    };
    Grid {
        lower: domain.lower.clone(),
        upper: domain.upper.clone(),
        counts: names.coordinates.iter().map(count).collect(),
    }
}

/// Grid points along each coordinate where the file does not say: about a hundred thousand in all for many
/// coordinates.
pub(super) fn usual_count(dimension: usize) -> usize {
    match dimension {
        0 | 1 => 1001,
        2 => 201,
        3 => 41,
        // The fifth root is 10, whichever way it is rounded.
        _ => ((1e5f64.powf(1.0 / dimension as f64) + 1e-9) as usize).max(2),
    }
}
