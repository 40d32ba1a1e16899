//! What is said of ends whose conditions cannot be built in.

use crate::diagnostic::{Diagnostic, Spanned};
use crate::geometry::Domain;
use crate::spec;

/// Why the ends of a coordinate are not understood.
pub(super) enum Gap {
    /// Nothing is said at this end of this coordinate.
    Silent(usize, f64),
    /// A second condition.
    Twice(Spanned<String>),
    /// A condition that is no value, slope or period.
    Unusable(Spanned<String>),
}

pub(super) fn unusable(
    name: &Spanned<String>,
    coordinate: usize,
    spec: &spec::Spec,
    domain: &Domain,
) -> Option<Diagnostic> {
    let refusal = |message: String, label: &str, hint: &str| {
        Some(Diagnostic::new(name.span, message).label(label).hint(hint))
    };
    let name = &name.value;
    if domain.time == Some(coordinate) {
        let hint = "list coordinates of space, and give the start as a term";
        return refusal(
            format!("`{name}` is the time, which has no condition at its end"),
            "not space",
            hint,
        );
    }
    if domain.inside.is_some() {
        let hint = "remove `fourier_hard`: an `ansatz` can vanish on a curved boundary";
        return refusal("`fourier_hard` is for boxes".to_owned(), "the domain has shapes", hint);
    }
    if !spec.network.ansatz.is_empty() {
        let hint = "remove one of the two";
        return refusal(
            "`fourier_hard` and `ansatz` both say how fields follow".to_owned(),
            "two of them",
            hint,
        );
    }
    if spec.network.periodic.iter().any(|(other, _)| other.value == *name) {
        let hint = "remove it from one of the two";
        return refusal(format!("`{name}` is in `periodic` too"), "two constructions", hint);
    }
    None
}

pub(super) fn unsaid(name: &Spanned<String>, field: &str, gap: Gap, coordinates: &[String]) -> Diagnostic {
    match gap {
        Gap::Silent(coordinate, value) => {
            let message = format!("nothing is said of `{field}` at {} = {value}", coordinates[coordinate]);
            Diagnostic::new(name.span, message).label("both ends need a condition for every field").hint(
                format!(
                    "add a term `on = \"{} = {value}\"`, or remove `{}` here",
                    coordinates[coordinate], name.value
                ),
            )
        }
        Gap::Twice(text) => {
            Diagnostic::new(text.span, format!("a second condition of `{field}` at this end"))
                .label("one can be built in")
                .hint(format!("remove one of the two, or `{}` from `fourier_hard`", name.value))
        }
        Gap::Unusable(text) => Diagnostic::new(
            text.span,
            "this condition cannot be built in by `fourier_hard`",
        )
        .label("neither a value, nor a slope along the coordinate, nor a period")
        .hint(format!(
            "write `u = …`, `u_{0} = …` or `u = u(…)` at the other end; or remove `{0}` from `fourier_hard`",
            name.value
        )),
    }
}

pub(super) fn mixed(name: &Spanned<String>) -> Diagnostic {
    Diagnostic::new(name.span, format!("some fields are periodic in `{}` and others are not", name.value))
        .label("one embedding serves all fields")
        .hint("remove it here: conditions that are terms can be mixed")
}

pub(super) fn no_fit(name: &Spanned<String>, field: &str) -> Diagnostic {
    Diagnostic::new(name.span, format!("the conditions of `{field}` do not fit at a corner"))
        .label("no smooth field meets both")
        .hint("change the conditions so that they agree where two ends meet, or list one coordinate alone")
}
