//! Against problems that are sums of squares with known solutions.

use super::super::{
    Block, ConstrainedProblem, Evaluation, Form as ResidualForm, GaussNewton, NewtonFlip, NewtonFlipSettings,
    NewtonSettings, Optimizer, ResidualBlock, ResidualRole, VisitRows, Want,
};
use super::*;

/// f = ‖Aθ − a‖² subject to Bθ = b, rows of A and B without a pattern.
pub(super) struct Linear {
    pub(super) size: usize,
    pub(super) residuals: Vec<f64>,
    pub(super) values: Vec<f64>,
    pub(super) constraints: Vec<f64>,
    pub(super) targets: Vec<f64>,
    block: Block,
}

pub(super) fn sines(count: usize, shift: f64) -> Vec<f64> {
    (0..count).map(|at| ((at * at) as f64 * 0.7391 + shift).sin()).collect()
}

impl Linear {
    pub(super) fn new(size: usize, residuals: usize, constraints: usize) -> Self {
        Self {
            size,
            residuals: sines(residuals * size, 0.1),
            values: sines(residuals, 0.2),
            constraints: sines(constraints * size, 0.3),
            targets: sines(constraints, 0.4),
            block: Block::residuals(constraints),
        }
    }

    /// The same constraints once more.
    fn doubled(mut self) -> Self {
        self.constraints.extend_from_within(..);
        self.targets.extend_from_within(..);
        self.block = Block::residuals(self.targets.len());
        self
    }

    pub(super) fn misfit(&self, rows: &[f64], targets: &[f64], θ: &[f64]) -> Vec<f64> {
        rows.chunks_exact(self.size).zip(targets).map(|(row, target)| dot(row, θ) - target).collect()
    }

    /// The solution of the KKT system, by elimination with pivots.
    pub(super) fn solution(&self) -> Vec<f64> {
        let (n, m) = (self.size, self.targets.len());
        let mut system = vec![vec![0.0; n + m + 1]; n + m];
        for (row, value) in self.residuals.chunks_exact(n).zip(&self.values) {
            for i in 0..n {
                (0..n).for_each(|j| system[i][j] += 2.0 * row[i] * row[j]);
                system[i][n + m] += 2.0 * row[i] * value;
            }
        }
        for (k, row) in self.constraints.chunks_exact(n).enumerate() {
            for i in 0..n {
                (system[i][n + k], system[n + k][i]) = (row[i], row[i]);
            }
            system[n + k][n + m] = self.targets[k];
        }
        for i in 0..n + m {
            let pivot =
                (i..n + m).max_by(|&a, &b| system[a][i].abs().total_cmp(&system[b][i].abs())).unwrap();
            system.swap(i, pivot);
            let (above, below) = system.split_at_mut(i + 1);
            for row in below {
                let factor = row[i] / above[i][i];
                row.iter_mut().zip(&above[i]).for_each(|(x, y)| *x -= factor * y);
            }
        }
        let mut solution = vec![0.0; n + m];
        for i in (0..n + m).rev() {
            let known: f64 = (i + 1..n + m).map(|j| system[i][j] * solution[j]).sum();
            solution[i] = (system[i][n + m] - known) / system[i][i];
        }
        solution.truncate(n);
        solution
    }
}

impl ConstrainedProblem for Linear {
    fn parameters(&self) -> usize {
        self.size
    }

    fn constraints(&self) -> usize {
        self.targets.len()
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        vec![self.block]
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let r = self.misfit(&self.residuals, &self.values, θ);
        out.objective = dot(&r, &r);
        out.constraints.copy_from_slice(&self.misfit(&self.constraints, &self.targets, θ));
        if want != Want::Values {
            out.gradient.fill(0.0);
            for (row, r) in self.residuals.chunks_exact(self.size).zip(&r) {
                add_scaled(&mut out.gradient, 2.0 * r, row);
            }
            out.jacobian.rows_mut().copy_from_slice(&self.constraints);
        }
    }

