//! peak
fn main() {
    let mut best = 0.0f64;
    for _ in 0..20 {
        let t = std::time::Instant::now();
        let f = adamflip::bench::fma_burst(2_000_000);
        best = best.max(f as f64 / t.elapsed().as_secs_f64() / 1e9);
    }
    println!("{best:.1} GFLOP/s");
}
