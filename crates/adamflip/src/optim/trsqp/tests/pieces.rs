//! Dogleg, projected conjugate gradients, curvature and radius, each on its own.

use super::super::curvature::Curvature;
use super::super::normal::Normal;
use super::super::pseudoinverse::Pseudoinverse;
use super::super::region::{Prediction, Region, fall_of_norm};
use super::super::tangential::{End, Tangential};
use super::*;
use crate::optim::Jacobian;

/// The dogleg's d_n for A (rows of two) and c.
fn dogleg(a: &[f64], c: &[f64], radius: f64) -> Vec<f64> {
    let rows = &Jacobian::from_rows(a.to_vec(), 2);
    let mut space = Pseudoinverse::new(c.len(), 1e-10);
    assert!(space.factorize(rows, &[]));
    let mut normal = Normal::new(2, c.len());
    normal.corners(&mut space, rows, c);
    normal.within(radius);
    normal.step
}

fn model(a: &[f64], c: &[f64], d: &[f64]) -> f64 {
    norm(&plus(c, 1.0, &times(a, d)))
}

/// The least ‖A d + c‖ over the disc, on a polar grid.
fn brute_force(a: &[f64], c: &[f64], radius: f64) -> f64 {
    let points = (0..2000).flat_map(|i| (0..=200).map(move |j| (f64::from(i), f64::from(j))));
    points
        .map(|(i, j)| {
            let (angle, r) = (i * std::f64::consts::TAU / 2000.0, j * radius / 200.0);
            model(a, c, &[r * angle.cos(), r * angle.sin()])
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn the_dogleg_against_brute_force() {
    let a = [1.5, 0.4, -0.3, 1.0];
    let c = [1.0, -2.0];
    let newton = norm(&solve(a.to_vec(), c.to_vec()));
    for share in [0.05, 0.3, 0.6, 0.9, 1.1] {
        let radius = share * newton;
        let d = dogleg(&a, &c, radius);
        assert!(norm(&d) <= radius * (1.0 + 1e-14), "within the disc, to rounding");
        let (best, reached) = (brute_force(&a, &c, radius), model(&a, &c, &d));
        // The dogleg is not the minimiser: with this A it loses a tenth of the fall at most. The grid is
        // coarser than the dogleg, which may win by its spacing.
        let start = norm(&c);
        assert!(start - reached >= 0.88 * (start - best), "{share}: {reached} against {best}");
        assert!(reached >= best - 0.02 * radius);
    }
    // With orthogonal rows of the same length the dogleg is the minimiser: −A⁺c shortened to the radius.
    let a = [0.6, 0.8, -0.8, 0.6];
    let reached = model(&a, &c, &dogleg(&a, &c, 0.5));
    // The angles' spacing squared, 1e-5.
    assert!((reached - brute_force(&a, &c, 0.5)).abs() < 1e-5);
}

#[test]
fn the_dogleg_is_the_best_point_of_its_path() {
    let (a, c) = ([4.0, 0.4, -0.3, 0.2], [1.0, -2.0]);
    let newton = scaled(-1.0, &solve(a.to_vec(), c.to_vec()));
    let slope = transposed_times(&a, &c, 2);
    let cauchy = scaled(-dot(&slope, &slope) / norm(&times(&a, &slope)).powi(2), &slope);
    for share in [0.01, 0.1, 0.5, 0.99] {
        let radius = share * norm(&newton);
        let reached = model(&a, &c, &dogleg(&a, &c, radius));
        for i in 0..=2000 {
            let t = f64::from(i) / 1000.0;
            let point = if t < 1.0 {
                scaled(t, &cauchy)
            } else {
                plus(&cauchy, t - 1.0, &plus(&newton, -1.0, &cauchy))
            };
            // Rounding only.
            assert!(norm(&point) > radius || reached <= model(&a, &c, &point) + 1e-12);
        }
    }
}

/// A curvature from pairs of a fixed symmetric matrix with both signs (`definite`: positive only).
fn curvature(
    formula: QuasiNewton,
    memory: usize,
    size: usize,
    definite: bool,
) -> (Curvature, Vec<[Vec<f64>; 2]>) {
    let mut curvature = Curvature::new(formula, memory, size);
    let pairs: Vec<[Vec<f64>; 2]> = (0..6)
        .map(|k| {
            let s = numbers(size, 100 * k);
            let sign = |i: usize| if definite || !i.is_multiple_of(3) { 1.0 } else { -1.0 };
            let y = s.iter().enumerate().map(|(i, s)| sign(i) * (1.0 + i as f64) * s).collect();
            [s, y]
        })
        .collect();
    pairs.iter().for_each(|[s, y]| curvature.learn(s, y));
    (curvature, pairs)
}

#[test]
fn conjugate_gradients_stay_in_the_null_space() {
    let (parameters, constraints) = (30, 7);
    let mut a = numbers(parameters * constraints, 7000);
    // The last row repeats the first, so A is rank-deficient; the second is nearly the third.
    a.copy_within(..parameters, 6 * parameters);
    for j in 0..parameters {
        a[parameters + j] = a[2 * parameters + j] + 1e-3 * a[parameters + j];
    }
    let rows = &Jacobian::from_rows(a.clone(), parameters);
    let mut space = Pseudoinverse::new(constraints, 1e-10);
    assert!(space.factorize(rows, &[]));
    assert_eq!(space.rank(), 6);
    for formula in [QuasiNewton::Sr1, QuasiNewton::DampedBfgs] {
        for (radius, forcing) in [(0.01, 0.1), (1e3, 1e-10)] {
            let (curvature, _) = curvature(formula, 5, parameters, true);
            let mut tangential = Tangential::new(parameters);
            let g = numbers(parameters, 9000);
            tangential.residual.copy_from_slice(&g);
            let end = tangential.solve(&mut space, rows, &curvature, radius, forcing);
            let t = &tangential.step;
            // Rounding, with digits to spare for the condition number of A, 1e3.
            assert!(norm(&times(&a, t)) <= 1e-10 * norm(t).max(1e-3), "{}", norm(&times(&a, t)));
            assert!(norm(t) <= radius * (1.0 + 1e-12));
            let mut image = vec![0.0; parameters];
            curvature.times(t, &mut image);
            assert!(0.5 * dot(t, &image) + dot(t, &g) < 0.0, "the model falls");
            // SR1 may be indefinite even where all pairs are of a definite matrix.
            let boundary = radius < 1.0 || formula == QuasiNewton::Sr1;
            assert_eq!(end == End::Solved, !boundary, "{formula:?} {radius} {end:?}");
            if end == End::Solved {
                let mut residual = plus(&g, 1.0, &image);
                space.project(rows, &mut residual);
                // The tolerance, and rounding times the largest eigenvalue of B over the iterations.
                assert!(norm(&residual) < 1e-9 * norm(&g), "{}", norm(&residual));
            }
        }
    }
}

#[test]
fn negative_curvature_leads_to_the_boundary() {
    let (curvature, _) = curvature(QuasiNewton::Sr1, 6, 6, false);
    let mut space = Pseudoinverse::new(0, 1e-10);
    let mut tangential = Tangential::new(6);
    tangential.residual.copy_from_slice(&numbers(6, 5));
    let end = tangential.solve(&mut space, &Jacobian::new(6, 0), &curvature, 2.0, 1e-12);
    assert!(matches!(end, End::NegativeCurvature | End::Boundary));
    // On the ball, to rounding.
    assert!((norm(&tangential.step) - 2.0).abs() < 1e-12);
}

/// The textbook recursion on a dense matrix, over the last pairs.
fn dense(formula: QuasiNewton, pairs: &[[Vec<f64>; 2]], scale: f64) -> Vec<f64> {
    let n = pairs[0][0].len();
    let mut b: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { scale } else { 0.0 }).collect();
    for [s, y] in pairs {
        let bs = times(&b, s);
        let u = plus(y, -1.0, &bs);
        for (k, entry) in b.iter_mut().enumerate() {
            let (i, j) = (k / n, k % n);
            *entry += match formula {
                QuasiNewton::Sr1 => u[i] * u[j] / dot(&u, s),
                QuasiNewton::DampedBfgs => y[i] * y[j] / dot(s, y) - bs[i] * bs[j] / dot(s, &bs),
            };
        }
    }
    b
}

#[test]
fn the_unrolled_formulas_are_the_textbook_ones() {
    for formula in [QuasiNewton::Sr1, QuasiNewton::DampedBfgs] {
        let (curvature, pairs) = curvature(formula, 4, 9, true);
        assert_eq!(curvature.pairs, 4);
        let [s, y] = &pairs[5];
        assert_eq!(curvature.scale, crate::linalg::dot(y, y) / crate::linalg::dot(s, y));
        // All pairs are of a positive definite matrix, but far from its B: damping must not have touched
        // them.
        let b = dense(formula, &pairs[2..], curvature.scale);
        let v = numbers(9, 1);
        let mut image = vec![0.0; 9];
        curvature.times(&v, &mut image);
        // Rounding times the weights, up to 1e3.
        assert!(
            furthest(&image, &times(&b, &v)) < 1e-10,
            "{formula:?} {:?}",
            plus(&image, -1.0, &times(&b, &v))
        );
        curvature.times(s, &mut image);
        assert!(furthest(&image, y) < 1e-10, "the secant equation, {formula:?}");
    }
}

#[test]
fn damped_pairs_keep_b_positive_definite() {
    let (curvature, _) = curvature(QuasiNewton::DampedBfgs, 6, 9, false);
    let mut image = vec![0.0; 9];
    for k in 0..200 {
        let v = numbers(9, 31 * k);
        curvature.times(&v, &mut image);
        assert!(dot(&v, &image) > 0.0);
    }
    // Pairs without information change nothing.
    let mut still = Curvature::new(QuasiNewton::DampedBfgs, 3, 2);
    for (s, y) in [([0.0, 0.0], [1.0, 1.0]), ([1.0, 0.0], [0.0, 0.0]), ([1.0, f64::NAN], [1.0, 1.0])] {
        still.learn(&s, &y);
    }
    assert_eq!((still.pairs, still.scale), (0, 1.0));
}

#[test]
fn the_radius_follows_the_table() {
    let settings = TrSqpSettings::default();
    let after = |ratio: f64, length: f64| {
        let mut region = Region { radius: 1.0, penalty: 1.0 };
        (region.judge(ratio, length, &settings), region.radius)
    };
    assert_eq!(after(0.95, 0.5), (true, 3.5));
    assert_eq!(after(0.95, 0.1), (true, 1.0));
    assert_eq!(after(0.5, 0.75), (true, 1.5));
    assert_eq!(after(0.1, 1.0), (true, 1.0));
    assert_eq!(after(0.0, 1.0), (false, 0.5));
    assert_eq!(after(-1e6, 1.0), (false, 0.1));
    assert_eq!(after(f64::NAN, 1.0), (false, 0.1));
    assert_eq!(after(f64::NEG_INFINITY, 1.0), (false, 0.1));
    assert_eq!(after(0.0, 0.01), (false, 0.005));
    let (taken, radius) = after(-3.0, 1.0);
    // (1 − 1e-8)/(1 + 3).
    assert!(!taken && (radius - 0.25).abs() < 1e-8);
}

#[test]
fn the_penalty_pays_for_the_objective() {
    let mut region = Region { radius: 1.0, penalty: 1.0 };
    let promised = region.predict(Prediction { objective: 1.4, violation: 0.5 }, 0.7);
    // μ = 1.4/(0.7·0.5) = 4, and 4·0.5 − 1.4 = 0.6, to rounding.
    assert!((region.penalty - 4.0).abs() < 1e-14 && (promised - 0.6).abs() < 1e-14);
    region.predict(Prediction { objective: -1.0, violation: 0.1 }, 0.7);
    assert!((region.penalty - 4.0).abs() < 1e-14, "μ never falls");
    region.predict(Prediction { objective: 1.0, violation: 1e-300 }, 0.7);
    assert!(region.penalty.is_finite());
    // 3 − √(3² + 1e-18) is zero when computed directly; −1e-18/6 to rounding of the last digit.
    assert!((fall_of_norm(&[3.0, 0.0], &[0.0, 1e-9]) * 6e18 + 1.0).abs() < 1e-12);
    assert_eq!(fall_of_norm(&[0.0], &[0.0]), 0.0);
}
