//! Adam's moments with bias correction (Kingma and Ba 2015), the piece that all first-order methods share.
#![allow(unsafe_code)]

use super::Matrix;
use super::rotation::Rotation;
use crate::simd::{Isa, Kernel, Simd};

/// Decay rates of the two moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Betas {
    /// β₁, of the mean.
    pub first: f64,
    /// β₂, of the square.
    pub second: f64,
}

/// First and second moments of a gradient.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    pub(crate) mean: Vec<f64>,
    pub(crate) square: Vec<f64>,
    /// Updates so far.
    pub(crate) count: f64,
    /// The bases in which the moments are kept, where they are not those of θ.
    pub(crate) rotation: Option<Rotation>,
}

impl Moments {
    pub(crate) fn new(parameters: usize) -> Self {
        Self { mean: vec![0.0; parameters], square: vec![0.0; parameters], count: 0.0, rotation: None }
    }

    /// The same in the eigenbasis of these matrices, which turns every this many updates; none of that for 0.
    pub(crate) fn turning(self, every: usize, matrices: &[Matrix]) -> Self {
        let rotation = (every > 0).then(|| Rotation::new(self.mean.len(), matrices, every));
        Self { rotation, ..self }
    }

    /// Takes in g and moves θ ← θ − η·m̂ ⊘ (√v̂ + δ), in the moments' bases. Returns ‖Δθ‖₂.
    pub(crate) fn step(&mut self, betas: Betas, δ: f64, η: f64, g: &[f64], θ: &mut [f64]) -> f64 {
        let Some(mut rotation) = self.rotation.take() else { return self.update(betas, δ, η, g, θ) };
        rotation.take(g, betas.second, self.count as usize, &mut self.mean);
        rotation.step.fill(0.0);
        let norm = self.update(betas, δ, η, &rotation.gradient, &mut rotation.step);
        rotation.add_step(θ);
        self.rotation = Some(rotation);
        norm
    }

    fn update(&mut self, betas: Betas, δ: f64, η: f64, g: &[f64], θ: &mut [f64]) -> f64 {
        self.count += 1.0;
        let mut squared_norm = 0.0;
        Isa::detect().run(Update {
            betas,
            δ,
            // η·m/(1−β₁ᵗ) and v/(1−β₂ᵗ): the bias corrections as two scalars.
            rate: η / (1.0 - betas.first.powf(self.count)),
            square_scale: 1.0 / (1.0 - betas.second.powf(self.count)),
            g,
            mean: &mut self.mean,
            square: &mut self.square,
            θ,
            squared_norm: &mut squared_norm,
        });
        squared_norm.sqrt()
    }
}

struct Update<'a> {
    betas: Betas,
    δ: f64,
    rate: f64,
    square_scale: f64,
    g: &'a [f64],
    mean: &'a mut [f64],
    square: &'a mut [f64],
    θ: &'a mut [f64],
    squared_norm: &'a mut f64,
}

impl Kernel for Update<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let length = self.θ.len();
        assert!(self.g.len() == length && self.mean.len() == length && self.square.len() == length);
        let [β1, β2, take1, take2] =
            [self.betas.first, self.betas.second, 1.0 - self.betas.first, 1.0 - self.betas.second];
        let mut total = simd.splat(0.0);
        let whole = length - length % S::LANES;
        for i in (0..whole).step_by(S::LANES) {
            // SAFETY: i + LANES ≤ length, and all four slices have that length.
            unsafe {
                let g = simd.load(self.g.as_ptr().add(i));
                let mean = self.mean.as_mut_ptr().add(i);
                let square = self.square.as_mut_ptr().add(i);
                let θ = self.θ.as_mut_ptr().add(i);
                let m = simd.mul_add(simd.splat(take1), g, simd.mul(simd.splat(β1), simd.load(mean)));
                let v = simd.mul_add(
                    simd.mul(simd.splat(take2), g),
                    g,
                    simd.mul(simd.splat(β2), simd.load(square)),
                );
                let corrected = simd.mul(v, simd.splat(self.square_scale));
                let step = simd.over_root(simd.mul(m, simd.splat(self.rate)), corrected, simd.splat(self.δ));
                simd.store(mean, m);
                simd.store(square, v);
                simd.store(θ, simd.sub(simd.load(θ), step));
                total = simd.mul_add(step, step, total);
            }
        }
        let zero = simd.splat(0.0);
        *self.squared_norm = simd.sums([total, zero, zero, zero])[0];
        for i in whole..length {
            let g = self.g[i];
            self.mean[i] = take1 * g + β1 * self.mean[i];
            self.square[i] = take2 * g * g + β2 * self.square[i];
            let step = self.mean[i] * self.rate / ((self.square[i] * self.square_scale).sqrt() + self.δ);
            self.θ[i] -= step;
            *self.squared_norm += step * step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every instruction set against the formula, with gradients over many orders of magnitude and exact
    /// zeros.
    #[test]
    fn updates_equal_the_formula() {
        let betas = Betas { first: 0.9, second: 0.999 };
        let g: Vec<f64> = (0..203).map(|i| if i % 7 == 0 { 0.0 } else { (-1.5f64).powi(i - 100) }).collect();
        let mut moments = Moments::new(g.len());
        let mut θ = vec![0.0; g.len()];
        for _ in 0..3 {
            moments.step(betas, 1e-8, 1e-3, &g, &mut θ);
        }
        for (g, θ) in g.iter().zip(&θ) {
            // With a constant gradient m̂ = g and v̂ = g² in every step.
            let expected = -3e-3 * g / (g.abs() + 1e-8);
            // A dozen roundings and the bias corrections' powers.
            assert!((θ - expected).abs() <= 1e-13 * expected.abs(), "{g}: {θ} against {expected}");
        }
    }
}
