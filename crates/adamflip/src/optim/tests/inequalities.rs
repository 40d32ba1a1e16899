//! Every method on problems with inequalities: Hock and Schittkowski 21, 35, 43, 76 and 100, a degenerate
//! vertex, a pair that cannot be met, and an equality beside inequalities.
//!
//! Objectives are written as sums of squares, f + constant = Σr², so that the methods of Gauss and Newton can
//! be tried too. The inequalities of the book are g ≥ 0; ours are h = −g ≤ 0, with the same multipliers.

use num_dual::{Dual64, DualNum};

use super::matrix::{ROWS, Row};
use super::*;
use crate::optim::residuals::ResidualRole;

type Formula = fn(&[Dual64]) -> Vec<Dual64>;

/// Least squares of r(θ) subject to h(θ) ≤ 0, and = 0 for the last `equalities` entries.
struct Bounded {
    name: &'static str,
    start: Vec<f64>,
    solution: Vec<f64>,
    /// The multipliers at the solution; none where they are not unique.
    multipliers: Option<Vec<f64>>,
    residuals: Formula,
    constraints: Formula,
    equalities: usize,
}

impl Bounded {
    /// Values and rows of a formula.
    fn rows(formula: Formula, θ: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut x: Vec<Dual64> = θ.iter().map(|&x| Dual64::from_re(x)).collect();
        let values: Vec<f64> = formula(&x).iter().map(|value| value.re).collect();
        let mut rows = vec![0.0; values.len() * θ.len()];
        for i in 0..θ.len() {
            x[i].eps = 1.0;
            formula(&x).iter().enumerate().for_each(|(row, value)| rows[row * θ.len() + i] = value.eps);
            x[i].eps = 0.0;
        }
        (values, rows)
    }

    fn error(&self, θ: &[f64]) -> f64 {
        θ.iter().zip(&self.solution).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    }

    /// The entries that are zero at the solution.
    fn active(&self) -> Vec<usize> {
        let (h, _) = Self::rows(self.constraints, &self.solution);
        (0..h.len()).filter(|&i| h[i].abs() < 1e-9).collect()
    }
}

impl ConstrainedProblem for Bounded {
    fn parameters(&self) -> usize {
        self.start.len()
    }

    fn constraints(&self) -> usize {
        Self::rows(self.constraints, &self.start).0.len()
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        let count = self.constraints() - self.equalities;
        vec![Block::inequalities(count), Block::residuals(self.equalities)]
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let ((r, rows), (h, jacobian)) = (Self::rows(self.residuals, θ), Self::rows(self.constraints, θ));
        out.objective = r.iter().map(|r| r * r).sum();
        out.constraints.copy_from_slice(&h);
        if want == Want::Values {
            return;
        }
        out.gradient.fill(0.0);
        for (r, row) in r.iter().zip(rows.chunks_exact(θ.len())) {
            out.gradient.iter_mut().zip(row).for_each(|(g, x)| *g += 2.0 * r * x);
        }
        match want {
            Want::Combination(weights) => {
                for (w, row) in weights.iter().zip(jacobian.chunks_exact(θ.len())) {
                    out.gradient.iter_mut().zip(row).for_each(|(g, x)| *g += w * x);
                }
            }
            _ => out.jacobian.rows_mut().copy_from_slice(&jacobian),
        }
    }

    fn residual_blocks(&self) -> Vec<ResidualBlock> {
        let count = Self::rows(self.residuals, &self.start).0.len();
        let block = |role, form, size| ResidualBlock { role, weight: 1.0, form, size };
        vec![
            block(ResidualRole::Objective, Form::MeanSquare, count),
            block(ResidualRole::Constraint(0), Form::Residuals, self.constraints()),
        ]
    }

    fn visit_rows(&mut self, θ: &[f64], visit: &mut VisitRows<'_>) {
        let (r, rows) = Self::rows(self.residuals, θ);
        visit(0, &r, &rows);
        let (h, rows) = Self::rows(self.constraints, θ);
        visit(r.len(), &h, &rows);
    }
}

