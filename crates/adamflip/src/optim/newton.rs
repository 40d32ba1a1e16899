//! One damped Gauss–Newton step with hard constraints: the model that `gauss_newton` and `newtonflip` share.
//!
//! The merit is φ = f + λᵀh + p·Σ_b mean(h_b²) over the named constraints b (a mean square counts as it is), with the
//! multipliers λ of least squares where constraints are hard: without them a step to the solution would seem to be for the worse, as
//! soon as h is as small as λ/2p. Near θ it is a quadratic function with gradient g and matrix H, the Gauss–Newton matrix of
//! all its squares. The step is d = γn + t:
//!
//! - normal, n = −J⁺h on the numerical row space Q of J ([`RowSpace`]), Euclidean: the shortest way to h = 0;
//! - tangential, (ΠHΠ + μI)t = −Π(g + γHn), Π = I − QQᵀ: Levenberg–Marquardt along the constraints. What h feels of
//!   directions outside Q, too faint for the row space, is in H by its penalty.
//!
//! Fresh points are other squares, whose minimum fits those points and little else. Therefore the matrix of the points before
//! stays as a proximal term ½dᵀAd, A = β(A + H) with every change of points: what many sets of points have determined is not
//! moved by one of them. It shortens steps but is no part of what they are judged by.
//!
//! The step is taken if φ falls by at least a small part of what the model says. Both parts have a trust region: μ falls to a
//! third and γ grows by half, up to 1, after a good step; μ grows fourfold (after several in vain a thousandfold) and γ shrinks to
//! 0.6 after a bad one, which costs another factorization and a look at the values, but no derivatives. Without constraints, or
//! where none is hard, and without memory of earlier points, this is the method of Levenberg and Marquardt.

mod metric;

use rayon::prelude::*;

use super::controller::begin;
use super::reduction::Reduction;
use super::rowspace::RowSpace;
use super::{Block, ConstrainedProblem, End, Evaluation, Form, State, StepReport, Want, restore_lists};
use crate::linalg::{
    Cholesky, Factor, Symmetric, add_scaled, add_squares, add_symmetric, dot, multiply_large,
    multiply_vector, norm, set_scaled, solve_factored, symmetrize,
};

/// Settings of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSettings {
    /// p, the weight of the constraints in the merit.
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

/// The part of the predicted fall of the merit that must be reached.
const ACCEPT: f64 = 1e-3;
/// Steps tried from one point at the most, and with small changes of μ at first. After that it takes μ from the least to one
/// at which the step is of gradient descent: what falls at all falls there.
const ATTEMPTS: usize = 12;
const PATIENT: usize = 6;
/// The largest μ: there the step is one of gradient descent.
const MOST_DAMPING: f64 = 1e6;
/// The share of the largest eigenvalue of J Jᵀ that multipliers are damped by.
const MULTIPLIERS: f64 = 1e-6;
/// The least gain.
const LEAST_GAIN: f64 = 1e-3;

/// In which metric the step towards the constraints is the shortest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// That of θ: normal and tangential part apart.
    #[default]
    Euclidean,
    /// That of H + μI: both at once.
    GaussNewton,
}

/// How the constraints are met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hard {
    /// γ at first.
    pub(crate) gain: f64,
    /// Eigenvalues of J Jᵀ up to this share of the largest are left out.
    pub(crate) cut: f64,
    pub(crate) metric: Metric,
}

