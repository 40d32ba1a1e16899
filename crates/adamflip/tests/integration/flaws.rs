//! Flaws of the published runs, each shown by the smallest case in which it is seen, beside what we do
//! instead.

use adamflip::geometry::Points;
use adamflip::objective::values;
use adamflip::optim::{ConstrainedProblem, Damping, Evaluation, Feedback, FlSettings, Method, Rate, Want};
use adamflip::problem::Problem;
use adamflip::train;

/// Minimise ½θ² subject to c(θ) = 0, for one θ.
struct Line {
    /// c and its slope.
    constraint: fn(f64) -> (f64, f64),
}

impl ConstrainedProblem for Line {
    fn parameters(&self) -> usize {
        1
    }
    fn constraints(&self) -> usize {
        1
    }
    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let (value, slope) = (self.constraint)(θ[0]);
        out.objective = 0.5 * θ[0] * θ[0];
        out.constraints[0] = value;
        match want {
            Want::Values => {}
            Want::Combination(weights) => out.gradient[0] = θ[0] + weights[0] * slope,
            Want::Gradients | Want::Products => {
                out.gradient[0] = θ[0];
                out.jacobian.rows_mut()[0] = slope;
            }
        }
    }
}

/// The violation after this many steps of feedback linearization from θ = 2.
fn violation(problem: &mut Line, rate: f64, feedback: Feedback, steps: usize) -> f64 {
    let settings = FlSettings { rate: Rate::constant(rate), feedback, clip: None };
    let mut optimizer = Method::Fl(settings).optimizer(problem, steps);
    let mut θ = [2.0];
    for _ in 0..steps {
        optimizer.step(problem, &mut θ);
    }
    (problem.constraint)(θ[0]).0.abs()
}

/// The integral term must pull against the violation that it has summed up: h' = −K h − K_i z with z' = h
/// decays, and with the other sign one of its two modes grows like exp(K_i t/K).
#[test]
fn the_integral_term_with_the_other_sign_pushes_the_violation_away() {
    let (rate, gain, integral, steps) = (0.01, 10.0, 5.0, 3000);
    let feedback = Feedback { gain, integral_gain: integral, ..Feedback::default() };
    let mut line = Line { constraint: |θ| (θ - 1.0, 1.0) };
    let ours = violation(&mut line, rate, feedback, steps);
    // exp(−0.5·30) of what there was, and the slower mode of two.
    assert!(ours < 1e-5, "{ours}");
    let (mut θ, mut z) = (2.0, 0.0);
    for _ in 0..steps {
        let h = θ - 1.0;
        let multiplier = -(θ - gain * h + integral * z);
        θ -= rate * (θ + multiplier);
        z += rate * h;
    }
    assert!((θ - 1.0f64).abs() > 10.0, "{θ}");
}

/// A mean square vanishes with its gradient, ‖∇h‖² = 4h: a fixed ε is nothing beside it at first and
/// everything at last.
#[test]
fn a_fixed_damping_switches_the_controller_off() {
    let mut line = Line { constraint: |θ| (θ * θ, 2.0 * θ) };
    let mut reached = |damping| {
        let feedback = Feedback { gain: 100.0, damping, ..Feedback::default() };
        violation(&mut line, 1e-3, feedback, 2000)
    };
    let (fixed, relative) = (reached(Damping::Absolute(1e-2)), reached(Damping::Relative(1e-6)));
    // A tenth of h a step is 1e-91 after 2000 steps; with the fixed ε the last steps only follow the
    // objective, by exp(−2·η·steps) = 0.02 at most.
    assert!(relative < 1e-60, "{relative}");
    assert!(fixed > 1e-6, "{fixed}");
}

/// The fractional problem with the exact solution in place of a network, at an order α that is sought.
fn fractional(forcing_order: &str, alpha: f64) -> Problem {
    let text = format!(
        r#"
fields = ["u"]
[domain]
x = [0, "pi"]
t = [0, 1]
[unknowns]
alpha = {{ start = {alpha}, bounds = [0.05, 0.95] }}
[term.pde]
equation = "caputo(u, t, alpha) = u_xx + (gamma(4)/gamma(4 - {forcing_order})*t^(3 - {forcing_order}) + t^3)*sin(x)"
points = 20
[network]
hidden = [2]
ansatz = "t^3*sin(x) + 1e-200*N"
"#
    );
    crate::testing::problem(&text)
}

/// The largest residual of the exact solution.
fn residual(forcing_order: &str, alpha: f64) -> f64 {
    let problem = fractional(forcing_order, alpha);
    let (model, θ) = train::model(&problem, 0);
    let term = &problem.terms[0];
    let points: Points = term.source.draw(&problem.domain, 0, 1, 0).unwrap();
    let columns = values(&term.residual, &model, &problem.unknowns, &θ, &points);
    columns.iter().flatten().fold(0.0, |most, r| r.abs().max(most))
}

/// A source that follows the unknown order leaves nothing to find: the same solution solves the equation for
/// every order.
#[test]
fn with_the_unknown_order_in_the_source_every_order_solves_the_problem() {
    for alpha in [0.2, 0.5, 0.8] {
        // The quadrature of the Caputo derivative is exact for cubics but for rounding.
        assert!(residual("alpha", alpha) < 1e-9, "{alpha}: {}", residual("alpha", alpha));
        let fixed = residual("0.5", alpha);
        assert_eq!(fixed < 1e-9, alpha == 0.5, "{alpha}: {fixed}");
        assert!(alpha == 0.5 || fixed > 0.1, "{alpha}: {fixed}");
    }
}
