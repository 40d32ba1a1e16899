//! One evaluation: every term's tiles, dealt out to lanes and threads, and added up in order.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::batch::Batch;
use super::rows::ResidualRows;
use super::tile::{Lane, Scratch, State};
use super::{Objective, ResidualStats, locked};
use crate::factors::Strip;
use crate::linalg::{add_scaled, set_scaled};
use crate::optim::{ConstrainedProblem, Want};
use crate::problem::Role;

/// One term: what is evaluated, and what it is to the optimizer.
#[derive(Debug)]
pub(super) struct TermWork {
    pub(super) batch: Batch,
    pub(super) role: Role,
    pub(super) weight: f64,
    /// Lanes at the most.
    pub(super) most_lanes: usize,
    /// Residuals of one equation at one of the batch's points: the nodes of a line, else one.
    pub(super) nodes: usize,
    /// What the file says of [`TermWork::pointwise`].
    pub(super) chosen: Option<bool>,
    /// As a constraint: one entry of h for each residual.
    pub(super) pointwise: bool,
    /// Holds whatever the networks compute: there is nothing to meet point by point.
    pub(super) identity: bool,
    /// As an objective: an entry of h for now, rather than a part of f.
    pub(super) apart: bool,
}

/// How a term enters f and h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TermKind {
    Objective,
    Aggregated,
    Pointwise,
}

impl TermWork {
    pub(super) fn kind(&self) -> TermKind {
        match (self.role, self.pointwise) {
            (Role::Objective, _) if self.apart => TermKind::Aggregated,
            (Role::Objective, _) => TermKind::Objective,
            (Role::Constraint, true) if !self.identity => TermKind::Pointwise,
            (Role::Constraint, _) => TermKind::Aggregated,
        }
    }

    /// Entries of h.
    pub(super) fn constraints(&self) -> usize {
        match self.kind() {
            TermKind::Objective => 0,
            TermKind::Aggregated => 1,
            TermKind::Pointwise => self.batch.count() * self.batch.residual.equations(),
        }
    }

    /// Is a gradient of the whole term wanted?
    pub(super) fn is_summed(&self, want: Want<'_>) -> bool {
        match want {
            Want::Values => false,
            Want::Gradients | Want::Products => self.kind() != TermKind::Pointwise,
            Want::Combination(_) => true,
        }
    }

    /// The entries of h of one tile, counted from the term's first: tile by tile, in it equation by equation.
    pub(super) fn entries(&self, tile: &Range<usize>) -> Range<usize> {
        let equations = self.batch.residual.equations();
        let first = tile.start * crate::jet::PANEL * equations;
        first..first + self.batch.valid(tile) * equations
    }

    /// The equation of every entry of h of a pointwise constraint.
    pub(super) fn equations(&self) -> impl Iterator<Item = usize> + '_ {
        let count = self.batch.residual.equations();
        let tile = move |tile: &Range<usize>| {
            let valid = self.batch.valid(tile);
            (0..count).flat_map(move |equation| std::iter::repeat_n(equation, valid))
        };
        self.batch.tiles().iter().flat_map(tile)
    }

    pub(super) fn lanes(&self) -> usize {
        self.batch.tiles().len().min(self.most_lanes)
    }

    /// The tiles of a lane with their numbers: every n-th.
    fn lane_tiles(&self, lane: usize) -> impl Iterator<Item = (usize, &Range<usize>)> + '_ {
        self.batch.tiles().iter().enumerate().skip(lane).step_by(self.lanes())
    }

    pub(super) fn lane_cost(&self, lane: usize) -> usize {
        self.lane_tiles(lane).map(|(_, tile)| tile.len()).sum::<usize>() * self.batch.flops()
    }
}

/// The gradient of a term: its lanes in order.
#[derive(Debug)]
pub(super) struct Total {
    /// Lanes still at work.
    pub(super) pending: AtomicUsize,
    /// By weights and unknowns, then by θ; the same where θ holds the weights as they are.
    pub(super) gradients: Mutex<[Vec<f64>; 2]>,
}

/// The residuals of a tile, equation by equation, and their rows by θ, written out or in factors.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) residuals: Vec<f64>,
    pub(super) rows: Vec<f64>,
    pub(super) strips: Vec<Strip>,
}

impl Objective {
    /// Runs every job, on as many threads as the pool has; fills `latest`.
    pub(super) fn run(&mut self, θ: &[f64], want: Want<'_>) {
        let parameters = &θ[self.model.parameters()..];
        for ((value, unknown), &p) in self.unknown_values.iter_mut().zip(&self.unknowns).zip(parameters) {
            *value = unknown.value(p);
        }
        let mut room = std::mem::take(&mut self.weights);
        let weights = self.model.weights_at(θ, &mut room);
        let state = State { θ, weights, unknowns: &self.unknown_values };
        for (total, lanes) in self.totals.iter_mut().zip(&self.lanes) {
            *total.pending.get_mut() = lanes.len();
        }
        let (own, next, is_alone) = (&self.jobs, AtomicUsize::new(0), self.ranks.is_alone());
        let worker = || {
            let slot = rayon::current_thread_index().unwrap_or(0) % self.scratch.len();
            let mut scratch = locked(&self.scratch[slot]);
            while let Some(&(term, lane)) = own.get(next.fetch_add(1, Ordering::Relaxed)) {
                let summed = self.run_lane(term, lane, state, want, &mut scratch);
                // Whoever finishes a term's last lane adds the lanes up, in order, while others still work.
                if self.totals[term].pending.fetch_sub(1, Ordering::AcqRel) == 1 && summed && is_alone {
                    self.add_lanes(term, θ);
                }
            }
        };
        match self.scratch.len() {
            1 => worker(),
            threads => (0..threads).into_par_iter().with_max_len(1).for_each(|_| worker()),
        }
        self.gather_lanes(θ, want);
        self.weights = room;
        let measured = self.latest.iter_mut().zip(&mut self.losses);
        for ((misfit, loss), (term, lanes)) in measured.zip(self.terms.iter().zip(&self.lanes)) {
            (*misfit, *loss) = misfit_of(lanes, term.batch.share());
            *loss *= term.weight;
        }
    }

