//! Eigenvalues and eigenvectors of symmetric matrices: [reduced](super::tridiagonal) to three diagonals,
//! [divided](super::divide), and taken back.

use super::NoConvergence;
use super::divide::Divide;
use super::tridiagonal::Tridiagonal;

/// Eigenvalues and eigenvectors of a symmetric matrix, their memory reused from call to call.
pub(crate) struct SymmetricEigen {
    size: usize,
    /// The eigenvalues, in rising order.
    pub(crate) values: Vec<f64>,
    /// The orthonormal eigenvectors, one after the other.
    pub(crate) vectors: Vec<f64>,
    tridiagonal: Tridiagonal,
    divide: Divide,
}

impl SymmetricEigen {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            values: vec![0.0; size],
            vectors: vec![0.0; size * size],
            tridiagonal: Tridiagonal::new(size),
            divide: Divide::new(size),
        }
    }

    /// Decomposes `matrix` (row-major, lower triangle read).
    pub(crate) fn decompose(&mut self, matrix: &[f64]) -> Result<(), NoConvergence> {
        let Self { size, values, vectors, tridiagonal, divide } = self;
        if !matrix.iter().all(|entry| entry.is_finite()) {
            return Err(NoConvergence);
        }
        let rows = matrix.chunks_exact((*size).max(1)).enumerate();
        let largest = rows.flat_map(|(i, row)| &row[..=i]).fold(0.0f64, |most, x| most.max(x.abs()));
        // A power of two, so that nothing is rounded; squares of what is left neither overflow nor vanish.
        let scale = if largest > 0.0 { power_of_two_below(largest) } else { 1.0 };
        tridiagonal.reduce(matrix, 1.0 / scale);
        values.copy_from_slice(&tridiagonal.diagonal);
        divide.decompose(values, &mut tridiagonal.beside, vectors)?;
        tridiagonal.transform(vectors);
        values.iter_mut().for_each(|value| *value *= scale);
        Ok(())
    }
}

/// 2^k ≤ x, within the powers whose reciprocals are numbers too.
fn power_of_two_below(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52).clamp(2, 2044);
    f64::from_bits(exponent << 52)
}

