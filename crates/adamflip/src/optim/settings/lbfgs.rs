//! Quasi-Newton descent: the weight of the constraints in its sum, its memory, and the conditions of its line
//! search.

use super::{SettingGroup, SettingValue as Value, setting};
use crate::optim::{DescentSettings, Wolfe};

pub(crate) const PENALTY: SettingGroup =
    &[setting("penalty", "a number from zero, as in `penalty = 1`", "the weight of all constraints")];
pub(crate) const MEMORY: SettingGroup = &[
    setting("memory", "a whole number from 1 to 1000, as in `memory = 50`", "curvature pairs"),
    setting(
        "carried",
        "a whole number from 0 to 1000, as in `carried = 50`",
        "pairs kept where points change",
    ),
];
pub(crate) const WOLFE: SettingGroup = &[
    setting("decrease", "a number between 0 and 1, as in `decrease = 1e-4`", "c₁ of the line search"),
    setting("curvature", "a number between 0 and 1, as in `curvature = 0.9`", "c₂ of the line search"),
    setting("rounding", "a number in [0, 1), as in `rounding = 1e-12`", "the rise that counts as rounding"),
    setting(
        "evaluations",
        "a whole number from 1 to 1000, as in `evaluations = 25`",
        "the most trials of a search",
    ),
];

/// Pairs are two vectors of the size of θ each: more than these are a typing error.
pub(crate) const MOST_PAIRS: usize = 1_000;

/// Is it a setting of the descent?
pub(crate) fn has(key: &str) -> bool {
    MEMORY.iter().chain(WOLFE).any(|row| row.key == key)
}

pub(crate) fn set_descent(descent: &mut DescentSettings, key: &str, value: &Value) -> Option<()> {
    match key {
        "memory" => descent.memory = value.whole(1..=MOST_PAIRS)?,
        "carried" => descent.carried = value.whole(0..=MOST_PAIRS)?,
        _ => set_wolfe(&mut descent.wolfe, key, value)?,
    }
    Some(())
}

pub(crate) fn set_wolfe(wolfe: &mut Wolfe, key: &str, value: &Value) -> Option<()> {
    match key {
        "decrease" => wolfe.decrease = value.part()?,
        "curvature" => wolfe.curvature = value.part()?,
        "rounding" => wolfe.rounding = value.share()?,
        _ => wolfe.evaluations = value.whole(1..=1_000)?,
    }
    Some(())
}