fn d(x: f64) -> Dual64 {
    Dual64::from_re(x)
}

fn root(x: f64) -> Dual64 {
    d(x.sqrt())
}

fn hs21() -> Bounded {
    Bounded {
        name: "hs21",
        start: vec![-1.0, -1.0],
        solution: vec![2.0, 0.0],
        multipliers: Some(vec![0.0, 0.04, 0.0, 0.0, 0.0]),
        residuals: |x| vec![x[0] * 0.1, x[1]],
        constraints: |x| {
            vec![-x[0] * 10.0 + x[1] + 10.0, -x[0] + 2.0, x[0] - 50.0, -x[1] - 50.0, x[1] - 50.0]
        },
        equalities: 0,
    }
}

fn hs35() -> Bounded {
    Bounded {
        name: "hs35",
        start: vec![0.5; 3],
        solution: vec![4.0 / 3.0, 7.0 / 9.0, 4.0 / 9.0],
        multipliers: Some(vec![2.0 / 9.0, 0.0, 0.0, 0.0]),
        residuals: |x| vec![x[0] + x[2] - 2.0, x[0] + x[1] - 2.0, x[1] - 1.0],
        constraints: |x| vec![x[0] + x[1] + x[2] * 2.0 - 3.0, -x[0], -x[1], -x[2]],
        equalities: 0,
    }
}

fn hs43() -> Bounded {
    Bounded {
        name: "hs43",
        start: vec![0.0; 4],
        solution: vec![0.0, 1.0, 2.0, -1.0],
        multipliers: Some(vec![1.0, 0.0, 2.0]),
        residuals: |x| vec![x[0] - 2.5, x[1] - 2.5, (x[2] - 5.25) * root(2.0), x[3] + 3.5],
        constraints: |x| {
            let [a, b, c, e] = [x[0], x[1], x[2], x[3]];
            let square = |x: Dual64| x.powi(2);
            vec![
                square(a) + square(b) + square(c) + square(e) + a - b + c - e - 8.0,
                square(a) + square(b) * 2.0 + square(c) + square(e) * 2.0 - a - e - 10.0,
                square(a) * 2.0 + square(b) + square(c) + a * 2.0 - b - e - 5.0,
            ]
        },
        equalities: 0,
    }
}

fn hs76() -> Bounded {
    Bounded {
        name: "hs76",
        start: vec![0.5; 4],
        solution: vec![3.0 / 11.0, 23.0 / 11.0, 0.0, 6.0 / 11.0],
        // ∇f = (−5, −10, 14, −5)/11 = −λ(1, 2, 1, 1) + μ(0, 0, 1, 0) there.
        multipliers: Some(vec![5.0 / 11.0, 0.0, 0.0, 0.0, 0.0, 19.0 / 11.0, 0.0]),
        residuals: |x| {
            let first = x[0] - x[2] * 0.5 - 0.5;
            vec![first, (x[1] - 3.0) * root(0.5), (x[2] + x[3] - 1.0) * root(0.5), (x[2] + 3.0) * 0.5]
        },
        constraints: |x| {
            vec![
                x[0] + x[1] * 2.0 + x[2] + x[3] - 5.0,
                x[0] * 3.0 + x[1] + x[2] * 2.0 - x[3] - 4.0,
                -x[1] - x[2] * 4.0 + 1.5,
                -x[0],
                -x[1],
                -x[2],
                -x[3],
            ]
        },
        equalities: 0,
    }
}

