//! Against the dense step, problems with fewer residuals than parameters, and the formula of the momentum.

use super::super::residuals::VisitRows;
use super::super::{
    Block, ConstrainedProblem, Evaluation, Form, KrylovSettings, NewtonCg, NewtonCgSettings, NewtonFlip,
    NewtonFlipSettings, NewtonRows, NewtonRowsSettings, NewtonSettings, Optimizer, ResidualBlock,
    ResidualRole, Want,
};
use super::nystrom::Nystrom;
use super::rows::Residuals;
use super::*;

/// r_i = a_i·θ + κ/2 (b_i·θ)² − c_i: the first ones make f, the others are constraints.
pub(crate) struct Curved {
    pub(crate) parameters: usize,
    pub(crate) objective: usize,
    pub(crate) constraints: usize,
    pub(crate) curvature: f64,
    rows: [Vec<f64>; 2],
    targets: Vec<f64>,
}

/// Numbers without a pattern.
fn sines(count: usize, shift: f64) -> Vec<f64> {
    (0..count).map(|at| ((at * at) as f64 * 0.7391 + shift).sin()).collect()
}

impl Curved {
    pub(crate) fn new(parameters: usize, objective: usize, constraints: usize, curvature: f64) -> Self {
        let count = objective + constraints;
        let rows = [sines(count * parameters, 0.1), sines(count * parameters, 0.5)];
        Self { parameters, objective, constraints, curvature, rows, targets: sines(count, 0.2) }
    }

    /// r and its rows.
    pub(crate) fn linear(&self, θ: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let [straight, bent] = [&self.rows[0], &self.rows[1]].map(|rows| rows.chunks_exact(self.parameters));
        let (mut values, mut all) = (Vec::new(), Vec::new());
        for ((straight, bent), target) in straight.zip(bent).zip(&self.targets) {
            let along = dot(bent, θ);
            values.push(dot(straight, θ) + 0.5 * self.curvature * along * along - target);
            all.extend(straight.iter().zip(bent).map(|(x, y)| x + self.curvature * along * y));
        }
        (values, all)
    }
}

impl ConstrainedProblem for Curved {
    fn parameters(&self) -> usize {
        self.parameters
    }

    fn constraints(&self) -> usize {
        self.constraints
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        vec![Block::residuals(self.constraints)]
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let (values, rows) = self.linear(θ);
        let (own, constraints) = values.split_at(self.objective);
        out.objective = dot(own, own);
        out.constraints.copy_from_slice(constraints);
        if want != Want::Values {
            out.gradient.fill(0.0);
            let (first, others) = rows.split_at(self.objective * self.parameters);
            for (r, row) in own.iter().zip(first.chunks_exact(self.parameters)) {
                add_scaled(&mut out.gradient, 2.0 * r, row);
            }
            out.jacobian.rows_mut().copy_from_slice(others);
        }
    }

    fn residual_blocks(&self) -> Vec<ResidualBlock> {
        let block = |role, form, size| ResidualBlock { role, weight: 1.0, form, size };
        vec![
            block(ResidualRole::Objective, Form::MeanSquare, self.objective),
            block(ResidualRole::Constraint(0), Form::Residuals, self.constraints),
        ]
    }

    fn visit_rows(&mut self, θ: &[f64], visit: &mut VisitRows<'_>) {
        let (values, rows) = self.linear(θ);
        visit(0, &values, &rows);
    }
}

const PENALTY: f64 = 7.0;

fn levenberg(damping: f64) -> LevenbergSettings {
    LevenbergSettings { damping, penalty: PENALTY, fixed: true, ..LevenbergSettings::default() }
}

/// Conjugate gradients to rounding.
fn exact() -> KrylovSettings {
    KrylovSettings { iterations: 2_000, tolerance: 1e-14, rank: 10, refresh: 3 }
}