    fn add_gauss_newton(&mut self, _θ: &[f64], _weights: &[f64], lower: &mut [f64]) {
        for row in self.residuals.chunks_exact(self.size) {
            for (i, j) in (0..self.size).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                lower[i * self.size + j] += 2.0 * row[i] * row[j];
            }
        }
    }

    fn residual_blocks(&self) -> Vec<ResidualBlock> {
        let form = ResidualForm::MeanSquare;
        vec![ResidualBlock { role: ResidualRole::Objective, weight: 1.0, form, size: self.values.len() }]
    }

    fn visit_rows(&mut self, θ: &[f64], visit: &mut VisitRows<'_>) {
        let r = self.misfit(&self.residuals, &self.values, θ);
        let half = r.len() / 2;
        visit(0, &r[..half], &self.residuals[..half * self.size]);
        visit(half, &r[half..], &self.residuals[half * self.size..]);
    }
}

/// Without damping, and with constraints so hard that three rounds of multipliers leave nothing of h.
pub(super) fn whole() -> NewtonFlipSettings {
    let newton = NewtonSettings { damping: 1e-18, least_damping: 0.0, ..NewtonSettings::default() };
    NewtonFlipSettings { newton, hardness: 1e3, ..NewtonFlipSettings::default() }
}

#[test]
fn linear_problems_with_linear_constraints_are_solved_in_a_few_steps() {
    for (size, residuals, constraints) in [(3, 5, 1), (20, 40, 7), (150, 200, 30), (40, 30, 10), (10, 12, 10)]
    {
        let mut problem = Linear::new(size, residuals, constraints);
        let solution = problem.solution();
        let mut θ = sines(size, 0.9);
        let mut optimizer = NewtonFlip::new(whole(), size, &problem.constraint_blocks());
        assert_eq!(optimizer.step(&mut problem, &mut θ).refused, 0.0);
        for _ in 0..9 {
            optimizer.step(&mut problem, &mut θ);
        }
        let error = θ.iter().zip(&solution).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        let size_of = norm(&solution);
        // Rounding times the condition number of the normal equations, some ten thousand.
        assert!(error < 1e-8 * (1.0 + size_of), "{size}: {error:e}");
        let h = problem.misfit(&problem.constraints, &problem.targets, &θ);
        // Where the merit falls no more to rounding.
        assert!(norm(&h) < 1e-9 * (1.0 + size_of), "{size}: {:e}", norm(&h));
    }
}

/// Twice the same rows: the row space has their rank, and the step is the same.
#[test]
fn redundant_constraints_change_nothing() {
    let (mut once, mut twice) = (Linear::new(30, 50, 8), Linear::new(30, 50, 8).doubled());
    let step = |problem: &mut Linear| {
        let mut θ = vec![0.5; 30];
        let mut optimizer = NewtonFlip::new(whole(), 30, &problem.constraint_blocks());
        optimizer.diagnose(true);
        let report = (0..6).map(|_| optimizer.step(problem, &mut θ)).last().unwrap();
        (θ, report.rank)
    };
    let ((first, rank), (second, same_rank)) = (step(&mut once), step(&mut twice));
    assert_eq!((rank, same_rank), (8.0, 8.0));
    assert!(first.iter().zip(&second).all(|(x, y)| (x - y).abs() < 1e-10));
}

#[test]
fn multipliers_and_kkt_are_those_of_the_solution() {
    let mut problem = Linear::new(20, 40, 7);
    let mut θ = vec![0.0; 20];
    let mut optimizer = NewtonFlip::new(whole(), 20, &problem.constraint_blocks());
    let first = optimizer.step(&mut problem, &mut θ);
    let second = optimizer.step(&mut problem, &mut θ);
    optimizer.step(&mut problem, &mut θ);
    optimizer.diagnose(true);
    let last = optimizer.step(&mut problem, &mut θ);
    assert!(first.kkt > 1.0 && last.kkt < 1e-10, "{} {}", first.kkt, last.kkt);
    let mut at = Evaluation::new(20, 7);
    problem.evaluate(&θ, Want::Gradients, &mut at);
    let whole = norm(&at.gradient);
    at.jacobian.add_transposed(optimizer.multipliers(), &mut at.gradient);
    // The damping, a millionth of the largest eigenvalue, over the smallest.
    assert!(norm(&at.gradient) < 1e-5 * whole, "{:e} {whole}", norm(&at.gradient));
    // Every part of h is gone, as the step promised.
    assert!((first.predicted - 1.0).abs() < 1e-6 && (second.actual - 1.0).abs() < 1e-6);
}