/// f + constant: with x₇ = y, 7x₆² − 4x₆y − 10x₆ + y⁴ − 8y is 7(x₆ − (2y + 5)/7)² + (y² − 1)² + 10/7·(y −
/// 3.8)².
fn hs100() -> Bounded {
    Bounded {
        name: "hs100",
        start: vec![1.0, 2.0, 0.0, 4.0, 0.0, 1.0, 1.0],
        solution: vec![
            2.33049937287957,
            1.951372372896889,
            -0.4775413923888716,
            4.36572623365581,
            -0.6244869705268175,
            1.0381310186079584,
            1.5942267116118685,
        ],
        multipliers: Some(vec![1.1397199591673761, 0.0, 0.0, 0.3686145171872114]),
        residuals: |x| {
            vec![
                x[0] - 10.0,
                (x[1] - 12.0) * root(5.0),
                x[2].powi(2),
                (x[3] - 11.0) * root(3.0),
                x[4].powi(3) * root(10.0),
                (x[5] - (x[6] * 2.0 + 5.0) / 7.0) * root(7.0),
                x[6].powi(2) - 1.0,
                (x[6] - 3.8) * root(10.0 / 7.0),
            ]
        },
        constraints: |x| {
            vec![
                x[0].powi(2) * 2.0 + x[1].powi(4) * 3.0 + x[2] + x[3].powi(2) * 4.0 + x[4] * 5.0 - 127.0,
                x[0] * 7.0 + x[1] * 3.0 + x[2].powi(2) * 10.0 + x[3] - x[4] - 282.0,
                x[0] * 23.0 + x[1].powi(2) + x[5].powi(2) * 6.0 - x[6] * 8.0 - 196.0,
                x[0].powi(2) * 4.0 + x[1].powi(2) - x[0] * x[1] * 3.0 + x[2].powi(2) * 2.0 + x[5] * 5.0
                    - x[6] * 11.0,
            ]
        },
        equalities: 0,
    }
}

/// Three constraints meet in a corner of the plane: their multipliers are not unique.
fn vertex() -> Bounded {
    Bounded {
        name: "degenerate vertex",
        start: vec![-1.0, 0.5],
        solution: vec![1.0, 1.0],
        multipliers: None,
        residuals: |x| vec![x[0] - 2.0, x[1] - 3.0],
        constraints: |x| vec![x[0] - 1.0, x[1] - 1.0, x[0] + x[1] - 2.0],
        equalities: 0,
    }
}

/// The nearest point of the unit circle to (2, 1) with y ≤ x/4: an equality beside one inequality that holds
/// and one that does not.
fn arc() -> Bounded {
    let x = 4.0 / 17f64.sqrt();
    Bounded {
        name: "arc",
        start: vec![0.3, -0.9],
        solution: vec![x, 0.25 * x],
        multipliers: None,
        residuals: |x| vec![x[0] - 2.0, x[1] - 1.0],
        constraints: |x| vec![x[1] - x[0] * 0.25, -x[0], x[0].powi(2) + x[1].powi(2) - 1.0],
        equalities: 1,
    }
}

/// x₀ ≤ 0 and x₀ ≥ 1: the least violation ‖h⁺‖₂ is halfway.
fn infeasible() -> Bounded {
    Bounded {
        name: "infeasible pair",
        start: vec![3.0, -1.0],
        solution: vec![0.5, 2.0],
        multipliers: None,
        residuals: |x| vec![(x[1] - 2.0) * root(0.5)],
        constraints: |x| vec![x[0], -x[0] + 1.0],
        equalities: 0,
    }
}

fn all() -> Vec<Bounded> {
    vec![hs21(), hs35(), hs43(), hs76(), hs100(), vertex(), arc()]
}

fn curved(name: &str) -> Method {
    Method::named(name).unwrap()
}

fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = ROWS.iter().map(|row| Row { ..*row }).collect();
    rows.push(Row { label: "newtonflip", steps: 600, method: |_| curved("newtonflip") });
    rows.push(Row { label: "newton_rows", steps: 600, method: |_| curved("newton_rows") });
    rows.push(Row { label: "newton_cg", steps: 600, method: |_| curved("newton_cg") });
    rows
}

