//! One damped Gauss–Newton step, constraints in an augmented Lagrangian: what `gauss_newton` and `newtonflip`
//! share.
//!
//! The merit is φ = f + λᵀh + Σ_b ρ_b·mean(h_b²) over the equations b of the constraints (a mean square
//! counts as it is), a quadratic function near θ with gradient g and matrix H, the Gauss–Newton matrix of all
//! its squares. The step is that of one trust region,
//!
//! (H + A + μI)d = −(g + Jᵀλ).
//!
//! - **It cannot freeze.** d points downhill on the merit for every μ: the model promises ½dᵀHd + dᵀAd +
//!   μ‖d‖² > 0, and a small enough region keeps it. Only where the gradient of the merit vanishes to rounding
//!   is there no step.
//! - **Both parts in one region.** Eliminate the part of H that belongs to the objective, and d meets h + Jd
//!   = 0 by a pseudoinverse whose singular values σ are *filtered*, σ/(σ² + 1/2ρ), in the metric of the
//!   objective: directions that h hardly feels are left to the objective. As μ grows, the step towards the
//!   constraints shrinks with all of d.
//! - **λ** comes from the same factor: λ ← λ + 2ρ(h + Jd) and another solve, a few rounds of the method of
//!   multipliers on the quadratic model. Each makes the filter sharper at the cost of P² operations. They go
//!   on from those of the step before where points stay, and from zero where points are fresh and have none
//!   yet; near the solution of an equation they are zero anyway. A round is taken back where it would give up
//!   more than half of what the first promises, and the merit is judged with the multipliers from before:
//!   those of a round are right only as far as the model is.
//! - **Second-order correction.** Where a step is refused since h is curved, it is bent by what h came to
//!   beyond its linear model, by the same factor.
//!
//! Of the step a [share](stride) is taken, 0.3 at first and all of it where the model holds.
//!
//! Fresh points are other squares, whose minimum fits those points and little else. Where that shows, the
//! matrix of the points before stays as a proximal term ½dᵀAd, A = β(A + H) with every change of points: what
//! many sets of points have determined is not moved by one of them. It shortens steps but is no part of what
//! they are judged by. β follows what fresh points leave of the fall ([`memory`]).
//!
//! The model has two [forms](form): by its matrix of squares, fast, and by its rows, which lose nothing. The
//! first goes over into the second where its rounding shows.
//!
//! **Inequalities** h ≤ 0 enter by the function of Powell, Hestenes and Rockafellar: max(h, −λ/2ρ) in place
//! of h, which is the term of an equality where h + λ/2ρ > 0 and a constant elsewhere, so that such an entry
//! has no row. Steps and rounds know the set of their start; λ stays at or above zero, and the next step sets
//! the set right.
//!
//! Where no constraint is hard there is one round, λ = 0 and one weight for all: the method of Levenberg and
//! Marquardt.
//!
//! Reference: Nocedal and Wright, chapters 17 and 18; Gill and Robinson 2012 for the step as regularized
//! sequential quadratic programming.

mod form;
mod memory;
pub(crate) mod penalty;
pub(crate) mod region;
mod squared;
pub(crate) mod stride;
mod triangular;

use super::controller::begin;
use super::reduction::Reduction;
use super::rowspace::RowSpace;
use super::spectrum::RANK_TOLERANCE;
use super::{Balancing, Block, ConstrainedProblem, End, Evaluation, State, StepReport, Want, restore_lists};
use crate::linalg::{Symmetric, add_scaled, dot, norm};
use form::Form;
pub use form::ModelFactor;
use memory::Memory;
use penalty::Penalty;
pub(crate) use penalty::Weighting;
use region::{Region, TRIES};
use squared::Squared;
use stride::{Promise, Stride};
use triangular::Triangular;

/// Settings of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// ρ, the weight of the constraints in the merit.
    pub penalty: f64,
    /// μ at first, as a share of tr(H)/P.
    pub damping: f64,
    /// The smallest μ, likewise.
    pub least_damping: f64,
    /// The most of β, the share of the matrix that stays when points change; nothing stays of one for more
    /// than 10,000 parameters.
    pub memory: f64,
    /// Whether the model is squared.
    pub factor: ModelFactor,
    /// How the losses of the terms are weighed against each other, in place of the penalty; by `gauss_newton`
    /// alone.
    pub balancing: Option<Balancing>,
}

/// The most parameters whose matrix is remembered: above, memory and checkpoints would grow by gigabytes.
const MOST_REMEMBERED: usize = 10_000;

impl NewtonSettings {
    /// Is anything remembered of this many parameters?
    fn remembers(&self, parameters: usize) -> bool {
        self.memory > 0.0 && parameters <= MOST_REMEMBERED
    }
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            penalty: 100.0,
            damping: 1e-3,
            least_damping: 1e-14,
            memory: 0.8,
            factor: ModelFactor::default(),
            balancing: None,
        }
    }
}

