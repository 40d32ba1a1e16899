//! The training problem: gradients, Gauss–Newton matrices, thread counts, and no allocation in a step.

use std::sync::Arc;

use adamflip::objective::Objective;
use adamflip::optim::{ConstrainedProblem, Evaluation, Jacobian, Method, Want};
use adamflip::problem::Problem;
use adamflip::{problem, spec, train};

/// A nonlinear system with unknowns in equation and condition, mixed derivatives and two fields.
pub(super) const SYSTEM: &str = r#"
fields = ["u", "v"]
[domain]
x = [-1, 1]
t = [0, 2]
[constants]
nu = "0.1/pi"
[unknowns]
kappa = { start = 0.7 }
rate = { start = 0.4, bounds = [0, 1] }
[term.pde]
equation = ["u_t + kappa*u*u_x = nu*u_xx + sin(pi*x)*v", "v_t = kappa*v_xx - exp(-rate*t)*u_x^2"]
points = 150
weight = 2.5
[term.mixed]
equation = "u_xt*u - v_xxt = rate*cos(x)"
points = 37
role = "constraint"
[term.initial]
on = "t = 0"
equation = ["u = -sin(pi*x)", "v = rate*x"]
points = 20
[network]
hidden = [7, 9]
"#;

/// Terms that see the network at other points: a Caputo derivative of unknown order along lines, another at
/// scattered points, an integral, a periodic condition in value and slope.
pub(super) const HISTORY: &str = r#"
fields = ["u"]
[domain]
x = [-1, 1]
t = [0, 2]
[unknowns]
alpha = { start = 0.6, bounds = [0, 1] }
[term.pde]
equation = "caputo(u, t, alpha) + u*u_x = u_xx + integral(u^2, x)"
points = 64
nodes = 8
weight = 2.5
role = "objective"
[term.late]
equation = "caputo(u^2, t, alpha + 1) = sin(x)"
points = 20
caputo = "scattered"
nodes = 6
role = "constraint"
[term.periodic]
on = "x = -1"
equation = ["u = u(1, t)", "u_x = u_x(1, t)"]
points = 20
[network]
hidden = [7, 9]
"#;

/// The network in different derivatives at different places: its slope here, its value at half the time and
/// at the start.
pub(super) const DELAY: &str = r#"
fields = ["u"]
[domain]
x = [-1, 1]
t = [0, 2]
[term.pde]
equation = "u_t = u_xx - 2*u(x, t/2)^2 + u*u_x(-x, t)*integral(u^2, x)"
points = 50
nodes = 4
role = "objective"
[term.start]
on = "t = 0"
equation = "u_t = u(x, 2) - u(0, 1)*u"
points = 20
[network]
hidden = [7, 9]
"#;

/// Several networks: one a field, gated and factorized; a coefficient of x alone; an ansatz; normals on a
/// disk.
pub(super) const NETWORKS: &str = r#"
fields = ["u", "v"]
[domain]
x = [-1, 1]
y = [-1, 1]
inside = "disk"
[shapes]
disk = { disk = { center = [0, 0], radius = 0.9 } }
[unknowns]
k = { of = ["x"], start = 1, bounds = [0.1, 3], hidden = [5] }
q = { start = 0.3 }
[term.pde]
equation = ["div(k*grad(u)) = v*where(x < 0, x, y^2)", "v_xy + q*u = 0"]
points = 40
weight = 2.5
role = "objective"
[term.rim]
on = "disk"
equation = ["u_n + q*u = n_x", "v = 1"]
points = 20
[network]
hidden = [6, 6]
architecture = "gated"
factorized = true
separate = true
ansatz = { v = "1 + (0.81 - x^2 - y^2)*N" }
"#;

/// Conditions of all kinds on networks wide enough that factors of several streams pay: values, derivatives,
/// two places at once, an unknown.
pub(super) const CONDITIONS: &str = r#"
fields = ["u", "v"]
[domain]
x = [-1, 1]
t = [0, 2]
[unknowns]
kappa = { start = 0.7 }
[term.pde]
equation = ["u_t = kappa*u_xx", "v_t = u"]
points = 50
role = "objective"
[term.initial]
on = "t = 0"
equation = ["u = sin(pi*x)", "v = u^2"]
points = 77
weight = 3
[term.flux]
on = "x = 1"
equation = "u_x + kappa*v*u_xx = 0"
points = 19
[term.periodic]
on = "x = -1"
equation = ["u = u(1, t)", "v_x = v_x(1, t)"]
points = 37
[network]
hidden = [40, 33]
"#;

pub(super) const BURGERS: &str = include_str!("../../../../problems/burgers_forward.toml");

