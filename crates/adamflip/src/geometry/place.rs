//! Parts of a domain: where a term of the problem holds.

use std::fmt;
use std::sync::Arc;

/// Where a term holds: the union of its parts. Without parts it is the whole interior.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Place {
    /// The parts, one for each text of the `on` of a term.
    pub parts: Vec<Part>,
}

/// One part: some coordinates are fixed, or the point runs over the boundary; the others run over the domain,
/// as far as the restrictions let them. `t = 0` is a part, and so is the corner `x = 0, y = 0`, or a slice in
/// the middle. The part without any demand is the interior.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Part {
    /// Coordinate and its value, in any order.
    pub fixed: Vec<(usize, f64)>,
    /// The boundary on which the points lie, if they do.
    pub boundary: Option<Boundary>,
    /// Coordinate and the ends between which it stays; an end may be infinite.
    pub ranges: Vec<(usize, f64, f64)>,
    /// What else the points must satisfy.
    pub within: Vec<Predicate>,
}

/// Which boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// All of the boundary in the spatial coordinates: every coordinate but time.
    All,
    /// What of the boundary lies on the boundary of this shape, by its number in the region.
    Shape(usize),
}

/// Whether a point (all its coordinates) belongs: a restriction that is no range of one coordinate.
#[derive(Clone)]
pub struct Predicate {
    text: Arc<str>,
    test: Arc<Test>,
}

type Test = dyn Fn(&[f64]) -> bool + Send + Sync;

/// Why a part is no part of a domain.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PartError {
    /// The domain has no such coordinate.
    #[error("coordinate {coordinate} is restricted, but the domain has only {dimension} coordinates")]
    UnknownCoordinate {
        /// The coordinate that the part fixes or restricts.
        coordinate: usize,
        /// How many the domain has.
        dimension: usize,
    },
    /// The same coordinate is fixed twice.
    #[error("coordinate {coordinate} is fixed twice")]
    DuplicateCoordinate {
        /// The coordinate in question.
        coordinate: usize,
    },
    /// The fixed value lies outside the domain (or is not a number).
    #[error("coordinate {coordinate} is fixed at {value}, outside its range [{lower}, {upper}]")]
    Outside {
        /// The coordinate in question.
        coordinate: usize,
        /// Where the part fixes it.
        value: f64,
        /// Where the domain begins.
        lower: f64,
        /// Where the domain ends.
        upper: f64,
    },
    /// The ranges leave nothing of a coordinate.
    #[error("nothing is left of coordinate {coordinate}: it would run from {lower} to {upper}")]
    EmptyRange {
        /// The coordinate in question.
        coordinate: usize,
        /// The largest lower end.
        lower: f64,
        /// The smallest upper end.
        upper: f64,
    },
    /// The part names a shape that is not there.
    #[error("shape {shape} is named, but the domain has {shapes} shapes")]
    UnknownShape {
        /// The shape in question.
        shape: usize,
        /// How many the domain has.
        shapes: usize,
    },
    /// The part fixes a coordinate along which the boundary runs: their intersection has no measure in
    /// general.
    #[error("coordinate {coordinate} is fixed on a boundary that runs along it")]
    FixedOnBoundary {
        /// The coordinate in question.
        coordinate: usize,
    },
}

impl Place {
    /// All of the domain.
    pub fn interior() -> Self {
        Self::default()
    }

    /// The union of these parts.
    pub fn of(parts: Vec<Part>) -> Self {
        Self { parts }
    }
}

impl Part {
    /// The part on which one coordinate has this value.
    pub fn at(coordinate: usize, value: f64) -> Self {
        Self::fixed(vec![(coordinate, value)])
    }

    /// The part on which these coordinates have these values.
    pub fn fixed(fixed: Vec<(usize, f64)>) -> Self {
        Self { fixed, ..Self::default() }
    }

    /// The part that is this boundary.
    pub fn boundary(boundary: Boundary) -> Self {
        Self { boundary: Some(boundary), ..Self::default() }
    }

    /// The value at which this part fixes a coordinate, if it does.
    pub fn value(&self, coordinate: usize) -> Option<f64> {
        self.fixed.iter().find(|(fixed, _)| *fixed == coordinate).map(|&(_, value)| value)
    }

    /// The ends between which the ranges keep a coordinate: infinite where they do not.
    pub fn range(&self, coordinate: usize) -> (f64, f64) {
        let ranges = self.ranges.iter().filter(|(ranged, ..)| *ranged == coordinate);
        ranges.fold((f64::NEG_INFINITY, f64::INFINITY), |(lower, upper), range| {
            (lower.max(range.1), upper.min(range.2))
        })
    }
}

impl Predicate {
    /// A test of points, with the words in which it was written.
    pub fn new(text: impl Into<Arc<str>>, test: impl Fn(&[f64]) -> bool + Send + Sync + 'static) -> Self {
        Self { text: text.into(), test: Arc::new(test) }
    }

    /// Whether the point belongs.
    pub fn holds(&self, point: &[f64]) -> bool {
        (self.test)(point)
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Predicate").field(&self.text).finish()
    }
}

/// The same test, not merely one that agrees everywhere.
impl PartialEq for Predicate {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.test, &other.test)
    }
}
