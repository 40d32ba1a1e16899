//! What a term says: where its points come from, and its equations in a graph.

use super::data;
use super::inequality::{self, Written};
use super::names::Names;
use super::place::place;
use super::reference::substituted;
use super::symmetry;
use super::term::Context;
use crate::derivative::Partial;
use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::{Domain, Place, Points};
use crate::lang::{self, Graph, HERE, Id, Leaf};
use crate::spec;

/// Where a term's points come from, before its equations are read.
pub(super) struct Origin {
    pub(super) kind: OriginKind,
    /// The names of the points' attributes.
    pub(super) attributes: Vec<String>,
}

pub(super) enum OriginKind {
    Drawn(Place),
    /// A file, its points, and the fields that its columns measure: (field, attribute).
    File {
        file: String,
        points: Points,
        measured: Vec<(usize, usize)>,
        notes: Vec<String>,
    },
    Reference(Place),
}

/// A term's equations in its graph.
#[derive(Default)]
pub(super) struct Equations {
    /// left − right; g of inequalities g ≤ 0.
    pub(super) residuals: Vec<Id>,
    /// Are they all inequalities?
    pub(super) are_inequalities: bool,
    /// As they are written for people, where that is not `residual = 0`.
    pub(super) texts: Vec<String>,
    /// What is observed of the reference, one for each residual.
    pub(super) observed: Vec<Id>,
}

