//! Tapes over jets: values, gradients and Jacobians of every term. The only place where equation and network meet.
//!
//! A term's loss is the mean square of its residuals over its points and equations, times its weight. The objective f
//! is the sum over objective terms, h has one entry for each constraint term (the aggregated form).
//!
//! Points are worked off in tiles that stay in cache. The tiles of a term are dealt out to a fixed number of *lanes*,
//! each with its own accumulators, and lanes are added up in order: the result has the same bits for any
//! number of threads. Memory does not grow with the number of points beyond the points themselves and the columns that
//! an equation computes from coordinates alone.

mod batch;
mod rows;
mod tile;
mod values;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::geometry::Points;
use crate::linalg::{add_scaled, set_scaled};
use crate::model::Model;
use crate::optim::{ConstrainedProblem, Evaluation, Want};
use crate::problem::{Problem, Role, Unknown};
use batch::Batch;
pub use rows::GaussNewton;
use tile::{Lane, Scratch, State};
pub use values::values;

/// Lanes of a term at the most: how many threads can share it.
const LANES: usize = 16;

/// Mean square and largest absolute value of a term's residuals at its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Misfit {
    /// The mean square over points and equations.
    pub mse: f64,
    /// The largest absolute residual.
    pub max: f64,
}

/// How often the problem was evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Evaluations of values alone.
    pub values: usize,
    /// Evaluations with derivatives.
    pub gradients: usize,
}

/// One term: what is evaluated, and what it is to the optimizer.
#[derive(Debug)]
struct TermWork {
    batch: Batch,
    role: Role,
    weight: f64,
    /// Residuals of one equation at one of the batch's points: the nodes of a line, else one.
    nodes: usize,
}

impl TermWork {
    fn lanes(&self) -> usize {
        self.batch.tiles().len().min(LANES)
    }

    /// The tiles of a lane: every so many-th.
    fn lane_tiles(&self, lane: usize) -> impl Iterator<Item = &Range<usize>> + '_ {
        self.batch.tiles().iter().skip(lane).step_by(self.lanes())
    }

    fn lane_cost(&self, lane: usize) -> usize {
        self.lane_tiles(lane).map(|tile| tile.len()).sum::<usize>() * self.batch.flops()
    }
}

/// The gradient of a term: its lanes in order.
#[derive(Debug)]
struct Total {
    /// Lanes still at work.
    pending: AtomicUsize,
    /// By weights and unknowns, then by θ; the same where θ holds the weights as they are.
    gradients: Mutex<[Vec<f64>; 2]>,
}

/// The training problem: θ holds the network's parameters, then those of the unknowns.
#[derive(Debug)]
pub struct Objective {
    model: Arc<Model>,
    unknowns: Vec<Unknown>,
    terms: Vec<TermWork>,
    /// (term, lane) in order of falling cost.
    jobs: Vec<(usize, usize)>,
    lanes: Vec<Vec<Mutex<Lane>>>,
    totals: Vec<Total>,
    scratch: Vec<Mutex<Scratch>>,
    /// Value and slope of every unknown at the current θ.
    unknown_values: Vec<(f64, f64)>,
    /// Room for the weights where they are not θ itself.
    weights: Vec<f64>,
    misfits: Vec<Misfit>,
    work: Work,
}

impl Objective {
    /// The training problem on the given points, one set for each term, for the current rayon pool.
    pub fn new(problem: &Problem, model: Arc<Model>, points: &[Points]) -> Self {
        let nothing = Misfit { mse: f64::NAN, max: f64::NAN };
        let term = |term: &crate::problem::Term| TermWork {
            batch: Batch::new(&term.residual, &model),
            role: term.role,
            weight: term.weight,
            nodes: term.residual.equations() / term.equations.len().max(1),
        };
        let mut objective = Self {
            terms: problem.terms.iter().map(term).collect(),
            misfits: vec![nothing; problem.terms.len()],
            unknown_values: vec![(0.0, 0.0); problem.unknowns.len()],
            unknowns: problem.unknowns.clone(),
            weights: Vec::new(),
            model,
            jobs: Vec::new(),
            lanes: Vec::new(),
            totals: Vec::new(),
            scratch: Vec::new(),
            work: Work::default(),
        };
        objective.set_points(points);
        objective
    }

    /// Replaces all points, one set for each term.
    ///
    /// # Panics
    /// If there are not as many sets as terms.
    pub fn set_points(&mut self, points: &[Points]) {
        assert_eq!(points.len(), self.terms.len(), "one set of points for each term");
        for (term, points) in self.terms.iter_mut().zip(points) {
            term.batch.set_points(points);
        }
        let raw = self.model.weights() + self.unknowns.len();
        let lanes = |term: &TermWork| (0..term.lanes()).map(|_| Mutex::new(Lane::new(raw))).collect();
        self.lanes = self.terms.iter().map(lanes).collect();
        let pulled = if self.model.is_plain() { 0 } else { self.parameters() };
        let total = |_: &TermWork| Total {
            pending: 0.into(),
            gradients: Mutex::new([vec![0.0; raw], vec![0.0; pulled]]),
        };
        self.totals = self.terms.iter().map(total).collect();
        self.jobs =
            (0..self.terms.len()).flat_map(|t| (0..self.terms[t].lanes()).map(move |l| (t, l))).collect();
        self.jobs.sort_by_key(|&(term, lane)| std::cmp::Reverse(self.terms[term].lane_cost(lane)));
        let threads = rayon::current_num_threads();
        let scratch = || Scratch::new(self.terms.iter().map(|term| &term.batch));
        self.scratch = (0..threads).map(|_| Mutex::new(scratch())).collect();
    }