/// The unconstrained method on the weighted sum: exact too, and with a large weight near the constrained
/// solution.
#[test]
fn weighted_sums_of_squares_are_solved_in_one_step() {
    let mut problem = Linear::new(20, 40, 7);
    let penalty = 1e8f64;
    let settings = NewtonSettings {
        penalty,
        damping: 1e-18,
        least_damping: 0.0,
        memory: 0.5,
        ..NewtonSettings::default()
    };
    let mut optimizer = GaussNewton::new(settings, 20, &problem.constraint_blocks());
    let mut θ = vec![0.0; 20];
    optimizer.step(&mut problem, &mut θ);
    let again = optimizer.step(&mut problem, &mut θ);
    let mut at = Evaluation::new(20, 7);
    problem.evaluate(&θ, Want::Gradients, &mut at);
    let weights: Vec<f64> = at.constraints.iter().map(|h| 2.0 * penalty / 7.0 * h).collect();
    at.jacobian.add_transposed(&weights, &mut at.gradient);
    // Rounding of gradients of size 1e8.
    assert!(norm(&at.gradient) < 1e-5 && again.gradient_norm < 1e-5, "{}", norm(&at.gradient));
    let error = θ.iter().zip(problem.solution()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    // Multipliers of some ten over the weight.
    assert!(error < 1e-5, "{error}");
}

/// Rosenbrock's function as a sum of two squares, on the unit circle or at a mean square of the circle's
/// equation.
struct Rosenbrock {
    aggregated: bool,
}

impl ConstrainedProblem for Rosenbrock {
    fn parameters(&self) -> usize {
        2
    }

    fn constraints(&self) -> usize {
        1
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        vec![if self.aggregated { Block::mean_squares(1) } else { Block::residuals(1) }]
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let (x, y) = (θ[0], θ[1]);
        out.objective = 100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2);
        let c = x * x + y * y - 1.0;
        out.constraints[0] = if self.aggregated { c * c } else { c };
        if want != Want::Values {
            let valley = 200.0 * (y - x * x);
            out.gradient.copy_from_slice(&[-2.0 * x * valley - 2.0 * (1.0 - x), valley]);
            let factor = if self.aggregated { 2.0 * c } else { 1.0 };
            out.jacobian.rows_mut().copy_from_slice(&[factor * 2.0 * x, factor * 2.0 * y]);
        }
    }

    fn add_gauss_newton(&mut self, θ: &[f64], weights: &[f64], lower: &mut [f64]) {
        let mut add = |weight: f64, row: [f64; 2]| {
            lower[0] += 2.0 * weight * row[0] * row[0];
            lower[2] += 2.0 * weight * row[0] * row[1];
            lower[3] += 2.0 * weight * row[1] * row[1];
        };
        add(1.0, [-20.0 * θ[0], 10.0]);
        add(1.0, [-1.0, 0.0]);
        if self.aggregated {
            add(weights[0], [2.0 * θ[0], 2.0 * θ[1]]);
        }
    }
}

