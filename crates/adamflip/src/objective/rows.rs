//! Jacobian rows of residuals, and the Gauss–Newton matrix JᵀJ, some rows at a time.

use std::ops::Range;

use rayon::prelude::*;

use super::batch::Batch;
use super::tile::{Scratch, State};
use super::{Objective, locked};
use crate::jet::PANEL;
use crate::linalg::{Factor, add_scaled, add_symmetric};

/// The numbers of rows that are held at a time: 32 MB.
const HELD: usize = 4 << 20;
/// Rows that are added at a time at the least, so that the sum costs more than the passes over the matrix.
const ROWS: usize = 256;

impl Objective {
    /// The rows of all residuals of a tile times a factor, one after the other, equation by equation.
    pub(super) fn rows_of_tile(
        &self,
        batch: &Batch,
        tile: &Range<usize>,
        state: State<'_>,
        scale: f64,
        scratch: &mut Scratch,
        into: &mut [f64],
    ) {
        let θ = state.θ;
        let [mut rows, mut pulled] = std::mem::take(&mut scratch.rows);
        let (width, valid) = (tile.len() * PANEL, batch.valid(tile));
        rows.resize((state.weights.len() + state.unknowns.len()) * width, 0.0);
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

    /// lower(G) += 2·weight/(residuals of the term)·JᵀJ: tiles are worked off by all threads, as many at a time as are held.
    pub(super) fn add_curvature(&mut self, θ: &[f64], term: usize, weight: f64, lower: &mut [f64]) {
        let mut room = std::mem::take(&mut self.weights);
        let parameters = &θ[self.model.parameters()..];
        let unknowns: Vec<(f64, f64)> =
            self.unknowns.iter().zip(parameters).map(|(unknown, &p)| unknown.value(p)).collect();
        let weights = self.model.weights_at(θ, &mut room);
        let state = State { θ, weights, unknowns: &unknowns };
        let batch = &self.terms[term].batch;
        let scale = (2.0 * weight * batch.share()).sqrt();
        let rows = |tile: &Range<usize>| batch.valid(tile) * batch.residual.equations();
        let held = (HELD / θ.len().max(1)).max(ROWS);
        let mut room_of_rows = Vec::new();
        let mut tiles = batch.tiles();
        while !tiles.is_empty() {
            let mut count = 0;
            let several = tiles.iter().take_while(|tile| {
                let fits = count == 0 || count + rows(tile) <= held;
                count += rows(tile);
                fits
            });
            let (now, later) = tiles.split_at(several.count());
            let sizes: Vec<usize> = now.iter().map(|tile| rows(tile) * θ.len()).collect();
            room_of_rows.resize(sizes.iter().sum(), 0.0);
            let mut rest = &mut room_of_rows[..];
            let parts: Vec<&mut [f64]> =
                sizes.iter().map(|&size| rest.split_off_mut(..size).unwrap_or_default()).collect();
            now.par_iter().zip(parts).with_max_len(1).for_each(|(tile, part)| {
                let slot = rayon::current_thread_index().unwrap_or(0) % self.scratch.len();
                let scratch: &mut Scratch = &mut locked(&self.scratch[slot]);
                batch.forward(tile, state, scratch);
                self.rows_of_tile(batch, tile, state, scale, scratch, part);
            });
            add_symmetric(
                lower,
                1.0,
                Factor::transposed(&room_of_rows, θ.len()),
                Factor::of(&room_of_rows, θ.len()),
            );
            tiles = later;
        }
        self.weights = room;
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
