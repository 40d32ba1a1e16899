//! Expressions of a point's coordinates and attributes, at many points.

use rayon::prelude::*;

use crate::geometry::Points;
use crate::lang::{Leaf, Tape};

/// Points worked off at a time: their registers stay in cache.
const CHUNK: usize = 256;

/// Every output of the tape at every point, one column an output. Inputs are coordinates and attributes.
pub fn at_points(tape: &Tape, points: &Points) -> Vec<Vec<f64>> {
    let chunk = |start: usize| {
        let width = CHUNK.min(points.len() - start);
        let mut values = vec![0.0; tape.registers() * width];
        for (leaf, column) in tape.inputs().iter().zip(values.chunks_exact_mut(width)) {
            match *leaf {
                Leaf::Coordinate(c) => column.copy_from_slice(&points.column(c)[start..start + width]),
                Leaf::Attribute(i) => column.copy_from_slice(&points.attribute(i)[start..start + width]),
                Leaf::Unknown(_) | Leaf::Jet { .. } | Leaf::Slot(_) => column.fill(f64::NAN),
            }
        }
        tape.forward(&mut values, width);
        let output = |&register: &usize| values[register * width..][..width].to_vec();
        tape.outputs().iter().map(output).collect::<Vec<_>>()
    };
    let starts: Vec<usize> = (0..points.len()).step_by(CHUNK).collect();
    let chunks: Vec<Vec<Vec<f64>>> = starts.into_par_iter().map(chunk).collect();
    let mut columns = vec![Vec::with_capacity(points.len()); tape.outputs().len()];
    for chunk in chunks {
        columns.iter_mut().zip(chunk).for_each(|(column, part)| column.extend(part));
    }
    columns
}
