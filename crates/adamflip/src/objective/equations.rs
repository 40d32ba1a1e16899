//! The weights of the equations of f against each other, by what the parameters feel of each.
//!
//! Equations come in units of their own: in a flow the balance of momentum may be in thousands where that of
//! mass is about one. All are to vanish, so that no weights are wrong, but with equal ones the faint equation
//! counts for nothing until the loud one is solved. Balanced, all have the same curvature, the mean square
//! of the rows ∂r/∂θ, which is the geometric mean of what they had: multiply an equation by a thousand, and
//! no step changes.

use super::Objective;
use super::rows::ResidualRows;
use super::run::TermKind;
use super::tile::State;
use super::values::at;
use crate::linalg::dot;

/// Equations that are felt less than this share of the most are not felt: their rows are rounding.
const FELT: f64 = 1e-24;

/// Weights that make these curvatures equal, with a product of one; one of those that are not felt.
pub fn balanced(curvatures: &[f64]) -> Vec<f64> {
    let most = curvatures.iter().copied().fold(0.0, f64::max);
    let is_felt = |curvature: f64| curvature > FELT * most;
    let felt = || curvatures.iter().filter(|curvature| is_felt(**curvature));
    let mean = (felt().map(|curvature| curvature.ln()).sum::<f64>() / felt().count() as f64).exp();
    curvatures.iter().map(|&own| if is_felt(own) { mean / own } else { 1.0 }).collect()
}

impl Objective {
    /// Gives all equations the same weight, as at first.
    pub(crate) fn forget_equation_weights(&mut self) {
        self.terms.iter_mut().for_each(|term| term.batch.roots.fill(1.0));
        self.forget_linear();
    }

    /// Gives the equations other weights, term by term.
    pub(crate) fn set_equation_weights(&mut self, weights: &[f64]) {
        let roots = self.terms.iter_mut().flat_map(|term| &mut term.batch.roots);
        roots.zip(weights).for_each(|(root, weight)| *root = weight.sqrt());
        self.forget_linear();
    }

    /// Weights with which all equations of the objective have the same curvature at θ; those of constraints
    /// are one.
    pub(crate) fn balanced_weights(&mut self, θ: &[f64]) -> Vec<f64> {
        balanced(&self.felt(θ))
    }

    /// The curvature of every equation of the objective in f, without its weight among equations; zero for
    /// those of constraints.
    fn felt(&mut self, θ: &[f64]) -> Vec<f64> {
        let mut room = std::mem::take(&mut self.weights);
        let unknowns = at(&self.unknowns, &self.model, θ);
        let state = State { θ, weights: self.model.weights_at(θ, &mut room), unknowns: &unknowns };
        let mut all = Vec::new();
        for term in &self.terms {
            let mut felt = vec![0.0; term.batch.residual.equations()];
            if term.kind() == TermKind::Objective {
                let mut equations = term.equations();
                let rows = ResidualRows { batch: &term.batch, model: &self.model, state, ranks: &self.ranks };
                let mut see = |residuals: &[f64], rows: &[f64]| {
                    let rows = rows.chunks_exact(rows.len() / residuals.len().max(1));
                    rows.zip(&mut equations).for_each(|(row, equation)| felt[equation] += dot(row, row));
                };
                rows.blocks(term.fold(), &self.scratch, &mut self.held, &mut see);
                let weights = term.batch.roots.iter().map(|root| root * root);
                felt.iter_mut().zip(weights).for_each(|(felt, weight)| *felt /= weight);
            }
            all.extend(felt);
        }
        self.weights = room;
        all
    }
}
