//! Problems made to freeze a step of two parts: each has a reason why the way to the constraints climbs, or
//! why the model refuses it.

use super::super::{
    Block, ConstrainedProblem, End, Evaluation, NewtonFlip, NewtonFlipSettings, Optimizer, Want,
};
use crate::linalg::{dot, norm};

type Function = Box<dyn Fn(&[f64]) -> Vec<f64>>;

/// f = ‖r(θ)‖² subject to h(θ) = 0, with derivatives by central differences: exact to 1e-9, which is enough
/// here.
struct Squares {
    size: usize,
    residuals: Function,
    constraints: Function,
    count: usize,
}

impl Squares {
    fn new(
        size: usize,
        residuals: impl Fn(&[f64]) -> Vec<f64> + 'static,
        constraints: impl Fn(&[f64]) -> Vec<f64> + 'static,
    ) -> Self {
        let count = constraints(&vec![0.5; size]).len();
        Self { size, residuals: Box::new(residuals), constraints: Box::new(constraints), count }
    }

    /// One row for each value.
    fn rows(function: &Function, θ: &[f64]) -> Vec<f64> {
        let columns: Vec<Vec<f64>> = (0..θ.len())
            .map(|i| {
                let width = 1e-5 * (1.0 + θ[i].abs());
                let moved = |by: f64| {
                    let mut θ = θ.to_vec();
                    θ[i] += by;
                    function(&θ)
                };
                let (above, below) = (moved(width), moved(-width));
                above.iter().zip(&below).map(|(above, below)| (above - below) / (2.0 * width)).collect()
            })
            .collect();
        let count = columns.first().map_or(0, Vec::len);
        (0..count).flat_map(|row| columns.iter().map(move |column| column[row])).collect()
    }
}

impl ConstrainedProblem for Squares {
    fn parameters(&self) -> usize {
        self.size
    }

    fn constraints(&self) -> usize {
        self.count
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        vec![Block::residuals(self.count)]
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let r = (self.residuals)(θ);
        out.objective = dot(&r, &r);
        out.constraints.copy_from_slice(&(self.constraints)(θ));
        if want != Want::Values {
            out.gradient.fill(0.0);
            for (row, r) in Self::rows(&self.residuals, θ).chunks_exact(self.size).zip(&r) {
                out.gradient.iter_mut().zip(row).for_each(|(g, x)| *g += 2.0 * r * x);
            }
            out.jacobian.rows_mut().copy_from_slice(&Self::rows(&self.constraints, θ));
        }
    }

    fn add_gauss_newton(&mut self, θ: &[f64], _weights: &[f64], lower: &mut [f64]) {
        for row in Self::rows(&self.residuals, θ).chunks_exact(self.size) {
            for (i, j) in (0..self.size).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                lower[i * self.size + j] += 2.0 * row[i] * row[j];
            }
        }
    }
}

/// Where a run of this many steps ends, and the longest row of steps without length before the end of all
/// progress.
fn run(problem: &mut Squares, start: &[f64], steps: usize) -> (Vec<f64>, usize, Option<End>) {
    let mut θ = start.to_vec();
    let mut optimizer = NewtonFlip::new(NewtonFlipSettings::default(), θ.len(), &problem.constraint_blocks());
    let (mut frozen, mut longest) = (0, 0);
    for _ in 0..steps {
        let report = optimizer.step(problem, &mut θ);
        assert!(θ.iter().all(|x| x.is_finite()));
        // At a solution, to the precision of the differences, there is no step to take: that is no freeze.
        let solved = report.kkt < 1e-4 * (1.0 + report.gradient_norm) && report.violation < 1e-4;
        frozen = if report.step_norm == 0.0 && !solved { frozen + 1 } else { 0 };
        longest = longest.max(frozen);
    }
    (θ, longest, optimizer.end())
}

fn violation(problem: &Squares, θ: &[f64]) -> f64 {
    norm(&(problem.constraints)(θ))
}

/// Six directions that h feels less and less, with an objective that is steepest where h is faintest.
#[test]
fn faint_row_spaces() {
    let faint = |i: usize| 10f64.powi(-(i as i32));
    let residuals =
        |θ: &[f64]| θ.iter().enumerate().map(|(i, x)| 3.0 * (i + 1) as f64 * (x + 2.0).sin()).collect();
    let constraints = move |θ: &[f64]| θ.iter().enumerate().map(|(i, x)| faint(i) * (x - 1.0)).collect();
    let mut problem = Squares::new(6, residuals, constraints);
    let before = violation(&problem, &[4.0; 6]);
    let (θ, longest, _) = run(&mut problem, &[4.0; 6], 400);
    assert!(longest <= 1, "{longest} steps in a row without length");
    // What is felt at all is met; the faintest, a millionth, may be left to the objective.
    assert!(violation(&problem, &θ) < 1e-3 * before, "{θ:?}");
}

