//! One damped Gauss–Newton step, constraints in an augmented Lagrangian: what `gauss_newton` and `newtonflip` share.
//!
//! The merit is φ = f + λᵀh + Σ_b ρ_b·mean(h_b²) over the equations b of the constraints (a mean square counts as it is), a quadratic function near θ with
//! gradient g and matrix H, the Gauss–Newton matrix of all its squares. The step is that of one trust region,
//!
//! (H + A + μI)d = −(g + Jᵀλ).
//!
//! - **It cannot freeze.** d points downhill on the merit for every μ: the model promises ½dᵀHd + dᵀAd + μ‖d‖² > 0, and a small enough region keeps
//!   it. Only where the gradient of the merit vanishes to rounding is there no step.
//! - **Both parts in one region.** Eliminate the part of H that belongs to the objective, and d meets h + Jd = 0 by a pseudoinverse whose
//!   singular values σ are *filtered*, σ/(σ² + 1/2ρ), in the metric of the objective: directions that h hardly feels are left to the objective.
//!   As μ grows, the step towards the constraints shrinks with all of d.
//! - **λ** comes from the same factor: λ ← λ + 2ρ(h + Jd) and another solve, a few rounds of the method of multipliers on the
//!   quadratic model. Each makes the filter sharper at the cost of P² operations. They go on from those of the step before where
//!   points stay, and from zero where points are fresh and have none yet; near the solution of an equation they are zero
//!   anyway. A round is taken back where it would give up more than half of what the first promises, and the merit is judged with the multipliers
//!   from before: those of a round are right only as far as the model is.
//! - **Second-order correction.** Where a step is refused since h is curved, it is bent by what h came to beyond its linear model, by the same factor.
//!
//! Fresh points are other squares, whose minimum fits those points and little else. Therefore the matrix of the points before
//! stays as a proximal term ½dᵀAd, A = β(A + H) with every change of points: what many sets of points have determined is not
//! moved by one of them. It shortens steps but is no part of what they are judged by.
//!
//! Where no constraint is hard there is one round, λ = 0 and one weight for all: the method of Levenberg and Marquardt.
//!
//! Reference: Nocedal and Wright, chapters 17 and 18; Gill and Robinson 2012 for the step as regularized sequential quadratic programming.

mod penalty;
mod region;

use rayon::prelude::*;

use super::controller::begin;
use super::reduction::Reduction;
use super::rowspace::RowSpace;
use super::spectrum::RANK_TOLERANCE;
use super::{Block, ConstrainedProblem, End, Evaluation, State, StepReport, Want, restore_lists};
use crate::linalg::{
    Cholesky, Symmetric, add_scaled, add_squares, dot, multiply_vector, norm, set_scaled, solve_factored,
    symmetrize,
};
use penalty::Penalty;
pub(crate) use penalty::Weighting;
use region::{Region, TRIES};

/// Settings of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// ρ, the weight of the constraints in the merit.
    pub penalty: f64,
    /// μ at first, as a share of tr(H)/P.
    pub damping: f64,
    /// The smallest μ, likewise.
    pub least_damping: f64,
    /// β, the share of the matrix that stays when points change; nothing stays of one for more than 10,000 parameters.
    pub memory: f64,
}

/// The most parameters whose matrix is remembered: above, memory and checkpoints would grow by gigabytes.
const MOST_REMEMBERED: usize = 10_000;

impl Default for NewtonSettings {
    fn default() -> Self {
        Self { penalty: 100.0, damping: 1e-3, least_damping: 1e-14, memory: 0.8 }
    }
}

/// The share of the largest eigenvalue of J Jᵀ that multipliers of least squares are damped by.
const MULTIPLIERS: f64 = 1e-6;

/// Constraints that are further from met, with a gradient that is smaller than this share of what it could be, contradict each other.
const CONTRADICTION: f64 = 1e-6;

