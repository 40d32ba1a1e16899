//! Kernels of the gate primitive: out = a∘u + (1 − a)∘v = v + a∘(u − v) with a = σ(z).
//!
//! With δ = u − v Leibniz' rule gives L out = L v + a·L δ + δ·L a + Σ c a_left δ_right. Only the value of a
//! is saved; its other streams follow from those of z by a few multiplications, which cost less than moving
//! them through memory. In reverse
//!
//! - ā_s and δ̄_s collect what the rule multiplies with them,
//! - ū_s += δ̄_s,   v̄_s += ō_s − δ̄_s,
//! - z̄ follows from ā by the adjoint of Faà di Bruno's formula.
//!
//! As for the pointwise primitive, the rules are data here, and the common shapes have their own kernels in
//! [`super::gate_diagonal`].
#![allow(unsafe_code)]

use super::pointwise::{compose, decompose, sizes};
use super::{Activation, MAX_STREAMS, Streams, gate_diagonal};
use crate::simd::{Kernel, Simd};

/// Lanes of the widest instruction set.
const WIDEST: usize = 8;

/// out\[s\] = L_s (v + σ(z)·(u − v)) for every stream; saves value and auxiliary number of the activation.
pub(crate) struct Forward<'a> {
    pub(crate) activation: Activation,
    pub(crate) streams: &'a Streams,
    pub(crate) units: usize,
    pub(crate) z: &'a [f64],
    pub(crate) open: &'a [f64],
    pub(crate) closed: &'a [f64],
    pub(crate) out: &'a mut [f64],
    /// The value of a: one number a point and unit.
    pub(crate) value: &'a mut [f64],
    /// As many; empty for tanh, whose value is its own auxiliary number.
    pub(crate) auxiliary: &'a mut [f64],
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let (row, block, size) = sizes(self.streams, self.units);
        let panels = self.out.len() / size;
        let length = panels * size;
        assert!(self.z.len() >= length && self.open.len() >= length && self.closed.len() >= length);
        assert!(self.value.len() >= panels * row);
        assert!(self.auxiliary.is_empty() || self.auxiliary.len() >= panels * row);
        if gate_diagonal::forward(simd, &mut self, panels) {
            return;
        }
        let order = self.streams.order();
        let mut a = [0.0; MAX_STREAMS * WIDEST];
        let mut differences = [simd.splat(0.0); MAX_STREAMS];
        for panel in 0..panels {
            for i in (0..row).step_by(S::LANES) {
                // SAFETY: i + LANES ≤ row, and the assertions above bound panels and streams.
                unsafe {
                    let at = panel * size + i;
                    let z = self.z.as_ptr().add(at);
                    let (value, auxiliary) = self.activation.value(simd, simd.load(z));
                    let saved = panel * row + i;
                    simd.store(self.value.as_mut_ptr().add(saved), value);
                    if !self.auxiliary.is_empty() {
                        simd.store(self.auxiliary.as_mut_ptr().add(saved), auxiliary);
                    }
                    let d = self.activation.derivatives(simd, order, simd.load(z), value, auxiliary);
                    simd.store(a.as_mut_ptr(), value);
                    compose(simd, self.streams, &d, (z, block), (a.as_mut_ptr(), S::LANES));
                    let (open, closed) = (self.open.as_ptr().add(at), self.closed.as_ptr().add(at));
                    subtract(simd, self.streams, block, open, closed, &mut differences);
                    let out = self.out.as_mut_ptr().add(at);
                    mix(simd, self.streams, block, &a, &differences, closed, out);
                }
            }
        }
    }
}

/// δ = u − v for every stream of one vector of points.
#[inline(always)]
unsafe fn subtract<S: Simd>(
    simd: S,
    streams: &Streams,
    block: usize,
    open: *const f64,
    closed: *const f64,
    differences: &mut [S::V; MAX_STREAMS],
) {
    for (s, difference) in differences[..streams.count()].iter_mut().enumerate() {
        // SAFETY: streams lie `block` apart inside the caller's panel.
        *difference = unsafe { simd.sub(simd.load(open.add(s * block)), simd.load(closed.add(s * block))) };
    }
}

/// Leibniz' rule for v + a·δ.
#[inline(always)]
unsafe fn mix<S: Simd>(
    simd: S,
    streams: &Streams,
    block: usize,
    a: &[f64; MAX_STREAMS * WIDEST],
    differences: &[S::V; MAX_STREAMS],
    closed: *const f64,
    out: *mut f64,
) {
    // SAFETY: streams lie `block` apart inside the caller's panel, and `a` holds LANES ≤ WIDEST numbers a
    // stream.
    unsafe {
        let a = |s: usize| simd.load(a.as_ptr().add(s * S::LANES));
        for (s, crosses) in streams.crosses().iter().enumerate() {
            let mut sum = simd.mul_add(a(0), differences[s], simd.load(closed.add(s * block)));
            if s > 0 {
                sum = simd.mul_add(a(s), differences[0], sum);
            }
            for c in crosses {
                let scaled = simd.mul(simd.splat(c.coefficient), a(c.left));
                sum = simd.mul_add(scaled, differences[c.right], sum);
            }
            simd.store(out.add(s * block), sum);
        }
    }
}

