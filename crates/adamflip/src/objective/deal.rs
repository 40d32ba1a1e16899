//! Lanes dealt out to ranks, and what every rank then needs of the others'.

use std::sync::PoisonError;

use super::run::TermWork;
use super::tile::Lane;
use super::{Objective, locked};
use crate::factors::Strip;
use crate::optim::{ConstrainedProblem, Want};
use crate::ranks::{Give, Ranks, Sum};

impl Objective {
    /// Deals lanes out to ranks: the most costly first, each to the rank that has least to do.
    pub(super) fn deal(&mut self) {
        let lanes = |term: usize| (0..self.terms[term].lanes()).map(move |lane| (term, lane));
        let mut jobs: Vec<_> = (0..self.terms.len()).flat_map(lanes).collect();
        let cost = |&(term, lane): &(usize, usize)| self.terms[term].lane_cost(lane);
        jobs.sort_by_key(|job| std::cmp::Reverse(cost(job)));
        let mut busy = vec![0; self.ranks.size()];
        self.owners = self.terms.iter().map(|term| vec![0; term.lanes()]).collect();
        for job in &jobs {
            // The first of those with least to do.
            let rank = (0..busy.len()).min_by_key(|&rank| busy[rank]).unwrap_or(0);
            busy[rank] += cost(job).max(1);
            self.owners[job.0][job.1] = rank;
        }
        jobs.retain(|&(term, lane)| self.owners[term][lane] == self.ranks.rank());
        self.jobs = jobs;
    }

    /// The lanes of all terms: how many ranks can have something to do.
    pub fn lanes(&self) -> usize {
        self.terms.iter().map(TermWork::lanes).sum()
    }

    /// After this rank's lanes: takes in what an evaluation has of the others'.
    pub(super) fn gather_lanes(&mut self, θ: &[f64], want: Want<'_>) {
        if self.ranks.is_alone() {
            return;
        }
        let ranks = self.ranks.clone();
        self.make_room(want);
        ranks.complete(|give| {
            self.give_misfits(give);
            self.give_blocks(want, give);
        });
        self.sum_lanes(θ, want, &ranks);
    }

    /// Sums of squares and largest residuals.
    fn give_misfits(&mut self, give: &mut Give<'_>) {
        for (lanes, owners) in self.lanes.iter_mut().zip(&self.owners) {
            for (lane, &owner) in lanes.iter_mut().zip(owners) {
                let Lane { sum_of_squares, weighted, largest, .. } =
                    lane.get_mut().unwrap_or_else(PoisonError::into_inner);
                let mut numbers = [*sum_of_squares, *weighted, *largest];
                give(owner, &mut numbers);
                [*sum_of_squares, *weighted, *largest] = numbers;
            }
        }
    }

    /// Makes room for other ranks' blocks.
    fn make_room(&mut self, want: Want<'_>) {
        let (parameters, mut first) = (self.parameters(), 0);
        for (number, term) in self.terms.iter().enumerate() {
            let owners = &self.owners[number];
            for (index, (tile, block)) in term.batch.tiles().iter().zip(&self.blocks[number]).enumerate() {
                if owners[index % owners.len()] == self.ranks.rank() {
                    continue;
                }
                let (block, entries) = (&mut *locked(block), term.entries(tile));
                block.residuals.resize(entries.len(), 0.0);
                match want {
                    Want::Gradients => block.rows.resize(entries.len() * parameters, 0.0),
                    Want::Products => {
                        let valid = term.batch.valid(tile).max(1);
                        block.strips.resize_with(entries.len() / valid, Strip::default);
                        for (equation, strip) in block.strips.iter_mut().enumerate() {
                            let start = first + entries.start + equation * valid;
                            strip.arrange(start..start + valid, &self.parts[number]);
                        }
                    }
                    Want::Values | Want::Combination(_) => {}
                }
            }
            first += term.constraints();
        }
    }

    /// Residuals of pointwise constraints, and their rows as they are wanted.
    fn give_blocks(&mut self, want: Want<'_>, give: &mut Give<'_>) {
        for (blocks, owners) in self.blocks.iter_mut().zip(&self.owners) {
            for (index, block) in blocks.iter_mut().enumerate() {
                let owner = owners[index % owners.len()];
                let block = block.get_mut().unwrap_or_else(PoisonError::into_inner);
                give(owner, &mut block.residuals);
                match want {
                    Want::Gradients => give(owner, &mut block.rows),
                    Want::Products => {
                        block.strips.iter_mut().for_each(|strip| give(owner, strip.numbers_mut()));
                    }
                    Want::Values | Want::Combination(_) => {}
                }
            }
        }
    }

    /// The gradients of all terms: lanes in their order, whoever has them.
    fn sum_lanes(&mut self, θ: &[f64], want: Want<'_>, ranks: &Ranks) {
        let lanes: Vec<Vec<_>> =
            self.lanes.iter().map(|lanes| lanes.iter().map(|lane| locked(lane)).collect()).collect();
        let mut sums = Vec::new();
        for (number, total) in self.totals.iter_mut().enumerate() {
            if !self.terms[number].is_summed(want) {
                continue;
            }
            let owners = &self.owners[number];
            let own = lanes[number].iter().zip(owners).filter(|(_, owner)| **owner == ranks.rank());
            let own = own.map(|(lane, _)| &lane.gradient[..]).collect();
            let [total, _] = total.gradients.get_mut().unwrap_or_else(PoisonError::into_inner);
            sums.push(Sum { owners, own, total });
        }
        ranks.sum_in_order(&mut sums);
        if self.model.is_plain() {
            return;
        }
        for (term, total) in self.terms.iter().zip(&mut self.totals) {
            let [total, pulled] = total.gradients.get_mut().unwrap_or_else(PoisonError::into_inner);
            if term.is_summed(want) {
                self.model.pull_back(θ, total, pulled);
            }
        }
    }
}
