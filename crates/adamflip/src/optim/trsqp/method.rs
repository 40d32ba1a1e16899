//! The method itself: one trial step, read like the list in the page above.

use super::curvature::Curvature;
use super::normal::Normal;
use super::pretraining::Pretraining;
use super::pseudoinverse::Pseudoinverse;
use super::region::{Prediction, Region, fall_of_norm, ratio, rounding, to_boundary};
use super::tangential::Tangential;
use super::{Pretrain, TrSqpOutcome, TrSqpSettings, saved};
use crate::linalg::{add_scaled, dot, norm};
use crate::optim::complementarity::ActiveSet;
use crate::optim::{ConstrainedProblem, End, Evaluation, Inequalities, Optimizer, State, StepReport, Want};
use std::borrow::Cow;

/// Trust-region SQP.
#[derive(Debug)]
pub struct TrSqp {
    pub(super) settings: TrSqpSettings,
    /// Steps of pretraining that are left.
    pub(super) pretrain: usize,
    /// What takes them, where it is not the normal steps; until they are over.
    pub(super) pretraining: Option<Pretraining>,
    pub(super) region: Region,
    pub(super) outcome: TrSqpOutcome,
    pub(super) curvature: Curvature,
    pub(super) λ: Vec<f64>,
    /// ∇L where the last step started, with its λ.
    pub(super) lagrangian: Vec<f64>,
    /// d.
    pub(super) step: Vec<f64>,
    /// Was d taken, and is its pair still to be learned?
    pub(super) pending: bool,
    /// f and ‖c‖ to be found at the next call if the problem stays the same.
    pub(super) expected: [f64; 2],
    /// ‖c‖ where the last step started; not a number before the first.
    pub(super) before: f64,
    space: Pseudoinverse,
    /// f, ‖c‖ and ‖∇f‖ where `space` was factorized: a rejected step need not do it again.
    pub(super) factorized: [f64; 3],
    normal: Normal,
    tangential: Tangential,
    at: Evaluation,
    /// Values only: without a Jacobian.
    trial: Evaluation,
    candidate: Vec<f64>,
    scratch: Vec<f64>,
    image: Vec<f64>,
    diagnose: bool,
    /// Is it known which constraints are inequalities?
    met: bool,
}

impl TrSqp {
    /// For a problem of this size.
    pub fn new(settings: TrSqpSettings, parameters: usize, constraints: usize) -> Self {
        let zeros = || vec![0.0; parameters];
        let at = Evaluation::new(parameters, constraints);
        let trial = at.clone();
        Self {
            settings,
            pretrain: settings.pretrain,
            pretraining: Self::begin_pretraining(&settings, settings.pretrain, parameters, constraints),
            region: Region { radius: settings.radius, penalty: settings.penalty },
            outcome: TrSqpOutcome::Running,
            curvature: Curvature::new(settings.quasi_newton, settings.memory, parameters),
            λ: vec![0.0; constraints],
            lagrangian: zeros(),
            step: zeros(),
            pending: false,
            expected: [f64::NAN; 2],
            before: f64::NAN,
            space: Pseudoinverse::new(constraints, settings.rank_cut),
            factorized: [f64::NAN; 3],
            normal: Normal::new(parameters, constraints),
            tangential: Tangential::new(parameters),
            at,
            trial,
            candidate: zeros(),
            scratch: zeros(),
            image: vec![0.0; constraints],
            diagnose: false,
            met: false,
        }
    }

    /// Does it go on, and if not, why?
    pub fn outcome(&self) -> TrSqpOutcome {
        self.outcome
    }

    /// Δ.
    pub fn radius(&self) -> f64 {
        self.region.radius
    }

    /// μ.
    pub fn penalty(&self) -> f64 {
        self.region.penalty
    }

    /// The numerical rank of A at the last step.
    pub fn rank(&self) -> usize {
        self.space.rank()
    }

    /// Learns which constraints are inequalities, once.
    fn meet(&mut self, problem: &dyn ConstrainedProblem) {
        if self.met {
            return;
        }
        self.met = true;
        let inequalities = Inequalities::of(&problem.constraint_blocks());
        self.space.active = ActiveSet::new(inequalities.clone(), self.λ.len());
        self.trial.inequalities.clone_from(&inequalities);
        self.at.inequalities = inequalities;
    }

