//! The hidden layers of each architecture.

use super::{Architecture, Shape};
use crate::jet::{Activation, Program, Register};

/// Appends all hidden layers to `input`; returns the last.
pub(super) fn hidden(program: &mut Program, shape: &Shape<'_>, input: Register) -> Register {
    let activation = |layer: usize| {
        let last = shape.activations.last().copied().unwrap_or(Activation::Tanh);
        shape.activations.get(layer).copied().unwrap_or(last)
    };
    let layers: Vec<(usize, Activation)> =
        shape.hidden.iter().enumerate().map(|(layer, &width)| (width, activation(layer))).collect();
    match shape.architecture {
        Architecture::Mlp => layers.iter().fold(input, |register, &layer| dense(program, register, layer)),
        Architecture::Gated => gated(program, &layers, input),
        Architecture::Residual => residual(program, &layers, input),
    }
}

/// σ(W·input + b).
fn dense(program: &mut Program, input: Register, (width, activation): (usize, Activation)) -> Register {
    let linear = program.linear(input, width);
    program.pointwise(linear, activation)
}

fn gated(program: &mut Program, layers: &[(usize, Activation)], input: Register) -> Register {
    // (width, u, v), one pair of gates for each width that occurs.
    let mut gates: Vec<(usize, Register, Register)> = Vec::new();
    for &(width, activation) in layers {
        if !gates.iter().any(|gate| gate.0 == width) {
            let open = dense(program, input, (width, activation));
            let closed = dense(program, input, (width, activation));
            gates.push((width, open, closed));
        }
    }
    let mut register = input;
    for &(width, activation) in layers {
        let linear = program.linear(register, width);
        for &(_, open, closed) in gates.iter().filter(|gate| gate.0 == width) {
            register = program.gate(linear, open, closed, activation);
        }
    }
    register
}

fn residual(program: &mut Program, layers: &[(usize, Activation)], input: Register) -> Register {
    let Some((&first, rest)) = layers.split_first() else { return input };
    let start = dense(program, input, first);
    rest.chunks(2).fold(start, |shortcut, block| {
        let end = block.iter().fold(shortcut, |register, &layer| dense(program, register, layer));
        let fits = block.len() == 2 && program.width(end) == program.width(shortcut);
        if fits { program.sum(shortcut, end) } else { end }
    })
}
