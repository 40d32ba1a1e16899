//! The expected error of a field in the summary, found without a look at the reference.

use adamflip::problem::Problem;
use adamflip::uncertainty::Estimate;
use serde::Serialize;

use crate::ordered::Ordered;

/// The expected error of a field.
#[derive(Default, Serialize)]
pub(super) struct Expected {
    pub(super) rel_l2: f64,
    /// The part that another step of Gauss and Newton would remove.
    pub(super) unfinished: f64,
    /// Why it should not be trusted.
    pub(super) doubts: Vec<String>,
}

/// The expected errors of all fields.
pub(super) fn expected(problem: &Problem, estimates: &[Estimate]) -> Ordered<Expected> {
    let field = |estimate: &Estimate| {
        let doubts = estimate.caveats.iter().map(|doubt| doubt.text(problem)).collect();
        let expected = Expected { rel_l2: estimate.relative_l2, unfinished: estimate.unfinished, doubts };
        (problem.fields[estimate.field].clone(), expected)
    };
    estimates.iter().map(field).collect()
}
