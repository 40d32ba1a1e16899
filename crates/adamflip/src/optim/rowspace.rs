//! The numerical row space of the constraints' Jacobian J: the directions that h feels.
//!
//! Conditions on a smooth boundary say almost the same at neighbouring points, so the singular values of J
//! fall off like those of a smoothing operator, and most of hundreds of rows are combinations of a few dozen
//! to rounding. With J Jᵀ = VΛVᵀ, eigenvalues above a share of the largest are kept: Q = JᵀVΛ^(−1/2) is an
//! orthonormal basis of what can be told apart from rounding. It tells the rank of the constraints and their
//! multipliers of least squares.

use super::Jacobian;
use super::spectrum::RANK_TOLERANCE;
use crate::linalg::{
    Cholesky, Factor, SymmetricEigen, add_scaled, add_symmetric, dot, multiply_large, norm, solve_lower_rows,
};

/// Q and the spectrum it comes from.
#[derive(Debug)]
pub(crate) struct RowSpace {
    parameters: usize,
    constraints: usize,
    gram: Vec<f64>,
    eigen: SymmetricEigen,
    /// How many directions there are.
    pub(crate) rank: usize,
    /// The largest over the smallest eigenvalue of J Jᵀ, those that were left out included; infinite where
    /// the smallest is rounding.
    pub(crate) condition: f64,
    /// Q, one row a parameter.
    pub(crate) basis: Vec<f64>,
    /// VΛ^(−1/2), one row a constraint.
    weights: Vec<f64>,
    /// Room for Qᵀv.
    along: Vec<f64>,
}

impl RowSpace {
    pub(crate) fn new(parameters: usize, constraints: usize) -> Self {
        Self {
            parameters,
            constraints,
            gram: vec![0.0; constraints * constraints],
            eigen: SymmetricEigen::new(constraints),
            rank: 0,
            condition: f64::NAN,
            basis: Vec::new(),
            weights: Vec::new(),
            along: Vec::new(),
        }
    }

    /// Finds the row space of J, whose rows are written out; eigenvalues up to `cut` of the largest are left
    /// out. `false` where numbers are not finite.
    pub(crate) fn find(&mut self, j: &Jacobian, cut: f64) -> bool {
        self.rank = 0;
        if self.constraints == 0 {
            return true;
        }
        j.gram(&mut self.gram);
        if self.eigen.decompose(&self.gram).is_err() {
            return false;
        }
        let values = &self.eigen.values;
        let largest = values.last().copied().unwrap_or(0.0);
        self.condition =
            if values[0] > RANK_TOLERANCE * largest { largest / values[0] } else { f64::INFINITY };
        let kept = |value: &f64| *value > cut.max(f64::EPSILON) * largest && *value > 0.0;
        let left_out = values.partition_point(|value| !kept(value));
        self.rank = self.constraints - left_out;
        self.weights.resize(self.constraints * self.rank, 0.0);
        for (direction, at) in (left_out..self.constraints).enumerate() {
            let (vector, root) = (&self.eigen.vectors[at * self.constraints..], values[at].sqrt());
            for (row, v) in vector[..self.constraints].iter().enumerate() {
                self.weights[row * self.rank + direction] = v / root;
            }
        }
        self.basis.resize(self.parameters * self.rank, 0.0);
        if self.rank > 0 {
            let rows = Factor::transposed(j.rows(), self.parameters);
            multiply_large(&mut self.basis, rows, Factor::of(&self.weights, self.rank));
            self.orthonormalize();
        }
        true
    }

    /// Rounding of J Jᵀ leaves the basis orthonormal to some digits only; QᵀQ = LLᵀ, Q ← QL⁻ᵀ makes up for
    /// it.
    fn orthonormalize(&mut self) {
        let rank = self.rank;
        let mut gram = vec![0.0; rank * rank];
        let (left, right) = (Factor::transposed(&self.basis, rank), Factor::of(&self.basis, rank));
        add_symmetric(&mut gram, 1.0, left, right);
        if Cholesky::new(rank).factor(&mut gram).is_ok() {
            solve_lower_rows(&gram, rank, &mut self.basis);
        }
    }

