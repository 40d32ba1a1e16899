//! Terms with a `symmetry`: a Lie point symmetry X = Σ ξ_i ∂/∂x_i + Σ η_a ∂/∂u_a of the equations that hold
//! everywhere.
//!
//! That they admit it is decided when the file is read ([`admission`]). Then the term says one of two things:
//!
//! - **Invariance**, Q_a = η_a − Σ ξ_i ∂_i u_a = 0 for every field: right where the conditions share the
//!   symmetry and the solution is the only one, for then its image is a solution of the same problem. A
//!   condition that is mapped to itself as a place, and to another condition there, contradicts that, and is
//!   reported.
//! - **Augmentation** (`augment = true`): the equations at points moved along the group, which is right for
//!   every solution, since the group maps solutions to solutions; and observations moved with their values,
//!   which again needs invariance.
//!
//! References: Olver 1993; Akhound-Sadegh, Perreault-Levasseur, Brandstetter, Welling, Ravanbakhsh (NeurIPS
//! 2023); Brandstetter, Welling, Worrall (ICML 2022).

mod admission;
mod flow;
mod manifold;
mod message;
#[cfg(test)]
mod tests;

pub use admission::Admission;

use super::equations::{Origin, OriginKind};
use super::names::Names;
use super::place::place;
use super::term::Context;
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::{Domain, Part};
use crate::lang::{self, Generator, Graph, HERE, Id, Leaf, Scope};
use crate::spec::{self, Number};
use admission::{Surroundings, admitted, rest};
use manifold::Manifold;

