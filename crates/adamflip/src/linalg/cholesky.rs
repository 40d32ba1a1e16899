//! Cholesky's factorization A = L Lᵀ of symmetric positive definite matrices, and solves by it.
//!
//! Small matrices by the textbook algorithm, large ones in blocks: the factor of a diagonal block, the rows
//! below it, and their product, taken off the rest. Rows are dealt out to threads in fixed portions, each
//! worked on by one thread, so the bits are the same for any number of threads.
#![allow(unsafe_code)]

use super::panels::{Factor, PANEL, ProductPart, Tile, add_product};
use super::triangle::{Triangle, load, store};
use super::{add_scaled, dot};
use crate::aligned::Aligned;
use crate::simd::{Isa, Kernel, Simd};

/// Up to this size the factorization is a few hundred operations, less than the set-up of a blocked
/// algorithm.
const SMALL: usize = 16;
/// The size of a diagonal block: of a matrix that caches hold, and of a larger one, every pass over which
/// costs.
const BLOCKS: [usize; 2] = [64, 256];
/// Where the first ends: 32 MB.
const HELD: usize = 2048;
/// The matrix is not positive definite to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPositiveDefinite;

/// The memory of factorizations of one size.
pub(crate) struct Cholesky {
    size: usize,
    block: usize,
    /// The factor of a diagonal block.
    triangle: Triangle,
    /// Some of its rows.
    panel: Aligned,
    /// The rows below it.
    below: Vec<f64>,
}

impl Cholesky {
    pub(crate) fn new(size: usize) -> Self {
        Self::with_block(size, BLOCKS[usize::from(size > HELD)])
    }

    fn with_block(size: usize, block: usize) -> Self {
        let below = vec![0.0; size.saturating_sub(block) * block];
        Self { size, block, triangle: Triangle::default(), panel: Aligned::default(), below }
    }

    /// Overwrites the lower triangle of `matrix` (row-major; the other is not read) with L.
    pub(crate) fn factor(&mut self, matrix: &mut [f64]) -> Result<(), NotPositiveDefinite> {
        let (size, block) = (self.size, self.block);
        if size <= SMALL {
            return factor_small(matrix, size);
        }
        for start in (0..size).step_by(block) {
            let end = size.min(start + block);
            let (above, rest) = matrix.split_at_mut(end * size);
            self.factor_block(&mut above[start * size + start..], end - start)?;
            if end < size {
                let below = &mut self.below[..(size - end) * block];
                self.triangle.solve_columns(rest, size, start, below, block);
                let (left, right) = (Factor::of(below, block), Factor::transposed(below, block));
                add_product(&mut rest[end..], size, ProductPart::Lower, -1.0, left, right);
            }
        }
        Ok(())
    }

    /// The factor of a diagonal block, in place and in `triangle`: a panel of rows at a time, solved for by
    /// the rows above it, and what is left of its own square.
    fn factor_block(&mut self, block: &mut [f64], size: usize) -> Result<(), NotPositiveDefinite> {
        let Self { size: stride, triangle, panel, .. } = self;
        triangle.clear();
        for first in (0..size).step_by(PANEL) {
            let rows = &mut block[first * *stride..];
            let count = PANEL.min(size - first);
            let rows = &mut rows[..(count - 1) * *stride + first + count];
            panel.fit((first + PANEL) * PANEL);
            let panel = &mut panel[..(first + PANEL) * PANEL];
            load(panel, rows, *stride, first);
            triangle.solve(panel);
            for (line, row) in rows.chunks(*stride).enumerate() {
                let own = panel[first * PANEL + line..].iter_mut().step_by(PANEL);
                own.zip(&row[first..=first + line]).for_each(|(into, from)| *into = *from);
            }
            let mut definite = true;
            Isa::detect().run(Square { panel, first, count, definite: &mut definite });
            if !definite {
                return Err(NotPositiveDefinite);
            }
            for (line, row) in rows.chunks_mut(*stride).enumerate() {
                store(panel, line, &mut row[..=first + line]);
            }
            triangle.extend(rows, *stride);
        }
        Ok(())
    }
}

/// The square at the end of a panel of rows: takes off the product of what is before it, and factors what is
/// left.
struct Square<'a> {
    panel: &'a mut [f64],
    /// Columns before the square.
    first: usize,
    count: usize,
    definite: &'a mut bool,
}

impl Kernel for Square<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { panel, first, count, definite } = self;
        assert!(panel.len() == (first + PANEL) * PANEL);
        let (before, square) = panel.split_at_mut(first * PANEL);
        for row in (0..PANEL).step_by(4) {
            let tile =
                Tile { left: before[row.min(before.len())..].as_ptr(), right: before.as_ptr(), depth: first };
            // SAFETY: `before` has `first` groups of PANEL numbers, the square has PANEL rows of as many.
            unsafe { tile.add::<S, 4>(simd, simd.splat(-1.0), square[row * PANEL..].as_mut_ptr(), PANEL) };
        }
        for column in 0..count {
            let (known, later) = square[column * PANEL..].split_at_mut(PANEL);
            let pivot = known[column];
            if !(pivot > 0.0 && pivot.is_finite()) {
                *definite = false;
                return;
            }
            let reciprocal = 1.0 / pivot.sqrt();
            known.iter_mut().for_each(|x| *x *= reciprocal);
            known[column] = pivot.sqrt();
            for (row, later) in (column + 1..count).zip(later.chunks_exact_mut(PANEL)) {
                let factor = simd.splat(known[row]);
                for at in (0..PANEL).step_by(S::LANES) {
                    // SAFETY: both have PANEL numbers, a multiple of LANES.
                    unsafe {
                        let (known, later) = (known.as_ptr().add(at), later.as_mut_ptr().add(at));
                        simd.store(later, simd.neg_mul_add(factor, simd.load(known), simd.load(later)));
                    }
                }
            }
        }
    }
}

