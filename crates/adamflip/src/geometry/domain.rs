//! The box of all coordinates: today's only shape.

use super::patch::Axis;
use super::{Face, FaceError, Patch, Place};

/// The box of all coordinates, time included.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// Where each coordinate begins.
    pub lower: Vec<f64>,
    /// Where each coordinate ends.
    pub upper: Vec<f64>,
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
        Ok(Self { lower, upper })
    }

    /// How many coordinates there are.
    pub fn dimension(&self) -> usize {
        self.lower.len()
    }

    /// Whether the point lies in the closed box.
    pub fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.dimension() && point.iter().enumerate().all(|(c, &value)| self.spans(c, value))
    }

    /// Whether the face is part of this domain, and if not, why.
    pub fn check(&self, face: &Face) -> Result<(), FaceError> {
        for (index, &(coordinate, value)) in face.fixed.iter().enumerate() {
            if coordinate >= self.dimension() {
                return Err(FaceError::UnknownCoordinate { coordinate, dimension: self.dimension() });
            }
            if face.fixed[..index].iter().any(|&(earlier, _)| earlier == coordinate) {
                return Err(FaceError::DuplicateCoordinate { coordinate });
            }
            if !self.spans(coordinate, value) {
                let (lower, upper) = (self.lower[coordinate], self.upper[coordinate]);
                return Err(FaceError::Outside { coordinate, value, lower, upper });
            }
        }
        Ok(())
    }

    /// The coordinates that run freely on a face.
    pub fn free(&self, face: &Face) -> Vec<usize> {
        (0..self.dimension()).filter(|&coordinate| face.value(coordinate).is_none()).collect()
    }

    /// Length, area, volume … of a face: the product of its free lengths; 1 for a point.
    pub fn measure(&self, face: &Face) -> f64 {
        self.patch(face).measure()
    }

    /// The outward normal on a face of the boundary, in all coordinates (time included). `None` if several
    /// coordinates are fixed, or one at a value inside the domain: no direction is outward there.
    pub fn outward_normal(&self, face: &Face) -> Option<Vec<f64>> {
        let &[(coordinate, value)] = face.fixed.as_slice() else { return None };
        let sign = if value == *self.lower.get(coordinate)? {
            -1.0
        } else if value == self.upper[coordinate] {
            1.0
        } else {
            return None;
        };
        let mut normal = vec![0.0; self.dimension()];
        normal[coordinate] = sign;
        Some(normal)
    }

    /// A place as images of unit cubes, in the order in which the place lists its parts.
    pub fn patches(&self, place: &Place) -> Result<Vec<Patch>, FaceError> {
        match place {
            Place::Interior => Ok(vec![self.patch(&Face::default())]),
            Place::Faces(faces) => {
                faces.iter().map(|face| self.check(face).map(|()| self.patch(face))).collect()
            }
        }
    }

    fn patch(&self, face: &Face) -> Patch {
        let axis = |coordinate: usize| match face.value(coordinate) {
            Some(value) => Axis::Fixed(value),
            None => Axis::Free { lower: self.lower[coordinate], upper: self.upper[coordinate] },
        };
        Patch::new((0..self.dimension()).map(axis).collect())
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
        let check = |fixed: &[(usize, f64)]| slab().check(&Face { fixed: fixed.to_vec() });
        assert_eq!(check(&[(0, 1.0), (2, 2.0)]), Ok(()));
        assert_eq!(check(&[(1, 1.5)]), Ok(()));
        let outside = FaceError::Outside { coordinate: 2, value: 1.0, lower: 2.0, upper: 7.0 };
        assert_eq!(check(&[(2, 1.0)]), Err(outside));
        assert!(matches!(check(&[(0, f64::NAN)]), Err(FaceError::Outside { coordinate: 0, .. })));
        let duplicate = FaceError::DuplicateCoordinate { coordinate: 0 };
        assert_eq!(check(&[(0, 1.0), (0, -1.0)]), Err(duplicate));
        assert_eq!(check(&[(3, 0.0)]), Err(FaceError::UnknownCoordinate { coordinate: 3, dimension: 3 }));
    }

    #[test]
    fn measure_multiplies_the_free_lengths() {
        assert_eq!(slab().measure(&Face::at(0, 1.0)), 15.0);
        assert_eq!(slab().measure(&Face { fixed: vec![(2, 2.0), (0, 1.0)] }), 3.0);
        assert_eq!(slab().measure(&Face { fixed: vec![(0, 1.0), (1, 0.0), (2, 2.0)] }), 1.0);
        assert_eq!(slab().free(&Face::at(1, 0.0)), [0, 2]);
    }

    #[test]
    fn normals_point_outward() {
        assert_eq!(slab().outward_normal(&Face::at(0, -1.0)), Some(vec![-1.0, 0.0, 0.0]));
        assert_eq!(slab().outward_normal(&Face::at(2, 7.0)), Some(vec![0.0, 0.0, 1.0]));
        assert_eq!(slab().outward_normal(&Face::at(2, 5.0)), None);
        assert_eq!(slab().outward_normal(&Face::at(9, 5.0)), None);
        assert_eq!(slab().outward_normal(&Face { fixed: vec![(0, 1.0), (1, 0.0)] }), None);
    }

    #[test]
    fn every_face_is_a_patch() {
        let faces = Place::Faces(vec![Face::at(0, -1.0), Face::at(1, 3.0)]);
        let patches = slab().patches(&faces).unwrap();
        assert_eq!(patches.iter().map(Patch::measure).collect::<Vec<_>>(), [15.0, 10.0]);
        assert_eq!(slab().patches(&Place::Interior).unwrap()[0].dimension(), 3);
        assert!(slab().patches(&Place::Faces(vec![Face::at(0, 2.0)])).is_err());
    }
}
