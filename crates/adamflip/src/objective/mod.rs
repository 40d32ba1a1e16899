//! Tapes over jets: values, gradients and Jacobians of every term. The only place where equation and network
//! meet.
//!
//! A term's loss is the mean square of its residuals over its points and equations, times its weight. The
//! objective f is the sum over objective terms. A constraint term is *aggregated*, one entry of h that is its
//! loss, or *pointwise*, one entry √w·r for each of its residuals.
//!
//! Of inequalities g ≤ 0 the residual is what is violated, max(g, 0), but for entries of h of pointwise
//! constraints, which are g itself: their sign is the optimizer's business.
//!
//! Points are worked off in tiles that stay in cache. The tiles of a term are dealt out to a fixed number of
//! *lanes*, each with its own accumulators, and lanes are added up in order: the result has the same bits for
//! any number of threads. Memory does not grow with the number of points beyond the points themselves, the
//! columns that an equation computes from coordinates alone, and the rows of pointwise constraints.

mod batch;
mod deal;
mod equations;
mod factors;
mod identity;
mod linear;
mod networks;
mod rows;
mod run;
mod tile;
mod values;
mod window;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::factors::StripPart;
use crate::geometry::Points;
use crate::model::Model;
use crate::optim::{self, ConstrainedProblem, Evaluation, Matrix, ResidualBlock, VisitRows, Want, residuals};
use crate::problem::{Problem, Role, Unknown};
use crate::ranks::Ranks;
use batch::Batch;
pub use equations::balanced;
pub(crate) use identity::identities;
use linear::Linearization;
pub use networks::{model, model_of};
use run::{Block, TermKind, TermWork, Total};
use tile::{Lane, Scratch};
pub use values::{rows, values, values_among, visit_rows};
pub use window::window;

/// Mean square and largest absolute value of a term's residuals at its points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualStats {
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
    /// Gauss–Newton matrices, and Gram matrices of rows.
    pub matrices: usize,
    /// Products of the residuals' Jacobian with vectors.
    pub products: usize,
}

/// The training problem: θ holds the network's parameters, then those of the unknowns.
#[derive(Debug)]
pub struct Objective {
    model: Arc<Model>,
    unknowns: Vec<Unknown>,
    terms: Vec<TermWork>,
    ranks: Ranks,
    /// Those of this rank: (term, lane) in order of falling cost.
    jobs: Vec<(usize, usize)>,
    /// The ranks that have them, by term and lane.
    owners: Vec<Vec<usize>>,
    lanes: Vec<Vec<Mutex<Lane>>>,
    totals: Vec<Total>,
    /// Residuals and rows of pointwise constraints, by term and tile.
    blocks: Vec<Vec<Mutex<Block>>>,
    /// What the rows of pointwise constraints consist of, by term.
    parts: Vec<Arc<[StripPart]>>,
    scratch: Vec<Mutex<Scratch>>,
    /// Value and slope of every unknown at the current θ.
    unknown_values: Vec<(f64, f64)>,
    /// Room for the weights where they are not θ itself.
    weights: Vec<f64>,
    /// Room for residuals and rows on their way to a Gauss–Newton matrix.
    held: [Vec<f64>; 2],
    /// Factors of the rows of all residuals, for products with them.
    linear: Linearization,
    /// The bytes of them that may be kept.
    held_factors: usize,
    /// Those of the last evaluation, and of the first of the step.
    latest: Vec<ResidualStats>,
    misfits: Vec<ResidualStats>,
    /// The losses of all terms at the last evaluation, with all weights.
    losses: Vec<f64>,
    /// Is the next evaluation the first of a step?
    begins: bool,
    work: Work,
}

impl Objective {
    /// The training problem on the given points, one set for each term, for the current rayon pool.
    pub fn new(problem: &Problem, model: Arc<Model>, points: &[Points]) -> Self {
        Self::among(&Ranks::default(), problem, model, points)
    }