/// Where the points of a term come from.
pub(super) fn origin(
    term: &spec::Term,
    context: &Context<'_>,
    domain: &Domain,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Origin> {
    let names = context.names;
    let own = term.cloud.as_ref().or(term.data.as_ref().filter(|_| !term.observes_reference()));
    // A reference that is a file is observed at some of the file's points.
    let reference = context.spec.reference.as_ref().filter(|_| term.observes_reference());
    let (file, columns) = match own {
        Some(file) => (Some(file), term.columns.as_deref()),
        None => (
            reference.and_then(|reference| reference.data.as_ref()),
            reference.and_then(|reference| reference.columns.as_deref()),
        ),
    };
    let Some(file) = file else {
        let place = place(&term.on, names, domain, diagnostics)?;
        return Some(match &term.data {
            Some(_) => Origin { kind: OriginKind::Reference(place), attributes: Vec::new() },
            None => {
                let normals = !place.parts.is_empty() && domain.has_normals(&place);
                let attributes = if normals { names.normals() } else { Vec::new() };
                Origin { kind: OriginKind::Drawn(place), attributes }
            }
        });
    };
    let read = match own {
        Some(_) => data::read(context.spec, file, columns, names, domain, diagnostics)?,
        None => {
            diagnostics.extend(fixed_by_file(term));
            // What is wrong with the file is said of [reference].
            data::read(context.spec, file, columns, names, domain, &mut Vec::new())?
        }
    };
    let field = |name: &String| names.fields.iter().position(|field| field == name);
    let measured = read.columns.iter().zip(0..).filter_map(|(name, i)| Some((field(name)?, i))).collect();
    let taken = |name: &String| {
        field(name).is_some()
            || names.unknowns.contains(name)
            || names.constants.iter().any(|(constant, _)| constant == name)
            || names.definitions.iter().any(|definition| definition.name == *name)
            || lang::derivative_of(name, &names.fields, &names.coordinates).is_some()
    };
    let attributes =
        read.columns.iter().map(|name| if taken(name) { format!("{name}_data") } else { name.clone() });
    let attributes = attributes.collect();
    let (file, notes) = (file.value.clone(), read.notes);
    Some(Origin { kind: OriginKind::File { file, points: read.points, measured, notes }, attributes })
}

/// The equations of a term, written or following from its data.
pub(super) fn equations(
    term: &spec::Term,
    context: &Context<'_>,
    origin: Option<&Origin>,
    attributes: &[String],
    graph: &mut Graph,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Equations> {
    let scope = context.names.scope(attributes);
    let reference = context.spec.reference.as_ref();
    if term.observes_reference() && reference.is_none_or(|reference| reference.data.is_none()) {
        diagnostics.extend(term.equations.first().map(beside_formulas));
        return observations(term, context, graph, diagnostics);
    }
    if let Some(pair) = &term.complement {
        let written = inequality::complement(pair, &scope, graph);
        let written = written.map_err(|mistakes| diagnostics.extend(mistakes)).ok()?;
        if depends_on_nothing(graph, &written) {
            diagnostics.push(without_field(&pair[0], context.names));
        }
        return Some(Equations::written([written]));
    }
    if let Some(symmetry) = &term.symmetry {
        let residuals = symmetry::residuals(term, symmetry, context, graph, diagnostics)?;
        if !(symmetry.augment && term.data.is_some()) {
            return Some(Equations { residuals, ..Equations::default() });
        }
    }
    if term.equations.is_empty() {
        let Some(Origin { kind: OriginKind::File { file, measured, .. }, .. }) = origin else { return None };
        if measured.is_empty() {
            diagnostics.push(nothing_measured(term, file, attributes, context.names));
            return None;
        }
        let measured = observed_columns(term, measured, context.names, diagnostics)?;
        let residual = |&(field, attribute): &(usize, usize)| {
            let jet = graph.leaf(Leaf::Jet { field, partial: Partial::VALUE, site: HERE });
            let value = graph.leaf(Leaf::Attribute(attribute));
            graph.sub(jet, value)
        };
        return Some(Equations {
            residuals: measured.iter().map(residual).collect(),
            ..Equations::default()
        });
    }
    if let Some(text) = term.observe.first() {
        let diagnostic = Diagnostic::new(text.span, "`observe` has no use beside `equation`");
        diagnostics
            .push(diagnostic.label("what is compared is written there").hint("remove one of the two lines"));
    }
    let mut read = |text| -> Option<Vec<Written>> {
        let comparisons = lang::comparisons(text, &scope, graph);
        let comparisons = comparisons.map_err(|mistakes| diagnostics.extend(mistakes)).ok()?;
        Some(comparisons.into_iter().map(|one| Written::comparison(one, graph, &scope)).collect())
    };
    let said: Vec<Option<Vec<Written>>> = term.equations.iter().map(&mut read).collect();
    let said = said.into_iter().collect::<Option<Vec<_>>>()?;
    for (text, written) in term.equations.iter().zip(&said) {
        if written.iter().any(|written| depends_on_nothing(graph, written)) {
            diagnostics.push(without_field(text, context.names));
        }
    }
    diagnostics.extend(inequality::mixed(&term.equations, &said));
    Some(Equations::written(said.into_iter().flatten()))
}

impl Equations {
    fn written(all: impl IntoIterator<Item = Written>) -> Self {
        let mut equations = Self { are_inequalities: true, ..Self::default() };
        for Written { residual, is_inequality, text } in all {
            equations.residuals.push(residual);
            equations.are_inequalities &= is_inequality;
            equations.texts.push(text);
        }
        equations
    }
}

/// Is there nothing that training could change? Of an unknown alone an equation would be its value, and that
/// is no unknown; an inequality is a bound.
fn depends_on_nothing(graph: &Graph, written: &Written) -> bool {
    let is_free = |leaf: &Leaf| match leaf {
        Leaf::Jet { .. } => true,
        Leaf::Unknown(_) => written.is_inequality,
        _ => false,
    };
    !graph.leaves(&[written.residual]).iter().any(is_free)
}

/// Of the measured columns of the reference's file those that are observed: the ones listed, or all.
fn observed_columns(
    term: &spec::Term,
    measured: &[(usize, usize)],
    names: &Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<(usize, usize)>> {
    if term.observe.is_empty() {
        return Some(measured.to_vec());
    }
    let column = |text: &Spanned<String>| {
        let found = measured.iter().find(|(field, _)| names.fields[*field] == text.value).copied();
        if found.is_none() {
            let columns: Vec<&str> =
                measured.iter().map(|(field, _)| names.fields[*field].as_str()).collect();
            let message = format!("`{}` is not in the file of the reference", text.value);
            let diagnostic = Diagnostic::new(text.span, message);
            let hint = "of a reference that is a file its columns are observed; write an `equation` for anything else";
            diagnostics.push(diagnostic.label(format!("it has {}", columns.join(", "))).hint(hint));
        }
        found
    };
    let columns: Vec<Option<(usize, usize)>> = term.observe.iter().map(column).collect();
    columns.into_iter().collect()
}

/// What is observed of the reference: the expressions listed, or every field with a formula.
fn observations(
    term: &spec::Term,
    context: &Context<'_>,
    graph: &mut Graph,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Equations> {
    let formulas = context.spec.reference.iter().flat_map(|reference| &reference.fields);
    let known = formulas.map(|(name, text)| Spanned { value: name.value.clone(), span: text.span });
    let texts: Vec<Spanned<String>> =
        if term.observe.is_empty() { known.collect() } else { term.observe.clone() };
    let scope = context.names.scope(&[]);
    let mut equations = Equations::default();
    let mut whole = true;
    for (number, text) in texts.iter().enumerate() {
        let id = match lang::expression(text, &scope, graph) {
            Ok(id) => id,
            Err(mistakes) => {
                diagnostics.extend(mistakes);
                whole = false;
                continue;
            }
        };
        match substituted(context.spec, context.names, graph, id) {
            Some(observed) => equations.observed.push(observed),
            None => {
                diagnostics.push(not_observable(text));
                whole = false;
            }
        }
        let value = graph.leaf(Leaf::Attribute(number));
        equations.residuals.push(graph.sub(id, value));
    }
    if texts.is_empty() {
        let diagnostic = Diagnostic::new(term.name.span, "[reference] has no formula that could be observed");
        diagnostics.push(diagnostic.label("nothing to observe").hint("add `u = \"…\"` to [reference]"));
    }
    (whole && !texts.is_empty()).then_some(equations)
}

/// What says where points are drawn, in a term whose points are those of the reference's file.
fn fixed_by_file(term: &spec::Term) -> Vec<Diagnostic> {
    let place = term.on.first().map(|text| ("on", text.span));
    let sampler = term.sampler.as_ref().map(|sampler| ("sampler", sampler.span));
    let refused = |(key, span)| {
        Diagnostic::new(span, format!("`{key}` has no use here: the reference is a file"))
            .label("some of the file's points are observed")
            .hint("remove this line, or put the points that you want into a file of their own and write `data = \"it.csv\"`")
    };
    place.into_iter().chain(sampler).map(refused).collect()
}

fn beside_formulas(text: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(text.span, "an `equation` has no use where formulas of the reference are observed")
        .label("would not be used")
        .hint("write what is observed, `observe = [\"u\", \"u_x\"]`, or give the equation a term of its own")
}

fn without_field(text: &Spanned<String>, names: &Names) -> Diagnostic {
    Diagnostic::new(text.span, "the equation depends on no field")
        .label("nothing here depends on the network")
        .hint(format!("the fields are {}", names.fields.join(", ")))
}

fn nothing_measured(term: &spec::Term, file: &str, columns: &[String], names: &Names) -> Diagnostic {
    let span = term.data.as_ref().map_or(term.name.span, |data| data.span);
    Diagnostic::new(span, format!("`{file}` has no column named like a field"))
        .label(format!("its columns are {}", columns.join(", ")))
        .hint(format!("the fields are {}: write an `equation` with the columns", names.fields.join(", ")))
}

fn not_observable(text: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(text.span, format!("`{}` cannot be computed from the reference", text.value))
        .label("no value")
        .hint(
            "every field in it needs a formula in [reference] that has derivatives, every unknown a `truth`",
        )
}
