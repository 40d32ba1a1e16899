//! Points in the domain: geometry and a seeded generator in, points out.
//!
//! Sits between `problem` (which says where a term holds and with how many points) and `objective`. A sampler
//! fills a unit cube; [`crate::geometry`] maps cubes to places. Nothing here keeps state: the same place, sampler,
//! count and generator give the same points, bit for bit.

mod grid;
mod halton;
mod latin;
mod share;
mod sobol;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::geometry::{Domain, FaceError, Place, Points};

pub use grid::grid;
pub use sobol::MAX_DIMENSION as SOBOL_MAX_DIMENSION;

/// How points are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Sampler {
    /// Independent and uniform.
    #[default]
    Uniform,
    /// The centres of cells of equal volume; without randomness.
    Grid,
    /// Latin hypercube: every axis cut into as many slices as there are points, one point in each slice.
    Latin,
    /// Scrambled Sobol points; best at powers of two, at most [`SOBOL_MAX_DIMENSION`] free coordinates.
    Sobol,
    /// Scrambled Halton points; any number of points and coordinates, best below about ten coordinates.
    Halton,
}

/// Why points could not be laid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// A face is not part of the domain.
    #[error(transparent)]
    Face(#[from] FaceError),
    /// Points were asked for on an empty list of faces.
    #[error("{count} points on no face at all")]
    NoFaces {
        /// The points asked for.
        count: usize,
    },
    /// More free coordinates than the table of Sobol directions has.
    #[error("Sobol points have at most {limit} free coordinates, not {dimension}")]
    TooManyDimensions {
        /// The free coordinates of the place.
        dimension: usize,
        /// The size of the table.
        limit: usize,
    },
    /// The memory for the points cannot be had.
    #[error("no memory for {count} points of {dimension} coordinates")]
    TooManyPoints {
        /// The points asked for.
        count: usize,
        /// Coordinates of each.
        dimension: usize,
    },
    /// A tensor grid needs a count for each coordinate.
    #[error("{counts} counts for a grid in {dimension} coordinates")]
    WrongCounts {
        /// Number of counts given.
        counts: usize,
        /// Number of coordinates.
        dimension: usize,
    },
}

/// The generator of one stream of a seed. Terms draw from different streams, so that adding a term to a problem
/// leaves the points of the others where they are.
pub fn stream(seed: u64, index: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    rng
}

/// Exactly `count` points in a place. Several faces share them in proportion to their measure, at least one each
/// when there are enough; their points follow one another in the order of the faces.
pub fn draw(
    domain: &Domain,
    place: &Place,
    sampler: Sampler,
    count: usize,
    rng: &mut impl Rng,
) -> Result<Points, SampleError> {
    let patches = domain.patches(place)?;
    if patches.is_empty() && count > 0 {
        return Err(SampleError::NoFaces { count });
    }
    let measures: Vec<f64> = patches.iter().map(|patch| patch.measure()).collect();
    let mut points = allocate(domain.dimension(), count)?;
    let mut start = 0;
    for (patch, share) in patches.iter().zip(share::proportional(count, &measures)) {
        patch.map(&cube(sampler, patch.dimension(), share, rng)?, &mut points, start);
        start += share;
    }
    Ok(points)
}

/// Points in the open unit cube.
fn cube(sampler: Sampler, dimension: usize, count: usize, rng: &mut impl Rng) -> Result<Points, SampleError> {
    let mut points = allocate(dimension, count)?;
    match sampler {
        Sampler::Uniform => uniform(&mut points, rng),
        Sampler::Grid => grid::cells(&mut points),
        Sampler::Latin => latin::fill(&mut points, rng),
        Sampler::Sobol => sobol::fill(&mut points, rng)?,
        Sampler::Halton => halton::fill(&mut points, rng),
    }
    Ok(points)
}

fn uniform(points: &mut Points, rng: &mut impl Rng) {
    for coordinate in 0..points.dimension() {
        points.column_mut(coordinate).fill_with(|| fraction(rng.next_u64() >> (64 - BITS)));
    }
}

/// Binary digits of a fraction: with the half of [`fraction`] they fill the 53 bits of an f64.
const BITS: u32 = 52;

/// The middle of one of 2^52 equal cells of the unit interval: never 0 and never 1, so that points of the
/// interior are not on the boundary.
fn fraction(cell: u64) -> f64 {
    const WIDTH: f64 = 1.0 / (1u64 << BITS) as f64;
    (cell as f64 + 0.5) * WIDTH
}

fn allocate(dimension: usize, count: usize) -> Result<Points, SampleError> {
    Points::try_new(dimension, count).ok_or(SampleError::TooManyPoints { count, dimension })
}

#[cfg(test)]
mod tests;
