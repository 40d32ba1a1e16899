//! The tangential step: lower the quadratic model within null(A), by projected conjugate gradients.
//!
//! Minimises ½tᵀBt + gᵀt over A t = 0 and ‖t‖ ≤ radius, until the residual is small, a direction of negative
//! curvature is met or the ball is left (Steihaug 1983; projections as in Gould, Hribar and Nocedal 2001). B
//! is a multiple of the identity plus twice as many rank-one terms as there are pairs, at most; so in exact
//! arithmetic it ends after one iteration more than there are terms.

use super::curvature::Curvature;
use super::pseudoinverse::Pseudoinverse;
use super::region::to_boundary;
use crate::linalg::{add_scaled, dot, norm};
use crate::optim::Jacobian;

/// Why the iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The residual is below the tolerance.
    Solved,
    /// At the ball.
    Boundary,
    /// At the ball, along a direction of negative curvature.
    NegativeCurvature,
    /// As many iterations as allowed.
    Iterations,
}

/// The step and the vectors of the iteration.
#[derive(Debug)]
pub(super) struct Tangential {
    /// t.
    pub(super) step: Vec<f64>,
    /// g on entry, then the projected residual.
    pub(super) residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
}

impl Tangential {
    pub(super) fn new(parameters: usize) -> Self {
        let zeros = || vec![0.0; parameters];
        Self { step: zeros(), residual: zeros(), direction: zeros(), image: zeros() }
    }

    /// t from the g in `residual`. Ends at ‖residual‖ ≤ min(`forcing`, √‖g‖)·‖g‖.
    pub(super) fn solve(
        &mut self,
        space: &mut Pseudoinverse,
        rows: &Jacobian,
        curvature: &Curvature,
        radius: f64,
        forcing: f64,
    ) -> End {
        self.step.fill(0.0);
        // Twice: the second pass takes away what rounding left of the first.
        space.project(rows, &mut self.residual);
        space.project(rows, &mut self.residual);
        let length = norm(&self.residual);
        let tolerance = length * forcing.min(length.sqrt());
        self.direction.fill(0.0);
        add_scaled(&mut self.direction, -1.0, &self.residual);
        let limit = 2 * (2 * curvature.pairs + 1);
        let mut end = if length > 0.0 { End::Iterations } else { End::Solved };
        for _ in 0..limit {
            if end != End::Iterations {
                break;
            }
            end = self.iterate(space, rows, curvature, radius, tolerance);
        }
        // Rounding of the sums; a projection never lengthens, so t stays in the ball.
        space.project(rows, &mut self.step);
        end
    }

    /// One iteration; `Iterations` where it is to go on.
    fn iterate(
        &mut self,
        space: &mut Pseudoinverse,
        rows: &Jacobian,
        curvature: &Curvature,
        radius: f64,
        tolerance: f64,
    ) -> End {
        curvature.times(&self.direction, &mut self.image);
        let along = dot(&self.direction, &self.image);
        let squared = dot(&self.residual, &self.residual);
        let boundary = to_boundary(&self.step, &self.direction, radius);
        // Also where `along` is not a number.
        if along.is_nan() || along <= 0.0 || squared / along >= boundary {
            add_scaled(&mut self.step, boundary, &self.direction);
            return if along > 0.0 { End::Boundary } else { End::NegativeCurvature };
        }
        let length = squared / along;
        add_scaled(&mut self.step, length, &self.direction);
        space.project(rows, &mut self.image);
        add_scaled(&mut self.residual, length, &self.image);
        let next = dot(&self.residual, &self.residual);
        if next.sqrt() <= tolerance {
            return End::Solved;
        }
        let ratio = next / squared;
        self.direction.iter_mut().zip(&self.residual).for_each(|(p, r)| *p = ratio * *p - r);
        End::Iterations
    }
}
