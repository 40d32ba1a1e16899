//! Understanding a parsed file, part by part; all errors collected.

use std::sync::Arc;

use super::construction::Construction;
use super::names::Names;
use super::network::{Ansatz, networks, periods};
use super::notation::Notation;
use super::{
    BuildError, Problem, Residual, Role, Source, Term, domain, plan, reference, scales, size, term, unknown,
    windows,
};
use crate::derivative::Partial;
use crate::diagnostic::Diagnostic;
use crate::lang::{Graph, HERE, Id, Leaf};
use crate::spec::{self, Parsed};

/// The most coordinates that the derivative engine is made for.
const MAX_COORDINATES: usize = 16;

/// Builds the problem, or returns every error of the file with the texts that they point into.
pub fn build(parsed: Parsed) -> Result<Problem, BuildError> {
    let file = parsed.resolved(parsed.spec.train.seed);
    let Parsed { spec, sources, mut diagnostics, .. } = parsed;
    // Without names nothing else can be understood.
    if spec.fields.is_empty() || spec.domain.is_empty() {
        return Err(BuildError { sources, diagnostics });
    }
    if let Some(axis) = spec.domain.get(MAX_COORDINATES) {
        diagnostics.push(too_many_coordinates(axis, spec.domain.len()));
        return Err(BuildError { sources, diagnostics });
    }
    let left_open: Vec<bool> = spec.terms.iter().map(|term| term.points.is_none()).collect();
    let problem = understand(spec.clone(), &mut diagnostics);
    let problem = problem.and_then(|problem| with_continuation(problem, spec, &mut diagnostics));
    let problem = problem.map(|problem| with_file(problem, file, &left_open));
    match problem {
        Some(problem) if diagnostics.is_empty() => Ok(problem),
        _ => Err(BuildError { sources, diagnostics }),
    }
}

/// The problem with the file that says all of it: the network that was chosen, and points where the file
/// leaves them open.
fn with_file(mut problem: Problem, mut file: spec::Resolved, left_open: &[bool]) -> Problem {
    file.set_network(&problem.network, &problem.fields, &problem.coordinates);
    for (term, _) in problem.terms.iter().zip(left_open).filter(|(_, open)| **open) {
        if !matches!(term.source, Source::Given { .. }) {
            file.set_points(&term.name, term.points);
        }
    }
    problem.file = Arc::new(file);
    problem
}

/// The problem with those of its continuation, where a constant comes to its value step by step: of the same
/// networks.
fn with_continuation(
    mut problem: Problem,
    mut spec: spec::Spec,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Problem> {
    let continuation = std::mem::take(&mut spec.continuation);
    spec.network = spec::Network { is_given: true, has_periods: true, ..problem.network.clone() };
    for step in 0..continuation.first().map_or(0, |(_, values)| values.len()) {
        let mut spec = spec.clone();
        for (constant, values) in &continuation {
            spec.constants[*constant].1 = values[step].clone();
        }
        problem.continuation.push(understand(spec, diagnostics)?);
    }
    if !problem.continuation.is_empty() {
        problem.windows = None;
    }
    Some(problem)
}

fn understand(spec: spec::Spec, diagnostics: &mut Vec<Diagnostic>) -> Option<Problem> {
    let names = Names::new(&spec, diagnostics);
    let domain = domain::domain(&spec, &names, diagnostics);
    let unknowns = unknown::unknowns(&spec, &names, diagnostics);
    let construction = Construction::of(&spec, &names, domain.as_ref(), diagnostics);
    let mut networks = networks(&spec, &names, &construction, diagnostics);
    let mut ansatz = Ansatz::new(&spec, &names, diagnostics);
    ansatz.construction = construction;
    ansatz.scale(&spec.network.scale_outputs);
    let outputs: Vec<Vec<usize>> = networks.iter().map(|network| network.fields.clone()).collect();
    let context = term::Context {
        spec: &spec,
        names: &names,
        domain: domain.as_ref(),
        ansatz: &ansatz,
        networks: &outputs,
        unknowns: &unknowns,
    };
    let mut terms: Vec<Option<Term>> =
        spec.terms.iter().map(|term| term::term(term, &context, diagnostics)).collect();
    let (network, scales) = scales::chosen(&context, &terms, &networks);
    for plan in networks.iter_mut().filter(|plan| plan.fields.iter().all(|&f| f < spec.fields.len())) {
        plan.shape = network.clone();
        plan.periods = periods(&network, &names, &mut Vec::new());
        plan.periods.extend(&ansatz.construction.periods);
    }
    let mut scaled = ansatz.clone();
    if scaled.scale(&network.scale_outputs) {
        let context = term::Context { ansatz: &scaled, ..context };
        // What is wrong with the terms was said the first time.
        terms = spec.terms.iter().map(|term| term::term(term, &context, &mut Vec::new())).collect();
        ansatz = scaled;
    }
    let reference =
        domain.as_ref().and_then(|domain| reference::reference(&spec, &names, domain, diagnostics));
    let count = |constraints: bool| {
        let chosen = terms.iter().flatten().filter(|term| !constraints || term.role == Role::Constraint);
        let each = chosen.map(|term| term.source.count().saturating_mul(term.residual.equations()));
        each.fold(0, usize::saturating_add)
    };
    let parameters = domain.as_ref().map_or(0, |domain| size::parameters(&networks, domain));
    let sizes =
        plan::Sizes { conditions: count(true), residuals: count(false), parameters: parameters as f64 };
    let stages = plan::stages(&spec.train, &spec.terms, sizes, diagnostics);
    plan::check_growth(&spec.train, &network, diagnostics);
    let resample = spec.train.resample.unwrap_or_else(|| plan::resample(&spec, &stages));
    let terms = terms.into_iter().collect::<Option<Vec<Term>>>();
    if let (Some(terms), Some(domain)) = (&terms, &domain) {
        diagnostics.extend(size::too_large(&spec, domain, terms, &networks, &stages, reference.as_ref()));
    }
    let solution = solution(&ansatz, &names, &outputs)?;
    let (terms, domain) = (terms?, domain?);
    let is_inverse = !spec.unknowns.is_empty();
    let asked = (spec.train.windows.as_ref(), spec.train.stages.is_empty());
    let windows = windows::plan(asked, names.time, &domain, (&terms, &solution, is_inverse), diagnostics);
    Some(Problem {
        terms,
        domain,
        windows,
        continuation: Vec::new(),
        name: spec.name,
        title: spec.title,
        coordinates: names.coordinates.clone(),
        fields: names.fields.clone(),
        sought: spec.fields.len(),
        unknowns,
        network,
        scales,
        networks,
        solution,
        reference,
        train: spec.train.clone(),
        resample,
        stages,
        file: Arc::default(),
        notation: Notation { names, ansatz },
    })
}

/// Every field at a point, through its ansatz.
fn solution(ansatz: &Ansatz, names: &Names, networks: &[Vec<usize>]) -> Option<Residual> {
    let mut graph = Graph::new();
    let value = |field| graph.leaf(Leaf::Jet { field, partial: Partial::VALUE, site: HERE });
    let fields: Vec<Id> = (0..names.fields.len()).map(value).collect();
    let applied = ansatz.apply(&mut graph, &fields, names).ok()?;
    Some(Residual::new(&mut graph, &applied, networks))
}

fn too_many_coordinates(axis: &spec::CoordinateRange, count: usize) -> Diagnostic {
    Diagnostic::new(axis.name.span, format!("the problem has {count} coordinates"))
        .label(format!("at most {MAX_COORDINATES}"))
        .hint("remove coordinates, or give parameters a value in [constants]")
}
