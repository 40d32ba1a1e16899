//! Every kernel on every instruction set, through whole sweeps.

use std::sync::Arc;

use super::*;
use crate::derivative::Partial;
use crate::simd::Isa;

fn partial(by: &[usize]) -> Partial {
    Partial::new(by).unwrap()
}

/// A layer of every kind, one after the other.
fn program(widths: &[usize], activation: Activation) -> Program {
    let mut program = Program::new(2);
    let plain = program.enter(vec![Entry::scaled(0, 0.1, 0.9), Entry::scaled(1, 0.0, 1.1)]);
    let mut register = plain;
    for &width in widths {
        let linear = program.linear(register, width);
        register = program.pointwise(linear, activation);
    }
    program.linear(register, 2);
    program
}

/// Sines of the coordinates beside them, gates, a shortcut, and a concatenation.
fn mixed_program(widths: &[usize], activation: Activation) -> Program {
    let mut program = Program::new(2);
    let plain = program.enter(vec![Entry::scaled(1, 0.1, 0.9)]);
    let both = [0, 1].map(|coordinate| EntryTerm { coordinate, center: 0.2, factor: 1.3 });
    let phases = program.enter(vec![Entry { offset: 0.5, terms: both.to_vec() }, Entry::scaled(0, 0.0, 2.0)]);
    let sines = program.pointwise(phases, Activation::Sin);
    let input = program.concatenate(plain, sines);
    let mut register = input;
    for &width in widths {
        let [open, closed] = [(); 2].map(|()| program.linear(input, width));
        let open = program.pointwise(open, activation);
        let linear = program.linear(register, width);
        let gated = program.gate(linear, open, closed, activation);
        let sum = program.sum(gated, open);
        register = program.concatenate(sum, gated);
    }
    program.linear(register, 2);
    program
}

/// Outputs, gradient and rows of a network with some streams, one after the other.
fn all(isa: Isa, program: &Arc<Program>, wanted: &[Operator]) -> Vec<f64> {
    let number = |i: usize| ((i * 7919 + 13) % 1000) as f64 / 1000.0 - 0.5;
    let θ: Vec<f64> = (0..program.parameters()).map(number).collect();
    let points: Vec<f64> = (0..2 * 2 * PANEL).map(number).collect();
    let sweep = Sweep::on(isa, program.clone(), Streams::new(wanted), 2);
    let mut work = sweep.workspace();
    sweep.forward(&θ, &points, &mut work);
    let mut found = sweep.outputs(&work, 2).to_vec();
    let seed = |work: &mut Workspace| {
        for (i, adjoint) in sweep.output_adjoints(work, 2).iter_mut().enumerate() {
            *adjoint = number(i + 5);
        }
    };
    seed(&mut work);
    let mut gradient = vec![0.0; θ.len()];
    sweep.reverse(&θ, &mut work, 2, &mut gradient);
    seed(&mut work);
    let mut rows = vec![0.0; θ.len() * 2 * PANEL];
    sweep.rows(&θ, &mut work, 2, &mut rows);
    found.extend(gradient);
    found.extend(rows);
    found
}

#[test]
fn every_instruction_set_computes_the_same() {
    let diagonal = vec![Operator::new([(partial(&[1]), 1.0), (partial(&[0, 0]), -0.3)])];
    let mixed = vec![Operator::from(partial(&[0, 1])), Operator::from(partial(&[0, 0, 1]))];
    for wanted in [vec![], diagonal, mixed] {
        for activation in [Activation::Tanh, Activation::Swish, Activation::Gelu] {
            for widths in [&[5, 7][..], &[16, 33], &[20, 64]] {
                for program in [program(widths, activation), mixed_program(widths, activation)] {
                    let program = Arc::new(program);
                    let expected = all(Isa::Portable, &program, &wanted);
                    let size = expected.iter().fold(1.0f64, |m, x| m.max(x.abs()));
                    for isa in Isa::available() {
                        let found = all(isa, &program, &wanted);
                        // Fused multiply–adds round once where the portable code rounds twice.
                        let worst =
                            found.iter().zip(&expected).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                        assert!(
                            worst <= 1e-12 * size,
                            "{isa:?} {activation:?} {widths:?}: {worst:e} of {size:e}"
                        );
                    }
                }
            }
        }
    }
}