/// θ and the report at it after the row's steps.
fn run(row: &Row, problem: &mut Bounded) -> (Vec<f64>, StepReport, Vec<f64>) {
    let mut optimizer = (row.method)(problem.name).optimizer(problem, row.steps);
    let mut θ = problem.start.clone();
    for _ in 1..row.steps {
        optimizer.step(problem, &mut θ);
    }
    let report = optimizer.step(problem, &mut θ);
    (θ, report, optimizer.multipliers().to_vec())
}

/// How near the solution θ must come.
fn tolerance(row: &str, problem: &str) -> f64 {
    match (row, problem) {
        // As with equalities: Adam moves both multipliers at its own rate, whatever the size of the
        // violations.
        ("al ascent", "infeasible pair") => 0.3,
        // The multipliers of squares only grow: what is left is λ*/2λ over the slopes.
        ("al adaptive", _) => 3e-2,
        // A penalty p = 1000 leaves λ*/2p of violation.
        ("lbfgs" | "ssbroyden" | "trust_region", _) => 1e-2,
        // The valley between two active constraints, where Adam's rate falls before it is at its end.
        ("adamflip_split", "hs43") => 1e-4,
        // r is far from zero there: the method of Gauss and Newton converges linearly, and does so still.
        ("newtonflip", "hs100") => 1e-7,
        // Promises below rounding of the merit are refused: half of its digits are those of θ.
        ("newton_rows" | "newton_cg", _) => 1e-7,
        ("al outer" | "trsqp" | "newtonflip", _) => 1e-8,
        // ε shifts the solution by up to 1e-8 of λ, and rates end at 1e-6, where they fall.
        _ => 1e-6,
    }
}

/// What may be left of the violation: slopes are up to a hundred (hs100).
fn violation(row: &str) -> f64 {
    match row {
        "al adaptive" => 3e-2,
        "lbfgs" | "ssbroyden" | "trust_region" => 1e-2,
        _ => 2e-5,
    }
}

#[test]
fn every_solution_is_a_kkt_point() {
    for mut problem in all() {
        let θ = problem.solution.clone();
        let mut at = Evaluation::new(θ.len(), problem.constraints());
        problem.evaluate(&θ, Want::Gradients, &mut at);
        assert!(at.constraints.iter().all(|h| *h < 1e-12), "{}: {:?}", problem.name, at.constraints);
        let Some(λ) = &problem.multipliers else { continue };
        at.jacobian.add_transposed(λ, &mut at.gradient);
        // The solution to the last bit, times second derivatives of at most a thousand.
        assert!(at.gradient.iter().all(|g| g.abs() < 1e-11), "{}: {:?}", problem.name, at.gradient);
        assert!(λ.iter().zip(&at.constraints).all(|(λ, h)| (λ * h).abs() < 1e-12), "{}", problem.name);
    }
}

#[test]
fn every_method_finds_solutions_and_active_sets() {
    for row in rows() {
        for mut problem in all() {
            let (θ, report, λ) = run(&row, &mut problem);
            let (error, name) = (problem.error(&θ), problem.name);
            assert!(error < tolerance(row.label, name), "{} on {name}: {error:.1e}", row.label);
            assert!(report.violation < violation(row.label), "{} on {name}: {report:?}", row.label);
            if λ.is_empty() {
                continue;
            }
            let active = problem.active();
            for i in 0..λ.len() - problem.equalities {
                // What is not active has no multiplier at all.
                assert!(
                    λ[i] >= 0.0 && (active.contains(&i) || λ[i] == 0.0),
                    "{} on {name}: {λ:?}",
                    row.label
                );
            }
            for (λ, known) in λ.iter().zip(problem.multipliers.iter().flatten()) {
                // λ moves with θ times second derivatives, up to some hundreds.
                let near = if row.label == "al adaptive" { 3e-2 } else { 1e-3 };
                assert!((λ - known).abs() < near, "{} on {name}: {λ} {known}", row.label);
            }
        }
    }
}

