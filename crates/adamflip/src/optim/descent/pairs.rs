//! The memory of L-BFGS: the last pairs s = Δθ and y = Δ∇L, and the product of the inverse Hessian that they
//! imply.
//!
//! The product is the two-loop recursion (Nocedal and Wright, algorithm 7.4) with H₀ = (sᵀy/yᵀy) I of the
//! newest pair: 4·pairs·P multiplications. All memory is taken at the start.

use super::curvature::{Move, set_pair};
use crate::linalg::{add_scaled, dot};

/// A ring of curvature pairs.
#[derive(Debug)]
pub(crate) struct Pairs {
    parameters: usize,
    /// Pairs that outlive a change of the function.
    carried: usize,
    capacity: usize,
    pairs: usize,
    /// The slot that the next pair goes to.
    next: usize,
    /// s, one a slot.
    steps: Vec<f64>,
    /// y, one a slot.
    changes: Vec<f64>,
    /// sᵀy, one a slot.
    products: Vec<f64>,
    /// The coefficients of the first loop.
    coefficients: Vec<f64>,
}

impl Pairs {
    pub(crate) fn new(parameters: usize, capacity: usize, carried: usize) -> Self {
        Self {
            parameters,
            carried,
            capacity,
            pairs: 0,
            next: 0,
            steps: vec![0.0; parameters * capacity],
            changes: vec![0.0; parameters * capacity],
            products: vec![0.0; capacity],
            coefficients: vec![0.0; capacity],
        }
    }

    pub(super) fn count(&self) -> usize {
        self.pairs
    }

    /// Keeps the newest pairs only, this many at the most.
    pub(super) fn keep(&mut self, newest: usize) {
        self.pairs = self.pairs.min(newest);
    }

    pub(super) fn carry(&mut self) {
        self.keep(self.carried);
    }

    /// The slot of the pair with this age rank, from the oldest at 0.
    fn slot(&self, rank: usize) -> usize {
        (self.next + self.capacity - self.pairs + rank) % self.capacity
    }

    fn pair(&self, slot: usize) -> (&[f64], &[f64]) {
        let range = slot * self.parameters..(slot + 1) * self.parameters;
        (&self.steps[range.clone()], &self.changes[range])
    }

    /// Takes in the pair of a step if it is good enough, in place of the oldest where the memory is full.
    pub(super) fn push(&mut self, step: Move<'_>) {
        if self.capacity == 0 {
            return;
        }
        let range = self.next * self.parameters..(self.next + 1) * self.parameters;
        // Where the memory is full this slot holds the oldest pair, which is lost even if the new one is
        // refused.
        let full = self.pairs == self.capacity;
        match set_pair(&mut self.steps[range.clone()], &mut self.changes[range], &step) {
            None => self.pairs -= usize::from(full),
            Some(product) => {
                self.products[self.next] = product;
                self.next = (self.next + 1) % self.capacity;
                self.pairs = (self.pairs + 1).min(self.capacity);
            }
        }
    }

    /// d = −H g.
    pub(super) fn direction(&mut self, g: &[f64], d: &mut [f64]) {
        for (d, g) in d.iter_mut().zip(g) {
            *d = -g;
        }
        for rank in (0..self.pairs).rev() {
            let slot = self.slot(rank);
            let (s, y) = self.pair(slot);
            let coefficient = dot(s, d) / self.products[slot];
            add_scaled(d, -coefficient, y);
            self.coefficients[slot] = coefficient;
        }
        if self.pairs > 0 {
            let newest = self.slot(self.pairs - 1);
            let (_, y) = self.pair(newest);
            let scale = self.products[newest] / dot(y, y);
            d.iter_mut().for_each(|d| *d *= scale);
        }
        for rank in 0..self.pairs {
            let slot = self.slot(rank);
            let (s, y) = self.pair(slot);
            let correction = dot(y, d) / self.products[slot];
            add_scaled(d, self.coefficients[slot] - correction, s);
        }
    }

    /// All s and all y, the oldest first.
    pub(super) fn lists(&self) -> [Vec<f64>; 2] {
        let mut lists = [Vec::new(), Vec::new()];
        for rank in 0..self.pairs {
            let (s, y) = self.pair(self.slot(rank));
            lists[0].extend_from_slice(s);
            lists[1].extend_from_slice(y);
        }
        lists
    }

    /// Do these lists fit this memory?
    pub(super) fn fits(&self, steps: &[f64], changes: &[f64]) -> bool {
        let most = self.parameters * self.capacity;
        steps.len() == changes.len()
            && steps.len() <= most
            && steps.len().is_multiple_of(self.parameters.max(1))
    }

    /// Puts lists that fit in place of all pairs. The products are those of the same numbers in the same
    /// order, hence the same bits.
    pub(super) fn set(&mut self, steps: &[f64], changes: &[f64]) {
        self.steps[..steps.len()].copy_from_slice(steps);
        self.changes[..changes.len()].copy_from_slice(changes);
        self.pairs = steps.len() / self.parameters.max(1);
        self.next = if self.capacity == 0 { 0 } else { self.pairs % self.capacity };
        for slot in 0..self.pairs {
            let (s, y) = self.pair(slot);
            let product = dot(s, y);
            self.products[slot] = product;
        }
    }
}
