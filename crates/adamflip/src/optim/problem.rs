//! The first seam: what an optimizer may ask of a problem.

use std::borrow::Cow;

use super::complementarity::ActiveSet;
use super::residuals::{self, ResidualBlock, VisitRows};
use super::spectrum::RANK_TOLERANCE;
use super::{Apart, Block, Inequalities, Jacobian};

/// Minimise f(θ) subject to h(θ) = 0, with f and h smooth; or h ≤ 0 for the blocks of
/// [`constraint_blocks`](Self::constraint_blocks) that say so.
pub trait ConstrainedProblem {
    /// The number of parameters, the length of θ.
    fn parameters(&self) -> usize;

    /// The number of constraints, the length of h.
    fn constraints(&self) -> usize;

    /// The named constraints' blocks of h, in order; their sizes add up to
    /// [`constraints`](Self::constraints). A constraint that is aggregated has one entry of h, a mean square;
    /// a pointwise one has one for each residual.
    fn constraint_blocks(&self) -> Vec<Block> {
        vec![Block::residuals(1); self.constraints()]
    }

    /// The number of the scalar equation that each entry of h belongs to, from zero: entries of one equation
    /// have one unit. A named constraint may hold several.
    fn equations(&self) -> Vec<usize> {
        let blocks = self.constraint_blocks();
        let entries = blocks.iter().enumerate();
        entries.flat_map(|(number, block)| std::iter::repeat_n(number, block.size)).collect()
    }

    /// The parts of θ that are matrices, in order: the layers of networks.
    fn matrices(&self) -> Vec<Matrix> {
        Vec::new()
    }

    /// Evaluates what `want` asks for into `out`, whose lists have the right lengths already
    /// ([`Evaluation::new`]). Takes `&mut self` for scratch memory and counters only: the same θ gives the
    /// same bits.
    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation);

    /// Adds the Gauss–Newton matrix of f + Σ wᵢhᵢ to the lower triangle of a row-major matrix: where f and
    /// the h that are mean squares are ‖r(θ)‖², 2∂rᵀ∂r. Weights of other entries of h count for nothing. What
    /// is no sum of squares adds nothing.
    fn add_gauss_newton(&mut self, θ: &[f64], weights: &[f64], lower: &mut [f64]) {
        residuals::gauss_newton(self, θ, weights, lower);
    }

    /// The blocks of the residuals r: f is the sum of squares of the objective's, if there are any. Where
    /// nothing is said, the constraints that are residuals are all there is.
    fn residual_blocks(&self) -> Vec<ResidualBlock> {
        residuals::of_constraints(self)
    }

    /// Calls `visit` with the number of a residual, it and some that follow, and their rows of R = ∂r/∂θ,
    /// until it has seen all, in order. Never all rows at once where there are many.
    fn visit_rows(&mut self, θ: &[f64], visit: &mut VisitRows<'_>) {
        residuals::visit_constraints(self, θ, visit);
    }

    /// out = r.
    fn residuals(&mut self, θ: &[f64], out: &mut [f64]) {
        residuals::values(self, θ, out);
    }

    /// out = R v.
    fn jvp(&mut self, θ: &[f64], v: &[f64], out: &mut [f64]) {
        residuals::jvp(self, θ, v, out);
    }

    /// out = Rᵀw.
    fn vjp(&mut self, θ: &[f64], w: &[f64], out: &mut [f64]) {
        residuals::vjp(self, θ, w, out);
    }

    /// The lower triangle of R Rᵀ, row-major: for few residuals, since its memory is quadratic.
    fn residual_gram(&mut self, θ: &[f64], lower: &mut [f64]) {
        residuals::gram(self, θ, lower);
    }

    /// The squared length of every row of R.
    fn row_squares(&mut self, θ: &[f64], out: &mut [f64]) {
        residuals::squares(self, θ, out);
    }

    /// Calls `with` with the same losses as a problem without an objective: every loss of f is a constraint
    /// in its mean square, so that a method can weigh terms against each other and see the gradient of each.
    fn apart(&mut self, with: &mut dyn FnMut(&mut dyn ConstrainedProblem)) {
        with(&mut Apart::new(self));
    }

    /// The entries of h that are the losses of f in [`apart`](Self::apart), rising. Where nothing is said, f
    /// is one loss and comes first.
    fn losses(&self) -> Vec<usize> {
        vec![0]
    }
}

/// A part of θ that is a row-major matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The place of its first entry.
    pub first: usize,
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
}

