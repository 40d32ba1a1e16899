//! The values of a field on the grid that is shown.

use super::predictions::Predictions;
use super::view::View;
use crate::evaluate::{FieldError, grid_points};
use crate::geometry::Points;
use crate::lang::Tape;
use crate::problem::{Grid, at_points};
use crate::sample::SampleError;

/// Network and reference on a grid, not a number outside the domain.
#[derive(Clone)]
pub(super) struct Sampled {
    pub(super) grid: Grid,
    pub(super) network: Vec<f64>,
    pub(super) reference: Option<Vec<f64>>,
    /// A number at the points of the domain; absent where that is the whole box.
    pub(super) inside: Option<Vec<f64>>,
    /// The network on a finer grid, where that of the reference is coarse.
    pub(super) fine: Option<Box<Sampled>>,
}

impl Sampled {
    /// On the grid on which the error is measured.
    pub(super) fn measured(view: &View<'_>, grid: &Grid, error: &FieldError) -> Result<Self, SampleError> {
        let inside = match view.problem.domain.inside {
            None => None,
            Some(_) => inside(view, &grid_points(grid)?),
        };
        let (network, reference) = (error.network.clone(), Some(error.reference.clone()));
        Ok(Self { grid: grid.clone(), network, reference, inside, fine: None })
    }

    /// On the figure's own grid.
    pub(super) fn of(
        view: &View<'_>,
        predictions: &mut Predictions<'_>,
        formula: Option<&Tape>,
    ) -> Result<Self, SampleError> {
        let grid = view.grid();
        let (points, outputs) = predictions.on(&grid)?;
        let inside = inside(view, points);
        let blank = |mut values: Vec<f64>| {
            for (value, inside) in values.iter_mut().zip(inside.iter().flatten()) {
                *value += inside;
            }
            values
        };
        let reference = formula.map(|tape| blank(at_points(tape, points).swap_remove(0)));
        let network = blank(outputs[view.field].clone());
        Ok(Self { grid, network, reference, inside, fine: None })
    }

    /// The length of the vector that these are the components of, if they are known on one grid.
    pub(super) fn magnitude(components: &[Self]) -> Option<Self> {
        let first = components.first()?;
        let together = components.iter().all(|component| component.grid == first.grid);
        let length = |columns: Vec<&[f64]>| -> Vec<f64> {
            let square = |i: usize| columns.iter().map(|column| column[i] * column[i]).sum::<f64>();
            (0..first.network.len()).map(|i| square(i).sqrt()).collect()
        };
        let network = length(components.iter().map(|component| &component.network[..]).collect());
        let known: Option<Vec<&[f64]>> =
            components.iter().map(|component| component.reference.as_deref()).collect();
        together.then(|| Self { network, reference: known.map(length), fine: None, ..first.clone() })
    }

    /// The absolute error, where there is a reference.
    pub(super) fn error(&self) -> Option<Vec<f64>> {
        let reference = self.reference.as_ref()?;
        Some(self.network.iter().zip(reference).map(|(a, b)| (a - b).abs()).collect())
    }
}

/// Zero inside the domain, not a number outside.
fn inside(view: &View<'_>, points: &Points) -> Option<Vec<f64>> {
    view.problem.domain.inside.as_ref()?;
    let value = |mut point: Vec<f64>| if view.reaches(&mut point) { 0.0 } else { f64::NAN };
    Some(points.iter().map(value).collect())
}
