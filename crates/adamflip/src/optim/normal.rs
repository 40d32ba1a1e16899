//! The normal equations of the constraints: G = J D Jᵀ + εI, factorised once a step, solved for several right
//! sides.
//!
//! D is a diagonal metric, the identity where none is given. Of written-out rows G takes m²P flop for m
//! constraints and P parameters, which for m in the hundreds outweighs everything else here; rows in factors
//! ([`Jacobian`]) take much less.
//!
//! Where some constraints are inequalities, G is that of the active ones, which the right side decides on
//! ([`ActiveSet`]): the others have no row, and zero as solution.

use super::complementarity::ActiveSet;
use super::jacobian::gram;
use super::multiplier::Damping;
use super::spectrum::{self, Spectrum};
use super::{Inequalities, Jacobian};
use crate::linalg::{Cholesky, add_scaled, dot, solve_factored};

/// Numbers of a row that are worked on at a time in a metric: a thousand rows of it are two megabytes.
const BLOCK: usize = 256;
/// The least ε of another attempt where a factorization failed, as a share of tr(G)/m: a hundred roundings.
const LEAST: f64 = 1e-14;
/// Attempts after the first. ε grows tenfold with each, so that the last has ε > tr(G)/m, with which no Gram
/// matrix fails.
const ATTEMPTS: usize = 16;

/// G and its factor.
#[derive(Debug)]
pub(crate) struct Normal {
    size: usize,
    /// Row-major; the lower triangle is J D Jᵀ, then its factor.
    gram: Vec<f64>,
    /// The lower triangle of J D Jᵀ, row after row: a failed factorization leaves nothing of it in `gram`.
    undamped: Vec<f64>,
    solver: Cholesky,
    /// Which constraints have rows in the factor.
    pub(crate) active: ActiveSet,
    pub(crate) solvable: bool,
    /// ε of the last factorization.
    pub(crate) ε: f64,
    /// A right side.
    room: Vec<f64>,
    /// Some columns of J√D and, below them, of √D∇f.
    scaled: Vec<f64>,
    /// Room for the spectrum, where it was asked for.
    work: Vec<f64>,
    pub(crate) spectrum: Spectrum,
    diagnose: bool,
}

