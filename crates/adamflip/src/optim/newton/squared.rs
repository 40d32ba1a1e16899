//! The model by its matrix H + A and Cholesky's factor of H + A + μI: the fast form.
//!
//! N·P² flop for H, P³/3 for each μ. What is below rounding of tr(H + A) is lost: an error E of the matrix
//! with ‖E‖₂ ≤ ε·tr(H + A) or so counts like a damping of that size, so that singular values below √ε of the
//! largest are not told from zero.

use rayon::prelude::*;

use super::super::{ConstrainedProblem, Evaluation};
use super::penalty::Penalty;
use crate::linalg::{
    Cholesky, Symmetric, add_scaled, add_squares, dot, multiply_vector, set_scaled, solve_factored,
    symmetrize,
};

/// H + A, A and the factor.
#[derive(Debug)]
pub(super) struct Squared {
    size: usize,
    /// H + A, all of it.
    matrix: Vec<f64>,
    /// A; none where nothing is remembered.
    memory: Option<Symmetric>,
    /// The factor of H + A + μI.
    factor: Vec<f64>,
    cholesky: Cholesky,
    room: Vec<f64>,
}

impl Squared {
    pub(super) fn new(size: usize, remembers: bool) -> Self {
        Self {
            size,
            matrix: vec![0.0; size * size],
            memory: remembers.then(|| Symmetric::new(size)),
            factor: vec![0.0; size * size],
            cholesky: Cholesky::new(size),
            room: vec![0.0; size],
        }
    }

    /// tr(H + A).
    pub(super) fn trace(&self) -> f64 {
        (0..self.size).map(|i| self.matrix[i * self.size + i]).sum()
    }

    /// Begins the matrix with A, which is `kept` times the matrix so far where points are others.
    pub(super) fn remember(&mut self, kept: Option<f64>) {
        let Some(memory) = &mut self.memory else {
            return self.matrix.par_iter_mut().for_each(|entry| *entry = 0.0);
        };
        if let Some(share) = kept {
            memory.set_scaled(share, &self.matrix);
        }
        memory.fill_lower(&mut self.matrix);
    }

    /// Adds the squares of the objective, and of constraints that are mean squares with these weights; their
    /// trace.
    pub(super) fn add_objective(
        &mut self,
        problem: &mut dyn ConstrainedProblem,
        θ: &[f64],
        weights: &[f64],
    ) -> f64 {
        let before = self.trace();
        problem.add_gauss_newton(θ, weights, &mut self.matrix);
        self.trace() - before
    }

    /// Adds those of the constraints that are residuals.
    pub(super) fn add_constraints(&mut self, at: &Evaluation, penalty: &Penalty) {
        let rows = penalty.scaled_rows(at);
        if !rows.is_empty() {
            add_squares(&mut self.matrix, 1.0, &rows, self.size);
        }
        symmetrize(&mut self.matrix, self.size);
    }

    /// Factors H + A + μI; `false` where rounding leaves it indefinite.
    pub(super) fn damp(&mut self, damping: f64) -> bool {
        let size = self.size;
        let rows = self.factor.par_chunks_exact_mut(size).zip(self.matrix.par_chunks_exact(size));
        rows.enumerate().for_each(|(i, (to, from))| to[..=i].copy_from_slice(&from[..=i]));
        (0..size).for_each(|i| self.factor[i * size + i] += damping);
        self.cholesky.factor(&mut self.factor).is_ok()
    }

    /// The step for this slope of the merit.
    pub(super) fn solve(&mut self, slope: &[f64], step: &mut [f64]) {
        set_scaled(step, -1.0, slope);
        solve_factored(&self.factor, [step]);
    }

    /// Bends the step by what these weights of the rows of J push back.
    pub(super) fn bend(&mut self, at: &Evaluation, weights: &[f64], step: &mut [f64]) {
        self.room.fill(0.0);
        at.jacobian.add_transposed(weights, &mut self.room);
        solve_factored(&self.factor, [&mut self.room]);
        add_scaled(step, -1.0, &self.room);
    }

    /// The fall of the merit with this slope that the model sees at the end of the step.
    pub(super) fn promise(&mut self, slope: &[f64], step: &[f64]) -> f64 {
        multiply_vector(&mut self.room, &self.matrix, step);
        let mut curvature = dot(step, &self.room);
        if let Some(memory) = &mut self.memory {
            memory.multiply(step, &mut self.room);
            curvature -= dot(step, &self.room);
        }
        -dot(slope, step) - 0.5 * curvature
    }

    /// The lower triangles of H + A and A, row after row, to be saved; none where nothing is remembered.
    pub(super) fn saved(&self) -> Option<[Vec<f64>; 2]> {
        let memory = self.memory.as_ref()?;
        let mut matrix = Symmetric::new(self.size);
        matrix.set_scaled(1.0, &self.matrix);
        Some([matrix.entries().to_vec(), memory.entries().to_vec()])
    }

    /// Takes them over, where something is remembered.
    pub(super) fn restore(&mut self, matrix: &Symmetric, memory: Symmetric) {
        self.memory = Some(memory);
        matrix.fill_lower(&mut self.matrix);
        symmetrize(&mut self.matrix, self.size);
    }

    /// The factor L of A + sI, for the smallest s that rounding asks for; none where nothing is remembered.
    ///
    /// What A says of directions below ε·tr(A) is rounding, and s is of that size. Memory fades by β with
    /// every change of points, and s with it.
    pub(super) fn memory_factor(mut self) -> Option<Vec<f64>> {
        let memory = self.memory.take()?;
        let size = self.size;
        memory.fill_lower(&mut self.factor);
        let trace: f64 = (0..size).map(|i| self.factor[i * size + i]).sum();
        if !(trace > 0.0 && trace.is_finite()) {
            return None;
        }
        let mut shift = f64::EPSILON * trace;
        // Ten times as much each time: sixteen of them are the trace.
        for _ in 0..16 {
            memory.fill_lower(&mut self.factor);
            (0..size).for_each(|i| self.factor[i * size + i] += shift);
            if self.cholesky.factor(&mut self.factor).is_ok() {
                return Some(self.factor);
            }
            shift *= 10.0;
        }
        None
    }
}
