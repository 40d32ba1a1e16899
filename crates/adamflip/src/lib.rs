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
//! use adamflip::train::{Signal, Trainer};
//! use adamflip::{evaluate, problem, spec};
//!
//! let text = r#"
//!     fields = ["u"]
//!     [domain]
//!     x = [0, 1]
//!     [term.ode]
//!     equation = "u_x = -2*u"
//!     points   = 32
//!     [term.start]
//!     on       = "x = 0"
//!     equation = "u = 1"
//!     points   = 1
//!     [reference]
//!     u = "exp(-2*x)"
//!     [network]
//!     hidden = "2x8"
//!     [train]
//!     stages = [{ method = "adamflip", steps = 1500, lr = 1e-2, lr_end = 1e-4, gain = 10 }]
//! "#;
//! let problem = problem::build(spec::parse("decay.toml", text, &spec::Overrides::default())).unwrap();
//! let stages = problem.stages.clone();
//! let mut trainer = Trainer::new(problem, 0, stages)?;
//! trainer.run(&mut |_| Signal::Continue);
//! let errors = evaluate::errors(trainer.problem(), trainer.objective().model(), trainer.θ())?;
//! assert!(errors[0].relative_l2 < 1e-2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)]
// θ, λ and η are the paper's names; doc comments define them where they appear.
#![allow(mixed_script_confusables)]

mod aligned;
pub mod bench;
pub mod certificate;
pub mod checkpoint;
pub mod data;
pub mod derivative;
pub mod diagnostic;
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
mod quadrature;
pub mod report;
pub mod sample;
mod simd;
pub mod spec;
pub mod train;
pub mod uncertainty;
