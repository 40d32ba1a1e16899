//! Understanding a parsed file: names, numbers, places, equations, all mistakes collected.

use super::{Problem, Reference, Rejected, Residual, Term, Unknown, plan};
use crate::diagnostic::{Diagnostic, Span, Spanned};
use crate::geometry::{Domain, DomainError, Face, FaceError, Place};
use crate::jet::MAX_STREAMS;
use crate::lang::{self, Graph, Scope, Tape};
use crate::sample::{SOBOL_MAX_DIMENSION, Sampler};
use crate::spec::{self, Number, Parsed};

/// Builds the problem, or returns every mistake of the file with the texts that they point into.
pub fn build(parsed: Parsed) -> Result<Problem, Rejected> {
    let Parsed { spec, sources, mut diagnostics } = parsed;
    // Without names nothing else can be understood.
    if spec.fields.is_empty() || spec.domain.is_empty() {
        return Err(Rejected { sources, diagnostics });
    }
    let names = Names::new(&spec, &mut diagnostics);
    let domain = domain(&spec, &names, &mut diagnostics);
    let unknowns = unknowns(&spec, &names, &mut diagnostics);
    let checked = |term| term_of(term, &spec, &names, domain.as_ref(), &mut diagnostics);
    let terms: Vec<Option<Term>> = spec.terms.iter().map(checked).collect();
    let reference = spec.reference.as_ref().map(|r| reference(r, &names, &mut diagnostics));
    let stages = plan::stages(&spec.train, &mut diagnostics);
    match (domain, terms.into_iter().collect::<Option<Vec<Term>>>()) {
        (Some(domain), Some(terms)) if diagnostics.is_empty() => Ok(Problem {
            name: spec.name,
            title: spec.title,
            coordinates: names.coordinates,
            fields: names.fields,
            unknowns,
            domain,
            terms,
            reference,
            network: spec.network,
            train: spec.train,
            stages,
        }),
        _ => Err(Rejected { sources, diagnostics }),
    }
}

/// The names of a problem, for the language's scopes.
struct Names {
    coordinates: Vec<String>,
    fields: Vec<String>,
    unknowns: Vec<String>,
    constants: Vec<(String, f64)>,
}

impl Names {
    fn new(spec: &spec::Spec, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut constants = Vec::new();
        for (name, value) in &spec.constants {
            let scope = Scope { constants: &constants, ..Scope::default() };
            // A constant with a mistake keeps its name, so that its uses are not called undefined too.
            let value = number(value, &scope, diagnostics).unwrap_or(1.0);
            constants.push((name.value.clone(), value));
        }
        Self {
            coordinates: spec.domain.iter().map(|axis| axis.name.value.clone()).collect(),
            fields: spec.fields.iter().map(|field| field.value.clone()).collect(),
            unknowns: spec.unknowns.iter().map(|unknown| unknown.name.value.clone()).collect(),
            constants,
        }
    }

    /// Everything that an equation may mention.
    fn equation_scope(&self) -> Scope<'_> {
        Scope {
            coordinates: &self.coordinates,
            fields: &self.fields,
            unknowns: &self.unknowns,
            constants: &self.constants,
        }
    }

    /// Coordinates and constants only.
    fn given_scope(&self) -> Scope<'_> {
        Scope { fields: &[], unknowns: &[], ..self.equation_scope() }
    }
}

fn number(value: &Spanned<Number>, scope: &Scope<'_>, diagnostics: &mut Vec<Diagnostic>) -> Option<f64> {
    match &value.value {
        Number::Literal(number) => Some(*number),
        Number::Text(text) => {
            let text = Spanned { value: text.clone(), span: value.span };
            lang::number(&text, scope).map_err(|mistakes| diagnostics.extend(mistakes)).ok()
        }
    }
}

