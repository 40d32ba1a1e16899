//! Pointwise kernels for the shape of most equations ([`super::diagonal`]).
#![allow(unsafe_code)]

use super::diagonal::{Jet, by_shape, coefficients};
use super::pointwise::{Forward, Reverse};
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
    let size = (1 + M + C) * block;
    assert!(job.z.len() >= panels * size && job.a.len() >= panels * size);
    assert!(job.auxiliary.is_empty() || job.auxiliary.len() >= panels * row);
    let c = coefficients::<S, M, C>(simd, diagonal);
    let order = usize::from(M > 0) + usize::from(C > 0);
    for panel in 0..panels {
        for i in (0..row).step_by(S::LANES) {
            let (at, saved) = (panel * size + i, panel * row + i);
            // SAFETY: i + LANES ≤ row, and the assertions above bound panels and streams.
            unsafe {
                let z = Jet::<_, M, C>::load(simd, job.z.as_ptr().add(at), block);
                let (value, auxiliary) = activation.value(simd, z.value);
                if !job.auxiliary.is_empty() {
                    simd.store(job.auxiliary.as_mut_ptr().add(saved), auxiliary);
                }
                let d = activation.derivatives(simd, order, z.value, value, auxiliary);
                z.activated(simd, value, &d, &c).store(simd, job.a.as_mut_ptr().add(at), block);
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
    let size = (1 + M + C) * block;
    let length = panels * size;
    assert!(job.z.len() >= length && job.a.len() >= length && job.adjoint.len() >= length);
    assert!(job.auxiliary.is_empty() || job.auxiliary.len() >= panels * row);
    let c = coefficients::<S, M, C>(simd, diagonal);
    let order = 1 + usize::from(M > 0) + usize::from(C > 0);
    for panel in 0..panels {
        for i in (0..row).step_by(S::LANES) {
            let (at, saved) = (panel * size + i, panel * row + i);
            // SAFETY: i + LANES ≤ row, and the assertions above bound panels and streams.
            unsafe {
                let z = Jet::<_, M, C>::load(simd, job.z.as_ptr().add(at), block);
                let value = simd.load(job.a.as_ptr().add(at));
                let auxiliary = match job.auxiliary {
                    [] => value,
                    list => simd.load(list.as_ptr().add(saved)),
                };
                let d = activation.derivatives(simd, order, z.value, value, auxiliary);
                let adjoint = job.adjoint.as_mut_ptr().add(at);
                Jet::load(simd, adjoint, block).of_argument(simd, &z, &d, &c).store(simd, adjoint, block);
            }
        }
    }
}
