//! The residuals of all blocks with the roots of their weights in the merit, and products with their rows.
//!
//! With ρ/n the share of an entry of h in the merit, the square of the root is 2 for residuals of f, 2ρ/n for
//! constraints that are residuals, and 2ρ for the residuals of a mean square.

use crate::linalg::add_scaled;
use crate::optim::residuals::ranges;
use crate::optim::{ConstrainedProblem, Form, ResidualBlock, ResidualRole};

/// r at one θ, and what is made of it.
#[derive(Debug, Default)]
pub(super) struct Residuals {
    blocks: Vec<ResidualBlock>,
    /// r.
    values: Vec<f64>,
    /// The squared lengths of their rows.
    squares: Vec<f64>,
    /// s.
    roots: Vec<f64>,
    /// r̃ = Sr + λ/s.
    shifted: Vec<f64>,
    /// Entries of h that are inequalities without a row.
    released: Vec<usize>,
    /// Room for weights of rows.
    room: Vec<f64>,
}

/// Weighted rows R̃ = SR at one θ, by their products.
pub struct Weighted<'a> {
    problem: &'a mut dyn ConstrainedProblem,
    θ: &'a [f64],
    roots: &'a [f64],
    squares: &'a [f64],
    room: &'a mut [f64],
}

impl Weighted<'_> {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.roots.len()
    }

    /// tr(R̃ᵀR̃).
    pub(crate) fn trace(&self) -> f64 {
        self.roots.iter().zip(self.squares).map(|(root, square)| root * root * square).sum()
    }

    /// out = R̃v.
    pub(crate) fn times(&mut self, v: &[f64], out: &mut [f64]) {
        self.problem.jvp(self.θ, v, out);
        out.iter_mut().zip(self.roots).for_each(|(out, root)| *out *= root);
    }

    /// out = R̃ᵀw.
    pub(crate) fn transposed(&mut self, w: &[f64], out: &mut [f64]) {
        self.room.iter_mut().zip(w).zip(self.roots).for_each(|((room, w), root)| *room = w * root);
        self.problem.vjp(self.θ, self.room, out);
    }

    /// The lower triangle of R̃R̃ᵀ.
    pub(crate) fn gram(&mut self, lower: &mut [f64]) {
        self.problem.residual_gram(self.θ, lower);
        for (i, row) in lower.chunks_exact_mut(self.roots.len().max(1)).enumerate() {
            row[..=i].iter_mut().zip(self.roots).for_each(|(entry, root)| *entry *= root * self.roots[i]);
        }
    }
}

impl Residuals {
    /// Learns the blocks, which may have other sizes than at the step before.
    pub(super) fn arrange(&mut self, problem: &dyn ConstrainedProblem) {
        self.blocks = problem.residual_blocks();
        let count = ResidualBlock::total(&self.blocks);
        for list in [&mut self.values, &mut self.squares, &mut self.roots, &mut self.shifted, &mut self.room]
        {
            list.clear();
            list.resize(count, 0.0);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    /// Is f the sum of squares of some of them?
    pub(super) fn is_whole(&self) -> bool {
        self.blocks.iter().any(|block| block.role == ResidualRole::Objective)
    }

    /// Are there constraints that are residuals, which have multipliers?
    pub(super) fn is_constrained(&self) -> bool {
        self.constraints().next().is_some()
    }

    /// r and the squared lengths of rows at θ; `false` where they are not finite.
    pub(super) fn measure(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> bool {
        problem.residuals(θ, &mut self.values);
        problem.row_squares(θ, &mut self.squares);
        self.values.iter().chain(&self.squares).all(|x| x.is_finite())
    }

    /// The constraints that are residuals, pair by pair: the number of the residual and that of the entry of
    /// h.
    fn constraints(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        ranges(&self.blocks).flat_map(|(block, range)| {
            let first = match (block.role, block.form) {
                (ResidualRole::Constraint(first), Form::Residuals) => Some(first),
                _ => None,
            };
            first.into_iter().flat_map(move |first| range.clone().zip(first..))
        })
    }

    /// The square of the root of every residual of a block that is squared, by the shares of the entries of
    /// h.
    fn squared(block: &ResidualBlock, shares: &[f64]) -> f64 {
        match block.role {
            ResidualRole::Objective => 2.0,
            ResidualRole::Constraint(entry) => 2.0 * shares[entry],
        }
    }

    /// The trace of the Gauss–Newton matrix of f and the constraints that are mean squares.
    pub(super) fn objective_trace(&self, shares: &[f64]) -> f64 {
        let squared = ranges(&self.blocks).filter(|(block, _)| block.form == Form::MeanSquare);
        squared
            .map(|(block, range)| Self::squared(block, shares) * self.squares[range].iter().sum::<f64>())
            .sum()
    }

    /// The squared lengths of the rows of all entries of h; of mean squares, which nobody asks for, zero.
    pub(super) fn squares_of_entries(&self, entries: usize) -> impl Iterator<Item = f64> + use<> {
        let mut squares = vec![0.0; entries];
        self.constraints().for_each(|(residual, entry)| squares[entry] = self.squares[residual]);
        squares.into_iter()
    }

    /// Sets s by the shares of the entries of h.
    pub(super) fn weigh(&mut self, shares: &[f64]) {
        for (block, range) in ranges(&self.blocks) {
            match (block.role, block.form) {
                (ResidualRole::Constraint(first), Form::Residuals) => {
                    let roots = self.roots[range].iter_mut().zip(&shares[first..]);
                    roots.for_each(|(root, share)| *root = (2.0 * share).sqrt());
                }
                _ => self.roots[range].fill(Self::squared(block, shares).sqrt()),
            }
        }
    }

    /// Takes the weight of these entries of h.
    pub(super) fn release(&mut self, entries: &[usize]) {
        self.released = entries.to_vec();
        let pairs: Vec<(usize, usize)> = self.constraints().collect();
        for (residual, _) in pairs.into_iter().filter(|(_, entry)| entries.binary_search(entry).is_ok()) {
            self.roots[residual] = 0.0;
        }
    }

    /// r̃ for these λ. What has no weight has none of its multiplier.
    pub(super) fn shift(&mut self, λ: &[f64]) {
        let pairs = self.values.iter().zip(&self.roots);
        self.shifted.iter_mut().zip(pairs).for_each(|(shifted, (r, root))| *shifted = root * r);
        let mut shifted = std::mem::take(&mut self.shifted);
        for (residual, entry) in self.constraints().filter(|&(residual, _)| self.roots[residual] > 0.0) {
            shifted[residual] += λ[entry] / self.roots[residual];
        }
        self.shifted = shifted;
    }

    /// r̃.
    pub(super) fn shifted(&self) -> &[f64] {
        &self.shifted
    }

    /// tr(R̃R̃ᵀ) by the number of eigenvalues that need not vanish.
    pub(super) fn mean_eigenvalue(&self, parameters: usize) -> f64 {
        let pairs = self.roots.iter().zip(&self.squares);
        let trace: f64 = pairs.map(|(root, square)| root * root * square).sum();
        let mean = trace / self.count().min(parameters).max(1) as f64;
        // Nothing is felt: any damping will do.
        if mean > 0.0 { mean } else { 1.0 }
    }

    /// The weighted rows.
    pub(super) fn weighted<'a>(
        &'a mut self,
        problem: &'a mut dyn ConstrainedProblem,
        θ: &'a [f64],
    ) -> Weighted<'a> {
        self.parts(problem, θ).0
    }

    /// The same and r̃.
    pub(super) fn parts<'a>(
        &'a mut self,
        problem: &'a mut dyn ConstrainedProblem,
        θ: &'a [f64],
    ) -> (Weighted<'a>, &'a [f64]) {
        let Self { roots, squares, shifted, room, .. } = self;
        (Weighted { problem, θ, roots, squares, room }, shifted)
    }

