//! All residuals linearized at one θ: R v, Rᵀw and R Rᵀ from rows in factors, without a matrix of P columns.
//!
//! Layer by layer a row of R is a sum of outer products of what the sweep has left there forward and what
//! comes back in reverse. R v contracts them with v and takes as many operations as a tangent sweep would, a
//! third of a gradient once the factors are there. The factors of all residuals are kept while θ stays, as
//! long as they take no more than [`HELD`] bytes; of more they are made again, some tiles at a time. Either
//! way the same numbers are added in the same order.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::batch::Carrier;
use super::rows::ResidualRows;
use super::run::{TermKind, TermWork};
use super::tile::{Scratch, State};
use super::values::at;
use super::{Objective, locked};
use crate::factors::{self, Strip, StripForm, StripPart};
use crate::optim::{self, ResidualBlock, ResidualRole, VisitRows};

/// The bytes of factors that are kept: a share of the two gigabytes that a large network may take in all.
pub(super) const HELD: usize = 768 << 20;
/// The bytes that are made at a time where not all are kept.
const SOME: usize = 64 << 20;

/// One tile of one term.
#[derive(Clone, Debug)]
struct Piece {
    term: usize,
    tile: Range<usize>,
    /// Its first residual among all.
    first: usize,
}

/// Factors of rows, and the θ at which they are.
#[derive(Debug, Default)]
pub(super) struct Linearization {
    pieces: Vec<Piece>,
    /// Ranges of pieces whose factors are in memory at the same time.
    chunks: Vec<Range<usize>>,
    /// What rows consist of, by term.
    parts: Vec<Arc<[StripPart]>>,
    strips: Vec<Strip>,
    /// θ of the factors; empty where there are none or not all.
    at: Vec<f64>,
}

impl TermWork {
    /// The number of residuals.
    fn residuals(&self) -> usize {
        self.batch.count() * self.batch.residual.equations()
    }

    /// What residuals are multiplied with, so that their squares (or they themselves) are what f and h have
    /// of them.
    pub(super) fn fold(&self) -> f64 {
        match self.kind() {
            TermKind::Objective | TermKind::Aggregated => (self.weight * self.batch.share()).sqrt(),
            TermKind::Pointwise => self.weight.sqrt(),
        }
    }
}

impl Objective {
    /// The blocks of residuals: a term each.
    pub(super) fn blocks_of_residuals(&self) -> Vec<ResidualBlock> {
        let mut entry = 0;
        let block = |term: &TermWork| {
            let (role, form) = match term.kind() {
                TermKind::Objective => (ResidualRole::Objective, optim::Form::MeanSquare),
                TermKind::Aggregated => (ResidualRole::Constraint(entry), optim::Form::MeanSquare),
                TermKind::Pointwise => (ResidualRole::Constraint(entry), optim::Form::Residuals),
            };
            entry += term.constraints();
            ResidualBlock { role, weight: term.weight, form, size: term.residuals() }
        };
        self.terms.iter().map(block).collect()
    }

    /// Visits all rows, written out, some at a time.
    pub(super) fn visit_all_rows(&mut self, θ: &[f64], visit: &mut VisitRows<'_>) {
        let mut room = std::mem::take(&mut self.weights);
        let unknowns = at(&self.unknowns, &self.model, θ);
        let state = State { θ, weights: self.model.weights_at(θ, &mut room), unknowns: &unknowns };
        let mut first = 0;
        for term in &self.terms {
            let rows = ResidualRows { batch: &term.batch, model: &self.model, state, ranks: &self.ranks };
            let mut seen = |residuals: &[f64], rows: &[f64]| {
                visit(first, residuals, rows);
                first += residuals.len();
            };
            rows.blocks(term.fold(), &self.scratch, &mut self.held, &mut seen);
        }
        self.weights = room;
    }

