//! Constrained optimization: minimise f(θ) subject to h(θ) = 0.
//!
//! Two traits meet here. A [`ConstrainedProblem`] evaluates f, h and their derivatives; an [`Optimizer`]
//! takes steps. Neither knows of equations, networks or files, so every method is tested on small analytic
//! problems and is usable on its own. A method is one file and one line of [`Method`].
//!
//! Rosenbrock's function on the unit circle:
//!
//! ```
//! use adamflip::optim::{AdamFlipSettings, ConstrainedProblem, Decay, Evaluation, Method, Rate, Want};
//!
//! struct Circle;
//!
//! impl ConstrainedProblem for Circle {
//!     fn parameters(&self) -> usize {
//!         2
//!     }
//!     fn constraints(&self) -> usize {
//!         1
//!     }
//!     fn evaluate(&mut self, θ: &[f64], want: Want<'_>, out: &mut Evaluation) {
//!         let (x, y) = (θ[0], θ[1]);
//!         out.objective = 100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2);
//!         out.constraints[0] = x * x + y * y - 1.0;
//!         if want != Want::Values {
//!             let valley = 200.0 * (y - x * x);
//!             out.gradient.copy_from_slice(&[-2.0 * x * valley - 2.0 * (1.0 - x), valley]);
//!             match want {
//!                 Want::Combination(w) => {
//!                     out.gradient.iter_mut().zip(θ).for_each(|(g, θ)| *g += w[0] * 2.0 * θ)
//!                 }
//!                 _ => out.jacobian.rows_mut().copy_from_slice(&[2.0 * x, 2.0 * y]),
//!             }
//!         }
//!     }
//! }
//!
//! let mut settings = AdamFlipSettings::default();
//! settings.adam.rate = Rate { start: 3e-2, decay: Decay::Exponential(1e-6) };
//! settings.feedback.gain = 10.0;
//! let steps = 24_000;
//! let mut optimizer = Method::AdamFlip(settings).optimizer(&Circle, steps);
//! let mut θ = [0.5, 1.5];
//! for _ in 0..steps {
//!     optimizer.step(&mut Circle, &mut θ);
//! }
//! assert!((θ[0] - 0.786415).abs() < 1e-6 && (θ[1] - 0.617698).abs() < 1e-6);
//! ```

#[macro_use]
mod delegate;

mod adam;
mod adamflip;
mod adamflip_metric;
mod adamflip_split;
mod admm;
mod al;
mod apart;
mod balance;
mod block;
mod complementarity;
pub mod conflict;
mod controller;
mod descent;
mod fl;
mod fl_momentum;
mod fl_zeroth;
mod gauss_newton;
mod jacobian;
mod lbfgs;
mod levenberg;
mod line_search;
mod method;
mod minimize;
mod moments;
mod multiplier;
mod newton;
mod newton_cg;
mod newton_rows;
mod newtonflip;
mod normal;
mod problem;
mod reduction;
pub(crate) mod residuals;
mod rotation;
mod rowspace;
mod schedule;
pub(crate) mod settings;
mod spectrum;
mod ssbroyden;
mod trsqp;
mod trust_region;
mod turns;

pub use adam::{Adam, AdamSettings};
pub use adamflip::{AdamFlip, AdamFlipSettings, Backtracking};
pub use adamflip_metric::{AdamFlipMetric, AdamFlipMetricSettings};
pub use adamflip_split::{AdamFlipSplit, AdamFlipSplitSettings};
pub use admm::{Admm, AdmmSettings};
pub use al::{Adaptive, AlSettings, Ascent, AugmentedLagrangian, Dual, Outer, Update};
pub use apart::Apart;
pub use balance::{Balancing, Weights};
pub(crate) use block::Inequalities;
pub use block::{Block, Form, Sense};
pub use descent::DescentSettings;
pub use fl::{Fl, FlSettings};
pub use fl_momentum::{FlMomentum, FlMomentumSettings};
pub use fl_zeroth::{FlZeroth, FlZerothSettings};
pub use gauss_newton::GaussNewton;
pub use jacobian::Jacobian;
pub use lbfgs::{Lbfgs, LbfgsSettings};
pub use levenberg::krylov::KrylovSettings;
pub use line_search::{Found, Sample, Wolfe};
pub use method::{Gains, Method};
pub(crate) use method::{JacobianRows, MethodFacts};
pub use minimize::{MinimizeOptions, MinimizeStatus, Minimum, minimize};
pub use moments::Betas;
pub use multiplier::{Damping, Feedback};
pub use newton::{ModelFactor, NewtonSettings};
pub use newton_cg::{NewtonCg, NewtonCgSettings};
pub use newton_rows::{NewtonRows, NewtonRowsSettings};
pub use newtonflip::{NewtonFlip, NewtonFlipSettings};
pub use problem::{ConstrainedProblem, Evaluation, Matrix, Want};
pub use residuals::{ResidualBlock, ResidualRole, VisitRows};
pub(crate) use rowspace::RowSpace;
pub use schedule::{Decay, Rate};
pub use settings::levenberg::LevenbergSettings;
pub use settings::{MethodSetting, SettingError, SettingValue};
pub(crate) use spectrum::RANK_TOLERANCE;
pub use ssbroyden::{SsBroyden, SsBroydenSettings};
pub use trsqp::{Pretrain, QuasiNewton, TrSqp, TrSqpOutcome, TrSqpSettings};
pub use trust_region::{TrustRegion, TrustRegionSettings};

