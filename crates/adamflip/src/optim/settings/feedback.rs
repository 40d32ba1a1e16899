//! The controller of feedback linearization: gains and damping.

use super::{SettingGroup, SettingValue as Value, setting};
use crate::optim::{Damping, Feedback};

pub(crate) const GAINS: SettingGroup = &[
    setting(
        "gain",
        "a number from zero, as in `gain = 100`, or numbers by constraint, as in `gain = { walls = 500 }`",
        "K, the controller's gain",
    ),
    setting(
        "integral_gain",
        "a number from zero, as in `integral_gain = 0.01`",
        "the gain of the integral of h",
    ),
    setting("smoothing", "a number in [0, 1), as in `smoothing = 0.9`", "memory of the multipliers' average"),
];
pub(crate) const DAMPING: SettingGroup = &[
    setting("epsilon", "a number from zero, as in `epsilon = 1e-6`", "the damping of the multipliers' solve"),
    setting("damping", "\"absolute\" or \"relative\"", "is `epsilon` a share of the mean eigenvalue?"),
];

/// Is the key one of the controller's own?
pub(crate) fn has(key: &str) -> bool {
    GAINS.iter().chain(DAMPING).any(|row| row.key == key)
}

pub(crate) fn set(feedback: &mut Feedback, key: &str, value: &Value) -> Option<()> {
    match key {
        "gain" => (feedback.gain, feedback.gains) = value.gains(feedback.gain, |x| x >= 0.0)?,
        "integral_gain" => feedback.integral_gain = value.not_negative()?,
        "smoothing" => feedback.smoothing = value.share()?,
        _ => set_damping(&mut feedback.damping, key, value)?,
    }
    Some(())
}

pub(crate) fn set_damping(damping: &mut Damping, key: &str, value: &Value) -> Option<()> {
    let (Damping::Absolute(ε) | Damping::Relative(ε)) = *damping;
    *damping = match (key, &*damping) {
        ("epsilon", Damping::Absolute(_)) => Damping::Absolute(value.not_negative()?),
        ("epsilon", Damping::Relative(_)) => Damping::Relative(value.not_negative()?),
        _ => match value.text()? {
            "absolute" => Damping::Absolute(ε),
            "relative" => Damping::Relative(ε),
            _ => return None,
        },
    };
    Some(())
}
