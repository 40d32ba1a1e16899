//! Initial parameters.

use rand::Rng;

use super::Factorized;
use crate::jet::{Op, Program};
use crate::sample::normal;

/// Initial parameters: weights uniform with variance 2/(inputs + outputs) (Glorot and Bengio 2010), biases
/// zero.
///
/// Factorized, the weights begin the same; behind them stand the logarithms s of their factors, as
/// [`super::Parametrization`] expects.
pub fn initialize(program: &Program, factorized: Option<Factorized>, rng: &mut impl Rng) -> Vec<f64> {
    let mut θ = vec![0.0; program.parameters()];
    for op in program.ops() {
        if let Op::Linear { input, output, weight, bias } = *op {
            let limit = (6.0 / (program.width(input) + program.width(output)) as f64).sqrt();
            θ[weight..bias].fill_with(|| limit * (2.0 * uniform(rng) - 1.0));
        }
    }
    if let Some(factorized) = factorized {
        factorize(program, factorized, &mut θ, rng);
    }
    θ
}

/// Draws s and divides its factors out of the weights: V = W·diag(exp(−s)).
fn factorize(program: &Program, factorized: Factorized, θ: &mut Vec<f64>, rng: &mut impl Rng) {
    for op in program.ops() {
        if let Op::Linear { output, weight, bias, .. } = *op {
            let units = program.width(output);
            let s: Vec<f64> =
                (0..units).map(|_| factorized.mean + factorized.deviation * normal(rng)).collect();
            for row in θ[weight..bias].chunks_exact_mut(units) {
                row.iter_mut().zip(&s).for_each(|(weight, s)| *weight *= (-s).exp());
            }
            θ.extend(s);
        }
    }
}

/// A number in [0, 1) of 53 random bits.
fn uniform(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * 2.0f64.powi(-53)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Domain;
    use crate::jet::Activation;
    use crate::network::perceptron;

    #[test]
    fn glorot_has_the_right_variance() {
        let domain = Domain::new(vec![0.0, 0.0], vec![1.0, 1.0]).unwrap();
        let program = perceptron(&domain, &[64, 64], Activation::Tanh, 1, true);
        let θ = initialize(&program, None, &mut crate::sample::stream(0, 0));
        // The 64 × 64 block: 4096 numbers, whose sample variance is within 5% of 1/64 with near certainty.
        let block = &θ[3 * 64..3 * 64 + 64 * 64];
        let variance = block.iter().map(|w| w * w).sum::<f64>() / block.len() as f64;
        assert!((variance * 64.0 - 1.0).abs() < 0.05, "{variance}");
    }
}
