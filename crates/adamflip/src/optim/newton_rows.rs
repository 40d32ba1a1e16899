//! `newton_rows`: Gauss–Newton in the space of the residuals, for more parameters than residuals.
//!
//! - d = p − R̃ᵀ(R̃R̃ᵀ + μI)⁻¹(r̃ + R̃p): the step of [`levenberg`](super::levenberg), which has the merit,
//!   the constraints and the trust region, solved by Cholesky's factor of the N × N matrix R̃R̃ᵀ. The same
//!   step as `newtonflip`'s without its memory, to rounding.
//! - Cost: N²P flop or less for R̃R̃ᵀ from rows in factors, N³/3 for each region; one and a half N × N
//!   matrices. P enters once.
//! - Defaults: those of `newtonflip`; β = 0: ours, `results/2026-11-18-any-size.md`.
//! - Reference: Guzmán-Cordero, Dangel, Goldshlager and Zeinhofer 2025, *Improving energy natural gradient
//!   descent through Woodbury, momentum, and randomization*; Goldshlager, Abrahamsen and Lin 2024 for the
//!   momentum (SPRING); Jnini et al. 2025 for the dual form.
//! - Use it after a short start by a method of first order, where a network has more parameters than there
//!   are residuals, up to some thousands.

use super::levenberg::Levenberg;
use super::levenberg::gram::Gram;
use super::method::{Configure, MethodFacts, Pace};
use super::settings::levenberg::{self, LevenbergSettings};
use super::settings::{SettingGroup, SettingValue};
use super::{ConstrainedProblem, Optimizer};

/// Settings of [`NewtonRows`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonRowsSettings {
    /// Damping, momentum and the weight of constraints.
    pub levenberg: LevenbergSettings,
}

impl Configure for NewtonRowsSettings {
    const FACTS: MethodFacts = MethodFacts {
        pointwise: Some(true),
        pace: Pace::Curvature,
        residuals: 2.0,
        ..MethodFacts::penalty("newton_rows")
    };

    fn parts(&self) -> Vec<SettingGroup> {
        vec![levenberg::KEYS]
    }

    fn set(&mut self, key: &str, value: &SettingValue) -> Option<()> {
        levenberg::set(&mut self.levenberg, key, value)
    }

    fn optimizer(self, problem: &dyn ConstrainedProblem, _steps: usize) -> Box<dyn Optimizer> {
        Box::new(NewtonRows::new(self, problem))
    }
}

/// Constrained Gauss–Newton in the space of the residuals.
pub type NewtonRows = Levenberg<Gram>;

impl NewtonRows {
    /// For a problem like this one.
    pub fn new(settings: NewtonRowsSettings, problem: &dyn ConstrainedProblem) -> Self {
        Self::by(Gram::default(), settings.levenberg, problem)
    }
}