    /// The residuals of all terms.
    pub(super) fn all_residuals(&mut self, θ: &[f64], out: &mut [f64]) {
        self.arrange_linear();
        let mut room = std::mem::take(&mut self.weights);
        let unknowns = at(&self.unknowns, &self.model, θ);
        let state = State { θ, weights: self.model.weights_at(θ, &mut room), unknowns: &unknowns };
        let mut rest = &mut *out;
        let size = |piece: &Piece| {
            let batch = &self.terms[piece.term].batch;
            batch.valid(&piece.tile) * batch.residual.equations()
        };
        let pieces = self.linear.pieces.iter();
        let jobs: Vec<_> =
            pieces.map(|piece| (piece, rest.split_off_mut(..size(piece)).unwrap_or_default())).collect();
        let own = self.ranks.own_share(jobs.len());
        let own = jobs.into_par_iter().skip(own.start).take(own.len());
        own.with_max_len(1).for_each(|(piece, out)| {
            let (term, scratch) = (&self.terms[piece.term], &mut *self.scratch_of_thread());
            term.batch.forward(&piece.tile, state, scratch);
            term.batch.residuals_scaled(&piece.tile, term.fold(), scratch, out);
        });
        if !self.ranks.is_alone() {
            let sizes: Vec<usize> = self.linear.pieces.iter().map(size).collect();
            self.ranks.complete_shares(out, &sizes, 1);
        }
        self.weights = room;
    }

