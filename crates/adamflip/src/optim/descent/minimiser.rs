//! A descent on the weighted sum of all losses: what `lbfgs` and `ssbroyden` have in common.

use super::super::al::Lagrangian;
use super::super::balance::Weighted;
use super::super::{Block, ConstrainedProblem, End, Form, Optimizer, State, StepReport, Wolfe};
use super::{Curvature, Descent};

/// The sum and the descent on it.
#[derive(Debug)]
pub(crate) struct Minimiser {
    lagrangian: Lagrangian,
    descent: Descent,
    end: Option<End>,
}

impl Minimiser {
    /// For f + p·Σ h over mean squares and f + p·Σ mean(r²) over residuals, p = `penalty`.
    pub(crate) fn new(
        penalty: f64,
        curvature: Curvature,
        wolfe: Wolfe,
        parameters: usize,
        blocks: &[Block],
    ) -> Self {
        let mut lagrangian = Lagrangian::new(parameters, blocks);
        lagrangian.set(|form| match form {
            Form::MeanSquare => (penalty, 0.0),
            // ½μ·mean(r²) = p·mean(r²).
            Form::Residuals => (0.0, 2.0 * penalty),
        });
        let descent = Descent::with(curvature, wolfe, parameters, lagrangian.λ.len());
        Self { lagrangian, descent, end: None }
    }
}

impl Optimizer for Minimiser {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        let report = self.descent.step(&mut self.lagrangian, problem, θ);
        let over = report.step_norm == 0.0 && report.gradient_norm.is_finite();
        self.end = over.then(|| End::of_no_step(report.gradient_norm));
        report
    }

    fn end(&self) -> Option<End> {
        self.end
    }

    fn state(&self) -> State {
        self.descent.state()
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        self.descent.restore(state)
    }
}

impl Weighted for Minimiser {
    fn set_weights(&mut self, weights: &[f64]) {
        self.lagrangian.weigh_blocks(weights);
    }

    fn weights_changed(&mut self) {
        self.descent.renew();
    }

    fn start(&self) -> &[f64] {
        self.descent.start()
    }
}
