//! Understanding a parsed file: names, numbers, places, equations, all mistakes collected.

use super::{Problem, Reference, Rejected, Residual, Term, Unknown, plan};
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::{Domain, Part, PartError, Place};
use crate::jet::MAX_STREAMS;
use crate::lang::{self, Graph, Scope, Tape};
use crate::sample::{SOBOL_MAX_DIMENSION, Sampler};
use crate::spec::{self, Number, Parsed};

/// The most coordinates that the derivative engine is made for.
const MAX_COORDINATES: usize = 16;

/// The largest estimate of the memory of a run, in bytes: beyond, a number was mistyped.
const MAX_BYTES: f64 = 64.0 * GIB;
const GIB: f64 = (1u64 << 30) as f64;

/// Builds the problem, or returns every mistake of the file with the texts that they point into.
pub fn build(parsed: Parsed) -> Result<Problem, Rejected> {
    let Parsed { spec, sources, mut diagnostics } = parsed;
    // Without names nothing else can be understood.
    if spec.fields.is_empty() || spec.domain.is_empty() {
        return Err(Rejected { sources, diagnostics });
    }
    if let Some(axis) = spec.domain.get(MAX_COORDINATES) {
        diagnostics.push(too_many_coordinates(axis, spec.domain.len()));
        return Err(Rejected { sources, diagnostics });
    }
    let names = Names::new(&spec, &mut diagnostics);
    let domain = domain(&spec, &names, &mut diagnostics);
    let unknowns = unknowns(&spec, &names, &mut diagnostics);
    let checked = |term| term_of(term, &spec, &names, domain.as_ref(), &mut diagnostics);
    let terms: Vec<Option<Term>> = spec.terms.iter().map(checked).collect();
    let reference = spec.reference.as_ref().map(|r| reference(r, &names, &mut diagnostics));
    let stages = plan::stages(&spec.train, &mut diagnostics);
    let terms = terms.into_iter().collect::<Option<Vec<Term>>>();
    diagnostics.extend(terms.iter().find_map(|terms| too_large(&spec, terms)));
    match (domain, terms) {
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
    let mut ends = |pick: fn(&spec::Axis) -> &Spanned<Number>| -> Option<Vec<f64>> {
        // Not short-circuiting: every axis gets its message.
        let numbers: Vec<_> =
            spec.domain.iter().map(|axis| number(pick(axis), &scope, diagnostics)).collect();
        numbers.into_iter().collect()
    };
    let (lower, upper) = (ends(|axis| &axis.lower), ends(|axis| &axis.upper));
    let (lower, upper) = (lower?, upper?);
    // An axis that is empty as written has its message from the file's own check, which puts another in its place.
    for ((axis, &lower), &upper) in spec.domain.iter().zip(&lower).zip(&upper) {
        let length = upper - lower;
        if !(length > 0.0 && length.is_finite()) {
            diagnostics.push(empty_axis(axis, lower, upper));
        }
    }
    Domain::new(lower, upper).ok()
}

fn empty_axis(axis: &spec::Axis, lower: f64, upper: f64) -> Diagnostic {
    let name = &axis.name.value;
    let (message, label, hint) = match () {
        () if lower < upper => ("is not finite", "too long", "bring its ends closer together".to_owned()),
        () if lower == upper => ("is empty", "no length", format!("write for example `{name} = [-1, 1]`")),
        () => ("is empty", "lower end first", format!("write `{name} = [{upper}, {lower}]`")),
    };
    Diagnostic::new(
        axis.lower.span,
        format!("the range of `{name}` {message}: it runs from {lower} to {upper}"),
    )
    .label(label)
    .hint(hint)
}

fn too_many_coordinates(axis: &spec::Axis, count: usize) -> Diagnostic {
    Diagnostic::new(axis.name.span, format!("the problem has {count} coordinates"))
        .label(format!("at most {MAX_COORDINATES}"))
        .hint("remove coordinates, or give parameters a value in [constants]")
}

/// An estimate of what a run keeps in memory: points with their given columns, and parameters with gradients, partial
/// sums of threads and moments.
fn bytes(spec: &spec::Spec, terms: &[Term]) -> f64 {
    let dimension = spec.domain.len();
    let columns = |term: &Term| 2 * dimension + term.residual.given.outputs().len();
    let points: f64 = terms.iter().map(|term| term.points as f64 * columns(term) as f64).sum();
    let constraints = terms.iter().filter(|term| term.role == spec::Role::Constraint).count();
    let rows = 16 * terms.len() + constraints + 6;
    8.0 * (points + parameters(spec) * rows as f64)
}

/// The number of the network's weights and biases.
fn parameters(spec: &spec::Spec) -> f64 {
    let inputs = std::iter::once(spec.domain.len()).chain(spec.network.hidden.iter().copied());
    let outputs = spec.network.hidden.iter().copied().chain([spec.fields.len()]);
    inputs.zip(outputs).map(|(input, output)| (input as f64 + 1.0) * output as f64).sum()
}

fn too_large(spec: &spec::Spec, terms: &[Term]) -> Option<Diagnostic> {
    let bytes = bytes(spec, terms);
    let largest =
        spec.terms.iter().filter_map(|term| term.points.as_ref()).max_by_key(|points| points.value)?;
    (bytes > MAX_BYTES).then(|| {
        let points: f64 = terms.iter().map(|term| term.points as f64).sum();
        let message = format!(
            "the problem needs about {:.0} GiB: {points:.1e} points and {:.1e} parameters",
            bytes / GIB,
            parameters(spec)
        );
        Diagnostic::new(largest.span, message)
            .label("most points are here")
            .hint(format!("lower `points` or `network.hidden`: {:.0} GiB are the limit", MAX_BYTES / GIB))
    })
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
        points: term.points.as_ref().map_or(1, |points| points.value),
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
        return Some(Place::interior());
    }
    let scope = names.given_scope();
    let mut parts = Vec::new();
    for text in &term.on {
        match lang::place(text, &scope) {
            Err(mistakes) => diagnostics.extend(mistakes),
            Ok(fixed) => {
                let part = Part::fixed(fixed.into_iter().map(|(c, v)| (c, snap(domain, c, v))).collect());
                match domain.map_or(Ok(()), |domain| domain.check(&part)) {
                    Ok(()) => parts.push(part),
                    Err(error) => diagnostics.push(bad_part(text, &error, names)),
                }
            }
        }
    }
    (parts.len() == term.on.len()).then_some(Place { parts })
}

