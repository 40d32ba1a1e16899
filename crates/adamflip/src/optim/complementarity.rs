//! Multipliers of inequalities: the complementarity problem of a step, by exchanging blocks of its active
//! set.
//!
//! With G = J D Jᵀ + εI and a right side b, the multipliers of a step that asks for J D g = b of equalities
//! and for at least b of inequalities h ≤ 0 solve
//!
//! Gλ = b for equalities,    0 ≤ λ ⊥ Gλ − b ≥ 0 for inequalities,
//!
//! the conditions of min ½λᵀGλ − bᵀλ over λ ≥ 0 (non-negative least squares), and of the shortest step within
//! the linearized constraints. A set of *active* inequalities gives λ by a smaller solve; whatever has the
//! wrong sign, λ < 0 inside or Gλ < b outside, changes sides, all at once as long as their number falls, else
//! the last one alone, which ends for every positive definite G (Murty's rule). The search begins with the
//! positive entries of b, whatever was active before: so there is nothing to save, and a resumed run finds
//! the same sets.
//!
//! Cost: a factorization of the active part of G a try, of which there are few. Reference: J. J. Júdice and
//! F. M. Pires, A block principal pivoting algorithm for large-scale strictly monotone linear complementarity
//! problems, Computers & Operations Research 21, 1994; feedback linearization with λ ≥ 0: Zhang et al. 2025.

use super::Inequalities;
use crate::linalg::{Cholesky, solve_factored};

/// Exchanges of whole blocks that may fail to bring fewer wrong signs (Júdice and Pires take 3 to 10).
const PATIENCE: usize = 5;
/// Exchanges at the most, as a multiple of the inequalities: far more than any problem of ours has taken.
const MOST: usize = 10;
/// Signs of what is smaller than this share of the largest are rounding.
const ROUNDING: f64 = 1e-13;

/// The inequalities of a problem and which of them are active.
#[derive(Clone, Debug, Default)]
pub(crate) struct ActiveSet {
    inequalities: Inequalities,
    /// By entry of h; equalities are always active. Empty where all are.
    active: Vec<bool>,
}

impl ActiveSet {
    /// All of h's inequalities inactive.
    pub(crate) fn new(inequalities: Inequalities, constraints: usize) -> Self {
        let mut active = vec![true; if inequalities.is_empty() { 0 } else { constraints }];
        inequalities.entries().for_each(|i| active[i] = false);
        Self { inequalities, active }
    }

    /// Are there only equalities?
    pub(crate) fn is_whole(&self) -> bool {
        self.active.is_empty()
    }

    pub(crate) fn is_active(&self, i: usize) -> bool {
        self.active.is_empty() || self.active[i]
    }

    /// The inequalities, to see what is violated of them.
    pub(crate) fn inequalities(&self) -> &Inequalities {
        &self.inequalities
    }

    /// Zero where entries are inactive.
    pub(crate) fn mask(&self, list: &mut [f64]) {
        list.iter_mut().zip(&self.active).filter(|(_, active)| !**active).for_each(|(x, _)| *x = 0.0);
    }

    /// Finds the set for the lower triangle of G without ε, row after row; `false` where a part of it is not
    /// positive definite.
    pub(crate) fn find(&mut self, triangle: &[f64], ε: f64, b: &[f64]) -> bool {
        let number = self.inequalities.entries().count();
        self.inequalities.entries().for_each(|i| self.active[i] = b[i] > 0.0);
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for _ in 0..MOST * number + 10 {
            let Some(wrong) = self.wrong(triangle, ε, b) else { return false };
            let Some(&last) = wrong.last() else { return true };
            if wrong.len() < fewest {
                (fewest, patience) = (wrong.len(), PATIENCE);
            } else {
                patience = patience.saturating_sub(1);
            }
            let exchanged = if patience > 0 { &wrong[..] } else { std::slice::from_ref(&last) };
            exchanged.iter().for_each(|&i| self.active[i] = !self.active[i]);
        }
        true
    }

