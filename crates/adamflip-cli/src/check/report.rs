//! A problem as it was understood, ready to be printed.

use adamflip::geometry::{Boundary, Part, Place};
use adamflip::jet::Operator;
use adamflip::optim::Method;
use adamflip::problem::{Measure, Problem, Stage, Term};
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
    pub(super) network: NetworkReport,
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
}

#[derive(Serialize)]
pub(super) struct NetworkReport {
    pub(super) hidden: Vec<usize>,
    pub(super) activation: String,
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
    pub(super) grid: Vec<usize>,
}

/// What a step costs on this machine.
#[derive(Serialize)]
pub(super) struct Cost {
    #[serde(skip)]
    parameters: usize,
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
            parameters: trainer.objective().program().parameters(),
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
            grid: reference.grid.clone(),
        });
        Self {
            event: "check",
            problem: problem.name.clone(),
            title: problem.title.clone(),
            coordinates: problem.coordinates.iter().cloned().zip(ends).collect(),
            fields: problem.fields.clone(),
            unknowns: unknowns.collect(),
            terms: problem.terms.iter().map(|term| (term.name.clone(), term_report(term, problem))).collect(),
            network: NetworkReport {
                hidden: problem.network.hidden.clone(),
                activation: lower_case(problem.network.activations[0]),
                scale_inputs: problem.network.scale_inputs,
                parameters: cost.parameters,
            },
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
        place: place_text(&term.place, problem),
        points: term.points,
        sampler: lower_case(term.sampler),
        weight: term.weight,
        tolerance: term.tolerance.map(|(of, limit)| format!("{} < {limit:e}", measure(of))),
        streams: term
            .residual
            .streams
            .operators()
            .iter()
            .map(|operator| operator_text(operator, problem))
            .collect(),
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
    if place.parts.is_empty() {
        return "everywhere".to_owned();
    }
    place.parts.iter().map(|part| part_text(part, problem)).collect::<Vec<_>>().join(", ")
}

/// `boundary and t = 0 and 0.5 < x`.
fn part_text(part: &Part, problem: &Problem) -> String {
    let name = |coordinate: usize| &problem.coordinates[coordinate];
    let shape = |number: usize| {
        let region = problem.domain.inside.as_ref();
        region.and_then(|region| region.shapes.get(number)).map_or("boundary", |(name, _)| name).to_owned()
    };
    let boundary = part.boundary.map(|boundary| match boundary {
        Boundary::All => "boundary".to_owned(),
        Boundary::Shape(number) => shape(number),
    });
    let fixed = part.fixed.iter().map(|&(c, value)| format!("{} = {}", name(c), brief(value)));
    let ranges = part.ranges.iter().map(|&(c, lower, upper)| match (lower.is_finite(), upper.is_finite()) {
        (true, false) => format!("{} > {}", name(c), brief(lower)),
        (false, _) => format!("{} < {}", name(c), brief(upper)),
        (true, true) => format!("{} < {} < {}", brief(lower), name(c), brief(upper)),
    });
    let within = part.within.iter().map(ToString::to_string);
    boundary.into_iter().chain(fixed).chain(ranges).chain(within).collect::<Vec<_>>().join(" and ")
}

/// A stream as it would be written in an equation: `u_t - 0.0031831 u_xx`; of several fields, `(u, v)_t`.
fn operator_text(operator: &Operator, problem: &Problem) -> String {
    let field = match &problem.fields[..] {
        [field] => field.clone(),
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
        let by: Vec<&str> = partial.coordinates().map(|c| problem.coordinates[c].as_str()).collect();
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

    fn problem(coordinates: &str, fields: &str) -> Problem {
        let text = format!(
            "fields = [{fields}]\n[domain]\n{coordinates}\n[term.a]\nequation = \"u = 0\"\npoints = 1"
        );
        let parsed = adamflip::spec::parse("p.toml", &text, &Default::default());
        adamflip::problem::build(parsed).unwrap()
    }

    fn operator(parts: &[(&[usize], f64)]) -> Operator {
        Operator::new(parts.iter().map(|&(by, factor)| (Partial::new(by).unwrap(), factor)))
    }

    #[test]
    fn streams_are_written_as_in_equations() {
        let burgers = problem("x = [0, 1]\nt = [0, 1]", "\"u\"");
        let two = problem("x = [0, 1]\ntau = [0, 1]", "\"u\", \"v\"");
        let text = |parts: &[(&[usize], f64)]| operator_text(&operator(parts), &burgers);
        assert_eq!(text(&[(&[], 1.0)]), "u");
        assert_eq!(text(&[(&[1], 1.0), (&[0, 0], -0.01 / std::f64::consts::PI)]), "u_t - 0.0031831 u_xx");
        assert_eq!(text(&[(&[0], -1.0), (&[0, 1], 2.0)]), "-u_x + 2 u_xt");
        assert_eq!(operator_text(&operator(&[(&[0, 0], 1.0)]), &two), "(u, v)_xx");
        assert_eq!(operator_text(&operator(&[(&[0, 1], 1.0)]), &two), "d((u, v), x, tau)");
    }

    #[test]
    fn numbers_are_brief() {
        assert_eq!(
            [1.0, -0.5, 2.0 * std::f64::consts::PI, 1e-9].map(brief),
            ["1", "-0.5", "6.28319", "1e-9"]
        );
    }
}
