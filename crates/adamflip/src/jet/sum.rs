//! Sums of registers, and of the shares that make an adjoint. Plain loops, compiled for every instruction
//! set: memory is their limit.

use super::{PANEL, block_stride};
use crate::simd::{Kernel, Simd};

/// out = left + right.
pub(crate) struct Sum<'a> {
    pub(crate) left: &'a [f64],
    pub(crate) right: &'a [f64],
    pub(crate) out: &'a mut [f64],
}

impl Kernel for Sum<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        for ((out, left), right) in self.out.iter_mut().zip(self.left).zip(self.right) {
            *out = left + right;
        }
    }
}

/// Writes the first share of an adjoint, adds every further one.
pub(crate) struct Share<'a> {
    pub(crate) from: &'a [f64],
    pub(crate) into: &'a mut [f64],
    pub(crate) first: bool,
}

impl Kernel for Share<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        if self.first {
            self.into.copy_from_slice(self.from);
        } else {
            self.into.iter_mut().zip(self.from).for_each(|(into, from)| *into += from);
        }
    }
}

/// Units of one register, from the `skip`-th on, as units of another, `offset` further on: the parts of a
/// concatenation.
#[derive(Clone, Copy)]
pub(crate) struct ConcatPart {
    pub(crate) units: usize,
    pub(crate) skip: usize,
    pub(crate) offset: usize,
    /// The widths of the registers.
    pub(crate) from_width: usize,
    pub(crate) into_width: usize,
}

impl ConcatPart {
    /// The way back: from the concatenation to its part.
    pub(crate) fn back(self) -> Self {
        let Self { units, skip, offset, from_width, into_width } = self;
        Self { units, skip: offset, offset: skip, from_width: into_width, into_width: from_width }
    }

    /// Copies the units of all blocks, or adds them to what is there.
    pub(crate) fn copy(self, from: &[f64], into: &mut [f64], add: bool) {
        let from = from.chunks_exact(block_stride(self.from_width));
        let into = into.chunks_exact_mut(block_stride(self.into_width));
        for (from, into) in from.zip(into) {
            let from = &from[self.skip * PANEL..][..self.units * PANEL];
            let into = &mut into[self.offset * PANEL..][..self.units * PANEL];
            if add {
                into.iter_mut().zip(from).for_each(|(into, from)| *into += from);
            } else {
                into.copy_from_slice(from);
            }
        }
    }
}