    /// The same, shared by these ranks: all of them evaluate it at the same θ, in the same order.
    pub fn among(ranks: &Ranks, problem: &Problem, model: Arc<Model>, points: &[Points]) -> Self {
        let nothing = ResidualStats { mse: f64::NAN, max: f64::NAN };
        let term = |term: &crate::problem::Term| TermWork {
            batch: Batch::new(&term.residual, &model),
            role: term.role,
            weight: term.weight,
            chosen: term.pointwise,
            pointwise: false,
            identity: false,
            apart: false,
            most_lanes: problem.train.lanes,
            nodes: term.nodes(),
        };
        let mut objective = Self {
            terms: problem.terms.iter().map(term).collect(),
            latest: vec![nothing; problem.terms.len()],
            misfits: vec![nothing; problem.terms.len()],
            losses: vec![f64::NAN; problem.terms.len()],
            begins: true,
            unknown_values: vec![(0.0, 0.0); problem.unknowns.len()],
            unknowns: problem.unknowns.clone(),
            weights: Vec::new(),
            held: [Vec::new(), Vec::new()],
            linear: Linearization::default(),
            held_factors: linear::HELD,
            model,
            ranks: ranks.clone(),
            jobs: Vec::new(),
            owners: Vec::new(),
            lanes: Vec::new(),
            totals: Vec::new(),
            blocks: Vec::new(),
            parts: Vec::new(),
            scratch: Vec::new(),
            work: Work::default(),
        };
        let scratch = || Mutex::new(Scratch::new(objective.terms.iter().map(|term| &term.batch)));
        objective.scratch = (0..rayon::current_num_threads()).map(|_| scratch()).collect();
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
        self.arrange_lanes();
        self.arrange_blocks();
    }

    /// Is shared by these ranks from now on.
    pub fn join(&mut self, ranks: &Ranks) {
        self.ranks = ranks.clone();
        self.arrange_lanes();
        self.arrange_blocks();
    }

    fn arrange_lanes(&mut self) {
        self.deal();
        let raw = self.model.weights() + self.unknowns.len();
        let rank = self.ranks.rank();
        // Other ranks' lanes need no gradient here.
        let lane = |&owner: &usize| Mutex::new(Lane::new(if owner == rank { raw } else { 0 }));
        self.lanes = self.owners.iter().map(|owners| owners.iter().map(lane).collect()).collect();
        let pulled = if self.model.is_plain() { 0 } else { self.parameters() };
        let total = |_: &TermWork| Total {
            pending: 0.into(),
            gradients: Mutex::new([vec![0.0; raw], vec![0.0; pulled]]),
        };
        self.totals = self.terms.iter().map(total).collect();
    }

    /// Whether constraints are pointwise where their terms do not say: h has one entry for each residual
    /// then. With `None` no constraint is, whatever its term says: for methods that add up losses.
    pub fn set_pointwise(&mut self, pointwise: Option<bool>) {
        for term in &mut self.terms {
            term.pointwise = pointwise.is_some_and(|pointwise| term.chosen.unwrap_or(pointwise));
            term.batch.signed = term.kind() == TermKind::Pointwise;
        }
        self.arrange_blocks();
    }

    fn arrange_blocks(&mut self) {
        self.forget_linear();
        let block = |_| Mutex::new(Block::default());
        let blocks = |term: &TermWork| match term.kind() {
            TermKind::Pointwise => (0..term.batch.tiles().len()).map(block).collect(),
            TermKind::Objective | TermKind::Aggregated => Vec::new(),
        };
        self.blocks = self.terms.iter().map(blocks).collect();
        let parts = |term: &TermWork| match term.kind() {
            TermKind::Pointwise => self.parts_of(term),
            TermKind::Objective | TermKind::Aggregated => Arc::new([]),
        };
        self.parts = self.terms.iter().map(parts).collect();
    }

