//! Points in the domain: geometry and a seeded generator in, points out.
//!
//! Sits between `problem` (which says where a term holds and with how many points) and `objective`. A sampler
//! fills a unit cube; [`crate::geometry`] maps cubes to places. Nothing here keeps state: the same place,
//! sampler, count and generator give the same points, bit for bit.

mod accept;
pub mod adaptive;
mod grid;
mod halton;
mod latin;
mod sequence;
mod share;
mod sobol;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::geometry::{Domain, LIMIT, PartError, Patch, Place, Points, TESTS};
use accept::Writer;
use sequence::Sequence;

pub use adaptive::{any, rad, rar};
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
    /// A part of the place is not one of the domain.
    #[error(transparent)]
    Part(#[from] PartError),
    /// No point belongs to a part of the place (part 0 of a place without parts is the interior).
    #[error("part {part} of the place is empty: none of {candidates} points belongs to it")]
    Empty {
        /// The part in question, counted from 0.
        part: usize,
        /// Points that were tried.
        candidates: usize,
    },
    /// Normals were asked for where there are none: inside the domain, or in a corner.
    #[error("part {part} of the place has no outward normal at {point:?}")]
    NoNormal {
        /// The part in question, counted from 0.
        part: usize,
        /// A point of it.
        point: Vec<f64>,
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

/// The generator of one stream of a seed. Terms draw from different streams, so that adding a term to a
/// problem leaves the points of the others where they are.
pub fn stream(seed: u64, index: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    rng
}

/// Exactly `count` points in a place. Several parts share them in proportion to their measure, at least one
/// each when there are enough; their points follow one another in the order of the parts.
pub fn draw(
    domain: &Domain,
    place: &Place,
    sampler: Sampler,
    count: usize,
    rng: &mut impl Rng,
) -> Result<Points, SampleError> {
    let points = allocate(domain.dimension(), count)?;
    lay(points, domain, place, sampler, rng)
}

/// As [`draw`], with the outward unit normals as attributes: one component for each coordinate, zero for
/// time.
pub fn draw_with_normals(
    domain: &Domain,
    place: &Place,
    sampler: Sampler,
    count: usize,
    rng: &mut impl Rng,
) -> Result<Points, SampleError> {
    let dimension = domain.dimension();
    let points = allocate(dimension, count)?.try_with_attributes(dimension);
    lay(points.ok_or(SampleError::TooManyPoints { count, dimension })?, domain, place, sampler, rng)
}

fn lay(
    mut points: Points,
    domain: &Domain,
    place: &Place,
    sampler: Sampler,
    rng: &mut impl Rng,
) -> Result<Points, SampleError> {
    let patches = domain.patches(place)?;
    if points.is_empty() {
        return Ok(points);
    }
    let pieces = belonging(domain, place, &patches)?;
    let measures: Vec<f64> = pieces.iter().map(|piece| piece.1).collect();
    let mut start = 0;
    for ((patch, _), share) in pieces.iter().zip(share::proportional(points.len(), &measures)) {
        let mut writer = Writer::new(domain, patch, &mut points, start..start + share);
        match sampler {
            _ if patch.is_whole(domain) => writer.all(&cube(sampler, patch.dimension(), share, rng)?)?,
            Sampler::Grid => writer.cells()?,
            _ => writer.first(sampler, rng)?,
        }
        start += share;
    }
    Ok(points)
}

/// The patches of which anything belongs to the place, with its measure. Of a part that has larger pieces,
/// those that the first survey misses are left out; only where it finds nothing does a closer one decide that
/// the part is empty.
fn belonging<'a>(
    domain: &Domain,
    place: &Place,
    patches: &'a [Patch],
) -> Result<Vec<(&'a Patch, f64)>, SampleError> {
    let fraction = |patch: &Patch, tests| match patch.is_whole(domain) || patches.len() == 1 {
        // A single patch gets all points, whatever its measure.
        true => 1.0,
        false => domain.survey(patch, tests).fraction,
    };
    let mut pieces = Vec::new();
    for part in 0..place.parts.len().max(1) {
        let own = || patches.iter().filter(|patch| patch.part == part);
        let mut found = [TESTS, LIMIT].into_iter().map(|tests| -> Vec<_> {
            let fractions = own().map(|patch| (patch, fraction(patch, tests)));
            fractions.filter(|&(_, fraction)| fraction > 0.0).collect()
        });
        let candidates = own().count() * LIMIT;
        let found = found.find(|found| !found.is_empty());
        let found = found.ok_or(SampleError::Empty { part, candidates })?;
        pieces.extend(found.into_iter().map(|(patch, fraction)| (patch, patch.measure() * fraction)));
    }
    Ok(pieces)
}

/// Points in the open unit cube.
fn cube(sampler: Sampler, dimension: usize, count: usize, rng: &mut impl Rng) -> Result<Points, SampleError> {
    let mut points = allocate(dimension, count)?;
    Sequence::new(sampler, dimension, rng)?.fill(&mut points, rng);
    Ok(points)
}

fn uniform(points: &mut Points, rng: &mut impl Rng) {
    for coordinate in 0..points.dimension() {
        points.column_mut(coordinate).fill_with(|| fraction(rng.next_u64() >> (64 - BITS)));
    }
}

/// A standard normal number (Box and Muller 1958).
pub fn normal(rng: &mut impl Rng) -> f64 {
    // 53 random bits, in (0, 1].
    let mut uniform = || ((rng.next_u64() >> 11) as f64 + 1.0) * 2.0f64.powi(-53);
    let (radius, angle) = ((-2.0 * uniform().ln()).sqrt(), std::f64::consts::TAU * uniform());
    radius * angle.cos()
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

#[cfg(test)]
mod shape_tests;
