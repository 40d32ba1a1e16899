//! The seam of residuals: values, rows and products of all terms, against each other and against differences.

use adamflip::objective::Objective;
use adamflip::optim::{ConstrainedProblem, Form, ResidualBlock, ResidualRole, Want};

use crate::objective::{BURGERS, CONDITIONS, DELAY, HISTORY, NETWORKS, SYSTEM, evaluate, load, objective};

/// Roles mixed, several equations, sites, unknowns, several networks with factorized weights, wide and narrow
/// layers.
const CASES: &[(&str, &[&str])] = &[
    (SYSTEM, &["term.pde.role=objective"]),
    (SYSTEM, &["network.hidden=[40, 40]", "network.factorized=true"]),
    (HISTORY, &[]),
    (DELAY, &[]),
    (NETWORKS, &[]),
    (CONDITIONS, &["network.architecture=gated", "network.hidden=\"2x40\""]),
    (CONDITIONS, &["term.flux.pointwise=false", "network.hidden=[4]"]),
    (BURGERS, &["term.pde.points=301"]),
];

fn wave(count: usize, frequency: f64) -> Vec<f64> {
    (0..count).map(|i| (frequency * i as f64 + 0.3).sin()).collect()
}

fn count(objective: &Objective) -> usize {
    ResidualBlock::total(&objective.residual_blocks())
}

/// r and all rows.
fn rows(objective: &mut Objective, θ: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut residuals, mut all) = (Vec::new(), Vec::new());
    objective.visit_rows(θ, &mut |first, some, rows| {
        assert_eq!((first, some.len() * θ.len()), (residuals.len(), rows.len()), "in order, a row each");
        residuals.extend_from_slice(some);
        all.extend_from_slice(rows);
    });
    (residuals, all)
}

fn each_case(mut check: impl FnMut(&mut Objective, &[f64], &str)) {
    for (text, set) in CASES {
        for pointwise in [None, Some(true)] {
            let (mut objective, θ) = objective(&load(text, set));
            objective.set_pointwise(pointwise);
            check(&mut objective, &θ, &format!("{set:?} {pointwise:?}"));
        }
    }
}

fn close(found: &[f64], expected: &[f64], share: f64, case: &str) {
    let largest = expected.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    for (i, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= share * largest, "{case} {i}: {x} {y}");
    }
    assert_eq!(found.len(), expected.len(), "{case}");
}

/// f and h are what the roles and forms of the blocks say.
#[test]
fn residuals_make_up_objective_and_constraints() {
    each_case(|objective, θ, case| {
        let at = evaluate(objective, θ, Want::Values);
        let mut residuals = vec![f64::NAN; count(objective)];
        objective.residuals(θ, &mut residuals);
        let (mut f, mut h, mut rest) = (0.0, vec![f64::NAN; at.constraints.len()], &residuals[..]);
        for block in objective.residual_blocks() {
            let own = rest.split_off(..block.size).unwrap();
            let squares: f64 = own.iter().map(|r| r * r).sum();
            match (block.role, block.form) {
                (ResidualRole::Objective, _) => f += squares,
                (ResidualRole::Constraint(entry), Form::MeanSquare) => h[entry] = squares,
                (ResidualRole::Constraint(entry), Form::Residuals) => {
                    h[entry..entry + own.len()].copy_from_slice(own);
                }
            }
        }
        // The order of summation.
        close(&[f], &[at.objective], 1e-13, case);
        close(&h, &at.constraints, 1e-13, case);
        assert_eq!(rows(objective, θ).0, residuals, "{case}");
    });
}

#[test]
fn products_equal_those_of_the_rows() {
    each_case(|objective, θ, case| {
        let (n, p) = (count(objective), θ.len());
        let (_, rows) = rows(objective, θ);
        let row = |i: usize| &rows[i * p..(i + 1) * p];
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let (v, w) = (wave(p, 1.3), wave(n, 0.7));
        let (mut image, mut back) = (vec![f64::NAN; n], vec![f64::NAN; p]);
        objective.jvp(θ, &v, &mut image);
        objective.vjp(θ, &w, &mut back);
        let (mut gram, mut squares) = (vec![0.0; n * n], vec![f64::NAN; n]);
        objective.residual_gram(θ, &mut gram);
        objective.row_squares(θ, &mut squares);
        // Sums of thousands of products in other orders.
        close(&image, &(0..n).map(|i| dot(row(i), &v)).collect::<Vec<_>>(), 1e-12, case);
        let expected: Vec<f64> = (0..p).map(|k| (0..n).map(|i| w[i] * row(i)[k]).sum()).collect();
        close(&back, &expected, 1e-12, case);
        close(&squares, &(0..n).map(|i| dot(row(i), row(i))).collect::<Vec<_>>(), 1e-12, case);
        let some = (0..n).step_by(7).flat_map(|i| (0..=i).step_by(5).map(move |k| (i, k)));
        let (found, expected): (Vec<f64>, Vec<f64>) =
            some.map(|(i, k)| (gram[i * n + k], dot(row(i), row(k)))).unzip();
        close(&found, &expected, 1e-12, case);
        // Adjoint of one another: w·Rv = Rᵀw·v.
        let size = dot(&w, &w).sqrt() * dot(&image, &image).sqrt();
        assert!((dot(&w, &image) - dot(&back, &v)).abs() < 1e-13 * size, "{case}");
    });
}

#[test]
fn tangents_equal_central_differences() {
    each_case(|objective, θ, case| {
        let n = count(objective);
        let v = wave(θ.len(), 1.3);
        let mut image = vec![f64::NAN; n];
        objective.jvp(θ, &v, &mut image);
        let mut moved = |by: f64| {
            let θ: Vec<f64> = θ.iter().zip(&v).map(|(θ, v)| θ + by * v).collect();
            let mut residuals = vec![f64::NAN; n];
            objective.residuals(&θ, &mut residuals);
            residuals
        };
        let (right, left) = (moved(1e-6), moved(-1e-6));
        let differences: Vec<f64> =
            right.iter().zip(left).map(|(right, left)| (right - left) / 2e-6).collect();
        // Truncation 1e-12 times third derivatives along v, which is up to forty long, and rounding over the
        // step.
        close(&image, &differences, 1e-6, case);
    });
}

/// Also when θ changes between products, and comes back.
#[test]
fn products_have_the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let set = ["term.pde.points=901", "network.hidden=\"3x40\""];
            let (mut objective, θ) = objective(&load(BURGERS, &set));
            objective.set_pointwise(Some(true));
            let n = count(&objective);
            let other: Vec<f64> = θ.iter().map(|θ| 1.1 * θ).collect();
            [&θ, &other, &θ].map(|θ| {
                let (mut image, mut back, mut gram) = (vec![0.0; n], vec![0.0; θ.len()], vec![0.0; n * n]);
                objective.jvp(θ, &wave(θ.len(), 1.3), &mut image);
                objective.vjp(θ, &wave(n, 0.7), &mut back);
                objective.residual_gram(θ, &mut gram);
                (image, back, gram)
            })
        })
    };
    let one = run(1);
    assert!(one[0] == one[2] && one[0] != one[1]);
    assert!([2, 3].into_iter().all(|threads| run(threads) == one));
}
