//! Linear algebra: products, Cholesky's factorization and substitution by it, triangularization by
//! Householder's reflections, and eigenvalues of symmetric matrices.
//!
//! Vectors are slices; matrices are row-major slices with the number of columns beside them. Nothing here
//! allocates once its workspace exists.
#![allow(unsafe_code)]

mod cholesky;
mod dense;
mod divide;
mod eigen;
mod gram;
mod panels;
mod product;
mod reflectors;
mod rotations;
mod secular;
mod symmetric;
mod triangle;
mod tridiagonal;

use rayon::prelude::*;

use crate::simd::{Isa, Kernel, Simd};
pub(crate) use cholesky::{Cholesky, solve_factored};
pub(crate) use dense::{
    accumulate_product, add_squares, add_squares_between, add_symmetric, multiply_large, multiply_matrices,
    multiply_vector, solve_lower_rows,
};
pub(crate) use eigen::SymmetricEigen;
pub(crate) use panels::{Factor, PORTION};
pub(crate) use reflectors::{Reflectors, multiply_upper, solve_upper};
pub(crate) use symmetric::{Change, Symmetric};

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

/// Up to this many rows a Gram matrix is one product by one thread.
const FEW: usize = 32;

/// lower(A) += R·Rᵀ for a square row-major A with as many rows as R has; R is row-major with `columns`
/// columns.
pub(crate) fn add_gram(matrix: &mut [f64], rows: &[f64], columns: usize) {
    let size = rows.len() / columns;
    if size > FEW {
        return add_symmetric(matrix, 1.0, Factor::of(rows, columns), Factor::transposed(rows, columns));
    }
    gram::add_gram(matrix, rows, columns);
}

/// Copies the lower triangle of a square row-major matrix onto the upper one, on all threads.
pub(crate) fn symmetrize(matrix: &mut [f64], size: usize) {
    symmetrize_rows(matrix, size, 0);
}

/// The same for some rows, whose square begins with column `first`.
fn symmetrize_rows(rows: &mut [f64], size: usize, first: usize) {
    /// The sides of squares that stay in the first-level cache.
    const SQUARE: usize = 32;
    let count = rows.len() / size.max(1);
    if count <= SQUARE {
        for row in 0..count {
            for column in 0..row {
                rows[column * size + first + row] = rows[row * size + first + column];
            }
        }
        return;
    }
    let half = (count / 2).next_multiple_of(SQUARE);
    let (above, below) = rows.split_at_mut(half * size);
    above.par_chunks_mut(SQUARE * size).enumerate().for_each(|(square, above)| {
        let column = first + square * SQUARE;
        for (start, below) in (first + half..).step_by(SQUARE).zip(below.chunks(SQUARE * size)) {
            for (row, above) in above.chunks_exact_mut(size).enumerate() {
                let from = below.chunks_exact(size).map(|below| below[column + row]);
                above[start..].iter_mut().zip(from).for_each(|(to, from)| *to = from);
            }
        }
    });
    rayon::join(|| symmetrize_rows(above, size, first), || symmetrize_rows(below, size, first + half));
}

/// The eigenvalues did not settle: only for matrices with entries that are not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoConvergence;

#[cfg(test)]
mod tests {
    use super::*;

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
    fn gram_of_few_rows() {
        for (size, columns) in [(1, 1), (2, 3), (3, 8), (7, 19), (FEW, 40)] {
            // Small integers, of which every sum is exact in any order.
            let rows: Vec<f64> = (0..size * columns).map(|at| ((at * at + 3) % 7) as f64 - 3.0).collect();
            let row = |i: usize| &rows[i * columns..(i + 1) * columns];
            let mut gram = vec![1.0; size * size];
            add_gram(&mut gram, &rows, columns);
            for (i, j) in (0..size).flat_map(|i| (0..size).map(move |j| (i, j))) {
                let product: f64 = row(i).iter().zip(row(j)).map(|(x, y)| x * y).sum();
                assert_eq!(gram[i * size + j], if j <= i { 1.0 + product } else { 1.0 }, "{size}: {i} {j}");
            }
        }
    }

    #[test]
    fn symmetrized_matrices_are_symmetric() {
        for size in [0, 1, 31, 32, 33, 100, 161] {
            let entry = |i: usize, j: usize| (i * size + j) as f64;
            let at = |i: usize, j: usize| if j > i { f64::NAN } else { entry(i, j) };
            let mut matrix: Vec<f64> = (0..size * size).map(|k| at(k / size, k % size)).collect();
            symmetrize(&mut matrix, size);
            let expected = |k: usize| entry((k / size).max(k % size), (k / size).min(k % size));
            assert!(matrix.iter().enumerate().all(|(k, x)| *x == expected(k)), "{size}");
        }
    }

    #[test]
    fn gram_of_many_rows_is_the_same_for_any_number_of_threads() {
        let (size, columns) = (6 * FEW + 5, 37);
        let rows: Vec<f64> = (0..size * columns).map(|at| ((at * at) as f64 * 0.7391).sin()).collect();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut gram = vec![0.0; size * size];
            pool.install(|| add_gram(&mut gram, &rows, columns));
            gram
        };
        let gram = run(1);
        assert!(run(2) == gram && run(3) == gram);
        let row = |i: usize| &rows[i * columns..(i + 1) * columns];
        for (i, j) in (0..size).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            // Sums of 37 products below 1, in different orders.
            assert!((gram[i * size + j] - dot(row(i), row(j))).abs() < 1e-13, "{i} {j}");
        }
    }
}