/// Five steps by the dense matrix, by rows and by conjugate gradients are the same, with as many residuals as
/// parameters, more and fewer.
#[test]
fn steps_are_those_of_the_dense_matrix() {
    for (parameters, objective, constraints) in [(20, 40, 7), (40, 20, 5), (30, 25, 5)] {
        let make = || Curved::new(parameters, objective, constraints, 0.05);
        let count = objective + constraints;
        // The dense form has the damping as a share of tr(H)/P.
        let share = 1e-2 * count.min(parameters) as f64 / parameters as f64;
        let newton =
            NewtonSettings { penalty: PENALTY, damping: 1e-2, memory: 0.0, ..NewtonSettings::default() };
        let dense = NewtonFlipSettings { newton, fixed: true, ..NewtonFlipSettings::default() };
        let rows = NewtonRowsSettings { levenberg: levenberg(share) };
        let krylov = NewtonCgSettings { levenberg: levenberg(share), krylov: exact() };
        let mut methods: [Box<dyn Optimizer>; 3] = [
            Box::new(NewtonFlip::new(dense, parameters, &make().constraint_blocks())),
            Box::new(NewtonRows::new(rows, &make())),
            Box::new(NewtonCg::new(krylov, &make())),
        ];
        let ends = methods.each_mut().map(|method| {
            let (mut problem, mut θ) = (make(), vec![0.3; parameters]);
            let reports: Vec<_> = (0..5).map(|_| method.step(&mut problem, &mut θ)).collect();
            (θ, reports, method.multipliers().to_vec())
        });
        let [(θ, reports, λ), others @ ..] = ends;
        for (other, same, multipliers) in others {
            // Rounding times the condition of H + μI, up to 1e7 after five steps that lower μ.
            let near = |x: f64, y: f64| (x - y).abs() < 1e-6 * (1.0 + x.abs());
            assert!(θ.iter().zip(&other).all(|(x, y)| near(*x, *y)), "{parameters}: {θ:?} {other:?}");
            assert!(λ.iter().zip(&multipliers).all(|(x, y)| near(*x, *y)), "{λ:?} {multipliers:?}");
            for (one, other) in reports.iter().zip(&same) {
                assert_eq!(one.refused, other.refused);
                assert!(
                    near(one.objective, other.objective) && near(one.kkt, other.kkt),
                    "{one:?} {other:?}"
                );
                assert!(near(one.damping, other.damping), "{one:?} {other:?}");
                // Of an h that is rounding the share that a step removes is rounding, too.
                let promised = one.violation < 1e-9 || near(one.predicted, other.predicted);
                assert!(promised, "{one:?} {other:?}");
            }
        }
    }
}

/// 30 residuals and 5 constraints of 200 parameters, linear: the least norm away, all of them vanish.
#[test]
fn fewer_residuals_than_parameters_vanish_in_a_few_steps() {
    let mut problem = Curved::new(200, 30, 5, 0.0);
    let krylov = NewtonCgSettings { krylov: exact(), ..NewtonCgSettings::default() };
    let methods: [Box<dyn Optimizer>; 2] = [
        Box::new(NewtonRows::new(NewtonRowsSettings::default(), &problem)),
        Box::new(NewtonCg::new(krylov, &problem)),
    ];
    for mut method in methods {
        let mut θ = vec![0.0; 200];
        (0..8).for_each(|_| _ = method.step(&mut problem, &mut θ));
        let largest = problem.linear(&θ).0.iter().fold(0.0, |most: f64, r| most.max(r.abs()));
        // μ falls threefold and faster from a thousandth of the mean eigenvalue: eight steps leave less than
        // rounding of 200 products.
        assert!(largest < 1e-11, "{largest:e}");
    }
}

/// Curved constraints under a curved objective that cannot vanish: KKT holds at the end.
#[test]
fn constraints_are_met_and_kkt_holds() {
    let mut problem = Curved::new(20, 40, 7, 0.1);
    let krylov = NewtonCgSettings { krylov: exact(), ..NewtonCgSettings::default() };
    let methods: [Box<dyn Optimizer>; 2] = [
        Box::new(NewtonRows::new(NewtonRowsSettings::default(), &problem)),
        Box::new(NewtonCg::new(krylov, &problem)),
    ];
    for mut method in methods {
        let mut θ = vec![0.1; 20];
        for _ in 0..60 {
            method.step(&mut problem, &mut θ);
        }
        let mut at = Evaluation::new(20, 7);
        problem.evaluate(&θ, Want::Gradients, &mut at);
        // Where the merit falls no more to rounding, h is its root over that of the penalty's.
        assert!(at.violation() < 1e-6, "{:e}", at.violation());
        let whole = norm(&at.gradient);
        at.jacobian.add_transposed(method.multipliers(), &mut at.gradient);
        assert!(norm(&at.gradient) < 1e-5 * whole, "{:e} of {whole}", norm(&at.gradient));
    }
}

