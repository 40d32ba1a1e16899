//! The pseudoinverse of A Aᵀ, A the constraints' Jacobian, by its eigenvalues.
//!
//! Everything that the method needs of A (multipliers, projections onto null(A), minimum-norm steps) is a
//! product with A, one with (A Aᵀ)⁺ and one with Aᵀ. Forming A Aᵀ costs m²P operations, its eigenvalues about
//! 9m³, every product m·P; nothing else of size m × P is kept. Eigenvalues below `cut` times the largest
//! count as zero, so redundant rows are harmless. Squaring A loses half of the digits; a second pass over
//! what the first one left brings them back (Gould, Hribar and Nocedal 2001, section 6).

use crate::linalg::{SymmetricEigen, add_scaled, dot};
use crate::optim::Jacobian;
use crate::optim::complementarity::ActiveSet;
use crate::optim::spectrum::RANK_TOLERANCE;

/// (A Aᵀ)⁺ for the current A.
#[derive(Debug)]
pub(super) struct Pseudoinverse {
    cut: f64,
    /// Which constraints count; the others have no rows.
    pub(super) active: ActiveSet,
    gram: Vec<f64>,
    eigen: SymmetricEigen,
    /// 1/eigenvalue, or 0 where the eigenvalue counts as zero.
    inverse: Vec<f64>,
    image: Vec<f64>,
    weights: Vec<f64>,
}

impl Pseudoinverse {
    pub(super) fn new(constraints: usize, cut: f64) -> Self {
        Self {
            cut,
            active: ActiveSet::default(),
            gram: vec![0.0; constraints * constraints],
            eigen: SymmetricEigen::new(constraints),
            inverse: vec![0.0; constraints],
            image: vec![0.0; constraints],
            weights: vec![0.0; constraints],
        }
    }

    /// Takes in a new A; `false` where it is not finite. Of inequalities those count which the right side b
    /// asks for.
    pub(super) fn factorize(&mut self, rows: &Jacobian, b: &[f64]) -> bool {
        if rows.constraints() == 0 {
            return true;
        }
        rows.gram(&mut self.gram);
        if !self.active.is_whole() && !self.activate(b) {
            return false;
        }
        #[cfg(test)]
        crate::optim::tests::work::factorized();
        if self.eigen.decompose(&self.gram).is_err() {
            return false;
        }
        let floor = self.cut * self.eigen.values.last().copied().unwrap_or(0.0);
        for (inverse, &value) in self.inverse.iter_mut().zip(&self.eigen.values) {
            *inverse = if value > floor.max(f64::MIN_POSITIVE) { 1.0 / value } else { 0.0 };
        }
        true
    }

    /// Finds the active set, and takes the rows and columns of the others out of A Aᵀ.
    fn activate(&mut self, b: &[f64]) -> bool {
        let size = b.len();
        let rows = self.gram.chunks_exact(size).enumerate();
        let triangle: Vec<f64> = rows.flat_map(|(i, row)| row[..=i].iter().copied()).collect();
        let trace: f64 = (0..size).map(|i| self.gram[i * size + i]).sum();
        // As much as makes redundant rows harmless, which the cut takes for zero.
        if !trace.is_finite() || !self.active.find(&triangle, self.cut * trace, b) && trace > 0.0 {
            return false;
        }
        for (i, row) in self.gram.chunks_exact_mut(size).enumerate() {
            let is_active = self.active.is_active(i);
            let outside = |k: usize| !(is_active && self.active.is_active(k));
            row.iter_mut().enumerate().filter(|(k, _)| outside(*k)).for_each(|(_, entry)| *entry = 0.0);
        }
        true
    }

    /// The number of eigenvalues above the cut.
    pub(super) fn rank(&self) -> usize {
        self.inverse.iter().filter(|&&inverse| inverse > 0.0).count()
    }

    /// The condition number of A Aᵀ, infinite where the smallest eigenvalue is rounding, and the number of
    /// those above the cut; both not a number without constraints.
    pub(super) fn spectrum(&self) -> [f64; 2] {
        let (Some(least), Some(largest)) = (self.eigen.values.first(), self.eigen.values.last()) else {
            return [f64::NAN; 2];
        };
        let condition = if *least > RANK_TOLERANCE * largest { largest / least } else { f64::INFINITY };
        [condition, self.rank() as f64]
    }

    /// λ ← λ − w and v ← v − Aᵀw with w = (A Aᵀ)⁺A v, twice: with v = ∇f and λ = 0, the least-squares
    /// multipliers and the gradient of the Lagrangian.
    pub(super) fn multipliers(&mut self, rows: &Jacobian, λ: &mut [f64], v: &mut [f64]) {
        for _ in 0..2 {
            self.project(rows, v);
            add_scaled(λ, 1.0, &self.weights);
        }
    }

    /// v ← v − Aᵀ(A Aᵀ)⁺A v, the part of v in null(A).
    pub(super) fn project(&mut self, rows: &Jacobian, v: &mut [f64]) {
        rows.times(v, &mut self.image);
        self.solve();
        rows.add_transposed(&self.weights, v);
    }

    /// out = −A⁺c, the shortest minimiser of ‖A d + c‖.
    pub(super) fn least_squares(&mut self, rows: &Jacobian, c: &[f64], out: &mut [f64]) {
        self.image.copy_from_slice(c);
        self.solve();
        out.fill(0.0);
        rows.add_transposed(&self.weights, out);
    }

    /// weights = −(A Aᵀ)⁺ image.
    fn solve(&mut self) {
        self.weights.fill(0.0);
        self.active.mask(&mut self.image);
        let size = self.image.len().max(1);
        for (&inverse, vector) in self.inverse.iter().zip(self.eigen.vectors.chunks_exact(size)) {
            if inverse > 0.0 {
                add_scaled(&mut self.weights, -inverse * dot(vector, &self.image), vector);
            }
        }
        self.active.mask(&mut self.weights);
    }
}
