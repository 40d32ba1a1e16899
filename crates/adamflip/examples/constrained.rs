//! A function of your own under a constraint of your own: Rosenbrock's valley on the unit circle.

#![allow(clippy::print_stdout, mixed_script_confusables)]

use adamflip::optim::{Evaluation, Want};
use adamflip::{ConstrainedProblem, Method};

struct Circle;

impl ConstrainedProblem for Circle {
    fn parameters(&self) -> usize {
        2
    }

    fn constraints(&self) -> usize {
        1
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let (x, y) = (θ[0], θ[1]);
        out.objective = 100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2);
        out.constraints[0] = x * x + y * y - 1.0;
        let valley = 200.0 * (y - x * x);
        let (gradient, row) = ([-2.0 * x * valley - 2.0 * (1.0 - x), valley], [2.0 * x, 2.0 * y]);
        match want {
            Want::Values => {}
            Want::Combination(w) => (0..2).for_each(|i| out.gradient[i] = gradient[i] + w[0] * row[i]),
            Want::Gradients | Want::Products => {
                out.gradient.copy_from_slice(&gradient);
                out.jacobian.rows_mut().copy_from_slice(&row);
            }
        }
    }
}

fn main() {
    let mut θ = [0.5, 1.5];
    if let Some(method) = Method::named("trsqp") {
        let mut optimizer = method.optimizer(&Circle, 100);
        while optimizer.end().is_none() {
            optimizer.step(&mut Circle, &mut θ);
        }
        println!("the minimum on the circle is at {θ:.6?}, with multiplier {:.4?}", optimizer.multipliers());
    }
}