    /// A new A, unless the last step was rejected and so left it; `false` where it is not finite. The active
    /// set follows Δ too.
    fn factorize(&mut self, gradient_norm: f64) -> bool {
        let here = [self.at.objective, norm(&self.at.constraints), gradient_norm];
        if here == self.factorized && self.at.inequalities.is_empty() {
            return true;
        }
        self.wish(gradient_norm);
        let done = self.space.factorize(&self.at.jacobian, &self.image);
        self.factorized = if done { here } else { [f64::NAN; 3] };
        done
    }

    /// b = κc − A∇f in `image`: with the curvature κ the step −(∇f + Aᵀλ)/κ meets the linearized constraints
    /// where Gλ = b, and those with λ ≥ 0 are what stands in its way. κ is that of B along ∇f, and no step is
    /// longer than Δ. In pretraining b = c: only what is violated counts.
    fn wish(&mut self, gradient_norm: f64) {
        if self.at.inequalities.is_empty() {
            return;
        }
        if self.pretrain > 0 {
            return self.image.copy_from_slice(&self.at.constraints);
        }
        let g = &self.at.gradient;
        self.curvature.times(g, &mut self.scratch);
        let along = dot(g, &self.scratch) / gradient_norm.powi(2).max(f64::MIN_POSITIVE);
        let κ = along.max(gradient_norm / self.region.radius).max(f64::MIN_POSITIVE);
        self.at.jacobian.times(g, &mut self.image);
        self.image.iter_mut().zip(&self.at.constraints).for_each(|(b, c)| *b = κ * c - *b);
    }

    /// Where the problem is not the one that the last step left: a pair across the change says nothing of B,
    /// and what had stopped starts again.
    fn notice_changes(&mut self) {
        let here = [self.at.objective, norm(&self.at.constraints)];
        // Sums may be taken in another order when derivatives are wanted too; new points change far more than
        // that.
        let close = |(a, b): (f64, f64)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        if here.into_iter().zip(self.expected).all(close) {
            return;
        }
        self.pending = false;
        if self.outcome != TrSqpOutcome::Running {
            self.outcome = TrSqpOutcome::Running;
            self.region.radius = self.settings.radius;
        }
    }

    /// The pair of the last step: y = ∇L here less ∇L there, both with the λ of there, which needs no second
    /// Jacobian.
    fn learn(&mut self) {
        if std::mem::take(&mut self.pending) {
            let y = &mut self.scratch;
            y.copy_from_slice(&self.at.gradient);
            self.at.jacobian.add_transposed(&self.λ, y);
            add_scaled(y, -1.0, &self.lagrangian);
            self.curvature.learn(&self.step, y);
        }
    }

    /// λ, ∇L and the corners of the dogleg.
    fn linearize(&mut self) {
        let rows = &self.at.jacobian;
        self.λ.fill(0.0);
        self.lagrangian.copy_from_slice(&self.at.gradient);
        self.space.multipliers(rows, &mut self.λ, &mut self.lagrangian);
        // But for rounding they have the right sign.
        self.at.inequalities.cut(&mut self.λ);
        let working = working(&self.at, &self.space.active);
        self.normal.corners(&mut self.space, rows, &working);
    }

    /// Is there nothing left to do at this point?
    fn settled(&mut self) -> bool {
        let tolerance = self.settings.tolerance;
        // An active inequality is to be met as an equality is.
        let violation = largest(&self.at.violated()).max(largest(&working(&self.at, &self.space.active)));
        if violation <= tolerance && self.pretrain > 0 {
            self.end_pretraining();
        }
        if largest(&self.lagrangian) <= tolerance {
            if violation <= tolerance {
                self.outcome = TrSqpOutcome::Converged;
            } else if self.normal.slope <= tolerance * norm(&self.at.violated()) {
                self.outcome = TrSqpOutcome::Infeasible;
            }
        }
        self.outcome != TrSqpOutcome::Running
    }

