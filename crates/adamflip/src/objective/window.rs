//! The problem of one window of a solution: it starts where the window before ends.

use std::sync::Arc;

use super::{rows, values};
use crate::geometry::Points;
use crate::linalg::dot;
use crate::model::Model;
use crate::problem::{InterfaceValues, Problem, Term};

/// The problem of a window of the model's; `θ` is that of all windows, of which the one before it is read.
/// Where a step of that one's θ is given, its solution is moved by it, to first order.
pub fn window(problem: &Problem, model: &Model, θ: &[f64], window: usize, step: Option<&[f64]>) -> Problem {
    let Some((windows, models)) = model.windows() else { return problem.clone() };
    let interface = |term: &Term| {
        let number = window.checked_sub(1)?;
        let (model, θ): (_, Arc<[f64]>) = (models[number].clone(), θ[model.part(number)].into());
        let (residual, step) = (term.residual.clone(), step.map(<[f64]>::to_vec));
        let of = move |points: &Points| {
            let mut columns = values(&residual, &model, &[], &θ, points);
            if let Some(step) = &step {
                let rows = rows(&residual, &model, &[], &θ, points);
                for (column, rows) in columns.iter_mut().zip(rows) {
                    let moves = rows.chunks_exact(step.len()).map(|row| dot(row, step));
                    column.iter_mut().zip(moves).for_each(|(value, moved)| *value += moved);
                }
            }
            columns
        };
        Some(InterfaceValues::new(windows.coordinate, windows.bounds[window], of))
    };
    problem.window(windows, window, interface)
}
