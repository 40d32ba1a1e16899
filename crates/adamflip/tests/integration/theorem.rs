//! The paper's theorem by experiment: with η_t = η/(√t log t), `adamflip_metric` makes the least ‖r_t‖² +
//! ‖h_t‖₁ of the first T steps fall like log T/√T or faster, on smooth problems with constraints of full
//! rank.

use adamflip::optim::{
    AdamFlipMetricSettings, ConstrainedProblem, Decay, Evaluation, Method, Rate, StepReport, Want,
};
use adamflip::report::figure::{Chart, Curve, curves};

const STEPS: usize = 100_000;

/// Minimises ½ Σ s_i (x_i − 1)² (and ¼ Σ x_i⁴ where it is curved) on a sphere cut by a plane: two constraints
/// in four dimensions, independent wherever the sphere is not tangent to the plane.
struct Cut {
    quartic: f64,
}

const STIFFNESS: [f64; 4] = [1.0, 3.0, 10.0, 30.0];

impl ConstrainedProblem for Cut {
    fn parameters(&self) -> usize {
        4
    }

    fn constraints(&self) -> usize {
        2
    }

    fn evaluate(&mut self, x: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let part = |(x, s): (&f64, &f64)| 0.5 * s * (x - 1.0).powi(2) + 0.25 * self.quartic * x.powi(4);
        out.objective = x.iter().zip(&STIFFNESS).map(part).sum();
        out.constraints[0] = x.iter().map(|x| x * x).sum::<f64>() - 2.0;
        out.constraints[1] = x[0] + x[1] - x[2] - 0.5;
        if want == Want::Values {
            return;
        }
        let slope = |(x, s): (&f64, &f64)| s * (x - 1.0) + self.quartic * x.powi(3);
        let rows = [[2.0 * x[0], 2.0 * x[1], 2.0 * x[2], 2.0 * x[3]], [1.0, 1.0, -1.0, 0.0]];
        for (i, gradient) in out.gradient.iter_mut().enumerate() {
            *gradient = slope((&x[i], &STIFFNESS[i]));
            if let Want::Combination(weights) = want {
                *gradient += weights[0] * rows[0][i] + weights[1] * rows[1][i];
            }
        }
        if !matches!(want, Want::Combination(_)) {
            out.jacobian.rows_mut().copy_from_slice(rows.as_flattened());
        }
    }
}

/// (T, the least ‖r_t‖² + ‖h_t‖₁ for t ≤ T) at twenty T a decade.
fn best_so_far(mut problem: Cut) -> Vec<(f64, f64)> {
    let mut settings = AdamFlipMetricSettings::default();
    settings.adam.rate = Rate { start: 0.5, decay: Decay::Theorem };
    settings.adam.delta = 1.0;
    let mut optimizer = Method::AdamFlipMetric(settings).optimizer(&problem, STEPS);
    let mut x = [2.0, -1.0, 0.5, 1.5];
    let (mut best, mut next, mut points) = (f64::INFINITY, 10.0f64, Vec::new());
    for step in 1..=STEPS {
        let StepReport { kkt, violation, .. } = optimizer.step(&mut problem, &mut x);
        best = best.min(kkt * kkt + violation);
        if step as f64 >= next {
            points.push((step as f64, best));
            next *= 10f64.powf(0.05);
        }
    }
    points
}

/// The slope of a straight line through the logarithms, by least squares.
fn slope(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let logs = points.map(|(x, y)| (x.ln(), y.ln()));
    let count = logs.clone().count() as f64;
    let (sx, sy) = logs.clone().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x, sum.1 + y));
    let (mx, my) = (sx / count, sy / count);
    let products = logs.map(|(x, y)| ((x - mx) * (y - my), (x - mx) * (x - mx)));
    let (xy, xx) = products.fold((0.0, 0.0), |sum, (xy, xx)| (sum.0 + xy, sum.1 + xx));
    xy / xx
}

fn bound(steps: f64) -> f64 {
    steps.ln() / steps.sqrt()
}

#[test]
fn the_residual_falls_at_least_as_fast_as_the_theorem_says() {
    for quartic in [0.0, 1.0] {
        let points = best_so_far(Cut { quartic });
        let late = points.iter().copied().filter(|&(steps, _)| steps >= 100.0);
        let found = slope(late.clone());
        let promised = slope(late.map(|(steps, _)| (steps, bound(steps))));
        assert!(found <= promised, "quartic {quartic}: slope {found}, promised {promised}");
    }
}

/// `cargo test -p adamflip --release --test integration -- --ignored --nocapture theorem` writes the figure
/// and prints the slopes.
#[test]
#[ignore = "writes a figure below results/"]
fn figure_of_the_theorem() {
    let mut lines = Vec::new();
    for (name, quartic) in [("quadratic", 0.0), ("quartic", 1.0)] {
        let points = best_so_far(Cut { quartic });
        let late = points.iter().copied().filter(|&(steps, _)| steps >= 100.0);
        println!("{name}: slope {:.3} over T from 1e2 to 1e5", slope(late.clone()));
        println!("log T/√T: slope {:.3}", slope(late.map(|(steps, _)| (steps, bound(steps)))));
        let points = points.iter().map(|&(steps, best)| (steps.log10(), best)).collect();
        lines.push(Curve { name: name.to_owned(), points });
    }
    let promised = (20..=100).map(|i| 0.05 * i as f64).map(|log| (log, bound(10f64.powf(log)))).collect();
    lines.push(Curve { name: "log T/√T".to_owned(), points: promised });
    let chart = Chart {
        title: "Algorithm 2 with the theorem's rate".to_owned(),
        x_label: "log₁₀ T".to_owned(),
        y_label: "least ‖r‖² + ‖h‖₁ of T steps".to_owned(),
    };
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/theorem.svg");
    std::fs::write(path, curves(&chart, &lines)).unwrap();
}
