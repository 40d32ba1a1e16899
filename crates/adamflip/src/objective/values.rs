//! Expressions of the fields at any points: predictions, residuals where training never was, and their
//! derivatives by θ.

use std::sync::Mutex;

use rayon::prelude::*;

use super::batch::Batch;
use super::rows::ResidualRows;
use super::tile::{Scratch, State};
use crate::geometry::Points;
use crate::jet::PANEL;
use crate::model::Model;
use crate::problem::{Residual, Unknown};
use crate::ranks::Ranks;

/// The values of all expressions at the points, one column an expression. Runs on the current rayon pool.
pub fn values(
    residual: &Residual,
    model: &Model,
    unknowns: &[Unknown],
    θ: &[f64],
    points: &Points,
) -> Vec<Vec<f64>> {
    values_among(&Ranks::default(), residual, model, unknowns, θ, points)
}

/// The same, shared by these ranks; all of them have all values.
pub fn values_among(
    ranks: &Ranks,
    residual: &Residual,
    model: &Model,
    unknowns: &[Unknown],
    θ: &[f64],
    points: &Points,
) -> Vec<Vec<f64>> {
    if let Some(shares) = model.shares(points) {
        let mut columns = vec![vec![0.0; points.len()]; residual.equations()];
        for share in shares {
            let θ = &θ[share.parameters.clone()];
            let points = points.select(&share.points);
            let part = values_among(ranks, residual, share.model, unknowns, θ, &points);
            for (column, part) in columns.iter_mut().zip(part) {
                share.points.iter().zip(part).for_each(|(&i, value)| column[i] = value);
            }
        }
        return columns;
    }
    let mut columns = vec![vec![0.0; points.len()]; residual.equations()];
    if points.is_empty() {
        return columns;
    }
    let mut batch = Batch::new(residual, model);
    batch.set_points(points);
    let unknowns = at(unknowns, model, θ);
    let mut room = Vec::new();
    let state = State { θ, weights: model.weights_at(θ, &mut room), unknowns: &unknowns };
    let tile = |scratch: &mut Scratch, tile: &std::ops::Range<usize>| {
        batch.forward(tile, state, scratch);
        let column = |equation| batch.residuals(equation, tile, scratch).to_vec();
        (0..residual.equations()).map(column).collect::<Vec<_>>()
    };
    let own = ranks.own_share(batch.tiles().len());
    let own = &batch.tiles()[own];
    let tiles: Vec<Vec<Vec<f64>>> =
        own.par_iter().map_init(|| Scratch::new(std::iter::once(&batch)), tile).collect();
    for (tile, parts) in own.iter().zip(tiles) {
        let points = tile.start * PANEL..tile.start * PANEL + batch.valid(tile);
        columns
            .iter_mut()
            .zip(parts)
            .for_each(|(column, part)| column[points.clone()].copy_from_slice(&part));
    }
    let sizes: Vec<usize> = batch.tiles().iter().map(|tile| batch.valid(tile)).collect();
    columns.iter_mut().for_each(|column| ranks.complete_shares(column, &sizes, 1));
    columns
}

/// Calls `visit` with the values of all expressions at some of the points, and with their rows of derivatives
/// by θ, those of an expression times its factor, until it has seen all points: in an order of its own, and
/// with no more memory than a few thousand rows take. Of networks without windows: each window has a θ of its
/// own. Runs on the current rayon pool.
pub fn visit_rows(
    (residual, factors): (&Residual, &[f64]),
    model: &Model,
    unknowns: &[Unknown],
    θ: &[f64],
    points: &Points,
    visit: &mut dyn FnMut(&[f64], &[f64]),
) {
    if points.is_empty() {
        return;
    }
    let mut batch = Batch::new(residual, model);
    batch.roots.copy_from_slice(factors);
    batch.set_points(points);
    let unknowns = at(unknowns, model, θ);
    let mut room = Vec::new();
    let state = State { θ, weights: model.weights_at(θ, &mut room), unknowns: &unknowns };
    let scratch = || Mutex::new(Scratch::new(std::iter::once(&batch)));
    let scratch: Vec<Mutex<Scratch>> = (0..rayon::current_num_threads()).map(|_| scratch()).collect();
    let ranks = &Ranks::default();
    ResidualRows { batch: &batch, model, state, ranks }.blocks(
        1.0,
        &scratch,
        &mut [Vec::new(), Vec::new()],
        visit,
    );
}

/// The rows of derivatives by θ of all expressions at the points: expression by expression, in each point by
/// point. Runs on the current rayon pool.
pub fn rows(
    residual: &Residual,
    model: &Model,
    unknowns: &[Unknown],
    θ: &[f64],
    points: &Points,
) -> Vec<Vec<f64>> {
    let count = residual.equations();
    let ones = vec![1.0; count];
    let mut all = vec![Vec::with_capacity(points.len() * θ.len()); count];
    // One panel is one tile, whose rows come expression by expression.
    let numbers: Vec<usize> = (0..points.len()).collect();
    for panel in numbers.chunks(PANEL) {
        visit_rows((residual, &ones), model, unknowns, θ, &points.select(panel), &mut |_, rows| {
            let parts = rows.chunks_exact(panel.len() * θ.len());
            all.iter_mut().zip(parts).for_each(|(all, part)| all.extend_from_slice(part));
        });
    }
    all
}

/// Value and slope of every unknown at θ.
pub(super) fn at(unknowns: &[Unknown], model: &Model, θ: &[f64]) -> Vec<(f64, f64)> {
    unknowns.iter().zip(&θ[model.parameters()..]).map(|(unknown, &p)| unknown.value(p)).collect()
}
