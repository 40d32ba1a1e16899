//! One term of the linearized problem.

use super::linear::Sums;
use crate::certificate::{FEW, State, fresh};
use crate::geometry::Points;
use crate::linalg::{Factor, add_scaled, add_squares, dot, multiply_large};
use crate::objective::{balanced, identities, rows, values, visit_rows};
use crate::optim::RANK_TOLERANCE;
use crate::problem::{Role, Source};

/// The curvature of a constraint by that of the objective: so large that it holds, and so small that H keeps
/// enough digits.
const HARD: f64 = 100.0;
/// Points of a term by which its curvature is measured.
const CURVATURE_POINTS: usize = 64;
/// Up to this many observations, or as many as parameters, it is computed how many of them the fit takes up:
/// through more than there are parameters it cannot go.
const MOST_OBSERVATIONS: usize = 2000;
/// Less than one observation is left for the noise: the fit goes through all of them, and Student's t has no
/// finite width that would be worth the name.
const EXHAUSTED: f64 = 1.0;

/// A term at θ.
#[derive(Debug)]
pub(super) struct MeritTerm {
    /// The number of the term.
    pub(super) term: usize,
    /// Where its residuals were taken.
    pub(super) points: Points,
    /// w, the factor of its mean square in the merit.
    pub(super) weight: f64,
    /// The roots of the weights of its equations among each other.
    roots: Vec<f64>,
    /// n.
    residuals: usize,
    /// The mean square of the residuals, and the largest square.
    pub(super) mse: f64,
    pub(super) largest: f64,
    /// Does it hold measured values, whose noise is independent?
    pub(super) observed: bool,
    /// What is observed, quantity by quantity, where it is not too much.
    pub(super) columns: Vec<Column>,
}

/// One observed quantity, which has a noise of its own.
#[derive(Debug)]
pub(super) struct Column {
    /// The sum of the squares of its residuals.
    sum: f64,
    count: usize,
    /// J, one row an observation.
    pub(super) rows: Vec<f64>,
    /// Observations that are left for the noise: their number less those that the fit takes up.
    pub(super) freedom: f64,
}

impl Column {
    /// The variance of the noise, as far as it can be told.
    pub(super) fn variance(&self) -> f64 {
        self.sum / self.freedom
    }

    /// Does the fit go through all observations, so that nothing tells their noise?
    pub(super) fn is_exhausted(&self) -> bool {
        self.freedom < EXHAUSTED
    }
}

impl MeritTerm {
    /// A term at the state's θ, its share of the sums added; nothing where it has no points.
    ///
    /// The weights of constraints follow from the curvature of the objective, so that units of equations do
    /// not matter; for the same reason equations of an objective whose weights say nothing are balanced, as
    /// in training.
    pub(super) fn new(state: &State<'_>, index: usize, known: &Curvatures, sums: &mut Sums) -> Option<Self> {
        let term = &state.problem.terms[index];
        let points = points(state, index);
        let residuals = points.len() * term.residual.equations();
        let mut part = Self {
            term: index,
            weight: match term.role {
                Role::Objective => term.weight,
                Role::Constraint => match mean(&curvatures(state, index, &points)) {
                    // Its rows are rounding.
                    own if own <= known.felt || known.identities[index] => 0.0,
                    own => match known.objective / own {
                        balance if balance.is_normal() => HARD * term.weight * balance,
                        _ => HARD * term.weight,
                    },
                },
            },
            roots: known.roots[index].clone(),
            residuals,
            mse: 0.0,
            largest: 0.0,
            observed: !term.measured().is_empty(),
            columns: Vec::new(),
            points,
        };
        match part.observed && residuals <= MOST_OBSERVATIONS.max(sums.parameters) {
            true => part.observe(state, sums),
            false => part.visit(state, sums),
        }
        (residuals > 0).then_some(part)
    }

    /// 2w/n.
    pub(super) fn factor(&self) -> f64 {
        2.0 * self.weight / self.residuals as f64
    }

    /// Equations, or very many observations: every residual disturbs by its own size, as in White's
    /// covariance; equations of one term may differ by orders.
    fn visit(&mut self, state: &State<'_>, sums: &mut Sums) {
        let (term, size, factor) = (&state.problem.terms[self.term], sums.parameters, self.factor());
        // Neighbouring residuals of a smooth function are not independent: it has no more than P of its own.
        let alike = if self.observed { 1.0 } else { (self.residuals as f64 / size as f64).max(1.0) };
        let (model, unknowns) = (state.model, &state.problem.unknowns);
        for residuals in values(&term.residual, model, unknowns, state.θ, &self.points) {
            self.see(&residuals);
        }
        let weighted = (&term.residual, &self.roots[..]);
        visit_rows(weighted, model, unknowns, state.θ, &self.points, &mut |residuals, rows| {
            sums.add(factor, residuals, rows);
            let mut disturbed = rows.to_vec();
            for (r, row) in residuals.iter().zip(disturbed.chunks_exact_mut(size)) {
                row.iter_mut().for_each(|x| *x *= r);
            }
            add_squares(&mut sums.spread, factor * factor * alike, &disturbed, size);
        });
    }

    /// Takes residuals of an equation into mean square and largest; the sum of their squares.
    fn see(&mut self, residuals: &[f64]) -> f64 {
        let sum = dot(residuals, residuals);
        self.mse += sum / self.residuals as f64;
        self.largest = residuals.iter().map(|r| r * r).fold(self.largest, f64::max);
        sum
    }

