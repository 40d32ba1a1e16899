//! What is said of generators that cannot be used.

use super::admission::AdmissionError;
use super::{Interior, Names};
use crate::diagnostic::{Diagnostic, Spanned, nearest};
use crate::lang::{Graph, Scope};
use crate::problem::term::Context;
use crate::spec;

const EXAMPLE: &str =
    "write for example `symmetry = { x = \"x\", t = \"2*t\" }`, the scaling of the heat equation";
/// A remainder is shown by its beginning where it is longer.
const LONGEST: usize = 120;

/// What stands in the way of a term with a symmetry before its generator is looked at.
pub(super) fn unusable(
    term: &spec::Term,
    symmetry: &spec::Symmetry,
    interior: &Interior,
    context: &Context<'_>,
) -> Option<Diagnostic> {
    let refusal = |message: &str, label: &str, hint: &str| {
        Some(Diagnostic::new(symmetry.span, message).label(label).hint(hint))
    };
    if let Some(text) = term.equations.first() {
        let diagnostic = Diagnostic::new(text.span, "`equation` has no use beside `symmetry`");
        return Some(
            diagnostic.label("the symmetry says what holds").hint("give the equation a term of its own"),
        );
    }
    if context.spec.unknowns.iter().any(|unknown| unknown.of.is_some()) {
        let hint = "write the coefficient as a formula, or remove the term";
        return refusal(
            "symmetries of equations with coefficient functions are not known",
            "not checked",
            hint,
        );
    }
    if term.data.is_some() && !symmetry.augment {
        let hint = "add `augment = true`, or remove `data`";
        return refusal("observations are no part of a solution's invariance", "nothing to compare", hint);
    }
    if interior.equations.is_empty() {
        let hint = "give the equation that has the symmetry a term without `on`";
        return refusal("no equation holds everywhere", "a symmetry of which equation?", hint);
    }
    None
}

pub(super) fn unknown_name(name: &Spanned<String>, names: &Names) -> Diagnostic {
    let known = || names.coordinates.iter().chain(&names.fields).map(String::as_str);
    let meant = nearest(&name.value, known()).map(|meant| format!("did you mean `{meant}`? "));
    let list = format!(
        "the coordinates are {}, the fields {}",
        names.coordinates.join(", "),
        names.fields.join(", ")
    );
    Diagnostic::new(name.span, format!("`{}` is neither a coordinate nor a field", name.value))
        .label("moves nothing")
        .hint(meant.unwrap_or_default() + &list)
}

pub(super) fn no_point_symmetry(text: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(text.span, "the coefficients of a point symmetry depend on coordinates and fields alone")
        .label("a derivative, an integral or a value elsewhere")
        .hint(EXAMPLE)
}

pub(super) fn nothing(symmetry: &spec::Symmetry) -> Diagnostic {
    Diagnostic::new(symmetry.span, "this generator moves nothing")
        .label("every coefficient is 0")
        .hint(EXAMPLE)
}

/// What is left over of which equation.
pub(super) fn refused(
    refusal: &AdmissionError,
    symmetry: &spec::Symmetry,
    texts: &[(String, Spanned<String>)],
    names: &Names,
    (graph, scope): (&Graph, &Scope<'_>),
) -> Diagnostic {
    let of = |equation: usize| texts.get(equation).map_or("pde", |(term, _)| term.as_str());
    match refusal {
        AdmissionError::Rest { equation, rest } => {
            let message = format!("the equation of `{}` does not admit this generator", of(*equation));
            let shown = cut(&graph.display(*rest, scope));
            let diagnostic = Diagnostic::new(symmetry.span, message);
            diagnostic
                .label(format!("left over where the equation holds: {shown}"))
                .hint(missing(symmetry, names))
        }
        AdmissionError::Underivable(equation, why) => {
            let message = format!("symmetries of the equation of `{}` cannot be checked", of(*equation));
            let hint = "symmetries are those of differential equations at one point, without integrals and other points";
            Diagnostic::new(symmetry.span, message).label(why.to_string()).hint(hint)
        }
        AdmissionError::Unsolvable => {
            let diagnostic =
                Diagnostic::new(symmetry.span, "whether the equations admit this generator was not decided");
            diagnostic
                .label("no derivatives were found that satisfy the equations")
                .hint("simplify the equations, or remove the term")
        }
    }
}

/// What may be wrong with a generator that is not admitted.
fn missing(symmetry: &spec::Symmetry, names: &Names) -> String {
    let given = |name: &&String| !symmetry.coefficients.iter().any(|(known, _)| known.value == **name);
    let absent: Vec<&str> =
        names.coordinates.iter().chain(&names.fields).filter(given).map(String::as_str).collect();
    let advice = "change its coefficients so that this vanishes";
    match absent.is_empty() {
        true => advice.to_owned(),
        false => format!("{advice}; the coefficients of {} are not given and count as 0", absent.join(", ")),
    }
}

pub(super) fn contradicted(symmetry: &spec::Symmetry, term: &spec::Term, rest: &str) -> Diagnostic {
    let message = format!("`{}` does not share this symmetry, so no solution is invariant", term.name.value);
    Diagnostic::new(symmetry.span, message)
        .label(format!("the group changes the condition by {}", cut(rest)))
        .hint("write `augment = true` for the equations at points moved along the group, or choose another generator")
}

pub(super) fn not_drawn(term: &spec::Term, why: &str) -> Diagnostic {
    Diagnostic::new(term.name.span, format!("`{}` has no points", term.name.value))
        .label(why.to_owned())
        .hint("look at the shapes and comparisons of this place")
}

pub(super) fn reference(symmetry: &spec::Symmetry) -> Diagnostic {
    Diagnostic::new(symmetry.span, "formulas of the reference are not moved along a group")
        .label("they are known everywhere")
        .hint("observe the reference at more points instead")
}

pub(super) fn needs_fields(symmetry: &spec::Symmetry, has_data: bool) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(symmetry.span, "where points move depends on values that are not known there");
    diagnostic.label("a coefficient contains a field or an unknown").hint(match has_data {
        true => "give the data a column for every field of the generator",
        false => "choose a generator whose coordinates move by coordinates alone",
    })
}

fn cut(text: &str) -> String {
    match text.chars().count() <= LONGEST {
        true => text.to_owned(),
        false => text.chars().take(LONGEST).chain(" …".chars()).collect(),
    }
}
