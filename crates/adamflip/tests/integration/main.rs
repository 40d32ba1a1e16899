//! Integration tests: one binary, one module a subject.

mod jets;
mod objective;
