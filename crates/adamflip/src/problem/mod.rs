//! From a [`Spec`](crate::spec::Spec) to a [`Problem`]: every text understood, every term with its tapes and the
//! derivatives that it needs. Collects all mistakes of a file.

mod build;
mod collapse;
#[cfg_attr(not(test), expect(dead_code, reason = "terms call it once equations may contain histories"))]
mod history;
pub mod plan;
mod residual;
mod unknown;

pub use build::build;
pub use plan::Stage;
pub use residual::Residual;
pub use unknown::Unknown;

use crate::diagnostic::{Diagnostic, Source};
use crate::geometry::{Domain, Place};
use crate::lang::Tape;
use crate::sample::Sampler;
use crate::spec;
pub use crate::spec::{Measure, Role};

/// A problem: named terms, each an equation, a place where it holds, a number of points, and a role.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The file's name without folder and extension.
    pub name: String,
    /// What the problem is, for people.
    pub title: Option<String>,
    /// The coordinates, the network's inputs.
    pub coordinates: Vec<String>,
    /// The fields, the network's outputs.
    pub fields: Vec<String>,
    /// The unknown coefficients of an inverse problem.
    pub unknowns: Vec<Unknown>,
    /// The ranges of the coordinates.
    pub domain: Domain,
    /// The equations.
    pub terms: Vec<Term>,
    /// The known solution.
    pub reference: Option<Reference>,
    /// The network's shape.
    pub network: spec::Network,
    /// How to train: seed, points, budget.
    pub train: spec::Train,
    /// The stages of training.
    pub stages: Vec<Stage>,
}

/// Equations on a set of points.
#[derive(Clone, Debug)]
pub struct Term {
    /// `pde` in `[term.pde]`.
    pub name: String,
    /// The residuals left − right, in mathematical form.
    pub equations: Vec<String>,
    /// Where they hold.
    pub place: Place,
    /// How many points.
    pub points: usize,
    /// How the points are drawn.
    pub sampler: Sampler,
    /// Objective or constraint.
    pub role: Role,
    /// The factor of the term's loss.
    pub weight: f64,
    /// What must hold after training: a measure and its limit.
    pub tolerance: Option<(Measure, f64)>,
    /// The residuals as tapes over streams.
    pub residual: Residual,
}

/// The known solution and the grid on which the error is measured.
#[derive(Clone, Debug)]
pub struct Reference {
    /// For each known field its number and the tape that computes it from the coordinates.
    pub fields: Vec<(usize, Tape)>,
    /// Grid points along each coordinate.
    pub grid: Vec<usize>,
}

/// A problem file with mistakes.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The texts that the spans point into.
    pub sources: Vec<Source>,
    /// The mistakes.
    pub diagnostics: Vec<Diagnostic>,
}
