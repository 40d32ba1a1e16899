//! The methods on any problem: steps until the tolerance is met, with an account of the point
//! reached.
//!
//! [`minimize`] owns the loop that `train` has for networks: it drives [`Method::optimizer`] and measures the
//! conditions of optimality at the end, the same for every method,
//!
//! ‖∇f + Jᵀλ‖₂ ≤ tolerance with the λ of least squares, and ‖h‖₁ ≤ feasibility.
//!
//! Of inequalities h ≤ 0 only those that are active have a multiplier, which is at least 0, and what is above
//! zero counts as ‖h‖₁.
//!
//! Reference: Nocedal and Wright, chapter 12 (the conditions) and 18.3 (the multipliers of least squares).

use std::fmt;

use super::spectrum::RANK_TOLERANCE;
use super::{Block, ConstrainedProblem, End, Evaluation, Method, RowSpace, STATIONARY, StepReport, Want};

/// Inequalities that are further inside than this share of the farthest, and than the feasibility that is
/// asked for, have no multiplier.
const INACTIVE: f64 = 1e-6;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinimizeOptions {
    /// The most steps. Schedules of learning rates end here.
    pub steps: usize,
    /// The largest ‖∇f + Jᵀλ‖₂ of a solution.
    pub tolerance: f64,
    /// The largest ‖h‖₁ of a solution.
    pub feasibility: f64,
}

impl Default for MinimizeOptions {
    /// 1,000 steps; 1e-6 for both, the square root of what `f64` can tell apart and a hundredfold more.
    fn default() -> Self {
        Self { steps: 1_000, tolerance: 1e-6, feasibility: 1e-6 }
    }
}

/// Why [`minimize`] stopped. Displays a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MinimizeStatus {
    /// θ meets the tolerances.
    Converged,
    /// The method finds no better step, and the tolerances are not met.
    Stagnated,
    /// Stationary, but the constraints are not met.
    Infeasible,
    /// All steps are taken, and the tolerances are not met.
    MaxSteps,
    /// f, h or a derivative is infinite or not a number.
    NotFinite,
    /// The callback asked to stop.
    Stopped,
}

impl MinimizeStatus {
    /// One word, as in `max_steps`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Stagnated => "stagnated",
            Self::Infeasible => "infeasible",
            Self::MaxSteps => "max_steps",
            Self::NotFinite => "not_finite",
            Self::Stopped => "stopped",
        }
    }
}

impl fmt::Display for MinimizeStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Converged => "The optimality conditions and the constraints hold to the tolerance.",
            Self::Stagnated => {
                "No better step was found, but the tolerance is not met. Check the derivatives, or try \
                 another method."
            }
            Self::Infeasible => {
                "The constraints cannot be met near this point: they contradict each other here. Start \
                 elsewhere, or drop a constraint."
            }
            Self::MaxSteps => "All steps were taken before the tolerance was met. Allow more steps.",
            Self::NotFinite => {
                "The objective, a constraint or a derivative became infinite or NaN. The result is the last \
                 point where all were finite; try smaller steps."
            }
            Self::Stopped => "The callback stopped the run.",
        })
    }
}

/// The point that [`minimize`] reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// f(θ).
    pub objective: f64,
    /// h(θ).
    pub constraints: Vec<f64>,
    /// ‖h(θ)‖₁; of inequalities h ≤ 0 what is above zero.
    pub violation: f64,
    /// λ of least squares, one for each constraint.
    pub multipliers: Vec<f64>,
    /// ‖∇f + Jᵀλ‖₂.
    pub kkt: f64,
    /// How many steps were taken.
    pub steps: usize,
    /// Why there were no more.
    pub status: MinimizeStatus,
}

