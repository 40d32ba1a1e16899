//! `newtonflip`: feedback linearization with the curvature of Gauss and Newton (ours).
//!
//! - Sequential quadratic programming with the Gauss–Newton matrix and pointwise constraints, regularized and
//!   in one trust region: [`super::newton`] has the step. Linear constraints under a linear least-squares
//!   objective are met in a few steps.
//! - Cost: N·P² flop for the matrix of N residuals, constraints among them, and P³/3 for each factorization;
//!   P² for each round of multipliers. Constraints cost no more than other residuals. By rows (`factor`),
//!   where squares end, twice as much.
//! - The weights of constraints come from curvature, not from the user: ρ = c·tr(H_f)/tr(H_h), and c grows
//!   where objective and constraints stand still. So it is soft where hard constraints would come too early,
//!   and hard at the end.
//! - Defaults: c = 0.3 at first and three rounds, μ from 1e-3 of tr(H)/P: ours,
//!   `results/2026-11-18-newtonflip.md`; β up to 0.8: `results/2026-11-19-stride.md`.
//! - Reference: Gill and Robinson 2012, *A primal-dual augmented Lagrangian*; Nocedal and Wright, chapters 17
//!   and 18.
//! - Use it last, after a short start by a method of first order, with fresh or adaptive points at every
//!   step.

use super::method::{Configure, JacobianRows, MethodFacts, Pace};
use super::newton::{Hard, Newton, NewtonSettings, Weighting};
use super::settings::{SettingGroup, SettingValue, newton, setting};
use super::{Block, ConstrainedProblem, Optimizer};

/// Solves of the model with better and better multipliers: one would make penalties of the constraints.
const ROUNDS: usize = 3;

/// Settings of [`NewtonFlip`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonFlipSettings {
    /// Damping and memory; the penalty where it is fixed, and of constraints in their mean square.
    pub newton: NewtonSettings,
    /// Is the weight of the constraints that penalty, rather than balanced by curvature?
    pub fixed: bool,
    /// c at first: the curvature of a constraint as a share of the objective's.
    pub hardness: f64,
}

impl Default for NewtonFlipSettings {
    fn default() -> Self {
        Self { newton: NewtonSettings::default(), fixed: false, hardness: 0.3 }
    }
}

const CONSTRAINED: SettingGroup = &[
    setting(
        "hardness",
        "a positive number, as in `hardness = 0.3`",
        "c at first: the constraints' share of curvature",
    ),
    setting("normal_gain", "a number from 0 to 1, or drop it", "of older files: without effect"),
    setting("rank_cut", "a number from 0 to 1, or drop it", "of older files: without effect"),
    setting("metric", "\"euclidean\", or drop it", "of older files: without effect"),
];

impl Configure for NewtonFlipSettings {
    // With constraints the projection of the matrix, and of the constraints their eigenvectors.
    const FACTS: MethodFacts = MethodFacts {
        pointwise: Some(true),
        pace: Pace::Curvature,
        jacobian: JacobianRows::Written,
        matrices: [3.0, 5.0],
        ..MethodFacts::penalty("newtonflip")
    };

    fn parts(&self) -> Vec<SettingGroup> {
        vec![newton::KEYS, CONSTRAINED]
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        match key {
            "hardness" => self.hardness = value.positive()?,
            "normal_gain" | "rank_cut" => _ = value.number(|x| (0.0..=1.0).contains(&x))?,
            "metric" => _ = value.text()?,
            _ => {
                newton::set(&mut self.newton, key, value)?;
                self.fixed |= key == "penalty";
            }
        }
        Some(())
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, _steps: usize) -> Box<dyn Optimizer> {
        let method = NewtonFlip::new(self, problem.parameters(), &problem.constraint_blocks());
        Box::new(method.with_equations(&problem.equations()))
    }
}

/// Constrained Gauss–Newton.
#[derive(Debug)]
pub struct NewtonFlip(Newton);

impl NewtonFlip {
    /// For a problem of this many parameters whose constraints come in these blocks.
    pub fn new(settings: NewtonFlipSettings, parameters: usize, blocks: &[Block]) -> Self {
        let NewtonFlipSettings { newton, fixed, hardness } = settings;
        let weighting = if fixed { Weighting::Fixed(newton.penalty) } else { Weighting::Balanced(hardness) };
        Self(Newton::new(newton, Some(Hard { weighting, rounds: ROUNDS }), parameters, blocks))
    }

    /// Gives every scalar equation a weight of its own ([`ConstrainedProblem::equations`]); without this,
    /// every block has.
    pub fn with_equations(mut self, equations: &[usize]) -> Self {
        self.0.set_equations(equations);
        self
    }
}

impl Optimizer for NewtonFlip {
    delegate!(to 0: step, multipliers, points_changed, end, state, restore);

    fn diagnose(&mut self, wanted: bool) {
        self.0.diagnose = wanted;
    }
}
