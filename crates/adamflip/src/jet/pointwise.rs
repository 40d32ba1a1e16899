//! Kernels of the pointwise primitive a = σ(z): Faà di Bruno's formula forward, its adjoint in reverse.
//!
//! The rules are data here, interpreted for every vector; the common shapes have kernels of their own in
//! [`super::pointwise_diagonal`], which these hand over to.
#![allow(unsafe_code)]

use super::activation::{Activation, Derivatives};
use super::streams::{Composition, Streams};
use super::{MAX_STREAMS, PANEL, block_stride, pointwise_diagonal};
use crate::simd::{Kernel, Simd};

/// Elements of a block, numbers from one block to the next, and from one panel to the next.
pub(super) fn sizes(streams: &Streams, units: usize) -> (usize, usize, usize) {
    let block = block_stride(units);
    (units * PANEL, block, streams.count() * block)
}

/// a\[s\] = L_s σ(z) for every stream; saves the auxiliary number of the activation.
pub(crate) struct Forward<'a> {
    pub(crate) activation: Activation,
    pub(crate) streams: &'a Streams,
    pub(crate) units: usize,
    pub(crate) z: &'a [f64],
    pub(crate) a: &'a mut [f64],
    /// One number a point and unit; empty for tanh, whose value is its own auxiliary number.
    pub(crate) auxiliary: &'a mut [f64],
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let (row, block, size) = sizes(self.streams, self.units);
        let panels = self.z.len() / size;
        if pointwise_diagonal::forward(simd, &mut self, panels) {
            return;
        }
        assert!(self.a.len() >= panels * size);
        assert!(self.auxiliary.is_empty() || self.auxiliary.len() >= panels * row);
        let order = self.streams.order();
        for panel in 0..panels {
            for i in (0..row).step_by(S::LANES) {
                // SAFETY: i + LANES ≤ row, and the assertions above bound panels and streams.
                unsafe {
                    let z = self.z.as_ptr().add(panel * size + i);
                    let a = self.a.as_mut_ptr().add(panel * size + i);
                    let argument = simd.load(z);
                    let (value, auxiliary) = self.activation.value(simd, argument);
                    simd.store(a, value);
                    if !self.auxiliary.is_empty() {
                        simd.store(self.auxiliary.as_mut_ptr().add(panel * row + i), auxiliary);
                    }
                    if order > 0 {
                        let d = self.activation.derivatives(simd, order, argument, value, auxiliary);
                        compose(simd, self.streams, &d, (z, block), (a, block));
                    }
                }
            }
        }
    }
}

/// The derivative streams of one vector of points; z's and a's streams lie as far apart as said with them.
#[inline(always)]
pub(super) unsafe fn compose<S: Simd>(
    simd: S,
    streams: &Streams,
    d: &Derivatives<S::V>,
    (z, block): (*const f64, usize),
    (a, stride): (*mut f64, usize),
) {
    // SAFETY: all streams are inside the caller's panels.
    unsafe {
        for (s, compositions) in streams.compositions().iter().enumerate().skip(1) {
            let mut sum = simd.mul(d[1], simd.load(z.add(s * block)));
            for c in compositions {
                let product = factors(simd, c, usize::MAX, block, z);
                sum = simd.mul_add(simd.mul(simd.splat(c.coefficient), d[c.order]), product, sum);
            }
            simd.store(a.add(s * stride), sum);
        }
    }
}

/// The product of the factors of a composition, without the one at position `skip`.
#[inline(always)]
unsafe fn factors<S: Simd>(simd: S, c: &Composition, skip: usize, block: usize, z: *const f64) -> S::V {
    let mut product = None;
    for (position, &factor) in c.factors[..c.order].iter().enumerate() {
        if position != skip {
            // SAFETY: the factor is a stream of the caller's panel.
            let z = unsafe { simd.load(z.add(factor * block)) };
            product = Some(product.map_or(z, |product| simd.mul(product, z)));
        }
    }
    product.unwrap_or(simd.splat(1.0))
}

/// From the adjoints of a to those of z.
pub(crate) struct Reverse<'a> {
    pub(crate) activation: Activation,
    pub(crate) streams: &'a Streams,
    pub(crate) units: usize,
    pub(crate) z: &'a [f64],
    pub(crate) a: &'a [f64],
    pub(crate) auxiliary: &'a [f64],
    /// Holds ā on entry and z̄ on return.
    pub(crate) adjoint: &'a mut [f64],
}

impl Kernel for Reverse<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let (row, block, size) = sizes(self.streams, self.units);
        let panels = self.adjoint.len() / size;
        if pointwise_diagonal::reverse(simd, &mut self, panels) {
            return;
        }
        assert!(self.z.len() >= panels * size && self.a.len() >= panels * size);
        assert!(self.auxiliary.is_empty() || self.auxiliary.len() >= panels * row);
        let order = self.streams.order() + 1;
        let mut bars = [simd.splat(0.0); MAX_STREAMS];
        for panel in 0..panels {
            for i in (0..row).step_by(S::LANES) {
                // SAFETY: i + LANES ≤ row, and the assertions above bound panels and streams.
                unsafe {
                    let z = self.z.as_ptr().add(panel * size + i);
                    let adjoint = self.adjoint.as_mut_ptr().add(panel * size + i);
                    let value = simd.load(self.a.as_ptr().add(panel * size + i));
                    let auxiliary = match self.auxiliary {
                        [] => value,
                        saved => simd.load(saved.as_ptr().add(panel * row + i)),
                    };
                    let d = self.activation.derivatives(simd, order, simd.load(z), value, auxiliary);
                    decompose(simd, self.streams, block, &d, z, adjoint, &mut bars);
                }
            }
        }
    }
}

/// The adjoint of [`compose`] for one vector of points; `bars` is scratch.
#[inline(always)]
pub(super) unsafe fn decompose<S: Simd>(
    simd: S,
    streams: &Streams,
    block: usize,
    d: &Derivatives<S::V>,
    z: *const f64,
    adjoint: *mut f64,
    bars: &mut [S::V; MAX_STREAMS],
) {
    // SAFETY: streams lie `block` apart inside the caller's panel.
    unsafe {
        // z̄ collects σ″ Σ z_s ā_s and the compositions' shares; z̄_s collects σ′ ā_s and its shares as a
        // factor.
        let mut linear = simd.splat(0.0);
        let mut value = simd.mul(d[1], simd.load(adjoint));
        for (s, compositions) in streams.compositions().iter().enumerate().skip(1) {
            let bar = simd.load(adjoint.add(s * block));
            linear = simd.mul_add(simd.load(z.add(s * block)), bar, linear);
            bars[s] = simd.mul(d[1], bar);
            for c in compositions {
                let scaled = simd.mul(simd.splat(c.coefficient), bar);
                let product = factors(simd, c, usize::MAX, block, z);
                value = simd.mul_add(simd.mul(scaled, d[c.order + 1]), product, value);
                let scaled = simd.mul(scaled, d[c.order]);
                for (position, &factor) in c.factors[..c.order].iter().enumerate() {
                    // Factors are streams before s: their own σ′ā share is there already.
                    let others = factors(simd, c, position, block, z);
                    bars[factor] = simd.mul_add(scaled, others, bars[factor]);
                }
            }
        }
        simd.store(adjoint, simd.mul_add(d[2], linear, value));
        for (s, &bar) in bars[..streams.count()].iter().enumerate().skip(1) {
            simd.store(adjoint.add(s * block), bar);
        }
    }
}
