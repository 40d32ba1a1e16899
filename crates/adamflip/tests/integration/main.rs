//! Integration tests: one binary, one module a subject.

mod architecture;
mod jets;
mod objective;
