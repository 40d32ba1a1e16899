//! The problem linearized at a trained θ.

use rayon::prelude::*;

use super::part::Part;
use crate::certificate::State;
use crate::linalg::{
    Cholesky, Factor, add_symmetric, dot, multiply_large, solve_factored, solve_lower_rows, symmetrize,
};

/// The most parameters: above, the matrices would take gigabytes and minutes.
pub const MOST_PARAMETERS: usize = 5000;
/// The shares of tr(H)/P that are tried as a ridge on its diagonal.
const RIDGES: [f64; 12] = [1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2];
/// The part of the promised fall of the merit that shows that the linearized problem holds.
const HOLDS: f64 = 0.5;
/// The part of the fall without a ridge that the step must promise to stand for it.
const MOSTLY: f64 = 0.3;
/// Promises of less than this share of the merit are not worth keeping.
const LITTLE: f64 = 1e-2;
/// Right sides that one thread solves for at a time.
const BESIDE: usize = 8;

/// H, its factor, and how θ answers to disturbances.
#[derive(Debug)]
pub struct Linearized {
    pub(super) parameters: usize,
    /// The lower factor of H with its ridge.
    factor: Vec<f64>,
    /// Σ (2w/n)²·JᵀVJ with the variances V of residuals, all of it: the covariance of H·θ.
    spread: Vec<f64>,
    /// The step −H⁻¹g that is left to the minimum.
    pub(super) step: Vec<f64>,
    /// Does the merit fall by that step about as it should?
    pub(super) holds: bool,
    pub(super) parts: Vec<Part>,
}

/// H and g = Σ 2w/n·Jᵀr: the merit near θ.
pub(super) struct Sums {
    pub(super) parameters: usize,
    /// H, its lower triangle.
    pub(super) matrix: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    /// The lower triangle of what becomes [`Linearized::spread`].
    pub(super) spread: Vec<f64>,
}

impl Linearized {
    /// The problem at a trained state; nothing where it has too many parameters, or numbers that are not finite. Runs on the
    /// current rayon pool.
    pub fn new(state: &State<'_>) -> Option<Self> {
        let parameters = state.θ.len();
        if parameters > MOST_PARAMETERS {
            return None;
        }
        let square = || vec![0.0; parameters * parameters];
        let (matrix, gradient, spread) = (square(), vec![0.0; parameters], square());
        let mut sums = Sums { parameters, matrix, gradient, spread };
        let terms = 0..state.problem.terms.len();
        let mut parts: Vec<Part> = terms.filter_map(|term| Part::new(state, term, &mut sums)).collect();
        let (factor, step, holds) = solved(state, &sums, &parts)?;
        let mut spread = sums.spread;
        for part in &mut parts {
            part.free(|rows| {
                solve_lower_rows(&factor, parameters, rows);
            });
            let rows = &part.rows;
            let share = part.factor() * part.factor() * part.variance();
            if !rows.is_empty() {
                let (left, right) = (Factor::transposed(rows, parameters), Factor::of(rows, parameters));
                add_symmetric(&mut spread, share, left, right);
            }
        }
        symmetrize(&mut spread, parameters);
        Some(Self { parameters, factor, spread, step, holds, parts })
    }

    /// H⁻¹x for every row x.
    pub(super) fn solved(&self, mut rows: Vec<f64>) -> Vec<f64> {
        let size = self.parameters;
        rows.par_chunks_mut(BESIDE * size).for_each(|some| {
            some.chunks_exact_mut(size).for_each(|row| solve_factored(&self.factor, [row]));
        });
        rows
    }

    /// The covariance of H·θ times every row.
    fn spread_times(&self, rows: &[f64]) -> Vec<f64> {
        let mut image = vec![0.0; rows.len()];
        multiply_large(
            &mut image,
            Factor::of(rows, self.parameters),
            Factor::of(&self.spread, self.parameters),
        );
        image
    }

    /// The covariances, row-major, of the numbers whose rows of derivatives by θ are H·x for these x.
    pub(super) fn covariance(&self, solved: &[f64]) -> Vec<f64> {
        let size = self.parameters;
        let image = self.spread_times(solved);
        let mut covariance = vec![0.0; (solved.len() / size).pow(2)];
        multiply_large(&mut covariance, Factor::of(&image, size), Factor::transposed(solved, size));
        covariance
    }

    /// The variances alone.
    pub(super) fn variances(&self, solved: &[f64]) -> Vec<f64> {
        let image = self.spread_times(solved);
        let rows = image.chunks_exact(self.parameters).zip(solved.chunks_exact(self.parameters));
        rows.map(|(image, row)| dot(image, row)).collect()
    }
}

/// The factor of H with the smallest ridge for which the step that is left keeps its promise, that step, and whether it promises
/// most of what it would without a ridge. A residual that bends does not show at θ what it is like far away, and where units of a network are nearly alike
/// a step may be long for next to nothing.
fn solved(state: &State<'_>, sums: &Sums, parts: &[Part]) -> Option<(Vec<f64>, Vec<f64>, bool)> {
    let size = sums.parameters;
    let scale = (0..size).map(|i| sums.matrix[i * size + i]).sum::<f64>() / size.max(1) as f64;
    if !(scale.is_finite() && scale > 0.0) {
        return None;
    }
    let merit = |θ: &[f64]| parts.iter().map(|part| part.merit(state, θ)).sum::<f64>();
    let at = merit(state.θ);
    let mut first = None;
    for ridge in RIDGES.map(|share| share * scale) {
        let mut factor = sums.matrix.clone();
        (0..size).for_each(|i| factor[i * size + i] += ridge);
        if Cholesky::new(size).factor(&mut factor).is_err() {
            continue;
        }
        let mut step: Vec<f64> = sums.gradient.iter().map(|g| -g).collect();
        solve_factored(&factor, [&mut step]);
        let promised = 0.5 * (ridge * dot(&step, &step) - dot(&sums.gradient, &step));
        let there: Vec<f64> = state.θ.iter().zip(&step).map(|(θ, step)| θ + step).collect();
        let most = *first.get_or_insert(promised);
        if promised < LITTLE * at || at - merit(&there) > HOLDS * promised {
            return Some((factor, step, promised > MOSTLY * most));
        }
    }
    None
}
