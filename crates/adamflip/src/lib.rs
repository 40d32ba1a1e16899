//! Differential equations solved by neural networks whose conditions are constraints, not penalties.
//!
//! A problem is a set of named terms. Each term is an equation, a place where it holds, a number of points, and a
//! role. With r the residuals of a term at its points and w its weight, the network's parameters θ solve
//!
//! minimise f(θ) = Σ_objectives w·mean r²   subject to   h_j(θ) = w_j·mean r² = 0 for every constraint j.
//!
//! Data flow one way:
//!
//! [`spec`] reads a problem file, [`data`] the files that it names, [`lang`] its equations; [`problem`] knows for every
//! term the derivatives that it needs, and where ([`fractional`] takes histories apart); [`sample`] lays points in
//! [`geometry`]; [`jet`] carries values and derivatives through the [`network`]s of a [`model`]; [`objective`] joins equation
//! and network; [`optim`] takes steps, driven by [`train`]; [`evaluate`] and [`report`] say how good the result is, and
//! [`checkpoint`] keeps it.
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

mod aligned;
pub mod bench;
mod builder;
pub mod certificate;
pub mod checkpoint;
pub mod data;
pub mod derivative;
pub mod diagnostic;
mod error;
pub mod evaluate;
pub mod export;
mod factors;
pub mod fractional;
pub mod geometry;
pub mod history;
pub mod inspect;
pub mod jet;
pub mod lang;
mod linalg;
pub mod model;
pub mod network;
pub mod objective;
pub mod optim;
pub mod predict;
pub mod problem;
pub mod report;
pub mod sample;
mod simd;
mod solution;
mod solve;
pub mod spec;
pub mod train;
pub mod uncertainty;

pub use builder::{ProblemBuilder, Term};
pub use certificate::Certificate;
pub use data::Arrays;
pub use error::Error;
pub use evaluate::FieldError;
pub use geometry::Points;
pub use optim::{ConstrainedProblem, Method, MinimizeOptions, MinimizeStatus, Minimum, Optimizer, minimize};
pub use problem::{BuildError, Problem, Role};
pub use solution::Solution;
pub use solve::SolveOptions;
pub use spec::{Overrides, ProblemText, Value};
pub use train::{Progress, Signal, Status, Trainer};
pub use uncertainty::{Estimate, Interval};
