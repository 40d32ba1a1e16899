//! The figure of a solution: for each field the network, the reference and the absolute error, side by side.
//!
//! Two coordinates fill a map: time across and space up, or both of space in equal units. With more, a map is a cut:
//! two coordinates of space at a fixed time, the others in their middle. A field without a reference has one map.

use super::figure::{Axis, Colours, FigureError, Map, maps};
use crate::evaluate::{self, FieldError};
use crate::model::Model;
use crate::problem::{Grid, Places, Problem};
use crate::sample::SampleError;

/// Why the figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum SolutionError {
    /// The grid of a field without a reference.
    #[error(transparent)]
    Grid(#[from] SampleError),
    /// The maps.
    #[error(transparent)]
    Figure(#[from] FigureError),
}

/// Solution, reference and error in a row.
const COLUMNS: usize = 3;
/// Nodes along a coordinate that is shown, and along time where it is cut, where no reference gives a grid. Any other
/// coordinate has one node, its middle, so that the grid is bounded however many there are.
const SHOWN: usize = 101;
const TIMES: usize = 3;

/// The figure of all fields, as the text of an SVG file: those of `errors` on the reference's grid, then those without a
/// reference on a grid of their own.
pub fn solution(
    problem: &Problem,
    model: &Model,
    θ: &[f64],
    errors: &[FieldError],
) -> Result<String, SolutionError> {
    let view = View::of(problem);
    let grid = problem.reference.as_ref().and_then(|reference| match &reference.places {
        Places::Grid(grid) => Some(grid),
        // Of scattered points no map can be drawn; the network alone is shown.
        Places::Points(_) => None,
    });
    let mut shown = Vec::new();
    for error in errors {
        for cut in grid.map(|grid| view.cuts(problem, grid, error.field)).unwrap_or_default() {
            let group = shown.len();
            shown.extend(cut.compared(error, group));
        }
    }
    let known = |field: &usize| grid.is_some() && errors.iter().any(|error| error.field == *field);
    let others: Vec<usize> = (0..problem.fields.len()).filter(|field| !known(field)).collect();
    if !others.is_empty() {
        let grid = view.grid(problem);
        let points = evaluate::grid_points(&grid)?;
        let mut outputs = evaluate::predict(problem, model, θ, &points);
        if problem.domain.inside.is_some() {
            let outside: Vec<usize> =
                (0..points.len()).filter(|&i| !problem.domain.contains(&points.point(i))).collect();
            outputs.iter_mut().for_each(|column| outside.iter().for_each(|&i| column[i] = f64::NAN));
        }
        for field in others {
            let cuts = view.cuts(problem, &grid, field);
            shown.extend(cuts.iter().map(|cut| cut.map(&cut.title, &outputs[field], None)));
        }
    }
    let heading = problem.title.as_deref().unwrap_or(&problem.name);
    Ok(maps(heading, &shown, COLUMNS)?)
}

/// Which coordinates are shown and which are cut.
struct View {
    across: usize,
    /// `None` where there is one coordinate only.
    up: Option<usize>,
    time: Option<usize>,
    /// Both axes are of space.
    equal_units: bool,
}

impl View {
    fn of(problem: &Problem) -> Self {
        let time = problem.coordinates.iter().position(|name| name == "t" || name == "time");
        let mut space = (0..problem.coordinates.len()).filter(|&c| Some(c) != time);
        match (space.next(), space.next(), time) {
            (Some(x), Some(y), _) => Self { across: x, up: Some(y), time, equal_units: true },
            (Some(x), None, Some(t)) => Self { across: t, up: Some(x), time: None, equal_units: false },
            (first, _, _) => {
                Self { across: first.unwrap_or_default(), up: None, time: None, equal_units: false }
            }
        }
    }

    fn grid(&self, problem: &Problem) -> Grid {
        let shown = |c: usize| c == self.across || Some(c) == self.up;
        let count = |c: usize| match c {
            _ if shown(c) => SHOWN,
            _ if Some(c) == self.time => TIMES,
            _ => 1,
        };
        let counts = (0..problem.coordinates.len()).map(count).collect();
        Grid { lower: problem.domain.lower.clone(), upper: problem.domain.upper.clone(), counts }
    }

    /// The cuts of one field: a lone field is shown at the start, in the middle and at the end, several at the end.
    fn cuts<'a>(&'a self, problem: &'a Problem, grid: &'a Grid, field: usize) -> Vec<Cut<'a>> {
        let name = &problem.fields[field];
        let Some(time) = self.time else {
            return vec![Cut { view: self, problem, grid, at: None, title: name.clone() }];
        };
        let last = grid.counts[time] - 1;
        let mut times = if problem.fields.len() == 1 { vec![0, last / 2, last] } else { vec![last] };
        times.dedup();
        let titled = |at: usize| {
            let (lower, upper) = (grid.lower[time], grid.upper[time]);
            let value = lower + (upper - lower) * at as f64 / last.max(1) as f64;
            // Four digits are enough to tell times apart, and hide the rounding of the line above.
            let value: f64 = format!("{value:.3e}").parse().unwrap_or(value);
            let title = format!("{name} at {} = {value}", problem.coordinates[time]);
            Cut { view: self, problem, grid, at: Some(at), title }
        };
        times.into_iter().map(titled).collect()
    }
}

/// A plane through the grid.
struct Cut<'a> {
    view: &'a View,
    problem: &'a Problem,
    grid: &'a Grid,
    /// The node of time.
    at: Option<usize>,
    title: String,
}