    /// The networks.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Mean square and largest residual of every term at the last evaluated θ.
    pub fn misfits(&self) -> &[Misfit] {
        &self.misfits
    }

    /// How often the problem was evaluated.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Useful floating-point operations of one evaluation with gradients (the linear layers').
    pub fn flops(&self) -> usize {
        self.terms.iter().map(|term| term.batch.flops() * term.batch.count()).sum()
    }

    /// The number of points of all terms at which equations hold.
    pub fn points(&self) -> usize {
        self.terms.iter().map(|term| term.batch.count() * term.nodes).sum()
    }

    /// Runs every job, on as many threads as the pool has; fills `misfits`.
    fn run(&mut self, θ: &[f64], gradients: bool) {
        let parameters = &θ[self.model.parameters()..];
        for ((value, unknown), &p) in self.unknown_values.iter_mut().zip(&self.unknowns).zip(parameters) {
            *value = unknown.value(p);
        }
        let mut room = std::mem::take(&mut self.weights);
        let state = State { weights: self.model.weights_at(θ, &mut room), unknowns: &self.unknown_values };
        for (total, lanes) in self.totals.iter_mut().zip(&self.lanes) {
            *total.pending.get_mut() = lanes.len();
        }
        let next = AtomicUsize::new(0);
        let worker = || {
            let slot = rayon::current_thread_index().unwrap_or(0) % self.scratch.len();
            let mut scratch = locked(&self.scratch[slot]);
            while let Some(&(term, lane)) = self.jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut into = locked(&self.lanes[term][lane]);
                into.clear(gradients);
                for tile in self.terms[term].lane_tiles(lane) {
                    self.terms[term].batch.run(tile, state, gradients, &mut scratch, &mut into);
                }
                drop(into);
                // Whoever finishes a term's last lane adds the lanes up, in order, while others still work.
                if self.totals[term].pending.fetch_sub(1, Ordering::AcqRel) == 1 && gradients {
                    self.add_lanes(term, θ);
                }
            }
        };
        match self.scratch.len() {
            1 => worker(),
            threads => (0..threads).into_par_iter().with_max_len(1).for_each(|_| worker()),
        }
        self.weights = room;
        for ((misfit, term), lanes) in self.misfits.iter_mut().zip(&self.terms).zip(&self.lanes) {
            *misfit = misfit_of(lanes, term.batch.share());
        }
    }

    /// Adds up the lanes of a term.
    fn add_lanes(&self, term: usize, θ: &[f64]) {
        let [total, pulled] = &mut *locked(&self.totals[term].gradients);
        for (index, lane) in self.lanes[term].iter().enumerate() {
            match index {
                0 => set_scaled(total, 1.0, &locked(lane).gradient),
                _ => add_scaled(total, 1.0, &locked(lane).gradient),
            }
        }
        if !self.model.is_plain() {
            self.model.pull_back(θ, total, pulled);
        }
    }

    /// out = factor·(gradient of the term's loss), or adds it where `written` says that something is there already.
    fn gradient_into(&self, term: usize, factor: f64, out: &mut [f64], written: &mut bool) {
        let [raw, pulled] = &*locked(&self.totals[term].gradients);
        let total = if self.model.is_plain() { raw } else { pulled };
        match std::mem::replace(written, true) {
            false => set_scaled(out, factor, total),
            true => add_scaled(out, factor, total),
        }
    }
}

impl ConstrainedProblem for Objective {
    fn parameters(&self) -> usize {
        self.model.parameters() + self.unknowns.len()
    }

    fn constraints(&self) -> usize {
        self.terms.iter().filter(|term| term.role == Role::Constraint).count()
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let gradients = want != Want::Values;
        self.run(θ, gradients);
        match gradients {
            true => self.work.gradients += 1,
            false => self.work.values += 1,
        }
        out.objective = 0.0;
        let parameters = self.parameters();
        let (mut constraint, mut written) = (0, false);
        for (index, (term, misfit)) in self.terms.iter().zip(&self.misfits).enumerate() {
            let loss = term.weight * misfit.mse;
            match (term.role, want) {
                (Role::Objective, Want::Values) | (Role::Constraint, Want::Values) => {}
                (Role::Objective, _) => {
                    self.gradient_into(index, term.weight, &mut out.gradient, &mut written)
                }
                (Role::Constraint, Want::Gradients) => {
                    let row = &mut out.jacobian[constraint * parameters..(constraint + 1) * parameters];
                    self.gradient_into(index, term.weight, row, &mut false);
                }
                (Role::Constraint, Want::Combination(weights)) => {
                    let factor = weights[constraint] * term.weight;
                    self.gradient_into(index, factor, &mut out.gradient, &mut written);
                }
            }
            match term.role {
                Role::Objective => out.objective += loss,
                Role::Constraint => {
                    out.constraints[constraint] = loss;
                    constraint += 1;
                }
            }
        }
        if gradients && !written {
            out.gradient.fill(0.0);
        }
    }
}

/// Mean square and maximum over all lanes, added up in order; `share` is one over the number of residuals.
fn misfit_of(lanes: &[Mutex<Lane>], share: f64) -> Misfit {
    let (mut sum, mut max) = (0.0, 0.0f64);
    for lane in lanes {
        let lane = locked(lane);
        (sum, max) = (sum + lane.sum_of_squares, max.max(lane.largest));
    }
    Misfit { mse: sum * share, max: if sum.is_nan() { f64::NAN } else { max } }
}

/// A lock that is never contended, and whose data stay usable after a panic elsewhere.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
