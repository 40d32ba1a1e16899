//! Shapes: boxes, balls, ellipses and polygons, each on some of the coordinates.

use super::polygon;

/// A shape on some coordinates, whatever the others are: a disk on x and y is a cylinder in space, or in
/// time. Made by [`Shape::new`], which checks it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The coordinates of the domain on which it lives, in its own order.
    pub axes: Vec<usize>,
    /// What it is there.
    pub form: Form,
}

/// A closed set of positive measure.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Between two corners.
    Box {
        /// Where each axis begins.
        lower: Vec<f64>,
        /// Where each axis ends.
        upper: Vec<f64>,
    },
    /// A ball of any dimension: an interval, a disk, a ball.
    Ball {
        /// Its centre.
        center: Vec<f64>,
        /// Its radius.
        radius: f64,
    },
    /// An ellipse with its interior.
    Ellipse {
        /// Its centre.
        center: [f64; 2],
        /// Its half axes.
        radii: [f64; 2],
        /// The angle from the first coordinate to the first half axis, counterclockwise, in radians.
        angle: f64,
    },
    /// A polygon without crossings, by its corners in either sense of rotation.
    Polygon(Vec<[f64; 2]>),
}

/// Why a shape is none. Corners and edges are counted from 1; edge k goes from corner k to the next.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// Not as many coordinates as the form has dimensions.
    #[error("{axes} coordinates for a shape of {dimension} dimensions")]
    Axes {
        /// The coordinates given.
        axes: usize,
        /// What the form needs.
        dimension: usize,
    },
    /// A shape in no dimension.
    #[error("a shape needs at least one dimension")]
    NoDimension,
    /// The same coordinate twice.
    #[error("coordinate {coordinate} is given twice")]
    DuplicateAxis {
        /// The coordinate in question.
        coordinate: usize,
    },
    /// A number that is infinite or none.
    #[error("{value} is not a finite number")]
    NotFinite {
        /// The number in question.
        value: f64,
    },
    /// Lower and upper corners of different dimension.
    #[error("{lower} lower ends and {upper} upper ends do not make a box")]
    Unequal {
        /// Number of lower ends.
        lower: usize,
        /// Number of upper ends.
        upper: usize,
    },
    /// A box without length along one of its axes.
    #[error("axis {axis} of the box runs from {lower} to {upper}, which is no interval of positive length")]
    Length {
        /// The axis, counted from 0 in the order of the shape.
        axis: usize,
        /// Where it begins.
        lower: f64,
        /// Where it ends.
        upper: f64,
    },
    /// A radius that is not positive.
    #[error("the radius {radius} is not positive")]
    Radius {
        /// The radius in question.
        radius: f64,
    },
    /// Too few corners.
    #[error("a polygon of {corners} corners has no interior")]
    Corners {
        /// The corners given.
        corners: usize,
    },
    /// Two corners that follow one another and are the same (the first follows the last).
    #[error("corners {first} and {second} are the same")]
    Repeated {
        /// The corner.
        first: usize,
        /// The one that follows.
        second: usize,
    },
    /// All corners on one line.
    #[error("the corners lie on one line")]
    ZeroArea,
    /// Two edges that cross or touch.
    #[error("edges {first} and {second} cross or touch")]
    Crossing {
        /// The earlier edge.
        first: usize,
        /// The later edge.
        second: usize,
    },
}