impl Normal {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            gram: vec![0.0; size * size],
            undamped: vec![0.0; size * (size + 1) / 2],
            solver: Cholesky::new(size),
            active: ActiveSet::default(),
            solvable: false,
            ε: 0.0,
            room: vec![0.0; size],
            scaled: Vec::new(),
            work: Vec::new(),
            spectrum: Spectrum::default(),
            diagnose: false,
        }
    }

    /// The same for this many constraints.
    pub(crate) fn resize(&mut self, size: usize) {
        if self.size != size {
            let wanted = self.diagnose;
            *self = Self::new(size);
            self.diagnose(wanted);
        }
    }

    /// Learns which constraints are inequalities.
    pub(crate) fn meet(&mut self, inequalities: Inequalities) {
        if self.active.is_whole() {
            self.active = ActiveSet::new(inequalities, self.size);
        }
    }

    /// Whether later factorizations also find the spectrum.
    pub(crate) fn diagnose(&mut self, wanted: bool) {
        self.diagnose = wanted;
        let exact = wanted && self.size <= spectrum::EXACT;
        self.work.resize(if exact { self.size * (self.size + 2) } else { 0 }, 0.0);
        self.spectrum = Spectrum::default();
    }

    /// G = J D Jᵀ (not yet damped) and right −= J D ∇f.
    pub(crate) fn gather(
        &mut self,
        j: &Jacobian,
        gradient: &[f64],
        metric: Option<&[f64]>,
        right: &mut [f64],
    ) {
        match metric {
            Some(metric) => self.gather_in(metric, j.rows(), gradient, right),
            None => {
                j.gram(&mut self.gram);
                j.times(gradient, &mut self.room);
                add_scaled(right, -1.0, &self.room);
            }
        }
    }

    /// The same in a metric, of written-out rows: both sides are scaled by √D, block by block.
    fn gather_in(&mut self, metric: &[f64], j: &[f64], gradient: &[f64], right: &mut [f64]) {
        let (m, columns) = (self.size, gradient.len());
        self.gram.fill(0.0);
        // Memory on the first call only.
        self.scaled.resize((m + 1) * BLOCK.min(columns), 0.0);
        for start in (0..columns).step_by(BLOCK) {
            let block = start..columns.min(start + BLOCK);
            let width = block.len();
            let sources = j.chunks_exact(columns).chain([gradient]);
            for (scaled, row) in self.scaled.chunks_exact_mut(width).zip(sources) {
                let pairs = row[block.clone()].iter().zip(&metric[block.clone()]);
                scaled.iter_mut().zip(pairs).for_each(|(scaled, (x, d))| *scaled = x * d.sqrt());
            }
            let (rows, last) = self.scaled[..(m + 1) * width].split_at(m * width);
            gram(rows, width, m, &mut self.gram);
            right.iter_mut().zip(rows.chunks_exact(width)).for_each(|(right, row)| *right -= dot(row, last));
        }
    }

    /// Damps and factorises G and overwrites `right` with the solution: zero where J vanishes altogether
    /// (nothing to control) or is not finite. Where G is not positive definite to rounding, as with redundant
    /// rows and ε = 0, ε grows until it is: without multipliers the step would be plain descent on f.
    pub(crate) fn factor(&mut self, damping: Damping, right: &mut [f64]) {
        let m = self.size;
        let mean = (0..m).map(|i| self.gram[i * m + i]).sum::<f64>() / m as f64;
        self.ε = match damping {
            Damping::Absolute(ε) => ε,
            Damping::Relative(ε) => ε * mean,
        };
        self.keep();
        self.factor_kept(mean, right);
        if self.diagnose {
            self.spectrum = self.find_spectrum(mean);
        }
        self.solve([right]);
    }

    /// The same matrix for another right side, where that decides on another active set.
    pub(crate) fn factor_again(&mut self, right: &[f64]) {
        if self.active.is_whole() {
            return;
        }
        let m = self.size;
        let mean = (0..m).map(|i| self.undamped[diagonal(i)]).sum::<f64>() / m as f64;
        self.bring_back();
        self.factor_kept(mean, right);
    }

    fn factor_kept(&mut self, mean: f64, right: &[f64]) {
        let vanishes = mean <= 0.0;
        self.solvable = !vanishes && self.attempt(right);
        for _ in 0..ATTEMPTS {
            if self.solvable || vanishes || !mean.is_finite() {
                break;
            }
            self.ε = (10.0 * self.ε).max(LEAST * mean);
            self.bring_back();
            self.solvable = self.attempt(right);
        }
    }

    /// Exact for few constraints; for many from the factor, since eigenvalues would cost far more than the
    /// step itself.
    fn find_spectrum(&mut self, mean: f64) -> Spectrum {
        let m = self.size;
        let kept: Vec<usize> = (0..m).filter(|&i| self.active.is_active(i)).collect();
        if m <= spectrum::EXACT && kept.len() == m {
            return spectrum::exact(&self.undamped, m, &mut self.work);
        }
        if m <= spectrum::EXACT {
            let row =
                |&i: &usize| kept.iter().take_while(move |&&k| k <= i).map(move |&k| diagonal(i) - i + k);
            let part: Vec<f64> = kept.iter().flat_map(row).map(|at| self.undamped[at]).collect();
            return spectrum::exact(&part, kept.len(), &mut self.work[..kept.len() * (kept.len() + 2)]);
        }
        match self.solvable && mean > 0.0 {
            true => {
                let largest = kept.iter().map(|&i| self.undamped[diagonal(i)]).fold(0.0, f64::max) + self.ε;
                spectrum::estimate(kept.iter().map(|&i| self.pivot(i)), largest, self.ε)
            }
            false if mean == 0.0 => Spectrum { condition: f64::INFINITY, rank: 0.0 },
            false => Spectrum::default(),
        }
    }

    fn keep(&mut self) {
        let mut rest = &mut self.undamped[..];
        for (i, row) in self.gram.chunks_exact(self.size.max(1)).enumerate() {
            let (kept, others) = rest.split_at_mut(i + 1);
            kept.copy_from_slice(&row[..=i]);
            rest = others;
        }
    }

    fn bring_back(&mut self) {
        let mut rest = &self.undamped[..];
        for (i, row) in self.gram.chunks_exact_mut(self.size.max(1)).enumerate() {
            let (kept, others) = rest.split_at(i + 1);
            row[..=i].copy_from_slice(kept);
            rest = others;
        }
    }

    /// Adds ε and factorises. A pivot that is rounding of what it was left of is a failure, too: it is
    /// positive by chance.
    fn attempt(&mut self, right: &[f64]) -> bool {
        #[cfg(test)]
        super::tests::work::factorized();
        let (m, ε) = (self.size, self.ε);
        if !self.active.is_whole() {
            if !self.active.find(&self.undamped, ε, right) {
                return false;
            }
            self.leave_out();
        }
        (0..m).for_each(|i| self.gram[i * m + i] += ε);
        self.solver.factor(&mut self.gram).is_ok() && (0..m).all(|i| self.pivot(i) > self.rounding(i))
    }

    /// Takes the rows and columns of inactive constraints out of G but for the diagonal.
    fn leave_out(&mut self) {
        for (i, row) in self.gram.chunks_exact_mut(self.size).enumerate() {
            let is_active = self.active.is_active(i);
            for (k, entry) in row[..i].iter_mut().enumerate() {
                if !(is_active && self.active.is_active(k)) {
                    *entry = 0.0;
                }
            }
            // A row that vanishes is as good as any other that counts for nothing.
            if !is_active && row[i] == 0.0 {
                row[i] = 1.0;
            }
        }
    }

    fn pivot(&self, i: usize) -> f64 {
        self.gram[i * self.size + i].powi(2)
    }

    /// The rounding of a diagonal entry and of the few sums that are taken off it.
    fn rounding(&self, i: usize) -> f64 {
        4.0 * f64::EPSILON * self.undamped[diagonal(i)]
    }

    /// v ← v − JᵀG⁻¹J D v: what is left of v when its part along the constraints' gradients is taken away,
    /// but for the damping.
    pub(crate) fn project(&mut self, j: &Jacobian, metric: Option<&[f64]>, v: &mut [f64]) {
        let mut right = std::mem::take(&mut self.room);
        j.times_in(metric, v, &mut right);
        self.solve([&mut right]);
        right.iter_mut().for_each(|x| *x = -*x);
        j.add_transposed(&right, v);
        self.room = right;
    }

    /// Overwrites right sides with G⁻¹·right, or with zero as in [`factor`](Self::factor).
    pub(crate) fn solve<const N: usize>(&self, mut rights: [&mut [f64]; N]) {
        match self.solvable {
            true => {
                rights.iter_mut().for_each(|right| self.active.mask(right));
                solve_factored(&self.gram, rights);
            }
            false => rights.into_iter().for_each(|right| right.fill(0.0)),
        }
    }
}

