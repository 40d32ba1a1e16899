//! Products of dense matrices, row-major: small ones by one thread, large ones by all, in fixed portions.

use std::ops::Range;

use rayon::prelude::*;

use super::dot;
use super::panels::{Factor, ProductPart, add_product};
use super::product::{Accumulation, multiply};
use super::triangle::Triangle;

/// The rows of a portion.
const PORTION: usize = 128;
/// Columns that are solved for at a time: their triangle stays in the second-level cache.
const BLOCK: usize = 128;

/// C = A·B, row-major.
pub(crate) fn multiply_matrices(product: &mut [f64], left: Factor<'_>, right: Factor<'_>) {
    multiply(product, Accumulation::Replace, 1.0, left, right);
}

/// C += share·A·B, row-major.
pub(crate) fn accumulate_product(product: &mut [f64], share: f64, left: Factor<'_>, right: Factor<'_>) {
    multiply(product, Accumulation::Add, share, left, right);
}

/// C = A·B, row-major, on all threads.
pub(crate) fn multiply_large(product: &mut [f64], left: Factor<'_>, right: Factor<'_>) {
    product.fill(0.0);
    add_product(product, right.shape().1, ProductPart::All, 1.0, left, right);
}

/// y = A·x for a row-major A, on all threads.
pub(crate) fn multiply_vector(product: &mut [f64], rows: &[f64], x: &[f64]) {
    let rows = rows.par_chunks_exact(x.len().max(1)).with_min_len(PORTION);
    product.par_iter_mut().with_min_len(PORTION).zip(rows).for_each(|(y, row)| *y = dot(row, x));
}

/// lower(S) += share·A·B for a square row-major S whose lower triangle alone counts: of a product that is
/// symmetric.
pub(crate) fn add_symmetric(lower: &mut [f64], share: f64, left: Factor<'_>, right: Factor<'_>) {
    add_product(lower, right.shape().1, ProductPart::Lower, share, left, right);
}

/// lower(S) += share·RᵀR for the rows of R, of as many columns as S has rows.
pub(crate) fn add_squares(lower: &mut [f64], share: f64, rows: &[f64], columns: usize) {
    add_symmetric(lower, share, Factor::transposed(rows, columns), Factor::of(rows, columns));
}

/// The same for a range of rows of S, which begins and ends with a [portion](super::PORTION).
pub(crate) fn add_squares_between(lower: &mut [f64], range: Range<usize>, rows: &[f64], columns: usize) {
    let (left, right) = (Factor::transposed(rows, columns), Factor::of(rows, columns));
    add_product(lower, columns, ProductPart::LowerRows(range.start, range.end), 1.0, left, right);
}

/// Overwrites every row x of a row-major matrix with L⁻¹x, for a lower triangular L.
pub(crate) fn solve_lower_rows(lower: &[f64], size: usize, rows: &mut [f64]) {
    let mut triangle = Triangle::default();
    let mut solved = vec![0.0; rows.len() / size.max(1) * BLOCK.min(size)];
    for start in (0..size).step_by(BLOCK) {
        let end = size.min(start + BLOCK);
        let solved = &mut solved[..rows.len() / size * (end - start)];
        triangle.clear();
        triangle.extend(&lower[start * size + start..(end - 1) * size + end], size);
        triangle.solve_columns(rows, size, start, solved, end - start);
        if end < size && !rows.is_empty() {
            let (left, below) = (
                Factor::of(solved, end - start),
                &lower[end * size + start..][..(size - end - 1) * size + end - start],
            );
            let right = Factor::strided(below, end - start, size).turned();
            add_product(&mut rows[end..], size, ProductPart::All, -1.0, left, right);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// In parts by rows it has the same bits.
    #[test]
    fn squares_can_be_added_in_portions() {
        let (size, depth, cut) = (3 * PORTION + 11, 40, 2 * super::super::PORTION);
        let rows = matrix(depth, size, 0.25);
        let mut whole = vec![0.5; size * size];
        add_squares(&mut whole, 1.0, &rows, size);
        let mut parts = vec![0.5; size * size];
        add_squares_between(&mut parts, cut..size, &rows, size);
        assert!(parts[..cut * size].iter().all(|x| *x == 0.5));
        add_squares_between(&mut parts, 0..cut, &rows, size);
        assert!((0..size).all(|i| parts[i * size..=i * size + i] == whole[i * size..=i * size + i]));
    }

    #[test]
    fn rows_are_solved_for_by_a_triangle() {
        for (size, count) in [(30, PORTION + 3), (BLOCK + 20, 5), (2 * BLOCK + 1, 90)] {
            solve_and_compare(size, count);
        }
    }

    fn solve_and_compare(size: usize, count: usize) {
        // Twos on the diagonal and less than 3/size below it; what is above does not count.
        let lower: Vec<f64> = matrix(size, size, 0.0)
            .iter()
            .enumerate()
            .map(|(at, x)| if at % (size + 1) == 0 { 2.0 } else { 3.0 / size as f64 * x })
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