    /// The inequalities whose multiplier or slack has the wrong sign; none where the active part of G cannot
    /// be factorized.
    fn wrong(&self, triangle: &[f64], ε: f64, b: &[f64]) -> Option<Vec<usize>> {
        let entry = |i: usize, k: usize| triangle[i.max(k) * (i.max(k) + 1) / 2 + i.min(k)];
        let kept: Vec<usize> = (0..b.len()).filter(|&i| self.active[i]).collect();
        let mut part = Vec::with_capacity(kept.len() * kept.len());
        for &i in &kept {
            part.extend(kept.iter().map(|&k| entry(i, k) + if i == k { ε } else { 0.0 }));
        }
        let mut λ: Vec<f64> = kept.iter().map(|&i| b[i]).collect();
        if !kept.is_empty() {
            Cholesky::new(kept.len()).factor(&mut part).ok()?;
            solve_factored(&part, [&mut λ]);
        }
        let largest = |list: &[f64]| list.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let (most_λ, most_b) = (ROUNDING * largest(&λ), ROUNDING * largest(b));
        let slack = |i: usize| kept.iter().zip(&λ).map(|(&k, λ)| entry(i, k) * λ).sum::<f64>() - b[i];
        let multiplier = |i: usize| kept.binary_search(&i).map_or(0.0, |at| λ[at]);
        let is_wrong = |&i: &usize| match self.active[i] {
            true => multiplier(i) < -most_λ,
            false => slack(i) < -most_b,
        };
        Some(self.inequalities.entries().filter(is_wrong).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optim::Block;
    use crate::optim::tests::problems::solve;

    /// G = A Aᵀ of rows of sines with frequencies of no common measure, and a right side of both signs.
    fn system(size: usize, columns: usize) -> (Vec<f64>, Vec<f64>) {
        let a = |i: usize, c: usize| {
            let at = i * columns + c;
            ((at * at) as f64 * 0.7391 + at as f64).sin()
        };
        let product = |i: usize, k: usize| (0..columns).map(|c| a(i, c) * a(k, c)).sum::<f64>();
        let mut triangle = Vec::new();
        for i in 0..size {
            triangle.extend((0..=i).map(|k| product(i, k)));
        }
        (triangle, (0..size).map(|i| (1.3 * i as f64).cos()).collect())
    }

    /// λ of the set by elimination, and the slacks Gλ − b.
    fn solved(set: &ActiveSet, triangle: &[f64], ε: f64, b: &[f64]) -> [Vec<f64>; 2] {
        let size = b.len();
        let entry = |i: usize, k: usize| {
            triangle[i.max(k) * (i.max(k) + 1) / 2 + i.min(k)] + if i == k { ε } else { 0.0 }
        };
        let kept: Vec<usize> = (0..size).filter(|&i| set.is_active(i)).collect();
        let part = kept.iter().map(|&i| kept.iter().map(|&k| entry(i, k)).collect()).collect();
        let solution = solve(part, kept.iter().map(|&i| b[i]).collect());
        let mut λ = vec![0.0; size];
        kept.iter().zip(solution).for_each(|(&i, x)| λ[i] = x);
        let slack = |i: usize| (0..size).map(|k| entry(i, k) * λ[k]).sum::<f64>() - b[i];
        let slacks = (0..size).map(slack).collect();
        [λ, slacks]
    }

    #[test]
    fn multipliers_and_slacks_complement_each_other() {
        for (size, columns, ε) in [(5, 9, 0.0), (12, 30, 0.0), (30, 10, 0.05), (1, 3, 0.0)] {
            let (triangle, b) = system(size, columns);
            let equalities = size / 4;
            let blocks = [Block::residuals(equalities), Block::inequalities(size - equalities)];
            let mut set = ActiveSet::new(Inequalities::of(&blocks), size);
            assert!(set.find(&triangle, ε, &b));
            let [λ, slack] = solved(&set, &triangle, ε, &b);
            for i in 0..size {
                // Rounding of a solve with a condition of some thousands.
                let tolerance = 1e-9;
                match set.is_active(i) {
                    true => assert!(slack[i].abs() < tolerance && (i < equalities || λ[i] > -tolerance)),
                    false => assert!(i >= equalities && λ[i] == 0.0 && slack[i] > -tolerance),
                }
            }
            // From where it is, there is nothing to exchange.
            assert_eq!(set.wrong(&triangle, ε, &b), Some(Vec::new()));
        }
    }

    #[test]
    fn a_matrix_without_rank_is_refused() {
        let mut set = ActiveSet::new(Inequalities::of(&[Block::inequalities(2)]), 2);
        assert!(!set.find(&[1.0, 1.0, 1.0], 0.0, &[1.0, 1.0]), "twice the same row");
        assert!(set.find(&[1.0, 1.0, 1.0], 1e-6, &[1.0, 1.0]));
    }

    #[test]
    fn masks_follow_the_set() {
        let mut set = ActiveSet::new(Inequalities::of(&[Block::residuals(1), Block::inequalities(2)]), 3);
        assert!(set.find(&[1.0, 0.0, 1.0, 0.0, 0.0, 1.0], 0.0, &[-1.0, -1.0, 1.0]));
        let mut list = [5.0, 6.0, 7.0];
        set.mask(&mut list);
        assert_eq!(list, [5.0, 0.0, 7.0]);
        assert!(ActiveSet::default().is_whole() && ActiveSet::default().is_active(3));
    }
}
