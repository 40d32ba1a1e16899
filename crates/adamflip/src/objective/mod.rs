//! Tapes over jets: values, gradients and Jacobians of every term. The only place where equation and network meet.
//!
//! A term's loss is the mean square of its residuals over its points and equations, times its weight. The objective f
//! is the sum over objective terms, h has one entry for each constraint term (the aggregated form).
//!
//! Points are worked off in tiles that stay in cache. The tiles of a term are dealt out to a fixed number of *lanes*,
//! each with its own accumulators, and lanes are added up in order: the result has the same bits for any
//! number of threads. Memory does not grow with the number of points beyond the points themselves and the columns that
//! an equation computes from coordinates alone.

mod rows;
mod term;
mod tile;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::geometry::Points;
use crate::jet::Program;
use crate::linalg::{add_scaled, set_scaled};
use crate::optim::{ConstrainedProblem, Evaluation, Want};
use crate::problem::{Problem, Role, Unknown};
pub use rows::GaussNewton;
use term::TermWork;
use tile::{Lane, Scratch};

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

/// The gradient of a term: its lanes in order.
#[derive(Debug)]
struct Total {
    /// Lanes still at work.
    pending: AtomicUsize,
    gradient: Mutex<Vec<f64>>,
}

/// The training problem: θ holds the network's parameters, then those of the unknowns.
#[derive(Debug)]
pub struct Objective {
    program: Arc<Program>,
    unknowns: Vec<Unknown>,
    terms: Vec<TermWork>,
    /// (term, lane) in order of falling cost.
    jobs: Vec<(usize, usize)>,
    lanes: Vec<Vec<Mutex<Lane>>>,
    totals: Vec<Total>,
    scratch: Vec<Mutex<Scratch>>,
    /// Value and slope of every unknown at the current θ.
    unknown_values: Vec<(f64, f64)>,
    misfits: Vec<Misfit>,
    work: Work,
}

impl Objective {
    /// The training problem on the given points, one set for each term, for the current rayon pool.
    pub fn new(problem: &Problem, program: Arc<Program>, points: &[Points]) -> Self {
        let nothing = Misfit { mse: f64::NAN, max: f64::NAN };
        let mut objective = Self {
            terms: problem
                .terms
                .iter()
                .map(|term| TermWork::new(term, &program, problem.fields.len()))
                .collect(),
            misfits: vec![nothing; problem.terms.len()],
            unknown_values: vec![(0.0, 0.0); problem.unknowns.len()],
            unknowns: problem.unknowns.clone(),
            program,
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
            term.set_points(points);
        }
        let parameters = self.parameters();
        let lanes = |term: &TermWork| (0..term.lanes()).map(|_| Mutex::new(Lane::new(parameters))).collect();
        self.lanes = self.terms.iter().map(lanes).collect();
        let total = |_: &TermWork| Total { pending: 0.into(), gradient: Mutex::new(vec![0.0; parameters]) };
        self.totals = self.terms.iter().map(total).collect();
        self.jobs =
            (0..self.terms.len()).flat_map(|t| (0..self.terms[t].lanes()).map(move |l| (t, l))).collect();
        self.jobs.sort_by_key(|&(term, lane)| std::cmp::Reverse(self.terms[term].lane_cost(lane)));
        let threads = rayon::current_num_threads();
        self.scratch = (0..threads).map(|_| Mutex::new(Scratch::new(&self.terms))).collect();
    }

    /// The network.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
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
        self.terms.iter().map(TermWork::flops).sum()
    }

    /// The number of points of all terms.
    pub fn points(&self) -> usize {
        self.terms.iter().map(TermWork::count).sum()
    }

    /// Runs every job, on as many threads as the pool has; fills `misfits`.
    fn run(&mut self, θ: &[f64], gradients: bool) {
        let (network, parameters) = θ.split_at(self.program.parameters());
        for ((value, unknown), &p) in self.unknown_values.iter_mut().zip(&self.unknowns).zip(parameters) {
            *value = unknown.value(p);
        }
        for (total, lanes) in self.totals.iter_mut().zip(&self.lanes) {
            *total.pending.get_mut() = lanes.len();
        }
        let next = AtomicUsize::new(0);
        let worker = || {
            let slot = rayon::current_thread_index().unwrap_or(0) % self.scratch.len();
            let mut scratch = locked(&self.scratch[slot]);
            while let Some(&(term, lane)) = self.jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut into = locked(&self.lanes[term][lane]);
                self.terms[term].run_lane(
                    lane,
                    network,
                    &self.unknown_values,
                    gradients,
                    &mut scratch,
                    &mut into,
                );
                drop(into);
                // Whoever finishes a term's last lane adds the lanes up, in order, while others still work.
                if self.totals[term].pending.fetch_sub(1, Ordering::AcqRel) == 1 && gradients {
                    self.add_lanes(term);
                }
            }
        };
        match self.scratch.len() {
            1 => worker(),
            threads => (0..threads).into_par_iter().with_max_len(1).for_each(|_| worker()),
        }
        for ((misfit, term), lanes) in self.misfits.iter_mut().zip(&self.terms).zip(&self.lanes) {
            *misfit = term.misfit(lanes.iter().map(|lane| locked(lane).totals()));
        }
    }

    /// Adds up the lanes of a term.
    fn add_lanes(&self, term: usize) {
        let mut total = locked(&self.totals[term].gradient);
        for (index, lane) in self.lanes[term].iter().enumerate() {
            match index {
                0 => set_scaled(&mut total, 1.0, &locked(lane).gradient),
                _ => add_scaled(&mut total, 1.0, &locked(lane).gradient),
            }
        }
    }

    /// out = factor·(gradient of the term's loss), or adds it where `written` says that something is there already.
    fn gradient_into(&self, term: usize, factor: f64, out: &mut [f64], written: &mut bool) {
        let total = locked(&self.totals[term].gradient);
        match std::mem::replace(written, true) {
            false => set_scaled(out, factor, &total),
            true => add_scaled(out, factor, &total),
        }
    }
}

impl ConstrainedProblem for Objective {
    fn parameters(&self) -> usize {
        self.program.parameters() + self.unknowns.len()
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

/// A lock that is never contended, and whose data stay usable after a panic elsewhere.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
