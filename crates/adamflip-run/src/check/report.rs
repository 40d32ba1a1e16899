//! A problem as it was understood, ready to be printed.

use adamflip::inspect::{FieldSize, Shown, brief, unknown_fields};
use adamflip::optim::{Decay, Method};
use adamflip::problem::{NetworkPlan, Places, Problem, Role, Stage, plan};
use adamflip::spec;
use adamflip::train::Trainer;
use serde::Serialize;

use super::term::{TermReport, lower_case};
use super::text;
use super::warnings::Remarks;
use crate::ordered::Ordered;
use crate::process;

/// Everything that is said about a problem before training; as JSON or as text.
#[derive(Serialize)]
pub struct CheckReport {
    event: &'static str,
    pub(super) problem: String,
    pub(super) title: Option<String>,
    pub(super) coordinates: Ordered<[f64; 2]>,
    pub(super) fields: Vec<String>,
    /// Those of the fields that are coefficients to be found.
    pub(super) unknown_fields: Vec<String>,
    /// How large the fields are, as far as it is known before training.
    pub(super) sizes: Ordered<SizeReport>,
    pub(super) unknowns: Ordered<UnknownReport>,
    pub(super) terms: Ordered<TermReport>,
    pub(super) networks: Vec<NetworkReport>,
    pub(super) stages: Vec<StageReport>,
    /// Whether the problem is solved in windows of time, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) windows: Option<String>,
    /// How many values constants have that come to theirs step by step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) values: Option<usize>,
    pub(super) reference: Option<ReferenceReport>,
    pub(super) seed: u64,
    /// Fresh points every this many steps; 0 means never.
    pub(super) resample: usize,
    #[serde(flatten)]
    pub(super) cost: Cost,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// The largest absolute value of a field, and what shows it.
#[derive(Serialize)]
pub(super) struct SizeReport {
    pub(super) size: f64,
    pub(super) by: &'static str,
}

#[derive(Serialize)]
pub(super) struct UnknownReport {
    pub(super) start: f64,
    pub(super) bounds: Option<(f64, f64)>,
    pub(super) truth: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct NetworkReport {
    pub(super) fields: Vec<String>,
    pub(super) inputs: Vec<String>,
    pub(super) hidden: Vec<usize>,
    pub(super) architecture: String,
    pub(super) activations: Vec<String>,
    pub(super) scale_inputs: bool,
    /// Coordinates in which the fields are periodic by construction.
    pub(super) periodic: Vec<String>,
    pub(super) fourier_features: Option<usize>,
    /// The deviation of the features' frequencies along every coordinate.
    pub(super) fourier_scale: Ordered<f64>,
    pub(super) factorized: bool,
    /// `u = x*N`, one for each field that has one.
    pub(super) ansatz: Vec<String>,
    pub(super) parameters: usize,
}

#[derive(Serialize)]
pub(super) struct StageReport {
    pub(super) method: &'static str,
    pub(super) steps: usize,
    /// The dual rule of `al`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dual: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lr: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lr_end: Option<f64>,
    /// The gain of all constraints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gain: Option<f64>,
    /// Or one for each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gains: Option<Ordered<f64>>,
}

#[derive(Serialize)]
pub(super) struct ReferenceReport {
    pub(super) fields: Vec<String>,
    /// Points along each coordinate of a grid; empty for a list of points.
    pub(super) grid: Vec<usize>,
    /// Points in all.
    pub(super) points: usize,
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
    /// Measured, on average over all stages, with a share of the points where there are very many; `None`
    /// where a step meets infinite numbers.
    pub(super) ms_per_step: Option<f64>,
    pub(super) seconds: Option<f64>,
    /// `None` where only a share of the points was looked at.
    pub(super) memory_mb: Option<f64>,
}

impl Cost {
    /// The cost of a trainer whose stages take this many seconds in all; of one with this many times its
    /// points where the factor is not one. What a step takes is proportional to them; what it keeps in memory
    /// was not measured then.
    pub(super) fn of(trainer: &Trainer, factor: f64, seconds: Option<f64>, stages: &[Stage]) -> Self {
        let steps: usize = stages.iter().map(|stage| stage.steps).sum();
        let scaled = |count: usize| (count as f64 * factor).round() as usize;
        let seconds = seconds.map(|seconds| seconds * factor);
        Self {
            parameters: trainer.objective().model().members().iter().map(|m| m.parameters.len()).collect(),
            points: scaled(trainer.objective().points()),
            steps,
            flops_per_step: scaled(trainer.objective().flops()),
            threads: rayon::current_num_threads(),
            ms_per_step: seconds.map(|seconds| 1e3 * seconds / steps as f64),
            seconds,
            memory_mb: process::peak_megabytes().filter(|_| factor == 1.0),
        }
    }
}

impl CheckReport {
    /// The whole report for people.
    pub fn text(&self) -> String {
        text::text(self)
    }

