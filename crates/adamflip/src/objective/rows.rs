//! Jacobian rows of residuals, and the Gauss–Newton matrix JᵀJ with Jᵀr, block by block.

use super::tile::Scratch;
use super::{Objective, locked};
use crate::jet::PANEL;
use crate::linalg::{add_gram, add_scaled, symmetrize};
use crate::optim::ConstrainedProblem;

/// JᵀJ and Jᵀr of weighted residuals: half the Hessian (to first order) and half the gradient of Σ weight·mse.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussNewton {
    /// JᵀJ, square and symmetric.
    pub matrix: Vec<f64>,
    /// Jᵀr.
    pub gradient: Vec<f64>,
}

impl GaussNewton {
    /// Room for so many parameters.
    pub fn new(parameters: usize) -> Self {
        Self { matrix: vec![0.0; parameters * parameters], gradient: vec![0.0; parameters] }
    }
}

impl Objective {
    /// Visits all residuals of a term in blocks of one equation on one tile.
    ///
    /// `visit(residuals, rows)` gets the residuals r of up to a few hundred points and their rows ∂r/∂θ by parameter:
    /// `rows[parameter·columns + point]` with `columns = rows.len()/θ.len()` ≥ the number of residuals; columns
    /// beyond the residuals are zero. No more than one block is held at a time.
    pub fn for_each_row_block(&mut self, θ: &[f64], term: usize, mut visit: impl FnMut(&[f64], &[f64])) {
        let (network, parameters) = θ.split_at(self.program.parameters());
        let unknowns: Vec<(f64, f64)> =
            self.unknowns.iter().zip(parameters).map(|(unknown, &p)| unknown.value(p)).collect();
        let term = &self.terms[term];
        let scratch: &mut Scratch = &mut locked(&self.scratch[0]);
        let mut rows = vec![0.0; θ.len() * term.sweep.panels() * PANEL];
        for panels in term.tiles() {
            term.forward(&panels, network, &unknowns, scratch);
            let width = panels.len() * PANEL;
            let rows = &mut rows[..θ.len() * width];
            for equation in 0..term.residual.equations() {
                let only = |e: usize, _| if e == equation { 1.0 } else { 0.0 };
                term.reverse_tape(&panels, scratch, only);
                let (network_rows, unknown_rows) = rows.split_at_mut(network.len() * width);
                unknown_rows.fill(0.0);
                for (i, column) in term.unknown_columns(&panels, scratch) {
                    add_scaled(&mut unknown_rows[i * width..(i + 1) * width], unknowns[i].1, column);
                }
                term.sweep.rows(network, &mut scratch.jets, panels.len(), network_rows);
                visit(term.residuals(equation, &panels, scratch), rows);
            }
        }
    }

    /// Adds weight/(residuals of the term)·(JᵀJ, Jᵀr) of a term; call [`GaussNewton::finish`] after the last.
    pub fn add_gauss_newton(&mut self, θ: &[f64], term: usize, weight: f64, into: &mut GaussNewton) {
        let scale = (weight * self.terms[term].share()).sqrt();
        let mut scaled: Vec<f64> = Vec::new();
        let parameters = self.parameters();
        self.for_each_row_block(θ, term, |residuals, rows| {
            scaled.clear();
            scaled.extend(rows.iter().map(|row| scale * row));
            let columns = rows.len() / parameters;
            add_gram(&mut into.matrix, &scaled, columns);
            for (gradient, row) in into.gradient.iter_mut().zip(scaled.chunks_exact(columns)) {
                *gradient += row.iter().zip(residuals).map(|(row, r)| row * scale * r).sum::<f64>();
            }
        });
    }
}

impl GaussNewton {
    /// Completes the symmetric matrix, of which only one triangle is accumulated.
    pub fn finish(&mut self) {
        symmetrize(&mut self.matrix, self.gradient.len());
    }
}
