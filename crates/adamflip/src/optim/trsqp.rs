//! `trsqp`: sequential quadratic programming in a trust region, after Cheng and Na 2024 (trSQP-PINN).
//!
//! Minimises f subject to c = 0 by steps d = d_n + d_t within ‖d‖ ≤ Δ, with A the Jacobian of c and
//! L = f + λᵀc (the scheme of Byrd and Omojokun):
//!
//! 1. pretraining: the stage's first steps only lower ‖c‖, as below with d = d_n within Δ and the merit ‖c‖,
//!    or by L-BFGS on ‖c‖²;
//! 2. least-squares multipliers λ = −(A Aᵀ)⁺A∇f;
//! 3. normal step: d_n by a dogleg on ‖A d + c‖ within 0.8Δ;
//! 4. tangential step: d_t lowers q(d) = ∇fᵀd + ½dᵀBd over d_n + null(A), by projected conjugate gradients
//!    within √(Δ² − ‖d_n‖²);
//! 5. penalty: with v = ‖c‖ − ‖c + A d‖, if q > 0 then μ ← max(μ, q/(0.7 v));
//! 6. the ratio of actual and promised fall (μv − q) of the merit f + μ‖c‖₂: at least 0.9, Δ ← max(7‖d‖, Δ);
//!    at least 0.3, max(2‖d‖, Δ); below 1e-8 the step is rejected and Δ shrinks by a factor between 0.1 and
//!    0.5 (ours: of ‖d‖ where that is less than Δ, for a step inside the ball would only be proposed again);
//! 7. B from the last pairs of d and the change of ∇L (at the multipliers of the step's start), by damped
//!    BFGS or SR1.
//!
//! One call of `step` is one trial step; a rejected one leaves θ. Stops (see [`TrSqp::outcome`]) at a KKT
//! residual, step or radius of 1e-9; further steps then leave θ, as long as the problem stays the same.
//!
//! - Needs ∇f and J, then f and c at the trial point, each step. The m × m matrix A Aᵀ costs m²P operations,
//!   its eigenvalues about 9m³, each product with A or Aᵀ m·P; the memory beyond J is 4kP for k pairs, and
//!   m².
//! - Meant for pointwise constraints, and for points that stay, as they do in training: where they change
//!   between steps, f, c and the derivatives are simply those of the new points, the pair that spans the
//!   change is left out of B, and a run that had stopped goes on from Δ₀. But the ratio then compares nothing
//!   that lasts, so Δ says little.
//! - Inequalities c ≤ 0: the working set is what stands in the way of a steepest descent with the curvature
//!   of B within Δ (the complementarity problem Gλ = κc − A∇f with λ ≥ 0); its constraints are equalities of
//!   the step, the others have no rows, and the merit has what is violated of all. Near a solution with λ > 0
//!   on all active constraints the set is the right one for any κ.
//! - Rank-deficient A: eigenvalues of A Aᵀ below 1e-10 of the largest count as zero. Inconsistent constraints
//!   end at a stationary point of ‖c‖.
//! - Defaults: Δ₀ = 1, μ₀ = 1, all constants of steps 3–6 and the tolerance as in the authors' program. Ours:
//!   damped BFGS with 20 pairs (theirs is dense), 10 steps of pretraining, which are normal steps (theirs is
//!   L-BFGS on ‖c‖², [`Pretrain::Lbfgs`], which took as many evaluations of derivatives or more on all ten
//!   analytic problems, 299 against 17 on Hock–Schittkowski 27), the forcing term 0.1 of the conjugate
//!   gradients, and a second-order correction of rejected steps (Nocedal and Wright 2006, section 18.3),
//!   which costs one more evaluation of f and c: without it the merit refuses good steps along curved
//!   constraints (Maratos), and Hock–Schittkowski 27 takes some 250 steps instead of 17.
//!   `second_order_correction: false` is the list above to the letter.
//! - References: Cheng and Na, *Physics-informed neural networks with trust-region sequential quadratic
//!   programming*, 2024; Nocedal and Wright, *Numerical optimization*, 2006, section 18.5.
//! - Use it for a few hundred constraints, small networks and high accuracy of the conditions; give
//!   comparisons the same wall time rather than the same number of steps.

