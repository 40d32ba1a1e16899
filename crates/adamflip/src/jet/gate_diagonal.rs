//! Gate kernels for the shape of most equations (see [`super::diagonal`]): a value, M slopes and C curvatures.
//!
//! With δ = u − v the rules are, besides v's own streams,
//!
//! - out = a·δ,   out_i = a·δ_i + δ·a_i,   out_s = a·δ_s + δ·a_s + 2 Σ_i c_si a_i δ_i,
//!
//! and in reverse, with T_i = Σ_s c_si ō_s,
//!
//! - ā = Σ ō_k δ_k over all streams k,   ā_i = δ·ō_i + 2 T_i δ_i,   ā_s = δ·ō_s,
//! - δ̄ = Σ ō_k a_k over all streams k,   δ̄_i = a·ō_i + 2 T_i a_i,   δ̄_s = a·ō_s,
//!
//! after which ā goes to z̄ as for an activation alone. Everything between the loads and the stores stays in registers; plain
//! loops instead of closures, since a closure may be compiled out of line and then knows no vector instruction.
#![allow(unsafe_code)]

use super::diagonal::{by_shape, coefficients, streams};
use super::gate::{Forward, Reverse};
use super::streams::Diagonal;
use super::{Activation, PANEL, block_stride};
use crate::simd::Simd;

/// The forward kernel, if the streams have a compiled shape.
#[inline(always)]
pub(super) fn forward<S: Simd>(simd: S, job: &mut Forward<'_>, panels: usize) -> bool {
    let Some(diagonal) = job.streams.diagonal() else { return false };
    match job.activation {
        Activation::Tanh => by_shape!(diagonal, forward_shape, simd, job, Activation::Tanh, diagonal, panels),
        other => by_shape!(diagonal, forward_shape, simd, job, other, diagonal, panels),
    }
    true
}

/// The reverse kernel, if the streams have a compiled shape.
#[inline(always)]
pub(super) fn reverse<S: Simd>(simd: S, job: &mut Reverse<'_>, panels: usize) -> bool {
    let Some(diagonal) = job.streams.diagonal() else { return false };
    match job.activation {
        Activation::Tanh => by_shape!(diagonal, reverse_shape, simd, job, Activation::Tanh, diagonal, panels),
        other => by_shape!(diagonal, reverse_shape, simd, job, other, diagonal, panels),
    }
    true
}

/// A value, slopes and curvatures.
#[derive(Clone, Copy)]
struct Jet<V, const M: usize, const C: usize> {
    value: V,
    slopes: [V; M],
    curvatures: [V; C],
}

#[expect(clippy::needless_range_loop, reason = "i and s are the indices of the formulas")]
impl<V: Copy, const M: usize, const C: usize> Jet<V, M, C> {
    #[inline(always)]
    unsafe fn load<S: Simd<V = V>>(simd: S, at: *const f64, block: usize) -> Self {
        // SAFETY: the caller's panel holds 1 + M + C blocks.
        unsafe {
            let (slopes, curvatures) = streams::<S, M, C>(simd, at, block);
            Self { value: simd.load(at), slopes, curvatures }
        }
    }

    #[inline(always)]
    unsafe fn store<S: Simd<V = V>>(self, simd: S, at: *mut f64, block: usize) {
        // SAFETY: the caller's panel holds 1 + M + C blocks.
        unsafe {
            simd.store(at, self.value);
            for i in 0..M {
                simd.store(at.add((1 + i) * block), self.slopes[i]);
            }
            for s in 0..C {
                simd.store(at.add((1 + M + s) * block), self.curvatures[s]);
            }
        }
    }

    /// self + other, stream by stream.
    #[inline(always)]
    fn plus<S: Simd<V = V>>(mut self, simd: S, other: &Self) -> Self {
        self.value = simd.add(self.value, other.value);
        for i in 0..M {
            self.slopes[i] = simd.add(self.slopes[i], other.slopes[i]);
        }
        for s in 0..C {
            self.curvatures[s] = simd.add(self.curvatures[s], other.curvatures[s]);
        }
        self
    }

