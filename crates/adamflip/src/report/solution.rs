//! The figure of a solution: for each field the network, the reference and the absolute error, side by side.
//!
//! A field is drawn over the coordinates that it depends on: over one as curves, over two as maps (time across and
//! space up, or both of space in equal units). With more, a map is a cut: two coordinates of space at a fixed time, the
//! others in their middle, as the title says. What lies outside the domain's shapes is blank.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `view` | which coordinates are shown, which are cut and where |
//! | `sampled` | the values on the grid that is shown |
//! | `rows` | the panels made of them |

mod rows;
mod sampled;
#[cfg(test)]
mod tests;
mod view;

use super::figure::{FigureError, Panel, page};
use crate::evaluate::FieldError;
use crate::model::Model;
use crate::problem::{Known, Places, Problem};
use crate::sample::SampleError;
use rows::Rows;
use sampled::Sampled;
use view::View;

/// Why the figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum SolutionError {
    /// The grid of the figure.
    #[error(transparent)]
    Grid(#[from] SampleError),
    /// The panels.
    #[error(transparent)]
    Figure(#[from] FigureError),
}

/// The figure of all fields, as the text of an SVG file. `errors` are those of [`crate::evaluate::errors`].
pub fn solution(
    problem: &Problem,
    model: &Model,
    θ: &[f64],
    errors: &[FieldError],
) -> Result<String, SolutionError> {
    let network = |points: &_| crate::evaluate::predict(problem, model, θ, points);
    let mut rows: Vec<Vec<Panel>> = Vec::new();
    for field in 0..problem.fields.len() {
        let view = View::of(problem, field);
        let error = errors.iter().find(|error| error.field == field);
        let sampled = match (known(problem, field), error) {
            // What is measured is shown, unless a formula can be shown on a finer grid: that of many coordinates is
            // coarse.
            (Some((known, Places::Grid(grid))), Some(error)) if view.is_whole() || is_file(known) => {
                Sampled::measured(&view, grid, error)?
            }
            (Some((Known::Formula(tape), _)), _) => Sampled::of(&view, network, Some(tape))?,
            _ => Sampled::of(&view, network, None)?,
        };
        let scattered = match (known(problem, field), error) {
            (Some((Known::Values(_), Places::Points(points))), Some(error)) => Some((points, error)),
            _ => None,
        };
        let group = rows.len();
        rows.extend(Rows { view: &view, sampled: &sampled, scattered, group }.panels());
    }
    let heading = problem.title.as_deref().unwrap_or(&problem.name);
    Ok(page(heading, &rows)?)
}

/// How a field is known, and where.
fn known(problem: &Problem, field: usize) -> Option<(&Known, &Places)> {
    let reference = problem.reference.as_ref()?;
    let (_, known) = reference.fields.iter().find(|(known, _)| *known == field)?;
    Some((known, &reference.places))
}

fn is_file(known: &Known) -> bool {
    matches!(known, Known::Values(_))
}
