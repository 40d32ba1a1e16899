//! Kernels stay within what they are given: every method takes steps on networks of odd sizes with a fence
//! directly before, then directly after, every list, with plain arrays and with the widest vectors of this
//! processor. An access outside ends the process; the bits must be those without fences.

use crate::optim::Method;
use crate::simd::portably;
use crate::train::{Signal, Trainer};
use crate::{problem, spec};

/// Second and mixed derivatives, an unknown number, and a constraint at every point.
const PLANE: &str = r#"
fields = ["u"]
[domain]
x = [0, 1]
t = [0, 1]
[unknowns]
k = { start = 0.5, truth = 1.0 }
[term.pde]
equation = "u_t + u*u_x + 0.01*u_xxt = k*u_xx"
points = 37
[term.ends]
on = ["x = 0", "x = 1"]
equation = "u = 0"
points = 7
pointwise = true
[term.start]
on = "t = 0"
equation = "u = sin(pi*x)"
points = 13
[network]
"#;

/// Two fields of three coordinates, and a fourth derivative.
const SPACE: &str = r#"
fields = ["u", "v"]
[domain]
x = [0, 1]
y = [0, 1]
z = [0, 1]
[term.balance]
equation = ["laplacian(u) = v", "v_xxxx = u_y"]
points = 19
[term.walls]
on = "boundary"
equation = "u + v_n = 1"
points = 11
[network]
"#;

/// Widths on all sides of the vectors' and panels' sizes.
const NETWORKS: [&str; 8] = [
    "hidden = [1]",
    "hidden = [7, 5]",
    "hidden = [17, 3, 9]",
    "hidden = [33]",
    "hidden = [5, 5]\narchitecture = \"gated\"",
    "hidden = [6, 6, 6]\narchitecture = \"residual\"\nactivation = \"swish\"",
    "hidden = [9]\nfourier = { features = 6, scale = 1.0 }\nactivation = \"sin\"",
    "hidden = [4]\nseparate = true\nfactorized = true\nactivation = \"gelu\"",
];

/// The parameters after a few steps.
fn trained(text: &str, method: &str) -> Vec<u64> {
    let stages = format!("\n[train]\nresample = 2\nstages = [{{ method = \"{method}\", steps = 3 }}]\n");
    let parsed = spec::parse("bounds.toml", &format!("{text}{stages}"), &spec::Overrides::default());
    let problem = problem::build(parsed).unwrap_or_else(|error| panic!("{method}, {text}: {error}"));
    let stages = problem.stages.clone();
    let mut trainer = Trainer::new(problem, 0, stages).unwrap();
    trainer.run(&mut |_| Signal::Continue);
    trainer.θ().iter().map(|number| number.to_bits()).collect()
}

#[test]
fn steps_on_odd_sizes_compute_numbers() {
    for (number, network) in NETWORKS.iter().enumerate() {
        let method = Method::NAMES[number % Method::NAMES.len()];
        for text in [PLANE, SPACE] {
            let θ = trained(&format!("{text}{network}"), method);
            assert!(θ.iter().all(|&bits| f64::from_bits(bits).is_finite()), "{method}, {network}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn kernels_stay_within_their_lists() {
    use super::fence::{Side, fenced};

    // All work on this thread, whose lists are fenced.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
    let both = |work: &dyn Fn() -> Vec<u64>| [work(), portably(work)];
    pool.install(|| {
        for (number, method) in Method::NAMES.into_iter().enumerate() {
            // Every method on two networks, every network by two methods or more.
            for network in [NETWORKS[number % NETWORKS.len()], NETWORKS[(3 * number + 4) % NETWORKS.len()]] {
                for text in [PLANE, SPACE] {
                    let text = format!("{text}{network}");
                    let free = both(&|| trained(&text, method));
                    for side in [Side::Before, Side::After] {
                        let (kept, all) = fenced(side, || both(&|| trained(&text, method)));
                        assert!(all, "not every list had a fence");
                        assert!(kept == free, "{method}, {side:?}: other bits with fences\n{text}");
                    }
                }
            }
        }
    });
}
