//! The figures of a solution: for each field the network, the reference and the absolute error, side by side.
//!
//! A field is drawn over the coordinates that it depends on: over one as curves, over two as maps (time
//! across and space up, or both of space in equal units). With more, a map is a cut: two coordinates of space
//! at a fixed time, the others in their middle, as the title says. What lies outside the domain's shapes is
//! blank.
//!
//! | file | what it knows |
//! | --- | --- |
//! | `view` | which coordinates are shown, which are cut and where |
//! | `predictions`, `sampled` | the values on the grid that is shown |
//! | `vector` | which fields are components of a vector |
//! | `rows` | the panels made of them |
//! | `residual` | the same for the residuals of equations |

mod predictions;
mod residual;
mod rows;
mod sampled;
#[cfg(test)]
mod tests;
mod vector;
mod view;

use super::figure::{Figure, FigureError, Panel, compose, page};
use crate::evaluate::FieldError;
use crate::geometry::Points;
use crate::model::Model;
use crate::problem::{Known, Places, Problem};
use crate::sample::SampleError;
use predictions::Predictions;
pub(super) use residual::{is_interior, residual};
use rows::SolutionRows;
use sampled::Sampled;
use view::{Detail, View};

/// Why a figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum SolutionError {
    /// The grid of the figure.
    #[error(transparent)]
    Grid(#[from] SampleError),
    /// The panels.
    #[error(transparent)]
    Figure(#[from] FigureError),
}

/// One figure of all fields, as the text of an SVG file. `errors` are those of [`crate::evaluate::errors`].
pub fn solution(
    problem: &Problem,
    model: &Model,
    θ: &[f64],
    errors: &[FieldError],
) -> Result<String, SolutionError> {
    let mut predictions = Predictions::new(problem, model, θ);
    let mut rows: Vec<Vec<Panel>> = Vec::new();
    for field in 0..problem.fields.len() {
        let view = View::of(problem, field, Detail::Overview);
        rows.extend(panels(&view, &sampled(&view, &mut predictions, errors)?, errors, rows.len()));
    }
    Ok(page(heading(problem), &rows)?)
}

/// A field, or the length of a vector of fields.
pub(super) struct Shown {
    /// As it stands in formulas.
    pub(super) name: String,
    /// The components of a vector.
    pub(super) components: Vec<String>,
    /// Whether it stands beside what is known.
    pub(super) is_compared: bool,
    pub(super) figure: Figure,
}

/// A figure a field, with several times and profiles, and one for the length of each vector.
pub(super) fn fields(
    problem: &Problem,
    model: &Model,
    θ: &[f64],
    errors: &[FieldError],
) -> Result<Vec<Shown>, SolutionError> {
    let mut predictions = Predictions::new(problem, model, θ);
    let mut known: Vec<(View<'_>, Sampled)> = Vec::new();
    for field in 0..problem.fields.len() {
        let view = View::of(problem, field, Detail::Whole);
        let sampled = sampled(&view, &mut predictions, errors)?;
        known.push((view, sampled));
    }
    let mut shown = Vec::new();
    for (view, sampled) in &known {
        let title = format!("{}: {}", heading(problem), view.name());
        let figure = compose(&title, &panels(view, sampled, errors, 0))?;
        let is_compared = error_of(view.field, errors).is_some();
        shown.push(Shown { name: view.name().to_owned(), components: Vec::new(), is_compared, figure });
    }
    for vector in vector::vectors(problem) {
        let Some((view, sampled)) = magnitude(&vector, &known) else { continue };
        let rows = SolutionRows { view: &view, sampled: &sampled, scattered: None, group: 0 }.panels();
        let components = vector.iter().map(|&field| problem.fields[field].clone()).collect();
        let title = format!("{}: {}", heading(problem), view.name());
        let (name, is_compared) = (view.name().to_owned(), sampled.reference.is_some());
        shown.push(Shown { name, components, is_compared, figure: compose(&title, &rows)? });
    }
    Ok(shown)
}

/// The length of a vector, where all its components are looked at in the same way.
fn magnitude<'a>(vector: &[usize], known: &[(View<'a>, Sampled)]) -> Option<(View<'a>, Sampled)> {
    let first = &known[*vector.first()?].0;
    let alike = vector.iter().all(|&field| known[field].0.is_like(first));
    let components: Vec<Sampled> = vector.iter().map(|&field| known[field].1.clone()).collect();
    let sampled = Sampled::magnitude(&components).filter(|_| alike && first.up.is_some())?;
    let names: Vec<&str> = vector.iter().map(|&field| known[field].0.name()).collect();
    Some((first.renamed(format!("|({})|", names.join(", "))), sampled))
}

/// The values of a field.
fn sampled(
    view: &View<'_>,
    predictions: &mut Predictions<'_>,
    errors: &[FieldError],
) -> Result<Sampled, SampleError> {
    match (known(view.problem, view.field), error_of(view.field, errors)) {
        // What is measured is shown, unless a formula can be shown on a finer grid: that of many coordinates
        // is coarse.
        (Some((known, Places::Grid(grid))), Some(error)) if view.is_whole() || is_file(known) => {
            let measured = Sampled::measured(view, grid, error)?;
            // The table's grid is the reference's own: the network has values everywhere.
            let own = view.grid();
            let is_coarse = own.counts.iter().zip(&grid.counts).any(|(fine, coarse)| fine > coarse);
            let fine = match is_file(known) && view.shows_all() && is_coarse {
                true => Some(Box::new(Sampled::of(view, predictions, None)?)),
                false => None,
            };
            Ok(Sampled { fine, ..measured })
        }
        (Some((Known::Formula(tape), _)), _) => Sampled::of(view, predictions, Some(tape)),
        _ => Sampled::of(view, predictions, None),
    }
}

/// The rows of a field; `group` is the number of the first.
fn panels(view: &View<'_>, sampled: &Sampled, errors: &[FieldError], group: usize) -> Vec<Vec<Panel>> {
    let scattered: Option<(&Points, &FieldError)> =
        match (known(view.problem, view.field), error_of(view.field, errors)) {
            (Some((Known::Values(_), Places::Points(points))), Some(error)) => Some((points, error)),
            _ => None,
        };
    SolutionRows { view, sampled, scattered, group }.panels()
}

/// How a field is known, and where.
fn known(problem: &Problem, field: usize) -> Option<(&Known, &Places)> {
    let reference = problem.reference.as_ref()?;
    let (_, known) = reference.fields.iter().find(|(known, _)| *known == field)?;
    Some((known, &reference.places))
}

fn error_of(field: usize, errors: &[FieldError]) -> Option<&FieldError> {
    errors.iter().find(|error| error.field == field)
}

fn is_file(known: &Known) -> bool {
    matches!(known, Known::Values(_))
}

pub(super) fn heading(problem: &Problem) -> &str {
    problem.title.as_deref().unwrap_or(&problem.name)
}
