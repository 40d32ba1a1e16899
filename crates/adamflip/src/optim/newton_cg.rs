//! `newton_cg`: Gauss–Newton by conjugate gradients, for many parameters and many residuals.
//!
//! - The step of [`levenberg`](super::levenberg), which has the merit, the constraints and the trust region,
//!   by products R̃v and R̃ᵀw alone ([`krylov`](super::levenberg::krylov)), with a randomized Nyström
//!   preconditioner ([`nystrom`](super::levenberg::nystrom)).
//! - Cost: up to `iterations` pairs of products for each of three solves, each pair about two thirds of a
//!   gradient, and `rank` pairs every `refresh` steps; `rank`·P numbers.
//! - Defaults: rank 100 of arXiv 2505.11638's 100 to 500; 100 iterations to 1e-3, a new preconditioner every
//!   20 steps: ours, not tuned, `results/2026-11-18-any-size.md`. The others are `newton_rows`'.
//! - Reference: Frangella, Tropp and Udell 2023, *Randomized Nyström preconditioning*; Guzmán-Cordero et al.
//!   2025 (arXiv 2505.11638) for such networks.
//! - Use it where neither a matrix of all parameters by all nor one of all residuals by all can be
//!   factorized, and time matters less than steps: in the one comparison made Adam was ahead.

use super::levenberg::Levenberg;
use super::levenberg::krylov::{Krylov, KrylovSettings};
use super::method::{Configure, MethodFacts, Pace};
use super::settings::levenberg::{self, LevenbergSettings};
use super::settings::{SettingGroup, SettingValue, setting};
use super::{ConstrainedProblem, Optimizer};

/// Settings of [`NewtonCg`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonCgSettings {
    /// Damping, momentum and the weight of constraints.
    pub levenberg: LevenbergSettings,
    /// Conjugate gradients.
    pub krylov: KrylovSettings,
}

const KEYS: SettingGroup = &[
    setting("rank", "a whole number from 0 to 2000, as in `rank = 100`", "of the preconditioner"),
    setting("refresh", "a positive whole number, as in `refresh = 20`", "steps between two preconditioners"),
    setting("iterations", "a positive whole number, as in `iterations = 100`", "of a solve, at the most"),
    setting("tolerance", "a number between 0 and 1, as in `tolerance = 1e-3`", "of a solve, relative"),
];

impl Configure for NewtonCgSettings {
    const FACTS: MethodFacts = MethodFacts {
        pointwise: Some(true),
        pace: Pace::Curvature,
        vectors: 120.0,
        ..MethodFacts::penalty("newton_cg")
    };

    fn parts(&self) -> Vec<SettingGroup> {
        vec![levenberg::KEYS, KEYS]
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        let krylov = &mut self.krylov;
        match key {
            "rank" => krylov.rank = value.whole(0..=2000)?,
            "refresh" => krylov.refresh = value.whole(1..=usize::MAX)?,
            "iterations" => krylov.iterations = value.whole(1..=usize::MAX)?,
            "tolerance" => krylov.tolerance = value.part()?,
            _ => levenberg::set(&mut self.levenberg, key, value)?,
        }
        Some(())
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, _steps: usize) -> Box<dyn Optimizer> {
        Box::new(NewtonCg::new(self, problem))
    }
}

/// Constrained Gauss–Newton by conjugate gradients.
pub type NewtonCg = Levenberg<Krylov>;

impl NewtonCg {
    /// For a problem like this one.
    pub fn new(settings: NewtonCgSettings, problem: &dyn ConstrainedProblem) -> Self {
        Self::by(Krylov::new(settings.krylov, problem.parameters()), settings.levenberg, problem)
    }
}