impl std::fmt::Debug for SymmetricEigen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SymmetricEigen({})", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dot;

    /// Decomposes a matrix given by its entries, of which only those up to the diagonal are told; how far A v
    /// − λv is from zero, relative to the largest eigenvalue, and VᵀV from the identity.
    fn errors(size: usize, entry: impl Fn(usize, usize) -> f64) -> (SymmetricEigen, [f64; 2]) {
        let at = |i: usize, j: usize| if j > i { 99.0 } else { entry(i, j) };
        let matrix: Vec<f64> = (0..size * size).map(|k| at(k / size, k % size)).collect();
        let mut eigen = SymmetricEigen::new(size);
        eigen.decompose(&matrix).unwrap();
        let vector = |i: usize| &eigen.vectors[i * size..(i + 1) * size];
        let [mut residual, mut orthogonality] = [0.0f64; 2];
        let largest = eigen.values.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        for (i, value) in eigen.values.iter().enumerate() {
            for row in 0..size {
                let full: Vec<f64> = (0..size).map(|j| entry(row.max(j), row.min(j))).collect();
                residual = residual.max((dot(&full, vector(i)) - value * vector(i)[row]).abs() / largest);
            }
            for j in 0..=i {
                let expected = f64::from(u8::from(i == j));
                orthogonality = orthogonality.max((dot(vector(i), vector(j)) - expected).abs());
            }
        }
        assert!(eigen.values.is_sorted());
        (eigen, [residual, orthogonality])
    }

    /// Some units of rounding for sizes up to two hundred; measured: below 3e-15.
    fn check(size: usize, entry: impl Fn(usize, usize) -> f64) -> SymmetricEigen {
        let (eigen, [residual, orthogonality]) = errors(size, entry);
        assert!(residual < 1e-14 && orthogonality < 1e-14, "{size}: {residual:e} {orthogonality:e}");
        eigen
    }

    fn identity(i: usize, j: usize) -> f64 {
        f64::from(u8::from(i == j))
    }

    #[test]
    fn eigenvectors_diagonalize() {
        for size in [0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 40, 65, 130] {
            check(size, |i, j| 1.0 / (1 + i + j) as f64 + identity(i, j) * i as f64);
            check(size, |i, j| ((i * i + 31 * j * j) as f64 * 0.7391).sin());
        }
        assert_eq!(SymmetricEigen::new(1).decompose(&[f64::NAN]), Err(NoConvergence));
    }

    /// 2 on the diagonal and −1 beside it: 4 sin²(kπ/(2(n + 1))).
    #[test]
    fn the_second_difference_is_known() {
        for size in [5, 100, 200] {
            let eigen = check(size, |i, j| 2.0 * identity(i, j) - f64::from(u8::from(i == j + 1)));
            for (k, value) in eigen.values.iter().enumerate() {
                let angle = std::f64::consts::FRAC_PI_2 * (k + 1) as f64 / (size + 1) as f64;
                assert!((value - 4.0 * angle.sin().powi(2)).abs() < 1e-14, "{size} {k}");
            }
        }
    }

    /// All that makes divide and conquer deflate, or eigenvalues close: multiples of the identity, low rank,
    /// graded matrices, kernels whose eigenvalues fall to rounding, and Wilkinson's matrices glued, whose
    /// eigenvalues come in groups of many that agree to 14 digits.
    #[test]
    fn close_and_missing_eigenvalues() {
        for size in [20, 63, 105, 150] {
            let s = size as f64;
            check(size, |_, _| 0.0);
            check(size, |i, j| 3.0 * identity(i, j));
            check(size, |_, _| 1.0);
            check(size, |i, j| 1e-9 * identity(i, j + 1) + identity(i, j) * (i % 3) as f64);
            check(size, |i, j| (-8.0 * ((i as f64 - j as f64) / s).powi(2)).exp());
            check(size, |i, j| 10f64.powf(-0.1 * (i + j) as f64) * (1.0 + identity(i, j)));
            let wilkinson = |i: usize, j: usize| match i - j {
                0 => (i % 21).abs_diff(10) as f64,
                1 if i.is_multiple_of(21) => 1e-7,
                1 => 1.0,
                _ => 0.0,
            };
            check(size, wilkinson);
        }
    }

    #[test]
    fn the_rank_shows() {
        // The sum of three outer products.
        let wave = |i: usize, k: usize| ((i * (k + 2)) as f64 * 0.37).cos();
        let eigen = check(90, |i, j| (0..3).map(|k| wave(i, k) * wave(j, k)).sum());
        // Rounding times the largest, about 45.
        assert!(eigen.values[..87].iter().all(|x| x.abs() < 1e-13) && eigen.values[87] > 10.0);
    }

    /// Numbers far from 1, by powers of two: the same bits but for the power.
    #[test]
    fn the_unit_does_not_matter() {
        let entry = |i: usize, j: usize| ((3 * i + j * j) as f64).sin();
        let (one, _) = errors(45, entry);
        for unit in [2f64.powi(-900), 2f64.powi(-600), 2f64.powi(1000)] {
            let (scaled, _) = errors(45, |i, j| unit * entry(i, j));
            assert!(scaled.values.iter().zip(&one.values).all(|(x, y)| *x == unit * y), "{unit}");
            assert!(scaled.vectors == one.vectors);
        }
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        let size = 420;
        let matrix: Vec<f64> = (0..size * size).map(|at| ((at % 1009) as f64 * 0.61).sin()).collect();
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut eigen = SymmetricEigen::new(size);
            pool.install(|| eigen.decompose(&matrix).unwrap());
            (eigen.values, eigen.vectors)
        };
        let one = run(1);
        assert!(run(2) == one && run(3) == one);
    }
}
