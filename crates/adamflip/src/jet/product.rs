//! Leibniz' rule for the product of two jets; plain loops, compiled for every instruction set. Gates, where products would
//! matter, have kernels of their own in [`super::gate`].

use super::block_stride;
use super::streams::Streams;
use crate::simd::{Kernel, Simd};

/// Every summand of Leibniz' rule: (stream of the product, coefficient, stream of the left, stream of the right).
fn summands(streams: &Streams) -> impl Iterator<Item = (usize, f64, usize, usize)> + '_ {
    streams.crosses().iter().enumerate().flat_map(|(s, crosses)| {
        let whole = [Some((s, 1.0, 0, s)), (s > 0).then_some((s, 1.0, s, 0))];
        let cross = crosses.iter().map(move |c| (s, c.coefficient, c.left, c.right));
        whole.into_iter().flatten().chain(cross)
    })
}

/// out += coefficient·x·y, element by element.
#[inline(always)]
fn add_product(out: &mut [f64], coefficient: f64, x: &[f64], y: &[f64]) {
    for ((out, x), y) in out.iter_mut().zip(x).zip(y) {
        *out += coefficient * x * y;
    }
}

/// out = left·right.
pub(crate) struct Forward<'a> {
    pub(crate) streams: &'a Streams,
    pub(crate) units: usize,
    pub(crate) left: &'a [f64],
    pub(crate) right: &'a [f64],
    pub(crate) out: &'a mut [f64],
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let block = block_stride(self.units);
        let size = self.streams.count() * block;
        self.out.fill(0.0);
        let factors = self.left.chunks_exact(size).zip(self.right.chunks_exact(size));
        for ((left, right), out) in factors.zip(self.out.chunks_exact_mut(size)) {
            for (s, coefficient, l, r) in summands(self.streams) {
                let (left, right) = (&left[l * block..][..block], &right[r * block..][..block]);
                add_product(&mut out[s * block..][..block], coefficient, left, right);
            }
        }
    }
}

/// Adds the share of the product's adjoint to the adjoint of one factor.
pub(crate) struct Reverse<'a> {
    pub(crate) streams: &'a Streams,
    pub(crate) units: usize,
    /// The other factor.
    pub(crate) other: &'a [f64],
    /// Does the left factor receive?
    pub(crate) of_left: bool,
    pub(crate) out_adjoint: &'a [f64],
    pub(crate) adjoint: &'a mut [f64],
}

impl Kernel for Reverse<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let block = block_stride(self.units);
        let size = self.streams.count() * block;
        let from = self.other.chunks_exact(size).zip(self.out_adjoint.chunks_exact(size));
        for ((other, out), adjoint) in from.zip(self.adjoint.chunks_exact_mut(size)) {
            for (s, coefficient, l, r) in summands(self.streams) {
                let (own, others) = if self.of_left { (l, r) } else { (r, l) };
                let (other, out) = (&other[others * block..][..block], &out[s * block..][..block]);
                add_product(&mut adjoint[own * block..][..block], coefficient, other, out);
            }
        }
    }
}