    /// What rows are added with in ∇f, or, given weights of the entries of h, in ∇f of those alone.
    pub(super) fn combination(&self, weights: Option<&[f64]>, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.count(), 0.0);
        for (block, range) in ranges(&self.blocks) {
            let factor = match (block.role, weights) {
                (ResidualRole::Objective, None) => 2.0,
                (ResidualRole::Constraint(entry), Some(weights)) if block.form == Form::MeanSquare => {
                    2.0 * weights[entry]
                }
                _ => 0.0,
            };
            add_scaled(&mut out[range.clone()], factor, &self.values[range]);
        }
    }

    /// What rows are added with in Jᵀλ.
    pub(super) fn multiplied(&self, λ: &[f64], out: &mut Vec<f64>) {
        self.combination(Some(λ), out);
        self.constraints().for_each(|(residual, entry)| out[residual] = λ[entry]);
    }

    /// λ + s²(h + Jd) for R̃d.
    pub(super) fn foresee(&self, λ: &[f64], change: &[f64], out: &mut [f64]) {
        out.copy_from_slice(λ);
        for (residual, entry) in self.constraints() {
            let root = self.roots[residual];
            out[entry] += root * (root * self.values[residual] + change[residual]);
        }
        self.released.iter().for_each(|&entry| out[entry] = 0.0);
    }

    /// s(h + Jd) in the rows of constraints: what the model still misses of them.
    pub(super) fn missed(&self, change: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (residual, _) in self.constraints() {
            out[residual] = self.roots[residual] * self.values[residual] + change[residual];
        }
    }

    /// s(h(θ + d) − h − Jd) in the rows of constraints.
    pub(super) fn beyond(&self, [start, end]: [&[f64]; 2], change: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (residual, entry) in self.constraints() {
            out[residual] = self.roots[residual] * (end[entry] - start[entry]) - change[residual];
        }
    }

    /// Jd for the weighted change R̃d of the residuals; what has no weight is taken to stay.
    pub(super) fn entries(&self, change: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let change = |residual: usize| match self.roots[residual] {
            root if root > 0.0 => change[residual] / root,
            _ => 0.0,
        };
        for (block, range) in ranges(&self.blocks) {
            if let (ResidualRole::Constraint(entry), Form::MeanSquare) = (block.role, block.form) {
                out[entry] = range.map(|residual| 2.0 * self.values[residual] * change(residual)).sum();
            }
        }
        self.constraints().for_each(|(residual, entry)| out[entry] = change(residual));
    }

    /// The largest that ‖Jᵀw‖ could be for these weights of the constraints that are residuals.
    pub(super) fn most(&self, weights: &[f64]) -> f64 {
        self.constraints().map(|(residual, entry)| weights[entry].abs() * self.squares[residual].sqrt()).sum()
    }
}
