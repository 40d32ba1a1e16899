//! Differential equations solved by neural networks whose conditions are constraints, not penalties.
//!
//! A problem is a set of named terms. Each term is an equation, a place where it holds, a number of points,
//! and a role. With r the residuals of a term at its points and w its weight, the network's parameters θ
//! solve
//!
//! minimise f(θ) = Σ_objectives w·mean r²   subject to   h_j(θ) = w_j·mean r² = 0 for every constraint j.
//!
//! Data flow one way:
//!
//! [`spec`] reads a problem file, [`data`] the files that it names, [`lang`] its equations; [`problem`] knows
//! for every term the derivatives that it needs, and where ([`fractional`] takes histories apart); [`sample`]
//! lays points in [`geometry`]; [`jet`] carries values and derivatives through the [`network`]s of a
//! [`model`]; [`objective`] joins equation and network; [`optim`] takes steps, driven by [`train`];
//! [`evaluate`] and [`report`] say how good the result is, and [`checkpoint`] keeps it.
//!
//! ```
//! use adamflip::{Problem, Term};
//!
//! let problem = Problem::builder(["u"])
//!     .coordinate("x", [0, 1])
//!     .term(Term::new("ode", "u_x = -2*u").points(32))
//!     .term(Term::new("start", "u = 1").on("x = 0"))
//!     .reference("u", "exp(-2*x)")
//!     .set(&["network", "hidden"], "2x8")
//!     .set(&["train", "accuracy"], 1e-4)
//!     .build()?; // or Problem::from_path("decay.toml")?
//! let solution = problem.solve()?;
//! assert!(solution.errors()?[0].relative_l2 < 1e-3);
//! # Ok::<(), adamflip::Error>(())
//! ```
#![deny(unsafe_code)]
// θ, λ and η are the paper's names; doc comments define them where they appear.
#![allow(mixed_script_confusables)]

// `testing` is shared with the tests in `tests/`, which know this crate by its name.
#[cfg(test)]
extern crate self as adamflip;

// The face is re-exported below. Modules are public for our own crates, not for users: they may change at any
// time.
mod aligned;
#[doc(hidden)]
pub mod bench;
mod builder;
#[doc(hidden)]
pub mod certificate;
#[doc(hidden)]
pub mod checkpoint;
#[doc(hidden)]
pub mod data;
#[doc(hidden)]
pub mod derivative;
#[doc(hidden)]
pub mod diagnostic;
mod error;
#[doc(hidden)]
pub mod evaluate;
#[doc(hidden)]
pub mod export;
mod factors;
#[doc(hidden)]
pub mod fractional;
#[doc(hidden)]
pub mod geometry;
#[doc(hidden)]
pub mod history;
#[doc(hidden)]
pub mod inspect;
#[doc(hidden)]
pub mod jet;
#[doc(hidden)]
pub mod lang;
mod linalg;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod network;
#[doc(hidden)]
pub mod objective;
pub mod optim;
#[doc(hidden)]
pub mod predict;
#[doc(hidden)]
pub mod problem;
mod quadrature;
#[doc(hidden)]
pub mod ranks;
#[doc(hidden)]
pub mod report;
#[doc(hidden)]
pub mod sample;
mod simd;
mod solution;
mod solve;
#[doc(hidden)]
pub mod spec;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[doc(hidden)]
pub mod train;
#[doc(hidden)]
pub mod uncertainty;

pub use builder::{ProblemBuilder, Term};
pub use certificate::{Certificate, Kkt, Verdict, Violation};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use data::{Arrays, DataError};
pub use diagnostic::Diagnostic;
pub use error::Error;
pub use evaluate::FieldError;
pub use optim::{
    ConstrainedProblem, Evaluation, Method, MinimizeOptions, MinimizeStatus, Minimum, Optimizer, StepReport,
    Want, minimize,
};
pub use problem::{BuildError, Problem, Role, Stage};
pub use solution::Solution;
pub use solve::SolveOptions;
pub use spec::{LoadError, Overrides, ProblemText, Value};
pub use train::{Progress, Signal, Started, Status, Trainer};
pub use uncertainty::{Caveat, Estimate, Identified, Interval};