/// What a step saw and did. Values and violations are those at the point where the step started. A number
/// that does not apply to the method, or was not asked for ([`Optimizer::diagnose`]), is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// f(θ) before the step.
    pub objective: f64,
    /// ‖h(θ)‖₁ before the step.
    pub violation: f64,
    /// The learning rate of the step.
    pub rate: f64,
    /// ‖Δθ‖₂.
    pub step_norm: f64,
    /// The norm of the direction before moments are applied.
    pub gradient_norm: f64,
    /// ‖∇f + Jᵀλ‖₂ with the λ of least squares (`al`: with its own): the first-order optimality residual.
    pub kkt: f64,
    /// The share of h that the controller asks the step to remove: η·K, or γ where the normal step has a gain
    /// of its own. Where gains differ by constraint, the largest.
    pub gain: f64,
    /// The relative reduction of ‖h‖₂ that this step promises: 1 − ‖h + JΔθ‖/‖h‖.
    pub predicted: f64,
    /// The relative reduction of ‖h‖₂ that the step before this one brought, to hold against its `predicted`.
    pub actual: f64,
    /// The largest over the smallest eigenvalue of J Jᵀ; infinite where it has no full rank. For more than 64
    /// constraints a controller gives a lower bound of that of the damped J Jᵀ + εI, from the pivots of its
    /// factor (in the order of the constraints), which is finite whatever the rank. Only where asked for.
    pub condition: f64,
    /// The numerical rank of J Jᵀ: eigenvalues above 1e-12 of the largest. For more than 64 constraints a
    /// controller counts the pivots of the damped matrix above 10ε instead: rows that are more than damping
    /// beside those before them; `newtonflip` and `trsqp` count the directions that their steps keep. Only
    /// where asked for.
    pub rank: f64,
    /// Trust regions that were tried and refused before the step, or before there was none.
    pub refused: f64,
    /// The radius of the trust region, or the length of the best step at its damping.
    pub radius: f64,
    /// μ, the damping of a Gauss–Newton matrix.
    pub damping: f64,
    /// The largest weight of a constraint in the merit.
    pub penalty: f64,
}

impl Default for StepReport {
    fn default() -> Self {
        Self {
            objective: 0.0,
            violation: 0.0,
            rate: 0.0,
            step_norm: 0.0,
            gradient_norm: 0.0,
            kkt: f64::NAN,
            gain: f64::NAN,
            predicted: f64::NAN,
            actual: f64::NAN,
            condition: f64::NAN,
            rank: f64::NAN,
            refused: f64::NAN,
            radius: f64::NAN,
            damping: f64::NAN,
            penalty: f64::NAN,
        }
    }
}

/// lower(H) += 2∂rᵀ∂r from the rows ∂r of residuals: the Gauss–Newton matrix of ‖r‖², for
/// [`ConstrainedProblem::add_gauss_newton`].
pub fn add_squared_residuals(lower: &mut [f64], rows: &[f64], parameters: usize) {
    if !rows.is_empty() {
        crate::linalg::add_squares(lower, 2.0, rows, parameters);
    }
}

/// The state of a method as named lists of numbers: everything needed to go on exactly.
pub type State = Vec<(&'static str, Vec<f64>)>;

/// How a method comes to its end by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum End {
    /// Its conditions of optimality hold.
    Converged,
    /// It is stationary, but the constraints are not met: they contradict each other here.
    Infeasible,
    /// No step that it can find is better, to rounding.
    NoProgress,
}

/// The size of a gradient at which a step of zero is convergence rather than a failed search: losses are of
/// order one at first, and a search loses sight of descent near the root of their rounding.
const STATIONARY: f64 = 1e-8;

impl End {
    /// Where no step is better, by what is left of the conditions of optimality there.
    pub(crate) fn of_no_step(left: f64) -> Self {
        if left <= STATIONARY { End::Converged } else { End::NoProgress }
    }
}

/// A method that improves θ step by step.
pub trait Optimizer: Send {
    /// One step from θ, in place. A step that meets numbers that are not finite leaves θ as it is, and its
    /// report shows them.
    fn step(&mut self, problem: &mut dyn ConstrainedProblem, θ: &mut [f64]) -> StepReport;

    /// The multipliers λ of the constraints in the last step; empty for methods without.
    fn multipliers(&self) -> &[f64] {
        &[]
    }

    /// Asks for the costly parts of later reports, or stops asking.
    fn diagnose(&mut self, _wanted: bool) {}

    /// Tells that the problem is no longer the same function of θ, because its points are others: what was
    /// seen of it before the next step is not to be held against what comes.
    fn points_changed(&mut self) {}

    /// Has the method come to its end, so that further steps leave θ as long as the problem stays the same?
    fn end(&self) -> Option<End> {
        None
    }

    /// The state to save.
    fn state(&self) -> State;

    /// Continues from a saved state; `false` (and no change) where it does not fit this method and problem.
    #[must_use]
    fn restore(&mut self, state: &[(String, Vec<f64>)]) -> bool;
}

/// Copies the named lists of a saved state into place if all are there with the right lengths.
fn restore_lists(state: &[(String, Vec<f64>)], into: &mut [(&str, &mut [f64])]) -> bool {
    let find = |name: &str| state.iter().find(|(known, _)| known == name).map(|(_, list)| list);
    if into.iter().any(|(name, list)| find(name).is_none_or(|saved| saved.len() != list.len())) {
        return false;
    }
    for (name, list) in into {
        if let Some(saved) = find(name) {
            list.copy_from_slice(saved);
        }
    }
    true
}

#[cfg(test)]
mod tests;