    /// Observations: their rows are kept until H is known, which tells how many of them the fit takes up.
    fn observe(&mut self, state: &State<'_>, sums: &mut Sums) {
        let (residual, factor) = (&state.problem.terms[self.term].residual, self.factor());
        let (model, unknowns) = (state.model, &state.problem.unknowns);
        let residuals = values(residual, model, unknowns, state.θ, &self.points);
        let all = rows(residual, model, unknowns, state.θ, &self.points);
        for (residuals, rows) in residuals.into_iter().zip(all) {
            let (sum, count) = (self.see(&residuals), residuals.len());
            sums.add(factor, &residuals, &rows);
            self.columns.push(Column { sum, count, rows, freedom: count as f64 });
        }
    }

    /// Finds what is left for the noise of observations: with the fit A = 2w/n·J H⁻¹Jᵀ, the expected sum of
    /// squares that noise of variance 1 leaves of a column is its part of tr((I − A)²). `halve` makes L⁻¹ of
    /// all rows, for the factor L of H.
    pub(super) fn free(&mut self, halve: impl Fn(&mut Vec<f64>)) {
        let factor = self.factor();
        let mut half: Vec<f64> = self.columns.iter().flat_map(|column| column.rows.iter().copied()).collect();
        if half.is_empty() {
            return;
        }
        halve(&mut half);
        let count = self.residuals;
        let size = half.len() / count;
        let mut fit = vec![0.0; count * count];
        multiply_large(&mut fit, Factor::of(&half, size), Factor::transposed(&half, size));
        let left = |i: usize| {
            let unit = |j: usize| f64::from(u8::from(i == j));
            fit[i * count..][..count]
                .iter()
                .enumerate()
                .map(|(j, a)| (unit(j) - factor * a).powi(2))
                .sum::<f64>()
        };
        let mut first = 0;
        for column in &mut self.columns {
            let freedom: f64 = (first..first + column.count).map(left).sum();
            // A hundredth of an observation keeps the variance finite.
            column.freedom = freedom.max(0.01);
            first += column.count;
        }
    }
}

/// The mean square length of the rows of every equation of a term.
fn curvatures(state: &State<'_>, index: usize, points: &Points) -> Vec<f64> {
    let count = points.len().min(CURVATURE_POINTS);
    let some: Vec<usize> = (0..count).map(|i| i * points.len() / count).collect();
    let (residual, unknowns) = (&state.problem.terms[index].residual, &state.problem.unknowns);
    let rows = rows(residual, state.model, unknowns, state.θ, &points.select(&some));
    rows.iter().map(|rows| dot(rows, rows) / count.max(1) as f64).collect()
}

fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len().max(1) as f64
}

/// What the curvatures of terms are held against.
#[derive(Clone, Debug)]
pub(super) struct Curvatures {
    /// That of all objective terms together, 1 where there is none.
    objective: f64,
    /// Constraints up to this one are not felt at all.
    felt: f64,
    /// The terms that hold whatever the networks compute.
    identities: Vec<bool>,
    /// The roots of the weights of equations among each other, term by term.
    roots: Vec<Vec<f64>>,
}

impl Curvatures {
    pub(super) fn of(state: &State<'_>) -> Self {
        let terms = &state.problem.terms;
        let all: Vec<Vec<f64>> =
            (0..terms.len()).map(|index| curvatures(state, index, &state.points[index])).collect();
        let of_role = |role: Role| terms.iter().zip(&all).filter(move |(term, _)| term.role == role);
        let most = of_role(Role::Constraint).map(|(_, own)| mean(own)).fold(0.0, f64::max);
        let mut parts: Vec<f64> = of_role(Role::Objective)
            .flat_map(|(term, own)| own.iter().map(|one| term.weight * one / own.len() as f64))
            .collect();
        let mut roots: Vec<Vec<f64>> = all.iter().map(|own| vec![1.0; own.len()]).collect();
        if state.problem.has_free_weights() {
            let weights = balanced(&parts);
            parts.iter_mut().zip(&weights).for_each(|(part, weight)| *part *= weight);
            let own = roots.iter_mut().zip(terms).filter(|(_, term)| term.role == Role::Objective);
            let own = own.flat_map(|(roots, _)| roots);
            own.zip(weights).for_each(|(root, weight)| *root = weight.sqrt());
        }
        let sum: f64 = parts.iter().sum();
        let (objective, felt) = (if sum.is_normal() { sum } else { 1.0 }, RANK_TOLERANCE.powi(2) * most);
        Self { objective, felt, identities: identities(state.problem), roots }
    }
}

impl Sums {
    /// Adds residuals of one weight.
    fn add(&mut self, factor: f64, residuals: &[f64], rows: &[f64]) {
        for (r, row) in residuals.iter().zip(rows.chunks_exact(self.parameters)) {
            add_scaled(&mut self.gradient, factor * r, row);
        }
        add_squares(&mut self.matrix, factor, rows, self.parameters);
    }
}

/// Points of a term that training did not see: as many as it saw, and twice as many residuals as parameters
/// where that is more; of adaptive terms those of training too, and of given points nothing else.
fn points(state: &State<'_>, index: usize) -> Points {
    let (term, training) = (&state.problem.terms[index], &state.points[index]);
    if term.source.is_fixed() {
        return training.clone();
    }
    let enough = (2 * state.θ.len()).div_ceil(term.residual.equations().max(1)).max(training.len());
    let drawn = fresh(state.problem, term, (state.seed, index), training, enough.max(FEW));
    let Ok(points) = drawn else { return training.clone() };
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
