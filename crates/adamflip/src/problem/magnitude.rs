//! Equations in numbers together with the size of their summands: what a residual is small or large against.
//!
//! The magnitude of a sum is the sum of its operands' magnitudes, that of a product their product, as in a
//! running analysis of rounding errors: it stays where the value itself cancels.

use crate::geometry::Points;
use crate::lang::{Binary, Leaf, Operand, Step, Tape};

/// Every output of a tape at points, one column each: the values, and their magnitudes.
pub fn with_magnitudes(tape: &Tape, points: &Points) -> Vec<(Vec<f64>, Vec<f64>)> {
    let width = points.len();
    let mut values = vec![0.0; tape.registers() * width];
    for (&leaf, column) in tape.inputs().iter().zip(values.chunks_exact_mut(width.max(1))) {
        match leaf {
            Leaf::Coordinate(c) => column.copy_from_slice(points.column(c)),
            Leaf::Attribute(i) => column.copy_from_slice(points.attribute(i)),
            Leaf::Unknown(_) | Leaf::Jet { .. } | Leaf::Slot(_) => column.fill(f64::NAN),
        }
    }
    tape.forward(&mut values, width);
    let magnitudes = magnitudes(tape, &values, width);
    let column = |of: &[f64], register: usize| of[register * width..][..width].to_vec();
    tape.outputs().iter().map(|&r| (column(&values, r), column(&magnitudes, r))).collect()
}

fn magnitudes(tape: &Tape, values: &[f64], width: usize) -> Vec<f64> {
    let mut sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    for (step, register) in tape.steps().iter().zip(tape.inputs().len()..) {
        for point in 0..width {
            let size = |operand: Operand| match operand {
                Operand::Register(register) => sizes[register * width + point],
                Operand::Constant(value) => value.abs(),
            };
            let value = |operand: Operand| match operand {
                Operand::Register(register) => values[register * width + point],
                Operand::Constant(value) => value,
            };
            let known = match *step {
                Step::Negate(a) => size(Operand::Register(a)),
                Step::Binary(Binary::Add | Binary::Subtract, a, b) => size(a) + size(b),
                Step::Binary(Binary::Multiply, a, b) => size(a) * size(b),
                Step::Binary(Binary::Divide, a, b) => size(a) / value(b).abs(),
                Step::Select([condition, a, b]) => size(if value(condition) != 0.0 { a } else { b }),
                _ => continue,
            };
            sizes[register * width + point] = known;
        }
    }
    sizes
}

/// The root mean square of the finite ones.
pub fn rms<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let (sum, count) = finite.fold((0.0, 0usize), |(sum, count), value| (sum + value * value, count + 1));
    (sum / count.max(1) as f64).sqrt()
}