/// The textbook algorithm, row by row.
fn factor_small(matrix: &mut [f64], size: usize) -> Result<(), NotPositiveDefinite> {
    for i in 0..size {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| matrix[i * size + k] * matrix[j * size + k]).sum();
            let rest = matrix[i * size + j] - sum;
            if i == j && !(rest > 0.0 && rest.is_finite()) {
                return Err(NotPositiveDefinite);
            }
            matrix[i * size + j] = if i == j { rest.sqrt() } else { rest / matrix[j * size + j] };
        }
    }
    Ok(())
}

/// Overwrites right sides with the solutions, by the factor: L y = b, then Lᵀ x = y. Both go through L by
/// rows, each of which serves all right sides while it is in the first-level cache.
pub(crate) fn solve_factored<const N: usize>(factor: &[f64], mut rights: [&mut [f64]; N]) {
    let size = rights.first().map_or(0, |right| right.len());
    for i in 0..size {
        let row = &factor[i * size..][..=i];
        for right in &mut rights {
            right[i] = (right[i] - dot(&row[..i], &right[..i])) / row[i];
        }
    }
    for i in (0..size).rev() {
        let row = &factor[i * size..][..=i];
        for right in &mut rights {
            right[i] /= row[i];
            let (before, at) = right.split_at_mut(i);
            add_scaled(before, -at[0], &row[..i]);
        }
    }
}

impl std::fmt::Debug for Cholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cholesky({})", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 on the diagonal and 1/(1 + |i − j|)² beside it: dominant enough for a condition below 10.
    fn entry(i: usize, j: usize) -> f64 {
        f64::from(u8::from(i == j)) + 1.0 / (1 + i.abs_diff(j)).pow(2) as f64
    }

    /// Only the lower triangle is read: the upper one is wrong on purpose.
    fn matrix(size: usize) -> Vec<f64> {
        let at = |i: usize, j: usize| if j > i { 99.0 } else { entry(i, j) };
        (0..size * size).map(|k| at(k / size, k % size)).collect()
    }

    #[test]
    fn systems_of_any_size_are_solved() {
        let [block, larger] = BLOCKS;
        let sizes = [1, 5, SMALL, SMALL + 1, 40, block, block + 1, 2 * block + 3 * PANEL + 7, 300];
        let large = [larger - 1, larger + 1, 2 * larger + 9].map(|size| (size, larger));
        for (size, block) in sizes.map(|size| (size, block)).into_iter().chain(large) {
            let mut factor = matrix(size);
            let solution: Vec<f64> = (0..size).map(|i| (i as f64 - 2.5).sin()).collect();
            let product = |i: usize| (0..size).map(|j| entry(i, j) * solution[j]).sum();
            let mut right: Vec<f64> = (0..size).map(product).collect();
            let mut doubled: Vec<f64> = right.iter().map(|x| 2.0 * x).collect();
            Cholesky::with_block(size, block).factor(&mut factor).unwrap();
            solve_factored(&factor, [&mut right, &mut doubled]);
            // Rounding times the condition number.
            assert!(right.iter().zip(&solution).all(|(x, y)| (x - y).abs() < 1e-13), "{size}");
            // Doubling is exact.
            assert!(doubled.iter().zip(&right).all(|(x, y)| *x == 2.0 * y), "{size}");
        }
    }

    /// ‖A − LLᵀ‖ stays rounding however graded or nearly singular the matrix is.
    #[test]
    fn the_factor_squared_is_the_matrix() {
        let graded = |i: usize, j: usize| 10f64.powf(-0.05 * (i + j) as f64) * entry(i, j);
        let kernel = |i: usize, j: usize| {
            let distance = i.abs_diff(j) as f64;
            (-1e-3 * distance * distance).exp() + if i == j { 1e-13 } else { 0.0 }
        };
        let matrices: [&dyn Fn(usize, usize) -> f64; 3] = [&entry, &graded, &kernel];
        for (size, of) in [20, 24, 63, 150].into_iter().flat_map(|size| matrices.map(|of| (size, of))) {
            let mut factor: Vec<f64> =
                (0..size * size).map(|k| of((k / size).max(k % size), (k / size).min(k % size))).collect();
            Cholesky::new(size).factor(&mut factor).unwrap();
            for (i, j) in (0..size).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                let product = dot(&factor[i * size..][..=j], &factor[j * size..][..=j]);
                let scale = (of(i, i) * of(j, j)).sqrt();
                // The bound is (size + 1) roundings of the diagonal's size; a few are usual.
                assert!((product - of(i, j)).abs() < 2e-15 * scale, "{size}: {i} {j}");
            }
        }
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        let size = 5 * BLOCKS[0] + 3;
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut factor = matrix(size);
            pool.install(|| Cholesky::new(size).factor(&mut factor).unwrap());
            factor
        };
        assert!(run(2) == run(1) && run(3) == run(1));
    }

    #[test]
    fn indefinite_matrices_are_refused() {
        for size in [2, SMALL + 1, PANEL + 9, BLOCKS[0] + 20] {
            let mut matrix = vec![1.0; size * size];
            matrix[(size - 1) * size] = 2.0;
            assert_eq!(Cholesky::new(size).factor(&mut matrix), Err(NotPositiveDefinite));
        }
    }
}
