//! Differential equations solved by neural networks whose conditions are constraints, not penalties.
#![deny(unsafe_code)]
// θ, λ and η are the paper's names; doc comments define them where they appear.
#![allow(mixed_script_confusables)]

pub mod bench;
pub mod derivative;
pub mod diagnostic;
pub mod evaluate;
pub mod geometry;
pub mod jet;
pub mod lang;
mod linalg;
pub mod network;
pub mod objective;
pub mod optim;
pub mod problem;
pub mod report;
pub mod sample;
mod simd;
pub mod spec;
pub mod train;
