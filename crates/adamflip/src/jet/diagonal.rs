//! Pointwise kernels for the shape of most equations: a value, M slopes and C curvatures
//! L_s u whose chain rule is L_s σ(z) = σ′ L_s z + σ″ Σ_i c_si z_i².
//!
//! With M and C known to the compiler all streams of a vector of points stay in registers. In reverse, with
//! T_i = Σ_s c_si ā_s:
//!
//! - z̄_i = σ′ā_i + 2σ″ z_i T_i,   z̄_s = σ′ā_s,
//! - z̄ = σ′ā + σ″(Σ_i z_i ā_i + Σ_s z_s ā_s) + σ‴ Σ_i z_i² T_i.
#![allow(unsafe_code)]

use super::pointwise::{Forward, Reverse};
use super::streams::Diagonal;
use super::{Activation, PANEL, block_stride};
use crate::simd::Simd;

/// Calls `$function::<S, M, C>` for the (M, C) of the streams, if it is one of the compiled shapes.
macro_rules! by_shape {
    ($diagonal:expr, $function:ident, $($argument:expr),+) => {
        match ($diagonal.slopes, $diagonal.curvatures) {
            (0, 0) => $function::<S, 0, 0>($($argument),+),
            (1, 0) => $function::<S, 1, 0>($($argument),+),
            (2, 0) => $function::<S, 2, 0>($($argument),+),
            (3, 0) => $function::<S, 3, 0>($($argument),+),
            (1, 1) => $function::<S, 1, 1>($($argument),+),
            (2, 1) => $function::<S, 2, 1>($($argument),+),
            (3, 1) => $function::<S, 3, 1>($($argument),+),
            (2, 2) => $function::<S, 2, 2>($($argument),+),
            (3, 2) => $function::<S, 3, 2>($($argument),+),
            _ => return false,
        }
    };
}
pub(super) use by_shape;

/// The forward kernel, if the streams have a compiled shape.
#[inline(always)]
pub(super) fn forward<S: Simd>(simd: S, job: &mut Forward<'_>, panels: usize) -> bool {
    let Some(diagonal) = job.streams.diagonal() else { return false };
    // The usual activation is a constant of its own copy of the loops; the others are chosen inside.
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

/// The coefficients c as vectors.
#[inline(always)]
pub(super) fn coefficients<S: Simd, const M: usize, const C: usize>(
    simd: S,
    diagonal: &Diagonal,
) -> [[S::V; M]; C] {
    std::array::from_fn(|s| std::array::from_fn(|i| simd.splat(diagonal.coefficients[s * M + i])))
}

/// The streams of one vector of points: slopes, then curvatures.
#[inline(always)]
pub(super) unsafe fn streams<S: Simd, const M: usize, const C: usize>(
    simd: S,
    at: *const f64,
    block: usize,
) -> ([S::V; M], [S::V; C]) {
    // SAFETY: the caller's panel holds 1 + M + C blocks.
    unsafe {
        (
            std::array::from_fn(|i| simd.load(at.add((1 + i) * block))),
            std::array::from_fn(|s| simd.load(at.add((1 + M + s) * block))),
        )
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
    let size = (1 + M + C) * block;
    assert!(job.z.len() >= panels * size && job.a.len() >= panels * size);
    assert!(job.auxiliary.is_empty() || job.auxiliary.len() >= panels * row);
    let c = coefficients::<S, M, C>(simd, diagonal);
    let order = usize::from(M > 0) + usize::from(C > 0);
    for panel in 0..panels {
        for i in (0..row).step_by(S::LANES) {
            // SAFETY: i + LANES ≤ row, and the assertions above bound panels and streams.
            unsafe {
                let z = job.z.as_ptr().add(panel * size + i);
                let a = job.a.as_mut_ptr().add(panel * size + i);
                let argument = simd.load(z);
                let (value, auxiliary) = activation.value(simd, argument);
                simd.store(a, value);
                if !job.auxiliary.is_empty() {
                    simd.store(job.auxiliary.as_mut_ptr().add(panel * row + i), auxiliary);
                }
                if M + C == 0 {
                    continue;
                }
                let d = activation.derivatives(simd, order, argument, value, auxiliary);
                let (slopes, curvatures) = streams::<S, M, C>(simd, z, block);
                for (i, &slope) in slopes.iter().enumerate() {
                    simd.store(a.add((1 + i) * block), simd.mul(d[1], slope));
                }
                let squares: [S::V; M] = std::array::from_fn(|i| simd.mul(slopes[i], slopes[i]));
                for s in 0..C {
                    let mut form = simd.splat(0.0);
                    for i in 0..M {
                        form = simd.mul_add(c[s][i], squares[i], form);
                    }
                    let sum = simd.mul_add(d[1], curvatures[s], simd.mul(d[2], form));
                    simd.store(a.add((1 + M + s) * block), sum);
                }
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
            // SAFETY: i + LANES ≤ row, and the assertions above bound panels and streams.
            unsafe {
                let z = job.z.as_ptr().add(panel * size + i);
                let adjoint = job.adjoint.as_mut_ptr().add(panel * size + i);
                let value = simd.load(job.a.as_ptr().add(panel * size + i));
                let auxiliary = match job.auxiliary {
                    [] => value,
                    saved => simd.load(saved.as_ptr().add(panel * row + i)),
                };
                let d = activation.derivatives(simd, order, simd.load(z), value, auxiliary);
                let mut bar = simd.mul(d[1], simd.load(adjoint));
                if M + C > 0 {
                    let (slopes, curvatures) = streams::<S, M, C>(simd, z, block);
                    let (slope_bars, curvature_bars) = streams::<S, M, C>(simd, adjoint, block);
                    let mut linear = simd.splat(0.0);
                    let mut cubic = simd.splat(0.0);
                    for s in 0..C {
                        linear = simd.mul_add(curvatures[s], curvature_bars[s], linear);
                        simd.store(adjoint.add((1 + M + s) * block), simd.mul(d[1], curvature_bars[s]));
                    }
                    for i in 0..M {
                        linear = simd.mul_add(slopes[i], slope_bars[i], linear);
                        let mut out = simd.mul(d[1], slope_bars[i]);
                        if C > 0 {
                            let mut t = simd.splat(0.0);
                            for s in 0..C {
                                t = simd.mul_add(c[s][i], curvature_bars[s], t);
                            }
                            let t = simd.mul(t, slopes[i]);
                            out = simd.mul_add(simd.add(d[2], d[2]), t, out);
                            cubic = simd.mul_add(slopes[i], t, cubic);
                        }
                        simd.store(adjoint.add((1 + i) * block), out);
                    }
                    bar = simd.mul_add(d[2], linear, bar);
                    if C > 0 {
                        bar = simd.mul_add(d[3], cubic, bar);
                    }
                }
                simd.store(adjoint, bar);
            }
        }
    }
}
