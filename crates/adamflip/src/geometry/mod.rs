//! Where things hold: the domain of a problem, its parts, and sets of points in it.
//!
//! Sits between `problem`, which reads the domain and the `on` of every term, and [`crate::sample`], which
//! lays points there. Time is a coordinate like the others, save that normals and boundaries know only space.
//!
//! Sampling sees a place only as [`Patch`]es: a measure, a map from the unit cube, and a test whether a point
//! belongs. A new shape is a new source of patches, and no sampler changes.

mod cumulative;
mod domain;
mod patch;
mod patches;
mod place;
mod points;
mod polygon;
mod region;
mod settle;
mod shape;
mod surface;
mod windows;

pub use domain::{Domain, DomainError};
pub use patch::Patch;
pub(crate) use patch::between;
use patch::between_ends;
pub use place::{Boundary, Part, PartError, Place, Predicate};
pub use points::Points;
pub use region::{Csg, Region, RegionError};
pub(crate) use settle::{LEAST, LIMIT, TESTS};
pub use shape::{Form, Shape, ShapeError};
pub use windows::Windows;

#[cfg(test)]
mod tests;
