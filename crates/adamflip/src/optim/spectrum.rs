//! Condition number and numerical rank of the constraints' Gram matrix: are constraints redundant or in conflict?
//!
//! Up to [`EXACT`] constraints by eigenvalues: Householder's reduction to a tridiagonal matrix, then counts of its
//! eigenvalues below a number by Sturm sequences (Golub and Van Loan, *Matrix Computations*, section 8.4). Beyond, by the
//! pivots of Cholesky's factorization with complete pivoting, which stop where the rank does.

use crate::linalg::{add_scaled, dot, norm};

/// Up to this size eigenvalues are found: about half a millisecond.
const EXACT: usize = 64;
/// Eigenvalues below this share of the largest count as zero: those of J Jᵀ are squares of J's singular values, known
/// to about 1e-16 of the largest.
const NOTHING: f64 = 1e-12;

/// What is said of a Gram matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spectrum {
    /// The largest over the smallest eigenvalue; infinite where the rank is not full.
    pub(crate) condition: f64,
    /// How many eigenvalues are not zero to working precision.
    pub(crate) rank: f64,
}

impl Default for Spectrum {
    fn default() -> Self {
        Self { condition: f64::NAN, rank: f64::NAN }
    }
}

/// The spectrum of a symmetric matrix from its lower triangle (row-major). `work` has size·(size + 2) numbers.
pub(crate) fn spectrum(gram: &[f64], size: usize, work: &mut [f64]) -> Spectrum {
    let (matrix, vectors) = work.split_at_mut(size * size);
    let (first, second) = vectors.split_at_mut(size);
    for i in 0..size {
        for k in 0..=i {
            (matrix[i * size + k], matrix[k * size + i]) = (gram[i * size + k], gram[i * size + k]);
        }
    }
    if !matrix.iter().all(|x| x.is_finite()) {
        return Spectrum::default();
    }
    match size {
        0 => Spectrum::default(),
        1..=EXACT => by_eigenvalues(matrix, size, first, second),
        _ => by_pivots(matrix, size, first),
    }
}

fn by_eigenvalues(matrix: &mut [f64], size: usize, diagonal: &mut [f64], beside: &mut [f64]) -> Spectrum {
    tridiagonal(matrix, size, diagonal, beside);
    let widest = |i: usize| beside[i].abs() + if i > 0 { beside[i - 1].abs() } else { 0.0 };
    let bound = (0..size).map(|i| diagonal[i].abs() + widest(i)).fold(0.0, f64::max);
    if bound == 0.0 {
        return Spectrum { condition: f64::INFINITY, rank: 0.0 };
    }
    let eigenvalue = |number: usize| {
        let (mut low, mut high) = (-bound, bound);
        // Sixty halvings end at rounding.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            match below(diagonal, beside, middle) > number {
                true => high = middle,
                false => low = middle,
            }
        }
        0.5 * (low + high)
    };
    let (least, largest) = (eigenvalue(0), eigenvalue(size - 1));
    let rank = (size - below(diagonal, beside, NOTHING * largest)) as f64;
    summary(least, largest, rank, size)
}

fn summary(least: f64, largest: f64, rank: f64, size: usize) -> Spectrum {
    let full = rank == size as f64 && least > 0.0;
    Spectrum { condition: if full { largest / least } else { f64::INFINITY }, rank }
}

/// Householder's reduction of a full symmetric matrix. `beside` ends with a zero.
fn tridiagonal(matrix: &mut [f64], size: usize, diagonal: &mut [f64], beside: &mut [f64]) {
    for k in 0..size {
        let (above, below) = matrix.split_at_mut((k + 1) * size);
        let row = &mut above[k * size..];
        diagonal[k] = row[k];
        let v = &mut row[k + 1..];
        let length = norm(v);
        beside[k] = if v.len() < 2 { v.first().copied().unwrap_or(0.0) } else { length };
        if v.len() < 2 || length == 0.0 {
            continue;
        }
        // The sign that adds up keeps the reflection's vector away from zero; that of `beside` does not matter.
        v[0] += length.copysign(v[0]);
        let β = 2.0 / dot(v, v);
        let rest = v.len();
        let p = &mut diagonal[k + 1..];
        for i in 0..rest {
            p[i] = β * dot(&below[i * size + k + 1..][..rest], v);
        }
        let shift = 0.5 * β * dot(p, v);
        add_scaled(p, -shift, v);
        for i in 0..rest {
            let row = &mut below[i * size + k + 1..][..rest];
            add_scaled(row, -v[i], p);
            add_scaled(row, -p[i], v);
        }
    }
}