/// The share of the largest eigenvalue of J Jᵀ that multipliers of least squares are damped by.
const MULTIPLIERS: f64 = 1e-6;

/// Constraints that are further from met, with a gradient that is smaller than this share of what it could
/// be, contradict each other.
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
    stride: Stride,
    memory: Memory,
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
    form: Form,
    /// Is the next step to have the triangular form?
    refines: bool,
    /// Have points changed since the last step?
    changed: bool,
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
            stride: Stride::new(),
            memory: Memory::new(settings.memory),
            at: Evaluation::new(parameters, constraints).asking(blocks),
            trial: Evaluation::new(parameters, constraints).asking(blocks),
            space: RowSpace::new(parameters, if hard.is_some() { constraints } else { 0 }),
            reduction: Reduction::new(parameters, constraints),
            λ: vec![0.0; constraints],
            known: vec![0.0; constraints],
            multipliers: vec![0.0; constraints],
            gradient: list(),
            slope: list(),
            form: Form::Squared(Box::new(Squared::new(parameters, settings.remembers(parameters)))),
            refines: settings.factor == ModelFactor::Qr,
            changed: false,
            step: list(),
            room: list(),
            end: None,
            diagnose: false,
        }
    }

    pub(crate) fn set_equations(&mut self, equations: &[usize]) {
        self.penalty.set_equations(equations);
    }

    /// Fixes the weight of every block, where constraints are in the merit alone.
    pub(crate) fn set_weights(&mut self, weights: &[f64]) {
        self.penalty.fix(weights);
    }

    /// h where the last step began.
    pub(crate) fn start(&self) -> &[f64] {
        &self.at.constraints
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
        self.penalty.points_changed();
        self.changed = true;
    }

    pub(crate) fn state(&self) -> State {
        let mut state = vec![("region", self.region.state()), ("before", vec![self.reduction.before])];
        state.extend(self.penalty.saved());
        state.extend([("stride", self.stride.saved()), ("kept", self.memory.saved())]);
        state.extend([("known", self.known.clone()), ("multipliers", self.multipliers.clone())]);
        state.push(("factor", vec![self.stage()]));
        if let Some([matrix, memory]) = self.form.saved() {
            state.extend([("matrix", matrix), ("memory", memory)]);
        }
        state
    }

    /// Of the form: squared, to be refined, triangular.
    fn stage(&self) -> f64 {
        match (self.form.is_squared(), self.refines) {
            (true, false) => 0.0,
            (true, true) => 1.0,
            (false, _) => 2.0,
        }
    }

    pub(crate) fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool {
        let (size, remembers) = (self.gradient.len(), self.settings.remembers(self.gradient.len()));
        // Without this entry the state is from when all was squared.
        let stage = state
            .iter()
            .find(|(name, _)| name == "factor")
            .map_or(Some(0.0), |(_, list)| list.first().copied());
        let before = std::slice::from_mut(&mut self.reduction.before);
        let mut lists = vec![("region", self.region.list()), ("before", before)];
        lists.extend(self.penalty.lists(state));
        // States from before have neither: both start again.
        let later = [("stride", self.stride.list()), ("kept", self.memory.list())];
        lists.extend(later.into_iter().filter(|(name, _)| state.iter().any(|(known, _)| known == name)));
        lists.extend([("known", &mut self.known[..]), ("multipliers", &mut self.multipliers[..])]);
        let [mut matrix, mut memory] = [(); 2].map(|()| Symmetric::new(if remembers { size } else { 0 }));
        if remembers {
            lists.extend([("matrix", matrix.entries_mut()), ("memory", memory.entries_mut())]);
        }
        let Some(stage) = stage.filter(|stage| [0.0, 1.0, 2.0].contains(stage)) else { return false };
        if !restore_lists(state, &mut lists) {
            return false;
        }
        match (stage == 2.0, self.form.is_squared()) {
            (true, true) => self.refine(),
            (false, false) => self.square(),
            _ => {}
        }
        self.refines = stage == 1.0;
        if remembers {
            self.form.restore(&matrix, memory);
        }
        true
    }

    /// Gives up squares: the triangular form with what is remembered, and a region that is as deep.
    fn refine(&mut self) {
        let (size, remembers) = (self.gradient.len(), self.settings.remembers(self.gradient.len()));
        let none = Form::Squared(Box::new(Squared::new(0, false)));
        self.form = std::mem::replace(&mut self.form, none).into_triangular(size, remembers);
        self.refines = false;
        self.region.refine();
    }

    /// As at first.
    fn square(&mut self) {
        let size = self.gradient.len();
        self.form = Form::Squared(Box::new(Squared::new(size, self.settings.remembers(size))));
        self.region.coarsen();
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
        if self.hard.is_some() {
            report.kkt = self.learn();
        }
        if !self.build(problem, θ) {
            // Rows that are not finite although their values are: the report shows it.
            return StepReport { gradient_norm: f64::NAN, kkt: f64::NAN, ..report };
        }
        if self.hard.is_none() {
            report.gradient_norm = norm(&self.gradient);
        }
        let scale = self.scale();
        let (mut tries, mut lost) = (0, false);
        while tries < TRIES && report.step_norm == 0.0 {
            report.damping = self.region.damping() * scale;
            let promise = self.propose(scale);
            lost |= self.form.is_lost(promise.at(1.0), &self.step, self.region.least() * scale);
            let taken = self.tries_out(problem, θ, promise, tries);
            report.radius = norm(&self.step);
            if taken {
                report.step_norm = norm(&self.step);
                add_scaled(θ, 1.0, &self.step);
            }
            tries += 1;
        }
        report.refused = (tries - usize::from(report.step_norm > 0.0)) as f64;
        report.penalty = self.penalty.largest();
        self.refines = (lost || report.step_norm == 0.0) && self.may_refine(problem);
        self.conclude(&mut report);
        if !self.λ.is_empty() {
            self.reduction.end(&self.at, θ, &mut report);
        }
        report
    }

    /// Can squares be given up, and have they not been?
    fn may_refine(&self, problem: &dyn ConstrainedProblem) -> bool {
        let wanted = self.settings.factor != ModelFactor::Squared;
        wanted && self.form.is_squared() && Triangular::is_possible(problem, &self.at)
    }

    /// g and H; `false` where numbers are not finite.
    fn build(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> bool {
        // What a failed step left is not to be remembered.
        let changed = std::mem::take(&mut self.changed) && self.scale().is_finite();
        let loss = self.loss(&self.at);
        let kept = changed.then(|| self.memory.kept(loss));
        self.form.remember(kept);
        if self.refines && self.may_refine(problem) {
            self.refine();
            self.form.remember(None);
        }
        let trace = self.form.add_objective(problem, θ, &self.penalty.squares());
        self.penalty.balance(trace, &self.at);
        self.penalty.activate(&self.known, &mut self.at);
        self.room.fill(0.0);
        self.at.jacobian.add_transposed(&self.penalty.slopes(&self.at.constraints), &mut self.room);
        self.slope.copy_from_slice(&self.at.gradient);
        self.at.jacobian.add_transposed(&self.known, &mut self.slope);
        self.penalty.observe(&self.at, &self.slope, &self.room);
        self.gradient.copy_from_slice(&self.at.gradient);
        add_scaled(&mut self.gradient, 1.0, &self.room);
        self.form.add_constraints(&self.at, &self.penalty);
        // Sums of squares: what is not finite anywhere is not on the diagonal either.
        self.scale().is_finite()
    }

    /// tr(H + A)/P.
    fn scale(&self) -> f64 {
        self.form.trace() / self.gradient.len().max(1) as f64
    }

    /// The step of the current region, and what the model promises along it; not a number where there is
    /// none.
    fn propose(&mut self, scale: f64) -> Promise {
        self.λ.copy_from_slice(&self.known);
        self.set_slope();
        if !self.form.damp(self.region.damping() * scale) {
            self.step.fill(0.0);
            return Promise::NONE;
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
        Promise::new(-dot(&slope, &self.step), promised)
    }

    /// The fall of the merit, with this slope and the multipliers from before, that the model sees at the end
    /// of the step.
    fn promise(&mut self, slope: &[f64]) -> f64 {
        match &mut self.form {
            Form::Squared(form) => form.promise(slope, &self.step),
            Form::Triangular(form) => {
                form.promise(self.penalty.right_side(&self.at.constraints, &self.known), &self.step)
            }
        }
    }

    /// g + Jᵀλ.
    fn set_slope(&mut self) {
        self.slope.copy_from_slice(&self.gradient);
        self.at.jacobian.add_transposed(&self.λ, &mut self.slope);
    }

    /// d for the slope of the merit, and the multipliers that the model sees at its end.
    fn solve(&mut self) {
        match &mut self.form {
            Form::Squared(form) => form.solve(&self.slope, &mut self.step),
            Form::Triangular(form) => {
                form.solve(self.penalty.right_side(&self.at.constraints, &self.λ), &mut self.step);
            }
        }
        if self.hard.is_none() {
            return;
        }
        self.at.jacobian.times(&self.step, &mut self.multipliers);
        self.multipliers.iter_mut().zip(&self.at.constraints).for_each(|(change, h)| *change += h);
        self.multipliers = self.penalty.multipliers(&self.multipliers);
        self.multipliers.iter_mut().zip(&self.λ).for_each(|(next, λ)| *next += λ);
        self.at.inequalities.cut(&mut self.multipliers);
    }

    /// Is θ + d, or a share of d that is perhaps bent once, better by what was promised? Sets region and
    /// share for the next.
    fn tries_out(
        &mut self,
        problem: &mut dyn ConstrainedProblem,
        θ: &[f64],
        promise: Promise,
        tries: usize,
    ) -> bool {
        let merit = self.merit(&self.at);
        // Less than rounding of the merit is no promise.
        if promise.at(1.0).is_nan() || promise.at(1.0) <= f64::EPSILON * merit.abs() {
            return self.region.judge(f64::NAN, promise.at(1.0), tries);
        }
        let share = self.stride.share_of(promise.at(1.0) / merit.abs());
        if tries == 0 && share < 1.0 {
            let fall = merit - self.attempt(problem, θ);
            if self.stride.trusts(fall / promise.at(1.0)) {
                return self.takes(fall, promise.at(1.0), tries);
            }
        }
        self.step.iter_mut().for_each(|step| *step *= share);
        let promised = promise.at(share);
        let mut fall = merit - self.attempt(problem, θ);
        if tries == 0 && fall < 0.0 && self.bend(promised) {
            let bent = merit - self.attempt(problem, θ);
            fall = if bent > fall { bent } else { f64::NAN };
        }
        self.takes(fall, promised, tries)
    }

    /// Takes or refuses the step, and remembers what it brought.
    fn takes(&mut self, fall: f64, promised: f64, tries: usize) -> bool {
        let taken = self.region.judge(fall, promised, tries);
        if taken {
            self.stride.judge(fall / promised);
            self.memory.stepped(self.loss(&self.at), self.loss(&self.trial));
        }
        taken
    }

    /// Objective and penalty, without multipliers.
    fn loss(&self, at: &Evaluation) -> f64 {
        at.objective + self.penalty.cost(&at.violated())
    }

    /// Takes back what the constraints came to beyond their linear model; `false` where that is not why the
    /// step failed.
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
        match &mut self.form {
            Form::Squared(form) => form.bend(&self.at, &weights, &mut self.step),
            Form::Triangular(form) => {
                let none = vec![0.0; beyond.len()];
                form.bend(self.penalty.right_side(&beyond, &none), &mut self.step);
            }
        }
        true
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

    /// The conditions of optimality, and whether they are why no step was taken.
    fn conclude(&mut self, report: &mut StepReport) {
        let frozen = report.step_norm == 0.0;
        if frozen {
            self.region.reset();
        }
        // Where squares found no step, rows may.
        let ends = frozen && !self.refines;
        if self.hard.is_none() {
            self.end = ends.then(|| End::of_no_step(report.gradient_norm));
            return;
        }
        if frozen {
            // θ is the best for these multipliers: it is their turn.
            self.multipliers = self.penalty.multipliers(&self.at.constraints);
            add_scaled(&mut self.multipliers, 1.0, &self.known);
            self.at.inequalities.cut(&mut self.multipliers);
        }
        self.λ.copy_from_slice(&self.multipliers);
        let exact = (self.diagnose || frozen) && self.λ.len() <= MOST_DECOMPOSED;
        if exact && self.space.find(&self.at.jacobian, RANK_TOLERANCE) {
            report.kkt = self.space.multipliers(&self.at.gradient, MULTIPLIERS, &mut self.λ);
            self.at.inequalities.cut(&mut self.λ);
            (report.condition, report.rank) = (self.space.condition, self.space.rank as f64);
        }
        if ends {
            // What the constraints leave of the gradient, and how far they are from being met.
            let left = self.at.violated().iter().fold(report.kkt, |most, h| most.max(h.abs()));
            self.end = Some(if self.is_contradictory() { End::Infeasible } else { End::of_no_step(left) });
        }
    }

    /// Takes over the multipliers that the last step foresaw if they explain more of ∇f here than those
    /// before, and says what is left of it. A small region leaves most of h, and h once more in the
    /// multipliers of every step: without this they would wind up.
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

    /// Are the constraints far from met where no step brings them nearer: ‖Jᵀh‖ a millionth of what it could
    /// be?
    fn is_contradictory(&mut self) -> bool {
        let violated = self.at.violated();
        let weighted = self.penalty.multipliers(&violated);
        self.room.fill(0.0);
        self.at.jacobian.add_transposed(&weighted, &mut self.room);
        let rows = self.at.rows().zip(&weighted);
        let most: f64 = rows.map(|(row, weight)| weight.abs() * norm(row)).sum();
        let apart = violated.iter().any(|h| h.abs() > CONTRADICTION);
        apart && norm(&self.room) <= CONTRADICTION * most
    }
}

#[cfg(test)]
mod forms;
#[cfg(test)]
mod freezes;
#[cfg(test)]
mod tests;
