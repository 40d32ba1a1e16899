//! Integration tests: one binary, one module a subject.

// A test fails by panicking; θ is the paper's name for the parameters.
#![allow(clippy::unwrap_used, mixed_script_confusables)]

mod architecture;
mod balancing;
mod conservation;
mod dependencies;
mod documents;
mod examples;
mod face;
mod flaws;
mod held;
mod jets;
mod lines;
mod methods;
mod networks;
mod objective;
mod python;
mod ranks;
mod readers;
mod residuals;
mod resume;
mod shipped;
mod start;
mod strangers;
#[path = "../../src/testing.rs"]
mod testing;
mod theorem;
mod watched;
mod windows;