pub(super) fn load(text: &str, set: &[&str]) -> Problem {
    let set = set.iter().map(|s| (*s).to_owned()).collect();
    let parsed = spec::parse("test.toml", text, &spec::Overrides { profile: None, set });
    problem::build(parsed).unwrap_or_else(|rejected| {
        panic!("{}", adamflip::diagnostic::render(&rejected.sources, &rejected.diagnostics, false))
    })
}

pub(super) fn objective(problem: &Problem) -> (Objective, Vec<f64>) {
    let (model, θ) = train::model(problem, 1);
    let draw =
        |(term, number): (&problem::Term, u64)| term.source.draw(&problem.domain, 1, number, 0).unwrap();
    let points: Vec<_> = problem.terms.iter().zip(1..).map(draw).collect();
    (Objective::new(problem, Arc::new(model), &points), θ)
}

pub(super) fn evaluate(objective: &mut Objective, θ: &[f64], want: Want<'_>) -> Evaluation {
    let mut out = Evaluation::new(objective.parameters(), objective.constraints());
    objective.evaluate(θ, want, &mut out);
    out
}

#[test]
fn every_gradient_equals_central_differences() {
    for text in [SYSTEM, HISTORY, DELAY, NETWORKS] {
        gradient_equals_central_differences(&load(text, &[]));
    }
}

fn gradient_equals_central_differences(problem: &Problem) {
    let (mut objective, θ) = objective(problem);
    gradient_of(&mut objective, &θ);
}

/// Holds gradient and Jacobian against central differences, for every fifth parameter and the last two.
fn gradient_of(objective: &mut Objective, θ: &[f64]) {
    let at = evaluate(objective, θ, Want::Gradients);
    let parameters = θ.len();
    for i in (0..parameters).step_by(5).chain(parameters - 2..parameters) {
        let mut moved = |by: f64| {
            let mut θ = θ.to_vec();
            θ[i] += by;
            evaluate(objective, &θ, Want::Values)
        };
        let (right, left) = (moved(1e-5), moved(-1e-5));
        // Truncation 1e-10 and rounding 1e-11, times sizes up to a few hundred.
        let close = |derivative: f64, right: f64, left: f64| {
            let difference = (right - left) / 2e-5;
            assert!(
                (derivative - difference).abs() < 1e-6 * (1.0 + difference.abs()),
                "{i}: {derivative} {difference}"
            );
        };
        close(at.gradient[i], right.objective, left.objective);
        for (row, (right, left)) in at.rows().zip(right.constraints.iter().zip(&left.constraints)) {
            close(row[i], *right, *left);
        }
    }
}

#[test]
fn combination_is_the_weighted_sum_of_rows() {
    let (mut objective, θ) = objective(&load(SYSTEM, &[]));
    let separate = evaluate(&mut objective, &θ, Want::Gradients);
    let combined = evaluate(&mut objective, &θ, Want::Combination(&[3.0, 0.5]));
    let rows: Vec<&[f64]> = separate.rows().collect();
    for (i, combined) in combined.gradient.iter().enumerate() {
        let expected = separate.gradient[i] + 3.0 * rows[0][i] + 0.5 * rows[1][i];
        // The order of summation differs.
        assert!((combined - expected).abs() < 1e-12 * (1.0 + expected.abs()));
    }
    assert_eq!(combined.constraints, separate.constraints);
}

/// Against the rows that the same term has as a pointwise constraint; those are checked by differences below.
#[test]
fn gauss_newton_matrices_are_those_of_the_rows() {
    // Two equations at 150 points; eight nodes on each of eight lines; two equations at 40 points.
    for (text, count) in [(SYSTEM, 300), (HISTORY, 64), (DELAY, 50), (NETWORKS, 80)] {
        let (mut rows, θ) = objective(&load(text, &["term.pde.role=constraint"]));
        rows.set_pointwise(Some(true));
        let at = evaluate(&mut rows, &θ, Want::Gradients);
        let written: Vec<&[f64]> = at.rows().take(count).collect();
        let weights = vec![0.0; at.constraints.len()];
        let size = θ.len();
        let matrix_of = |objective: &mut Objective, weights: &[f64]| {
            let mut lower = vec![0.0; size * size];
            objective.add_gauss_newton(&θ, weights, &mut lower);
            lower
        };
        let (mut plain, _) = objective(&load(text, &["term.pde.role=objective"]));
        let others = plain.constraints();
        let matrix = matrix_of(&mut plain, &vec![0.0; others]);
        let last = size - 1;
        for (i, j) in [(0, 0), (40, 3), (last - 1, 20), (last, 10), (last, last - 1), (last, last)] {
            let sum: f64 = written.iter().map(|row| row[i] * row[j]).sum::<f64>() * 2.0 / count as f64;
            // The order of summation differs.
            assert!((matrix[i * size + j] - sum).abs() < 1e-12 * (1.0 + sum.abs()), "{i} {j}");
        }
        // As one of the mean squares in h it counts by its weight, and one by one not at all.
        let (mut aggregated, _) = objective(&load(text, &["term.pde.role=constraint"]));
        let mut tripled = vec![0.0; aggregated.constraints()];
        tripled[0] = 3.0;
        let matrix_of_constraint = matrix_of(&mut aggregated, &tripled);
        let close = |(x, y): (&f64, &f64)| (x - 3.0 * y).abs() < 1e-12 * (1.0 + y.abs());
        assert!(matrix_of_constraint.iter().zip(&matrix).all(close));
        assert!(matrix_of(&mut rows, &weights).iter().all(|x| *x == 0.0));
    }
}

