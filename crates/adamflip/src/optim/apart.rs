//! A problem with its objective among the constraints: what methods see that weigh the losses of all terms
//! against each other.
//!
//! f comes first, as a mean square, then h; what is left as the objective is zero. A problem whose f is a sum
//! of several losses shows each of them instead ([`ConstrainedProblem::apart`]). An evaluation costs what
//! that of the problem does: ∇f is one more row of J.

use super::residuals::{ResidualBlock, ResidualRole, VisitRows};
use super::{Block, ConstrainedProblem, Evaluation, Form, Matrix, Want};

/// Any problem, with f as the first entry of h.
#[derive(Debug)]
pub struct Apart<'a, P: ?Sized> {
    problem: &'a mut P,
    /// What the problem itself says.
    at: Evaluation,
}

impl<'a, P: ConstrainedProblem + ?Sized> Apart<'a, P> {
    /// The same losses.
    pub fn new(problem: &'a mut P) -> Self {
        let at = Evaluation::new(problem.parameters(), problem.constraints());
        Self { problem, at }
    }
}

impl<P: ConstrainedProblem + ?Sized> ConstrainedProblem for Apart<'_, P> {
    fn parameters(&self) -> usize {
        self.problem.parameters()
    }

    fn constraints(&self) -> usize {
        1 + self.problem.constraints()
    }

    fn constraint_blocks(&self) -> Vec<Block> {
        std::iter::once(Block::mean_squares(1)).chain(self.problem.constraint_blocks()).collect()
    }

    fn matrices(&self) -> Vec<Matrix> {
        self.problem.matrices()
    }

    fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
        let Self { problem, at } = self;
        // A combination may leave f out, which the problem's own cannot.
        problem.evaluate(θ, if want == Want::Values { want } else { Want::Gradients }, at);
        out.objective = 0.0;
        out.constraints[0] = at.objective;
        out.constraints[1..].copy_from_slice(&at.constraints);
        match want {
            Want::Values => {}
            Want::Gradients | Want::Products => {
                out.gradient.fill(0.0);
                let (first, others) = out.jacobian.rows_mut().split_at_mut(at.gradient.len());
                first.copy_from_slice(&at.gradient);
                if !others.is_empty() {
                    others.copy_from_slice(at.jacobian.rows());
                }
            }
            Want::Combination(weights) => {
                out.gradient.iter_mut().zip(&at.gradient).for_each(|(out, g)| *out = weights[0] * g);
                at.jacobian.add_transposed(&weights[1..], &mut out.gradient);
            }
        }
    }

    /// f's matrix has a weight of its own, which the problem does not know of: all else is weighed the other
    /// way about.
    fn add_gauss_newton(&mut self, θ: &[f64], weights: &[f64], lower: &mut [f64]) {
        let (first, others) = (weights[0], &weights[1..]);
        if first <= 0.0 {
            return;
        }
        let relative: Vec<f64> = others.iter().map(|weight| weight / first).collect();
        let mut matrix = vec![0.0; lower.len()];
        self.problem.add_gauss_newton(θ, &relative, &mut matrix);
        crate::linalg::add_scaled(lower, first, &matrix);
    }

    fn residual_blocks(&self) -> Vec<ResidualBlock> {
        let shifted = |block: ResidualBlock| match block.role {
            ResidualRole::Objective => {
                ResidualBlock { role: ResidualRole::Constraint(0), form: Form::MeanSquare, ..block }
            }
            ResidualRole::Constraint(entry) => {
                ResidualBlock { role: ResidualRole::Constraint(entry + 1), ..block }
            }
        };
        self.problem.residual_blocks().into_iter().map(shifted).collect()
    }

    fn visit_rows(&mut self, θ: &[f64], visit: &mut VisitRows<'_>) {
        self.problem.visit_rows(θ, visit);
    }

    fn row_squares(&mut self, θ: &[f64], out: &mut [f64]) {
        self.problem.row_squares(θ, out);
    }

    /// It is so already.
    fn apart(&mut self, with: &mut dyn FnMut(&mut dyn ConstrainedProblem)) {
        with(self);
    }

    fn losses(&self) -> Vec<usize> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::problems::hs40;
    use super::*;

    /// f with any weight, rows in order, and the same combination as by hand.
    #[test]
    fn the_objective_is_the_first_row() {
        let mut problem = hs40();
        let θ = problem.start.clone();
        let at = problem.at(&θ);
        let mut out = Evaluation::new(4, 4);
        let mut apart = Apart::new(&mut problem);
        apart.evaluate(&θ, Want::Gradients, &mut out);
        assert_eq!((out.objective, out.constraints[0]), (0.0, at.objective));
        assert_eq!(out.constraints[1..], at.constraints);
        assert!(out.rows().next() == Some(&at.gradient) && out.rows().skip(1).eq(at.rows()));
        let weights = [0.0, 1.0, -2.0, 0.5];
        let mut expected = vec![0.0; 4];
        out.jacobian.add_transposed(&weights, &mut expected);
        apart.evaluate(&θ, Want::Combination(&weights), &mut out);
        // The same products in the same order, but for f's, which is zero.
        assert!(out.gradient.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-14));
        assert_eq!(
            apart.constraint_blocks(),
            std::iter::once(Block::mean_squares(1)).chain(vec![Block::residuals(1); 3]).collect::<Vec<_>>()
        );
    }
}
