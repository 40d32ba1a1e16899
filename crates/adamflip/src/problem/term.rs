//! One term: its points, its equations, and what they need of the networks.

use super::equations::{Equations, Origin, OriginKind, equations, origin};
use super::field_residual::FieldResidual;
use super::names::Names;
use super::network::Ansatz;
use super::nonlocal::{self, Expanded, Line, NonlocalError, Quantity};
use super::reference::substituted;
use super::residual::violated;
use super::symmetry;
use super::{Residual, Source, Term, Unknown};
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::{Domain, Part, Place};
use crate::jet::MAX_STREAMS;
use crate::lang::{Binary, Graph, Id, Leaf, Node, Tape};
use crate::sample::{SampleError, Sampler};
use crate::spec;

/// What all terms share.
pub(super) struct Context<'a> {
    pub(super) spec: &'a spec::Spec,
    pub(super) names: &'a Names,
    /// Absent where it has errors; equations are checked nevertheless.
    pub(super) domain: Option<&'a Domain>,
    pub(super) ansatz: &'a Ansatz,
    /// The fields of every network.
    pub(super) networks: &'a [Vec<usize>],
    pub(super) unknowns: &'a [Unknown],
}

pub(super) fn term(
    term: &spec::Term,
    context: &Context<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Term> {
    let origin = context.domain.and_then(|domain| origin(term, context, domain, diagnostics));
    // Without an origin every name that a point may have is known, so that no false errors appear.
    let attributes = origin.as_ref().map_or_else(|| context.names.normals(), |o| o.attributes.clone());
    let mut graph = Graph::new();
    let equations = equations(term, context, origin.as_ref(), &attributes, &mut graph, diagnostics)?;
    let (origin, domain, jump) = (origin?, context.domain?, graph.jump());
    let term = &with_points(term, &origin, domain, &equations, &graph);
    let origin = symmetry::moved(term, origin, context, domain, diagnostics)?;
    let scope = context.names.scope(&attributes);
    if let Some(diagnostic) = fixed_in_integral(term, &equations.residuals, &graph, context.names) {
        diagnostics.push(diagnostic);
        return None;
    }
    let shown = match equations.texts.is_empty() {
        true => {
            let shown = |&id: &Id| format!("{} = 0", graph.display(id, &scope));
            equations.residuals.iter().map(shown).collect()
        }
        false => equations.texts.clone(),
    };
    let (residual, line) = residual(term, context, &equations, &mut graph, diagnostics)?;
    let scattered = line.as_ref().and_then(|line| {
        let nodes = (2 * line.nodes.len()).min(nonlocal::MOST_GAUSS_NODES);
        scattered_residual(context, &equations, nodes, &mut graph)
    });
    let whole = match &origin.kind {
        OriginKind::Drawn(place) => Some(place.clone()),
        OriginKind::File { .. } | OriginKind::Reference(_) => None,
    };
    let reference_residual = reference_residual(context, &equations, &mut graph);
    // What is no equation does not say what a field is.
    let is_equation = term.complement.is_none() && !equations.are_inequalities;
    let in_fields =
        |&id: &Id| FieldResidual::of(context.spec, context.names, &mut graph, id).filter(|_| is_equation);
    let in_fields = equations.residuals.iter().map(in_fields).collect();
    let is_differential = is_equation && equations.residuals.iter().all(|&id| is_differential(&graph, id));
    let drawing = Drawing { sampler: sampler(term, context.spec), line: line.as_ref() };
    let source = source(term, origin, &equations, drawing, context, &mut graph, diagnostics)?;
    if let Some(diagnostic) = no_points(term, &source, domain) {
        diagnostics.push(diagnostic);
        return None;
    }
    let interface = interface_condition(term, context, &equations, &source, &mut graph);
    let term = Term {
        name: term.name.value.clone(),
        equations: shown,
        points: match (&source, &term.points) {
            (Source::Given { .. }, _) | (_, None) => source.count(),
            // Of lines `source` has only the number.
            (_, Some(points)) => points.value,
        },
        line,
        source,
        role: term.role,
        pointwise: term.pointwise,
        weight: term.weight,
        tolerance: term.tolerance.as_ref().map(|t| (t.measure, t.limit)),
        jump,
        residual,
        interface: interface.map(Box::new),
        validation: None,
        reference_residual,
        symmetry: symmetry::admission(term, context),
        projected: term.project,
        is_differential,
        in_fields,
    };
    let validation = scattered.zip(whole).and_then(|(residual, place)| term.scattered(residual, place));
    Some(Term { validation: validation.map(Box::new), ..term })
}

/// Is it a sum with a derivative of a field in it?
fn is_differential(graph: &Graph, residual: Id) -> bool {
    let is_sum = matches!(graph.node(residual), Node::Binary(Binary::Add | Binary::Subtract, ..));
    is_sum
        && graph.depends_on(residual, |leaf| matches!(leaf, Leaf::Jet { partial, .. } if partial.order() > 0))
}

/// Points of a term that does not say how many, by the number of coordinates that run over its place: in the
/// interior, and on a boundary or a slice. As the shipped problems have them.
const INTERIOR: [usize; 3] = [200, 2000, 3000];
const BOUNDARY: [usize; 3] = [100, 500, 1000];

/// The term with a number of points, where they are drawn and the file does not say how many: one for bounds
/// of unknowns, which are the same at all.
fn with_points(
    term: &spec::Term,
    origin: &Origin,
    domain: &Domain,
    equations: &Equations,
    graph: &Graph,
) -> spec::Term {
    let mut term = term.clone();
    if let (None, OriginKind::Drawn(place) | OriginKind::Reference(place)) = (&term.points, &origin.kind) {
        let leaves = graph.leaves(&equations.residuals);
        let same = !leaves.is_empty() && leaves.iter().all(|leaf| matches!(leaf, Leaf::Unknown(_)));
        let value = if same { 1 } else { usual_points(place, domain) };
        term.points = Some(Spanned { value, span: term.name.span });
    }
    term
}

fn usual_points(place: &Place, domain: &Domain) -> usize {
    if place.parts.is_empty() {
        return INTERIOR[(domain.dimension() - 1).min(INTERIOR.len() - 1)];
    }
    if !domain.has_extent(place) {
        // All of them; the boundary of an interval is one part of two points.
        return place.parts.iter().map(|part| if part.fixed.is_empty() { 2 } else { 1 }).sum();
    }
    let free = |part: &Part| domain.dimension() - part.fixed.len() - usize::from(part.boundary.is_some());
    let free = place.parts.iter().map(free).max().unwrap_or(1).max(1);
    BOUNDARY[(free - 1).min(BOUNDARY.len() - 1)]
}

impl Term {
    /// The same with other residuals, at points of this place.
    fn scattered(&self, residual: Residual, place: Place) -> Option<Self> {
        let Source::Drawn { sampler, normals, .. } = self.source else { return None };
        let source = Source::Drawn {
            place,
            sampler,
            count: self.points,
            normals,
            adaptive: None,
            line: None,
            interface: None,
        };
        Some(Self { source, residual, line: None, ..self.clone() })
    }
}

/// The residuals less further attributes of the points, one each: the interface condition by which a term of
/// the first time holds at the start of a later window.
fn interface_condition(
    term: &spec::Term,
    context: &Context<'_>,
    equations: &Equations,
    source: &Source,
    graph: &mut Graph,
) -> Option<Residual> {
    // An inequality at the first time says nothing of later ones.
    if equations.are_inequalities {
        return None;
    }
    let residuals = &equations.residuals;
    let (time, domain) = (context.names.time?, context.domain?);
    let own = match source {
        Source::Drawn { place, normals, .. } => {
            place.parts.iter().find(|part| part.value(time) == Some(domain.lower[time]))?;
            if *normals { context.names.normals().len() } else { 0 }
        }
        Source::Given { points, .. } => points.attributes(),
        Source::Observed { .. } => return None,
    };
    let less = |(&id, further)| {
        let there = graph.leaf(Leaf::Attribute(own + further));
        graph.sub(id, there)
    };
    let residuals: Vec<Id> = residuals.iter().zip(0..).map(less).collect();
    let equations = Equations { residuals, ..Equations::default() };
    residual(term, context, &equations, graph, &mut Vec::new()).map(|(residual, _)| residual)
}

/// Residuals whose Caputo derivatives have nodes of each point's own.
fn scattered_residual(
    context: &Context<'_>,
    equations: &Equations,
    nodes: usize,
    graph: &mut Graph,
) -> Option<Residual> {
    let applied = context.ansatz.apply(graph, &equations.residuals, context.names).ok()?;
    let (names, unknowns) = (context.names, context.unknowns);
    let expanded = expand(names, unknowns, spec::Caputo::Scattered, Some(nodes), graph, &applied).ok()?;
    Some(Residual::of(graph, &expanded.residuals, context.networks, equations.are_inequalities))
}

/// Equations to tapes: the ansatz put in, histories taken apart.
fn residual(
    term: &spec::Term,
    context: &Context<'_>,
    equations: &Equations,
    graph: &mut Graph,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Residual, Option<Line>)> {
    let applied = context.ansatz.apply(graph, &equations.residuals, context.names).map_err(|why| {
        let diagnostic = Diagnostic::new(term.name.span, "the ansatz cannot be differentiated for this term");
        diagnostics.push(diagnostic.label(why.to_string()).hint("write the ansatz with other functions"));
    });
    let nodes = term.nodes.as_ref().map(|nodes| nodes.value);
    let kind = term.caputo.unwrap_or(spec::Caputo::Lines);
    let (names, unknowns) = (context.names, context.unknowns);
    let expanded = expand(names, unknowns, kind, nodes, graph, &applied.ok()?);
    let texts = match &term.complement {
        Some(pair) => &pair[..],
        None if term.equations.is_empty() => &term.observe[..],
        None => &term.equations[..],
    };
    let expanded = expanded.map_err(|refusals| refused(term, texts, refusals, diagnostics)).ok()?;
    let residual = Residual::of(graph, &expanded.residuals, context.networks, equations.are_inequalities);
    if let Some(most) = residual.groups.iter().map(|group| group.streams.count()).max()
        && most > MAX_STREAMS
    {
        diagnostics.push(
            Diagnostic::new(term.name.span, format!("`{}` needs {most} derivative streams", term.name.value))
                .label(format!("at most {MAX_STREAMS}"))
                .hint("introduce a field for a lower derivative and split the equation"),
        );
    }
    Some((residual, expanded.line))
}

/// Reports what cannot be taken apart, at the text that says it.
fn refused(
    term: &spec::Term,
    texts: &[Spanned<String>],
    refusals: Vec<NonlocalError>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for refusal in refusals {
        let span = texts.get(refusal.equation).map_or(term.name.span, |text| text.span);
        diagnostics.push(Diagnostic::new(span, refusal.message).label(refusal.label).hint(refusal.hint));
    }
}

/// The residuals of the known solution; nothing where it is not known or has no derivative.
fn reference_residual(context: &Context<'_>, equations: &Equations, graph: &mut Graph) -> Option<Tape> {
    let put = |&id: &Id| substituted(context.spec, context.names, graph, id);
    let ids = equations.residuals.iter().map(put).collect::<Option<Vec<Id>>>()?;
    let (names, unknowns) = (context.names, context.unknowns);
    let expanded = expand(names, unknowns, spec::Caputo::Scattered, None, graph, &ids).ok()?;
    let residuals = match equations.are_inequalities {
        true => violated(graph, &expanded.residuals),
        false => expanded.residuals,
    };
    Some(Tape::lower(graph, &residuals))
}

/// Takes Caputo derivatives and integrals apart.
pub(super) fn expand(
    names: &Names,
    unknowns: &[Unknown],
    kind: spec::Caputo,
    nodes: Option<usize>,
    graph: &mut Graph,
    residuals: &[Id],
) -> Result<Expanded, Vec<NonlocalError>> {
    let quantity = |unknown: &Unknown| Quantity { start: unknown.start, bounds: unknown.bounds };
    let unknowns: Vec<Quantity> = unknowns.iter().map(quantity).collect();
    let rule = nonlocal::Rule { kind, nodes };
    let surroundings = nonlocal::Context { ranges: &names.ranges, unknowns: &unknowns, rule };
    nonlocal::expand(graph, residuals, &surroundings)
}

/// How points are drawn.
struct Drawing<'a> {
    sampler: Sampler,
    /// They stand for lines.
    line: Option<&'a Line>,
}

