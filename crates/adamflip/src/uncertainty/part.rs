//! One term of the linearized problem.

use super::linear::Sums;
use crate::certificate::{FEW, State, fresh};
use crate::geometry::Points;
use crate::linalg::{Factor, add_scaled, add_symmetric, dot, multiply_large};
use crate::objective::visit_rows;
use crate::problem::{Role, Source};

/// The weight of constraints: so large that they hold, and so small that H keeps enough digits.
const HARD: f64 = 1e4;
/// The most observations for which it is computed how many of them the fit takes up.
const MOST_OBSERVATIONS: usize = 2000;

/// A term at θ.
#[derive(Debug)]
pub(super) struct Part {
    /// The number of the term.
    pub(super) term: usize,
    points: Points,
    /// w.
    weight: f64,
    /// n.
    residuals: usize,
    /// The mean square of the residuals, and the largest square.
    pub(super) mse: f64,
    pub(super) largest: f64,
    /// Does it hold measured values, whose noise is independent?
    pub(super) observed: bool,
    /// Residuals that are left for the noise: n less those that the fit takes up.
    pub(super) freedom: f64,
    /// J, of observations that are not too many.
    pub(super) rows: Vec<f64>,
}

impl Part {
    /// A term at the state's θ, its share of the sums added; nothing where it has no points.
    pub(super) fn new(state: &State<'_>, index: usize, sums: &mut Sums) -> Option<Self> {
        let (term, size) = (&state.problem.terms[index], sums.parameters);
        let points = points(state, index);
        let residuals = points.len() * term.residual.equations();
        let observed = is_observed(&term.source);
        let mut part = Self {
            term: index,
            weight: if term.role == Role::Constraint { HARD * term.weight } else { term.weight },
            residuals,
            mse: 0.0,
            largest: 0.0,
            observed,
            freedom: residuals as f64,
            rows: Vec::new(),
            points,
        };
        let (keep, factor) = (observed && residuals <= MOST_OBSERVATIONS, part.factor());
        // Neighbouring residuals of a smooth function are not independent: it has no more than P of its own.
        let alike = if observed { 1.0 } else { (residuals as f64 / size as f64).max(1.0) };
        let (model, unknowns) = (state.model, &state.problem.unknowns);
        visit_rows(&term.residual, model, unknowns, state.θ, &part.points, &mut |residuals, rows| {
            part.mse += dot(residuals, residuals) / part.residuals as f64;
            part.largest = residuals.iter().map(|r| r * r).fold(part.largest, f64::max);
            let mut disturbed = rows.to_vec();
            let each = residuals.iter().zip(rows.chunks_exact(size)).zip(disturbed.chunks_exact_mut(size));
            for ((r, row), disturbed) in each {
                add_scaled(&mut sums.gradient, factor * r, row);
                disturbed.iter_mut().for_each(|x| *x *= r);
            }
            add_squares(&mut sums.matrix, factor, rows, size);
            match keep {
                true => part.rows.extend_from_slice(rows),
                // Every residual has its own size, as in White's covariance: equations of one term may differ by orders.
                false => add_squares(&mut sums.spread, factor * factor * alike, &disturbed, size),
            }
        });
        (residuals > 0).then_some(part)
    }

    /// 2w/n.
    pub(super) fn factor(&self) -> f64 {
        2.0 * self.weight / self.residuals as f64
    }

    /// The variance of the noise of observations, as far as it can be told.
    pub(super) fn variance(&self) -> f64 {
        self.mse * self.residuals as f64 / self.freedom
    }

    /// w, for a residual that is to be weighted like those of the term.
    pub(super) fn weighted(&self, square: f64) -> f64 {
        self.weight * square
    }

    /// The points of the term, where they are observations.
    pub(super) fn points(&self) -> &Points {
        &self.points
    }

    /// Finds what is left for the noise of observations: tr((I − A)²) for their fit A = 2w/n·J H⁻¹Jᵀ, the expected sum of
    /// squares that noise of variance 1 leaves. `halve` makes L⁻¹ of all rows, for the factor L of H.
    pub(super) fn free(&mut self, halve: impl Fn(&mut Vec<f64>)) {
        let (count, factor) = (self.residuals, self.factor());
        if self.rows.is_empty() {
            return;
        }
        let mut half = self.rows.clone();
        halve(&mut half);
        let size = half.len() / count;
        let mut fit = vec![0.0; count * count];
        multiply_large(&mut fit, Factor::of(&half, size), Factor::transposed(&half, size));
        let trace: f64 = (0..count).map(|i| factor * fit[i * count + i]).sum();
        let squares: f64 = fit.iter().map(|a| (factor * a).powi(2)).sum();
        // A fit through every observation leaves nothing to tell its noise by; a hundredth of one keeps it finite.
        self.freedom = (count as f64 - 2.0 * trace + squares).max(0.01);
    }
}

/// lower(M) += factor·JᵀJ.
fn add_squares(lower: &mut [f64], factor: f64, rows: &[f64], size: usize) {
    add_symmetric(lower, factor, Factor::transposed(rows, size), Factor::of(rows, size));
}

/// Are there measured values at the points? Points of a cloud have none.
fn is_observed(source: &Source) -> bool {
    match source {
        Source::Drawn { .. } => false,
        Source::Given { points, .. } => points.attributes() > 0,
        Source::Observed { .. } => true,
    }
}

/// Points of a term that training did not see: as many as it saw, and twice as many residuals as parameters where that is more;
/// of adaptive terms those of training too.
fn points(state: &State<'_>, index: usize) -> Points {
    let (term, training) = (&state.problem.terms[index], &state.points[index]);
    if term.source.is_fixed() {
        return training.clone();
    }
    let Ok(points) = fresh(state.problem, index, state.seed, training, FEW) else { return training.clone() };
    let enough = (2 * state.θ.len()).div_ceil(term.residual.equations().max(1)).max(training.len());
    // Evenly from all of them: they come part by part of the place.
    let count = points.len().min(enough);
    let spread: Vec<usize> = (0..count).map(|i| i * points.len() / count).collect();
    let mut points = points.select(&spread);
    if let Source::Drawn { adaptive: Some(_), .. } = term.source {
        // Where the residual lives in a layer, only those that were drawn to it see it.
        points.append(training);
    }
    points
}