/// How many eigenvalues of the tridiagonal matrix are below x: the negative pivots of T − xI.
fn below(diagonal: &[f64], beside: &[f64], x: f64) -> usize {
    let (mut pivot, mut count) = (1.0, 0);
    for i in 0..diagonal.len() {
        let coupling = if i > 0 { beside[i - 1] * beside[i - 1] / pivot } else { 0.0 };
        pivot = diagonal[i] - x - coupling;
        if pivot == 0.0 {
            pivot = f64::MIN_POSITIVE;
        }
        count += usize::from(pivot < 0.0);
    }
    count
}

/// Rank and a lower bound of the condition number from the pivots.
fn by_pivots(matrix: &mut [f64], size: usize, column: &mut [f64]) -> Spectrum {
    let mut largest = 0.0;
    for k in 0..size {
        let at = |i: usize| matrix[i * size + i];
        let pivot = (k..size).max_by(|&a, &b| at(a).total_cmp(&at(b))).unwrap_or(k);
        exchange(matrix, size, k, pivot);
        let value = matrix[k * size + k];
        if k == 0 {
            largest = value;
        }
        if value <= NOTHING * largest || value <= 0.0 {
            return Spectrum { condition: f64::INFINITY, rank: k as f64 };
        }
        if k + 1 == size {
            return summary(value, largest, size as f64, size);
        }
        column[k + 1..size].copy_from_slice(&matrix[k * size + k + 1..][..size - k - 1]);
        let rest = &column[k + 1..size];
        for i in k + 1..size {
            let factor = -column[i] / value;
            add_scaled(&mut matrix[i * size + k + 1..][..rest.len()], factor, rest);
        }
    }
    Spectrum::default()
}

/// Exchanges rows and columns a and b of a full symmetric matrix.
fn exchange(matrix: &mut [f64], size: usize, a: usize, b: usize) {
    if a != b {
        (0..size).for_each(|k| matrix.swap(a * size + k, b * size + k));
        (0..size).for_each(|k| matrix.swap(k * size + a, k * size + b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(size: usize, entry: impl Fn(usize, usize) -> f64) -> Spectrum {
        let gram: Vec<f64> = (0..size * size).map(|at| entry(at / size, at % size)).collect();
        spectrum(&gram, size, &mut vec![0.0; size * (size + 2)])
    }

    #[test]
    fn second_differences_have_known_eigenvalues() {
        for size in [1usize, 2, 3, 20, 64] {
            // −1, 2, −1: eigenvalues 4 sin²(kπ/2(n+1)). Mirrored by a permutation so that it is not tridiagonal.
            let place = |i: usize| (i * 7) % size.max(1);
            let place = |i: usize| if size % 7 == 0 { i } else { place(i) };
            let found = of(size, |i, k| match place(i).abs_diff(place(k)) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            });
            let eigenvalue =
                |k: usize| 4.0 * (k as f64 * std::f64::consts::FRAC_PI_2 / (size + 1) as f64).sin().powi(2);
            let expected = eigenvalue(size) / eigenvalue(1);
            // Rounding times the condition number, at most 1,700.
            assert!((found.condition / expected - 1.0).abs() < 1e-11, "{size}: {found:?} against {expected}");
            assert_eq!(found.rank, size as f64);
        }
    }

    #[test]
    fn redundant_rows_are_counted() {
        for size in [5usize, 64, 90] {
            // Rows of three functions only: 1, i, i².
            let functions = |i: usize| [1.0, i as f64 / size as f64, (i as f64 / size as f64).powi(2)];
            let found = of(size, |i, k| functions(i).iter().zip(functions(k)).map(|(x, y)| x * y).sum());
            assert_eq!(found, Spectrum { condition: f64::INFINITY, rank: 3.0 }, "{size}");
        }
        assert_eq!(of(3, |_, _| 0.0), Spectrum { condition: f64::INFINITY, rank: 0.0 });
        assert_eq!(of(70, |_, _| 0.0), Spectrum { condition: f64::INFINITY, rank: 0.0 });
    }

    #[test]
    fn pivots_bound_the_condition_number_from_below() {
        let found = of(100, |i, k| if i == k { 1.0 + i as f64 } else { 0.5 });
        // Gershgorin's circles do not hold here; the diagonal's spread is 100 and the matrix is positive definite.
        assert!(found.rank == 100.0 && found.condition > 50.0 && found.condition < 1e3, "{found:?}");
        assert!(of(2, |_, _| f64::NAN).rank.is_nan());
    }
}
