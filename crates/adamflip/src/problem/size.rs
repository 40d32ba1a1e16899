//! What a run keeps in memory, estimated before anything is allocated.

use super::{NetworkPlan, Places, Problem, Reference, Source, Stage, Term};
use crate::diagnostic::Diagnostic;
use crate::geometry::Domain;
use crate::optim::{JacobianRows, Method, MethodFacts};
use crate::spec;

/// The largest estimate of the memory of a run, in bytes: beyond, a number was mistyped.
const MAX_BYTES: f64 = 64.0 * GIB;
const GIB: f64 = (1u64 << 30) as f64;

/// A run that does not fit: what it needs, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// What it needs.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Problem {
    /// Whether a run of these stages fits in this many bytes, or in what any may take.
    pub fn fits(&self, stages: &[Stage], bytes: Option<f64>) -> Result<(), TooLarge> {
        let limit = bytes.map_or(MAX_BYTES, |bytes| bytes.min(MAX_BYTES));
        let evaluated = evaluated(self.reference.as_ref(), self.coordinates.len());
        fits(&self.domain, &self.terms, &self.networks, stages, evaluated, limit)
    }
}

/// The refusal of a problem that does not fit.
pub(super) fn too_large(
    spec: &spec::Spec,
    domain: &Domain,
    terms: &[Term],
    networks: &[NetworkPlan],
    stages: &[Stage],
    reference: Option<&Reference>,
) -> Option<Diagnostic> {
    let evaluated = evaluated(reference, domain.dimension());
    let TooLarge { message, hint } = fits(domain, terms, networks, stages, evaluated, MAX_BYTES).err()?;
    let points = |term: &spec::Term| term.points.as_ref().map_or(0, |points| points.value);
    let largest = spec.terms.iter().max_by_key(|term| points(term))?;
    let span = largest.points.as_ref().map_or(largest.name.span, |points| points.span);
    Some(Diagnostic::new(span, message).label("most points are here").hint(hint))
}

fn fits(
    domain: &Domain,
    terms: &[Term],
    networks: &[NetworkPlan],
    stages: &[Stage],
    evaluated: f64,
    limit: f64,
) -> Result<(), TooLarge> {
    let parameters = parameters(networks, domain) as f64;
    let factorized = networks.iter().any(|plan| plan.shape.factorized.is_some());
    let rows = |stage: &Stage| {
        squares(&stage.method, terms)
            + rows(&stage.method, terms, parameters, factorized)
            + residuals(&stage.method, terms)
    };
    let squares = stages.iter().map(rows).fold(0.0, f64::max);
    let curvature = stages.iter().map(|stage| curvature(&stage.method, parameters)).fold(0.0, f64::max);
    let bytes = bytes(domain.dimension(), terms, parameters) + squares + curvature + evaluated;
    if bytes <= limit {
        return Ok(());
    }
    let points: f64 = terms.iter().map(|term| term.points as f64).sum();
    let message = format!(
        "the problem needs about {:.0} GiB: {points:.1e} points and {parameters:.1e} parameters",
        bytes / GIB,
    );
    let limit = format!("{:.0} GiB are the limit", limit / GIB);
    let hint = match squares > 0.5 * bytes {
        true => format!(
            "constraints that are met one by one need a row each and a square matrix: lower their `points`, or write `pointwise = false`; {limit}"
        ),
        false if curvature > 0.5 * bytes => format!(
            "a matrix of all parameters by all is needed: lower `network.hidden`, or choose another method; {limit}"
        ),
        false if evaluated > 0.5 * bytes => {
            format!(
                "most of it is for the nodes where the reference is compared: lower `grid` in [reference]; {limit}"
            )
        }
        false => format!("lower `points` or `network.hidden`: {limit}"),
    };
    Err(TooLarge { message, hint })
}

/// The places where errors are measured, with the network and the reference there, their copies in files and
/// figures.
fn evaluated(reference: Option<&Reference>, dimension: usize) -> f64 {
    let Some(reference) = reference else { return 0.0 };
    let count = match &reference.places {
        Places::Grid(grid) => grid.counts.iter().map(|&count| count as f64).product(),
        Places::Points(points) => points.len() as f64,
    };
    8.0 * count * (2 * dimension + 4 * reference.fields.len()) as f64
}

/// How often the points of a term are in memory at the most: with the trainer and the objective, while they
/// are drawn, while a state is written, and as fresh ones of the certificate with what is computed there.
/// Measured: 240 bytes for each of a million points with four columns (two coordinates, two precomputed).
const COPIES: f64 = 8.0;

/// Points with their sites and precomputed columns, and parameters with gradients, partial sums of threads
/// and moments.
fn bytes(dimension: usize, terms: &[Term], parameters: f64) -> f64 {
    let columns =
        |term: &Term| dimension * (1 + term.residual.sites.len()) + term.residual.precomputed.outputs().len();
    let points: f64 = terms
        .iter()
        .map(|term| (1 + pool(term)) as f64 * term.source.count() as f64 * columns(term) as f64)
        .sum();
    let constraints = terms.iter().filter(|term| term.role == spec::Role::Constraint).count();
    let rows = 16 * terms.len() + constraints + 6;
    8.0 * (COPIES * points + parameters * rows as f64)
}