    fn scratch_of_thread(&self) -> std::sync::MutexGuard<'_, Scratch> {
        locked(&self.scratch[rayon::current_thread_index().unwrap_or(0) % self.scratch.len()])
    }

    /// out = R v.
    pub(super) fn times(&mut self, θ: &[f64], v: &[f64], out: &mut [f64]) {
        let mut change = Vec::new();
        let v = if self.model.is_plain() {
            v
        } else {
            change.resize(self.model.weights() + self.unknowns.len(), 0.0);
            self.model.push_forward(θ, v, &mut change);
            &change
        };
        out.fill(0.0);
        let ranks = self.ranks.clone();
        self.visit_strips(θ, &mut |strips| {
            factors::add_times(&strips[ranks.own_share(strips.len())], v, out);
            ranks.complete(|give| {
                for (number, strip) in strips.iter().enumerate() {
                    give(ranks.owner(strips.len(), number), &mut out[strip.rows()]);
                }
            });
        });
    }

    /// out = Rᵀw.
    pub(super) fn transposed(&mut self, θ: &[f64], w: &[f64], out: &mut [f64]) {
        if self.model.is_plain() {
            return self.transposed_by_weights(θ, w, out);
        }
        let mut by_weights = vec![0.0; self.model.weights() + self.unknowns.len()];
        self.transposed_by_weights(θ, w, &mut by_weights);
        self.model.pull_back(θ, &by_weights, out);
    }

    /// The same by weights and unknowns: a range of columns a rank.
    fn transposed_by_weights(&mut self, θ: &[f64], w: &[f64], out: &mut [f64]) {
        self.arrange_linear();
        out.fill(0.0);
        let (ranks, cuts) = (self.ranks.clone(), self.cuts(out.len()));
        let own = cuts[ranks.rank()]..cuts[ranks.rank() + 1];
        let columns = &mut out[own.clone()];
        self.visit_strips(θ, &mut |strips| factors::add_transposed(strips, w, own.clone(), columns));
        ranks.complete(|give| {
            for (rank, cut) in cuts.windows(2).enumerate() {
                give(rank, &mut out[cut[0]..cut[1]]);
            }
        });
    }

    /// Where the columns of ranks begin, and where the last ends: nearly even parts that divide no layer.
    fn cuts(&self, columns: usize) -> Vec<usize> {
        let starts = || self.linear.parts.iter().flat_map(|parts| parts.iter()).map(|part| part.first);
        let cut = |rank: usize| {
            let even = rank * columns / self.ranks.size();
            let cut = starts().chain([0, columns]).min_by_key(|start| (start.abs_diff(even), *start));
            cut.unwrap_or(0)
        };
        (0..=self.ranks.size()).map(cut).collect()
    }

    /// The lower triangle of R Rᵀ; `false` where factors do not offer it. Where not all factors can be kept
    /// it comes block by block, and the factors of a block are made again for every later one: little beside
    /// their products.
    pub(super) fn gram_of_all(&mut self, θ: &[f64], lower: &mut [f64]) -> bool {
        self.arrange_linear();
        if !self.model.is_plain() {
            return false;
        }
        let size = lower.len().isqrt();
        if self.linear.chunks.len() == 1 {
            self.visit_strips(θ, &mut |strips| factors::gram(strips, size, lower));
            return true;
        }
        let (mut own, mut others) = (std::mem::take(&mut self.linear.strips), Vec::new());
        self.linear.at.clear();
        let chunks = self.linear.chunks.clone();
        for (number, chunk) in chunks.iter().enumerate() {
            self.factor(θ, chunk.clone(), &mut own);
            factors::gram(&own, size, lower);
            for before in &chunks[..number] {
                self.factor(θ, before.clone(), &mut others);
                factors::gram_between(&others, &own, size, lower);
            }
        }
        self.linear.strips = own;
        true
    }

    /// The squared lengths of all rows; `false` where factors do not offer them.
    pub(super) fn squares_of_rows(&mut self, θ: &[f64], out: &mut [f64]) -> bool {
        let plain = self.model.is_plain();
        if plain {
            self.visit_strips(θ, &mut |strips| factors::squares(strips, out));
        }
        plain
    }

    /// Calls `visit` with the factors of some rows, until it has seen all.
    fn visit_strips(&mut self, θ: &[f64], visit: &mut dyn FnMut(&[Strip])) {
        self.arrange_linear();
        let mut strips = std::mem::take(&mut self.linear.strips);
        if self.linear.at == θ && !θ.is_empty() {
            visit(&strips);
        } else {
            self.linear.at.clear();
            for chunk in self.linear.chunks.clone() {
                self.factor(θ, chunk, &mut strips);
                visit(&strips);
            }
            if self.linear.chunks.len() == 1 {
                self.linear.at.extend_from_slice(θ);
            }
        }
        self.linear.strips = strips;
    }

    /// The factors of the rows of some pieces.
    fn factor(&mut self, θ: &[f64], chunk: Range<usize>, strips: &mut Vec<Strip>) {
        let mut room = std::mem::take(&mut self.weights);
        let unknowns = at(&self.unknowns, &self.model, θ);
        let state = State { θ, weights: self.model.weights_at(θ, &mut room), unknowns: &unknowns };
        let pieces = &self.linear.pieces[chunk.clone()];
        let equations = |piece: &Piece| self.terms[piece.term].batch.residual.equations();
        strips.resize_with(pieces.iter().map(equations).sum(), Strip::default);
        let mut rest = &mut strips[..];
        let jobs: Vec<_> = pieces
            .iter()
            .map(|piece| (piece, rest.split_off_mut(..equations(piece)).unwrap_or_default()))
            .collect();
        let count = jobs.len();
        let own = self.ranks.own_share(count);
        let own = jobs.into_par_iter().skip(own.start).take(own.len());
        own.with_max_len(1).for_each(|(piece, strips)| {
            let (term, scratch) = (&self.terms[piece.term], &mut *self.scratch_of_thread());
            term.batch.forward(&piece.tile, state, scratch);
            let parts = &self.linear.parts[piece.term];
            term.batch.strips((&piece.tile, piece.first), state, term.fold(), parts, scratch, strips);
        });
        self.weights = room;
        self.gather_strips(chunk, strips);
    }

    /// Takes in the factors that other ranks have made.
    fn gather_strips(&self, chunk: Range<usize>, strips: &mut [Strip]) {
        if self.ranks.is_alone() {
            return;
        }
        let pieces = &self.linear.pieces[chunk];
        let each = |piece: &Piece| self.terms[piece.term].batch.residual.equations();
        let owners =
            |(number, piece)| std::iter::repeat_n(self.ranks.owner(pieces.len(), number), each(piece));
        let owners: Vec<usize> = pieces.iter().enumerate().flat_map(owners).collect();
        let rows = pieces.iter().flat_map(|piece| {
            let (term, valid) = (piece.term, self.terms[piece.term].batch.valid(&piece.tile));
            (0..each(piece)).map(move |equation| (term, piece.first + equation * valid, valid))
        });
        for ((strip, &owner), (term, first, count)) in strips.iter_mut().zip(&owners).zip(rows) {
            if owner != self.ranks.rank() {
                strip.arrange(first..first + count, &self.linear.parts[term]);
            }
        }
        self.ranks.complete(|give| {
            strips.iter_mut().zip(&owners).for_each(|(strip, &owner)| give(owner, strip.numbers_mut()));
        });
    }

    /// Forgets the factors: points, or what constraints are, have changed.
    pub(super) fn forget_linear(&mut self) {
        self.linear = Linearization::default();
    }

    /// Plans pieces and chunks, once for a set of points.
    fn arrange_linear(&mut self) {
        if !self.linear.parts.is_empty() {
            return;
        }
        // All terms have the same form of a layer: the Gram matrix multiplies rows of one with rows of
        // another.
        let slim = |carrier: &Carrier, first, units, streams| {
            slim(first, units, streams, self.mean_streams(carrier.weights.start, TermWork::residuals))
        };
        let parts: Vec<Arc<[StripPart]>> = self.terms.iter().map(|term| self.parts_by(term, slim)).collect();
        let (mut pieces, mut sizes, mut first) = (Vec::new(), Vec::new(), 0);
        for (number, (term, parts)) in self.terms.iter().zip(&parts).enumerate() {
            let panel: usize = parts.iter().map(StripPart::numbers).sum();
            let equations = term.batch.residual.equations();
            for tile in term.batch.tiles() {
                pieces.push(Piece { term: number, tile: tile.clone(), first });
                sizes.push(tile.len() * panel * equations * size_of::<f64>());
                first += term.batch.valid(tile) * equations;
            }
        }
        let chunks = chunks(&sizes, self.held_factors);
        self.linear = Linearization { pieces, chunks, parts, strips: Vec::new(), at: Vec::new() };
    }
}

