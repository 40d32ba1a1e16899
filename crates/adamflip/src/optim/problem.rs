//! The first seam: what an optimizer may ask of a problem.

use super::{Block, Jacobian};

/// Minimise f(θ) subject to h(θ) = 0, with f and h smooth.
pub trait ConstrainedProblem {
    /// The number of parameters, the length of θ.
    fn parameters(&self) -> usize;

    /// The number of constraints, the length of h.
    fn constraints(&self) -> usize;

    /// The named constraints' blocks of h, in order; their sizes add up to [`constraints`](Self::constraints). A
    /// constraint that is aggregated has one entry of h, a mean square; a pointwise one has one for each residual.
    fn groups(&self) -> Vec<Block> {
        vec![Block::residuals(1); self.constraints()]
    }

    /// The number of the scalar equation that each entry of h belongs to, from zero: entries of one equation have one unit. A named
    /// constraint may hold several.
    fn equations(&self) -> Vec<usize> {
        let groups = self.groups();
        let entries = groups.iter().enumerate();
        entries.flat_map(|(number, group)| std::iter::repeat_n(number, group.size)).collect()
    }

    /// The parts of θ that are matrices, in order: the layers of networks.
    fn matrices(&self) -> Vec<Matrix> {
        Vec::new()
    }

    /// Evaluates what `want` asks for into `out`, whose lists have the right lengths already
    /// ([`Evaluation::new`]). Takes `&mut self` for scratch memory and counters only: the same θ gives the same bits.
    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation);

    /// Adds the Gauss–Newton matrix of f + Σ wᵢhᵢ to the lower triangle of a row-major matrix: where f and the h that are
    /// mean squares are ‖r(θ)‖², 2∂rᵀ∂r. Weights of other entries of h count for nothing. What is no sum of squares adds
    /// nothing.
    fn add_gauss_newton(&mut self, _θ: &[f64], _weights: &[f64], _lower: &mut [f64]) {}
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
    /// The same, but J need only offer products ([`Jacobian::gram`], [`Jacobian::times`], [`Jacobian::add_transposed`]). A
    /// problem that has nothing better writes out its rows.
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
}

impl Evaluation {
    /// Room for a problem of this size.
    pub fn new(parameters: usize, constraints: usize) -> Self {
        Self {
            objective: f64::NAN,
            constraints: vec![f64::NAN; constraints],
            gradient: vec![0.0; parameters],
            jacobian: Jacobian::new(parameters, constraints),
        }
    }

    /// The gradient of each constraint, after `Want::Gradients`.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.jacobian.rows().chunks_exact(self.gradient.len().max(1))
    }

    /// ‖h‖₁.
    pub fn violation(&self) -> f64 {
        self.constraints.iter().map(|h| h.abs()).sum()
    }

    /// Are f and h finite?
    pub fn is_finite(&self) -> bool {
        self.objective.is_finite() && self.constraints.iter().all(|h| h.is_finite())
    }
}