/// The part of what the first round promises that harder ones must keep.
const GIVEN_UP: f64 = 0.5;

/// The most constraints whose rank and least-squares multipliers are found: the cost is cubic.
const MOST_DECOMPOSED: usize = 500;

/// How the constraints are met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hard {
    pub(crate) weighting: Weighting,
    /// Solves of the model with better and better multipliers.
    pub(crate) rounds: usize,
}

/// The model at θ and its trust region.
#[derive(Debug)]
pub(crate) struct Newton {
    settings: NewtonSettings,
    /// None where constraints are in the merit alone.
    hard: Option<Hard>,
    penalty: Penalty,
    region: Region,
    at: Evaluation,
    trial: Evaluation,
    space: RowSpace,
    reduction: Reduction,
    /// λ of the current round; between steps, the best that is known of the last.
    λ: Vec<f64>,
    /// λ of the merit, which the rounds start from.
    known: Vec<f64>,
    /// λ + 2ρ(h + Jd): what the model takes for the multipliers at the end of the step.
    multipliers: Vec<f64>,
    /// g, and g + Jᵀλ.
    gradient: Vec<f64>,
    slope: Vec<f64>,
    /// H + A, all of it.
    matrix: Vec<f64>,
    /// A; none where nothing is remembered.
    memory: Option<Symmetric>,
    /// Have points changed since the last step?
    changed: bool,
    /// The factor of H + A + μI.
    factor: Vec<f64>,
    cholesky: Cholesky,
    step: Vec<f64>,
    room: Vec<f64>,
    end: Option<End>,
    pub(crate) diagnose: bool,
}

impl Newton {
    pub(crate) fn new(
        settings: NewtonSettings,
        hard: Option<Hard>,
        parameters: usize,
        blocks: &[Block],
    ) -> Self {
        let constraints = blocks.iter().map(|block| block.size).sum();
        let weighting = hard.map_or(Weighting::Fixed(settings.penalty), |hard| hard.weighting);
        let list = || vec![0.0; parameters];
        Self {
            settings,
            hard,
            penalty: Penalty::new(weighting, settings.penalty, blocks),
            region: Region::new(settings.damping, settings.least_damping),
            at: Evaluation::new(parameters, constraints),
            trial: Evaluation::new(parameters, constraints),
            space: RowSpace::new(parameters, if hard.is_some() { constraints } else { 0 }),
            reduction: Reduction::new(parameters, constraints),
            λ: vec![0.0; constraints],
            known: vec![0.0; constraints],
            multipliers: vec![0.0; constraints],
            gradient: list(),
            slope: list(),
            matrix: vec![0.0; parameters * parameters],
            memory: (settings.memory > 0.0 && parameters <= MOST_REMEMBERED)
                .then(|| Symmetric::new(parameters)),
            changed: false,
            factor: vec![0.0; parameters * parameters],
            cholesky: Cholesky::new(parameters),
            step: list(),
            room: list(),
            end: None,
            diagnose: false,
        }
    }

    pub(crate) fn set_equations(&mut self, equations: &[usize]) {
        self.penalty.set_equations(equations);
    }

    pub(crate) fn multipliers(&self) -> &[f64] {
        if self.hard.is_some() { &self.λ } else { &[] }
    }

    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    pub(crate) fn points_changed(&mut self) {
        self.reduction.forget();
        self.known.fill(0.0);
        self.multipliers.fill(0.0);
        self.changed = true;
    }

    pub(crate) fn state(&self) -> State {
        let mut state = vec![("region", self.region.state()), ("before", vec![self.reduction.before])];
        state.extend(self.penalty.saved());
        state.extend([("known", self.known.clone()), ("multipliers", self.multipliers.clone())]);
        if let Some(memory) = &self.memory {
            let mut matrix = Symmetric::new(self.gradient.len());
            matrix.set_scaled(1.0, &self.matrix);
            state.push(("matrix", matrix.entries().to_vec()));
            state.push(("memory", memory.entries().to_vec()));
        }
        state
    }