#[test]
fn rows_of_equations_equal_central_differences() {
    for text in [SYSTEM, HISTORY, DELAY, NETWORKS] {
        let (mut objective, θ) = objective(&load(text, &["term.pde.role=constraint"]));
        objective.set_pointwise(Some(true));
        gradient_of(&mut objective, &θ);
    }
}

#[test]
fn pointwise_constraints_have_a_row_for_each_residual() {
    for (text, count) in [(SYSTEM, 40), (HISTORY, 60), (DELAY, 20), (NETWORKS, 40)] {
        let (mut objective, θ) = objective(&load(text, &["term.pde.role=objective"]));
        let aggregated = evaluate(&mut objective, &θ, Want::Gradients);
        objective.set_pointwise(Some(true));
        gradient_of(&mut objective, &θ);
        let at = evaluate(&mut objective, &θ, Want::Gradients);
        assert!(at.constraints.len() >= count, "{}", at.constraints.len());
        assert_eq!((at.objective, &at.gradient), (aggregated.objective, &aggregated.gradient));
        let square: f64 = at.constraints.iter().map(|h| h * h).sum();
        assert!(square > 0.0);
        // Any combination of the rows, up to the order of summation.
        let weights: Vec<f64> = (0..at.constraints.len()).map(|i| (i as f64).sin()).collect();
        let combined = evaluate(&mut objective, &θ, Want::Combination(&weights));
        assert_eq!(combined.constraints, at.constraints);
        for (i, combined) in combined.gradient.iter().enumerate() {
            let terms = at.rows().zip(&weights).map(|(row, w)| row[i] * w);
            let (sum, size) = terms.fold((at.gradient[i], 1.0), |(s, a), t| (s + t, a + t.abs()));
            assert!((combined - sum).abs() < 1e-11 * size, "{i}: {combined} {sum}");
        }
    }
}

/// J Jᵀ (lower triangle), J v and Jᵀw for some v and w.
fn products(jacobian: &Jacobian, parameters: usize) -> [Vec<f64>; 3] {
    let constraints = jacobian.constraints();
    let v: Vec<f64> = (0..parameters).map(|i| (1.3 * i as f64).sin()).collect();
    let w: Vec<f64> = (0..constraints).map(|i| (0.7 * i as f64).cos()).collect();
    let mut gram = vec![0.0; constraints * constraints];
    jacobian.gram(&mut gram);
    for row in 0..constraints {
        gram[row * constraints + row + 1..(row + 1) * constraints].fill(0.0);
    }
    let (mut image, mut back) = (vec![f64::NAN; constraints], vec![1.0; parameters]);
    jacobian.times(&v, &mut image);
    jacobian.add_transposed(&w, &mut back);
    [gram, image, back]
}

#[test]
fn products_by_factors_equal_those_by_rows() {
    let plain = "network.factorized=false";
    let cases: &[(&str, &[&str])] = &[
        (CONDITIONS, &[]),
        (CONDITIONS, &["network.separate=true"]),
        (CONDITIONS, &["network.architecture=gated", "network.hidden=\"2x40\""]),
        (CONDITIONS, &["network.architecture=residual", "network.hidden=\"3x40\""]),
        // So narrow that every part is written out.
        (CONDITIONS, &["network.hidden=[4]"]),
        // One aggregated constraint between pointwise ones.
        (CONDITIONS, &["term.flux.pointwise=false"]),
        (SYSTEM, &["term.pde.role=objective"]),
        (HISTORY, &[]),
        (NETWORKS, &[plain]),
        // Weights that are not θ itself: rows in any case.
        (NETWORKS, &[]),
        (BURGERS, &["term.pde.points=100"]),
    ];
    for (text, set) in cases {
        let (mut objective, θ) = objective(&load(text, set));
        objective.set_pointwise(Some(true));
        let rows = evaluate(&mut objective, &θ, Want::Gradients);
        let factors = evaluate(&mut objective, &θ, Want::Products);
        assert_eq!(rows.constraints, factors.constraints);
        assert_eq!((rows.objective, &rows.gradient), (factors.objective, &factors.gradient));
        let (expected, found) = (products(&rows.jacobian, θ.len()), products(&factors.jacobian, θ.len()));
        for (expected, found) in expected.iter().zip(&found) {
            let largest = expected.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
            for (i, (x, y)) in expected.iter().zip(found).enumerate() {
                // Up to the order of summation.
                assert!((x - y).abs() < 1e-12 * largest, "{set:?} {i}: {x} {y}");
            }
        }
        // Some of the rows: every third, and the last two.
        let count = rows.constraints.len();
        let chosen: Vec<usize> = (0..count).filter(|row| row % 3 == 1 || row + 2 >= count).collect();
        let [some_rows, some_factors] = [&rows, &factors].map(|all| {
            let mut some = Jacobian::default();
            some.gather(&all.jacobian, &chosen);
            products(&some, θ.len())
        });
        for (expected, found) in some_rows.iter().zip(&some_factors) {
            let largest = expected.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
            // Up to the order of summation, as above.
            assert!(expected.iter().zip(found).all(|(x, y)| (x - y).abs() < 1e-12 * largest), "{set:?}");
        }
        // A second evaluation into the same memory, and rows after factors.
        let mut again = factors;
        objective.evaluate(&θ, Want::Products, &mut again);
        assert_eq!(products(&again.jacobian, θ.len()), found);
        objective.evaluate(&θ, Want::Gradients, &mut again);
        assert_eq!(again.jacobian.rows(), rows.jacobian.rows());
    }
}