/// Candidates for every point of an adaptive term.
fn pool(term: &Term) -> usize {
    match term.source {
        Source::Drawn {
            adaptive: Some(spec::Adaptive::Rad { pool, .. } | spec::Adaptive::Rar { pool, .. }),
            ..
        } => pool,
        _ => 0,
    }
}

/// The Gram matrices of the constraints under a method.
fn squares(method: &Method, terms: &[Term]) -> f64 {
    let [matrices, _] = method.facts().matrices;
    8.0 * matrices * entries(method, terms).min(method.rows_at_once() as f64).powi(2)
}

/// The matrices of all residuals by all under a method.
fn residuals(method: &Method, terms: &[Term]) -> f64 {
    let all: f64 = terms.iter().map(|term| (term.source.count() * term.residual.equations()) as f64).sum();
    8.0 * method.facts().residuals * all.powi(2)
}

/// The rows of the constraints' Jacobian where a method has them written out, and where they are gathered.
fn rows(method: &Method, terms: &[Term], parameters: f64, factorized: bool) -> f64 {
    let written = match method.facts().jacobian {
        JacobianRows::Written => true,
        JacobianRows::Combined => false,
        // Those of factorized weights have no factors.
        JacobianRows::Products => factorized,
    };
    if written { 2.0 * 8.0 * entries(method, terms) * parameters } else { 0.0 }
}

/// How many constraints a method has.
fn entries(method: &Method, terms: &[Term]) -> f64 {
    let constraints = terms.iter().filter(|term| term.role == spec::Role::Constraint);
    let entries = constraints.map(|term| match term.is_pointwise(method) {
        true => term.source.count() as f64 * term.residual.equations() as f64,
        false => 1.0,
    });
    entries.sum()
}

/// The matrices of all parameters by all under a method, and its many vectors.
fn curvature(method: &Method, parameters: f64) -> f64 {
    let MethodFacts { matrices: [_, matrices], vectors, .. } = method.facts();
    8.0 * (matrices * parameters.powi(2) + vectors * parameters)
}

/// The number of all trained weights and biases.
pub(super) fn parameters(networks: &[NetworkPlan], domain: &Domain) -> usize {
    networks.iter().map(|plan| plan.parameters(domain)).sum()
}

#[cfg(test)]
mod tests {
    use crate::{problem, spec};

    #[test]
    fn a_matrix_of_all_parameters_counts() {
        let mistakes = |method: &str, hidden: &str| {
            let text = format!(
                "fields = ['u']\n[domain]\nx = [0, 1]\n[term.pde]\nequation = 'u_xx = 1'\npoints = 9\n\
                 [network]\nhidden = {hidden}\n[train]\nstages = [{{ method = '{method}', steps = 5 }}]"
            );
            match problem::build(spec::parse("p.toml", &text, &Default::default())) {
                Ok(_) => Vec::new(),
                Err(rejected) => rejected.diagnostics,
            }
        };
        assert_eq!(
            [mistakes("lbfgs", "[400, 400]"), mistakes("ssbroyden", "[60, 60]")],
            [const { Vec::new() }; 2]
        );
        // 161,601 parameters: twice their square in halves of eight bytes are 195 GiB.
        let found = mistakes("ssbroyden", "[400, 400]");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].message.contains("195 GiB"), "{found:?}");
        assert!(found[0].hint.as_ref().is_some_and(|hint| hint.contains("network.hidden")), "{found:?}");
    }

    #[test]
    fn constraints_one_by_one_need_a_square_matrix() {
        let mistakes = |method: &str| {
            let text = format!(
                "fields = ['u']\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.pde]\nequation = 'u_t = u_xx'\npoints = 9\n\
                 [term.walls]\non = 'x = 0'\nequation = 'u = 0'\npoints = 100000\n\
                 [train]\nstages = [{{ method = '{method}', steps = 5 }}]"
            );
            match problem::build(spec::parse("p.toml", &text, &Default::default())) {
                Ok(_) => Vec::new(),
                Err(rejected) => rejected.diagnostics,
            }
        };
        let others = ["adam", "adamflip", "al", "adamflip_split", "newton_cg"].map(mistakes);
        assert_eq!(others, [const { Vec::new() }; 5]);
        for method in ["newton_rows", "trsqp", "newtonflip"] {
            let found = mistakes(method);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(
                found[0].hint.as_ref().is_some_and(|hint| hint.contains("pointwise = false")),
                "{found:?}"
            );
        }
    }

    /// Rows of factorized weights are no outer products, and are written out: 77 GB of them.
    #[test]
    fn rows_of_factorized_weights_count() {
        let fits = |network: &str| {
            let text = format!(
                "fields = ['u']\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.pde]\nequation = 'u_t = u_xx'\npoints = 9\n\
                 [term.walls]\non = 'x = 0'\nequation = 'u = 0'\npoints = 30000\n[network]\nhidden = [400, 400]\n{network}\n\
                 [train]\nstages = [{{ method = 'adamflip_split', steps = 5 }}]"
            );
            problem::build(spec::parse("p.toml", &text, &Default::default())).is_ok()
        };
        assert!(fits("") && !fits("factorized = true"));
    }
}
