//! `[term.NAME]`: equations or observations, their points, and what they are to the optimizer.

use super::Number;
use crate::diagnostic::{Span, Spanned};
use crate::sample::Sampler;

/// `data = "reference"`: the reference is observed instead of a file.
pub const OBSERVED_REFERENCE: &str = "reference";

/// Equations, the place where they hold, a number of points, and a role.
#[derive(Clone, Debug)]
pub struct Term {
    /// `pde` in `[term.pde]`.
    pub name: Spanned<String>,
    /// The equations or inequalities; empty only if `data` is given, where they follow from the data, or
    /// `complement`.
    pub equations: Vec<Spanned<String>>,
    /// a and b of 0 ≤ a ⊥ 0 ≤ b, in place of equations.
    pub complement: Option<[Spanned<String>; 2]>,
    /// The places where they hold (`"t = 0"`, `"x < 0.5 and y > 0"`, a shape's name); empty means everywhere.
    pub on: Vec<Spanned<String>>,
    /// How many points are drawn; none where a cloud or a data file has them, or where the problem decides.
    pub points: Option<Spanned<usize>>,
    /// A file of points.
    pub cloud: Option<Spanned<String>>,
    /// Observations: [`OBSERVED_REFERENCE`], or a file.
    pub data: Option<Spanned<String>>,
    /// The names of the columns of a cloud or data file that does not name them itself.
    pub columns: Option<Vec<Spanned<String>>>,
    /// The expressions of the reference that are observed; empty means every field that has a reference.
    pub observe: Vec<Spanned<String>>,
    /// The standard deviation of the noise that is added to the data, relative to its root mean square.
    pub noise: Option<f64>,
    /// Points are drawn where the residual is large.
    pub adaptive: Option<Spanned<Adaptive>>,
    /// How fractional derivatives are discretised.
    pub caputo: Option<Caputo>,
    /// Quadrature nodes of fractional derivatives and integrals.
    pub nodes: Option<Spanned<usize>>,
    /// Objective or constraint.
    pub role: Role,
    /// As a constraint: met at every point on its own (or in the mean square); the method decides if nothing
    /// is said.
    pub pointwise: Option<bool>,
    /// The factor of its loss.
    pub weight: f64,
    /// How its points are drawn, if not as `[train]` says.
    pub sampler: Option<Spanned<Sampler>>,
    /// What must hold after training.
    pub tolerance: Option<Tolerance>,
    /// A Lie point symmetry of the equations that hold everywhere, in place of equations.
    pub symmetry: Option<Symmetry>,
    /// The fields are projected onto what the equations say, everywhere.
    pub project: bool,
}

/// A generator: `symmetry = { x = "x", t = "2*t" }`.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// Coordinates and fields, and how fast they move; what is not named stays.
    pub coefficients: Vec<(Spanned<String>, Spanned<Number>)>,
    /// The equations (or the data) at points moved along the group, in place of the solution's invariance.
    pub augment: bool,
    /// Where it was written.
    pub span: Span,
}

impl Term {
    /// Whether it observes the reference instead of a file.
    pub fn observes_reference(&self) -> bool {
        self.data.as_ref().is_some_and(|data| data.value == OBSERVED_REFERENCE)
    }
}

/// What a term is to the optimizer.
///
/// Where the file does not say: a term with a place (`on`) is a constraint, one without is an objective,
/// unless it is an inequality, which is always a constraint. In an inverse problem, which has `[unknowns]`
/// and a term with `data` that is an objective (the default there), the data is fitted under the physics: all
/// other terms are constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To be made small.
    Objective,
    /// To be met.
    Constraint,
}

impl Role {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Objective => "objective",
            Self::Constraint => "constraint",
        }
    }
}

/// How points follow the residual ε (Wu, Zhu, Tan, Kartha, Lu 2023). Numbers of points are relative to the
/// term's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Adaptive {
    /// All points drawn again from a pool, with probability ∝ εᵏ / mean(εᵏ) + c.
    Rad {
        /// The exponent k.
        power: f64,
        /// The constant c.
        floor: f64,
        /// How many candidates for every point.
        pool: usize,
    },
    /// The candidates with the largest residuals added to the points.
    Rar {
        /// How many candidates for every point.
        pool: usize,
        /// How many points are added at a time, as a part of the first number.
        add: f64,
        /// How many there can be, as a multiple of the first number.
        limit: f64,
    },
}

/// How a fractional derivative of Caputo is discretised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caputo {
    /// On lines along the coordinate with nodes in common: spectral, no points but the lines' own.
    Lines,
    /// With Gauss–Jacobi nodes of each point's own: spectral.
    Scattered,
    /// The L1 finite differences, with equal steps from the start to each point: of low order, for singular
    /// solutions.
    L1,
}

/// A bound that a term must meet after training: `"max < 1e-3"`.
#[derive(Clone, Debug)]
pub struct Tolerance {
    /// What is measured.
    pub measure: Measure,
    /// What it must stay below.
    pub limit: f64,
    /// Where it was written.
    pub span: Span,
}

/// A norm of the residuals of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The largest absolute residual.
    Max,
    /// The root of the mean square.
    Rms,
    /// The mean square.
    Mse,
}
