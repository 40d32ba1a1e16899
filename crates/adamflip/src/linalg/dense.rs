//! Products of dense matrices, row-major: small ones by one thread, large ones in portions of rows.
//!
//! Portions are fixed and each is worked on by one thread, so the bits are the same for any number of threads.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

use super::strided_mut;

/// The rows of a portion.
const PORTION: usize = 128;

/// One factor of a product: a row-major matrix, or its transpose.
#[derive(Clone, Copy)]
pub(crate) struct Factor<'a>(MatRef<'a, f64>);

impl<'a> Factor<'a> {
    pub(crate) fn of(entries: &'a [f64], columns: usize) -> Self {
        Self(MatRef::from_row_major_slice(entries, entries.len() / columns, columns))
    }

    /// The transpose of this factor.
    pub(crate) fn turned(self) -> Self {
        Self(self.0.transpose())
    }

    pub(crate) fn transposed(entries: &'a [f64], columns: usize) -> Self {
        Self(Self::of(entries, columns).0.transpose())
    }
}

/// C = A·B, row-major.
pub(crate) fn multiply_matrices(product: &mut [f64], left: Factor<'_>, right: Factor<'_>) {
    let product = MatMut::from_row_major_slice_mut(product, left.0.nrows(), right.0.ncols());
    matmul(product, Accum::Replace, left.0, right.0, 1.0, Par::Seq);
}

/// C += share·A·B, row-major.
pub(crate) fn accumulate_product(product: &mut [f64], share: f64, left: Factor<'_>, right: Factor<'_>) {
    let product = MatMut::from_row_major_slice_mut(product, left.0.nrows(), right.0.ncols());
    matmul(product, Accum::Add, left.0, right.0, share, Par::Seq);
}

/// C = A·B, row-major, on all threads.
pub(crate) fn multiply_large(product: &mut [f64], left: Factor<'_>, right: Factor<'_>) {
    let (rows, columns) = (left.0.nrows(), right.0.ncols());
    if rows > PORTION {
        let half = (rows / 2).next_multiple_of(PORTION);
        let (above, below) = product.split_at_mut(half * columns);
        let (first, second) = left.0.split_at_row(half);
        rayon::join(
            || multiply_large(above, Factor(first), right),
            || multiply_large(below, Factor(second), right),
        );
        return;
    }
    multiply_matrices(product, left, right);
}

/// lower(S) += share·A·B for a square row-major S whose lower triangle alone counts: of a product that is symmetric.
pub(crate) fn add_symmetric(lower: &mut [f64], share: f64, left: Factor<'_>, right: Factor<'_>) {
    add_rows(lower, right.0.ncols(), share, left.0, right.0);
}

/// lower(S) += share·RᵀR for the rows of R, of as many columns as S has rows.
pub(crate) fn add_squares(lower: &mut [f64], share: f64, rows: &[f64], columns: usize) {
    add_symmetric(lower, share, Factor::transposed(rows, columns), Factor::of(rows, columns));
}

/// The same for some rows, the last of which ends at the last column of B.
fn add_rows(lower: &mut [f64], size: usize, share: f64, left: MatRef<'_, f64>, right: MatRef<'_, f64>) {
    let (rows, end) = (left.nrows(), right.ncols());
    if rows > PORTION {
        let half = (rows / 2).next_multiple_of(PORTION);
        let (above, below) = lower.split_at_mut(half * size);
        let (first, second) = left.split_at_row(half);
        rayon::join(
            || add_rows(above, size, share, first, right.subcols(0, end - rows + half)),
            || add_rows(below, size, share, second, right),
        );
        return;
    }
    let lower = strided_mut(lower, rows, end, size);
    matmul(lower, Accum::Add, left, right, share, Par::Seq);
}

/// Overwrites every row x of a row-major matrix with L⁻¹x, for a lower triangular L.
pub(crate) fn solve_lower_rows(lower: &[f64], size: usize, rows: &mut [f64]) {
    use rayon::prelude::*;
    rows.par_chunks_mut(PORTION * size.max(1)).for_each(|rows| {
        let lower = MatRef::from_row_major_slice(lower, size, size);
        let count = rows.len() / size;
        let rights = MatMut::from_row_major_slice_mut(rows, count, size).transpose_mut();
        solve_lower_triangular_in_place(lower, rights, Par::Seq);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dot;

    /// Sines without a pattern.
    fn matrix(rows: usize, columns: usize, shift: f64) -> Vec<f64> {
        (0..rows * columns).map(|at| ((at * at) as f64 * 0.7391 + shift).sin()).collect()
    }

    fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn large_products_are_those_of_one_thread() {
        let (rows, depth, columns) = (3 * PORTION + 7, 40, 11);
        let (left, right) = (matrix(rows, depth, 0.0), matrix(depth, columns, 1.0));
        let run = |threads| {
            let mut product = vec![0.0; rows * columns];
            on(threads, || {
                multiply_large(&mut product, Factor::of(&left, depth), Factor::of(&right, columns))
            });
            product
        };
        let product = run(1);
        assert!(run(2) == product);
        for (i, j) in [(0, 0), (PORTION, 3), (rows - 1, columns - 1)] {
            let column: Vec<f64> = (0..depth).map(|k| right[k * columns + j]).collect();
            // Sums of forty products below one, in different orders.
            assert!(
                (product[i * columns + j] - dot(&left[i * depth..(i + 1) * depth], &column)).abs() < 1e-13
            );
        }
    }

    /// AᵀA, once by the definition and once by portions.
    #[test]
    fn symmetric_products_fill_the_lower_triangle() {
        let (size, depth) = (2 * PORTION + 30, 25);
        let rows = matrix(depth, size, 0.5);
        let run = |threads| {
            let mut lower = vec![1.0; size * size];
            let (left, right) = (Factor::transposed(&rows, size), Factor::of(&rows, size));
            on(threads, || add_symmetric(&mut lower, 2.0, left, right));
            lower
        };
        let lower = run(1);
        assert!(run(2) == lower);
        for (i, j) in [(0, 0), (PORTION + 1, PORTION), (size - 1, 2), (size - 1, size - 1)] {
            let sum: f64 = rows.chunks_exact(size).map(|row| row[i] * row[j]).sum();
            assert!((lower[i * size + j] - 1.0 - 2.0 * sum).abs() < 1e-13, "{i} {j}");
        }
    }

    #[test]
    fn rows_are_solved_for_by_a_triangle() {
        let (size, count) = (30, PORTION + 3);
        // Twos on the diagonal and less than a tenth below it; what is above does not count.
        let lower: Vec<f64> = matrix(size, size, 0.0)
            .iter()
            .enumerate()
            .map(|(at, x)| if at % (size + 1) == 0 { 2.0 } else { 0.1 * x })
            .collect();
        let solutions = matrix(count, size, 2.0);
        let mut rows = vec![0.0; count * size];
        for (row, solution) in rows.chunks_exact_mut(size).zip(solutions.chunks_exact(size)) {
            (0..size).for_each(|i| row[i] = dot(&lower[i * size..][..=i], &solution[..=i]));
        }
        solve_lower_rows(&lower, size, &mut rows);
        // Rounding times a condition number of a few.
        assert!(rows.iter().zip(&solutions).all(|(x, y)| (x - y).abs() < 1e-13));
    }
}