#[test]
fn bounds_without_a_point_between_them_end_halfway() {
    for row in rows() {
        let mut problem = infeasible();
        let (θ, report, _) = run(&row, &mut problem);
        assert!(problem.error(&θ) < tolerance(row.label, problem.name), "{}: {θ:?}", row.label);
        assert!((report.violation - 1.0).abs() < 1e-6, "{}: {report:?}", row.label);
    }
}

#[test]
fn restored_methods_go_on_with_the_same_bits() {
    for name in Method::NAMES {
        let make = || Method::named(name).unwrap().optimizer(&hs43(), 20);
        let (mut whole, mut θ) = (make(), hs43().start);
        for _ in 0..10 {
            whole.step(&mut hs43(), &mut θ);
        }
        let saved: Vec<(String, Vec<f64>)> =
            whole.state().into_iter().map(|(name, list)| (name.to_owned(), list)).collect();
        let (mut resumed, mut again) = (make(), θ.clone());
        assert!(resumed.restore(&saved), "{name}");
        for _ in 0..10 {
            let report = whole.step(&mut hs43(), &mut θ);
            let same = resumed.step(&mut hs43(), &mut again);
            // As text, in which one NaN is like another.
            assert_eq!(format!("{report:?}"), format!("{same:?}"), "{name}");
        }
        assert_eq!(θ, again, "{name}");
    }
}

#[test]
fn minimize_measures_inequalities_as_it_should() {
    let (mut problem, mut θ) = (hs43(), vec![0.0; 4]);
    let method = Method::named("trsqp").unwrap();
    let found = minimize(&mut problem, &mut θ, &method, MinimizeOptions::default(), &mut |_, _| true);
    assert_eq!(found.status, MinimizeStatus::Converged, "{found:?}");
    assert!(problem.error(&θ) < 1e-6, "{θ:?}");
    // The second constraint is met with 1 to spare: no violation, and no multiplier.
    assert!(found.violation < 1e-6 && (found.constraints[1] + 1.0).abs() < 1e-5, "{found:?}");
    let known = [1.0, 0.0, 2.0];
    assert!(found.multipliers.iter().zip(known).all(|(λ, known)| (λ - known).abs() < 1e-5), "{found:?}");
}

/// The largest sum on the disk, whose only constraint is met from inside: where it ends a rounding below
/// zero it is as active as a rounding above.
#[test]
fn the_only_inequality_is_active_on_either_side() {
    let mut problem = Bounded {
        name: "disk",
        start: vec![0.5, -0.2],
        solution: vec![0.5f64.sqrt(); 2],
        multipliers: None,
        residuals: |x| vec![x[0] - 2.0, x[1] - 2.0],
        constraints: |x| vec![x[0].powi(2) + x[1].powi(2) - 1.0],
        equalities: 0,
    };
    for name in ["trsqp", "newtonflip"] {
        // newtonflip ends 1.5e-9 inside.
        for feasibility in [1e-6, 1e-8] {
            let method = Method::named(name).unwrap();
            let options = MinimizeOptions { steps: 600, tolerance: 1e-6, feasibility };
            let mut θ = problem.start.clone();
            let found = minimize(&mut problem, &mut θ, &method, options, &mut |_, _| true);
            assert_eq!(found.status, MinimizeStatus::Converged, "{name}: {found:?}");
            assert!(found.multipliers[0] > 1.0, "{name}: {found:?}");
        }
    }
    // A point inside is no solution, however large what is allowed of h.
    let mut θ = vec![0.7, 0.7];
    let options = MinimizeOptions { steps: 1, tolerance: 1e-6, feasibility: 1e-3 };
    let found = minimize(&mut problem, &mut θ, &Method::named("adam").unwrap(), options, &mut |_, _| true);
    assert_ne!(found.status, MinimizeStatus::Converged, "{found:?}");
}
