//! Errors against the reference, on a grid that training never saw.

use std::sync::Arc;

use rayon::prelude::*;

use crate::geometry::Points;
use crate::jet::{PANEL, Program, Streams, Sweep};
use crate::lang::{Leaf, Tape};
use crate::problem::Problem;
use crate::sample::{self, SampleError};

/// Panels of a tile; the value alone travels, so a tile is small.
const TILE: usize = 8;

/// One field on the evaluation grid.
#[derive(Clone, Debug)]
pub struct FieldError {
    /// The field's number.
    pub field: usize,
    /// ‖network − reference‖₂ / ‖reference‖₂ over the grid (the absolute norm where the reference vanishes), without
    /// the points where the reference is not finite; NaN if it is nowhere.
    pub relative_l2: f64,
    /// The largest absolute error at the same points; NaN if one of them is.
    pub max: f64,
    /// The network on the grid, last coordinate fastest.
    pub network: Vec<f64>,
    /// The reference on the grid.
    pub reference: Vec<f64>,
}

/// The errors of all fields with a reference.
pub fn errors(problem: &Problem, program: &Arc<Program>, θ: &[f64]) -> Result<Vec<FieldError>, SampleError> {
    let Some(reference) = &problem.reference else { return Ok(Vec::new()) };
    let grid = sample::grid(&problem.domain, &reference.grid)?;
    let outputs = predict(program, θ, &grid);
    let field = |(field, tape): &(usize, Tape)| {
        let network = outputs[*field].clone();
        let reference = given(tape, &grid);
        FieldError {
            field: *field,
            relative_l2: relative_l2(&network, &reference),
            max: largest(&network, &reference),
            network,
            reference,
        }
    };
    Ok(reference.fields.iter().map(field).collect())
}

/// Network and reference where the reference is a number.
fn known<'a>(network: &'a [f64], reference: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
    network.iter().copied().zip(reference.iter().copied()).filter(|(_, known)| known.is_finite())
}

fn relative_l2(network: &[f64], reference: &[f64]) -> f64 {
    let sums = known(network, reference).fold(None, |sums: Option<(f64, f64)>, (a, b)| {
        let (error, size) = sums.unwrap_or_default();
        Some((error + (a - b) * (a - b), size + b * b))
    });
    // Of no points at all nothing is known.
    let (error, size) = sums.map_or((f64::NAN, 1.0), |(error, size)| (error.sqrt(), size.sqrt()));
    if size > 0.0 { error / size } else { error }
}

/// The largest absolute error, NaN if one is: `f64::max` would lose it.
fn largest(network: &[f64], reference: &[f64]) -> f64 {
    let errors = known(network, reference).map(|(a, b)| (a - b).abs());
    errors.reduce(|max, error| if error > max || error.is_nan() { error } else { max }).unwrap_or(f64::NAN)
}

/// A reference that is no finite number on a part of its grid: `log(x)` at x = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// The field's number.
    pub field: usize,
    /// How many points it has no value at.
    pub missing: usize,
    /// The points of the grid.
    pub points: usize,
    /// The coordinates of the first such point.
    pub example: Vec<f64>,
}

/// The gaps of all references. Their points do not count for [`errors`].
pub fn gaps(problem: &Problem) -> Result<Vec<Gap>, SampleError> {
    let Some(reference) = &problem.reference else { return Ok(Vec::new()) };
    let grid = sample::grid(&problem.domain, &reference.grid)?;
    let gap = |(field, tape): &(usize, Tape)| {
        let values = given(tape, &grid);
        let first = values.iter().position(|value| !value.is_finite())?;
        let missing = values.iter().filter(|value| !value.is_finite()).count();
        let example = (0..grid.dimension()).map(|c| grid.column(c)[first]).collect();
        Some(Gap { field: *field, missing, points: values.len(), example })
    };
    Ok(reference.fields.iter().filter_map(gap).collect())
}

impl Gap {
    /// The gap in words.
    pub fn text(&self, problem: &Problem) -> String {
        let axes = problem.coordinates.iter().zip(&self.example);
        let example: Vec<String> = axes.map(|(name, value)| format!("{name} = {value}")).collect();
        format!(
            "the reference of {} is not finite at {} of {} grid points, e.g. {}; they are left out",
            problem.fields[self.field],
            self.missing,
            self.points,
            example.join(", ")
        )
    }
}

