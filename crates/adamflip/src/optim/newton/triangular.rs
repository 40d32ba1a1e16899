//! The model by rows: R with RᵀR = H + A, made of the rows themselves. Nothing is squared.
//!
//! With S the rows of all squares at their weights (√2·∂r of the objective, √2ρ·J of the constraints) and s
//! what they are at θ (√2·r, √2ρ·h + λ/√2ρ: the square is completed), the step of the model is that of least
//! squares,
//!
//! min ‖Sd + s‖² + ‖R_A d‖² + μ‖d‖², \[R_A; S\] = QR, z = Qᵀ\[0; s\].
//!
//! - **Memory as a square-root information filter**: R_A = √β·R with every change of points, A = R_AᵀR_A, and
//!   R starts from R_A.
//! - **μ** is one more block, √μ·I below R: 2/3·P³ flop.
//! - **λ** and what bends a step are right sides of the constraints' rows. Those come last, and their
//!   reflections are kept, so that each is taken through Q itself, at the cost of its rows, and never through
//!   a gradient Jᵀw that would have to be divided by R twice.
//! - **Cost**: 2·N·P² flop, twice that of the matrix, whatever the condition (`linalg/reflectors.rs`).
//!
//! Reference: Bierman 1977, *Factorization Methods for Discrete Sequential Estimation*; Moré 1978 for the
//! damped triangle.

use super::super::residuals::{ResidualBlock, ResidualRole, ranges};
use super::super::{ConstrainedProblem, Evaluation};
use super::penalty::Penalty;
use crate::linalg::{Reflectors, Symmetric, add_scaled, dot, multiply_upper, norm, solve_upper};

/// Rows that are absorbed at a time: products with this many are as fast as any, and 512 rows of 2,000
/// numbers take 8 MB.
const ROWS: usize = 512;

/// R, R_A and the right sides.
#[derive(Debug)]
pub(super) struct Triangular {
    size: usize,
    /// R, row-major.
    upper: Vec<f64>,
    /// R_A, row after row; none where nothing is remembered.
    memory: Option<Vec<f64>>,
    /// Qᵀ of the residuals of the objective, before constraints.
    residual: Vec<f64>,
    /// A block of the objective's rows, and what belongs to them on the right.
    block: Reflectors,
    right: Vec<f64>,
    /// The constraints' rows.
    constraints: Reflectors,
    /// R of \[R; √μI\], and how it came about.
    damped: Vec<f64>,
    damping: Reflectors,
    room: [Vec<f64>; 2],
}

impl Triangular {
    pub(super) fn new(size: usize, remembers: bool) -> Self {
        Self {
            size,
            upper: vec![0.0; size * size],
            memory: remembers.then(|| vec![0.0; size * (size + 1) / 2]),
            residual: vec![0.0; size],
            block: Reflectors::new(size),
            right: Vec::new(),
            constraints: Reflectors::new(size),
            damped: vec![0.0; size * size],
            damping: Reflectors::new(size),
            room: [vec![0.0; size], vec![0.0; size]],
        }
    }

    /// Begins with the factor L of a memory, row-major, and nothing else.
    pub(super) fn with_memory(size: usize, lower: Option<&[f64]>, remembers: bool) -> Self {
        let mut new = Self::new(size, remembers);
        if let (Some(lower), Some(memory)) = (lower, &mut new.memory) {
            let columns = (0..size).flat_map(|i| lower[i * size + i..].iter().step_by(size));
            memory.iter_mut().zip(columns).for_each(|(into, from)| *into = *from);
        }
        new
    }

    /// Are the squares of this problem those of its residuals? Not where f is anything else.
    pub(super) fn is_possible(problem: &dyn ConstrainedProblem, at: &Evaluation) -> bool {
        let objective = |block: &ResidualBlock| block.role == ResidualRole::Objective;
        problem.residual_blocks().iter().any(objective) || norm(&at.gradient) == 0.0
    }

    /// tr(H + A).
    pub(super) fn trace(&self) -> f64 {
        dot(&self.upper, &self.upper)
    }

    /// Begins R with R_A, which is √`kept` times R so far where points are others.
    pub(super) fn remember(&mut self, kept: Option<f64>) {
        let Some(memory) = &mut self.memory else { return self.upper.fill(0.0) };
        if let Some(share) = kept {
            pack(&self.upper, self.size, share.sqrt(), memory);
        }
        unpack(memory, self.size, &mut self.upper);
    }

    /// Adds the rows of the objective, and of constraints that are mean squares with these weights; their
    /// squares.
    pub(super) fn add_objective(
        &mut self,
        problem: &mut dyn ConstrainedProblem,
        θ: &[f64],
        weights: &[f64],
    ) -> f64 {
        self.residual.fill(0.0);
        self.block.clear();
        self.right.clear();
        let blocks = problem.residual_blocks();
        let mut squares = 0.0;
        problem.visit_rows(θ, &mut |first, residuals, rows| {
            let visited = first..first + residuals.len();
            for (block, range) in ranges(&blocks) {
                let own = range.start.max(visited.start)..range.end.min(visited.end);
                let weight = block.weight_in_sum(weights);
                if weight > 0.0 && !own.is_empty() {
                    let own = own.start - first..own.end - first;
                    let root = (2.0 * weight).sqrt();
                    let rows = &rows[own.start * θ.len()..own.end * θ.len()];
                    squares += self.add_rows(root, &residuals[own], rows);
                }
            }
        });
        squares + self.absorb()
    }

