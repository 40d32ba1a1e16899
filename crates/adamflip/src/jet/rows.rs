//! Jacobian rows: the derivative of one number a point with respect to every parameter.
//!
//! For a linear layer the row of a point is Σ_s a_s ⊗ z̄_s, an outer product of what the sweep holds already.
//! Rows are stored by parameter, points contiguous: `rows[parameter·points + point]`.
#![allow(unsafe_code)]

use super::{PANEL, block_stride};
use crate::simd::{Kernel, Simd};

/// rows\[(k·out + j)·points + p\] += Σ_s input\[p, s, k\]·adjoint\[p, s, j\], and the biases behind the
/// weights.
pub(crate) struct LinearRows<'a> {
    pub(crate) streams: usize,
    pub(crate) input: &'a [f64],
    pub(crate) in_units: usize,
    pub(crate) adjoint: &'a [f64],
    pub(crate) out_units: usize,
    /// The rows of this layer's weights.
    pub(crate) weights: &'a mut [f64],
    /// The rows of this layer's biases.
    pub(crate) biases: &'a mut [f64],
}

impl Kernel for LinearRows<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (row_in, row_out) = (block_stride(self.in_units), block_stride(self.out_units));
        let panels = self.adjoint.len() / (self.streams * row_out);
        let points = panels * PANEL;
        assert!(self.input.len() >= panels * self.streams * row_in);
        assert!(self.weights.len() >= self.in_units * self.out_units * points);
        assert!(self.biases.len() >= self.out_units * points);
        for panel in 0..panels {
            for part in (0..PANEL).step_by(S::LANES) {
                // SAFETY: the assertions above bound panels, streams and units; part + LANES ≤ PANEL.
                unsafe {
                    let input = self.input.as_ptr().add(panel * self.streams * row_in + part);
                    let adjoint = self.adjoint.as_ptr().add(panel * self.streams * row_out + part);
                    let at = panel * PANEL + part;
                    for j in 0..self.out_units {
                        let z = adjoint.add(j * PANEL);
                        let bias = self.biases.as_mut_ptr().add(j * points + at);
                        simd.store(bias, simd.add(simd.load(bias), simd.load(z)));
                        for k in 0..self.in_units {
                            let weight =
                                self.weights.as_mut_ptr().add((k * self.out_units + j) * points + at);
                            let mut sum = simd.load(weight);
                            for s in 0..self.streams {
                                let a = simd.load(input.add(s * row_in + k * PANEL));
                                sum = simd.mul_add(a, simd.load(z.add(s * row_out)), sum);
                            }
                            simd.store(weight, sum);
                        }
                    }
                }
            }
        }
    }
}