/// Minimises f(θ) subject to h(θ) = 0 from the θ given, in place.
///
/// `watch` sees the report of every step and the θ after it; where it answers `false`, no further step is
/// taken.
///
/// A step's report says how well θ met the tolerances *before* the step, so the step from a θ that met them
/// is taken back. Methods without a KKT residual in their reports (`adam`, `lbfgs`, `ssbroyden`,
/// `gauss_newton`) go on until no step is better, where there are constraints.
pub fn minimize(
    problem: &mut dyn ConstrainedProblem,
    θ: &mut [f64],
    method: &Method,
    options: MinimizeOptions,
    watch: &mut dyn FnMut(&StepReport, &[f64]) -> bool,
) -> Minimum {
    let mut optimizer = method.optimizer(problem, options.steps);
    let mut optimality = Optimality::new(problem, options.feasibility);
    let (mut before, mut finite) = (θ.to_vec(), θ.to_vec());
    for taken in 0..options.steps {
        before.copy_from_slice(θ);
        let report = optimizer.step(problem, θ);
        let go_on = watch(&report, θ);
        if !is_finite(&report) {
            θ.copy_from_slice(&finite);
            return optimality.at(problem, θ).minimum(taken, MinimizeStatus::NotFinite);
        }
        std::mem::swap(&mut before, &mut finite);
        if options.may_be_met(&report, problem.constraints()) && options.met(optimality.at(problem, &finite))
        {
            θ.copy_from_slice(&finite);
            return optimality.minimum(taken, MinimizeStatus::Converged);
        }
        let end = optimizer.end().or_else(|| options.end_of_penalty(&report, problem.constraints()));
        let status = match end {
            _ if !go_on => MinimizeStatus::Stopped,
            Some(End::Infeasible) => MinimizeStatus::Infeasible,
            Some(End::Converged | End::NoProgress) => MinimizeStatus::Stagnated,
            None => continue,
        };
        return finish(&mut optimality, problem, θ, options, (taken + 1, status));
    }
    finish(&mut optimality, problem, θ, options, (options.steps, MinimizeStatus::MaxSteps))
}

/// The end at θ: whatever stopped the run, a point that meets the tolerances is a solution.
fn finish(
    optimality: &mut Optimality,
    problem: &mut dyn ConstrainedProblem,
    θ: &[f64],
    options: MinimizeOptions,
    (steps, status): (usize, MinimizeStatus),
) -> Minimum {
    let converged = options.met(optimality.at(problem, θ)) && status != MinimizeStatus::Stopped;
    let status = match optimality.is_finite() {
        _ if converged => MinimizeStatus::Converged,
        false if status != MinimizeStatus::Stopped => MinimizeStatus::NotFinite,
        _ => status,
    };
    optimality.minimum(steps, status)
}

impl MinimizeOptions {
    /// Does the report, which is cheap and an upper bound, meet the tolerances?
    fn may_be_met(&self, report: &StepReport, constraints: usize) -> bool {
        let kkt = if constraints == 0 { report.gradient_norm } else { report.kkt };
        kkt <= self.tolerance && report.violation <= self.feasibility
    }

    /// Methods that add constraints up with the objective end where the gradient of the sum vanishes, met or
    /// not; they may take steps of rounding for ever.
    fn end_of_penalty(&self, report: &StepReport, constraints: usize) -> Option<End> {
        let vanishes = report.gradient_norm <= STATIONARY.min(self.tolerance);
        (constraints > 0 && report.kkt.is_nan() && vanishes).then_some(End::Converged)
    }

    fn met(&self, at: &Optimality) -> bool {
        at.kkt <= self.tolerance && at.evaluation.violation() <= self.feasibility
    }
}

fn is_finite(report: &StepReport) -> bool {
    [report.objective, report.violation, report.gradient_norm].iter().all(|number| number.is_finite())
}

/// The conditions of optimality at one θ.
#[derive(Debug)]
struct Optimality {
    evaluation: Evaluation,
    blocks: Vec<Block>,
    space: RowSpace,
    feasibility: f64,
    λ: Vec<f64>,
    kkt: f64,
}

impl Optimality {
    fn new(problem: &dyn ConstrainedProblem, feasibility: f64) -> Self {
        let (p, m) = (problem.parameters(), problem.constraints());
        Self {
            evaluation: Evaluation::new(p, m).asking(&problem.constraint_blocks()),
            blocks: problem.constraint_blocks(),
            space: RowSpace::new(p, m),
            feasibility,
            λ: vec![0.0; m],
            kkt: f64::NAN,
        }
    }

    /// Evaluates at θ; m²P + m³ operations for the multipliers.
    fn at(&mut self, problem: &mut dyn ConstrainedProblem, θ: &[f64]) -> &Self {
        problem.evaluate(θ, Want::Gradients, &mut self.evaluation);
        self.evaluation.leave_out_inactive(&self.blocks, INACTIVE, self.feasibility);
        let found = self.evaluation.is_finite() && self.space.find(&self.evaluation.jacobian, RANK_TOLERANCE);
        self.kkt = if found {
            self.space.multipliers(&self.evaluation.gradient, 0.0, &mut self.λ)
        } else {
            self.λ.fill(f64::NAN);
            f64::NAN
        };
        self
    }

    fn is_finite(&self) -> bool {
        self.evaluation.is_finite() && self.kkt.is_finite()
    }

    fn minimum(&self, steps: usize, status: MinimizeStatus) -> Minimum {
        Minimum {
            objective: self.evaluation.objective,
            constraints: self.evaluation.constraints.clone(),
            violation: self.evaluation.violation(),
            multipliers: self.λ.clone(),
            kkt: self.kkt,
            steps,
            status,
        }
    }
}
