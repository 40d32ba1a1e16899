//! Small constrained problems with known solutions, the derivatives by dual numbers.
//!
//! Numbers are those of Hock and Schittkowski, *Test Examples for Nonlinear Programming Codes* (1981).
//! Solutions without a closed form were found by Newton's method on the KKT system in forty digits; a test
//! checks them all.

use num_dual::{Dual64, DualNum};

use super::super::{Block, ConstrainedProblem, Evaluation, Want};

/// f and h of a problem, in dual numbers.
type Formula = fn(&[Dual64]) -> (Dual64, Vec<Dual64>);

/// A problem by its formula.
#[derive(Clone)]
pub(crate) struct Analytic {
    pub(crate) name: &'static str,
    pub(crate) start: Vec<f64>,
    pub(crate) solution: Vec<f64>,
    /// f at the solution.
    pub(crate) optimum: f64,
    formula: Formula,
    constraints: usize,
    /// The sizes of the named constraints where they are not one each.
    blocks: Option<Vec<Block>>,
    /// Evaluations of values alone, then those with derivatives.
    pub(crate) calls: [usize; 2],
}

impl Analytic {
    fn new(name: &'static str, start: &[f64], solution: &[f64], formula: Formula) -> Self {
        let (f, h) = formula(&constant(solution));
        Self {
            name,
            start: start.to_vec(),
            solution: solution.to_vec(),
            optimum: f.re,
            formula,
            constraints: h.len(),
            blocks: None,
            calls: [0; 2],
        }
    }

    /// The same with its constraints in named groups of these sizes.
    pub(crate) fn grouped(self, sizes: &[usize]) -> Self {
        Self { blocks: Some(sizes.iter().map(|&size| Block::residuals(size)).collect()), ..self }
    }

    /// f, h, ∇f and J at θ.
    pub(crate) fn at(&mut self, θ: &[f64]) -> Evaluation {
        let mut at = Evaluation::new(self.parameters(), self.constraints);
        self.evaluate(θ, Want::Gradients, &mut at);
        at
    }

    /// The largest distance of a coordinate from the solution.
    pub(crate) fn error(&self, θ: &[f64]) -> f64 {
        θ.iter().zip(&self.solution).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    }
}

fn constant(θ: &[f64]) -> Vec<Dual64> {
    θ.iter().map(|&x| Dual64::from_re(x)).collect()
}

impl ConstrainedProblem for Analytic {
    fn parameters(&self) -> usize {
        self.start.len()
    }

    fn constraints(&self) -> usize {
        self.constraints
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        self.blocks.clone().unwrap_or_else(|| vec![Block::residuals(1); self.constraints])
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        self.calls[usize::from(want != Want::Values)] += 1;
        let mut x = constant(θ);
        let (f, h) = (self.formula)(&x);
        out.objective = f.re;
        out.constraints.iter_mut().zip(&h).for_each(|(out, h)| *out = h.re);
        if want == Want::Values {
            return;
        }
        for i in 0..x.len() {
            x[i].eps = 1.0;
            let (f, h) = (self.formula)(&x);
            x[i].eps = 0.0;
            out.gradient[i] = f.eps;
            match want {
                Want::Combination(weights) => {
                    out.gradient[i] += weights.iter().zip(&h).map(|(w, h)| w * h.eps).sum::<f64>();
                }
                _ => h
                    .iter()
                    .enumerate()
                    .for_each(|(row, h)| out.jacobian.rows_mut()[row * x.len() + i] = h.eps),
            }
        }
    }
}

/// All problems that have a KKT point with independent constraint gradients.
pub(crate) fn regular() -> Vec<Analytic> {
    vec![
        quadratic(),
        rosenbrock_on_a_circle(),
        hs6(),
        hs7(),
        hs26(),
        hs27(),
        hs39(),
        hs40(),
        hs77(),
        hs78(),
        hs79(),
    ]
}

/// A convex quadratic on the meeting of two planes.
pub(crate) fn quadratic() -> Analytic {
    let solution = [-0.1559633027522936, -0.5871559633027523, 1.2844036697247707, 0.45871559633027525];
    Analytic::new("quadratic", &[2.0, 2.0, -1.0, -1.0], &solution, |x| {
        let f = (x[0] - 1.0).powi(2)
            + (x[1] + 1.0).powi(2) * 2.0
            + (x[2] - 2.0).powi(2) * 3.0
            + (x[3] - 0.5).powi(2) * 4.0;
        (f * 0.5, vec![x[0] + x[1] + x[2] + x[3] - 1.0, x[0] - x[1] + x[2] * 2.0 - 3.0])
    })
}

