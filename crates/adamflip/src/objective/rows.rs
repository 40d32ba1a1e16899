//! Jacobian rows of residuals, and the Gauss–Newton matrix JᵀJ with Jᵀr, block by block.

use std::ops::Range;

use super::batch::Batch;
use super::tile::{Scratch, State};
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
        let parameters = &θ[self.model.parameters()..];
        let unknowns: Vec<(f64, f64)> =
            self.unknowns.iter().zip(parameters).map(|(unknown, &p)| unknown.value(p)).collect();
        let mut room = Vec::new();
        let weights = self.model.weights_at(θ, &mut room);
        let state = State { θ, weights, unknowns: &unknowns };
        let batch = &self.terms[term].batch;
        let scratch: &mut Scratch = &mut locked(&self.scratch[0]);
        let raw = weights.len() + unknowns.len();
        let mut rows = vec![0.0; raw * batch.panels * PANEL];
        let mut pulled = vec![0.0; if self.model.is_plain() { 0 } else { θ.len() * batch.panels * PANEL }];
        for tile in batch.tiles() {
            batch.forward(tile, state, scratch);
            let width = tile.len() * PANEL;
            let rows = &mut rows[..raw * width];
            for equation in 0..batch.residual.equations() {
                let only = |e: usize, _, _| if e == equation { 1.0 } else { 0.0 };
                batch.reverse_tape(tile, scratch, only);
                batch.rows(tile, state, scratch, rows);
                let residuals = batch.residuals(equation, tile, scratch);
                if self.model.is_plain() {
                    visit(residuals, rows);
                } else {
                    let pulled = &mut pulled[..θ.len() * width];
                    self.model.pull_back_rows(θ, rows, width, pulled);
                    visit(residuals, pulled);
                }
            }
        }
    }

    /// The rows of all residuals of a tile times a factor, one after the other, equation by equation.
    pub(super) fn rows_of_tile(
        &self,
        batch: &Batch,
        tile: &Range<usize>,
        state: State<'_>,
        scale: f64,
        scratch: &mut Scratch,
        into: &mut Vec<f64>,
    ) {
        let θ = state.θ;
        let [mut rows, mut pulled] = std::mem::take(&mut scratch.rows);
        let (width, valid) = (tile.len() * PANEL, batch.valid(tile));
        rows.resize((state.weights.len() + state.unknowns.len()) * width, 0.0);
        into.resize(valid * batch.residual.equations() * θ.len(), 0.0);
        for (equation, into) in into.chunks_exact_mut((valid * θ.len()).max(1)).enumerate() {
            let only = |e: usize, _, _| if e == equation { scale } else { 0.0 };
            batch.reverse_tape(tile, scratch, only);
            batch.rows(tile, state, scratch, &mut rows);
            if self.model.is_plain() {
                transpose(&rows, width, into, θ.len());
            } else {
                pulled.resize(θ.len() * width, 0.0);
                self.model.pull_back_rows(θ, &rows, width, &mut pulled);
                transpose(&pulled, width, into, θ.len());
            }
        }
        scratch.rows = [rows, pulled];
    }

    /// Adds weight/(residuals of the term)·(JᵀJ, Jᵀr) of a term; call [`GaussNewton::finish`] after the last.
    pub fn add_gauss_newton(&mut self, θ: &[f64], term: usize, weight: f64, into: &mut GaussNewton) {
        let scale = (weight * self.terms[term].batch.share()).sqrt();
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

impl Batch {
    /// The rows by weights and unknowns of the residual whose adjoint was taken back through the tape. A point's sites
    /// add up.
    fn rows(&self, tile: &Range<usize>, state: State<'_>, scratch: &mut Scratch, rows: &mut [f64]) {
        let width = tile.len() * PANEL;
        rows.fill(0.0);
        let (by_weights, by_unknowns) = rows.split_at_mut(state.weights.len() * width);
        for (i, column) in self.unknown_columns(tile, scratch) {
            add_scaled(&mut by_unknowns[i * width..(i + 1) * width], state.unknowns[i].1, column);
        }
        for (carrier, work) in self.carriers.iter().zip(&mut scratch.jets) {
            let part = carrier.weights.clone();
            let panels = carrier.panels(tile.len());
            let (weights, sites) = (&state.weights[part.clone()], panels / tile.len());
            let into = &mut by_weights[part.start * width..part.end * width];
            if sites == 1 {
                carrier.sweep.rows(weights, work, panels, into);
                continue;
            }
            let mut wide = vec![0.0; part.len() * panels * PANEL];
            carrier.sweep.rows(weights, work, panels, &mut wide);
            for (into, row) in into.chunks_exact_mut(width).zip(wide.chunks_exact(sites * width)) {
                row.chunks_exact(width).for_each(|site| add_scaled(into, 1.0, site));
            }
        }
    }
}

/// into\[point·parameters + parameter\] = from\[parameter·width + point\], in squares that stay in the first-level cache.
fn transpose(from: &[f64], width: usize, into: &mut [f64], parameters: usize) {
    for start in (0..parameters).step_by(PANEL) {
        let end = parameters.min(start + PANEL);
        for (point, row) in into.chunks_exact_mut(parameters).enumerate() {
            for (offset, to) in row[start..end].iter_mut().enumerate() {
                *to = from[(start + offset) * width + point];
            }
        }
    }
}

impl GaussNewton {
    /// Completes the symmetric matrix, of which only one triangle is accumulated.
    pub fn finish(&mut self) {
        symmetrize(&mut self.matrix, self.gradient.len());
    }
}