    /// d, and the promised fall of the merit.
    fn propose(&mut self) -> f64 {
        if self.pretrain > 0 {
            self.normal.within(self.region.radius);
            self.step.copy_from_slice(&self.normal.step);
            return self.fall_of_violation();
        }
        self.normal.within(self.settings.normal_share * self.region.radius);
        let normal = &self.normal.step;
        let residual = &mut self.tangential.residual;
        self.curvature.times(normal, residual);
        // ∇L instead of ∇f: the same in null(A), and small near a solution.
        add_scaled(residual, 1.0, &self.lagrangian);
        let room = (self.region.radius.powi(2) - dot(normal, normal)).max(0.0).sqrt();
        let (rows, forcing) = (&self.at.jacobian, self.settings.forcing);
        self.tangential.solve(&mut self.space, rows, &self.curvature, room, forcing);
        self.step.copy_from_slice(normal);
        add_scaled(&mut self.step, 1.0, &self.tangential.step);
        self.curvature.times(&self.step, &mut self.scratch);
        let objective = dot(&self.at.gradient, &self.step) + 0.5 * dot(&self.step, &self.scratch);
        let violation = self.fall_of_violation();
        self.region.predict(Prediction { objective, violation }, self.settings.penalty_share)
    }

    /// v = ‖c‖ − ‖c + A d‖.
    fn fall_of_violation(&mut self) -> f64 {
        self.at.jacobian.times(&self.step, &mut self.image);
        if self.at.inequalities.is_empty() {
            return fall_of_norm(&self.at.constraints, &self.image);
        }
        let before = self.at.violated();
        let mut after: Vec<f64> = self.at.constraints.iter().zip(&self.image).map(|(c, e)| c + e).collect();
        self.at.inequalities.cut(&mut after);
        after.iter_mut().zip(&*before).for_each(|(after, before)| *after -= before);
        fall_of_norm(&before, &after)
    }

    /// Actual over promised fall of the merit for θ + d; not a number where the problem is not defined there.
    fn attempt(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64], promised: f64) -> f64 {
        self.candidate.copy_from_slice(θ);
        add_scaled(&mut self.candidate, 1.0, &self.step);
        problem.evaluate(&self.candidate, Want::Values, &mut self.trial);
        // The merit is ‖c‖ alone in pretraining.
        let [weight, μ] = if self.pretrain > 0 { [0.0, 1.0] } else { [1.0, self.region.penalty] };
        let (before, after) = (norm(&self.at.violated()), norm(&self.trial.violated()));
        let actual = weight * (self.at.objective - self.trial.objective) + μ * (before - after);
        if !self.trial.is_finite() {
            return f64::NAN;
        }
        ratio(actual, promised, rounding(weight, self.at.objective, μ, before))
    }

    /// A rejected, mostly tangential step again with −A⁺c(θ + d) added: the merit may have risen only because
    /// c is curved along d. Returns the better ratio.
    fn correct(
        &mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64], promised: f64, ratio: f64
    ) -> f64 {
        let tangential = norm(&self.normal.step) <= 0.1 * norm(&self.tangential.step);
        let wanted = self.settings.second_order_correction && self.pretrain == 0;
        if !wanted || !tangential || ratio.is_nan() || ratio >= self.settings.accept {
            return ratio;
        }
        self.space.least_squares(&self.at.jacobian, &self.trial.constraints, &mut self.scratch);
        let τ = to_boundary(&self.step, &self.scratch, self.region.radius).min(1.0);
        add_scaled(&mut self.step, τ, &self.scratch);
        let corrected = self.attempt(problem, θ, promised);
        if corrected >= self.settings.accept {
            return corrected;
        }
        // Neither is taken; Δ is judged by the step as it was proposed.
        add_scaled(&mut self.step, -τ, &self.scratch);
        ratio
    }

    /// Moves θ, or not; Δ either way, by the length of the step that the ratio is of. Returns ‖Δθ‖.
    fn conclude(&mut self, θ: &mut [f64], ratio: f64) -> f64 {
        let length = norm(&self.step);
        let accepted = self.region.judge(ratio, length, &self.settings);
        let left = if accepted { &self.trial } else { &self.at };
        self.expected = [left.objective, norm(&left.constraints)];
        self.pending = accepted && self.pretrain == 0;
        if accepted {
            θ.copy_from_slice(&self.candidate);
            self.factorized = [f64::NAN; 3];
        }
        let tolerance = self.settings.tolerance;
        let short = accepted && length <= tolerance;
        let small = self.region.radius <= tolerance;
        if self.pretrain > 0 {
            self.pretrain -= 1;
            if self.pretrain == 0 || short || small {
                self.end_pretraining();
            }
        } else if short || small {
            self.outcome = if short { TrSqpOutcome::ShortStep } else { TrSqpOutcome::SmallRadius };
        }
        if accepted { length } else { 0.0 }
    }

    /// What is known of the point before the step; ‖∇L‖ with λ of least squares is the KKT residual.
    fn account(&mut self, report: StepReport) -> StepReport {
        let residual = norm(&self.lagrangian);
        let violation = norm(&self.at.violated());
        let before = std::mem::replace(&mut self.before, violation);
        let [condition, rank] = if self.diagnose { self.space.spectrum() } else { [f64::NAN; 2] };
        StepReport {
            rate: self.region.radius,
            gradient_norm: residual,
            kkt: residual,
            actual: 1.0 - violation / before,
            condition,
            rank,
            ..report
        }
    }

    /// With this many steps left.
    pub(super) fn begin_pretraining(
        settings: &TrSqpSettings,
        left: usize,
        parameters: usize,
        constraints: usize,
    ) -> Option<Pretraining> {
        let wanted = settings.pretrain_method == Pretrain::Lbfgs && left > 0 && constraints > 0;
        wanted.then(|| Pretraining::new(settings.memory, parameters, constraints))
    }

    /// A step of L-BFGS on ‖c‖²; the last one where there is nothing left to lower.
    fn pretrain(
        &mut self,
        mut by: Pretraining,
        problem: &mut dyn ConstrainedProblem,
        θ: &mut [f64],
    ) -> StepReport {
        let report = by.step(problem, θ);
        let finite = report.objective.is_finite() && report.gradient_norm.is_finite();
        self.pretrain -= usize::from(finite);
        let violated = self.at.inequalities.violated(by.constraints());
        let done = report.step_norm == 0.0 || largest(&violated) <= self.settings.tolerance;
        if self.pretrain == 0 || finite && done {
            self.end_pretraining();
        } else {
            self.pretraining = Some(by);
        }
        report
    }

    fn end_pretraining(&mut self) {
        self.pretrain = 0;
        self.region.radius = self.settings.radius;
    }
}