/// The curved valley cut by the unit circle.
pub(crate) fn rosenbrock_on_a_circle() -> Analytic {
    let solution = [0.7864151541684278, 0.6176983125233935];
    Analytic::new("rosenbrock on a circle", &[0.5, 1.5], &solution, |x| {
        let f = (x[1] - x[0].powi(2)).powi(2) * 100.0 + (x[0] - 1.0).powi(2);
        (f, vec![x[0].powi(2) + x[1].powi(2) - 1.0])
    })
}

pub(crate) fn hs6() -> Analytic {
    Analytic::new("hs6", &[-1.2, 1.0], &[1.0, 1.0], |x| {
        ((x[0] - 1.0).powi(2), vec![(x[1] - x[0].powi(2)) * 10.0])
    })
}

pub(crate) fn hs7() -> Analytic {
    Analytic::new("hs7", &[2.0, 2.0], &[0.0, 3f64.sqrt()], |x| {
        let square = x[0].powi(2) + 1.0;
        (square.ln() - x[1], vec![square.powi(2) + x[1].powi(2) - 4.0])
    })
}

/// Its second derivative along the constraint vanishes at the solution: slow for every first-order method.
pub(crate) fn hs26() -> Analytic {
    Analytic::new("hs26", &[-2.6, 2.0, 2.0], &[1.0, 1.0, 1.0], |x| {
        let f = (x[0] - x[1]).powi(2) + (x[1] - x[2]).powi(4);
        (f, vec![(x[1].powi(2) + 1.0) * x[0] + x[2].powi(4) - 3.0])
    })
}

pub(crate) fn hs27() -> Analytic {
    Analytic::new("hs27", &[2.0, 2.0, 2.0], &[-1.0, 1.0, 0.0], |x| {
        let f = (x[0] - 1.0).powi(2) * 0.01 + (x[1] - x[0].powi(2)).powi(2);
        (f, vec![x[0] + x[2].powi(2) + 1.0])
    })
}

pub(crate) fn hs39() -> Analytic {
    Analytic::new("hs39", &[2.0; 4], &[1.0, 1.0, 0.0, 0.0], |x| {
        let h = vec![x[1] - x[0].powi(3) - x[2].powi(2), x[0].powi(2) - x[1] - x[3].powi(2)];
        (-x[0], h)
    })
}

pub(crate) fn hs40() -> Analytic {
    let power = |exponent: f64| 2f64.powf(exponent);
    let solution = [power(-1.0 / 3.0), power(-0.5), power(-11.0 / 12.0), power(-0.25)];
    Analytic::new("hs40", &[0.8; 4], &solution, |x| {
        let h = vec![x[0].powi(3) + x[1].powi(2) - 1.0, x[0].powi(2) * x[3] - x[2], x[3].powi(2) - x[1]];
        (-x[0] * x[1] * x[2] * x[3], h)
    })
}

pub(crate) fn hs77() -> Analytic {
    let solution =
        [1.1661721897092985, 1.1821113888027042, 1.3802570431454597, 1.5060362736230457, 0.6109201960430908];
    Analytic::new("hs77", &[2.0; 5], &solution, |x| {
        let root = 2f64.sqrt();
        let f = (x[0] - 1.0).powi(2)
            + (x[0] - x[1]).powi(2)
            + (x[2] - 1.0).powi(2)
            + (x[3] - 1.0).powi(4)
            + (x[4] - 1.0).powi(6);
        let first = x[0].powi(2) * x[3] + (x[3] - x[4]).sin() - 2.0 * root;
        (f, vec![first, x[1] + x[2].powi(4) * x[3].powi(2) - 8.0 - root])
    })
}

pub(crate) fn hs78() -> Analytic {
    let solution = [
        -1.7171435703943823,
        1.5957096901835544,
        1.8272457529271946,
        -0.7636430781841304,
        -0.7636430781841304,
    ];
    Analytic::new("hs78", &[-2.0, 1.5, 2.0, -1.0, -1.0], &solution, |x| {
        let squares = x.iter().fold(Dual64::from_re(-10.0), |sum, x| sum + x.powi(2));
        let h = vec![squares, x[1] * x[2] - x[3] * x[4] * 5.0, x[0].powi(3) + x[1].powi(3) + 1.0];
        (x[0] * x[1] * x[2] * x[3] * x[4], h)
    })
}

