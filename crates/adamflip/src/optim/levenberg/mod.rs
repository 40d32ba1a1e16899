//! One damped Gauss–Newton step by products with rows alone, no P × P matrix: what `newton_rows` and
//! `newton_cg` share.
//!
//! The merit is that of [`newton`](super::newton), φ = f + λᵀh + Σ ρ·mean(h²). With all residuals r, the
//! roots s of their weights ([`rows`]) and r̃ = Sr + λ/s it is ½‖r̃‖² but for a constant, and with R̃ = S ∂r
//! the step is that of Levenberg and Marquardt,
//!
//! d = p − (R̃ᵀR̃ + μI)⁻¹R̃ᵀ(r̃ + R̃p),    p = β·(the step before).
//!
//! - How the system is solved is the [`Solver`]'s: in the space of rows, or by conjugate gradients.
//! - **p is SPRING's momentum**: what the rows do not say is kept from the step before, which with fewer rows
//!   than parameters is most of the step. It minimises ½‖r̃ + R̃d‖² + ½μ‖d − p‖². Where the model promises
//!   nothing of it, and after a refusal, p = 0: then d points downhill for every μ, so a step is found unless
//!   the gradient vanishes.
//! - **Constraints** are rows with the weight ρ of their equation, balanced by curvature, and multipliers in
//!   rounds: each adds s²(h + Jd) to λ and solves once more for that change alone. A round is as good as a
//!   weight that is many times larger, and costs no condition.
//! - **μ** follows what steps bring of what was promised ([`Region`]), as a share of the mean eigenvalue
//!   tr(R̃R̃ᵀ)/min(N, P).
//! - A first try that is refused since h is curved is bent by what h came to beyond its linear model.
//! - **Inequalities** h ≤ 0 enter by the function of Powell, Hestenes and Rockafellar, as in `newtonflip`:
//!   where h + λ/2ρ ≤ 0 the row has no weight, and no multiplier at the end.
//!
//! Where f is no sum of squares its gradient g enters as it is: a solve for b − R̃g/μ, and −g/μ.
//!
//! Reference: Guzmán-Cordero, Dangel, Goldshlager and Zeinhofer 2025 (ENGD-W); Goldshlager, Abrahamsen and
//! Lin 2024 (SPRING); the treatment of constraints is that of `newtonflip`.

mod account;
pub(crate) mod gram;
pub(crate) mod krylov;
pub(crate) mod nystrom;
mod rows;

use super::controller::begin;
use super::newton::penalty::{Penalty, Weighting};
use super::newton::region::{Region, TRIES};
use super::newton::stride::Stride;
use super::reduction::Reduction;
use super::settings::levenberg::LevenbergSettings;
use super::{ConstrainedProblem, End, Evaluation, Optimizer, State, StepReport, Want, restore_lists};
use crate::linalg::{add_scaled, dot, norm, set_scaled};
use rows::Residuals;
pub(crate) use rows::Weighted;

/// Solves with better and better multipliers, as in `newtonflip`.
const ROUNDS: usize = 3;
/// The part of what the first round promises that harder ones must keep.
const GIVEN_UP: f64 = 0.5;
/// A step is bent where the curvature of h costs more than this part of what was promised.
const CURVED: f64 = 0.1;