    pub(crate) fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let before = std::slice::from_mut(&mut self.reduction.before);
        let mut lists = vec![("region", self.region.list()), ("before", before)];
        lists.extend(self.penalty.lists());
        lists.extend([("known", &mut self.known[..]), ("multipliers", &mut self.multipliers[..])]);
        let Some(memory) = &mut self.memory else { return restore_lists(state, &mut lists) };
        let size = self.gradient.len();
        let mut matrix = Symmetric::new(size);
        lists.extend([("matrix", matrix.entries_mut()), ("memory", memory.entries_mut())]);
        let restored = restore_lists(state, &mut lists);
        if restored {
            matrix.fill_lower(&mut self.matrix);
            symmetrize(&mut self.matrix, size);
        }
        restored
    }

    /// One step from θ.
    pub(crate) fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport {
        problem.evaluate(θ, Want::Gradients, &mut self.at);
        let mut report = begin(&self.at, f64::NAN);
        self.end = None;
        if !self.at.is_finite() || !report.gradient_norm.is_finite() {
            return report;
        }
        self.reduction.begin(&self.at, θ, &mut report);
        if !self.build(problem, θ) {
            // Rows that are not finite although their values are: the report shows it.
            return StepReport { gradient_norm: f64::NAN, ..report };
        }
        match self.hard {
            Some(_) => report.kkt = self.learn(),
            None => report.gradient_norm = norm(&self.gradient),
        }
        let scale = self.scale();
        let mut tries = 0;
        while tries < TRIES && report.step_norm == 0.0 {
            let promised = self.propose(scale);
            (report.damping, report.radius) = (self.region.damping() * scale, norm(&self.step));
            if self.tries_out(problem, θ, promised, tries) {
                report.step_norm = norm(&self.step);
                add_scaled(θ, 1.0, &self.step);
            }
            tries += 1;
        }
        report.refused = (tries - usize::from(report.step_norm > 0.0)) as f64;
        report.penalty = self.penalty.largest();
        self.conclude(&mut report);
        if !self.λ.is_empty() {
            self.reduction.end(&self.at, θ, &mut report);
        }
        report
    }

    /// g and H; `false` where numbers are not finite.
    fn build(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> bool {
        self.remember();
        let remembered = self.trace();
        problem.add_gauss_newton(θ, &self.penalty.squares(), &mut self.matrix);
        self.penalty.balance(self.trace() - remembered, &self.at);
        self.penalty.observe(&self.at);
        self.gradient.copy_from_slice(&self.at.gradient);
        self.at.jacobian.add_transposed(&self.penalty.slopes(&self.at.constraints), &mut self.gradient);
        let rows = self.penalty.scaled_rows(&self.at);
        if !rows.is_empty() {
            add_squares(&mut self.matrix, 1.0, &rows, θ.len());
        }
        symmetrize(&mut self.matrix, θ.len());
        // Sums of squares: what is not finite anywhere is not on the diagonal either.
        self.scale().is_finite()
    }

    /// Begins the matrix with A.
    fn remember(&mut self) {
        // What a failed step left is not to be remembered.
        let changed = std::mem::take(&mut self.changed) && self.scale().is_finite();
        let Some(memory) = &mut self.memory else {
            return self.matrix.par_iter_mut().for_each(|entry| *entry = 0.0);
        };
        if changed {
            memory.set_scaled(self.settings.memory, &self.matrix);
        }
        memory.fill_lower(&mut self.matrix);
    }

    fn trace(&self) -> f64 {
        let size = self.gradient.len();
        (0..size).map(|i| self.matrix[i * size + i]).sum()
    }

    /// tr(H + A)/P.
    fn scale(&self) -> f64 {
        self.trace() / self.gradient.len().max(1) as f64
    }

    /// The step of the current region, and the fall of the merit that the model promises; not a number where there is none.
    fn propose(&mut self, scale: f64) -> f64 {
        self.damp(self.region.damping() * scale);
        self.λ.copy_from_slice(&self.known);
        self.set_slope();
        if self.cholesky.factor(&mut self.factor).is_err() {
            self.step.fill(0.0);
            return f64::NAN;
        }
        let slope = self.slope.clone();
        self.solve();
        let first = self.promise(&slope);
        let mut promised = first;
        for _ in 1..self.hard.map_or(1, |hard| hard.rounds) {
            let before = (self.step.clone(), self.multipliers.clone());
            self.λ.copy_from_slice(&self.multipliers);
            self.set_slope();
            self.solve();
            let harder = self.promise(&slope);
            if harder.is_nan() || harder < GIVEN_UP * first {
                (self.step, self.multipliers) = before;
                break;
            }
            promised = harder;
        }
        promised
    }

    /// The fall of the merit with this gradient that the model sees at the end of the step.
    fn promise(&mut self, slope: &[f64]) -> f64 {
        multiply_vector(&mut self.room, &self.matrix, &self.step);
        let mut curvature = dot(&self.step, &self.room);
        if let Some(memory) = &mut self.memory {
            memory.multiply(&self.step, &mut self.room);
            curvature -= dot(&self.step, &self.room);
        }
        -dot(slope, &self.step) - 0.5 * curvature
    }

    /// g + Jᵀλ.
    fn set_slope(&mut self) {
        self.slope.copy_from_slice(&self.gradient);
        self.at.jacobian.add_transposed(&self.λ, &mut self.slope);
    }

    /// H + A + μI in the place of its factor: the lower triangle.
    fn damp(&mut self, damping: f64) {
        let size = self.gradient.len();
        let rows = self.factor.par_chunks_exact_mut(size).zip(self.matrix.par_chunks_exact(size));
        rows.enumerate().for_each(|(i, (to, from))| to[..=i].copy_from_slice(&from[..=i]));
        (0..size).for_each(|i| self.factor[i * size + i] += damping);
    }

    /// d for the slope of the merit, and the multipliers that the model sees at its end.
    fn solve(&mut self) {
        set_scaled(&mut self.step, -1.0, &self.slope);
        solve_factored(&self.factor, [&mut self.step]);
        if self.hard.is_none() {
            return;
        }
        self.at.jacobian.times(&self.step, &mut self.multipliers);
        self.multipliers.iter_mut().zip(&self.at.constraints).for_each(|(change, h)| *change += h);
        self.multipliers = self.penalty.multipliers(&self.multipliers);
        self.multipliers.iter_mut().zip(&self.λ).for_each(|(next, λ)| *next += λ);
    }

    /// Is θ + d, perhaps bent once, better by what was promised? Sets the region for the next.
    fn tries_out(
        &mut self,
        problem: &mut dyn ConstrainedProblem,
        θ: &[f64],
        promised: f64,
        tries: usize,
    ) -> bool {
        let merit = self.merit(&self.at);
        // Less than rounding of the merit is no promise.
        if promised.is_nan() || promised <= f64::EPSILON * merit.abs() {
            return self.region.judge(f64::NAN, promised, tries);
        }
        let mut fall = merit - self.attempt(problem, θ);
        if tries == 0 && fall < 0.0 && self.bend(promised) {
            let bent = merit - self.attempt(problem, θ);
            fall = if bent > fall { bent } else { f64::NAN };
        }
        self.region.judge(fall, promised, tries)
    }

    /// Takes back what the constraints came to beyond their linear model; `false` where that is not why the step failed.
    fn bend(&mut self, promised: f64) -> bool {
        if self.hard.is_none() || !self.trial.is_finite() {
            return false;
        }
        let mut beyond = vec![0.0; self.λ.len()];
        self.at.jacobian.times(&self.step, &mut beyond);
        let ends = self.trial.constraints.iter().zip(&self.at.constraints);
        beyond.iter_mut().zip(ends).for_each(|(change, (end, start))| *change = end - start - *change);
        let weights = self.penalty.multipliers(&beyond);
        // Half of λ·x is ρx²: what the curvature of h costs.
        if 0.5 * dot(&weights, &beyond) < 0.1 * promised {
            return false;
        }
        self.room.fill(0.0);
        self.at.jacobian.add_transposed(&weights, &mut self.room);
        solve_factored(&self.factor, [&mut self.room]);
        add_scaled(&mut self.step, -1.0, &self.room);
        true
    }

    /// The merit at θ + d.
    fn attempt(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> f64 {
        self.room.iter_mut().zip(θ).zip(&self.step).for_each(|((room, θ), step)| *room = θ + step);
        problem.evaluate(&self.room, Want::Values, &mut self.trial);
        self.merit(&self.trial)
    }

    fn merit(&self, at: &Evaluation) -> f64 {
        at.objective + dot(&self.known, &at.constraints) + self.penalty.violation(at)
    }

    /// The conditions of optimality, and whether they are why no step was taken.
    fn conclude(&mut self, report: &mut StepReport) {
        let frozen = report.step_norm == 0.0;
        if frozen {
            self.region.reset();
        }
        if self.hard.is_none() {
            self.end = frozen.then(|| End::of_no_step(report.gradient_norm));
            return;
        }
        if frozen {
            // θ is the best for these multipliers: it is their turn.
            self.multipliers = self.penalty.multipliers(&self.at.constraints);
            add_scaled(&mut self.multipliers, 1.0, &self.known);
        }
        self.λ.copy_from_slice(&self.multipliers);
        let exact = (self.diagnose || frozen) && self.λ.len() <= MOST_DECOMPOSED;
        if exact && self.space.find(&self.at.jacobian, RANK_TOLERANCE) {
            report.kkt = self.space.multipliers(&self.at.gradient, MULTIPLIERS, &mut self.λ);
            (report.condition, report.rank) = (self.space.condition, self.space.rank as f64);
        }
        if frozen {
            // What the constraints leave of the gradient, and how far they are from being met.
            let left = self.at.constraints.iter().fold(report.kkt, |most, h| most.max(h.abs()));
            self.end = Some(if self.is_contradictory() { End::Infeasible } else { End::of_no_step(left) });
        }
    }

    /// Takes over the multipliers that the last step foresaw if they explain more of ∇f here than those before, and says what is left of
    /// it. A small region leaves most of h, and h once more in the multipliers of every step: without this they would wind up.
    fn learn(&mut self) -> f64 {
        let [before, now] = [&self.known, &self.multipliers].map(|λ| {
            self.room.copy_from_slice(&self.at.gradient);
            self.at.jacobian.add_transposed(λ, &mut self.room);
            norm(&self.room)
        });
        if now <= before {
            self.known.copy_from_slice(&self.multipliers);
        } else if before > norm(&self.at.gradient) {
            self.known.fill(0.0);
        }
        now.min(before)
    }

    /// Are the constraints far from met where no step brings them nearer: ‖Jᵀh‖ a millionth of what it could be?
    fn is_contradictory(&mut self) -> bool {
        let weighted = self.penalty.multipliers(&self.at.constraints);
        self.room.fill(0.0);
        self.at.jacobian.add_transposed(&weighted, &mut self.room);
        let rows = self.at.rows().zip(&weighted);
        let most: f64 = rows.map(|(row, weight)| weight.abs() * norm(row)).sum();
        let apart = self.at.constraints.iter().any(|h| h.abs() > CONTRADICTION);
        apart && norm(&self.room) <= CONTRADICTION * most
    }
}

#[cfg(test)]
mod freezes;
#[cfg(test)]
mod tests;
