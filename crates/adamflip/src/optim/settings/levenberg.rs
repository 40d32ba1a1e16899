//! Gauss–Newton without a P × P matrix: the weight of the constraints, damping and momentum.

use super::{SettingGroup, SettingValue as Value, setting};

/// Settings that `newton_rows` and `newton_cg` share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevenbergSettings {
    /// μ at first, as a share of the mean eigenvalue.
    pub damping: f64,
    /// The smallest μ, likewise.
    pub least_damping: f64,
    /// β, the share of the step before that the next one starts from.
    pub momentum: f64,
    /// c at first: the curvature of a constraint as a share of the objective's.
    pub hardness: f64,
    /// ρ where it is fixed, and of constraints in their mean square.
    pub penalty: f64,
    /// Is the weight of the constraints that penalty, rather than balanced by curvature?
    pub fixed: bool,
}

impl Default for LevenbergSettings {
    fn default() -> Self {
        Self {
            damping: 1e-3,
            least_damping: 1e-14,
            momentum: 0.0,
            hardness: 0.3,
            penalty: 100.0,
            fixed: false,
        }
    }
}

pub(crate) const KEYS: SettingGroup = &[
    setting(
        "momentum",
        "a number in [0, 1), as in `momentum = 0.5`",
        "the share of the step before that stays",
    ),
    setting(
        "hardness",
        "a positive number, as in `hardness = 0.3`",
        "c at first: the constraints' share of curvature",
    ),
    setting("penalty", "a number from zero, as in `penalty = 100`", "a fixed weight of all constraints"),
    setting("damping", "a positive number, as in `damping = 1e-3`", "μ at first, of the mean eigenvalue"),
    setting("least_damping", "a number from zero, as in `least_damping = 1e-14`", "the least μ"),
];

pub(crate) fn set(settings: &mut LevenbergSettings, key: &str, value: &Value) -> Option<()> {
    match key {
        "momentum" => settings.momentum = value.share()?,
        "hardness" => settings.hardness = value.positive()?,
        "penalty" => (settings.penalty, settings.fixed) = (value.not_negative()?, true),
        "damping" => settings.damping = value.positive()?,
        _ => settings.least_damping = value.not_negative()?,
    }
    Some(())
}
