//! Jets of the shape of most equations, in registers: a value, M slopes and C curvatures L_s u.
//!
//! A curvature L_s = Σ_i c_si ∂_i² + … has the chain rule L_s σ(z) = σ′ L_s z + σ″ Σ_i c_si z_i², and the
//! product rule L_s(ab) = a L_s b + b L_s a + 2 Σ_i c_si a_i b_i. In reverse, with T_i = Σ_s c_si ā_s of an
//! adjoint ā, an activation takes ā to
//!
//! - z̄_i = σ′ā_i + 2σ″ z_i T_i,   z̄_s = σ′ā_s,
//! - z̄ = σ′ā + σ″(Σ_i z_i ā_i + Σ_s z_s ā_s) + σ‴ Σ_i z_i² T_i,
//!
//! and a product takes its adjoint ō to that of its factor a,
//!
//! - ā = Σ ō_k b_k over all streams k,   ā_i = b·ō_i + 2 T_i b_i,   ā_s = b·ō_s.
//!
//! M and C are known to the compiler, so that everything between loads and stores stays in registers. Plain
//! loops instead of closures, since a closure may be compiled out of line and then knows no vector
//! instruction. `pointwise_diagonal` and `gate_diagonal` are the kernels.
#![allow(unsafe_code)]

use super::streams::Diagonal;
use crate::simd::Simd;

/// Calls `$kernel::<S, M, C>` for the (M, C) of a job's streams, if it is one of the compiled shapes; whether
/// it was. The usual activation is a constant of its own copy of the loops; the others are chosen inside.
macro_rules! by_shape {
    ($kernel:ident, $simd:expr, $job:expr, $panels:expr) => {{
        let Some(diagonal) = $job.streams.diagonal() else { return false };
        match $job.activation {
            Activation::Tanh => by_shape!($kernel, diagonal, $simd, $job, Activation::Tanh, diagonal, $panels),
            other => by_shape!($kernel, diagonal, $simd, $job, other, diagonal, $panels),
        }
        true
    }};
    ($kernel:ident, $diagonal:ident, $($argument:expr),+) => {
        match ($diagonal.slopes, $diagonal.curvatures) {
            (0, 0) => $kernel::<S, 0, 0>($($argument),+),
            (1, 0) => $kernel::<S, 1, 0>($($argument),+),
            (2, 0) => $kernel::<S, 2, 0>($($argument),+),
            (3, 0) => $kernel::<S, 3, 0>($($argument),+),
            (1, 1) => $kernel::<S, 1, 1>($($argument),+),
            (2, 1) => $kernel::<S, 2, 1>($($argument),+),
            (3, 1) => $kernel::<S, 3, 1>($($argument),+),
            (2, 2) => $kernel::<S, 2, 2>($($argument),+),
            (3, 2) => $kernel::<S, 3, 2>($($argument),+),
            _ => return false,
        }
    };
}
pub(super) use by_shape;

/// The coefficients c as vectors.
#[inline(always)]
pub(super) fn coefficients<S: Simd, const M: usize, const C: usize>(
    simd: S,
    diagonal: &Diagonal,
) -> [[S::V; M]; C] {
    let mut coefficients = [[simd.splat(0.0); M]; C];
    for (s, coefficients) in coefficients.iter_mut().enumerate() {
        for (i, coefficient) in coefficients.iter_mut().enumerate() {
            *coefficient = simd.splat(diagonal.coefficients[s * M + i]);
        }
    }
    coefficients
}

/// A value, slopes and curvatures, each of a vector of points.
#[derive(Clone, Copy)]
pub(super) struct Jet<V, const M: usize, const C: usize> {
    pub(super) value: V,
    slopes: [V; M],
    curvatures: [V; C],
}

#[expect(clippy::needless_range_loop, reason = "i and s are the indices of the formulas")]
impl<V: Copy, const M: usize, const C: usize> Jet<V, M, C> {
    #[inline(always)]
    pub(super) unsafe fn load<S: Simd<V = V>>(simd: S, at: *const f64, block: usize) -> Self {
        // SAFETY: the caller's panel holds 1 + M + C blocks.
        unsafe {
            let mut jet =
                Self { value: simd.load(at), slopes: [simd.splat(0.0); M], curvatures: [simd.splat(0.0); C] };
            for i in 0..M {
                jet.slopes[i] = simd.load(at.add((1 + i) * block));
            }
            for s in 0..C {
                jet.curvatures[s] = simd.load(at.add((1 + M + s) * block));
            }
            jet
        }
    }

    #[inline(always)]
    pub(super) unsafe fn store<S: Simd<V = V>>(self, simd: S, at: *mut f64, block: usize) {
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
    pub(super) fn plus<S: Simd<V = V>>(mut self, simd: S, other: &Self) -> Self {
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
    pub(super) fn minus<S: Simd<V = V>>(mut self, simd: S, other: &Self) -> Self {
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
    pub(super) fn activated<S: Simd<V = V>>(
        mut self,
        simd: S,
        value: V,
        d: &[V; 6],
        c: &[[V; M]; C],
    ) -> Self {
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
    pub(super) fn plus_product<S: Simd<V = V>>(
        mut self,
        simd: S,
        a: &Self,
        b: &Self,
        c: &[[V; M]; C],
    ) -> Self {
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

    /// The adjoint of one factor of a product: `self` is the product's, `other` the other factor, and `forms`
    /// are Σ_s c_si ō_s.
    #[inline(always)]
    pub(super) fn of_factor<S: Simd<V = V>>(mut self, simd: S, other: &Self, forms: &[V; M]) -> Self {
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
    pub(super) fn forms<S: Simd<V = V>>(&self, simd: S, c: &[[V; M]; C]) -> [V; M] {
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
    pub(super) fn of_argument<S: Simd<V = V>>(
        mut self,
        simd: S,
        z: &Self,
        d: &[V; 6],
        c: &[[V; M]; C],
    ) -> Self {
        let (forms, twice) = (self.forms(simd, c), simd.add(d[2], d[2]));
        let (mut linear, mut cubic) = (simd.splat(0.0), simd.splat(0.0));
        for s in 0..C {
            linear = simd.mul_add(z.curvatures[s], self.curvatures[s], linear);
            self.curvatures[s] = simd.mul(d[1], self.curvatures[s]);
        }
        for i in 0..M {
            linear = simd.mul_add(z.slopes[i], self.slopes[i], linear);
            self.slopes[i] = simd.mul(d[1], self.slopes[i]);
            if C > 0 {
                let form = simd.mul(z.slopes[i], forms[i]);
                cubic = simd.mul_add(z.slopes[i], form, cubic);
                self.slopes[i] = simd.mul_add(twice, form, self.slopes[i]);
            }
        }
        self.value = simd.mul(d[1], self.value);
        if M + C > 0 {
            self.value = simd.mul_add(d[2], linear, self.value);
        }
        if C > 0 {
            self.value = simd.mul_add(d[3], cubic, self.value);
        }
        self
    }
}
