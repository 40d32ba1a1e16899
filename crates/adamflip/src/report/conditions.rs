//! How far every condition is violated along its boundary: residuals at fresh points, where they lie.

use super::figure::{
    Axis, Cells, Colours, Figure, FigureError, Map, Mark, Panel, Plot, Series, Vertical, compose,
};
use super::solution::is_interior;
use crate::certificate::{FEW, Sizes, State, fresh};
use crate::geometry::{Part, Points};
use crate::objective::values;
use crate::problem::{Problem, Source, Term};

/// Panels side by side, and of one term at most.
const BESIDE: usize = 3;
const MOST: usize = 6;
/// Decades of a violation that a plot shows.
const DECADES: f64 = 6.0;

/// A figure of all terms that are no equation of the interior; none where nothing can be shown: what holds
/// exactly, or at one point alone, needs no picture.
pub(super) fn conditions(state: &State<'_>, title: &str) -> Result<Option<Figure>, FigureError> {
    let mut panels = Vec::new();
    let terms = state.problem.terms.iter().map(Term::validation).enumerate();
    for (index, term) in terms.filter(|(_, term)| !is_interior(term)) {
        let training = &state.points[index];
        let points = fresh(state.problem, term, (state.seed, index), training, FEW);
        let points = points.unwrap_or_else(|_| training.clone());
        let columns = values(&term.residual, state.model, &state.problem.unknowns, state.θ, &points);
        let sizes = Sizes::of(&columns, points.len()).largest;
        let condition = Condition { problem: state.problem, term, points: &points, sizes: &sizes, index };
        panels.extend(condition.panels());
    }
    let (plots, maps): (Vec<Panel>, Vec<Panel>) =
        panels.into_iter().partition(|panel| matches!(panel, Panel::Plot(_)));
    let rows: Vec<Vec<Panel>> =
        plots.chunks(BESIDE).chain(maps.chunks(BESIDE)).map(<[Panel]>::to_vec).collect();
    Ok(if rows.is_empty() { None } else { Some(compose(title, &rows)?) })
}

/// A term at its fresh points.
struct Condition<'a> {
    problem: &'a Problem,
    term: &'a Term,
    points: &'a Points,
    /// The largest absolute residual at each point.
    sizes: &'a [f64],
    index: usize,
}

/// Points on one part of the boundary.
struct Face {
    name: String,
    points: Vec<usize>,
    /// The coordinates that are not the same everywhere.
    along: Vec<usize>,
}

