//! The one training loop: sample, step, observe, stop.
//!
//! [`Trainer`] owns the problem, the points, θ and the optimizer. Only it changes points. It reads no clock: whoever
//! watches is asked after every step whether to go on.

use std::sync::Arc;

use crate::geometry::Points;
use crate::jet::Activation;
use crate::objective::{Misfit, Objective};
use crate::optim::{ConstrainedProblem, Evaluation, Optimizer, StepReport, Want};
use crate::problem::{Problem, Stage};
use crate::sample::{self, SampleError};
use crate::{network, spec};

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
        let points = draw(&problem, seed, 0)?;
        let program = Arc::new(network::perceptron(
            &problem.domain,
            &problem.network.hidden,
            activation(problem.network.activations[0]),
            problem.fields.len(),
            problem.network.scale_inputs,
        ));
        // Stream 0 of the seed is the network's, the others are the terms' points.
        let mut θ = network::initialize(&program, None, &mut sample::stream(seed, 0));
        θ.extend(problem.unknowns.iter().map(|unknown| unknown.parameter()));
        let objective = Objective::new(&problem, program, &points);
        let (start, last_finite) = (θ.clone(), θ.clone());
        Ok(Self {
            problem,
            seed,
            stages,
            objective,
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
        if every > 0 && self.step > 0 && self.step.is_multiple_of(every) {
            // The same call succeeded for the first points.
            if let Ok(points) = draw(&self.problem, self.seed, self.step / every) {
                self.objective.set_points(&points);
            }
        }
    }
}

/// The points of every term; `round` counts the resamplings.
fn draw(problem: &Problem, seed: u64, round: usize) -> Result<Vec<Points>, SampleError> {
    let terms = problem.terms.iter().zip(1u64..);
    terms
        .map(|(term, number)| {
            // A stream for every term and round: more terms or rounds leave the others' points where they are.
            let mut rng = sample::stream(seed, number << 32 | round as u64);
            sample::draw(&problem.domain, &term.place, term.sampler, term.points, &mut rng)
        })
        .collect()
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
