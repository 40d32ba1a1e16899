//! A randomized Nyström approximation of H = R̃ᵀR̃ as a preconditioner: its largest eigenvalues, found by
//! products alone.
//!
//! With random signs Ω (P × k) and Y = (H + νI)Ω: H ≈ Y(ΩᵀY)⁻¹Yᵀ − νI = UΛUᵀ. With C the factor of ΩᵀY, B =
//! YC⁻ᵀ and BᵀB = VΣ²Vᵀ this is U = BVΣ⁻¹ and Λ = Σ² − ν. Of H + μI the preconditioner is
//!
//! M⁻¹ = I + U((λ + μ)/(Λ + μ) − I)Uᵀ,  λ the least of Λ (M times a number, which does not matter).
//!
//! k products with R̃ and as many with its transpose, Pk² flop, and one P × k matrix; 2Pk flop to apply.
//! Signs come from a counter, so they are the same for any number of threads. Any approximation is a
//! preconditioner: one of some steps ago serves as well, with the μ of now.
//!
//! Reference: Frangella, Tropp and Udell 2023, *Randomized Nyström preconditioning*, algorithm 2.1, for which
//! ν is a rounding of the trace.

use rayon::prelude::*;

use super::Weighted;
use crate::linalg::{
    Cholesky, Factor, SymmetricEigen, add_scaled, add_symmetric, dot, multiply_matrices, solve_lower_rows,
};

/// Parameters that are worked on at a time: with rank 100 they are 400 kB.
const PORTION: usize = 512;
/// ν grows this many times tenfold where ΩᵀY is not positive definite to rounding.
const ATTEMPTS: usize = 8;
/// Numbers of the basis at the most: half a gigabyte.
const MOST: usize = 1 << 26;

/// UΛUᵀ.
#[derive(Debug)]
pub(crate) struct Nystrom {
    rank: usize,
    parameters: usize,
    /// Λ, falling; zero where there is none as yet.
    values: Vec<f64>,
    /// U, one row a parameter.
    basis: Vec<f64>,
}

impl Nystrom {
    /// Of this rank, or of what this many parameters allow.
    pub(crate) fn new(rank: usize, parameters: usize) -> Self {
        let rank = rank.min(parameters).min(MOST / parameters.max(1));
        Self { rank, parameters, values: vec![0.0; rank], basis: vec![0.0; rank * parameters] }
    }