    /// Adds rows times a root of a weight; the squares of those that were absorbed meanwhile.
    fn add_rows(&mut self, root: f64, residuals: &[f64], rows: &[f64]) -> f64 {
        let mut squares = 0.0;
        for (residuals, rows) in residuals.chunks(ROWS).zip(rows.chunks(ROWS * self.size)) {
            if self.right.len() + residuals.len() > ROWS {
                squares += self.absorb();
            }
            self.block.extend(rows, root);
            self.right.extend(residuals.iter().map(|r| root * r));
        }
        squares
    }

    /// Takes the block into R; its squares.
    fn absorb(&mut self) -> f64 {
        let squares = self.block.squares();
        self.block.absorb(&mut self.upper);
        self.block.apply(&mut self.residual, &mut self.right);
        self.block.clear();
        self.right.clear();
        squares
    }

    /// Adds the rows of the constraints that are residuals.
    pub(super) fn add_constraints(&mut self, at: &Evaluation, penalty: &Penalty) {
        self.constraints.clear();
        self.constraints.extend(&penalty.scaled_rows(at), 1.0);
        self.constraints.absorb(&mut self.upper);
    }

    /// R of \[R; √μI\]; `false` where that is singular.
    pub(super) fn damp(&mut self, damping: f64) -> bool {
        self.damped.copy_from_slice(&self.upper);
        self.damping.set_identity(damping.sqrt());
        self.damping.absorb(&mut self.damped);
        self.damped.iter().step_by(self.size + 1).all(|diagonal| *diagonal != 0.0 && diagonal.is_finite())
    }

    /// The step, where the constraints' rows have these right sides.
    pub(super) fn solve(&mut self, mut right: Vec<f64>, step: &mut [f64]) {
        step.copy_from_slice(&self.residual);
        self.constraints.apply(step, &mut right);
        self.finish(step);
    }

    /// Bends the step by these right sides of the constraints' rows alone.
    pub(super) fn bend(&mut self, mut right: Vec<f64>, step: &mut [f64]) {
        let mut bent = vec![0.0; self.size];
        self.constraints.apply(&mut bent, &mut right);
        self.finish(&mut bent);
        add_scaled(step, 1.0, &bent);
    }

    /// From z to −(R of \[R; √μI\])⁻¹ times the part of z that is left.
    fn finish(&mut self, z: &mut [f64]) {
        let [bottom, _] = &mut self.room;
        bottom.fill(0.0);
        self.damping.apply(z, bottom);
        solve_upper(&self.damped, z);
        z.iter_mut().for_each(|z| *z = -*z);
    }

    /// ½‖s‖² − ½‖Sd + s‖² for these right sides: −zᵀRd − ½‖Rd‖² without what the memory adds.
    pub(super) fn promise(&mut self, mut right: Vec<f64>, step: &[f64]) -> f64 {
        let [z, along] = &mut self.room;
        z.copy_from_slice(&self.residual);
        self.constraints.apply(z, &mut right);
        multiply_upper(&self.upper, step, along);
        let mut promised = -dot(z, along) - 0.5 * dot(along, along);
        if let Some(memory) = &self.memory {
            let mut rest = &memory[..];
            for (i, along) in along.iter_mut().enumerate() {
                let (row, after) = rest.split_at(self.size - i);
                *along = dot(row, &step[i..]);
                rest = after;
            }
            promised += 0.5 * dot(along, along);
        }
        promised
    }

    /// R and R_A, to be saved; none where nothing is remembered.
    pub(super) fn saved(&self) -> Option<[Vec<f64>; 2]> {
        let memory = self.memory.as_ref()?;
        let mut upper = vec![0.0; memory.len()];
        pack(&self.upper, self.size, 1.0, &mut upper);
        Some([upper, memory.clone()])
    }

    /// Takes them over, where something is remembered.
    pub(super) fn restore(&mut self, upper: &Symmetric, memory: &Symmetric) {
        unpack(upper.entries(), self.size, &mut self.upper);
        self.memory = Some(memory.entries().to_vec());
    }
}

/// An upper triangle times a factor, row after row.
fn pack(upper: &[f64], size: usize, factor: f64, packed: &mut [f64]) {
    let entries = (0..size).flat_map(|i| &upper[i * size + i..(i + 1) * size]);
    packed.iter_mut().zip(entries).for_each(|(into, from)| *into = factor * from);
}

/// Back to rows of equal length, with zeros below the diagonal.
fn unpack(mut packed: &[f64], size: usize, upper: &mut [f64]) {
    for (i, row) in upper.chunks_exact_mut(size.max(1)).enumerate() {
        let (from, after) = packed.split_at(size - i);
        row[..i].fill(0.0);
        row[i..].copy_from_slice(from);
        packed = after;
    }
}
