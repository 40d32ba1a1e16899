//! A warning of constraints in trouble, in words and in the summary.

use adamflip::train::{ConstraintIssue, Warning};
use serde::Serialize;

/// A warning in the summary.
#[derive(Serialize)]
pub(super) struct Caution {
    kind: &'static str,
    terms: Vec<String>,
    step: usize,
    text: String,
}

impl Caution {
    pub(super) fn of(warning: &Warning) -> Self {
        Self {
            kind: warning.issue.name(),
            terms: warning.terms.clone(),
            step: warning.step,
            text: text(warning),
        }
    }
}

/// What is wrong with constraints and what to do.
pub fn text(warning: &Warning) -> String {
    let names: Vec<String> = warning.terms.iter().map(|name| format!("`{name}`")).collect();
    let names = match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    };
    match warning.issue {
        ConstraintIssue::Conflicting => format!(
            "the constraints {names} contradict each other: no step can lower both; correct one, or make it an objective"
        ),
        ConstraintIssue::Redundant => {
            format!("the constraints {names} say the same at the same points: one of them can go")
        }
        ConstraintIssue::Fixed => format!(
            "the constraint {names} is not met, and nothing that is trained changes it: look at its equation and the ansatz"
        ),
    }
}