impl Condition<'_> {
    fn panels(&self) -> Vec<Panel> {
        if !self.sizes.iter().any(|size| *size > 0.0 && size.is_finite()) {
            return Vec::new();
        }
        let faces = self.faces();
        let mut panels = Vec::new();
        for coordinate in 0..self.problem.coordinates.len() {
            let lines: Vec<&Face> = faces.iter().filter(|face| face.along == [coordinate]).collect();
            if !lines.is_empty() {
                panels.push(self.plot(coordinate, &lines));
            }
        }
        panels.extend(faces.iter().filter(|face| face.along.len() > 1).map(|face| self.map(face)));
        panels.truncate(MOST);
        panels
    }

    /// The points of every part of the term's place; those of curved parts are one face.
    fn faces(&self) -> Vec<Face> {
        // Of a point that stands for a line, the value along it is immaterial.
        let parts: &[Part] = match &self.term.source {
            Source::Drawn { place, .. } if self.term.line.is_none() => &place.parts,
            _ => &[],
        };
        let mut faces: Vec<Face> = Vec::new();
        let mut rest: Vec<usize> = (0..self.points.len()).collect();
        for part in parts.iter().filter(|part| !part.fixed.is_empty()) {
            let (own, others) = rest.into_iter().partition(|&i| self.lies_on(i, part));
            rest = others;
            faces.push(self.face(&part.fixed, own));
        }
        faces.extend(self.split(rest));
        faces.retain(|face| !face.points.is_empty());
        faces
    }

    /// Whether a point has the values that a part fixes.
    fn lies_on(&self, i: usize, part: &Part) -> bool {
        part.fixed.iter().all(|&(c, value)| self.points.column(c)[i] == value)
    }

    fn face(&self, fixed: &[(usize, f64)], points: Vec<usize>) -> Face {
        let place =
            |&(c, value): &(usize, f64)| format!("{} = {}", self.problem.coordinates[c], short(value));
        let name = fixed.iter().map(place).collect::<Vec<_>>().join(", ");
        let along = self.varying(&points);
        Face { name, points, along }
    }

    /// Points that no part fixes: those at the two ends of a coordinate, or at two sensors, are two faces.
    fn split(&self, points: Vec<usize>) -> Vec<Face> {
        for c in 0..self.problem.coordinates.len() {
            let mut values: Vec<f64> = points.iter().map(|&i| self.points.column(c)[i]).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            if values.len() == 2 && points.len() > 2 {
                let own = |value: f64| {
                    points.iter().copied().filter(|&i| self.points.column(c)[i] == value).collect()
                };
                return values.iter().map(|&value| self.face(&[(c, value)], own(value))).collect();
            }
        }
        vec![self.face(&[], points)]
    }

    /// The coordinates along which points are apart, by more than rounding.
    fn varying(&self, points: &[usize]) -> Vec<usize> {
        let domain = &self.problem.domain;
        let is_apart = |c: &usize| {
            let column = self.points.column(*c);
            let values = || points.iter().map(|&i| column[i]);
            let spread = values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
            spread > 1e-9 * (domain.upper[*c] - domain.lower[*c])
        };
        (0..self.problem.coordinates.len()).filter(is_apart).collect()
    }

    fn title(&self, face: &str) -> String {
        let broken = self.sizes.iter().filter(|size| !size.is_finite()).count();
        let but = if broken > 0 { format!(" ({broken} not finite)") } else { String::new() };
        match face {
            "" => format!("{}{but}", self.term.name),
            face => format!("{} on {face}{but}", self.term.name),
        }
    }

    /// The points of a face that can be drawn.
    fn drawn<'a>(&'a self, face: &'a Face) -> impl Iterator<Item = usize> + 'a {
        face.points.iter().copied().filter(|&i| self.sizes[i].is_finite())
    }

    /// Faces that run along one coordinate, in one plot.
    fn plot(&self, coordinate: usize, faces: &[&Face]) -> Panel {
        let column = self.points.column(coordinate);
        let is_curve = matches!(self.term.source, Source::Drawn { .. });
        let series = |(number, face): (usize, &&Face)| {
            let mut points: Vec<(f64, f64)> = self.drawn(face).map(|i| (column[i], self.sizes[i])).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mark = match is_curve {
                true if faces.len() == 1 => Mark::Line,
                true => Mark::Curve(number),
                false => Mark::Shapes(number),
            };
            Series { name: face.name.clone(), points, mark }
        };
        let lone = if let [face] = faces { face.name.as_str() } else { "" };
        Panel::Plot(Plot {
            title: self.title(lone),
            x: self.axis(coordinate),
            y_label: "absolute residual".to_owned(),
            vertical: Vertical::Logarithmic { decades: DECADES },
            series: faces.iter().enumerate().map(series).collect(),
        })
    }

    /// A face over two coordinates, the largest residuals on top: time across and space up, or two of space.
    fn map(&self, face: &Face) -> Panel {
        let time = self.problem.domain.time;
        let space: Vec<usize> = face.along.iter().copied().filter(|&c| Some(c) != time).collect();
        let (across, up, equal_units) = match space[..] {
            [x, y, ..] => (x, y, true),
            _ => (time.unwrap_or(face.along[0]), space.first().copied().unwrap_or(face.along[1]), false),
        };
        let (x, y) = (self.points.column(across), self.points.column(up));
        let mut dots: Vec<(f64, f64, f64)> = self.drawn(face).map(|i| (x[i], y[i], self.sizes[i])).collect();
        dots.sort_by(|a, b| a.2.total_cmp(&b.2));
        Panel::Map(Map {
            title: self.title(&face.name),
            x: self.axis(across),
            y: self.axis(up),
            cells: Cells::Dots(dots),
            colours: Colours::Logarithmic,
            group: Some(self.index),
            equal_units,
        })
    }

    fn axis(&self, coordinate: usize) -> Axis {
        let domain = &self.problem.domain;
        Axis {
            label: self.problem.coordinates[coordinate].clone(),
            lower: domain.lower[coordinate],
            upper: domain.upper[coordinate],
            count: 2,
        }
    }
}

/// Four digits tell places apart.
fn short(value: f64) -> String {
    format!("{value:.3e}").parse().unwrap_or(value).to_string().replace('-', "−")
}