/// The network's outputs at any points, one column a field.
pub fn predict(program: &Arc<Program>, θ: &[f64], points: &Points) -> Vec<Vec<f64>> {
    let sweep = Sweep::new(program.clone(), Streams::new(&[]), TILE);
    let fields = program.width(program.output());
    let size = TILE * PANEL;
    let tiles: Vec<Vec<f64>> = (0..points.len().div_ceil(size))
        .into_par_iter()
        .map_init(
            || sweep.workspace(),
            |work, tile| {
                let range = tile * size..points.len().min((tile + 1) * size);
                sweep.forward(&θ[..program.parameters()], &packed(points, range.start), work);
                let outputs = sweep.outputs(work, TILE);
                let at = |i: usize, field: usize| {
                    outputs[i / PANEL * sweep.output_stride() + field * PANEL + i % PANEL]
                };
                (0..fields).flat_map(|field| (0..range.len()).map(move |i| at(i, field))).collect()
            },
        )
        .collect();
    let column = |field: usize| {
        let part = |tile: &Vec<f64>| {
            let count = tile.len() / fields;
            tile[field * count..(field + 1) * count].to_vec()
        };
        tiles.iter().flat_map(part).collect()
    };
    (0..fields).map(column).collect()
}

/// One tile of points in panels, padded with the last point.
fn packed(points: &Points, start: usize) -> Vec<f64> {
    let last = points.len() - 1;
    let panels = (0..TILE).map(|panel| start + panel * PANEL);
    let row = |first: usize, c: usize| (first..first + PANEL).map(move |i| points.column(c)[i.min(last)]);
    panels.flat_map(|first| (0..points.dimension()).flat_map(move |c| row(first, c))).collect()
}

/// An expression of the coordinates at every point.
pub fn given(tape: &Tape, points: &Points) -> Vec<f64> {
    let chunk = |start: usize| {
        let width = 256.min(points.len() - start);
        let mut values = vec![0.0; tape.registers() * width];
        for (leaf, column) in tape.inputs().iter().zip(values.chunks_exact_mut(width)) {
            if let Leaf::Coordinate(c) = *leaf {
                column.copy_from_slice(&points.column(c)[start..start + width]);
            }
        }
        tape.forward(&mut values, width);
        values[tape.outputs()[0] * width..][..width].to_vec()
    };
    let starts: Vec<usize> = (0..points.len()).step_by(256).collect();
    starts.into_par_iter().flat_map_iter(chunk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;
    use crate::train::Trainer;

    #[test]
    fn not_a_number_stays_visible() {
        for network in [[f64::NAN, 1.0, 3.0], [1.0, f64::NAN, 3.0], [3.0, 1.0, f64::NAN]] {
            assert!(largest(&network, &[0.0; 3]).is_nan(), "{network:?}");
            assert!(relative_l2(&network, &[1.0; 3]).is_nan(), "{network:?}");
        }
        assert!(relative_l2(&[1.0], &[f64::INFINITY]).is_nan() && largest(&[1.0], &[f64::NAN]).is_nan());
        // The points without a reference do not count: 3 − 4 over 4, exact in floating point.
        assert_eq!(relative_l2(&[1.0, 3.0], &[f64::NEG_INFINITY, 4.0]), 0.25);
        assert_eq!(largest(&[1.0, 3.0], &[f64::NEG_INFINITY, 4.0]), 1.0);
    }

    #[test]
    fn gaps_of_the_reference_are_told() {
        let text = "fields = [\"u\"]\n[domain]\nx = [0, 1]\nt = [0, 1]\n[term.a]\nequation = \"u = 1\"\npoints = 4\n\
                    [network]\nhidden = [3]\n[reference]\nu = \"log(x)\"\ngrid = { x = 3, t = 5 }";
        let problem = crate::problem::build(spec::parse("p.toml", text, &Default::default())).unwrap();
        let trainer = Trainer::new(problem, 0, Vec::new()).unwrap();
        let problem = trainer.problem();
        let gaps = gaps(problem).unwrap();
        assert_eq!(gaps, [Gap { field: 0, missing: 5, points: 15, example: vec![0.0, 0.0] }]);
        let said =
            "the reference of u is not finite at 5 of 15 grid points, e.g. x = 0, t = 0; they are left out";
        assert_eq!(gaps[0].text(problem), said);
        let errors = errors(problem, trainer.objective().program(), trainer.θ()).unwrap();
        assert!(errors[0].relative_l2.is_finite() && errors[0].max.is_finite(), "{errors:?}");
    }
}