/// Where a triangle that is kept row after row has its diagonal.
fn diagonal(i: usize) -> usize {
    i * (i + 3) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of sines with frequencies of no common measure: well conditioned, and not of any special
    /// structure.
    fn rows(m: usize, columns: usize) -> Vec<f64> {
        (0..m * columns).map(|at| ((at * at) as f64 * 0.7391 + at as f64).sin()).collect()
    }

    /// The same system by every path: few and many constraints, with and without a metric, over several
    /// blocks.
    #[test]
    fn solutions_satisfy_the_equations() {
        for m in [1, 16, 17, 70] {
            let columns = 3 * BLOCK + 5;
            let j = Jacobian::from_rows(rows(m, columns), columns);
            let gradient: Vec<f64> = (0..columns).map(|i| (i as f64 * 0.37).cos()).collect();
            let scale: Vec<f64> = (0..columns).map(|i| 0.1 + (i % 7) as f64).collect();
            for metric in [None, Some(&scale[..])] {
                let mut normal = Normal::new(m);
                let mut λ: Vec<f64> = (0..m).map(|i| i as f64 - 2.5).collect();
                let right = λ.clone();
                normal.gather(&j, &gradient, metric, &mut λ);
                normal.factor(Damping::Absolute(0.5), &mut λ);
                let (mut forced, mut v) = (vec![0.0; m], vec![0.0; columns]);
                j.times_in(metric, &gradient, &mut forced);
                j.add_transposed(&λ, &mut v);
                let mut product = vec![0.0; m];
                j.times_in(metric, &v, &mut product);
                for i in 0..m {
                    let (found, expected) = (product[i] + 0.5 * λ[i], right[i] - forced[i]);
                    // Sums of 773 products up to 6, in different orders.
                    assert!((found - expected).abs() < 1e-9, "{m} {}: {found} {expected}", metric.is_some());
                }
                // Further right sides by the factor: the same λ again.
                let mut again: Vec<f64> =
                    right.iter().zip(&forced).map(|(right, forced)| right - forced).collect();
                normal.solve([&mut again]);
                assert!(again.iter().zip(&λ).all(|(x, y)| (x - y).abs() < 1e-10), "{m}");
            }
        }
    }

    #[test]
    fn projections_leave_nothing_along_the_rows() {
        let (m, columns) = (20, 500);
        let (j, mut v) = (Jacobian::from_rows(rows(m, columns), columns), vec![1.0; columns]);
        let mut normal = Normal::new(m);
        let mut right = vec![0.0; m];
        normal.gather(&j, &v, None, &mut right);
        normal.factor(Damping::Relative(1e-6), &mut right);
        normal.project(&j, None, &mut v);
        normal.project(&j, None, &mut v);
        j.times(&v, &mut right);
        // The damping's share squared, 1e-12, of products of some ten.
        assert!(right.iter().all(|x| x.abs() < 1e-9), "{right:?}");
    }

    /// Twice the same rows without any damping, by either algorithm: J v = −J∇f still holds for v = Jᵀλ.
    #[test]
    fn redundant_rows_are_controlled_without_damping() {
        for m in [2, 10, 40, 150] {
            let columns = 300;
            let half = rows(m / 2, columns);
            let j = Jacobian::from_rows([&half[..], &half[..]].concat(), columns);
            let gradient: Vec<f64> = (0..columns).map(|i| (i as f64 * 0.37).cos()).collect();
            for damping in [Damping::Absolute(0.0), Damping::Relative(0.0), Damping::Absolute(1e-30)] {
                let (mut normal, mut λ) = (Normal::new(m), vec![0.0; m]);
                normal.gather(&j, &gradient, None, &mut λ);
                let right = λ.clone();
                normal.factor(damping, &mut λ);
                assert!(normal.solvable && normal.ε > 0.0, "{m} {damping:?}");
                let (mut v, mut found) = (vec![0.0; columns], vec![0.0; m]);
                j.add_transposed(&λ, &mut v);
                j.times(&v, &mut found);
                // Rounding over the share 1e-14 of the damping leaves two digits at worst.
                let close = found.iter().zip(&right).all(|(x, y)| (x - y).abs() < 0.05 * (1.0 + y.abs()));
                assert!(close, "{m} {damping:?}: {found:?} {right:?}");
            }
        }
    }

    #[test]
    fn many_constraints_are_judged_by_their_pivots() {
        let (m, columns) = (100, 500);
        let mut twice = rows(m / 2, columns);
        twice.extend_from_within(..);
        for (rows, rank) in [(rows(m, columns), 100.0), (twice, 50.0), (vec![0.0; m * columns], 0.0)] {
            let (mut normal, mut right) = (Normal::new(m), vec![0.0; m]);
            normal.diagnose(true);
            normal.gather(&Jacobian::from_rows(rows, columns), &vec![0.0; columns], None, &mut right);
            normal.factor(Damping::Relative(1e-4), &mut right);
            let Spectrum { condition, rank: found } = normal.spectrum;
            assert_eq!(found, rank);
            match rank {
                // Sines without a pattern: singular values between √500 ∓ √100 at the most, some ten of
                // condition.
                100.0 => assert!(condition < 100.0, "{condition}"),
                // The damping, between ε and 2ε, is the least pivot.
                50.0 => assert!(condition > 0.4e4 && condition < 2e4, "{condition}"),
                _ => assert_eq!(condition, f64::INFINITY),
            }
        }
    }

    #[test]
    fn vanishing_constraints_have_zero_multipliers() {
        for damping in [Damping::Relative(1e-6), Damping::Absolute(1e-6)] {
            let mut normal = Normal::new(2);
            let mut right = [1.0, 2.0];
            normal.gather(&Jacobian::from_rows(vec![0.0; 6], 3), &[1.0; 3], None, &mut right);
            normal.factor(damping, &mut right);
            assert_eq!(right, [0.0, 0.0]);
            right = [1.0, 2.0];
            normal.solve([&mut right]);
            assert_eq!(right, [0.0, 0.0]);
        }
    }
}
