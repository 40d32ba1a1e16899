//! The method on analytic problems, and its pieces.

mod pieces;
mod problems;
mod runs;
mod steps;

use super::*;

/// Numbers between −½ and ½ without a pattern that matters; the same on every run.
fn number(i: usize) -> f64 {
    let x = (i as f64 * 12.9898 + 4.1).sin() * 43_758.545;
    x - x.floor() - 0.5
}

fn numbers(count: usize, from: usize) -> Vec<f64> {
    (0..count).map(|i| number(from + i)).collect()
}

/// M x = b by elimination with row exchanges; M row-major.
fn solve(mut m: Vec<f64>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| m[i * n + k].abs().total_cmp(&m[j * n + k].abs())).unwrap();
        (0..n).for_each(|j| m.swap(k * n + j, pivot * n + j));
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = m[i * n + k] / m[k * n + k];
            (k..n).for_each(|j| m[i * n + j] -= factor * m[k * n + j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| m[k * n + j] * b[j]).sum();
        b[k] = (b[k] - sum) / m[k * n + k];
    }
    b
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// a + s·b.
fn plus(a: &[f64], s: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + s * b).collect()
}

fn scaled(s: f64, a: &[f64]) -> Vec<f64> {
    a.iter().map(|a| s * a).collect()
}

/// M x, M row-major.
fn times(m: &[f64], x: &[f64]) -> Vec<f64> {
    m.chunks_exact(x.len()).map(|row| dot(row, x)).collect()
}

/// Mᵀ w for rows of this length.
fn transposed_times(m: &[f64], w: &[f64], columns: usize) -> Vec<f64> {
    (0..columns).map(|j| w.iter().enumerate().map(|(i, w)| w * m[i * columns + j]).sum()).collect()
}

/// (M Mᵀ)⁻¹ b.
fn solve_gram(m: &[f64], b: &[f64], columns: usize) -> Vec<f64> {
    let rows: Vec<&[f64]> = m.chunks_exact(columns).collect();
    let gram = rows.iter().flat_map(|x| rows.iter().map(|y| dot(x, y))).collect();
    solve(gram, b.to_vec())
}

fn furthest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