/// Along the way to h = 0 the objective grows by four orders of magnitude: nᵀHn is what froze Helmholtz'
/// equation.
#[test]
fn a_normal_step_that_the_objective_resists() {
    let residuals = |θ: &[f64]| vec![1e2 * (θ[0] * θ[0] + θ[1] - 3.0), θ[1] - 0.5 * θ[2], 0.1 * θ[2]];
    let constraints = |θ: &[f64]| vec![1e-2 * (θ[0] - 10.0 + 0.1 * θ[2])];
    let mut problem = Squares::new(3, residuals, constraints);
    let (θ, longest, _) = run(&mut problem, &[0.0, 0.0, 0.0], 300);
    assert!(longest <= 1, "{longest} steps in a row without length");
    assert!(violation(&problem, &θ) < 1e-6, "{θ:?}: {:e}", violation(&problem, &θ));
}

#[test]
fn constraints_far_from_met() {
    let residuals = |θ: &[f64]| vec![10.0 * (θ[1] - θ[0] * θ[0]), 1.0 - θ[0]];
    let constraints = |θ: &[f64]| vec![θ[0] * θ[0] + θ[1] * θ[1] - 1.0];
    for start in [[100.0, -50.0], [-1e3, 1e3], [1e-3, 1e4]] {
        let mut problem = Squares::new(2, residuals, constraints);
        let (θ, longest, _) = run(&mut problem, &start, 300);
        assert!(longest <= 1, "{start:?}: {longest} steps in a row without length");
        // Rounding of the merit, 1e-16 of f = 3, over the weight of h².
        assert!(violation(&problem, &θ) < 1e-6, "{start:?}: {θ:?}");
    }
}

/// x = 1 and x = 2: the least violation is between them, and the other parameter is free to minimise f.
#[test]
fn inconsistent_constraints_are_violated_as_little_as_possible() {
    let residuals = |θ: &[f64]| vec![θ[1] - 3.0 * θ[0]];
    let constraints = |θ: &[f64]| vec![θ[0] - 1.0, θ[0] - 2.0, 2.0 * θ[0] - 3.0];
    let mut problem = Squares::new(2, residuals, constraints);
    let (θ, _, end) = run(&mut problem, &[-4.0, 7.0], 100);
    assert_eq!(end, Some(End::Infeasible));
    assert!((θ[0] - 1.5).abs() < 1e-6 && (θ[1] - 4.5).abs() < 1e-5, "{θ:?}");
}

/// A saturated unit: all derivatives are 1e-4 of what they are a few units away.
#[test]
fn a_plateau_is_left() {
    let residuals = |θ: &[f64]| vec![0.1 * (θ[1] - θ[0] - 1.0)];
    let constraints = |θ: &[f64]| vec![θ[1].tanh() - 0.3];
    let mut problem = Squares::new(2, residuals, constraints);
    let (θ, longest, _) = run(&mut problem, &[4.5, 4.5], 300);
    assert!(longest <= 1, "{longest}");
    assert!(violation(&problem, &θ) < 1e-8, "{θ:?}");
}

/// Every equation times a number of its own: the same steps, to rounding.
#[test]
fn units_of_equations_do_not_matter() {
    let with = |first: f64, second: f64, objective: f64| {
        let residuals = move |θ: &[f64]| vec![objective * (θ[0] * θ[1] - 2.0), objective * (θ[2] - 1.0)];
        let constraints =
            move |θ: &[f64]| vec![first * (θ[0] * θ[0] - θ[1]), second * (θ[0] + θ[1] + θ[2] - 3.0)];
        let mut problem = Squares::new(3, residuals, constraints);
        let mut θ = vec![0.3, 0.7, -0.4];
        let mut optimizer = NewtonFlip::new(NewtonFlipSettings::default(), 3, &problem.constraint_blocks());
        optimizer = optimizer.with_equations(&[0, 1]);
        for _ in 0..12 {
            optimizer.step(&mut problem, &mut θ);
        }
        θ
    };
    let plain = with(1.0, 1.0, 1.0);
    for units in [(1e3, 1.0, 1.0), (1.0, 1e-3, 1.0), (30.0, 1e3, 1e-3)] {
        let other = with(units.0, units.1, units.2);
        let apart = plain.iter().zip(&other).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        // Derivatives by differences, through twelve steps.
        assert!(apart < 1e-6, "{units:?}: {apart:e}");
    }
}
