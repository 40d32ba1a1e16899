//! A part of the domain as samplers see it: the image of a unit cube.

use super::surface::Surface;
use super::{Domain, Predicate};

/// A piece of a domain with a map from the unit cube that keeps relative volume, so that points spread evenly
/// over the cube are spread evenly over the piece. Of a piece around a region, or with restrictions, only
/// some points belong: [`Domain::settle`] tells which. Made by [`Domain::patches`].
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// The part of the place to which it belongs.
    pub part: usize,
    pub(super) axes: Vec<PatchAxis>,
    pub(super) surface: Option<(Vec<usize>, Surface)>,
    pub(super) belonging: Belonging,
    pub(super) ranges: Vec<(usize, f64, f64)>,
    pub(super) within: Vec<Predicate>,
}

/// What a patch does along one coordinate of the domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PatchAxis {
    /// Runs from end to end.
    Free { lower: f64, upper: f64 },
    /// Stays at one value.
    Fixed(f64),
    /// Is given by the surface of a shape.
    Surface,
}

/// When a point of the patch belongs to the place, apart from the restrictions.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Belonging {
    /// When it lies in the closed region. These coordinates are fixed and spatial, with the step that tells
    /// inside from outside: a normal is along one of them.
    Inside { fixed: Vec<(usize, f64)> },
    /// When a step along the normal leaves the region and a step back enters it, and no rival shape has its
    /// boundary there as well, which would count the point twice. A patch without surface faces along this
    /// coordinate.
    Boundary { step: f64, facing: Option<usize>, rivals: Vec<usize> },
}

impl Patch {
    /// The dimension of the patch, which is that of its unit cube: 0 for a single point.
    pub fn dimension(&self) -> usize {
        let free = self.axes.iter().filter(|axis| matches!(axis, PatchAxis::Free { .. })).count();
        free + self.surface.as_ref().map_or(0, |(_, surface)| surface.dimension())
    }

    /// Length, area, volume … of all its points, whether they belong or not; 1 for a single point.
    pub fn measure(&self) -> f64 {
        let lengths: f64 = self.axes.iter().map(|axis| axis.length()).product();
        lengths * self.surface.as_ref().map_or(1.0, |(_, surface)| surface.measure())
    }

    /// Whether every point belongs.
    pub fn is_whole(&self, domain: &Domain) -> bool {
        domain.inside.is_none() && self.within.is_empty()
    }

    /// Maps a point of the unit cube to the patch: all coordinates of the domain, and a unit normal whose
    /// sense is still open (zero where no surface gives one). [`Domain::settle`] completes both.
    pub fn map(&self, cube: &[f64], point: &mut [f64], normal: &mut [f64]) {
        normal.fill(0.0);
        let mut parameters = cube;
        if let Some((axes, surface)) = &self.surface {
            let (own, rest) = cube.split_at(surface.dimension());
            surface.map(own, axes, point, normal);
            parameters = rest;
        }
        if let Belonging::Boundary { facing: Some(axis), .. } = self.belonging {
            normal[axis] = 1.0;
        }
        let mut fractions = parameters.iter();
        for (to, axis) in point.iter_mut().zip(&self.axes) {
            match *axis {
                PatchAxis::Surface => {}
                PatchAxis::Fixed(value) => *to = value,
                PatchAxis::Free { lower, upper } => {
                    *to = between(lower, upper, fractions.next().copied().unwrap_or(0.5));
                }
            }
        }
    }
}

impl PatchAxis {
    fn length(self) -> f64 {
        match self {
            Self::Free { lower, upper } => upper - lower,
            Self::Fixed(_) | Self::Surface => 1.0,
        }
    }
}

/// The point at this fraction of the way. Weighing both ends hits them exactly and is symmetric about the
/// middle, unlike `lower + fraction * length`; the bounds undo a rounding of half a unit beyond an end.
pub(crate) fn between(lower: f64, upper: f64, fraction: f64) -> f64 {
    (lower * (1.0 - fraction) + upper * fraction).max(lower).min(upper)
}

/// As [`between`], for ends in any order.
pub(super) fn between_ends(from: f64, to: f64, fraction: f64) -> f64 {
    if from <= to { between(from, to, fraction) } else { between(to, from, 1.0 - fraction) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_axes_take_the_parameters_in_order() {
        let patch = Patch {
            part: 0,
            axes: vec![
                PatchAxis::Free { lower: -1.0, upper: 1.0 },
                PatchAxis::Fixed(7.0),
                PatchAxis::Free { lower: 0.0, upper: 4.0 },
            ],
            surface: None,
            belonging: Belonging::Inside { fixed: vec![] },
            ranges: vec![],
            within: vec![],
        };
        let (mut point, mut normal) = ([f64::NAN; 3], [f64::NAN; 3]);
        patch.map(&[0.5, 0.25], &mut point, &mut normal);
        assert_eq!((point, normal), ([0.0, 7.0, 1.0], [0.0; 3]));
        assert_eq!((patch.dimension(), patch.measure()), (2, 8.0));
    }

    #[test]
    fn ends_are_hit_exactly() {
        assert_eq!(between(0.1, 0.3, 0.0), 0.1);
        assert_eq!(between(0.1, 0.3, 1.0), 0.3);
        assert_eq!(between(-0.3, 0.3, 0.5), 0.0);
        assert_eq!((between_ends(0.3, 0.1, 0.0), between_ends(0.3, 0.1, 1.0)), (0.3, 0.1));
    }
}