#[test]
fn curved_constraints_are_met_quadratically() {
    for start in [[0.5, 1.5], [1.2, 0.3], [0.1, 0.9]] {
        let (mut problem, mut θ) = (Rosenbrock { aggregated: false }, start);
        let mut optimizer = NewtonFlip::new(NewtonFlipSettings::default(), 2, &problem.constraint_blocks());
        for _ in 0..60 {
            optimizer.step(&mut problem, &mut θ);
        }
        assert!((θ[0] - 0.786415).abs() < 1e-6 && (θ[1] - 0.617698).abs() < 1e-6, "{start:?}: {θ:?}");
        // Where the merit falls no more to rounding, 1e-16, h is its root over the penalty's.
        let h = θ[0] * θ[0] + θ[1] * θ[1] - 1.0;
        assert!(h.abs() < 1e-8, "{start:?}: {h:e}");
    }
}

/// With the constraint as a mean square in the sum, the minimum lies beside the circle by λ/(2p) to first
/// order.
#[test]
fn mean_squares_have_their_curvature_in_the_sum() {
    let (mut problem, mut θ) = (Rosenbrock { aggregated: true }, [0.5, 1.5]);
    let settings = NewtonSettings { penalty: 1e4, ..NewtonSettings::default() };
    let mut optimizer = GaussNewton::new(settings, 2, &problem.constraint_blocks());
    let mut last = f64::NAN;
    for _ in 0..60 {
        last = optimizer.step(&mut problem, &mut θ).gradient_norm;
    }
    assert!(last < 1e-6, "{last}");
    assert!((θ[0] - 0.786415).abs() < 1e-4 && (θ[1] - 0.617698).abs() < 1e-4, "{θ:?}");
}

#[test]
fn at_the_solution_it_says_so_and_stays() {
    let mut problem = Linear::new(20, 40, 7);
    let mut θ = problem.solution();
    let mut optimizer = NewtonFlip::new(whole(), 20, &problem.constraint_blocks());
    for _ in 0..12 {
        optimizer.step(&mut problem, &mut θ);
    }
    assert_eq!(optimizer.end(), Some(End::Converged));
    let error = θ.iter().zip(problem.solution()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(error < 1e-11, "{error}");
}

#[test]
fn numbers_that_are_not_finite_leave_everything_as_it_is() {
    let mut problem = Linear::new(3, 5, 1);
    let mut optimizer = NewtonFlip::new(whole(), 3, &problem.constraint_blocks());
    let before = optimizer.state();
    let mut θ = [f64::NAN, 0.0, 1.0];
    let report = optimizer.step(&mut problem, &mut θ);
    assert!(report.objective.is_nan() && report.step_norm == 0.0 && θ[2] == 1.0);
    assert_eq!(format!("{before:?}"), format!("{:?}", optimizer.state()));
}

/// A problem whose values are finite and whose rows are not.
struct Broken(Linear);

impl ConstrainedProblem for Broken {
    fn parameters(&self) -> usize {
        self.0.parameters()
    }

    fn constraints(&self) -> usize {
        self.0.constraints()
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        self.0.constraint_blocks()
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        self.0.evaluate(θ, want, out);
        if want != Want::Values {
            out.jacobian.rows_mut()[0] = f64::INFINITY;
        }
    }
}

#[test]
fn rows_that_are_not_finite_show_in_the_report() {
    let mut problem = Broken(Linear::new(3, 5, 1));
    let mut θ = [0.5, 0.0, 1.0];
    let report = NewtonFlip::new(whole(), 3, &problem.constraint_blocks()).step(&mut problem, &mut θ);
    assert!(report.objective.is_finite() && report.violation.is_finite() && report.gradient_norm.is_nan());
    assert_eq!(θ, [0.5, 0.0, 1.0]);
}

#[test]
fn a_state_that_does_not_fit_changes_nothing() {
    let mut newton = Newton::new(NewtonSettings::default(), None, 3, &[]);
    let before = newton.state();
    let other = Newton::new(NewtonSettings::default(), None, 4, &[]).state();
    let other: Vec<(String, Vec<f64>)> =
        other.into_iter().map(|(name, list)| (name.to_owned(), list)).collect();
    assert!(!newton.restore(&other));
    assert_eq!(format!("{before:?}"), format!("{:?}", newton.state()));
}
