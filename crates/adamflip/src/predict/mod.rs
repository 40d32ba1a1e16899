//! What a trained network says: any expression of the fields, at any number of points.
//!
//! After `checkpoint`, beside `evaluate`: a [`Query`] is written in the notation of the equations,
//! [`PointSource`] lays out a grid or reads a file, and [`run()`] goes through the points block by block, so
//! that memory does not grow with their number.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `query` | the expressions asked for |
//! | `grid` | `x=-1:1:201,t=0:1:101` |
//! | `source` | where points come from |
//! | `run` | the loop |

mod grid;
mod query;
mod run;
mod source;

pub use grid::read_grid;
pub use query::Query;
pub use run::{Counts, PredictError, run};
pub use source::PointSource;
