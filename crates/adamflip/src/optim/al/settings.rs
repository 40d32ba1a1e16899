//! The settings of `al` by key: the dual rule, then those of that rule.

use super::{Adaptive, AlSettings, Ascent, Dual, Outer, Update};
use crate::optim::Rate;
use crate::optim::settings::{SettingGroup, SettingValue as Value, adam, has, lbfgs, setting};

const PENALTY: &str = "a number from zero, as in `penalty = 1`";
const RULE: SettingGroup = &[
    setting("dual", "\"ascent\", \"outer\" or \"adaptive\"", "the rule of the multipliers"),
    setting(
        "multiplier",
        "a number from zero, as in `multiplier = 1`",
        "the multipliers of squares at first",
    ),
];
const ASCENT: SettingGroup = &[
    setting("penalty", PENALTY, "β, the weight of the squares"),
    setting("dual_lr", "a positive number, as in `dual_lr = 1e-4`", "the rate of the multipliers"),
    setting("update", "\"adam\" or \"pi\"", "how the multipliers climb"),
];
const CONTROLLER: SettingGroup = &[
    setting("nu", "a number in [0, 1), as in `nu = 0.5`", "memory of the smoothed violation"),
    setting("integral_gain", "a number from zero, as in `integral_gain = 1`", "the gain of the violation"),
    setting(
        "proportional_gain",
        "a number from zero, as in `proportional_gain = 10`",
        "the gain of its change",
    ),
];
const OUTER: SettingGroup = &[
    setting("penalty", "a positive number, as in `penalty = 2`", "μ at first"),
    setting("growth", "a number from 1, as in `growth = 2`", "the factor of μ after each round"),
    setting("limit", "a positive number, as in `limit = 1e4`", "the largest μ"),
    setting(
        "adam_steps",
        "a whole number from zero, as in `adam_steps = 2000`",
        "Adam's steps of the first round",
    ),
    setting("lbfgs_steps", "a whole number from zero, as in `lbfgs_steps = 1000`", "L-BFGS steps of a round"),
    setting("tolerance", "a number in [0, 1), as in `tolerance = 1e-3`", "the fall of ∇L that ends a round"),
];
const ADAPTIVE: SettingGroup = &[
    setting("penalty", PENALTY, "μ at first"),
    setting("smoothing", "a number in [0, 1), as in `smoothing = 0.99`", "memory of the mean squares"),
    setting("stall", "a number above 0 and up to 1, as in `stall = 0.999`", "the fall of L that is none"),
    setting("scale", "a positive number, as in `scale = 0.01`", "μ over the root of the mean squares"),
];

/// Beyond this a number of inner steps means "all".
const MOST_STEPS: usize = 1_000_000_000_000;

/// All parts: those of Adam, then those of the rule.
pub(super) fn parts(settings: &AlSettings) -> Vec<SettingGroup> {
    let rule: &[SettingGroup] = match settings.dual {
        Dual::Ascent(Ascent { update: Update::Adam, .. }) => &[ASCENT],
        Dual::Ascent(_) => &[ASCENT, CONTROLLER],
        Dual::Outer(_) => &[OUTER, lbfgs::MEMORY, lbfgs::WOLFE],
        Dual::Adaptive(_) => &[ADAPTIVE],
    };
    [&[adam::RATE, adam::MOMENTS, adam::CLIP, RULE], rule].concat()
}

/// The choice that a key needs.
pub(super) fn needed(key: &str) -> Option<&'static str> {
    let choices: [(SettingGroup, &str); 6] = [
        (CONTROLLER, "update = \"pi\""),
        (ASCENT, "dual = \"ascent\""),
        (OUTER, "dual = \"outer\""),
        (lbfgs::MEMORY, "dual = \"outer\""),
        (lbfgs::WOLFE, "dual = \"outer\""),
        (ADAPTIVE, "dual = \"adaptive\""),
    ];
    choices.into_iter().find(|(part, _)| has(part, key)).map(|(_, choice)| choice)
}

pub(super) fn set(settings: &mut AlSettings, key: &str, value: &Value) -> Option<()> {
    match (key, &mut settings.dual) {
        ("dual", _) => {
            *settings = match value.text()? {
                "ascent" => AlSettings::ascent(),
                "outer" => AlSettings::outer(),
                "adaptive" => AlSettings::adaptive(),
                _ => return None,
            };
            Some(())
        }
        ("multiplier", _) => {
            settings.start = value.not_negative()?;
            Some(())
        }
        (_, Dual::Ascent(rule)) if has(ASCENT, key) || has(CONTROLLER, key) => set_ascent(rule, key, value),
        (_, Dual::Outer(rule)) if has(OUTER, key) => set_outer(rule, key, value),
        (_, Dual::Outer(_)) if lbfgs::has(key) => lbfgs::set_descent(&mut settings.descent, key, value),
        (_, Dual::Adaptive(rule)) if has(ADAPTIVE, key) => set_adaptive(rule, key, value),
        _ => adam::set(&mut settings.adam, key, value),
    }
}

fn set_ascent(rule: &mut Ascent, key: &str, value: &Value) -> Option<()> {
    match (key, &mut rule.update) {
        ("penalty", _) => rule.penalty = value.not_negative()?,
        ("dual_lr", _) => rule.rate = Rate::constant(value.positive()?),
        ("update", update) => {
            *update = match value.text()? {
                "adam" => Update::Adam,
                "pi" => Update::proportional_integral(),
                _ => return None,
            };
        }
        ("nu", Update::ProportionalIntegral { memory, .. }) => *memory = value.share()?,
        ("integral_gain", Update::ProportionalIntegral { integral, .. }) => {
            *integral = value.not_negative()?
        }
        (_, Update::ProportionalIntegral { proportional, .. }) => *proportional = value.not_negative()?,
        // Keys of the controller are not there without it.
        (_, Update::Adam) => {}
    }
    Some(())
}

fn set_outer(rule: &mut Outer, key: &str, value: &Value) -> Option<()> {
    match key {
        "penalty" => rule.penalty = value.positive()?,
        "growth" => rule.growth = value.number(|x| x >= 1.0)?,
        "limit" => rule.limit = value.positive()?,
        "adam_steps" => rule.adam = value.whole(0..=MOST_STEPS)?,
        "lbfgs_steps" => rule.lbfgs = value.whole(0..=MOST_STEPS)?,
        _ => rule.tolerance = value.share()?,
    }
    Some(())
}

fn set_adaptive(rule: &mut Adaptive, key: &str, value: &Value) -> Option<()> {
    match key {
        "penalty" => rule.penalty = value.not_negative()?,
        "smoothing" => rule.smoothing = value.share()?,
        "stall" => rule.stall = value.number(|x| x > 0.0 && x <= 1.0)?,
        _ => rule.scale = value.positive()?,
    }
    Some(())
}