/// How (R̃ᵀR̃ + μI)⁻¹ is found.
pub trait Solver: Send + std::fmt::Debug {
    /// Gets ready at a point; `false` where numbers are not finite.
    fn linearize(&mut self, rows: &mut Weighted<'_>) -> bool;

    /// Gets ready for this μ; `false` where that fails.
    fn damp(&mut self, μ: f64) -> bool;

    /// step = −(R̃ᵀR̃ + μI)⁻¹R̃ᵀb.
    fn solve(&mut self, rows: &mut Weighted<'_>, b: &[f64], step: &mut [f64]);

    /// What it keeps from step to step.
    fn lists(&mut self) -> Vec<(&'static str, &mut [f64])> {
        Vec::new()
    }

    /// The same, to be saved.
    fn saved(&self) -> State {
        Vec::new()
    }
}

/// The model at θ and its trust region.
#[derive(Debug)]
pub struct Levenberg<S> {
    settings: LevenbergSettings,
    solver: S,
    penalty: Penalty,
    region: Region,
    stride: Stride,
    at: Evaluation,
    trial: Evaluation,
    reduction: Reduction,
    rows: Residuals,
    /// λ of the current round; between steps, the best that is known of the last.
    λ: Vec<f64>,
    /// λ of the merit, which the rounds start from.
    known: Vec<f64>,
    /// λ + s²(h + Jd): what the model takes for the multipliers at the end of the step.
    multipliers: Vec<f64>,
    /// d, and that of the step before.
    step: Vec<f64>,
    before: Vec<f64>,
    /// R̃d.
    change: Vec<f64>,
    /// A right side, of as many numbers as residuals.
    right: Vec<f64>,
    room: Vec<f64>,
    end: Option<End>,
}

impl<S: Solver> Optimizer for Levenberg<S> {
    /// One step from θ.
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        self.end = None;
        let finite = self.measure(problem, θ);
        let mut report = begin(&self.at, f64::NAN);
        if !finite || !report.gradient_norm.is_finite() {
            return StepReport { gradient_norm: f64::NAN, ..report };
        }
        self.reduction.begin(&self.at, θ, &mut report);
        report.kkt = self.learn(problem, θ);
        if !self.linearize(problem, θ) {
            return StepReport { gradient_norm: f64::NAN, kkt: f64::NAN, ..report };
        }
        self.rows.shift(&self.known);
        let scale = self.rows.mean_eigenvalue(θ.len());
        let mut tries = 0;
        while tries < TRIES && report.step_norm == 0.0 {
            let μ = self.region.damping() * scale;
            let promised = self.propose(problem, θ, μ, tries);
            (report.damping, report.radius) = (μ, norm(&self.step));
            if self.tries_out(problem, θ, promised, tries) {
                report.step_norm = norm(&self.step);
            }
            tries += 1;
        }
        report.refused = (tries - usize::from(report.step_norm > 0.0)) as f64;
        report.penalty = self.penalty.largest();
        self.conclude(problem, θ, &mut report);
        report
    }

    #[expect(clippy::misnamed_getters, reason = "the field is what the model expects at the end of a step")]
    fn multipliers(&self) -> &[f64] {
        &self.λ
    }

    fn end(&self) -> Option<End> {
        self.end
    }

    fn points_changed(&mut self) {
        self.reduction.forget();
        self.known.fill(0.0);
        self.multipliers.fill(0.0);
        self.penalty.points_changed();
    }

    fn state(&self) -> State {
        let mut state = vec![("region", self.region.state()), ("before", vec![self.reduction.before])];
        state.extend(self.penalty.saved());
        state.push(("stride", self.stride.saved()));
        state.extend([("known", self.known.clone()), ("multipliers", self.multipliers.clone())]);
        state.push(("direction", self.before.clone()));
        state.extend(self.solver.saved());
        state
    }

    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let before = std::slice::from_mut(&mut self.reduction.before);
        let mut lists = vec![("region", self.region.list()), ("before", before)];
        lists.extend(self.penalty.lists(state));
        // States from before do not have it: it starts again.
        if state.iter().any(|(name, _)| name == "stride") {
            lists.push(("stride", self.stride.list()));
        }
        lists.extend([("known", &mut self.known[..]), ("multipliers", &mut self.multipliers[..])]);
        lists.push(("direction", &mut self.before));
        lists.extend(self.solver.lists());
        restore_lists(state, &mut lists)
    }
}

impl<S: Solver> Levenberg<S> {
    /// With this solver, for a problem like this one.
    pub(crate) fn by(solver: S, settings: LevenbergSettings, problem: &dyn ConstrainedProblem) -> Self {
        let (parameters, constraints) = (problem.parameters(), problem.constraints());
        let LevenbergSettings { damping, least_damping, penalty, fixed, hardness, .. } = settings;
        let weighting = if fixed { Weighting::Fixed(penalty) } else { Weighting::Balanced(hardness) };
        let mut weights = Penalty::new(weighting, penalty, &problem.constraint_blocks());
        weights.set_equations(&problem.equations());
        let list = || vec![0.0; parameters];
        Self {
            settings,
            solver,
            penalty: weights,
            region: Region::new(damping, least_damping),
            stride: Stride::new(),
            at: Evaluation::new(parameters, constraints).asking(&problem.constraint_blocks()),
            trial: Evaluation::new(parameters, constraints).asking(&problem.constraint_blocks()),
            reduction: Reduction::new(parameters, constraints),
            rows: Residuals::default(),
            λ: vec![0.0; constraints],
            known: vec![0.0; constraints],
            multipliers: vec![0.0; constraints],
            step: list(),
            before: list(),
            change: Vec::new(),
            right: Vec::new(),
            room: list(),
            end: None,
        }
    }