/// A value within rounding of an end of the axis is that end: `0.1 + 0.2` on an axis that ends at 0.3.
fn snap(domain: Option<&Domain>, coordinate: usize, value: f64) -> f64 {
    let ends = domain.map_or([value; 2], |domain| [domain.lower[coordinate], domain.upper[coordinate]]);
    let close = |end: &f64| (value - end).abs() <= 1e-12 * (ends[1] - ends[0]).abs();
    ends.into_iter().find(close).unwrap_or(value)
}

fn bad_part(text: &Spanned<String>, error: &PartError, names: &Names) -> Diagnostic {
    match *error {
        PartError::Outside { coordinate, value, lower, upper } => {
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
    let usual = usual_count(names.coordinates.len());
    let count = |name: &String| {
        reference.grid.iter().find(|(known, _)| known.value == *name).map_or(usual, |(_, count)| count.value)
    };
    Reference { fields, grid: names.coordinates.iter().map(count).collect() }
}

/// Grid points along each coordinate where the file does not say: about a hundred thousand in all for many coordinates.
fn usual_count(dimension: usize) -> usize {
    match dimension {
        0 | 1 => 1001,
        2 => 201,
        3 => 41,
        // The fifth root is 10, whichever way it is rounded.
        _ => ((1e5f64.powf(1.0 / dimension as f64) + 1e-9) as usize).max(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(text: &str) -> Result<Problem, Vec<Diagnostic>> {
        build(spec::parse("p.toml", text, &Default::default())).map_err(|rejected| rejected.diagnostics)
    }

    fn messages(text: &str) -> Vec<String> {
        let mistakes = built(text).err().unwrap_or_default();
        assert!(
            mistakes.iter().all(|mistake| mistake.hint.is_some() && mistake.span.end > 0),
            "{mistakes:?}"
        );
        mistakes.into_iter().map(|mistake| mistake.message).collect()
    }

    fn axes(count: usize) -> String {
        (0..count).map(|c| format!("x{c} = [0, 1]\n")).collect()
    }

    fn problem(axes: &str, points: &str, more: &str) -> String {
        format!(
            "fields = [\"u\"]\n[domain]\n{axes}\n[term.a]\nequation = \"u = 1\"\npoints = {points}\n{more}"
        )
    }

    #[test]
    fn every_empty_axis_is_named() {
        let ends = "x = [\"1+1\", 1]\ny = [0, 1]\nz = [\"pi\", \"pi\"]\nw = [-1e308, 1e308]";
        // A message with the word itself changes nothing.
        let found = messages(&problem(ends, "1", "[reference]\nu = \"\""));
        let expected = [
            "the range of `x` is empty: it runs from 2 to 1",
            "the range of `z` is empty: it runs from 3.141592653589793 to 3.141592653589793",
        ];
        for text in expected {
            assert!(found.iter().any(|message| message == text), "{found:?}");
        }
        assert!(
            found.iter().any(|message| message.starts_with("the range of `w` is not finite")),
            "{found:?}"
        );
        assert_eq!(
            messages(&problem("x = [2, 1]", "1", "")),
            ["the range of `x` is empty: 2 is not below 1"]
        );
    }

    #[test]
    fn usual_grids_stay_small() {
        assert_eq!([1, 2, 3, 4, 5, 10, 16].map(usual_count), [1001, 201, 41, 17, 10, 3, 2]);
        let grid =
            built(&problem(&axes(16), "1", "[reference]\nu = \"x0\"")).unwrap().reference.unwrap().grid;
        assert_eq!(grid, [2; 16]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(messages(&problem(&axes(17), "1", "")), ["the problem has 17 coordinates"]);
        let found = messages(&problem("x = [0, 1]", "1", "[network]\nhidden = \"100x4096\""));
        assert!(
            found.len() == 1 && found[0].contains("GiB") && found[0].contains("1.7e9 parameters"),
            "{found:?}"
        );
        assert_eq!(messages(&problem("x = [0, 1]", "1000000", "")), [""; 0]);
    }
}
