//! The residuals of equations over the domain: where the network does not solve them.

use std::sync::Arc;

use super::view::{Cut, Detail, View};
use super::{SolutionError, heading};
use crate::certificate::State;
use crate::evaluate::grid_points;
use crate::geometry::{Part, Place, Points, between};
use crate::objective::values;
use crate::problem::{Grid, Problem, Source, Term};
use crate::report::figure::{
    Cells, Colours, Figure, Map, Mark, Mask, Panel, Plot, Series, Vertical, compose,
};

/// More rows than this are no figure.
const MOST: usize = 6;
/// Panels side by side.
const BESIDE: usize = 3;
/// Decades of a residual that a plot shows.
const DECADES: f64 = 6.0;

/// A figure with a row for each equation that holds in the interior; none where there is no such equation.
pub(in crate::report) fn residual(state: &State<'_>) -> Result<Option<Figure>, SolutionError> {
    let view = View::over(state.problem, (0..state.problem.coordinates.len()).collect(), 0, Detail::Residual);
    let (grid, mut rows) = (view.grid(), Vec::new());
    let mut points = None;
    for term in state.problem.terms.iter().map(Term::validation).filter(|term| is_interior(term)) {
        let Source::Drawn { place, .. } = &term.source else { continue };
        let points = match &mut points {
            Some(points) => points,
            none => none.insert(grid_points(&grid)?),
        };
        let drawing = Residual { view: &view, grid: &grid, term, place };
        rows.extend(drawing.rows(state, points));
    }
    // Lone panels stand side by side.
    if rows.iter().all(|row: &Vec<Panel>| row.len() == 1) {
        rows = rows.concat().chunks(BESIDE).map(<[Panel]>::to_vec).collect();
    }
    rows.truncate(MOST);
    let title = format!("{}: residual", heading(state.problem));
    Ok(if rows.is_empty() { None } else { Some(compose(&title, &rows)?) })
}

/// Whether a term holds in the interior, at points that can be chosen one by one and need no normals.
pub(in crate::report) fn is_interior(term: &Term) -> bool {
    let is_open = |part: &Part| part.fixed.is_empty() && part.boundary.is_none();
    match &term.source {
        Source::Drawn { place, normals: false, .. } => term.line.is_none() && place.parts.iter().all(is_open),
        _ => false,
    }
}

/// One term over the grid of the figure.
struct Residual<'a> {
    view: &'a View<'a>,
    grid: &'a Grid,
    term: &'a Term,
    place: &'a Place,
}

impl Residual<'_> {
    fn rows(&self, state: &State<'_>, points: &Points) -> Vec<Vec<Panel>> {
        let mut columns = values(&self.term.residual, state.model, &state.problem.unknowns, state.θ, points);
        let is_restricted = self.view.problem.domain.inside.is_some() || !self.place.parts.is_empty();
        let inside: Option<Vec<f64>> = is_restricted.then(|| {
            let blank = |point: Vec<f64>| if self.holds(&point) { 0.0 } else { f64::NAN };
            points.iter().map(blank).collect()
        });
        for column in &mut columns {
            column.iter_mut().for_each(|value| *value = value.abs());
            column.iter_mut().zip(inside.iter().flatten()).for_each(|(value, inside)| *value += inside);
        }
        let row = |equation: usize| self.row(equation, &columns[equation], inside.as_deref());
        (0..columns.len()).map(row).collect()
    }

    /// One equation: a plot, or a map for every cut.
    fn row(&self, equation: usize, column: &[f64], inside: Option<&[f64]>) -> Vec<Panel> {
        let cuts = self.view.cuts(self.grid);
        let Term { name, equations, .. } = self.term;
        let title = |cut: &Cut| match self.view.cut_text(self.grid, cut) {
            Some(place) if equations.len() > 1 => format!("{name}, equation {}, at {place}", equation + 1),
            Some(place) => format!("{name} at {place}"),
            None if equations.len() > 1 => format!("{name}, equation {}", equation + 1),
            None => name.clone(),
        };
        let panel = |cut: &Cut| match self.view.up {
            Some(up) => self.map(title(cut), up, cut, column, inside),
            None => self.plot(title(cut), cut, column),
        };
        cuts.iter().map(panel).collect()
    }

    fn plot(&self, title: String, cut: &Cut, column: &[f64]) -> Panel {
        let plane = self.view.plane(self.grid, cut, column);
        let points = (0..plane.len()).map(|i| (self.grid.node(self.view.across, i), plane[i])).collect();
        Panel::Plot(Plot {
            title,
            x: self.view.axis(self.grid, self.view.across),
            y_label: "absolute residual".to_owned(),
            vertical: Vertical::Logarithmic { decades: DECADES },
            series: vec![Series { name: self.term.name.clone(), points, mark: Mark::Line }],
        })
    }

    fn map(&self, title: String, up: usize, cut: &Cut, column: &[f64], inside: Option<&[f64]>) -> Panel {
        let plane = self.view.plane(self.grid, cut, column);
        let cells = match inside {
            None => Cells::Nodes(plane),
            Some(inside) => Cells::Within(plane, Arc::new(self.mask(up, cut, inside))),
        };
        Panel::Map(Map {
            title,
            x: self.view.axis(self.grid, self.view.across),
            y: self.view.axis(self.grid, up),
            cells,
            colours: Colours::Logarithmic,
            group: None,
            equal_units: self.view.equal_units,
        })
    }

    fn mask(&self, up: usize, cut: &Cut, inside: &[f64]) -> Mask {
        let (grid, view) = (self.grid, self.view);
        let nodes = view.plane(grid, cut, inside).iter().map(|value| value.is_finite()).collect();
        let mut point = view.problem.domain.lower.clone();
        cut.places(grid).for_each(|(c, value)| point[c] = value);
        let along = |c: usize, fraction: f64| between(grid.lower[c], grid.upper[c], fraction);
        let contains = |x: f64, y: f64| {
            let mut point = point.clone();
            (point[view.across], point[up]) = (along(view.across, x), along(up, y));
            self.holds(&point)
        };
        Mask::new(nodes, contains)
    }

    /// Whether the term holds at a point.
    fn holds(&self, point: &[f64]) -> bool {
        let Problem { domain, .. } = self.view.problem;
        let part = |part: &Part| {
            let in_range = |&(c, lower, upper): &(usize, f64, f64)| (lower..=upper).contains(&point[c]);
            part.ranges.iter().all(in_range) && part.within.iter().all(|test| test.holds(point))
        };
        domain.contains(point) && (self.place.parts.is_empty() || self.place.parts.iter().any(part))
    }
}
