//! Expressions of the fields at any points: predictions, residuals where training never was.

use rayon::prelude::*;

use super::batch::Batch;
use super::tile::{Scratch, State};
use crate::geometry::Points;
use crate::model::Model;
use crate::problem::{Residual, Unknown};

/// The values of all expressions at the points, one column an expression. Runs on the current rayon pool.
pub fn values(
    residual: &Residual,
    model: &Model,
    unknowns: &[Unknown],
    θ: &[f64],
    points: &Points,
) -> Vec<Vec<f64>> {
    let mut columns = vec![Vec::with_capacity(points.len()); residual.equations()];
    if points.is_empty() {
        return columns;
    }
    let mut batch = Batch::new(residual, model);
    batch.set_points(points);
    let parameters = &θ[model.parameters()..];
    let unknowns: Vec<(f64, f64)> = unknowns.iter().zip(parameters).map(|(u, &p)| u.value(p)).collect();
    let mut room = Vec::new();
    let state = State { θ, weights: model.weights_at(θ, &mut room), unknowns: &unknowns };
    let tile = |scratch: &mut Scratch, tile: &std::ops::Range<usize>| {
        batch.forward(tile, state, scratch);
        let column = |equation| batch.residuals(equation, tile, scratch).to_vec();
        (0..residual.equations()).map(column).collect::<Vec<_>>()
    };
    let tiles: Vec<Vec<Vec<f64>>> =
        batch.tiles().par_iter().map_init(|| Scratch::new(std::iter::once(&batch)), tile).collect();
    for tile in tiles {
        columns.iter_mut().zip(tile).for_each(|(column, part)| column.extend(part));
    }
    columns
}
