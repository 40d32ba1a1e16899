//! Linear algebra: the only file that names the linear-algebra crate.
//!
//! Vectors are slices; matrices are row-major slices with the number of columns beside them. Nothing here
//! allocates once its workspace exists.
#![allow(unsafe_code)]

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{self, ComputeEigenvectors};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, MatRef, Par};

use crate::simd::{Isa, Kernel, Simd};

/// x·y, in a fixed order of summation.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    Isa::detect().run(Dot { x, y, sum: &mut sum });
    sum
}

/// √(x·x).
pub(crate) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// y += a·x.
pub(crate) fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    Isa::detect().run(AddScaled { y, a, x, set: false });
}

/// y = a·x.
pub(crate) fn set_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    Isa::detect().run(AddScaled { y, a, x, set: true });
}

struct Dot<'a> {
    x: &'a [f64],
    y: &'a [f64],
    sum: &'a mut f64,
}

impl Kernel for Dot<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let step = 4 * S::LANES;
        let (x, y) = (self.x.chunks_exact(step), self.y.chunks_exact(step));
        let rest: f64 = x.remainder().iter().zip(y.remainder()).map(|(x, y)| x * y).sum();
        let mut sums = [simd.splat(0.0); 4];
        for (x, y) in x.zip(y) {
            for (i, sum) in sums.iter_mut().enumerate() {
                // SAFETY: both chunks have 4·LANES elements.
                let (x, y) = unsafe {
                    (simd.load(x.as_ptr().add(i * S::LANES)), simd.load(y.as_ptr().add(i * S::LANES)))
                };
                *sum = simd.mul_add(x, y, *sum);
            }
        }
        *self.sum = simd.sums(sums).iter().sum::<f64>() + rest;
    }
}

struct AddScaled<'a> {
    y: &'a mut [f64],
    a: f64,
    x: &'a [f64],
    /// Overwrite y instead of adding to it.
    set: bool,
}

impl Kernel for AddScaled<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let a = simd.splat(self.a);
        let (mut y, x) = (self.y.chunks_exact_mut(S::LANES), self.x.chunks_exact(S::LANES));
        let rest = x.remainder();
        for (y, x) in y.by_ref().zip(x) {
            // SAFETY: both chunks have LANES elements.
            unsafe {
                let start = if self.set { simd.splat(0.0) } else { simd.load(y.as_ptr()) };
                simd.store(y.as_mut_ptr(), simd.mul_add(a, simd.load(x.as_ptr()), start));
            }
        }
        for (y, x) in y.into_remainder().iter_mut().zip(rest) {
            *y = if self.set { self.a * x } else { *y + self.a * x };
        }
    }
}

/// lower(A) += R·Rᵀ for a square row-major A with as many rows as R has; R is row-major with `columns` columns.
pub(crate) fn add_gram(matrix: &mut [f64], rows: &[f64], columns: usize) {
    let size = rows.len() / columns;
    let rows = MatRef::from_row_major_slice(rows, size, columns);
    triangular::matmul(
        MatMut::from_row_major_slice_mut(matrix, size, size),
        BlockStructure::TriangularLower,
        Accum::Add,
        rows,
        BlockStructure::Rectangular,
        rows.transpose(),
        BlockStructure::Rectangular,
        1.0,
        Par::rayon(0),
    );
}

/// Copies the lower triangle of a square row-major matrix onto the upper one.
pub(crate) fn symmetrize(matrix: &mut [f64], size: usize) {
    for row in 0..size {
        for column in 0..row {
            matrix[column * size + row] = matrix[row * size + column];
        }
    }
}

/// The matrix is not positive definite to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPositiveDefinite;

/// Solver for small symmetric positive definite systems, its memory reused from call to call.
pub(crate) struct Cholesky {
    size: usize,
    memory: MemBuffer,
}

impl Cholesky {
    pub(crate) fn new(size: usize) -> Self {
        let factor = llt::factor::cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default());
        let solve = llt::solve::solve_in_place_scratch::<f64>(size, 1, Par::Seq);
        Self { size, memory: MemBuffer::new(factor.or(solve)) }
    }

    /// Overwrites `right` with the solution and `matrix` (row-major, lower triangle read) with its factor.
    pub(crate) fn solve(&mut self, matrix: &mut [f64], right: &mut [f64]) -> Result<(), NotPositiveDefinite> {
        if self.size <= SMALL {
            return solve_small(matrix, right, self.size);
        }
        let mut matrix = MatMut::from_row_major_slice_mut(matrix, self.size, self.size);
        let stack = MemStack::new(&mut self.memory);
        llt::factor::cholesky_in_place(
            matrix.rb_mut(),
            Default::default(),
            Par::Seq,
            stack,
            Default::default(),
        )
        .map_err(|_| NotPositiveDefinite)?;
        let right = MatMut::from_column_major_slice_mut(right, self.size, 1);
        llt::solve::solve_in_place(matrix.rb(), right, Par::Seq, stack);
        Ok(())
    }
}

/// Up to this size the factorization is a few hundred operations, less than the set-up of a blocked algorithm.
const SMALL: usize = 16;

/// The textbook algorithm, row by row: A = L Lᵀ, then L y = b and Lᵀ x = y.
fn solve_small(matrix: &mut [f64], right: &mut [f64], size: usize) -> Result<(), NotPositiveDefinite> {
    for i in 0..size {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| matrix[i * size + k] * matrix[j * size + k]).sum();
            let rest = matrix[i * size + j] - sum;
            if i == j && !(rest > 0.0 && rest.is_finite()) {
                return Err(NotPositiveDefinite);
            }
            matrix[i * size + j] = if i == j { rest.sqrt() } else { rest / matrix[j * size + j] };
        }
        let sum: f64 = (0..i).map(|k| matrix[i * size + k] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i * size + i];
    }
    for i in (0..size).rev() {
        let sum: f64 = (i + 1..size).map(|k| matrix[k * size + i] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i * size + i];
    }
    Ok(())
}

