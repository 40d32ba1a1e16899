//! What a run keeps in memory, estimated before anything is allocated.

use super::{NetworkPlan, Term};
use crate::diagnostic::Diagnostic;
use crate::spec;

/// The largest estimate of the memory of a run, in bytes: beyond, a number was mistyped.
const MAX_BYTES: f64 = 64.0 * GIB;
const GIB: f64 = (1u64 << 30) as f64;

/// The refusal of a problem that does not fit.
pub(super) fn too_large(spec: &spec::Spec, terms: &[Term], networks: &[NetworkPlan]) -> Option<Diagnostic> {
    let parameters: f64 = networks.iter().map(parameters).sum();
    let bytes = bytes(spec, terms, parameters);
    let points = |term: &spec::Term| term.points.as_ref().map_or(0, |points| points.value);
    let largest = spec.terms.iter().max_by_key(|term| points(term))?;
    let span = largest.points.as_ref().map_or(largest.name.span, |points| points.span);
    (bytes > MAX_BYTES).then(|| {
        let points: f64 = terms.iter().map(|term| term.points as f64).sum();
        let message = format!(
            "the problem needs about {:.0} GiB: {points:.1e} points and {parameters:.1e} parameters",
            bytes / GIB,
        );
        Diagnostic::new(span, message)
            .label("most points are here")
            .hint(format!("lower `points` or `network.hidden`: {:.0} GiB are the limit", MAX_BYTES / GIB))
    })
}

/// Points with their sites and given columns, and parameters with gradients, partial sums of threads and moments.
fn bytes(spec: &spec::Spec, terms: &[Term], parameters: f64) -> f64 {
    let dimension = spec.domain.len();
    let columns =
        |term: &Term| dimension * (1 + term.residual.sites.len()) + term.residual.given.outputs().len();
    let points: f64 = terms.iter().map(|term| term.source.count() as f64 * columns(term) as f64).sum();
    let constraints = terms.iter().filter(|term| term.role == spec::Role::Constraint).count();
    let rows = 16 * terms.len() + constraints + 6;
    8.0 * (points + parameters * rows as f64)
}

/// About the number of a network's weights and biases.
fn parameters(plan: &NetworkPlan) -> f64 {
    let features = plan.shape.fourier.as_ref().map_or(0, |fourier| 2 * fourier.features);
    let first = plan.coordinates.len() + features;
    let inputs = std::iter::once(first).chain(plan.shape.hidden.iter().copied());
    let outputs = plan.shape.hidden.iter().copied().chain([plan.fields.len()]);
    inputs.zip(outputs).map(|(input, output)| (input as f64 + 1.0) * output as f64).sum()
}