    /// Says of every term whether it holds whatever the networks compute: its rows are rounding, and count
    /// for nothing where curvature is asked for.
    pub(crate) fn set_identities(&mut self, identities: &[bool]) {
        self.terms.iter_mut().zip(identities).for_each(|(term, identity)| term.identity = *identity);
    }

    /// Gives every term another weight, by its number.
    pub fn set_weights(&mut self, weight: impl Fn(usize) -> f64) {
        self.terms.iter_mut().enumerate().for_each(|(number, term)| term.weight = weight(number));
        self.forget_linear();
    }

    /// The networks.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The next evaluation is at the start of a step, and its misfits are those of the step.
    pub fn begin_step(&mut self) {
        self.begins = true;
    }

    /// Mean square and largest residual of every term at the start of the step, not at points that a method
    /// only tried: those of the first evaluation since [`begin_step`](Self::begin_step), or of all.
    pub fn misfits(&self) -> &[ResidualStats] {
        &self.misfits
    }

    /// Mean square and largest residual of every term at θ.
    pub fn measure(&mut self, θ: &[f64]) -> &[ResidualStats] {
        self.run(θ, Want::Values);
        self.work.values += 1;
        &self.latest
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
}

impl ConstrainedProblem for Objective {
    fn parameters(&self) -> usize {
        self.model.parameters() + self.unknowns.len()
    }

    fn constraints(&self) -> usize {
        self.terms.iter().map(TermWork::constraints).sum()
    }

    fn constraint_blocks(&self) -> Vec<optim::Block> {
        let group = |term: &TermWork| match term.kind() {
            TermKind::Objective => None,
            TermKind::Aggregated => Some(optim::Block::mean_squares(1)),
            TermKind::Pointwise if term.batch.residual.is_inequality() => {
                Some(optim::Block::inequalities(term.constraints()))
            }
            TermKind::Pointwise => Some(optim::Block::residuals(term.constraints())),
        };
        self.terms.iter().filter_map(group).collect()
    }

    fn equations(&self) -> Vec<usize> {
        let (mut all, mut first) = (Vec::new(), 0);
        for term in &self.terms {
            match term.kind() {
                TermKind::Objective => continue,
                TermKind::Aggregated => all.push(first),
                TermKind::Pointwise => all.extend(term.equations().map(|equation| first + equation)),
            }
            first += term.batch.residual.equations();
        }
        all
    }

    fn matrices(&self) -> Vec<Matrix> {
        self.model.layers().map(|[first, rows, columns]| Matrix { first, rows, columns }).collect()
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let want = if want == Want::Products && !self.is_factored() { Want::Gradients } else { want };
        self.run(θ, want);
        match want {
            Want::Values => self.work.values += 1,
            Want::Gradients | Want::Products | Want::Combination(_) => self.work.gradients += 1,
        }
        if std::mem::take(&mut self.begins) {
            self.misfits.copy_from_slice(&self.latest);
        }
        if want == Want::Products {
            let aggregated = self.terms.iter().filter(|term| term.kind() == TermKind::Aggregated);
            out.jacobian.begin_factors(aggregated.count());
        }
        out.objective = 0.0;
        let parameters = self.parameters();
        let (mut first, mut written, mut strips) = (0, false, 0);
        for (index, (term, &loss)) in self.terms.iter().zip(&self.losses).enumerate() {
            let entries = first..first + term.constraints();
            first = entries.end;
            match (term.kind(), want) {
                (TermKind::Objective, Want::Values) => out.objective += loss,
                (TermKind::Objective, _) => {
                    out.objective += loss;
                    self.gradient_into(index, term.weight, &mut out.gradient, &mut written);
                }
                (TermKind::Aggregated, Want::Values) => out.constraints[entries.start] = loss,
                (TermKind::Aggregated, Want::Gradients) => {
                    out.constraints[entries.start] = loss;
                    let rows = out.jacobian.rows_mut();
                    let row = &mut rows[entries.start * parameters..entries.end * parameters];
                    self.gradient_into(index, term.weight, row, &mut false);
                }
                (TermKind::Aggregated, Want::Products) => {
                    out.constraints[entries.start] = loss;
                    let row = out.jacobian.written_row(entries.start);
                    self.gradient_into(index, term.weight, row, &mut false);
                }
                (TermKind::Aggregated, Want::Combination(weights)) => {
                    out.constraints[entries.start] = loss;
                    let factor = weights[entries.start] * term.weight;
                    self.gradient_into(index, factor, &mut out.gradient, &mut written);
                }
                (TermKind::Pointwise, want) => {
                    let rows = match want {
                        Want::Gradients => {
                            &mut out.jacobian.rows_mut()[entries.start * parameters..entries.end * parameters]
                        }
                        Want::Values | Want::Products | Want::Combination(_) => &mut [],
                    };
                    self.residuals_into(index, &mut out.constraints[entries], rows);
                    match want {
                        Want::Products => self.strips_into(index, &mut out.jacobian, &mut strips),
                        Want::Combination(_) => {
                            self.gradient_into(index, 1.0, &mut out.gradient, &mut written);
                        }
                        Want::Values | Want::Gradients => {}
                    }
                }
            }
        }
        if want == Want::Products {
            out.jacobian.end_factors(strips);
        }
        if want != Want::Values && !written {
            out.gradient.fill(0.0);
        }
    }

