//! Jacobian rows of residuals, and the Gauss–Newton matrix JᵀJ, some rows at a time.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;

use super::batch::Batch;
use super::tile::{Scratch, State};
use super::values::at;
use super::{Objective, locked};
use crate::jet::PANEL;
use crate::linalg::{PORTION, add_scaled, add_squares_between};
use crate::model::Model;
use crate::ranks::Ranks;

/// The numbers of rows that are held at a time: 8 MB, which stay in the last cache until they are used.
const HELD: usize = 1 << 20;
/// How many times that ranks share at a time at the most: enough for all of them to have something to do, and
/// 128 MB.
const TOGETHER: usize = 16;
/// Rows that are added at a time at the least, so that the sum costs more than the passes over the matrix.
const ROWS: usize = 256;

/// A residual on its points, linearized at a state: the rows ∂r/∂θ.
#[derive(Clone, Copy)]
pub(super) struct ResidualRows<'a> {
    pub(super) batch: &'a Batch,
    pub(super) model: &'a Model,
    pub(super) state: State<'a>,
    /// Who shares the work.
    pub(super) ranks: &'a Ranks,
}

impl ResidualRows<'_> {
    /// The rows of all residuals of a tile times a factor and the roots of their weights, one after the
    /// other, equation by equation; after [`Batch::forward`].
    pub(super) fn of_tile(&self, tile: &Range<usize>, scale: f64, scratch: &mut Scratch, into: &mut [f64]) {
        let Self { batch, model, state, .. } = *self;
        let θ = state.θ;
        let [mut rows, mut pulled] = std::mem::take(&mut scratch.rows);
        let (width, valid) = (tile.len() * PANEL, batch.valid(tile));
        rows.resize((state.weights.len() + state.unknowns.len()) * width, 0.0);
        for (equation, into) in into.chunks_exact_mut((valid * θ.len()).max(1)).enumerate() {
            let scale = scale * batch.roots[equation];
            let only = |e: usize, _, _| if e == equation { scale } else { 0.0 };
            batch.reverse_tape(tile, scratch, only);
            batch.rows(tile, state, scratch, &mut rows);
            if model.is_plain() {
                transpose(&rows, width, into, θ.len());
            } else {
                pulled.resize(θ.len() * width, 0.0);
                model.pull_back_rows(θ, &rows, width, &mut pulled);
                transpose(&pulled, width, into, θ.len());
            }
        }
        scratch.rows = [rows, pulled];
    }

    /// Calls `visit` with some residuals and their rows, times a factor, until it has seen all: tiles are
    /// worked off by all threads, as many at a time as are held in the given room. Ranks share several times
    /// as many, and all see all.
    pub(super) fn blocks(
        &self,
        scale: f64,
        scratch: &[Mutex<Scratch>],
        held: &mut [Vec<f64>; 2],
        visit: &mut dyn FnMut(&[f64], &[f64]),
    ) {
        let parameters = self.state.θ.len();
        for chunks in self.chunks().chunks(self.ranks.size().min(TOGETHER)) {
            let (first, last) = (chunks[0].start, chunks[chunks.len() - 1].end);
            self.fill(&self.batch.tiles()[first..last], scale, scratch, held);
            let [mut residuals, mut rows] = held.each_ref().map(|numbers| &numbers[..]);
            for chunk in chunks {
                let count = self.batch.tiles()[chunk.clone()].iter().map(|tile| self.count(tile)).sum();
                let now = residuals.split_off(..count).zip(rows.split_off(..count * parameters));
                now.into_iter().for_each(|(residuals, rows)| visit(residuals, rows));
            }
        }
    }

    /// The residuals of a tile.
    fn count(&self, tile: &Range<usize>) -> usize {
        self.batch.valid(tile) * self.batch.residual.equations()
    }

    /// Tiles that are seen at the same time.
    fn chunks(&self) -> Vec<Range<usize>> {
        let held = (HELD / self.state.θ.len().max(1)).max(ROWS);
        let (mut chunks, mut start, mut sum) = (Vec::new(), 0, 0);
        for (number, count) in self.batch.tiles().iter().map(|tile| self.count(tile)).enumerate() {
            if sum > 0 && sum + count > held {
                chunks.push(start..number);
                (start, sum) = (number, 0);
            }
            sum += count;
        }
        chunks.push(start..self.batch.tiles().len());
        chunks
    }

    /// The residuals and rows of these tiles.
    fn fill(
        &self,
        tiles: &[Range<usize>],
        scale: f64,
        scratch: &[Mutex<Scratch>],
        [residuals, rows]: &mut [Vec<f64>; 2],
    ) {
        let parameters = self.state.θ.len();
        let sizes: Vec<usize> = tiles.iter().map(|tile| self.count(tile)).collect();
        let total: usize = sizes.iter().sum();
        residuals.resize(total, 0.0);
        rows.resize(total * parameters, 0.0);
        let parts = portions(residuals, &sizes, 1).zip(portions(rows, &sizes, parameters));
        let jobs: Vec<_> = tiles.iter().zip(parts).collect();
        let own = self.ranks.own_share(jobs.len());
        let jobs = jobs.into_par_iter().skip(own.start).take(own.len());
        jobs.with_max_len(1).for_each(|(tile, (residuals, rows))| {
            let slot = rayon::current_thread_index().unwrap_or(0) % scratch.len();
            let scratch: &mut Scratch = &mut locked(&scratch[slot]);
            self.batch.forward(tile, self.state, scratch);
            self.batch.residuals_scaled(tile, scale, scratch, residuals);
            self.of_tile(tile, scale, scratch, rows);
        });
        self.ranks.complete_shares(residuals, &sizes, 1);
        self.ranks.complete_shares(rows, &sizes, parameters);
    }
}

