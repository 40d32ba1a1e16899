//! All fields, with the reference beside them, where errors are measured: what a run leaves behind for other
//! tools.

use std::io::{self, Seek, Write};

use super::{Csv, Table, npz};
use crate::evaluate;
use crate::geometry::Points;
use crate::model::Model;
use crate::problem::{Grid, Known, Places, Problem};
use crate::sample::SampleError;

/// Fields on a grid or at a list of points.
#[derive(Clone, Debug)]
pub struct Fields {
    /// The names of the coordinates.
    pub coordinates: Vec<String>,
    /// The coordinate that is time.
    pub time: Option<usize>,
    /// The grid, where the points are one; its last coordinate is fastest.
    pub grid: Option<Grid>,
    /// The points.
    pub points: Points,
    /// Names and values: every field, and `NAME_reference` where it is known. NaN outside the domain.
    pub columns: Vec<(String, Vec<f64>)>,
}

impl Fields {
    /// On the points where errors are measured: those of the reference, or the usual grid.
    pub fn new(problem: &Problem, model: &Model, θ: &[f64]) -> Result<Self, SampleError> {
        match &problem.reference {
            Some(reference) => Self::at(problem, model, θ, &reference.places, &reference.fields),
            None => Self::at(problem, model, θ, &Places::Grid(problem.usual_grid()), &[]),
        }
    }

    /// On a grid also where the reference is a list of points: without what is known only there.
    pub fn on_grid(problem: &Problem, model: &Model, θ: &[f64]) -> Result<Self, SampleError> {
        match &problem.reference {
            Some(reference) if matches!(reference.places, Places::Points(_)) => {
                let formulas =
                    reference.fields.iter().filter(|(_, known)| matches!(known, Known::Formula(_)));
                let formulas: Vec<(usize, Known)> = formulas.cloned().collect();
                Self::at(problem, model, θ, &Places::Grid(problem.usual_grid()), &formulas)
            }
            Some(_) | None => Self::new(problem, model, θ),
        }
    }

    fn at(
        problem: &Problem,
        model: &Model,
        θ: &[f64],
        places: &Places,
        references: &[(usize, Known)],
    ) -> Result<Self, SampleError> {
        let (points, inside) = evaluate::places(problem, places)?;
        let network = evaluate::predict(problem, model, θ, &points);
        let mut columns: Vec<(String, Vec<f64>)> = problem.fields.iter().cloned().zip(network).collect();
        columns.iter_mut().for_each(|(_, values)| evaluate::blank(values, &inside));
        columns.extend(references.iter().map(|(field, known)| {
            let values = evaluate::reference_values(known, &points, &inside);
            (format!("{}_reference", problem.fields[*field]), values)
        }));
        let grid = match places {
            Places::Grid(grid) => Some(grid.clone()),
            Places::Points(_) => None,
        };
        let (coordinates, time) = (problem.coordinates.clone(), problem.domain.time);
        Ok(Self { coordinates, time, grid, points, columns })
    }

    /// The values of each coordinate: along the axes of a grid, of every point of a list.
    fn axes(&self) -> Vec<Vec<f64>> {
        let column = |c: usize| self.points.column(c);
        let Some(grid) = &self.grid else {
            return (0..self.coordinates.len()).map(|c| column(c).to_vec()).collect();
        };
        let axis = |c: usize| {
            let stride: usize = grid.counts[c + 1..].iter().product();
            column(c).iter().step_by(stride.max(1)).take(grid.counts[c]).copied().collect()
        };
        (0..self.coordinates.len()).map(axis).collect()
    }

    /// NPZ: a vector for each coordinate, and arrays of the grid's shape (of a list: vectors all).
    pub fn npz<W: Write + Seek>(&self, writer: W) -> io::Result<()> {
        let axes = self.axes();
        let lengths: Vec<[usize; 1]> = axes.iter().map(|axis| [axis.len()]).collect();
        let list = [self.points.len()];
        let shape = self.grid.as_ref().map_or(&list[..], |grid| &grid.counts);
        let coordinates = self.coordinates.iter().zip(&axes).zip(&lengths);
        let coordinates = coordinates.map(|((name, axis), length)| (name.as_str(), &length[..], &axis[..]));
        let columns = self.columns.iter().map(|(name, values)| (name.as_str(), shape, &values[..]));
        npz::write(writer, &coordinates.chain(columns).collect::<Vec<_>>())
    }

    /// CSV: one row a point, coordinates first.
    pub fn csv(&self, writer: impl Write) -> io::Result<()> {
        let names: Vec<String> =
            self.coordinates.iter().chain(self.columns.iter().map(|(name, _)| name)).cloned().collect();
        let coordinates = (0..self.coordinates.len()).map(|c| self.points.column(c));
        let columns = self.columns.iter().map(|(_, values)| &values[..]);
        let mut table = Csv::new(writer, &names)?;
        table.rows(&coordinates.chain(columns).collect::<Vec<_>>())?;
        table.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{data, train};

    fn fields(reference: &str) -> Fields {
        let text = format!(
            "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 2]\ninside = \"s\"\n[shapes]\ns = {{ box = {{ x = [0, 0.6] }} }}\n\
             [term.a]\nequation = \"u = 1\"\npoints = 4\n[network]\nhidden = [3]\n{reference}"
        );
        let problem = crate::testing::problem(&text);
        let (model, θ) = train::model(&problem, 0);
        Fields::new(&problem, &model, &θ).unwrap()
    }

    #[test]
    fn what_is_written_is_read_back_as_the_same_grid() {
        let fields = fields("[reference]\nu = \"x + t\"\ngrid = { x = 3, t = 5 }");
        let reference = &fields.columns[1].1;
        assert_eq!((fields.columns[1].0.as_str(), reference.len()), ("u_reference", 15));
        // x = 1 lies outside the shape.
        assert!(reference[..10].iter().all(|v| v.is_finite()) && reference[10..].iter().all(|v| v.is_nan()));
        let folder = tempfile::tempdir().unwrap();
        let inside = Fields {
            columns: fields
                .columns
                .iter()
                .map(|(n, v)| (n.clone(), v.iter().map(|v| v.max(0.0)).collect()))
                .collect(),
            ..fields
        };
        let (npz, csv) = (folder.path().join("f.npz"), folder.path().join("f.csv"));
        inside.npz(std::fs::File::create(&npz).unwrap()).unwrap();
        inside.csv(std::fs::File::create(&csv).unwrap()).unwrap();
        for file in [npz, csv] {
            let table = data::read(&file, &["x".into(), "t".into()], None).unwrap();
            assert_eq!(table.grid().unwrap(), [vec![0.0, 0.5, 1.0], vec![0.0, 0.5, 1.0, 1.5, 2.0]]);
            for (name, values) in &inside.columns {
                assert_eq!(table.column(name).unwrap(), values);
            }
        }
    }

    #[test]
    fn without_a_reference_there_is_the_usual_grid() {
        let fields = fields("");
        assert_eq!(fields.grid.as_ref().unwrap().counts, [201, 201]);
        assert_eq!(fields.columns.len(), 1);
        fields.npz(Cursor::new(Vec::new())).unwrap();
    }
}