    /// self − other, stream by stream.
    #[inline(always)]
    fn minus<S: Simd<V = V>>(mut self, simd: S, other: &Self) -> Self {
        self.value = simd.sub(self.value, other.value);
        for i in 0..M {
            self.slopes[i] = simd.sub(self.slopes[i], other.slopes[i]);
        }
        for s in 0..C {
            self.curvatures[s] = simd.sub(self.curvatures[s], other.curvatures[s]);
        }
        self
    }

    /// Σ self_k·other_k over all streams.
    #[inline(always)]
    fn dot<S: Simd<V = V>>(&self, simd: S, other: &Self) -> V {
        let mut sum = simd.mul(self.value, other.value);
        for i in 0..M {
            sum = simd.mul_add(self.slopes[i], other.slopes[i], sum);
        }
        for s in 0..C {
            sum = simd.mul_add(self.curvatures[s], other.curvatures[s], sum);
        }
        sum
    }

    /// σ(z) from z (`self`), the value a and the derivatives of σ.
    #[inline(always)]
    fn activated<S: Simd<V = V>>(mut self, simd: S, value: V, d: &[V; 6], c: &[[V; M]; C]) -> Self {
        self.value = value;
        for s in 0..C {
            let mut form = simd.splat(0.0);
            for i in 0..M {
                form = simd.mul_add(c[s][i], simd.mul(self.slopes[i], self.slopes[i]), form);
            }
            self.curvatures[s] = simd.mul_add(d[1], self.curvatures[s], simd.mul(d[2], form));
        }
        for i in 0..M {
            self.slopes[i] = simd.mul(d[1], self.slopes[i]);
        }
        self
    }

    /// self + a·b.
    #[inline(always)]
    fn plus_product<S: Simd<V = V>>(mut self, simd: S, a: &Self, b: &Self, c: &[[V; M]; C]) -> Self {
        self.value = simd.mul_add(a.value, b.value, self.value);
        for i in 0..M {
            let sum = simd.mul_add(a.value, b.slopes[i], self.slopes[i]);
            self.slopes[i] = simd.mul_add(a.slopes[i], b.value, sum);
        }
        for s in 0..C {
            let mut form = simd.splat(0.0);
            for i in 0..M {
                form = simd.mul_add(c[s][i], simd.mul(a.slopes[i], b.slopes[i]), form);
            }
            let sum = simd.mul_add(a.value, b.curvatures[s], self.curvatures[s]);
            let sum = simd.mul_add(a.curvatures[s], b.value, sum);
            self.curvatures[s] = simd.add(sum, simd.add(form, form));
        }
        self
    }

    /// The adjoint of one factor of a product: `self` is the product's, `other` the other factor, and `forms` are
    /// Σ_s c_si ō_s.
    #[inline(always)]
    fn of_factor<S: Simd<V = V>>(mut self, simd: S, other: &Self, forms: &[V; M]) -> Self {
        self.value = self.dot(simd, other);
        for i in 0..M {
            let twice = simd.add(forms[i], forms[i]);
            self.slopes[i] = simd.mul_add(self.slopes[i], other.value, simd.mul(twice, other.slopes[i]));
        }
        for s in 0..C {
            self.curvatures[s] = simd.mul(self.curvatures[s], other.value);
        }
        self
    }

    /// Σ_s c_si·self_s for every slope i.
    #[inline(always)]
    fn forms<S: Simd<V = V>>(&self, simd: S, c: &[[V; M]; C]) -> [V; M] {
        let mut forms = [simd.splat(0.0); M];
        for s in 0..C {
            for i in 0..M {
                forms[i] = simd.mul_add(c[s][i], self.curvatures[s], forms[i]);
            }
        }
        forms
    }

    /// z̄ from ā (`self`).
    #[inline(always)]
    fn of_argument<S: Simd<V = V>>(mut self, simd: S, z: &Self, d: &[V; 6], c: &[[V; M]; C]) -> Self {
        let (forms, twice) = (self.forms(simd, c), simd.add(d[2], d[2]));
        let (mut linear, mut cubic) = (simd.splat(0.0), simd.splat(0.0));
        for i in 0..M {
            linear = simd.mul_add(z.slopes[i], self.slopes[i], linear);
            let form = simd.mul(z.slopes[i], forms[i]);
            cubic = simd.mul_add(z.slopes[i], form, cubic);
            self.slopes[i] = simd.mul_add(twice, form, simd.mul(d[1], self.slopes[i]));
        }
        for s in 0..C {
            linear = simd.mul_add(z.curvatures[s], self.curvatures[s], linear);
            self.curvatures[s] = simd.mul(d[1], self.curvatures[s]);
        }
        self.value = simd.mul_add(d[2], linear, simd.mul(d[1], self.value));
        if C > 0 {
            self.value = simd.mul_add(d[3], cubic, self.value);
        }
        self
    }
}