impl Cut<'_> {
    /// Network and reference on one scale, and the error.
    fn compared(&self, field: &FieldError, group: usize) -> [Map; COLUMNS] {
        let error: Vec<f64> =
            field.network.iter().zip(&field.reference).map(|(a, b)| (a - b).abs()).collect();
        [
            self.map(&self.title, &field.network, Some(group)),
            self.map("reference", &field.reference, Some(group)),
            Map { colours: Colours::Logarithmic, ..self.map("absolute error", &error, None) },
        ]
    }

    fn map(&self, title: &str, values: &[f64], group: Option<usize>) -> Map {
        let (x, y) = (self.axis(Some(self.view.across)), self.axis(self.view.up));
        let nodes = (0..x.count).flat_map(|i| (0..y.count).map(move |j| (i, j)));
        let value = |(i, j)| values.get(self.index(i, j)).copied().unwrap_or(f64::NAN);
        let values = nodes.map(value).collect();
        let (title, equal_units) = (title.to_owned(), self.view.equal_units);
        Map { title, x, y, values, colours: Colours::Automatic, group, equal_units }
    }

    fn axis(&self, coordinate: Option<usize>) -> Axis {
        match coordinate {
            None => Axis { label: String::new(), lower: 0.0, upper: 1.0, count: 1 },
            Some(c) => Axis {
                label: self.problem.coordinates[c].clone(),
                lower: self.grid.lower[c],
                upper: self.grid.upper[c],
                count: self.grid.counts[c],
            },
        }
    }

    /// The place of node (i, j) in a list over the whole grid, last coordinate fastest.
    fn index(&self, i: usize, j: usize) -> usize {
        let node = |c: usize| match c {
            _ if c == self.view.across => i,
            _ if Some(c) == self.view.up => j,
            _ if Some(c) == self.view.time => self.at.unwrap_or(0),
            _ => self.grid.counts[c] / 2,
        };
        (0..self.grid.counts.len()).fold(0, |index, c| index * self.grid.counts[c] + node(c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{self, Overrides};
    use crate::train::Trainer;

    fn draw(coordinates: &[&str], fields: &[&str], reference: &str) -> String {
        let axes: String = coordinates.iter().map(|c| format!("{c} = [0, 2]\n")).collect();
        let equations: Vec<String> = fields.iter().map(|f| format!("\"{f} = 1\"")).collect();
        let text = format!(
            "fields = {fields:?}\n[domain]\n{axes}[term.pde]\nequation = [{}]\npoints = 4\n[network]\nhidden = [3]\n{reference}",
            equations.join(", ")
        );
        let problem = crate::problem::build(spec::parse("p.toml", &text, &Overrides::default())).unwrap();
        let trainer = Trainer::new(problem, 0, Vec::new()).unwrap();
        let model = trainer.objective().model();
        let errors = evaluate::errors(trainer.problem(), model, trainer.θ()).unwrap();
        solution(trainer.problem(), model, trainer.θ(), &errors).unwrap()
    }

    fn panels(svg: &str) -> usize {
        // Every panel has the image of its cells and that of its colour bar.
        svg.matches("<image").count() / 2
    }

    /// Coordinates, fields, reference; how many panels, and a text among them.
    type Case<'a> = (&'a [&'a str], &'a [&'a str], &'a str, usize, &'a str);

    #[test]
    fn every_field_has_its_row() {
        let reference = "[reference]\nu = \"x\"\nv = \"x\"";
        #[rustfmt::skip]
        let cases: [Case<'_>; 7] = [
            (&["x", "t"],           &["u"],      "[reference]\nu = \"x\"", 3, "absolute error"),
            (&["x", "y"],           &["u", "v"], reference,                6, "reference"),
            (&["x", "y", "t"],      &["u"],      "[reference]\nu = \"x\"", 9, "u at t = 1"),
            (&["x", "y", "t"],      &["u", "v"], reference,                6, "v at t = 2"),
            (&["x", "y", "t"],      &["u", "v"], "[reference]\nv = \"x\"", 4, "u at t = 2"),
            (&["x", "y", "z", "t"], &["u"],      "",                       3, "u at t = 0"),
            (&["x"],                &["u"],      "[reference]\nu = \"x\"", 3, "reference"),
        ];
        for (coordinates, fields, reference, count, text) in cases {
            let svg = draw(coordinates, fields, reference);
            assert_eq!(panels(&svg), count, "{coordinates:?} {fields:?}");
            assert!(svg.contains(text), "{coordinates:?} {fields:?}");
        }
    }

    #[test]
    fn figures_of_many_coordinates_stay_small() {
        // 101 nodes along each of the two shown, three in time, one along every other.
        let names: Vec<String> = (0..15).map(|c| format!("x{c}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).chain(["t"]).collect();
        assert_eq!(panels(&draw(&names, &["u"], "")), 3);
    }

    #[test]
    fn a_cut_takes_the_right_nodes() {
        let text = "fields = [\"u\"]\n[domain]\nt = [0, 1]\nx = [0, 1]\ny = [0, 1]\n[term.a]\nequation = \"u = 0\"\npoints = 1";
        let problem = crate::problem::build(spec::parse("p.toml", text, &Overrides::default())).unwrap();
        let view = View::of(&problem);
        let grid = Grid { lower: vec![0.0; 3], upper: vec![1.0; 3], counts: vec![2, 3, 4] };
        let cuts = view.cuts(&problem, &grid, 0);
        // Values that spell their node: t x y.
        let values: Vec<f64> =
            (0..24).map(|i| f64::from(100 * (i / 12) + 10 * (i / 4 % 3) + i % 4)).collect();
        let map = cuts[cuts.len() - 1].map("u", &values, None);
        assert_eq!((map.x.label.as_str(), map.y.label.as_str()), ("x", "y"));
        assert_eq!(map.values, [100, 101, 102, 103, 110, 111, 112, 113, 120, 121, 122, 123].map(f64::from));
    }
}
