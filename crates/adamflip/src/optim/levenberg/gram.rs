//! The step in the space of rows: d = −R̃ᵀ(R̃R̃ᵀ + μI)⁻¹b, for fewer rows than parameters.
//!
//! R̃R̃ᵀ is N × N and comes from rows in factors without any N × P matrix. N²P flop at the most and less in
//! factors, N³/3 for each μ, N² for each solve; one and a half N × N matrices.

use super::{Solver, Weighted};
use crate::linalg::{Cholesky, solve_factored};

/// R̃R̃ᵀ and its factor.
#[derive(Debug, Default)]
pub struct Gram {
    size: usize,
    /// The lower triangle of R̃R̃ᵀ, row after row.
    triangle: Vec<f64>,
    /// The factor of R̃R̃ᵀ + μI, row-major.
    factor: Vec<f64>,
    /// Of that size.
    cholesky: Option<Cholesky>,
    /// w = (R̃R̃ᵀ + μI)⁻¹b.
    weights: Vec<f64>,
}

impl Gram {
    fn arrange(&mut self, size: usize) {
        if self.size != size || self.cholesky.is_none() {
            let triangle = vec![0.0; size * (size + 1) / 2];
            let (factor, weights) = (vec![0.0; size * size], vec![0.0; size]);
            *self = Self { size, triangle, factor, cholesky: Some(Cholesky::new(size)), weights };
        }
    }

    /// The rows of the square beside those of the triangle.
    fn pairs(&mut self) -> impl Iterator<Item = (&mut [f64], &mut [f64])> {
        let mut rest = &mut self.triangle[..];
        let rows = self.factor.chunks_exact_mut(self.size.max(1)).enumerate();
        rows.map(move |(i, row)| (&mut row[..=i], rest.split_off_mut(..=i).unwrap_or_default()))
    }
}

impl Solver for Gram {
    fn linearize(&mut self, rows: &mut Weighted<'_>) -> bool {
        self.arrange(rows.count());
        rows.gram(&mut self.factor);
        self.pairs().for_each(|(square, kept)| kept.copy_from_slice(square));
        // Sums of squares: what is not finite anywhere is not on the diagonal either.
        rows.trace().is_finite()
    }

    fn damp(&mut self, μ: f64) -> bool {
        for (i, (square, kept)) in self.pairs().enumerate() {
            square.copy_from_slice(kept);
            square[i] += μ;
        }
        self.cholesky.as_mut().is_some_and(|cholesky| cholesky.factor(&mut self.factor).is_ok())
    }

    fn solve(&mut self, rows: &mut Weighted<'_>, b: &[f64], step: &mut [f64]) {
        self.weights.iter_mut().zip(b).for_each(|(weight, b)| *weight = -b);
        solve_factored(&self.factor, [&mut self.weights]);
        rows.transposed(&self.weights, step);
    }
}