    /// Residuals and ∇f; `false` where numbers are not finite.
    fn measure(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> bool {
        self.rows.arrange(problem);
        // ∇f comes from the rows, unless f is not made of them.
        match self.rows.is_whole() {
            true => problem.evaluate(θ, Want::Values, &mut self.at),
            false => problem.evaluate(θ, Want::Combination(&vec![0.0; self.λ.len()]), &mut self.at),
        }
        if !self.at.is_finite() || !self.rows.measure(problem, θ) {
            return false;
        }
        if self.rows.is_whole() {
            self.rows.combination(None, &mut self.right);
            problem.vjp(θ, &self.right, &mut self.at.gradient);
        }
        true
    }

    /// The weights of residuals, and what the solver makes of their rows; `false` where numbers are not
    /// finite.
    fn linearize(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> bool {
        let entries: Vec<f64> = self.penalty.entries().map(|(_, share)| share).collect();
        self.penalty
            .balance_by(self.rows.objective_trace(&entries), self.rows.squares_of_entries(entries.len()));
        self.observe(problem, θ);
        let entries: Vec<f64> = self.penalty.entries().map(|(_, share)| share).collect();
        self.rows.weigh(&entries);
        self.rows.release(&self.penalty.shift(&self.known, &mut self.at));
        self.change.resize(self.rows.count(), 0.0);
        self.solver.linearize(&mut self.rows.weighted(problem, θ))
    }

    /// Lets the weights take in where θ is.
    fn observe(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) {
        let penalty = self.penalty.multipliers(&self.at.violated());
        let [lagrangian, penalty] = [&self.known, &penalty].map(|λ| {
            let mut gradient = vec![0.0; θ.len()];
            if λ.iter().any(|λ| *λ != 0.0) {
                self.rows.multiplied(λ, &mut self.right);
                problem.vjp(θ, &self.right, &mut gradient);
            }
            gradient
        });
        let mut whole = lagrangian;
        add_scaled(&mut whole, 1.0, &self.at.gradient);
        self.penalty.observe(&self.at, &whole, &penalty);
    }

    /// ‖∇f + Jᵀλ‖ for the better one of the multipliers that are known and those that the last step foresaw,
    /// which are taken over then; from zero where neither explains anything of ∇f.
    fn learn(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> f64 {
        let gradient = norm(&self.at.gradient);
        let [before, now] = [&self.known, &self.multipliers].map(|λ| {
            if λ.iter().all(|λ| *λ == 0.0) {
                return gradient;
            }
            self.rows.multiplied(λ, &mut self.right);
            problem.vjp(θ, &self.right, &mut self.room);
            add_scaled(&mut self.room, 1.0, &self.at.gradient);
            norm(&self.room)
        });
        if now <= before {
            self.known.copy_from_slice(&self.multipliers);
        } else if before > gradient {
            self.known.fill(0.0);
        }
        now.min(before)
    }

    /// The step of the current region, and the fall of the merit that the model promises; not a number where
    /// there is none.
    fn propose(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64], μ: f64, tries: usize) -> f64 {
        if !self.solver.damp(μ) {
            self.step.fill(0.0);
            return f64::NAN;
        }
        let momentum = if tries == 0 { self.settings.momentum } else { 0.0 };
        if momentum > 0.0 && self.before.iter().any(|x| *x != 0.0) {
            let promised = self.solve(problem, θ, μ, momentum);
            if promised > 0.0 {
                return promised;
            }
        }
        self.solve(problem, θ, μ, 0.0)
    }

    /// Takes a share of the step; what it promises.
    fn shorten(&mut self, share: f64) -> f64 {
        [&mut self.step, &mut self.change].into_iter().flatten().for_each(|x| *x *= share);
        self.promise()
    }

    /// The same with so much momentum.
    fn solve(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64], μ: f64, momentum: f64) -> f64 {
        self.λ.copy_from_slice(&self.known);
        let whole = self.rows.is_whole();
        let (mut rows, shifted) = self.rows.parts(problem, θ);
        self.right.clear();
        self.right.extend_from_slice(shifted);
        set_scaled(&mut self.step, momentum, &self.before);
        if momentum > 0.0 {
            rows.times(&self.step, &mut self.change);
            add_scaled(&mut self.right, 1.0, &self.change);
        }
        if !whole {
            rows.times(&self.at.gradient, &mut self.change);
            add_scaled(&mut self.right, -1.0 / μ, &self.change);
            add_scaled(&mut self.step, -1.0 / μ, &self.at.gradient);
        }
        self.solver.solve(&mut rows, &self.right, &mut self.room);
        add_scaled(&mut self.step, 1.0, &self.room);
        rows.times(&self.step, &mut self.change);
        let first = self.promise();
        self.foresee();
        self.harden(problem, θ, first)
    }

    /// Rounds of the method of multipliers on the model; what it promises in the end.
    fn harden(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64], first: f64) -> f64 {
        let mut promised = first;
        for _ in 1..if self.rows.is_constrained() { ROUNDS } else { 1 } {
            let before = (self.step.clone(), self.change.clone(), self.multipliers.clone());
            self.λ.copy_from_slice(&self.multipliers);
            self.rows.missed(&self.change, &mut self.right);
            let (mut rows, _) = self.rows.parts(problem, θ);
            self.solver.solve(&mut rows, &self.right, &mut self.room);
            add_scaled(&mut self.step, 1.0, &self.room);
            rows.times(&self.step, &mut self.change);
            let harder = self.promise();
            if harder.is_nan() || harder < GIVEN_UP * first {
                (self.step, self.change, self.multipliers) = before;
                break;
            }
            self.foresee();
            promised = harder;
        }
        promised
    }