/// The residuals of a term with a symmetry; nothing where it has errors.
pub(super) fn residuals(
    term: &spec::Term,
    symmetry: &spec::Symmetry,
    context: &Context<'_>,
    graph: &mut Graph,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Id>> {
    let generator = generator(symmetry, context.names, graph, diagnostics)?;
    let system = Interior::read(context, graph);
    if let Some(wrong) = message::unusable(term, symmetry, &system, context) {
        diagnostics.push(wrong);
        return None;
    }
    check(symmetry, &generator, &system, context, graph).map_err(|wrong| diagnostics.push(wrong)).ok()?;
    if symmetry.augment && term.data.is_none() {
        return Some(system.equations);
    }
    if let Some(wrong) = contradiction(symmetry, &generator, context, graph) {
        diagnostics.push(wrong);
        return None;
    }
    let zero = graph.constant(0.0);
    let mut all: Vec<Id> =
        (0..context.spec.fields.len()).map(|field| graph.characteristic(&generator, field)).collect();
    all.retain(|&id| id != zero);
    if all.is_empty() {
        diagnostics.push(message::nothing(symmetry));
        return None;
    }
    Some(all)
}

/// How it was decided that the equations admit the generator of a term.
pub(super) fn admission(term: &spec::Term, context: &Context<'_>) -> Option<Admission> {
    let mut graph = Graph::new();
    let symmetry = term.symmetry.as_ref()?;
    let generator = generator(symmetry, context.names, &mut graph, &mut Vec::new())?;
    let system = Interior::read(context, &mut graph);
    check(symmetry, &generator, &system, context, &mut graph).ok()
}

/// The points of a term with `augment`, moved along the group; those of other terms as they are.
pub(super) fn moved(
    term: &spec::Term,
    origin: Origin,
    context: &Context<'_>,
    domain: &Domain,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Origin> {
    let Some(symmetry) = term.symmetry.as_ref().filter(|symmetry| symmetry.augment) else {
        return Some(origin);
    };
    let mut graph = Graph::new();
    let generator = generator(symmetry, context.names, &mut graph, diagnostics)?;
    let sampler = term.sampler.as_ref().map_or(context.spec.train.sampler, |sampler| sampler.value);
    let number = context.spec.terms.iter().position(|other| other.name.span == term.name.span).unwrap_or(0);
    // Streams of the seed that no term's rounds of points reach.
    let seed = (context.spec.train.seed, u64::MAX - number as u64);
    let (points, measured) = match origin.kind {
        OriginKind::Drawn(place) => {
            let count = term.points.as_ref().map_or(1, |points| points.value);
            let drawn = crate::sample::draw(
                domain,
                &place,
                sampler,
                count,
                &mut crate::sample::stream(seed.0, seed.1),
            );
            let failed = |why: crate::sample::SampleError| message::not_drawn(term, &why.to_string());
            (drawn.map_err(|why| diagnostics.push(failed(why))).ok()?, Vec::new())
        }
        OriginKind::File { points, measured, .. } => (points, measured),
        OriginKind::Reference(_) => {
            diagnostics.push(message::reference(symmetry));
            return None;
        }
    };
    let flow = flow::Flow::new(&mut graph, &generator, &measured);
    let Some(flow) = flow else {
        diagnostics.push(message::needs_fields(symmetry, !measured.is_empty()));
        return None;
    };
    let points = flow.moved(&points, domain, seed);
    let notes = vec!["its points are moved along a symmetry".to_owned()];
    let kind = OriginKind::File { file: "points moved along the symmetry".into(), points, measured, notes };
    Some(Origin { kind, ..origin })
}

/// The equations that hold everywhere.
struct Interior {
    equations: Vec<Id>,
    /// The term and the text of each.
    texts: Vec<(String, Spanned<String>)>,
}

impl Interior {
    /// Those of all terms without a place and without data; what cannot be read has its message, and
    /// inequalities say nothing of the manifold.
    fn read(context: &Context<'_>, graph: &mut Graph) -> Self {
        let mut interior = Self { equations: Vec::new(), texts: Vec::new() };
        let everywhere = |term: &&spec::Term| {
            term.on.is_empty() && term.data.is_none() && term.cloud.is_none() && term.symmetry.is_none()
        };
        for term in context.spec.terms.iter().filter(everywhere) {
            for text in &term.equations {
                if let Ok(Some(id)) = lang::equality(text, &context.names.scope(&[]), graph) {
                    interior.equations.push(id);
                    interior.texts.push((term.name.value.clone(), text.clone()));
                }
            }
        }
        interior
    }
}

/// The generator; what the file does not mention is 0.
fn generator(
    symmetry: &spec::Symmetry,
    names: &Names,
    graph: &mut Graph,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Generator> {
    let zero = graph.constant(0.0);
    let mut generator = Generator {
        coordinates: vec![zero; names.coordinates.len()],
        fields: vec![zero; names.fields.len()],
    };
    let before = diagnostics.len();
    let scope = Scope { fields: &names.fields, unknowns: &names.unknowns, ..names.given_scope() };
    for (name, value) in &symmetry.coefficients {
        let coordinate = names.coordinates.iter().position(|known| *known == name.value);
        let field = names.fields.iter().position(|known| *known == name.value);
        let place = match (coordinate, field) {
            (Some(coordinate), _) => &mut generator.coordinates[coordinate],
            (None, Some(field)) => &mut generator.fields[field],
            (None, None) => {
                diagnostics.push(message::unknown_name(name, names));
                continue;
            }
        };
        match &value.value {
            Number::Literal(number) => *place = graph.constant(*number),
            Number::Text(text) => {
                let text = Spanned { value: text.clone(), span: value.span };
                match lang::expression(&text, &scope, graph) {
                    Ok(id) if is_of_points(graph, id) => *place = id,
                    Ok(_) => diagnostics.push(message::no_point_symmetry(&text)),
                    Err(mistakes) => diagnostics.extend(mistakes),
                }
            }
        }
    }
    (diagnostics.len() == before).then_some(generator)
}

/// Whether an expression has coordinates, fields and numbers only.
fn is_of_points(graph: &Graph, id: Id) -> bool {
    let plain = |leaf: &Leaf| match leaf {
        Leaf::Jet { partial, site: HERE, .. } => partial.order() == 0,
        Leaf::Coordinate(_) | Leaf::Unknown(_) => true,
        _ => false,
    };
    !graph.is_nonlocal(id) && graph.leaves(&[id]).iter().all(plain)
}

/// Whether the equations admit the generator, or what is wrong.
fn check(
    symmetry: &spec::Symmetry,
    generator: &Generator,
    interior: &Interior,
    context: &Context<'_>,
    graph: &mut Graph,
) -> Result<Admission, Diagnostic> {
    let scope = context.names.scope(&[]);
    let depends = |_: usize, _: usize| true;
    let surroundings = Surroundings { ranges: &context.names.ranges, depends: &depends };
    let equations = (&interior.equations[..], &interior.equations[..]);
    admitted(graph, generator, equations, &surroundings).map_err(|refusal| {
        message::refused(&refusal, symmetry, &interior.texts, context.names, (graph, &scope))
    })
}

/// A condition that the generator maps to another one at the same place: no solution of both is invariant.
fn contradiction(
    symmetry: &spec::Symmetry,
    generator: &Generator,
    context: &Context<'_>,
    graph: &mut Graph,
) -> Option<Diagnostic> {
    let (names, domain) = (context.names, context.domain?);
    let normals = names.normals();
    for term in context.spec.terms.iter().filter(|term| !term.on.is_empty() && term.data.is_none()) {
        let Some(found) = place(&term.on, names, domain, &mut Vec::new()) else { continue };
        for part in found.parts.iter().filter(|part| part.boundary.is_none() && !part.fixed.is_empty()) {
            for text in &term.equations {
                let Ok(Some(id)) = lang::equality(text, &names.scope(&normals), graph) else { continue };
                if let Some(rest) = contradicted(graph, generator, id, part, &names.ranges) {
                    let shown = graph.display(rest, &names.scope(&normals));
                    return Some(message::contradicted(symmetry, term, &shown));
                }
            }
        }
    }
    None
}

/// How fast a condition changes on a part that stays where it is; nothing where that is 0, or depends on the
/// solution.
fn contradicted(
    graph: &mut Graph,
    generator: &Generator,
    condition: Id,
    part: &Part,
    ranges: &[(f64, f64)],
) -> Option<Id> {
    let zero = graph.constant(0.0);
    for &(coordinate, _) in &part.fixed {
        let speed = on_part(graph, generator.coordinates[coordinate], part);
        if speed != zero {
            return None;
        }
    }
    let speed = graph.along(generator, condition).ok()?;
    let (speed, condition) = (on_part(graph, speed, part), on_part(graph, condition, part));
    let rest = rest(graph, speed, &[condition]);
    if graph.depends_on(rest, |leaf| !matches!(leaf, Leaf::Coordinate(_))) {
        return None;
    }
    let surroundings = Surroundings { ranges, depends: &|_, _| true };
    let sizes = Manifold::new(graph, &[], &[rest], &surroundings)?.relative()?;
    sizes.iter().any(|size| *size > admission::ROUNDING).then_some(rest)
}

/// An expression with the coordinates that a part fixes.
fn on_part(graph: &mut Graph, id: Id, part: &Part) -> Id {
    let values: Vec<(usize, Id)> = part.fixed.iter().map(|&(c, value)| (c, graph.constant(value))).collect();
    let id = graph.substitute(id, &mut |leaf| match leaf {
        Leaf::Coordinate(c) => values.iter().find(|(fixed, _)| *fixed == c).map(|&(_, value)| value),
        _ => None,
    });
    graph.collected(id).unwrap_or(id)
}
