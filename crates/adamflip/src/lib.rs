//! Differential equations solved by neural networks whose conditions are constraints, not penalties.
#![deny(unsafe_code)]

pub mod derivative;
pub mod diagnostic;
pub mod geometry;
pub mod lang;
pub mod report;
pub mod sample;
pub mod spec;
