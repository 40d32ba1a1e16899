//! Ranks: processes that train one problem together.
//!
//! Every rank holds all of θ and of the state of training, and does the same with it. What costs time, sweeps
//! over points, is dealt out; what comes of it is exchanged and added by every rank in the same order. So all
//! ranks have the same bits, those of one rank alone, and nothing above [`objective`](crate::objective) needs
//! to know.
//!
//! How ranks talk is a [`Communicator`]; the program brings one of MPI. A rank alone has none, and costs
//! nothing. What is exchanged for a gradient of P numbers over L lanes by R ranks: every rank sends its
//! lanes' parts to those who add them, (L/R)·P·(R − 1)/R numbers, and its part of the sum to all, P/R
//! numbers: as many as the all-reduce of R. Rabenseifner (*Optimization of collective reduction operations*,
//! ICCS 2004) where there are as many lanes as ranks.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::linalg::{add_scaled, set_scaled};

/// Sums are cut between ranks at multiples of this many numbers: whole vectors of every instruction set, so
/// that the last few numbers are added as one rank alone adds them.
const VECTORS: usize = 64;

/// How ranks exchange numbers. All of them make the same calls in the same order; a call that cannot be
/// completed does not return.
pub trait Communicator: Debug + Send + Sync {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// The numbers of all ranks one after the other, of each as many as `counts` says.
    fn gather(&self, own: &[f64], counts: &[usize], all: &mut [f64]);

    /// Sends every rank its part of `out`, and receives a part from every rank, one after the other.
    fn exchange(&self, out: &[f64], out_counts: &[usize], into: &mut [f64], into_counts: &[usize]);

    /// Returns once all ranks are here, however long that takes: while one of them works alone.
    fn meet(&self);
}

/// The ranks of a training, as one of them sees them.
#[derive(Clone, Debug, Default)]
pub struct Ranks {
    communicator: Option<Arc<dyn Communicator>>,
    sent: Arc<AtomicU64>,
    parted: Arc<AtomicBool>,
}

/// Hands lists of numbers out, each with the rank that has them.
pub(crate) type Give<'a> = dyn FnMut(usize, &mut [f64]) + 'a;

impl Ranks {
    /// Those that talk by this.
    pub fn by(communicator: Arc<dyn Communicator>) -> Self {
        let several = communicator.size() > 1;
        Self { communicator: several.then_some(communicator), ..Self::default() }
    }