/// Points on the boundary come out of cosines and products: a few roundings relative to the size.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl Shape {
    /// A shape on these coordinates, if it is one.
    pub fn new(axes: Vec<usize>, form: Form) -> Result<Self, ShapeError> {
        form.check()?;
        let dimension = form.dimension();
        if axes.len() != dimension {
            return Err(ShapeError::Axes { axes: axes.len(), dimension });
        }
        let earlier = |&index: &usize| axes[..index].contains(&axes[index]);
        if let Some(index) = (0..dimension).find(earlier) {
            return Err(ShapeError::DuplicateAxis { coordinate: axes[index] });
        }
        Ok(Self { axes, form })
    }

    /// Whether the point (all coordinates of the domain) lies in the closed shape. Points that rounding put
    /// beside a curved or oblique boundary count as on it.
    pub fn contains(&self, point: &[f64]) -> bool {
        let own = |index: usize| point[self.axes[index]];
        match &self.form {
            Form::Box { lower, upper } => {
                lower.iter().zip(upper).enumerate().all(|(k, (a, b))| (a..=b).contains(&&own(k)))
            }
            Form::Ball { center, radius } => {
                let square: f64 =
                    center.iter().enumerate().map(|(k, c)| ((own(k) - c) / radius).powi(2)).sum();
                square <= 1.0 + ROUNDING
            }
            Form::Ellipse { center, radii, angle } => {
                let (sine, cosine) = angle.sin_cos();
                let (x, y) = (own(0) - center[0], own(1) - center[1]);
                let (along, across) = (cosine * x + sine * y, cosine * y - sine * x);
                (along / radii[0]).powi(2) + (across / radii[1]).powi(2) <= 1.0 + ROUNDING
            }
            Form::Polygon(corners) => polygon::contains(corners, [own(0), own(1)]),
        }
    }

    /// The smallest box around the shape on its own axes: lower and upper end of each.
    pub fn bounding_box(&self) -> Vec<(f64, f64)> {
        match &self.form {
            Form::Box { lower, upper } => lower.iter().copied().zip(upper.iter().copied()).collect(),
            Form::Ball { center, radius } => center.iter().map(|c| (c - radius, c + radius)).collect(),
            Form::Ellipse { center, radii, angle } => {
                let (sine, cosine) = angle.sin_cos();
                let half =
                    [(radii[0] * cosine).hypot(radii[1] * sine), (radii[0] * sine).hypot(radii[1] * cosine)];
                center.iter().zip(half).map(|(c, half)| (c - half, c + half)).collect()
            }
            Form::Polygon(corners) => (0..2).map(|axis| polygon::span(corners, axis)).collect(),
        }
    }

    /// The largest extent along its axes.
    pub(super) fn size(&self) -> f64 {
        self.bounding_box().into_iter().map(|(lower, upper)| upper - lower).fold(0.0, f64::max)
    }

    /// The bounding box in all coordinates of the domain, infinite along the others.
    pub(super) fn bounds(&self, dimension: usize) -> Vec<(f64, f64)> {
        let mut bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); dimension];
        for (&axis, ends) in self.axes.iter().zip(self.bounding_box()) {
            bounds[axis] = ends;
        }
        bounds
    }
}

impl Form {
    /// In how many dimensions it lives.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Box { lower, .. } => lower.len(),
            Self::Ball { center, .. } => center.len(),
            Self::Ellipse { .. } | Self::Polygon(_) => 2,
        }
    }

    fn check(&self) -> Result<(), ShapeError> {
        if self.dimension() == 0 {
            return Err(ShapeError::NoDimension);
        }
        match self {
            Self::Box { lower, upper } => check_box(lower, upper),
            Self::Ball { center, radius } => {
                finite(center)?;
                positive(*radius)
            }
            Self::Ellipse { center, radii, angle } => {
                finite(center)?;
                finite(&[*angle])?;
                radii.iter().try_for_each(|&radius| positive(radius))
            }
            Self::Polygon(corners) => {
                finite(corners.as_flattened())?;
                polygon::check(corners)
            }
        }
    }
}

fn check_box(lower: &[f64], upper: &[f64]) -> Result<(), ShapeError> {
    if lower.len() != upper.len() {
        return Err(ShapeError::Unequal { lower: lower.len(), upper: upper.len() });
    }
    finite(lower)?;
    finite(upper)?;
    for (axis, (&lower, &upper)) in lower.iter().zip(upper).enumerate() {
        if upper <= lower {
            return Err(ShapeError::Length { axis, lower, upper });
        }
    }
    Ok(())
}

fn finite(values: &[f64]) -> Result<(), ShapeError> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(&value) => Err(ShapeError::NotFinite { value }),
        None => Ok(()),
    }
}

fn positive(radius: f64) -> Result<(), ShapeError> {
    finite(&[radius])?;
    if radius > 0.0 { Ok(()) } else { Err(ShapeError::Radius { radius }) }
}
