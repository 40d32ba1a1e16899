//! A burst of fused multiply–adds: what the kernels are measured against. The caller holds the clock.

use std::hint::black_box;

use crate::simd::{Isa, Kernel, Simd};

/// Runs `rounds` rounds of independent multiply–adds in registers and returns the number of floating-point
/// operations: divided by the time it took, the peak of one core at the widest instruction set that the
/// kernels use.
pub fn fma_burst(rounds: usize) -> usize {
    let mut flops = 0;
    Isa::detect().run(Burst { rounds, flops: &mut flops });
    flops
}

/// The instruction set by which this processor computes: the last bits of results depend on it.
pub fn instructions() -> String {
    format!("{:?}", Isa::detect())
}

/// Independent chains: more than the four or five cycles of latency times two units of current cores, and few
/// enough for sixteen registers.
const CHAINS: usize = 12;

struct Burst<'a> {
    rounds: usize,
    flops: &'a mut usize,
}

impl Kernel for Burst<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (factor, summand) = (simd.splat(black_box(0.5)), simd.splat(black_box(1.0)));
        let mut chains = [simd.splat(black_box(0.0)); CHAINS];
        for _ in 0..self.rounds {
            for chain in &mut chains {
                *chain = simd.mul_add(*chain, factor, summand);
            }
        }
        for four in chains.chunks_exact(4) {
            black_box(simd.sums([four[0], four[1], four[2], four[3]]));
        }
        *self.flops = self.rounds * CHAINS * S::LANES * 2;
    }
}