    /// v ← v − QQᵀv: what is left of v when its part in the row space is taken away.
    pub(crate) fn project(&mut self, v: &mut [f64]) {
        if self.rank == 0 {
            return;
        }
        self.along.clear();
        self.along.resize(self.rank, 0.0);
        for (row, v) in self.basis.chunks_exact(self.rank).zip(&*v) {
            add_scaled(&mut self.along, *v, row);
        }
        for (row, v) in self.basis.chunks_exact(self.rank).zip(v) {
            *v -= dot(row, &self.along);
        }
    }

    /// The multipliers of least squares, −(J⁺)ᵀ∇f, and the length of ∇f + Jᵀλ. Along directions that h hardly
    /// feels they would be huge and of no meaning: `damping` of the largest eigenvalue is added to all.
    pub(crate) fn multipliers(&mut self, gradient: &[f64], damping: f64, λ: &mut [f64]) -> f64 {
        λ.fill(0.0);
        if self.rank > 0 {
            self.along.clear();
            self.along.resize(self.rank, 0.0);
            for (row, g) in self.basis.chunks_exact(self.rank).zip(gradient) {
                add_scaled(&mut self.along, *g, row);
            }
            let values = &self.eigen.values[self.constraints - self.rank..];
            let added = damping * values[self.rank - 1];
            self.along.iter_mut().zip(values).for_each(|(along, value)| *along *= value / (value + added));
            for (row, λ) in self.weights.chunks_exact(self.rank).zip(λ) {
                *λ = -dot(row, &self.along);
            }
        }
        let mut rest = gradient.to_vec();
        self.project(&mut rest);
        norm(&rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows cos(kx) at neighbouring x: of forty only a dozen can be told apart.
    fn smooth(rows: usize, columns: usize) -> Jacobian {
        let entry = |at: usize| {
            let (x, k) = ((at / columns) as f64 / rows as f64, (at % columns) as f64);
            (0.3 * k * x).cos() * (-0.2 * k).exp()
        };
        Jacobian::from_rows((0..rows * columns).map(entry).collect(), columns)
    }

    #[test]
    fn bases_are_orthonormal_and_hold_all_rows_that_count() {
        let (rows, columns) = (40, 150);
        let j = smooth(rows, columns);
        let mut space = RowSpace::new(columns, rows);
        assert!(space.find(&j, 1e-10));
        assert!(space.rank > 3 && space.rank < rows, "{}", space.rank);
        let k = space.rank;
        for (a, b) in (0..k).flat_map(|a| (0..=a).map(move |b| (a, b))) {
            let product: f64 = space.basis.chunks_exact(k).map(|row| row[a] * row[b]).sum();
            // Rounding, once the second pass has made up for that of J Jᵀ.
            assert!((product - f64::from(u8::from(a == b))).abs() < 1e-13, "{a} {b} {product}");
        }
        for row in j.rows().chunks_exact(columns) {
            let mut rest = row.to_vec();
            space.project(&mut rest);
            // The root of the cut, of rows of length one.
            assert!(norm(&rest) < 1e-5 * norm(row) * 4.0);
        }
    }

    #[test]
    fn multipliers_solve_the_least_squares_problem() {
        let j = Jacobian::from_rows(vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0], 3);
        let mut space = RowSpace::new(3, 2);
        assert!(space.find(&j, 1e-12) && space.rank == 2);
        let mut λ = [0.0; 2];
        // ∇f = (2, 3, 4) = −λ₁(1, 0, 0) − λ₂(1, 1, 0) + (0, 0, 4).
        let rest = space.multipliers(&[2.0, 3.0, 4.0], 0.0, &mut λ);
        assert!((λ[0] - 1.0).abs() < 1e-13 && (λ[1] + 3.0).abs() < 1e-13 && (rest - 4.0).abs() < 1e-13);
    }

    #[test]
    fn without_constraints_nothing_is_taken_away() {
        let mut space = RowSpace::new(2, 0);
        assert!(space.find(&Jacobian::new(2, 0), 1e-8));
        let mut v = [1.0, 2.0];
        space.project(&mut v);
        assert_eq!(v, [1.0, 2.0]);
        assert!(!RowSpace::new(1, 1).find(&Jacobian::from_rows(vec![f64::NAN], 1), 1e-8));
    }
}
