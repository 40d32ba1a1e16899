//! Balanced losses: the rule of the weights, then what that rule takes.

use super::{SettingGroup, SettingValue as Value, has as is_in, setting};
use crate::optim::{Balancing, Weights};

const WEIGHTS: SettingGroup = &[setting(
    "weights",
    "\"annealed\", \"ntk\", \"relobralo\" or \"softadapt\"",
    "how the terms' losses are weighed against each other",
)];
const EVERY: SettingGroup = &[setting(
    "weights_every",
    "a whole number from 1, as in `weights_every = 10`",
    "steps between changes of the weights",
)];
const MEMORY: SettingGroup = &[setting(
    "weights_memory",
    "a number in [0, 1), as in `weights_memory = 0.9`",
    "what stays of the weights at a change",
)];
const LOOKBACK: SettingGroup = &[
    setting(
        "weights_temperature",
        "a positive number, as in `weights_temperature = 0.1`",
        "how even the weights of unequal falls are",
    ),
    setting(
        "weights_lookback",
        "a number from 0 to 1, as in `weights_lookback = 0.999`",
        "how probably the weights go on from the last ones, rather than from the first losses",
    ),
];
const SHARPNESS: SettingGroup = &[setting(
    "weights_sharpness",
    "a number from zero, as in `weights_sharpness = 0.1`",
    "how uneven the weights of unequal changes are",
)];

/// Steps between changes beyond this mean "never".
const MOST_STEPS: usize = 1_000_000_000;

/// Every rule with its defaults.
pub(crate) const RULES: [Weights; 4] = [
    Weights::Annealed { memory: 0.9 },
    Weights::Tangent,
    Weights::Relobralo { memory: 0.999, temperature: 0.1, lookback: 0.999 },
    Weights::SoftAdapt { sharpness: 0.1 },
];

/// The choices that differ in their keys.
pub(crate) fn choices() -> impl Iterator<Item = Option<Balancing>> {
    RULES.into_iter().map(|weights| Some(Balancing { weights, every: None }))
}

/// All parts: the rule, then those of the rule.
pub(crate) fn parts(balancing: &Option<Balancing>) -> Vec<SettingGroup> {
    let of_rule: &[SettingGroup] = match balancing.map(|balancing| balancing.weights) {
        None => &[],
        Some(Weights::Annealed { .. }) => &[EVERY, MEMORY],
        Some(Weights::Tangent) => &[EVERY],
        Some(Weights::Relobralo { .. }) => &[EVERY, MEMORY, LOOKBACK],
        Some(Weights::SoftAdapt { .. }) => &[EVERY, SHARPNESS],
    };
    [&[WEIGHTS], of_rule].concat()
}

/// Is the key one of the weights' own?
pub(crate) fn has(key: &str) -> bool {
    [WEIGHTS, EVERY, MEMORY, LOOKBACK, SHARPNESS].iter().any(|part| is_in(part, key))
}

/// The choice that a key needs.
pub(crate) fn needed(key: &str) -> Option<&'static str> {
    let choices: [(SettingGroup, &str); 4] = [
        (EVERY, "weights = \"annealed\""),
        (MEMORY, "weights = \"annealed\""),
        (LOOKBACK, "weights = \"relobralo\""),
        (SHARPNESS, "weights = \"softadapt\""),
    ];
    choices.into_iter().find(|(part, _)| is_in(part, key)).map(|(_, choice)| choice)
}

pub(crate) fn set(balancing: &mut Option<Balancing>, key: &str, value: &Value) -> Option<()> {
    if key == "weights" {
        let rule = ["annealed", "ntk", "relobralo", "softadapt"]
            .iter()
            .position(|name| value.text() == Some(name))?;
        *balancing = Some(Balancing { weights: RULES[rule], every: None });
        return Some(());
    }
    let Balancing { weights, every } = balancing.as_mut()?;
    match (key, weights) {
        ("weights_every", _) => *every = Some(value.whole(1..=MOST_STEPS)?),
        ("weights_memory", Weights::Annealed { memory } | Weights::Relobralo { memory, .. }) => {
            *memory = value.share()?;
        }
        ("weights_temperature", Weights::Relobralo { temperature, .. }) => *temperature = value.positive()?,
        ("weights_lookback", Weights::Relobralo { lookback, .. }) => {
            *lookback = value.number(|x| (0.0..=1.0).contains(&x))?;
        }
        ("weights_sharpness", Weights::SoftAdapt { sharpness }) => *sharpness = value.not_negative()?,
        _ => return None,
    }
    Some(())
}
