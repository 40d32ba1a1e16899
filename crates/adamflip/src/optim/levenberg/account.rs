//! What a step tells at its end: the reduction of h that it promises, and why there was none.

use super::super::{ConstrainedProblem, End, StepReport};
use super::{Levenberg, Solver};
use crate::linalg::{add_scaled, norm};

/// Constraints that are further from met, with a gradient that is smaller than this share of what it could
/// be, contradict each other.
const CONTRADICTION: f64 = 1e-6;

impl<S: Solver> Levenberg<S> {
    /// The conditions of optimality, and whether they are why no step was taken. θ is where the step has led.
    pub(super) fn conclude(
        &mut self,
        problem: &mut dyn ConstrainedProblem,
        θ: &[f64],
        report: &mut StepReport,
    ) {
        let taken = report.step_norm > 0.0;
        if taken {
            self.λ.copy_from_slice(&self.multipliers);
            self.promise_of_constraints(report);
            return;
        }
        self.region.reset();
        self.before.fill(0.0);
        // θ is the best for these multipliers: it is their turn.
        self.multipliers = self.penalty.multipliers(&self.at.constraints);
        add_scaled(&mut self.multipliers, 1.0, &self.known);
        self.at.inequalities.cut(&mut self.multipliers);
        self.λ.copy_from_slice(&self.multipliers);
        self.step.fill(0.0);
        self.change.fill(0.0);
        self.promise_of_constraints(report);
        // What the constraints leave of the gradient, and how far they are from being met.
        self.rows.multiplied(&self.λ, &mut self.right);
        problem.vjp(θ, &self.right, &mut self.room);
        add_scaled(&mut self.room, 1.0, &self.at.gradient);
        report.kkt = report.kkt.min(norm(&self.room));
        let left = self.at.violated().iter().fold(report.kkt, |most, h| most.max(h.abs()));
        let contradictory = self.is_contradictory(problem, θ);
        self.end = Some(if contradictory { End::Infeasible } else { End::of_no_step(left) });
    }

    /// Reports how much of h the step is to remove.
    fn promise_of_constraints(&mut self, report: &mut StepReport) {
        if self.λ.is_empty() {
            return;
        }
        self.rows.entries(&self.change, &mut self.reduction.expected);
        self.reduction.promise(&self.at, report);
    }

    /// Are the constraints far from met where no step brings them nearer: ‖Jᵀh‖ a millionth of what it could
    /// be?
    fn is_contradictory(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> bool {
        let violated = self.at.violated();
        let weighted = self.penalty.multipliers(&violated);
        let apart = violated.iter().any(|h| h.abs() > CONTRADICTION);
        self.rows.multiplied(&weighted, &mut self.right);
        problem.vjp(θ, &self.right, &mut self.room);
        apart && self.rows.is_constrained() && norm(&self.room) <= CONTRADICTION * self.rows.most(&weighted)
    }
}
