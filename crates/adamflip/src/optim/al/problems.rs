//! Small constrained problems with known solutions, for the tests of several methods.

use super::super::{ConstrainedProblem, Evaluation, Want};

/// f, ∇f, h and the rows of J at a point.
pub(crate) struct Values {
    pub(crate) objective: f64,
    pub(crate) gradient: Vec<f64>,
    pub(crate) constraints: Vec<f64>,
    pub(crate) rows: Vec<Vec<f64>>,
}

/// A problem written down as one function, with a start.
pub(crate) struct Analytic {
    pub(crate) name: &'static str,
    pub(crate) start: Vec<f64>,
    pub(crate) at: fn(&[f64]) -> Values,
    /// Evaluations of values alone, and with derivatives.
    pub(crate) calls: [usize; 2],
}

impl Analytic {
    pub(crate) fn new(name: &'static str, start: &[f64], at: fn(&[f64]) -> Values) -> Self {
        Self { name, start: start.to_vec(), at, calls: [0; 2] }
    }

    /// ‖∇f + Jᵀλ‖∞ and ‖h‖∞.
    pub(crate) fn kkt(&self, θ: &[f64], λ: &[f64]) -> [f64; 2] {
        let Values { mut gradient, constraints, rows, .. } = (self.at)(θ);
        for (λ, row) in λ.iter().zip(&rows) {
            gradient.iter_mut().zip(row).for_each(|(g, j)| *g += λ * j);
        }
        [gradient, constraints].map(|list| list.iter().fold(0.0, |most: f64, x| most.max(x.abs())))
    }
}

impl ConstrainedProblem for Analytic {
    fn parameters(&self) -> usize {
        self.start.len()
    }

    fn constraints(&self) -> usize {
        (self.at)(&self.start).constraints.len()
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let values = (self.at)(θ);
        self.calls[usize::from(want != Want::Values)] += 1;
        out.objective = values.objective;
        out.constraints.copy_from_slice(&values.constraints);
        match want {
            Want::Values => return,
            Want::Gradients | Want::Products => {
                out.jacobian.rows_mut().copy_from_slice(&values.rows.concat())
            }
            Want::Combination(_) => {}
        }
        out.gradient.copy_from_slice(&values.gradient);
        if let Want::Combination(weights) = want {
            for (w, row) in weights.iter().zip(&values.rows) {
                out.gradient.iter_mut().zip(row).for_each(|(g, j)| *g += w * j);
            }
        }
    }
}

/// min ½‖θ − (1, 2, 3)‖² with θ₀ + θ₁ + θ₂ = 1 and θ₀ = θ₁: the solution is (−1/6, −1/6, 4/3), λ = (5/3, −½).
pub(crate) fn quadratic() -> Analytic {
    Analytic::new("quadratic", &[0.0, 3.0, -1.0], |θ| {
        let gradient: Vec<f64> = θ.iter().zip([1.0, 2.0, 3.0]).map(|(θ, c)| θ - c).collect();
        Values {
            objective: 0.5 * gradient.iter().map(|g| g * g).sum::<f64>(),
            gradient,
            constraints: vec![θ[0] + θ[1] + θ[2] - 1.0, θ[0] - θ[1]],
            rows: vec![vec![1.0, 1.0, 1.0], vec![1.0, -1.0, 0.0]],
        }
    })
}

/// Rosenbrock's function, its value and gradient.
fn banana(x: f64, y: f64) -> (f64, Vec<f64>) {
    let bend = y - x * x;
    let value = 100.0 * bend * bend + (1.0 - x) * (1.0 - x);
    (value, vec![-400.0 * x * bend - 2.0 * (1.0 - x), 200.0 * bend])
}

/// Rosenbrock's function without constraints.
pub(crate) fn rosenbrock() -> Analytic {
    Analytic::new("rosenbrock", &[-1.2, 1.0], |θ| {
        let (objective, gradient) = banana(θ[0], θ[1]);
        Values { objective, gradient, constraints: vec![], rows: vec![] }
    })
}

/// Rosenbrock's function on the unit circle: (0.78641515, 0.61769831), f = 0.04567481.
pub(crate) fn circle() -> Analytic {
    Analytic::new("circle", &[0.5, 0.5], |θ| {
        let (objective, gradient) = banana(θ[0], θ[1]);
        let constraints = vec![θ[0] * θ[0] + θ[1] * θ[1] - 1.0];
        Values { objective, gradient, constraints, rows: vec![vec![2.0 * θ[0], 2.0 * θ[1]]] }
    })
}

/// Hock and Schittkowski 6: (1, 1), λ = 0.
pub(crate) fn hs6() -> Analytic {
    Analytic::new("hs6", &[-1.2, 1.0], |θ| Values {
        objective: (1.0 - θ[0]).powi(2),
        gradient: vec![-2.0 * (1.0 - θ[0]), 0.0],
        constraints: vec![10.0 * (θ[1] - θ[0] * θ[0])],
        rows: vec![vec![-20.0 * θ[0], 10.0]],
    })
}

/// Hock and Schittkowski 7: (0, √3), λ = 1/(2√3).
pub(crate) fn hs7() -> Analytic {
    Analytic::new("hs7", &[2.0, 2.0], |θ| {
        let square = 1.0 + θ[0] * θ[0];
        Values {
            objective: square.ln() - θ[1],
            gradient: vec![2.0 * θ[0] / square, -1.0],
            constraints: vec![square * square + θ[1] * θ[1] - 4.0],
            rows: vec![vec![4.0 * θ[0] * square, 2.0 * θ[1]]],
        }
    })
}

/// Hock and Schittkowski 39: (1, 1, 0, 0), λ = (−1, −1).
pub(crate) fn hs39() -> Analytic {
    Analytic::new("hs39", &[2.0; 4], |θ| Values {
        objective: -θ[0],
        gradient: vec![-1.0, 0.0, 0.0, 0.0],
        constraints: vec![θ[1] - θ[0].powi(3) - θ[2] * θ[2], θ[0] * θ[0] - θ[1] - θ[3] * θ[3]],
        rows: vec![vec![-3.0 * θ[0] * θ[0], 1.0, -2.0 * θ[2], 0.0], vec![2.0 * θ[0], -1.0, 0.0, -2.0 * θ[3]]],
    })
}

/// min ½‖θ‖² with θ₀ = 1 and θ₀ = 2: no point fulfils both; the least squares of both have θ₀ = 1.5.
pub(crate) fn infeasible() -> Analytic {
    Analytic::new("infeasible", &[0.5, 1.0], |θ| Values {
        objective: 0.5 * (θ[0] * θ[0] + θ[1] * θ[1]),
        gradient: θ.to_vec(),
        constraints: vec![θ[0] - 1.0, θ[0] - 2.0],
        rows: vec![vec![1.0, 0.0], vec![1.0, 0.0]],
    })
}

/// Saved as a checkpoint saves it.
pub(crate) fn saved(state: super::super::State) -> Vec<(String, Vec<f64>)> {
    state.into_iter().map(|(name, list)| (name.to_owned(), list)).collect()
}