    pub(super) fn of(
        problem: &Problem,
        sizes: &[FieldSize],
        (stages, seed): (&[Stage], u64),
        cost: Cost,
        remarks: Remarks,
    ) -> Self {
        let ends =
            problem.domain.lower.iter().zip(&problem.domain.upper).map(|(&lower, &upper)| [lower, upper]);
        let unknowns = problem.unknowns.iter().map(|unknown| {
            let report =
                UnknownReport { start: unknown.first(), bounds: unknown.bounds, truth: unknown.truth };
            (unknown.name.clone(), report)
        });
        let reference = problem.reference.as_ref().map(|reference| ReferenceReport {
            fields: reference.fields.iter().map(|(field, _)| problem.fields[*field].clone()).collect(),
            grid: match &reference.places {
                Places::Grid(grid) => grid.counts.clone(),
                Places::Points(_) => Vec::new(),
            },
            points: match &reference.places {
                Places::Grid(grid) => grid.counts.iter().product(),
                Places::Points(points) => points.len(),
            },
        });
        Self {
            event: "check",
            problem: problem.name.clone(),
            title: problem.title.clone(),
            coordinates: problem.coordinates.iter().cloned().zip(ends).collect(),
            fields: problem.fields.clone(),
            unknown_fields: unknown_fields(problem).map(|field| problem.fields[field].clone()).collect(),
            sizes: sizes
                .iter()
                .map(|of| {
                    (problem.fields[of.field].clone(), SizeReport { size: of.size, by: shown_by(of.by) })
                })
                .collect(),
            unknowns: unknowns.collect(),
            terms: problem
                .terms
                .iter()
                .map(|term| (term.name.clone(), TermReport::of(term, problem)))
                .collect(),
            networks: problem
                .networks
                .iter()
                .zip(&cost.parameters)
                .map(|(plan, &parameters)| network_report(plan, parameters, problem))
                .collect(),
            stages: stages.iter().map(|stage| stage_report(stage, problem)).collect(),
            windows: windows(problem, stages),
            values: Some(problem.continuation.len() + 1).filter(|&count| count > 1),
            reference,
            seed,
            resample: problem.resample,
            cost,
            warnings: remarks.warnings,
            notes: remarks.notes,
        }
    }
}

fn shown_by(shown: Shown) -> &'static str {
    match shown {
        Shown::Reference => "reference",
        Shown::Data => "data",
        Shown::Conditions => "conditions",
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
        periodic: plan.periods.iter().map(|&(c, _)| problem.coordinates[c].clone()).collect(),
        fourier_features: plan.shape.fourier.as_ref().map(|fourier| fourier.features),
        fourier_scale: fourier_scale(plan, problem),
        factorized: plan.shape.factorized.is_some(),
        ansatz: ansatz(plan, problem),
        parameters,
    }
}

/// `3 of t, one after the other`.
fn windows(problem: &Problem, stages: &[Stage]) -> Option<String> {
    match problem.windows?.count {
        Some(count) => Some(format!("{count} of t, one after the other")),
        None => plan::is_default(stages).then(|| "of t, where the equation is not met as a whole".to_owned()),
    }
}

fn fourier_scale(plan: &NetworkPlan, problem: &Problem) -> Ordered<f64> {
    let Some(fourier) = &plan.shape.fourier else { return Ordered(Vec::new()) };
    let own = |c: usize| fourier.scales.iter().find(|(known, _)| *known == c).map_or(1.0, |scale| scale.1);
    let scale = |&c: &usize| (problem.coordinates[c].clone(), fourier.scale * own(c));
    Ordered(plan.coordinates.iter().map(scale).collect())
}

/// The formulas of a network's own fields.
fn ansatz(plan: &NetworkPlan, problem: &Problem) -> Vec<String> {
    let named = plan.shape.ansatz.iter().map(|(field, text)| {
        let field = field.as_ref().map_or_else(|| problem.fields[0].clone(), |field| field.value.clone());
        (field, &text.value)
    });
    let own = named.filter(|(field, _)| plan.fields.iter().any(|&f| problem.fields[f] == *field));
    let written = own.map(|(field, text)| format!("{field} = {text}"));
    let spec::OutputScales::Given(scales) = &plan.shape.scale_outputs else { return written.collect() };
    let own = scales.iter().filter(|(field, _)| plan.fields.contains(field));
    let scaled = own.map(|&(field, [offset, size])| {
        let offset = if offset == 0.0 { String::new() } else { format!("{} + ", brief(offset)) };
        format!("{} = {offset}{}*N", problem.fields[field], brief(size))
    });
    written.chain(scaled).collect()
}

fn stage_report(stage: &Stage, problem: &Problem) -> StageReport {
    let rate = stage.method.rate();
    let (gain, gains) =
        stage.method.gains().map_or((None, &[][..]), |gains| (Some(gains.others), gains.each));
    let gains = gain.filter(|_| !gains.is_empty()).map(|others| {
        let constraints = problem.terms.iter().filter(|term| term.role == Role::Constraint);
        let each = gains.iter().copied().chain(std::iter::repeat(others));
        constraints.zip(each).map(|(term, gain)| (term.name.clone(), gain)).collect()
    });
    let dual = match &stage.method {
        Method::Al(settings) => Some(settings.dual.name()),
        _ => None,
    };
    let lr_end = match rate.map(|rate| rate.decay) {
        Some(Decay::Exponential(end) | Decay::Cosine(end)) => Some(end),
        Some(Decay::Constant | Decay::Theorem) | None => None,
    };
    StageReport {
        method: stage.method.name(),
        steps: stage.steps,
        dual,
        lr: rate.map(|rate| rate.start),
        lr_end,
        gain: gain.filter(|_| gains.is_none()),
        gains,
    }
}