/// c of active constraints.
fn working<'a>(at: &'a Evaluation, active: &ActiveSet) -> Cow<'a, [f64]> {
    if at.inequalities.is_empty() {
        return Cow::Borrowed(&at.constraints);
    }
    let mut c = at.constraints.clone();
    active.mask(&mut c);
    Cow::Owned(c)
}

impl Optimizer for TrSqp {
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        self.meet(problem);
        if let Some(mut by) = self.pretraining.take() {
            by.meet(&self.at.inequalities);
            return self.pretrain(by, problem, θ);
        }
        problem.evaluate(θ, Want::Products, &mut self.at);
        let gradient_norm = norm(&self.at.gradient);
        let (objective, violation) = (self.at.objective, self.at.violation());
        let report = StepReport {
            objective,
            violation,
            rate: self.region.radius,
            gradient_norm,
            ..StepReport::default()
        };
        if !self.at.is_finite() || !gradient_norm.is_finite() {
            return report;
        }
        if !self.factorize(gradient_norm) {
            return StepReport { gradient_norm: f64::NAN, ..report };
        }
        self.notice_changes();
        self.learn();
        self.linearize();
        let settled = self.settled();
        let report = self.account(report);
        if settled {
            self.expected = [self.at.objective, norm(&self.at.constraints)];
            return StepReport { predicted: 0.0, ..report };
        }
        let promised = self.propose();
        // Nothing is promised where d_t leaks through directions that the cut took for zero: halve Δ.
        let mut ratio = if promised < 0.0 { 0.0 } else { self.attempt(problem, θ, promised) };
        if promised >= 0.0 {
            ratio = self.correct(problem, θ, promised, ratio);
        }
        let step_norm = self.conclude(θ, ratio);
        let predicted = if step_norm > 0.0 { self.fall_of_violation() / self.before } else { 0.0 };
        StepReport { step_norm, predicted, ..report }
    }

    fn diagnose(&mut self, wanted: bool) {
        self.diagnose = wanted;
    }

    fn multipliers(&self) -> &[f64] {
        &self.λ
    }

    fn end(&self) -> Option<End> {
        match self.outcome {
            TrSqpOutcome::Running => None,
            TrSqpOutcome::Converged => Some(End::Converged),
            TrSqpOutcome::Infeasible => Some(End::Infeasible),
            TrSqpOutcome::ShortStep | TrSqpOutcome::SmallRadius => Some(End::NoProgress),
        }
    }

    fn state(&self) -> State {
        saved::state(self)
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        saved::restore(self, state)
    }
}

/// ‖v‖∞.
fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |largest, v| v.abs().max(largest))
}
