//! How many values `fl_zeroth` takes by the number of parameters and of directions: the table of
//! `results/2026-11-18-zeroth.md`.

use std::io::Write;

use super::problems::kkt_residual;
use super::*;

/// ½Σ aᵢ(θᵢ − 1)² with curvatures from 1 to 4, on the meeting of a plane and a sphere that both have slopes
/// of order one.
struct Ring {
    parameters: usize,
}

impl ConstrainedProblem for Ring {
    fn parameters(&self) -> usize {
        self.parameters
    }

    fn constraints(&self) -> usize {
        2
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let size = self.parameters as f64;
        let curvature = |i: usize| 1.0 + 3.0 * i as f64 / size;
        let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        out.objective =
            θ.iter().enumerate().map(|(i, θ)| 0.5 * curvature(i) * (θ - 1.0).powi(2)).sum::<f64>() / size;
        let plane: f64 = θ.iter().enumerate().map(|(i, θ)| sign(i) * θ).sum();
        let sphere: f64 = θ.iter().map(|θ| θ * θ).sum();
        out.constraints.copy_from_slice(&[plane / size - 0.3, 0.5 * sphere / size - 0.4]);
        if want == Want::Values {
            return;
        }
        assert!(!matches!(want, Want::Combination(_)), "no method here asks for one");
        for (i, θ) in θ.iter().enumerate() {
            out.gradient[i] = curvature(i) * (θ - 1.0) / size;
            out.jacobian.rows_mut()[i] = sign(i) / size;
            out.jacobian.rows_mut()[self.parameters + i] = θ / size;
        }
    }
}

/// Steps until the residual of the conditions of optimality and the constraints are both below a thousandth
/// of what they were.
fn steps(parameters: usize, mut method: Box<dyn Optimizer>) -> usize {
    let mut problem = Ring { parameters };
    let mut θ: Vec<f64> = (0..parameters).map(|i| 0.5 + 0.3 * (i as f64).sin()).collect();
    let (mut at, mut first) = (Evaluation::new(parameters, 2), None);
    for taken in 0..100_000 {
        problem.evaluate(&θ, Want::Gradients, &mut at);
        let now = [kkt_residual(&at), at.violation()];
        let first = *first.get_or_insert(now);
        if now[0] < 1e-3 * first[0] && now[1] < 1e-3 * first[1] {
            return taken;
        }
        method.step(&mut problem, &mut θ);
    }
    usize::MAX
}

/// The rate that is half of what the largest curvature and the metric of the directions allow, and a tenth of
/// h a step.
fn settings(parameters: usize, directions: Option<usize>) -> FlSettings {
    let metric = directions.map_or(1.0, |count| 1.0 + parameters as f64 / count as f64);
    let rate = 0.25 * parameters as f64 / metric;
    let feedback = Feedback { gain: 0.1 / rate, ..Feedback::default() };
    FlSettings { rate: Rate::constant(rate), feedback, clip: None }
}

fn values(parameters: usize, directions: usize) -> usize {
    let fl = settings(parameters, Some(directions));
    let settings = FlZerothSettings { fl, directions, ..FlZerothSettings::default() };
    let method = FlZeroth::new(settings, parameters, 2, 1);
    steps(parameters, Box::new(method)).saturating_mul(2 * directions + 1)
}

/// Values grow with the number of parameters, whatever the number of directions: four times as many of one
/// take four times as many of the other, up to a half.
#[test]
fn values_grow_with_parameters() {
    let [few, many] = [20, 80].map(|parameters| values(parameters, 5) as f64);
    assert!(many / few > 2.0 && many / few < 8.0, "{few} {many}");
}

#[test]
#[ignore = "the table of results/2026-11-18-zeroth.md"]
fn table_of_values() {
    let mut out = std::io::stdout();
    writeln!(out, "| P | gradients of `fl` | values, K = 5 | K = 20 | K = 80 |").unwrap();
    for parameters in [20, 80, 320] {
        let fl = steps(parameters, Box::new(Fl::new(settings(parameters, None), parameters, 2, 1)));
        let [a, b, c] = [5, 20, 80].map(|directions| values(parameters, directions));
        writeln!(out, "| {parameters} | {fl} | {a} | {b} | {c} |").unwrap();
    }
}