/// A layer in the form that takes fewer numbers for rows that carry `mean` streams on average: products with
/// vectors are the faster too.
fn slim(first: usize, (inputs, outputs): (usize, usize), streams: usize, mean: f64) -> StripPart {
    let columns = (inputs + 1) * outputs;
    let outer = mean * ((inputs + outputs) as f64) < columns as f64;
    StripPart {
        first,
        form: if outer {
            StripForm::Outer { streams, inputs, outputs }
        } else {
            StripForm::Written { columns }
        },
    }
}

/// All at once where this many bytes can be kept, else as many at a time as are worth the while.
fn chunks(sizes: &[usize], held: usize) -> Vec<Range<usize>> {
    let most = if sizes.iter().sum::<usize>() <= held { held } else { held.min(SOME) };
    let (mut chunks, mut start, mut sum) = (Vec::new(), 0, 0);
    for (i, size) in sizes.iter().enumerate() {
        if sum > 0 && sum + size > most {
            chunks.push(start..i);
            (start, sum) = (i, 0);
        }
        sum += size;
    }
    chunks.push(start..sizes.len());
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optim::ConstrainedProblem;
    use crate::{problem, train};

    #[test]
    fn what_cannot_be_kept_is_made_in_parts_that_can() {
        let all = chunks(&[HELD / 2, HELD / 2], HELD);
        assert!(all.len() == 1 && all[0] == (0..2));
        assert_eq!(chunks(&[SOME / 2; 40], HELD), (0..20).map(|i| 2 * i..2 * i + 2).collect::<Vec<_>>());
        // One that is larger than all is alone.
        assert_eq!(chunks(&[HELD, 1, SOME - 1, 1], HELD), [0..1, 1..3, 3..4]);
    }

    /// Tile by tile the same numbers as at once.
    #[test]
    fn factors_that_are_not_kept_give_the_same_products() {
        let text = "fields = ['u']\n[domain]\nx = [0, 1]\nt = [0, 1]\n\
                    [term.pde]\nequation = 'u_t = u_xx + u*u_x'\npoints = 90\n\
                    [term.walls]\non = ['x = 0', 'x = 1']\nequation = 'u = u(0.5, t)'\npoints = 40\n\
                    [network]\nhidden = '2x12'\n";
        let problem = crate::testing::problem(text);
        let (model, θ) = train::model(&problem, 1);
        let (model, terms) = (Arc::new(model), problem.terms.iter().zip(1..));
        let draw =
            |(term, number): (&problem::Term, u64)| term.source.draw(&problem.domain, 1, number, 0).unwrap();
        let points: Vec<_> = terms.map(draw).collect();
        let products = |held: usize| {
            let mut objective = Objective::new(&problem, model.clone(), &points);
            objective.set_pointwise(Some(true));
            objective.held_factors = held;
            let count = optim::ResidualBlock::total(&objective.residual_blocks());
            let [mut gram, mut image, mut back] =
                [vec![0.0; count * count], vec![0.0; count], vec![0.0; θ.len()]];
            objective.residual_gram(&θ, &mut gram);
            objective.jvp(&θ, &θ, &mut image);
            objective.vjp(&θ, &image, &mut back);
            assert_eq!(objective.linear.chunks.len() == 1, held == HELD);
            [gram, image, back]
        };
        assert_eq!(products(HELD), products(1));
    }
}
