//! Against the definition, and on matrices whose squares hide what counts.

use super::*;
use crate::linalg::{Cholesky, add_squares};

/// Sines without a pattern.
fn matrix(rows: usize, columns: usize, shift: f64) -> Vec<f64> {
    (0..rows * columns).map(|at| ((at * at) as f64 * 0.7391 + shift).sin()).collect()
}

/// R of these rows, `count` at a time, the last block with its reflections; and Qᵀ of a right side, block by
/// block.
fn triangularize(rows: &[f64], size: usize, count: usize, right: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut upper, mut top) = (vec![0.0; size * size], vec![0.0; size]);
    let mut reflectors = Reflectors::new(size);
    for (block, right) in rows.chunks(count * size).zip(right.chunks(count)) {
        reflectors.clear();
        reflectors.extend(block, 1.0);
        reflectors.absorb(&mut upper);
        reflectors.apply(&mut top, &mut right.to_vec());
    }
    (upper, top)
}

/// U diag(σ) Vᵀ with orthogonal U and V (products of two reflections each) and σ from 1 to `smallest`, evenly
/// in its logarithm.
fn with_singular_values(rows: usize, columns: usize, smallest: f64) -> Vec<f64> {
    let singular = |j: usize| smallest.powf(j as f64 / (columns - 1) as f64);
    let mut all: Vec<f64> = (0..rows * columns)
        .map(|at| if at / columns == at % columns { singular(at % columns) } else { 0.0 })
        .collect();
    for shift in [0.4, 1.7] {
        let (left, right) = (matrix(rows, 1, shift), matrix(columns, 1, shift + 0.5));
        let [l, r] = [&left, &right].map(|u| 2.0 / dot(u, u));
        for row in all.chunks_exact_mut(columns) {
            let along = r * dot(row, &right);
            add_scaled(row, -along, &right);
        }
        let mut along = vec![0.0; columns];
        all.chunks_exact(columns).zip(&left).for_each(|(row, u)| add_scaled(&mut along, l * u, row));
        all.chunks_exact_mut(columns).zip(&left).for_each(|(row, u)| add_scaled(row, -u, &along));
    }
    all
}

#[test]
fn the_triangle_has_the_squares_of_the_rows() {
    for (rows, size, count) in [(1, 1, 1), (5, 3, 2), (90, 50, 90), (300, 120, 70), (40, 100, 40), (7, 49, 3)]
    {
        let all = matrix(rows, size, 0.3);
        let right = matrix(rows, 1, 0.8);
        let (upper, top) = triangularize(&all, size, count, &right);
        let (mut squares, mut again) = (vec![0.0; size * size], vec![0.0; size * size]);
        add_squares(&mut squares, 1.0, &all, size);
        add_squares(&mut again, 1.0, &upper, size);
        for (i, j) in (0..size).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            assert!(i == j || upper[i * size + j] == 0.0);
            // Sums of up to 300 products below one, a few hundred roundings on the way.
            assert!((squares[i * size + j] - again[i * size + j]).abs() < 1e-11, "{rows} {size}: {i} {j}");
        }
        for j in 0..size {
            let gradient: f64 = all.chunks_exact(size).zip(&right).map(|(row, r)| row[j] * r).sum();
            let same: f64 = upper.chunks_exact(size).zip(&top).map(|(row, z)| row[j] * z).sum();
            assert!((gradient - same).abs() < 1e-11, "{rows} {size}: {j}");
        }
    }
}

/// Qᵀ takes \[R before; block\] to \[R; 0\], column by column, and keeps lengths.
#[test]
fn reflections_are_orthogonal_and_end_in_the_triangle() {
    let (size, count) = (130, 75);
    let (before, _) = triangularize(&matrix(200, size, 0.1), size, 200, &[0.0; 200]);
    let block = matrix(count, size, 2.2);
    let mut reflectors = Reflectors::new(size);
    reflectors.extend(&block, 3.0);
    let mut upper = before.clone();
    reflectors.absorb(&mut upper);
    for j in [0, 1, 47, 48, 49, 95, 96, 129] {
        let mut top: Vec<f64> = before.iter().skip(j).step_by(size).copied().collect();
        let mut bottom: Vec<f64> = block.iter().skip(j).step_by(size).map(|x| 3.0 * x).collect();
        let length = norm(&top).hypot(norm(&bottom));
        reflectors.apply(&mut top, &mut bottom);
        let column = upper.iter().skip(j).step_by(size);
        // Roundings of numbers of this length, once for each of 130 reflections at the most.
        assert!(top.iter().zip(column).all(|(x, y)| (x - y).abs() < 1e-13 * length), "{j}");
        assert!(norm(&bottom) < 1e-13 * length && (norm(&top) - length).abs() < 1e-13 * length, "{j}");
    }
}

