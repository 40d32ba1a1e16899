//! Rate, moments and clipping: settings of every method that takes Adam's steps.

use super::{SettingGroup, SettingValue as Value, setting};
use crate::optim::{AdamSettings, Betas, Decay, Rate};

pub(crate) const RATE: SettingGroup = &[
    setting("lr", "a positive number, as in `lr = 1e-3`", "the learning rate"),
    setting("schedule", "\"constant\", \"exponential\", \"cosine\" or \"theorem\"", "how the rate falls"),
    setting("lr_end", "a positive number, as in `lr_end = 1e-5`", "the rate at the end"),
];
pub(crate) const MOMENTS: SettingGroup = &[
    setting("betas", "two numbers in [0, 1), as in `betas = [0.95, 0.999]`", "memory of Adam's moments"),
    setting("delta", "a positive number, as in `delta = 1e-8`", "added to the root of the second moment"),
];
pub(crate) const ROTATION: SettingGroup = &[setting(
    "rotate",
    "a whole number of steps, as in `rotate = 10`, or 0 for none",
    "the moments' eigenbasis of each layer turns every this many steps",
)];
pub(crate) const CLIP: SettingGroup =
    &[setting("clip", "a positive number, as in `clip = 10`", "longer directions are shortened to this")];

pub(crate) fn set(adam: &mut AdamSettings, key: &str, value: &Value) -> Option<()> {
    let below_one = |x: f64| (0.0..1.0).contains(&x);
    match key {
        "betas" => {
            let [first, second] = value.pair(|a, b| below_one(a) && below_one(b))?;
            adam.betas = Betas { first, second };
        }
        "delta" => adam.delta = value.positive()?,
        "rotate" => adam.rotate = value.number(|x| (0.0..1e9).contains(&x) && x.fract() == 0.0)? as usize,
        "clip" => set_clip(&mut adam.clip, value)?,
        _ => set_rate(&mut adam.rate, key, value)?,
    }
    Some(())
}

pub(crate) fn set_clip(clip: &mut Option<f64>, value: &Value) -> Option<()> {
    *clip = Some(value.positive()?);
    Some(())
}

pub(crate) fn set_rate(rate: &mut Rate, key: &str, value: &Value) -> Option<()> {
    match key {
        "lr" => {
            rate.start = value.positive()?;
            // The end of a default belongs to its start.
            rate.decay = with_end_of(rate.decay, f64::NAN);
        }
        "lr_end" => rate.decay = with_end(rate.decay, value.positive()?),
        _ => {
            let end = end_of(rate.decay).unwrap_or(f64::NAN);
            rate.decay = match value.text()? {
                "constant" => Decay::Constant,
                "exponential" => Decay::Exponential(end),
                "cosine" => Decay::Cosine(end),
                "theorem" => Decay::Theorem,
                _ => return None,
            };
        }
    }
    Some(())
}

fn end_of(decay: Decay) -> Option<f64> {
    match decay {
        Decay::Constant | Decay::Theorem => None,
        Decay::Exponential(end) | Decay::Cosine(end) => Some(end),
    }
}

/// A schedule that has an end, with another.
fn with_end_of(decay: Decay, end: f64) -> Decay {
    match decay {
        Decay::Exponential(_) => Decay::Exponential(end),
        Decay::Cosine(_) => Decay::Cosine(end),
        Decay::Constant | Decay::Theorem => decay,
    }
}

/// An end without a schedule means the exponential one.
fn with_end(decay: Decay, end: f64) -> Decay {
    match decay {
        Decay::Cosine(_) => Decay::Cosine(end),
        Decay::Theorem => Decay::Theorem,
        Decay::Constant | Decay::Exponential(_) => Decay::Exponential(end),
    }
}

/// A falling schedule without an end falls to a hundredth.
pub(super) fn finish(rate: &mut Rate) {
    match rate.decay {
        Decay::Exponential(end) if end.is_nan() => rate.decay = Decay::Exponential(0.01 * rate.start),
        Decay::Cosine(end) if end.is_nan() => rate.decay = Decay::Cosine(0.01 * rate.start),
        _ => {}
    }
}
