//! Where things hold: the domain of a problem, its parts, and sets of points in it.
//!
//! Sits between `problem`, which reads the domain and the `on` of every term, and [`crate::sample`], which lays
//! points there. Time is a coordinate like the others.
//!
//! Sampling sees a shape only as [`Patch`]es: a measure and a map from the unit cube. A new shape is a new
//! source of patches, and no sampler changes.

mod domain;
mod patch;
mod place;
mod points;

pub use domain::{Domain, DomainError};
pub use patch::Patch;
pub(crate) use patch::between;
pub use place::{Face, FaceError, Place};
pub use points::Points;
