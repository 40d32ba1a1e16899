//! Condition number and numerical rank of the constraints' Gram matrix: are constraints redundant or in
//! conflict?
//!
//! Up to [`EXACT`] constraints by eigenvalues: Householder's reduction to a tridiagonal matrix, then counts
//! of its eigenvalues below a number by Sturm sequences (Golub and Van Loan, *Matrix Computations*, section
//! 8.4). Beyond, by the pivots of the Cholesky factor of the damped matrix G, which the step has anyway: each
//! pivot is a diagonal entry of a Schur complement of G, so at least its smallest eigenvalue, and each entry
//! of the diagonal of G is at most its largest.

use crate::linalg::{add_scaled, dot, norm};

/// Up to this size eigenvalues are found: about half a millisecond.
pub(crate) const EXACT: usize = 64;
/// Eigenvalues below this share of the largest count as zero: those of J Jᵀ are squares of J's singular
/// values, known to about 1e-16 of the largest.
pub(crate) const RANK_TOLERANCE: f64 = 1e-12;
/// Pivots up to this many times ε are damping: a copy of earlier rows leaves between ε and 2ε, other
/// combinations of them more.
const DAMPING: f64 = 10.0;

/// What is said of a Gram matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spectrum {
    /// The largest over the smallest eigenvalue, infinite where the rank is not full; or a lower bound of
    /// that of the damped matrix.
    pub(crate) condition: f64,
    /// How many eigenvalues are not zero to working precision, or how many pivots are more than damping.
    pub(crate) rank: f64,
}

impl Default for Spectrum {
    fn default() -> Self {
        Self { condition: f64::NAN, rank: f64::NAN }
    }
}

/// The exact spectrum of a symmetric matrix of at most [`EXACT`] rows from its lower triangle, row after row.
/// `work` has size·(size + 2) numbers.
pub(crate) fn exact(triangle: &[f64], size: usize, work: &mut [f64]) -> Spectrum {
    let (matrix, vectors) = work.split_at_mut(size * size);
    let (first, second) = vectors.split_at_mut(size);
    let places = (0..size).flat_map(|i| (0..=i).map(move |k| (i, k)));
    for ((i, k), entry) in places.zip(triangle) {
        (matrix[i * size + k], matrix[k * size + i]) = (*entry, *entry);
    }
    if !matrix.iter().all(|x| x.is_finite()) {
        return Spectrum::default();
    }
    match size {
        0 => Spectrum::default(),
        _ => by_eigenvalues(matrix, size, first, second),
    }
}

/// What the pivots of a damped matrix tell, given with the largest entry of its diagonal.
pub(crate) fn estimate(pivots: impl Iterator<Item = f64> + Clone, largest: f64, ε: f64) -> Spectrum {
    let cut = (DAMPING * ε).max(RANK_TOLERANCE * largest);
    let rank = pivots.clone().filter(|pivot| *pivot > cut).count() as f64;
    Spectrum { condition: largest / pivots.fold(largest, f64::min), rank }
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
    let rank = (size - below(diagonal, beside, RANK_TOLERANCE * largest)) as f64;
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
        // The sign that adds up keeps the reflection's vector away from zero; that of `beside` does not
        // matter.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(size: usize, entry: impl Fn(usize, usize) -> f64) -> Spectrum {
        let triangle: Vec<f64> =
            (0..size).flat_map(|i| (0..=i).map(move |k| (i, k))).map(|(i, k)| entry(i, k)).collect();
        exact(&triangle, size, &mut vec![0.0; size * (size + 2)])
    }

    #[test]
    fn second_differences_have_known_eigenvalues() {
        for size in [1usize, 2, 3, 20, 64] {
            // −1, 2, −1: eigenvalues 4 sin²(kπ/2(n+1)). Mirrored by a permutation so that it is not
            // tridiagonal.
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
        for size in [5usize, 64] {
            // Rows of three functions only: 1, i, i².
            let functions = |i: usize| [1.0, i as f64 / size as f64, (i as f64 / size as f64).powi(2)];
            let found = of(size, |i, k| functions(i).iter().zip(functions(k)).map(|(x, y)| x * y).sum());
            assert_eq!(found, Spectrum { condition: f64::INFINITY, rank: 3.0 }, "{size}");
        }
        assert_eq!(of(3, |_, _| 0.0), Spectrum { condition: f64::INFINITY, rank: 0.0 });
        assert!(of(2, |_, _| f64::NAN).rank.is_nan());
    }

    #[test]
    fn pivots_bound_the_condition_number_from_below() {
        // [4 2; 2 1] + εI: the second pivot is 1 + ε − 4/(4 + ε), about 1.25ε, and the eigenvalues are 5 + ε
        // and ε.
        let ε = 1e-6;
        let found = estimate([4.0 + ε, 1.0 + ε - 4.0 / (4.0 + ε)].into_iter(), 4.0 + ε, ε);
        assert_eq!(found.rank, 1.0);
        assert!(found.condition > 0.5 * (5.0 + ε) / ε && found.condition <= (5.0 + ε) / ε, "{found:?}");
    }
}
