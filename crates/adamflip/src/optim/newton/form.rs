//! Which form the model has: squared or triangular, and when the one becomes the other.
//!
//! The matrix H + A of squares is half the work, but known to an error E only: rounding, ‖E‖₂ ≤ ε·tr(H + A),
//! and the least damping, which is there to cover it. The model promises ½dᵀHd + dᵀAd + μ‖d‖², of which E
//! makes up to ½‖E‖‖d‖². A step that promises no more than 10·‖E‖‖d‖² is uncertain by a twentieth and more:
//! it is made of directions that squares hardly tell from zero. From there on the rows are taken as they are
//! ([`triangular`](super::triangular)), and likewise where no step is found at all. There is no way back:
//! what squares lose, fresh points lose as well.

use super::super::{ConstrainedProblem, Evaluation};
use super::penalty::Penalty;
use super::squared::Squared;
use super::triangular::Triangular;
use crate::linalg::{Symmetric, dot};

/// A promise of this many times the error of the squares is uncertain by a twentieth.
const UNCERTAIN: f64 = 10.0;

/// How the model is factored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelFactor {
    /// The matrix of squares until rounding of it shows, the rows from there on.
    Auto,
    /// Always Cholesky's factor of the matrix of squares: on `burgers_forward` `Auto` went over to rows at
    /// 3e-6, took four times as long for a step and gained nothing by it
    /// (`results/2026-11-18-square-root.md`).
    #[default]
    Squared,
    /// Always the triangle of the rows.
    Qr,
}

impl ModelFactor {
    /// By its name in problem files.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "auto" => Self::Auto,
            "squared" => Self::Squared,
            "qr" => Self::Qr,
            _ => return None,
        })
    }
}

/// The model at θ.
#[derive(Debug)]
pub(super) enum Form {
    Squared(Box<Squared>),
    Triangular(Box<Triangular>),
}

impl Form {
    pub(super) fn is_squared(&self) -> bool {
        matches!(self, Self::Squared(_))
    }

    pub(super) fn trace(&self) -> f64 {
        match self {
            Self::Squared(form) => form.trace(),
            Self::Triangular(form) => form.trace(),
        }
    }

    pub(super) fn remember(&mut self, kept: Option<f64>) {
        match self {
            Self::Squared(form) => form.remember(kept),
            Self::Triangular(form) => form.remember(kept),
        }
    }

    pub(super) fn add_objective(
        &mut self,
        problem: &mut dyn ConstrainedProblem,
        θ: &[f64],
        weights: &[f64],
    ) -> f64 {
        match self {
            Self::Squared(form) => form.add_objective(problem, θ, weights),
            Self::Triangular(form) => form.add_objective(problem, θ, weights),
        }
    }

    pub(super) fn add_constraints(&mut self, at: &Evaluation, penalty: &Penalty) {
        match self {
            Self::Squared(form) => form.add_constraints(at, penalty),
            Self::Triangular(form) => form.add_constraints(at, penalty),
        }
    }

    pub(super) fn damp(&mut self, damping: f64) -> bool {
        match self {
            Self::Squared(form) => form.damp(damping),
            Self::Triangular(form) => form.damp(damping),
        }
    }

    pub(super) fn saved(&self) -> Option<[Vec<f64>; 2]> {
        match self {
            Self::Squared(form) => form.saved(),
            Self::Triangular(form) => form.saved(),
        }
    }

    pub(super) fn restore(&mut self, matrix: &Symmetric, memory: Symmetric) {
        match self {
            Self::Squared(form) => form.restore(matrix, memory),
            Self::Triangular(form) => form.restore(matrix, &memory),
        }
    }

    /// Does a step promise no more than what squares leave open, where μ is at least `least`?
    pub(super) fn is_lost(&self, promised: f64, step: &[f64], least: f64) -> bool {
        let error = least.max(f64::EPSILON * self.trace());
        self.is_squared() && promised <= UNCERTAIN * error * dot(step, step)
    }

    /// The triangular form with the same memory; after [`remember`](Self::remember).
    pub(super) fn into_triangular(self, size: usize, remembers: bool) -> Self {
        match self {
            Self::Squared(form) => {
                let lower = form.memory_factor();
                let form = Triangular::with_memory(size, lower.as_deref(), remembers);
                Self::Triangular(Box::new(form))
            }
            Self::Triangular(_) => self,
        }
    }
}