#[inline(always)]
fn forward_shape<S: Simd, const M: usize, const C: usize>(
    simd: S,
    job: &mut Forward<'_>,
    activation: Activation,
    diagonal: &Diagonal,
    panels: usize,
) {
    let (row, block) = (job.units * PANEL, block_stride(job.units));
    let c = coefficients::<S, M, C>(simd, diagonal);
    let order = usize::from(M > 0) + usize::from(C > 0);
    for panel in 0..panels {
        for i in (0..row).step_by(S::LANES) {
            let (at, saved) = (panel * (1 + M + C) * block + i, panel * row + i);
            // SAFETY: i + LANES ≤ row, and the assertions of `Forward::run` bound panels and streams.
            unsafe {
                let z = Jet::<_, M, C>::load(simd, job.z.as_ptr().add(at), block);
                let (value, auxiliary) = activation.value(simd, z.value);
                simd.store(job.value.as_mut_ptr().add(saved), value);
                if !job.auxiliary.is_empty() {
                    simd.store(job.auxiliary.as_mut_ptr().add(saved), auxiliary);
                }
                let d = activation.derivatives(simd, order, z.value, value, auxiliary);
                let a = z.activated(simd, value, &d, &c);
                let closed = Jet::load(simd, job.closed.as_ptr().add(at), block);
                let difference = Jet::load(simd, job.open.as_ptr().add(at), block).minus(simd, &closed);
                let out = closed.plus_product(simd, &a, &difference, &c);
                out.store(simd, job.out.as_mut_ptr().add(at), block);
            }
        }
    }
}

#[inline(always)]
fn reverse_shape<S: Simd, const M: usize, const C: usize>(
    simd: S,
    job: &mut Reverse<'_>,
    activation: Activation,
    diagonal: &Diagonal,
    panels: usize,
) {
    let (row, block) = (job.units * PANEL, block_stride(job.units));
    let c = coefficients::<S, M, C>(simd, diagonal);
    let order = 1 + usize::from(M > 0) + usize::from(C > 0);
    for panel in 0..panels {
        for i in (0..row).step_by(S::LANES) {
            let (at, saved) = (panel * (1 + M + C) * block + i, panel * row + i);
            // SAFETY: i + LANES ≤ row, and the assertions of `Reverse::run` bound panels and streams.
            unsafe {
                let z = Jet::<_, M, C>::load(simd, job.z.as_ptr().add(at), block);
                let value = simd.load(job.value.as_ptr().add(saved));
                let auxiliary = match job.auxiliary {
                    [] => value,
                    list => simd.load(list.as_ptr().add(saved)),
                };
                let d = activation.derivatives(simd, order, z.value, value, auxiliary);
                let a = z.activated(simd, value, &d, &c);
                let bar = Jet::load(simd, job.adjoint.as_ptr().add(at), block);
                let closed = Jet::load(simd, job.closed.as_ptr().add(at), block);
                let difference = Jet::load(simd, job.open.as_ptr().add(at), block).minus(simd, &closed);
                let forms = bar.forms(simd, &c);
                let z_bar = bar.of_factor(simd, &difference, &forms).of_argument(simd, &z, &d, &c);
                let share = bar.of_factor(simd, &a, &forms);
                // All loads come before the stores: registers lie at equal places of their pages, where a load
                // would wait for an earlier store.
                let at_open = job.open_adjoint.as_mut_ptr().add(at);
                let at_closed = job.closed_adjoint.as_mut_ptr().add(at);
                let open_bar = Jet::load(simd, at_open, block).plus(simd, &share);
                let closed_bar = Jet::load(simd, at_closed, block).plus(simd, &bar.minus(simd, &share));
                open_bar.store(simd, at_open, block);
                closed_bar.store(simd, at_closed, block);
                z_bar.store(simd, job.adjoint.as_mut_ptr().add(at), block);
            }
        }
    }
}