    pub(crate) fn lists(&mut self) -> [(&'static str, &mut [f64]); 2] {
        [("eigenvalues", &mut self.values), ("basis", &mut self.basis)]
    }

    pub(crate) fn saved(&self) -> [(&'static str, Vec<f64>); 2] {
        [("eigenvalues", self.values.clone()), ("basis", self.basis.clone())]
    }

    /// Makes it again. `along` is room for as many numbers as rows.
    pub(crate) fn build(&mut self, rows: &mut Weighted<'_>, seed: u64, along: &mut [f64]) {
        let (rank, parameters) = (self.rank, self.parameters);
        if rank == 0 {
            return;
        }
        let (mut signs, mut image) = (vec![0.0; parameters], vec![0.0; parameters]);
        for column in 0..rank {
            signs.iter_mut().enumerate().for_each(|(row, sign)| *sign = random_sign(seed, row, column));
            rows.times(&signs, along);
            rows.transposed(along, &mut image);
            let into = self.basis[column..].iter_mut().step_by(rank);
            into.zip(&image).for_each(|(into, x)| *into = *x);
        }
        if !self.decompose(seed, f64::EPSILON * rows.trace()) {
            self.values.fill(0.0);
            self.basis.fill(0.0);
        }
    }

    /// U and Λ from HΩ in the place of U; `false` where that fails.
    fn decompose(&mut self, seed: u64, least: f64) -> bool {
        let rank = self.rank;
        let mut overlaps = [vec![0.0; rank * rank], vec![0.0; rank * rank]];
        let mut signs = vec![0.0; PORTION * rank];
        for (portion, rows) in self.basis.chunks(PORTION * rank).enumerate() {
            let signs = &mut signs[..rows.len()];
            for (at, sign) in signs.iter_mut().enumerate() {
                *sign = random_sign(seed, portion * PORTION + at / rank, at % rank);
            }
            for (overlap, right) in overlaps.iter_mut().zip([rows, &*signs]) {
                add_symmetric(overlap, 1.0, Factor::transposed(signs, rank), Factor::of(right, rank));
            }
        }
        let Some((shift, factor)) = shifted(&overlaps, rank, least) else { return false };
        for (portion, rows) in self.basis.chunks_mut(PORTION * rank).enumerate() {
            for (at, entry) in rows.iter_mut().enumerate() {
                *entry += shift * random_sign(seed, portion * PORTION + at / rank, at % rank);
            }
            solve_lower_rows(&factor, rank, rows);
        }
        self.diagonalize(shift)
    }

    /// U and Λ from B in the place of U.
    fn diagonalize(&mut self, shift: f64) -> bool {
        let rank = self.rank;
        let mut gram = vec![0.0; rank * rank];
        add_symmetric(&mut gram, 1.0, Factor::transposed(&self.basis, rank), Factor::of(&self.basis, rank));
        let mut eigen = SymmetricEigen::new(rank);
        if eigen.decompose(&gram).is_err() {
            return false;
        }
        // Rows of `vectors` are eigenvectors in rising order; the basis has them in falling order, divided by
        // σ.
        let mut turn = vec![0.0; rank * rank];
        for (direction, at) in (0..rank).rev().enumerate() {
            let square = eigen.values[at];
            let kept = square > f64::EPSILON * eigen.values[rank - 1];
            self.values[direction] = if kept { (square - shift).max(0.0) } else { 0.0 };
            let scale = if kept { 1.0 / square.sqrt() } else { 0.0 };
            let vector = &eigen.vectors[at * rank..(at + 1) * rank];
            vector.iter().enumerate().for_each(|(row, x)| turn[row * rank + direction] = scale * x);
        }
        self.basis.par_chunks_mut(PORTION * rank).for_each(|rows| {
            let from = rows.to_vec();
            multiply_matrices(rows, Factor::of(&from, rank), Factor::of(&turn, rank));
        });
        true
    }

    /// out = M⁻¹x for this μ.
    pub(crate) fn apply(&self, μ: f64, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
        let rank = self.rank;
        let least = self.values.last().copied().unwrap_or(0.0);
        if rank == 0 || self.values[0] <= 0.0 {
            return;
        }
        let portions = self.basis.par_chunks(PORTION * rank).zip(x.par_chunks(PORTION));
        let parts: Vec<Vec<f64>> = portions
            .map(|(rows, x)| {
                let mut sum = vec![0.0; rank];
                rows.chunks_exact(rank).zip(x).for_each(|(row, x)| add_scaled(&mut sum, *x, row));
                sum
            })
            .collect();
        let mut weights = vec![0.0; rank];
        parts.iter().for_each(|part| add_scaled(&mut weights, 1.0, part));
        let scaled = weights.iter_mut().zip(&self.values);
        scaled.for_each(|(weight, value)| *weight *= (least + μ) / (value + μ) - 1.0);
        let portions = self.basis.par_chunks(PORTION * rank).zip(out.par_chunks_mut(PORTION));
        portions.for_each(|(rows, out)| {
            rows.chunks_exact(rank).zip(out).for_each(|(row, out)| *out += dot(row, &weights));
        });
    }
}

/// ν and the factor of Ωᵀ(H + νI)Ω, for the least ν of a few that has one.
fn shifted([image, signs]: &[Vec<f64>; 2], rank: usize, least: f64) -> Option<(f64, Vec<f64>)> {
    let mut cholesky = Cholesky::new(rank);
    (0..ATTEMPTS).map(|attempt| 10f64.powi(attempt as i32) * least).find_map(|shift| {
        let mut factor = image.clone();
        add_scaled(&mut factor, shift, signs);
        cholesky.factor(&mut factor).is_ok().then_some((shift, factor))
    })
}

/// 1 or −1: bits of a counter that is mixed (SplitMix64, Steele, Lea and Flood 2014).
fn random_sign(seed: u64, row: usize, column: usize) -> f64 {
    let counter = (seed << 48) ^ ((row as u64) << 8) ^ (column as u64 / 64);
    let mut bits = counter.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    if bits >> (column % 64) & 1 == 0 { 1.0 } else { -1.0 }
}
