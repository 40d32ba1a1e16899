//! Rate, moments and clipping: settings of every method that takes Adam's steps.

use super::Value;
use super::{Part, Refusal};
use crate::optim::{AdamSettings, Betas, Decay, Rate};

pub(super) const RATE: Part = &["lr", "schedule", "lr_end"];
pub(super) const MOMENTS: Part = &["betas", "delta"];
pub(super) const ROTATION: Part = &["rotate"];
pub(super) const CLIP: Part = &["clip"];

const SCHEDULES: Refusal = "\"constant\", \"exponential\", \"cosine\" or \"theorem\"";
const BETAS: Refusal = "two numbers in [0, 1), as in `betas = [0.95, 0.999]`";

pub(super) fn set(adam: &mut AdamSettings, key: &str, value: &Value) -> Result<(), Refusal> {
    let below_one = |x: f64| (0.0..1.0).contains(&x);
    match key {
        "betas" => {
            let [first, second] = value.pair(|a, b| below_one(a) && below_one(b)).ok_or(BETAS)?;
            adam.betas = Betas { first, second };
        }
        "delta" => adam.delta = value.positive().ok_or("a positive number, as in `delta = 1e-8`")?,
        "rotate" => {
            let expected = "a whole number of steps, as in `rotate = 10`, or 0 for none";
            adam.rotate =
                value.number(|x| (0.0..1e9).contains(&x) && x.fract() == 0.0).ok_or(expected)? as usize;
        }
        "clip" => set_clip(&mut adam.clip, value)?,
        _ => set_rate(&mut adam.rate, key, value)?,
    }
    Ok(())
}

pub(super) fn set_clip(clip: &mut Option<f64>, value: &Value) -> Result<(), Refusal> {
    *clip = Some(value.positive().ok_or("a positive number, as in `clip = 10`")?);
    Ok(())
}

pub(super) fn set_rate(rate: &mut Rate, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "lr" => {
            rate.start = value.positive().ok_or("a positive number, as in `lr = 1e-3`")?;
            // The end of a default belongs to its start.
            rate.decay = with_end_of(rate.decay, f64::NAN);
        }
        "lr_end" => {
            let end = value.positive().ok_or("a positive number, as in `lr_end = 1e-5`")?;
            rate.decay = with_end(rate.decay, end);
        }
        _ => {
            let end = end_of(rate.decay).unwrap_or(f64::NAN);
            rate.decay = match value.text() {
                Some("constant") => Decay::Constant,
                Some("exponential") => Decay::Exponential(end),
                Some("cosine") => Decay::Cosine(end),
                Some("theorem") => Decay::Theorem,
                _ => return Err(SCHEDULES),
            };
        }
    }
    Ok(())
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