fn domain(spec: &spec::Spec, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Option<Domain> {
    let scope = Scope { constants: &names.constants, ..Scope::default() };
    let before = diagnostics.len();
    let mut ends = |pick: fn(&spec::Axis) -> &Spanned<Number>| -> Option<Vec<f64>> {
        // Not short-circuiting: every axis gets its message.
        let numbers: Vec<_> =
            spec.domain.iter().map(|axis| number(pick(axis), &scope, diagnostics)).collect();
        numbers.into_iter().collect()
    };
    let (lower, upper) = (ends(|axis| &axis.lower), ends(|axis| &axis.upper));
    match Domain::new(lower?, upper?) {
        Ok(domain) => Some(domain),
        Err(error) => {
            // An axis that is empty as written has its message from the file's own check.
            if before == diagnostics.len() && !diagnostics.iter().any(|d| d.message.contains("empty")) {
                diagnostics.push(empty_axis(spec, &error));
            }
            None
        }
    }
}

fn empty_axis(spec: &spec::Spec, error: &DomainError) -> Diagnostic {
    let axis = match *error {
        DomainError::Empty { coordinate, .. } => spec.domain.get(coordinate),
        _ => None,
    };
    let span = axis.map_or(Span::default(), |axis| axis.lower.span);
    Diagnostic::new(span, error.to_string()).hint("write the smaller end first: `x = [-1, 1]`")
}

fn unknowns(spec: &spec::Spec, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Vec<Unknown> {
    let scope = Scope { constants: &names.constants, ..Scope::default() };
    let mut found = Vec::new();
    for unknown in &spec.unknowns {
        let mut value = |n: &Spanned<Number>| number(n, &scope, diagnostics);
        let start = value(&unknown.start);
        let bounds = unknown.bounds.as_ref().map(|(lower, upper)| (value(lower), value(upper)));
        let truth = unknown.truth.as_ref().and_then(&mut value);
        let bounds = bounds.and_then(|(lower, upper)| lower.zip(upper));
        if let (Some(start), Some((lower, upper))) = (start, bounds)
            && !(lower < upper && lower <= start && start <= upper)
        {
            diagnostics.push(
                Diagnostic::new(
                    unknown.start.span,
                    format!("`{}` starts outside its bounds", unknown.name.value),
                )
                .label(format!("{start} is not in [{lower}, {upper}]"))
                .hint("choose a start between the bounds"),
            );
        }
        found.push(Unknown { name: unknown.name.value.clone(), start: start.unwrap_or(0.0), bounds, truth });
    }
    found
}

fn term_of(
    term: &spec::Term,
    spec: &spec::Spec,
    names: &Names,
    domain: Option<&Domain>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Term> {
    let mut graph = Graph::new();
    let scope = names.equation_scope();
    let mut residual =
        |text| lang::equation(text, &scope, &mut graph).map_err(|mistakes| diagnostics.extend(mistakes)).ok();
    let ids: Vec<_> = term.equations.iter().map(&mut residual).collect();
    let place = place(term, names, domain, diagnostics);
    let sampler = sampler(term, spec, diagnostics);
    let ids = ids.into_iter().collect::<Option<Vec<_>>>()?;
    let equations = ids.iter().map(|&id| format!("{} = 0", graph.display(id, &scope))).collect();
    for (text, &id) in term.equations.iter().zip(&ids) {
        if !graph.leaves(&[id]).iter().any(|leaf| matches!(leaf, lang::Leaf::Jet { .. })) {
            diagnostics.push(without_field(text, names));
        }
    }
    let residual = Residual::new(&mut graph, &ids, names.fields.len());
    if residual.streams.count() > MAX_STREAMS {
        diagnostics.push(
            Diagnostic::new(
                term.name.span,
                format!("`{}` needs {} derivative streams", term.name.value, residual.streams.count()),
            )
            .label(format!("at most {MAX_STREAMS}"))
            .hint("introduce a field for a lower derivative and split the equation"),
        );
    }
    Some(Term {
        name: term.name.value.clone(),
        equations,
        place: place?,
        points: term.points.value,
        sampler: sampler?,
        role: term.role,
        weight: term.weight,
        tolerance: term.tolerance.as_ref().map(|t| (t.measure, t.limit)),
        residual,
    })
}

fn without_field(text: &Spanned<String>, names: &Names) -> Diagnostic {
    Diagnostic::new(text.span, "the equation mentions no field")
        .label("nothing here depends on the network")
        .hint(format!("the fields are {}", names.fields.join(", ")))
}

fn place(
    term: &spec::Term,
    names: &Names,
    domain: Option<&Domain>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Place> {
    if term.on.is_empty() {
        return Some(Place::Interior);
    }
    let scope = names.given_scope();
    let mut faces = Vec::new();
    for text in &term.on {
        match lang::place(text, &scope) {
            Err(mistakes) => diagnostics.extend(mistakes),
            Ok(fixed) => {
                let face = Face { fixed: fixed.into_iter().map(|(c, v)| (c, snap(domain, c, v))).collect() };
                match domain.map_or(Ok(()), |domain| domain.check(&face)) {
                    Ok(()) => faces.push(face),
                    Err(error) => diagnostics.push(bad_face(text, &error, names)),
                }
            }
        }
    }
    (faces.len() == term.on.len()).then_some(Place::Faces(faces))
}

/// A value within rounding of an end of the axis is that end: `0.1 + 0.2` on an axis that ends at 0.3.
fn snap(domain: Option<&Domain>, coordinate: usize, value: f64) -> f64 {
    let ends = domain.map_or([value; 2], |domain| [domain.lower[coordinate], domain.upper[coordinate]]);
    let close = |end: &f64| (value - end).abs() <= 1e-12 * (ends[1] - ends[0]).abs();
    ends.into_iter().find(close).unwrap_or(value)
}

fn bad_face(text: &Spanned<String>, error: &FaceError, names: &Names) -> Diagnostic {
    match *error {
        FaceError::Outside { coordinate, value, lower, upper } => {
            let name = &names.coordinates[coordinate];
            Diagnostic::new(text.span, format!("the place `{}` is outside the domain", text.value))
                .label(format!("{name} = {value} is not in [{lower}, {upper}]"))
                .hint(format!("the ends of the axis are `{name} = {lower}` and `{name} = {upper}`"))
        }
        ref other => Diagnostic::new(text.span, other.to_string()),
    }
}

fn sampler(term: &spec::Term, spec: &spec::Spec, diagnostics: &mut Vec<Diagnostic>) -> Option<Sampler> {
    let chosen = term.sampler.as_ref().map_or(spec.train.sampler, |sampler| sampler.value);
    if chosen == spec::Sampler::Sobol && spec.domain.len() > SOBOL_MAX_DIMENSION {
        let span = term.sampler.as_ref().map_or(term.name.span, |sampler| sampler.span);
        diagnostics.push(
            Diagnostic::new(
                span,
                format!("Sobol points are available for up to {SOBOL_MAX_DIMENSION} coordinates"),
            )
            .hint("use `sampler = \"latin\"`"),
        );
        return None;
    }
    Some(match chosen {
        spec::Sampler::Uniform => Sampler::Uniform,
        spec::Sampler::Grid => Sampler::Grid,
        spec::Sampler::Latin => Sampler::Latin,
        spec::Sampler::Sobol => Sampler::Sobol,
        spec::Sampler::Halton => Sampler::Halton,
    })
}

fn reference(reference: &spec::Reference, names: &Names, diagnostics: &mut Vec<Diagnostic>) -> Reference {
    let scope = names.given_scope();
    let mut fields = Vec::new();
    for (name, text) in &reference.fields {
        let mut graph = Graph::new();
        let field = names.fields.iter().position(|field| *field == name.value);
        match lang::expression(text, &scope, &mut graph) {
            Err(mistakes) => diagnostics.extend(mistakes),
            Ok(id) => fields.extend(field.map(|field| (field, Tape::lower(&graph, &[id])))),
        }
    }
    // About a hundred thousand points where the file does not say: 201² in two coordinates, 41³ in three.
    let usual = match names.coordinates.len() {
        1 => 1001,
        2 => 201,
        3 => 41,
        _ => 11,
    };
    let count = |name: &String| {
        reference.grid.iter().find(|(known, _)| known.value == *name).map_or(usual, |(_, count)| count.value)
    };
    Reference { fields, grid: names.coordinates.iter().map(count).collect() }
}