impl Matrix {
    /// Its part of a list like θ.
    pub(crate) fn of<'a>(&self, list: &'a [f64]) -> &'a [f64] {
        &list[self.first..][..self.rows * self.columns]
    }

    /// Its part of a list like θ.
    pub(crate) fn of_mut<'a>(&self, list: &'a mut [f64]) -> &'a mut [f64] {
        &mut list[self.first..][..self.rows * self.columns]
    }
}

/// How much of an evaluation is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Want<'a> {
    /// f and h.
    Values,
    /// f, h, ∇f and the Jacobian J of h, its rows written out.
    Gradients,
    /// The same, but J need only offer products ([`Jacobian::gram`], [`Jacobian::times`],
    /// [`Jacobian::add_transposed`]). A problem that has nothing better writes out its rows.
    Products,
    /// f, h, and ∇f + Jᵀw for these weights w, in place of ∇f.
    Combination(&'a [f64]),
}

/// f, h and their derivatives at one θ.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// f(θ).
    pub objective: f64,
    /// h(θ).
    pub constraints: Vec<f64>,
    /// ∇f(θ), or the combination asked for.
    pub gradient: Vec<f64>,
    /// J: one row a constraint.
    pub jacobian: Jacobian,
    /// The entries of h of which only what is above zero is violated.
    pub(crate) inequalities: Inequalities,
}

impl Evaluation {
    /// Room for a problem of this size.
    pub fn new(parameters: usize, constraints: usize) -> Self {
        Self {
            objective: f64::NAN,
            constraints: vec![f64::NAN; constraints],
            gradient: vec![0.0; parameters],
            jacobian: Jacobian::new(parameters, constraints),
            inequalities: Inequalities::default(),
        }
    }

    /// With what is asked of the constraints in these blocks.
    pub(crate) fn asking(self, blocks: &[Block]) -> Self {
        Self { inequalities: Inequalities::of(blocks), ..self }
    }

    /// The gradient of each constraint, after `Want::Gradients`.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.jacobian.rows().chunks_exact(self.gradient.len().max(1))
    }

    /// ‖h‖₁; of inequalities only what is violated, for the methods of this crate, which know which these
    /// are.
    pub fn violation(&self) -> f64 {
        match self.inequalities.is_empty() {
            true => self.constraints.iter().map(|h| h.abs()).sum(),
            false => self.violated().iter().map(|h| h.abs()).sum(),
        }
    }

    /// What is violated of h: all of an equality, what is above zero of an inequality.
    pub(crate) fn violated(&self) -> Cow<'_, [f64]> {
        match self.inequalities.is_empty() {
            true => Cow::Borrowed(&self.constraints),
            false => Cow::Owned(self.inequalities.violated(&self.constraints)),
        }
    }

    /// No rows for inequalities that are further inside than a share of the farthest and than `least`, or
    /// that ∇f does not press against: what is left are rows whose multipliers of least squares have the
    /// right sign.
    pub(crate) fn leave_out_inactive(&mut self, blocks: &[Block], share: f64, least: f64) {
        let inequalities = Inequalities::of(blocks);
        if inequalities.is_empty() || !self.is_finite() {
            return;
        }
        let (size, columns) = (self.constraints.len(), self.gradient.len());
        let farthest = inequalities.entries().map(|i| -self.constraints[i]).fold(0.0, f64::max);
        let inside = least.max(share * farthest);
        for i in inequalities.entries().filter(|&i| self.constraints[i] < -inside) {
            self.jacobian.rows_mut()[i * columns..(i + 1) * columns].fill(0.0);
        }
        let (mut gram, mut right) = (vec![0.0; size * size], vec![0.0; size]);
        self.jacobian.gram(&mut gram);
        self.jacobian.times(&self.gradient, &mut right);
        right.iter_mut().for_each(|b| *b = -*b);
        let trace: f64 = (0..size).map(|i| gram[i * size + i]).sum();
        let rows = gram.chunks_exact(size).enumerate();
        let triangle: Vec<f64> = rows.flat_map(|(i, row)| row[..=i].iter().copied()).collect();
        let mut set = ActiveSet::new(inequalities, size);
        // Redundant rows do not matter.
        if set.find(&triangle, RANK_TOLERANCE * trace, &right) {
            for i in (0..size).filter(|&i| !set.is_active(i)) {
                self.jacobian.rows_mut()[i * columns..(i + 1) * columns].fill(0.0);
            }
        }
    }

    /// Are f and h finite?
    pub fn is_finite(&self) -> bool {
        self.objective.is_finite() && self.constraints.iter().all(|h| h.is_finite())
    }
}