/// A list in parts of this many entries each, times a factor.
fn portions<'a>(
    mut list: &'a mut [f64],
    sizes: &'a [usize],
    each: usize,
) -> impl Iterator<Item = &'a mut [f64]> + 'a {
    sizes.iter().map(move |size| list.split_off_mut(..size * each).unwrap_or_default())
}

impl Objective {
    /// lower(G) += 2·weight/(residuals of the term)·JᵀJ: this rank's portion of it.
    pub(super) fn add_curvature(&mut self, θ: &[f64], term: usize, weight: f64, lower: &mut [f64]) {
        let mut room = std::mem::take(&mut self.weights);
        let unknowns = at(&self.unknowns, &self.model, θ);
        let weights = self.model.weights_at(θ, &mut room);
        let state = State { θ, weights, unknowns: &unknowns };
        let batch = &self.terms[term].batch;
        let scale = (2.0 * weight * batch.share()).sqrt();
        let own = self.own_portion(θ.len());
        let mut visit = |_: &[f64], rows: &[f64]| add_squares_between(lower, own.clone(), rows, θ.len());
        let rows = ResidualRows { batch, model: &self.model, state, ranks: &self.ranks };
        rows.blocks(scale, &self.scratch, &mut self.held, &mut visit);
        self.weights = room;
    }

    /// The rows of a lower triangle that this rank adds up.
    fn own_portion(&self, size: usize) -> Range<usize> {
        let rank = self.ranks.rank();
        portion_start(size, rank, self.ranks.size())..portion_start(size, rank + 1, self.ranks.size())
    }

    /// Takes in the rows of a lower triangle that other ranks have added up.
    pub(super) fn gather_triangle(&self, lower: &mut [f64], size: usize) {
        let count = self.ranks.size();
        self.ranks.complete(|give| {
            for rank in 0..count {
                for row in portion_start(size, rank, count)..portion_start(size, rank + 1, count) {
                    give(rank, &mut lower[row * size..=row * size + row]);
                }
            }
        });
    }
}

/// Where a rank's rows of a lower triangle begin: all have the same area, and rows that are worked on
/// together stay so.
fn portion_start(size: usize, rank: usize, ranks: usize) -> usize {
    let exact = size as f64 * (rank as f64 / ranks as f64).sqrt();
    if rank == ranks { size } else { ((exact / PORTION as f64).round() as usize * PORTION).min(size) }
}

impl Batch {
    /// The rows by weights and unknowns of the residual whose adjoint was taken back through the tape. A
    /// point's sites add up.
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

/// into\[point·parameters + parameter\] = from\[parameter·width + point\], in squares that stay in the
/// first-level cache.
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
