//! The points after each step of every method on problems of Hock and Schittkowski (1981), for
//! `python/tests`, which has the same formulas operation by operation.

use adamflip::optim::{Block, Evaluation, Want, add_squared_residuals};
use adamflip::{ConstrainedProblem, Method, MinimizeOptions, minimize};

const STEPS: usize = 100;

/// f and its gradient, h and its rows.
type Values = (f64, Vec<f64>, Vec<f64>, Vec<Vec<f64>>);

struct Problem {
    name: &'static str,
    start: &'static [f64],
    constraints: usize,
    /// Do they ask for at most zero?
    bounds: bool,
    formula: fn(&[f64]) -> Values,
    /// The Jacobian of the residuals whose squares f is; empty where it is none.
    residual_rows: &'static [f64],
}

const PROBLEMS: [Problem; 4] = [
    Problem {
        name: "hs6",
        start: &[-1.2, 1.0],
        constraints: 1,
        bounds: false,
        formula: hs6,
        residual_rows: &[1.0, 0.0],
    },
    Problem {
        name: "hs7",
        start: &[2.0, 2.0],
        constraints: 1,
        bounds: false,
        formula: hs7,
        residual_rows: &[],
    },
    Problem {
        name: "hs39",
        start: &[2.0; 4],
        constraints: 2,
        bounds: false,
        formula: hs39,
        residual_rows: &[],
    },
    Problem {
        name: "hs35",
        start: &[0.5; 3],
        constraints: 4,
        bounds: true,
        formula: hs35,
        residual_rows: HS35_ROWS,
    },
];

const HS35_ROWS: &[f64] = &[1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];

fn hs6(x: &[f64]) -> Values {
    let (a, b) = (x[0], x[1]);
    let f = (a - 1.0) * (a - 1.0);
    (f, vec![2.0 * (a - 1.0), 0.0], vec![10.0 * (b - a * a)], vec![vec![-20.0 * a, 10.0]])
}

fn hs7(x: &[f64]) -> Values {
    let (a, b) = (x[0], x[1]);
    let square = a * a + 1.0;
    let h = square * square + b * b - 4.0;
    (square.ln() - b, vec![2.0 * a / square, -1.0], vec![h], vec![vec![4.0 * square * a, 2.0 * b]])
}

fn hs39(x: &[f64]) -> Values {
    let (a, b, c, d) = (x[0], x[1], x[2], x[3]);
    let h = vec![b - a * a * a - c * c, a * a - b - d * d];
    let rows = vec![vec![-3.0 * a * a, 1.0, -2.0 * c, 0.0], vec![2.0 * a, -1.0, 0.0, -2.0 * d]];
    (-a, vec![-1.0, 0.0, 0.0, 0.0], h, rows)
}

/// f + 9 − 4 as three squares.
fn hs35(x: &[f64]) -> Values {
    let (a, b, c) = (x[0], x[1], x[2]);
    let r = [a + c - 2.0, a + b - 2.0, b - 1.0];
    // In the order in which squares of residuals are added up.
    let f = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let gradient = vec![2.0 * r[0] + 2.0 * r[1], 2.0 * r[1] + 2.0 * r[2], 2.0 * r[0]];
    let h = vec![a + b + 2.0 * c - 3.0, -a, -b, -c];
    let row = |i: usize| (0..3).map(|j| if i == j { -1.0 } else { 0.0 }).collect();
    (f, gradient, h, vec![vec![1.0, 1.0, 2.0], row(0), row(1), row(2)])
}

impl ConstrainedProblem for Problem {
    fn parameters(&self) -> usize {
        self.start.len()
    }

    fn constraints(&self) -> usize {
        self.constraints
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        let block = if self.bounds { Block::inequalities } else { Block::residuals };
        vec![block(1); self.constraints]
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let (f, gradient, h, rows) = (self.formula)(θ);
        out.objective = f;
        out.constraints.copy_from_slice(&h);
        if want == Want::Values {
            return;
        }
        out.gradient.copy_from_slice(&gradient);
        if let Want::Combination(weights) = want {
            for (w, row) in weights.iter().zip(&rows) {
                out.gradient.iter_mut().zip(row).for_each(|(g, entry)| *g += w * entry);
            }
        } else {
            out.jacobian.rows_mut().copy_from_slice(&rows.concat());
        }
    }

    fn add_gauss_newton(&mut self, θ: &[f64], _: &[f64], lower: &mut [f64]) {
        add_squared_residuals(lower, self.residual_rows, θ.len());
    }
}

/// All runs: problem and method, steps, and the bits of the points.
pub(crate) fn json() -> String {
    let options = MinimizeOptions { steps: STEPS, tolerance: 0.0, feasibility: 0.0 };
    let mut runs = Vec::new();
    for name in Method::NAMES {
        let method = Method::named(name).unwrap();
        let fits = |problem: &Problem| !method.uses_curvature() || !problem.residual_rows.is_empty();
        for mut problem in PROBLEMS.into_iter().filter(fits) {
            let (mut θ, mut points) = (problem.start.to_vec(), Vec::new());
            minimize(&mut problem, &mut θ, &method, options, &mut |_, θ| {
                points.push(θ.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
                true
            });
            let run = (problem.name, name);
            runs.push(serde_json::json!({ "run": run, "steps": STEPS, "points": points }));
        }
    }
    serde_json::to_string(&runs).unwrap()
}