    /// Works off the tiles of a lane; says whether its gradient is to be added up.
    fn run_lane(
        &self,
        term: usize,
        lane: usize,
        state: State<'_>,
        want: Want<'_>,
        scratch: &mut Scratch,
    ) -> bool {
        let work = &self.terms[term];
        let mut into = locked(&self.lanes[term][lane]);
        let pointwise = work.kind() == TermKind::Pointwise;
        let summed = work.is_summed(want);
        into.clear(summed);
        let scale = work.weight.sqrt();
        let first: usize = self.terms[..term].iter().map(TermWork::constraints).sum();
        for (number, tile) in work.lane_tiles(lane) {
            let batch = &work.batch;
            batch.forward(tile, state, scratch);
            batch.collect(tile, scratch, &mut into);
            if pointwise {
                let mut block = locked(&self.blocks[term][number]);
                block.residuals.resize(work.entries(tile).len(), 0.0);
                batch.residuals_scaled(tile, scale, scratch, &mut block.residuals);
                match want {
                    Want::Gradients => {
                        block.rows.resize(work.entries(tile).len() * state.θ.len(), 0.0);
                        let rows = ResidualRows { batch, model: &self.model, state, ranks: &self.ranks };
                        rows.of_tile(tile, scale, scratch, &mut block.rows);
                    }
                    Want::Products => {
                        let tile = (tile, first + work.entries(tile).start);
                        self.strips_of_tile(term, tile, state, scale, scratch, &mut block.strips);
                    }
                    Want::Values | Want::Combination(_) => {}
                }
            }
            match want {
                Want::Combination(weights) if pointwise => {
                    let entries = work.entries(tile);
                    let weights = &weights[first + entries.start..first + entries.end];
                    let valid = batch.valid(tile);
                    let seed = |equation: usize, point: usize, _| {
                        scale * batch.roots[equation] * weights[equation * valid + point]
                    };
                    batch.reverse(tile, state, scratch, seed, &mut into);
                }
                _ if summed => {
                    let scale = 2.0 * batch.share();
                    let seed = |equation: usize, _, r: f64| scale * batch.roots[equation].powi(2) * r;
                    batch.reverse(tile, state, scratch, seed, &mut into);
                }
                _ => {}
            }
        }
        summed
    }

    /// Adds up the lanes of a term.
    fn add_lanes(&self, term: usize, θ: &[f64]) {
        let [total, pulled] = &mut *locked(&self.totals[term].gradients);
        for (index, lane) in self.lanes[term].iter().enumerate() {
            match index {
                0 => set_scaled(total, 1.0, &locked(lane).gradient),
                _ => add_scaled(total, 1.0, &locked(lane).gradient),
            }
        }
        if !self.model.is_plain() {
            self.model.pull_back(θ, total, pulled);
        }
    }

    /// out = factor·(gradient of the term), or adds it where `written` says that something is there already.
    pub(super) fn gradient_into(&self, term: usize, factor: f64, out: &mut [f64], written: &mut bool) {
        let [raw, pulled] = &*locked(&self.totals[term].gradients);
        let total = if self.model.is_plain() { raw } else { pulled };
        match std::mem::replace(written, true) {
            false => set_scaled(out, factor, total),
            true => add_scaled(out, factor, total),
        }
    }

    /// Copies the entries of h of a pointwise constraint, and their rows where there is room for them.
    pub(super) fn residuals_into(&self, term: usize, residuals: &mut [f64], rows: &mut [f64]) {
        let parameters = self.parameters();
        for (tile, block) in self.terms[term].batch.tiles().iter().zip(&self.blocks[term]) {
            let entries = self.terms[term].entries(tile);
            let block = locked(block);
            residuals[entries.clone()].copy_from_slice(&block.residuals);
            if !rows.is_empty() {
                rows[entries.start * parameters..entries.end * parameters].copy_from_slice(&block.rows);
            }
        }
    }
}

/// Mean square and maximum over all lanes, added up in order, and the mean square with the weights of
/// equations; `share` is one over the number of residuals.
fn misfit_of(lanes: &[Mutex<Lane>], share: f64) -> (ResidualStats, f64) {
    let (mut sum, mut weighted, mut max) = (0.0, 0.0, 0.0f64);
    for lane in lanes {
        let lane = locked(lane);
        (sum, max) = (sum + lane.sum_of_squares, max.max(lane.largest));
        weighted += lane.weighted;
    }
    let max = if sum.is_nan() { f64::NAN } else { max };
    (ResidualStats { mse: sum * share, max }, weighted * share)
}
