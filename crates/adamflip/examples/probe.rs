use adamflip::{derivative::Partial, jet::*};
use std::sync::Arc;
fn now() -> f64 { use std::time::*; SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() }
fn main() {
    let args: Vec<usize> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let (layers, n, panels, s2) = (args[0], args[1], args[2], args[3]);
    let k = if n == 64 { 3 } else { 2 };
    let mut p = Program::new(vec![(0.0, 1.0); k]);
    let mut r = 0;
    for _ in 0..layers {
        r = p.linear(r, n);
        r = p.pointwise(r, Activation::Tanh);
    }
    p.linear(r, 1);
    let d = |c: &[usize]| Partial::new(c).unwrap();
    let wanted = match (s2, k) {
        (0, _) => vec![],
        (_, 2) => vec![Operator::new([(d(&[1]), 1.0), (d(&[0, 0]), -0.1)])],
        _ => vec![Operator::new([(d(&[2]), 1.0), (d(&[0, 0]), -0.1), (d(&[1, 1]), -0.1)])],
    };
    let st = Streams::new(&wanted);
    let theta: Vec<f64> =
        (0..p.parameters()).map(|i| ((i * 7919 % 1000) as f64 / 1000.0 - 0.5) * 0.5).collect();
    let sw = Sweep::new(Arc::new(p), st, panels);
    let mut w = sw.workspace();
    let pts: Vec<f64> = (0..panels * PANEL * k).map(|i| (i * 31 % 97) as f64 / 97.0).collect();
    let mut g = vec![0.0; theta.len()];
    let reps = 2_000_000 / (panels * layers * n * n * sw.streams().count()) + 1;
    let (mut bf, mut br) = (f64::MAX, f64::MAX);
    for _ in 0..400 {
        let t = now();
        for _ in 0..reps {
            sw.forward(&theta, &pts, &mut w);
        }
        bf = bf.min((now() - t) / reps as f64);
        let t = now();
        for _ in 0..reps {
            sw.output_adjoints(&mut w, panels).fill(0.1);
            sw.reverse(&theta, &mut w, panels, &mut g);
        }
        br = br.min((now() - t) / reps as f64);
    }
    let fl = (sw.flops() * panels * PANEL) as f64;
    let mut pk = 0f64; for _ in 0..50 { let t = now(); let f = adamflip::bench::fma_burst(50_000); pk = pk.max(f as f64 / (now() - t) / 1e9); } print!("peak {:.1} ", pk);
    println!(
        "{layers}x{n} panels {panels} streams {} fwd {:.2}us rev {:.2}us  {:.1} GFLOP/s  ns/pt {:.1}",
        sw.streams().count(),
        bf * 1e6,
        br * 1e6,
        fl / (bf + br) / 1e9,
        (bf + br) * 1e9 / (panels * PANEL) as f64
    );
}