impl std::fmt::Debug for Cholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cholesky({})", self.size)
    }
}

/// The eigenvalues did not settle: only for matrices with entries that are not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoConvergence;

/// Eigenvalues and eigenvectors of a symmetric matrix, their memory reused from call to call.
pub(crate) struct SymmetricEigen {
    size: usize,
    /// The eigenvalues, in rising order.
    pub(crate) values: Vec<f64>,
    /// The orthonormal eigenvectors, one after the other.
    pub(crate) vectors: Vec<f64>,
    memory: MemBuffer,
}

impl SymmetricEigen {
    pub(crate) fn new(size: usize) -> Self {
        // The crate's own count fails for size 0.
        let scratch = evd::self_adjoint_evd_scratch::<f64>(
            size.max(1),
            ComputeEigenvectors::Yes,
            Par::Seq,
            Default::default(),
        );
        Self {
            size,
            values: vec![0.0; size],
            vectors: vec![0.0; size * size],
            memory: MemBuffer::new(scratch),
        }
    }

    /// Decomposes `matrix` (row-major, lower triangle read).
    pub(crate) fn decompose(&mut self, matrix: &[f64]) -> Result<(), NoConvergence> {
        if !matrix.iter().all(|entry| entry.is_finite()) {
            return Err(NoConvergence);
        }
        evd::self_adjoint_evd(
            MatRef::from_row_major_slice(matrix, self.size, self.size),
            DiagMut::from_slice_mut(&mut self.values),
            Some(MatMut::from_column_major_slice_mut(&mut self.vectors, self.size, self.size)),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        )
        .map_err(|_| NoConvergence)
    }
}

impl std::fmt::Debug for SymmetricEigen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SymmetricEigen({})", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_diagonalize() {
        for size in [0, 1, 2, 7, 40] {
            let entry =
                |i: usize, j: usize| 1.0 / (1 + i + j) as f64 + f64::from(u8::from(i == j)) * i as f64;
            // Only the lower triangle is read: the upper one is wrong on purpose.
            let at = |i: usize, j: usize| if j > i { 99.0 } else { entry(i, j) };
            let matrix: Vec<f64> = (0..size * size).map(|k| at(k / size, k % size)).collect();
            let mut eigen = SymmetricEigen::new(size);
            eigen.decompose(&matrix).unwrap();
            for (value, vector) in eigen.values.iter().zip(eigen.vectors.chunks_exact(size.max(1))) {
                for i in 0..size {
                    let image: f64 = (0..size).map(|j| entry(i.max(j), i.min(j)) * vector[j]).sum();
                    // Rounding times the largest eigenvalue, below 41.
                    assert!((image - value * vector[i]).abs() < 1e-12, "{size}");
                }
            }
        }
        assert_eq!(SymmetricEigen::new(1).decompose(&[f64::NAN]), Err(NoConvergence));
    }

    #[test]
    fn dot_and_add_scaled_take_any_length() {
        for length in 0..70usize {
            let x: Vec<f64> = (0..length).map(|i| i as f64 - 3.0).collect();
            let mut y: Vec<f64> = (0..length).map(|i| 0.5 * i as f64).collect();
            // Small integers and halves: every sum is exact in any order.
            assert_eq!(dot(&x, &y), x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>());
            let expected: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y + 2.0 * x).collect();
            add_scaled(&mut y, 2.0, &x);
            assert_eq!(y, expected);
        }
    }

    #[test]
    fn gram_and_solve() {
        let rows = [1.0, 2.0, 0.0, 0.0, 1.0, 3.0];
        let mut gram = [0.0; 4];
        add_gram(&mut gram, &rows, 3);
        symmetrize(&mut gram, 2);
        assert_eq!(gram, [5.0, 2.0, 2.0, 10.0]);
        let mut right = [9.0, 22.0];
        Cholesky::new(2).solve(&mut gram, &mut right).unwrap();
        // Two by two with condition number 2.5: rounding only.
        assert!((right[0] - 1.0).abs() < 1e-15 && (right[1] - 2.0).abs() < 1e-15);
    }

    #[test]
    fn small_and_large_systems_are_solved() {
        for size in [1, 5, SMALL, SMALL + 1, 40] {
            // 2 on the diagonal and 1/(1 + |i − j|)² beside it: diagonally dominant enough, condition number below 10.
            let entry =
                |i: usize, j: usize| f64::from(u8::from(i == j)) + 1.0 / (1 + i.abs_diff(j)).pow(2) as f64;
            let mut matrix: Vec<f64> = (0..size * size).map(|at| entry(at / size, at % size)).collect();
            let solution: Vec<f64> = (0..size).map(|i| i as f64 - 2.5).collect();
            let product = |i: usize| (0..size).map(|j| entry(i, j) * solution[j]).sum();
            let mut right: Vec<f64> = (0..size).map(product).collect();
            Cholesky::new(size).solve(&mut matrix, &mut right).unwrap();
            // Rounding times the condition number times the size of the solution.
            assert!(right.iter().zip(&solution).all(|(x, y)| (x - y).abs() < 1e-12), "{size}");
        }
    }

    #[test]
    fn indefinite_matrices_are_refused() {
        for size in [2, SMALL + 1] {
            let mut matrix = vec![1.0; size * size];
            matrix[size] = 2.0;
            let refused = Cholesky::new(size).solve(&mut matrix, &mut vec![1.0; size]);
            assert_eq!(refused, Err(NotPositiveDefinite));
        }
    }
}