/// The model at θ and the trust regions of its two parts.
#[derive(Debug)]
pub(crate) struct Newton {
    settings: NewtonSettings,
    /// None where constraints are in the merit alone.
    hard: Option<Hard>,
    /// p/n for the n residuals of a block, p for a mean square; one an entry of h.
    shares: Vec<f64>,
    /// p where an entry of h is a mean square, else 0.
    squares: Vec<f64>,
    at: Evaluation,
    trial: Evaluation,
    space: RowSpace,
    reduction: Reduction,
    λ: Vec<f64>,
    /// g.
    gradient: Vec<f64>,
    /// H + A, all of it.
    matrix: Vec<f64>,
    /// A; none where nothing is remembered.
    memory: Option<Symmetric>,
    /// Have points changed since the last step?
    changed: bool,
    /// B, with which ΠHΠ + sQQᵀ = H − QBᵀ − BQᵀ; one row a parameter.
    image: Vec<f64>,
    /// The factor of ΠHΠ + sQQᵀ + μI.
    factor: Vec<f64>,
    cholesky: Cholesky,
    /// n, Hn.
    normal: Vec<f64>,
    normal_image: Vec<f64>,
    step: Vec<f64>,
    room: Vec<f64>,
    /// μ and γ.
    region: [f64; 2],
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
        let entries = |value: fn(&Block, f64) -> f64| -> Vec<f64> {
            let of = |block: &Block| std::iter::repeat_n(value(block, settings.penalty), block.size);
            blocks.iter().flat_map(of).collect()
        };
        let shares = entries(|block, p| match block.form {
            Form::Residuals => p / block.size as f64,
            Form::MeanSquare => p,
        });
        let squares = entries(|block, p| if block.form == Form::MeanSquare { p } else { 0.0 });
        let constraints = shares.len();
        let list = || vec![0.0; parameters];
        Self {
            settings,
            hard,
            shares,
            squares,
            at: Evaluation::new(parameters, constraints),
            trial: Evaluation::new(parameters, constraints),
            space: RowSpace::new(parameters, if hard.is_some() { constraints } else { 0 }),
            reduction: Reduction::new(parameters, constraints),
            λ: vec![0.0; constraints],
            gradient: list(),
            matrix: vec![0.0; parameters * parameters],
            memory: (settings.memory > 0.0 && parameters <= MOST_REMEMBERED)
                .then(|| Symmetric::new(parameters)),
            changed: false,
            image: Vec::new(),
            factor: vec![0.0; parameters * parameters],
            cholesky: Cholesky::new(parameters),
            normal: list(),
            normal_image: list(),
            step: list(),
            room: list(),
            region: [settings.damping, hard.map_or(0.0, |hard| hard.gain)],
            end: None,
            diagnose: false,
        }
    }

    pub(crate) fn multipliers(&self) -> &[f64] {
        if self.hard.is_some() { &self.λ } else { &[] }
    }

    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }

    pub(crate) fn points_changed(&mut self) {
        self.reduction.forget();
        self.changed = true;
    }

    pub(crate) fn state(&self) -> State {
        let mut state = vec![("region", self.region.to_vec()), ("before", vec![self.reduction.before])];
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
        let mut lists = vec![("region", &mut self.region[..]), ("before", before)];
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
        if !self.build(problem, θ, &mut report) {
            // Rows that are not finite although their values are: the report shows it.
            return StepReport { gradient_norm: f64::NAN, ..report };
        }
        let scale = self.scale();
        let merit = self.merit(&self.at);
        for attempt in 0..ATTEMPTS {
            report.gain = if self.hard.is_some() { self.region[1] } else { f64::NAN };
            let predicted = self.propose(scale);
            let fall = if predicted > 0.0 { merit - self.attempt(problem, θ) } else { f64::NAN };
            if self.conclude(fall, predicted, attempt) {
                add_scaled(θ, 1.0, &self.step);
                report.step_norm = norm(&self.step);
                break;
            }
        }
        if report.step_norm == 0.0 {
            // Nothing here is better to rounding, whatever the regions have come to: they start anew elsewhere.
            self.region = [self.settings.damping, self.hard.map_or(0.0, |hard| hard.gain)];
            // With hard constraints, what they leave of the gradient and how far they are from being met; else all of the gradient.
            let left = match self.hard {
                Some(_) => self.at.constraints.iter().fold(report.kkt, |most, h| most.max(h.abs())),
                None => report.gradient_norm,
            };
            self.end = Some(End::of_no_step(left));
        }
        if !self.λ.is_empty() {
            self.reduction.end(&self.at, θ, &mut report);
        }
        report
    }

    /// g, H, the row space with n and Hn, and ΠHΠ; `false` where numbers are not finite.
    fn build(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64], report: &mut StepReport) -> bool {
        let size = θ.len();
        self.remember();
        problem.add_gauss_newton(θ, &self.squares, &mut self.matrix);
        self.gradient.copy_from_slice(&self.at.gradient);
        self.add_penalty(size);
        symmetrize(&mut self.matrix, size);
        let Some(hard) = self.hard else {
            report.gradient_norm = norm(&self.gradient);
            return self.scale().is_finite();
        };
        // Sums of squares: what is not finite anywhere is not on the diagonal either.
        if !self.scale().is_finite() || !self.space.find(&self.at.jacobian, hard.cut) {
            return false;
        }
        report.kkt = self.space.multipliers(&self.at.gradient, MULTIPLIERS, &mut self.λ);
        self.at.jacobian.add_transposed(&self.λ, &mut self.gradient);
        if self.diagnose {
            (report.condition, report.rank) = (self.space.condition, self.space.rank as f64);
        }
        self.space.pseudoinverse(&self.at.jacobian, &self.at.constraints, &mut self.normal);
        self.normal.iter_mut().for_each(|n| *n = -*n);
        multiply_vector(&mut self.normal_image, &self.matrix, &self.normal);
        if self.is_split() {
            self.project_matrix(size);
        }
        true
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

    /// The constraints' share of g and H.
    fn add_penalty(&mut self, size: usize) {
        let residuals = self.shares.iter().zip(&self.squares).zip(&self.at.constraints);
        let weights: Vec<f64> = residuals
            .map(|((share, square), h)| if *square > 0.0 { *square } else { 2.0 * share * h })
            .collect();
        self.at.jacobian.add_transposed(&weights, &mut self.gradient);
        let scaled: Vec<f64> = self
            .at
            .rows()
            .zip(self.shares.iter().zip(&self.squares))
            .filter(|(_, (_, square))| **square == 0.0)
            .flat_map(|(row, (share, _))| row.iter().map(move |x| (2.0 * share).sqrt() * x))
            .collect();
        if !scaled.is_empty() {
            add_squares(&mut self.matrix, 1.0, &scaled, size);
        }
    }

    /// B = HQ − ½Q(QᵀHQ + s) with s = tr(H)/P, so that H is positive definite along Q, where t has no part.
    fn project_matrix(&mut self, size: usize) {
        let (rank, scale) = (self.space.rank, self.scale());
        self.image.resize(size * rank, 0.0);
        if rank == 0 {
            return;
        }
        let (image, basis) = (&mut self.image, || Factor::of(&self.space.basis, rank));
        multiply_large(image, Factor::of(&self.matrix, size), basis());
        let mut inner = vec![0.0; rank * rank];
        multiply_large(&mut inner, Factor::transposed(&self.space.basis, rank), Factor::of(image, rank));
        (0..rank).for_each(|i| inner[i * rank + i] += scale);
        let mut share = vec![0.0; size * rank];
        multiply_large(&mut share, basis(), Factor::of(&inner, rank));
        add_scaled(image, -0.5, &share);
    }

    /// ΠHΠ + sQQᵀ + μI, or H + μI where no constraint is hard, in the place of its factor: the lower triangle.
    fn damp(&mut self, damping: f64) {
        let (size, rank) = (self.gradient.len(), self.space.rank);
        let rows = self.factor.par_chunks_exact_mut(size).zip(self.matrix.par_chunks_exact(size));
        rows.enumerate().for_each(|(i, (to, from))| to[..=i].copy_from_slice(&from[..=i]));
        if self.is_split() && rank > 0 {
            let (basis, image) = (Factor::of(&self.space.basis, rank), Factor::of(&self.image, rank));
            add_symmetric(&mut self.factor, -1.0, basis, image.turned());
            add_symmetric(&mut self.factor, -1.0, image, basis.turned());
        }
        (0..size).for_each(|i| self.factor[i * size + i] += damping);
    }

    /// tr(H)/P.
    fn scale(&self) -> f64 {
        let size = self.gradient.len();
        (0..size).map(|i| self.matrix[i * size + i]).sum::<f64>() / size.max(1) as f64
    }

    /// The step for the current μ and γ, and the fall of the merit that the model promises; not a number where there is none.
    fn propose(&mut self, scale: f64) -> f64 {
        let [damping, gain] = self.region;
        self.damp(damping * scale);
        if self.cholesky.factor(&mut self.factor).is_err() {
            return f64::NAN;
        }
        match self.hard {
            Some(Hard { metric: Metric::GaussNewton, .. }) => {
                if !self.step_in_metric(gain) {
                    return f64::NAN;
                }
            }
            _ => self.step_apart(gain),
        }
        multiply_vector(&mut self.room, &self.matrix, &self.step);
        let mut curvature = dot(&self.step, &self.room);
        if let Some(memory) = &mut self.memory {
            memory.multiply(&self.step, &mut self.room);
            curvature -= dot(&self.step, &self.room);
        }
        -dot(&self.gradient, &self.step) - 0.5 * curvature
    }

    /// γn + t; t alone where no constraint is hard.
    fn step_apart(&mut self, gain: f64) {
        set_scaled(&mut self.step, -1.0, &self.gradient);
        if self.hard.is_some() {
            add_scaled(&mut self.step, -gain, &self.normal_image);
            self.space.project(&mut self.step);
        }
        solve_factored(&self.factor, [&mut self.step]);
        if self.hard.is_some() {
            self.space.project(&mut self.step);
            add_scaled(&mut self.step, gain, &self.normal);
        }
    }

    /// Are there hard constraints, and their part of the step apart?
    fn is_split(&self) -> bool {
        self.hard.is_some_and(|hard| hard.metric == Metric::Euclidean)
    }

    /// The merit at θ + d.
    fn attempt(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> f64 {
        self.room.iter_mut().zip(θ).zip(&self.step).for_each(|((room, θ), step)| *room = θ + step);
        problem.evaluate(&self.room, Want::Values, &mut self.trial);
        self.merit(&self.trial)
    }

    fn merit(&self, at: &Evaluation) -> f64 {
        let parts = self.shares.iter().zip(&self.squares).zip(&at.constraints);
        let part = |((share, square), h): ((&f64, &f64), &f64)| {
            if *square > 0.0 { square * h } else { share * h * h }
        };
        at.objective + dot(&self.λ, &at.constraints) + parts.map(part).sum::<f64>()
    }

    /// Takes or refuses a step by what it brought, and sets both trust regions.
    fn conclude(&mut self, fall: f64, predicted: f64, attempt: usize) -> bool {
        let [damping, gain] = &mut self.region;
        let taken = fall >= ACCEPT * predicted;
        let least = self.settings.least_damping;
        match taken {
            // A step that brings less than half of what was promised is taken, but no longer ones are asked for.
            true if fall < 0.25 * predicted => *damping = (2.0 * *damping).min(MOST_DAMPING),
            true if fall < 0.5 * predicted => {}
            true => {
                *damping = (*damping / 3.0).max(least);
                *gain = (1.5 * *gain).min(1.0);
            }
            false => {
                // Less than rounding is none.
                let growth = if attempt < PATIENT { 4.0 } else { 1e3 };
                *damping = (growth * *damping).max(least).clamp(f64::EPSILON, MOST_DAMPING);
                *gain = (0.6 * *gain).max(LEAST_GAIN.min(*gain));
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests;
