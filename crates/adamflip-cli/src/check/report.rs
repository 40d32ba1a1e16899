//! A problem as it was understood, ready to be printed.

use adamflip::geometry::{Boundary, Part, Place};
use adamflip::jet::Operator;
use adamflip::optim::Method;
use adamflip::problem::{Group, Measure, NetworkPlan, Places, Problem, Source, Stage, Term};
use adamflip::train::Trainer;
use serde::Serialize;

use super::warnings::warnings;
use crate::memory;
use crate::ordered::Ordered;
use crate::summary::role_name;

/// Everything that `check` says.
#[derive(Serialize)]
pub(super) struct Report {
    event: &'static str,
    pub(super) problem: String,
    pub(super) title: Option<String>,
    pub(super) coordinates: Ordered<[f64; 2]>,
    pub(super) fields: Vec<String>,
    pub(super) unknowns: Ordered<UnknownReport>,
    pub(super) terms: Ordered<TermReport>,
    pub(super) networks: Vec<NetworkReport>,
    pub(super) stages: Vec<StageReport>,
    pub(super) reference: Option<ReferenceReport>,
    pub(super) seed: u64,
    #[serde(flatten)]
    pub(super) cost: Cost,
    pub(super) warnings: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct UnknownReport {
    pub(super) start: f64,
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) truth: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct TermReport {
    pub(super) role: &'static str,
    pub(super) equations: Vec<String>,
    pub(super) place: String,
    pub(super) points: usize,
    pub(super) sampler: String,
    pub(super) weight: f64,
    pub(super) tolerance: Option<String>,
    pub(super) streams: Vec<String>,
    /// The points at which networks are evaluated for one point of the term.
    pub(super) sites: usize,
    /// Met whatever the network computes.
    pub(super) by_construction: bool,
}

#[derive(Serialize)]
pub(super) struct NetworkReport {
    pub(super) fields: Vec<String>,
    pub(super) inputs: Vec<String>,
    pub(super) hidden: Vec<usize>,
    pub(super) architecture: String,
    pub(super) activations: Vec<String>,
    pub(super) scale_inputs: bool,
    pub(super) parameters: usize,
}

#[derive(Serialize)]
pub(super) struct StageReport {
    pub(super) method: &'static str,
    pub(super) steps: usize,
    pub(super) lr: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gain: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct ReferenceReport {
    pub(super) fields: Vec<String>,
    /// Points along each coordinate, or the number of points of a list.
    pub(super) grid: Vec<usize>,
}

/// What a step costs on this machine.
#[derive(Serialize)]
pub(super) struct Cost {
    /// Of each network.
    #[serde(skip)]
    parameters: Vec<usize>,
    pub(super) points: usize,
    pub(super) steps: usize,
    pub(super) flops_per_step: usize,
    pub(super) threads: usize,
    /// Measured; `None` where a step meets infinite numbers.
    pub(super) ms_per_step: Option<f64>,
    pub(super) seconds: Option<f64>,
    pub(super) memory_mb: Option<f64>,
}

impl Cost {
    /// The cost of a trainer whose step takes so long.
    pub(super) fn of(trainer: &Trainer, step: Option<f64>, stages: &[Stage]) -> Self {
        let steps = stages.iter().map(|stage| stage.steps).sum();
        Self {
            parameters: trainer.objective().model().members().iter().map(|m| m.parameters.len()).collect(),
            points: trainer.objective().points(),
            steps,
            flops_per_step: trainer.objective().flops(),
            threads: rayon::current_num_threads(),
            ms_per_step: step.map(|seconds| 1e3 * seconds),
            seconds: step.map(|seconds| seconds * steps as f64),
            memory_mb: memory::peak_megabytes(),
        }
    }
}

impl Report {
    pub(super) fn of(problem: &Problem, stages: &[Stage], seed: u64, cost: Cost) -> Self {
        let ends =
            problem.domain.lower.iter().zip(&problem.domain.upper).map(|(&lower, &upper)| [lower, upper]);
        let unknowns = problem.unknowns.iter().map(|unknown| {
            let report = UnknownReport { start: unknown.start, bounds: unknown.bounds, truth: unknown.truth };
            (unknown.name.clone(), report)
        });
        let reference = problem.reference.as_ref().map(|reference| ReferenceReport {
            fields: reference.fields.iter().map(|(field, _)| problem.fields[*field].clone()).collect(),
            grid: match &reference.places {
                Places::Grid(grid) => grid.counts.clone(),
                Places::Points(points) => vec![points.len()],
            },
        });
        Self {
            event: "check",
            problem: problem.name.clone(),
            title: problem.title.clone(),
            coordinates: problem.coordinates.iter().cloned().zip(ends).collect(),
            fields: problem.fields.clone(),
            unknowns: unknowns.collect(),
            terms: problem.terms.iter().map(|term| (term.name.clone(), term_report(term, problem))).collect(),
            networks: problem
                .networks
                .iter()
                .zip(&cost.parameters)
                .map(|(plan, &parameters)| network_report(plan, parameters, problem))
                .collect(),
            stages: stages.iter().map(stage_report).collect(),
            reference,
            seed,
            cost,
            warnings: warnings(problem, stages),
        }
    }
}

fn term_report(term: &Term, problem: &Problem) -> TermReport {
    let measure = |measure| match measure {
        Measure::Max => "max",
        Measure::Rms => "rms",
        Measure::Mse => "mse",
    };
    TermReport {
        role: role_name(term.role),
        equations: term.equations.clone(),
        place: source_text(&term.source, problem),
        points: term.points,
        sampler: match &term.source {
            Source::Drawn { sampler, .. } | Source::Observed { sampler, .. } => lower_case(sampler),
            Source::Given { .. } => "file".to_owned(),
        },
        weight: term.weight,
        tolerance: term.tolerance.map(|(of, limit)| format!("{} < {limit:e}", measure(of))),
        streams: term.residual.groups.iter().flat_map(|group| group_text(group, problem)).collect(),
        sites: term.residual.groups.iter().map(|group| group.sites.len()).sum(),
        by_construction: term.by_construction,
    }
}

fn network_report(plan: &NetworkPlan, parameters: usize, problem: &Problem) -> NetworkReport {
    let mut activations: Vec<String> = plan.shape.activations.iter().map(lower_case).collect();
    activations.dedup();
    NetworkReport {
        fields: plan.fields.iter().map(|&field| problem.fields[field].clone()).collect(),
        inputs: plan.coordinates.iter().map(|&c| problem.coordinates[c].clone()).collect(),
        hidden: plan.shape.hidden.clone(),
        architecture: lower_case(plan.shape.architecture),
        activations,
        scale_inputs: plan.shape.scale_inputs,
        parameters,
    }
}

/// The streams of a group, as they would be written in equations.
fn group_text(group: &Group, problem: &Problem) -> Vec<String> {
    let fields = &problem.networks[group.network].fields;
    let fields: Vec<&str> = fields.iter().map(|&field| problem.fields[field].as_str()).collect();
    let text = |operator| operator_text(operator, &fields, &problem.coordinates);
    group.streams.operators().iter().map(text).collect()
}

/// Where the points of a term come from.
fn source_text(source: &Source, problem: &Problem) -> String {
    match source {
        Source::Drawn { place, .. } => place_text(place, problem),
        Source::Given { file, .. } => format!("the points of {file}"),
        Source::Observed { place, .. } => format!("the reference, {}", place_text(place, problem)),
    }
}

fn stage_report(stage: &Stage) -> StageReport {
    let (lr, gain) = match &stage.method {
        Method::Adam(settings) => (settings.rate.start, None),
        Method::AdamFlip(settings) => (settings.adam.rate.start, Some(settings.feedback.gain)),
    };
    StageReport { method: stage.method.name(), steps: stage.steps, lr, gain }
}

/// `everywhere`, or `x = -1, x = 1`.
fn place_text(place: &Place, problem: &Problem) -> String {
    match &place.parts[..] {
        [] => "everywhere".to_owned(),
        parts => parts.iter().map(|part| part_text(part, problem)).collect::<Vec<_>>().join(", "),
    }
}

fn part_text(part: &Part, problem: &Problem) -> String {
    let name = |c: usize| &problem.coordinates[c];
    let boundary = part.boundary.as_ref().map(|boundary| match boundary {
        Boundary::All => "boundary".to_owned(),
        Boundary::Shape(shape) => {
            let shapes = problem.domain.inside.as_ref().map(|region| &region.shapes);
            shapes.map_or_else(String::new, |shapes| shapes[*shape].0.clone())
        }
    });
    let fixed = part.fixed.iter().map(|&(c, value)| format!("{} = {}", name(c), brief(value)));
    let ranges = part
        .ranges
        .iter()
        .map(|&(c, lower, upper)| format!("{} < {} < {}", brief(lower), name(c), brief(upper)));
    let within = part.within.iter().map(|predicate| predicate.to_string());
    boundary.into_iter().chain(fixed).chain(ranges).chain(within).collect::<Vec<_>>().join(" and ")
}

/// A stream as it would be written in an equation: `u_t - 0.0031831 u_xx`; of several fields, `(u, v)_t`.
fn operator_text(operator: &Operator, fields: &[&str], coordinates: &[String]) -> String {
    let field = match fields {
        [field] => (*field).to_owned(),
        fields => format!("({})", fields.join(", ")),
    };
    let mut text = String::new();
    for (partial, factor) in operator.parts() {
        let sign = match (text.is_empty(), *factor < 0.0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let size = if factor.abs() == 1.0 { String::new() } else { format!("{} ", brief(factor.abs())) };
        let by: Vec<&str> = partial.coordinates().map(|c| coordinates[c].as_str()).collect();
        let short = by.iter().all(|name| name.chars().count() == 1);
        let derivative = match by.len() {
            0 => field.clone(),
            _ if short => format!("{field}_{}", by.concat()),
            _ => format!("d({field}, {})", by.join(", ")),
        };
        text += &format!("{sign}{size}{derivative}");
    }
    text
}

fn lower_case(name: impl std::fmt::Debug) -> String {
    format!("{name:?}").to_lowercase()
}

/// Six digits, without an empty fraction.
pub(super) fn brief(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let text = format!("{rounded:?}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use adamflip::derivative::Partial;

    fn operator(parts: &[(&[usize], f64)]) -> Operator {
        Operator::new(parts.iter().map(|&(by, factor)| (Partial::new(by).unwrap(), factor)))
    }

    #[test]
    fn streams_are_written_as_in_equations() {
        let names = |names: [&str; 2]| names.map(str::to_owned);
        let (burgers, long) = (names(["x", "t"]), names(["x", "tau"]));
        let text = |parts: &[(&[usize], f64)]| operator_text(&operator(parts), &["u"], &burgers);
        let two = |parts: &[(&[usize], f64)]| operator_text(&operator(parts), &["u", "v"], &long);
        assert_eq!(text(&[(&[], 1.0)]), "u");
        assert_eq!(text(&[(&[1], 1.0), (&[0, 0], -0.01 / std::f64::consts::PI)]), "u_t - 0.0031831 u_xx");
        assert_eq!(text(&[(&[0], -1.0), (&[0, 1], 2.0)]), "-u_x + 2 u_xt");
        assert_eq!(two(&[(&[0, 0], 1.0)]), "(u, v)_xx");
        assert_eq!(two(&[(&[0, 1], 1.0)]), "d((u, v), x, tau)");
    }

    #[test]
    fn numbers_are_brief() {
        assert_eq!(
            [1.0, -0.5, 2.0 * std::f64::consts::PI, 1e-9].map(brief),
            ["1", "-0.5", "6.28319", "1e-9"]
        );
    }
}
