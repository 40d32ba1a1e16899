//! Boundaries of shapes that are no boxes, and balls of many dimensions, as images of unit cubes.

use std::f64::consts::TAU;

use super::cumulative::{Cumulative, Density};
use super::{Form, polygon};

/// A closed surface with a map from the unit cube that keeps relative area.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Surface {
    /// In two dimensions and more: one angle for each but the last two axes, with a power of its sine as
    /// density, and one that is uniform over the turn. A solid one is the ball: it has a parameter for the
    /// radius too.
    Sphere { center: Vec<f64>, radius: f64, angles: Vec<Cumulative>, solid: bool },
    /// By arclength.
    Ellipse { center: [f64; 2], radii: [f64; 2], angle: f64, arc: Cumulative },
    /// By arclength: `ends[k]` is the length up to the end of edge k.
    Outline { corners: Vec<[f64; 2]>, ends: Vec<f64> },
}

impl Surface {
    /// The surface of a form; `None` for boxes and intervals, whose boundary is flat along the axes.
    pub(super) fn of(form: &Form) -> Option<Self> {
        match form {
            Form::Box { .. } => None,
            Form::Ball { center, .. } if center.len() < 2 => None,
            Form::Ball { center, radius } => Some(Self::sphere(center, *radius, false)),
            Form::Ellipse { center, radii, angle } => Some(Self::Ellipse {
                center: *center,
                radii: *radii,
                angle: *angle,
                arc: Cumulative::new(Density::Ellipse(*radii), 4),
            }),
            Form::Polygon(corners) => Some(Self::outline(corners)),
        }
    }

    /// A sphere, or the ball that it bounds, of two dimensions or more.
    pub(super) fn sphere(center: &[f64], radius: f64, solid: bool) -> Self {
        let powers = (1..center.len() as i32 - 1).rev();
        let angles = powers.map(|power| Cumulative::new(Density::SinePower(power), 2)).collect();
        Self::Sphere { center: center.to_vec(), radius, angles, solid }
    }

    /// The dimension of the surface, which is that of its cube.
    pub(super) fn dimension(&self) -> usize {
        match self {
            Self::Sphere { angles, solid, .. } => angles.len() + 1 + usize::from(*solid),
            Self::Ellipse { .. } | Self::Outline { .. } => 1,
        }
    }

    /// Length, area …
    pub(super) fn measure(&self) -> f64 {
        match self {
            Self::Sphere { center, radius, angles, solid } => {
                let area = angles.iter().map(|angle| radius * angle.total()).product::<f64>() * TAU * radius;
                if *solid { area * radius / center.len() as f64 } else { area }
            }
            Self::Ellipse { arc, .. } => arc.total(),
            Self::Outline { ends, .. } => ends.last().copied().unwrap_or(0.0),
        }
    }

    /// The point at these parameters and a unit normal there (its sense is left to the region), written to
    /// the coordinates on which the shape lives.
    pub(super) fn map(&self, parameters: &[f64], axes: &[usize], point: &mut [f64], normal: &mut [f64]) {
        match self {
            Self::Sphere { center, radius, angles, solid } => {
                direction(angles, parameters, axes, normal);
                let radius = match solid {
                    // The volume within a radius grows with its power.
                    true => radius * parameters[angles.len() + 1].powf(1.0 / center.len() as f64),
                    false => *radius,
                };
                for (&axis, center) in axes.iter().zip(center) {
                    point[axis] = center + radius * normal[axis];
                }
            }
            Self::Ellipse { center, radii, angle, arc } => {
                let (sine, cosine) = arc.inverse(parameters[0]).sin_cos();
                let offset = turned([radii[0] * cosine, radii[1] * sine], *angle);
                // The gradient (cos θ / a, sin θ / b), multiplied by a b.
                let gradient = turned([radii[1] * cosine, radii[0] * sine], *angle);
                let length = gradient[0].hypot(gradient[1]);
                for k in 0..2 {
                    point[axes[k]] = center[k] + offset[k];
                    normal[axes[k]] = gradient[k] / length;
                }
            }
            Self::Outline { corners, ends } => {
                let target = parameters[0] * self.measure();
                let index = ends.partition_point(|&end| end <= target).min(ends.len() - 1);
                let (from, to) = polygon::edge(corners, index);
                let along = [to[0] - from[0], to[1] - from[1]];
                let length = along[0].hypot(along[1]);
                // Counted from the end of the edge, whose table entry is at hand.
                let fraction = (1.0 - (ends[index] - target) / length).clamp(0.0, 1.0);
                for k in 0..2 {
                    point[axes[k]] = super::between_ends(from[k], to[k], fraction);
                }
                (normal[axes[0]], normal[axes[1]]) = (along[1] / length, -along[0] / length);
            }
        }
    }

    fn outline(corners: &[[f64; 2]]) -> Self {
        let mut length = 0.0;
        let ends = (0..corners.len()).map(|index| {
            let (from, to) = polygon::edge(corners, index);
            length += (to[0] - from[0]).hypot(to[1] - from[1]);
            length
        });
        Self::Outline { ends: ends.collect(), corners: corners.to_vec() }
    }
}

/// A point of the unit sphere: each angle turns the rest of the axes away from its own.
fn direction(angles: &[Cumulative], parameters: &[f64], axes: &[usize], unit: &mut [f64]) {
    let mut rest = 1.0;
    for ((table, &parameter), &axis) in angles.iter().zip(parameters).zip(axes) {
        let (sine, cosine) = table.inverse(parameter).sin_cos();
        unit[axis] = rest * cosine;
        rest *= sine;
    }
    let (sine, cosine) = (TAU * parameters[angles.len()]).sin_cos();
    unit[axes[angles.len()]] = rest * cosine;
    unit[axes[angles.len() + 1]] = rest * sine;
}

fn turned([x, y]: [f64; 2], angle: f64) -> [f64; 2] {
    let (sine, cosine) = angle.sin_cos();
    [cosine * x - sine * y, sine * x + cosine * y]
}