    /// The multipliers that the model sees at the end of the step; of inequalities none below zero.
    fn foresee(&mut self) {
        self.rows.foresee(&self.λ, &self.change, &mut self.multipliers);
        self.at.inequalities.cut(&mut self.multipliers);
    }

    /// The fall of the merit that the model sees at the end of the step.
    fn promise(&self) -> f64 {
        let change = -dot(&self.change, self.rows.shifted()) - 0.5 * dot(&self.change, &self.change);
        if self.rows.is_whole() { change } else { change - dot(&self.at.gradient, &self.step) }
    }

    /// Is θ + d, or a share of d that is perhaps bent once, better by what was promised? Then θ goes there.
    /// Sets region and share for the next.
    fn tries_out(
        &mut self,
        problem: &mut dyn ConstrainedProblem,
        θ: &mut [f64],
        promised: f64,
        tries: usize,
    ) -> bool {
        let merit = self.merit(&self.at);
        // Less than rounding of the merit is no promise.
        if promised.is_nan() || promised <= f64::EPSILON * merit.abs() {
            return self.region.judge(f64::NAN, promised, tries);
        }
        let share = self.stride.share_of(promised / merit.abs());
        if tries == 0 && share < 1.0 {
            let fall = merit - self.attempt(problem, θ);
            if self.stride.trusts(fall / promised) {
                return self.takes(θ, fall, promised, tries);
            }
        }
        let promised = self.shorten(share);
        let mut fall = merit - self.attempt(problem, θ);
        if tries == 0 && fall < 0.0 && self.bend(problem, θ, promised) {
            let bent = merit - self.attempt(problem, θ);
            fall = if bent > fall { bent } else { f64::NAN };
        }
        self.takes(θ, fall, promised, tries)
    }

    /// Takes or refuses the step.
    fn takes(&mut self, θ: &mut [f64], fall: f64, promised: f64, tries: usize) -> bool {
        let taken = self.region.judge(fall, promised, tries);
        if taken {
            self.stride.judge(fall / promised);
            add_scaled(θ, 1.0, &self.step);
            self.before.copy_from_slice(&self.step);
        }
        taken
    }

    /// The merit at θ + d.
    fn attempt(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> f64 {
        self.room.iter_mut().zip(θ).zip(&self.step).for_each(|((room, θ), step)| *room = θ + step);
        problem.evaluate(&self.room, Want::Values, &mut self.trial);
        self.penalty.shift(&self.known, &mut self.trial);
        self.merit(&self.trial)
    }

    fn merit(&self, at: &Evaluation) -> f64 {
        at.objective + dot(&self.known, &at.constraints) + self.penalty.violation(at)
    }

    /// Takes back what the constraints came to beyond their linear model; `false` where that is not why the
    /// step failed.
    fn bend(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64], promised: f64) -> bool {
        if !self.trial.is_finite() {
            return false;
        }
        let ends = [&self.at.constraints[..], &self.trial.constraints];
        self.rows.beyond(ends, &self.change, &mut self.right);
        if 0.5 * dot(&self.right, &self.right) < CURVED * promised || !self.rows.is_constrained() {
            return false;
        }
        let (mut rows, _) = self.rows.parts(problem, θ);
        self.solver.solve(&mut rows, &self.right, &mut self.room);
        add_scaled(&mut self.step, 1.0, &self.room);
        true
    }
}

#[cfg(test)]
pub(crate) mod tests;