mod curvature;
mod method;
mod normal;
mod pretraining;
mod pseudoinverse;
mod region;
mod saved;
mod settings;
mod tangential;

use super::method::{Configure, Keeps, MethodFacts, Pace};
use super::settings::{SettingGroup, SettingValue};
use super::{ConstrainedProblem, Optimizer};
pub(super) use curvature::Curvature as Model;
pub use curvature::QuasiNewton;
pub use method::TrSqp;
pub(super) use region::{ratio, to_boundary};

/// Settings of [`TrSqp`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrSqpSettings {
    /// Steps at the start that only lower ‖c‖; fewer where it falls below the tolerance before.
    pub pretrain: usize,
    /// How they do that.
    pub pretrain_method: Pretrain,
    /// The formula for B.
    pub quasi_newton: QuasiNewton,
    /// Pairs that B remembers.
    pub memory: usize,
    /// Δ₀.
    pub radius: f64,
    /// μ₀.
    pub penalty: f64,
    /// The part of Δ for the normal step.
    pub normal_share: f64,
    /// The part of the promised fall of μ‖c‖ that may pay for a rise of q.
    pub penalty_share: f64,
    /// The ratio from which a step is taken.
    pub accept: f64,
    /// The ratio from which Δ becomes at least 2‖d‖.
    pub good: f64,
    /// The ratio from which Δ becomes at least 7‖d‖.
    pub excellent: f64,
    /// The least and the largest factor of Δ after a rejected step.
    pub shrink: [f64; 2],
    /// The relative residual at which the conjugate gradients end; they end at √‖g‖ where that is smaller.
    pub forcing: f64,
    /// Try a rejected, mostly tangential step again with a correction of c.
    pub second_order_correction: bool,
    /// Eigenvalues of A Aᵀ below this part of the largest count as zero.
    pub rank_cut: f64,
    /// Bound on the KKT residual, the step and the radius that ends the run.
    pub tolerance: f64,
}

impl Default for TrSqpSettings {
    fn default() -> Self {
        Self {
            pretrain: 10,
            pretrain_method: Pretrain::Normal,
            quasi_newton: QuasiNewton::DampedBfgs,
            memory: 20,
            radius: 1.0,
            penalty: 1.0,
            normal_share: 0.8,
            penalty_share: 0.7,
            accept: 1e-8,
            good: 0.3,
            excellent: 0.9,
            shrink: [0.1, 0.5],
            forcing: 0.1,
            second_order_correction: true,
            rank_cut: 1e-10,
            tolerance: 1e-9,
        }
    }
}

impl Configure for TrSqpSettings {
    // Of the constraints, the eigenvectors too.
    const FACTS: MethodFacts = MethodFacts {
        pace: Pace::QuasiNewton,
        keeps: Keeps::All,
        matrices: [3.0, 0.0],
        without_constraints: Some("only minimises"),
        ..MethodFacts::multipliers("trsqp", true)
    };

    fn parts(&self) -> Vec<SettingGroup> {
        vec![settings::KEYS]
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        settings::set(self, key, value)
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, _steps: usize) -> Box<dyn Optimizer> {
        Box::new(TrSqp::new(self, problem.parameters(), problem.constraints()))
    }
}

/// How the first steps lower ‖c‖.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pretrain {
    /// Normal steps alone, in the trust region.
    Normal,
    /// L-BFGS on ‖c‖².
    Lbfgs,
}

/// Where [`TrSqp`] stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrSqpOutcome {
    /// It goes on.
    #[default]
    Running,
    /// ‖∇L‖∞ and ‖c‖∞ are within the tolerance.
    Converged,
    /// ‖∇L‖∞ and ∇‖c‖ are within the tolerance, but c is not: the constraints contradict each other here.
    Infeasible,
    /// The last step taken was shorter than the tolerance.
    ShortStep,
    /// No step was good until Δ fell below the tolerance.
    SmallRadius,
}

#[cfg(test)]
mod tests;
