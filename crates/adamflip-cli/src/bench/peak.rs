//! The peak of this machine: fused multiply-adds in registers, on all threads of the pool at once.

use std::time::{Duration, Instant};

use adamflip::bench::fma_burst;

/// The time of a burst and how many are tried: long against the start of threads, short against disturbances.
const BURST: Duration = Duration::from_millis(10);
const BURSTS: usize = 20;

/// GFLOP/s of all threads of the current pool together, the best of several bursts.
pub(super) fn gflops() -> f64 {
    let rounds = rounds();
    let burst = || {
        let start = Instant::now();
        let flops: usize = rayon::broadcast(|_| fma_burst(rounds)).iter().sum();
        flops as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    (0..BURSTS).map(|_| burst()).fold(0.0, f64::max)
}

/// The rounds that take as long as a burst should.
fn rounds() -> usize {
    let mut rounds = 1 << 10;
    loop {
        let start = Instant::now();
        fma_burst(rounds);
        if start.elapsed() >= BURST || rounds >= 1 << 40 {
            return rounds;
        }
        rounds *= 2;
    }
}
