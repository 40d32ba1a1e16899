//! The update against the published formula, written out with full matrices; and what it keeps.

use super::super::super::tests::problems::solve;
use super::super::problems::chain;
use super::*;
use crate::linalg::SymmetricEigen;

type Matrix = Vec<Vec<f64>>;

fn inner(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn times(m: &Matrix, x: &[f64]) -> Vec<f64> {
    m.iter().map(|row| inner(row, x)).collect()
}

/// The list of a Broyden as a full matrix.
fn full(list: &[f64], size: usize) -> Matrix {
    let entry = |i: usize, j: usize| list[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
    (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect()
}

/// H after a pair as Urbán, Stefanou and Pons print it, b from H⁻¹ itself; and θ.
fn published(h_matrix: &Matrix, s: &[f64], y: &[f64]) -> (Matrix, f64) {
    let n = s.len() as f64;
    let hy = times(h_matrix, y);
    let (sy, yhy) = (inner(s, y), inner(y, &hy));
    let rho = 1.0 / sy;
    let h = rho * yhy;
    let b = rho * inner(s, &solve(h_matrix.clone(), s.to_vec()));
    let a = b * h - 1.0;
    let low = f64::min(1.0, h * (1.0 - (a.abs() / (1.0 + a)).sqrt()));
    let theta = f64::max((low - 1.0) / a, f64::min(1.0 / low, (1.0 - b) / b));
    let sigma = 1.0 + theta * a;
    let root = sigma.abs().powf(1.0 / (1.0 - n));
    let tau = match theta > 0.0 {
        true => f64::min(1.0, 1.0 / b) * f64::min(root, 1.0 / theta),
        false => f64::min(f64::min(1.0, 1.0 / b) * root, sigma),
    };
    let phi = (1.0 - theta) / (1.0 + a * theta);
    let v: Vec<f64> = s.iter().zip(&hy).map(|(s, hy)| rho * s - hy / yhy).collect();
    let entry = |i: usize, j: usize| {
        (h_matrix[i][j] - hy[i] * hy[j] / yhy + phi * yhy * v[i] * v[j]) / tau + rho * s[i] * s[j]
    };
    let next = (0..s.len()).map(|i| (0..s.len()).map(|j| entry(i, j)).collect()).collect();
    (next, theta)
}

/// Steps of uneven length along −Hg on the chain of Rosenbrock, and H with the pair before and after each one
/// taken in.
fn walk(mut see: impl FnMut(Option<&Matrix>, [&[f64]; 2], &Matrix)) -> usize {
    let problem = chain();
    let (mut θ, size) = (problem.start.clone(), problem.start.len());
    let (mut broyden, mut g) = (Broyden::new(size, true), (problem.at)(&problem.start).gradient);
    let (mut d, mut taken) = (vec![0.0; size], 0);
    for round in 0..60 {
        let before = (!broyden.is_empty()).then(|| full(&broyden.list(), size));
        broyden.direction(&g, &mut d);
        let longest = d.iter().fold(0.0, |most: f64, d| most.max(d.abs()));
        // Far below and near the length of a line search.
        let rate = [0.05, 0.3, 1.0][round % 3] * (0.1 / longest).min(1.0);
        let next: Vec<f64> = θ.iter().zip(&d).map(|(θ, d)| θ + rate * d).collect();
        let gradient = (problem.at)(&next).gradient;
        let (points, gradients): ([&[f64]; 2], [&[f64]; 2]) = ([&θ, &next], [&g, &gradient]);
        let saved = broyden.list();
        broyden.push(Move { points, gradients, value: 1.0, rate });
        if broyden.list() != saved {
            taken += 1;
            let [s, y] = [points, gradients]
                .map(|[old, new]| new.iter().zip(old).map(|(new, old)| new - old).collect::<Vec<f64>>());
            see(before.as_ref(), [&s, &y], &full(&broyden.list(), size));
        }
        (θ, g) = (next, gradient);
    }
    taken
}

#[test]
fn an_update_is_the_published_formula() {
    let mut signs = [0, 0];
    let taken = walk(|before, [s, y], after| {
        let scale = inner(s, y) / inner(y, y);
        let size = s.len();
        let first = || {
            let entry = |i, j| if i == j { scale } else { 0.0 };
            (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect()
        };
        let (expected, theta) = published(&before.cloned().unwrap_or_else(first), s, y);
        signs[usize::from(theta > 0.0)] += 1;
        let largest = expected.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
        for (found, expected) in after.iter().flatten().zip(expected.iter().flatten()) {
            // Roundings times the condition number of H, which is below 1e5 here, by way of b.
            assert!((found - expected).abs() < 1e-10 * largest, "{found} against {expected}");
        }
    });
    assert!(taken > 50 && signs.iter().all(|count| *count > 5), "{taken}: both branches of τ, {signs:?}");
}

#[test]
fn it_stays_positive_definite_and_fits_the_last_pair() {
    walk(|_, [s, y], after| {
        let mut eigen = SymmetricEigen::new(s.len());
        eigen.decompose(&after.concat()).unwrap();
        assert!(eigen.values[0] > 0.0, "{:?}", eigen.values);
        for (image, s) in times(after, y).iter().zip(s) {
            // Hy = s to rounding, times the condition number.
            assert!((image - s).abs() < 1e-10 * inner(y, y).sqrt(), "{image} against {s}");
        }
    });
}

/// Takes in a step of one along the first axis that changes the gradient by y.
fn take(broyden: &mut Broyden, y: [f64; 2]) {
    let end = [y[0] - 1.0, y[1]];
    let (points, gradients): ([&[f64]; 2], [&[f64]; 2]) = ([&[0.0, 0.0], &[1.0, 0.0]], [&[-1.0, 0.0], &end]);
    broyden.push(Move { points, gradients, value: 1.0, rate: 1.0 });
}

#[test]
fn steps_without_safe_curvature_change_nothing() {
    let mut broyden = Broyden::new(2, true);
    let refused = [[-1.0, 0.0], [0.0, 1.0], [1e-12, 1.0], [f64::NAN, 0.0], [f64::INFINITY, 0.0]];
    for y in refused {
        take(&mut broyden, y);
        assert!(broyden.is_empty(), "{y:?}");
    }
    take(&mut broyden, [2.0, 1.0]);
    assert!(!broyden.is_empty());
    let before = broyden.list();
    for y in refused {
        take(&mut broyden, y);
        assert_eq!(broyden.list(), before, "{y:?}");
    }
}

#[test]
fn where_it_is_right_already_it_is_bfgs() {
    assert_eq!(scaling(7, 1.0, 1.0), (1.0, 1.0));
    // One parameter: H is s/y whatever it was.
    let mut broyden = Broyden::new(1, true);
    for (at, slope) in [(0.0, 3.0), (2.0, 5.0), (7.0, -0.5)] {
        let mut d = [0.0];
        broyden.direction(&[-slope], &mut d);
        let points: [&[f64]; 2] = [&[at], &[at + d[0]]];
        broyden.push(Move { points, gradients: [&[-slope], &[0.25 * slope]], value: 1.0, rate: 1.0 });
        // Roundings of terms that are up to h times as large, below 100.
        let error = broyden.list()[0] * 1.25 * slope / d[0] - 1.0;
        assert!(error.abs() < 1e-13, "{error}");
    }
}

#[test]
fn the_first_trial_is_as_long_as_the_last_decrease_suggests() {
    let mut broyden = Broyden::new(2, true);
    assert_eq!(broyden.first(3.0, -2.0), 1.0, "of nothing before");
    broyden.before = 3.5;
    // A parabola of slope −2 that falls by ½ has its minimum at ½; with the hundredth that leads back to one.
    assert_eq!(broyden.first(3.0, -2.0), 1.01 * 0.5);
    assert_eq!([broyden.first(3.0, -0.1), broyden.first(3.6, -2.0)], [1.0; 2]);
    assert_eq!(broyden.first(3.0, -1e9), SHORTEST);
    broyden.carry();
    assert_eq!(broyden.first(3.0, -2.0), 1.0, "of another function");
}

#[test]
fn the_scaling_is_finite_and_positive_wherever_it_may_be() {
    for h in [1e-12, 1e-3, 0.5, 1.0, 2.0, 1e3, 1e12] {
        for excess in [0.0, 1e-16, 1e-8, 0.1, 1.0, 1e6, 1e12] {
            for size in [1, 2, 3_000] {
                let (τ, φ) = scaling(size, h, (1.0 + excess) / h);
                assert!(τ > 0.0 && τ <= 1.0 + 1e-15 && φ.is_finite(), "{h}, {excess}, {size}: {τ}, {φ}");
            }
        }
    }
}