/// From the adjoints of the output to those of z, in place, and to those of u and v, added.
pub(crate) struct Reverse<'a> {
    pub(crate) activation: Activation,
    pub(crate) streams: &'a Streams,
    pub(crate) units: usize,
    pub(crate) z: &'a [f64],
    pub(crate) open: &'a [f64],
    pub(crate) closed: &'a [f64],
    pub(crate) value: &'a [f64],
    pub(crate) auxiliary: &'a [f64],
    /// Holds ō on entry and z̄ on return.
    pub(crate) adjoint: &'a mut [f64],
    pub(crate) open_adjoint: &'a mut [f64],
    pub(crate) closed_adjoint: &'a mut [f64],
}

impl Kernel for Reverse<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let (row, block, size) = sizes(self.streams, self.units);
        let panels = self.adjoint.len() / size;
        let length = panels * size;
        assert!(self.z.len() >= length && self.open.len() >= length && self.closed.len() >= length);
        assert!(self.open_adjoint.len() >= length && self.closed_adjoint.len() >= length);
        assert!(self.value.len() >= panels * row);
        assert!(self.auxiliary.is_empty() || self.auxiliary.len() >= panels * row);
        if gate_diagonal::reverse(simd, &mut self, panels) {
            return;
        }
        let mut scratch = Scratch::new(simd);
        for panel in 0..panels {
            for i in (0..row).step_by(S::LANES) {
                // SAFETY: i + LANES ≤ row, and the assertions above bound panels and streams.
                unsafe { self.vector(simd, panel * size + i, panel * row + i, block, &mut scratch) };
            }
        }
    }
}

/// What the reverse kernel keeps of all streams of one vector of points.
struct Scratch<V> {
    a: [f64; MAX_STREAMS * WIDEST],
    differences: [V; MAX_STREAMS],
    a_bars: [V; MAX_STREAMS],
    difference_bars: [V; MAX_STREAMS],
}

impl<V: Copy> Scratch<V> {
    #[inline(always)]
    fn new<S: Simd<V = V>>(simd: S) -> Self {
        let zero = [simd.splat(0.0); MAX_STREAMS];
        Self { a: [0.0; MAX_STREAMS * WIDEST], differences: zero, a_bars: zero, difference_bars: zero }
    }
}

impl Reverse<'_> {
    /// One vector of points: the streams begin at `at`, the saved numbers stand at `saved`.
    #[inline(always)]
    unsafe fn vector<S: Simd>(
        &mut self,
        simd: S,
        at: usize,
        saved: usize,
        block: usize,
        scratch: &mut Scratch<S::V>,
    ) {
        // SAFETY: the assertions in `run` bound all offsets.
        unsafe {
            let (z, adjoint) = (self.z.as_ptr().add(at), self.adjoint.as_mut_ptr().add(at));
            let value = simd.load(self.value.as_ptr().add(saved));
            let auxiliary = match self.auxiliary {
                [] => value,
                list => simd.load(list.as_ptr().add(saved)),
            };
            let order = self.streams.order() + 1;
            let d = self.activation.derivatives(simd, order, simd.load(z), value, auxiliary);
            simd.store(scratch.a.as_mut_ptr(), value);
            compose(simd, self.streams, &d, (z, block), (scratch.a.as_mut_ptr(), S::LANES));
            let (open, closed) = (self.open.as_ptr().add(at), self.closed.as_ptr().add(at));
            subtract(simd, self.streams, block, open, closed, &mut scratch.differences);
            unmix(simd, self.streams, block, adjoint, scratch);
            for s in 0..self.streams.count() {
                let (open, closed) = (
                    self.open_adjoint.as_mut_ptr().add(at + s * block),
                    self.closed_adjoint.as_mut_ptr().add(at + s * block),
                );
                let (bar, share) = (simd.load(adjoint.add(s * block)), scratch.difference_bars[s]);
                simd.store(open, simd.add(simd.load(open), share));
                simd.store(closed, simd.add(simd.load(closed), simd.sub(bar, share)));
                simd.store(adjoint.add(s * block), scratch.a_bars[s]);
            }
            // δ̄ is spent: its place serves once more.
            decompose(simd, self.streams, block, &d, z, adjoint, &mut scratch.difference_bars);
        }
    }
}

/// The adjoint of [`mix`]: from ō to ā and δ̄.
#[inline(always)]
unsafe fn unmix<S: Simd>(
    simd: S,
    streams: &Streams,
    block: usize,
    adjoint: *const f64,
    scratch: &mut Scratch<S::V>,
) {
    // SAFETY: streams lie `block` apart inside the caller's panel, and `a` holds LANES ≤ WIDEST numbers a
    // stream.
    unsafe {
        let Scratch { a, differences, a_bars, difference_bars } = scratch;
        let a = |s: usize| simd.load(a.as_ptr().add(s * S::LANES));
        let (mut a_bar, mut difference_bar) = (simd.splat(0.0), simd.splat(0.0));
        for (s, crosses) in streams.crosses().iter().enumerate() {
            let bar = simd.load(adjoint.add(s * block));
            a_bar = simd.mul_add(bar, differences[s], a_bar);
            difference_bar = simd.mul_add(bar, a(s), difference_bar);
            a_bars[s] = simd.mul(bar, differences[0]);
            difference_bars[s] = simd.mul(bar, a(0));
            for c in crosses {
                // Factors are streams before s: their own share is there already.
                let scaled = simd.mul(simd.splat(c.coefficient), bar);
                a_bars[c.left] = simd.mul_add(scaled, differences[c.right], a_bars[c.left]);
                difference_bars[c.right] = simd.mul_add(scaled, a(c.left), difference_bars[c.right]);
            }
        }
        (a_bars[0], difference_bars[0]) = (a_bar, difference_bar);
    }
}