    /// The number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.communicator.as_ref().map_or(0, |communicator| communicator.rank())
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.communicator.as_ref().map_or(1, |communicator| communicator.size())
    }

    /// Is there only this one?
    pub fn is_alone(&self) -> bool {
        self.communicator.is_none()
    }

    /// Is it the one that writes and tells?
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// The bytes that this rank has sent to others.
    pub fn bytes_sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// The numbers of all ranks, as many of each.
    pub fn gather(&self, own: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; own.len() * self.size()];
        match &self.communicator {
            Some(communicator) => {
                self.count(own.len() * (self.size() - 1));
                communicator.gather(own, &vec![own.len(); self.size()], &mut all);
            }
            None => all.copy_from_slice(own),
        }
        all
    }

    /// Says that all ranks know that they cannot go on together.
    pub fn part(&self) {
        self.parted.store(true, Ordering::Relaxed);
    }

    /// Do all ranks know that they cannot go on together? Else one that ends leaves the others waiting.
    pub fn have_parted(&self) -> bool {
        self.parted.load(Ordering::Relaxed)
    }

    /// Waits for all ranks, however long the others work.
    pub fn meet(&self) {
        self.communicator.iter().for_each(|communicator| communicator.meet());
    }

    /// A rank's share of this many things in order.
    pub(crate) fn share(&self, count: usize, rank: usize) -> Range<usize> {
        rank * count / self.size()..(rank + 1) * count / self.size()
    }

    /// This rank's share.
    pub(crate) fn own_share(&self, count: usize) -> Range<usize> {
        self.share(count, self.rank())
    }

    /// Who has the share with this thing in it.
    pub(crate) fn owner(&self, count: usize, index: usize) -> usize {
        // The largest rank whose share begins at the index or before.
        ((index + 1) * self.size() - 1) / count.max(1)
    }

    /// Fills in what other ranks have. `lists` hands out the same lists in the same order at every call.
    pub(crate) fn complete(&self, mut lists: impl FnMut(&mut Give<'_>)) {
        let Some(communicator) = &self.communicator else { return };
        let (rank, mut own, mut counts) = (self.rank(), Vec::new(), vec![0; self.size()]);
        lists(&mut |owner, list| {
            counts[owner] += list.len();
            if owner == rank {
                own.extend_from_slice(list);
            }
        });
        self.count(own.len() * (self.size() - 1));
        let mut all = vec![0.0; counts.iter().sum()];
        communicator.gather(&own, &counts, &mut all);
        let mut next = starts(&counts);
        lists(&mut |owner, list| {
            let from = next[owner];
            next[owner] += list.len();
            if owner != rank {
                list.copy_from_slice(&all[from..from + list.len()]);
            }
        });
    }

    /// The same for one list of this many things in shares, `sizes` times `each` numbers a thing.
    pub(crate) fn complete_shares(&self, list: &mut [f64], sizes: &[usize], each: usize) {
        self.complete(|give| {
            let mut rest = &mut list[..];
            for rank in 0..self.size() {
                let count = sizes[self.share(sizes.len(), rank)].iter().sum::<usize>() * each;
                give(rank, rest.split_off_mut(..count).unwrap_or_default());
            }
        });
    }

    /// Adds up lists in order, each of which one rank has. Every rank adds a part of all lists, and sends it
    /// to the others.
    pub(crate) fn sum_in_order(&self, sums: &mut [Sum<'_>]) {
        let Some(communicator) = &self.communicator else { return };
        let (rank, size) = (self.rank(), self.size());
        let (mut out, mut out_counts, mut into_counts) = (Vec::new(), vec![0; size], vec![0; size]);
        for (other, count) in out_counts.iter_mut().enumerate() {
            for sum in &*sums {
                let part = self.part_of_sum(sum.total.len(), other);
                *count += part.len() * sum.own.len();
                sum.own.iter().for_each(|list| out.extend_from_slice(&list[part.clone()]));
            }
        }
        for sum in &*sums {
            let part = self.part_of_sum(sum.total.len(), rank);
            sum.owners.iter().for_each(|&owner| into_counts[owner] += part.len());
        }
        self.count(out.len() - out_counts[rank]);
        let mut into = vec![0.0; into_counts.iter().sum()];
        communicator.exchange(&out, &out_counts, &mut into, &into_counts);
        let mut next = starts(&into_counts);
        for sum in &mut *sums {
            let part = self.part_of_sum(sum.total.len(), rank);
            for (number, &owner) in sum.owners.iter().enumerate() {
                let list = &into[next[owner]..next[owner] + part.len()];
                next[owner] += part.len();
                let total = &mut sum.total[part.clone()];
                if number == 0 { set_scaled(total, 1.0, list) } else { add_scaled(total, 1.0, list) }
            }
        }
        self.complete(|give| {
            for sum in &mut *sums {
                for other in 0..size {
                    let part = self.part_of_sum(sum.total.len(), other);
                    give(other, &mut sum.total[part]);
                }
            }
        });
    }

    /// The part of a sum that a rank adds up.
    fn part_of_sum(&self, length: usize, rank: usize) -> Range<usize> {
        let Range { start, end } = self.share(length.div_ceil(VECTORS), rank);
        (start * VECTORS).min(length)..(end * VECTORS).min(length)
    }

    fn count(&self, numbers: usize) {
        self.sent.fetch_add((numbers * size_of::<f64>()) as u64, Ordering::Relaxed);
    }
}

/// Lists that are added up in order.
pub(crate) struct Sum<'a> {
    /// Who has the lists.
    pub(crate) owners: &'a [usize],
    /// Those of this rank.
    pub(crate) own: Vec<&'a [f64]>,
    /// Where the sum goes.
    pub(crate) total: &'a mut [f64],
}

/// Where lists of these lengths begin, one after the other.
fn starts(counts: &[usize]) -> Vec<usize> {
    let next = |sum: &mut usize, &count: &usize| Some(std::mem::replace(sum, *sum + count));
    counts.iter().scan(0, next).collect()
}