/// Of a matrix whose rank is less than its own the approximation is the matrix, and the preconditioner its
/// inverse but for a factor.
#[test]
fn nystrom_inverts_matrices_of_its_rank() {
    let mut problem = Curved::new(700, 12, 0, 0.0);
    let θ = vec![0.0; 700];
    let mut rows = Residuals::default();
    rows.arrange(&problem);
    assert!(rows.measure(&mut problem, &θ));
    rows.weigh(&[]);
    let mut weighted = rows.weighted(&mut problem, &θ);
    let (mut nystrom, mut along) = (Nystrom::new(20, 700), vec![0.0; 12]);
    nystrom.build(&mut weighted, 3, &mut along);
    let μ = 0.1;
    let x = sines(700, 0.7);
    let (mut image, mut back) = (vec![0.0; 700], vec![0.0; 700]);
    weighted.times(&x, &mut along);
    weighted.transposed(&along, &mut image);
    add_scaled(&mut image, μ, &x);
    nystrom.apply(μ, &image, &mut back);
    let worst = back.iter().zip(&x).map(|(back, x)| (back / μ - x).abs()).fold(0.0, f64::max);
    // Eigenvalues that vanish come out as rounding of the trace, some 1e-11 of 8,000, which counts beside μ.
    assert!(worst < 1e-8, "{worst:e}");
}

/// The momentum is that of SPRING: d = βd′ − R̃ᵀ(R̃R̃ᵀ + μI)⁻¹(r̃ + βR̃d′), by elimination.
#[test]
fn momentum_starts_from_the_step_before() {
    use super::super::tests::problems::solve;
    let mut problem = Curved::new(9, 4, 0, 0.0);
    let settings = LevenbergSettings { momentum: 0.5, damping: 10.0, ..LevenbergSettings::default() };
    let mut method = NewtonRows::new(NewtonRowsSettings { levenberg: settings }, &problem);
    let mut θ = vec![0.4; 9];
    let start = θ.clone();
    method.step(&mut problem, &mut θ);
    let before: Vec<f64> = θ.iter().zip(&start).map(|(x, y)| x - y).collect();
    let middle = θ.clone();
    let report = method.step(&mut problem, &mut θ);
    // f = ‖r‖² is ½‖√2 r‖².
    let (values, rows) = problem.linear(&middle);
    let row = |i: usize| &rows[i * 9..(i + 1) * 9];
    let entry = |i: usize, k: usize| 2.0 * dot(row(i), row(k)) + if i == k { report.damping } else { 0.0 };
    let right = (0..4).map(|i| 2f64.sqrt() * (values[i] + 0.5 * dot(row(i), &before))).collect();
    let weights = solve((0..4).map(|i| (0..4).map(|k| entry(i, k)).collect()).collect(), right);
    let mut expected: Vec<f64> = middle.iter().zip(&before).map(|(x, y)| x + 0.5 * y).collect();
    (0..4).for_each(|i| add_scaled(&mut expected, -(2f64.sqrt()) * weights[i], row(i)));
    assert!(θ.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-12), "{θ:?} {expected:?}");
    assert_eq!(report.refused, 0.0);
}

#[test]
fn numbers_that_are_not_finite_leave_everything_as_it_is() {
    let mut problem = Curved::new(6, 4, 2, 0.1);
    let mut method = NewtonRows::new(NewtonRowsSettings::default(), &problem);
    let mut θ = [f64::NAN, 0.0, 1.0, 0.0, 0.0, 0.0];
    let before = format!("{:?}", method.state());
    let report = method.step(&mut problem, &mut θ);
    assert!(report.objective.is_nan() && report.step_norm == 0.0 && θ[2] == 1.0);
    assert_eq!(before, format!("{:?}", method.state()));
}

/// x₀ = 0 and x₀ = 1 at once under f = (x₁ − 2)².
struct Contradictory;

impl ConstrainedProblem for Contradictory {
    fn parameters(&self) -> usize {
        2
    }

    fn constraints(&self) -> usize {
        2
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        out.objective = (θ[1] - 2.0).powi(2);
        out.constraints.copy_from_slice(&[θ[0], θ[0] - 1.0]);
        if want != Want::Values {
            out.gradient.copy_from_slice(&[0.0, 2.0 * (θ[1] - 2.0)]);
            match want {
                Want::Combination(w) => out.gradient[0] += w[0] + w[1],
                _ => out.jacobian.rows_mut().copy_from_slice(&[1.0, 0.0, 1.0, 0.0]),
            }
        }
    }
}

/// f is told by its gradient alone here: it is brought to its minimum all the same, and the constraints to
/// their least violation.
#[test]
fn contradictions_end_as_infeasible_and_f_need_not_be_squares() {
    let mut method = NewtonRows::new(NewtonRowsSettings::default(), &Contradictory);
    let mut θ = [3.0, -1.0];
    for _ in 0..200 {
        method.step(&mut Contradictory, &mut θ);
        if method.end().is_some() {
            break;
        }
    }
    assert!((θ[0] - 0.5).abs() < 1e-6 && (θ[1] - 2.0).abs() < 1e-6, "{θ:?}");
    assert_eq!(method.end(), Some(End::Infeasible));
}
