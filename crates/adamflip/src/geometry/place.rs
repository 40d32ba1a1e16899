//! Parts of a domain: where a term of the problem holds.

/// A part of the domain, as the `on` of a term names it.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// All of the domain.
    Interior,
    /// The union of these faces.
    Faces(Vec<Face>),
}

/// A face: some coordinates are fixed, the others run over the domain. `t = 0` is a face, and so is the corner
/// `x = 0, y = 0`, or a slice in the middle of the domain.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Face {
    /// Coordinate and its value, in any order.
    pub fixed: Vec<(usize, f64)>,
}

/// Why a face is not part of a domain.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FaceError {
    /// The domain has no such coordinate.
    #[error("coordinate {coordinate} is fixed, but the domain has only {dimension} coordinates")]
    UnknownCoordinate {
        /// The coordinate that the face fixes.
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
        /// Where the face fixes it.
        value: f64,
        /// Where the domain begins.
        lower: f64,
        /// Where the domain ends.
        upper: f64,
    },
}

impl Face {
    /// The face on which one coordinate has this value.
    pub fn at(coordinate: usize, value: f64) -> Self {
        Self { fixed: vec![(coordinate, value)] }
    }

    /// The value at which this face fixes a coordinate, if it does.
    pub fn value(&self, coordinate: usize) -> Option<f64> {
        self.fixed.iter().find(|(fixed, _)| *fixed == coordinate).map(|&(_, value)| value)
    }
}