pub(crate) fn hs79() -> Analytic {
    let solution =
        [1.1911274563110514, 1.362603164961742, 1.4728179315120877, 1.6350166191679927, 1.6790814361664075];
    Analytic::new("hs79", &[2.0; 5], &solution, |x| {
        let root = 2f64.sqrt();
        let f = (x[0] - 1.0).powi(2)
            + (x[0] - x[1]).powi(2)
            + (x[1] - x[2]).powi(2)
            + (x[2] - x[3]).powi(4)
            + (x[3] - x[4]).powi(4);
        let h = vec![
            x[0] + x[1].powi(2) + x[2].powi(3) - 2.0 - 3.0 * root,
            x[1] - x[2].powi(2) + x[3] + 2.0 - 2.0 * root,
            x[0] * x[4] - 2.0,
        ];
        (f, h)
    })
}

/// x₀ = 0 and x₀ = 1 at once. The least violation ‖h‖₂ is at x₀ = ½, where ½(x₁ − 2)² is least at x₁ = 2.
pub(crate) fn infeasible() -> Analytic {
    Analytic::new("infeasible pair", &[3.0, -1.0], &[0.5, 2.0], |x| {
        ((x[1] - 2.0).powi(2) * 0.5, vec![x[0], x[0] - 1.0])
    })
}

/// The same plane x₀ + x₁ = 1 twice, once in other units; the nearest point of it to (2, ½).
pub(crate) fn rank_deficient() -> Analytic {
    Analytic::new("rank-deficient pair", &[0.0, 3.0], &[1.25, -0.25], |x| {
        let plane = x[0] + x[1] - 1.0;
        (((x[0] - 2.0).powi(2) + (x[1] - 0.5).powi(2)) * 0.5, vec![plane, plane * 2.0])
    })
}

/// The solution of a small dense system by elimination with pivots.
pub(crate) fn solve(mut system: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for i in 0..size {
        let pivot = (i..size).max_by(|&a, &b| system[a][i].abs().total_cmp(&system[b][i].abs())).unwrap();
        system.swap(i, pivot);
        right.swap(i, pivot);
        for k in i + 1..size {
            let factor = system[k][i] / system[i][i];
            let from = system[i].clone();
            system[k].iter_mut().zip(&from).for_each(|(x, y)| *x -= factor * y);
            right[k] -= factor * right[i];
        }
    }
    for i in (0..size).rev() {
        let sum: f64 = (i + 1..size).map(|k| system[i][k] * right[k]).sum();
        right[i] = (right[i] - sum) / system[i][i];
    }
    right
}

/// ‖∇f + Jᵀλ‖ with λ of least squares, through the normal equations by elimination: independent of the
/// methods.
pub(crate) fn kkt_residual(at: &Evaluation) -> f64 {
    let inner = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let gram = at.rows().map(|row| at.rows().map(|other| inner(row, other)).collect()).collect();
    let λ = solve(gram, at.rows().map(|row| -inner(row, &at.gradient)).collect());
    let mut residual = at.gradient.clone();
    for (λ, row) in λ.iter().zip(at.rows()) {
        residual.iter_mut().zip(row).for_each(|(r, j)| *r += λ * j);
    }
    inner(&residual, &residual).sqrt()
}

#[test]
fn every_solution_is_feasible_and_satisfies_kkt() {
    for mut problem in regular() {
        let at = problem.at(&problem.solution.clone());
        // The solution to the last bit, times second derivatives of at most a few hundred.
        assert!(at.violation() < 1e-8, "{}: violation {}", problem.name, at.violation());
        assert!(kkt_residual(&at) < 1e-8, "{}: KKT residual {}", problem.name, kkt_residual(&at));
    }
}

#[test]
fn published_optima() {
    let published =
        [("hs77", 0.24150513), ("hs78", -2.91970041), ("hs79", 0.0787768209), ("hs7", -3f64.sqrt())];
    for (name, optimum) in published {
        let problem = regular().into_iter().find(|problem| problem.name == name).unwrap();
        // Nine published digits.
        assert!((problem.optimum - optimum).abs() < 1e-8, "{name}: {}", problem.optimum);
    }
}

#[test]
fn degenerate_pairs_are_what_they_say() {
    let mut pair = rank_deficient().grouped(&[2]);
    let at = pair.at(&pair.solution.clone());
    assert_eq!((at.violation(), pair.constraint_blocks()), (0.0, vec![Block::residuals(2)]));
    assert_eq!(pair.error(&[1.25, 0.0]), 0.25);
    let at = infeasible().at(&[0.5, 2.0]);
    assert_eq!(at.constraints, [0.5, -0.5]);
    assert_eq!(at.gradient, [0.0, 0.0]);
}
