//! The networks on the grids of a figure, each evaluated once: fields often share a grid.

use crate::evaluate::{grid_points, predict};
use crate::geometry::Points;
use crate::model::Model;
use crate::problem::{Grid, Problem};
use crate::sample::SampleError;

/// A trained state, and what it says on grids.
pub(super) struct Predictions<'a> {
    pub(super) problem: &'a Problem,
    pub(super) model: &'a Model,
    pub(super) θ: &'a [f64],
    known: Vec<(Grid, Points, Vec<Vec<f64>>)>,
}

impl<'a> Predictions<'a> {
    pub(super) fn new(problem: &'a Problem, model: &'a Model, θ: &'a [f64]) -> Self {
        Self { problem, model, θ, known: Vec::new() }
    }

    /// The points of a grid and all fields there.
    pub(super) fn on(&mut self, grid: &Grid) -> Result<(&Points, &[Vec<f64>]), SampleError> {
        let at = match self.known.iter().position(|(known, ..)| known == grid) {
            Some(at) => at,
            None => {
                let points = grid_points(grid)?;
                let fields = predict(self.problem, self.model, self.θ, &points);
                self.known.push((grid.clone(), points, fields));
                self.known.len() - 1
            }
        };
        let (_, points, fields) = &self.known[at];
        Ok((points, fields))
    }
}
