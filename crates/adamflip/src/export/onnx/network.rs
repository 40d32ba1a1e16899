//! The primitives of a network as operators on whole tables: a row for each point, a column for each unit.

use super::builder::{Builder, COORDINATES, Tensor};
use super::function::activate;
use crate::jet::{Entry, Op, Program};

/// Writes all primitives; returns the outputs.
pub(super) fn write(builder: &mut Builder, program: &Program, weights: &[f64]) -> Tensor {
    let mut registers: Vec<Tensor> = Vec::with_capacity(program.registers());
    for op in program.ops() {
        let tensor = match *op {
            Op::Enter { output, first } => {
                let entries = &program.entries()[first..first + program.width(output)];
                enter(builder, entries, program.inputs())
            }
            Op::Linear { input, output, weight, bias } => {
                let (inputs, units) = (program.width(input), program.width(output));
                let matrix = builder.array(&[inputs, units], &weights[weight..bias]);
                let bias = builder.array(&[units], &weights[bias..bias + units]);
                let product = builder.apply("MatMul", &[registers[input], matrix]);
                builder.apply("Add", &[product, bias])
            }
            Op::Pointwise { input, activation, .. } => activate(builder, activation, registers[input]),
            Op::Gate { input, open, closed, activation, .. } => {
                let a = activate(builder, activation, registers[input]);
                let one = builder.number(1.0);
                let rest = builder.apply("Sub", &[one, a]);
                let opened = builder.apply("Mul", &[a, registers[open]]);
                let held = builder.apply("Mul", &[rest, registers[closed]]);
                builder.apply("Add", &[opened, held])
            }
            Op::Sum { left, right, .. } => builder.apply("Add", &[registers[left], registers[right]]),
            Op::Concatenate { left, right, .. } => builder.concatenate(&[registers[left], registers[right]]),
        };
        registers.push(tensor);
    }
    registers[program.output()]
}

/// (x − center)·factors + offset, with one center for each coordinate: subtracted first, as the network does,
/// so that little is lost to rounding far from zero.
fn enter(builder: &mut Builder, entries: &[Entry], dimension: usize) -> Tensor {
    let units = entries.len();
    let terms = || entries.iter().enumerate().flat_map(|(unit, e)| e.terms.iter().map(move |t| (unit, t)));
    let mut centers = vec![None; dimension];
    for (_, term) in terms() {
        centers[term.coordinate].get_or_insert(term.center);
    }
    let centers: Vec<f64> = centers.into_iter().map(Option::unwrap_or_default).collect();
    let mut factors = vec![0.0; dimension * units];
    let mut offsets: Vec<f64> = entries.iter().map(|entry| entry.offset).collect();
    for (unit, term) in terms() {
        factors[term.coordinate * units + unit] += term.factor;
        offsets[unit] += term.factor * (centers[term.coordinate] - term.center);
    }
    let centers = builder.array(&[dimension], &centers);
    let factors = builder.array(&[dimension, units], &factors);
    let offsets = builder.array(&[units], &offsets);
    let shifted = builder.apply("Sub", &[COORDINATES, centers]);
    let scaled = builder.apply("MatMul", &[shifted, factors]);
    builder.apply("Add", &[scaled, offsets])
}