fn source(
    term: &spec::Term,
    origin: Origin,
    equations: &Equations,
    Drawing { sampler, line }: Drawing<'_>,
    context: &Context<'_>,
    graph: &mut Graph,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Source> {
    let count = term.points.as_ref().map_or(0, |points| points.value);
    let noise = term.noise.unwrap_or(0.0);
    if line.is_some() && !matches!(origin.kind, OriginKind::Drawn(_)) {
        diagnostics.push(no_lines(term, "its points are given"));
        return None;
    }
    Some(match origin.kind {
        OriginKind::File { file, points, mut notes, .. } => {
            let take = term.points.as_ref().map(|points| points.value);
            if let Some(take) = take.filter(|&take| take > points.len()) {
                notes.push(format!(
                    "it has {} points, all of which are taken: fewer than the {take} asked for",
                    points.len()
                ));
            }
            Source::Given { file, measured: term.data.is_some(), points, take, noise, notes }
        }
        OriginKind::Reference(place) => {
            let nodes = term.nodes.as_ref().map(|nodes| nodes.value);
            let (names, unknowns, kind) = (context.names, context.unknowns, spec::Caputo::Scattered);
            let expanded = expand(names, unknowns, kind, nodes, graph, &equations.observed);
            let expanded = expanded.map_err(|refusals| refused(term, &term.observe, refusals, diagnostics));
            let values = Tape::lower(graph, &expanded.ok()?.residuals);
            Source::Observed { place, sampler, count, values, noise }
        }
        OriginKind::Drawn(mut place) => {
            let mut count = count;
            if let Some(line) = line {
                let (_, end) = context.names.ranges[line.coordinate];
                if !on_lines(&mut place, line, end) {
                    let name = &context.names.coordinates[line.coordinate];
                    diagnostics.push(no_lines(term, &format!("its place fixes or bounds `{name}`")));
                    return None;
                }
                count = count.div_ceil(line.nodes.len());
            }
            let leaves = graph.leaves(&equations.residuals);
            let normals = leaves.iter().any(|leaf| matches!(leaf, Leaf::Attribute(_)));
            let adaptive = term.adaptive.as_ref().map(|adaptive| adaptive.value);
            let line = line.map(|line| line.coordinate);
            Source::Drawn { place, sampler, count, normals, adaptive, line, interface: None }
        }
    })
}

/// The refusal of an integral over what is known at the point alone: measured values, and normals but along
/// time.
fn fixed_in_integral(
    term: &spec::Term,
    residuals: &[Id],
    graph: &Graph,
    names: &Names,
) -> Option<Diagnostic> {
    let known_along = |by: usize| term.data.is_none() && Some(by) == names.time;
    let has_attribute = |of: Id| graph.leaves(&[of]).iter().any(|leaf| matches!(leaf, Leaf::Attribute(_)));
    let is_fixed = |id: Id| matches!(*graph.node(id), Node::Integral { of, by, .. } if has_attribute(of) && !known_along(by));
    let equation = residuals.iter().position(|&id| graph.reachable(&[id]).into_iter().any(is_fixed))?;
    let span = term.equations.get(equation).map_or(term.name.span, |text| text.span);
    let message = "an integral over something that is known at the points alone";
    let hint = "take it out of the integral, or write it as a formula";
    Some(
        Diagnostic::new(span, message)
            .label("measured values and normals are not known elsewhere")
            .hint(hint),
    )
}

/// The refusal of a place in which no point can be found.
fn no_points(term: &spec::Term, source: &Source, domain: &Domain) -> Option<Diagnostic> {
    let (Source::Drawn { place, .. } | Source::Observed { place, .. }) = source else { return None };
    let (sampler, normals) = (Sampler::Uniform, matches!(source, Source::Drawn { normals: true, .. }));
    let few = Source::Drawn {
        place: place.clone(),
        sampler,
        count: place.parts.len().max(1),
        normals,
        adaptive: None,
        line: None,
        interface: None,
    };
    let error = few.draw(domain, 0, 1, 0).err()?;
    let name = &term.name.value;
    let (part, message, label) = match error {
        SampleError::Empty { part, candidates } => (
            part,
            format!("the place of `{name}` is empty"),
            format!("of {candidates} points that were tried too few lie here"),
        ),
        SampleError::NoNormal { part, point } => (
            part,
            format!("`{name}` needs a normal where there is none"),
            format!("for example at {point:?}"),
        ),
        other => (0, format!("`{name}` has no points"), other.to_string()),
    };
    let span = term.on.get(part).map_or(term.name.span, |text| text.span);
    let hint = "look at the shapes and comparisons of this place";
    Some(Diagnostic::new(span, message).label(label).hint(hint))
}

/// Draws lines in place of points: the coordinate along them is fixed at its end. False where the place says
/// something of it.
fn on_lines(place: &mut Place, line: &Line, end: f64) -> bool {
    if place.parts.is_empty() {
        place.parts.push(Part::default());
    }
    place.parts.iter_mut().all(|part| {
        let free = part.fixed.iter().all(|&(c, _)| c != line.coordinate)
            && part.ranges.iter().all(|&(c, _, _)| c != line.coordinate)
            && part.within.is_empty();
        part.fixed.push((line.coordinate, end));
        free
    })
}

fn sampler(term: &spec::Term, spec: &spec::Spec) -> Sampler {
    term.sampler.as_ref().map_or(spec.train.sampler, |sampler| sampler.value)
}

fn no_lines(term: &spec::Term, why: &str) -> Diagnostic {
    let name = &term.name.value;
    Diagnostic::new(term.name.span, format!("the points of `{name}` cannot lie on lines: {why}"))
        .label("caputo along lines")
        .hint("write `caputo = \"scattered\"` in the term")
}
