//! The one training loop: sample, step, observe, stop.
//!
//! [`Trainer`] owns the problem, the points, θ and the optimizer. Only it changes points. It reads no clock: whoever
//! watches is asked after every step whether to go on.

use std::sync::Arc;

use rand::Rng;

use crate::geometry::{Domain, Points};
use crate::jet::{Activation, Program};
use crate::model::Model;
use crate::network::{self, Architecture, Factorized, Fourier, Input, Parametrization, Shape};
use crate::objective::{Misfit, Objective, values};
use crate::optim::{ConstrainedProblem, Evaluation, Optimizer, StepReport, Want};
use crate::problem::{Adaptive, NetworkPlan, Problem, Source, Stage, Term};
use crate::sample::{self, SampleError};
use crate::spec;

/// Why training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All planned steps were taken.
    MaxSteps,
    /// The watcher's time budget ran out.
    TimeBudget,
    /// The watcher asked to stop.
    Interrupted,
    /// A loss or gradient was not finite; θ is the last one where all were.
    Diverged,
}

impl Status {
    /// The name in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Status::MaxSteps => "max_steps",
            Status::TimeBudget => "time_budget",
            Status::Interrupted => "interrupted",
            Status::Diverged => "diverged",
        }
    }

    /// What happened and what to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Status::MaxSteps => {
                "all planned steps were taken; more steps or another stage may lower the error further"
            }
            Status::TimeBudget => "the time budget ran out; the result is that of the last step taken",
            Status::Interrupted => "interrupted; the result is that of the last step taken",
            Status::Diverged => {
                "a loss became infinite or not a number; the last finite state was kept: lower `lr` or `gain`, or set `clip`"
            }
        }
    }
}

/// What a watcher answers after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Take the next step.
    Continue,
    /// The time budget is used up.
    TimeUp,
    /// Stop now.
    Interrupt,
}

/// What a watcher sees after a step. The losses are those at the start of the step.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Steps taken, over all stages.
    pub step: usize,
    /// Steps planned, over all stages.
    pub steps: usize,
    /// The number of the stage, from 0.
    pub stage: usize,
    /// The method of the stage.
    pub method: &'static str,
    /// What the step saw and did.
    pub report: StepReport,
    /// The misfit of every term.
    pub misfits: &'a [Misfit],
    /// The multipliers of the constraints; empty for methods without.
    pub multipliers: &'a [f64],
    /// The network's parameters, then those of the unknowns.
    pub θ: &'a [f64],
}

/// A problem in training.
pub struct Trainer {
    problem: Problem,
    seed: u64,
    stages: Vec<Stage>,
    objective: Objective,
    /// The current points of every term.
    points: Vec<Points>,
    optimizer: Option<Box<dyn Optimizer>>,
    θ: Vec<f64>,
    /// θ at the start of the current step.
    start: Vec<f64>,
    /// The last θ at which losses and gradients were finite.
    last_finite: Vec<f64>,
    step: usize,
    stage: usize,
}

