//! The controller of feedback linearization: gains, damping, smoothing, momentum, backtracking.

use super::Value;
use super::{Part, Refusal};
use crate::optim::{Backtracking, Damping, Feedback};

pub(super) const GAINS: Part = &["gain", "integral_gain", "smoothing"];
pub(super) const DAMPING: Part = &["epsilon", "damping"];
pub(super) const MOMENTUM: Part = &["momentum"];
pub(super) const BACKTRACKING: Part = &["halvings", "penalty"];

const GAIN: Refusal =
    "a number from zero, as in `gain = 100`, or numbers by constraint, as in `gain = { walls = 500 }`";

/// Is the key one of the controller's own?
pub(super) fn has(key: &str) -> bool {
    GAINS.contains(&key) || DAMPING.contains(&key)
}

pub(super) fn set(feedback: &mut Feedback, key: &str, value: &Value) -> Result<(), Refusal> {
    match key {
        "gain" => {
            (feedback.gain, feedback.gains) = value.gains(feedback.gain, |x| x >= 0.0).ok_or(GAIN)?;
        }
        "integral_gain" => {
            let expected = "a number from zero, as in `integral_gain = 0.01`";
            feedback.integral_gain = value.number(|x| x >= 0.0).ok_or(expected)?;
        }
        "smoothing" => {
            feedback.smoothing = value.share().ok_or("a number in [0, 1), as in `smoothing = 0.9`")?;
        }
        _ => set_damping(&mut feedback.damping, key, value)?,
    }
    Ok(())
}

pub(super) fn set_damping(damping: &mut Damping, key: &str, value: &Value) -> Result<(), Refusal> {
    let (Damping::Absolute(ε) | Damping::Relative(ε)) = *damping;
    if key == "epsilon" {
        let ε = value.number(|x| x >= 0.0).ok_or("a number from zero, as in `epsilon = 1e-6`")?;
        *damping = match damping {
            Damping::Absolute(_) => Damping::Absolute(ε),
            Damping::Relative(_) => Damping::Relative(ε),
        };
        return Ok(());
    }
    *damping = match value.text() {
        Some("absolute") => Damping::Absolute(ε),
        Some("relative") => Damping::Relative(ε),
        _ => return Err("\"absolute\" or \"relative\""),
    };
    Ok(())
}

pub(super) fn set_momentum(momentum: &mut f64, value: &Value) -> Result<(), Refusal> {
    *momentum = value.share().ok_or("a number in [0, 1), as in `momentum = 0.9`")?;
    Ok(())
}

pub(super) fn set_backtracking(
    backtracking: &mut Backtracking,
    key: &str,
    value: &Value,
) -> Result<(), Refusal> {
    if key == "halvings" {
        // Fifty halvings leave nothing of a step.
        let expected = "a whole number from 0 to 50, as in `halvings = 5`";
        backtracking.halvings = value.whole(0..=50).ok_or(expected)?;
    } else {
        backtracking.penalty = Some(value.positive().ok_or("a positive number, as in `penalty = 10`")?);
    }
    Ok(())
}
