//! A part of the domain as samplers see it: the image of a unit cube.

use super::Points;

/// A piece of a domain with a map from the unit cube that keeps relative volume, so that points spread evenly
/// over the cube are spread evenly over the piece. Made by [`super::Domain::patches`].
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    axes: Vec<Axis>,
}

/// What a patch does along one coordinate of the domain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axis {
    /// Runs from end to end.
    Free { lower: f64, upper: f64 },
    /// Stays at one value.
    Fixed(f64),
}

impl Patch {
    pub(super) fn new(axes: Vec<Axis>) -> Self {
        Self { axes }
    }

    /// The dimension of the patch, which is that of its unit cube: 0 for a single point.
    pub fn dimension(&self) -> usize {
        self.axes.iter().filter(|axis| matches!(axis, Axis::Free { .. })).count()
    }

    /// Length, area, volume …; 1 for a single point.
    pub fn measure(&self) -> f64 {
        self.axes.iter().map(|axis| axis.length()).product()
    }

    /// Maps points of the unit cube to the patch; they become the points `start ..` of `target`, which has the
    /// coordinates of the domain.
    pub fn map(&self, cube: &Points, target: &mut Points, start: usize) {
        let mut parameter = 0;
        for (coordinate, axis) in self.axes.iter().enumerate() {
            let column = &mut target.column_mut(coordinate)[start..][..cube.len()];
            match *axis {
                Axis::Fixed(value) => column.fill(value),
                Axis::Free { lower, upper } => {
                    for (to, &fraction) in column.iter_mut().zip(cube.column(parameter)) {
                        *to = between(lower, upper, fraction);
                    }
                    parameter += 1;
                }
            }
        }
    }
}

impl Axis {
    fn length(self) -> f64 {
        match self {
            Self::Free { lower, upper } => upper - lower,
            Self::Fixed(_) => 1.0,
        }
    }
}

/// The point at this fraction of the way. Weighing both ends hits them exactly and is symmetric about the middle,
/// unlike `lower + fraction * length`; the bounds undo a rounding of half a unit beyond an end.
pub(crate) fn between(lower: f64, upper: f64, fraction: f64) -> f64 {
    (lower * (1.0 - fraction) + upper * fraction).max(lower).min(upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_axes_take_the_parameters_in_order() {
        let patch = Patch::new(vec![
            Axis::Free { lower: -1.0, upper: 1.0 },
            Axis::Fixed(7.0),
            Axis::Free { lower: 0.0, upper: 4.0 },
        ]);
        let mut cube = Points::new(2, 1);
        cube.column_mut(0)[0] = 0.5;
        cube.column_mut(1)[0] = 0.25;
        let mut target = Points::new(3, 2);
        patch.map(&cube, &mut target, 1);
        assert_eq!(target.point(0), [0.0, 0.0, 0.0]);
        assert_eq!(target.point(1), [0.0, 7.0, 1.0]);
        assert_eq!((patch.dimension(), patch.measure()), (2, 8.0));
    }

    #[test]
    fn ends_are_hit_exactly() {
        assert_eq!(between(0.1, 0.3, 0.0), 0.1);
        assert_eq!(between(0.1, 0.3, 1.0), 0.3);
        assert_eq!(between(-0.3, 0.3, 0.5), 0.0);
    }
}
