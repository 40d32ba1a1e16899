//! Between the trained numbers θ and the weights that a program runs with.
//!
//! The kernels know weights only. Random weight factorization (Wang et al., arXiv 2210.01274) trains V and s
//! in W = V·diag(exp s) instead, one factor for each output unit of a layer: [`Parametrization::expand`]
//! makes the weights before a sweep, [`Parametrization::pull_back`] takes the gradient back after it.

use std::ops::Range;

use crate::jet::{Op, Program};

/// How θ makes the weights of a program.
///
/// Factorized, θ holds V where the weights stand, the biases where they are, and behind them the s of all
/// layers in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Parametrization {
    /// The numbers that the program runs with.
    weights: usize,
    /// The factorized layers; none if θ is the weights.
    layers: Vec<Layer>,
}

/// One layer's W, row-major with a column for each output unit.
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    weights: Range<usize>,
    /// Where s stands in θ.
    factors: Range<usize>,
}

impl Parametrization {
    /// θ is the weights, or their factors.
    pub fn new(program: &Program, factorized: bool) -> Self {
        let mut layers: Vec<Layer> = Vec::new();
        let mut end = program.parameters();
        for op in program.ops().iter().filter(|_| factorized) {
            if let Op::Linear { output, weight, bias, .. } = *op {
                let factors = end..end + program.width(output);
                end = factors.end;
                layers.push(Layer { weights: weight..bias, factors });
            }
        }
        Self { weights: program.parameters(), layers }
    }

    /// Is θ the weights themselves? Then nothing of this needs to be called.
    pub fn is_identity(&self) -> bool {
        self.layers.is_empty()
    }

    /// The length of θ.
    pub fn parameters(&self) -> usize {
        self.layers.last().map_or(self.weights, |layer| layer.factors.end)
    }

    /// The numbers that the program runs with.
    pub fn weights(&self) -> usize {
        self.weights
    }

    /// The weights at θ.
    pub fn expand(&self, θ: &[f64], weights: &mut [f64]) {
        weights[..self.weights].copy_from_slice(&θ[..self.weights]);
        for layer in &self.layers {
            let factors = layer.exponentials(θ);
            for row in weights[layer.weights.clone()].chunks_exact_mut(factors.len()) {
                row.iter_mut().zip(&factors).for_each(|(weight, factor)| *weight *= factor);
            }
        }
    }

    /// The change of the weights with a change v of θ.
    pub fn push_forward(&self, θ: &[f64], v: &[f64], change: &mut [f64]) {
        change[..self.weights].copy_from_slice(&v[..self.weights]);
        for layer in &self.layers {
            let (factors, bends) = (layer.exponentials(θ), &v[layer.factors.clone()]);
            let units = factors.len();
            for (i, weight) in layer.weights.clone().enumerate() {
                // W = V·exp(s): dW = exp(s)·(dV + V·ds).
                change[weight] = factors[i % units] * (v[weight] + θ[weight] * bends[i % units]);
            }
        }
    }

    /// The gradient with respect to θ from that with respect to the weights; `gradient` is overwritten.
    pub fn pull_back(&self, θ: &[f64], gradient_of_weights: &[f64], gradient: &mut [f64]) {
        self.pull_back_rows(θ, gradient_of_weights, 1, gradient);
    }

    /// The same for many gradients at once: `rows[weight·columns + column]`; `out` is overwritten.
    pub fn pull_back_rows(&self, θ: &[f64], rows: &[f64], columns: usize, out: &mut [f64]) {
        let (own, of_factors) = out[..self.parameters() * columns].split_at_mut(self.weights * columns);
        own.copy_from_slice(&rows[..self.weights * columns]);
        of_factors.fill(0.0);
        let start = |range: &Range<usize>| (range.start - self.weights) * columns;
        for layer in &self.layers {
            let factors = layer.exponentials(θ);
            let units = factors.len();
            let of_factors = &mut of_factors[start(&layer.factors)..][..units * columns];
            for (i, weight) in layer.weights.clone().enumerate() {
                // V̄ = exp(s)·W̄, and s̄ = Σ W·W̄ = Σ V·V̄ over the layer's inputs.
                let (unit, v) = (i % units, θ[weight]);
                let bars = &mut own[weight * columns..][..columns];
                for (bar, sum) in bars.iter_mut().zip(&mut of_factors[unit * columns..][..columns]) {
                    *bar *= factors[unit];
                    *sum += v * *bar;
                }
            }
        }
    }
}

impl Layer {
    /// exp(s) of every output unit.
    fn exponentials(&self, θ: &[f64]) -> Vec<f64> {
        θ[self.factors.clone()].iter().map(|s| s.exp()).collect()
    }
}
