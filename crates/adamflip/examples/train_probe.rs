use adamflip::{train::*, *};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let set = args[3..].to_vec();
    let parsed = spec::load(std::path::Path::new(&args[1]), &spec::Overrides { profile: None, set }).unwrap();
    let problem = problem::build(parsed).unwrap_or_else(|r| {
        eprint!("{}", diagnostic::render(&r.sources, &r.diagnostics, false));
        std::process::exit(2)
    });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args[2].parse().unwrap()).build().unwrap();
    pool.install(|| {
        let stages = problem.stages.clone();
        let seed = problem.train.seed;
        let mut t = Trainer::new(problem, seed, stages).unwrap();
        let t0 = std::time::Instant::now();
        let mut best = f64::MAX;
        let mut last = std::time::Instant::now();
        let mut k = 0;
        let status = t.run(&mut |p| {
            k += 1;
            if k % 50 == 0 {
                best = best.min(last.elapsed().as_secs_f64() / 50.0);
                last = std::time::Instant::now();
            }
            if p.step % 1000 == 0 {
                eprintln!(
                    "{} {} f {:.3e} h {:.3e} {:?}",
                    p.step, p.method, p.report.objective, p.report.violation, p.multipliers
                )
            };
            Signal::Continue
        });
        let el = t0.elapsed().as_secs_f64();
        let fl = t.objective().flops() as f64;
        println!(
            "{status:?} steps {} {:.2}s {:.4} ms/step best {:.4} ms  {:.1} GFLOP/s",
            t.step(),
            el,
            el * 1e3 / t.step() as f64,
            best * 1e3,
            fl / best / 1e9
        );
        for m in t.misfits() {
            println!("  mse {:.3e} max {:.3e}", m.mse, m.max);
        }
        for e in evaluate::errors(t.problem(), t.objective().program(), t.θ()).unwrap() {
            println!("  field {} rel l2 {:.4e}", e.field, e.relative_l2);
        }
    });
}
