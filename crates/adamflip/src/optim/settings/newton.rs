//! Gauss–Newton with and without hard constraints: the weight of the constraints, damping and memory.

use super::{SettingGroup, SettingValue as Value, setting};
use crate::optim::{ModelFactor, NewtonSettings};

pub(crate) const KEYS: SettingGroup = &[
    setting("penalty", "a number from zero, as in `penalty = 100`", "the weight of all constraints"),
    setting("damping", "a positive number, as in `damping = 1e-3`", "μ at first, of the mean diagonal"),
    setting("least_damping", "a number from zero, as in `least_damping = 1e-14`", "the least μ"),
    setting(
        "factor",
        "\"auto\", \"squared\" or \"qr\"",
        "how the model is factored: by squares, by rows, or the one and then the other",
    ),
    setting("memory", "a number in [0, 1), as in `memory = 0.9`", "how long earlier points are remembered"),
];

pub(crate) fn set(settings: &mut NewtonSettings, key: &str, value: &Value) -> Option<()> {
    match key {
        "penalty" => settings.penalty = value.not_negative()?,
        "damping" => settings.damping = value.positive()?,
        "factor" => settings.factor = ModelFactor::named(value.text()?)?,
        "memory" => settings.memory = value.share()?,
        _ => settings.least_damping = value.not_negative()?,
    }
    Some(())
}
