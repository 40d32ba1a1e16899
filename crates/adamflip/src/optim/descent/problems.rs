//! Functions without constraints, for the tests of the methods that descend on them.

use super::super::al::problems::{Analytic, Values};
use super::super::{ConstrainedProblem, Evaluation, Want};

/// Variables of the bowl.
pub(crate) const SIZE: usize = 6;

/// ½θᵀAθ − Σθ with A = diag(1, 4, 9, …) plus ones everywhere: positive definite, condition number about 30.
fn dense(i: usize, j: usize) -> f64 {
    1.0 + if i == j { ((i + 1) * (i + 1)) as f64 } else { 0.0 }
}

pub(crate) fn bowl() -> Analytic {
    Analytic::new("bowl", &[3.0, -1.0, 2.0, 0.5, -2.0, 1.0], |θ| {
        let product: Vec<f64> = (0..SIZE).map(|i| (0..SIZE).map(|j| dense(i, j) * θ[j]).sum()).collect();
        let objective = (0..SIZE).map(|i| θ[i] * (0.5 * product[i] - 1.0)).sum();
        let gradient = product.iter().map(|p| p - 1.0).collect();
        Values { objective, gradient, constraints: vec![], rows: vec![] }
    })
}

/// BFGS as a matrix H, with the exact step gᵀd/dᵀAd: all its points.
pub(crate) fn dense_bfgs(mut θ: Vec<f64>) -> Vec<Vec<f64>> {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let times = |m: &[Vec<f64>], x: &[f64]| m.iter().map(|row| dot(row, x)).collect::<Vec<f64>>();
    let hessian: Vec<Vec<f64>> = (0..SIZE).map(|i| (0..SIZE).map(|j| dense(i, j)).collect()).collect();
    let mut h: Vec<Vec<f64>> =
        (0..SIZE).map(|i| (0..SIZE).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let mut points = vec![];
    for _ in 0..SIZE {
        let g: Vec<f64> = times(&hessian, &θ).iter().map(|p| p - 1.0).collect();
        let d: Vec<f64> = times(&h, &g).iter().map(|x| -x).collect();
        let step = -dot(&g, &d) / dot(&d, &times(&hessian, &d));
        let s: Vec<f64> = d.iter().map(|d| step * d).collect();
        let y = times(&hessian, &s);
        let (hy, sy) = (times(&h, &y), dot(&s, &y));
        for i in 0..SIZE {
            for j in 0..SIZE {
                h[i][j] += (1.0 + dot(&y, &hy) / sy) * s[i] * s[j] / sy - (hy[i] * s[j] + s[i] * hy[j]) / sy;
            }
        }
        θ.iter_mut().zip(&s).for_each(|(θ, s)| *θ += s);
        points.push(θ.clone());
    }
    points
}

/// A sum of (θᵢ − c)⁴ + ½(θᵢ − c)² whose c changes like points that are drawn again.
pub(crate) struct Moving {
    pub(crate) center: f64,
}

impl ConstrainedProblem for Moving {
    fn parameters(&self) -> usize {
        4
    }

    fn constraints(&self) -> usize {
        0
    }

    fn evaluate(&mut self, θ: &[f64], _: Want<'_>, out: &mut Evaluation) {
        let difference = θ.iter().enumerate().map(|(i, θ)| (θ - self.center) * (1.0 + i as f64));
        out.objective = difference.clone().map(|d| d.powi(4) + 0.5 * d * d).sum();
        for (i, (g, d)) in out.gradient.iter_mut().zip(difference).enumerate() {
            *g = (4.0 * d.powi(3) + d) * (1.0 + i as f64);
        }
    }
}

/// Rosenbrock's function of twenty variables, chained: Σ 100(θᵢ₊₁ − θᵢ²)² + (1 − θᵢ)², least at ones.
pub(crate) fn chain() -> Analytic {
    let start: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
    Analytic::new("chain", &start, |θ| {
        let mut values = free(θ.len());
        for i in 0..θ.len() - 1 {
            let (bend, rest) = (θ[i + 1] - θ[i] * θ[i], 1.0 - θ[i]);
            values.objective += 100.0 * bend * bend + rest * rest;
            values.gradient[i] -= 400.0 * θ[i] * bend + 2.0 * rest;
            values.gradient[i + 1] += 200.0 * bend;
        }
        values
    })
}

/// Powell's singular function of twenty variables: the Hessian at its minimum, zero, has half the rank.
pub(crate) fn powell() -> Analytic {
    let start = [3.0, -1.0, 0.0, 1.0].repeat(5);
    Analytic::new("powell", &start, |θ| {
        let mut values = free(θ.len());
        for (θ, g) in θ.chunks_exact(4).zip(values.gradient.chunks_exact_mut(4)) {
            let [a, b] = [θ[0] + 10.0 * θ[1], θ[2] - θ[3]];
            let [c, d] = [θ[1] - 2.0 * θ[2], θ[0] - θ[3]];
            values.objective += a * a + 5.0 * b * b + c.powi(4) + 10.0 * d.powi(4);
            let [e, f] = [4.0 * c.powi(3), 40.0 * d.powi(3)];
            g.copy_from_slice(&[2.0 * a + f, 20.0 * a + e, 10.0 * b - 2.0 * e, -10.0 * b - f]);
        }
        values
    })
}

/// The mean square of a layer of twelve tanh against sin 4x + 0.3 cos 9x at some points; the weights of a
/// unit are its slope, its offset and its share.
pub(crate) struct Fit {
    pub(crate) points: Vec<f64>,
}

impl Fit {
    /// At points that differ from round to round.
    pub(crate) fn new(round: usize) -> Self {
        // Multiples of the golden ratio fill the interval evenly from any offset.
        let place = |i: usize| 2.0 * ((0.618_033_988_749_894_9 * i as f64 + 0.37 * round as f64) % 1.0) - 1.0;
        Self { points: (0..150).map(place).collect() }
    }

    pub(crate) fn start() -> Vec<f64> {
        (0..36).map(|i| [4.0, 3.0, 0.5][i % 3] * (i as f64 * 12.9898).sin()).collect()
    }
}

impl ConstrainedProblem for Fit {
    fn parameters(&self) -> usize {
        36
    }

    fn constraints(&self) -> usize {
        0
    }

    fn evaluate(&mut self, θ: &[f64], _: Want<'_>, out: &mut Evaluation) {
        out.objective = 0.0;
        out.gradient.fill(0.0);
        let share = 1.0 / self.points.len() as f64;
        for x in &self.points {
            let tanh: Vec<f64> = θ.chunks_exact(3).map(|unit| (unit[0] * x + unit[1]).tanh()).collect();
            let value: f64 = θ.chunks_exact(3).zip(&tanh).map(|(unit, tanh)| unit[2] * tanh).sum();
            let residual = value - (4.0 * x).sin() - 0.3 * (9.0 * x).cos();
            out.objective += share * residual * residual;
            for ((g, unit), tanh) in out.gradient.chunks_exact_mut(3).zip(θ.chunks_exact(3)).zip(&tanh) {
                let inside = 2.0 * share * residual * unit[2] * (1.0 - tanh * tanh);
                g[0] += inside * x;
                g[1] += inside;
                g[2] += 2.0 * share * residual * tanh;
            }
        }
    }
}

fn free(size: usize) -> Values {
    Values { objective: 0.0, gradient: vec![0.0; size], constraints: vec![], rows: vec![] }
}
