//! The box of all coordinates, and what of it belongs to the problem.

use super::{Boundary, Part, PartError, Region, RegionError};

/// The box of all coordinates, time included, and optionally what of it belongs to the problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// Where each coordinate begins.
    pub lower: Vec<f64>,
    /// Where each coordinate ends.
    pub upper: Vec<f64>,
    /// The region whose common part with the box is the domain; all of the box without one.
    pub inside: Option<Region>,
    /// The coordinate that is time, if one is: no direction in space.
    pub time: Option<usize>,
}

/// Why ends of axes do not make a domain.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum DomainError {
    /// Not as many lower as upper ends.
    #[error("{lower} lower ends and {upper} upper ends do not make a box")]
    Unequal {
        /// Number of lower ends.
        lower: usize,
        /// Number of upper ends.
        upper: usize,
    },
    /// An axis without length, or with ends (or a length) that are no finite numbers.
    #[error(
        "coordinate {coordinate} runs from {lower} to {upper}, which is no interval of positive, finite length"
    )]
    Empty {
        /// The coordinate in question.
        coordinate: usize,
        /// Where it begins.
        lower: f64,
        /// Where it ends.
        upper: f64,
    },
}

impl Domain {
    /// The box between these ends, each axis of positive and finite length.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, DomainError> {
        if lower.len() != upper.len() {
            return Err(DomainError::Unequal { lower: lower.len(), upper: upper.len() });
        }
        for (coordinate, (&lower, &upper)) in lower.iter().zip(&upper).enumerate() {
            let length = upper - lower;
            if !(length > 0.0 && length.is_finite()) {
                return Err(DomainError::Empty { coordinate, lower, upper });
            }
        }
        Ok(Self { lower, upper, inside: None, time: None })
    }

    /// This domain with a coordinate for time (or without). Comes before [`Domain::with_inside`], which asks
    /// for it.
    pub fn with_time(self, time: Option<usize>) -> Self {
        Self { time, ..self }
    }

    /// The part of this domain that lies in the region.
    pub fn with_inside(self, region: Region) -> Result<Self, RegionError> {
        region.check(self.dimension(), self.time)?;
        for (coordinate, (from, to)) in region.bounding_box(self.dimension()).into_iter().enumerate() {
            let (lower, upper) = (self.lower[coordinate].max(from), self.upper[coordinate].min(to));
            if lower >= upper {
                return Err(RegionError::Empty { coordinate, lower, upper });
            }
        }
        Ok(Self { inside: Some(region), ..self })
    }

    /// How many coordinates there are.
    pub fn dimension(&self) -> usize {
        self.lower.len()
    }

    /// Whether the point lies in the closed box and in the region.
    pub fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.dimension()
            && point.iter().enumerate().all(|(c, &value)| self.spans(c, value))
            && self.inside.as_ref().is_none_or(|region| region.contains(point))
    }

    /// Whether the part can be one of this domain, and if not, why.
    pub fn check(&self, part: &Part) -> Result<(), PartError> {
        for (index, &(coordinate, value)) in part.fixed.iter().enumerate() {
            self.known(coordinate)?;
            if part.fixed[..index].iter().any(|&(earlier, _)| earlier == coordinate) {
                return Err(PartError::DuplicateCoordinate { coordinate });
            }
            if !self.spans(coordinate, value) {
                let (lower, upper) = (self.lower[coordinate], self.upper[coordinate]);
                return Err(PartError::Outside { coordinate, value, lower, upper });
            }
        }
        self.check_ranges(part)?;
        self.check_boundary(part)
    }

    fn check_ranges(&self, part: &Part) -> Result<(), PartError> {
        for &(coordinate, from, to) in &part.ranges {
            self.known(coordinate)?;
            let (lower, upper) = part.range(coordinate);
            let (lower, upper) = (lower.max(self.lower[coordinate]), upper.min(self.upper[coordinate]));
            let left = match part.value(coordinate) {
                Some(value) => (lower..=upper).contains(&value),
                None => lower < upper && !from.is_nan() && !to.is_nan(),
            };
            if !left {
                return Err(PartError::EmptyRange { coordinate, lower, upper });
            }
        }
        Ok(())
    }

    fn check_boundary(&self, part: &Part) -> Result<(), PartError> {
        let shapes = self.inside.as_ref().map_or(&[][..], |region| &region.shapes);
        let runs_along = |coordinate: usize| match part.boundary {
            None => false,
            Some(Boundary::All) => Some(coordinate) != self.time,
            Some(Boundary::Shape(shape)) => shapes[shape].1.axes.contains(&coordinate),
        };
        match part.boundary {
            Some(Boundary::Shape(shape)) if shape >= shapes.len() => {
                Err(PartError::UnknownShape { shape, shapes: shapes.len() })
            }
            _ => match part.fixed.iter().find(|&&(coordinate, _)| runs_along(coordinate)) {
                Some(&(coordinate, _)) => Err(PartError::FixedOnBoundary { coordinate }),
                None => Ok(()),
            },
        }
    }

    fn known(&self, coordinate: usize) -> Result<(), PartError> {
        let dimension = self.dimension();
        if coordinate < dimension {
            Ok(())
        } else {
            Err(PartError::UnknownCoordinate { coordinate, dimension })
        }
    }

    fn spans(&self, coordinate: usize, value: f64) -> bool {
        (self.lower[coordinate]..=self.upper[coordinate]).contains(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slab() -> Domain {
        Domain::new(vec![-1.0, 0.0, 2.0], vec![1.0, 3.0, 7.0]).unwrap()
    }

    #[test]
    fn axes_without_finite_length_are_refused() {
        for (lower, upper) in [
            (1.0, 1.0),
            (1.0, 0.0),
            (f64::NAN, 1.0),
            (0.0, f64::NAN),
            (0.0, f64::INFINITY),
            (f64::MIN, f64::MAX),
        ] {
            let error = Domain::new(vec![0.0, lower], vec![1.0, upper]).unwrap_err();
            assert!(matches!(error, DomainError::Empty { coordinate: 1, .. }), "[{lower}, {upper}]: {error}");
        }
        assert_eq!(Domain::new(vec![0.0], vec![]), Err(DomainError::Unequal { lower: 1, upper: 0 }));
    }

    #[test]
    fn the_box_is_closed() {
        assert!(slab().contains(&[-1.0, 3.0, 7.0]));
        assert!(!slab().contains(&[-1.0, 3.0, 7.0 + 1e-14]));
        assert!(!slab().contains(&[0.0, f64::NAN, 3.0]));
        assert!(!slab().contains(&[0.0, 1.0]));
    }

    #[test]
    fn faces_outside_are_refused() {
        let check = |fixed: &[(usize, f64)]| slab().check(&Part::fixed(fixed.to_vec()));
        assert_eq!(check(&[(0, 1.0), (2, 2.0)]), Ok(()));
        assert_eq!(check(&[(1, 1.5)]), Ok(()));
        let outside = PartError::Outside { coordinate: 2, value: 1.0, lower: 2.0, upper: 7.0 };
        assert_eq!(check(&[(2, 1.0)]), Err(outside));
        assert!(matches!(check(&[(0, f64::NAN)]), Err(PartError::Outside { coordinate: 0, .. })));
        let duplicate = PartError::DuplicateCoordinate { coordinate: 0 };
        assert_eq!(check(&[(0, 1.0), (0, -1.0)]), Err(duplicate));
        assert_eq!(check(&[(3, 0.0)]), Err(PartError::UnknownCoordinate { coordinate: 3, dimension: 3 }));
    }
}