impl Trainer {
    /// Draws points and initial parameters. Runs on the current rayon pool, as do all later calls.
    pub fn new(problem: Problem, seed: u64, stages: Vec<Stage>) -> Result<Self, SampleError> {
        let points = problem.terms.iter().zip(1u64..);
        let points = points
            .map(|(term, number)| term.source.draw(&problem.domain, seed, number, 0))
            .collect::<Result<Vec<_>, _>>()?;
        let (model, θ) = model(&problem, seed);
        let objective = Objective::new(&problem, Arc::new(model), &points);
        let (start, last_finite) = (θ.clone(), θ.clone());
        Ok(Self {
            problem,
            seed,
            stages,
            objective,
            points,
            optimizer: None,
            θ,
            start,
            last_finite,
            step: 0,
            stage: 0,
        })
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The training problem at its current points.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// The seed of points and initial parameters.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The network's parameters, then those of the unknowns.
    pub fn θ(&self) -> &[f64] {
        &self.θ
    }

    /// Steps taken.
    pub fn step(&self) -> usize {
        self.step
    }

    /// The number of the current stage, from 0.
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// The stages in order.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The optimizer of the current stage, once a step was taken.
    pub fn optimizer(&self) -> Option<&dyn Optimizer> {
        self.optimizer.as_deref()
    }

    /// Trains through the whole plan or until `watch` says otherwise. A second call goes through the plan again from the
    /// current θ.
    pub fn run(&mut self, watch: &mut dyn FnMut(&Progress<'_>) -> Signal) -> Status {
        let steps = self.stages.iter().map(|stage| stage.steps).sum();
        for stage in 0..self.stages.len() {
            let Stage { method, steps: length, .. } = self.stages[stage].clone();
            self.stage = stage;
            self.objective.set_pointwise(method.pointwise());
            let (parameters, constraints) = (self.objective.parameters(), self.objective.constraints());
            let mut optimizer = method.optimizer(parameters, constraints, length);
            for _ in 0..length {
                self.resample();
                self.start.copy_from_slice(&self.θ);
                let report = optimizer.step(&mut self.objective, &mut self.θ);
                if !(report.objective.is_finite()
                    && report.violation.is_finite()
                    && report.gradient_norm.is_finite())
                {
                    self.back_to_finite();
                    return Status::Diverged;
                }
                std::mem::swap(&mut self.last_finite, &mut self.start);
                self.step += 1;
                let signal = watch(&Progress {
                    step: self.step,
                    steps,
                    stage,
                    method: method.name(),
                    report,
                    misfits: self.objective.misfits(),
                    multipliers: optimizer.multipliers(),
                    θ: &self.θ,
                });
                match signal {
                    Signal::Continue => {}
                    Signal::TimeUp => return self.stopped(optimizer, Status::TimeBudget),
                    Signal::Interrupt => return self.stopped(optimizer, Status::Interrupted),
                }
            }
            self.optimizer = Some(optimizer);
        }
        Status::MaxSteps
    }

    /// The step left θ as it was, but the losses are not finite there: the last good θ is one step back. The moments
    /// have gone on, so no state of the method belongs to it.
    fn back_to_finite(&mut self) {
        self.θ.copy_from_slice(&self.last_finite);
        self.step = self.step.saturating_sub(1);
        self.optimizer = None;
    }

    fn stopped(&mut self, optimizer: Box<dyn Optimizer>, status: Status) -> Status {
        self.optimizer = Some(optimizer);
        status
    }

    /// Mean square and largest residual of every term at the current θ.
    pub fn misfits(&mut self) -> Vec<Misfit> {
        let mut values = Evaluation::new(0, self.objective.constraints());
        self.objective.evaluate(&self.θ, Want::Values, &mut values);
        self.objective.misfits().to_vec()
    }

    /// Fresh points where the plan asks for them.
    fn resample(&mut self) {
        let every = self.problem.train.resample;
        if every == 0 || self.step == 0 || !self.step.is_multiple_of(every) {
            return;
        }
        let round = (self.step / every) as u64;
        for index in 0..self.points.len() {
            let fresh = self.fresh(&self.problem.terms[index], index, round);
            // The same call succeeded for the first points.
            if let Some(Ok(points)) = fresh {
                self.points[index] = points;
            }
        }
        self.objective.set_points(&self.points);
    }

    /// The next points of a term; none where they stay.
    fn fresh(&self, term: &Term, index: usize, round: u64) -> Option<Result<Points, SampleError>> {
        let Source::Drawn { place, sampler, count, normals, adaptive } = &term.source else { return None };
        let draw = |source: &Source| source.draw(&self.problem.domain, self.seed, index as u64 + 1, round);
        let Some(adaptive) = adaptive else { return Some(draw(&term.source)) };
        let pool = match adaptive {
            Adaptive::Rad { pool, .. } | Adaptive::Rar { pool, .. } => count.saturating_mul(*pool),
        };
        let (place, sampler, normals) = (place.clone(), *sampler, *normals);
        let pool = match draw(&Source::Drawn { place, sampler, count: pool, normals, adaptive: None }) {
            Ok(pool) => pool,
            Err(error) => return Some(Err(error)),
        };
        let residuals = self.residual_sizes(term, &pool);
        match *adaptive {
            Adaptive::Rad { power, floor, .. } => {
                // A stream of its own, away from those of the points.
                let mut rng = sample::stream(self.seed, (index as u64 + 1) << 32 | 1 << 31 | round);
                Some(Ok(pool.select(&sample::rad(&residuals, *count, power, floor, &mut rng))))
            }
            Adaptive::Rar { add, limit, .. } => {
                let most = (*count as f64 * limit) as usize;
                let more = ((*count as f64 * add).ceil() as usize)
                    .min(most.saturating_sub(self.points[index].len()));
                (more > 0).then(|| {
                    let mut points = self.points[index].clone();
                    points.append(&pool.select(&sample::rar(&residuals, more)));
                    Ok(points)
                })
            }
        }
    }

    /// The root of the sum of squares of a term's residuals at each of the points.
    fn residual_sizes(&self, term: &Term, points: &Points) -> Vec<f64> {
        let model = self.objective.model();
        let columns = values(&term.residual, model, &self.problem.unknowns, &self.θ, points);
        (0..points.len())
            .map(|i| columns.iter().map(|column| column[i] * column[i]).sum::<f64>().sqrt())
            .collect()
    }
}

/// The networks of a problem and the first θ: their parameters, then those of the unknowns.
pub fn model(problem: &Problem, seed: u64) -> (Model, Vec<f64>) {
    // Stream 0 of the seed is the networks', the others are the terms' points.
    let mut rng = sample::stream(seed, 0);
    let networks: Vec<_> =
        problem.networks.iter().map(|plan| network(plan, &problem.domain, &mut rng)).collect();
    let mut θ: Vec<f64> = networks.iter().flat_map(|(_, _, θ)| θ).copied().collect();
    θ.extend(problem.unknowns.iter().map(|unknown| unknown.parameter()));
    (Model::new(networks.into_iter().map(|(program, parametrization, _)| (program, parametrization))), θ)
}

/// One network, how its weights follow from θ, and its first θ.
fn network(plan: &NetworkPlan, domain: &Domain, rng: &mut impl Rng) -> (Program, Parametrization, Vec<f64>) {
    let shape = &plan.shape;
    let mut inputs = Input::all(domain, shape.scale_inputs);
    inputs.retain(|input| plan.coordinates.contains(&input.coordinate));
    for input in &mut inputs {
        input.period = plan.periods.iter().find(|(c, _)| *c == input.coordinate).map(|&(_, period)| period);
    }
    let factorized = shape.factorized.map(|f| Factorized { mean: f.mean, deviation: f.deviation });
    let activations: Vec<Activation> = shape.activations.iter().copied().map(activation).collect();
    let program = network::build(
        &Shape {
            hidden: &shape.hidden,
            activations: &activations,
            architecture: match shape.architecture {
                spec::Architecture::Mlp => Architecture::Mlp,
                spec::Architecture::Gated => Architecture::Gated,
                spec::Architecture::Residual => Architecture::Residual,
            },
            outputs: plan.fields.len(),
            inputs: &inputs,
            fourier: shape.fourier.map(|f| Fourier { features: f.features, scale: f.scale }),
            factorized,
        },
        domain.dimension(),
        rng,
    );
    let θ = network::initialize(&program, factorized, rng);
    let parametrization = Parametrization::new(&program, factorized.is_some());
    (program, parametrization, θ)
}

fn activation(activation: spec::Activation) -> Activation {
    match activation {
        spec::Activation::Tanh => Activation::Tanh,
        spec::Activation::Sin => Activation::Sin,
        spec::Activation::Swish => Activation::Swish,
        spec::Activation::Gelu => Activation::Gelu,
        spec::Activation::Softplus => Activation::Softplus,
    }
}
