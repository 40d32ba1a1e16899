//! Gate kernels for the shape of most equations ([`super::diagonal`]): out = v + a·δ with a = σ(z) and δ = u
//! − v.
#![allow(unsafe_code)]

use super::diagonal::{Jet, by_shape, coefficients};
use super::gate::{Forward, Reverse};
use super::streams::Diagonal;
use super::{Activation, PANEL, block_stride};
use crate::simd::Simd;

/// The forward kernel, if the streams have a compiled shape.
#[inline(always)]
pub(super) fn forward<S: Simd>(simd: S, job: &mut Forward<'_>, panels: usize) -> bool {
    by_shape!(forward_shape, simd, job, panels)
}

/// The reverse kernel, if the streams have a compiled shape.
#[inline(always)]
pub(super) fn reverse<S: Simd>(simd: S, job: &mut Reverse<'_>, panels: usize) -> bool {
    by_shape!(reverse_shape, simd, job, panels)
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
                // All loads come before the stores: registers lie at equal places of their pages, where a
                // load would wait for an earlier store.
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