#[test]
fn products_with_the_jacobian_equal_central_differences() {
    let (mut objective, θ) = objective(&load(CONDITIONS, &[]));
    objective.set_pointwise(Some(true));
    let at = evaluate(&mut objective, &θ, Want::Products);
    let v: Vec<f64> = (0..θ.len()).map(|i| (1.3 * i as f64).sin()).collect();
    let mut image = vec![0.0; at.constraints.len()];
    at.jacobian.times(&v, &mut image);
    let mut moved = |by: f64| {
        let θ: Vec<f64> = θ.iter().zip(&v).map(|(θ, v)| θ + by * v).collect();
        evaluate(&mut objective, &θ, Want::Values).constraints
    };
    let (right, left) = (moved(1e-5), moved(-1e-5));
    for (image, (right, left)) in image.iter().zip(right.iter().zip(left)) {
        let difference = (right - left) / 2e-5;
        // Truncation 1e-10 times third derivatives along v, which is forty long: up to a thousand.
        assert!((image - difference).abs() < 1e-5 * (1.0 + difference.abs()), "{image} {difference}");
    }
}

#[test]
fn pointwise_steps_have_the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            ["adamflip_split", "newtonflip"].map(|name| {
                let (mut objective, mut θ) = objective(&load(BURGERS, &["term.pde.points=301"]));
                objective.set_pointwise(Some(true));
                let mut optimizer = Method::named(name).unwrap().optimizer(&objective, 5);
                for _ in 0..5 {
                    optimizer.step(&mut objective, &mut θ);
                }
                θ
            })
        })
    };
    let one = run(1);
    assert!([2, 3].into_iter().all(|threads| run(threads) == one));
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut objective, mut θ) = objective(&load(BURGERS, &["term.pde.points=3001"]));
            let method = Method::named("adamflip").unwrap();
            let mut optimizer = method.optimizer(&objective, 5);
            for _ in 0..5 {
                optimizer.step(&mut objective, &mut θ);
            }
            θ
        })
    };
    let one = run(1);
    assert!([2, 3, 5].into_iter().all(|threads| run(threads) == one));
}

#[test]
fn work_is_counted() {
    let (mut objective, mut θ) = objective(&load(BURGERS, &[]));
    for name in Method::NAMES {
        let before = objective.work();
        let method = Method::named(name).unwrap();
        let mut optimizer = method.optimizer(&objective, 3);
        for _ in 0..3 {
            optimizer.step(&mut objective, &mut θ);
        }
        let gradients = objective.work().gradients - before.gradients;
        let values = objective.work().values - before.values;
        match name {
            // The values of every step, and a gradient for each trial of its line search; one more at the
            // start.
            "lbfgs" | "ssbroyden" | "trust_region" => {
                assert!(values == 3 && gradients >= 4, "{name}: {values} {gradients}")
            }
            // Two ends of every direction, and the middle.
            "fl_zeroth" => assert_eq!((values, gradients), (3 * 41, 0), "{name}"),
            // A trial point for every step.
            "trsqp" | "gauss_newton" | "newtonflip" => {
                assert!(values >= 3 && gradients == 3, "{name}: {values} {gradients}")
            }
            // Values at both ends; derivatives are products with rows.
            "newton_rows" | "newton_cg" => {
                assert!(values >= 6 && gradients == 0, "{name}: {values} {gradients}")
            }
            _ => assert_eq!((values, gradients), (0, 3), "{name}: one gradient evaluation a step"),
        }
    }
}
