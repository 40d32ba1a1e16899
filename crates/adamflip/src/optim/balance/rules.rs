//! The rules of the weights, from what one evaluation shows of the terms.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{block_of, slope};
use crate::linalg::{add_scaled, dot};
use crate::optim::residuals::{ResidualRole, ranges};
use crate::optim::{Block, ConstrainedProblem, Evaluation, Form, ResidualBlock};

/// A problem with its objective apart, and its values and gradients at θ.
pub(super) struct Seen<'a> {
    pub(super) blocks: &'a [Block],
    pub(super) at: &'a Evaluation,
    pub(super) problem: &'a mut dyn ConstrainedProblem,
    pub(super) θ: &'a [f64],
}

impl Seen<'_> {
    /// The loss of every term: a mean square as it is, the mean square of residuals.
    pub(super) fn losses(&self) -> Vec<f64> {
        let mut rest = &self.at.constraints[..];
        let loss = |block: &Block| {
            let (own, others) = rest.split_at(block.size);
            rest = others;
            match block.form {
                Form::MeanSquare => own.iter().sum(),
                Form::Residuals => dot(own, own) / block.size.max(1) as f64,
            }
        };
        self.blocks.iter().map(loss).collect()
    }

    /// The gradient of the loss of every term.
    fn gradients(&self) -> Vec<Vec<f64>> {
        let mut first = 0;
        let gradient = |block: &Block| {
            let entries = first..first + block.size;
            first = entries.end;
            let mut weights = vec![0.0; self.at.constraints.len()];
            for entry in entries {
                weights[entry] = slope(block, self.at.constraints[entry]);
            }
            let mut gradient = vec![0.0; self.θ.len()];
            self.at.jacobian.add_transposed(&weights, &mut gradient);
            gradient
        };
        self.blocks.iter().map(gradient).collect()
    }

    /// The mean squared length of ∂r of every term, weights and numbers of points folded in; none where its
    /// residuals are not known.
    fn traces(&mut self) -> Vec<Option<f64>> {
        let residuals = self.problem.residual_blocks();
        let mut squares = vec![0.0; ResidualBlock::total(&residuals)];
        self.problem.row_squares(self.θ, &mut squares);
        let mut traces = vec![None; self.blocks.len()];
        for (block, range) in ranges(&residuals) {
            let ResidualRole::Constraint(entry) = block.role else { continue };
            let share = if block.form == Form::Residuals { 1.0 / block.size.max(1) as f64 } else { 1.0 };
            let sum: f64 = squares[range].iter().sum();
            *traces[block_of(self.blocks, entry)].get_or_insert(0.0) += share * sum;
        }
        traces
    }
}

/// Learning-rate annealing. A term whose gradient vanishes keeps its weight.
pub(super) fn anneal(memory: f64, reference: usize, seen: &mut Seen<'_>, weights: &mut [f64]) {
    let gradients = seen.gradients();
    let largest = gradients[reference].iter().fold(0.0, |most: f64, g| most.max(g.abs()));
    for (number, (weight, gradient)) in weights.iter_mut().zip(&gradients).enumerate() {
        let mean = gradient.iter().map(|g| g.abs()).sum::<f64>() / gradient.len().max(1) as f64;
        let target = largest / mean;
        if number != reference && target.is_finite() && target > 0.0 {
            *weight = memory * *weight + (1.0 - memory) * target;
        }
    }
}

/// The traces of the neural tangent kernel. A term that no parameter changes keeps its weight.
pub(super) fn tangent(seen: &mut Seen<'_>, weights: &mut [f64]) {
    let (known, losses) = (seen.traces(), seen.losses());
    let unknown = known.iter().any(Option::is_none);
    let gradients = if unknown { seen.gradients() } else { Vec::new() };
    // r = √ℓ has the row ∇ℓ/2√ℓ.
    let of_one = |i: usize| dot(&gradients[i], &gradients[i]) / (4.0 * losses[i].abs());
    let traces: Vec<f64> =
        known.iter().enumerate().map(|(i, trace)| trace.unwrap_or_else(|| of_one(i))).collect();
    let finite = |trace: &f64| trace.is_finite() && *trace > 0.0;
    let sum: f64 = traces.iter().filter(|trace| finite(trace)).sum();
    for (weight, trace) in weights.iter_mut().zip(&traces).filter(|(_, trace)| finite(trace)) {
        *weight = sum / trace;
    }
}

/// The seed of the looks back: every run has the same, at the same steps.
const LOOKS: u64 = 0x5265_4c6f;

/// Is ρ one at this step?
pub(super) fn looks_back(expected: f64, step: u64) -> bool {
    let mut random = ChaCha8Rng::seed_from_u64(LOOKS);
    random.set_stream(step);
    random.random::<f64>() < expected
}

/// Relative loss balancing, against the first losses and the last; `keep` is ρ.
pub(super) fn relobralo(
    [memory, temperature]: [f64; 2],
    keep: bool,
    losses: &[f64],
    [first, before]: [&[f64]; 2],
    weights: &mut [f64],
) {
    let relative = |to: &[f64]| {
        // A loss that was nothing has not changed as far as anybody can tell.
        let ratio = |(loss, to): (&f64, &f64)| if *to > 0.0 { loss / to } else { 1.0 };
        softmax(losses.iter().zip(to).map(|pair| ratio(pair) / temperature).collect())
    };
    let (far, near) = (relative(first), relative(before));
    for (weight, (far, near)) in weights.iter_mut().zip(far.into_iter().zip(near)) {
        let past = if keep { *weight } else { far };
        *weight = memory * past + (1.0 - memory) * near;
    }
}

/// SoftAdapt with normalized changes.
pub(super) fn soft_adapt(sharpness: f64, losses: &[f64], before: &[f64], weights: &mut [f64]) {
    let mut changes: Vec<f64> = losses.iter().zip(before).map(|(now, before)| now - before).collect();
    let sum: f64 = changes.iter().map(|change| change.abs()).sum();
    if sum > 0.0 {
        changes.iter_mut().for_each(|change| *change *= sharpness / sum);
        weights.copy_from_slice(&softmax(changes));
    }
}

/// m·softmax of m numbers.
fn softmax(mut exponents: Vec<f64>) -> Vec<f64> {
    let most = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    exponents.iter_mut().for_each(|x| *x = (*x - most).exp());
    let share = exponents.len() as f64 / exponents.iter().sum::<f64>();
    let mut scaled = vec![0.0; exponents.len()];
    add_scaled(&mut scaled, share, &exponents);
    scaled
}