/// The damped triangle from its own profile is that of the same rows written out.
#[test]
fn a_multiple_of_the_identity_is_a_block_like_any_other() {
    for size in [1, 30, 48, 110] {
        let (before, mut top) =
            triangularize(&matrix(size + 20, size, 0.5), size, 64, &matrix(size + 20, 1, 0.2));
        let mut identity = vec![0.0; size * size];
        identity.iter_mut().step_by(size + 1).for_each(|x| *x = 0.7);
        let (mut full, mut narrow) = (Reflectors::new(size), Reflectors::new(size));
        full.extend(&identity, 1.0);
        narrow.set_identity(0.7);
        assert_eq!((full.count(), full.squares()), (narrow.count(), narrow.squares()));
        let (mut upper, mut same) = (before.clone(), before);
        full.absorb(&mut upper);
        narrow.absorb(&mut same);
        assert!(upper.iter().zip(&same).all(|(x, y)| (x - y).abs() < 1e-12), "{size}");
        let (mut other, mut rest) = (top.clone(), vec![0.0; size]);
        full.apply(&mut top, &mut rest);
        narrow.apply(&mut other, &mut vec![0.0; size]);
        assert!(top.iter().zip(&other).all(|(x, y)| (x - y).abs() < 1e-12), "{size}");
    }
}

/// The smallest singular value of a triangle, by inverse iteration.
fn smallest(upper: &[f64], size: usize) -> f64 {
    let mut x = matrix(size, 1, 0.9);
    let mut value = f64::NAN;
    for _ in 0..30 {
        // R⁻ᵀ, then R⁻¹.
        for i in 0..size {
            x[i] /= upper[i * size + i];
            let (before, after) = x.split_at_mut(i + 1);
            add_scaled(after, -before[i], &upper[i * size + i + 1..(i + 1) * size]);
        }
        solve_upper(upper, &mut x);
        let length = norm(&x);
        value = length.sqrt().recip();
        x.iter_mut().for_each(|x| *x /= length);
    }
    value
}

#[test]
fn small_singular_values_survive() {
    let (rows, size) = (200, 90);
    for value in [1e-4, 1e-10, 1e-14] {
        let all = with_singular_values(rows, size, value);
        let (upper, _) = triangularize(&all, size, 64, &vec![0.0; rows]);
        let found = smallest(&upper, size);
        // Rounding of a matrix of norm one, some times over.
        assert!((found - value).abs() < 1e-3 * value + 1e-15, "{value:e}: {found:e}");
    }
    // Squares have lost what is below the root of rounding: no factor at all, or one whose smallest value is
    // rounding.
    let mut squares = vec![0.0; size * size];
    add_squares(&mut squares, 1.0, &with_singular_values(rows, size, 1e-14), size);
    if Cholesky::new(size).factor(&mut squares).is_ok() {
        let upper: Vec<f64> = (0..size * size)
            .map(|at| if at % size < at / size { 0.0 } else { squares[at % size * size + at / size] })
            .collect();
        assert!(smallest(&upper, size) > 1e-11);
    }
}

/// Least squares at a condition number of 1e10: the solution to a few digits less than rounding times that,
/// where the normal equations have none.
#[test]
fn least_squares_are_solved_to_the_condition_not_its_square() {
    let (rows, size) = (150, 60);
    let all = with_singular_values(rows, size, 1e-10);
    let solution = matrix(size, 1, 0.6);
    let right: Vec<f64> = all.chunks_exact(size).map(|row| dot(row, &solution)).collect();
    let (upper, mut top) = triangularize(&all, size, 40, &right);
    solve_upper(&upper, &mut top);
    let error = top.iter().zip(&solution).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    // 1e-16 times 1e10, some times over.
    assert!(error < 1e-4, "{error:e}");
    let mut product = vec![0.0; size];
    multiply_upper(&upper, &solution, &mut product);
    solve_upper(&upper, &mut product);
    assert!(product.iter().zip(&solution).all(|(x, y)| (x - y).abs() < 1e-4));
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let (rows, size) = (420, 200);
    let (all, right) = (matrix(rows, size, 1.1), matrix(rows, 1, 0.7));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| triangularize(&all, size, 210, &right))
    };
    let once = run(1);
    assert!(run(2) == once && run(3) == once);
}

#[test]
fn nothing_changes_nothing_and_zeros_stay() {
    let mut upper = vec![2.0, 1.0, 0.0, 3.0];
    let mut reflectors = Reflectors::new(2);
    reflectors.absorb(&mut upper);
    reflectors.extend(&[0.0; 6], 1.0);
    reflectors.absorb(&mut upper);
    assert_eq!(upper, [2.0, 1.0, 0.0, 3.0]);
    let (mut top, mut bottom) = ([1.0, 2.0], [4.0, 5.0, 6.0]);
    reflectors.apply(&mut top, &mut bottom);
    assert_eq!((top, bottom), ([1.0, 2.0], [4.0, 5.0, 6.0]));
    // What is not finite shows in the triangle.
    reflectors.clear();
    reflectors.extend(&[f64::INFINITY, 0.0], 1.0);
    reflectors.absorb(&mut upper);
    assert!(!norm(&upper).is_finite());
}
