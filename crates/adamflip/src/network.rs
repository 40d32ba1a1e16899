//! From a shape to a network: the list of jet primitives, and the initial parameters.

use rand::Rng;

use crate::geometry::Domain;
use crate::jet::{Activation, Op, Program};

/// A fully connected network from the coordinates of `domain` to `outputs` numbers.
///
/// With `scale_inputs` every coordinate is mapped from its range to [−1, 1] on entry.
pub fn perceptron(
    domain: &Domain,
    hidden: &[usize],
    activation: Activation,
    outputs: usize,
    scale_inputs: bool,
) -> Program {
    let ends = domain.lower.iter().zip(&domain.upper);
    let scaling = ends.map(|(&lower, &upper)| match scale_inputs {
        true => (0.5 * (lower + upper), 2.0 / (upper - lower)),
        false => (0.0, 1.0),
    });
    let mut program = Program::new(scaling.collect());
    let mut register = 0;
    for &width in hidden {
        let linear = program.linear(register, width);
        register = program.pointwise(linear, activation);
    }
    program.linear(register, outputs);
    program
}

/// Initial parameters: weights uniform with variance 2/(inputs + outputs) (Glorot and Bengio 2010), biases zero.
pub fn initialize(program: &Program, rng: &mut impl Rng) -> Vec<f64> {
    let mut θ = vec![0.0; program.parameters()];
    for op in program.ops() {
        if let Op::Linear { input, output, weight, bias } = *op {
            let limit = (6.0 / (program.width(input) + program.width(output)) as f64).sqrt();
            // 53 random bits make a number in [0, 1).
            θ[weight..bias].fill_with(|| limit * ((rng.next_u64() >> 11) as f64 * 2.0f64.powi(-52) - 1.0));
        }
    }
    θ
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glorot_has_the_right_variance() {
        let domain = Domain::new(vec![0.0, 0.0], vec![1.0, 1.0]).unwrap();
        let program = perceptron(&domain, &[64, 64], Activation::Tanh, 1, true);
        let θ = initialize(&program, &mut crate::sample::stream(0, 0));
        // The 64 × 64 block: 4096 numbers, whose sample variance is within 5% of 1/64 with near certainty.
        let block = &θ[3 * 64..3 * 64 + 64 * 64];
        let variance = block.iter().map(|w| w * w).sum::<f64>() / block.len() as f64;
        assert!((variance * 64.0 - 1.0).abs() < 0.05, "{variance}");
    }
}