    fn residual_blocks(&self) -> Vec<ResidualBlock> {
        self.blocks_of_residuals()
    }

    fn visit_rows(&mut self, θ: &[f64], visit: &mut VisitRows<'_>) {
        self.visit_all_rows(θ, visit);
    }

    fn residuals(&mut self, θ: &[f64], out: &mut [f64]) {
        self.all_residuals(θ, out);
    }

    fn jvp(&mut self, θ: &[f64], v: &[f64], out: &mut [f64]) {
        self.work.products += 1;
        self.times(θ, v, out);
    }

    fn vjp(&mut self, θ: &[f64], w: &[f64], out: &mut [f64]) {
        self.work.products += 1;
        self.transposed(θ, w, out);
    }

    fn residual_gram(&mut self, θ: &[f64], lower: &mut [f64]) {
        self.work.matrices += 1;
        if !self.gram_of_all(θ, lower) {
            residuals::gram(self, θ, lower);
        }
    }

    fn row_squares(&mut self, θ: &[f64], out: &mut [f64]) {
        if !self.squares_of_rows(θ, out) {
            residuals::squares(self, θ, out);
        }
    }

    fn apart(&mut self, with: &mut dyn FnMut(&mut dyn ConstrainedProblem)) {
        self.terms.iter_mut().for_each(|term| term.apart = true);
        with(self);
        self.terms.iter_mut().for_each(|term| term.apart = false);
    }

    fn losses(&self) -> Vec<usize> {
        let (mut all, mut next) = (Vec::new(), 0);
        for term in &self.terms {
            if term.role == Role::Objective {
                all.push(next);
            }
            next += if term.role == Role::Objective { 1 } else { term.constraints() };
        }
        all
    }

    fn add_gauss_newton(&mut self, θ: &[f64], weights: &[f64], lower: &mut [f64]) {
        self.work.matrices += 1;
        let mut first = 0;
        for term in 0..self.terms.len() {
            let (kind, entry) = (self.terms[term].kind(), first);
            first += self.terms[term].constraints();
            let weight = match kind {
                TermKind::Objective => 1.0,
                TermKind::Aggregated if self.terms[term].identity => 0.0,
                TermKind::Aggregated => weights[entry],
                TermKind::Pointwise => 0.0,
            };
            if weight > 0.0 {
                self.add_curvature(θ, term, weight * self.terms[term].weight, lower);
            }
        }
        self.gather_triangle(lower, θ.len());
    }
}

/// A lock that is never contended, and whose data stay usable after a panic elsewhere.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
