//! The problem linearized at a trained θ.

use rayon::prelude::*;

use super::part::{Column, Curvatures, MeritTerm};
use crate::certificate::State;
use crate::linalg::{
    Cholesky, Factor, add_squares, dot, multiply_large, solve_factored, solve_lower_rows, symmetrize,
};

/// The most parameters: above, the matrices would take gigabytes and minutes.
pub const MOST_PARAMETERS: usize = 5000;
/// The shares of tr(H)/P that are tried as a ridge on its diagonal, for directions that nothing determines:
/// where units of a network are nearly alike, and no field feels it.
const RIDGES: [f64; 4] = [1e-12, 1e-11, 1e-10, 1e-8];
/// Keeps the diagonal positive where an unknown is in no equation.
const RANK_TOLERANCE: f64 = 1e-100;
/// Right sides that one thread solves for at a time.
const BESIDE: usize = 8;

/// H, its factor, and how θ answers to disturbances.
#[derive(Debug)]
pub struct Linearized {
    pub(super) parameters: usize,
    /// The lower factor of H with its ridge.
    factor: Vec<f64>,
    /// What was added to the diagonal of H where the network's parameters are.
    pub(super) ridge: f64,
    /// Σ (2w/n)²·JᵀVJ with the variances V of residuals, all of it: the covariance of H·θ.
    spread: Vec<f64>,
    /// The step −H⁻¹g that is left to the minimum.
    pub(super) step: Vec<f64>,
    pub(super) parts: Vec<MeritTerm>,
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
    /// The problem at a trained state; nothing where it has too many parameters, or numbers that are not
    /// finite. Runs on the current rayon pool.
    pub fn new(state: &State<'_>) -> Option<Self> {
        let parameters = state.θ.len();
        if parameters > MOST_PARAMETERS {
            return None;
        }
        let square = || vec![0.0; parameters * parameters];
        let (matrix, gradient, spread) = (square(), vec![0.0; parameters], square());
        let mut sums = Sums { parameters, matrix, gradient, spread };
        let terms = 0..state.problem.terms.len();
        let known = Curvatures::of(state);
        let part = |term| MeritTerm::new(state, term, &known, &mut sums);
        let mut parts: Vec<MeritTerm> = terms.filter_map(part).collect();
        let (factor, ridge) = factored(&sums.matrix, parameters, state.problem.unknowns.len())?;
        let mut step: Vec<f64> = sums.gradient.iter().map(|g| -g).collect();
        solve_factored(&factor, [&mut step]);
        let mut spread = sums.spread;
        for part in &mut parts {
            part.free(|rows| solve_lower_rows(&factor, parameters, rows));
            let share = part.factor() * part.factor();
            for column in &part.columns {
                add_squares(&mut spread, share * column.variance(), &column.rows, parameters);
            }
        }
        symmetrize(&mut spread, parameters);
        let finite = step.iter().all(|x| x.is_finite());
        finite.then_some(Self { parameters, factor, ridge, spread, step, parts })
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

    /// H⁻¹x for the unit vectors x of the last parameters: the unknowns.
    pub(super) fn solved_units(&self, count: usize) -> Vec<f64> {
        let size = self.parameters;
        let mut units = vec![0.0; count * size];
        (0..count).for_each(|i| units[i * size + size - count + i] = 1.0);
        self.solved(units)
    }

    /// The degrees of freedom of the variance of a number, by Satterthwaite: every noise counts by its share.
    /// What equations disturb has no end of them.
    pub(super) fn freedom(&self, solved: &[f64], variance: f64) -> f64 {
        let share = |part: &MeritTerm, column: &Column| {
            let rows = column.rows.chunks_exact(self.parameters);
            let sum: f64 = rows.map(|row| dot(row, solved).powi(2)).sum();
            part.factor() * part.factor() * column.variance() * sum
        };
        let columns =
            self.parts.iter().flat_map(|part| part.columns.iter().map(move |column| (part, column)));
        let sum: f64 = columns.map(|(part, column)| share(part, column).powi(2) / column.freedom).sum();
        if sum > 0.0 { variance * variance / sum } else { f64::INFINITY }
    }

    /// The variances alone.
    pub(super) fn variances(&self, solved: &[f64]) -> Vec<f64> {
        let image = self.spread_times(solved);
        let rows = image.chunks_exact(self.parameters).zip(solved.chunks_exact(self.parameters));
        // Of nothing, rounding may make less than nothing.
        rows.map(|(image, row)| dot(image, row).max(0.0)).collect()
    }
}

/// The factor of H with the smallest ridge that rounding allows, and that ridge. The unknowns, the last of θ,
/// have one of their own size alone: it must not pass for information on them.
fn factored(matrix: &[f64], size: usize, unknowns: usize) -> Option<(Vec<f64>, f64)> {
    let scale = (0..size).map(|i| matrix[i * size + i]).sum::<f64>() / size.max(1) as f64;
    if !(scale.is_finite() && scale > 0.0) {
        return None;
    }
    RIDGES.iter().find_map(|ridge| {
        let mut factor = matrix.to_vec();
        (0..size - unknowns).for_each(|i| factor[i * size + i] += ridge * scale);
        (size - unknowns..size)
            .for_each(|i| factor[i * size + i] += ridge * matrix[i * size + i] + RANK_TOLERANCE);
        Cholesky::new(size).factor(&mut factor).is_ok().then_some((factor, ridge * scale))
    })
}
