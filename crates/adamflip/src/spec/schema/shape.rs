//! `[shapes]`: named regions that `inside` combines and `on` refers to.

use super::{CoordinateRange, Number};
use crate::diagnostic::{Span, Spanned};

/// A named region: `hole = { disk = { center = [0, 0], radius = 0.3 } }`. One with errors stands here as
/// the box of all ranges, so that its name is known.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its name in `inside` and `on`.
    pub name: Spanned<String>,
    /// Its coordinates, as many as the form has; by default the first ones of the domain. Never given for a
    /// box.
    pub axes: Option<Vec<Spanned<String>>>,
    /// What it looks like.
    pub form: ShapeForm,
}

/// What a region looks like.
#[derive(Clone, Debug)]
pub enum ShapeForm {
    /// A range for each of its coordinates; the others are free.
    Box(Vec<CoordinateRange>),
    /// All points of a plane within a distance of the center.
    Disk {
        /// The center; two numbers.
        center: Vec<Spanned<Number>>,
        /// The distance.
        radius: Spanned<Number>,
    },
    /// All points within a distance of the center.
    Ball {
        /// The center; at least one number.
        center: Vec<Spanned<Number>>,
        /// The distance.
        radius: Spanned<Number>,
    },
    /// A disk stretched along its axes, then turned.
    Ellipse {
        /// The center; two numbers.
        center: Vec<Spanned<Number>>,
        /// The half axes; two numbers.
        radii: Vec<Spanned<Number>>,
        /// The angle between the first coordinate and the first half axis, in radians, counterclockwise.
        angle: Option<Spanned<Number>>,
    },
    /// At least three corners in order, and where the list was written.
    Polygon(Vec<[Spanned<Number>; 2]>, Span),
}

impl ShapeForm {
    /// How many coordinates it has.
    pub fn dimension(&self) -> usize {
        match self {
            ShapeForm::Box(axes) => axes.len(),
            ShapeForm::Ball { center, .. } => center.len(),
            ShapeForm::Disk { .. } | ShapeForm::Ellipse { .. } | ShapeForm::Polygon(..) => 2,
        }
    }
}
