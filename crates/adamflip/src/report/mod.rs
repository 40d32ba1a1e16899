//! What a run looks like to people: the end of the flow.
//!
//! Plain numbers in, text out; nothing here trains, reads files or writes them.

pub mod figure;
mod solution;

pub use solution::{SolutionError, solution};
