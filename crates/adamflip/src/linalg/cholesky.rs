//! Cholesky's factorization A = L Lᵀ of symmetric positive definite matrices, and solves by it.
//!
//! Small matrices by the textbook algorithm, large ones in blocks: the factor of a diagonal block, the rows below it, and
//! their product, taken off the rest. Rows are dealt out to threads in fixed portions, each worked on by one thread, so the
//! bits are the same for any number of threads.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{MatMut, MatRef, Par};

use super::panels::{Factor, Part, add_product};
use super::{add_scaled, dot, strided_mut};

/// Up to this size the factorization is a few hundred operations, less than the set-up of a blocked algorithm.
const SMALL: usize = 16;
/// The size of a diagonal block: of a matrix that caches hold, and of a larger one, every pass over which costs.
const BLOCKS: [usize; 2] = [64, 256];
/// Where the first ends: 32 MB.
const HELD: usize = 2048;
/// The rows of a portion.
const PORTION: usize = 64;

/// The matrix is not positive definite to working precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPositiveDefinite;

/// The memory of factorizations of one size.
pub(crate) struct Cholesky {
    size: usize,
    block: usize,
    memory: MemBuffer,
    /// The rows below a diagonal block.
    below: Vec<f64>,
}

impl Cholesky {
    pub(crate) fn new(size: usize) -> Self {
        Self::with_block(size, BLOCKS[usize::from(size > HELD)])
    }

    fn with_block(size: usize, block: usize) -> Self {
        let scratch = cholesky_in_place_scratch::<f64>(size.min(block), Par::Seq, Default::default());
        let below = vec![0.0; size.saturating_sub(block) * block];
        Self { size, block, memory: MemBuffer::new(scratch), below }
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
            let diagonal = &mut above[start * size + start..];
            let square = strided_mut(diagonal, end - start, end - start, size);
            let stack = MemStack::new(&mut self.memory);
            cholesky_in_place(square, Default::default(), Par::Seq, stack, Default::default())
                .map_err(|_| NotPositiveDefinite)?;
            if end < size {
                let below = &mut self.below[..(size - end) * block];
                solve_below(diagonal, (size, block), start, rest, below);
                let (left, right) = (Factor::of(below, block), Factor::transposed(below, block));
                add_product(&mut rest[end..], size, Part::Lower, -1.0, left, right);
            }
        }
        Ok(())
    }
}

/// The rows X of the factor below a full diagonal block L, X Lᵀ = A, in `matrix` (whose columns begin at `start`) and in
/// `below`.
fn solve_below(
    diagonal: &[f64],
    (size, block): (usize, usize),
    start: usize,
    matrix: &mut [f64],
    below: &mut [f64],
) {
    let rows = below.len() / block;
    if rows > PORTION {
        let half = (rows / 2).next_multiple_of(PORTION);
        let (matrix, other_matrix) = matrix.split_at_mut(half * size);
        let (below, other_below) = below.split_at_mut(half * block);
        rayon::join(
            || solve_below(diagonal, (size, block), start, matrix, below),
            || solve_below(diagonal, (size, block), start, other_matrix, other_below),
        );
        return;
    }
    for (to, from) in below.chunks_exact_mut(block).zip(matrix.chunks_exact(size)) {
        to.copy_from_slice(&from[start..start + block]);
    }
    solve_lower_triangular_in_place(
        MatRef::from_column_major_slice_with_stride(diagonal, block, block, size).transpose(),
        MatMut::from_row_major_slice_mut(below, rows, block).transpose_mut(),
        Par::Seq,
    );
    for (from, to) in below.chunks_exact(block).zip(matrix.chunks_exact_mut(size)) {
        to[start..start + block].copy_from_slice(from);
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

/// Overwrites right sides with the solutions, by the factor: L y = b, then Lᵀ x = y. Both go through L by rows, each of which
/// serves all right sides while it is in the first-level cache.
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

    /// 2 on the diagonal and 1/(1 + |i − j|)² beside it: diagonally dominant enough, condition number below 10.
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
        let sizes = [1, 5, SMALL, SMALL + 1, 40, block, block + 1, 2 * block + PORTION + 7, 300];
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
        for size in [2, SMALL + 1, BLOCKS[0] + 20] {
            let mut matrix = vec![1.0; size * size];
            matrix[(size - 1) * size] = 2.0;
            assert_eq!(Cholesky::new(size).factor(&mut matrix), Err(NotPositiveDefinite));
        }
    }
}
