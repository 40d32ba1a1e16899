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
    /// ‖network − reference‖₂ / ‖reference‖₂ over the grid (the absolute norm where the reference vanishes).
    pub relative_l2: f64,
    /// The largest absolute error.
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
        let squares = |list: &mut dyn Iterator<Item = f64>| list.map(|x| x * x).sum::<f64>().sqrt();
        let difference = || network.iter().zip(&reference).map(|(a, b)| a - b);
        let size = squares(&mut reference.iter().copied());
        let error = squares(&mut difference());
        FieldError {
            field: *field,
            relative_l2: if size > 0.0 { error / size } else { error },
            max: difference().fold(0.0, |max: f64, d| max.max(d.abs())),
            network,
            reference,
        }
    };
    Ok(reference.fields.iter().map(field).collect())
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
