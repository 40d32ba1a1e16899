//! Points, and values measured there, moved along a group: dx/dε = ξ(x, u), du/dε = η(x, u).
//!
//! Classical Runge–Kutta steps, all points at once, each to its own ε: drawn from [−1, 1], and halved until
//! the point stays in the domain. [`STEPS`] of them move points of exp(2ε) to 1e-9.

use rand::RngExt;

use crate::geometry::{Domain, Points};
use crate::lang::{Generator, Graph, HERE, Id, Leaf, Tape};
use crate::problem::at_points::at_points;
use crate::sample;

/// Runge–Kutta steps from 0 to ε.
const STEPS: usize = 128;
/// How often ε is halved; a point that still leaves the domain stays where it is.
const HALVINGS: usize = 12;

/// How fast coordinates and measured values move.
pub(super) struct Flow {
    speeds: Tape,
    /// The attributes that move, in the order of the speeds after the coordinates.
    attributes: Vec<usize>,
}

impl Flow {
    /// The flow of coordinates and of these (field, attribute) pairs; nothing where it depends on other
    /// fields.
    pub(super) fn new(graph: &mut Graph, generator: &Generator, measured: &[(usize, usize)]) -> Option<Self> {
        let mut speeds = generator.coordinates.clone();
        speeds.extend(measured.iter().map(|&(field, _)| generator.fields[field]));
        let attribute = |leaf: Leaf| match leaf {
            Leaf::Jet { field, site: HERE, .. } => measured
                .iter()
                .find(|(known, _)| *known == field)
                .map(|&(_, attribute)| Leaf::Attribute(attribute)),
            _ => None,
        };
        let mut images: Vec<(Leaf, Id)> = Vec::new();
        for leaf in graph.leaves(&speeds) {
            if !matches!(leaf, Leaf::Coordinate(_)) {
                images.push((leaf, graph.leaf(attribute(leaf)?)));
            }
        }
        let image = |leaf: Leaf| images.iter().find(|(known, _)| *known == leaf).map(|&(_, image)| image);
        let ids: Vec<Id> = speeds.iter().map(|&id| graph.substitute(id, &mut |leaf| image(leaf))).collect();
        let attributes = measured.iter().map(|&(_, attribute)| attribute).collect();
        Some(Self { speeds: Tape::lower(graph, &ids), attributes })
    }

    /// The points, each moved by a random ε that keeps it in the domain.
    pub(super) fn moved(&self, points: &Points, domain: &Domain, (seed, stream): (u64, u64)) -> Points {
        let mut rng = sample::stream(seed, stream ^ 1 << 63);
        let mut parameters: Vec<f64> = (0..points.len()).map(|_| rng.random_range(-1.0..1.0)).collect();
        for halving in 0..=HALVINGS {
            let moved = self.along(points, &parameters);
            let outside: Vec<usize> =
                (0..points.len()).filter(|&i| !domain.contains(&moved.point(i))).collect();
            if outside.is_empty() {
                return moved;
            }
            let factor = if halving + 1 < HALVINGS { 0.5 } else { 0.0 };
            outside.into_iter().for_each(|i| parameters[i] *= factor);
        }
        points.clone()
    }

    /// The points moved by these parameters, one each.
    pub(super) fn along(&self, points: &Points, parameters: &[f64]) -> Points {
        let mut points = points.clone();
        let step: Vec<f64> = parameters.iter().map(|ε| ε / STEPS as f64).collect();
        for _ in 0..STEPS {
            let first = self.speeds_at(&points);
            let second = self.speeds_at(&self.shifted(&points, &first, &step, 0.5));
            let third = self.speeds_at(&self.shifted(&points, &second, &step, 0.5));
            let fourth = self.speeds_at(&self.shifted(&points, &third, &step, 1.0));
            for (speeds, share) in [(first, 1.0), (second, 2.0), (third, 2.0), (fourth, 1.0)] {
                points = self.shifted(&points, &speeds, &step, share / 6.0);
            }
        }
        points
    }

    fn speeds_at(&self, points: &Points) -> Vec<Vec<f64>> {
        at_points(&self.speeds, points)
    }

    /// points + factor·step·speeds
    fn shifted(&self, points: &Points, speeds: &[Vec<f64>], step: &[f64], factor: f64) -> Points {
        let mut points = points.clone();
        let dimension = points.dimension();
        for (index, speed) in speeds.iter().enumerate() {
            let column = match index.checked_sub(dimension) {
                None => points.column_mut(index),
                Some(value) => points.attribute_mut(self.attributes[value]),
            };
            for ((x, v), h) in column.iter_mut().zip(speed).zip(step) {
                *x += factor * h * v;
            }
        }
        points
    }
}
